"""The labelled set of the project, `tests/data/own.jsonl`: whole, balanced, and true to the vault that it builds.

A question's id begins with its split. `answer` stands in the gold text; ` | ` parts what stands in several places. An
unanswerable question's `answer` is what a passage would have to hold to answer it, parts joined with ` + `: no
passage holds all of them. Whether recall finds anything is not judged here.
"""

import json
import os
import re
from collections import Counter
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import driver

FILE = Path(__file__).parents[1] / "data" / "own.jsonl"
# Category → questions at least, in both splits together.
WANTED = {
    "current": 45, "history": 25, "as_of": 20, "multi": 25, "bridge": 25, "preference": 20, "paraphrase": 15,
    "cross": 10, "unanswerable": 30,
}  # fmt: skip
KEYS = {"query", "id", "category", "lang", "gold", "answer", "as_of", "abstain", "stale"}
MOST_BYTES = 700_000
LIST_LINES, LIST_BYTES = 200, 25_000  # the caps of MEMORY.md

CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")


class Held(NamedTuple):
    """The records of the file by kind."""

    head: dict[str, Any]
    notes: dict[str, str]
    queries: list[dict[str, Any]]


@pytest.fixture(scope="module")
def held() -> Held:
    records = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    notes = [one for one in records if "note" in one]
    assert all(set(one) == {"note", "text", "mtime"} for one in notes)
    return Held(records[0], {one["note"]: one["text"] for one in notes}, [one for one in records[1:] if "query" in one])


def _answerable(held: Held) -> list[dict[str, Any]]:
    return [one for one in held.queries if not one.get("abstain")]


def _targets(query: dict[str, Any]) -> list[list[str]]:
    return [[one] if isinstance(one, str) else one for one in query["gold"]]


def _path(target: str) -> str:
    return re.split(r"(?<=\.md)[#:]", target)[0]


def _said(notes: dict[str, str], target: str) -> str:
    """The text that a target names; raises KeyError or fails where it names nothing, or more than one thing."""
    path = _path(target)
    lines, rest = notes[path].split("\n"), target[len(path) :]
    if rest.startswith(":"):
        return lines[int(rest[1:]) - 1]
    if rest.startswith("#"):
        (start,) = [number for number, line in enumerate(lines) if line == f"## {rest[1:]}"]
        end = next((n for n in range(start + 1, len(lines)) if lines[n].startswith("#")), len(lines))
        return "\n".join(lines[start:end])
    return notes[path]


def _passages(notes: dict[str, str]) -> list[str]:
    """What may answer: a whole note with its path, or one entry of a log with its day."""
    found = []
    for path, text in notes.items():
        parts = re.split(r"(?m)^(?=## )", text) if path.startswith("memory/logs/") else [text]
        found += [f"{path}\n{part}".casefold() for part in parts]
    return found


def test_the_set_is_one_small_file_of_known_records(held: Held) -> None:
    assert FILE.stat().st_size < MOST_BYTES
    assert held.head == {
        "set": "own",
        "now": "2026-11-30T10:00:00+01:00",
        "settings": {"timezone": "Europe/Amsterdam"},
    }
    lines = FILE.read_text("utf-8").splitlines()
    assert len(lines) == 1 + len(held.notes) + len(held.queries), "a path stands twice, or a record is of no kind"
    assert all(set(one) <= KEYS for one in held.queries)


def test_the_vault_is_of_size_and_in_several_languages(held: Held) -> None:
    kinds = Counter(path.split("/")[1] for path in held.notes)
    assert sum(kinds[one] for one in ("user", "feedback", "project", "ref")) >= 220
    assert kinds["logs"] >= 90
    assert kinds["archive"] >= 10
    chinese = sum(bool(CJK.search(text.split("\n---\n", 1)[-1])) for text in held.notes.values())
    assert 0.4 <= chinese / len(held.notes) <= 0.6
    assert sum(bool(re.search("[а-я]{4}", text)) for text in held.notes.values()) >= 8
    assert sum(bool(re.search("[\u3041-\u30ff]{3}", text)) for text in held.notes.values()) >= 8


def test_kinds_of_difficulty_are_in_it(held: Held) -> None:
    texts = held.notes.values()
    assert max(len(set(re.findall(r"\[\[([^\]]+)", text))) for text in texts) >= 60, "a hub"
    wanted = {
        r"(?m)^- [^:\n]+:: .* \(20\d\d-\d\d-\d\d → 20\d\d-\d\d-\d\d\)$": 40,  # facts that were
        r"(?m)^- [a-z_]+ \[\[[^\]]+\]\]$": 25,
        r"(?m)^aliases: ": 30,
        r"(?m)^- \[ \] ": 15,
        r"(?m) \^[a-z]\w+$": 3,
    }
    for shape, least in wanted.items():
        assert sum(len(re.findall(shape, text)) for text in texts) >= least, shape


def test_ids_are_unique_and_counts_hold_in_both_splits(held: Held) -> None:
    assert len({one["id"] for one in held.queries}) == len(held.queries) >= 200
    assert len({one["query"].casefold() for one in held.queries}) == len(held.queries)
    counts = Counter(one["category"] for one in held.queries)
    assert set(counts) == set(WANTED)
    assert all(counts[name] >= least for name, least in WANTED.items()), counts
    for name, count in counts.items():
        dev = sum(one["category"] == name and one["id"].startswith(f"dev-{name}-") for one in held.queries)
        test = sum(one["category"] == name and one["id"].startswith(f"test-{name}-") for one in held.queries)
        assert dev + test == count
        assert 0.4 <= dev / count <= 0.6, name
    languages = Counter(one["lang"] for one in held.queries)
    assert set(languages) == {"en", "zh", "mixed"}
    assert all(0.44 <= languages[one] / len(held.queries) <= 0.56 for one in ("en", "zh"))


def test_no_file_serves_both_splits(held: Held) -> None:
    served: dict[str, set[str]] = {}
    for one in _answerable(held):
        for target in chain(*_targets(one)):
            served.setdefault(_path(target), set()).add(one["id"].split("-")[0])
    assert [path for path, splits in served.items() if len(splits) > 1] == []


def test_every_gold_exists_and_holds_the_answer(held: Held) -> None:
    for one in _answerable(held):
        parts = one["answer"].split(" | ")
        texts = [[_said(held.notes, target) for target in any_of] for any_of in _targets(one)]
        assert texts, one["id"]
        for any_of in texts:
            assert all(any(part in text for part in parts) for text in any_of), one["id"]
        for part in parts:
            assert any(all(part in text for text in any_of) for any_of in texts), (one["id"], part)


def test_several_golds_stand_in_several_files(held: Held) -> None:
    for one in _answerable(held):
        files = [{_path(target) for target in any_of} for any_of in _targets(one)]
        if one["category"] in ("multi", "bridge"):
            assert 2 <= len(files) <= 4, one["id"]
            assert len(set().union(*files)) == sum(map(len, files)), f"{one['id']}: two golds share a file"
        else:
            assert len(files) == 1, one["id"]


def test_what_answered_once_is_no_gold(held: Held) -> None:
    for one in _answerable(held):
        gold = set(chain(*_targets(one)))
        for target in one.get("stale", []):
            assert _said(held.notes, target), one["id"]
            assert target not in gold, one["id"]
        if "as_of" in one:
            assert one["as_of"] < held.head["now"]


def test_nothing_answers_the_unanswerable(held: Held) -> None:
    passages = _passages(held.notes)
    for one in held.queries:
        assert (one["category"] == "unanswerable") == bool(one.get("abstain")), one["id"]
        if one.get("abstain"):
            parts = one["answer"].casefold().split(" + ")
            assert one["gold"] == []
            assert not [text for text in passages if all(part in text for part in parts)], one["id"]


def test_the_vault_has_no_problem(held: Held, run: driver.Run, tmp_path: Path) -> None:
    root = tmp_path / "vault"
    assert run("init", root).code == 0
    (root / "memdir.toml").write_text('format = 1\ntimezone = "Europe/Amsterdam"\n', "utf-8")
    for record in map(json.loads, FILE.read_text("utf-8").splitlines()):
        if "note" in record:
            path = root / record["note"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(record["text"], "utf-8", newline="")
            moment = datetime.fromisoformat(record["mtime"]).timestamp()
            os.utime(path, (moment, moment))
    assert run("sync", vault=root).code == 0
    health = run("doctor", "--json", vault=root).json
    assert health["problems"] == []
    assert health["files"] >= len(held.notes)
    listed = (root / "MEMORY.md").read_bytes()
    assert listed.count(b"\n") <= LIST_LINES
    assert len(listed) <= LIST_BYTES
    stems = {Path(path).stem for path in held.notes}
    links = {link for text in held.notes.values() for link in re.findall(r"\[\[([^\]|#]+)", text)}
    assert links <= stems, "a link leads nowhere"
