"""Vaults: which there are, which one a command means, and how one is made or adopted.

The registry is `vaults.json` in the user's configuration folder: hooks serve only what stands there.
Making a vault writes its first files; adopting one writes nothing inside it.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memdir import config
from memdir.errors import BadData, NotFound, UsageError
from memdir.index import generation
from memdir.vault import files, layout, log, memory_md

REGISTRY = "vaults.json"
_HEAD = f"""# Memory

Read this first: what is known, one line a note. Notes, logs and everything else lie in `memory/`;
`memdir recall "question"` searches all of it. Write above the list as you like: your text is kept.

{memory_md.OPEN}
{memory_md.CLOSE}
"""


@dataclass(frozen=True, slots=True)
class Registry:
    """Paths of the vaults that memdir may serve, and the default among them."""

    paths: tuple[str, ...] = ()
    default: str = ""


def registry(env: Mapping[str, str] | None = None) -> Registry:
    """Read the registry; raises BadData when it cannot be understood."""
    place = config.config_home(env) / REGISTRY
    try:
        held = json.loads(place.read_bytes())
        return Registry(tuple(map(str, held["vaults"])), str(held.get("default", "")))
    except FileNotFoundError:
        return Registry()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{place}:1: the list of vaults cannot be read ({error}); mend or remove it") from error


def save(held: Registry, env: Mapping[str, str] | None = None) -> None:
    place = config.config_home(env)
    place.mkdir(0o700, parents=True, exist_ok=True)
    text = json.dumps({"default": held.default, "vaults": list(held.paths)}, ensure_ascii=False, indent=1)
    generation.write(place / REGISTRY, text.encode("utf-8", "surrogateescape"))


def register(root: Path, env: Mapping[str, str] | None = None) -> bool:
    """Add a vault; the first one becomes the default. Returns whether it was new."""
    held, path = registry(env), os.fspath(root)
    if path in held.paths:
        return False
    save(Registry((*held.paths, path), held.default or path), env)
    return True


def unregister(name: str, env: Mapping[str, str] | None = None) -> str:
    """Take a vault off the list (nothing in it is touched); returns its path."""
    held, path = registry(env), _known(name, env)
    left = tuple(one for one in held.paths if one != path)
    save(Registry(left, held.default if held.default != path else (left[0] if left else "")), env)
    return path


def make_default(name: str, env: Mapping[str, str] | None = None) -> str:
    path = _known(name, env)
    save(Registry(registry(env).paths, path), env)
    return path


def _known(name: str, env: Mapping[str, str] | None) -> str:
    """The registered path that `name` means: a path, or the last part of one."""
    paths = registry(env).paths
    wanted = os.path.abspath(name)
    found = [path for path in paths if path == wanted] or [path for path in paths if Path(path).name == name]
    if len(found) != 1:
        raise NotFound(f"{name!r} is not one of the vaults: {', '.join(paths) or 'there are none yet'}")
    return found[0]


def discover(option: str | None, cwd: Path, env: Mapping[str, str] | None = None) -> Path:
    """The vault a command means: option, `MEMDIR_VAULT`, the nearest folder above, the default. Raises NotFound."""
    given = option or (os.environ if env is None else env).get("MEMDIR_VAULT", "")
    held = registry(env)
    if given:
        return Path(
            os.path.abspath(
                Path(given).expanduser()
                if os.sep in given or given not in map(_last, held.paths)
                else _known(given, env)
            )
        )
    for folder in (cwd, *cwd.parents):
        if os.fspath(folder) in held.paths or ((folder / layout.INDEX_FILE).is_file() and (folder / "memory").is_dir()):
            return folder
    if held.default:
        return Path(held.default)
    raise NotFound("no vault here; make one with `memdir init PATH`, or name one with --vault or MEMDIR_VAULT")


def _last(path: str) -> str:
    return Path(path).name


@dataclass(frozen=True, slots=True)
class Made:
    """What `init` did. `kind`: own | openclaw | obsidian | folder."""

    root: Path
    kind: str
    created: tuple[str, ...]
    registered: bool
    files: int


def init(
    root: Path, *, adopt: bool, timezone: str = "", dry_run: bool = False, env: Mapping[str, str] | None = None
) -> Made:
    """Make a vault at `root`, or adopt what is there; both may be repeated. Raises UsageError, NotFound."""
    if timezone:
        log.zone(timezone)
    if adopt and not root.is_dir():
        raise NotFound(f"{root} is not a folder; nothing to adopt")
    notes = _markdown(root) if root.is_dir() else 0
    kind = _kind(root) if adopt else "own"
    if not adopt and notes and not (root / config.VAULT_FILE).is_file():
        raise UsageError(
            f"{root} already holds {notes} markdown files; take them over as they are with `memdir init --adopt`"
        )
    if dry_run:
        return Made(
            root, kind, () if adopt else tuple(_missing(root)), os.fspath(root) not in registry(env).paths, notes
        )
    created = [] if adopt else _write_missing(root, timezone)
    return Made(root, kind, tuple(created), register(root, env), notes)


def _missing(root: Path) -> list[str]:
    """What a vault at `root` lacks; folders end in a slash."""
    wanted = [layout.INDEX_FILE, config.VAULT_FILE, *(f"{folder}/" for folder in layout.FOLDERS)]
    return [path for path in wanted if not (root / path).exists()]


def _kind(root: Path) -> str:
    if any((root / name).is_file() for name in ("AGENTS.md", "SOUL.md", "HEARTBEAT.md")):
        return "openclaw"
    return "obsidian" if (root / ".obsidian").is_dir() else "folder"


def _write_missing(root: Path, timezone: str) -> list[str]:
    missing = _missing(root)
    root.mkdir(0o700, parents=True, exist_ok=True)
    toml = f"# Settings of this vault; see references/settings.md.\nformat = {config.FORMAT}\n"
    toml += f"timezone = {json.dumps(timezone, ensure_ascii=False)}\n" if timezone else ""
    held = files.Root(root)
    try:
        for path, text in ((layout.INDEX_FILE, _HEAD), (config.VAULT_FILE, toml)):
            if path in missing:
                held.write(path, text.encode(), base=None)
    finally:
        held.close()
    for path in missing:
        if path.endswith("/"):
            (root / path).mkdir(0o700, parents=True, exist_ok=True)
    return missing


def _markdown(root: Path) -> int:
    held = files.Root(root)
    try:
        return len(held.walk(layout.rules(root, own=False).skip).entries)
    finally:
        held.close()
