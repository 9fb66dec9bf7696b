"""What agents leave behind in their folders: which of it is looked at, and JSON as text that can be quoted. Pure.

Agents write reports, notes and results as `.md`, `.txt` and `.json`; what they fetched or drove a browser with, and
what a program put there, is passed over.
"""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from memdir.learn.items import order
from memdir.learn.reading import planted
from memdir.learn.workspace.look import Pick
from memdir.learn.workspace.worth import Worth, refused_folder
from memdir.learn.workspace.worth import refused as refused_anywhere
from memdir.learn.workspace.worth import worth as document

LEAST, MOST = 200, 500_000  # bytes of a file
_SUFFIXES = (".md", ".txt", ".json")
_FETCHED = {"read_webpage", "browser_agent", ".venv"}
_DEPENDENCIES = {"dependencies", "secret", "hidden"}  # of what a scan passes over, what holds here too
_LATELY = {"1h": timedelta(hours=1), "24h": timedelta(hours=24), "7d": timedelta(days=7)}
_LATELY |= {"1w": timedelta(weeks=1), "1m": timedelta(days=30)}
SINCE = tuple(_LATELY)
_SAID = re.compile(r"\w+\s+\w+|[\u4e00-\u9fff]{4}")
_MARK = re.compile(r"^[\s>#*+\-]{1,10}")
_LINES, _DEPTH = 60, 6  # of a JSON file


def lately(name: str) -> timedelta:
    """How long a period of SINCE is."""
    return _LATELY[name]


def worth(path: str) -> Worth | None:
    """Every document counts but what makes an agent itself and other memories; one that says in its name that it is a
    report comes first."""
    name = path.casefold().rsplit("/", 1)[-1]
    if not name.endswith(_SUFFIXES) or (not name.endswith(".json") and document(path) is None):
        return None
    first = re.search(r"report|summary|result|finding|conclusion|plan|final|报告|总结|结果|结论|方案", name)
    return Worth("prose", "ref", 20 if first else 40)


def refused(path: str) -> str:
    """Why a file is not opened, "" when it may be."""
    *folders, name = path.casefold().split("/")
    if why := next((why for folder in folders if (why := folder_refused(folder))), ""):
        return why
    why = refused_anywhere(name)
    return why if why in _DEPENDENCIES else ""


def folder_refused(name: str) -> str:
    """Why a folder is not entered, "" when it may be."""
    if name.casefold() in _FETCHED:
        return "fetched"
    why = refused_folder(name)
    # `build`, `out`, `dist` are where agents put what they made.
    return "" if why == "dependencies" and name.casefold() in {"build", "out", "dist", "target"} else why


def text(path: str, content: str) -> str:
    """A document, or what people can read of JSON, without the lines that give orders to an assistant or want to be
    remembered: agents write down what they were told by strangers."""
    held = _readable(path, content) if path.casefold().endswith(".json") else content
    return "\n".join("" if _orders(line) else line for line in held.split("\n"))


def _orders(line: str) -> bool:
    bare = _MARK.sub("", line)
    return order(bare) or bool(planted.why(bare)) or bool(planted.why(bare.partition(": ")[2]))


def _readable(path: str, content: str) -> str:
    """The strings of a JSON file that say something, under the keys where they stand."""
    try:
        held = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    title = next((str(held[key]) for key in ("title", "name", "task", "query") if _is_text(held, key)), "")
    lines = [line for _, line in zip(range(_LINES), _said(held, "", 0), strict=False)]
    return "\n\n".join([f"# {title or path.rsplit('/', 1)[-1]}", *lines]) if lines else ""


def _is_text(held: Any, key: str) -> bool:
    return isinstance(held, dict) and isinstance(held.get(key), str) and bool(held[key].strip())


def _said(value: Any, key: str, depth: int) -> Iterator[str]:
    """The strings in a value that say something, each with its key before it."""
    if isinstance(value, str):
        line = " ".join(value.split())
        if _SAID.search(line):
            yield f"{key}: {line}" if key else line
    elif depth < _DEPTH and isinstance(value, dict):
        for name, one in value.items():
            yield from _said(one, str(name), depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for one in value:
            yield from _said(one, key, depth + 1)


ARTIFACTS = Pick(worth, refused, folder_refused, text, LEAST, MOST, git=False)
