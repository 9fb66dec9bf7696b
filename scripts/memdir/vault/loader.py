"""The YAML of front matter, read by python-frontmatter through a loader that builds plain values only.

PyYAML's safe loader still follows aliases into bombs, turns `no` and `1.10` into other values and raises
ValueError for a bad date; this one keeps text as text and refuses the rest with a line. Touches no file.
"""

import re
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from memdir.vault.fence import Value, closing_fence

MAX_DEPTH, MAX_KEYS = 8, 200


class Refused(Exception):
    """A block that cannot be read; `line` counts from 1 at the opening fence."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why.replace("\n", " ")[:200])
        self.line = line


class NoteLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """Text, whole numbers that print as they stand, true, false, null; no tags, aliases or merges."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the name and shape PyYAML asks for

    def get_single_data(self) -> Value:
        """The block as plain values; raises yaml.YAMLError with a line for whatever is not allowed."""
        node = self.get_single_node()
        return {} if node is None else _build(node, 0, set())


NoteLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
NoteLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
NoteLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^(?:0|-?[1-9][0-9]{0,17})$"), list("-0123456789")
)


def _build(node: yaml.Node, depth: int, seen: set[int]) -> Value:
    if id(node) in seen:
        raise _refused(node, "aliases are not allowed here")
    seen.add(id(node))
    if depth > MAX_DEPTH:
        raise _refused(node, f"nested deeper than {MAX_DEPTH}")
    if isinstance(node, yaml.MappingNode):
        return _build_map(node, depth, seen)
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, depth + 1, seen) for item in node.value]
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node)


def _build_map(node: yaml.MappingNode, depth: int, seen: set[int]) -> Value:
    if len(node.value) > MAX_KEYS:
        raise _refused(node, f"more than {MAX_KEYS} keys")
    built: dict[str, Value] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
            raise _refused(key, "a key must be plain text")
        if key.value in built:
            raise _refused(key, f"key {key.value!r} stands twice")
        built[key.value] = _build(value, depth + 1, seen)
    return built


def _scalar(node: yaml.ScalarNode) -> Value:
    match node.tag.rsplit(":", 1)[-1]:
        case "str":
            return str(node.value)
        case "int":
            return int(node.value)
        case "bool":
            return bool(node.value == "true")
        case "null":
            return None
    raise _refused(node, f"tag {node.tag} is not allowed here")


def _refused(node: yaml.Node, why: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=why, problem_mark=node.start_mark)


class NoteHandler(YAMLHandler):
    """python-frontmatter's reader with our fences and our loader."""

    def split(self, text: str) -> tuple[str, str]:
        lines = text.split("\n")
        close = closing_fence(lines)
        if close is None:
            raise ValueError("no front matter")
        return "\n".join(lines[1:close]), "\n".join(lines[close + 1 :])

    def load(self, fm: str, **kwargs: object) -> Any:
        return yaml.load(fm, Loader=NoteLoader)


_HANDLER = NoteHandler()
_OPENS = ("while parsing a flow", "while scanning a quoted")  # what was opened and not closed: where it was is told


def _mark(error: yaml.YAMLError) -> yaml.Mark | None:
    """Where a block is wrong."""
    opened = str(getattr(error, "context", None) or "").startswith(_OPENS)
    mark: yaml.Mark | None = getattr(error, "context_mark" if opened else "problem_mark", None)
    return mark


def load(block: str) -> dict[str, Value]:
    """The values of a block with its fences; {} where it is no mapping. Raises Refused."""
    try:
        values: dict[str, Any] = frontmatter.parse(block, handler=_HANDLER)[0]
        return values
    except yaml.YAMLError as error:
        mark = _mark(error)
        raise Refused(mark.line + 2 if mark else 2, str(getattr(error, "problem", None) or error)) from error
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise Refused(2, str(error)) from error
