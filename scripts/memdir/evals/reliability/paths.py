"""Row S1: paths and names that lead out of the vault, handed to everything that takes one."""

import io
import itertools
import json
import os
import random
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from memdir.app import plans
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals.reliability.mirror import ALL
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.stage import laid, opened
from memdir.evals.reliability.strikes import child, stopping
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault.draft import NewNote
from memdir.vault.files import Root

SECRET, PASSWORDS = "TOPSECRET", "root:x:0:"
FRESH = 50  # payloads until the vault is laid anew
RACE = 30.0  # seconds of the whole row's race
DOTS = (
    "../", "..\\", "%2e%2e/", "%2e%2e%2f", "..%2f", "%252e%252e%252f", "....//", "..;/", "..%c0%af", "..%00/",
    "\u2025/", "\uff0e\uff0e/", "..\u2215", "..\uff0f", ". ./", ".. /", "./../", "sub/../../", "x/../../",
    "../vault/../", "..//", "/..//../", "sub/./../../",
)  # fmt: skip
TAILS = ("secret.md", "out/secret.md", "vault-evil/secret.md", "etc/passwd", "out/new.md", "out/")
LEADS = ("", "memory/", "memory/user/", "./", "memory\\")
ODD = (
    "/etc/passwd", "//etc/passwd", "file:///etc/passwd", "~/x.md", "~root/.ssh/id", "C:\\Windows\\x.md", "C:x.md",
    "\\\\srv\\share\\x.md", "\\\\?\\C:\\x", "ok.md\0.png", "\0", "", ".", "..", "memory", "a" * 300 + ".md",
    "x/" * 200 + "a.md", "a" * 5000, "CON.md", "nul.md", "aux", "com1.md", "a.md:stream", "a.md.", "a.md ", " a.md",
    "a\nb.md", "a\r.md", "\u202egnp.md", "a\u200b.md", ".git/config", ".git/hooks/pre-commit", ".memdir/journal.jsonl",
    ".obsidian/plugins/x/main.js", ".claude/settings.json", "memory/.hidden.md", "-rf.md", "|x.md", "/dev/zero",
    "/proc/self/environ", "/proc/self/root/etc/passwd", "memory/user/ok.md/../../../out/secret.md", "memory/..",
    "MEMORY.MD", "nul\u0000l", "memory/up/secret.md", "memory/link.md", "memory/hard.md", "memory/relative/secret.md",
    "memory/dangling.md", "memory/fifo.md", "memory/ledger/x.jsonl", "memory/user/", "memory/up/", "[[../out/secret]]",
    "[[memory/up/secret]]", "up/secret", "link", "$(touch out/x)", "`touch out/x`", "; touch out/x", "{date}", "%s%s%n",
    "a\udcff.md", "é" * 128 + ".md", "memdir.toml", "\x1b[2Jx.md", "memory/user/ok.md#../../out", "..#x", "../x:1",
)  # fmt: skip

Tool = Callable[[Memory, str, Path], object]


def payloads(count: int, seed: int) -> Iterator[str]:
    """The odd ones first, then every combination of dots and places in a drawn order, some of them quoted."""
    whole = [
        lead + dots * times + tail for lead, dots, times, tail in itertools.product(LEADS, DOTS, (1, 2, 3, 6), TAILS)
    ]
    whole += [quote(one, safe="") for one in whole[:400]]
    random.Random(seed).shuffle(whole)
    yield from itertools.islice(itertools.chain(ODD, whole), count)


def _ingested(memory: Memory, said: str, _: Path) -> object:
    line = {"session_id": said, "speaker": said, "text": said, "ts": said, "scope": said}
    return memory.ingest(io.BytesIO(json.dumps(line).encode()), source=said[:80], scope=said[:80])


def _zipped(memory: Memory, said: str, given: Path) -> object:
    """An archive whose members have the name."""
    file = given / "given.zip"
    with zipfile.ZipFile(file, "w") as archive:
        name = said.replace("\0", "").encode("utf-8", "replace").decode() or "x"
        archive.writestr(zipfile.ZipInfo(name), "# Note\n\nText\n")
    return memory.bring("markdown", file, Asked())


def _graph(memory: Memory, said: str, given: Path) -> object:
    """Entities of a memory server that are called so."""
    file = given / "memory.jsonl"
    held = {"type": "entity", "name": said, "entityType": said, "observations": [said]}
    file.write_text(json.dumps(held) + "\n", encoding="utf-8")
    return memory.bring("mcp-memory", file, Asked())


def _chats(memory: Memory, said: str, given: Path) -> object:
    """A chat whose id and title are so."""
    turn = {"uuid": said, "sender": "human", "text": said, "created_at": "2026-11-28T09:00:00Z", "content": []}
    chat = {"uuid": said, "name": said, "created_at": "2026-11-28T09:00:00Z", "chat_messages": [turn]}
    file = given / "conversations.json"
    file.write_text(json.dumps([chat]), encoding="utf-8")
    return memory.bring("claude", file, Asked())


READS: Mapping[str, Tool] = {
    "read": lambda memory, said, _: memory.read(said),
    "show": lambda memory, said, _: memory.show(said),
    "list": lambda memory, said, _: memory.notes(Filters(path=said)),
    "recall": lambda memory, said, _: memory.recall(Question("secret", Filters(path=said), 5)),
    "loops": lambda memory, said, _: memory.loops(Filters(path=said)),
    "history": lambda memory, said, _: memory.history(said),
    "version": lambda memory, said, _: memory.version(said, said),
    "diff": lambda memory, said, _: memory.diff(said),
    "sessions": lambda memory, said, _: memory.session(said),
    "fact": lambda memory, said, _: memory.fact(said, said),
    "inbox show": lambda memory, said, _: memory.proposal(said),
    "context": lambda memory, said, _: memory.context(task=said, cwd=Path(said.replace("\0", "") or ".")),
    "gate": lambda memory, said, _: memory.gate(said, scope=said, session=said),
}
WRITES: Mapping[str, Tool] = {
    "new": lambda memory, said, _: memory.new(NewNote(said, "user", said, tags=[said], scope=said)),
    "new, file": lambda memory, said, _: memory.new(NewNote("Title", "user", "x", file=said)),
    "set": lambda memory, said, _: memory.set(said, {"importance": "high"}),
    "edit": lambda memory, said, _: memory.edit(said, plans.Edited("append", "line\n")),
    "mv": lambda memory, said, _: memory.move(said, "memory/ref/moved.md"),
    "mv, to": lambda memory, said, _: memory.move("memory/user/ok.md", said),
    "mv, folder": lambda memory, said, _: memory.move("memory/project/", f"{said}/"),
    "archive": lambda memory, said, _: memory.archive([said]),
    "restore": lambda memory, said, _: memory.archive([said], restore=True),
    "fact set": lambda memory, said, _: memory.fact_set(said, "key", "value", source=said),
    "resolve": lambda memory, said, _: memory.resolve(said),
    "used": lambda memory, said, _: memory.used([said], query=said),
    "inbox accept": lambda memory, said, _: memory.accept(said),
    "inbox reject": lambda memory, said, _: memory.reject(said),
    "merge-conflicts": lambda memory, said, _: memory.merge_conflicts([said]),
    "undo": lambda memory, said, _: memory.undo(said),
    "forget": lambda memory, said, _: memory.forget(said, yes=True),
    "forget, origin": lambda memory, said, _: memory.forget(origin=said, yes=True),
    "log": lambda memory, said, _: memory.log(said, [said]),
    "ingest": _ingested,
    "import, zip": _zipped,
    "import, graph": _graph,
    "import, chats": _chats,
}


class Place:
    """A vault with links that lead out of it, and what lies outside: a secret, and a folder called nearly the same."""

    def __init__(self, place: Path) -> None:
        self.place, self.root, self.given = place, place / "vault", place / "given"
        self.lay()
        self.before = self.outside()

    def lay(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        note = "---\nname: Ok\ntype: user\n---\n- key:: value\n"
        laid(self.root, {"memory/user/ok.md": note, "memory/project/one.md": note})
        for folder in (self.given, self.place / "index", self.place / "out", self.place / "vault-evil"):
            folder.mkdir(exist_ok=True)
        for path in ("secret.md", "out/secret.md", "vault-evil/secret.md"):
            (self.place / path).write_text(f"# Secret\n\n{SECRET}\n", encoding="utf-8")
        memory = self.root / "memory"
        os.symlink(self.place / "out", memory / "up")
        os.symlink(self.place / "out/secret.md", memory / "link.md")
        os.symlink("../../out", memory / "relative")
        os.symlink(self.place / "out/fresh.md", memory / "dangling.md")
        os.link(self.place / "secret.md", memory / "hard.md")
        os.mkfifo(memory / "fifo.md")

    def open(self) -> Memory:
        return opened(self.root, self.place / "index")

    def outside(self) -> dict[str, bytes]:
        """What lies beside the vault: path → bytes."""
        folders = [self.place, self.place / "out", self.place / "vault-evil"]
        held = [path for folder in folders for path in folder.iterdir()]
        return {os.fspath(path): path.read_bytes() if path.is_file() else b"" for path in held}


def escapes(count: int, seed: int, place: Path) -> Outcome:
    """Payloads (dots in every encoding, absolute paths, links, devices, look-alikes, control characters) given as path,
    name, id, title or member of an archive to every verb of memdir that takes one: nothing outside the vault is read,
    made, changed or removed, and what is refused is refused with an error of memdir's own. Then a folder is swapped for
    a link to the outside while memdir reads and writes through it.

    From `path_exp.py` of the study; a hard link may be read (it is in the vault), never written.
    """
    found, held = Outcome(), Place(place)
    tools = {**READS, **WRITES}
    for number, said in enumerate(payloads(count, seed)):
        if number % FRESH == 0:
            held.lay()
            with held.open() as memory:
                memory.sync(ALL)
        for name, tool in tools.items():
            if fault := _tried(held, name, tool, said, found):
                found.faults.append(f"{name} {said[:100]!r}: {fault}")
        if (after := held.outside()) != held.before:
            changed = sorted(
                path for path in after.keys() | held.before.keys() if after.get(path) != held.before.get(path)
            )
            found.faults.append(f"{said[:100]!r}: outside the vault {changed} changed")
            held.before = after
        found.tried += 1
    found.figures |= {"verbs": len(tools), "race": _race(place / "race", RACE * min(1, count / 2_000), found)}
    return found


def _tried(held: Place, name: str, tool: Tool, said: str, found: Outcome) -> str:
    """What is wrong with what a verb made of a payload; "" when nothing is."""
    try:
        with held.open() as memory:
            given = repr(tool(memory, said, held.given))
    except MemdirError:
        found.count("refused")
        return ""
    except Exception as error:  # whatever else is raised is the fault that is looked for
        return f"{type(error).__name__}: {str(error)[:200]}"
    found.count("taken")
    secret = SECRET in given and "hard.md" not in given and name != "recall"
    return f"shows {given[:200]}" if secret or PASSWORDS in given else ""


def _race(place: Path, seconds: float, found: Outcome) -> str:
    """A folder that is a link to the outside every other moment: no read and no write may go through it."""
    vault, out = place / "vault", place / "out"
    for folder, text in ((vault / "real", b"ok\n"), (out, b"SECRET\n")):
        folder.mkdir(parents=True)
        (folder / "note.md").write_bytes(text)

    reads = tries = 0
    pid, root = child(_swap, vault, out), Root(vault, settle=0)
    with stopping(pid):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for attempt in (lambda: root.read("r/note.md").data, lambda: root.append("r/note.md", b"- line\n")):
                tries += 1
                try:
                    found.held(attempt() != b"SECRET\n", "a read went through the link")
                    reads += 1
                except MemdirError:
                    pass
        found.held(os.waitpid(pid, os.WNOHANG) == (0, 0), "the folder was not swapped to the end")
    found.held((out / "note.md").read_bytes() == b"SECRET\n", "a write went through the link")
    found.held(os.listdir(out) == ["note.md"], f"outside: {os.listdir(out)}")
    return f"{tries:,} tries: {reads:,} reached the folder, {tries - reads:,} were refused"


def _swap(vault: Path, out: Path) -> None:
    """In turn the folder is itself and a link to the outside; what a writer made in its place meanwhile goes."""
    shown, real = vault / "r", vault / "real"
    while True:
        with suppress(OSError):
            if real.exists():
                shown.unlink() if shown.is_symlink() else shutil.rmtree(shown, ignore_errors=True)
                os.rename(real, shown)
        with suppress(OSError):
            os.rename(shown, real)
            os.symlink(out, shown)
