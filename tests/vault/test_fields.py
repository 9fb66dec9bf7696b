"""Front matter by line: where the block is, what it says, and how one key is written without touching the rest."""

import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.errors import BadData
from memdir.vault import fence, fields
from memdir.vault.fields import Value

SUITE = settings(max_examples=300, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("text", "close"),
    [
        ("---\na: 1\n---\n", 2), ("---\r\na: 1\r\n---\r\n", 2), ("\ufeff---\na: 1\n---", 2),
        ("--- \na: 1\n---\t\n", 2), ("---\n---\n", 1), ("---\na: 1\n", None), ("\n---\na: 1\n---\n", None),
        (" ---\na: 1\n---\n", None), ("----\na: 1\n---\n", None), ("---\na: 1\n ---\n", None),
        ("---\na: 1\n----\n---\n", 3), ("", None), ("---", None), ("text\n---\n", None),
    ],
)  # fmt: skip
def test_fences(text: str, close: int | None) -> None:
    assert fields.closing_fence(text.split("\n")) == close


def test_a_block_without_end_is_given_up() -> None:
    assert fields.closing_fence(["---", *["a: 1"] * fence.MAX_LINES, "---"]) is None
    assert fields.closing_fence(["---", "a: " + "x" * fence.MAX_BYTES, "---"]) is None
    assert fields.closing_fence(["---", *["# c"] * (fence.MAX_LINES - 1), "---"]) == fence.MAX_LINES


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("k: no", "no"), ("k: NO", "NO"), ("k: yes", "yes"), ("k: true", True), ("k: True", "True"),
        ("k: false", False), ("k: 7", 7), ("k: -3", -3), ("k: 007", "007"), ("k: 0123", "0123"),
        ("k: 1.10", "1.10"), ("k: 1e3", "1e3"), ("k: 12:30", "12:30"), ("k: 2024-01-05", "2024-01-05"),
        ("k: 2024-13-45", "2024-13-45"), ("k: 0x1f", "0x1f"), ("k: .nan", ".nan"), ("k:", None), ("k: ~", None),
        ("k: null", None), ("k: Null", "Null"), ("k: " + "9" * 30, "9" * 30), ("k: 1_000", "1_000"),
        ("k: 'it''s'", "it's"), ('k: "a\\nb"', "a\nb"), ("k: [a, 1, true]", ["a", 1, True]),
        ("k: {a: {b: 1}}", {"a": {"b": 1}}),
        ("k: a # c", "a"), ("k: a#c", "a#c"), ("k: '水泵'", "水泵"), ("k: =", "="), ("k: !!str 7", "7"), ("k: 0", 0),
    ],
)  # fmt: skip
def test_values_are_what_stands_there(line: str, value: Value) -> None:
    found = fields.read(f"---\n{line}\n---\n")
    assert found.readable
    assert repr(found.values["k"]) == repr(value)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("---\nk: a\n---\nb", "---\nk: NEW\n---\nb"), ("---\nk:   a\n---\n", "---\nk: NEW\n---\n"),
        ("---\nk: 'a'\n---\n", "---\nk: 'NEW'\n---\n"), ('---\nk: "a"  # why\n---\n', '---\nk: "NEW"  # why\n---\n'),
        ("---\n'k': a\n---\n", "---\n'k': NEW\n---\n"),
        ("---\nk: a # why\nz: 1\n---\n", "---\nk: NEW # why\nz: 1\n---\n"),
        ("---\nk: >\n  long\n  text\nz: 1\n---\n", "---\nk: NEW\nz: 1\n---\n"),
        ("---\nk:\n  - a\n# mine\nz: 1\n---\n", "---\nk: NEW\n# mine\nz: 1\n---\n"),
        ("---\nz: 1\n---\n", "---\nz: 1\nk: NEW\n---\n"), ("---\n---\n", "---\nk: NEW\n---\n"),
        ("body", "---\nk: NEW\n---\nbody"), ("", "---\nk: NEW\n---\n"),
        ("\ufeffbody\r\n", "\ufeff---\r\nk: NEW\r\n---\r\nbody\r\n"),
        ("---\r\nk: a\r\nz: 1\r\n---\r\n", "---\r\nk: NEW\r\nz: 1\r\n---\r\n"),
        ("---\nk: a\r\nz: 1\n---\n", "---\nk: NEW\nz: 1\n---\n"),
        ("---\nk: a\n\nz: 1\n\n---\n", "---\nk: NEW\n\nz: 1\n\n---\n"),
        ("---\nkk: 1\nk: a\n---\n", "---\nkk: 1\nk: NEW\n---\n"),
        ("---\nx:\n  k: 1\nk: a\n---\n", "---\nx:\n  k: 1\nk: NEW\n---\n"),
    ],
)  # fmt: skip
def test_a_key_is_set_by_line(text: str, new: str) -> None:
    assert fields.set_value(text, "k", "NEW") == new


@pytest.mark.parametrize(
    ("line", "value", "new"),
    [
        ("k: [a, b]", ["c"], "k: [c]"), ("k: [a] # why", ["b"], "k: [b] # why"),
        ("k: # why\n  - a", ["b"], "k: # why\n  - b"), ("k:\n- a\n# mine\n- b", ["b", "c"], "k:\n# mine\n- b\n- c"),
        ("k:\n  - a\n  - 'b'", ["a", "b", "c: d"], "k:\n  - a\n  - 'b'\n  - \"c: d\""),
        ("k: a", ["a", "b"], "k: [a, b]"), ("k:", ["a"], "k: [a]"), ("k: [a]", [], "k: []"),
        ("k:\n  - a", [], "k: []"), ("k: [a]", "x", "k: x"),
    ],
)  # fmt: skip
def test_lists_keep_their_form_and_their_comments(line: str, value: Value, new: str) -> None:
    assert fields.set_value(f"---\n{line}\nz: 1\n---\n", "k", value) == f"---\n{new}\nz: 1\n---\n"


@pytest.mark.parametrize("block", ["a: [", "a: 1\na: 2", "a: *x", "a: !x 1", "\ta: 1", "a: 'x", "<<: 1", "? [a]\n: 1"])
def test_what_cannot_be_read_is_not_written(block: str) -> None:
    text = f"---\n{block}\n---\n"
    assert not fields.read(text).readable
    with pytest.raises(BadData, match="cannot be read"):
        fields.set_value(text, "k", "v")


@pytest.mark.parametrize("text", ['---\nq: "one\nk: two"\n---\n', "---\nl: |\n k: a\nk : b\n...\n---\n"])
def test_an_edit_that_would_hit_another_value_is_refused_or_right(text: str) -> None:
    before = fields.read(text).values
    try:
        after = fields.read(fields.set_value(text, "k", "NEW")).values
    except BadData:
        return
    assert after == before | {"k": "NEW"}


PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
WRITTEN = (
    PLAIN
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.lists(PLAIN | st.integers(0, 99), min_size=1, max_size=4)
)


@SUITE
@given(WRITTEN, st.sampled_from(["---\nk: old\n---\n", "---\nk: 'old'\n---\n", "---\nk:\n  - old\n---\n", "body\n"]))
def test_what_is_written_is_read_back_by_memdir_and_by_others(value: Value, text: str) -> None:
    new = fields.set_value(text, "k", value)
    assert repr(fields.read(new).values["k"]) == repr(value)
    assert fields.decode(fields.encode(new)) == new
    assert frontmatter.loads(new).metadata["k"] == value


@pytest.mark.parametrize("value", ["=", "<<", "on", "Off", "0o17", "1:30", "0x1F", "+1", "1_0", ".5", "-.inf", "2e5",
    "Null", "#", "- a", "a:", "? x", "|", "---", "..."])  # fmt: skip
def test_text_that_others_would_take_for_something_else_is_quoted(value: str) -> None:
    assert frontmatter.loads(fields.set_value("---\nz: 1\n---\n", "k", value)).metadata == {"z": 1, "k": value}
    assert frontmatter.loads(fields.set_value("---\nz: 1\n---\n", "k", [value])).metadata == {"z": 1, "k": [value]}


@SUITE
@given(st.text(max_size=30).filter(lambda key: key.strip()))
def test_any_key_is_written_so_that_it_is_one_or_refused(key: str) -> None:
    try:
        new = fields.set_value("---\nz: 1\n---\nbody\n", key, "v")
    except BadData:
        return
    assert fields.read(new).values == {"z": 1} | {key: "v"}
    assert new.endswith("---\nbody\n")


@pytest.mark.parametrize(("typed", "value"), [("7", 7), ("-3", -3), ("-0", "-0"), ("007", "007"), ("true", True),
    ("True", "True"), ("no", "no"), ("1.5", "1.5"), ("", ""), ("9" * 18, int("9" * 18)),
    ("9" * 19, "9" * 19)])  # fmt: skip
def test_what_a_person_types(typed: str, value: Value) -> None:
    assert repr(fields.typed(typed)) == repr(value)


@given(st.binary(max_size=100))
def test_bytes_survive(data: bytes) -> None:
    assert fields.encode(fields.decode(data)) == data


def test_the_loader_of_others_is_not_ours() -> None:
    """PyYAML's own loader would make something else of these; ours leaves the text."""
    assert yaml.safe_load("a: no") == {"a": False}
    assert fields.read("---\na: no\n---\n").values == {"a": "no"}
