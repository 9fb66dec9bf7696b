"""A vault set: notes, logs and questions in one JSON Lines file, from which a vault is built.

Records, one object a line, told apart by the key that they hold; unknown keys are an error.

- `{"set": NAME, "now"?, "settings"?, "notes"?}` first, if at all. `now`: the moment of asking, ISO 8601 with offset.
  `notes`: another set beside it, whose notes this one asks.
- `{"note": PATH, "text": …, "mtime"?}`: a whole file of the vault, front matter included; no path twice.
- `{"query": …, "gold": [TARGET…], "category": …, "lang": en|zh|mixed, "id"?, "answer"?, "as_of"?, "abstain"?, "stale"?,
  "recent"?}`. All targets of `gold` are needed; one that is a list is met by any of its members. `stale`: targets that
  answered once and are not to come before the first gold one. `recent`: messages before the question.

A target is `PATH`, `PATH#Heading` (the section, to the next heading of its level or above; the heading stands once),
`PATH#^block` (the line that carries the id; under a heading, its section), `PATH:LINE` or `PATH:FIRST-LAST`.
A result meets it when it quotes a line of it. Reads the one file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memdir.errors import BadData
from memdir.evals.dataset import Corpus, Dataset, Note, Place, Query, Target, records

KEYS = {
    "set": {"set", "now", "settings", "notes"},
    "note": {"note", "text", "mtime"},
    "query": {
        "query", "gold", "category", "lang", "id", "answer", "as_of", "abstain", "stale", "recent",
    },
}  # fmt: skip
LANGUAGES = ("en", "zh", "mixed")
_LINES = re.compile(r"(.+):(\d+)(?:-(\d+))?")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def load(file: Path) -> Dataset:
    """Read a vault set; every target is looked up. Raises BadData with file and line."""
    name, now, settings = file.stem, "", dict[str, Any]()
    notes, asked = dict[str, Note](), list[tuple[str, dict[str, Any]]]()
    for where, held in records(file):
        kind = _kind(where, held)
        if kind == "set":
            if notes or asked:
                raise BadData(f"{where}: `set` is to be the first record")
            name, now, settings = _text(where, held, "set"), _moment(where, held.get("now")), held.get("settings") or {}
            if held.get("notes"):
                notes = {note.path: note for note in load(file.with_name(_text(where, held, "notes"))).corpora[0].notes}
        elif kind == "note":
            note = Note(_path(where, held), _text(where, held, "text"), _moment(where, held.get("mtime")))
            if note.path in notes:
                raise BadData(f"{where}: {note.path} stands twice")
            notes[note.path] = note
        else:
            asked.append((where, held))
    ready = tuple(replace(note, mtime=note.mtime or now) for note in notes.values())
    lines = {path: note.text.split("\n") for path, note in notes.items()}
    queries = dict[str, Query]()
    for number, (where, held) in enumerate(asked, 1):
        query = _query(where, held, f"q{number}", lines)
        if query.id in queries:
            raise BadData(f"{where}: the id {query.id!r} stands twice")
        queries[query.id] = replace(query, corpus=name, moment=now)
    return Dataset(name, "vault", (Corpus(name, (), ready, settings),), tuple(queries.values()))


def _kind(where: str, held: Mapping[str, Any]) -> str:
    kind = next((one for one in KEYS if one in held), "")
    if not kind:
        raise BadData(f"{where}: neither `set` nor `note` nor `query`")
    if odd := held.keys() - KEYS[kind]:
        raise BadData(f"{where}: a {kind} takes no {', '.join(sorted(odd))}")
    return kind


def _query(where: str, held: Mapping[str, Any], id: str, lines: Mapping[str, Sequence[str]]) -> Query:
    lang, as_of = held.get("lang", "en"), held.get("as_of", "")
    if lang not in LANGUAGES:
        raise BadData(f"{where}: `lang` is one of {', '.join(LANGUAGES)}, not {lang!r}")
    gold, stale = (_targets(where, held.get(key, []), lines) for key in ("gold", "stale"))
    abstain = held.get("abstain", False)
    if bool(gold) is bool(abstain):
        raise BadData(f"{where}: an answerable question has `gold`, one to abstain from has none")
    if as_of:
        _day(where, as_of)
    return Query(
        id=str(held.get("id", id)),
        corpus="",
        text=_text(where, held, "query"),
        gold=gold,
        category=_text(where, held, "category"),
        lang=lang,
        abstain=abstain,
        as_of=as_of,
        recent=tuple(map(str, held.get("recent", []))),
        stale=stale,
    )


def _targets(where: str, given: Any, lines: Mapping[str, Sequence[str]]) -> tuple[Target, ...]:
    if not isinstance(given, list):
        raise BadData(f"{where}: targets are a list")
    sides = [one if isinstance(one, list) else [one] for one in given]
    return tuple(tuple(place(where, str(target), lines) for target in side) for side in sides)


def place(where: str, target: str, lines: Mapping[str, Sequence[str]]) -> Place:
    """The lines that a target names. Raises BadData when there are none, or more than one heading or block."""
    if target in lines:
        return Place(target)
    path, _, anchor = target.partition("#")
    if anchor and path in lines:
        found = _spans(lines[path], anchor)
        if len(found) == 1:
            return Place(path, *found[0])
        raise BadData(f"{where}: {target!r} is met {len(found)} times")
    if (span := _LINES.fullmatch(target)) and span[1] in lines:
        first, last = int(span[2]), int(span[3] or span[2])
        if 1 <= first <= last <= len(lines[span[1]]):
            return Place(span[1], first, last)
    raise BadData(f"{where}: {target!r} is nowhere in the set")


def _spans(lines: Sequence[str], anchor: str) -> list[tuple[int, int]]:
    """Lines of every section under a heading, or of every block, that `anchor` names."""
    headings = _headings(lines)
    if not anchor.startswith("^"):
        return [_section(headings, at, len(lines)) for at, (_, title) in headings.items() if title == anchor]
    carried = re.compile(rf"(?:^|\s){re.escape(anchor)}(?:\s|$)")
    found = [number for number, line in enumerate(lines, 1) if carried.search(line)]
    return [_section(headings, at, len(lines)) if at in headings else (at, at) for at in found]


def _headings(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Line → level and title of every heading outside code."""
    found, fence = dict[int, tuple[int, str]](), ""
    for number, line in enumerate(lines, 1):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (heading := _HEADING.fullmatch(line)):
            found[number] = len(heading[1]), heading[2]
    return found


def _section(headings: Mapping[int, tuple[int, str]], at: int, total: int) -> tuple[int, int]:
    level = headings[at][0]
    return at, next((line - 1 for line, (other, _) in headings.items() if line > at and other <= level), total)


def _path(where: str, held: Mapping[str, Any]) -> str:
    path = _text(where, held, "note")
    if path.startswith("/") or "\\" in path or {"", ".", ".."} & set(path.split("/")) or not path.endswith(".md"):
        raise BadData(f"{where}: {path!r} is no path of a note")
    return path


def _text(where: str, held: Mapping[str, Any], key: str) -> str:
    value = held.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadData(f"{where}: `{key}` is to be a text that is not empty")
    return value


def _moment(where: str, value: Any) -> str:
    """An ISO 8601 time with offset, or nothing."""
    try:
        if value is None or datetime.fromisoformat(value).tzinfo:
            return value or ""
    except (ValueError, TypeError):
        pass
    raise BadData(f"{where}: {value!r} is no ISO 8601 time with offset")


def _day(where: str, value: Any) -> None:
    try:
        date.fromisoformat(value)
    except (ValueError, TypeError) as error:
        raise BadData(f"{where}: {value!r} is no day such as 2025-03-01") from error
