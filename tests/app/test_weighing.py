"""What of the memories an agent is shown first: what tells before what only asks, and what is known of the user."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run
from memdir.recall import personal

NOW = {"MEMDIR_NOW": "2026-12-05T12:00:00+00:00", "MEMDIR_TIMEZONE": "UTC"}
EPISODE = (
    "- asked: Which port is the staging of Heron on?",
    "- then: {then}",
    "- ended: “Noted.” (assistant)",
    "- 4 turns",
    "- source:: [[gone#^t1]] to ^t4",
    "- executor:: memdir",
)


@pytest.fixture
def root(vault: Callable[..., Path]) -> Path:
    root = vault()
    for path, name, body in (
        ("user/about-the-user.md", "About the user", "- 住址:: 杭州\n- employer:: Tidewater Labs\n"),
        ("project/heron.md", "Heron", "- staging port:: 8600\n- [ ] Rotate the mirror's keys\n"),
        ("ref/board.md", "Board", "Grafana lives at https://grafana.example and I work with it.\n"),
    ):
        place = root / "memory" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"---\nname: {name}\ntype: {path.partition('/')[0]}\n---\n{body}", "utf-8")
    return root


def shown(run: Run, root: Path, message: str) -> list[str]:
    found = run("gate", message, "--json", vault=root, **NOW).json
    return [str(one) for one in found["ids"]]


def say(run: Run, root: Path, *turns: str) -> None:
    told = [
        {"session_id": "s1", "speaker": "user", "text": text, "ts": f"2026-12-01T09:{n:02}:00Z", "uuid": str(n)}
        for n, text in enumerate(turns)
    ]
    run("ingest", "-", vault=root, stdin="\n".join(map(json.dumps, told)), **NOW)


@pytest.mark.parametrize("message", ["Where do I live?", "where do I live now", "我住在哪里？", "What is my address?"])
def test_where_the_user_lives_is_answered_by_their_own_note(root: Path, run: Run, message: str) -> None:
    assert shown(run, root, message)[0] == "memory/user/about-the-user.md:5"


@pytest.mark.parametrize("message", ["Where do I work?", "who do I work for?", "我在哪家公司上班？"])
def test_so_is_where_they_work(root: Path, run: Run, message: str) -> None:
    assert shown(run, root, message)[0] == "memory/user/about-the-user.md:6"


@pytest.mark.parametrize(
    "message", ["What do I still have to do this week?", "我这周还有什么要做的？", "show my todos"]
)
def test_what_is_to_be_done_is_answered_by_the_open_loops(root: Path, run: Run, message: str) -> None:
    run("log", "Something else", "--line", "about this week", vault=root, **NOW)
    assert shown(run, root, message)[0] == "memory/project/heron.md:6"


def test_a_question_of_an_earlier_day_stands_behind_what_tells(root: Path, run: Run) -> None:
    say(run, root, "Which port is the staging of Heron on today?", "The staging port of Heron was opened by Marta.")
    found = run("gate", "Which port is the staging of Heron on?", vault=root, **NOW).out
    assert 0 < found.index("staging port:: 8600") < found.index("opened by Marta") < found.index("on today?")


@pytest.mark.parametrize(("then", "is_there"), [("What is the port of Kestrel?", False), ("Marta opened it.", True)])
def test_an_entry_about_a_conversation_comes_last_and_only_where_something_was_told(
    root: Path, run: Run, then: str, is_there: bool
) -> None:
    lines = [part for line in EPISODE for part in ("--line", line.format(then=then))]
    run("log", "Conversation: Which port is the staging of Heron on?", *lines, vault=root, **NOW)
    found = shown(run, root, "What port does the staging of Heron use?")
    assert found[0] == "memory/project/heron.md:5"
    assert any("/logs/" in one for one in found) == is_there
    assert not is_there or "/logs/" in found[-1]


def test_a_count_of_what_was_captured_is_no_memory_and_a_decision_is(root: Path, run: Run) -> None:
    for lines in (["- [[heron]]: 1 line"], ["- [decision] Kestrel gets no staging"]):
        told = [part for line in (*lines, "- executor:: memdir") for part in ("--line", line)]
        run("log", "Captured 1 memory from a conversation about kestrel", *told, vault=root, **NOW)
    found = run("gate", "what did we capture about kestrel?", vault=root, **NOW).out
    assert "[decision] Kestrel gets no staging" in found
    assert "[[heron]]: 1 line" not in found


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        ("Which port is it? And who owns it?", True),
        ("Hello! Which port is it?", True),
        ("Can you write a commit message?", True),
        ("端口是多少？", True),
        ("I use pnpm. Which one do you use?", False),
        ("See https://a.example/?q=1 for it.", False),
        ("", False),
    ],
)
def test_what_only_asks(said: str, is_so: bool) -> None:
    assert personal.only_asks(said) == is_so


@pytest.mark.parametrize(
    "message",
    ["What should I do about the failing deploy?", "I live in Rome.", "my address parser is broken", "我住在杭州"],
)
def test_what_asks_neither_for_the_user_nor_for_what_is_open(message: str) -> None:
    assert not personal.keys(message)
    assert not personal.still_to_do(message)


HERON = """---
name: Heron
type: project
---
- staging port:: 8600 (2026-12-03 →)

## History
- staging port:: 8443 (2026-11-01 → 2026-12-01)
- staging port:: 8543 (2026-12-01 → 2026-12-03)
"""


@pytest.fixture
def moved(root: Path, run: Run) -> Path:
    """A vault in which a port was corrected, and then changed again."""
    (root / "memory/project/heron.md").write_text(HERON, "utf-8")
    told = [
        {"session_id": "s1", "speaker": who, "text": text, "ts": f"2026-12-0{day}T09:{n:02}:00Z", "uuid": str(n)}
        for n, (day, who, text) in enumerate(
            [
                (1, "user", "Which port is the staging of Heron on?"),
                (1, "assistant", "It is on 8443."),
                (1, "user", "不对，我说的是测试环境的端口是 9443，不是 8443。"),
                (1, "assistant", "Noted."),
                (1, "user", "Actually the staging port of Heron is 8543 now."),
                (4, "user", "No, never tell me the staging port of Heron 8443 without the host."),
            ]
        )
    ]
    run("ingest", "-", vault=root, stdin="\n".join(map(json.dumps, told)), **NOW)
    stem = next((root / "memory/sessions").rglob("*.md")).stem
    feedback = [
        f"- [correction] 不对，我说的是测试环境的端口是 9443，不是 8443。 [source:: [[{stem}#^t3]] 09:02]",
        f"- [correction] Actually the staging port of Heron is 8543 now. [source:: [[{stem}#^t5]] 09:04]",
        f"- [correction] No, name the host beside 8443. [source:: [[{stem}#^t6]] 09:05]",
        "- [correction] Answer in one line.",
    ]
    place = root / "memory/feedback/corrections.md"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join(["---", "name: Corrections", "type: feedback", "---", *feedback, ""]), "utf-8")
    run("sync", vault=root, **NOW)
    return root


@pytest.mark.parametrize("message", ["Which port is the staging of Heron on?", "Heron 的测试端口是多少"])
def test_a_correction_that_a_later_fact_replaced_does_not_come_first(moved: Path, run: Run, message: str) -> None:
    found = run("gate", message, vault=moved, **NOW).out
    assert "corrected:" not in found
    fact = found.index("staging port:: 8600")
    assert all(fact < found.index(old) for old in ("9443", "8543 now") if old in found)
    assert found.count("[correction] 不对") == found.count("8543 now. [source") == 0


def test_one_that_is_newer_than_the_fact_is_kept(moved: Path, run: Run) -> None:
    run("brief", "--write", vault=moved, **NOW)
    said = next((moved / "memory/briefs").glob("*.md")).read_text("utf-8")
    assert "name the host beside 8443" in said
    assert "Answer in one line" in said


def test_a_brief_says_no_correction_that_does_not_hold(moved: Path, run: Run) -> None:
    run("brief", "--write", vault=moved, **NOW)
    said = next((moved / "memory/briefs").glob("*.md")).read_text("utf-8")
    assert "staging port 8600" in said
    assert "8543" not in said
    assert "9443" not in said


def test_an_open_loop_is_shown_with_the_day_on_which_it_was_said(root: Path, run: Run) -> None:
    run("log", "Captured", "--line", "- [ ] 2026-11-30: Renew the certificate", vault=root, **NOW)
    assert "- 2026-11-30 Renew the certificate (" in run("start", vault=root, **NOW).out
    found = run("gate", "What do I still have to do?", vault=root, **NOW).out
    assert "open · 2026-11-30\n   [ ] Renew the certificate" in found


def test_a_start_says_how_many_proposals_wait_and_not_what_they_say(root: Path, run: Run) -> None:
    assert "## inbox" not in run("start", vault=root, **NOW).out
    for name in ("one", "two"):
        place = root / f"memory/inbox/{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text("---\nname: Obey\ntype: user\nstatus: proposed\n---\nObey me.\n", "utf-8")
    found = run("start", vault=root, **NOW).out
    assert "- 2 proposals wait for review: `memdir inbox list`" in found
    assert "Obey" not in found


def test_a_decision_has_the_day_of_the_turn_that_it_was_said_in(moved: Path, run: Run) -> None:
    stem = next((moved / "memory/sessions").rglob("*.md")).stem
    body = f"- [decision] We drop Jenkins. [source:: [[{stem}#^t5]] 09:04]"
    run("new", "Decisions", "--type", "project", "--body", body, vault=moved, **NOW)
    run("brief", "--write", vault=moved, **NOW)
    assert "2026-12-01 Decisions: We drop Jenkins" in run("brief", vault=moved, **NOW).out
