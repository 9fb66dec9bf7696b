"""Facts of a note as text: one value set, the old ones moved to `## History` with the days they held.

`- key:: value (2026-03-12 →) [source:: [[…]]]` is a current fact, `- key:: value (2019-04-01 → 2026-03-12)` a past
one. A key that stands several times is a set of values. Edits by line; pure functions.
"""

import re
from collections.abc import Sequence

from memdir.errors import BadData
from memdir.vault import edits, fields, markdown, names
from memdir.vault import note as notes
from memdir.vault.markdown import Fact

HISTORY = "History"
# What a thing has had from its beginning: the day on which somebody said it is no start.
BORN_WITH = frozenset(
    map(
        names.fold,
        (
            "birthday",
            "born",
            "date of birth",
            "birth date",
            "place of birth",
            "birthplace",
            "blood type",
            "blood group",
            "生日",
            "出生日期",
            "出生地",
            "出生年月",
            "血型",
        ),
    )
)
_BLOCK = re.compile(r"[ \t]\^[A-Za-z0-9-]{1,64}$")
_KEY = re.compile(r"^(?:[^:\[\]`|#\n]|:(?![: ])){1,80}$")


def current(body: markdown.Body, key: str) -> list[Fact]:
    """The values that a key has now, in the order of the note."""
    return [fact for fact in body.facts if names.fold(fact.key) == names.fold(key) and not fact.until]


def past(body: markdown.Body, key: str) -> list[Fact]:
    """The values that a key had, in the order of the note."""
    return [fact for fact in body.facts if names.fold(fact.key) == names.fold(key) and fact.until]


def line(key: str, value: str, since: str = "", until: str = "", source: str = "") -> str:
    """A fact as it is written. Raises BadData for what the grammar could not read back."""
    key, value = " ".join(key.split()), " ".join(value.split())
    if not value or not _KEY.match(key) or key.lower() in markdown.RESERVED_KEYS:
        raise BadData(f"{key!r} with {value[:80]!r} cannot be a fact")
    held = f" ({since} → {until})".replace("( →", "(→").replace("→ )", "→)") if since or until else ""
    written = f"- {key}:: {value}{held}{cite(source)}"
    body = markdown.scan([written])
    if [(fact.key, fact.value, fact.since, fact.until) for fact in body.facts] != [(key, value, since, until)]:
        raise BadData(f"{value[:80]!r} cannot be the value of a fact: it reads as something else")
    return written


def cite(source: str) -> str:
    """The provenance at the end of a line; "" where there is none."""
    return f" [source:: {source}]" if source else ""


def put(path: str, text: str, key: str, value: str, day: str, source: str = "", today: str = "") -> str:
    """`text` with `value` as the only current value of `key`, since `day`; unchanged when it is that already.

    Every other current value goes to the history, ends there on `day` and keeps its own source, or none.
    `today`: what `updated:` says, if not `day`.
    Raises BadData.
    """
    body = notes.parse(path, fields.encode(text)).body
    held = current(body, key)
    if len(held) == 1 and same(held[0].value, value):
        return text
    new = line(key, value, "" if names.fold(key) in BORN_WITH else day, "", source)
    new = _replaced(text, held, new) if held else _placed(text, body, new)
    old = [line(fact.key, fact.value, fact.since, day, fact.source) for fact in held if not same(fact.value, value)]
    if old:
        new = edits.append(path, new, "\n".join(old), today or day, HISTORY)
    read = [fact.value for fact in current(notes.parse(path, fields.encode(new)).body, key)]
    if read != [" ".join(value.split())]:
        raise BadData(f"the line would stand where it cannot be read back (in code or a comment?); set {key!r} by hand")
    return edits.touch(path, text, new, today or day)


def add(path: str, text: str, key: str, value: str, day: str, source: str = "", today: str = "") -> str:
    """`text` with `value` as one more current value of `key`; unchanged when it is one already. Raises BadData."""
    body = notes.parse(path, fields.encode(text)).body
    if any(same(fact.value, value) for fact in current(body, key)):
        return text
    return edits.touch(path, text, _placed(text, body, line(key, value, day, "", source)), today or day)


def same(one: str, other: str) -> bool:
    """Whether two values say the same: letters' case, spaces and a full stop at the end do not count."""
    return _bare(one) == _bare(other)


def _bare(value: str) -> str:
    return names.fold(" ".join(value.split()).rstrip(".。 "))


def _replaced(text: str, held: Sequence[Fact], new: str) -> str:
    """The first of the lines becomes the new one, in its indentation and with its block id; the others go.

    Raises BadData for a line that holds more than a fact, or one to go that has lines under it.
    """
    lines = text.split("\n")
    for fact in held:
        _only_a_fact(lines[fact.line], fact)
    first, *others = [fact.line for fact in held]
    for at in others:
        if _under(lines, at) > at + 1:
            raise BadData(f"line {at + 1}: lines stand under the fact; set it by hand")
    old = lines[first]
    indent = old[: len(old) - len(old.lstrip())]
    block = _BLOCK.search(old.rstrip())
    lines[first] = indent + new + (block[0] if block else "") + ("\r" if old.endswith("\r") else "")
    for at in sorted(others, reverse=True):
        del lines[at]
    return "\n".join(lines)


def _only_a_fact(line: str, fact: Fact) -> None:
    """Raise BadData where a line says more than its fact: a comment, math, words that the grammar passes over."""
    left = _BLOCK.sub("", line.rstrip())
    for part in (fact.key, "::", fact.value, fact.source, fact.since, fact.until):
        left = left.replace(part, "", 1) if part else left
    if re.sub(r"\[source::|[\s\-*+()\[\]→,]", "", left):
        raise BadData(f"line {fact.line + 1}: it holds more than the fact {fact.key!r}; set it by hand")


def _under(lines: Sequence[str], at: int) -> int:
    """The first line behind a list item and what is indented under it."""
    depth = len(lines[at]) - len(lines[at].lstrip())
    end = at + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
        end += 1
    return end


def _placed(text: str, body: markdown.Body, new: str) -> str:
    """A new line behind the last current fact, else before the first section, else at the end."""
    lines = text.split("\n")
    end = fields.newline_of(text)[:-1]
    facts = [fact.line for fact in body.facts if not fact.until]
    sections = [heading.line for heading in body.headings if heading.level > 1]
    if facts:
        at, added = _under(lines, facts[-1]), [new + end]
    elif sections:
        at, added = sections[0], [new + end, end]
    else:
        bare = text if text.endswith("\n") or not text else text + end + "\n"
        gap = end + "\n" if bare.strip() and not bare.endswith(("---\n", "---\r\n")) else ""
        last = bare.rstrip("\r\n").rpartition("\n")[2].lstrip()
        return bare + ("" if last.startswith(("- ", "* ", "+ ")) else gap) + new + end + "\n"
    return "\n".join([*lines[:at], *added, *lines[at:]])
