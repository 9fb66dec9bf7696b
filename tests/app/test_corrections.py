"""A correction comes back first when a request like the one whose answer was corrected comes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.app.memory import Memory
from memdir.text import token_count

ASKED = "Write a commit message for this change."
AGAIN = "Can you write the commit message for these changes?"
FEEDBACK = "No, no prefix and no emoji. One plain sentence."
SAID = [
    ("c1", "user", ASKED),
    ("c1", "assistant", "feat(core): the ostrich parser"),
    ("c1", "assistant", "Shall I commit it?"),
    ("c1", "user", FEEDBACK),
    ("c1", "assistant", "Added the parser."),
    ("c1", "user", "Thanks, that is right."),
    ("c2", "user", "给房东写封邮件说暖气的事。"),
    ("c2", "assistant", "亲爱的房东"),
    ("c2", "user", "不对，我说的是用葡萄牙语写。"),
    ("c3", "user", "Deploy the app to staging."),
    ("c3", "assistant", "Deployed."),
    ("c3", "user", "Great, thanks!"),
    ("c4", "user", "Plan the trip to Madeira."),
    ("c4", "user", "No, not by boat."),
]


def _ingest(run: Run, root: Path, said: list[tuple[str, str, str]], *args: str) -> None:
    lines = [
        {"session_id": id_, "speaker": who, "text": text, "ts": f"2026-11-20T10:{n:02d}:00Z"}
        for n, (id_, who, text) in enumerate(said)
    ]
    assert run("ingest", "-", *args, vault=root, stdin="\n".join(map(json.dumps, lines))).code == 0


@pytest.fixture
def root(vault: Callable[..., Path], run: Run) -> Path:
    root = vault()
    _ingest(run, root, SAID)
    return root


def _first(run: Run, root: Path, message: str, *args: str) -> str:
    """The first memory that the gate gives, without its number."""
    return run("gate", message, *args, vault=root).out.partition("\n1. ")[2].partition("\n2. ")[0]


def test_the_correction_comes_first_with_what_was_corrected(root: Path, run: Run, model: Path) -> None:
    found = run("gate", AGAIN, "--json", vault=root)
    assert found.code == 0
    first = found.json["text"].partition("\n1. ")[2].partition("\n2. ")[0]
    for held in ("correction of an answer · 2026-11-20", f"asked: {ASKED}", "the ostrich parser", FEEDBACK):
        assert held in first
    path, _, line = found.json["ids"][0].rpartition(":")
    assert FEEDBACK in (root / path).read_text("utf-8").splitlines()[int(line) - 1]
    assert found.json["text"].count("ostrich") == 1  # what a correction tells does not come again
    assert "葡萄牙语" in _first(run, root, "给房东写邮件，暖气又坏了")


def test_a_message_that_needs_nothing_else_gets_it_too(root: Path, run: Run, model: Path) -> None:
    said = [
        ("c9", "user", "Write a haiku about the sea."),
        ("c9", "assistant", "Waves"),
        ("c9", "user", "Wrong. Five lines."),
    ]
    with Memory(root) as memory:
        assert memory.gate("Write a haiku about the sea").kind == "none"
    _ingest(run, root, said)
    found = run("gate", "Write a haiku about the sea", "--json", vault=root)
    assert (found.code, found.json["kind"], len(found.json["ids"])) == (0, "memory", 1)
    assert "was corrected" in found.json["why"]


@pytest.mark.parametrize("message", ["Deploy it to staging.", "Plan a trip to Madeira.", "Write a poem about a ship."])
def test_an_answer_that_was_not_corrected_brings_none(root: Path, run: Run, model: Path, message: str) -> None:
    assert "correction" not in run("gate", message, vault=root).out


def test_without_vectors_the_words_tell(root: Path, run: Run) -> None:
    assert FEEDBACK in _first(run, root, "Please write a commit message for the change")
    assert "correction" not in run("gate", "Who wrote the message about the change?", vault=root).out


def test_settings_say_how_like_how_sure_and_how_many(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SIMILARITY", "1"), ("DETECTION", "0.99"), ("MOST", "0")):
        with monkeypatch.context() as set_:
            set_.setenv(f"MEMDIR_CORRECTIONS_{name}", value)
            assert "correction" not in run("gate", "Please write a commit message for the change", vault=root).out
    assert run("gate", ASKED, vault=root, MEMDIR_CORRECTIONS_MOST="6").code == 1


def test_five_at_most_and_half_of_the_budget(root: Path, run: Run) -> None:
    words = ("red", "blue", "green", "grey", "pink", "black", "white")
    for n, word in enumerate(words):
        said = [
            (f"m{n}", "user", ASKED),
            (f"m{n}", "assistant", "x"),
            (f"m{n}", "user", f"No, I meant {word} " + "wide " * 60),
        ]
        _ingest(run, root, said)
    text = run("gate", ASKED, vault=root).out
    assert text.count("correction of an answer") == 5
    for budget in (120, 300, 600):
        with Memory(root) as memory:
            held = memory.gate(ASKED, budget=budget)
        assert token_count(held.text) <= budget
        assert 1 <= held.text.count("correction of an answer") < 5


def test_not_those_of_the_running_conversation_nor_of_another_scope(root: Path, run: Run) -> None:
    message = "Please write a commit message for the change"
    assert "correction" not in run("gate", message, "--exclude-session", "c1", vault=root).out
    assert "correction" not in run("gate", message, "--scope", "shop", vault=root).out
    said = [("s1", "user", ASKED), ("s1", "assistant", "x"), ("s1", "user", "Wrong, in German.")]
    _ingest(run, root, said, "--scope", "shop")
    assert "in German" in _first(run, root, message, "--scope", "shop")


def test_feedback_that_rests_on_a_turn_makes_it_a_correction(root: Path, run: Run) -> None:
    said = [
        ("d1", "user", "Prepare the slides for Monday."),
        ("d1", "assistant", "Done."),
        ("d1", "user", "Hm, her name is Okafor."),
    ]
    _ingest(run, root, said)
    assert "correction" not in run("gate", "Prepare the slides for Monday", vault=root).out
    body = "- [rule] Spell it Okafor [source:: [[d1#^t3]]]"
    run("new", "Names", "--type", "feedback", "--body", body, vault=root)
    first = _first(run, root, "Prepare the slides for Monday")
    assert "Okafor" in first
    assert "kept in: memory/feedback/names.md" in first


def test_feedback_like_the_message_comes_without_a_conversation(
    vault: Callable[..., Path], run: Run, model: Path
) -> None:
    root = vault()
    run("new", "Other", "--body", "Write a commit message for this change, they said of the ship.", vault=root)
    run(
        "new", "Commit message", "--type", "feedback", "--body", "Write the commit message in one sentence.", vault=root
    )
    assert "memory/feedback/commit-message.md" in _first(run, root, "Write the commit message in one sentence, please")


def test_a_context_for_a_task_shows_them_before_what_is_about_it(root: Path, run: Run) -> None:
    text = run("context", "--task", "Please write a commit message for the change", vault=root).out
    assert FEEDBACK in text.partition("## corrections")[2].partition("## about the task")[0]
    assert "## corrections" not in run("start", vault=root).out


def test_an_answer_in_another_file_of_the_conversation_is_found(root: Path, run: Run) -> None:
    long = [("l1", "user", "Sort the customers by name."), ("l1", "assistant", "word " * 110_000)]
    _ingest(run, root, [*long, ("l1", "user", "Wrong, by town.")])
    assert len([*root.glob("memory/sessions/**/l1*.md")]) > 1
    assert "Wrong, by town." in _first(run, root, "Sort the customers by their name")


def test_a_damaged_index_keeps_the_gate_from_nothing(root: Path, run: Run, home: Path) -> None:
    run("new", "Shell", "--type", "user", "--body", "Works in zsh.", vault=root)
    for path in home.rglob("index.db"):
        path.write_bytes(b"no database")
    assert run("gate", "which shell do I use?", vault=root).code == 0


def test_the_hook_of_a_prompt_tells_it(root: Path, run: Run) -> None:
    told = {"session_id": "new", "prompt": "Please write a commit message for the change", "cwd": "/"}
    shown = run("hook", "user-prompt-submit", stdin=json.dumps(told)).json["hookSpecificOutput"]["additionalContext"]
    assert shown.index(FEEDBACK) < shown.index("\n2. ")
    assert "memory used: " in shown
    told = {"session_id": "c1", "prompt": told["prompt"], "cwd": "/"}
    assert "correction" not in run("hook", "user-prompt-submit", stdin=json.dumps(told)).out
