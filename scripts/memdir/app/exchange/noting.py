"""Knowledge of another tool as notes: each once, with where it comes from, and nothing promoted without review.

A note of type `project` or `ref` is written with `trust: external`; `user` and `feedback` wait in the inbox, and so
does what waited for review where it comes from. What was brought in before is known from the `origin` of the files, and
from the ledger for what was rejected.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, NamedTuple

from memdir.app import writing
from memdir.app.exchange import forgetting
from memdir.app.keeping import inbox
from memdir.errors import MemdirError
from memdir.ingest.records import Noted
from memdir.vault import draft, fence, layout, ledger, names, note, relink, resolve, session, store
from memdir.vault.fence import Value

if TYPE_CHECKING:
    from memdir.app.exchange.ingesting import Ingested
    from memdir.app.memory import Memory

BATCH, CHARACTERS = 200, 16_000_000  # notes, and characters of them, that are planned and applied at once
REVIEWED = frozenset({"user", "feedback"})  # types that wait for a person's word
IN_MEMORY = 500_000  # bytes of notes before they go to disk
DIGEST = "origin_digest"  # of what a note said when it came in, by which it is known again and a change is seen
CHANGED = "changed in the source since, or another of the same name: the note that is here is left as it is"
MOST_NAMED = 20  # notes that are named
# Keys that memdir writes or steers by: what another tool says there is kept, but as `original_` and the key.
OURS = frozenset(
    {"name", "type", "tags", "tag", "created", "updated", "importance", "id", "description", "scope", "trust", "origin"}
    | {"origin_digest", "status", "decay", "confidence", "valid_from", "valid_to", "supersedes", "superseded_by"}
)


class Held(NamedTuple):
    """A note that came in before: its path, "" for one that was rejected, and the digest of what it said then."""

    path: str = ""
    digest: str = ""


class Pile:
    """Notes of a source on their way, without secrets."""

    def __init__(self, held: ExitStack) -> None:
        spool = tempfile.SpooledTemporaryFile(IN_MEMORY, "w+b", prefix="memdir-")  # noqa: SIM115
        self._file: IO[bytes] = held.enter_context(spool)
        self._origins: set[str] = set()

    def add(self, memory: "Memory", source: str, one: Noted, scope: str) -> bool:
        """Whether it is new to the pile."""
        origin = _origin(memory, f"{source}:{one.origin}")
        if origin in self._origins:
            return False
        self._origins.add(origin)
        more = {writing.clean(memory, key): writing.cleaned(memory, key, value) for key, value in one.more.items()}
        fields = asdict(one) | {
            "origin": origin,
            "title": writing.clean(memory, one.title),
            "text": (writing.clean if one.exact else writing.prepared)(memory, one.text),
            "tags": [writing.clean(memory, tag) for tag in one.tags],
            "description": writing.clean(memory, one.description),
            "more": {f"original_{key}" if key in OURS else key: value for key, value in more.items()},
        }
        said = "\0".join([fields["title"], writing.clean(memory, one.text)])
        fields["more"][DIGEST] = hashlib.sha256(fence.encode(said)).hexdigest()[:16] if one.text.strip() else ""
        self._file.write(json.dumps([fields, scope]).encode() + b"\n")
        return True

    def __bool__(self) -> bool:
        return bool(self._origins)

    def __iter__(self) -> Iterator[tuple[Noted, str]]:
        self._file.seek(0)
        for line in self._file:
            fields, scope = json.loads(line)
            yield Noted(**fields), scope


@dataclass(slots=True)
class Places:
    """Where the notes of a pile lie or will lie. `fresh`: origin → path of what is to be written; `move`: what became
    of the paths by which they link to each other."""

    fresh: dict[str, str]
    move: relink.Move


def write(memory: "Memory", pile: Pile, done: "Ingested", dry_run: bool) -> None:
    """The notes of a pile that the vault does not hold yet."""
    if not pile:
        return
    places = _places(memory, pile, done)
    for batch in _batches(memory, pile, places, reviewed=False):
        _tell(done, writing.do(memory, [_new(memory, asked) for _, asked in batch], dry_run))
        done.notes += len(batch)
    for batch in _batches(memory, pile, places, reviewed=True):
        _tell(done, inbox.propose(memory, batch, dry_run))
        done.proposed += len(batch)


def _places(memory: "Memory", pile: Pile, done: "Ingested") -> Places:
    (known, paths), tombs = _known(memory), forgetting.tombs(memory)
    same = {_alike(origin, {DIGEST: held.digest}): held for origin, held in known.items() if held.digest}
    taken = {names.fold(_stem(path)) for path in paths}
    fresh: dict[str, str] = {}
    last: dict[str, int] = {}
    own: dict[str, str] = {}
    further: dict[str, str] = {}
    changed: list[str] = []
    for one, _ in pile:
        if held := known.get(one.origin) or same.get(_alike(one.origin, one.more)):
            done.notes_known += 1
            path = held.path
            if held.digest and held.digest != one.more[DIGEST]:
                done.skipped[CHANGED] = done.skipped.get(CHANGED, 0) + 1
                changed.append(f"{one.origin} ({path})")
        elif tombs.came(one.origin):
            done.skipped[forgetting.BEFORE] = done.skipped.get(forgetting.BEFORE, 0) + 1
            path = ""
        else:
            name = names.numbered(names.slug(one.title), taken, last)
            taken.add(names.fold(name))
            folder = inbox.FOLDER if _waits(one) else layout.topic_folder(one.type)
            path = fresh[one.origin] = f"{folder}/{name}.md"
        for number, file in enumerate(one.files if path else ()):
            (further if number else own).setdefault(file, path)
    if changed:
        more = [f"{len(changed) - MOST_NAMED} more"] if len(changed) > MOST_NAMED else []
        done.notices.append(f"not brought in, because it is here already: {', '.join([*changed[:MOST_NAMED], *more])}")
    to = further | own
    return Places(fresh, relink.Move(to, resolve.Tree(to), resolve.Tree({*paths, *to.values()}), frozenset()))


def _batches(
    memory: "Memory", pile: Pile, places: Places, *, reviewed: bool
) -> Iterator[list[tuple[str, draft.NewNote]]]:
    """What is to be written, (origin, note) each, so many at once as memory may hold."""
    batch: list[tuple[str, draft.NewNote]] = []
    size = 0
    for one, scope in pile:
        if one.origin in places.fresh and _waits(one) == reviewed:
            batch.append((one.origin, _draft(one, scope, places)))
            size += len(one.text)
            if len(batch) == BATCH or size >= CHARACTERS:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _new(memory: "Memory", asked: draft.NewNote) -> store.Write:
    """A note is of the day that its source gives, else of today."""
    told = str(asked.more.get("date", ""))[:10]
    return draft.new(asked, (), told if names.is_day(told) else memory.clock.today())[0]


def _draft(one: Noted, scope: str, places: Places) -> draft.NewNote:
    keys: dict[str, Value] = {"origin": one.origin, "trust": one.trust}
    keys |= {"status": inbox.PROPOSED} if _waits(one) else {}
    keys |= {"original_title": one.title} if one.title != " ".join(one.title.split()) else {}
    keys |= {"date": one.created[:10]} if one.created and "date" not in one.more else {}
    keys |= {key: _linked(one, value, places) for key, value in one.more.items()}
    text = str(_linked(one, one.text, places))
    file = _stem(places.fresh[one.origin])
    return draft.NewNote(
        one.title, one.type, text, one.tags, description=one.description, scope=scope, more=keys, file=file,
        exact=one.exact,
    )  # fmt: skip


def _linked(one: Noted, value: Value, places: Places) -> Value:
    """A text, or the texts of a list, with the links among the notes of the source led to where these lie now."""
    if isinstance(value, list):
        return [_linked(one, item, places) for item in value]
    if not one.files or not isinstance(value, str) or "]" not in value:
        return value
    return relink.adopted(one.files[0], value, places.move)


def _origin(memory: "Memory", given: str) -> str:
    """An origin as front matter holds it: one that would be cut or changed keeps a digest of the whole, one in which a
    secret stands is nothing else behind its source."""
    told, digest = session.id_of(given), hashlib.sha256(fence.encode(given)).hexdigest()[:32]
    if writing.clean(memory, given) != given:
        return f"{given.partition(':')[0]}:{digest}"
    return told if told == given else f"{told[:130]} {digest}"


def _waits(one: Noted) -> bool:
    """Whether a note waits for a person's word: for what it is about, or because it did where it comes from."""
    return one.type in REVIEWED or one.more.get("original_status") == inbox.PROPOSED


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def _alike(origin: str, more: Mapping[str, Value]) -> tuple[str, str]:
    """By which a note is known again where its folder has another name now: its kind of source, and what it says."""
    return origin.partition(":")[0], str(more[DIGEST]) or origin


def _known(memory: "Memory") -> tuple[dict[str, Held], list[str]]:
    """The origins of everything that is there, in the inbox or the archive too, and of what was rejected; and the paths
    of all notes."""
    blocked = (str(event.more.get("key", "")) for event in memory.ledger.events() if event.op == "blocked")
    told = {key: Held() for key in blocked}
    inside = memory.root.walk(lambda path, is_folder: not is_folder and not path.endswith(".md"))
    paths = [entry.path for entry in inside.entries]
    for path in paths:
        if layout.kind_of(path) == "session":
            continue
        try:
            held = note.parse(path, memory.root.read(path).data)
            told[held.text("origin")] = Held(path, held.text(DIGEST))
        except MemdirError:
            continue
    told.pop("", None)
    return told, paths


def _tell(done: "Ingested", written: writing.Done) -> None:
    done.files += written.changed
    done.notices += written.notices
    done.diff += written.diff


def event(done: "Ingested") -> ledger.Event:
    """What an import did, for the ledger."""
    counts = ("source", "sessions", "new", "turns", "known", "bad")
    more = {key: getattr(done, key) for key in counts}
    kept = {
        key: value
        for key in ("notes", "proposed", "notes_known", "others", "entries", "attachments")
        if (value := getattr(done, key))
    }
    return ledger.Event("imported", more=more | kept)
