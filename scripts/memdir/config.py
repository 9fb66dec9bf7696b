"""Settings: one table, read from the vault, the user's folder, the environment and options, in that order.

A vault may come from a stranger, so what could run code, spend money or leave the vault is read from
the user's own configuration only. `references/settings.md` is generated from the table. Reads
`memdir.toml` and `$XDG_CONFIG_HOME/memdir/config.toml`; writes nothing.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdir.errors import BadData, UsageError

VAULT_FILE = "memdir.toml"
FORMAT = 1  # version of the vault format that this memdir writes


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `vault` tells whether a vault's own `memdir.toml` may set it."""

    name: str
    default: Any
    about: str
    vault: bool = True

    @property
    def variable(self) -> str:
        return "MEMDIR_" + self.name.replace(".", "_").upper()


TABLE = (
    Setting("format", 0, "Version of the vault format; `memdir init` writes it, a vault without it is an adopted one."),
    Setting("timezone", "", "Zone that decides the day of a log entry, such as `Europe/Lisbon`; empty: the system's."),
    Setting("log.path", "memory/logs/{year}/{month}/{date}.md", "Where the day's log lies; `{date}` is `YYYY-MM-DD`."),
    Setting(
        "notes.include",
        [],
        "Patterns of files that count as notes; empty: `MEMORY.md` and `memory/`, or every `.md` in an adopted vault.",
    ),
    Setting(
        "notes.exclude",
        [],
        "Patterns of files that are no notes, beside dot folders, templates, backups and conflict copies.",
    ),
    Setting("memory.max_lines", 200, "Lines that MEMORY.md may have; the list is cut at 90 % of it."),
    Setting("memory.max_bytes", 25_000, "Bytes that MEMORY.md may have; the list is cut at 90 % of it."),
    Setting("recall.limit", 5, "Results of one recall."),
    Setting("recall.budget", 0, "Tokens that the quotes of one recall may use (estimated); 0: no limit."),
    Setting("recall.weight_name", 3.0, "BM25F weight of a note's name."),
    Setting("recall.weight_aliases", 3.0, "BM25F weight of a note's aliases."),
    Setting("recall.weight_tags", 2.0, "BM25F weight of a note's tags."),
    Setting("recall.weight_heading", 2.0, "BM25F weight of headings."),
    Setting("recall.k1", 1.2, "BM25 term saturation."),
    Setting("recall.b", 0.75, "BM25 length normalisation, between 0 and 1."),
    Setting("sync.lock_wait", 10.0, "Seconds that a writing command waits for a lock."),
    Setting(
        "sync.read_wait",
        0.2,
        "Seconds that a reading command waits for the index lock before it answers from the index as it is.",
    ),
    Setting(
        "sync.vanish_share",
        0.2,
        "Share of the notes (and more than 10) that may vanish at once before `sync` stops and asks.",
    ),
    Setting(
        "files.settle", 0.25, "Seconds that a file must have been left alone before it is taken as the base of an edit."
    ),
    Setting("index_dir", "", "Folder for the derived index; empty: the user's cache folder.", vault=False),
)
_BY_NAME = {setting.name: setting for setting in TABLE}


class Settings:
    """Settings in force, by name; `sources` tells where each that is not a default came from."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values: dict[str, Any] = {}
        self.sources: dict[str, str] = {}
        for name, value in (values or {}).items():
            self.put(name, value, "option")

    def __getitem__(self, name: str) -> Any:
        return self._values.get(name, _BY_NAME[name].default)

    def put(self, name: str, value: Any, source: str) -> None:
        """Set one; raises BadData for an unknown name or a value of the wrong kind."""
        setting = _BY_NAME.get(name)
        if setting is None:
            raise BadData(f"{source}: unknown setting {name!r}; see references/settings.md")
        self._values[name] = _convert(setting, value, source)
        self.sources[name] = source


def _convert(setting: Setting, value: Any, source: str) -> Any:
    kind = type(setting.default)
    if kind is list:
        items = value.split(",") if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return [item.strip() for item in items if item.strip()]
    elif isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    elif kind in (int, float) and isinstance(value, str | int) and not isinstance(value, bool):
        try:
            return kind(value)
        except ValueError:
            pass
    raise BadData(f"{source}: setting {setting.name!r} takes a value like {setting.default!r}, not {value!r}")


def load(root: Path | None, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings for the vault at `root` (None: the user's only). Raises BadData with file and line."""
    env = os.environ if environ is None else environ
    settings = Settings()
    if root is not None:
        for name, value in _flatten(_read(root / VAULT_FILE)).items():
            if name in _BY_NAME and not _BY_NAME[name].vault:
                raise BadData(f"{VAULT_FILE}: {name!r} may be set in the user's configuration only")
            settings.put(name, value, VAULT_FILE)
    user = config_home(env) / "config.toml"
    for name, value in _flatten(_read(user)).items():
        settings.put(name, value, str(user))
    for setting in TABLE:
        if setting.variable in env:
            settings.put(setting.name, env[setting.variable], setting.variable)
    return settings


def _read(path: Path) -> dict[str, Any]:
    """A TOML file as a dict, {} where there is none."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise BadData(f"{path}: cannot be read: {error.strerror}") from error
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path.name}: {error}") from error


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def config_home(env: Mapping[str, str] | None = None) -> Path:
    return _xdg("XDG_CONFIG_HOME", ".config", env) / "memdir"


def cache_home(env: Mapping[str, str] | None = None) -> Path:
    return _xdg("XDG_CACHE_HOME", ".cache", env) / "memdir"


def _xdg(variable: str, fallback: str, env: Mapping[str, str] | None) -> Path:
    value = (os.environ if env is None else env).get(variable, "")
    if value and Path(value).is_absolute():
        return Path(value)
    try:
        return Path.home() / fallback
    except RuntimeError as error:
        raise UsageError(f"no home folder; set {variable}") from error
