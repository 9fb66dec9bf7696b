"""Our entries in the settings of a client, put in or taken out; everything else of the file stays as it is.

Only the value of `hooks` is written anew, by the indent of the file; what stands before and behind it stays byte for
byte. A file that cannot be understood, or that is a link, is refused. What was there before is kept beside it.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import memdir
from memdir.app.agents import client_files, hooks, jsonc
from memdir.errors import BadData, UsageError

# Events whose entries have a matcher, and the seconds that a client is asked to give each.
_MATCHERS = {"claude-code": "startup|resume|clear|compact|fork", "codex": "startup|resume|clear"}
_TIMEOUTS = {"session-start": 30, "user-prompt-submit": 20, "stop": 15, "pre-compact": 15, "session-end": 3}
TRUST = "Codex skips a hook that is new or changed until you trust it: type /hooks in Codex"


@dataclass(frozen=True, slots=True)
class Entries:
    """What a file of settings holds, or what a change came to. `verb`: install | replace | remove, or keep and none
    where there is nothing to do; `events` have our entries now, or would; `old`: events whose entries name another
    place; `backup`: what was there before, "" for a file that was not; `text`: as it is, or would be, written."""

    client: str
    path: str
    verb: str
    events: tuple[str, ...]
    old: tuple[str, ...] = ()
    backup: str = ""
    text: str = ""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """A file of settings as it was read. `data`: None where there is none."""

    path: Path
    data: bytes | None
    text: str
    held: dict[str, Any]


def place(client: str, env: Mapping[str, str] | None = None) -> Path:
    """Where a client keeps its hooks."""
    known = os.environ if env is None else env
    if client == "codex":
        return Path(known.get("CODEX_HOME") or Path.home() / ".codex") / "hooks.json"
    return Path(known.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "settings.json"


def command(event: str, client: str, vault: str) -> list[str]:
    """The words by which a client calls us: whole paths, because its working directory and PATH are its own."""
    package = os.path.dirname(os.path.abspath(str(memdir.__file__)))
    named = ["--vault", vault] if vault else []
    return [os.path.abspath(sys.executable), package, *named, "hook", event, "--client", client]


def entry(event: str, client: str, vault: str) -> dict[str, Any]:
    """One entry below an event. Claude Code starts the words as they are, Codex hands a line to a shell."""
    words = command(event, client, vault)
    run: dict[str, Any] = {"type": "command", "command": words[0], "args": words[1:]}
    if client == "codex":
        run = {"type": "command", "command": shlex.join(words)}
    run["timeout"] = _TIMEOUTS[event]
    match = {"matcher": _MATCHERS[client]} if event == "session-start" else {}
    return {**match, "hooks": [run]}


def is_ours(run: Any) -> bool:
    """Whether a command of a hook is a call of ours, of this memdir or of another one."""
    if not isinstance(run, dict) or not isinstance(run.get("command"), str):
        return False
    words = _words(run)
    for at, word in enumerate(words):
        name, behind = re.split(r"[\\/]", word)[-1], words[at + 1 :]
        if behind[:1] == ["--vault"]:
            behind = behind[2:]
        if name in ("memdir", "memdir.exe") and behind[:1] == ["hook"] and behind[1:2] and behind[1] in hooks.EVENTS:
            return True
        if name == "hook.py" and behind[:1] and behind[0] in hooks.EVENTS:
            return "memdir" in word or _has_memdir(word)
    return False


def _words(run: Mapping[str, Any]) -> list[str]:
    """The words of a command, none where it is no line of a shell."""
    given = run.get("args")
    if isinstance(given, list):
        return [run["command"], *map(str, given)]
    try:
        return shlex.split(run["command"])
    except ValueError:
        return []


def _vault(words: list[str]) -> str:
    return words[words.index("--vault") + 1] if "--vault" in words[:-1] else ""


def _has_memdir(script: str) -> bool:
    return (Path(script).parent / "memdir" / "__init__.py").is_file()


def paste(client: str, vault: str) -> str:
    """The entries as text, for a user who puts them in by hand."""
    wanted = {name: [entry(command, client, vault)] for command, (name, _) in hooks.EVENTS.items()}
    return jsonc.put("", (), {"hooks": wanted})


def status(client: str, path: Path | None, vault: str = "") -> Entries:
    """What is set up. `vault`: the one that they should name, "" for whichever they do. Raises BadData, Unsafe."""
    held = _read(path or place(client), path is not None)
    ours = _ours(held.held)
    runs = (run for entries in ours.values() for one in entries for run in _runs(one))
    vault = vault or next((named for run in runs if is_ours(run) and (named := _vault(_words(run)))), "")
    wanted = {hooks.EVENTS[name][0]: [entry(name, client, vault)] for name in hooks.EVENTS}
    old = tuple(name for name, found in ours.items() if found != wanted.get(name))
    return Entries(client, os.fspath(held.path), "keep" if ours else "none", tuple(ours), old, text=held.text)


def install(client: str, path: Path | None, vault: str, now: datetime, *, dry_run: bool = False) -> Entries:
    """Put our entries in, in place of those of before. `vault`: "" for the default at the time of the call.
    Raises BadData, Unsafe, Conflict; UsageError where nothing can be called."""
    if not sys.executable:
        raise UsageError("Python does not say where its interpreter is; run memdir by `python3 -m memdir`")
    held = _read(path or place(client), path is not None)
    before = _ours(held.held)
    wanted = {name: entry(command, client, vault) for command, (name, _) in hooks.EVENTS.items()}
    notices = (TRUST,) if client == "codex" else ()
    if before == {name: [one] for name, one in wanted.items()}:
        return Entries(client, os.fspath(held.path), "keep", tuple(wanted), text=held.text)
    kept = _without(held)
    for name, one in wanted.items():
        kept[name] = [*kept.get(name, []), one]
    text = _text(held, kept)
    backup = "" if dry_run else client_files.save(held.path, held.data, text, now)
    verb = "replace" if before else "install"
    return Entries(client, os.fspath(held.path), verb, tuple(wanted), (), backup, text, notices)


def remove(client: str, path: Path | None, now: datetime, *, dry_run: bool = False) -> Entries:
    """Take our entries out. Raises BadData, Unsafe, Conflict."""
    held = _read(path or place(client), path is not None)
    before = _ours(held.held)
    if not before:
        return Entries(client, os.fspath(held.path), "none", (), text=held.text)
    text = _text(held, _without(held))
    backup = "" if dry_run else client_files.save(held.path, held.data, text, now)
    return Entries(client, os.fspath(held.path), "remove", (), (), backup, text)


def _read(path: Path, is_named: bool) -> _File:
    """`is_named`: the user has said which file; else its folder must not be a link either."""
    path = client_files.place(path, is_named=is_named)
    data, text = client_files.text(path)
    if data is None:
        return _File(path, None, "", {})
    try:
        held = json.loads(text.lstrip("\ufeff") or "{}", object_pairs_hook=_once, parse_constant=_no)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{path}: it cannot be read as JSON ({error}); nothing was changed") from None
    if not isinstance(held, dict) or not isinstance(found := held.get("hooks", {}), dict):
        raise BadData(f"{path}: it is not what a client writes: no object, or `hooks` is none; nothing was changed")
    for name, entries in found.items():
        if not isinstance(entries, list):
            raise BadData(f"{path}: hooks.{name} is no list; nothing was changed")
    return _File(path, data, text, held)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) != len(pairs):
        raise ValueError("a key stands there twice")
    return held


def _no(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _ours(held: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Event → the entries of ours below it."""
    found = {
        name: [one for one in entries if isinstance(one, dict) and any(map(is_ours, _runs(one)))]
        for name, entries in held.get("hooks", {}).items()
    }
    return {name: entries for name, entries in found.items() if entries}


def _runs(one: Mapping[str, Any]) -> list[Any]:
    runs = one.get("hooks")
    return runs if isinstance(runs, list) else []


def _without(held: _File) -> dict[str, Any]:
    """The hooks without ours; an event, or an entry, that had nothing else goes with them."""
    kept: dict[str, Any] = {}
    for name, entries in held.held.get("hooks", {}).items():
        left = []
        for one in entries:
            runs = _runs(one) if isinstance(one, dict) else []
            others = [run for run in runs if not is_ours(run)]
            if others or len(others) == len(runs):
                left.append(one if len(others) == len(runs) else {**one, "hooks": others})
        if left or not entries:
            kept[name] = left
    return kept


def _text(held: _File, kept: dict[str, Any]) -> str:
    """The file with other hooks; without the key where none are left. Raises BadData."""
    try:
        return jsonc.put(held.text, (), {"hooks": kept}) if kept else jsonc.drop(held.text, ("hooks",))
    except BadData as error:
        raise BadData(f"{held.path}: {error}") from None
