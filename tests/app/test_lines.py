"""Facts with their history and open loops, through the commands."""

from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.app.memory import Memory
from memdir.index.filters import Filters


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def test_a_fact_changes_and_the_old_value_keeps_its_days(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "The map service.", vault=root, MEMDIR_NOW="2026-03-02T10:00:00+00:00")
    run("fact", "set", "atlas", "port", "7000", vault=root, MEMDIR_NOW="2026-03-02T10:00:00+00:00")
    run("fact", "set", "atlas", "port", "7431", "--source", "[[2026-03-09]]", vault=root,
        MEMDIR_NOW="2026-03-09T10:00:00+00:00")  # fmt: skip
    text = (root / "memory/project/atlas.md").read_text("utf-8")
    body = text.split("---\n")[2]
    assert body == (
        "The map service.\n\n- port:: 7431 (2026-03-09 →) [source:: [[2026-03-09]]]\n\n"
        "## History\n- port:: 7000 (2026-03-02 → 2026-03-09)\n"  # as it stood, without a source that it never had
    )
    assert "updated: 2026-03-09" in text
    assert run("fact", "get", "Atlas", "Port", vault=root).out == "7431\n"
    history = run("fact", "history", "atlas", "port", vault=root).out.splitlines()
    assert history[0].split() == ["7431", "2026-03-09", "→", "[[2026-03-09]]"]
    assert history[1].split() == ["7000", "2026-03-02", "→", "2026-03-09"]


def test_the_same_value_in_another_spelling_changes_nothing(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "- owner:: Mira Vos", vault=root)
    before = (root / "memory/project/atlas.md").read_bytes()
    assert "nothing to change" in run("fact", "set", "atlas", "owner", "mira  vos.", vault=root).err
    assert (root / "memory/project/atlas.md").read_bytes() == before


def test_setting_a_key_with_several_values_moves_all_others(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "  - uses:: Redis\n- other:: x\n- uses:: Kafka", vault=root)
    run("fact", "set", "atlas", "uses", "Kafka", vault=root, MEMDIR_NOW="2026-03-09T10:00:00+00:00")
    body = (root / "memory/project/atlas.md").read_text("utf-8").split("---\n")[2]
    assert body == "  - uses:: Kafka (2026-03-09 →)\n- other:: x\n\n## History\n- uses:: Redis (→ 2026-03-09)\n"


@pytest.mark.parametrize(("key", "value", "code"), [("a::b", "x", 5), ("outcome", "x", 5), ("k", " ", 2), ("", "x", 2)])
def test_what_could_not_be_read_back_is_refused(root: Path, run: Run, key: str, value: str, code: int) -> None:
    run("new", "Atlas", vault=root)
    before = (root / "memory/project/atlas.md").read_bytes()
    assert run("fact", "set", "atlas", key, value, vault=root).code == code
    assert (root / "memory/project/atlas.md").read_bytes() == before


def test_a_crlf_note_stays_one(root: Path, run: Run) -> None:
    note = root / "memory/project/a.md"
    note.write_bytes(b"# A\r\n\r\n- port:: 1\r\n")
    run("fact", "set", "a", "port", "2", vault=root)
    assert b"\n" not in note.read_bytes().replace(b"\r\n", b"")


def test_loops_are_numbered_listed_and_closed(root: Path, run: Run) -> None:
    run("log", "Deploy failed", "--line", "- [ ] Raise the timeout", "--line", "cause:: lock", vault=root)
    run("new", "Atlas", "--body", "- [ ] Write the docs\n```\n- [ ] not one\n```", vault=root)
    found = run("loops", "--json", vault=root).json["loops"]
    assert sorted(one["text"] for one in found) == ["Raise the timeout", "Write the docs"]
    assert all(one["block"] for one in found)
    log = next(root.glob("memory/logs/*/*/*.md"))
    before = log.read_bytes()
    one = next(one for one in found if one["path"].startswith("memory/logs"))
    assert run("resolve", f"^{one['block']}", vault=root).code == 0
    assert log.read_bytes().startswith(before)
    assert run("resolve", "write the docs", vault=root).code == 0
    assert "- [x] Write the docs" in (root / "memory/project/atlas.md").read_text("utf-8")
    assert run("loops", "--json", vault=root).json["loops"] == []
    assert len(run("loops", "--all", "--json", vault=root).json["loops"]) == 2
    assert run("resolve", f"^{one['block']}", vault=root).code == 3


def test_a_loop_without_an_id_is_closed_by_its_words(root: Path, run: Run) -> None:
    log = root / "memory/logs/2026/03/2026-03-02.md"
    log.parent.mkdir(parents=True)
    log.write_text("# 2026-03-02\n\n## 10:00 - Call\n- [ ] Ring the plumber\n", "utf-8")
    assert run("resolve", "2026-03-02:4", vault=root).code == 0
    assert "- resolves:: [[2026-03-02]] Ring the plumber" in next(root.glob("memory/logs/2026/1*/*.md")).read_text(
        "utf-8"
    )
    assert run("loops", vault=root).out == ""


@pytest.mark.parametrize("line", ["- port:: 1 %%ask Bob%%", "- port:: 1 $$x$$ now"])
def test_a_line_that_says_more_than_its_fact_is_left_to_a_person(root: Path, run: Run, line: str) -> None:
    run("new", "Atlas", "--body", line, vault=root)
    before = (root / "memory/project/atlas.md").read_bytes()
    refused = run("fact", "set", "atlas", "port", "2", vault=root)
    assert refused.code == 5
    assert "set it by hand" in refused.err
    assert (root / "memory/project/atlas.md").read_bytes() == before


def test_a_block_id_and_the_lines_under_a_fact_stay_with_it(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "- port:: 1 ^port\n  - opened by ops\n\nMore.", vault=root)
    run("fact", "set", "atlas", "port", "2", vault=root, MEMDIR_NOW="2026-03-09T10:00:00+00:00")
    run("fact", "set", "atlas", "owner", "Mira", vault=root, MEMDIR_NOW="2026-03-09T10:00:00+00:00")
    body = (root / "memory/project/atlas.md").read_text("utf-8").split("---\n")[2]
    assert body.startswith("- port:: 2 (2026-03-09 →) ^port\n  - opened by ops\n- owner:: Mira (2026-03-09 →)\n\nMore.")


def test_a_fact_is_not_written_into_code(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "Text\n\n```\nopen", vault=root)
    assert run("fact", "set", "atlas", "port", "2", vault=root).code == 5


@pytest.mark.parametrize(
    "words", [["set", "atlas", "password=Tr0ub4dor&3xyz"], ["fact", "set", "atlas", "password", "Tr0ub4dor&3xyz"]]
)
def test_what_only_its_key_makes_a_secret_is_redacted(root: Path, run: Run, words: list[str]) -> None:
    run("new", "Atlas", vault=root)
    run(*words, vault=root)
    run("log", "The password of Atlas is", "--line", "Tr0ub4dor&3xyz", vault=root)
    for path in root.rglob("*"):
        assert not path.is_file() or path.match("*/logs/*/*/*.md") or b"Tr0ub4dor" not in path.read_bytes(), path


def texts(run: Run, root: Path) -> list[str]:
    return [one["text"] for one in run("loops", "--json", vault=root).json["loops"]]


def test_the_box_of_the_words_is_ticked_wherever_it_is_now(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody puts a line above the loop between the look at the index and the edit."""
    note = root / "memory/project/atlas.md"
    note.write_text("# Atlas\n\n- [ ] first\n- [ ] second\n", "utf-8")
    run("sync", vault=root)
    real = Memory.current

    def current(memory: Memory) -> object:
        source = real(memory)
        note.write_text("# Atlas\n\n- [ ] third\n- [ ] first\n- [ ] second\n", "utf-8")
        return source

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "current", current)
        assert run("resolve", "second", vault=root).code == 0
    assert note.read_text("utf-8") == "# Atlas\n\n- [ ] third\n- [ ] first\n- [x] second\n"


def test_a_loop_that_is_gone_meanwhile_is_a_conflict(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    note = root / "memory/project/atlas.md"
    note.write_text("# Atlas\n\n- [ ] first\n", "utf-8")
    run("sync", vault=root)
    real = Memory.current

    def current(memory: Memory) -> object:
        source = real(memory)
        note.write_text("# Atlas\n\n- [ ] other\n", "utf-8")
        return source

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "current", current)
        assert run("resolve", "first", vault=root).code == 4
    assert note.read_text("utf-8") == "# Atlas\n\n- [ ] other\n"


def test_closing_sets_the_day_and_reopening_empties_the_box(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "- [ ] Write the docs", vault=root, MEMDIR_NOW="2026-03-02T10:00:00+00:00")
    run("resolve", "write the docs", vault=root, MEMDIR_NOW="2026-03-05T10:00:00+00:00")
    note = root / "memory/project/atlas.md"
    assert "updated: 2026-03-05" in note.read_text("utf-8")
    closed = run("resolve", "write the docs", vault=root)
    assert closed.code == 3
    assert "closed already" in closed.err
    assert run("resolve", "write the docs", "--reopen", vault=root).code == 0
    assert "- [ ] Write the docs" in note.read_text("utf-8")
    assert "open already" in run("resolve", "write the docs", "--reopen", vault=root).err


def test_a_loop_of_a_log_is_opened_again_however_often_it_was_closed(root: Path, run: Run) -> None:
    run("log", "Deploy", "--line", "- [ ] Raise the timeout", vault=root)
    with Memory(root) as memory:
        loop = memory.loops(Filters())[0]
    for _ in range(2):
        run("log", "Done", "--line", f"resolves:: {loop.link}", vault=root)
    assert texts(run, root) == []
    assert run("resolve", "raise the timeout", "--reopen", vault=root).code == 0
    assert texts(run, root) == ["Raise the timeout"]
    run("log", "Again", "--line", f"reopens:: {loop.link}", vault=root)
    assert run("resolve", "raise the timeout", vault=root).code == 0
    assert texts(run, root) == []


def test_a_part_of_the_words_finds_a_loop(root: Path, run: Run) -> None:
    run("new", "Atlas", "--body", "- [ ] Call the Hungarian supplier.\n- [ ] Call the bank\n- [ ] Call", vault=root)
    several = run("resolve", "call the", vault=root)
    assert several.code == 4
    assert "Hungarian supplier" in several.err
    assert run("resolve", "hungarian supplier", vault=root).code == 0
    assert run("resolve", "Call.", vault=root).code == 0
    assert texts(run, root) == ["Call the bank"]


def test_a_fact_is_not_set_in_another_note_than_named(root: Path, run: Run) -> None:
    run("new", "Pump", "--type", "project", vault=root)
    run("mv", "pump", "motor", vault=root)
    run("set", "motor", "name=Motor", "aliases=", vault=root)
    before = (root / "memory/project/motor.md").read_bytes()
    for line in (["fact", "set", "pump", "port", "1"], ["set", "pump", "importance=low"],
                 ["edit", "pump", "--append", "--text", "x"]):  # fmt: skip
        refused = run(*line, vault=root)
        assert refused.code == 3, refused.err
        assert "moved to memory/project/motor.md" in refused.err
    assert (root / "memory/project/motor.md").read_bytes() == before
    assert run("show", "pump", vault=root).code == 0


def test_an_entry_closes_the_one_loop_that_its_words_mean(root: Path, run: Run) -> None:
    run("log", "Release rolled back", "--line", "- [ ] Write the post-mortem of 4.3", "--line", "- [ ] Call Ana",
        "--line", "- [ ] Call Ben", vault=root)  # fmt: skip
    done = run("log", "Written", "--line", "resolves:: Write the post-mortem of 4.3", vault=root)
    assert "closes memory/logs/" in done.err
    assert [one["text"] for one in run("loops", "--json", vault=root).json["loops"]] == ["Call Ana", "Call Ben"]
    assert "#^" in newest_log(root).split("resolves:: ")[1]
    run("undo", "last", vault=root)
    assert len(run("loops", "--json", vault=root).json["loops"]) == 3


@pytest.mark.parametrize(
    ("value", "said"),
    [("Call", "may mean 2 open loops"), ("Feed the cat", "means no open loop"), ("[[2026-01-01#^zzzzz]]", "means no")],
)
def test_words_that_close_no_loop_are_said(root: Path, run: Run, value: str, said: str) -> None:
    run("log", "Calls", "--line", "- [ ] Call Ana", "--line", "- [ ] Call Ben", vault=root)
    done = run("log", "Done", "--line", f"resolves:: {value}", vault=root)
    assert done.code == 0
    assert said in done.err
    assert "memdir resolve" in done.err
    assert len(run("loops", "--json", vault=root).json["loops"]) == 2
    assert newest_log(root).endswith(f"resolves:: {value}\n")


def newest_log(root: Path) -> str:
    (path,) = root.glob("memory/logs/*/*/*.md")
    return path.read_text("utf-8")


@pytest.mark.parametrize(
    ("key", "value"), [("birthday", "12 May"), ("生日", "五月十二日"), ("Blood type", "A negative")]
)
def test_what_somebody_is_born_with_has_no_start(root: Path, run: Run, key: str, value: str) -> None:
    run("new", "Dries", "--type", "ref", "--body", "Plays bass.", vault=root)
    run("fact", "set", "dries", key, value, vault=root)
    assert (root / "memory/ref/dries.md").read_text("utf-8").endswith(f"- {key}:: {value}\n")
