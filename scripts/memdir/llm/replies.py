"""From a model's reply to JSON, and from JSON to an item that can be trusted in its form.

Repair never invents: what stands around the JSON is dropped, the JSON itself is taken as it is or not at all.
A cut or broken reply is unreadable as a whole, so that no half of a fact is ever kept. Pure; linear in the text.
"""

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from memdir.errors import ModelError

_STARTS = 500  # places where JSON may begin; each costs up to 0.1 ms in a reply of 1 MB
# An array is not a word in brackets.
_MARK = re.compile(r"\{|\[(?=\s*(?:[\[\]{\"\d-]|true\b|false\b|null\b))|</?think(?:ing)?>", re.IGNORECASE)
_CLOSED = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
# Strings, runs of brackets and flat pairs go in one step: 1 MB of the worst takes 0.4 s.
_BRACKETS = re.compile(r"[{\[][^{}\[\]\"]*+[}\]]|[{\[]+|[}\]]+|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"?", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unreadable(ModelError):
    """A reply without exactly one whole JSON value."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the model's reply cannot be read: {reason}; ask again, or take another model")
        self.reason = reason


def parse(text: str) -> Any:
    """Return the one JSON object in a reply, else the one array. Raises Unreadable.

    Dropped: prose, fences and `<think>` around it, never inside its strings. Unreadable: nothing whole, two that
    differ, one that is cut, a key twice in one object, a number that is none. Strings may hold line ends, and lone
    surrogates: `check` refuses the item with those.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise Unreadable("it is empty")
    found = _values(text)
    objects = [value for value in found if isinstance(value, dict)]
    if not (chosen := objects or found):
        raise Unreadable("there is no JSON in it")
    if any(other != chosen[0] for other in chosen[1:]):
        raise Unreadable("there is more than one JSON value in it")
    return chosen[0]


def _values(text: str) -> list[Any]:
    """Return the objects and arrays outside all others; what stands in or before `</think>` is left out."""
    found: list[Any] = []
    at = starts = 0
    while mark := _MARK.search(text, at):
        sign = mark[0].lower()
        if sign.startswith("</"):
            found, at = [], mark.end()  # the template of the model had opened it
        elif sign.startswith("<"):
            if not (closed := _CLOSED.search(text, mark.end())):
                if found:
                    break
                raise Unreadable("it is cut before the answer")
            at = closed.end()
        else:
            if (starts := starts + 1) > _STARTS:
                raise Unreadable("there are too many brackets in it")
            value, at = _value(text, mark.start())
            found.extend(value)
    return found


def _value(text: str, start: int) -> tuple[list[Any], int]:
    """Return the value that begins there, in a list, and where it ends; an empty list where it is no JSON."""
    try:
        value, end = _decoder.raw_decode(text, start)
    except RecursionError:
        raise Unreadable("its JSON is nested too deeply") from None
    except ValueError:
        return [], _end(text, start)
    return [value], end


def _end(text: str, start: int) -> int:
    """Return where the brackets that open there are closed, so that no part is taken out of a broken whole."""
    depth = 1
    for run in _BRACKETS.finditer(text, start + 1):
        first, last, size = run[0][0], run[0][-1], len(run[0])
        if first in "{[":
            depth += size if last in "{[" else 0
        elif first in "}]":
            if size >= depth:
                return run.start() + depth
            depth -= size
    raise Unreadable("its JSON is cut or broken")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key twice")
    return made


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value


# Line ends inside strings are what small models write most often against the grammar, and nothing is lost by them.
_decoder = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_finite, strict=False)


@dataclass(frozen=True, slots=True)
class Field:
    """What a key of an item may hold. `kind`: str, int, float, bool, or list (of `each`).

    `most`: characters of a string, entries of a list, or the largest number. A key that is not required may be
    missing, null or an empty string.
    """

    kind: type = str
    required: bool = True
    most: int | None = None
    allowed: Collection[Any] | None = None
    each: "Field | None" = None


def check(item: Any, fields: Mapping[str, Field]) -> dict[str, Any] | str:
    """Return the item with the keys of `fields` alone, in their order; a string that says why it is not usable.

    Nothing is converted or cut. A string with a lone surrogate is refused.
    """
    if not isinstance(item, dict):
        return "not an object"
    kept: dict[str, Any] = {}
    for name, field in fields.items():
        value = item.get(name)
        if value is None or (not field.required and value == ""):
            if field.required:
                return f"{name}: missing"
            continue
        if reason := _fault(value, field):
            return f"{name}: {reason}"
        kept[name] = value
    return kept


def _fault(value: Any, field: Field) -> str:
    """Return what is wrong with a value, "" when nothing is."""
    kinds = (int, float) if field.kind is float else field.kind
    if not isinstance(value, kinds) or (isinstance(value, bool) and field.kind is not bool):
        return f"not a {field.kind.__name__}"
    if isinstance(value, str):
        if not value.strip():
            return "empty"
        if _SURROGATE.search(value):
            return "a lone surrogate"
    if field.most is not None and _size(value) > field.most:
        return f"more than {field.most}"
    if field.allowed is not None and value not in list(field.allowed):
        return "not one of the allowed values"
    if isinstance(value, list) and field.each is not None:
        return next((f"entry {n}: {fault}" for n, one in enumerate(value, 1) if (fault := _fault(one, field.each))), "")
    return ""


def _size(value: Any) -> float:
    return len(value) if isinstance(value, str | list) else float(value)
