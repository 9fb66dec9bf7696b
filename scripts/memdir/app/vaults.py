"""Vaults: which there are, which one a command means, and how one is made or adopted.

The registry is `vaults.json` in the user's configuration folder, changed under a lock of its own.
Making a vault writes its first files; adopting one writes nothing inside it.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from memdir import config
from memdir.errors import BadData, Locked, NotFound, UsageError
from memdir.index import generation
from memdir.vault import files, layout, log

REGISTRY = "vaults.json"
_WAIT = 5.0  # seconds for another memdir to be done with the registry
HEAD = f"""# Memory

Read this first: what is known, one line a note. Notes, logs and everything else lie in `memory/`;
`memdir recall "question"` searches all of it. Write above the list as you like: your text is kept.

{layout.MARKS[0]}
{layout.MARKS[1]}
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
    """Write the registry; who read it before holds its lock."""
    place = config.config_home(env)
    place.mkdir(0o700, parents=True, exist_ok=True)
    text = json.dumps({"default": held.default, "vaults": list(held.paths)}, ensure_ascii=False, indent=1)
    generation.write(place / REGISTRY, text.encode("utf-8", "surrogateescape"))


@contextmanager
def _held(env: Mapping[str, str] | None, dry_run: bool) -> Iterator[Registry]:
    """The registry, which nobody else changes meanwhile. Raises Locked; a dry run neither waits nor locks."""
    with ExitStack() as lock:
        place = config.config_home(env)
        try:
            if not dry_run:
                lock.enter_context(generation.lock(place, _WAIT))
        except Locked:
            raise Locked(f"{place / REGISTRY}: another memdir is changing it; try again in a moment") from None
        except BadData as error:
            raise BadData(f"{place}: the list of vaults cannot be written there; set XDG_CONFIG_HOME") from error
        yield registry(env)


@dataclass(frozen=True, slots=True)
class Listed:
    """A vault whose place in the registry was to change. `changed`: whether it did, or would in a dry run."""

    path: str
    changed: bool


def register(root: Path, env: Mapping[str, str] | None = None, *, dry_run: bool = False) -> Listed:
    """Add a vault; the first one becomes the default."""
    path = os.fspath(root)
    if path in registry(env).paths:
        return Listed(path, False)
    with _held(env, dry_run) as held:
        new = path not in held.paths
        if new and not dry_run:
            save(Registry((*held.paths, path), held.default or path), env)
    return Listed(path, new)


def is_bare(root: Path) -> bool:
    """Whether a folder holds nothing that memdir reads."""
    return not (root / config.VAULT_FILE).is_file() and _markdown(root) == (0, ())


def unregister(name: str, env: Mapping[str, str] | None = None, *, dry_run: bool = False) -> Listed:
    """Take a vault off the list; nothing in it is touched."""
    with _held(env, dry_run) as held:
        path = known(name, held)
        left = tuple(one for one in held.paths if one != path)
        if not dry_run:
            save(Registry(left, held.default if held.default != path else (left[0] if left else "")), env)
    return Listed(path, True)


def make_default(name: str, env: Mapping[str, str] | None = None, *, dry_run: bool = False) -> Listed:
    """Make a registered vault the default."""
    with _held(env, dry_run) as held:
        path = known(name, held)
        if not Path(path).is_dir():
            raise NotFound(f"{path} is missing; `memdir vaults remove {name}` takes it off the list")
        if path != held.default and not dry_run:
            save(Registry(held.paths, path), env)
    return Listed(path, path != held.default)


def known(name: str, held: Registry) -> str:
    """The registered path that `name` means: a path, or the last part of one."""
    wanted = os.path.abspath(name)
    found = [path for path in held.paths if path == wanted] or [path for path in held.paths if _last(path) == name]
    if len(found) != 1:
        raise NotFound(f"{name!r} is not one of the vaults: {', '.join(held.paths) or 'there are none yet'}")
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
                else known(given, held)
            )
        )
    for folder in (cwd, *cwd.parents):
        if _is_vault(folder, held):
            return folder
    if held.default:
        return Path(held.default)
    raise NotFound("no vault here; make one with `memdir init PATH`, or name one with --vault or MEMDIR_VAULT")


def around(root: Path, env: Mapping[str, str] | None = None) -> Path | None:
    """The vault that a folder lies in, the nearest one."""
    held = registry(env)
    return next((folder for folder in root.parents if _is_vault(folder, held)), None)


def _is_vault(folder: Path, held: Registry) -> bool:
    return os.fspath(folder) in held.paths or ((folder / layout.INDEX_FILE).is_file() and (folder / "memory").is_dir())


def _last(path: str) -> str:
    return Path(path).name


@dataclass(frozen=True, slots=True)
class Skipped:
    """A template folder, and how many markdown files in it are no notes."""

    folder: str
    files: int


@dataclass(frozen=True, slots=True)
class Made:
    """What `init` did. `kind`: own | openclaw | obsidian | folder; `files`: markdown files outside `skipped`."""

    root: Path
    kind: str
    created: tuple[str, ...]
    registered: bool
    files: int
    skipped: tuple[Skipped, ...] = ()


def init(
    root: Path, *, adopt: bool, timezone: str = "", dry_run: bool = False, env: Mapping[str, str] | None = None
) -> Made:
    """Make a vault at `root`, or adopt what is there; both may be repeated.

    Raises UsageError, NotFound; Unsafe or Conflict, with nothing written, when a link or a file is in the way.
    """
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file; name a folder")
    if adopt and not root.is_dir():
        raise NotFound(f"{root} is not a folder; nothing to adopt")
    if timezone:
        _check_timezone(root, timezone, adopt, env)
    notes, skipped = _markdown(root) if root.is_dir() else (0, ())
    kind = kind_of(root) if adopt else "own"
    if not adopt and notes and not (root / config.VAULT_FILE).is_file():
        raise UsageError(
            f"{root} already holds {notes} markdown files; take them over as they are with `memdir init --adopt`"
        )
    created = () if adopt else _make(root, timezone, dry_run)
    return Made(root, kind, created, register(root, env, dry_run=dry_run).changed, notes, skipped)


def _check_timezone(root: Path, timezone: str, adopt: bool, env: Mapping[str, str] | None) -> None:
    """Refuse a zone that `init` would have to write into a vault it does not change."""
    log.zone(timezone)
    place = root / config.VAULT_FILE
    if (adopt or os.path.lexists(place)) and config.load(root, env)["timezone"] != timezone:
        raise UsageError(f"init does not change a vault; add the line `{_zone_line(timezone)}` to {place}")


def _zone_line(timezone: str) -> str:
    return f"timezone = {json.dumps(timezone, ensure_ascii=False)}"


def kind_of(root: Path) -> str:
    """What an adopted folder is by its files: openclaw | obsidian | folder."""
    if any((root / name).is_file() for name in ("AGENTS.md", "SOUL.md", "HEARTBEAT.md")):
        return "openclaw"
    return "obsidian" if (root / ".obsidian").is_dir() else "folder"


def _make(root: Path, timezone: str, dry_run: bool) -> tuple[str, ...]:
    """Write what a vault at `root` lacks; returns it, folders with a slash at the end."""
    toml = [f"# Settings of this vault: `memdir` README, references/settings.md.\nformat = {config.FORMAT}"]
    toml += [_zone_line(timezone)] if timezone else []
    texts = {layout.INDEX_FILE: HEAD, config.VAULT_FILE: "\n".join([*toml, ""])}
    if dry_run and not root.exists():
        return (*texts, *(f"{folder}/" for folder in layout.FOLDERS))
    root.mkdir(0o700, parents=True, exist_ok=True)
    held = files.Root(root)
    try:
        missing = [path for path in texts if not _is_there(held, path)]
        folders = [folder for folder in layout.FOLDERS if held.make_folder(folder, dry_run=True)]
        if not dry_run:
            for path in missing:
                held.write(path, texts[path].encode(), base=None)
            for folder in folders:
                held.make_folder(folder)
    finally:
        held.close()
    return (*missing, *(f"{folder}/" for folder in folders))


def _is_there(held: files.Root, path: str) -> bool:
    """Whether there is such a file. Raises Unsafe for a link."""
    try:
        held.read(path)
    except NotFound:
        return False
    return True


def _markdown(root: Path) -> tuple[int, tuple[Skipped, ...]]:
    """Count the markdown files outside template folders, and those in each of the outermost of them."""
    rules = layout.rules(root, own=False)
    held, templates = files.Root(root), list[str]()

    def skip(path: str, is_dir: bool) -> bool:
        if is_dir and rules.is_template(path):
            templates.append(f"{path}/")
            return False
        return rules.skip(path, is_dir)

    try:
        paths = [entry.path for entry in held.walk(skip).entries]
    finally:
        held.close()
    inside = Counter(next((folder for folder in templates if path.startswith(folder)), "") for path in paths)
    notes = inside.pop("", 0)
    return notes, tuple(Skipped(folder, count) for folder, count in sorted(inside.items()))
