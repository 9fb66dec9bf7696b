"""Pages of a folder of markdown that memdir itself exported there: conversations, which come in as such, and its list.

What such a page says of where it comes from is another's word: its turns count as said in the folder that is read.
Writes nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from memdir.ingest import records
from memdir.ingest.knowledge import pages
from memdir.ingest.knowledge.pages import Page
from memdir.ingest.members import Members
from memdir.ingest.members import head as beginning
from memdir.ingest.records import Left, Record
from memdir.vault import layout, session

LISTED = "lists that memdir makes itself"
_HEAD = "`memdir recall"  # in what `memdir init` writes above the list


def records_of(members: Members, page: Page) -> list[Record]:
    """What such a page holds instead of a note; [] for any other page."""
    if page.name.rpartition("/")[2] == layout.INDEX_FILE and _HEAD in page.body:
        return [Left(LISTED)]
    if page.text("type") != session.TYPE:
        return []
    held = session.parse(page.name, beginning(members, page.name, pages.MOST + 1))
    return [*_said(held)] if held.type == session.TYPE and held.id else []


def _said(held: session.Session) -> Iterator[Record]:
    title = session.id_of(held.name)
    for turn in held.turns:
        for one in records.said(held.id, turn.speaker, turn.text, turn.ts, turn.uuid, held.scope):
            yield replace(one, title=title)
            title = ""
