"""A folder of markdown, or an Obsidian vault: a note for each file, linked among each other as they were.

Front matter comes along where it is flat. Hidden folders, templates, copies of sync tools and whatever is no markdown
are left out and counted. What an OpenClaw workspace says of its user is a note about the user, the instructions that
people write for an agent are one of how they want things: both wait for review.
One file is held at a time. Writes nothing.
"""

from collections.abc import Iterator, Set
from dataclasses import replace

from memdir.ingest import loose
from memdir.ingest.knowledge import own_pages, pages
from memdir.ingest.knowledge.pages import Page
from memdir.ingest.members import Members
from memdir.ingest.records import Bad, Noted, Record, Wanted, whole
from memdir.vault import names

_USED = ("title", "tags", "tag", "aliases", "alias", "description")  # keys that have a place of their own
_ABOUT_USER, _BESIDE = "USER.md", ("SOUL.md", "AGENTS.md", "IDENTITY.md")  # what tells a workspace
# What agents read as standing instructions, by name, folded.
_ORDERS = frozenset(
    map(names.fold, ("CLAUDE", "CLAUDE.local", "AGENTS", "AGENTS.override", "GEMINI", "copilot-instructions"))
)
_VAGUE = frozenset({"readme", "index", "_index"})  # names that say nothing without their folder


def suits(members: Members) -> bool:
    """Whether there is any markdown."""
    return any(pages.is_page(name) for name in members.names)


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The notes by path, and what was left out. Raises BadData for a source without any."""
    label = pages.label(members)
    found, left = pages.sorted_out(members)
    present = set(found)
    for one in pages.each(members, found):
        if isinstance(one, Bad):
            yield one
        elif own := own_pages.records_of(members, one):
            yield from own
        else:
            left["front matter values that are no plain ones"] += pages.plain(one.front)[1]
            held = noted(label, one)
            kind = "user" if is_about_user(one.name, present) else "feedback" if _is_order(one) else held.type
            yield replace(held, type=kind)
    yield from loose.left(left)


def is_about_user(name: str, present: Set[str]) -> bool:
    """Whether a file is the one in which an OpenClaw workspace tells of its user."""
    folder, slash, file = name.rpartition("/")
    return file == _ABOUT_USER and any(f"{folder}{slash}{one}" in present for one in _BESIDE)


def _is_order(page: Page) -> bool:
    """Whether a file is one of standing instructions for an agent that says of itself no type."""
    return names.fold(page.stem) in _ORDERS and not pages.type_of(page.front.get("type"))


def noted(label: str, page: Page) -> Noted:
    """The note that a file becomes; `label` is that of its source."""
    title = title_of(page)
    more = pages.plain(page.front)[0]
    kind = pages.type_of(page.front.get("type"))
    for key in (*_USED, *(["type"] if kind else [])):
        more.pop(key, None)
    if page.text("title") == "" or more.get("name") == title:
        more.pop("name", None)
    if more.get("created") == page.day:
        more.pop("created", None)
    return Noted(
        origin=f"{label}/{page.name}",
        title=title,
        text=page.body.replace("\r\n", "\n"),
        type=kind or "ref",
        tags=pages.tags(page.front),
        description=page.text("description"),
        created=page.day,
        more=more | pages.aliases(page.front, title, page.stem),
        files=(pages.as_link(page.name),),
    )


def title_of(page: Page) -> str:
    """What a note is called: its title, else the name of its file, with more where that would be a log's or says
    nothing."""
    told = page.text("title", "name")
    if told:
        return whole(told)
    stem = whole(page.stem)
    folder = page.name.rpartition("/")[0].rpartition("/")[2]
    if names.is_day(stem):
        return f"{stem} daily note"
    return f"{folder} {stem}" if folder and names.fold(stem) in _VAGUE else stem
