"""Reading a part of a file: units around it, pages of it, what is cut off and the call that brings it back."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Result, Run

SESSION = "memory/sessions/2026/03/s1.md"
LOG = "memory/logs/2026/03/2026-03-02.md"
LONG = "memory/ref/long.md"


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    place = vault()
    turns = [
        {
            "session_id": "s1",
            "speaker": ("Mel", "Caro")[n % 2],
            "text": f"turn {n}\nsecond line of {n}",
            "ts": f"2026-03-08T10:{n:02}:00Z",
            "uuid": f"u{n}",
        }
        for n in range(1, 31)
    ]
    assert run("ingest", "-", vault=place, stdin="\n".join(map(json.dumps, turns))).code == 0
    parts = "".join(f"\n## Part {n}\n" + f"Part {n} says [[thing {n}]] at length.\n" * 40 for n in range(6))
    write(place, LONG, f"---\nname: Long\ntype: ref\ntags: [pump]\n---\n# Long\n{parts}")
    entries = "".join(f"\n## 0{n}:00 - Entry {n}\n- line of {n}\n- more of {n}\n" for n in range(9))
    write(place, LOG, f"# 2026-03-02\n{entries}")
    return place


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def line_of(root: Path, name: str, what: str) -> int:
    return next(n for n, line in enumerate((root / name).read_text("utf-8").split("\n"), 1) if what in line)


def again(run: Run, root: Path, call: str) -> Any:
    """What a call that was named gives, as JSON."""
    program, *line = shlex.split(call)
    assert program == "memdir"
    done = run(*line, *([] if "--" in line else ["--json"]), vault=root)
    assert done.code == 0, done.err
    return done.json if "--" not in line else done


def turns_in(done: Result) -> list[int]:
    return [int(n) for n in re.findall(r"^### .*\^t(\d+)", done.out, re.MULTILINE)]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--context", "2"], [8, 9, 10, 11, 12]),
        (["--context", "0"], [10]),
        (["--before", "1"], [9, 10]),
        (["--after", "3"], [10, 11, 12, 13]),
        (["--before", "1", "--after", "2"], [9, 10, 11, 12]),
        (["--context", "2", "--before", "0"], [10, 11, 12]),
        (["--context", "99"], [*range(1, 31)]),
        (["--context", "2", "--limit", "2", "--offset", "1"], [9, 10]),
    ],
)
def test_round_a_line_of_a_session_stand_turns(run: Run, root: Path, options: list[str], wanted: list[int]) -> None:
    line = line_of(root, SESSION, "second line of 10")
    assert turns_in(run("read", f"{SESSION}:{line}", *options, vault=root)) == wanted
    assert turns_in(run("read", f"{SESSION}#^t10", *options, vault=root)) == wanted


@pytest.mark.parametrize("anchor", ["^t12", "t12"])
def test_a_turn_is_named_as_sources_name_it(run: Run, root: Path, anchor: str) -> None:
    found = run("read", f"s1#{anchor}", "--json", vault=root).json
    assert found["text"] == "### Mel · 2026-03-08T10:12:00Z · ^t12 · u12\n> turn 12\n> second line of 12"
    assert (found["first"], found["last"]) == (line_of(root, SESSION, "^t12 "), line_of(root, SESSION, "line of 12"))
    missing = run("read", f"s1#{anchor}3", vault=root)
    assert (missing.code, "it has ^t1 to ^t30" in missing.err) == (3, True)


def test_of_a_session_limit_and_offset_count_turns(run: Run, root: Path) -> None:
    found = run("read", SESSION, "--limit", "3", "--offset", "4", "--json", vault=root).json
    assert re.findall(r"\^t(\d+)", found["text"]) == ["5", "6", "7"]
    assert (found["unit"], found["total"], found["offset"], found["shown"]) == ("turn", 30, 4, 3)
    assert (found["truncated"], found["rest"]) == (True, f"memdir read '{SESSION}' --offset 7")
    rest = again(run, root, found["rest"])
    assert (rest["offset"], rest["shown"], rest["truncated"], rest["rest"]) == (7, 23, False, "")


def test_round_a_line_of_a_log_stand_entries(run: Run, root: Path) -> None:
    line = line_of(root, LOG, "more of 4")
    found = run("read", f"{LOG}:{line}", "--context", "1", vault=root).out
    assert re.findall(r"Entry (\d)", found) == ["3", "4", "5"]
    assert run("read", f"{LOG}:{line}", "--context", "0", vault=root).out == (
        "## 04:00 - Entry 4\n- line of 4\n- more of 4\n"
    )


def test_round_a_part_of_a_note_stand_passages(run: Run, root: Path) -> None:
    alone = run("read", "long#Part 3", "--json", "--before", "0", vault=root).json
    wide = run("read", "long#Part 3", "--json", "--before", "1", vault=root).json
    assert alone["text"].startswith("## Part 3\n")
    assert "Part 2 says" in wide["text"]
    assert "Part 1 says" not in wide["text"]
    assert wide["text"].endswith(alone["text"])
    assert not wide["truncated"]
    head = run("read", f"{LONG}:1", "--context", "0", "--json", vault=root).json
    assert (head["first"], head["last"]) == (1, 5)  # front matter is beside no passage
    assert "tags" not in run("read", f"{LONG}:9", "--before", "9", vault=root).out


def test_without_a_word_2000_characters_are_shown_and_the_rest_is_named(run: Run, root: Path) -> None:
    whole = (root / LONG).read_text("utf-8")
    found = run("read", LONG, "--json", vault=root).json
    assert 1_900 < len(found["text"]) <= 2_000
    assert whole.startswith(found["text"] + "\n")
    assert (found["total"], found["lines"], found["truncated"]) == (whole.count("\n"), whole.count("\n"), True)
    rest = again(run, root, found["rest"])
    assert f"{found['text']}\n{rest['text']}\n" == whole
    assert rest["first"] == found["last"] + 1
    assert not rest["truncated"]
    printed = run("read", LONG, vault=root)
    left = found["total"] - found["shown"]
    assert printed.out == f"{found['text']}\n[… {left} more lines: memdir read '{LONG}' --offset {found['shown']}]\n"
    assert f"lines 1-{found['shown']} of {found['lines']}" in printed.err


@pytest.mark.parametrize("options", [["--limit", "200"], ["--offset", "1"], ["--before", "0"], ["--context", "0"]])
def test_who_says_how_much_is_never_cut(run: Run, root: Path, options: list[str]) -> None:
    found = run("read", LONG, *options, "--json", vault=root).json
    assert len(found["text"]) > 5_000
    short = run("read", LONG, *options, "--max-chars", "500", "--json", vault=root).json
    assert len(short["text"]) <= 500
    assert short["truncated"]


def test_a_line_asked_for_stands_in_what_is_shown(run: Run, root: Path) -> None:
    lines = [f"{n} " + "word " * 40 for n in range(1, 101)]
    write(root, "memory/ref/wide.md", "\n".join(lines) + "\n")
    found = run("read", "wide:50", "--json", vault=root).json
    assert found["first"] <= 50 <= found["last"]
    assert len(found["text"]) <= 2_000
    above, rest = again(run, root, found["above"]), again(run, root, found["rest"])
    assert "\n".join([above["text"], found["text"], rest["text"]]) == "\n".join(lines[29:70])
    printed = run("read", "wide:50", vault=root).out.split("\n")
    assert printed[0] == f"[… {found['offset']} lines above: {found['above']}]"
    assert printed[-2].endswith(f"more lines: {found['rest']}]")


def test_a_line_that_is_too_long_is_read_whole_by_the_call(run: Run, root: Path) -> None:
    write(root, "memory/ref/flat.md", "first\n" + "水泵" * 3_000 + "\nlast\n")
    found = run("read", "flat", "--offset", "1", "--max-chars", "100", "--json", vault=root).json
    assert (found["text"], found["split"]) == ("水泵" * 50, True)
    assert found["rest"] == "memdir read 'memory/ref/flat.md' --offset 1"
    assert again(run, root, found["rest"])["text"] == "水泵" * 3_000 + "\nlast"
    said = "[… the rest of this line and 1 more line: memdir read 'memory/ref/flat.md' --offset 1]\n"
    assert run("read", "flat", "--offset", "1", "--max-chars", "100", vault=root).out.endswith(said)


def test_a_long_turn_is_cut_between_its_lines(run: Run, root: Path) -> None:
    text = "\n".join(f"line {n} of a long answer" for n in range(200))
    said = json.dumps({"session_id": "big", "speaker": "Mel", "text": text, "ts": "2026-03-09T10:00:00Z"})
    run("ingest", "-", vault=root, stdin=said)
    found = run("read", "big#^t1", "--json", vault=root).json
    assert found["text"].split("\n")[-1].startswith("> line ")
    assert found["text"].split("\n")[-1].endswith(" of a long answer")
    assert (found["split"], found["shown"], found["total"]) == (True, 1, 1)
    assert again(run, root, found["rest"])["text"].endswith("> line 199 of a long answer")


@pytest.mark.parametrize("name", ["-dash.md", "it's.md", 'say "so".md', "$(id).md"])
def test_the_call_is_one_for_a_shell(run: Run, root: Path, name: str) -> None:
    write(root, name, "a line of text\n" * 300)
    mark = run("read", "--", name, vault=root).out.split("\n")[-2]
    rest = again(run, root, mark.partition(": ")[2].removesuffix("]"))
    assert (rest.out if isinstance(rest, Result) else rest["text"]).startswith("a line of text\n")


def test_detail_tells_what_is_understood(run: Run, root: Path) -> None:
    note = run("read", "long#Part 3", "--detail", "--limit", "2", "--json", vault=root).json["detail"]
    assert (note["name"], note["type"], note["tags"], note["meta"]["type"]) == ("Long", "ref", ["pump"], "ref")
    assert [link["target"] for link in note["links"]] == ["thing 3"]
    assert note["links"][0]["line"] == line_of(root, LONG, "Part 3 says")
    assert note["session"] is None
    talk = run("read", "s1#^t3", "--detail", "--json", vault=root).json["detail"]
    assert talk["session"]["id"] == "s1"
    (turn,) = talk["turns"]
    assert (turn["speaker"], turn["ts"], turn["uuid"]) == ("Caro", "2026-03-08T10:03:00Z", "u3")
    printed = run("read", "s1#^t3", "--detail", vault=root).out
    assert "speaker Caro" in printed
    assert re.search(r"^digest: [0-9a-f]{64}$", printed, re.MULTILINE)
    assert run("read", "s1#^t3", "--json", vault=root).json["detail"] is None


def test_format_json_is_json(run: Run, root: Path) -> None:
    wanted = run("read", "long", "--json", vault=root)
    for options in (["--format", "json"], ["--format=json"]):
        assert run("read", "long", *options, vault=root) == wanted
        assert run("read", "nothing", *options, vault=root).json["error"]["exit_code"] == 3
    assert run("read", "long", "--format", "text", vault=root) == run("read", "long", vault=root)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (["long:9999"], 3, "lines, not 9999"), (["long:0"], 3, "lines, not 0"),
        (["long#Nothing"], 3, "no heading 'Nothing'"), (["long#^nothing"], 3, "no block ^nothing"),
        (["long", "--offset", "9999"], 3, "nothing stands behind --offset 9999"),
        ([SESSION, "--offset", "30"], 3, "has 30 turns"), (["twice#Same"], 4, "2 headings 'Same', in lines 1, 3"),
        (["long", "--max-chars", "99"], 2, "100<=x<=20000"), (["long", "--max-chars", "20001"], 2, "100<=x<=20000"),
        (["long", "--limit", "0"], 2, "limit"), (["long", "--before", "-1"], 2, "before"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(run: Run, root: Path, line: list[str], code: int, said: str) -> None:
    write(root, "memory/ref/twice.md", "## Same\none\n## Same\ntwo\n")
    done = run("read", *line, vault=root)
    assert (done.code, said in done.err) == (code, True), done.err


def test_the_part_that_an_edit_hands_back_is_all_of_it(run: Run, root: Path) -> None:
    short = run("read", "long#Part 3", "--limit", "2", "--json", vault=root).json
    whole = run("read", "long#Part 3", "--offset", "0", "--json", vault=root).json
    assert short["part"] == whole["part"]
    assert short["digest"] == whole["digest"]
    done = run("edit", "long", "--section", "Part 3", "--text", "new", "--base", short["part"], vault=root)
    assert done.code == 0, done.err


@pytest.mark.parametrize("text", ["", "\n", "---\ntype: ref\n---\n", "\ufeff# A\r\nb\r\n"])
def test_a_file_with_little_in_it_is_read(run: Run, root: Path, text: str) -> None:
    (root / "memory/ref/small.md").write_bytes(text.encode())
    found = run("read", "small", "--detail", "--json", vault=root).json
    assert (found["truncated"], found["total"]) == (False, found["lines"])
    assert found["text"] == text.lstrip("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    for options in (["--context", "2"], ["--limit", "1"], ["--max-chars", "100"]):
        assert run("read", "small:1", *options, vault=root).code == 0
