"""Passages cover a note without gap or overlap, at sizes that can be quoted."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.vault import memory_md, note, passages
from memdir.vault.passages import CUT, PACK, Passage


def cut(text: str, path: str = "a.md") -> list[Passage]:
    return passages.cut(note.parse(path, text.encode()))


def test_short_sections_are_packed_together() -> None:
    (one,) = cut("---\nname: x\n---\n# A\n\nfirst\n\n## B\n\nsecond\n")
    assert (one.start, one.over, one.inside) == (3, ("A",), ("B",))
    assert one.text == "# A\n\nfirst\n\n## B\n\nsecond"


def test_full_sections_stand_alone_under_their_headings() -> None:
    body = "word " * (PACK // 5 + 1)
    first, second, third = cut(f"# A\n{body}\n## B\n{body}\n## C\n{body}\n")
    assert (first.over, second.over, third.over) == (("A",), ("A", "B"), ("A", "C"))
    assert (first.start, second.start, third.start) == (0, 2, 4)


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraph = "word " * 60
    found = cut("# A\n\n" + "\n\n".join([paragraph] * 12) + "\n")
    assert len(found) > 2
    assert all(len(one.text) <= CUT + len(paragraph) for one in found)
    assert all(one.over == ("A",) for one in found)
    assert all(not one.text.startswith("\n") for one in found)


def test_a_wall_of_lines_is_cut_anywhere() -> None:
    found = cut("\n".join(["word " * 20] * 100))
    assert all(len(one.text) <= CUT + 100 for one in found)


def test_every_entry_of_a_log_stands_alone() -> None:
    found = cut("# 2026-11-29\n\n## 08:00 - a\n- x\n\n### inside\n- y\n\n## 09:00 - b\n- z\n", "2026-11-29.md")
    assert [one.over[-1] for one in found] == ["2026-11-29", "08:00 - a", "09:00 - b"]
    assert "inside" in found[1].text


def test_memory_md_gives_its_hand_written_lines_only() -> None:
    found = cut(
        f"# Mine\n\nhand\n\n{memory_md.OPEN}\n- [A](a.md) — generated\n{memory_md.CLOSE}\n\nbelow\n", "MEMORY.md"
    )
    text = "\n".join(one.text for one in found)
    assert "hand" in text
    assert "below" in text
    assert "generated" not in text


def test_a_note_without_text_still_gives_one() -> None:
    for text in ("", "\n\n", "---\nname: x\n---\n"):
        (one,) = cut(text)
        assert one.text == ""


LINES = st.sampled_from(["", "# A", "## B", "### C", "text " * 30, "short", "```", "- item", "   "])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(LINES, max_size=80), st.sampled_from(["a.md", "2026-11-29.md", "MEMORY.md"]), st.booleans())
def test_every_line_of_text_is_in_exactly_one_passage(lines: list[str], path: str, front: bool) -> None:
    whole = [*(["---", "k: v", "---"] if front else []), *lines]
    parsed = note.parse(path, "\n".join(whole).encode())
    found = passages.cut(parsed)
    held = [n for one in found for n in range(one.start, one.end)]
    assert held == sorted(set(held))
    missed = set(range(parsed.body_line, len(parsed.lines))) - set(held)
    assert all(not parsed.lines[n].strip() for n in missed)
    assert all(sum(map(len, parsed.lines[one.start : one.end])) <= CUT + 200 for one in found)
