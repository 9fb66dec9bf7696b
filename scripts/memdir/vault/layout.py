"""Which file is what: kinds and types by place, and the rules that say which files are notes.

A vault that memdir made keeps to the folders of the vault format; in an adopted one every markdown
file outside hidden, template and package folders is a note. Reads `.obsidian/templates.json` at most.
"""

import fnmatch
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memdir import config
from memdir.errors import BadData
from memdir.vault import names

INDEX_FILE = "MEMORY.md"
MARKS = "<!-- memdir:index -->", "<!-- /memdir:index -->"  # the list of notes stands between them
UNDER_WAY = "forgetting.json"  # below `.memdir/`: what is being forgotten; empty when nothing is
OVERFLOW_FILE = "memory/archive/MEMORY-overflow.md"
HEARTBEAT_FILE = "memory/heartbeat-state.json"  # when each task last ran
TYPES = ("user", "feedback", "project", "ref")
SESSIONS = "memory/sessions"  # conversations, turn by turn: recalled, but no notes
INBOX = "memory/inbox"  # what waits for review there is no note, in an adopted vault either
BRIEFS = "memory/briefs"  # one standing paragraph a scope, made by memdir
PERSONAS = "memory/personas"  # the role and the critical facts of a persona, written by people
CHECKPOINTS = "memory/checkpoints"  # what a conversation was about when its window was nearly full
FOLDERS = (*(f"memory/{kind}" for kind in TYPES), "memory/logs", INBOX, "memory/archive", "memory/procedures")
_ARCHIVES = tuple(f"memory/archive/{kind}/" for kind in TYPES)
IMPORTANCE = ("low", "medium", "high")
_TYPE_WORDS = {**{kind: kind for kind in TYPES}, "reference": "ref", "references": "ref"}
_TALK = f"{SESSIONS}/"
# Never answers to a question: what waits for review, and what memdir makes from notes and conversations.
_NO_NOTES = (f"{INBOX}/", f"{BRIEFS}/", f"{CHECKPOINTS}/")
_NOT_RECALLED = ("memory/ledger/", f"{PERSONAS}/")  # in a vault that memdir made


@dataclass(frozen=True)
class Rules:
    """What counts as a note in one vault."""

    own: bool
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()  # folders, relative

    def skip(self, path: str, is_dir: bool) -> bool:
        """Whether a walk leaves this entry out; given to `Root.walk`, so it is called for every file."""
        if is_dir:
            return names.is_ignored_folder(path.rsplit("/", 1)[-1]) or self.is_template(path)
        return not path.endswith((".md", ".MD")) or names.is_by_product(path) or not self.counts(path)

    def is_template(self, folder: str) -> bool:
        """Whether a folder holds templates: by its name, or because Obsidian is set to it."""
        return names.is_template_folder(folder.rsplit("/", 1)[-1]) or folder in self.templates

    def takes(self, path: str) -> bool:
        """Whether a walk takes the file at this path: it is a note, and no folder on the way is left out."""
        folders = path.split("/")[:-1]
        on_the_way = ("/".join(folders[: depth + 1]) for depth in range(len(folders)))
        return not any(self.skip(folder, True) for folder in on_the_way) and not self.skip(path, False)

    def counts(self, path: str) -> bool:
        if path == OVERFLOW_FILE or path.startswith(_NO_NOTES) or (self.own and path.startswith(_NOT_RECALLED)):
            return False
        if not self.include and not self.exclude:
            return not self.own or path == INDEX_FILE or path.startswith("memory/")
        included, excluded = self._patterns
        return bool(included.match(path)) and not excluded.match(path)

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        default = (INDEX_FILE, "memory/*") if self.own else ("*",)
        return _any(self.include or default), _any(self.exclude)


def rules(root: Path, *, own: bool, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Rules:
    return Rules(own, tuple(include), tuple(exclude), _template_folders(root))


def _template_folders(root: Path) -> tuple[str, ...]:
    """The folder that Obsidian's core template plug-in is set to."""
    try:
        settings = json.loads(config.small_file(root / ".obsidian" / "templates.json", follow=False) or b"{}")
    except (BadData, ValueError, RecursionError):
        return ()
    folder = settings.get("folder") if isinstance(settings, dict) else None
    return (names.relative(folder),) if isinstance(folder, str) and names.relative(folder) else ()


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for all; a folder stands for everything in it."""
    whole = [fnmatch.translate(one) for pattern in patterns for one in (pattern, pattern.rstrip("/*") + "/*")]
    return re.compile("|".join(whole) or r"(?!)")


def is_topic(path: str) -> bool:
    return path.startswith(tuple(f"memory/{kind}/" for kind in TYPES))


def kind_of(path: str) -> str:
    """`index`, `session`, `log` or `note`; a name that begins with a day makes a log, but not in a topic folder or its
    archive."""
    if path == INDEX_FILE:
        return "index"
    if path.startswith(_TALK):
        return "session"
    if is_topic(path) or path.startswith(_ARCHIVES):
        return "note"
    return "log" if names.DATE_NAME.match(path.rsplit("/", 1)[-1]) else "note"


def type_of(path: str, written: object) -> str:
    """A note's type: what its front matter says, else its folder, else `ref`."""
    for word in (written, *reversed(path.split("/")[:-1])):
        if isinstance(word, str) and word.strip().lower() in _TYPE_WORDS:
            return _TYPE_WORDS[word.strip().lower()]
    return "ref"


def is_archived(path: str) -> bool:
    return path.startswith("memory/archive/")


def topic_folder(kind: str) -> str:
    return f"memory/{kind}"


def archive_folder(kind: str) -> str:
    return f"memory/archive/{kind}"
