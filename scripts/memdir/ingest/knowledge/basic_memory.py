"""A project folder of basic-memory: its observations and relations are the grammar of this vault, so that the text of
each note comes in byte for byte.

Links go by title or permalink there; both are names of the note here, the permalink as an alias. One file is held at a
time. Writes nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from memdir.ingest import loose
from memdir.ingest.knowledge import markdown_folder, own_pages, pages
from memdir.ingest.members import Members
from memdir.ingest.records import Bad, Noted, Record, Wanted

LOOKED_AT = 20  # notes whose first lines are read to tell what a folder is


def suits(members: Members) -> bool:
    """Whether most of its first notes have a title and a permalink."""
    found = [name for name in members.names if pages.is_page(name) and not name.startswith(".")][:LOOKED_AT]
    marked = sum({"title", "permalink"} <= pages.head(members, name).keys() for name in found)
    return marked * 2 > len(found)


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The notes by path, and what was left out. Raises BadData for a source without any."""
    label = pages.label(members)
    found, left = pages.sorted_out(members)
    for one in pages.each(members, found):
        if isinstance(one, Bad):
            yield one
        else:
            yield from own_pages.records_of(members, one) or [_noted(label, one)]
    yield from loose.left(left)


def _noted(label: str, page: pages.Page) -> Noted:
    """A note as that of any folder, its text as it is, found by its permalink and its path too."""
    held = markdown_folder.noted(label, page)
    more = {key: value for key, value in held.more.items() if key not in ("type", "aliases")}
    if (told := page.text("type")) not in ("", "note") and not pages.type_of(told):
        more["type"] = told
    more |= pages.aliases(page.front, held.title, page.text("permalink"), page.name.rpartition(".")[0])
    return replace(held, text=page.body, more=more, files=(), exact=True)
