"""Replies: what is dropped around JSON, what is unreadable, and the form of an item."""

import contextlib
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.errors import ModelError
from memdir.llm.replies import Field, Unreadable, check, parse

CASE = Path(__file__).parents[1] / "cases" / "LLM-01"
FACTS = {"facts": ["Pump filter is type K7", "Spare key is with Ana"]}


def reason(text: str) -> str:
    with pytest.raises(Unreadable) as error:
        parse(text)
    return error.value.reason


# --- the case --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fence", "prose", "think"])
def test_two_facts_are_read_whatever_stands_around_them(name: str) -> None:
    assert parse((CASE / f"reply_{name}.txt").read_text("utf-8")) == FACTS


def test_a_fence_inside_a_string_stays() -> None:
    found = parse((CASE / "reply_inner_fence.txt").read_text("utf-8"))
    assert found == {"facts": ["Use ```json fences``` in docs", "Spare key is with Ana"]}


@pytest.mark.parametrize(
    ("name", "said"), [("empty", "empty"), ("cut", "cut"), ("notjson", "no JSON"), ("surrogate", "no JSON")]
)
def test_a_reply_without_whole_json_is_unreadable(name: str, said: str) -> None:
    assert said in reason((CASE / f"reply_{name}.txt").read_text("utf-8"))


def test_unreadable_is_an_error_of_the_model() -> None:
    with pytest.raises(ModelError, match="the model's reply cannot be read: it is empty; ask again") as error:
        parse(" \n")
    assert error.value.exit_code == 6


# --- around the JSON -------------------------------------------------------------------------------------

READ: dict[str, Any] = {
    '\ufeff{"a": 1}': {"a": 1},
    '```\n{"a": 1}\n```': {"a": 1},
    '~~~json\n{"a": 1}': {"a": 1},
    'See [1] and [the docs]: {"a": [1, 2]} [2]': {"a": [1, 2]},
    '[{"a": 1}, {"a": 2}]': [{"a": 1}, {"a": 2}],
    '{"a": 1}\n\nAgain:\n{"a": 1}': {"a": 1},
    'In the form {"a": ...}: {"a": 1}': {"a": 1},
    '{"a": "two\nlines"}': {"a": "two\nlines"},
    '{"a": "\\ud83d\\ude00"}': {"a": "😀"},
    '<THINK>\n{"a": 0} [[[ {{{ "\n</THINK>{"a": 1}': {"a": 1},
    '<thinking>a</thinking><think>{"a": 0}</think>{"a": 1}': {"a": 1},
    'the template opened it {"a": 0}</think>\n{"a": 1}': {"a": 1},
    '{"a": "write <think> and </think> first", "b": {"c": 1}}': {
        "a": "write <think> and </think> first",
        "b": {"c": 1},
    },
    'So: {"a": "ends in </think>", "b": {"c": 1}}': {"a": "ends in </think>", "b": {"c": 1}},
    '{"a": 1} <think> of it': {"a": 1},
    '{"a": "quote \\" and } and ["} tail }': {"a": 'quote " and } and ['},
    '{"a": "\\ud83d"}': {"a": "\ud83d"},
    "{}": {},
    "[]": [],
}


@pytest.mark.parametrize("text", READ)
def test_json_is_found_in(text: str) -> None:
    assert parse(text) == READ[text]


BROKEN = {
    '{"facts": [{"t": "whole"}, {"t": "ha': "cut",
    '[{"t": "whole"}, {"t": "ha': "cut",
    '[{"t": "whole"}': "cut",
    '[{"t": "whole"},': "cut",
    '{facts: {"t": "whole"}, "b": ': "cut",
    '{"facts": [{"t": "whole"}, {"t": "bad \\u12G4"}]}': "no JSON",
    '{"facts": [{"t": "whole"}, {"t": bare}]}': "no JSON",
    '{"facts": [{"t": "whole"},]}': "no JSON",
    "{'facts': ['a']}": "no JSON",
    '{"a": 1} {"a": 2}': "more than one",
    '{"a": 1, "a": 2}': "no JSON",
    '{"a": NaN}': "no JSON",
    '{"a": -Infinity}': "no JSON",
    '{"a": 1e999}': "no JSON",
    '{"a": ' + "9" * 5000 + "}": "no JSON",
    '<think>{"a": 1}': "cut",
    'Yes. <think>{"a": 1}': "cut",
    "\ufeff \r\n\t": "empty",
    '"just a string"': "no JSON",
    "42": "no JSON",
}


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:40])
def test_no_part_is_taken_out_of(text: str) -> None:
    assert BROKEN[text] in reason(text)


@given(st.data())
def test_a_cut_object_is_never_half_a_fact(data: st.DataObject) -> None:
    whole = json.dumps(
        {"facts": data.draw(st.lists(st.dictionaries(st.text(), st.text() | st.integers()), min_size=1))}
    )
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(Unreadable):
        parse(whole[:cut])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
prose = st.text(st.characters(exclude_characters="{}[]", exclude_categories=["Cs"])).filter(
    lambda text: not re.search(r"</?think", text, re.IGNORECASE)
)
fences = st.sampled_from(["", "```json\n", "\n```\n", "~~~\n", 'Sure! It\'s "here":\n', "\ufeff"])


@given(st.dictionaries(st.text(), values), prose, fences, fences, prose, st.booleans())
def test_any_object_is_read_back_from_any_prose(made: Any, a: str, b: str, c: str, d: str, plain: bool) -> None:
    assert parse(a + b + json.dumps(made, ensure_ascii=plain) + c + d) == made


@given(st.text(alphabet='{}[]":,\\ntrue1 <think/>'))
def test_any_text_is_json_or_unreadable(text: str) -> None:
    try:
        found = parse(text)
    except Unreadable:
        return
    assert isinstance(found, dict | list)


HOSTILE = ["{", "[", '"', '{"', '["', "{}", "[1]", "{x}", '{"a":', "[x", "[ ", "\\", '{"\\', '{"a" 1} ', "<think>"]
HOSTILE += [
    "</think>",
    "<think></think>",
    "{]",
    '[{"a":',
    '{"a":1}\n',
    "[1,",
    '"{',
    "\n{x}",
    '{"x":"\\u12G4"}',
    "[[]",
    "{ ",
]


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("start", ["", '{"a": [', "x"])
def test_a_megabyte_of_brackets_costs_less_than_a_second(piece: str, start: str) -> None:
    text = start + piece * (1_000_000 // len(piece))
    before = time.process_time()
    with contextlib.suppress(Unreadable):
        parse(text)
    assert time.process_time() - before < 1


def test_json_is_read_to_any_sensible_depth() -> None:
    text = "[" * 400 + "]" * 400
    assert parse(f"{text} {text}") == json.loads(text)
    assert "deep" in reason("[" * 200_000 + "]" * 200_000)


@pytest.mark.parametrize("depth", range(900, 1_000, 7))
def test_deep_json_never_ends_in_another_error(depth: int) -> None:
    text = "[" * depth + "]" * depth
    with contextlib.suppress(Unreadable):
        parse(f"{text} {text}")


# --- items -----------------------------------------------------------------------------------------------

FIELDS = {
    "text": Field(most=10),
    "type": Field(allowed={"user", "ref"}),
    "line": Field(int, required=False, most=99),
    "sure": Field(float, required=False, most=1),
    "open": Field(bool, required=False),
    "tags": Field(list, required=False, most=2, each=Field(most=5)),
}
GOOD = {"text": "a", "type": "ref"}


def test_an_item_keeps_the_keys_that_are_known_in_their_order() -> None:
    item = {"type": "ref", "tags": ["x"], "extra": {}, "text": "a", "line": None, "sure": 1, "open": False}
    assert check(item, FIELDS) == {"text": "a", "type": "ref", "sure": 1, "open": False, "tags": ["x"]}
    assert list(check(item, FIELDS)) == ["text", "type", "sure", "open", "tags"]
    assert check({**GOOD, "line": ""}, FIELDS) == GOOD


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": None}, "text: missing"),
        ({"text": ""}, "text: empty"),
        ({"text": " \n"}, "text: empty"),
        ({"text": 1}, "text: not a str"),
        ({"text": ["a"]}, "text: not a str"),
        ({"text": "a" * 11}, "text: more than 10"),
        ({"text": "a \ud83d"}, "text: a lone surrogate"),
        ({"type": "admin"}, "type: not one of the allowed values"),
        ({"line": True}, "line: not a int"),
        ({"line": 1.5}, "line: not a int"),
        ({"line": 100}, "line: more than 99"),
        ({"sure": "0.5"}, "sure: not a float"),
        ({"open": 1}, "open: not a bool"),
        ({"tags": "x"}, "tags: not a list"),
        ({"tags": ["a", "b", "c"]}, "tags: more than 2"),
        ({"tags": ["a", 1]}, "tags: entry 2: not a str"),
        ({"tags": ["a", "\udc00"]}, "tags: entry 2: a lone surrogate"),
    ],
)
def test_a_reason_names_the_field(change: dict[str, Any], said: str) -> None:
    assert check({**GOOD, **change}, FIELDS) == said


@pytest.mark.parametrize("item", [None, "text", 1, [], ["text"]])
def test_what_is_no_object_is_no_item(item: Any) -> None:
    assert check(item, FIELDS) == "not an object"


def test_a_missing_key_has_a_reason() -> None:
    assert check({"type": "ref"}, FIELDS) == "text: missing"
