"""The log of a day as a start shows it: what people and agents wrote, the rest as a count."""

from memdir.app.ready import daylog

HEAD = "# 2026-12-05"
BY_HAND = ["## 09:00 +00:00 - Deploy of atlas failed", "- Migration 0042 timed out"]
OWN = "- executor:: memdir"


def episode(time: str, asked: str, *told: str, session: str = "s1") -> list[str]:
    source = f"- source:: [[{session}#^t1]] to ^t4"
    return [f"## {time} +00:00 - Conversation: {asked}", f"- asked: {asked}", *told, "- 4 turns", source, OWN]


def test_what_memdir_wrote_for_the_record_is_a_count() -> None:
    counted = ["## 10:00 +00:00 - Captured 1 memory from a conversation", "- [[heron]]: 1 line", OWN]
    shown = daylog.of_people([HEAD, *BY_HAND, *counted, *counted])
    assert shown == [HEAD, *BY_HAND, "- and 2 entries of memdir's own, for the record"]
    assert daylog.of_people([HEAD, *BY_HAND]) == [HEAD, *BY_HAND]


def test_a_decision_that_was_captured_stays() -> None:
    title, decision = "## 10:00 +00:00 - Captured 2 memories", "- [decision] We drop IE11."
    assert daylog.of_people([title, decision, "- [[heron]]: 1 line", OWN]) == [title, decision]


def test_entries_about_one_conversation_become_one() -> None:
    lines = [
        *episode("09:00", "Add retries.", "- then: Cap it at five.", "- decided: We cap it at five.", "- ended: “Ok.”"),
        *episode("10:00", "Sail to Porto.", session="s2"),
        *episode("11:00", "Now test it.", "- decided: We test on Mondays."),
    ]
    assert daylog.of_people(lines) == [
        "## 09:00 +00:00 - Conversation: Add retries.",
        "- asked: Add retries.",
        "- decided: We cap it at five.",
        "- then: Now test it.",
        "- decided: We test on Mondays.",
        "## 10:00 +00:00 - Conversation: Sail to Porto.",
        "- asked: Sail to Porto.",
    ]


def test_a_conversation_in_which_nothing_was_told_is_counted() -> None:
    assert daylog.of_people(episode("09:00", "Which port is it?")) == ["- and 1 entry of memdir's own, for the record"]
