"""The outline of a conversation: windows by silence, episodes by what is talked of; every turn in exactly one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memdir.recall import outline
from memdir.vault.session import Turn

BOAT = [
    "The Yamaha engine of the boat needs oil.",
    "Yamaha sells oil for the engine.",
    "Then fill the engine with oil.",
]
TEA = ["林家茶园的白毫银针到了。", "白毫银针今年多少钱？", "林家茶园说银针涨价了。"]


def _turns(*said: str, gap: int = 1) -> list[Turn]:
    begin = datetime(2026, 11, 1, tzinfo=UTC)
    moments = [(begin + timedelta(minutes=n * gap)).isoformat() for n in range(len(said))]
    return [Turn("u", text, ts, number=n) for n, (text, ts) in enumerate(zip(said, moments, strict=True), 1)]


def test_a_long_silence_ends_a_window() -> None:
    turns = [
        *_turns(*BOAT),
        *(replace(turn, ts="2026-11-02T10:00:00Z", number=turn.number + 3) for turn in _turns(*TEA)),
    ]
    one, two = outline.outline(turns)
    assert (one.first, one.last, two.first, two.last) == (1, 3, 4, 6)
    assert two.start == "2026-11-02T10:00:00Z"


def test_turns_without_a_time_are_one_window() -> None:
    assert [one.last for one in outline.outline([replace(turn, ts="") for turn in _turns(*BOAT, *TEA)])] == [6]
    assert outline.outline([]) == []


def test_talk_of_other_things_is_another_episode() -> None:
    (window,) = outline.outline(_turns(*BOAT, *BOAT, *TEA, *TEA))
    assert [(one.first, one.last) for one in window.episodes] == [(1, 6), (7, 12)]
    assert "Yamaha" in window.episodes[0].names
    assert window.episodes[1].opening.startswith("林家茶园")


def test_talk_of_the_same_things_stays_one_episode() -> None:
    (window,) = outline.outline(_turns(*BOAT * 6))
    assert len(window.episodes) == 1


@given(st.lists(st.sampled_from([*BOAT, *TEA, "yes", ""]), min_size=1, max_size=40), st.integers(1, 120))
def test_every_turn_is_in_one_window_and_one_episode(said: list[str], gap: int) -> None:
    turns = _turns(*said, gap=gap)
    windows = outline.outline(turns)
    of_windows = [n for one in windows for n in range(one.first, one.last + 1)]
    of_episodes = [n for one in windows for part in one.episodes for n in range(part.first, part.last + 1)]
    assert of_windows == of_episodes == [turn.number for turn in turns]
