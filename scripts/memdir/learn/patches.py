"""From what was learned to Changes: which note each item goes to, and the lines that change there.

A note is edited against the digest it was read with, by line; nothing is deleted. A contradicting value moves to the
note's history, an item older than what the note says is left out. Reads notes, writes nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from memdir.errors import BadData, MemdirError
from memdir.learn import firsts, pairs, stated
from memdir.learn.items import Dropped, Item
from memdir.learn.reading import keys
from memdir.vault import draft, edits, facts, fields, files, layout, loops, names, store
from memdir.vault import note as notes
from memdir.vault.markdown import Fact

_TIME = re.compile(r"\]\] (\d\d:\d\d)\b")  # of the entry or the turn that a source names
# Kind → the standing note (title, type) for what is about no note of its own.
STANDING = {
    "preference": ("Preferences", "user"),
    "correction": ("Corrections", "feedback"),
    "decision": ("Decisions", "project"),
    "context": ("Project context", "project"),
    "reference": ("External systems", "ref"),
    "personal": ("About the user", "user"),
    "loop": ("Open points", "project"),
}
PERSON = STANDING["personal"][0]  # what a fact of the user is about
_SCOPED = ("context", "reference", "loop")  # kinds whose standing note is one of its scope
# Keys of people and addresses: their notes are no projects.
_PERSONAL = re.compile(
    r"\b(?:phone|e?mail|extension|badge|manager|desk|room|birthday|office|mobile)\b|://|座机|电话|手机|邮箱|工牌|上级|房间|生日|入职|分机",
    re.IGNORECASE,
)
_TYPE = {
    "preference": "user",
    "correction": "feedback",
    "reference": "ref",
    "personal": "user",
}  # notes that may take such a line


@dataclass(frozen=True, slots=True)
class Shelf:
    """The topic notes of a vault. `named`: folded name, alias or file name → path; `types`: path → type;
    `keys`: folded keys of the facts there are; `made`: path → digest that a distillation left there; `cited`: source →
    text of the entries it names, the oldest first; `stated`: mark of a fact by hand → since when it has stood there."""

    root: files.Root
    named: Mapping[str, str]
    types: Mapping[str, str]
    keys: Set[str] = frozenset()
    made: Mapping[str, str] = field(default_factory=dict)
    cited: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, float] = field(default_factory=dict)

    def find(self, name: str, *, person: bool = False) -> str:
        """The note of that name; of a `person` also the only one whose first word it is ("Tom" for "Tom Becker")."""
        key = names.fold(" ".join(name.split()))
        found = self.named.get(key, "") if key else ""
        if found or not key or not person or " " in key:
            return found
        longer = {path for held, path in self.named.items() if held.startswith(f"{key} ")}
        return longer.pop() if len(longer) == 1 else ""

    def touched(self, path: str, blob: files.Blob) -> float:
        """When somebody else last saved a note, in seconds since 1970; 0 where it is as a distillation left it."""
        return 0.0 if self.made.get(path) == blob.digest else blob.stat.mtime_ns / 1e9

    def by_hand(self, fact: Fact) -> bool:
        """Whether a person stated a fact: it has no source, or its source says something else."""
        said = self.cited.get(fact.source, fact.value)
        return not fact.source or names.fold(fact.value) not in names.fold(said)


@dataclass(slots=True)
class Patch:
    """One Change and the items that it writes; an item may be in it that says nothing new."""

    change: store.Write
    title: str
    items: list[Item]
    added: list[str] = field(default_factory=list)  # the lines that are new, for the report


@dataclass(slots=True)
class Planned:
    """`patches` to apply one by one; `settled`: items that need no writing; `waiting`: more than a night may change."""

    patches: list[Patch] = field(default_factory=list)
    settled: list[Item] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    waiting: list[Item] = field(default_factory=list)


def plan(items: Iterable[Item], shelf: Shelf, today: str, most: int) -> Planned:
    """Changes to at most `most` notes, those with the oldest items first."""
    planned = Planned()
    homes: dict[tuple[str, str, str], list[Item]] = defaultdict(list)
    made: dict[str, tuple[str, str, str]] = {}  # folded title of a note to be made → its home
    for item in sorted(items, key=lambda item: item.day):
        home = _home(item, shelf)
        known = (home[0], "", "") if home[0] else made.setdefault(names.fold(home[1]), home)
        homes[known].append(item)
    for (path, title, kind), held in homes.items():
        if len(planned.patches) >= most:
            planned.waiting += held
            continue
        try:
            patch = (
                _edited(path, held, shelf, today, planned)
                if path
                else _made((title, kind), held, shelf, today, planned)
            )
        except MemdirError as error:
            planned.dropped += [Dropped(item.text, str(error), item.source) for item in held]
            continue
        if patch is None:
            planned.settled += held
        else:
            planned.patches.append(patch)
    return planned


def type_of(item: Item) -> str:
    """The type of the note that is made for an item where there is none."""
    if item.kind != "fact":
        return STANDING[item.kind][1]
    personal = bool(_PERSONAL.search(f"{item.key} {item.value}"))
    return "user" if item.about == PERSON else "ref" if personal else "project"


def _home(item: Item, shelf: Shelf) -> tuple[str, str, str]:
    """Path of the note that an item goes to, or ("", title, type) of one to be made."""
    if item.note:
        return item.note, "", ""
    personal = bool(_PERSONAL.search(f"{item.key} {item.value}"))
    path = shelf.find(item.about, person=personal)
    if item.kind == "fact":
        path = path or _longer(item, shelf)
        return (path, "", "") if path else ("", item.about, type_of(item))
    wanted = _TYPE.get(item.kind)
    if path and (wanted is None or shelf.types.get(path) == wanted):
        return path, "", ""
    title, kind = STANDING[item.kind]
    title = f"{title} ({item.scope})" if item.scope and item.kind in _SCOPED else title
    return shelf.find(title), title, kind


def _longer(item: Item, shelf: Shelf) -> str:
    """The only note whose name ends in what a change is about and that holds its old value: "the panel" for "Admin
    panel"; "" for none."""
    about = names.fold(" ".join(item.about.split()))
    if not about or not item.old:
        return ""
    held = {path for name, path in shelf.named.items() if name.endswith(f" {about}") and layout.kind_of(path) == "note"}
    found = []
    for path in sorted(held):
        try:
            body = notes.parse(path, shelf.root.read(path).data).body
        except MemdirError:
            continue  # no place for anything
        key = keys.held(item.key, [fact.key for fact in body.facts])
        found += [path] if any(pairs.same(fact.value, item.old) for fact in facts.current(body, key)) else []
    return found[0] if len(found) == 1 else ""


def _edited(path: str, items: Sequence[Item], shelf: Shelf, today: str, planned: Planned) -> Patch | None:
    """The patch of a note that exists; None when it says all of it already. Raises what `Root.read` raises."""
    if layout.kind_of(path) != "note" or path not in shelf.types:
        raise BadData(f"{path} is no topic note")
    blob = shelf.root.read(path)
    old = fields.decode(blob.data)
    parsed = notes.parse(path, blob.data)
    title = parsed.name
    time = _Time(today, shelf, shelf.touched(path, blob), (path, title), (title, *parsed.aliases))
    new, told = _written(path, old, items, time, planned)
    if new == old:
        return None
    return Patch(store.Write(path, fields.encode(new), blob.digest), title, told, _added(old, new))


def _made(new: tuple[str, str], items: Sequence[Item], shelf: Shelf, today: str, planned: Planned) -> Patch | None:
    """The patch that makes a note; `new`: its title and type."""
    title, kind = new
    taken = [*shelf.types, *(patch.change.path for patch in planned.patches)]
    scope = items[0].scope if items[0].kind in _SCOPED else ""
    write, _ = draft.new(draft.NewNote(title, kind, scope=scope), taken, today)
    old = fields.decode(write.data)
    text, told = _written(write.path, old, items, _Time(today, shelf, called=(title,)), planned)
    if text == old:
        return None
    return Patch(store.Write(write.path, fields.encode(text), None), title, told, _added(old, text))


def _added(old: str, new: str) -> list[str]:
    before = set(old.split("\n"))
    return [line.strip() for line in new.split("\n") if line.lstrip().startswith("- ") and line not in before]


@dataclass(frozen=True, slots=True)
class _Time:
    """Today, and of the note at hand when somebody else last saved it, its `homes` (path and name) and what it is
    `called`."""

    today: str
    shelf: Shelf
    touched: float = 0.0
    homes: tuple[str, ...] = ()
    called: tuple[str, ...] = ()

    def overtaken(self, fact: Fact, item: Item) -> bool:
        """Whether a person set another value after an item was said: not one that stood there before it, or that it
        names as the last."""
        if self.touched <= item.at or facts.same(fact.value, item.value) or not self.shelf.by_hand(fact):
            return False
        since = [self.shelf.stated.get(mark) for mark in stated.marks(self.homes, fact.key, fact.value)]
        stood = any(at is not None and at <= item.at for at in since)
        return not stood and not (item.old and facts.same(fact.value, item.old))


def _written(path: str, text: str, items: Sequence[Item], time: _Time, planned: Planned) -> tuple[str, list[Item]]:
    """The text with the items, and those of them that were not left out."""
    told: list[Item] = []
    said: set[tuple[str, str]] = set()  # entry and key: an entry that gives a key twice gives a set of values
    for item in items:
        before, again = len(planned.dropped), (item.entry, names.fold(item.key))
        try:
            if item.kind != "fact":
                text = _line(path, text, item, time.today)
            elif again in said and not item.old:
                key = _key(path, text, item)
                text = facts.add(path, text, key, item.value, item.day, item.source, time.today)
            else:
                text = _fact(path, text, replace(item, key=_key(path, text, item)), time, planned)
            said.add(again)
        except BadData as error:
            planned.dropped.append(Dropped(item.text, str(error), item.source))
        told += [item] if len(planned.dropped) == before else []
    return text, told


def _key(path: str, text: str, item: Item) -> str:
    """The key that a note has for what an item is about, else the item's own."""
    held = notes.parse(path, fields.encode(text)).body.facts
    if not item.key:
        found = {fact.key: None for fact in held if not fact.until and pairs.same(fact.value, item.old)}
        if len(found) != 1:
            raise BadData(f"the note holds {'no' if not found else 'more than one'} value {item.old!r} that could move")
        return next(iter(found))
    return pairs.kept(keys.held(item.key, [fact.key for fact in held]), item, held)


def _fact(path: str, text: str, item: Item, time: _Time, planned: Planned) -> str:
    body = notes.parse(path, fields.encode(text)).body
    held = facts.current(body, item.key)
    item = pairs.paired(item, held)
    if any(time.overtaken(fact, item) for fact in held):
        planned.dropped.append(Dropped(item.text, "somebody has changed the note since this was said", item.source))
        return text
    newer = [fact for fact in held if _later(fact, item) and not facts.same(fact.value, item.value)]
    if newer:
        planned.dropped.append(Dropped(item.text, f"the note knows a newer value, since {newer[0].since}", item.source))
        return text
    new = facts.put(path, text, item.key, item.value, item.day, item.source, time.today)
    told = [fact.value for fact in (*held, *facts.past(body, item.key))]
    if item.old and new != text and not any(pairs.same(value, item.old) for value in told):
        since, source = firsts.said(time.shelf.cited, (item.about, *time.called), item.old, item.day)
        line = facts.line(item.key, item.old, since, item.day, source or item.source)
        new = edits.append(path, new, line, time.today, facts.HISTORY)
    return new


def _later(fact: Fact, item: Item) -> bool:
    """Whether a fact was said after an item; inside one day the times of their entries decide."""
    if fact.since[:10] != item.day:
        return fact.since[:10] > item.day
    held, said = (_TIME.search(source) for source in (fact.source, item.source))
    return bool(held and said and held[1] > said[1])


def _line(path: str, text: str, item: Item, today: str) -> str:
    """An observation at the end of what the note says, before its sections; unchanged where it stands there already."""
    body = notes.parse(path, fields.encode(text)).body
    held = [*(one.text for one in body.observations), *(one.text for one in body.loops)]
    if any(facts.same(said, item.text) for said in held):
        return text
    mark = " " if item.kind == "loop" else item.kind
    line = loops.with_ids(f"- [{mark}] {item.text}{facts.cite(item.source)}")
    lines = text.split("\n")
    end = fields.newline_of(text)[:-1]
    sections = [heading.line for heading in body.headings if heading.level > 1]
    at = sections[0] if sections else len(lines)
    while at > 0 and not lines[at - 1].strip():
        at -= 1
    gap = [] if at and lines[at - 1].lstrip().startswith(("- ", "---")) else [end]
    tail = lines[at:] if sections else [""]
    return edits.touch(path, text, "\n".join([*lines[:at], *gap, line + end, *tail]), today)
