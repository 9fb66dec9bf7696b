"""The words of a person's turn that are their own: what they quoted, pasted or had put into it is taken out. Pure.

A block (lines without a blank one between them) that holds a stack trace, lines of a log, a prompt of a shell or a
diff is pasted as a whole; from the head of a mail or a heading on, the rest of the turn is. Of a long turn only the
first and the last block are read: what lies between is a document more often than not.
"""

import re
from collections.abc import Iterator

from memdir.learn.reading import sentences
from memdir.learn.spoken import others
from memdir.vault import injected

LONG = 2_000  # characters of a turn from which on it is taken for a document with words around it
MOST = 40  # sentences of a turn that are read
_FENCE = re.compile(r"^\s{0,8}(`{3,}|~{3,})")
_QUOTED = re.compile(r"^\s{0,8}[>|]")
_ITEM = re.compile(r"^\s{0,8}(?:[-*+•]|\d{1,3}[.)、])\s{1,4}")
_HEADING = re.compile(r"^#{1,6}\s+\S")
# From such a line on, the turn is somebody else's.
_FROM_HERE = re.compile(
    r"^(?:from|to|cc|subject|sent|date)\s?:\s?\S|^(?:发件人|收件人|抄送|主题|发送时间)\s?[:：]"
    r"|^-{2,}\s?(?:forwarded|original message|begin|转发|原始邮件)|^on .{5,80} wrote:$|^commit [0-9a-f]{7,40}\b"
    r"|^diff --git|^<!doctype|^<html|^<\?xml|^---$|^\s{0,8}<[a-z][\w-]{0,30}>\s*$",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"^\s{0,20}(?:traceback \(most recent|file \"[^\"]{1,200}\", line \d|at [\w.$<>]{2,120}\(|caused by:"
    r"|\w{1,60}(?:error|exception)\b ?:|(?:error|warn(?:ing)?|info|debug|fatal|fail(?:ed)?|trace)\s?[:\]|]\s?\S"
    r"|\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|[$#%❯➜]\s\S|[\w.-]{1,40}@[\w.-]{1,40}[:~]\S{0,80}[$#]\s"
    r"|>>>\s|@@ -\d|[+-]{3}\s\S|npm err!|pip |warning:)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[{};]\s*$|^\s*[})\]]|^\s*(?:import|from|def|class|return|const|let|var|function|public|private|if|for|while"
    r"|else|elif|try|select|insert|update|#include|package|use|fn|impl)\b.{0,160}[:;({]\s*$|^\s*\"[\w-]+\"\s?:"
    r"|^\s*[\w.\[\]]{1,40}\s?[-+*/]?=\s?\S"
)
_SPLIT = re.compile(r"(?<=[.!?])[\"'”’)]?\s+(?=[A-Z\u00c0-\u00de\u4e00-\u9fff])|(?<=[。！？；])")


def own(text: str) -> list[str]:
    """The sentences of a turn that the person who took it said themselves, in order."""
    blocks = list(_blocks(injected.strip(text)))
    if sum(map(len, (line for block in blocks for line in block))) > LONG:
        blocks = [blocks[0], blocks[-1]] if len(blocks) > 1 else [_ends(blocks[0])]
    blocks = [[line[:LONG] for line in block] for block in blocks]
    found = [said for block in _not_handed_on(blocks) for line in block for said in _sentences(line)]
    return found[:MOST]


def _not_handed_on(blocks: list[list[str]]) -> Iterator[list[str]]:
    """The blocks that are not pasted, without what they hand on; a text that is said to follow is the next block."""
    follow = 0
    for block in blocks:
        if follow:
            follow -= 1
        elif not _is_pasted(block):
            own_lines, follow = others.taken_out(block)
            yield own_lines


def _ends(block: list[str]) -> list[str]:
    """The first and the last line of a block that is a document by itself."""
    return [*dict.fromkeys((block[0], block[-1]))]


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of a turn without code in fences and without quotes, in blocks; up to where somebody else's begin."""
    fence, block = "", list[str]()
    for line in text.split("\n"):
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif opened := _FENCE.match(line):
            fence = opened[1]
        elif not line.strip():
            if block:
                yield block
            block = []
        elif _FROM_HERE.match(line) or _HEADING.match(line):
            break
        elif not _QUOTED.match(line):
            block.append(line)
    if block:
        yield block


def _is_pasted(block: list[str]) -> bool:
    """Whether lines come out of a program: one of them shows it, or most of them are code."""
    if any(_PASTED.match(line) for line in block):
        return True
    code = sum(bool(_CODE.search(line)) for line in block)
    return code > 0 and 3 * code >= len(block)


def _sentences(line: str) -> Iterator[str]:
    for part in sentences.split(_ITEM.sub("", line.strip())):
        yield from (one.strip() for one in _SPLIT.split(part) if one and one.strip())
