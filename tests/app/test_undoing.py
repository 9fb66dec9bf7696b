"""What an undo takes back, what it leaves, and what a ledger that lies cannot make it do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver import Run
from memdir.app import runs
from memdir.app.memory import Memory
from memdir.errors import Conflict
from memdir.vault import files, ledger, store


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def newest(run: Run, root: Path, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = run("runs", "--json", *more, vault=root).json["runs"][0]
    return found


def plant(root: Path, *lines: dict[str, Any], device: str = "") -> None:
    """Add lines to this device's file of the ledger, or to one of another."""
    here = root / "memory/ledger"
    file = here / f"2026-01.{device}.jsonl" if device else next(here.iterdir())
    with file.open("a", encoding="utf-8") as held:
        held.writelines(json.dumps(line) + "\n" for line in lines)


def started(run: str, *changes: dict[str, Any], ts: str = "2026-01-01T00:00:00.000Z", **more: Any) -> dict[str, Any]:
    return {"ts": ts, "op": "run_started", "run": run, "verb": "edit", "changes": list(changes), **more}


def test_a_save_in_the_middle_of_a_run_survives_its_undo(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edit is planned anew on what somebody saved; its undo gives back that and not the text before."""
    run("new", "Shell", "--type", "user", vault=root)
    note, real, saved = root / "memory/user/shell.md", store.apply, list[bytes]()

    def apply(*given: Any) -> Any:
        if not saved:
            with note.open("ab") as file:
                file.write(b"by hand\n")
            saved.append(note.read_bytes())
        return real(*given)

    monkeypatch.setattr(store, "apply", apply)
    assert run("edit", "shell", "--append", "--text", "more", vault=root).code == 0
    assert [one["path"] for one in newest(run, root)["files"]] == ["memory/user/shell.md"]
    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert note.read_bytes() == saved[0]


def test_a_run_that_wrote_around_a_save_goes_back_to_it(root: Path, run: Run) -> None:
    note = root / "memory/user/shell.md"
    run("new", "Shell", "--type", "user", vault=root)
    with Memory(root) as memory, runs.running(memory, "twice"):
        for text in (b"one\n", b"two\n"):
            blob = memory.root.read("memory/user/shell.md")
            runs.apply(memory, [store.Write("memory/user/shell.md", blob.data + text, blob.digest)])
            if text == b"one\n":
                note.write_bytes(note.read_bytes() + b"by hand\n")
    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert note.read_bytes().endswith(b"one\nby hand\n")
    assert "while the run was at work" in done.err


def test_what_was_stated_and_not_done_is_no_part_of_a_run(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    blob = (root / "memory/user/shell.md").read_bytes()
    (root / "memory/user/other.md").write_text("by hand\n", "utf-8")
    with Memory(root) as memory, runs.running(memory, "night"):
        runs.apply(memory, [store.Write("memory/user/shell.md", blob + b"more\n", files.digest(blob))])
        with pytest.raises(Conflict):
            runs.apply(memory, [store.Write("memory/user/other.md", b"x", None), store.LogEntry("never")])
    assert newest(run, root)["logged"] == []
    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert (root / "memory/user/shell.md").read_bytes() == blob
    assert (root / "memory/user/other.md").read_text("utf-8") == "by hand\n"


def test_keep_changed_leaves_what_is_no_longer_kept(root: Path, run: Run) -> None:
    for name in ("a", "b"):
        run("new", name, "--type", "user", vault=root)
    texts = {name: (root / f"memory/user/{name}.md").read_bytes() for name in "ab"}
    with Memory(root) as memory, runs.running(memory, "both"):
        runs.apply(memory, [
            store.Write(f"memory/user/{name}.md", text + b"more\n", files.digest(text)) for name, text in texts.items()
        ])  # fmt: skip
    gone = files.digest(texts["a"])
    with Memory(root) as memory:
        memory.root.recover()
    for place in (*root.glob(f".memdir/history/*/{gone}"), *root.glob(".memdir/pending/*")):
        if files.digest(place.read_bytes()) == gone:
            place.unlink()
    assert run("undo", "last", vault=root).code == 3
    done = run("undo", "last", "--keep-changed", vault=root)
    assert done.code == 0, done.err
    assert "memory/user/a.md stays" in done.err
    assert "somebody" not in done.err
    assert (root / "memory/user/b.md").read_bytes() == texts["b"]


def test_nothing_to_take_back_is_said_and_not_marked(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    made = newest(run, root)["id"]
    with (root / "memory/user/shell.md").open("a", encoding="utf-8") as file:
        file.write("by hand\n")
    refused = run("undo", made, "--keep-changed", vault=root)
    assert refused.code == 4
    assert (
        f"nothing could be taken back of run {made} (new): memory/user/shell.md was edited by a person" in refused.err
    )
    assert newest(run, root)["undone"] == ""
    assert "Shell" in (root / "MEMORY.md").read_text("utf-8")


def test_an_entry_of_the_log_is_not_taken_back(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    made = newest(run, root)["id"]
    run("log", "Something", vault=root)
    refused = run("undo", newest(run, root)["id"], vault=root)
    assert refused.code == 4
    assert "--reopen" in refused.err
    done = run("undo", "last", vault=root)
    assert done.out.startswith(f"took back {made} (new): ")
    assert "memory/user/shell.md" in done.out
    nothing = run("undo", "last", vault=root)
    assert nothing.code == 3
    assert "nothing left to take back" in nothing.err


def test_a_closed_loop_of_a_log_is_opened_again_by_undo(root: Path, run: Run) -> None:
    run("log", "Deploy", "--line", "- [ ] Raise the timeout", vault=root)

    def still_open() -> int:
        return len(run("loops", "--json", vault=root).json["loops"])

    run("resolve", "raise the timeout", vault=root)
    assert still_open() == 0
    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert still_open() == 1
    log = next(root.glob("memory/logs/*/*/*.md")).read_text("utf-8")
    assert "- reopens:: [[" in log
    again = newest(run, root)
    assert again["verb"] == "undo"
    assert run("undo", again["id"], vault=root).code == 0
    assert still_open() == 0


def test_empty_names_and_beginnings(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    made = newest(run, root)["id"]
    plant(root, started(f"{made}-nothing"))
    assert run("undo", "", vault=root).code == 2
    assert [one["id"] for one in run("runs", "--json", vault=root).json["runs"]] == [made]
    assert len(run("runs", "--json", "--all", vault=root).json["runs"]) == 2
    assert run("undo", made[:-1], vault=root).code == 0


def test_last_is_of_this_device_and_of_this_time(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    made = newest(run, root)["id"]
    digest = files.digest((root / "memory/user/shell.md").read_bytes())
    change = {"path": "memory/user/shell.md", "before": None, "after": digest}
    plant(root, started("future", change, ts="2999-01-01T00:00:00.000Z"))
    plant(root, started("theirs", change, ts="2026-11-30T00:00:00.000Z"), device="other-0000")
    shown = run("undo", "last", "--dry-run", "--json", vault=root).json
    assert shown["of"] == made


@pytest.mark.parametrize("path", ["README.md", "src/main.py", "notes/a.md"])
def test_a_planted_run_reaches_no_file_outside_the_notes(root: Path, run: Run, path: str) -> None:
    run("new", "Shell", "--type", "user", vault=root)
    other = root / path
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("keep\n", "utf-8")
    digest = files.digest(b"keep\n")
    note = files.digest((root / "memory/user/shell.md").read_bytes())
    for name, before in (("evil1", None), ("evil2", note)):
        plant(root, started(name, {"path": path, "before": before, "after": digest}))
        assert run("undo", name, vault=root).code == 5
    assert run("undo", "evil1", "--keep-changed", vault=root).code == 4
    assert other.read_text("utf-8") == "keep\n"


def test_a_planted_run_puts_no_text_of_one_note_into_another(root: Path, run: Run) -> None:
    run("new", "Secret", "--type", "user", vault=root)
    run("edit", "secret", "--append", "--text", "more", vault=root)
    run("new", "Shell", "--type", "user", vault=root)
    old = run("history", "secret", "--json", vault=root).json["versions"][0]["digest"]
    shell = (root / "memory/user/shell.md").read_bytes()
    plant(root, started("evil", {"path": "memory/user/shell.md", "before": old, "after": files.digest(shell)}))
    assert run("undo", "evil", vault=root).code == 3
    assert (root / "memory/user/shell.md").read_bytes() == shell


def test_a_clock_set_back_loses_no_mark(root: Path, run: Run) -> None:
    run("new", "Shell", "--type", "user", vault=root, MEMDIR_NOW="2026-03-20T10:00:00+00:00")
    made = newest(run, root)["id"]
    assert run("undo", made, vault=root, MEMDIR_NOW="2026-02-10T10:00:00+00:00").code == 0
    found = {one["id"]: one for one in run("runs", "--json", vault=root).json["runs"]}
    assert found[made]["undone"]
    assert run("undo", made, vault=root).code == 4


def test_lines_of_one_file_keep_their_order(root: Path) -> None:
    events = [started(name, ts=f"2026-01-{day}T00:00:00.000Z") for name, day in (("a", "10"), ("b", "02"), ("c", "11"))]
    (root / "memory/ledger").mkdir(exist_ok=True)
    (root / "memory/ledger/2026-01.x-1.jsonl").touch()
    plant(root, *events, {"ts": "zzz", "op": "run_started", "run": "d"}, device="x-1")
    with Memory(root) as memory:
        held = memory.ledger.events()
    assert [event.run for event in held] == ["a", "b", "c"]
    assert held[1].ts == held[0].ts


def test_chains_of_undoes_need_no_order() -> None:
    marks = [ledger.Event("undone", run=by, more={"of": of}) for by, of in (("w", "y"), ("y", "x"), ("o", "o"))]
    starts = [ledger.Event("run_started", run=name) for name in "xyw"]
    found = {run.id: run.undone for run in runs.listed([*marks, *starts])}
    assert found == {"x": "", "y": "w", "w": ""}
    long = [ledger.Event("undone", run=str(n + 1), more={"of": str(n)}) for n in range(20_000)]
    assert len(runs.listed([*long, *starts])) == 3


def test_a_move_that_fails_leaves_nothing_to_undo(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("new", "Pump", "--type", "project", vault=root)
    before = (root / "memory/project/pump.md").read_bytes()

    real = files.Root.remove

    def remove(held: files.Root, rel: str, *, base: str) -> None:
        if rel.endswith("pump.md"):
            raise Conflict("somebody saved it")
        real(held, rel, base=base)

    with monkeypatch.context() as patch:
        patch.setattr(files.Root, "remove", remove)
        assert run("mv", "pump", "motor", vault=root).code == 4
    assert (root / "memory/project/pump.md").read_bytes() == before
    assert [one["verb"] for one in run("runs", "--json", vault=root).json["runs"]] == ["new"]


def test_files_that_a_later_run_wrote_stay_when_a_killed_one_is_taken_back(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that is killed has stated what it was about to write; the next one writes it."""
    lines = "".join(
        f'{{"session_id": "s{n}", "speaker": "u", "text": "turn {n}", "ts": "2026-11-29T10:00:00Z"}}\n'
        for n in range(4)
    )
    real, written = files.Root.append, []

    def killed(self: files.Root, rel: str, data: bytes, **more: object) -> files.Written:
        if rel.startswith("memory/sessions/"):
            if len(written) == 2:
                raise KeyboardInterrupt
            written.append(rel)
        return real(self, rel, data, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(files.Root, "append", killed)
    assert run("ingest", "-", vault=root, stdin=lines).code != 0
    monkeypatch.undo()
    assert run("ingest", "-", "--json", vault=root, stdin=lines).json["turns"] == 2
    first, second = run("runs", "--json", vault=root).json["runs"][-2:]
    kept = run("undo", first["id"], "--keep-changed", "--json", vault=root)
    assert kept.code == 0, kept.err
    there = {path.stem for path in (root / "memory/sessions").rglob("*.md")}
    assert there == {"s2", "s3"}
    assert run("undo", second["id"], vault=root).code == 0
    assert not [*(root / "memory/sessions").rglob("*.md")]


BY_HAND = "---\nname: Hand\ntype: ref\ntags: []\ncreated: 2026-01-01\nupdated: 2026-01-01\nimportance: low\n---\nText\n"


def test_last_passes_over_what_only_keeps_the_list(root: Path, run: Run) -> None:
    """The newest run may be upkeep, after which a person wrote above the list: neither is in the way."""
    run("new", "Boat", "--type", "ref", "--body", "a boat", vault=root)
    run("edit", "boat", "--append", "--text", "sold", vault=root)
    hand = root / "memory/ref/hand.md"
    hand.write_text(BY_HAND, "utf-8")
    assert "MEMORY.md" in run("sync", vault=root).out
    kept = newest(run, root)
    assert kept["verb"] == "keep-index"
    index = root / "MEMORY.md"
    index.write_text(index.read_text("utf-8").replace("# Memory", "# Mine"), "utf-8")

    refused = run("undo", kept["id"], vault=root)
    assert refused.code == 4
    assert "(keep-index) only made the list" in refused.err

    done = run("undo", "last", vault=root)
    assert done.code == 0, done.err
    assert "(edit): memory/ref/boat.md" in done.out
    assert "sold" not in (root / "memory/ref/boat.md").read_text("utf-8")
    assert index.read_text("utf-8").startswith("# Mine\n")
    assert "memory/ref/hand.md" in index.read_text("utf-8")


def test_after_an_undo_the_list_is_what_the_notes_say(root: Path, run: Run) -> None:
    """The version of MEMORY.md that comes back is older than a note that came by hand since and is not listed yet."""
    run("new", "Boat", "--type", "ref", "--body", "a boat", vault=root)
    (root / "memory/ref/hand.md").write_text(BY_HAND, "utf-8")
    assert run("undo", "last", vault=root).code == 0
    text = (root / "MEMORY.md").read_text("utf-8")
    assert "memory/ref/hand.md" in text
    assert "memory/ref/boat.md" not in text


def test_a_refused_undo_names_the_run_and_the_way_on(root: Path, run: Run) -> None:
    run("new", "Boat", "--type", "ref", "--body", "a boat", vault=root)
    run("edit", "boat", "--append", "--text", "sold", vault=root)
    made = newest(run, root)["id"]
    with (root / "memory/ref/boat.md").open("a", encoding="utf-8") as file:
        file.write("by hand\n")
    refused = run("undo", "last", vault=root)
    assert refused.code == 4
    assert f"run {made} (edit)" in refused.err
    assert "memdir runs" in refused.err
