"""Rows R8 and S2: front matter that is hostile, and YAML that explodes."""

import random
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memdir.errors import BadData
from memdir.evals.reliability.hostile import BOMBS, KEYS, VALUES, bomb, hostile, merge_bomb
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import BROKEN, child, limits, waited
from memdir.vault import fields, note

EDITS = 3  # of each file
WHY = BROKEN | {13: "the body is not understood"}
SECONDS, MEGABYTES = 0.1, 50  # that one bomb may take


def roundtrip(count: int, seed: int, place: Path) -> Outcome:
    """Files with hostile front matter (two fences, duplicate keys, NUL, BOM, CRLF, bytes that are no UTF-8, bad dates,
    tags, anchors) are read, and keys of them set: reading never raises, each edit changes the lines of its key and no
    other byte, or is refused; what was set reads back as it was set.

    What an edit may touch is found without memdir's own reader.
    """
    found, rng = Outcome(), random.Random(seed)
    for number in range(count):
        data = hostile(rng)
        try:
            edited = [fault for _ in range(EDITS) for fault in edit(data, rng, found)]
        except Exception as error:  # whatever is raised is the fault that is looked for
            edited = [f"{type(error).__name__}: {error}"]
        found.faults += [f"seed {seed}, file {number}, {data!r}: {fault}" for fault in edited]
        found.tried += 1
    return found


def edit(data: bytes, rng: random.Random, found: Outcome) -> Iterator[str]:
    """One key set to one value: what is wrong with that."""
    parsed = note.parse("memory/user/x.md", data, own=True)
    if not all(1 <= problem.line <= len(parsed.lines) for problem in parsed.problems):
        yield "a problem of a line that there is not"
    text = fields.decode(data)
    if fields.encode(text) != data:
        yield "the bytes do not come back"
    before = fields.read(text)
    key, value = rng.choice(KEYS), rng.choice(VALUES)
    try:
        new = fields.set_value(text, key, value)
    except BadData:
        found.count("edits refused")
        return
    found.count("edits made")
    after = fields.read(new)
    told = f"{key!r} = {value!r} → {new!r}"
    others = {k: v for k, v in before.values.items() if k != key}
    if not same(after.values.get(key), value):
        yield f"does not read back: {told}"
    if not same(list({k: v for k, v in after.values.items() if k != key}.items()), list(others.items())):
        yield f"another value changed: {told}"
    if new.startswith(fields.BOM) != text.startswith(fields.BOM):
        yield f"the mark at the beginning changed: {told}"
    if before.present:
        if list(strangers(new, key)) != list(strangers(text, key)):
            yield f"another line changed: {told}"
        if body(fields.encode(new), after.body_line) != body(data, before.body_line):
            yield f"the body changed: {told}"
    elif not fields.encode(new).endswith(data.removeprefix(fields.BOM.encode())):
        yield f"the text is not kept whole: {told}"
    added = set(new.split("\n")) - set(text.split("\n"))
    if "\r\n" in text.split("\n", 1)[0] + "\n" and not all(line.endswith("\r") for line in added):
        yield f"another line end: {told}"


def same(one: object, other: object) -> bool:
    """Equal, and of the same types: True is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def strangers(text: str, key: str) -> Iterator[str]:
    """The lines that an edit of `key` must leave alone: what is not the key's line or a continuation of it.

    Found without memdir's own reader: a key's own lines are its first one and those that follow indented,
    as list items, blank or closing a flow, up to the last such that is neither blank nor a comment.
    """
    lines = text.split("\n")
    stop = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip(" \t\r") == "---"), 0)
    spellings = tuple(f"{quote}{key}{quote}" for quote in ("", '"', "'"))
    mine = re.compile(rf"(?:{'|'.join(map(re.escape, spellings))})[ \t]*:(?:\s|$)")
    start = next((n for n in range(1, stop) if mine.match(lines[n])), None)
    if start is None:
        yield from lines
        return
    end = start + 1
    while end < stop and (not lines[end].strip() or lines[end][0] in " \t-#]}"):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    yield from lines[:start]
    yield from lines[end:]


def body(data: bytes, lines: int) -> bytes:
    return b"\n".join(data.split(b"\n")[lines:])


def bombs(count: int, seed: int, place: Path) -> Outcome:
    """YAML that explodes, nests, recurs, merges or runs code, at the head of a note: read in under 100 ms of CPU and
    50 MB (the whole note in 1 s a megabyte more), nothing raised, the body still understood, and an edit refused or
    with every other byte kept.

    Sizes are drawn; each case runs in a process of its own.
    """
    found = Outcome()
    for number, (name, block) in enumerate(_bombs(count, random.Random(seed))):
        code = waited(child(_light, block))
        found.tried += 1
        found.held(code == 0, f"seed {seed}, bomb {number}, {name}: {WHY.get(code, f'ended with {code}')}")
    return found


def _bombs(count: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Every bomb that is known, then others of drawn size and place."""
    known = list(BOMBS.items())
    for number in range(count):
        if number < len(known):
            yield known[number]
            continue
        size = rng.choice([3, 10, 100, 1_000, 10_000, 60_000])
        made = {
            "aliases": bomb(rng.randint(2, 12), rng.randint(2, 30)),
            "merges": merge_bomb(rng.randint(2, 9), rng.randint(2, 12)),
            "nested": "a: " + rng.choice("[{") * size,
            "nested and closed": "a: " + "[" * size + "]" * size,
            "keys": "\n".join(f"k{n}: {rng.random()}" for n in range(size)),
            "anchors": "\n".join(f"k{n}: &a{n} *a{n // 2}" for n in range(size)),
            "digits": "a: " + rng.choice("0189:._-") * size,
            "quotes": "a: " + rng.choice("'\"`") * size,
            "folded": "a: >\n" + "  x\n" * size,
            "tags": "a: " + "!!python/object/new:os.system [x] " * min(size, 1_000),
            "two of them": rng.choice(known)[1] + "\n" + rng.choice(known)[1],
        }
        yield rng.choice(list(made.items()))


def _light(block: str) -> None:
    """Read and edit one bomb within its limits."""
    text = f"---\n{block}\n---\n# Body\n"
    data = fields.encode(text)
    note.parse("memory/user/warm.md", b"---\na: 1\n---\n", own=True)
    with limits(megabytes=MEGABYTES):
        with limits(SECONDS):
            fields.read(text)
        with limits(SECONDS + len(data) / 1e6):
            parsed = note.parse("memory/user/bomb.md", data, own=True)
        if len(data) <= note.MAX_PARSED and [heading.text for heading in parsed.body.headings][-1:] != ["Body"]:
            sys.exit(13)
        with suppress(BadData):
            assert fields.set_value(text, "updated", "2026-11-29").endswith("# Body\n")
