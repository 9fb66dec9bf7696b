"""What Gemini leaves behind: activities of Google Takeout, sessions of the Gemini CLI, prompts of AI Studio.

Takeout tells no conversations: the activities of a day (in UTC, the only time it gives) are one. Its folders have the
names of the user's language; a file is known by what stands in it. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memdir.errors import BadData
from memdir.ingest import loose
from memdir.ingest.chats import exports
from memdir.ingest.chats.exports import Place
from memdir.ingest.chats.gemini_chats import chunked, session_turns
from memdir.ingest.html_text import plain
from memdir.ingest.loose import listed, table, tables, word
from memdir.ingest.members import Members
from memdir.ingest.records import Bad, Left, Record, Wanted, said

FILES = re.compile(r"(?:gemini|\bbard\b|ai studio).*\.json$|(?:^|/)(?:MyActivity|session-[^/]*)\.json$", re.IGNORECASE)
PROMPTED = re.compile(r"^Prompted[ \xa0]+")  # what Takeout puts before a prompt in English
OTHERS = "activities of other products"
NO_PROMPT = "activities without a prompt"
_NAMES = re.compile(r"gemini|\bbard\b", re.IGNORECASE)
_ACTIVITY = {"header", "title", "time"}


def suits(members: Members) -> bool:
    """Whether one of its files holds something of Gemini."""
    return exports.holds(members, FILES, (), lambda value: _kind(value) not in ("", OTHERS))


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The activities by day, the sessions and prompts as they are."""
    found = list(exports.places(members, FILES))
    yield from (one for one in found if isinstance(one, Bad))
    files = [one for one in found if isinstance(one, Place) and _holds(one)]
    if not files:
        raise BadData(f"{members.name}: nothing of Gemini is in it; Takeout must be asked for JSON, not HTML")
    for one in exports.items(files):
        yield from [one] if isinstance(one, Bad) else _item(one.where, one.value, wanted)


def _holds(place: Place) -> bool:
    """Whether the first items of a file are of a known kind; a Takeout has many other files."""
    for number, one in enumerate(exports.items([place])):
        if isinstance(one, Bad) or _kind(one.value):
            return not isinstance(one, Bad) or bool(_NAMES.search(place.label))
        if number >= exports.LOOKED_AT:
            break
    return False


def _kind(value: Any) -> str:
    keys = table(value).keys()
    if "chunkedPrompt" in keys:
        return "prompt"
    if {"sessionId", "messages"} <= keys:
        return "session"
    if not keys >= _ACTIVITY:
        return ""
    told = [word(value["header"]), *(word(one) for one in listed(value.get("products")))]
    return "activity" if any(map(_NAMES.search, told)) else OTHERS


def _item(where: str, value: Any, wanted: Wanted) -> Iterator[Record]:
    kind = _kind(value)
    if kind == "activity":
        yield from _activity(value)
    elif kind == OTHERS:
        yield Left(OTHERS)
    elif kind:
        counts: Counter[str] = Counter()
        source = (
            session_turns(where, value, wanted, counts) if kind == "session" else chunked(where, value, wanted, counts)
        )
        yield from source
        yield from loose.left(counts)
    else:
        yield Bad(where, "no activity, session or prompt of Gemini")


def _activity(value: dict[str, Any]) -> Iterator[Record]:
    """A prompt and its answer. Without an answer only the English word before it tells a prompt from other acts."""
    title, time = word(value.get("title")).strip(), loose.moment(value.get("time"))
    html = [word(one.get("html")) for one in tables(value.get("safeHtmlItem"))]
    answer = "\n\n".join(filter(None, map(plain, html)))
    asked = PROMPTED.sub("", title)
    if not answer and asked == title:
        yield Left(NO_PROMPT)
        return
    id_ = f"gemini-{time[:10] or 'undated'}"
    uuid = loose.digest(f"{word(value.get('time'))} {title}")  # the same activity in two archives is one
    yield from said(id_, "user", asked, time, uuid)
    yield from said(id_, "assistant", answer, time, f"{uuid}/answer")
