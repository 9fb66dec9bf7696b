"""What a verb makes of a stage when nothing happens, and what is wrong with the stage after it was struck meanwhile.

One judgement for kills, failures and power cuts: each file is its old text or the new one, grown files hold no half
line of another's, every text of before is still somewhere, nothing is left lying about, and the next start puts the
rest right by itself.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals.reliability import mirror
from memdir.evals.reliability.acts import QUESTIONS, Stage
from memdir.evals.reliability.stage import differs
from memdir.evals.reliability.strikes import leftovers
from memdir.vault import layout
from memdir.vault.files import digest

GROWS = ("memory/logs/", "memory/ledger/")
STATE = "memory/heartbeat-state.json"
BRIEFS = f"{layout.BRIEFS}/"
BEGIN = layout.MARKS[0].encode()


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The files behind a verb, by path, and the digests of every text that it wrote."""

    texts: dict[str, bytes]
    wrote: set[str]


def foreseen(stage: Stage, name: str) -> Foreseen:
    """What a verb makes when nothing happens."""
    stage.reset()
    stage.do(name)
    made = stage.texts()
    stage.mend()
    return Foreseen(made, stage.kept())


def texts(stage: Stage, after: Foreseen, when: str) -> Iterator[str]:
    """Every file is its old text or its new one; those that only grow begin with the old one."""
    for path, data in stage.texts().items():
        if path.endswith(".memdir-tmp"):
            continue
        old = stage.before.get(path)
        if path.startswith(GROWS):
            ledger = path.endswith(".jsonl")
            whole = _torn(data) <= 1 if ledger else after.texts.get(path, b"").startswith(data)
            if not data.startswith(old or b"") or not whole:
                yield f"{when} {path} is torn: {data[-80:]!r}"
        elif path == layout.INDEX_FILE:
            if data.partition(BEGIN)[0] != (old or b"").partition(BEGIN)[0]:
                yield f"{when} {path} has lost what a person wrote: {data[:80]!r}"
        elif path == STATE:
            json.loads(data)  # written after each step of a heartbeat, as far as it came
        elif data != old and digest(data) not in after.wrote and not path.startswith(BRIEFS):
            yield f"{when} {path} is neither the old text nor the new one: {data[:80]!r}"
    for path in stage.before:
        if path in after.texts and not (stage.root / path).exists():
            yield f"{when} {path} is gone"


def _briefed(stage: Stage, after: Foreseen, memory: Memory) -> Iterator[str]:
    """A brief that is neither the old one nor the new one says what the notes say: some could not be written."""
    known = {*after.wrote, *map(digest, stage.before.values())}
    made = [path for path, data in stage.texts().items() if path.startswith(BRIEFS) and digest(data) not in known]
    if made and (other := memory.make_briefs(None, dry_run=True).diff):
        yield f"after the next start {made} are not what the notes say: {other[-200:]!r}"


def _torn(data: bytes) -> int:
    """How many lines of a ledger are no event: one may be, the end of what was killed."""
    torn = 0
    for line in data.splitlines():
        try:
            json.loads(line)
        except ValueError:
            torn += 1
    return torn


def healed(stage: Stage, after: Foreseen, *, mirrored: bool = False) -> Iterator[str]:
    """The next start: nothing lies about, no text is lost, the vault can be used. `mirrored`: its index is that of the
    files too."""
    if left := stage.mend():
        yield f"the second recovery still has to say: {left}"
    with stage.open() as memory:
        try:
            memory.sync(mirror.ALL)
        except MemdirError as error:
            yield f"the next sync: {error}"
            return
        yield from _briefed(stage, after, memory)
        if mirrored:
            yield from differs(memory, stage.work / "fresh", QUESTIONS)
    stage.mend()
    yield from texts(stage, after, "after the next start")
    yield from (f"left over: {path}" for path in leftovers(stage.root))
    journal = stage.root / ".memdir/journal.jsonl"
    if journal.exists() and journal.stat().st_size:
        yield f"the journal is not worked off: {journal.read_bytes()[:200]!r}"
    if any((stage.root / ".memdir/pending").glob("*")):
        yield "something still waits in .memdir/pending"
    kept = stage.kept()
    for path, data in stage.before.items():
        there = (stage.root / path).exists()
        grown = path.startswith(GROWS) and there
        if (not there or path.startswith("memory/")) and not grown and digest(data) not in kept:
            yield f"the text that {path} had is lost"
    copies = [path for path in stage.texts() if ".conflict-" in path]
    if copies:
        yield f"a copy in conflict, and nobody else wrote: {copies}"
