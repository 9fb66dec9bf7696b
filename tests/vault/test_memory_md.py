"""MEMORY.md: hand-written text is kept, the list stays under its caps, and it is stale exactly when it should be."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.errors import BadData
from memdir.vault import layout, memory_md
from memdir.vault.memory_md import CLOSE, OPEN, Entry, Plan

SUITE = settings(max_examples=150, deadline=None, derandomize=True)
CAPS = {"max_lines": 200, "max_bytes": 25_000}
FRAME = f"# Mine\n\nhand\n\n{OPEN}\n{CLOSE}\n\nbelow\n"
SHELL = Entry("memory/user/shell-preference.md", "Shell preference", "user", "Works in zsh on every machine")


def many(count: int, hook: str = "a hook") -> list[Entry]:
    return [
        Entry(f"memory/ref/n{n:04}.md", f"Note {n:04}", "ref", hook, updated=f"2026-01-{n % 28 + 1:02}")
        for n in range(count)
    ]


def plan(text: str, entries: list[Entry]) -> Plan:
    return memory_md.plan(text, entries, **CAPS)


def test_the_list_as_the_design_shows_it() -> None:
    entries = [Entry("memory/ref/b.md", "B", "ref"), SHELL, Entry("memory/ref/a.md", "a", "ref", "hook")]
    assert plan(FRAME, entries).text == (
        f"# Mine\n\nhand\n\n{OPEN}\n## User\n"
        "- [Shell preference](memory/user/shell-preference.md) — Works in zsh on every machine\n"
        f"## Reference\n- [a](memory/ref/a.md) — hook\n- [B](memory/ref/b.md)\n{CLOSE}\n\nbelow\n"
    )


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (Entry("a b(c).md", "[x] \\ y", "ref"), "- [\\[x\\] \\\\ y](a%20b%28c%29.md)"),
        (Entry("水泵.md", "水泵", "ref", "型号\n甲七"), "- [水泵](水泵.md) — 型号 甲七"),
        (Entry("50%.md", "a", "ref", "<!-- /memdir:index -->"), "- [a](50%25.md) — < !-- /memdir:index -- >"),
        (Entry("a.md", "a\x1b[31m\u2028b", "ref", "\x00"), "- [a \\[31m b](a.md)"),
        (Entry("a.md", "a", "ref", "x" * 300), "- [a](a.md) — " + "x" * 119 + "…"),
        (Entry("a.md", "odd \udce9", "ref"), "- [odd ?](a.md)"),
    ],
)  # fmt: skip
def test_an_entry_is_one_line_that_cannot_end_the_list(entry: Entry, line: str) -> None:
    assert entry.line == line
    made = plan(FRAME, [entry])
    assert memory_md.listed(made.text) == {entry.path: ("ref", line)}


@pytest.mark.parametrize("text", ["", "# Mine\n", "# Mine", "# Mine\r\ntext\r\n"])
def test_the_marks_are_added_where_there_are_none(text: str) -> None:
    made = plan(text, [SHELL])
    end = "\r\n" if "\r" in text else "\n"
    assert made.text.startswith(text)
    assert made.text.endswith(f"{SHELL.line}{end}{CLOSE}{end}" if end == "\n" else f"{SHELL.line}\r\n{CLOSE}\r\n")
    assert memory_md.fenced(made.text)
    assert plan(made.text, [SHELL]).text == made.text


@pytest.mark.parametrize(
    "text", [OPEN, CLOSE, f"{CLOSE}\n{OPEN}\n", f"{OPEN}\n{CLOSE}\n{CLOSE}\n", f"{OPEN}\n{OPEN}\n{CLOSE}\n"]
)
def test_broken_marks_are_a_problem_and_nothing_is_written(text: str) -> None:
    problem = memory_md.check(f"# Mine\n\n{text}", 200, 25_000)
    assert problem
    assert problem.path == "MEMORY.md"
    assert problem.line >= 3
    with pytest.raises(BadData, match=r"MEMORY\.md:"):
        plan(f"# Mine\n\n{text}", [SHELL])


@pytest.mark.parametrize("hand", ["line\n" * 201, "x" * 25_001])
def test_hand_written_text_over_a_cap_is_a_problem(hand: str) -> None:
    assert memory_md.check(hand, 200, 25_000)
    with pytest.raises(BadData, match="hand-written"):
        plan(hand, [SHELL])


def test_generated_lines_are_blanked_for_the_index() -> None:
    lines = plan(FRAME, [SHELL]).text.split("\n")
    assert [line for line in memory_md.hand_written(lines) if line] == ["# Mine", "hand", "below"]
    assert len(memory_md.hand_written(lines)) == len(lines)


def test_what_is_weakest_leaves_and_the_newest_never() -> None:
    entries = many(400)
    entries += [
        Entry("memory/ref/low.md", "Low", "ref", importance="low", updated="2026-12-31"),
        Entry("memory/ref/high.md", "High", "ref", importance="high", updated="2000-01-01"),
    ]
    made = plan(FRAME, entries)
    kept = memory_md.listed(made.text)
    assert made.left_out > 0
    assert made.listed + made.left_out == 402
    assert made.text.count("\n") <= 180
    assert "memory/ref/low.md" in kept  # the newest of all, though of low importance
    assert "memory/ref/high.md" in kept
    assert f"{made.left_out} more notes" in made.text
    assert layout.OVERFLOW_FILE in made.text
    assert made.overflow
    assert set(memory_md.listed(made.overflow)) | set(kept) == {entry.path for entry in entries}
    older = [*entries, Entry("memory/ref/new.md", "New", "ref", updated="2027-01-01")]
    assert "memory/ref/low.md" not in memory_md.listed(plan(FRAME, older).text)


def test_the_bytes_count_too() -> None:
    made = plan(FRAME, many(160, "水" * 100))
    assert len(made.text.encode()) <= 22_500
    assert made.left_out


@pytest.mark.parametrize("hand", [0, 100, 170, 175, 178, 185, 196])
def test_the_whole_file_never_passes_its_cap(hand: int) -> None:
    text = "line\n" * hand + f"{OPEN}\n{CLOSE}\n"
    made = plan(text, many(400))
    assert made.text.count("\n") <= 200
    assert made.text.startswith("line\n" * hand)


def test_hand_written_text_that_leaves_no_room_is_a_problem() -> None:
    with pytest.raises(BadData, match="no room"):
        plan("line\n" * 198 + f"{OPEN}\n{CLOSE}\n", many(400))


def test_one_monstrous_name_does_not_break_the_cap() -> None:
    made = plan(FRAME, [Entry("memory/ref/a.md", "x" * 30_000, "ref", updated="2027-01-01"), *many(3)])
    assert len(made.text.encode()) <= 25_000
    assert "Note 0002" in made.text


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({"name": "Other"}, True), ({"type": "ref"}, True), ({"path": "memory/user/other.md"}, True),
        ({"hook": "other text", "described": True}, True), ({"hook": "other text"}, False),
        ({"importance": "low"}, False), ({"updated": "2027-01-01"}, False), ({"touched": 9}, False),
    ],
)  # fmt: skip
def test_the_list_is_stale_when_names_types_or_descriptions_change(change: dict[str, object], stale: bool) -> None:
    text = plan(FRAME, [SHELL]).text
    assert memory_md.stale(text, "", [replace(SHELL, **change)]) is stale  # type: ignore[arg-type]
    assert memory_md.stale(text, "", [])
    assert memory_md.stale(text, "", [SHELL, *many(1)])


NAMES = st.text(max_size=30) | st.sampled_from(
    ["[", "]", "\\", "\\]", "](x)", " — ", OPEN, CLOSE, "## User", "水泵", "a\nb", "\udce9"]
)
PATHS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=12).map(
    lambda name: f"memory/ref/{name}.md"
)
ENTRIES = st.lists(st.builds(Entry, path=PATHS, name=NAMES, type=st.sampled_from(layout.TYPES), hook=NAMES,
described=st.booleans(), importance=st.sampled_from(layout.IMPORTANCE)), max_size=8,
    unique_by=lambda entry: entry.path)  # fmt: skip
HAND = st.lists(
    st.sampled_from(["# Mine", "- [x](y.md) — theirs", "", "## User", "text", "<!-- a comment -->"]), max_size=6
)


@SUITE
@given(
    HAND, HAND, ENTRIES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([CAPS, {"max_lines": 24, "max_bytes": 1_500}])
)
def test_hand_written_text_is_kept_and_the_list_settles(
    above: list[str], below: list[str], entries: list[Entry], end: str, caps: dict[str, int]
) -> None:
    text = end.join([*above, OPEN, "old", CLOSE, *below])
    made = memory_md.plan(text, entries, **caps)
    assert made.text.startswith(end.join([*above, OPEN]))
    assert made.text.endswith(end.join([CLOSE, *below]))
    assert memory_md.plan(made.text, entries, **caps) == made
    assert not memory_md.stale(made.text, made.overflow or "", entries)
    assert made.listed + made.left_out == len(entries)
    assert (made.overflow is None) == (made.left_out == 0)
