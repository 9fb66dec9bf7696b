"""Whether a sentence speaks of this moment alone: "make that a table", "never mind", "let's go for lunch". Pure.

A correction, a preference or a decision that counts later names something that is still there then. What is pointed at
("this one", "the second version"), how it looks and what is to be done with it now are over with the turn.
"""

import re

from memdir.learn.spoken import patterns as p

# Words that name nothing: a sentence of them alone is about what stands before it.
_EMPTY_TEXT = """
no nope not yes actually in fact wrong incorrect right ok okay oh well so and but or now then just still again only also
a an the i i'm i'd i'll i've you you're we we're we'd it it's its that that's this these those they he she there here
them me us my your our is are was were be been am do does did don't doesn't didn't isn't aren't wasn't won't can't can
could would should will have has had haven't make made makes try tried do go goes going let let's stop wait hold keep
look looks looked sound sounds seem seems work works worked working help helped helps mean meant want wanted need needed
prefer rather like love hate know think thought forget mind never never-mind nevermind scratch one ones thing things way
version option idea draft first second third last next other another same better best worse worst good great nice fine
perfect awesome bad ugly cool much more less very really too quite enough for to of on at with back up down out off than
over all both either as please thanks sorry what how why when first's second's left top bottom old new different
"""
_EMPTY = frozenset(_EMPTY_TEXT.split())
_WORD = re.compile(r"[\w'’-]+")
_POINTED = (
    r"(?:(?:this|that|these|those|it|them)\b(?! (?:repo|project|team|company|codebase|vault|machine|when|if|that)\b)"
    r"|(?:the|your) (?:\w+ )?(?:one|version|option|idea|suggestion|draft|variant|attempt|answer|wording|approach"
    r"|colou?r|first|second|last|latter|former|other|previous|current)s?\b)"
)
_MEAL = r"(?:lunch|dinner|breakfast|brunch|coffee|tea|walk|break|nap|drinks?|beers?|pizza|movies?|bed|snack|run|home)"
_MOMENT = p.either(
    r"^(?:(?:no|nope|wrong|actually|in fact|ok(?:ay)?|please)[,.:;!]? )+(?:please |just |let['’]s |can you )?"
    r"(?:make|try|do|change|put|give|show|move|turn|keep|rename|delete|undo|use|leave|add|remove|revert|write|take"
    rf"|start|stop|go|run|open|read|check|forget|ignore|skip|drop|scratch|wait|hold) {_POINTED}",
    rf"\bi(?:['’]d| would| really| still| much)* (?:prefer|rather|like|love|hate|dislike|enjoy) (?:\w+ )?{_POINTED}",
    r"\b(?:never ?mind|forget (?:it|that|about (?:it|that))|scratch that|hold on|hang on|one moment)\b",
    rf"^(?:(?:no|nope|actually|in fact)[,.:;!]? )+{_POINTED} (?:still |just |really |also )?(?:is|was|looks?|looked"
    r"|sounds?|seems?|works?|worked|fails?|failed|did|does|didn['’]t|doesn['’]t|isn['’]t|won['’]t)(?: (?:not|work\w*"
    r"|help\w*|great|good|fine|better|worse|bad|nice|ok(?:ay)?|right|wrong|perfect|it|either|too|very|much|so|really"
    r"|change anything|yet|at all))*[.!]*$",
    r"\byou (?:forgot|missed|overlooked|misread|misunderstood|skipped)\b(?!.*(?:\bmust\b|\bnot\b|:| should\b))",
    r"\b(?:prefer|like|rather|want|love)\b.*\b(?:now|today|tonight|this time|for once|for a (?:moment|minute))[.!]*$",
    r"\b(?:go(?:ing)?|have|get|grab|order|take|meet|break) (?:out |home |back )?(?:for |to )?(?:a |an |some |the )?"
    rf"(?:quick |short )?{_MEAL}\b|\bcall it a (?:day|night)\b",
    r"\b(?:stop|leave|start|continue|wait|meet|talk|go) (?:now|here|today|tomorrow|tonight|later)[.!]*$",
    r"^(?:不对|错了|不是|不行|其实)[，,。！!]?\s?你?(?:再|重新|重来|换|改回|撤销|算了|等|先).{0,8}$"
    r"|^(?:不对|错了)[吧了]?[。！!]?$",
    r"(?:这个|那个|这样|那样|这版|那版|[这那]一?[种版张条段]|第[一二三四]个)"
    r"(?:吧|了|更?好|不?行|不?对|看起来|可以)?.{0,4}[。！!]?$",
    r"你(?:忘了|漏了|没按)(?!.*(?:应该|必须|总|每次|规定|约定)).{0,10}$",
    r"(?:决定|商量好|定了|就)(?:先|一起|现在)?(?:去|出去|回)?(?:吃|喝|散步|休息|睡|回家|逛|看电影|午饭)",
)
# "again" is no rule by itself: "you forgot the tests again".
_GENERAL = re.compile(
    p.GENERAL.pattern.replace("|again|", "|") + r"|\b(?:every|each) \w+|\b\w+days\b|\bdaily\b|\bweekly\b|每[天周月]",
    re.IGNORECASE,
)


def alone(sentence: str) -> bool:
    """Whether nothing of a sentence outlives its turn; what is said in general does."""
    found = [word.replace("’", "'") for word in _WORD.findall(sentence.lower())]
    if all(word in _EMPTY for word in found):
        return True
    return bool(_MOMENT.search(sentence)) and not _GENERAL.search(sentence)
