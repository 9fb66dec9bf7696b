"""What a chat export says about its user: custom instructions and saved memories, as notes that wait in the inbox.

An export repeats both in every conversation. Of instructions and of the list of memories only the newest counts; a
memory that was saved on its own comes once. Writes nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import table, word
from memdir.ingest.records import Noted

TITLES = {"user": "What I told ChatGPT about myself", "feedback": "How I want ChatGPT to answer"}
MOST = 20_000  # different memories of one export
_ENTRY = re.compile(r"^[ \t]*\d{1,4}\.[ \t]*(?:\[(\d{4}-\d\d-\d\d)\]\.?[ \t]*)?", re.MULTILINE)
_FENCED = re.compile(r"```(.*)```", re.DOTALL)


@dataclass(slots=True)
class Personal:
    """What was found so far: the newest (time, text) of each kind; digests of memories that were given."""

    newest: dict[str, tuple[str, str]] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)

    def instructed(self, message: dict[str, Any], time: str) -> None:
        """Keep the custom instructions and the list of memories that a message may carry."""
        content = table(message.get("content"))
        told = table(table(message.get("metadata")).get("user_context_message_data"))
        found = {
            "user": word(told.get("about_user_message")) or _inside(word(content.get("user_profile"))),
            "feedback": word(told.get("about_model_message")) or _inside(word(content.get("user_instructions"))),
            "memories": word(content.get("model_set_context")),
        }
        for kind, text in found.items():
            if text.strip() and loose.instant(time) >= loose.instant(self.newest.get(kind, ("", ""))[0]):
                self.newest[kind] = (time, text.strip())

    def remembered(self, text: str, time: str) -> Iterator[Noted]:
        """A memory that was saved, where it is new."""
        key = loose.digest(text)
        if text.strip() and key not in self.given and len(self.given) < MOST:
            self.given.add(key)
            yield Noted(f"memory:{key}", loose.title(text), text.strip(), "user", created=time)

    def notes(self) -> Iterator[Noted]:
        """The newest instructions and the memories of the newest list."""
        for kind, title in TITLES.items():
            if kind in self.newest:
                time, text = self.newest[kind]
                yield Noted(f"instructions:{kind}:{loose.digest(text)}", title, text, kind, created=time)
        time, text = self.newest.get("memories", ("", ""))
        for day, one in _entries(text):
            yield from self.remembered(one, day or time)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The memories of a numbered list, with their days; the text itself where it is no list."""
    marks = list(_ENTRY.finditer(text))
    if not marks:
        yield "", text
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    yield from ((mark[1] or "", text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=False))


def _inside(text: str) -> str:
    """What stands in the fence of a profile, around which ChatGPT puts words of its own."""
    found = _FENCED.search(text)
    return found[1].strip() if found else text
