"""One value of a JSON file put in or taken out, everything else byte for byte: comments, order, spaces.

Reads what clients take for their settings: JSON, comments, commas at the end, and of JSON5 names without quotes and
strings in single ones. A word that it does not know stands for itself. Touches no file.
"""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memdir.errors import BadData

_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_REST = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\r?\n)")  # of a line: blanks and a comment
_INDENT = re.compile(r"\A[\s\ufeff]*\{[ \t]*\r?\n([ \t]+)\S")
DEEPEST = 200


@dataclass(slots=True)
class _Member:
    """`begins`: where its key does; `key` as it means."""

    key: str
    begins: int
    value: "_Value"


@dataclass(slots=True)
class _Value:
    start: int
    end: int
    held: Any
    members: list[_Member] | None = None  # of an object, in order

    def get(self, key: str) -> _Member | None:
        return next((one for one in self.members or () if one.key == key), None)


def load(text: str) -> dict[str, Any]:
    """The object that a text holds; that of an empty one is empty. Raises BadData."""
    held = _root(text).held
    assert isinstance(held, dict)
    return held


def put(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """The text with these members in the object at `path`, which is made where it is missing; the other members of
    that object stay. Raises BadData."""
    for key, value in values.items():
        text = _put(text or "{}\n", [*path, key], value)
    return text


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path` and the objects round it that hold nothing else. Raises BadData."""
    if not text.strip():
        return text
    trail = _trail(_root(text), path)
    if len(trail) != len(path):
        return text
    cut = len(path) - 1
    while cut and len(trail[cut - 1].value.members or ()) == 1:
        cut -= 1
    done = _without(text, trail[cut - 1].value if cut else _root(text), trail[cut])
    wanted = load(text)
    inner = wanted
    for key in path[:cut]:
        inner = inner[key]
    del inner[path[cut]]
    return _checked(done, wanted)


def _put(text: str, path: Sequence[str], value: Any) -> str:
    root = _root(text)
    trail = _trail(root, path)
    wanted = copy.deepcopy(root.held)
    inner = wanted
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise BadData(f"{key!r} is no object; nothing was changed")
    if len(trail) == len(path) and trail[-1].value.held == value:
        return text
    inner[path[-1]] = value
    if len(trail) == len(path):
        old = trail[-1].value
        shown = _shown(text, value, _lead(text, trail[-1].begins))
        return _checked(text[: old.start] + shown + text[old.end :], wanted)
    for key in reversed(path[len(trail) + 1 :]):
        value = {key: value}
    holder = trail[-1].value if trail else root
    return _checked(_with(text, holder, path[len(trail)], value), wanted)


def _checked(text: str, wanted: Mapping[str, Any]) -> str:
    if load(text) != wanted:
        raise BadData("it could not be changed without touching the rest; nothing was changed")
    return text


def _trail(root: _Value, path: Sequence[str]) -> list[_Member]:
    """The members along a path, as far as they are there."""
    found: list[_Member] = []
    for key in path:
        one = (found[-1].value if found else root).get(key)
        if one is None:
            break
        found.append(one)
    return found


def _with(text: str, holder: _Value, key: str, value: Any) -> str:
    """A member more at the end of an object."""
    line = "\r\n" if "\r\n" in text else "\n"
    members = holder.members or []
    name = json.dumps(key, ensure_ascii=False)
    if not members:
        outer = _lead(text, holder.start)
        lead = outer + _step(text)
        kept = text[holder.start + 1 : holder.end - 1].rstrip()  # a comment
        inside = f"{kept}{line}{lead}{name}: {_shown(text, value, lead)}{line}{outer}"
        return f"{text[: holder.start]}{{{inside}}}{text[holder.end :]}"
    last = members[-1].value.end
    comma = _skip(text, last)
    trails = text[comma] == ","
    at = comma + 1 if trails else last
    if "\n" in text[holder.start : members[-1].begins]:
        lead = _lead(text, members[-1].begins)
        at = rest.end() if (rest := _REST.match(text, at)) else at
        added = f"{line}{lead}{name}: {_shown(text, value, lead)}{',' if trails else ''}"
    else:
        added = f" {name}: {json.dumps(value, ensure_ascii=False)}{',' if trails else ''}"
    return text[:last] + ("" if trails else ",") + text[last:at] + added + text[at:]


def _without(text: str, holder: _Value, member: _Member) -> str:
    """An object without one of its members and the comma that held it."""
    members = holder.members or []
    at = members.index(member)
    end = _skip(text, member.value.end)
    if text[end] == ",":  # the lines from it to its comma
        begins = len(text[: member.begins].rstrip(" \t\r\n")) if at else member.begins
        return text[:begins] + (text[end + 1 :] if at else text[_past(text, end + 1) :])
    begins = len(text[: member.begins].rstrip(" \t\r\n"))
    if not at:
        after = len(text[: holder.end - 1].rstrip(" \t\r\n"))
        bare = after <= member.value.end
        return text[:begins] + (text[holder.end - 1 :] if bare else text[member.value.end :])
    comma = _skip(text, members[at - 1].value.end)
    return text[:comma] + text[comma + 1 : begins] + text[member.value.end :]


def _past(text: str, at: int) -> int:
    """Behind the blanks at a place."""
    return at + len(text[at:]) - len(text[at:].lstrip(" \t\r\n"))


def _lead(text: str, at: int) -> str:
    """The blanks at the begin of the line that a place is on."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    return found[1] if (found := _INDENT.match(text)) else "  "


def _shown(text: str, value: Any, lead: str) -> str:
    line = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, ensure_ascii=False, indent=_step(text)).replace("\n", line + lead)


# --- reading -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    text: str
    deep: int = field(default=0)

    def value(self, at: int) -> _Value:
        """The value at a place. Raises ValueError."""
        sign = self.text[at : at + 1]
        if sign in ("{", "["):
            self.deep += 1
            if self.deep > DEEPEST:
                raise ValueError("it is nested too deeply")
            found = self._object(at) if sign == "{" else self._list(at)
            self.deep -= 1
            return found
        if string := _STRING.match(self.text, at):
            return _Value(at, string.end(), _meant(string[0]))
        if word := _WORD.match(self.text, at):
            return _Value(at, word.end(), _plain(word[0]))
        raise ValueError(f"no value in line {self.line(at)}")

    def _object(self, at: int) -> _Value:
        start, members = at, list[_Member]()
        at = _skip(self.text, at + 1)
        while self.text[at : at + 1] != "}":
            named = _STRING.match(self.text, at) or _WORD.match(self.text, at)
            colon = _skip(self.text, named.end()) if named else at
            if not named or self.text[colon : colon + 1] != ":":
                raise ValueError(f"no name in line {self.line(at)}")
            key = _meant(named[0]) if named[0][0] in "\"'" else named[0]
            if any(one.key == key for one in members):
                raise ValueError(f"{key!r} stands there twice")
            value = self.value(_skip(self.text, colon + 1))
            members.append(_Member(key, at, value))
            at = self._next(value.end, "}")
        return _Value(start, at + 1, {one.key: one.value.held for one in members}, members)

    def _list(self, at: int) -> _Value:
        start, items = at, list[Any]()
        at = _skip(self.text, at + 1)
        while self.text[at : at + 1] != "]":
            value = self.value(at)
            items.append(value.held)
            at = self._next(value.end, "]")
        return _Value(start, at + 1, items)

    def _next(self, at: int, closed: str) -> int:
        """Where the next member begins, or the object or list ends."""
        at = _skip(self.text, at)
        if self.text[at : at + 1] == ",":
            return _skip(self.text, at + 1)
        if self.text[at : at + 1] != closed:
            raise ValueError(f"no comma and no {closed} in line {self.line(at)}")
        return at

    def line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


def _root(text: str) -> _Value:
    if not text.strip("\ufeff \t\r\n"):
        return _Value(0, 0, {}, [])
    try:
        found = _Reading(text).value(_skip(text, 0))
    except (ValueError, RecursionError) as error:
        raise BadData(f"it cannot be read as JSON: {error}; nothing was changed") from None
    if found.members is None or _skip(text, found.end) != len(text):
        raise BadData("it cannot be read as JSON: it is not one object; nothing was changed")
    return found


def _skip(text: str, at: int) -> int:
    """Behind the blanks and comments at a place."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _meant(quoted: str) -> str:
    """What a string says. Raises ValueError."""
    if quoted[0] == "'":
        quoted = '"' + re.sub(r"\\.|\"", lambda one: {"\\'": "'", '"': '\\"'}.get(one[0], one[0]), quoted[1:-1]) + '"'
    return str(json.loads(re.sub(r"\\\r?\n", "", quoted), strict=False))


def _plain(word: str) -> Any:
    """A number or a word; what JSON does not know stands for itself."""
    if word in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[word]
    try:
        return json.loads(word) if word[0] in "-0123456789" else ("written", word)
    except ValueError:
        return ("written", word)
