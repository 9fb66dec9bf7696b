"""Documents that ChatGPT wrote beside a chat ("canvas"): made in one message, changed in later ones.

A change that sets the whole text is followed; one that searches by a pattern is not run, because a pattern from
outside may take for ever: it is counted. Writes nothing.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import table, tables, word
from memdir.ingest.records import Noted

WHOLE = {".*", "^.*$", "[\\s\\S]*", "(?s).*"}  # patterns that mean all of the text
UNREAD = "canvas documents that cannot be read"
PARTLY = "changes inside of a canvas document, whose earlier text is kept"


@dataclass(slots=True)
class Canvas:
    """The documents of one chat: id of the message that made it → name, type and text."""

    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, tool: str, id_: str, given: str, counts: Counter[str]) -> None:
        """One message to the tool `canmore.…`."""
        if tool not in ("canmore.create_textdoc", "canmore.update_textdoc"):
            return
        try:
            asked = table(json.loads(_bare(given)))
        except (ValueError, RecursionError):
            asked = {}
        if tool == "canmore.create_textdoc":
            if word(asked.get("content")).strip():
                self.documents[id_] = asked
            else:
                counts[UNREAD] += 1
            return
        changes = tables(asked.get("updates"))
        last = next(reversed(self.documents), "")
        for one in changes:
            if last and word(one.get("pattern")) in WHOLE and word(one.get("replacement")).strip():
                self.documents[last] = self.documents[last] | {"content": word(one["replacement"])}
            else:
                counts[PARTLY] += 1

    def notes(self, chat: str, time: str) -> Iterator[Noted]:
        """Each document as it was last. `chat`: title of the conversation."""
        for id_, one in self.documents.items():
            text, kind = word(one["content"]), word(one.get("type"))
            if kind.startswith("code/"):
                text = loose.fenced(text, kind.removeprefix("code/"))
            name = word(one.get("name")).replace("_", " ").strip() or loose.title(text) or "Canvas"
            about = f"Canvas of the ChatGPT conversation {' '.join(chat.split())[:100]}" if chat.strip() else ""
            yield Noted(
                f"canvas:{id_}:{loose.digest(text)}", name, text, tags=("canvas",), description=about, created=time
            )


def _bare(text: str) -> str:
    """JSON without the fence that code is shown in."""
    lines = text.strip().split("\n")
    return "\n".join(lines[1:-1]) if len(lines) > 2 and lines[0].startswith("```") else text
