"""Settings in force, read from the vault, the user's folder, the environment and options, in that order.

A vault may come from a stranger, so what could run code, spend money or leave the vault is read from the user's own
configuration only; `settings_table` says what there is. Reads `memdir.toml` and
`$XDG_CONFIG_HOME/memdir/config.toml`; writes nothing.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memdir.errors import BadData, UsageError
from memdir.settings_table import TABLE, Setting

VAULT_FILE = "memdir.toml"
FORMAT = 1  # version of the vault format that this memdir writes
SMALL = 64 * 1024  # bytes; no file of settings is larger
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_BY_NAME = {setting.name: setting for setting in TABLE}
_DEFAULTS = {setting.name: setting.default for setting in TABLE}


class Settings:
    """Settings in force, by name."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values: dict[str, Any] = {}
        for name, value in (values or {}).items():
            self.put(name, value, "option")

    def __getitem__(self, name: str) -> Any:
        return self._values[name] if name in self._values else _DEFAULTS[name]

    def given(self, name: str) -> bool:
        """Whether somebody has set it, be it to its default."""
        return name in self._values

    def put(self, name: str, value: Any, source: str) -> None:
        """Set one; raises BadData for an unknown name, a value of the wrong kind or one out of its range."""
        setting = _BY_NAME.get(name)
        if setting is None:
            raise BadData(f"{source}: unknown setting {name!r}; see references/settings.md")
        ready = _convert(setting, value, source)
        if isinstance(ready, int | float) and not setting.least <= ready <= setting.most:
            raise BadData(f"{source}: setting {name!r} takes {setting.range}, not {value!r}")
        self._values[name] = ready


def _convert(setting: Setting, value: Any, source: str) -> Any:
    kind = type(setting.default)
    if kind is list:
        items = value.split(",") if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return [item.strip() for item in items if item.strip()]
    elif isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    elif kind is bool and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    elif kind in (int, float) and isinstance(value, str | int) and not isinstance(value, bool):
        try:
            return kind(value)
        except (ValueError, OverflowError):
            pass
    raise BadData(f"{source}: setting {setting.name!r} takes a value like {_shown(setting.default)}, not {value!r}")


def load(root: Path | None, environ: Mapping[str, str] | None = None) -> Settings:
    """Settings for the vault at `root` (None: the user's only). Raises BadData with file and line."""
    env = os.environ if environ is None else environ
    settings = Settings()
    if root is not None:
        _take(settings, root / VAULT_FILE, VAULT_FILE, vault=True)
    user = config_home(env) / "config.toml"
    _take(settings, user, str(user), vault=False)
    for setting in TABLE:
        if setting.variable in env:
            settings.put(setting.name, env[setting.variable], setting.variable)
    return settings


def small_file(path: Path, *, follow: bool) -> bytes | None:
    """Bytes of a regular file of at most 64 KB, None where there is none. Raises BadData with the path.

    `follow`: the file may be a link; what may come from a stranger is read without.
    """
    try:
        if not (follow or _NOFOLLOW) and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        with open(os.open(path, _READ if follow else _READ | _NOFOLLOW), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadData(f"{path}: not a regular file")
            data = file.read(SMALL + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.EMLINK) and not follow
        raise BadData(f"{path}: {'a link; it is not followed' if linked else error.strerror}") from error
    if len(data) > SMALL:
        raise BadData(f"{path}: larger than {SMALL // 1024} KB")
    return data


def _take(settings: Settings, path: Path, shown: str, *, vault: bool) -> None:
    """Put what a file sets. Raises BadData with `shown` and the line."""
    data = small_file(path, follow=not vault)
    if data is None:
        return
    values, lines = _parsed(data, shown)
    for name, value in values.items():
        source = f"{shown}:{_line(lines, name)}"
        if vault and name in _BY_NAME and not _BY_NAME[name].vault:
            raise BadData(
                f"{source}: {name!r} may be set in the user's configuration only (config.toml), not in a vault"
            )
        settings.put(name, value, source)


def _parsed(data: bytes, shown: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Value and line by name. Raises BadData with `shown` and the line."""
    import tomllib

    line = data.count(b"\n") + 1
    try:
        text = data.decode("utf-8-sig")
        return _flatten(tomllib.loads(text)), _lines(text)
    except UnicodeDecodeError as error:
        line, reason = data.count(b"\n", 0, error.start) + 1, "not UTF-8"
    except RecursionError:
        line, reason = 1, "nested too deeply"
    except ValueError as error:
        found = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line, reason = (int(found[1]), str(error).replace(found[0], "")) if found else (line, str(error))
    raise BadData(f"{shown}:{line}: {reason}")


# A line that sets one value: what stands before it, the value, and what stands behind.
_SET = re.compile(r"([^=]+=\s*)(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^#\s'\"\[{]+)(\s*(?:#.*)?)")


def edited(text: str, values: Mapping[str, Any], shown: str) -> str:
    """The text of a user's settings with some values set, other lines byte for byte as they are.

    Raises BadData, with the lines to write by hand, when it cannot be done by lines.
    """
    before, _ = _parsed(text.encode("utf-8"), shown)
    lines = text.removesuffix("\n").split("\n") if text else []
    for name, value in values.items():
        found = _lines("\n".join(lines))
        table, _, leaf = name.rpartition(".")
        if name in found:
            place = found[name] - 1
            lines[place] = _SET.sub(lambda part: part[1] + _toml(value) + part[3], lines[place], count=1)  # noqa: B023
            continue
        if table not in found:
            lines += ["", f"[{table}]"] if lines else [f"[{table}]"]
        lines.insert(_lines("\n".join(lines))[table], f"{leaf} = {_toml(value)}")
    after = "\n".join([*lines, ""])
    try:
        if _parsed(after.encode("utf-8"), shown)[0] == {**before, **values}:
            return after
    except BadData:
        pass
    wanted = "; ".join(f"{name} = {_toml(value)}" for name, value in values.items())
    raise BadData(f"{shown} cannot be changed by line; set by hand: {wanted}")


def _toml(value: str | int | float) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


def _shown(value: Any) -> str:
    return _toml(value) if isinstance(value, bool) else repr(value)


def _lines(text: str) -> dict[str, int]:
    """Name of each table and key of a TOML text → the line (from 1) that it begins on."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = re.sub(r"[\s\"']|#.*", "", line)
        if bare.startswith("["):
            table = bare.strip("[]") + "."
            found.setdefault(table[:-1], number)
        else:
            found.setdefault(table + bare.split("=")[0], number)
    return found


def _line(lines: Mapping[str, int], name: str) -> int:
    """Line of a key; of what it stands in where it has none of its own."""
    while name and name not in lines:
        name = name.rpartition(".")[0]
    return lines.get(name, 1)


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
