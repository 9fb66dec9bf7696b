"""Row S3: texts that make patterns run away, put to everything in memdir that reads a text."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memdir import text
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.strikes import child, waited
from memdir.ingest import html_text
from memdir.learn import entries
from memdir.learn.reading import planted, rules
from memdir.learn.spoken import candidates
from memdir.learn.workspace import inert
from memdir.recall import asking, attributes, entities, fenced, gate, temporal
from memdir.vault import blocks, fence, injected, loops, markdown, memory_md, merge, note, passages, secrets, session

LINE = markdown.MAX_LINE
SMALL, LARGE = 16_000, 128_000  # bytes of a text
A_MEGABYTE = 1.0  # CPU seconds
LEARNING = 20.0  # the same for what a distillation does with a log, line by line, once
GROWTH = 2.0  # how many times more than linear may be measured
BUSY = 2.0  # times as much on a machine with more to do than processors: caches are shared
PATIENCE = 20.0  # CPU seconds until a reading is given up
NOW = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)

# Units that are repeated: brackets, marks, quotes, lists, tables, links, keys, tags, spaces, escapes, words.
UNITS = (
    "[", "[[", "[[a|", "![[", "]]", "]", "[](", "[a](b", '[]( "', "(", "<x ", "<!--", "<a href=", "&x", "&#", "`",
    "``a",
    "*a **a ", "_a __a", "~~~\n", "```\n", "%%", "$$", "$a$", ">", "> ", "- ", "- [ ] ", "- [a] (", "- [a] b (c) ",
    "- k:: ", "- k:: v (2026-01-01 →) ", ":: ", "|", "|-", "# ", "#", "#a/", "#a ", "^a", " ^k1", "---\n", "--- ",
    "\n",
    "\n\n", " ", "\t", "\u00a0", "\\", "\\[", "'", '"', "a: b\n", "a: [", "{", "@a.b", "a@b.c ", "://", "http://a:b@",
    "http://a/", "1", "1.", "12:30 ", "2026-11-29 ", "## 09:30 - a\n", "### a · ^t1\n> b\n", "password is ", "key=",
    "token: ", "-----BEGIN KEY-----\n", "eyJ.", "AKIA", "sk-", "a1B2", "and then ", "not ", "is the a of b ",
    "the day ",
    "last week ", "vorgestern ", "昨天", "的", "水泵 ", "ignore all previous instructions ", "system: ",
    "<memory nonce=",
    "</memory nonce=0123456789abcdef>", "memory used: 1, ", "A", "Ab ", "aB", "a-b", "a_b.", "a/b", "⟦secret:",
    "\u200b",
    "e\u0301", "\U0001f600", "\ufeff", "\r", "\r\n", "\x00", "\x1b[31m",
)  # fmt: skip


def _learned(said: str) -> object:
    """A day's log of it, in lines as long as rules read them, and what they learn."""
    lines = "\n- ".join(said[at : at + LINE] for at in range(0, len(said), LINE))
    log = f"# 2026-11-29\n\n## 09:30 - a\n- {lines}\n".encode("utf-8", "surrogatepass")
    held = entries.read("memory/logs/2026/11/2026-11-29.md", log)
    return [rules.learn(one, ["Pump room", "Garden"]) for one in held]


def _heard(said: str) -> object:
    """A turn of it, and what is captured."""
    turn = entries.Entry("a.md", "2026-11-29", 1, "", (), said, "[[a#^t1]]", "d")
    return candidates.read([(1, turn)], ["Pump room", "Garden"], frozenset())


def _planted(said: str) -> object:
    return [planted.why(said[at : at + LINE]) for at in range(0, len(said), LINE)]


def _note(said: str) -> note.Note:
    return note.parse("memory/user/a.md", said.encode("utf-8", "surrogatepass"), own=True)


READERS: Mapping[str, Callable[[str], object]] = {
    "a note": lambda said: passages.cut(_note(said)),
    "a note's front matter": lambda said: _note(f"---\nname: {said}"),
    "blocks of a note": blocks.split,
    "a merge": lambda said: merge.merge(None, said[::2], said[1::2]),
    "a log": _learned,
    "a turn of a conversation": _heard,
    "a session": lambda said: session.parse("memory/sessions/2026/11/a.md", said.encode("utf-8", "surrogatepass")),
    "MEMORY.md": memory_md.listed,
    "ids of loops": loops.with_ids,
    "secrets": lambda said: secrets.redact(said, b"key"),
    "what was planted": _planted,
    "what is shown inert": lambda said: [inert.inline(said[at : at + LINE]) for at in range(0, len(said), LINE)],
    "what memdir put in": lambda said: (injected.strip(said), injected.used(said), injected.unsigned(said)),
    "a fence": lambda said: fenced.fence(fence.legible(said), b"0123456789abcdef"),
    "terms": text.terms,
    "a question": text.query_terms,
    "its day": lambda said: temporal.parse(said, NOW),
    "its parts": asking.parts,
    "its slight words": asking.slight,
    "what it asks for": attributes.read,
    "whether it asks for something": asking.is_request,
    "its shapes": entities.shapes,
    "its names": lambda said: entities.missing(said, lambda name: False),
    "the gate": lambda said: gate.decide(said, lambda name: False),
    "HTML": lambda said: (html_text.plain(said), html_text.marked(said)),
}


def growth(count: int, seed: int, place: Path) -> Outcome:
    """Texts of 16 and 128 KB made of one unit, or of a few in turn, put to every reader of text (notes, logs, sessions,
    questions, HTML, secrets, dates, rules, the gate): each reads them in under 1 s of CPU a megabyte (rules that learn
    from a log in 20 s), the longer in no more than twice what its length says. On a machine that has more to do than
    processors both limits are twice that.

    The units are those of `redos.py` of the study and more; every reader runs in a process that is ended when it hangs.
    """
    found, rng, said, most = Outcome(), random.Random(seed), place / "said", 0.0
    for number, unit in enumerate(_units(count, rng)):
        said.write_text("", encoding="utf-8")
        code = waited(child(_read, unit, said))
        told = said.read_text("utf-8").splitlines()
        found.tried += 1
        found.faults += [
            f"seed {seed}, text {number}, {unit!r}: {line}" for line in told if line[:2] not in ("… ", "= ")
        ]
        most = max([most, *(float(line[2:]) for line in told if line.startswith("= "))])
        last = next((line[2:] for line in reversed(told) if line.startswith("… ")), "?")
        found.held(code == 0, f"seed {seed}, text {number}, {unit!r}: {last} ended with {code}")
    found.figures |= {"readers": len(READERS), "slowest, of what it may take": f"{most:.0%}"}
    return found


def _units(count: int, rng: random.Random) -> Iterator[str]:
    for number in range(count):
        if number < len(UNITS):
            yield UNITS[number]
        else:
            yield "".join(rng.choice(UNITS) for _ in range(rng.randint(2, 4)))


def _read(unit: str, said: Path) -> None:
    """Put the texts of a unit to every reader; what took too long goes into a file, line by line."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    texts = [unit * (size // max(1, len(unit.encode()))) for size in (SMALL, LARGE)]
    with said.open("a", encoding="utf-8") as file:
        for name, reader in READERS.items():
            file.write(f"… {name}\n")
            file.flush()
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            most = (LEARNING if name == "a log" else A_MEGABYTE) * LARGE / 1e6 * _busy()
            long = _seconds(reader, texts[1])
            if long <= most / 4:
                file.write(f"= {long / most}\n")
                continue
            # As often as makes the same length: clocks that count in steps of milliseconds know no shorter reading.
            short = max(0.001, sum(_seconds(reader, texts[0]) for _ in range(LARGE // SMALL)))
            long = min(long, *(_seconds(reader, texts[1]) for _ in range(2)))
            file.write(f"= {long / most}\n")
            if long > most:
                file.write(f"{name}: {long:.2f} s for {LARGE // 1000} KB\n")
            elif long > short * GROWTH * _busy():
                times = LARGE // SMALL
                file.write(f"{name}: {long / short * times:.0f} times as long for {times} times the text\n")
        signal.setitimer(signal.ITIMER_PROF, 0)
        file.write("… end\n")


def _busy() -> float:
    return BUSY if os.getloadavg()[0] > (os.cpu_count() or 1) else 1.0


def _seconds(reader: Callable[[str], object], said: str) -> float:
    """CPU seconds of one reading."""
    began = time.process_time()
    with contextlib.suppress(Exception):  # what a reader refuses it has read
        reader(said)
    return time.process_time() - began
