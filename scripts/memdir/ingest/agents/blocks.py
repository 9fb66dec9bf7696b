"""What the transcripts of agents have in common: messages made of blocks, of which some are said and some are work.

Text is said. Tools, thoughts and pictures are left out and counted, but for what is wanted: then a call of a tool and
what it gave back are turns of `tool`, what a model thought is a turn of `thought`. Writes nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from memdir.errors import BadData
from memdir.ingest import jsonstream, loose
from memdir.ingest.loose import kind_of, text_of, word
from memdir.ingest.members import Members
from memdir.ingest.members import read as reading
from memdir.ingest.records import CALLS, RESULTS, THOUGHTS, Bad, Left, Record, Wanted, said
from memdir.vault import session

SAID = "said"
PUT_IN = "texts put in by the program"
_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
_SEEN = {"image": "images", "input_image": "images", "document": "documents"}

Clean = Callable[[str], str]  # a text without what the program put into it


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message. `kind`: SAID, what stands beside words, or why it is left out."""

    kind: str
    text: str = ""
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Whose turn it is, and when."""

    session: str
    speaker: str
    ts: str = ""


def chosen(members: Members, found: list[str], what: str) -> list[str]:
    """The files that were found, else the one file that is given, whatever its name. Raises BadData."""
    names = found or members.names
    if not found and len(names) != 1:
        raise BadData(f"{members.name}: no {what} in it")
    return names


def rows(members: Members, name: str, where: str) -> Iterator[jsonstream.Item | Bad]:
    """The lines of a member. `where`: what stands before a line in messages, the member where there are several."""
    with reading(members, name) as stream:
        yield from placed(jsonstream.rows(stream), where)


def placed(given: Iterable[jsonstream.Item | Bad], where: str) -> Iterator[jsonstream.Item | Bad]:
    """Values, the place of a broken one with what stands before it."""
    for one in given:
        yield replace(one, where=where + one.where) if isinstance(one, Bad) else one


def head(members: Members, name: str, most: int) -> Iterator[dict[str, Any]]:
    """The objects among the first lines of a member."""
    with reading(members, name) as stream:
        for number, one in enumerate(jsonstream.rows(stream), 1):
            if isinstance(one, jsonstream.Item) and isinstance(one.value, dict):
                yield one.value
            if number >= most:
                return


def parts(content: object, uuid: str, clean: Clean = str.strip) -> Iterator[Part]:
    """The pieces of a message: its thoughts, its text as one, then what tools were given and gave back."""
    blocks: list[Any] = content if isinstance(content, list) else [content]
    given, thoughts, work = [], [], []
    for block in blocks:
        if not isinstance(block, dict):
            given.append(text_of(block))
            continue
        kind = word(block.get("type"))
        if kind in _TEXTS:
            given.append(text_of(block))
        elif kind == "thinking":
            thoughts.append(text_of(block.get("thinking")))
        else:
            work.append(_work(kind, block))
    if thought := "\n\n".join(filter(str.strip, thoughts)):
        yield Part(THOUGHTS, thought, f"{uuid}:thought" if uuid else "")
    if any(map(str.strip, given)):
        kept = "\n\n".join(filter(None, map(clean, given)))
        yield Part(SAID, kept, uuid) if kept else Part(PUT_IN)
    yield from work


def _work(kind: str, block: dict[str, Any]) -> Part:
    if kind in ("tool_use", "toolCall", "server_tool_use"):
        return call(block.get("name"), block.get("input", block.get("arguments")), block.get("id"))
    if kind == "tool_result":
        return result(block.get("content"), block.get("tool_use_id"))
    return Part(_SEEN.get(kind) or (f"blocks of type {kind_of(kind)}" if kind else "blocks without a type"))


def line_of(kind: object) -> str:
    """What a line is called that is left out for its type."""
    return f"lines of type {kind_of(kind)}" if isinstance(kind, str) else "lines without a type"


def call(name: object, given: object, id_: object) -> Part:
    """What a tool was given: its name, and what it got as JSON or as it stands."""
    return Part(CALLS, loose.call(word(name), given).strip(), word(id_))


def result(content: object, id_: object) -> Part:
    """What a tool gave back; its id is that of the call and a sign, because both are turns."""
    return Part(RESULTS, text_of(content), f"{id_}:result" if word(id_) else "")


def id_of(given: object, other: str) -> str:
    """An id as a session can have it, else the other one."""
    return session.id_of(word(given)) or other


def stem(name: str) -> str:
    """What a file calls its conversation: its name without what says that it is JSON, and what follows that."""
    return session.id_of(re.split(r"\.jsonl?(?:\.|$)", PurePosixPath(name).name)[0]) or "unnamed"


def records(given: Iterable[Part], place: Place, wanted: Wanted) -> Iterator[Record]:
    """Pieces as turns, or as left out where they are not wanted."""
    for part in given:
        if speaker := place.speaker if part.kind == SAID else wanted.speaker(part.kind):
            yield from said(place.session, speaker, part.text, place.ts, part.uuid)
        else:
            yield Left(part.kind)
