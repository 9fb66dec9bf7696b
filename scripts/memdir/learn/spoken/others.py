"""Words of a turn that its person only hands on: a text to translate, a mail, a novel, a part that is played.

They may say "I" and mean somebody else, so they are taken out before a sentence is read. What begins them is a task or
the name of a kind of text with a colon behind it, a quotation mark, or a part that somebody is to play. Pure.
"""

import re

GONE = "…"
_TEXT = (
    r"(?:text|paragraph|sentences?|passages?|e-?mail|mail|message|letter|note|memo|article|post|blog|docs?|documentation"
    r"|document|readme|manual|page|book|novel|story|tale|script|scene|dialog(?:ue)?|poem|lyrics|song|quote|quotation"
    r"|transcript|interview|speech|essay|abstract|bio|profile|review|comment|ticket|issue|report|draft|chat|thread|tweet"
    r"|prompt|persona|character|spec|changelog|description|template|example|reply|answer|headline|caption|log|journal"
    r"|diary|cv|resume|cover letter|advert|ad)"
)
_WORK = (
    r"(?:translat|summari[sz]|proof-?read|paraphras|rephras|rewrit|reword|polish|correct|edit|improv|shorten|review"
    r"|analy[sz]|classif|explain|interpret|critique|grade|annotat|transcrib|continu|complet|repeat|spell-?check|check"
    r"|(?:reply|respond|answer) to|what does|fix the (?:grammar|spelling|wording)|tl;?dr)\w*"
)
_WORK_ZH = "(?:翻译|总结|概括|润色|校对|改写|续写|改进|解释|分析|归纳|缩写|点评|批改|复述|扩写)"
_TEXT_ZH = (
    "(?:邮件|信|消息|小说|故事|文章|段落|句子|文档|诗|歌词|剧本|台词|对话|评论|帖子|简历|作文|日记|原文|内容|开头|如下)"
)
# From the colon on it is the text; where the colon ends the line, what follows is.
_SAYING = r"(?:wrote|writes|says|said|replied|answered|asked|posted|texted|told \w+|reads|goes|begins|starts|opens)"
_COLON = re.compile(
    r"^(?=.{0,120}?[:：])(?!.{0,40}\b(?:i|we) (?:\w+ )?(?:said|told|wrote|asked|meant)\b|.{0,8}我.{0,6}[说写问答]"
    r"|i (?!want|need|got|have|received|found|would)\w+ )"
    rf"(?:.{{0,40}}\b{_WORK}\b.{{0,80}}?|.{{0,60}}\b{_TEXT}\b.{{0,60}}?"
    r"|.{0,20}\b(?:here(?:['’]s| is| are)|this is|these are|quot(?:e|ing)|for example|e\.g\.)(?! (?:my|our) "
    r"(?:preference|habit|setup|decision|plan)).{0,60}?"
    rf"|.{{0,40}}\b{_SAYING}\b.{{0,40}}?"
    rf"|.{{0,30}}{_WORK_ZH}.{{0,30}}?|.{{0,30}}{_TEXT_ZH}.{{0,20}}?|.{{0,12}}(?:说|写道?|回复|问|答)了?)"
    r"\s?[:：](?!//|\d|\s?https?:)\s*",
    re.IGNORECASE,
)
# What is about to be worked on stands below, with or without a colon.
_BELOW = re.compile(
    rf"^(?:please |can you |could you |pls )?{_WORK}\b.{{0,40}}\b(?:this|these|the following|below|that follows)\b"
    rf"|{_WORK_ZH}.{{0,6}}(?:下面|以下|这段|这篇|这封|这句)",
    re.IGNORECASE,
)
# Short, with these words before the colon it is said for oneself: "TODO:", "OK, decision:", "One more thing:".
_MINE = re.compile(
    r"^(?:.{0,24}\b(?:thing|point|decision|decided|correction|to-?do|note|remember|reminder|rule|preference|fyi|btw"
    r"|follow[- ]?up|question|item|issue|action|context|background|asked for|mixed up)"
    r"|.{0,8}(?:决定|定|待办|更正|补充|记住|偏好|习惯))\s?[:：]",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\brole[- ]?play\w*|\b(?:let['’]s|we) (?:play|pretend)\b|\bpretend (?:to be|that|you|i|we|this)\b"
    r"|\b(?:act|speak|talk|answer|reply|write) as (?:if you|though you|an? |the )(?!\w+ing\b)"
    r"|\b(?:you|i)(?:['’]re| are|['’]m| am| will be|['’]ll be)? (?:play(?:ing)?|the part of|in character)\b"
    r"|\bin (?:this|the|my|our) (?:story|game|scene|scenario|novel|play|film|movie|campaign|fiction)\b"
    r"|\b(?:my|your|his|her|the main) character\b"
    r"|扮演|假装|在?这?个?(?:故事|小说|剧本|游戏)里|你现在是(?!不是)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"[\"“「『«]([^\"“”「」『』«»]{8,4000})[\"”」』»]|(?<!\w)['‘]([^'‘’\n]{12,400})['’](?!\w)", re.IGNORECASE
)
# Between quotation marks it is somebody's saying where it speaks of one or is a sentence; else it may be a name.
_SAYS = re.compile(
    r"\b(?:i|i['’]\w+|my|we|our|you|your|always|never|let['’]s|please)\b|[.!?。！？]|我|你|以后|总是", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
ALL = 1_000  # blocks: the rest of the turn


def taken_out(block: list[str]) -> tuple[list[str], int]:
    """The lines of a block without what is handed on, and how many of the blocks that follow are handed on as well."""
    kept: list[str] = []
    for at, line in enumerate(block):
        bare = _QUOTED.sub(_without, line)
        if played := _PLAYED.search(bare):
            return [*kept, _before(bare, played.start())], ALL
        end, below = _handed(bare)
        kept.append(bare[:end])
        if end < len(bare) or below:
            return kept, int(below and at == len(block) - 1)
    return kept, 0


def _without(quoted: re.Match[str]) -> str:
    said = quoted[1] or quoted[2]
    end = said[-1] if said[-1] in ".!?。！？" else ""
    return f"{quoted[0][0]}{GONE}{end}{quoted[0][-1]}" if _SAYS.search(said) else quoted[0]


def _before(line: str, at: int) -> str:
    """The sentences of a line before the one that stands at a place."""
    return line[: max(line.rfind(sign, 0, at) for sign in ".!?。！？") + 1]


def _handed(line: str) -> tuple[int, bool]:
    """Where in a line a text begins that is handed on, its length where none does; and whether it goes on below."""
    at = 0
    for sentence in _SENTENCE.split(line):
        start = line.find(sentence, at)
        at = start + len(sentence)
        colon = None if _MINE.match(sentence) else _COLON.match(sentence)
        if colon:
            end = start + colon.end()
            if line[end + 1 : end + 2] == GONE:  # between quotation marks, and taken out
                continue
            return end, not line[end:].strip()
        if _BELOW.search(sentence):
            return at, not line[at:].strip()
    return len(line), False
