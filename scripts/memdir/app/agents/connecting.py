"""memdir put into the configuration of a client, and taken out: an MCP server, a skill, hooks, a few lines of text.

Each file is edited where ours stands and nowhere else; one that cannot be understood is a Problem of its own and is
left alone, the others are done. What was there before is kept beside it. Claude's own memory is imported and never
pointed at the vault.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from memdir.app.agents import client_files, clients, hook_entries, jsonc
from memdir.app.agents.clients import Client, Part
from memdir.errors import BadData, MemdirError, UsageError

AUTO = "autoMemoryDirectory"
PLUGIN = ".claude-plugin/plugin.json"


@dataclass(frozen=True, slots=True)
class State:
    """A file of a client. `verb`: connected, differs, none, or what was or would be done: install, replace, remove,
    keep; `problem`: why it was left alone; `paste`: what is ours in it; `text`: all of it as it would be."""

    what: str
    path: str
    verb: str
    backup: str = ""
    problem: str = ""
    paste: str = ""
    text: str = ""


@dataclass(slots=True)
class Connected:
    """What a client has of memdir, or what a change came to."""

    client: str
    title: str
    parts: list[State] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def has_problems(self) -> bool:
        return any(one.problem for one in self.parts)


@dataclass(frozen=True, slots=True)
class Asked:
    """`vault`: whole path of a registered one; `settings`: the one file of servers that is meant; `only`: the parts
    that are, all if empty."""

    vault: str
    settings: Path | None = None
    only: tuple[str, ...] = ()


def status(name: str, asked: Asked) -> Connected:
    """What a client has of memdir. Raises UsageError."""
    done, client = _begin(name)
    done.parts += [_try(one, lambda one: _seen(one)) for one in _parts(client, asked)]
    if _has_hooks(client, asked):
        done.parts.append(_hooks(name, lambda: hook_entries.status(name, None), status=True))
    return _ended(done, name, client, asked)


def connect(name: str, asked: Asked, now: datetime, *, dry_run: bool = False) -> Connected:
    """Put memdir in. Raises UsageError."""
    done, client = _begin(name)
    done.parts += [_try(one, lambda one: _put(one, now, dry_run)) for one in _parts(client, asked)]
    if _has_hooks(client, asked):
        done.parts.append(_hooks(name, lambda: hook_entries.install(name, None, asked.vault, now, dry_run=dry_run)))
    if find_spec("mcp") is None and any(one.what == "mcp" for one in done.parts):
        done.notices.append('the server needs an extra, which is not installed yet: pip install "memdir[mcp]"')
    if client.say and not asked.settings:
        done.notices.append(client.say)
    if name == "codex" and not asked.settings:
        done.notices.append(hook_entries.TRUST)
    return _ended(done, name, client, asked)


def remove(name: str, asked: Asked, now: datetime, *, dry_run: bool = False) -> Connected:
    """Take memdir out. Raises UsageError."""
    done, client = _begin(name)
    done.parts += [_try(one, lambda one: _drop(one, now, dry_run)) for one in _parts(client, asked)]
    if _has_hooks(client, asked):
        done.parts.append(_hooks(name, lambda: hook_entries.remove(name, None, now, dry_run=dry_run)))
    return done


def pastes(name: str, asked: Asked) -> Connected:
    """What a user may paste by hand, file by file; reads no file of the client. Raises UsageError."""
    done, client = _begin(name)
    shown = [one for one in _parts(client, asked) if one.what != "skill" or one.path.name == "SKILL.md"]
    done.parts = [State(one.what, os.fspath(one.path), "none", paste=one.paste) for one in shown]
    if _has_hooks(client, asked):
        held = hook_entries.paste(name, asked.vault)
        done.parts.append(State("hooks", os.fspath(hook_entries.place(name)), "none", paste=held))
    return done


def _begin(name: str) -> tuple[Connected, Client]:
    held = clients.known()
    if name not in held:
        raise UsageError(f"there is no client {name[:60]!r}; there are {', '.join(held)}")
    return Connected(name, held[name].title), held[name]


def _parts(client: Client, asked: Asked) -> list[Part]:
    found = clients.parts(client, asked.vault, asked.settings)
    if _is_plugin(client):
        found = [one for one in found if one.what not in ("skill", "mcp") or asked.settings]
    return [one for one in found if not asked.only or one.what in asked.only]


def _has_hooks(client: Client, asked: Asked) -> bool:
    meant = not asked.settings and (not asked.only or "hooks" in asked.only)
    return client.hooks and meant and not _is_plugin(client)


def _is_plugin(client: Client) -> bool:
    """Whether the folder of the skill is a checkout, which brings its own hooks and server along."""
    return bool(client.hooks and client.skills and (client.skills / clients.NAME / PLUGIN).is_file())


def _ended(done: Connected, name: str, client: Client, asked: Asked) -> Connected:
    if _is_plugin(client) and client.skills and not asked.settings:
        where = os.fspath(client.skills / clients.NAME)
        done.parts.append(State("skill", where, "plugin"))
        done.notices.append(f"{where} is a checkout of memdir: as a plugin it brings skill, hooks and server")
    if name == "claude-code":
        done.notices += _auto(asked.vault)
    return done


def _auto(vault: str) -> list[str]:
    """A word where Claude's own memory was pointed at the vault, in which it would put files of its own."""
    path = hook_entries.place("claude-code")
    try:
        where = jsonc.load(client_files.text(path)[1]).get(AUTO)
    except MemdirError:
        return []  # the hooks say so
    if not isinstance(where, str) or not where:
        return []
    place, root = Path(where).expanduser().resolve(), Path(vault).resolve()
    if root != place and root not in place.parents:
        return []
    return [f"{path}: {AUTO} points into the vault, and Claude will put files of its own there; take that line out"]


# --- one file --------------------------------------------------------------------------------------------


def _try(part: Part, work: Callable[[Part], State]) -> State:
    try:
        return work(part)
    except MemdirError as error:
        said = str(error)
        where = os.fspath(part.path)
        return State(part.what, where, "none", problem=said if where in said else f"{where}: {said}", paste=part.paste)


def _read(part: Part) -> tuple[Path, bytes | None, str]:
    path = client_files.place(part.path, is_named=part.path.parent == Path.home())
    data, text = client_files.text(path)
    if part.is_ours:
        _own(path)
    return path, data, text


def _own(path: Path) -> None:
    """Nothing, where the skill beside or above a file is ours or missing. Raises BadData."""
    folder = path.parent if path.name == "SKILL.md" else path.parents[1]
    if folder.is_symlink():
        raise BadData(f"{folder} is a link to {os.readlink(folder)}; it is left as it is")
    held = client_files.text(folder / "SKILL.md")[1]
    if (held and clients.MARK not in held) or (folder / PLUGIN).exists():
        raise BadData(f"{folder} holds a skill that memdir did not write; it is left as it is")


def _seen(part: Part) -> State:
    path, data, text = _read(part)
    if data is not None and part.put(text) == text:
        verb = "connected"
    else:
        verb = "none" if data is None or part.drop(text) == text else "differs"
    return State(part.what, os.fspath(path), verb, text=text)


def _put(part: Part, now: datetime, dry_run: bool) -> State:
    path, data, text = _read(part)
    wanted = part.put(text)
    if data is not None and wanted == text:
        return State(part.what, os.fspath(path), "keep", text=text)
    verb = "install" if data is None or part.drop(text) == text else "replace"
    backup = ""
    if not dry_run and part.is_ours:
        client_files.put(path, wanted)
    elif not dry_run:
        backup = client_files.save(path, data, wanted, now)
    return State(part.what, os.fspath(path), verb, backup, text=wanted)


def _drop(part: Part, now: datetime, dry_run: bool) -> State:
    path, data, text = _read(part)
    left = part.drop(text)
    if data is None or left == text:
        return State(part.what, os.fspath(path), "none", text=text)
    backup = ""
    if not dry_run and part.is_ours:
        client_files.drop(path)
    elif not dry_run:
        backup = client_files.save(path, data, left, now)
    return State(part.what, os.fspath(path), "remove", backup, text=left)


def _hooks(name: str, work: Callable[[], hook_entries.Entries], *, status: bool = False) -> State:
    try:
        held = work()
    except MemdirError as error:
        return State("hooks", os.fspath(hook_entries.place(name)), "none", problem=str(error))
    verb = held.verb
    if status:
        verb = "none" if not held.events else "differs" if held.old else "connected"
    return State("hooks", held.path, verb, held.backup, text=held.text)


def folded(parts: Sequence[State]) -> list[State]:
    """The files of the skill as one, named by its folder."""
    pages = [one for one in parts if one.what == "skill" and one.verb != "plugin"]
    others = [one for one in parts if one not in pages]
    if not pages:
        return others
    verbs = {one.verb for one in pages}
    mixed = next((one for one in ("install", "replace", "remove") if one in verbs), "differs")
    whole = replace(
        next((one for one in pages if one.problem), pages[-1]),
        path=os.path.dirname(pages[-1].path),
        verb=verbs.pop() if len(verbs) == 1 else mixed,
    )
    return [*others[:1], whole, *others[1:]]
