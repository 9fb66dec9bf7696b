"""What other tools should know of a vault: which files git leaves out or joins, what Obsidian's properties are.

Only adds what is missing: no line, key or file of the user's is changed, and a second time there is nothing to do.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdir.vault import beside, fields, layout, ledger, store, whole

if TYPE_CHECKING:
    from memdir.app.memory import Memory

_TITLE = "# memdir: derived, or of one machine alone"
_UNION = "# memdir: files that only grow, on several machines at once"
_LOGS = "memory/logs/{year}/{month}/{date}.md"  # `log.path` as it is by itself
_DIGITS = {"{year}": "[0-9]" * 4, "{month}": "[0-9]" * 2, "{day}": "[0-9]" * 2}
_DIGITS["{date}"] = "-".join(_DIGITS[part] for part in ("{year}", "{month}", "{day}"))
TYPES = ".obsidian/types.json"
# Property → what Obsidian calls its type; all others of memdir's are text.
PROPERTIES = {
    "aliases": "aliases",
    "tags": "tags",
    "created": "date",
    "updated": "date",
    "valid_from": "date",
    "valid_to": "date",
    "confidence": "number",
}
BASES = "bases"
_BASE = """filters:
  or:
    - file.inFolder("memory/{kind}")
    - type == "{kind}"
views:
  - type: table
    name: {kind}
    order:
      - file.name
      - description
      - tags
      - importance
      - updated
    sort:
      - property: updated
        direction: DESC
"""


@dataclass(slots=True)
class SetUp:
    """What was written or, in a dry run, would be (`diff`)."""

    changed: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    diff: str = ""


def git(memory: "Memory", dry_run: bool) -> SetUp:
    """Lines of `.gitignore` for what is derived, of `.gitattributes` for what several machines append to."""
    ignored = [".memdir/", "*.memdir-tmp", layout.OVERFLOW_FILE]
    ignored += [layout.HEARTBEAT_FILE] if memory.own else []
    joined = [_logs(memory.settings["log.path"]), f"{layout.SESSIONS}/**"]
    joined += [f"{ledger.FOLDER}/*.jsonl"] if memory.own else []
    with memory.root.lock(), beside.Beside(memory.root.path) as place:
        ignore, attributes = place.read(".gitignore"), place.read(".gitattributes")
        plan = {
            ".gitignore": (ignore, _with(ignore, _TITLE, _not_ignored(ignore, ignored))),
            ".gitattributes": (attributes, _with(attributes, _UNION, _not_joined(attributes, joined))),
        }
        return _done(place, plan, dry_run)


def _logs(pattern: str) -> str:
    """Log paths as git matches them: days alone, where notes lie beside them."""
    if pattern == _LOGS:
        return "memory/logs/**"
    glob = pattern.replace("\\", "/")
    for name, digits in _DIGITS.items():
        glob = glob.replace(name, digits)
    return glob if "/" in glob else f"/{glob}"


def _lines(data: bytes | None) -> list[str]:
    return [line.strip() for line in fields.decode(data or b"").lstrip(fields.BOM).splitlines()]


def _not_ignored(data: bytes | None, wanted: Sequence[str]) -> list[str]:
    """The patterns on which no line says anything, neither to leave them out nor to take them in."""
    said = {line.lstrip("!").strip("/") for line in _lines(data) if not line.startswith("#")}
    return [one for one in wanted if one.strip("/") not in said]


def _not_joined(data: bytes | None, wanted: Sequence[str]) -> list[str]:
    """The lines for the patterns for which no line says how to merge."""
    said = set()
    for line in _lines(data):
        found = re.match(r'("(?:[^"\\]|\\.)*"|\S+)\s+(.*)', line)
        if found and re.search(r"(?:^|\s)(?:[-!]?merge\b|binary\b)", found[2]):
            said.add(found[1].strip('"').lstrip("/"))
    patterns = [one for one in wanted if one.lstrip("/") not in said]
    return [f"{json.dumps(one, ensure_ascii=False) if ' ' in one else one} merge=union" for one in patterns]


def _with(data: bytes | None, title: str, lines: Sequence[str]) -> bytes | None:
    """A file with lines behind what it holds, in its own line ends; None where there is nothing to add."""
    if not lines:
        return None
    held = data or b""
    end = b"\r\n" if b"\r\n" in held else b"\n"
    gap = b"" if not held or held.endswith(b"\n") else end
    first = [] if title in _lines(data) else [*([""] if held else []), title]
    return held + gap + b"".join(line.encode() + end for line in (*first, *lines))


def obsidian(memory: "Memory", dry_run: bool) -> SetUp:
    """Types of memdir's properties, and a table for each type of note; each only where there is none."""
    with whole.Whole(memory.root.path, layout.Rules(own=False)) as everything:
        listing = everything.listing()
        held = {path.rsplit("/", 1)[-1].lower() for path in [*(one.path for one in listing.entries), *listing.links]}
    with memory.root.lock(), beside.Beside(memory.root.path) as place:
        types = place.read(TYPES)
        new, notices = _with_types(types)
        plan: dict[str, tuple[bytes | None, bytes | None]] = {TYPES: (types, new)}
        for kind in layout.TYPES:
            path = f"{BASES}/{kind}.base"
            if f"{kind}.base" not in held and place.read(path) is None:
                plan[path] = None, _BASE.format(kind=kind).encode()
        done = _done(place, plan, dry_run)
    done.notices += notices
    return done


def _with_types(data: bytes | None) -> tuple[bytes | None, list[str]]:
    """`types.json` with the properties that it does not name; None where it stays."""
    text = fields.decode(data or b'{\n  "types": {}\n}')
    try:
        given = json.loads(text.lstrip(fields.BOM) or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not isinstance(given.setdefault("types", {}), dict):
        return None, [f"{TYPES}: cannot be read, so it is left as it is"]
    missing = {key: kind for key, kind in PROPERTIES.items() if key not in given["types"]}
    if not missing:
        return None, []
    before = json.loads(text.lstrip(fields.BOM) or "{}")
    written = next((form for form in _forms(text) if form(before).strip() == text.strip() or not before), None)
    if written is None and data is not None:
        return None, [f"{TYPES}: not written as Obsidian writes it, so it is left; it lacks {json.dumps(missing)}"]
    given["types"] |= missing
    form = written or next(_forms(text))
    return form(given).encode("utf-8", "surrogateescape") + (b"\n" if text.endswith("\n") else b""), []


def _forms(text: str) -> "Iterator[_Form]":
    """The ways in which JSON may be written so that nothing but what is added changes."""
    for indent in (2, "\t", 4, None):
        yield _Form(indent, ascii_only=False)
        yield _Form(indent, ascii_only=True)


@dataclass(frozen=True, slots=True)
class _Form:
    indent: int | str | None
    ascii_only: bool

    def __call__(self, value: Mapping[str, object]) -> str:
        compact = (",", ":") if self.indent is None else None
        return json.dumps(value, indent=self.indent, ensure_ascii=self.ascii_only, separators=compact)


def _done(place: beside.Beside, plan: Mapping[str, tuple[bytes | None, bytes | None]], dry_run: bool) -> SetUp:
    done = SetUp()
    for path, (old, new) in plan.items():
        if new is None:
            continue
        done.changed.append(path)
        if dry_run:
            done.diff += store.diff(path, old, new) + "\n"
        else:
            place.write(path, new, base=old)
    return done
