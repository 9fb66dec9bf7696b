"""Episodes: a conversation that has ended is summed up in the log once, and that is what `continue` shows of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.app.memory import Memory
from memdir.app.talk import episodes

DAY = "2026-11-30"
TURNS = (
    ("user", "Add retries to the importer."),
    ("assistant", "It now waits and tries again."),
    ("user", "We decided to cap it at five tries. Remind me to tell Marta tomorrow."),
    ("assistant", "Capped at five."),
    ("user", "Thanks, that works."),
    ("assistant", "All tests pass."),
)


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    return vault()


def ingest(run: Run, root: Path, turns: tuple[tuple[str, str], ...], now: str) -> None:
    told = [
        {"session_id": "s1", "speaker": speaker, "text": text, "ts": f"{DAY}T09:{n:02}:00Z", "uuid": str(n)}
        for n, (speaker, text) in enumerate(turns)
    ]
    path = root.parent / "talk.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in told), "utf-8")
    assert run("capture", path, vault=root, MEMDIR_NOW=now, MEMDIR_TIMEZONE="UTC").code == 0


def beat(run: Run, root: Path, now: str) -> str:
    done = run("heartbeat", "--force", vault=root, MEMDIR_NOW=now, MEMDIR_TIMEZONE="UTC")
    return done.out


def log(root: Path) -> str:
    return (root / f"memory/logs/2026/11/{DAY}.md").read_text("utf-8")


def test_a_silent_conversation_is_summed_up_once(root: Path, run: Run) -> None:
    ingest(run, root, TURNS, f"{DAY}T09:30:00+00:00")
    assert "summed up" not in beat(run, root, f"{DAY}T09:40:00+00:00")
    assert "1 conversation summed up" in beat(run, root, f"{DAY}T11:00:00+00:00")
    assert (
        "## 11:00 +00:00 - Conversation: Add retries to the importer.\n"
        "- asked: Add retries to the importer.\n"
        "- then: Thanks, that works.\n"
        "- decided: We decided to cap it at five tries.\n"
        "- ended: “All tests pass.” (assistant)\n"
        "- open: Remind me to tell Marta tomorrow.\n"
        "- 6 turns\n"
        "- outcome:: success\n"
        "- source:: [[s1#^t1]] to ^t6\n"
        "- executor:: memdir\n"
    ) in log(root)
    assert "summed up" not in beat(run, root, f"{DAY}T16:00:00+00:00")
    assert log(root).count("Conversation:") == 1


def test_what_comes_after_it_is_summed_up_when_that_ends(root: Path, run: Run) -> None:
    ingest(run, root, TURNS, f"{DAY}T09:30:00+00:00")
    with Memory(root) as memory:
        memory.settings.put("timezone", "UTC", "test")
        assert episodes.ended(memory, "jsonl", "s1").sessions == ["s1"]
        assert episodes.ended(memory, "jsonl", "s1").sessions == []
    more = (*TURNS, ("user", "One more thing: it still fails offline."), ("user", "Forget it, we revert that."))
    ingest(run, root, more, f"{DAY}T10:30:00+00:00")
    with Memory(root) as memory:
        assert episodes.ended(memory, "jsonl", "s1").sessions == ["s1"]
    text = "".join(path.read_text("utf-8") for path in root.glob("memory/logs/**/*.md"))
    assert "- source:: [[s1#^t7]] to ^t8" in text
    assert "- outcome:: failure" in text


def test_continue_shows_the_episode_and_not_the_end_of_the_conversation(root: Path, run: Run) -> None:
    now = f"{DAY}T12:00:00+00:00"
    ingest(run, root, TURNS, f"{DAY}T09:30:00+00:00")
    before = run("continue", vault=root, MEMDIR_NOW=now, MEMDIR_TIMEZONE="UTC").out
    assert "> All tests pass." in before or "All tests pass." in before
    assert "1 conversation summed up" in beat(run, root, now)
    after = run("continue", vault=root, MEMDIR_NOW=now, MEMDIR_TIMEZONE="UTC").out
    assert "Conversation: Add retries to the importer." in after
    assert "user · 2026-11-30T09:04" not in after
    assert after.index("Conversation: Add retries") < after.index("Captured 2 memories")


def test_continue_passes_over_what_is_written_for_the_record(root: Path, run: Run) -> None:
    now = f"{DAY}T12:00:00+00:00"
    ingest(run, root, (("user", "I prefer tabs over spaces in Go files."), ("assistant", "Noted.")), now)
    assert "Captured 1 memory" in log(root)
    shown = run("continue", vault=root, MEMDIR_NOW=now, MEMDIR_TIMEZONE="UTC").out
    assert "I prefer tabs" in shown
    assert "Captured" not in shown


def test_nothing_is_learned_from_an_episode(root: Path, run: Run) -> None:
    ingest(run, root, TURNS, f"{DAY}T09:30:00+00:00")
    beat(run, root, f"{DAY}T12:00:00+00:00")
    night = run("distill", "--json", vault=root, MEMDIR_NOW=f"{DAY}T23:00:00+00:00").json
    assert night["learned"] == {}
    assert list((root / "memory/project").iterdir()) == []


def test_a_conversation_that_went_on_is_one_thing_that_was_going_on(root: Path, run: Run) -> None:
    ingest(run, root, TURNS, f"{DAY}T09:30:00+00:00")
    beat(run, root, f"{DAY}T11:00:00+00:00")
    more = (("user", "And log each try."), ("assistant", "Done."), ("user", "Use the json format."))
    ingest(run, root, (*TURNS, *more), f"{DAY}T12:00:00+00:00")
    beat(run, root, f"{DAY}T14:00:00+00:00")
    assert log(root).count("- Conversation: ") == 2
    found = run("continue", vault=root, MEMDIR_NOW=f"{DAY}T15:00:00+00:00", MEMDIR_TIMEZONE="UTC").out
    assert found.count("- Conversation: ") == 1
    assert "json format" in found
