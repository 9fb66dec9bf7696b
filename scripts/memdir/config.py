"""Settings: one table, read from the vault, the user's folder, the environment and options, in that order.

A vault may come from a stranger, so what could run code, spend money or leave the vault is read from
the user's own configuration only. `references/settings.md` is generated from the table. Reads
`memdir.toml` and `$XDG_CONFIG_HOME/memdir/config.toml`; writes nothing.
"""

import errno
import json
import math
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdir.errors import BadData, UsageError

VAULT_FILE = "memdir.toml"
FORMAT = 1  # version of the vault format that this memdir writes
SMALL = 64 * 1024  # bytes; no file of settings is larger
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `vault`: a vault's own `memdir.toml` may set it; `least` and `most`: bounds of a number."""

    name: str
    default: Any
    about: str
    vault: bool = True
    least: float = -math.inf
    most: float = math.inf

    @property
    def variable(self) -> str:
        return "MEMDIR_" + self.name.replace(".", "_").upper()

    @property
    def range(self) -> str:
        """The values that a number may take, "" where there is no bound."""
        if self.most < math.inf:
            return f"{self.least:g} to {self.most:g}"
        return f"{self.least:g} or more" if self.least > -math.inf else ""


TABLE = (
    Setting(
        "format",
        0,
        "Version of the vault format; `memdir init` writes it, a vault without it is an adopted one.",
        least=0,
    ),
    Setting("by", "cli", "Who writes, for ledger and history, such as `agent:claude`.", vault=False),
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
    Setting(
        "memory.max_lines", 200, "Lines that MEMORY.md may have; the list is cut at 90 % of it.", least=20, most=200
    ),
    Setting(
        "memory.max_bytes",
        25_000,
        "Bytes that MEMORY.md may have; the list is cut at 90 % of it.",
        least=2_000,
        most=25_000,
    ),
    Setting("recall.limit", 5, "Results of one recall.", least=1, most=100),
    Setting("recall.budget", 0, "Tokens that the quotes of one recall may use (estimated); 0: no limit.", least=0),
    Setting(
        "recall.log",
        5.0,
        "Megabytes of the log of recalls in the cache folder, and as many of the one before it; 0: no log.",
        least=0,
        most=1_000,
    ),
    Setting("recall.weight_name", 3.0, "BM25F weight of a note's name.", least=0, most=100),
    Setting("recall.weight_aliases", 3.0, "BM25F weight of a note's aliases.", least=0, most=100),
    Setting("recall.weight_tags", 2.0, "BM25F weight of a note's tags.", least=0, most=100),
    Setting("recall.weight_heading", 2.0, "BM25F weight of headings.", least=0, most=100),
    Setting("recall.words", 1.0, "Weight of the view by words in the fused score.", least=0, most=100),
    Setting("recall.meaning", 0.8, "Weight of the view by meaning (vectors) in the fused score.", least=0, most=100),
    Setting("recall.fusion", "sum", "How views are fused: `sum` of standardised scores, or `rrf` (reciprocal ranks)."),
    Setting("recall.ranker", True, "Whether turns of conversations get a second look, by signals of their own."),
    Setting("recall.recent", 4, "Last messages of a running conversation that are searched for too.", least=0, most=20),
    Setting("recall.recent_weight", 0.5, "What such a message counts beside the question.", least=0, most=10),
    Setting("recall.beside", 0.35, "Share of its score that a turn gives those beside it.", least=0, most=1),
    Setting("recall.beside_two", 0.15, "Share that it gives those two away.", least=0, most=1),
    Setting("recall.reply", 0.4, "Share that a question gives the reply of somebody else.", least=0, most=1),
    Setting("recall.speaker", 2.0, "What turns of the one speaker gain whom the question names.", least=0, most=10),
    Setting("recall.facts", True, "Whether a question that names a note and one of its keys is answered by the fact."),
    Setting("recall.time", True, "Whether what held at the time that a question asks for comes before what did not."),
    Setting(
        "recall.period", 3.0, "What a turn or a log entry gains on a day that a question names.", least=0, most=100
    ),
    Setting("recall.diverse", False, "Whether each result is chosen to differ from those before it."),
    Setting("recall.half_life", 0, "Days in which a score halves with age; 0: it does not.", least=0, most=36_500),
    Setting("recall.freshness", 0.0, "Weight of freshness beside the fused score.", least=0, most=10),
    Setting("recall.k1", 1.2, "BM25 term saturation.", least=0, most=10),
    Setting("recall.b", 0.75, "BM25 length normalisation.", least=0, most=1),
    Setting("recall.hyde", False, "Whether a model writes a likely answer that is searched for as well.", vault=False),
    Setting("recall.expand", False, "Whether a model words the question anew, in English and Chinese.", vault=False),
    Setting("recall.rerank", False, "Whether a model puts the first results in order.", vault=False),
    Setting(
        "recall.help_seconds",
        3.0,
        "Seconds that a recall waits for the model's likely answer or wordings.",
        vault=False,
        least=0.1,
        most=60,
    ),
    Setting(
        "recall.rerank_seconds",
        5.0,
        "Seconds that a recall waits for the model's order.",
        vault=False,
        least=0.1,
        most=60,
    ),
    Setting("recall.rerank_first", 20, "Results that the model puts in order.", vault=False, least=2, most=100),
    Setting(
        "graph.hops",
        1,
        "Links, names and entities that a recall follows from its best answer; 0: none.",
        least=0,
        most=4,
    ),
    Setting("graph.damping", 0.5, "Share of its energy that a passage gives on over the graph.", least=0, most=1),
    Setting("graph.seeds", 2, "Best answers from which the graph is followed.", least=1, most=20),
    Setting("graph.behind", 3, "Answers that stand before what the graph brings.", least=1, most=100),
    Setting("graph.places", 2, "Places among the answers for what the graph brings.", least=0, most=20),
    Setting("distill.days", 14, "Days back that `memdir distill` looks for entries it has not learned from.", least=1),
    Setting("distill.share", 0.05, "Share of the notes that one distillation may change or make.", least=0, most=1),
    Setting("distill.least", 20, "Notes that one distillation may change or make however few there are.", least=1),
    Setting(
        "archive.low_days", 180, "Days without a change after which a note of low importance is archived.", least=1
    ),
    Setting("heartbeat.sync_hours", 4.0, "Hours after which a heartbeat syncs again.", least=0, most=8_760),
    Setting(
        "heartbeat.distill_hours",
        12.0,
        "Hours after which a night distils again; by day after 2.5 times as many.",
        least=0,
        most=8_760,
    ),
    Setting(
        "heartbeat.night_from",
        2,
        "Hour of the vault's zone at which the night of a heartbeat begins.",
        least=0,
        most=23,
    ),
    Setting("heartbeat.night_to", 3, "Hour at which it ends.", least=1, most=24),
    Setting("heartbeat.scan_every", 3, "Every how many syncs a heartbeat also scans the workspaces.", least=1),
    Setting("heartbeat.scan_hours", 8.0, "Hours after which a workspace scan is due again.", least=0, most=8_760),
    Setting(
        "scan.workspaces",
        [],
        "Folders, as absolute paths, that `memdir scan` looks at; empty: the vault's own work tree or workspace.",
        vault=False,
    ),
    Setting("sync.lock_wait", 10.0, "Seconds that a writing command waits for a lock.", vault=False, least=0, most=600),
    Setting(
        "sync.read_wait",
        0.2,
        "Seconds that a reading command waits for the index lock before it answers from the index as it is.",
        vault=False,
        least=0,
        most=60,
    ),
    Setting(
        "sync.vanish_share",
        0.2,
        "Share of the notes (and more than 10) that may vanish at once before `sync` stops and asks.",
        vault=False,
        least=0,
        most=1,
    ),
    Setting(
        "files.settle",
        0.25,
        "Seconds that a file must have been left alone before it is taken as the base of an edit.",
        vault=False,
        least=0,
        most=10,
    ),
    Setting(
        "llm.url",
        "",
        "Where an OpenAI-compatible model answers, such as `http://localhost:11434/v1`; empty: no model is asked.",
        vault=False,
    ),
    Setting("llm.model", "", "Name of the model to ask; empty: no model is asked.", vault=False),
    Setting("llm.key_env", "", "NAME of the environment variable that holds the key, never the key.", vault=False),
    Setting(
        "llm.timeout",
        120.0,
        "Seconds that one question to the model may take, retries included.",
        vault=False,
        least=1,
        most=3600,
    ),
    Setting("llm.budget", 200_000, "Tokens that one run may spend on the model; 0: no limit.", vault=False, least=0),
    Setting("llm.max_tokens", 2048, "Tokens that one answer of the model may have.", vault=False, least=1),
    Setting(
        "embedder.kind",
        "use",
        "What makes vectors of texts: `use` (built in), `endpoint`, `onnx` or `none`.",
        vault=False,
    ),
    Setting("embedder.model", "", "Name of the endpoint's model.", vault=False),
    Setting(
        "embedder.url",
        "",
        "Where an OpenAI-compatible endpoint embeds, such as `http://localhost:11434/v1`.",
        vault=False,
    ),
    Setting("embedder.key_env", "", "NAME of the environment variable that holds the endpoint's key.", vault=False),
    Setting("embedder.path", "", "Folder of an ONNX model with its `tokenizer.json`.", vault=False),
    Setting("embedder.query_prefix", "", "What the model wants before a question, such as `query: `.", vault=False),
    Setting("embedder.document_prefix", "", "What the model wants before a text, such as `passage: `.", vault=False),
    Setting("embedder.batch", 256, "Texts in one request to the endpoint.", vault=False, least=1, most=2048),
    Setting(
        "embedder.timeout",
        5.0,
        "Seconds that one request may take, retries included; a question never waits longer than 2.",
        vault=False,
        least=0.1,
        most=600,
    ),
    Setting(
        "embedder.sync_most",
        100,
        "Missing vectors that a sync makes by a model of this machine; more are left to a heartbeat, a drain or a"
        " rebuild. 0: none.",
        vault=False,
        least=0,
        most=100_000,
    ),
    Setting("embedder.words", 60, "First words of a passage that are embedded.", vault=False, least=5, most=1000),
    Setting("index_dir", "", "Folder for the derived index; empty: the user's cache folder.", vault=False),
)
_BY_NAME = {setting.name: setting for setting in TABLE}


class Settings:
    """Settings in force, by name."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._values: dict[str, Any] = {}
        for name, value in (values or {}).items():
            self.put(name, value, "option")

    def __getitem__(self, name: str) -> Any:
        return self._values.get(name, _BY_NAME[name].default)

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
            raise BadData(f"{source}: {name!r} may be set in the user's configuration only")
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
