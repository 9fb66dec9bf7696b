"""What the rows stand on: a small vault, how it is opened, what is asked of it and said in it.

Clock and settings are the same each time. Writes below the folder that a function is given.
"""

import io
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memdir.app import vaults
from memdir.app.memory import Memory
from memdir.evals.reliability import mirror
from memdir.evals.scripted import Server
from memdir.index.filters import Filters
from memdir.recall.question import Question

NOW = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
OPTIONS = {"files.settle": 0.0, "embedder.kind": "none"}
PUMP = "memory/project/pump-room.md"
HEAD = (
    "---\nname: Pump room\ntype: project\ntags: []\ncreated: 2026-02-01\nupdated: 2026-02-01\nimportance: medium\n---\n"
)
ASKED = re.compile(r'"id": "(e\d+)",\s*"day": "[^"]*",\s*"text": "((?:[^"\\]|\\.)*)"')


def laid(root: Path, texts: Mapping[str, str] | None = None, timezone: str = "") -> Path:
    """A new vault with these files, by path."""
    root.mkdir(parents=True)
    vaults.init(root, adopt=False, timezone=timezone)
    for path, text in (texts or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def opened(root: Path, index: Path, now: datetime = NOW, model: Server | None = None) -> Memory:
    """The vault with its index in a folder of its own and, where there is one, a model that is a script."""
    options = OPTIONS | {"index_dir": os.fspath(index)}
    return Memory(
        root, now=lambda: now, options=options | ({"llm.url": model.url, "llm.model": "tiny"} if model else {})
    )


class Kept:
    """A vault `root` with its index, below the folder `work`, that can be put back as it was."""

    def __init__(self, place: Path) -> None:
        self.work, self._as_it_was = place / "work", place / "kept"
        self.root = laid(self.work / "vault")

    def open(self, now: datetime = NOW) -> Memory:
        return opened(self.root, self.work / "index", now)

    def keep(self) -> None:
        """This is how it was."""
        shutil.copytree(self.work, self._as_it_was, symlinks=True)

    def reset(self) -> None:
        shutil.rmtree(self.work)
        shutil.copytree(self._as_it_was, self.work, symlinks=True)


def question(text: str, most: int = 5) -> Question:
    return Question(text, Filters(), most)


def talk(session: str, *said: tuple[str, str]) -> io.BytesIO:
    """Who said what, as a conversation comes in."""
    turns = ({"session_id": session, "speaker": who, "text": text, "ts": "2026-11-28"} for who, text in said)
    return io.BytesIO("".join(json.dumps(one) + "\n" for one in turns).encode())


def asked(request: Any) -> Iterator[tuple[str, str]]:
    """Number and text of each entry from which a distillation asks its model to learn."""
    said = "\n".join(message["content"] for message in request["messages"])
    yield from ((source, json.loads(f'"{text}"')) for source, text in ASKED.findall(said))


def differs(memory: Memory, place: Path, questions: tuple[str, ...]) -> list[str]:
    """What the index says otherwise than one made anew in `place` does, as a fault; none where they say the same."""
    try:
        mirror.assert_mirrors(memory, place, questions, memory.clock.now, OPTIONS)
    except AssertionError as error:
        return [f"the index is not that of the files: {str(error)[:900]}"]
    return []
