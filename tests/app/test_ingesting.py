"""Ingest: each turn of a transcript once, whatever its order and size, and taken back whole."""

import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run, Tree
from memdir.app.exchange import ingesting
from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.ingest import jsonstream
from memdir.vault import session

KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 3


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def lines(*turns: dict[str, Any]) -> str:
    return "".join(json.dumps(turn) + "\n" for turn in turns)


def said(text: str, id_: str = "s1", **more: Any) -> dict[str, Any]:
    return {"session_id": id_, "speaker": "user", "text": text, "ts": "2026-11-29T14:02:11Z", **more}


def talk(size: int, id_: str = "s1", **more: Any) -> list[dict[str, Any]]:
    return [
        said(f"{id_} says {n}", id_, speaker=("Mel", "Caro")[n % 2], ts=f"2026-11-29T00:{n:02d}:00Z", **more)
        for n in range(size)
    ]  # fmt: skip


def texts(root: Path, id_: str = "s1") -> list[str]:
    with Memory(root) as memory:
        return [turn["text"] for turn in memory.session(id_, limit=10_000)["turns"]]


def test_a_transcript_becomes_session_files(root: Path, run: Run) -> None:
    given = lines(
        *talk(3), said("hello\n### x · ^t9\n> y", "Other/../id", ts="2025-01-02T00:00:00Z", uuid="u1", scope="w")
    )
    done = run("ingest", "-", "--source", "chat", "--json", vault=root, stdin=given).json
    assert (done["sessions"], done["new"], done["turns"], done["known"], done["bad"]) == (2, 2, 4, 0, 0)
    assert sorted(done["files"]) == ["memory/sessions/2025/01/other-id.md", "memory/sessions/2026/11/s1.md"]
    text = (root / "memory/sessions/2025/01/other-id.md").read_text("utf-8")
    assert text == (
        "---\ntype: session\nid: Other/../id\nsource: chat\nstarted: 2025-01-02T00:00:00Z\nscope: w\n---\n\n"
        "### user · 2025-01-02T00:00:00Z · ^t1 · u1\n> hello\n> ### x · ^t9\n> > y\n"
    )
    listed = run("sessions", "list", "--json", vault=root).json
    assert listed["total"] == 2
    assert listed["sessions"][0] == {
        "id": "s1", "source": "chat", "started": "2026-11-29T00:00:00Z", "turns": 3, "speakers": ["Caro", "Mel"],
        "files": 1, "name": "",
    }  # fmt: skip
    shown = run("sessions", "show", "s1", "--limit", 1, "--offset", 1, "--json", vault=root).json
    assert (shown["total"], shown["left"], shown["turns"][0]["number"]) == (3, 1, 2)
    assert shown["turns"][0]["line"] == 11
    assert "s1 says 1" in run("sessions", "show", "memory/sessions/2026/11/s1.md", vault=root).out
    assert run("sessions", "show", "nobody", vault=root).code == 3


def test_the_same_file_twice_adds_nothing_and_a_longer_one_its_end(root: Path, run: Run, tree: Tree) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(5)))
    before = tree(root)
    again = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(5))).json
    assert (again["turns"], again["known"], again["run"]) == (0, 5, "")
    assert tree(root) == before
    more = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(7))).json
    assert (more["turns"], more["known"], more["new"]) == (2, 5, 0)
    assert texts(root) == [f"s1 says {n}" for n in range(7)]
    tail = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(9)[6:])).json
    assert (tail["turns"], tail["known"]) == (2, 1)
    other = run("ingest", "-", "--source", "elsewhere", "--json", vault=root, stdin=lines(*talk(5))).json
    assert (other["turns"], other["files"]) == (5, ["memory/sessions/2026/11/s1-2.md"])
    assert run("sessions", "show", "s1", vault=root).code == 4  # two sources have it


def test_what_was_ingested_is_known_without_an_index(root: Path, run: Run) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(5)))
    again = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(5)), XDG_CACHE_HOME=str(root.parent / "other"))
    assert again.json["turns"] == 0


def test_any_order_gives_the_same_sessions(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches so small that every conversation is divided among many."""
    monkeypatch.setattr(ingesting, "BATCH", 200)
    monkeypatch.setattr(ingesting, "SPOOLS", 3)
    whole = [turn for n in range(20) for turn in talk(30, f"s{n}")]
    mixed = random.Random(1).sample(whole, len(whole))
    done = run("ingest", "-", "--json", vault=root, stdin=lines(*mixed)).json
    assert (done["sessions"], done["new"], done["turns"], done["known"]) == (20, 20, 600, 0)
    for n in range(20):
        assert sorted(texts(root, f"s{n}")) == sorted(f"s{n} says {k}" for k in range(30))
    assert run("ingest", "-", "--json", vault=root, stdin=lines(*whole)).json["turns"] == 0
    assert len(list((root / "memory/sessions").rglob("*.md"))) == 20


def test_turns_of_a_batch_stand_in_the_order_of_their_times(root: Path, run: Run) -> None:
    run("ingest", "-", vault=root, stdin=lines(*reversed(talk(8))))
    assert texts(root) == [f"s1 says {n}" for n in range(8)]


def test_equal_turns_of_one_time_are_kept_across_batches(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingesting, "BATCH", 3)
    given = lines(*[said("ok")] * 5).encode()
    with Memory(root) as memory:
        assert memory.ingest(io.BytesIO(given)).turns == 5
        assert memory.ingest(io.BytesIO(given)).turns == 0


def test_bad_lines_are_counted_and_never_fatal(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "LONGEST_LINE", 2_000)
    bad = [
        "{torn", "[1]", "3", '{"session_id": "s"}', '{"session_id":"s","speaker":"u"}', '{"speaker":"u","text":"x"}',
        lines(said(" ")).strip(), lines(said("x" * 5_000)).strip(), "[" * 1_500, lines(said("x", "y" * 300)).strip(),
        '{"session_id":"s","speaker":7,"text":"x"}',
    ]  # fmt: skip
    given = "\ufeff" + lines(said("first")) + "\n".join(bad) + "\n\n" + lines(said("last \ud83d", ts="never"))
    done = run("ingest", "-", "--json", vault=root, stdin=given).json
    assert (done["turns"], done["bad"], done["undated"]) == (2, len(bad), 1)
    assert [one["where"] for one in done["problems"]] == [f"line {n}" for n in range(2, 2 + len(bad))]
    assert texts(root) == ["first", "last \ufffd"]
    for path in (root / "memory/sessions").rglob("*.md"):
        path.read_text("utf-8")


def test_secrets_never_reach_a_file_and_captions_are_text(root: Path, run: Run) -> None:
    done = run("ingest", "-", vault=root, stdin=lines(said(f"my key is {KEY}"), said("look", caption="a red\nkiln")))
    assert "secrets replaced" in done.err
    assert not [path for path in root.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert texts(root)[1] == "look\n[photo: a red kiln]"
    assert run("ingest", "-", "--json", vault=root, stdin=lines(said(f"my key is {KEY}"))).json["turns"] == 0


def test_a_dry_run_shows_and_writes_nothing(root: Path, run: Run, tree: Tree) -> None:
    before = tree(root)
    shown = run("ingest", "-", "--dry-run", vault=root, stdin=lines(*talk(2)))
    assert shown.out.splitlines() == [
        "memory/sessions: 1 file: 2026/11/s1.md",
        "jsonl: would add 2 turns of 1 session; known: 0; bad: 0",
    ]
    assert "+> s1 says 1" in run("ingest", "-", "--dry-run", "--verbose", vault=root, stdin=lines(*talk(2))).out
    assert tree(root) == before


def test_a_dry_run_of_much_counts_by_kind_and_names_the_first_few(root: Path, run: Run, tmp_path: Path) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    for n in range(5):
        (source / f"n{n}.md").write_text(f"Lark {n}.\n", "utf-8")
    (source / "me.md").write_text("---\ntype: user\n---\nI sing.\n", "utf-8")
    asked = ("import", source, "--dry-run")
    assert run(*asked, vault=root).out.splitlines()[:2] == [
        "memory/inbox: 1 file: me.md",
        "memory/ref: 5 files: n0.md, n1.md, n2.md, 2 more",
    ]
    assert len(run(*asked, "--json", vault=root).json["files"]) == 6
    assert all(f"+Lark {n}." in run(*asked, "--verbose", vault=root).out for n in range(5))


def test_a_conversation_is_recalled_by_the_beginning_of_its_id(root: Path, run: Run) -> None:
    turns = [{**said("the lark sings"), "session_id": id_} for id_ in ("alpha", "alpha-one", "beta-1", "beta-2")]
    run("ingest", "-", vault=root, stdin=lines(*turns))

    def of(begun: str) -> list[str]:
        return run("recall", "lark", "--session", begun, "--json", vault=root).paths

    assert of("alpha") == ["memory/sessions/2026/11/alpha.md"]  # a whole id means itself
    assert of("alpha-") == ["memory/sessions/2026/11/alpha-one.md"]
    assert of("beta-2") == ["memory/sessions/2026/11/beta-2.md"]
    many = run("recall", "lark", "--session", "beta", vault=root)
    assert many.code == 4
    assert "beta-1, beta-2" in many.err
    assert run("recall", "lark", "--session", "gamma", vault=root).code == 3


def test_an_import_takes_the_scope_of_the_repository_round_it_and_may_be_told_to_resume(
    root: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harbour/.git").mkdir(parents=True)
    (tmp_path / "harbour/deep").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/lark.md").write_text("The lark.\n", "utf-8")
    monkeypatch.chdir(tmp_path / "harbour/deep")
    asked = ("import", tmp_path / "notes", "--scope-from-cwd", "--resume")
    assert run(*asked, vault=root).code == 0
    assert "scope: harbour" in (root / "memory/ref/lark.md").read_text("utf-8")
    assert "known: 1" in run(*asked, vault=root).out


def test_sessions_are_no_notes(root: Path, run: Run) -> None:
    run("new", "Kiln", "--type", "ref", vault=root)
    run("ingest", "-", vault=root, stdin=lines(said("See [[kiln]] #pottery\n- shell:: zsh\n- [ ] fire the kiln")))
    listed = [one["path"] for one in run("list", "--json", vault=root).json["notes"]]
    assert "memory/sessions/2026/11/s1.md" not in listed
    assert run("list", "--type", "session", "--json", vault=root).paths == ["memory/sessions/2026/11/s1.md"]
    assert "sessions" not in (root / "MEMORY.md").read_text("utf-8")
    assert run("loops", "--json", vault=root).json["loops"] == []
    assert run("stats", "--json", vault=root).json["turns"] == 1
    assert run("edit", "memory/sessions/2026/11/s1.md", "--append", "--text", "x", vault=root).code == 5
    assert run("mv", "kiln", "oven", vault=root).code == 0
    assert "[[kiln]]" in (root / "memory/sessions/2026/11/s1.md").read_text("utf-8")
    assert run("doctor", vault=root).code == 0


def test_a_long_conversation_rolls_over_and_stays_one(root: Path, run: Run) -> None:
    whole = [said("x" * 90_000 + str(n), ts=f"2026-11-29T14:{n:02d}:00Z") for n in range(14)]
    run("ingest", "-", vault=root, stdin=lines(*whole[:7]))
    run("ingest", "-", vault=root, stdin=lines(*whole))
    files = sorted((root / "memory/sessions/2026/11").iterdir())
    assert [path.name for path in files] == ["s1-2.md", "s1-3.md", "s1.md"]
    assert all(path.stat().st_size <= session.LIMIT for path in files)
    assert texts(root) == [turn["text"] for turn in whole]
    with Memory(root) as memory:
        reader = memory.current()
        number = next(iter(reader.turns(["x" * 64], Filters(), 1).best))
        assert sorted(one.number for one in reader.beside([number], 20)) == [*range(1, 15)]


# --- undo --------------------------------------------------------------------------------------------


def truth(tree: dict[str, str]) -> dict[str, str]:
    quiet = (".memdir", "memory/logs", "memory/ledger")
    return {path: one for path, one in tree.items() if not path.startswith(quiet) and one != "folder"}


def test_undo_takes_an_ingest_back_byte_for_byte(root: Path, run: Run, tree: Tree) -> None:
    states = [truth(tree(root))]
    for size in (3, 5, 9):
        run("ingest", "-", vault=root, stdin=lines(*talk(size), *talk(size, "s2")))
        states.append(truth(tree(root)))
    assert "+> s1 says 8" in run("diff", "last", vault=root).out
    for state in (states[2], states[1], states[0]):
        done = run("undo", "last", vault=root)
        assert done.code == 0, done.err
        assert truth(tree(root)) == state
    assert run("sessions", "list", "--json", vault=root).json["total"] == 0


def test_an_undo_of_an_ingest_can_be_taken_back(root: Path, run: Run, tree: Tree) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(3)))
    run("ingest", "-", vault=root, stdin=lines(*talk(6)))
    made = truth(tree(root))
    run("undo", "last", vault=root)
    latest = run("runs", "--json", vault=root).json["runs"][0]["id"]
    assert run("undo", latest, vault=root).code == 0
    assert truth(tree(root)) == made


def test_undo_refuses_where_the_conversation_went_on(root: Path, run: Run, tree: Tree) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(3)))
    first = run("runs", "--json", vault=root).json["runs"][0]["id"]
    run("ingest", "-", vault=root, stdin=lines(*talk(6)))
    before = truth(tree(root))
    refused = run("undo", first, vault=root)
    assert refused.code == 4
    assert "take that back first" in refused.err
    assert truth(tree(root)) == before
    with (root / "memory/sessions/2026/11/s1.md").open("a") as file:
        file.write("\n### me · ^t7\n> by hand\n")
    assert "by a person since" in run("undo", "last", vault=root).err


def test_undo_of_many_sessions_leaves_no_index_behind(root: Path, run: Run) -> None:
    """So many files at once would look like a vault that is not mounted."""
    run("ingest", "-", vault=root, stdin=lines(*(turn for n in range(40) for turn in talk(1, f"s{n}"))))
    assert run("undo", "last", vault=root).code == 0
    again = run("sync", vault=root)
    assert again.code == 0, again.err
    assert run("sessions", "list", "--json", vault=root).json == {"sessions": [], "total": 0, "notices": []}


def test_the_ledger_says_what_was_imported(root: Path, run: Run) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(3)) + "{bad\n")
    events = [
        json.loads(line) for line in next((root / "memory/ledger").iterdir()).read_text("utf-8").split("\n") if line
    ]
    (event,) = [one for one in events if one["op"] == "imported"]
    assert {key: event[key] for key in ("source", "sessions", "new", "turns", "known", "bad")} == {
        "source": "jsonl", "sessions": 1, "new": 1, "turns": 3, "known": 0, "bad": 1,
    }  # fmt: skip
    assert events[0]["run"] == event["run"]


def test_a_session_that_cannot_be_read_does_not_stop_the_others(root: Path, run: Run) -> None:
    run("ingest", "-", vault=root, stdin=lines(*talk(1)))
    path = root / "memory/sessions/2026/11/s1.md"
    path.rename(path.with_name("kept.txt"))
    path.symlink_to(path.with_name("kept.txt"))
    done = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(2), *talk(2, "s2")))
    assert done.code == 0, done.err
    assert (done.json["turns"], done.json["sessions"]) == (2, 2)
    assert "s1 is left as it is" in done.json["notices"][0]
    assert texts(root, "s2") == ["s2 says 0", "s2 says 1"]


def test_the_empty_file_of_a_kill_is_written_and_no_second_one(root: Path, run: Run) -> None:
    path = root / "memory/sessions/2026/11/s1.md"
    path.parent.mkdir(parents=True)
    path.touch()
    done = run("ingest", "-", "--json", vault=root, stdin=lines(*talk(2))).json
    assert done["files"] == ["memory/sessions/2026/11/s1.md"]
    assert path.read_text("utf-8").startswith("---\ntype: session\nid: s1\n")
    assert texts(root) == ["s1 says 0", "s1 says 1"]
    assert len(list((root / "memory/sessions").rglob("*.md"))) == 1
    assert run("undo", "last", vault=root).code == 0
    assert run("ingest", "-", "--json", vault=root, stdin=lines(*talk(2))).json["turns"] == 2


def test_an_adopted_vault_takes_sessions_too(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a" / "memory/sessions").mkdir(parents=True)
    (tmp_path / "a" / "memory/sessions/mine.md").write_text("# A note of mine about kilns\n", "utf-8")
    run("init", "--adopt", tmp_path / "a")
    run("ingest", "-", vault=tmp_path / "a", stdin=lines(*talk(2)))
    assert texts(tmp_path / "a") == ["s1 says 0", "s1 says 1"]
    assert run("list", "--json", vault=tmp_path / "a").paths == ["memory/sessions/mine.md"]


def test_a_turn_that_answers_without_the_words_says_why_it_is_found(root: Path, run: Run) -> None:
    """A reply stands beside the question that shares the words."""
    told = [said("Where do you keep the bicycle?", speaker="Caro"), said("In the cellar.", speaker="Mel")]
    run("ingest", "-", vault=root, stdin=lines(*told))
    found = run("recall", "where is the bicycle", "--json", vault=root).json["evidence"]
    whys = {one["heading"].split()[0]: one["why"] for one in found}
    assert whys["Mel"] == ["beside a turn that holds the words"]
    assert whys["Caro"][0].startswith("text: ")


def test_a_folder_of_transcripts_comes_in(root: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    (folder / "old").mkdir(parents=True)
    (folder / "a.jsonl").write_text(lines(said("one", "a")), "utf-8")
    (folder / "old" / "b.jsonl").write_text(lines(said("two", "b")), "utf-8")
    (folder / "notes.txt").write_text("no transcript", "utf-8")
    done = run("ingest", folder, "--source", "chat", "--json", vault=root).json
    assert (done["source"], done["sessions"], done["turns"]) == ("chat", 2, 2)
    again = run("ingest", folder / "a.jsonl", "--source", "chat", "--json", vault=root).json
    assert (again["turns"], again["known"]) == (0, 1)
    assert run("ingest", tmp_path / "nowhere", vault=root).code == 2


def test_a_chat_keeps_its_title(root: Path, run: Run, tmp_path: Path) -> None:
    chat = {
        "uuid": "c1", "name": "Bread — 面包", "created_at": "2026-09-01T10:00:00Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "How long to proof?", "created_at": "2026-09-01T10:00:01Z"},
            {"uuid": "m2", "sender": "assistant", "text": "An hour.", "created_at": "2026-09-01T10:00:02Z"},
        ],
    }  # fmt: skip
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([chat]), "utf-8")
    run("import", "claude", export, vault=root)
    file = root / "memory/sessions/2026/09/c1.md"
    assert "\nname: Bread — 面包\n" in file.read_text("utf-8")
    assert session.render(session.parse("", file.read_bytes())) == file.read_bytes()
    assert run("sessions", "list", "--json", vault=root).json["sessions"][0]["name"] == "Bread — 面包"
    assert "Bread — 面包" in run("sessions", "list", vault=root).out
    assert "Bread — 面包" in run("recall", "how long to proof", vault=root).out
    # The title of a chat comes from outside: it takes no note's name away.
    (root / "memory/ref/loaf.md").write_text("---\nname: Bread — 面包\ntype: ref\n---\nmine\n", "utf-8")
    assert run("show", "Bread — 面包", "--json", vault=root).json["path"] == "memory/ref/loaf.md"
    (root / "memory/ref/loaf.md").unlink()
    out = tmp_path / "all.jsonl"
    run("export", out, vault=root)
    run("init", tmp_path / "other")
    run("import", "memdir", out, vault=tmp_path / "other")
    assert (tmp_path / "other/memory/sessions/2026/09/c1.md").read_bytes() == file.read_bytes()


def test_a_known_conversation_keeps_its_scope_and_says_so(root: Path, run: Run) -> None:
    line = json.dumps({"session_id": "a", "speaker": "user", "text": "the lark sings"}) + "\n"
    run("ingest", "-", "--scope", "one", vault=root, stdin=line)
    assert run("ingest", "-", "--scope", "one", "--json", vault=root, stdin=line).json["skipped"] == {}
    again = run("ingest", "-", "--scope", "two", "--json", vault=root, stdin=line).json
    assert [why for why in again["skipped"] if "keeps its own" in why]


def test_an_unknown_conversation_is_none_and_of_many_the_first_are_shown(root: Path, run: Run) -> None:
    told = [{"session_id": f"talk-{n}", "speaker": "user", "text": "the lark sings"} for n in range(7)]
    run("ingest", "-", vault=root, stdin=lines(*told))
    assert run("recall", "lark", "--session", "talk-1", vault=root).code == 0
    missing = run("recall", "lark", "--session", "nosuch", vault=root)
    assert (missing.code, "no session 'nosuch'" in missing.err) == (3, True)
    assert "talk-4 (jsonl) and others" in run("sessions", "show", "talk", vault=root).err
