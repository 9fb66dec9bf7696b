"""Exports: a vault, or a part of it, for other tools. JSON Lines, the notes as they are, or as Basic Memory has them.

Reads the files, not the index. The JSON form holds every note and log byte for byte and every turn, so that
`memdir import memdir` makes the same vault of it; facts and links stand beside the text for those who do not parse it.
"""

import contextlib
import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memdir import __version__
from memdir.app.exchange import filing, publishing
from memdir.errors import MemdirError
from memdir.ingest import exported
from memdir.vault import conversation, fields, layout, names, note, resolve, session, whole
from memdir.vault.files import digest
from memdir.vault.markdown import Body
from memdir.vault.note import Note

if TYPE_CHECKING:
    from memdir.app.memory import Memory

MARKDOWN, JSON, BASIC = "markdown", "json", "basic-memory"
FORMATS = (MARKDOWN, JSON, BASIC)
_SET = frozenset({"title", "name", "type", "permalink", "tags", "tag"})  # what `basic` says anew


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the vault. `types`: of notes, `log`, `index`, `session`; none: all; `scope`: "" for all."""

    format: str = JSON
    scope: str = ""
    types: tuple[str, ...] = ()

    def takes(self, kind: str, scope: str) -> bool:
        return (not self.types or kind in self.types) and (not self.scope or scope == self.scope)


@dataclass(slots=True)
class Exported:
    """What was written. `others`: texts that are no notes, as proposals, briefs and `MEMORY.md`; `astray`: links in it
    that lead to files of the vault which are not in it."""

    to: str
    format: str
    notes: int = 0
    others: int = 0
    logs: int = 0
    sessions: int = 0
    turns: int = 0
    attachments: int = 0
    astray: int = 0
    notices: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _File:
    """One file on its way out. `links`: for each link of the body the path that it leads to, "" for none."""

    held: Note
    data: bytes
    links: list[str]

    @property
    def kind(self) -> str:
        return self.held.type if self.held.kind == "note" else self.held.kind


def export(memory: "Memory", to: "Path | IO[bytes]", wanted: Wanted) -> Exported:
    """Write the export to a new file or folder, or (JSON) to a stream. Raises Conflict where something is."""
    if isinstance(to, Path):
        place = publishing.free(to) if wanted.format == JSON else publishing.empty(to)
        publishing.outside(place, memory.root.path, "an export")
    done = Exported("-" if not isinstance(to, Path) else str(to.expanduser()), wanted.format)
    vault = _Vault(memory, wanted, done)
    if not isinstance(to, Path):
        _lines(vault, to)
    elif wanted.format == JSON:
        with publishing.file(to) as stream:
            _lines(vault, stream)
    else:
        with publishing.folder(to) as making:
            _as_files(vault, making)
    if done.astray:
        where = "; attachments are in the other formats and in a snapshot" if wanted.format == JSON else ""
        done.notices.append(f"links to files of the vault that are not in the export: {done.astray}{where}")
    return done


class _Vault:
    """The files of a vault that are wanted, one at a time, counted as they come."""

    def __init__(self, memory: "Memory", wanted: Wanted, done: Exported) -> None:
        self.memory, self.wanted, self.done = memory, wanted, done
        with whole.Whole(memory.root.path, memory.vault.rules) as everything:
            self._listing = everything.listing()
        paths = [one.path for one in self._listing.entries]
        self._tree = resolve.Tree(paths)
        texts = [path for path in paths if self._is_text(path)]
        talks = {path for path in texts if layout.kind_of(path) == "session"}
        self.paths = [path for path in texts if path not in talks] + conversation.in_order(talks)
        self.taken: set[str] = set()
        self._led: list[str] = []

    def _is_text(self, path: str) -> bool:
        waits = path.startswith(filing.BESIDE) and path.endswith(".md") and not names.is_by_product(path)
        return waits or self.memory.vault.rules.takes(path)

    def __iter__(self) -> Iterator[_File]:
        """Notes and logs by path, then the conversations; what cannot be read is a notice."""
        for path in self.paths:
            try:
                data = self.memory.root.read(path).data
            except MemdirError as error:
                self.done.notices.append(str(error))
                continue
            held = note.parse(path, data, own=self.memory.own)
            links = [next(iter(self._tree.meant(link.target, path)), "") for link in held.body.links]
            one = _File(held, data, links)
            if self.wanted.takes(one.kind, held.text("scope")):
                self.taken.add(path)
                self._led += [to for to in links if to]
                beside = filing.is_beside(path)
                self.done.notes += held.kind == "note" and not beside
                self.done.others += held.kind in ("note", "index") and beside
                self.done.logs += held.kind == "log"
                self.done.sessions += held.kind == "session"
                yield one

    def attachments(self) -> list[str]:
        """Files that are no text to which the texts so far lead."""
        found = {path for path in self._led if path not in self.taken and not path.lower().endswith(".md")}
        self.taken |= found
        self.done.attachments = len(found)
        return sorted(found)

    def count_astray(self) -> None:
        self.done.astray = sum(path not in self.taken for path in self._led)


def _lines(vault: _Vault, stream: IO[bytes]) -> None:
    """JSON Lines: a head, the files, the turns, an end that says how much there was."""
    memory, wanted, done = vault.memory, vault.wanted, vault.done
    head = {"memdir": __version__, "export": exported.VERSION, "vault": memory.root.path.name, "own": memory.own}
    narrow = {key: value for key, value in (("scope", wanted.scope), ("types", list(wanted.types))) if value}
    _put(stream, head | narrow)
    for one in vault:
        talk = session.parse(one.held.path, one.data) if one.held.kind == "session" else None
        if talk and talk.type == session.TYPE:
            for turn in _turns(talk, done):
                _put(stream, turn)
        else:
            _put(stream, _record(one))
    vault.count_astray()
    _put(stream, {"end": {"files": done.notes + done.others + done.logs, "turns": done.turns}})


def _put(stream: IO[bytes], value: dict[str, Any]) -> None:
    stream.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def _record(one: _File) -> dict[str, Any]:
    """A note or a log: its text, or its bytes where they are no UTF-8, and what memdir reads in it."""
    held = one.held
    found: dict[str, Any] = {"log" if held.kind == "log" else "note": held.path, "digest": digest(one.data)}
    try:
        found["text"] = one.data.decode()
    except UnicodeDecodeError:
        found["base64"] = b64encode(one.data).decode()
    if held.kind != "log":
        found |= {"name": held.name, "type": one.kind, "tags": list(held.tags)}
    found |= {"date": held.date} if held.date else {}
    found |= {"facts": _facts(held.body)} if held.body.facts else {}
    found |= {"links": _links(one)} if held.body.links else {}
    return {key: _spelt(value) for key, value in found.items()}


def _facts(body: Body) -> list[dict[str, Any]]:
    kept = ("key", "value", "since", "until", "source")
    return [
        {"line": fact.line + 1} | {key: value for key in kept if (value := getattr(fact, key))} for fact in body.facts
    ]


def _links(one: _File) -> list[dict[str, Any]]:
    """The links, with the path that each leads to and the relation that it states."""
    said = {(found.line, names.fold(found.target)): found.kind for found in one.held.body.relations}
    shown = []
    for link, path in zip(one.held.body.links, one.links, strict=True):
        told = {"anchor": link.anchor, "path": path, "relation": said.get((link.line, names.fold(link.target)), "")}
        shown.append(
            {"line": link.line + 1, "target": link.target} | {key: value for key, value in told.items() if value}
        )
    return shown


def _spelt(value: Any) -> Any:
    """What was read in a file, without the halves of signs by which bytes that are no UTF-8 are kept."""
    if isinstance(value, dict):
        return {key: _spelt(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_spelt(one) for one in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value


def _turns(held: session.Session, done: Exported) -> Iterator[dict[str, Any]]:
    """A line about the file, then its turns."""
    told = {"name": held.name, "source": held.source, "started": held.started, "scope": held.scope}
    yield _spelt({"session": held.id, "path": held.path} | {key: value for key, value in told.items() if value})
    about = {"session": held.id, "source": held.source, "scope": held.scope}
    for number, turn in enumerate(held.turns):
        about["title"] = "" if number else held.name
        said = {"speaker": turn.speaker, "text": turn.text, "ts": turn.ts, "uuid": turn.uuid}
        yield _spelt({"turn": turn.number} | {key: value for key, value in (about | said).items() if value != ""})
        done.turns += 1
    if held.problems:
        done.notices.append(f"{held.problems[0]}: what is no turn is not in the export")


def _as_files(vault: _Vault, making: publishing.Making) -> None:
    """Every file where it is in the vault, with the attachments that they show, so that links lead where they did. For
    Basic Memory with front matter as it has it; the bodies stay, whose observations and relations it reads alike."""
    links = permalinks(vault.paths) if vault.wanted.format == BASIC else {}
    for one in vault:
        path = one.held.path
        making.write(path, [basic(one.held, one.kind, links[path]) if links else one.data])
        vault.done.turns += len(session.parse(path, one.data).turns) if one.held.kind == "session" else 0
    _attach(vault, making)


def _attach(vault: _Vault, making: publishing.Making) -> None:
    with whole.Whole(vault.memory.root.path, vault.memory.vault.rules) as everything:
        for path in vault.attachments():
            with contextlib.ExitStack() as held:
                try:
                    stream = held.enter_context(everything.open(path))
                except MemdirError as error:
                    vault.done.notices.append(str(error))
                    vault.done.attachments -= 1
                    vault.taken.remove(path)
                    continue
                making.write(path, iter(partial(stream.read, 1 << 20), b""))
    vault.count_astray()


def basic(held: Note, kind: str, permalink: str) -> bytes:
    """A file with the four keys of Basic Memory first in its front matter; the other ones follow as they are."""
    tags = [*note.words(held.meta.get("tags", held.meta.get("tag")))]
    head = {"title": held.name, "type": kind, "permalink": permalink}
    lines = [line for key, value in head.items() for line in fields.render(key, value)]
    lines += fields.render("tags", [*tags]) if tags else []
    lines += [line.rstrip("\r") for _, line in note.said(held.lines, held.body_line, _SET)] if held.readable else []
    body = "\n".join(held.lines[held.body_line :])
    return fields.encode("\n".join(["---", *lines, "---", body]))


def permalinks(paths: Sequence[str]) -> dict[str, str]:
    """Path → permalink: the file's name where it is the only one, because links name notes so; else its whole path."""
    short: dict[str, list[str]] = {}
    for path in paths:
        short.setdefault(names.slug(path.rsplit("/", 1)[-1].removesuffix(".md")), []).append(path)
    found = {meant[0]: name for name, meant in short.items() if len(meant) == 1}
    taken, last = {names.fold(name) for name in found.values()}, dict[str, int]()
    for path in paths:
        if path not in found:
            long = "/".join(names.slug(part) for part in path.removesuffix(".md").split("/"))
            found[path] = names.numbered(long, taken, last)
            taken.add(names.fold(found[path]))
    return found
