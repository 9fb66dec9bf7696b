"""A proposal that a capture made, accepted: its line goes to the note where a capture would have put it.

The line counts as it stands in the file: a person may have changed its words, its value, or what it is about.
"""

from typing import TYPE_CHECKING

from memdir.app.keeping import learning
from memdir.errors import BadData
from memdir.learn import patches
from memdir.learn.items import Item, order, tidy
from memdir.vault import note, store

if TYPE_CHECKING:
    from memdir.app.memory import Memory


def writes(memory: "Memory", path: str, data: bytes) -> list[store.Write]:
    """The Changes of notes; [] where they say it already. Raises BadData where no line can be read."""
    held = note.parse(path, data)
    items = [tidy(one) for one in _items(held)]
    if not items or any(order(one.text) for one in items):
        raise BadData(f"{path} holds no line that could be kept: `- [preference] …` or `- key:: value`")
    planned = patches.plan(items, learning.shelf(memory), memory.clock.today(), len(items))
    if planned.dropped:
        raise BadData(f"{path}: {planned.dropped[0].why}")
    return [patch.change for patch in planned.patches]


def _items(held: note.Note) -> list[Item]:
    about, scope, day, source = (held.text(key) for key in ("about", "scope", "day", "source"))
    found = [
        Item(one.category, one.text, day, one.source or source, "", about, scope=scope)
        for one in held.body.observations
        if one.category in patches.STANDING
    ]
    found += [Item("loop", one.text, day, one.source or source, "", about, scope=scope) for one in held.body.loops]
    found += [
        Item("fact", f"{one.key}: {one.value}", one.since or day, one.source or source, "", about, one.key, one.value)
        for one in held.body.facts
        if about
    ]
    return found
