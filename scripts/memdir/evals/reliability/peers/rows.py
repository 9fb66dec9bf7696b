"""R4, R5, R8, R10 and S1 on any tool, through the verbs that it gives an agent.

`memdir-reliability --peers NAME=PYTHON …` runs them on memdir and on what is named, each of which lies in an
environment of its own (PYTHON is its interpreter). What a tool refuses with an error is not counted as lost: only what
it said was done. A verb that it does not have is told, and no fault. Writes below the folder it is given.
"""

import os
import random
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from memdir.errors import MemdirError
from memdir.evals.reliability import paths, strikes
from memdir.evals.reliability.damage import DAMAGE
from memdir.evals.reliability.hostile import hostile
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.peers.store import FOLDER, NotTried, NoVerb, Session, Store
from memdir.evals.reliability.strikes import child, waited
from memdir.evals.reliability.writers import seen

WRITERS = 4
GRACE = 20.0  # seconds that a store has to come to itself


def appends(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R4: four agents append lines to one note at once; every line that was acknowledged is in it."""
    each = max(1, count // WRITERS)
    found = Outcome(tried=each * WRITERS)
    with store.open() as session:
        path = session.write(FOLDER, "Race", "start")
    pids = [child(lambda who=who: _appender(store, path, who, each, place)) for who in range(WRITERS)]  # type: ignore[misc]
    for pid in pids:
        found.held(waited(pid) == 0, "a writer ended with an error")
    told = [line for who in range(WRITERS) for line in _lines(place / f"told.{who}")]
    text = (store.root / path).read_text("utf-8").splitlines()
    lost = [line for line in told if f"- {line}" not in text]
    found.faults += [f"{line} was acknowledged and is lost" for line in lost]
    found.figures |= {"acknowledged": len(told), "refused": each * WRITERS - len(told), "lost": len(lost)}
    return found


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _appender(store: Store, path: str, who: int, count: int, place: Path) -> None:
    with store.open() as session, (place / f"told.{who}").open("w", encoding="utf-8") as told:
        for number in range(count):
            with suppress(MemdirError):
                session.append(path, f"- line-{who}-{number:04}\n")
                told.write(f"line-{who}-{number:04}\n")
                told.flush()


def saves(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R5: a person saves a note, in place and by renaming, while an agent appends to it; no saved line is lost."""
    found = Outcome()
    with store.open() as session:
        for in_place in (True, False):
            path = session.write(FOLDER, f"Shared {'in place' if in_place else 'renamed'}", "start")
            note, each, agents = store.root / path, max(1, count // 2), 0
            human = child(partial(_person, note, each, seed, in_place))
            while strikes.ended(human) is None:
                with suppress(MemdirError):
                    session.append(path, f"- agent {agents}\n")
                    agents += 1
            time.sleep(3.0)
            with suppress(MemdirError):
                session.append(path, "- the end\n")
            texts = [one.read_text("utf-8", "replace") for one in note.parent.iterdir() if one.is_file()]
            lost = [number for number in range(each) if not any(f"H{number:05}" in text for text in texts)]
            how = "in place" if in_place else "by rename"
            found.faults += [f"save {number} ({how}) is in no file" for number in lost]
            found.figures |= {f"lost, {how}": len(lost), f"edits of the agent, {how}": agents}
            found.tried += each
    return found


def _person(note: Path, count: int, seed: int, in_place: bool) -> None:
    rng = random.Random(seed)
    for number in range(count):
        time.sleep(rng.uniform(0.05, 0.7))
        text = seen(note) + b"H%05d\n" % number
        if in_place:
            fd = os.open(note, os.O_WRONLY | os.O_TRUNC)
            os.write(fd, text[: len(text) // 2])
            time.sleep(rng.choice([0, 0.001]))
            os.write(fd, text[len(text) // 2 :])
            os.close(fd)
        else:
            swap = note.with_suffix(".swp")
            swap.write_bytes(text)
            swap.replace(note)


def fronts(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R8: files with hostile front matter lie in the folder; the tool takes them in and an agent appends a line to
    each: every byte that was there is there still, or it is refused, and a note among them is found."""
    found, rng = Outcome(), random.Random(seed)
    texts = {f"{FOLDER}/hostile-{number:04}.md": hostile(rng) for number in range(count)}
    for path, data in texts.items():
        (store.root / path).write_bytes(data)
    with store.open() as session:
        own = session.write(FOLDER, "Own", f"The {WORDS[0]} is here.")
        for path, data in texts.items():
            _taken_in(session, path, found)
            found.count(_edited(session, path))
            now = (store.root / path).read_bytes() if (store.root / path).exists() else b""
            there = set(_kept(now))
            left = [line for line in _kept(data) if line not in there]
            found.held(not left, f"{path} lost lines, the first {left[:1]}")
            found.count("line ends changed", int(now.count(b"\r\n") < data.count(b"\r\n")))
            found.tried += 1
        found.held(session.search(WORDS[0])[:1] == [own], "a note among them is not found")
    return found


def _taken_in(session: Session, path: str, found: Outcome) -> None:
    try:
        if session.index(path):
            found.count("taken in")
    except MemdirError:
        found.count("not taken in")


def _edited(session: Session, path: str) -> str:
    """How an append ended."""
    try:
        session.append(path, "- one line more\n")
    except NoVerb:
        return "has no verb to append"
    except MemdirError:
        return "refused"
    return "edited"


def _kept(data: bytes) -> list[bytes]:
    """The lines that an edit has no business with: all but the day that memdir keeps and blank ones."""
    lines = (line.rstrip(b"\r") for line in data.split(b"\n") if line.strip())
    return [line for line in lines if not line.lstrip(b"\xef\xbb\xbf").startswith(b"updated")]


def damages(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """R10: the index is damaged while nobody has it open; within 20 s of the next start a search finds what it did."""
    found, rng, kinds = Outcome(), random.Random(seed), list(DAMAGE.items())
    with store.open() as session:
        paths_ = [session.write(FOLDER, f"Note {word}", f"The {word} is here.") for word in WORDS]
        before = {word: session.search(word)[:1] for word in WORDS}
    found.held(all(path in before[word] for word, path in zip(WORDS, paths_, strict=True)), "not found when whole")
    files = {path: path.read_bytes() for path in store.files()}
    for number in range(count):
        for path in store.files():
            path.unlink()
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        how, damage = kinds[number % len(kinds)]
        for path in store.files():
            made = damage(path.read_bytes(), rng)
            path.unlink() if made is None else path.write_bytes(made)
        _without_empty(store.home)
        try:
            with store.open() as session:
                wrong, said = _wrong(session, before)
        except (MemdirError, ValueError, OSError) as error:
            wrong, said = list(before), str(error)
        if wrong and said:
            found.count("said that it cannot")
            said = re.sub(r"\S*/", "", said)  # no path of this machine
            found.faults.append(f"index {how}: does not answer: {said[:150]}")
        else:
            found.held(not wrong, f"index {how}: wrong or no answers, and no word of it: {wrong}")
        found.tried += 1
    return found


def _wrong(session: Session, before: Mapping[str, list[str]]) -> tuple[list[str], str]:
    """The words that are answered otherwise than before when the time is over, and what was said of it."""
    end = time.monotonic() + GRACE
    while True:
        wrong, said = [], ""
        for word, paths_ in before.items():
            try:
                right = session.search(word)[:1] == paths_
            except MemdirError as error:
                right, said = False, str(error)
            if not right:
                wrong.append(word)
        if not wrong or time.monotonic() > end:
            return wrong, said
        time.sleep(1.0)


def _without_empty(folder: Path) -> None:
    """Who deletes the files of an index deletes its folders too."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


WORDS = ("zebrafish", "kestrel", "hydrangea", "carburettor")


def escapes(store: Store, count: int, seed: int, place: Path) -> Outcome:
    """S1: payloads as folder, title, path and destination, and links that lead out: nothing outside of the folder is
    read or written."""
    found, lacking = Outcome(), set[str]()
    links = _lay(place, store)
    before = _outside(place, store)
    with store.open() as session:
        own, known = session.write(FOLDER, "Own", "text"), set[str]()
        for number, said in enumerate(paths.payloads(count, seed)):
            for name, tool in _tools(session, own, said, known).items():
                given = ""
                try:
                    given = repr(tool())
                except NoVerb:
                    lacking.add(name)
                except NotTried:
                    found.count("not tried, as it leads out of the row's folder")
                except (MemdirError, ValueError):
                    pass
                after = _outside(place, store)
                new, before = after != before, after
                reads = paths.SECRET in given or paths.PASSWORDS in given
                if name in store.free:
                    found.count(f"led out as told, {name}", int(reads or new))
                else:
                    found.held(not reads, f"payload {number}, {name}: reads what is outside of the folder")
                    found.held(not new, f"payload {number}, {name}: writes outside of the folder")
            found.tried += 1
        try:
            followed = links & set(session.search(paths.SECRET))
            found.held(not followed, f"a link is followed, and what it leads to is found: {sorted(followed)}")
        except MemdirError:
            found.count("the last search was refused")
    if lacking:
        found.figures["has no verb for"] = ", ".join(sorted(lacking))
    return found


def _lay(place: Path, store: Store) -> set[str]:
    """Secrets beside the folder, and links in it that lead to them, as payloads name them."""
    for folder in ("out", "vault-evil"):
        (place / folder).mkdir(exist_ok=True)
        (place / folder / "secret.md").write_text(f"# Secret\n\n{paths.SECRET}\n", encoding="utf-8")
    links = {"up": "out", "memory/up": "out", "link": "out/secret.md", "memory/link.md": "out/secret.md"}
    for link, target in links.items():
        os.symlink(place / target, store.root / link)
    return set(links)


def _tools(session: Session, own: str, said: str, known: set[str]) -> dict[str, Callable[[], object]]:
    return {
        "write, folder": lambda: session.write(said, "Evil", "evil"),
        "write, title": lambda: session.write(FOLDER, said, "evil"),
        "read": lambda: session.read(said),
        "append": lambda: session.append(said, "evil\n"),
        "move": lambda: session.move(own, said),
        "index": lambda: _let_in(session, said, known),
    }


def _let_in(session: Session, said: str, known: set[str]) -> str:
    """The secret, when a file outside of the folder is found that is not known yet."""
    if not session.index(said):
        return ""
    new = {path for path in session.search(paths.SECRET) if os.path.isabs(path)} - known
    known |= new
    return paths.SECRET if new else ""


def _outside(place: Path, store: Store) -> dict[str, bytes]:
    """Path → bytes of what lies beside the folder and is not the tool's own."""
    beside = [path for path in place.iterdir() if path not in (store.root, store.home)]
    held = [*beside, *(one for path in beside for one in path.rglob("*")), *place.parent.iterdir()]
    return {os.fspath(path): path.read_bytes() for path in held if path.is_file()}


Row = Callable[[Store, int, int, Path], Outcome]
# Row → (function, full count, units): counts that a server of another tool gets through in minutes.
PEERS: Mapping[str, tuple[Row, int, str]] = {
    "R4": (appends, 100, "appends by four agents"),
    "R5": (saves, 160, "saves"),
    "R8": (fronts, 60, "files"),
    "R10": (damages, 8, "damages"),
    "S1": (escapes, 100, "payloads"),
}
