"""Session files: any conversation comes back from its file as it went in, and grows only by what is new."""

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memdir.vault import conversation, files, session, store
from memdir.vault.conversation import Heard, Part
from memdir.vault.session import Session, Turn

SUITE = settings(max_examples=150, deadline=None, derandomize=True)
# Whatever could be taken for the grammar of a session, of markdown or of a line.
PIECES = st.sampled_from(
    (
        "\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\x0c", "\0", "\ud800", "\udc80", "\udcff", "\ud83d\ude00",
        "### user · 2026-11-29T14:02:11Z · ^t12 · u1",
        "> ", ">", "```", "---", "---\ntype: note", "#tag [[link]]",
        "- [ ] loop", "key:: value", " ", "\t", "\ufeff",
        "🙂", "水泵", "e\u0301", "plain words", "<!-- memdir:index -->",
    )
)  # fmt: skip
TEXTS = st.one_of(st.text(st.characters(codec=None), max_size=40), st.lists(PIECES, max_size=8).map("".join))
NAMES = st.one_of(st.text(max_size=100), st.lists(PIECES, max_size=4).map("".join))
TIMES = st.sampled_from(("", "2026-11-29T14:02:11Z", "2026-11-29", "2026-11-29T14:02:11+08:00"))
TURNS = st.builds(
    Turn,
    speaker=NAMES.map(session.speaker_of),
    text=TEXTS,
    ts=TIMES,
    uuid=NAMES.map(session.id_of),
    number=st.integers(0, 99_999),
)


def bare(turns: tuple[Turn, ...]) -> list[Turn]:
    return [replace(turn, line=0, last=0) for turn in turns]


@SUITE
@given(NAMES.map(session.id_of), NAMES.map(session.id_of), TIMES, NAMES.map(session.id_of), st.lists(TURNS, max_size=5))
@example("1", "true", "", "", [Turn("a", "", "", "", 1), Turn("a", "x\n", "", "· ^t3", 2)])
def test_any_conversation_comes_back(id_: str, source: str, started: str, scope: str, turns: list[Turn]) -> None:
    one = Session("memory/sessions/2026/11/s.md", id_ or "s", source, started, scope)
    data = session.render(replace(one, turns=tuple(turns)))
    held = session.parse(one.path, data)
    assert (held.id, held.source, held.started, held.scope) == (one.id, source, started, scope)
    assert bare(held.turns) == turns
    assert held.problems == ()
    lines = data.decode("utf-8", "replace").split("\n")
    for turn in held.turns:
        assert lines[turn.line].startswith("### ")
        assert all(line.startswith(">") for line in lines[turn.line + 1 : turn.last])


def test_the_form_is_that_of_the_vault_format() -> None:
    turn = Turn("user", "It failed\n\n```\nunclosed", "2026-11-29T14:02:11Z", "u-1", 12)
    one = Session("", "s1", "claude-code", "2026-11-29T14:02:11Z", "atlas", turns=(turn,))
    assert session.render(one).decode() == (
        "---\ntype: session\nid: s1\nsource: claude-code\nstarted: 2026-11-29T14:02:11Z\nscope: atlas\n---\n\n"
        "### user · 2026-11-29T14:02:11Z · ^t12 · u-1\n> It failed\n> \n> ```\n> unclosed\n"
    )


def test_a_file_that_git_gave_other_line_ends_says_the_same() -> None:
    one = Session("s.md", "s", "x", turns=(Turn("user", "a\n\nb", number=1),))
    held = session.parse("s.md", session.render(one).replace(b"\n", b"\r\n"))
    assert bare(held.turns) == list(one.turns)
    assert held.id == "s"


def test_an_editor_that_strips_spaces_changes_no_text() -> None:
    one = Session("s.md", "s", "x", turns=(Turn("user", "a\n\nb", number=1),))
    data = b"\n".join(line.rstrip(b" ") for line in session.render(one).split(b"\n"))
    assert bare(session.parse("s.md", data).turns) == list(one.turns)


def test_what_is_no_part_of_a_turn_is_a_problem() -> None:
    data = session.render(Session("s.md", "s", "x", turns=(Turn("user", "a", number=1),)))
    held = session.parse("s.md", data + b"\nby hand\n### no turn\n> quoted\n")
    assert [(one.line, "no part of a turn" in one.message) for one in held.problems] == [(10, True)]
    assert len(held.turns) == 1
    assert [one.line for one in session.parse("s.md", b"# a note\n").problems] == [1, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("2026-11-29T14:02:11.5Z", "2026-11-29T14:02:11Z"),
        ("2023-05-08T13:56", "2023-05-08T13:56:00"),
        ("2023-05-08", "2023-05-08"),
        ("2026-11-29T14:02:11+08:00", "2026-11-29T14:02:11+08:00"),
        (1764424931, "2025-11-29T14:02:11Z"),
        (1764424931000, "2025-11-29T14:02:11Z"),
        ("1764424931.25", "2025-11-29T14:02:11Z"),
        ("2026-13-01", ""),
        ("yesterday", ""),
        (float("nan"), ""),
        (10**30, ""),
        (10**400, ""),
        (True, ""),
        (None, ""),
    ],
)
def test_times(given: object, said: str) -> None:
    assert session.moment(given) == said


# --- growth ------------------------------------------------------------------------------------------

ABOUT = Session("", "talk", "x", "2026-11-29T14:02:11Z")


def grown(parts: list[Part], turns: list[Turn]) -> list[store.Append]:
    taken = {part.held.path.rpartition("/")[2].removesuffix(".md") for part in parts}
    return conversation.grow(ABOUT, parts, turns, taken, "2026-01")


def after(parts: list[Part], changes: list[store.Append]) -> list[Part]:
    """The parts when the changes are applied; each must come to the digest that it states."""
    texts = {part.held.path: part.data for part in parts}
    for one in changes:
        old = texts.get(one.path)
        texts[one.path] = (one.header if old is None else old) + one.data
        assert files.digest(texts[one.path]) == one.after
        assert one.base == (None if old is None else files.digest(old))
    return [Part(session.parse(path, data), data) for path, data in texts.items()]


def told(*texts: str, ts: str = "", uuid: str = "") -> list[Turn]:
    return [Turn("user", text, ts, uuid and f"{uuid}{n}") for n, text in enumerate(texts)]


def fed(parts: list[Part], turns: list[Turn]) -> tuple[list[Part], int]:
    new = conversation.unknown(parts, turns, Heard())
    return after(parts, grown(parts, new)), len(new)


@pytest.mark.parametrize("uuid", ["", "u"])
@pytest.mark.parametrize("ts", ["", "2026-11-29T14:02:11Z"])
def test_a_growing_transcript_adds_only_what_is_new(ts: str, uuid: str) -> None:
    whole = told("ok", "what now", "ok", "ok", "done", ts=ts, uuid=uuid)
    parts: list[Part] = []
    for size in range(len(whole) + 1):
        parts, new = fed(parts, whole[:size])
        assert new == min(size, 1)
        assert fed(parts, whole[:size])[1] == 0
    assert [turn.text for part in parts for turn in part.held.turns] == [turn.text for turn in whole]
    assert [turn.number for part in parts for turn in part.held.turns] == [1, 2, 3, 4, 5]


def test_equal_texts_of_other_uuids_speakers_and_times_are_other_turns() -> None:
    parts, _ = fed([], told("ok", ts="2026-11-29T14:02:11Z", uuid="a"))
    assert fed(parts, told("ok", ts="2026-11-29T14:02:11Z", uuid="b"))[1] == 1
    assert fed(parts, told("ok", ts="2026-11-29T15:00:00Z"))[1] == 1
    assert fed(parts, [Turn("assistant", "ok", "2026-11-29T14:02:11Z")])[1] == 1
    assert fed(parts, told("ok", ts="2026-11-29T14:02:11Z"))[1] == 0


def test_turns_ingested_without_uuids_are_known_with_them() -> None:
    parts, _ = fed([], told("a", "b", "a"))
    assert fed(parts, told("a", "b", "a", uuid="u"))[1] == 0
    assert fed(parts, told("a", "b", "a", "a", uuid="u"))[1] == 1


def test_the_marker_of_a_secret_is_the_same_turn_under_another_key() -> None:
    parts, _ = fed([], told("key ⟦secret:password:0a1b⟧"))
    assert fed(parts, told("key ⟦secret:password:ffff⟧"))[1] == 0


def test_a_long_conversation_goes_on_in_another_file() -> None:
    parts, _ = fed([], told(*("x" * 100_000 for _ in range(12))))
    assert [part.held.path for part in parts] == [
        "memory/sessions/2026/11/talk.md", "memory/sessions/2026/11/talk-2.md", "memory/sessions/2026/11/talk-3.md",
    ]  # fmt: skip
    assert all(len(part.data) <= session.LIMIT for part in parts)
    assert [turn.number for part in parts for turn in part.held.turns] == list(range(1, 13))
    assert {part.held.id for part in parts} == {"talk"}
    more = after(parts, grown(parts, told("y" * 700_000, "z")))
    assert [len(part.held.turns) for part in more] == [5, 5, 2, 1, 1]


def test_a_torn_last_line_is_ended_first() -> None:
    (one,), _ = fed([], told("a"))
    torn = Part(one.held, one.data.rstrip(b"\n"))
    (change,) = grown([torn], told("b"))
    assert change.after == files.digest(torn.data + b"\n" + change.data)


def test_files_are_found_by_name_and_the_month_is_that_of_the_first_turn() -> None:
    held = conversation.by_name(["memory/sessions/2026/11/talk.md", "memory/sessions/2026/12/talk-2.md", "x/other.md"])
    assert held[conversation.name_of("Talk")] == [
        "memory/sessions/2026/11/talk.md",
        "memory/sessions/2026/12/talk-2.md",
    ]
    (undated,) = conversation.grow(Session("", "talk", "x"), [], told("a"), {"talk"}, "2026-01")
    assert undated.path == "memory/sessions/2026/01/talk-2.md"


def test_times_in_utc_are_told_by_the_clock_of_a_zone() -> None:
    said = ("2026-05-09T18:40:00Z", "2026-05-09T18:40:00+02:00", "2026-05-09", "", "2026-05-10T02:05:00Z")
    held = session.Session("a.md", "a", "chat", turns=tuple(session.Turn("user", "x", ts) for ts in said))
    seoul = [turn.ts for turn in session.at_home(held, ZoneInfo("Asia/Seoul")).turns]
    assert seoul == ["2026-05-10T03:40:00+09:00", *said[1:4], "2026-05-10T11:05:00+09:00"]
    assert session.at_home(held, ZoneInfo("America/Denver")).turns[4].ts == "2026-05-09T20:05:00-06:00"
    assert session.at_home(held, UTC) is held
    winter = session.Session("a.md", "a", "chat", turns=(session.Turn("user", "x", "2026-01-09T18:40:00Z"),))
    assert session.at_home(winter, ZoneInfo("Europe/London")) is winter
