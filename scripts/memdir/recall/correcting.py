"""Whether a message corrects the answer before it, by rules, English and Chinese: a score from 0 to 1. Pure.

Only how a message begins counts, and what it quotes does not. From 0.7 on (`tests/data/corrections.jsonl`): of messages
kept apart from the rules 13 of 20 English corrections, 16 of 20 Chinese ones, and one of 40 others; of those that the
rules were made on 163 of 168, and none of 166 others. The same hand wrote all of them. Of 5,850 turns that people said
to each other (LoCoMo) 25, most of them the answer "no" to a question.
"""

import re
from functools import cache

LONGEST = 400  # characters of a message that are looked at: a correction says so at once
_POLITE = r"^(?:(?:no+|nope|nah|hm+|uh|oh|ah|well|sorry|ok|okay|please|but|and|hey)\b[,.!: ]*)*"
_QUOTED = re.compile(r"\"[^\"]{1,300}\"|“[^”]{1,300}”|「[^」]{1,300}」|`[^`]{1,300}`|\n>.*")
_ASKS = re.compile(r"(?:[?？]|[吗呢]\s*[?？。]?)\s*$")
# How sure each makes; of several the surest counts, and each further one a little.
_ENGLISH = (
    (0.75, r"^(?:(?:hm+|well|uh|oh|ah)[,. ]+)?(?:no+|nope|nah)\b(?![ ,.!]*(?:you can|(?:that|it)'?s (?:ok|fine"
           r"|all|good)|go ahead|leave it|let's|prob(?:lem)?\b|not (?:yet|really|sure)|i (?:haven't|didn't|don't"
           r"|never)|never|but\b|thanks|thank|need|idea|worr|more|error|change|one\b|question|rush|doubt|longer"
           r"|way\b|matter|wonder|hurry|pressure|luck|news)\w*)(?:[,.!;:]| \w)"),
    (0.85, r"\b(?:that|this|it)(?: is|'s|s)(?: just| simply| still| also)?(?: not| n't)? ?(?:wrong|incorrect"
           r"|false|mistaken)\b|\b(?:that|this|it)(?: is not|'s not| isn't|s not)(?: quite| at all)? (?:right"
           r"|correct|true|what|how|the|it\b)"),
    (0.8, r"^(?:wrong|incorrect|false)\b(?=[.,!:;]| \w+[.,!])"),
    (0.8, r"\byou (?:\w+ )?(?:left out|missed|skipped|omitted|mixed up|confused|ignored|overlooked"
          r"|were supposed to|shouldn't have|should not have|should have)\b|\bthe opposite of\b"),
    (0.75, r"[^?]{3}, (?:not|never) (?:an? |the |in |on |at |by |for )?[\w-]+(?: [\w-]+)?[.!]?$|, never \w+[.!]?$"),
    (0.75, r"\b(?:is|are) (?:outdated|obsolete|out of date)\b|\bthat(?: is|'s) (?:for )?the old\b|\bwe (?:don't"
           r"|do not|never) \w+.{0,30}\b(?:here|any ?more)\b"),
    (0.7, r"^(?:shorter|longer|simpler|plainer|less|more) (?!changes|things?"
          r"|questions?)(?:\w+ ?){0,3}(?:please)?[.,!]|^(?:redo|rewrite) (?:this|that|it)\b|^let's not\b"
          r"|^(?:hold on|wait|hang on)\b.*\bi (?:need|want)\b"),
    (0.7, r"^this is (?:way |far |much )?too \w+|^that (?:was|is|'s) (?:last|the old|an old)\b"
          r"|^(?:no, )?the other \w+,? please\b"),
    (0.75, r"\bi keep telling you\b|\bi(?:'d| would) (?:rather|prefer) (?:if )?you\b"),
    (0.9, r"\bnot what i (?:asked|wanted|meant|said|need)|\bi meant (?!to (?:ask|say|tell|thank|write)\b|it\b)"),
    (0.85, r"\byou(?:'re| are)? (?:mistaken|misunderstood|misread|misheard)\b|\byou (?:got|have|had|used|changed"
           r"|took|picked|chose|edited|opened|wrote|did)\b.{0,40}\bwrong\b"),
    (0.85, r"\bi (?:did not|didn't|never) (?:ask|say|said|tell|told|want|mean)\b"),
    (0.75, r"\bi (?:said|asked for|wanted|told you)\b.{1,60}(?:\bnot\b|\byou (?:gave|did|made|wrote)\b)"
           r"|^i meant\b"),
    (0.75, r"\bi(?:'ve| have)? (?:already )?(?:told you|said so|said that)\b|\bas i said\b|\bi should have said\b"),
    (0.75, r"^(?:actually,? )?i (?:only |just )?wanted (?!to\b)"),
    (0.8, r"\bnot like (?:that|this)\b|\b(?:the )?(?:other|wrong) way (?:a)?round\b|\bthe other one\b"),
    (0.9, r"\blet me correct\b|^correction\b|\b(?:does not|doesn't|did not|didn't) answer (?:my|the) question\b"),
    (0.75, r"^stop \w+ing\b|^(?:undo|revert) (?:that|this|it)\b"),
    (0.7, r"^(?:do not|don't|never)\b (?!forget|worry|mind|bother|disturb|know|think|hesitate|say no"
          r"|let anything|give up|been|heard|seen|tried|had|met|thought)"),
    (0.8, r"\byou (?:keep|kept|forgot|always|still) (?:\w+ing|to \w+|the)|\bagain you\b|^you \w+ed the wrong\b"),
    (0.75, r"^why (?:did|have|do|would) you\b"),
    (0.75, r"\bshould (?:be|have been)\b.{1,60}\b(?:instead of|rather than|not)\b"),
    (0.75, r"\b(?:it|that|this|he|she|they)(?: is|'s|'re| are| isn't| aren't)(?: not)?\b(?<=n't|not) (?!easy|just"
           r"|only|bad|about|like).{1,40}[,;] ?(?:it|he|she|they)(?: is|'s|'re| are)\b"),
    (0.75, r"^(?:much |way |far )?too (?!bad\b|late to\b)\w+[.,;!]"),
    (0.8, r"^actually,? (?:no\b|not\b|i (?:wanted|meant|said))"),
    (0.7, r"^actually,? (?:it|the|we|she|he|they|its|our|my|her|his)\b(?!.*\b(?:great|good|fine|nice|perfect"
          r"|better|works|love|like)\b)"),
)  # fmt: skip
_CHINESE = (
    (0.85, r"^(?:不|不是)?不对(?![?？吗])|(?:这|那|这样|那样|答案|结果)(?:是)?不对(?![?？吗])"),
    (0.85, r"^错(?:了|[，,。!！])|^不是[，,。!！的]|^不是.{1,30}[，,](?:而?是|用)|^不是这|^反了|搞反|弄反"),
    (0.9, r"我(?:说|指|要|想要|问|想问)的(?:是|不是)|我不是(?:这|那)个?意思|不是我(?:要|想要|说)的"
          r"|其实(?:我)?想?要的是"),
    (0.85, r"(?<!我)(?:理解|弄|搞|记|看|改|写|用|听|算|说|翻译|拼)错"),
    (0.85, r"我(?:可)?没有?(?:让|叫|要|说要|说过)"),
    (0.75, r"(?:之前|已经|早就|刚才|上次)(?:就)?(?:跟你)?说过"),
    (0.8, r"(?:不要|别)再|又忘|又没|又(?:搞|弄|写|用)"),
    (0.7, r"^(?:以后)?(?:请)?(?:你)?(?:别|不要)(?!忘|担心|紧|急|客气|的)|^以后.{0,15}(?:别|不要)"),
    (0.75, r"只(?:要|需要).{1,25}[，,](?:不要|不是|别)|(?:要|用)[^，,。]{1,20}[，,](?:不要|而?不是|别)用?"),
    (0.8, r"应该(?:是|按|用|写|叫).{0,25}[，,]?(?:而不是|不是)|不叫.{1,15}[，,]?(?:是)?叫|不姓|^应该是(?!不是)"),
    (0.75, r"^其实(?:不是|是|不|我们|我(?:是|说)|应该|在|叫)(?!.{0,6}(?:很|挺|还|也)(?:好|行|不错))"
           r"|^其实[^，,。想还也]{1,12}是(?!谁|什么|哪|多少)"),
    (0.75, r"^(?:你)?(?:为什么|干嘛)(?:把|又|没|要把|改|删)"),
    (0.7, r"^太(?!好|棒|感谢|谢|赞|厉害|牛|强|完美|巧)[^，,。]{1,4}了"),
    (0.9, r"(?:纠正|更正)(?:一下)?[：:，,]|答非所问"),
    (0.8, r"你(?:好像|可能|又)?(?:把.{1,15})?(?:漏|忘了|少写|跳过|弄混|混淆|不该|不应该|看漏)|(?:正好|恰恰"
          r"|刚好)相反|^相反"),
    (0.8, r"是[^，,。？?]{1,20}[，,](?:而)?不是[^，,。？?]{1,20}[。.!！]?$|叫[^，,。]{1,15}[，,](?:从来)?不叫"),
    (0.75, r"(?:重做|重写|重来)|过时了?[，,。]|旧版的|还是(?:报错|不行|不对|失败)|先(?:问我|跟我说)"
           r"|一直.{0,6}(?:讲|说)[。.!！]?$"),
    (0.75, r"^(?:不用|不要)[^，,。]{1,10}[，,](?:用|要|直接)|^(?:嗯|呃)?[，,]?不行|我们(?:这里|这边"
           r"|现在)?(?:从来)?不用"),
    (0.75, r"^等(?:等|一下)[，,].*我(?:要|需要)|^(?:短|长|简单|详细|正经|正式|具体)(?:一)?点|哪来的"),
    (0.8, r"^不[，,](?!谢|没|用|就这样|可以)|不是这[么样](?:做|写|用|叫|算|回事)|反了[。.!！]?$|说[过了]*(?:两"
          r"|三|几|好几|多少|无数)[遍次]"),
    (0.75, r"(?:绝对|千万|永远|一律)(?:不要|别|不准|不能)|^那是(?:去年|上个?月|上周|以前|旧|老)"
           r"|太[^，,。]{1,5}了[，,](?:说|写|改|换|用|短)"),
    (0.7, r"^[^，,。?？]{2,10}(?:不要|别)(?:写|用|加|放|改|动|删|推|发|叫)|^是(?:另|那边|那个)"
          r"|^其实(?![还也我想这那])[^，,。?？]{3,20}了[。.]?$"),
    (0.7, r"^(?:撤销|撤回|改回)|你(?:却|只给)"),
)  # fmt: skip
FURTHER = 0.05


@cache
def _compiled(chinese: bool) -> tuple[tuple[float, re.Pattern[str]], ...]:
    table = _CHINESE if chinese else _ENGLISH
    return tuple((weight, re.compile(pattern, re.IGNORECASE)) for weight, pattern in table)


def score(message: str) -> float:
    """How sure it is that a message corrects what was answered before it."""
    said = _QUOTED.sub(" ", message[:LONGEST].replace("’", "'"))
    said = " ".join(said.split())
    chinese = any("\u3400" <= sign <= "\u9fff" for sign in said)
    bare = said if chinese else re.sub(_POLITE, "", said, flags=re.IGNORECASE)
    found = [
        weight
        for weight, pattern in _compiled(chinese)
        if pattern.search(said) or (bare != said and pattern.search(bare))
    ]
    if not found:
        return 0.0
    sure = min(0.99, max(found) + FURTHER * (len(found) - 1))
    asks = _ASKS.search(said) and not re.match(r"why |(?:你)?(?:为什么|干嘛)", bare, re.IGNORECASE)
    return round(sure * (0.6 if asks else 1.0), 2)
