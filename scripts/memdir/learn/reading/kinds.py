"""Shapes of values: what a port, a host, a sum, a day of the week look like in a sentence. Patterns alone, bounded.

A value of a clear shape lets a rule be sure of a sentence that names no key: "lives on otter11.lan" is about a host,
"lives on the second floor" is not.
"""

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = (
    "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tue|wed|thu|fri|sat|sun|weekdays|weekends|workdays)"
)  # fmt: skip
_CLOCK = (
    r"(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?|\d{1,2} o'clock|midnight|noon)(?: (?:utc|gmt|cet"
    r"|cest|bst|est|pst))?"
)
_PART = "(?:mornings?|afternoons?|evenings?|nights?)"
_NUMBER = r"\d{1,9}(?:[.,]\d{1,9}){0,3}"
_WORDED = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|fifteen|twenty|thirty|forty-five|forty"
    "|sixty|ninety)"
)
_SIGN = "(?:eur|usd|gbp|chf|sek|nok|dkk|pln|cny|rmb|jpy|[€$£¥])"
_COIN = "(?:eur|usd|gbp|chf|sek|nok|dkk|pln|cny|rmb|jpy|euros?|dollars?|pounds?|francs?|cents?|[€$£¥])"
_CAPITAL = "[A-Z\u00c0-\u00de]"
# The 100 commonest surnames, near enough: two to four characters after one of them are a person.
_SURNAME = (
    "[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏"
    "钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文]"
)
_HAN = "(?-i:[\u3400-\u9fff])"
_DAY_ZH = "(?:(?:周|星期|礼拜)[一二三四五六日天](?:[和、到至]?(?:周|星期|礼拜)?[一二三四五六日天]){0,4}|工作日|周末)"
_CLOCK_ZH = (
    r"(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)?(?:\d{1,2}[:：]\d\d|(?:\d{1,2}"
    r"|[一二三四五六七八九十两]{1,3}) ?点(?:半|整|一刻|\d{1,2}分?)?)"
    r"(?: ?(?:utc|gmt))?"
)
_NUMBER_ZH = r"(?:\d{1,9}(?:[.,]\d{1,9}){0,3}|[一二三四五六七八九十百千半两]{1,6})"

# Compiled without regard to case, but for what stands in `(?-i:…)`.
SHAPES = {
    "port": r"\d{2,5}(?![\d.,:/%-]*\d)",
    "host": r"(?:(?:[a-z0-9][a-z0-9\-]{0,40}\.){1,5}[a-z]{2,12}|(?:\d{1,3}\.){3}\d{1,3}"
    r"|(?-i:[a-z])[a-z\-]{1,20}\d{1,4})",
    "version": r"(?:v\d{1,4}(?:\.\d{1,4}){0,3}|\d{1,4}(?:\.\d{1,4}){2,3})(?:[\-+.]?(?:rc|beta|alpha"
    r"|lts)[.\-]?\d{0,3})?",
    "release": r"v?\d{1,4}(?:\.\d{1,4}){0,3}(?:[\-+.]?(?:rc|beta|alpha|lts)[.\-]?\d{0,3})?",
    "size": rf"{_NUMBER} ?(?:[kmgt]i?b|megabytes?|gigabytes?|兆|个?G)",
    "rate": rf"{_NUMBER} (?:requests?|calls?|messages?|mails?|queries|jobs|uploads?|logins?) ?(?:per|an?|/|each) ?"
    r"(?:second|minute|hour|day)",
    "span": rf"(?:{_NUMBER}|an?|{_WORDED}) ?(?:full |working |business |calendar |bank )?(?:days?|weeks?|months?"
    rf"|years?|hours?|h|d)",
    "seconds": rf"(?:{_NUMBER}|an?|half an?|{_WORDED}) ?(?:ms|milliseconds?|s|secs?|seconds?|min|mins|minutes?)",
    "clock": rf"(?:{_DAY} (?:at )?)?{_CLOCK}",
    "when": rf"(?:(?:the )?(?:first|second|third|fourth|last) )?{_DAY}(?: {_PART})?(?:(?:,| and| or"
    rf"|, and) {_DAY}){{0,3}}(?:,? (?:at |from |after |before )?"
    rf"{_CLOCK}(?: ?(?:-|–|to|until) ?{_CLOCK})?)?(?: sharp)?",
    "hours": rf"(?:{_DAY}(?: ?(?:-|–|to) ?{_DAY})?,? )?(?:from )?(?:{_CLOCK}|\d{{1,2}}) ?(?:-|–|to|until|till"
    rf"|and) ?(?:{_CLOCK}|\d{{1,2}})",
    "date": rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st"
    rf"|nd|rd|th)?(?:,? \d{{4}})?"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4})",
    "money": rf"(?:{_SIGN} ?{_NUMBER}(?: ?(?:k|m|million|thousand))?|{_NUMBER} ?(?:k|m|million|thousand)? ?{_COIN})",
    "percent": rf"{_NUMBER} ?(?:%|％|percent|per cent)",
    "phone": r"\+?\d[\d \-/()]{1,20}\d",
    "room": r"(?:(?:room|office|desk) (?-i:[\w.\-]{1,8})|(?-i:[A-Z]{1,3})[\-.]\d{1,4}[a-z]?|(?-i:[A-Z])\d{2,4})",
    "code": r"(?=[^\s,;]{0,40}(?:[\d/_\-]|[a-z]\.[a-z]))[a-z0-9][\w./#:\-]{1,40}(?<![.:])",
    "label": r"(?:(?=[^\s,;]{0,40}[\d/_\-])[\w\"'][\w./#:\-]{1,40}(?<![.:])|(?-i:[A-Z]{2,8}))-?",
    "branch": r"(?:[\w.\-]{1,30}/[\w./\-]{1,40}|main|master|trunk|develop|stable|production"
    r"|[a-z]{2,12}[\-_][\w.\-]{1,30})",
    "named": r"[\"']?\w[\w.\-]{0,30}(?: (?-i:[A-Z0-9])[\w.\-]{0,30}){0,3}[\"']?",
    "database": r"(?:postgres(?:ql)?|mysql|mariadb|sqlite|oracle(?: db)?|sql server|mssql|mongo(?:db)?|redis"
    r"|cassandra|cockroach(?:db)?|clickhouse"
    r"|firebird|tidb|duckdb|dynamodb|elasticsearch|opensearch|couchdb|neo4j|influxdb|timescale(?:db)?|aurora"
    r"|snowflake|bigquery|db2)(?: ?v?\d[\d.]{0,8})?",
    "person": rf"(?:(?-i:{_CAPITAL}[\w.'’\-]{{1,20}}(?: (?:van|von|de|der|den|da|di|la"
    rf"|{_CAPITAL}[\w.'’\-]{{0,20}})){{0,3}})|{_SURNAME}{_HAN}{{1,2}})",
    "span_zh": rf"{_NUMBER_ZH} ?个?(?:工作日|自然日|天|日|周|星期|礼拜|月|年|小时)",
    "seconds_zh": rf"{_NUMBER_ZH} ?(?:毫秒|秒钟?|分钟?|ms|s)",
    "clock_zh": rf"(?:{_DAY_ZH} ?)?{_CLOCK_ZH}",
    "when_zh": rf"{_DAY_ZH}(?:的)? ?(?:{_CLOCK_ZH}|上午|下午|晚上|早上)?",
    "hours_zh": rf"{_CLOCK_ZH} ?(?:-|–|—|~|到|至) ?{_CLOCK_ZH}",
    "date_zh": r"(?:\d{4}-\d\d-\d\d|(?:\d{4} ?年 ?)?\d{1,2} ?月 ?\d{1,2} ?[日号]|(?:\d{4} ?年 ?)?\d{1,2} ?月(?:初"
    r"|中旬|底)?)",
    "money_zh": rf"(?:[¥￥] ?{_NUMBER}|(?:人民币|RMB|CNY|EUR|USD)? ?{_NUMBER_ZH} ?(?:万|千|百|亿)? ?(?:元|块钱?|美元"
    rf"|欧元|人民币|EUR|USD|€))",
    "percent_zh": rf"(?:{_NUMBER} ?[%％]|百分之[\d一二三四五六七八九十]{{1,4}}|[\d.]{{1,4}} ?折"
    rf"|[一二三四五六七八九]{{1,2}} ?折|[\d一二三四五六七八九十]{{1,3}} ?个点)",
    "person_zh": rf"(?:{_SURNAME}{_HAN}{{1,2}}|[小老]{_SURNAME}"
    rf"|(?-i:{_CAPITAL}[\w.'’\-]{{1,20}}(?: {_CAPITAL}[\w.'’\-]{{1,20}}){{0,2}}))",
}  # fmt: skip
