"""What a conversation is about, by rules: its first request, its last messages, what it leaves open, what it decided.
Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memdir.learn import briefing
from memdir.text import cut
from memdir.vault.session import Turn

FIRST, MESSAGE, LINE = 800, 400, 160  # characters of the first request, of a last message, of a line
LAST, MOST = 6, 8  # last messages; loops and decisions of each
LOOKED_AT = 60  # last turns in which something open is looked for
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+|^\s*[>#]+\s*")
_OPEN = re.compile(
    r"^\[ \]\s|^(?:todo|to do|next(?: steps?)?|still (?:open|to do|missing|left)|remaining|left to do|open)\b\s?[:：-]"
    r"|\b(?:still (?:needs?|have|has) to|remains? to be|left to do|not (?:yet )?(?:done|finished|implemented|fixed)\b"
    r"|(?:we|i|you) (?:still )?(?:need|have) to\b|(?:i|we)(?:'ll| will| should) (?:then|next|also|now)\b"
    r"|next,? (?:i|we)\b)|^(?:待办|下一步|接下来|还剩|剩下|未完成)|还(?:需要|要|没(?:有)?(?:做|写|改|修|完成|处理))"
    r"|(?:接下来|下一步)(?:要|我|我们|是)|待完成",
    re.IGNORECASE,
)


class Summary(NamedTuple):
    """`last`: `speaker: text` each, the newest last; loops and decisions: the newest first."""

    first: str
    last: list[str]
    loops: list[str]
    decisions: list[str]


def summary(turns: Sequence[Turn]) -> Summary:
    """What some turns, in order, are about."""
    said = [turn for turn in turns if turn.text.strip()]
    first = next((turn for turn in said if turn.speaker == "user"), said[0] if said else None)
    last = [f"{turn.speaker}: {cut(_plain(turn.text), MESSAGE)}" for turn in said[-LAST:]]
    lines = [line for turn in reversed(said) for line in _lines(turn.text)]
    near = [line for turn in reversed(said[-LOOKED_AT:]) for line in _lines(turn.text)]
    loops = dict.fromkeys(cut(line.removeprefix("[ ] "), LINE) for line in near if _OPEN.search(line))
    decided = dict.fromkeys(text for line in lines if (text := briefing.decided(line)))
    return Summary(cut(_plain(first.text), FIRST) if first else "", last, [*loops][:MOST], [*decided][:MOST])


def _lines(text: str) -> Iterator[str]:
    """The sentences of a message without signs of lists; code is left out."""
    for number, part in enumerate(text.split("```")):
        if number % 2 == 0:
            yield from (line for raw in _SENTENCE.split(part) if (line := _ITEM.sub("", raw).strip(" *_")))


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())
