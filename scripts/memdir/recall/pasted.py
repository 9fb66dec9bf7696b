"""What a message says in words, and what was pasted into it: code, a log, the trace of an error.

A trace is full of words that notes hold too, and none of them asks anything. Told by the form of lines: fences, traces,
compilers, logs, diffs, commands, and lines that are mostly signs. Pure.
"""

import re
from functools import cache
from typing import NamedTuple

SIGNS = 0.2  # share of signs among the characters of a line that is no sentence
ERRORS = 2  # lines that name an error are looked for along with the words
LONG = 200  # characters of such a line
WIDEST = 1_000  # characters of a line by which its form is known
TAIL = 1_000  # characters at the end of a long message in which words may stand behind what is pasted
# Nothing is pasted without one of these.
_LOOK = re.compile(
    r"\n|[{}<>=$|\\;\[\]]|Error|Exception|fault|\*\*\*|ERR!|non-zero|denied|such file|not found|[A-Z]\d{3,5}: "
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CODE_SIGN = frozenset("{}()[]<>=;|&$\\/_\"'*+#@^~%:`")
_CJK = re.compile(r"[\u3041-\u9fff]")
_ERROR = r"(?:\w+[. ]){0,4}(?:[A-Z]\w*)?(?:Error|Exception|Warning|Interrupt)\b(?:\s*:|$)"
_SET = re.compile(r"\s*(?:- )?[\w.-]+:(?: \S+)?$|\s*- \S+$")  # a line of a file of settings
_FEW = 3  # such lines make one
_FORMS = (
    r"^\s*(?:Traceback \(most recent|File \"[^\"]+\", line \d|at \S.*[(:]\S*\d|\.{3} \d+ more|Caused by:|goroutine \d"
    r"|panic:|fatal error:|Segmentation fault|exit (?:status|code) \d|Exception in thread|During handling of the above)"
    rf"|^\s*(?:E\s+)?(?:Fatal error: )?(?:Uncaught |Unhandled |raise )?{_ERROR}"
    r"|^\s*(?:error|warning|fatal|ERROR|WARN(?:ING)?|FATAL|CRITICAL)(?:\[\w+\])?: ?\S|^error during \w+: "
    r"|^Un(?:handled|caught)\b[^?]*:|returned a non-zero code|: (?:command not found|[Nn]o such file or directory)$"
    r"|: [Pp]ermission denied$|^(?:npm|yarn|pnpm) (?:ERR!|WARN|error)|^\w+: \*\*\* "
    r"|^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d[\].,]|^\w{3} +\d+ \d\d:\d\d:\d\d "
    r"|^\s*[\w./\\@-]+[(:]\d+[,:]\d+[):]|^\s*[\w./\\-]+\.\w{1,4}:\d+:|^\s*-->? \S+:\d+"
    r"|^(?:FAILED|PASSED|ERROR) \S+|^\S+::\S+ (?:FAILED|PASSED|ERROR)|^=+ .* =+$|^\d+ (?:failed|passed)\b"
    r"|^\s*[$❯➜] \S|^> \S+@\d|^diff --git |^@@ -\d|^(?:---|\+\+\+) [ab]/|^[+-]\s*\w+\s*=|^index [0-9a-f]{7}"
    r"|^\s*(?:async )?(?:def|fn|func|function)\s+\w+\s*[(<]|^\s*class \w+\s*[(:{]|^func \(|^\s*function\s*\("
    r"|^\s*(?:struct|impl|interface|enum|trait|type)\s+\w+[^.?!]*\{|^\s*(?:pub|public|private|static"
    r"|protected)\s+\w+.*[({]"
    r"|^\s*(?:const|let|var|auto|final)\s+[\w{\[][^?]*=|^\s*from \S+ import|^\s*import [\w{*.\"']+(?: as \w+"
    r"| from \S+)?;?$"
    r"|^\s*(?:#include|#define|#!/|using namespace|package \w+;|export \w+=|@\w+\(|return\b.*[;)\]}]$|return;?$)"
    r"|^\s*(?:for \w+(?:, ?\w+)* in .*:|(?:if|for|while|switch|catch) ?\(.*|(?:if|elif|while) .*[=<>()\]].*:|else:"
    r"|try:|(?:if|elif|while) \w+(?:\.\w+)*:"
    r"|except\b[^?]*:|with \w+[.(].*:)$|^\s*[\w.]+\s*(?:[+*/|&-]?=|:=)\s*\S"
    r"|^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE|WITH)\b.*(?:[;*,=(]|\bFROM\b|\bSET\b)"
    r"|^\s*(?:sudo )?(?:ls|cd|cat|grep|curl|wget|git|docker|kubectl|npm|pip|python3?|node|make|cargo|go|ssh|scp|rm|cp"
    r"|mv|chmod|export|echo|find|sed|awk|tar|psql|systemctl)\b[^?？\u3041-\u9fff]*(?: -{1,2}\w|[|></$'\"])"
    r"[^?？\u3041-\u9fff]*$|^\s*<[/!]?[a-zA-Z][^<>]*>|^\s*[\[{]\s*[\"'{\[\w].*[}\],]\s*$|^\s*[}\])]+[;,)]*\s*$"
    r"|^thread '[^']*' panicked|^index out of (?:bounds|range)|^[A-Z]{1,4}\d{3,5}: |^(?:zsh|bash|sh|fish|remote): "
    r"|^ERROR \d+ \(|^HTTP/\d|^(?:Content|Date|Server|Set|Cache)-?\w*: \S|^[\w.#:>, \[\]=\"-]+\{[^}?]*(?::[^}?]*\})?$"
    r"|^\s*\"[\w-]+\"\s*:|^\s*\d+\s*\||^\s*\|\s"
)


class Apart(NamedTuple):
    """`words`: the lines that are sentences; `errors`: of what was pasted, the lines that name an error."""

    words: str
    is_pasted: bool
    errors: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What is to be looked for."""
        return " ".join(" ".join((self.words, *self.errors)).split())


@cache
def _forms() -> re.Pattern[str]:
    return re.compile(_FORMS)


@cache
def _errors() -> re.Pattern[str]:
    return re.compile(rf"{_ERROR}|\b(?:error|fatal|panic|ERR!)\b[^:]{{0,40}}:|\bfault\b")


def apart(message: str, longest: int) -> Apart:
    """A message in two. Of one longer than `longest` its beginning and its end are read."""
    if len(message) > longest:
        head, tail = message[: longest - TAIL], message[-TAIL:]
        whole = (head.rpartition("\n")[0] or head, tail.partition("\n")[2] or tail)  # no line that is torn
        message = "\n".join(whole)
    if not _LOOK.search(message):
        return Apart(message, False)
    words, pasted = list[str](), list[str]()
    fenced, lines = False, message.splitlines()
    settings = [line for line in lines if _SET.match(line)]
    is_set = len(settings) >= _FEW and any(line[:1].isspace() for line in settings)
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            pasted.append(line)
        elif not line.strip():
            continue
        else:
            (pasted if fenced or (is_set and _SET.match(line)) or _is_pasted(line, bool(pasted)) else words).append(
                line
            )
    errors = list(dict.fromkeys(line.strip()[:LONG] for line in pasted if _errors().search(line[:LONG])))
    return Apart("\n".join(words), bool(pasted), tuple(errors[-ERRORS:]))


def _is_pasted(line: str, follows: bool) -> bool:
    """Whether a line is no sentence; `follows`: something was pasted above it."""
    if _forms().search(line[:WIDEST]):
        return True
    if _CJK.search(line):
        return False
    if follows and line.startswith(("    ", "\t", "  ")):
        return True
    text = line.strip()
    signs = sum(sign in _CODE_SIGN for sign in text)
    return signs / len(text) > SIGNS and not text.endswith("?") and any(sign in text for sign in "{}()=;<>[]|")
