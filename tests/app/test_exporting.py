"""Exports and their way back: every note, log, fact, link and turn; nothing that is there is written over."""

import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from driver import Run, Tree
from memdir.app import vaults
from memdir.app.exchange import filing
from memdir.app.exchange.exporting import Wanted, permalinks
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory
from memdir.vault import files, note, session
from memdir.vault.disk import syscalls

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared")
SAMPLES = [SHARED / "samples/obsidian/kepano-obsidian", SHARED / "samples/openclaw/robertsong2019"]


@pytest.fixture
def root(vault: Callable[..., Path], run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMDIR_NOW", "2026-11-29T14:00:00Z")
    root = vault()
    assert run("new", "Shell", "--type", "user", "--tag", "shell", "--body", "- shell:: zsh", vault=root).code == 0
    text = "---\nname: Atlas\ntype: project\nscope: work\ndue: 2026-12-01\n---\nSee [[shell|it]] and ![[plan.png]].\n"
    (root / "memory/project/atlas.md").write_text(text + "- depends_on [[Shell]]\n", "utf-8")
    (root / "memory/project/plan.png").write_bytes(b"\x89PNG")
    assert run("log", "Deploy", "--line", "outcome:: failure", vault=root).code == 0
    turns = [
        {"session_id": "s1", "speaker": "Mel", "text": f"turn {n}", "ts": f"2026-11-29T0{9 - n}:00:00Z"} for n in (1, 2)
    ]
    for turn in turns:  # each by itself: the later one has the earlier time
        assert run("ingest", "-", "--source", "chat", vault=root, stdin=json.dumps(turn)).code == 0
    return root


def lines(root: Path, run: Run, *more: str) -> list[dict[str, Any]]:
    done = run("export", "-", *more, vault=root)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def texts(root: Path) -> dict[str, bytes]:
    """Notes and logs of a vault: everything but the index, conversations and the ledger."""
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in (root / "memory").rglob("*.md")}
    return {path: data for path, data in found.items() if not path.startswith(("memory/sessions/", "memory/ledger"))}


def talks(root: Path) -> dict[tuple[str, str], list[session.Turn]]:
    found: dict[tuple[str, str], list[session.Turn]] = {}
    for path in sorted((root / "memory/sessions").rglob("*.md")):
        held = session.parse(path.name, path.read_bytes())
        found.setdefault((held.source, held.id), []).extend(held.turns)
    return {key: sorted(turns, key=lambda turn: turn.number) for key, turns in found.items()}


def read_in(root: Path) -> dict[str, tuple[Any, Any]]:
    """Facts and links of every note and log."""
    parsed = {path: note.parse(path, data).body for path, data in texts(root).items()}
    return {path: (body.facts, body.links) for path, body in parsed.items()}


def test_lines_say_text_digest_facts_links_and_turns(root: Path, run: Run) -> None:
    head, *records, end = lines(root, run)
    assert (head["export"], head["own"]) == (1, True)
    by_path = {one.get("note", one.get("log")): one for one in records if "note" in one or "log" in one}
    atlas = by_path["memory/project/atlas.md"]
    assert atlas["text"].encode() == (root / "memory/project/atlas.md").read_bytes()
    assert (atlas["name"], atlas["type"]) == ("Atlas", "project")
    assert atlas["links"] == [
        {"line": 7, "target": "shell", "path": "memory/user/shell.md"},
        {"line": 7, "target": "plan.png", "path": "memory/project/plan.png"},
        {"line": 8, "target": "Shell", "path": "memory/user/shell.md", "relation": "depends_on"},
    ]
    assert [(one["key"], one["value"]) for one in by_path["memory/user/shell.md"]["facts"]] == [("shell", "zsh")]
    turns = [one for one in records if "turn" in one]
    assert [(one["turn"], one["source"], one["text"]) for one in turns] == [
        (1, "chat", "turn 1"),
        (2, "chat", "turn 2"),
    ]
    assert end["end"]["turns"] == 2


def test_a_part_is_taken_by_type_and_scope(root: Path, run: Run) -> None:
    assert [one["note"] for one in lines(root, run, "--type", "user")[1:-1]] == ["memory/user/shell.md"]
    assert [one["note"] for one in lines(root, run, "--scope", "work")[1:-1]] == ["memory/project/atlas.md"]
    assert {next(iter(one)) for one in lines(root, run, "--type", "session")[1:-1]} == {"session", "turn"}
    assert [one["log"] for one in lines(root, run, "--type", "log")[1:-1]] == ["memory/logs/2026/11/2026-11-29.md"]


def test_markdown_keeps_files_and_what_they_show(root: Path, tmp_path: Path, run: Run) -> None:
    done = run("export", tmp_path / "out", "--format", "markdown", "--type", "project", "--json", vault=root).json
    assert (done["notes"], done["attachments"], done["astray"]) == (1, 1, 2)
    found = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert found == {"memory/project/atlas.md", "memory/project/plan.png"}
    assert run("export", tmp_path / "out", "--format", "markdown", vault=root).code == 4


def test_an_attachment_that_cannot_be_read_is_said(
    root: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = syscalls.open_read

    def refused(folder: syscalls.Folder, name: str) -> int:
        if name.endswith(".md"):
            return real(folder, name)
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(syscalls, "open_read", refused)
    with Memory(root) as memory:
        done = memory.export(tmp_path / "out", Wanted("markdown"))
    assert (done.attachments, len(done.notices), done.astray) == (0, 2, 1), done.notices
    assert (tmp_path / "out/MEMORY.md").exists()


def test_basic_memory_gets_its_keys_and_the_body_as_it_is(root: Path, tmp_path: Path, run: Run) -> None:
    assert run("export", tmp_path / "out", "--format", "basic-memory", vault=root).code == 0
    held = (root / "memory/project/atlas.md").read_text("utf-8")
    made = (tmp_path / "out/memory/project/atlas.md").read_text("utf-8")
    head = "---\ntitle: Atlas\ntype: project\npermalink: atlas\nscope: work\ndue: 2026-12-01\n---\n"
    assert made == head + held.split("---\n", 2)[2]


def test_two_notes_of_one_name_have_two_permalinks() -> None:
    assert permalinks(["a/x.md", "b/x.md", "c/Y Z.md"]) == {"a/x.md": "a/x", "b/x.md": "b/x", "c/Y Z.md": "y-z"}


def test_standard_output_is_the_export_alone(root: Path, run: Run) -> None:
    assert run("export", "-", "--json", vault=root).code == 2
    assert run("export", "-", "--format", "markdown", vault=root).code == 2


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_an_export_is_no_part_of_the_vault(root: Path, run: Run, tree: Tree, form: str) -> None:
    before = tree(root)
    assert [run("export", root / name, "--format", form, vault=root).code for name in ("out", "memory/out")] == [2, 2]
    assert run("export", root, "--format", form, vault=root).code == 4
    assert tree(root) == before


@pytest.mark.parametrize("kind", ["export", "snapshot"])
def test_a_new_vault_is_the_same_vault(
    root: Path, tmp_path: Path, vault: Callable[..., Path], run: Run, kind: str
) -> None:
    file = tmp_path / "held"
    (root / "MEMORY.md").write_text("# Mine\n\nRead the atlas first.\n", "utf-8")
    (root / "memory/inbox/wait.md").write_text("later", "utf-8")
    assert run(*(["export"] if kind == "export" else ["snapshot", "create"]), file, vault=root).code == 0
    new = vault(name="new")
    done = run("import", "memdir", file, "--json", vault=new).json
    assert (done["turns"], done["bad"], done["notices"]) == (2, 0, [])
    assert texts(new) == texts(root)
    assert talks(new).keys() == talks(root).keys() == {("chat", "s1")}
    assert [turn.text for turn in talks(new)["chat", "s1"]] == ["turn 1", "turn 2"]
    assert "Read the atlas first." in (new / "MEMORY.md").read_text("utf-8")
    assert run("recall", "zsh", "--json", vault=new).paths == ["memory/user/shell.md"]
    again = run("import", "memdir", file, "--json", vault=new).json
    assert (again["files"], again["turns"], again["known"], again["notices"]) == ([], 0, 2, [])
    assert again["notes_known"] == done["notes"] + done["others"] + done["attachments"]


@pytest.mark.parametrize("command", [["export"], ["snapshot", "create"]])
def test_notes_come_in_unreviewed_only_where_the_source_is_named(
    root: Path, tmp_path: Path, vault: Callable[..., Path], run: Run, tree: Tree, command: list[str]
) -> None:
    assert run(*command, tmp_path / "held", vault=root).code == 0
    new = vault(name="new")
    before = tree(new)
    done = run("import", tmp_path / "held", vault=new)
    assert (done.code, "import memdir" in done.err) == (2, True)
    assert tree(new) == before


def test_the_vault_itself_knows_its_export(root: Path, tmp_path: Path, run: Run, tree: Tree) -> None:
    assert run("export", tmp_path / "e.jsonl", vault=root).code == 0
    before = texts(root), talks(root)
    assert run("import", "memdir", tmp_path / "e.jsonl", "--json", vault=root).json["files"] == []
    assert (texts(root), talks(root)) == before


def test_what_is_there_stays_and_the_log_grows(
    root: Path, tmp_path: Path, vault: Callable[..., Path], run: Run
) -> None:
    assert run("export", tmp_path / "e.jsonl", vault=root).code == 0
    new = vault(name="new")
    (new / "memory/user/Shell.md").write_text("another", "utf-8")
    assert run("log", "Mine", vault=new, MEMDIR_NOW="2026-11-29T15:00:00Z").code == 0
    day = "memory/logs/2026/11/2026-11-29.md"
    mine = (new / day).read_text("utf-8")
    planned = run("import", "memdir", tmp_path / "e.jsonl", "--dry-run", "--json", vault=new).json
    assert (new / day).read_text("utf-8") == mine
    done = run("import", "memdir", tmp_path / "e.jsonl", "--json", vault=new).json
    assert (new / "memory/user/Shell.md").read_text("utf-8") == "another"
    assert [line for line in done["notices"] if "Shell.md" in line]
    theirs = (root / day).read_text("utf-8").removeprefix("# 2026-11-29\n")
    assert (new / day).read_text("utf-8") == mine + theirs
    assert (planned["entries"], planned["files"]) == (2, done["files"])
    again = run("import", "memdir", tmp_path / "e.jsonl", "--json", vault=new).json
    assert (again["entries"], again["files"]) == (0, [])
    assert run("undo", done["run"], vault=new).code == 0
    assert not (new / "memory/project/atlas.md").exists()


def test_entries_that_are_there_twice_count_twice() -> None:
    entry, other = "## 10:00 - A\n- x\n", "## 11:00 - B\n"
    assert filing.missing("2026-11-29.md", entry.encode(), (entry + "\n" + entry + other).encode()) == (
        [entry.strip(), other.strip()], False,
    )  # fmt: skip
    assert filing.missing("2026-11-29.md", b"# 2026-11-29\n", b"# 2026-11-29\n\nwords\n## Later\n") == ([], True)


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "/x.md",
        ".git/x.md",
        "memory/ledger/2026-11.x.jsonl",
        "memory/Ledger/2026-11.x.jsonl",
        "memory/HEARTBEAT-state.json",
        "memory/user/a.md/b.md",
        "memory/a?.md",
        "venv/a.md",
    ],
)
def test_a_path_that_is_no_place_for_a_note_is_left(
    vault: Callable[..., Path], run: Run, tree: Tree, path: str
) -> None:
    root = vault()
    (root / "memory/user/a.md").write_text("a", "utf-8")
    data = json.dumps({"memdir": "1", "export": 1}) + "\n"
    data += json.dumps({"note": path, "text": "x", "digest": files.digest(b"x")})
    data += '\n{"end": {}}\n'
    (root.parent / "e.jsonl").write_text(data, "utf-8")
    before = tree(root.parent)
    done = run("import", "memdir", root.parent / "e.jsonl", "--json", vault=root)
    assert (done.code, done.json["files"], len(done.json["notices"])) == (0, [], 1)
    assert tree(root.parent) == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"note": "a.md", "text": "x", "digest": "0"}', "digest"),
        ('{"note": "a.md", "base64": "?", "digest": "0"}', "a.md"),
        ('{"turn": 1, "session": "s"}', "no turn"),
        ("[]", "no JSON object"),
        ("{", "no JSON"),
        ("{}", "neither"),
    ],
)
def test_a_bad_line_is_said_and_passed_over(vault: Callable[..., Path], run: Run, line: str, why: str) -> None:
    root = vault()
    turn = '{"turn": 1, "session": "s", "speaker": "a", "text": "b"}'
    data = "\n".join(['{"memdir": "1", "export": 1}', line, turn, '{"end": {}}'])
    (root.parent / "e.jsonl").write_text(data, "utf-8")
    done = run("import", "memdir", root.parent / "e.jsonl", "--json", vault=root).json
    assert (done["turns"], done["bad"]) == (1, 1)
    assert why in done["problems"][0]["why"]
    assert done["problems"][0]["where"] == "line 2"


def test_an_export_cut_short_is_said(root: Path, vault: Callable[..., Path], run: Run) -> None:
    whole = run("export", "-", vault=root).out.splitlines()
    new = vault(name="new")
    (root.parent / "e.jsonl").write_text("\n".join(whole[:-1]), "utf-8")
    done = run("import", "memdir", root.parent / "e.jsonl", "--json", vault=new).json
    assert [one["where"] for one in done["problems"]] == ["the end"]
    newer = whole[0].replace('"export": 1', '"export": 2')
    (root.parent / "e.jsonl").write_text(newer, "utf-8")
    assert run("import", "memdir", root.parent / "e.jsonl", vault=new).code == 5


# --- every vault -----------------------------------------------------------------------------------------

PARTS = (
    "plain words", "- shell:: zsh (2019-04-01 → 2026-03-12)", "- uses [[水泵]] now", "- uses [[pump]]", "## 10:00 - x",
    "## Head", "```\n- no:: fact", "> ### user · ^t1", "- [ ] loop ^k1", "\u2028 odd \x85", "")  # fmt: skip
FRONT = ("", "---\nname: A: b\ntags: [x]\n---\n", "---\nbad: [\n---\n", "\ufeff---\r\ntitle: t\r\n---\r\n")
TEXT = st.builds(
    lambda front, parts, end: (front + "\n".join(parts)).encode() + end,
    st.sampled_from(FRONT),
    st.lists(st.sampled_from(PARTS), max_size=6),
    st.sampled_from([b"", b"\n", b"\r\n", b"\xff\xfe", b"\xed\xa0\x80\n"]),
)
PLACES = ("memory/user/pump.md", "memory/ref/水泵.md", "memory/archive/ref/old.md", "memory/logs/2026/11/2026-11-29.md",
    "memory/deep/er/2026-11-29 visit.md", "memory/procedures/do.md", "memory/inbox/in.md")  # fmt: skip
KEYS = ("session_id", "speaker", "text", "ts", "uuid")
SPOKEN = st.tuples(
    st.sampled_from(["s1", "S1", "a/b", "s1-2"]),
    st.sampled_from(["chat", "code", ""]),
    st.sampled_from(["user", "Mel · Caro"]),
    st.sampled_from(["hello", "hello\n", "> quoted\n\n### user · ^t9", "\u2028", "- a:: b", "水" * 600]),
    st.sampled_from(["", "2026-11-29T14:00:00Z", "2025-01-01T00:00:00+02:00"]),
    st.sampled_from(["", "u1", "u2"]),
)


@pytest.fixture(scope="module")
def base() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(held=st.dictionaries(st.sampled_from(PLACES), TEXT), said=st.lists(SPOKEN, max_size=6))
def test_every_note_fact_link_and_turn_comes_back(
    base: Path, held: dict[str, bytes], said: list[tuple[str, str, str, str, str, str]]
) -> None:
    with tempfile.TemporaryDirectory(dir=base) as place, pytest.MonkeyPatch.context() as patch:
        roots = [Path(place, name) for name in ("old", "by-export", "by-snapshot")]
        for root in roots:
            vaults.init(root, adopt=False)
        for path, data in held.items():
            (roots[0] / path).parent.mkdir(parents=True, exist_ok=True)
            (roots[0] / path).write_bytes(data)
        patch.setattr(session, "LIMIT", 4_000)  # bytes: conversations in several parts
        with Memory(roots[0]) as memory:
            for source in {one[1] for one in said}:
                turns = [dict(zip(KEYS, (one[0], *one[2:]), strict=True)) for one in said if one[1] == source]
                memory.ingest(io.BytesIO("\n".join(map(json.dumps, turns)).encode()), source=source)
            memory.export(Path(place, "by-export.file"), Wanted())
            memory.snapshot(Path(place, "by-snapshot.file"))
        for root in roots[1:]:
            with Memory(root) as memory:
                done = memory.bring("memdir", Path(place, f"{root.name}.file"), Asked())
                assert (done.problems, [one for one in done.notices if "without a time" not in one]) == ([], [])
                again = memory.bring("memdir", Path(place, f"{root.name}.file"), Asked())
                assert (again.files, again.turns, again.notes) == ([], 0, 0)
            assert texts(root) == texts(roots[0])
            assert read_in(root) == read_in(roots[0])
            assert _plain(talks(root)) == _plain(talks(roots[0]))


def _plain(held: dict[tuple[str, str], list[session.Turn]]) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    return {
        key: [(turn.number, turn.speaker, turn.text, turn.ts, turn.uuid) for turn in turns]
        for key, turns in held.items()
    }


@pytest.mark.skipif(not SAMPLES[0].exists(), reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("source", SAMPLES, ids=lambda path: path.name)
def test_a_real_vault_comes_back(source: Path, tmp_path: Path, run: Run) -> None:
    new = tmp_path / "new"
    new.mkdir()
    for root in (source, new):
        assert run("init", root, "--adopt").code == 0
    assert run("export", tmp_path / "e.jsonl", vault=source).code == 0
    done = run("import", "memdir", tmp_path / "e.jsonl", "--json", vault=new).json
    assert (done["bad"], done["notices"]) == (0, [])
    said = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text("utf-8").splitlines()]
    paths = [one.get("note", one.get("log")) for one in said if "note" in one or "log" in one]
    assert len(paths) > 20
    assert {path: (new / path).read_bytes() for path in paths} == {path: (source / path).read_bytes() for path in paths}
    assert run("list", "--json", vault=new).paths == run("list", "--json", vault=source).paths


@pytest.mark.parametrize("format_", ["markdown", "basic-memory"])
def test_a_folder_that_was_exported_comes_in_as_what_it_was(
    vault: Callable[..., Path], run: Run, tmp_path: Path, format_: str
) -> None:
    """Conversations as such, types as they were, and what waited for review waits again."""
    root, other, to = vault(), tmp_path / "other", tmp_path / "out"
    run("init", other)
    run("new", "Engine", "--type", "project", "--body", "- port:: 7431", vault=root)
    line = '{"session_id": "talk-1", "speaker": "user", "text": "the lark sings", "ts": "2026-11-29T10:00:00Z"}\n'
    run("ingest", "-", vault=root, stdin=line)
    waits = "---\nname: Waits\ntype: ref\nstatus: proposed\n---\nIt waits.\n"
    (root / "memory/inbox").mkdir(exist_ok=True)
    (root / "memory/inbox/waits.md").write_text(waits, "utf-8")
    told = run("export", to, "--format", format_, "--json", vault=root).json
    assert (told["notes"], told["others"]) == (1, 2)  # MEMORY.md and what waits
    done = run("import", to, "--json", vault=other).json
    assert (done["turns"], done["notes"], done["proposed"]) == (1, 2, 1)  # and the log
    assert [path for path in done["files"] if path.startswith("memory/ref/20")]
    assert (other / "memory/project/engine.md").exists()
    assert (other / "memory/inbox/waits.md").exists()
    again = run("import", to, "--json", vault=other).json
    assert (again["turns"], again["notes"], again["proposed"], again["files"]) == (0, 0, 0, [])
    refused = run("import", "memdir", to, vault=other)
    assert (refused.code, "come back whole" in refused.err) == (5, True)
