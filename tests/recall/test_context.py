"""Neighbours of what a recall found: they take no place, repeat nothing, and are quoted from the files as they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Result, Run
from memdir.recall import context, evidence
from memdir.recall.evidence import Evidence
from memdir.vault import files, session

SESSION = "memory/sessions/2026/03/s1.md"
LOG = "memory/logs/2026/03/2026-03-02.md"


def said(*texts: str, id_: str = "s1") -> str:
    speakers = ("Mel", "Caro")
    rows: list[dict[str, Any]] = [
        {"session_id": id_, "speaker": speakers[n % 2], "text": text, "ts": f"2026-03-08T10:{n:02}:00Z"}
        for n, text in enumerate(texts)
    ]
    return "\n".join(map(json.dumps, rows))


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    place = vault()
    talk = [f"we spoke of weather {n}" for n in range(20)]
    talk[10] = "the kiln reaches 1,200 degrees"
    assert run("ingest", "-", vault=place, stdin=said(*talk)).code == 0
    entries = "".join(f"\n## 0{n}:00 - Entry {n}\n- {('rain', 'zebra')[n == 4]} of {n}\n" for n in range(9))
    write(place, LOG, f"# 2026-03-02\n{entries}")
    parts = "".join(
        f"\n## Part {n}\n" + ("Giraffe hint.\n" if n == 3 else "") + f"Part {n} at length and more.\n" * 40
        for n in range(6)
    )
    write(place, "memory/ref/long.md", f"---\nname: Long\ntype: ref\n---\n{parts}")
    return place


def near(done: Result, number: int = 0) -> list[tuple[str, str]]:
    return [(one["where"], one["quote"]) for one in done.json["evidence"][number]["context"]]


def test_turns_before_and_after_never_repeat_what_is_ranked(run: Run, root: Path) -> None:
    bare = run("recall", "kiln", "--limit", "3", "--json", vault=root)
    found = run("recall", "kiln", "--limit", "3", "--context", "3", "--json", vault=root)
    assert [{**one, "context": []} for one in found.json["evidence"]] == bare.json["evidence"]
    ranked = {(one["path"], one["line"]) for one in found.json["evidence"]}
    beside = [(one["path"], one["line"]) for held in found.json["evidence"] for one in held["context"]]
    assert not ranked & set(beside)
    assert len(beside) == len(set(beside)) > 3
    for one in found.json["evidence"][0]["context"]:
        assert one["unit"] == "turn"
        assert one["heading"].startswith(("Mel · 2026-03-08T10:", "Caro · 2026-03-08T10:"))
        lines = (root / one["path"]).read_text("utf-8").split("\n")
        assert [line.removeprefix("> ") for line in lines[one["line"] - 1 : one["last"]]] == one["quote"].split("\n")


def test_of_one_result_the_neighbours_stand_in_order(run: Run, root: Path) -> None:
    found = run("recall", "kiln", "--limit", "1", "--context", "2", "--json", vault=root)
    talk = "we spoke of weather"
    assert near(found) == [
        ("before", f"{talk} 8"), ("before", f"{talk} 9"), ("after", f"{talk} 11"), ("after", f"{talk} 12"),
    ]  # fmt: skip
    assert len(found.paths) == 1


def test_beside_an_entry_stand_entries(run: Run, root: Path) -> None:
    found = run("recall", "zebra", "--limit", "1", "--context", "1", "--json", vault=root)
    assert [(where, quote.split("\n")) for where, quote in near(found)] == [
        ("before", ["## 03:00 - Entry 3", "- rain of 3"]),
        ("after", ["## 05:00 - Entry 5", "- rain of 5"]),
    ]


def test_beside_a_passage_stand_passages_and_the_call_reads_all_of_one(run: Run, root: Path) -> None:
    found = run("recall", "giraffe hint", "--limit", "1", "--context", "1", "--json", vault=root).json["evidence"][0]
    before, after = found["context"]
    assert (before["unit"], before["heading"], after["unit"]) == ("passage", "Part 2", "passage")
    assert len(before["quote"].encode()) <= evidence.QUOTE
    assert before["rest"] == f"memdir read 'memory/ref/long.md:{before['line']}' --context 0"
    whole = run("read", f"memory/ref/long.md:{before['line']}", "--context", "0", vault=root).out
    assert before["quote"] in whole
    assert "Giraffe" not in whole
    printed = run("recall", "giraffe hint", "--limit", "1", "--context", "1", vault=root).out
    assert f"   before memory/ref/long.md:{before['line']}  Part 2\n     | " in printed
    assert f"     more: {before['rest']}\n" in printed


def test_a_quote_that_is_cut_names_the_call_that_reads_its_passage(run: Run, root: Path) -> None:
    printed = run("recall", "giraffe hint", "--limit", "1", vault=root).out
    call = printed.rpartition("; more: memdir read ")[2].strip()
    at = (root / "memory/ref/long.md").read_text("utf-8").split("\n").index("Giraffe hint.") + 1
    assert call == f"'memory/ref/long.md:{at}' --context 0"
    whole = run("read", f"memory/ref/long.md:{at}", "--context", "0", vault=root).out
    assert whole.startswith("## Part 3\nGiraffe hint.\n")
    assert whole.count("Part 3 at length") > printed.count("Part 3 at length")


def test_neighbours_leave_the_budget_to_the_evidence(run: Run, root: Path) -> None:
    bare = run("recall", "kiln", "--budget", "150", "--json", vault=root).json["evidence"]
    found = run("recall", "kiln", "--budget", "150", "--context", "5", "--json", vault=root).json
    assert [{**one, "context": []} for one in found["evidence"]] == bare
    assert any(notice.endswith("neighbours did not fit the budget") for notice in found["notices"])
    roomy = run("recall", "kiln", "--budget", "9000", "--context", "5", "--json", vault=root).json
    assert roomy["notices"] == []


def test_without_a_word_there_are_none(run: Run, root: Path) -> None:
    assert all(one["context"] == [] for one in run("recall", "kiln", "--json", vault=root).json["evidence"])
    assert run("recall", "nothingness", "--context", "2", "--json", vault=root).code == 3


def test_a_conversation_goes_on_in_its_next_file(tmp_path: Path) -> None:
    first = [session.Turn("Mel", f"one {n}", "", "", n) for n in range(1, 4)]
    second = [session.Turn("Mel", f"two {n}", "", "", n) for n in range(4, 7)]
    for name, id_, turns in (("a", "a", first), ("a-2", "a", second), ("a-3", "other", second)):
        data = session.render(session.Session("", id_, "jsonl", turns=tuple(turns)))
        path = tmp_path / f"memory/sessions/2026/03/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    root = files.Root(tmp_path)
    try:

        def told(name: str, line: int) -> list[str]:
            found = [proof(f"memory/sessions/2026/03/{name}.md", line)]
            return [one.quote for one in context.around(root, found, 2)[0]]

        lines = (tmp_path / "memory/sessions/2026/03/a.md").read_text("utf-8").split("\n")
        at = lines.index("> one 3") + 1
        assert told("a", at) == ["one 1", "one 2", "two 4", "two 5"]
        assert told("a-2", at - 6) == ["one 2", "one 3", "two 5", "two 6"]
        assert told("a-2", at) == ["two 4", "two 5"]
        assert told("gone", at) == []
    finally:
        root.close()


def proof(path: str, line: int) -> Evidence:
    return Evidence(path, line, line, line, "", "", 1.0, "", "", "session", "turn")


def test_what_is_quoted_is_what_the_file_says_now_and_steers_no_terminal(tmp_path: Path) -> None:
    write(
        tmp_path, LOG, "# 2026-03-02\n\n## 08:00 - One\n- a\x1b[31mb\u202e\n\n## 09:00 - Two\n- c\n\n## 10:00 - Three\n"
    )
    root = files.Root(tmp_path)
    try:
        ((before,),) = context.around(root, [proof(LOG, 7)], 1)  # nothing stands in the entry behind
        assert before.quote == "## 08:00 - One\n- ab"
        write(tmp_path, LOG, "# 2026-03-02\n\n## 08:00 - New\n- d\n\n## 09:00 - Two\n- c\n")
        assert context.around(root, [proof(LOG, 7)], 1)[0][0].quote == "## 08:00 - New\n- d"
        (tmp_path / LOG).unlink()
        assert context.around(root, [proof(LOG, 7)], 1) == [[]]
    finally:
        root.close()
