"""What states nothing: sentences that ask, suppose, plan, deny, quote or pass on what somebody heard.

English and Chinese; a sentence of one language may name something of the other, so both are looked for. Pure
functions; every pattern is bounded. `_` stands for a space between the words of one list entry.
"""

import re
from functools import lru_cache

_CASE = re.IGNORECASE
REMEMBERED = 400  # characters of a sentence up to which it is remembered
HAN = re.compile("[\u3400-\u9fff]")
# Words inside an address say nothing of the sentence: a host of "intern.example" is no example.
_ADDRESS = re.compile(r"[a-z0-9][\w\-]{0,63}(?:[./:@][\w\-]{1,63}){0,8}[./@][a-z][\w\-/]*", _CASE | re.ASCII)
# What is written down is no hearsay.
_PAPER = (
    r"\baccording to (?:the |our |its |their |this |my )?(?:\w{2,15} )?(?:contract|invoice|lease|agreement"
    r"|manual|docs?"
    r"|documentation|badge|sticker|label|sign|config(?:uration)?|order|letter|bill|receipt|policy|statement"
    r"|certificate"
    r"|delivery note|inventory|monitoring|dashboard|logs?|offer|register)\b"
)
# A limit, not a guess: "may take 2 GB at most"; a thing that is written on, not a rumour: "the badge says".
_PERMITTED = re.compile(
    r"\bmay(?= (?:only|take up|use up|at most|not exceed)\b)|\bmay(?=\b.{1,60}\b(?:at (?:the )?most|no more than"
    r"|only)\b)"
    r"|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? may\b|\bmay(?= \d{1,2}\b)|\b(?:in|since|until|by|of) may\b"
    rf"|{_PAPER}"
    r"|\bfirst day is\b|\bwants(?= (?:to be paid|its|the money)\b)|\basks(?= (?:us )?(?:[a-z]{3} |[€$£¥])?\d)"
    r"|[,;(]\s{0,3}(?:and )?no longer\b"
    r"|(?:\bon (?:the )?|['’]s )?\b(?:badge|meter|label|sticker|display|door ?plate|sign|plate)\b.{0,40}\bsays\b",
    _CASE,
)

# Words that an English sentence has and a Chinese one with an English name in it has not.
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|of|on|at|to|for|from|with|about|reach|reaches|reports|now|has|have|we|you)\b", _CASE
)


def _any(words: str) -> str:
    """A pattern for any of the words of a list."""
    return "(?:" + "|".join(word.replace("_", " ") for word in words.split()) + ")"


_UNSURE = re.compile(
    r"\?|\b"
    + _any(
        "may might maybe perhaps possibly probably could would should shall if unless whether suppose supposing imagine"
        " hypothetical(?:ly)? what_about how_about let's_say assuming propos\\w+ suggest\\w+ consider\\w* think\\w*"
        " thought guess\\w* believe[sd]? wonder\\w* wish\\w* hop(?:e[sd]?|ing) plan(?:s|ned|ning)?_to want(?:s|ed)?_to"
        " going_to not_sure unsure unclear rumou?rs? apparently supposedly allegedly heard claims? claimed"
        " reckons? pretend\\w*"
        " example e\\.g\\. used_to_be was_once almost nearly jok(?:e[sd]?|ing) draft candidate option idea"
        " asks? asked_if"
        " asked_whether tempted someday eventually in_case had_been in_theory nobody_decided undecided not_decided"
        " never_(?:was|were|became|had) isn't aren't wasn't weren't is_not are_not was_not not_yet didn't did_not don't"
        " do_not doesn't won't will_not can't cannot rejected declined turned_down dropped_the_idea"
        " false_alarm mistaken"
        " wrongly (?:is|was|were)_wrong typo test_data dummy fake sample placeholder first .{1,20}_ever"
        " once_upon back_in in_\\d{4}"
        " last_year years_ago no_longer said told supposed_to doubt\\w* mentions? mentioned promis\\w+ refus\\w+"
        " reportedly will starting_\\w+ according_to seems? appears_to looks_like sounds_like word_is as_far_as hearsay"
        " from_(?:january|february|march|april|may|june|july|august|september|october|november|december|next)"
        " next_(?:week|month|year) screenshots? mock-?ups? old_slides slides_still says? to_be_checked"
        " to_be_confirmed tbc tbd"
    )
    + r"\b|\bno, ",
    _CASE,
)
_UNSURE_ZH = re.compile(
    r"[？?]|吗|呢$|可能|也许|或许|大概|如果|要是|假如|假设|若是|万一|是否|是不是|到底|要不要|会不会|能不能|应该|最好"
    r"|建议|提议|打算|考虑"
    r"|想把|想要|希望|计划|听说|据说|好像|似乎|猜|觉得|以为|不确定|未定|没定|还没|尚未|没有改|不会|并非|并不是"
    r"|不是(?!.{0,20}(?:而是|是|改))"
    r"|曾经|原来(?:是|由|归|在|用|跑|叫)|原先|此前|本来|最早|当年|差点|比如|例如|开玩笑|说不定|暂时没|否决|拒绝"
    r"|讨论|假装|测试数据|截图|效果图|示例"
    r"|演示|样例|举例|记得.{0,20}的?吗|去年|前年|年前|(?:19|20)\d\d ?年(?! ?\d{1,2} ?月)|将把|将要|将会|将(?=改"
    r"|换|由|迁|搬|切|升|调|变|成为|采用|使用)"
    r"|听.{1,8}[讲说]|(?<![数证依根占单收])据(?!此).{1,8}(?:说(?!明)|讲(?![师义座])|称|透露|反映|所知|了解)"
    r"|按.{1,8}的?说法|照.{1,6}的?说法|.{1,4}告诉(?=我|我们|大家)|要不(?!然)|答应|承诺|再说(?:$|[，,。])|(?<![理思梦联感遐幻构猜])想(?![起到象法念必"
    r"出通])|不(?=监听|跑|在|由|归|坐"
    r"|住|属于|依赖|采用|使用|部署|给|收|负责|叫|停)|不用(?!了)|想法|设想"
    r"|草案|(?<![，,；])不再(?!是|用|使用|走|由)|随口|说是|印象里|误会|误传|搞错|回忆"
    r"|从来(?:没|不)|以前|之前|论坛|网上说|不太?可信|谣|没说|没人|传言|待确认|待定"
)


def sure(sentence: str) -> bool:
    """Whether a sentence states something: it is not asked, supposed, planned, denied or hearsay. Asked of one sentence
    a dozen times by the rules that read it."""
    return (_sure if len(sentence) <= REMEMBERED else _sure.__wrapped__)(sentence)


@lru_cache(256)
def _sure(sentence: str) -> bool:
    bare = _PERMITTED.sub(" ", _ADDRESS.sub(" ", sentence))
    return not _UNSURE.search(bare) and not (HAN.search(bare) and _UNSURE_ZH.search(bare))


def chinese(text: str) -> bool:
    """Whether a text is Chinese: it has such characters, and no English sentence round them."""
    return bool(HAN.search(text)) and not _ENGLISH.search(text)
