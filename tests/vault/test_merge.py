"""Two versions of a note made one: what is taken, what stays twice, and that no line is lost."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driver
from memdir.vault import blocks
from memdir.vault.merge import CALLOUT, merge

SUITE = settings(max_examples=300, deadline=None, derandomize=True)
TOLD = "> [!warning] conflict: the other version of what stands above\n"
HEAD = "> [!warning] conflict: front matter of the other version\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "made"),
    [
        ("a\n\nb\n", "A\n\nb\n", "a\n\nB\n", "A\n\nB\n"),  # one block each
        ("- a\n- b\n", "- a\n- b\n- o\n", "- a\n- b\n- t\n", "- a\n- b\n- o\n- t\n"),
        ("- a\n", "- a\n- n\n- o\n", "- a\n- n\n- t\n", "- a\n- n\n- o\n- t\n"),  # the same addition once
        ("a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nb\n\nc\n\nd\n", "a\n\nc\n\nd\n"),  # a deletion and an addition
        ("a\n\nb one two\n", "a\n", "a\n\nb one two three\n", "a\n\nb one two three\n"),  # an edit beats a deletion
        ("a\n\nb one two\n", "a\n\nb one two three\n", "a\n", "a\n\nb one two three\n"),
        ("a\n\nb\n", "a\n", "a\n", "a\n"), ("x\n", "y\n", "y\n", "y\n"),
        ("# D\n", "# D\n\n## 1 - o\n- outcome:: x\n", "# D\n\n## 2 - t\n- outcome:: x\n",
        "# D\n\n## 1 - o\n- outcome:: x\n\n## 2 - t\n- outcome:: x\n"),
        ("a", "a\n\no", "a\n\nt", "a\n\no\n\nt"), ("", "o\n", "t\n", "o\n\nt\n"),
        ("```\na\n\nb\n```\n", "```\na\n\nB\n```\n", "x\n\n```\na\n\nb\n```\n", "x\n\n```\na\n\nB\n```\n"),
        ("---\nk: 1\n---\nb\n", "---\nk: 2\n---\nb\n", "---\nk: 1\nt: 1\n---\nb\n", "---\nk: 2\nt: 1\n---\nb\n"),
        ("---\nk: 1\nz: 1\n---\n", "---\nz: 1\n---\n", "---\nk: 1\nz: 2\n---\n", "---\nz: 2\n---\n"),
        ("---\nk: 1\n---\n", "---\nk: 1\n---\n", "", ""),
        ("---\nt:\n  - a\n# c\nk: 1\n---\n", "---\nt:\n  - a\n# c\nk: 2\n---\n",
        "---\nt:\n  - a\n  - b\n# c\nk: 1\n---\n",
        "---\nt:\n  - a\n  - b\n# c\nk: 2\n---\n"),
        ("---\nupdated: 2026-01-01\n---\na\n\nb\n", "---\nupdated: 2026-01-03\n---\nA\n\nb\n",
        "---\nupdated: 2026-01-02\n---\na\n\nB\n", "---\nupdated: 2026-01-03\n---\nA\n\nB\n"),
        ("a\n\nb\n", "A\n\nb\n", "a\r\n\r\nB\r\n", "A\n\nB\n"),  # line ends alone are no change, ours stay
        ("a\n\nb\n", "A\r\n\r\nb\r\n", "a\n\nB\n", "A\r\n\r\nB\r\n"),
        ("a\n\nb\n", "\ufeffA\n\nb\n", "a\n\nB\n", "\ufeffA\n\nB\n"),
        # without an ancestor
        (None, "a\n\nb\n", "a\n\nc\n", "a\n\nb\n\nc\n"), (None, "a\nb\n", "a\r\nb\r\n", "a\nb\n"),
        (None, "# H\n- a\n- b one\n", "# H\n- a\n- xyz\n\n# T\n- t\n", "# H\n- a\n- b one\n- xyz\n\n# T\n- t\n"),
        (None, "# D\n\n## 1\n- x\n\n## 2\n- y\n", "# D\n\n## 1\n- x\n\n## 3\n- x\n",
        "# D\n\n## 1\n- x\n\n## 2\n- y\n\n## 3\n- x\n"),
        (None, "- a\n- b\n", "- b\n- a\n", "- a\n- b\n"),
        (None, "---\na: 1\n---\nx\n", "x\n", "---\na: 1\n---\nx\n"),
        (None, "x\n", "---\na: 1\n---\nx\n", "---\na: 1\n---\nx\n"),
        (None, "", "t\n", "t\n"), (None, "o\n", "", "o\n"),
    ],
)  # fmt: skip
def test_clean_merges(base: str | None, ours: str, theirs: str, made: str) -> None:
    assert merge(base, ours, theirs) == made
    assert CALLOUT not in made


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "made"),
    [
        ("a\n\nb\n\nc\n", "a\n\nB1\n\nc\n", "a\n\nB2\n\nc\n", f"a\n\nB1\n\n{TOLD}> B2\n\nc\n"),
        ("- a\n- b\n", "- a1\n- b\n", "- a2\n- b\n", f"- a1\n\n{TOLD}> - a2\n- b\n"),
        ("a\r\nb\r\n", "a1\r\nb\r\n", "a2\r\nb\r\n",
        "a1\r\nb\r\n\r\n" + TOLD.replace("\n", "\r\n") + "> a2\r\n> b\r\n"),
        ("---\nk: 1\n---\n", "---\nk: 2\n---\n", "---\nk: 3\n---\nx\n", f"---\nk: 2\n---\n{HEAD}> k: 3\n\nx\n"),
        (None, "---\nk: 2\n---\nx\n", "---\nk: 3\n---\nx\n", f"---\nk: 2\n---\n{HEAD}> k: 3\n\nx\n"),
        (None, "- [ ] Port the aliases to zsh\n", "- [x] Port the aliases to zsh\n",
        f"- [ ] Port the aliases to zsh\n\n{TOLD}> - [x] Port the aliases to zsh\n"),
    ],
)  # fmt: skip
def test_two_edits_of_one_thing_both_stay(base: str | None, ours: str, theirs: str, made: str) -> None:
    found = merge(base, ours, theirs)
    assert found == made
    assert not re.search(r"(?m)^(<<<<<<<|=======|>>>>>>>)", found)


def test_equal_lines_deleted_in_different_places_are_not_lost() -> None:
    base = "# A\n- x\n\n# B\n- x\n"
    found = merge(base, "# A\n- x\n\n# B\n", "# A\n\n# B\n- x\n")
    assert "- x" in found


@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("count", [2_500, 10_000])
def test_thousands_of_equal_items_cost_little_and_none_is_lost(base: bool, count: int) -> None:
    """Changed at both ends, so that nothing but the pairing of equal lines would tell what became of what."""
    items = "- [ ] water the plants\n" * count
    ours, theirs = f"- ours first\n{items}- ours last\n", f"- theirs first\n{items}- theirs last\n"
    assert driver.calls(lambda: merge(f"- base first\n{items}" if base else None, ours, theirs)) < 100 * count
    made = merge(f"- base first\n{items}" if base else None, ours, theirs)
    assert {"- ours first", "- ours last", "- theirs first", "- theirs last"} <= kept(made)
    assert made.count("water the plants") == count


def test_a_long_note_that_each_side_changed_in_one_place_is_paired() -> None:
    lines = [f"- item {number}" for number in range(6_000)]
    base = "\n".join(lines) + "\n"
    made = merge(base, base.replace("- item 10\n", ""), base.replace("item 5990\n", "item 5990, done\n"))
    assert made == base.replace("- item 10\n", "").replace("item 5990\n", "item 5990, done\n")


# --- properties ----------------------------------------------------------------------------------

LINES = st.sampled_from([
    "", "", "alpha beta", "gamma delta", "gamma delta!", "水泵的滤芯", "# One", "## Two", "- item a", "- item b",
    "  nested",
    "1. first", "```", "> quote", "---", "[[Link]]", "| a | b |", "k: v",
])  # fmt: skip
FRONT = st.sampled_from(
    ["", "", "---\nname: A\n---\n", "---\nname: B\ntags:\n  - x\n---\n", "---\n# c\ntags: [y]\nname: A\n---\n"]
)
ENDS = st.sampled_from(["\n", "\n", "", "\r\n"])


@st.composite
def notes(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    text = draw(FRONT) + "\n".join(draw(st.lists(LINES, max_size=10))) + end[-1:]
    return text.replace("\n", "\r\n") if end == "\r\n" else text


@st.composite
def versions(draw: st.DrawFn) -> tuple[str, str, str]:
    """An ancestor and two edits of it: lines gone, changed, added."""
    base = draw(notes())

    def edited() -> str:
        lines = base.split("\n")
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(lines)))
            match draw(st.sampled_from(["add", "drop", "change", "rename"])):
                case "add":
                    lines.insert(at, draw(LINES))
                case "drop":
                    del lines[at : at + 2]
                case "change":
                    lines[at : at + 1] = [draw(LINES)]
                case _:
                    lines[at : at + 1] = [f"{lines[at]} more" if at < len(lines) else "last"]
        return "\n".join(lines)

    return base, edited(), edited()


def said(text: str) -> set[str]:
    return {line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n") if line.strip()}


def kept(text: str) -> set[str]:
    lines = said(text)
    return lines | {line.removeprefix("> ") for line in lines} | {"---"}


@SUITE
@given(notes())
def test_join_is_the_inverse_of_split(text: str) -> None:
    assert blocks.join(blocks.split(text)) == text


@SUITE
@given(notes(), notes())
def test_one_side_alone(base: str, other: str) -> None:
    assert merge(base, other, base) == other
    assert merge(base, base, other) == other
    assert merge(base, other, other) == other
    assert merge(None, other, other) == other


@SUITE
@given(versions())
def test_no_line_is_lost(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    held = kept(merge(base, ours, theirs))
    for mine, other in ((ours, theirs), (theirs, ours)):
        owed = {line for line in said(mine) if line in said(other) or line not in said(base)}
        assert owed <= held


@SUITE
@given(notes(), notes())
def test_no_line_is_lost_without_an_ancestor(ours: str, theirs: str) -> None:
    assert said(ours) | said(theirs) <= kept(merge(None, ours, theirs))


@SUITE
@given(versions())
def test_nothing_is_made_up(three: tuple[str, str, str]) -> None:
    base, ours, theirs = three
    made = merge(base, ours, theirs)
    plain = {line for line in said(made) if not line.startswith("> ")}
    assert plain <= said(ours) | said(theirs)


@SUITE
@given(
    st.lists(LINES.filter(str.strip), min_size=1, max_size=6), st.lists(LINES.filter(str.strip), min_size=1, max_size=6)
)
def test_order_is_stable(one: list[str], other: list[str]) -> None:
    """Additions at the end stand in our order, then in theirs."""
    ours, theirs = [f"- o{n} {line}" for n, line in enumerate(one)], [f"- t{n} {line}" for n, line in enumerate(other)]
    base = "# Log\n- first\n"
    text = merge(base, base + "\n".join(ours) + "\n", base + "\n".join(theirs) + "\n")
    assert text == base + "\n".join([*ours, *theirs]) + "\n"


def test_with_an_ancestor_that_is_a_guess_nothing_is_taken_as_deleted() -> None:
    base = "---\nname: A\nup: x\n---\nThe pump takes one bar.\n\nTwo.\n\nThree.\n"
    theirs = "---\nname: A\n---\nThe pump takes two bar.\n\nThree.\n"
    kept = merge(base, base, theirs, sure=False)
    assert kept == base.replace("one bar", "two bar")
    assert merge(base, base, theirs) == theirs
    assert merge(base, base.replace("Three.\n", ""), base, sure=False) == base.replace("Three.\n", "")


def test_blank_lines_without_end_are_one_gap() -> None:
    """200,000 of them took minutes when each made the gap anew."""
    parts = blocks.split("a\n" + "\n" * 200_000)
    assert [(one.kind, len(one.gap)) for one in parts.body] == [("start", 0), ("text", 200_000)]
