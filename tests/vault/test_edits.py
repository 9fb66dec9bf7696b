"""Edits of a note's text: what was asked, `updated:` where memdir keeps it, and no other byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.errors import BadData, Conflict, NotFound
from memdir.vault import edits, fields

DAY = "2026-11-29"
OURS = "---\nname: N\ntype: ref\nupdated: 2020-01-01\n---\n"
THEIRS = "---\ntitle: N\nupdated: 2020-01-01\n---\n"
BODY = "# A\na\n\n## B\nb\n\n```\n## not C\n```\n\n## C ##\nc\n\n# D\nd"


def test_set_writes_the_keys_and_the_day() -> None:
    assert edits.set_values("p", OURS + BODY, {"name": "M", "tags": ["x"]}, DAY) == (
        f"---\nname: M\ntype: ref\nupdated: {DAY}\ntags: [x]\n---\n{BODY}"
    )


def test_a_note_of_another_schema_gets_no_day() -> None:
    assert edits.set_values("p", THEIRS, {"title": "M"}, DAY) == THEIRS.replace("title: N", "title: M")
    assert edits.append("p", THEIRS, "x", DAY) == THEIRS + "x\n"


def test_a_day_that_is_set_is_kept_and_nothing_changed_changes_nothing() -> None:
    assert edits.set_values("p", OURS, {"updated": "2021-01-01"}, DAY) == OURS.replace("2020", "2021")
    assert edits.set_values("p", OURS, {"name": "N"}, DAY) == OURS


def test_a_block_that_cannot_be_read_is_refused_with_its_path() -> None:
    with pytest.raises(BadData, match=r"memory/x\.md: line \d: front matter cannot be read"):
        edits.set_values("memory/x.md", "---\na: [\n---\n", {"a": "b"}, DAY)
    assert edits.append("p", "---\na: [\n---\nbody\n", "x", DAY) == "---\na: [\n---\nbody\nx\n"


@pytest.mark.parametrize(
    ("text", "addition", "wanted"),
    [
        ("", "x", "x\n"), ("a", "x", "a\nx\n"), ("a\n", "x\n\n", "a\nx\n"), ("a\r\nb", "x\ny", "a\r\nb\r\nx\r\ny\r\n"),
        ("a\n", "x\r\ny", "a\nx\ny\n"), ("a\n\n", "x", "a\n\nx\n"), ("\ufeffa\r\n", "x", "\ufeffa\r\nx\r\n"),
    ],
)  # fmt: skip
def test_append(text: str, addition: str, wanted: str) -> None:
    assert edits.append("p", text, addition, DAY) == wanted


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("B", "# A\na\n\n## B\nNEW\n\n## C ##\nc\n\n# D\nd"),
        ("C", "# A\na\n\n## B\nb\n\n```\n## not C\n```\n\n## C ##\nNEW\n\n# D\nd"), ("A", "# A\nNEW\n\n# D\nd"),
        ("D", "# A\na\n\n## B\nb\n\n```\n## not C\n```\n\n## C ##\nc\n\n# D\nNEW\n"),
        ("#b", "# A\na\n\n## B\nNEW\n\n## C ##\nc\n\n# D\nd"),
        ("A#C", "# A\na\n\n## B\nb\n\n```\n## not C\n```\n\n## C ##\nNEW\n\n# D\nd"),
    ],
)  # fmt: skip
def test_section(heading: str, wanted: str) -> None:
    assert edits.section("p", BODY, heading, "NEW", DAY) == wanted
    end = wanted.replace("\n", "\r\n")
    assert edits.section("p", BODY.replace("\n", "\r\n"), heading, "NEW", DAY) == end


@pytest.mark.parametrize("heading", ["not C", "D#B", "E", ""])
def test_a_heading_that_is_not_there_is_named_with_those_that_are(heading: str) -> None:
    with pytest.raises(NotFound, match="A, B, C, D"):
        edits.section("p", BODY, heading, "NEW", DAY)


def test_replace_keeps_the_front_matter() -> None:
    assert (
        edits.replace("p", "---\r\nk: v # c\r\n---\r\nold\r\n", "new\nlines\n", DAY)
        == "---\r\nk: v # c\r\n---\r\nnew\r\nlines\r\n"
    )
    assert edits.replace("p", "old", "new", DAY) == "new\n"


TEXTS = st.lists(
    st.sampled_from(["# A", "## B", "text", "", "- k:: v", "```", "# A ", "\ufeff", "odd \udce9"]), max_size=12
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(TEXTS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", OURS, THEIRS]))
def test_an_edit_of_a_section_leaves_all_others(lines: list[str], end: str, front: str) -> None:
    text = (front + "\n".join(lines)).replace("\n", end)
    end = fields.newline_of(text)
    try:
        start, stop = edits.section_lines("p", text.split("\n"), "A")
    except (NotFound, Conflict):
        return
    new = edits.section("p", text, "A", "NEW", DAY).split("\n")
    old = text.split("\n")
    day = f"updated: {DAY}{end[:-1]}"
    kept = [day if line.startswith("updated: ") and front == OURS else line for line in old]
    assert new[: start + 1] == kept[: start + 1]
    assert new[start + 1] == f"NEW{end[:-1]}"
    assert [line for line in new[start + 2 :] if line.strip()] == [line for line in kept[stop:] if line.strip()]
    assert all(fields.encode(line) for line in new if line)


def test_an_addition_goes_to_the_end_of_its_section_or_makes_it() -> None:
    text = "# T\n\n## A\none\n\n## B\ntwo\n"
    assert edits.append("p", text, "- new", DAY, "A") == "# T\n\n## A\none\n- new\n\n## B\ntwo\n"
    assert edits.append("p", text, "- new", DAY, "B") == text + "- new\n"
    assert edits.append("p", text, "- new", DAY, "History") == text + "\n## History\n- new\n"
    assert edits.append("p", "## A\r\none\r\n", "new", DAY, "A") == "## A\r\none\r\nnew\r\n"
    assert edits.append("p", "## A\none", "new", DAY, "A") == "## A\none\nnew\n"


def test_two_headings_of_one_name_are_told_apart_or_refused() -> None:
    text = "# X\n## A\none\n# Y\n## A\ntwo\n"
    with pytest.raises(Conflict, match="lines 2, 5"):
        edits.section("p", text, "A", "new", DAY)
    assert edits.section("p", text, "Y#A", "new", DAY) == "# X\n## A\none\n# Y\n## A\nnew\n"


def test_a_block_that_is_not_closed_is_never_replaced() -> None:
    with pytest.raises(BadData, match="not closed"):
        edits.replace("p", "---\nname: x\ntext\n", "new", DAY)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("one\n\n## History\n- k:: old (→ 2020)\n", "one\n- new\n\n## History\n- k:: old (→ 2020)\n"),
        ("one\n## History\n- x\n", "one\n- new\n\n## History\n- x\n"),
        ("# T\n\n## History\n- x\n", "# T\n\n- new\n\n## History\n- x\n"),
        ("## history\n", "- new\n\n## history\n"),
        ("one\r\n\r\n## History\r\n", "one\r\n- new\r\n\r\n## History\r\n"),
        ("a\n\n## History\n### 2019\n- x", "a\n- new\n\n## History\n### 2019\n- x"),
        ("## History\n- x\n\n## Parts\n- y\n", "## History\n- x\n\n## Parts\n- y\n- new\n"),
        ("# History\nRome.\n", "# History\nRome.\n- new\n"),
        ("```\n## History\n```\n", "```\n## History\n```\n- new\n"),
    ],
)
def test_what_is_added_stands_above_the_history(text: str, wanted: str) -> None:
    assert edits.append("p", text, "- new", DAY) == wanted
