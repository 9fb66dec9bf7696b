"""Rows S4, S7 and S8: archives that must not be opened, secrets not be written, files not be read by others."""

import json
import os
import random
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memdir.app import plans
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals.reliability.acts import ACTS, BY_HAND, Stage
from memdir.evals.reliability.mirror import ALL
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.secret_lines import Line, corpus
from memdir.evals.reliability.stage import NOW, OPTIONS, laid, opened, question, talk
from memdir.evals.reliability.strikes import BROKEN, child, limits, waited
from memdir.evals.scripted import scripted
from memdir.vault import secrets
from memdir.vault.draft import NewNote

MIB = 1 << 20
THROUGH = 60  # lines that go through every way in
SECONDS, MEGABYTES = 5.0, 150
NAMES = ("../evil.md", "a\\..\\..\\evil.md", "/etc/evil", "C:/evil", "\\\\host\\x", "a/../../evil.md", "./../x", "..")


def _zip(path: Path, *entries: tuple[str, bytes], mode: int = 0, level: int = 6) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that stand twice
        for name, data in entries:
            held = zipfile.ZipInfo(name)
            held.compress_type, held.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            archive.writestr(held, data)
    return path.read_bytes()


def _bomb(path: Path, rng: random.Random) -> None:
    _zip(path, ("conversations.json", b"0" * (rng.randint(20, 120) * MIB)))


def _lying(path: Path, rng: random.Random) -> None:
    """The directory says a few bytes, many MiB come out."""
    data = bytearray(_zip(path, ("a.md", rng.randbytes(MIB) * rng.randint(34, 60)), level=1))
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<L", 10)
    path.write_bytes(data)


def _many(path: Path, rng: random.Random) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(rng.choice([5_001, 20_000, 100_000])):
            archive.writestr(zipfile.ZipInfo(f"{number}.md"), b"")


def _overlapping(path: Path, rng: random.Random) -> None:
    """Many names in the directory for the same bytes."""
    data = _zip(path, ("a.md", b"0" * MIB))
    at = data.rfind(b"PK\x01\x02")
    entry, end = data[at : data.rfind(b"PK\x05\x06")], bytearray(data[data.rfind(b"PK\x05\x06") :])
    count = rng.randint(100, 4_000)
    directory = b"".join(entry.replace(b"a.md", b"%04d" % number) for number in range(count))
    end[8:12], end[12:16] = struct.pack("<HH", count, count), struct.pack("<L", len(directory))
    path.write_bytes(data[:at] + directory + bytes(end))


def _out(path: Path, rng: random.Random) -> None:
    _zip(path, ("a.md", b"x"), (rng.choice(NAMES), b"evil"))


def _link(path: Path, rng: random.Random) -> None:
    _zip(path, ("link.md", b"/etc/passwd"), mode=rng.choice([0o120777, 0o010644, 0o060644]))


def _twice(path: Path, rng: random.Random) -> None:
    _zip(path, ("a.md", b"one"), ("a.md", rng.randbytes(20)))


def _nested(path: Path, rng: random.Random) -> None:
    inner = _zip(path, ("../evil.md", b"x"))
    for _ in range(rng.randint(1, 6)):
        inner = _zip(path, ("inner.zip", inner), ("a.md", b"x"))


def _broken(path: Path, rng: random.Random) -> None:
    data = bytearray(_zip(path, *((f"{n}.md", rng.randbytes(200)) for n in range(20))))
    for _ in range(rng.randint(1, 30)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data[: rng.choice([len(data), rng.randrange(len(data))])])


ARCHIVES: Mapping[str, Callable[[Path, random.Random], None]] = {
    "bomb": _bomb, "sizes that lie": _lying, "many members": _many, "overlapping": _overlapping,
    "names that lead out": _out, "link": _link, "a name twice": _twice, "nested": _nested, "broken": _broken,
}  # fmt: skip


def archives(count: int, seed: int, place: Path) -> Outcome:
    """Zip archives (bombs, sizes that lie, 100,000 members, overlapping members, names that lead out, links, names that
    stand twice, archives in archives, broken ones) given to `memdir import`: no file outside the vault, nothing but an
    error of memdir's own, under 150 MB and 5 s of CPU each, which runs in a process of its own.
    """
    found, rng, kinds = Outcome(), random.Random(seed), list(ARCHIVES.items())
    root = laid(place / "vault")
    (place / "given").mkdir()
    (place / "given/a.zip").touch()
    before = _beside(place)
    for number in range(count):
        name, make = kinds[number % len(kinds)]
        file = place / "given/a.zip"
        waited(child(make, file, rng))
        rng.random()
        code = waited(child(_imported, root, file))
        what = f"seed {seed}, archive {number}, {name}"
        found.held(code == 0, f"{what}: {BROKEN.get(code, f'ended with {code}')}")
        found.held(_beside(place) == before, f"{what}: files outside of the vault: {_beside(place)}")
        found.tried += 1
    evil = [path for path in root.rglob("*evil*") if path.is_file() and path.suffix != ".md"]
    found.held(not evil, f"in the vault: {evil}")
    return found


def _beside(place: Path) -> list[str]:
    return sorted(os.fspath(path) for path in place.iterdir()) + sorted(map(str, (place / "given").iterdir()))


def _imported(root: Path, file: Path) -> None:
    with limits(SECONDS, MEGABYTES), Memory(root, now=lambda: NOW, options=OPTIONS) as memory, suppress(MemdirError):
        memory.bring("markdown", file, Asked())


def leaked(count: int, seed: int, place: Path) -> Outcome:
    """Labelled lines, half of which hold a secret: at least 95 % of the secrets are found and at most 1 % of the
    harmless lines are touched; then those lines go through every way in (note, edit, front matter, log, conversation,
    import, question, distillation with a model), and no found secret stands raw in any file of vault or cache, in
    MEMORY.md, in a prompt or in an error.

    The lines were written before the rules and apart from them; tokens are made, never real.
    """
    found, key = Outcome(), b"a key of this machine"
    lines = _lines(count, seed)
    held, plain = [one for one in lines if one.secrets], [one for one in lines if not one.secrets]
    missed = [one for one in held if any(secret in secrets.redact(one.text, key)[0] for secret in one.secrets)]
    false = [one for one in plain if secrets.redact(one.text, key)[0] != one.text]
    recall, wrong = 1 - len(missed) / max(1, len(held)), len(false) / max(1, len(plain))
    found.held(recall >= 0.95, f"seed {seed}: {recall:.1%} found; missed {[one.text for one in missed[:3]]}")
    found.held(wrong <= 0.01, f"seed {seed}: {wrong:.1%} false; {[one.text for one in false[:3]]}")
    found.figures |= {"found": f"{recall:.1%}", "false": f"{wrong:.2%}"}
    known = [one for one in held if one not in missed]
    found.tried = len(lines)
    _through(known[:: max(1, len(known) // THROUGH)], place, found)
    return found


def _lines(count: int, seed: int) -> list[Line]:
    """So many lines, half with a secret, from as many seeds as that takes."""
    drawn: list[Line] = []
    for more in range(seed, seed + 1_000):
        drawn += corpus(more)
        if len(drawn) >= count:
            break
    random.Random(seed).shuffle(drawn)
    return drawn[:count]


def _through(lines: Sequence[Line], place: Path, found: Outcome) -> None:
    """Every way in, then a look at every byte."""
    root = laid(place / "vault")
    said: list[str] = []
    with scripted(lambda request: json.dumps({"facts": []})) as server:
        for number, line in enumerate(lines):
            with opened(root, place / "index", model=server) as memory:
                for way in WAYS:
                    try:
                        said.append(repr(way(memory, line.text, number, place)))
                    except MemdirError as error:
                        said.append(str(error))
        with opened(root, place / "index", model=server) as memory:
            memory.sync(ALL)
            memory.distill(again=True)
        prompts = "\n".join(one.text for one in server.requests if "messages" in one.body)
    found.figures |= {"lines through every way in": len(lines), "ways in": len(WAYS), "prompts": len(server.requests)}
    stores = [path for folder in (root, place / "index") for path in sorted(folder.rglob("*")) if path.is_file()]
    texts = [(str(path.relative_to(place)), path.read_bytes().decode("utf-8", "replace")) for path in stores]
    texts += [("a prompt", prompts), ("an error or a result", "\n".join(said))]
    for one in lines:
        for secret in one.secrets:
            where = [name for name, text in texts if secret in text]
            found.held(len(secret) < 8 or not where, f"{one.text!r} stands raw in {where[:3]}")


def _imported_line(memory: Memory, text: str, number: int, place: Path) -> object:
    folder = place / f"import/{number}"
    folder.mkdir(parents=True)
    (folder / f"Note {number}.md").write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
    return memory.bring("markdown", folder, Asked())


WAYS: Sequence[Callable[[Memory, str, int, Path], object]] = (
    lambda memory, text, number, _: memory.new(NewNote(f"Note {number}", "ref", text, description=text)).path,
    lambda memory, text, number, _: memory.edit(f"memory/ref/note-{number}.md", plans.Edited("append", text)).path,
    lambda memory, text, number, _: memory.set(f"memory/ref/note-{number}.md", {"description": text}).path,
    lambda memory, text, number, _: memory.log(f"Entry {number}", [text]).path,
    lambda memory, text, number, _: memory.log(text).path,
    lambda memory, text, number, _: memory.ingest(talk(f"s{number}", ("mara", text))).turns,
    _imported_line,
    lambda memory, text, number, _: memory.recall(question(text, 3)).notices,
    lambda memory, text, number, _: memory.read(f"memory/ref/{number}-none.md").path,
)


def modes(count: int, seed: int, place: Path) -> Outcome:
    """Every writing verb, a recall and the hooks' state under a umask of 000 and of 022: every file that memdir makes
    in vault, cache and settings is 0600 or less, every folder 0700, and a file that a person made keeps its mode.
    """
    found = Outcome()
    for mask in (0o000, 0o022)[: max(1, count)]:
        old = os.umask(mask)
        try:
            _modes(place / f"{mask:03o}", mask, found)
        finally:
            os.umask(old)
        found.tried += 1
    return found


def _modes(place: Path, mask: int, found: Outcome) -> None:
    stage = Stage(place)
    laid = [stage.root, *(stage.root / path for path in BY_HAND)]
    theirs = {path: path.lstat().st_mode for path in laid}
    for name in ACTS:
        stage.reset()
        stage.do(name)
        with stage.open() as memory:
            memory.recall(question("filter pump", 3))
        for folder in (stage.root, stage.work / "index", Path(os.environ["XDG_CONFIG_HOME"])):
            for path in folder.rglob("*"):
                mode = path.lstat().st_mode
                if path in theirs:
                    found.held(mode == theirs[path], f"{name}, umask {mask:03o}: the mode of {path.name} changed")
                    continue
                if {"pending", "history"} & set(path.parts) and path.is_file():
                    continue  # what a person made, moved aside as it was within a folder of mode 0700
                most = 0o700 if path.is_dir() else 0o600
                found.count("looked at")
                what = f"{name}, umask {mask:03o}: {path.relative_to(folder)} is {stat.S_IMODE(mode):04o}"
                found.held(stat.S_IMODE(mode) & ~most == 0, what)
