"""The wordings that distillation by rules knows, English and Chinese: patterns alone, each bounded.

`_` stands for a space between the words of one list entry.
"""

import re

from memdir.learn.reading.kinds import SHAPES

_CASE = re.IGNORECASE


def _any(words: str) -> str:
    """A pattern for any of the words of a list."""
    return "(?:" + "|".join(word.replace("_", " ") for word in words.split()) + ")"


# --- how a value is said -------------------------------------------------------------------------

_ADVERB = _any(
    "now currently still officially permanently finally today meanwhile as_of_today since_today from_today"
    " again just already"
)
_CHANGED = _any(
    "change[sd]? move[sd]? switch(?:e[sd])? update[sd]? rename[sd]? bump(?:s|ed)? raise[sd]? lower(?:s|ed)? reduce[sd]?"
    " increase[sd]? cut shift(?:s|ed)? migrate[sd]? upgrade[sd]? downgrade[sd]? sets? reset transferred"
    " handed reassigned"
    " rose rises fell falls climbed jumped sank shrank doubled"
    " relocate[sd]? went goes passe[sd] drop(?:s|ped) grew grows rolled pushed extended converted replaced"
    " swapped put fixed"
    " corrected brought adjusted turned confirmed"
)
_OLD = r"(?:[,]? ?(?:away |over |up |down |back |on )?(?:from|off) (?P<old{n}>.{{1,60}}?))?"
NO_LONGER = re.compile(
    r"\s(?:(?:is|are|isn't|aren't|was)\s+)?(?:no longer|not|n't)\s+(?P<old>.{1,60}?)(?:\s+any ?more)?[,;]?\s+"
    r"(?:but|it(?:'s| is)(?: now)?|now it(?:'s| is)|instead it(?:'s| is)|and is now|now)\s+(?P<value>\S.*)$",
    _CASE,
)
NO_LONGER_ZH = re.compile(
    r"(?:不再是|已不是|不是|不再使用|不再用|不再走|不再由)(?P<old>.{1,40}?)[，,、]?(?:而是|改为|改成|换成|现在是"
    r"|现在用|现在走|已经是|是)(?P<value>.+)$"
)
_MANAGES = r"(?:来)?(?:负责|管理|维护|接手|接管|主管|牵头|管|带)了?"
# `不再由 A 负责，改由 B 负责`: an owner without the word.
HANDED_ZH = re.compile(
    rf"(?:已经?|现在|目前|原来|原先|之前|以前|此前|过去|本来|一直)?(?:都?是)?(?:不再?(?:由|归)|由|归"
    rf"|从)(?P<old>[^，,。；;]{{1,12}}?)(?:{_MANAGES}[，,；;。]?\s?"
    rf"(?:而是|改为|改成|现在|已经|目前|换成?|转|改)?(?:由|归|让|给)|[，,]?\s?(?:改|换|转)(?:由|归|给|成))"
    rf"(?P<value>[^，,。；;]{{1,12}}?){_MANAGES}$"
)
SWAPPED_ZH = re.compile(
    r"(?:改了|变了|换了)[，,]\s*(?P<old>.{1,30}?)(?:不用了|作废|停用|取消)[，,]\s*(?:换|改)(?:成|为"
    r"|用)?\s*(?P<value>.+)$"
)
ARROW = re.compile(
    r"^(?P<subject>(?:[^:：→]|:(?=\d)){3,70}?)[:：](?!\d)\s*(?P<old>[^→]{1,40}?)\s*(?:→|->|=>)\s*(?P<value>\S.*)$"
)
CHANGE_OF = re.compile(r"^(?:new |the )?(.{2,30}?)\s?(?:变更|变动|调整|更换|更新|changed?|updated?|change of)$", _CASE)
IS = re.compile(
    rf"\s(?:has |have |had |was |were |is |are |been |being |got |gets |{_ADVERB} )*{_CHANGED}(?: over| on"
    rf"| back)?{_OLD.format(n=1)}"
    r" (?:to|with|by|into|onto|as|at)(?: be)? (?P<changed>\S.*)$"
    rf"|\s(?:{_ADVERB} )?(?:is|are|became|has become|remains|stays|equals|stands at|sits at"
    rf"|reads|says|points to|=|→|->)"
    rf"(?: {_ADVERB}| set to| fixed at| confirmed as| at)* (?P<value>\S.*)$",
    _CASE,
)
ACTIVE = re.compile(
    rf"^(?:\w+(?: have| has|'ve)?(?: {_ADVERB})? )?{_CHANGED}(?: over)? (?P<subject>.{{3,80}}?){_OLD.format(n=2)}"
    r" (?:to|with|by|onto|into) (?P<value>\S.*)$",
    _CASE,
)
REPLACED = re.compile(
    r"^(?:\w+ )?(?:have |has )?(?:replaced|swapped|exchanged) (?P<old>\S.{0,50}?) (?:with|for"
    r"|by) (?P<value>\S.{0,50}?)"
    r" as (?:the )?(?P<subject>\S.*)$",
    _CASE,
)
AS = re.compile(
    r"^(?:\w+ ){0,3}?(?:confirmed|wrote|noted|set|put|gave|entered|recorded|fixed|chose|has"
    r"|have) (?P<value>\S.{0,50}?)"
    r"(?: on the \w+| down| in)? as (?:the )?(?P<subject>\S.*)$",
    _CASE,
)
COLON = re.compile(
    r"^(?P<subject>(?:[^:：]|:(?=\d)){3,60}?)(?::\s+|：\s*)(?P<value>\S.*)$|^(?P<s2>.{3,60}?) now (?P<v2>\S.*)$"
)
IS_ZH = re.compile(
    r"(?:已经?|现在|目前|今天起?|正式|最终|重新|又|统一|全部|临时|线上|从今天起|即日起|，|,)*"
    r"(?:(?:由|从)(?P<old>.{1,30}?))?(?:已经?|现在|正式)?"
    r"(?:(?:变更|更换|更改|修改|切换|调整|恢复|重置|变动)(?:为|成|到)|改回(?:到|为)?|[换切调退]回(?:到|了)?|转由"
    r"|改为|改成|改到|改用|改由|改走|换为|换成|换到|变成|变为|更新为|更新到|调整为|调整到|调到|设为|设成|设置为"
    r"|确认为|确定为|定为|定在|定成|升级到"
    r"|升级为|升到|升至|涨到|涨至|涨成|跌到|跌至|降到|降至|降为|提到|加到|增至|压到|缩到|砍到|上调到|下调到"
    r"|上调至|下调至|调高到|调低到|翻到|提高到|增加到|减到|迁到|迁移到|迁至|搬到|搬去了|搬至|挪到|移到|转给|转到"
    r"|交给|移交给|推迟到|提前到|延到|缩短到|延长到"
    r"|切到|切换到|改名为|等于|就是|定的是|跑的是|用的是|走的是|位于|是|为|=|→)(?:了)?\s*(?P<value>.+)$"
)
# Verbs that are the key themselves where nothing else is left of the subject.
VERBS = re.compile(
    r"\s(?:now |currently |still )?(?P<verb>"
    + _any(
        "runs_on runs_in runs_at uses listens_on(?:_port)? is_on_port"
        " is_(?:now_|currently_|still_)?(?:owned|run|led|maintained|handled|managed)_by"
        " is_(?:now_|currently_|still_)?hosted_(?:on|at|in|by) lives_(?:in|at|on) is_based_in is_located_in"
        " reports_to works_for works_at depends_on costs"
        " belongs_to sits_(?:in|on) answers_to speaks ships_(?:on|with) stores_(?:\\w+_)?in"
        " deploys_(?:to|with|from) talks_to"
        " relies_on starts_at opens_at closes_at backs_up_to is_stored_in delivers_on"
    )
    + r") (?P<value>\S.*)$",
    _CASE,
)
HAS = re.compile(
    r"^(?P<subject>\S.{1,40}?) (?:now )?has (?P<value>\d[\d,.]*) (?P<key>[a-z][a-z\-]+(?: [a-z\-]+)?)(?: now)?"
    r"(?:, not (?P<old>\d[\d,.]*))?$"
)
OWNS = re.compile(
    r"^(?P<value>[A-Z\u00c0-\u00de][\w.\-]+(?: [A-Z\u00c0-\u00de][\w.\-]+){0,2}) (?:now )?(?:owns|leads"
    r"|maintains|manages|looks after|takes care of|is (?:now )?(?:responsible for|in charge of)"
    r"|is (?:now )?the (?:new )?owner of|(?:has )?(?:takes|took|taken) over) (?P<subject>\S.{1,40}?)"
    r"(?: from (?P<old>[A-Z\u00c0-\u00de][\w.\-]+(?: [A-Z\u00c0-\u00de][\w.\-]+){0,2}))?$"
)
# Who delivers a thing is said of the thing: "Hofmann supplies our milk" is the supplier of milk.
_THING = (
    r"(?!neighbou?rs?|competitors?|customers?|colleagues?|friends?"
    r"|rivals?)[a-z][a-z\-]{1,20}(?: [a-z][a-z\-]{1,20}){0,2}"
)
_FIRM = r"[A-Z\u00c0-\u00de][\w.&\-]*(?: [A-Z\u00c0-\u00de&][\w.&\-]*){0,3}"
SUPPLIES = re.compile(
    rf"^(?P<value>{_FIRM}) (?:now )?(?:supplies|delivers)(?: us)?"
    rf"(?: with)? (?:all )?our (?P<subject>{_THING})$"
    rf"|^(?:[Oo]ur|[Tt]he) (?P<subject2>(?!old|new|former|only|main){_THING}) (?:supplier"
    rf"|vendor) is(?: now)? (?P<value2>{_FIRM})$",
)
# What has moved, without a word for what of it: the note says which value that was.
MOVED = re.compile(
    r"^(?=.{0,80}\b(?:moved|moves|switched|migrated|relocated|went)\b)(?:we (?:have |'ve )?)?"
    r"(?:moved |switched |migrated |relocated )?(?P<subject>\S.{0,40}?) "
    r"(?:(?:has |have |was |is )?(?:now |just |finally )*(?:been )?(?:moved|moves|switched|migrated|relocated"
    r"|went)(?: over)? )?"
    r"from (?P<old>\S.{0,40}?) to (?P<value>\S.{0,40}?)(?: today| yesterday| now| last week| this week| overnight)?$",
    _CASE,
)
MOVED_ZH = re.compile(
    r"^(?:已?把)?(?P<subject>\S.{0,20}?)\s?(?:今天|昨天|现在|已经?|刚刚?)?(?:从"
    r"|由)\s?(?P<old>\S.{0,20}?)\s?(?:搬迁|迁移|切换|转移|搬|迁|挪|移|换|转|切|调)"
    r"(?:到|至|去|成|为)了?\s?(?P<value>\S.{0,20}?)了?$"
)
OWNS_ZH = re.compile(
    rf"^(?P<value>{SHAPES['person_zh']})\s?(?:现在|目前|今天起|正式|已经?)?(?:负责|接手|接管|主管|维护|管理"
    rf"|管)(?:了|着)?\s?"
    r"(?P<subject>[^\s的]{1,20}的(?!.{0,8}(?:很|太|不|方式|方法|时候|事$|工作$))[\w ]{1,10})$"
)
# Who a part of something belongs to, is said of the part: `database owner`, `数据库负责人`.
OWNER, OWNER_ZH = "owner", "负责人"
OF_PART = re.compile(r"^(\w{3,20}) (?:of|for) (?:the|our) (\w[\w \-]{2,30})$")  # "owner of the database"
PART = re.compile(r"\bof\b|['’]s\b|的")
VERBS_ZH = re.compile(
    r"(?:现在|目前|已经|改)?(?P<verb>使用|采用|运行在|跑在|部署在|住在|归属于|属于|依赖|监听|由(?=.{1,12}(?:负责"
    r"|管理|维护)))(?P<value>.+?)(?:负责|管理|维护|了)?$"
)
VERB_KEYS = {
    "由": OWNER_ZH,
    "is hosted on": "host",
    "is hosted at": "host",
    "is hosted in": "host",
    "runs on": "platform",
    "is owned by": "owner",
    "is run by": "owner",
    "is led by": "owner",
    "is managed by": "owner",
    "is handled by": "owner",
    "is maintained by": "owner",
    "listens on port": "port",
    "is on port": "port",
}
# What was before, said beside what is: cut off, its value goes to the history.
PAST = re.compile(
    r"(?:[,;(]\s*\(?(?:and |it |which )?(?:not|no longer(?=\s(?:(?-i:[A-Z€$£¥])|\S*\d))"
    r"|was|were|used to be|before(?: that)?(?: it was)?)"
    r"|[,;(]?\s+\(?(?:formerly|previously|instead of|rather than|replacing|(?:up|down) from(?!.{1,60} to )))"
    r"\s+(?P<old>(?:[^,;()]|,(?=\d)){1,40}?)(?: any ?more| any longer| before| until now| so far)?[.)]?$",
    _CASE,
)
PAST_ZH = re.compile(
    r"[，,（(；;]\s*(?:而?不再(?:是|用|走|由)|而?不是|原来|之前|以前|原先|此前|过去|老的|旧的)(?:是|为|叫"
    r"|用)?(?P<old>(?:[^，,]|,(?=\d)){1,30}?)(?:作废|停用|不用了)?[)）]?$"
)

# --- small words ---------------------------------------------------------------------------------

# Words in front that are no part of a key.
_FIRST = _any(
    "actually indeed in_fact as_a_matter_of_fact finally at_last meanwhile anyway unfortunately sadly luckily"
    " fortunately obviously clearly basically officially by_the_way btw temporarily for_now surprisingly weirdly"
    " interestingly honestly frankly importantly of_course as_agreed as_expected as_usual once_more well yes"
    " yesterday last_week last_month last_night this_morning this_week earlier_today just_now recently"
)
LEAD = re.compile(
    rf"^(?:{_FIRST}\b,?\s+|(?:其实|实际上|事实上|总之|终于|说白了|可惜|还好|幸好|当然|果然|的确|确实|反正)[，,]?\s?"
    r"|(?:fyi|note|update[d]?|ps|also|so|and|but|today|yesterday|this morning|heads[- ]up|reminder"
    r"|for the record|confirmed|checked"
    r"|correction|good news|ok|okay|done|turns out|it turns out(?: that)?|looked it up|small thing|new"
    r"|effective \w+|by the way|btw|注意|更新|另外|今天|更正|备忘|顺便说一下|提醒|记录|记一下|备注|查过了|确认了一下"
    r"|确认)\s*[,:，：\-]\s*"
    r"|(?-i:[A-Z])[\w\-]+ (?:wrote|confirmed|announced|noted|let us know)(?: today| yesterday)? that\s+"
    r"|(?:from|as of|since|starting) (?:today|tomorrow|now|this week|next week|\w+day)(?: on)?,?\s+(?:the )?"
    r"|(?:确认|记录|更新|核对|备忘)\s?(?=[\u4e00-\u9fffA-Za-z])|(?:从)?(?:今天|明天|这周|下周|即日)起[，,]?)",
    _CASE,
)
JOINT = re.compile(r":\s+|：|,\s+(?:but |and )?|，|\s-\s")
DONE = re.compile(r"\s+(?:confirmed|updated|checked|verified)$", _CASE)
OF_END = re.compile(r"\s(?:of|for|on|at|in|by|with)(?: the)?\s*$", _CASE)
SMALL = re.compile(
    "^"
    + _any(
        "the our my your their a an new of for on at in to that and now current currently please is was has"
        " have been with by"
        " confirmed updated checked note says as"
    )
    + "$",
    _CASE,
)
EDGE_ZH = re.compile(
    r"^(?:[的之，,、：:\s]|把|将|关于|对于|在|目前|现在|今天|已经|新的|那边|这边|那里|(?:项目|服务|系统|公司)(?=的))+"
    r"|(?:[的之，,、：:\s]|已经|现在|目前|今天|已|现|也|都|就|那边|这边|那里|新)+$"
)
ASIDE = re.compile(r"^(?:since|after|as of|from|following|per|at|in|on)\b|\bthat$", _CASE)
VERBAL = re.compile(
    r"\b(?:is|are|was|were|has|have|and|but|because|we|they|you|who|says?|said|asked|told|got|need|check|let"
    r"|please|went|talked|spoke|wrote|met|called|looked|supposed|doubt|heard|mentioned|thinks?|guess)\b|不再"
    r"|改用|说(?!明)|告诉|问了|听|讲(?!师|义|座)",
    _CASE,
)
CUT = re.compile(
    r"(?:[,;]\s+(?=[a-z])|\s+[—–-]\s+|\s+\(|\s+"
    + _any(
        "because since as_of so which after until instead_of rather_than starting effective due_to per"
        " according_to says said for_now"
        " from_now_on as_agreed as_discussed going_forward not_\\w while and_not and_people but thanks_to"
        " following now_that where and_its"
    )
    + r"\b)",
    _CASE,
)
CUT_ZH = re.compile(
    r"[，；;（(。！!]|,(?!\d)|因为|由于|了(?=$|[，。])|而不是|不再|从(?:今天|明天|下周|这周)起|(?:今天|明天"
    r"|下周.?)起|以此为准|以这个为准|为准"
)
VALUE_LEAD = re.compile(
    r"^(?:now|currently|actually|really|called|the same|about|roughly|(?:back|down|up) (?:to|at|on) |换|改|回"
    r"|成) ?(?=\S)",
    _CASE,
)
# A day behind a number is when it changed, behind a time of day it is part of it.
VALUE_TAIL = re.compile(
    r" (?:now|currently|again|already|instead|today|now on)$|(?<=\d\d\d) (?:on \w{3,6}day|yesterday|last week)$", _CASE
)
# Values that say nothing by themselves: moods, places without a name, days that move.
VAGUE = re.compile(
    "^(?:"
    + _any(
        "due ready done fine ok okay good bad great nice late early back down up open closed broken slow"
        " fast fixed live here"
        " there away out off on new old same different better worse gone tomorrow today yesterday soon now"
        " later raised lowered cut"
        " changed changes moved updated missing wrong right true false unknown unclear pending it this that"
        " them him her yes no not"
        " nothing something everything signed delayed cancelled postponed finished over settled solved"
    )
    + r"|(?:our|my|your|their|his|her) .*"
    r"|(?:in|on|at|under|behind|near|with|by|for|from|to|about|changed|moved|is|are|was|being|not) .*"
    + r"|谁|哪.*|多少.*|个.*|一[个家].*|很.*|挺.*|明天|今天|昨天|好的|没问题|正常|什么|这个|那个)$",
    _CASE,
)
PRONOUN = re.compile(
    "^(?:"
    + _any(
        "it this that these those there here he she we they i you who what which everything nothing something"
        " one all another"
        " everyone nobody today tomorrow yesterday the a an and but so if when then status update note"
        " meeting lunch weather dinner"
        " breakfast mondays? tuesdays? wednesdays? thursdays? fridays? saturdays? sundays? weekends? no yes not"
    )
    + r"|我|我们|你|他|她|它|他们|这|那|这个|那个|这里|今天|明天|昨天"
    r"|大家|自己|什么|谁|早上|晚上|中午|下午|天气|问题|原因|结果|目标|方案|会议|项目|系统|代码|文档|事情|情况"
    r"|老有人问|总有人|有人)$",
    _CASE,
)
