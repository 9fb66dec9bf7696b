"""What a message asks of the user's own life: who they are, how they want it, what they still have to do. Rules over
words, English and Chinese; pure."""

import re
from functools import cache

from memdir.recall import asking

_CASE = re.IGNORECASE
# What is asked → keys of facts of `user` notes that answer it, as people and captures write them.
_ANSWERED_BY = (
    (
        r"\bwhere (?:do|am|did|have) i (?:now |currently |actually )?(?:live|living|stay|based|moved?)\b"
        r"|\bmy (?:own )?(?:home(?! ?page)|home ?town|city|town|address)\b|\bwhich (?:city|town|country) (?:do|am) i\b"
        r"|我(?:现在|目前)?(?:住在?|搬到|家在)(?:哪|什么)|我(?:现在|目前)?的?(?:住址|地址|家庭住址)",
        ("home", "住址", "address", "home address", "city", "town", "lives in", "location", "地址", "城市"),
    ),
    (
        r"\b(?:where|who(?:m)?|(?:what|which) (?:company|firm|employer)) (?:do|am) i (?:now |currently )?"
        r"(?:work|employed)"
        r"|\bmy (?:employer|company|workplace|firm)\b|我(?:现在|目前)?在(?:哪|什么)[^，。？]{0,6}(?:工作|上班|任职)"
        r"|我(?:现在|目前)?的?(?:公司|单位|雇主)",
        ("employer", "公司", "company", "workplace", "works at", "works for", "雇主", "单位", "工作单位"),
    ),
    (
        r"\bmy (?:job|role|profession|occupation|position)\b|\bwhat do i do for (?:a living|work)\b"
        r"|\bwhat do i work as\b|我是(?:做|干)什么|我的?(?:职业|职位|岗位)",
        ("role", "职业", "job", "title", "profession", "occupation", "position", "职位", "岗位"),
    ),
    (
        r"\bmy (?:full |first |last )?name\b|\bwho am i\b|\bwhat am i called\b|我叫什么|我的名字|我是谁|我姓什么",
        ("name", "姓名", "full name", "名字", "称呼"),
    ),
    (
        r"\btime ?zone\b.{0,9}\bam i\b|\bmy time ?zone\b|我的?时区|我在(?:哪个|什么)时区",
        ("time zone", "timezone", "时区"),
    ),
    (
        r"\bmy birthday\b|\bwhen (?:was|am) i born\b|我的?生日|我(?:是)?(?:哪天|什么时候|几号)(?:出生|生)",
        ("birthday", "生日"),
    ),
)  # fmt: skip
_WHEN = r"(?: (?:today|tonight|tomorrow|now|next|still|yet|first|this|before|by|until|on|at|in|for)\b[^.?!]*)?[.?! ]*$"
_STILL = (
    r"\bwhat(?: else| all)?(?: things)? (?:do|must|should|shall|have) (?:i|we) (?:still |yet )?"
    rf"(?:(?:have|need|got|ought) (?:left )?to )?(?:do|finish|get done|take care of)\b{_WHEN}"
    rf"|\bwhat (?:am i|are we) (?:still )?(?:supposed|meant) to do\b{_WHEN}"
    r"|\bwhat(?:'s| is| are)? (?:still )?(?:due|left (?:for me )?to do|on my (?:to-?do )?list|outstanding)\b"
    r"|^(?:what|which|show|list|any|do i have|tell me)\b.{0,24}\b(?:to-?dos?|open (?:tasks|loops|points)|errands)\b"
    r"|\bwhat (?:did|have) i promised?(?: to do)?\b[^.?!]{0,30}[.?! ]*$"
    r"|(?:还|都)?(?:有|剩下?)?(?:什么|哪些|啥)(?:事情?|任务)?(?:还)?(?:要做|没做|得做|该做|需要做|没办|要办|没完成)"
    r"|我(?:今天|明天|这周|本周|下周)?(?:还|都)(?:要|得|该|需要)做(?:什么|哪些|啥)"
    r"|(?:我的|有哪些|有什么|哪些)待办|待办(?:事项)?(?:有|是)?(?:什么|哪些)"
)
_HABIT = (
    r"\b(?:do|should|can|may|must|am|would) i\b|\bi (?:usually|normally|always|prefer|like|use|want|eat|drink)\b"
    r"|\bmy (?:usual|preferred|favou?rite|own|default)\b"
    r"|我(?:该|应该|要|平时|平常|一般|习惯|喜欢|爱|常用|用|能|可以|对|不)"
)
_ASKS = (
    r"[?？]\s*$|^(?:so |and |but |ok(?:ay)?,? |hi,? |hello,? )*(?:what|which|who|whose|whom|where|when|why|how"
    r"|is|are|am|do|does|did|can|could|should|would|will)\b(?!.*[!.。！]$)|[吗呢][。.]?$"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_GREETING = r"^(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|please|你好|您好|嗨|谢谢|好的?)\W*$"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _CASE)


def keys(message: str) -> list[str]:
    """Keys of facts about the user that answer it; [] where it asks for none."""
    said = message.replace("’", "'")
    if not asks(said):
        return []
    return [key for pattern, named in _ANSWERED_BY if _compiled(pattern).search(said) for key in named]


def of_habits(message: str) -> bool:
    """Whether it asks how the user does something or wants it."""
    return asks(message) and bool(_compiled(_HABIT).search(message))


def still_to_do(message: str) -> bool:
    """Whether it asks what is open."""
    return bool(_compiled(_STILL).search(" ".join(message.replace("’", "'").split())))


def asks(message: str) -> bool:
    """Whether it ends in a question."""
    parts = [one for one in _SENTENCE.split(message.strip()) if one]
    return bool(parts) and _is_question(parts[-1])


def only_asks(said: str) -> bool:
    """Whether nothing is told by it: every sentence is a question, a request or a greeting."""
    parts = [one.strip() for one in _SENTENCE.split(said.strip()) if one.strip()]
    return bool(parts) and all(
        _is_question(one) or asking.is_request(one) or _compiled(_GREETING).search(one) for one in parts
    )


def _is_question(sentence: str) -> bool:
    return bool(_compiled(_ASKS).search(sentence.strip()))
