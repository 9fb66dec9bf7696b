"""Time as it is written in Chinese: each phrase with the days that it means.

As in `dates`: 3月 is the last that has begun, 3月14日 and 14号 the last such day, 周六 only in a question about what
was done, 上周 a whole week, 过去两周 the days up to today. No
blanks part the words, so those that only seem to hold a time (目前天气, 以上周期) are looked at one by one.
"""

import re
from datetime import date, datetime, timedelta

from memdir.recall import spans
from memdir.recall.phrases import DIGITS, Row, compiled
from memdir.recall.spans import Span

_SIGNS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "半": 0}
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
_DAYS = {"大前天": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "大后天": 3, "后": 2}
_UNITS = {
    "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter",
    "年": "year", "小时": "hour", "钟头": "hour", "分钟": "minute", "秒": "second", "秒钟": "second",
}  # fmt: skip
_PARTS = {
    "初": "begin", "年初": "begin", "月初": "begin", "中": "mid", "年中": "mid", "底": "end", "末": "end",
    "年底": "end", "年末": "end", "月底": "end", "月末": "end", "上旬": "early", "中旬": "mid", "下旬": "late",
    "上半年": "half1", "下半年": "half2", "上半月": "half1", "下半月": "half2",
}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}

_SIGNED = DIGITS + "一二三四五六七八九十两半几数"
_N = r"(\d{1,3}|[一二三四五六七八九十两]{1,3}|半|几|数)"
_UNIT = r"(?:个?(小时|钟头|星期|礼拜|季度)|个(月)|(天|日|周|年|分钟|秒钟?))"
_MONTH = r"(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
_DAY = r"([12]\d|3[01]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"
_YEAR = r"((?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3})年度?"
_SAID_YEAR = r"(大前年|(?<![目以之])前年|(?<!过)去年|上一年|今年|本年|明年|(?<![以之])后年)"
_PART = r"(初|上旬|中旬|下旬|底|末|上半月|下半月)"
_YEAR_PART = r"(年初|年中|年底|年末|初|底|末|上半年|下半年)"
_ANY_YEAR = rf"(?:(?<!\d){_YEAR}|{_SAID_YEAR})"
_WHICH = r"(上上|上|这|(?<![资成基日版书剧文脚])本|下下|下)"
# A weekday's sign may begin the next word: 上周一起, 上周三个, 上周日志, 上周天气.
_WEEKDAY = r"(一(?![起直共些般样次个位])|[二三四五六](?![个次位天场家])|日(?![志程报记常])|天(?!气)|末)"

# What has happened, and what happens again and again or is to come: a weekday alone is a day of the past or none.
_DONE = r"了|过(?![程去敏期])|发生|那天|的时候"
_GENERALLY = r"每|逢|一般|通常|平时|打算|计划|准备|会不会|下[个次]?"
# A day alone is also a number of a house, a line, a machine: 23号楼, 十号线, 十日内.
_NO_DAY = "楼线店机公门馆院房桌位码车厅库选球仓柜箱室井文令字程报志内游间常本元立信牌"


def number(word: str) -> int:
    """Read a number below 1,000 in digits or Chinese signs; 几 and 数 count as three."""
    if word.isdecimal():
        return int(word)
    if word in ("几", "数"):
        return 3
    tens, ten, ones = word.partition("十")
    if not ten:
        return int("".join(str(_SIGNS[sign]) for sign in word))
    return (_SIGNS[tens] if tens else 1) * 10 + (_SIGNS[ones] if ones else 0)


def unit(word: str) -> str:
    """The English name of a unit, as `spans` knows it."""
    return _UNITS[word.removeprefix("个")]


def _year_of(year: str | None, said: str | None, now: datetime) -> int:
    if year:
        return int("".join(sign if sign.isdecimal() else str(_SIGNS[sign]) for sign in year))
    return now.year + _YEARS[said or "今年"]


def _month_day(match: re.Match[str], now: datetime) -> Span | None:
    year, said, month, *days = match.groups()
    day, last = number(days[0]), number(days[1] or days[0])
    if last < day:
        return None
    if year or said:
        end = date(_year_of(year, said, now), number(month), last)
    else:
        end = spans.latest(now.date(), number(month), last)
    return Span(end.replace(day=day), end, not (year or said))


def _month(match: re.Match[str], now: datetime) -> Span:
    found = spans.months(_year_of(match[1], match[2], now), number(match[3]))
    return spans.part(found, _PARTS[match[4]]) if match[4] else found


def _month_alone(match: re.Match[str], now: datetime) -> Span:
    found = spans.latest_month(now.date(), number(match[1]))
    return spans.part(found, _PARTS[match[2]])._replace(loose=True) if match[2] else found


def _day_alone(match: re.Match[str], now: datetime) -> Span:
    return spans.day(spans.latest_number(now.date(), number(match[1])), loose=True)


def _weekday_alone(match: re.Match[str], now: datetime) -> Span | None:
    if not compiled(_DONE).search(match.string) or compiled(_GENERALLY).search(match.string):
        return None
    return spans.day(spans.weekday_before(now.date(), _weekday(match[1])))


def _quarter(match: re.Match[str], now: datetime) -> Span:
    return spans.quarter(_year_of(match[1], match[2], now), number(match[3] or match[4]))


def _season(match: re.Match[str], now: datetime) -> Span:
    return spans.season(_year_of(match[1], match[2], now), _SEASONS[match[3]])


def _year(match: re.Match[str], now: datetime) -> Span:
    found = spans.year(_year_of(match[1], match[2], now))
    return spans.part(found, _PARTS[match[3]]) if match[3] else found


def _part_of_this_year(match: re.Match[str], now: datetime) -> Span:
    return spans.part(spans.year(now.year), _PARTS[match[0]])


def _steps(word: str) -> int:
    """How far 上上, 上, 这, 下 go."""
    return word.count("下") - word.count("上")


def _relative_month(match: re.Match[str], now: datetime) -> Span:
    found = spans.whole(spans.step(now.date(), _steps(match[1]), "month"), "month")
    if match[2]:
        return spans.day(found.first.replace(day=number(match[2])))
    return spans.part(found, _PARTS[match[3]]) if match[3] else found


def _relative_quarter(match: re.Match[str], now: datetime) -> Span:
    return spans.whole(spans.step(now.date(), _steps(match[1]), "quarter"), "quarter")


def _week(match: re.Match[str], now: datetime) -> Span:
    found = spans.week(now.date() + timedelta(7 * _steps(match[1])))
    if not match[2]:
        return found
    return spans.weekend(found.first) if match[2] == "末" else spans.day(found.first + timedelta(_weekday(match[2])))


def _weekday(sign: str) -> int:
    return "一二三四五六日".index(sign.replace("天", "日"))


def _since_weekday(match: re.Match[str], now: datetime) -> Span:
    return spans.day(spans.weekday_before(now.date(), _weekday(match[1])))


def _named_day(match: re.Match[str], now: datetime) -> Span:
    return spans.day(now.date() + timedelta(next(days for word, days in _DAYS.items() if match[0].startswith(word))))


def _count(match: re.Match[str]) -> tuple[int, str]:
    name = _UNITS[match[2] or match[3] or match[4]]
    if match[1] == "半":
        halves = {"year": (6, "month"), "month": (15, "day"), "hour": (30, "minute"), "day": (12, "hour")}
        return halves.get(name, (1, name))
    return number(match[1]), name


def _ago(match: re.Match[str], now: datetime) -> Span:
    count, name = _count(match)
    low, high = (2, 4) if match[1] in ("几", "数") else (count, count)
    return spans.ago(now, low, high, name)


def _rolling(match: re.Match[str], now: datetime) -> Span:
    return spans.recent(now, *_count(match))


ROWS = (
    Row((_SIGNED, "前"), rf"(?<![\d.第月]){_N}{_UNIT}(?:之|以)?前", _ago),
    Row(("近去", _SIGNED), rf"(?:最近|过去|(?<!附)近)[的这]?{_N}{_UNIT}", _rolling),
    Row(("月", "日号"), rf"(?<![\d.])(?:{_ANY_YEAR}的?)?{_MONTH}{_DAY}(?:[-~–到至]{_DAY})?", _month_day),
    Row(("月", "年"), rf"{_ANY_YEAR}的?{_MONTH}{_PART}?", _month),
    Row(("年", "季q"), rf"{_ANY_YEAR}的?(?:第?([一二三四1-4])季度?|Q([1-4]))", _quarter),
    Row(("年", "春夏秋冬"), rf"{_ANY_YEAR}的?(春|夏|秋|冬)[天季]?", _season),
    Row(("年",), rf"{_ANY_YEAR}(?:的?{_YEAR_PART})?", _year),
    Row(("年",), r"年初|上半年|下半年", _part_of_this_year),
    Row(("月", "上这本下"), rf"{_WHICH}个?月份?(?:的?(?:{_DAY}|{_PART}))?", _relative_month),
    Row(("季",), rf"{_WHICH}个?季度", _relative_quarter),
    Row(
        ("周期拜", "上这本下"),
        rf"(?<![以马晚早]){_WHICH}个?(?:周(?![期围边密全到转刊折年])|星期|礼拜){_WEEKDAY}?",
        _week,
    ),
    Row(
        ("周期拜", "来起始今现后"),
        r"(?:周|星期|礼拜)([一二三四五六日天])(?=以来|之后|以后|起|开始|至今|到现在)",
        _since_weekday,
    ),
    Row(
        ("月",),
        rf"(?<![\d.第每几数半多个年十一二三四五六七八九])(?<!上个|下个|这个){_MONTH}{_PART}?(?![\d一二三四五六七八九十龄份额薪票租供饼球亮光历嫂经])",
        _month_alone,
    ),
    Row(
        ("日号",),
        rf"(?<![\d.:/第每月年编牌路街弄型账单\-十一二三四五六七八九])([12]\d|3[01]|三十一?|二?十[一二三四五六七八九]|二?十)[日号](?![\d{_NO_DAY}])",
        _day_alone,
    ),
    Row(
        ("周期拜",),
        r"(?<![上下这本每一二三四五六七八九十\d])(?:周|星期|礼拜)([一二三四五六日天])(?![个次位起直])",
        _weekday_alone,
    ),
    Row(
        ("天日晚早",),
        r"大前天|大后天|(?<![以之目当先跟面提然最此事往从])[前后]天|昨[天日晚]|(?<![如当])今[天日早晚](?!头条)"
        r"|(?<![文说声证表发透光英])明[天日早晚]",
        _named_day,
    ),
)
