"""Arrays and lines larger than memory, one value after another; what is broken is told and passed over."""

import io
import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.ingest import jsonstream
from memdir.ingest.jsonstream import Item
from memdir.ingest.records import Bad

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def _items(text: str, *keys: str) -> list[Item | Bad]:
    return list(jsonstream.items(io.BytesIO(text.encode()), keys))


@given(st.lists(VALUES, max_size=8), st.integers(1, 40), st.booleans())
def test_an_array_comes_item_by_item_however_it_is_read(values: list[object], chunk: int, ascii_only: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonstream, "CHUNK", chunk)
        text = json.dumps(values, ensure_ascii=ascii_only, indent=1)
        assert [one.value for one in _items(text)] == values
        held = json.dumps({"a": {"b": [1]}, "c": values, "d": 2}, ensure_ascii=ascii_only)
        assert [one.value for one in _items(held, "c")] == values
        assert [one.value for one in _items(held, "none")] == [json.loads(held)]


@pytest.mark.parametrize("chunk", [1, 7, 1 << 18])
def test_a_broken_item_is_told_and_passed_over(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "CHUNK", chunk)
    found = _items('[{"n": 1}, {"n": oops, "s": "a ] } \\" ["}, nonsense, {"n": 3}]')
    assert [one.where if isinstance(one, Bad) else one.value for one in found] == [
        {"n": 1}, "item 1", "item 2", {"n": 3},
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["[}", "[}]", "[1, }}, 2]", "[{}}]", '[{"a": 1}}, 2]'])
def test_a_bracket_that_closes_nothing_is_passed_over(text: str) -> None:
    found = list(islice(jsonstream.items(io.BytesIO(text.encode())), 9))
    assert len(found) < 9
    assert any(isinstance(one, Bad) for one in found)
    assert ("2" in text) == (2 in [one.value for one in found if isinstance(one, Item)])


def test_what_is_cut_short_says_so() -> None:
    found = _items('[{"n": 1}, {"n": [2, 3')
    assert found[0] == Item(0, {"n": 1})
    assert isinstance(found[1], Bad)
    assert "cut short" in found[1].why
    assert isinstance(_items("")[0], Bad)
    assert isinstance(_items("hello")[0], Bad)


def test_a_byte_order_mark_is_no_text() -> None:
    assert [one.value for one in jsonstream.items(io.BytesIO(b"\xef\xbb\xbf [1, 2]"))] == [1, 2]
    rows = list(jsonstream.rows(io.BytesIO(b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\nno\n')))
    assert rows[:2] == [Item(1, {"a": 1}), Item(3, {"a": 2})]
    assert isinstance(rows[2], Bad)
    assert rows[2].where == "line 4"
