"""Evidence: the lines of a file that answer, quoted from the file as it is now.

A hit names lines as they were when indexed; where the file has changed since, its passages are cut anew
and the one that holds most of the question's words is taken. Reads the vault only.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from memdir import text
from memdir.errors import MemdirError
from memdir.index import reader
from memdir.vault import fence, files, names

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$")  # the marks that may end it are taken off apart, in linear time
_PAST = re.compile(r"#+\s+history\b", re.IGNORECASE)
_DATED = re.compile(r"\[source:: ?\[\[(\d{4}-\d\d-\d\d)\b|\((\d{4}(?:-\d\d){0,2}) →")
QUOTE = 500  # bytes of one quote: about 80 English words, 160 Chinese characters; `memdir read` gives the rest
OPENING = 24  # lines of a body that are quoted from where a note is found by its name

# Passages kept analysed, under the bytes of their file, which is read every time, and how many bytes the longest file
# has: 12 MB of ordinary ones. It saves 0.4 ms of 1.5.
ANALYSED, LONGEST = 512, 16_000
LABELLED = 4_096  # passages whose labels are kept analysed
BESIDE = "beside a turn that holds the words"
MEANING = "meaning"
TOLD = 10  # the last rank by meaning that is worth telling beside words


class Evidence(NamedTuple):
    """One answer. Lines count from 1; [line, last] are quoted, `at` is the line that matches best."""

    path: str
    line: int
    last: int
    at: int
    heading: str
    quote: str
    score: float
    date: str
    name: str
    type: str
    kind: str
    why: tuple[str, ...] = ()
    more: int = 0  # further passages of the same note that match
    clipped: bool = False
    archived: bool = False
    session: str = ""  # of a turn: the conversation, and the id that its source gave the turn
    turn: str = ""
    superseded_by: str = ""  # of a fact that is over (the line `at`): the value after it, and the end as it is written
    valid_until: str = ""
    via: str = ""  # the file from which a link or a name led here, where the words of the question did not
    grade: str = ""  # primary | supporting; the last, see `graded`

    def graded(self, score: float, grade: str) -> "Evidence":
        """The same with a score of its own and its grade: a third of the time of `_replace`."""
        return Evidence._make((*self[:6], score, *self[7:-1], grade))


@dataclass(slots=True)
class Answer:
    """What one recall gives. `notices` are for the reader of the answer; `suggestions`: word → words of the vault.

    `confidence`: how sure it is that the question is answered, 0 to 1; `abstained`: too little, then the evidence is
    the closest that there is; `missing`: names of the question that nothing mentions.
    """

    question: str
    evidence: list[Evidence] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    suggestions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = "index"  # index | scan
    abstained: bool = False
    confidence: float = 0.0
    missing: list[str] = field(default_factory=list)
    trace: dict[str, Any] = field(default_factory=dict)  # stage → what it made of the question, where it was asked for


class Analysed(NamedTuple):
    """A passage. `lines`: as they are shown; `where`: term → the lines that hold it, from 0; of each line `sizes` in
    bytes, and `headings`, the last one up to it."""

    lines: Sequence[str]
    where: Mapping[str, Sequence[int]]
    sizes: Sequence[int]
    headings: Sequence[str]


class Labels(NamedTuple):
    """The analysed words of what stands round a passage: the note's name, aliases and tags; `every`: of all that, of
    the heading, of the day and of who speaks."""

    name: AbstractSet[str]
    aliases: AbstractSet[str]
    tags: AbstractSet[str]
    every: AbstractSet[str]


class Files:
    """The files of a vault as one recall finds them, each read once: one answer speaks of one state of a file."""

    def __init__(self, root: files.Root) -> None:
        self._root = root
        self._held: dict[str, files.Blob | None] = {}
        self._analysed: dict[tuple[str, str, int, int], Analysed] = {}
        self.late = set[str]()  # those of which lines were left out because they are dated later

    def read(self, path: str) -> files.Blob | None:
        """None for what is gone or cannot be read."""
        if path not in self._held:
            try:
                self._held[path] = self._root.read(path)
            except MemdirError:
                self._held[path] = None
        return self._held[path]

    def analysed(self, hit: reader.Hit, blob: files.Blob, first: int, last: int) -> Analysed:
        """Lines [first, last) of the file of a hit; `blob`: the file as it was read here."""
        place = hit.path, hit.kind, first, last
        if place not in self._analysed:
            self._analysed[place] = analysed(blob.data, hit.kind, first, last)
        return self._analysed[place]


def quote(
    opened: Files, hit: reader.Hit, wanted: Mapping[str, str], room: int = QUOTE, as_of: str = ""
) -> Evidence | None:
    """Evidence for a hit in `room` bytes; None when the file is gone or holds nothing of the question any more.

    `wanted`: analysed words of the question → the words as typed; `as_of`: lines that are dated later are left out.
    """
    blob = opened.read(hit.path)
    if blob is None:
        return None
    first, last, heading, same = _place(hit, blob, wanted)
    passage, around = opened.analysed(hit, blob, first, last), labels(hit)
    why, matched = _why(hit, heading, around, passage.where, wanted)
    front = _Front(hit, blob, first) if hit.kind == "note" and first else None
    if front and front.body and matched and hit.at < 0 and matched <= around.name | around.aliases:
        first, last = front.body
        passage, front = opened.analysed(hit, blob, first, last), None
        why, matched = _why(hit, heading, around, passage.where, wanted)
    chance = all(map(text.is_sign, matched)) and not all(map(text.is_sign, wanted))
    near = same and (hit.meaning or hit.at >= 0 or hit.by)
    if first >= last or (hit.kind != "turn" and not near and (not matched or chance)):
        return None
    if hit.kind == "note" and not matched and hit.at < 0 and not hit.by and _is_bare(hit.name, passage.lines):
        return None
    marks = _marks(passage, wanted, around.name)
    if same:
        _point(marks, hit, len(wanted) + 1, first)
    late = {n for n in hit.hidden if same and first <= n < last} | _late(passage.lines, first, as_of)
    hidden = late.union(front.quiet(first, last) if front else ())
    if late:
        opened.late.add(hit.path)
    if hidden:
        passage, marks, first = _open(passage, marks, first, sorted(hidden))
        if not any(map(str.strip, passage.lines)):
            return None
    shown = passage.lines
    start, end, at = _window(shown, passage.sizes, marks, room)
    body = _middle("\n".join(shown[start:end]), wanted, room)
    return Evidence(
        path=hit.path,
        line=first + start + 1,
        last=first + max(end, start + 1),
        at=first + at + 1,
        heading=(passage.headings[at] if shown else "") or text.printable(heading),
        quote=body,
        score=hit.score,
        date=hit.date,
        name=text.printable(hit.name),
        type=hit.type,
        kind=hit.kind,
        why=(*why, hit.by) if hit.by else why,
        clipped=bool(same and hit.hidden)
        or "…" in body[:1] + body[-1:]
        or any(map(str.strip, (*shown[:start], *shown[end:]))),
        via=hit.by.partition(": ")[2],
        archived=hit.archived,
        session=hit.session,
        turn=hit.uuid,
    )


def _point(marks: list[tuple[int, int]], hit: reader.Hit, most: int, first: int) -> None:
    """Mark the lines that a hit names among those from `first` on; `most`: more than any line holds of the words."""
    lines = range(first, first + len(marks))
    if hit.at in lines:
        marks[hit.at - first] = (most, 0)
    elif hit.fallback in lines and not max(marks)[0]:
        marks[hit.fallback - first] = (1, 0)
    if hit.near in lines:
        marks[hit.near - first] = (marks[hit.near - first][0], most)


def _late(lines: Sequence[str], first: int, as_of: str) -> set[int]:
    """The lines that say that they began, or were learned, after a day."""
    if not as_of:
        return set()
    dated = ((number, _DATED.findall(line)) for number, line in enumerate(lines, first))
    return {number for number, days in dated if any(day > as_of for pair in days for day in pair)}


def _place(hit: reader.Hit, blob: files.Blob, wanted: Mapping[str, str]) -> tuple[int, int, str, bool]:
    """The lines of a hit as its file is now, the heading over them, and whether the file is what was indexed."""
    same = blob.digest == hit.digest
    if hit.kind == "turn":
        return *_turn(hit, blob), f"{hit.speaker} · {hit.ts}".strip(" ·"), same
    if same:
        return hit.first, hit.last, hit.heading, same
    return *_cut_anew(hit.path, blob.data, set(wanted)), same


class _Front:
    """Front matter round a passage. `body`: the first lines of the body, None where they are blank; false where
    that begins in the body."""

    def __init__(self, hit: reader.Hit, blob: files.Blob, first: int) -> None:
        head = blob.data[: 4 * fence.MAX_BYTES]  # no block is longer
        self._lines = lines_of(head, hit.kind) if head[:6].lstrip(b"\xef\xbb\xbf")[:3] == b"---" else []
        end = fence.closing_fence(self._lines)
        self._end = end if end is not None and first < end else 0
        last = min(self._end + 1 + OPENING, len(self._lines))
        blank = not any(map(str.strip, self._lines[self._end + 1 : last]))
        self.body = None if blank else (self._end + 1, last)

    def __bool__(self) -> bool:
        return bool(self._end)

    def quiet(self, first: int, last: int) -> list[int]:
        """The lines of [first, last) that sort or date the note or tell where it comes from."""
        from memdir.vault import note  # deferred: few passages are of front matter

        told = {number for number, _ in note.said(self._lines, self._end + 1)}
        return [number for number in range(first, last) if number not in told]


def _is_bare(name: str, lines: Sequence[str]) -> bool:
    """Whether a passage has one word at most, its name among them: what it embeds is said elsewhere."""
    if sum(map(_size, lines)) > QUOTE:
        return False
    said = names.EMBED.sub(" ", "\n".join([name, *(line for line in lines if not _HEADING.match(line))]))
    return sum(not text.is_sign(term) for term in text.terms(said)) < 2


def _marks(passage: Analysed, wanted: Iterable[str], told: AbstractSet[str]) -> list[tuple[int, int]]:
    """Of each line how many words of the question it holds: those that `told` lacks, and all."""
    new, every = [0] * len(passage.lines), [0] * len(passage.lines)
    for word in wanted:
        is_new = word not in told
        for line in passage.where.get(word, ()):
            every[line] += 1
            new[line] += is_new
    return list(zip(new, every, strict=True))


def analysed(data: bytes, kind: str, first: int, last: int) -> Analysed:
    """Lines [first, last) of a file as they are shown, and where their terms stand."""
    return (_analysed if len(data) <= LONGEST else _analysed.__wrapped__)(data, kind, first, last)


@lru_cache(ANALYSED)
def _analysed(data: bytes, kind: str, first: int, last: int) -> Analysed:
    lines = lines_of(data, kind)[first:last]
    if kind == "turn":
        lines = [line.removeprefix(">").removeprefix(" ") for line in lines]
    shown = tuple(text.printable("\n".join(lines)).split("\n"))
    where = dict[str, tuple[int, ...]]()
    for number, line in enumerate(shown):
        for term in set(text.terms(line)):
            where[term] = (*where.get(term, ()), number)
    return Analysed(shown, where, [*map(_size, shown)], _headings(shown))


def _open(
    passage: Analysed, marks: list[tuple[int, int]], first: int, hidden: Sequence[int]
) -> tuple[Analysed, list[tuple[int, int]], int]:
    """The run of lines without a hidden one that holds the best mark, its marks, and where it begins."""
    lines = passage.lines
    edges = [-1, *(line - first for line in hidden), len(lines)]
    runs = [(a + 1, b) for a, b in pairwise(edges) if any(map(str.strip, lines[a + 1 : b]))]
    start, end = max(runs, key=lambda run: (max(marks[slice(*run)]), -run[0]), default=(0, 0))
    kept = Analysed(lines[start:end], passage.where, passage.sizes[start:end], _headings(lines[start:end]))
    return kept, marks[start:end], first + start


def _turn(hit: reader.Hit, blob: files.Blob) -> tuple[int, int]:
    """The lines of what was said in a turn, without its heading; none where it is gone."""
    if blob.digest == hit.digest:
        return hit.first + 1, hit.last
    from memdir.vault import session  # deferred: most recalls find every file as it was indexed

    turns = session.parse(hit.path, blob.data).turns
    return next(((turn.line + 1, turn.last) for turn in turns if turn.number == hit.number), (0, 0))


def lines_of(data: bytes, kind: str) -> list[str]:
    """The lines of a file as they are quoted: of MEMORY.md only what somebody wrote by hand."""
    lines = fence.legible(fence.decode(data)).lstrip(fence.BOM).split("\n")
    if kind != "index":
        return lines
    from memdir.vault import memory_md  # deferred: one file in a vault needs it

    return memory_md.hand_written(lines)


def passage_text(opened: Files, hit: reader.Hit) -> str:
    """The lines of a hit as they stand now, with the name of the note; "" when the file is gone."""
    blob = opened.read(hit.path)
    return "\n".join([hit.name, *lines_of(blob.data, hit.kind)[hit.first : hit.last]]) if blob else ""


def passage(opened: Files, hit: reader.Hit) -> Analysed | None:
    """The lines of a hit as they stand now; None when the file is gone."""
    blob = opened.read(hit.path)
    if blob is None:
        return None
    first, last = _turn(hit, blob) if hit.kind == "turn" else (hit.first, hit.last)
    return opened.analysed(hit, blob, first, last)


def _cut_anew(path: str, data: bytes, wanted: set[str]) -> tuple[int, int, str]:
    """The passage of a changed file that holds most of the words."""
    from memdir.vault import note, passages  # deferred: most recalls find every file as it was indexed

    cut = max(passages.cut(note.parse(path, data)), key=lambda passage: len(set(text.terms(passage.text)) & wanted))
    return cut.start, cut.end, " › ".join(cut.over)


def _window(
    lines: Sequence[str], sizes: Sequence[int], marks: Sequence[tuple[int, int]], room: int
) -> tuple[int, int, int]:
    """The run of at most `room` bytes round the line of the best mark, from its section on, trimmed of blank lines.

    A mark counts the words of the question in a line: first those that the note's name does not say already.
    """
    first, last = 0, len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    if not last:
        return 0, 0, 0
    while not lines[first].strip():
        first += 1
    at = marks.index(max(marks[first:last]), first)
    begin = _section(lines, at)
    # What is over, and only shares words with the question, is shown beside what holds now.
    if marks[at][0] > marks[at][1] or not _PAST.match(lines[begin]):
        first = max(first, begin)
    start, end, size = at, at + 1, sizes[at]
    while start > first or end < last:
        above = sizes[start - 1] if start > first else None
        below = sizes[end] if end < last else None
        if above is not None and (below is None or at - start <= end - at - 1) and size + above <= room:
            start, size = start - 1, size + above
        elif below is not None and size + below <= room:
            end, size = end + 1, size + below
        elif above is not None and size + above <= room:
            start, size = start - 1, size + above
        else:
            break
    return start, end, at


def _section(lines: Sequence[str], at: int) -> int:
    """The heading of the section that holds a line, 0 where it has none: a quote does not begin in another one."""
    found, in_code = 0, False
    for number, line in enumerate(lines[: at + 1]):
        in_code ^= line.lstrip().startswith(("```", "~~~"))
        if "#" in line and not in_code and _HEADING.match(line):
            found = number
    return found


def cost(one: Evidence) -> int:
    """Tokens that a piece of evidence takes, estimated."""
    return text.token_count(f"{one.path}:{one.line} {one.heading} {one.quote}")


def _size(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


def _headings(lines: Sequence[str]) -> list[str]:
    """Of each line the last heading up to it, "" where there is none."""
    found, last = [], ""
    for line in lines:
        if "#" in line and (heading := _HEADING.match(line)):
            last = heading[1].rstrip("#").rstrip(" \t")
        found.append(last)
    return found


def _middle(body: str, wanted: Iterable[str], room: int) -> str:
    """The text, or, where one line alone is too long, what stands round the first of the words."""
    if _size(body) <= 2 * room:
        return body
    folded = body.casefold()
    at = min((place for term in wanted if (place := folded.find(term)) >= 0), default=0)
    start = max(0, at - room // 2)
    return f"{'…' if start else ''}{body[start : start + room]}…"


def labels(hit: reader.Hit) -> Labels:
    return _labels(hit.name, hit.path, hit.heading, hit.date, hit.speaker, hit.aliases, hit.tags)


@lru_cache(LABELLED)
def _labels(
    name: str, path: str, heading: str, date: str, speaker: str, aliases: tuple[str, ...], tags: tuple[str, ...]
) -> Labels:
    called, other = text.label_terms(names.searched(name, path)), text.label_terms(" ".join(aliases))
    tagged = text.label_terms(" ".join(tags))
    every = called.union(other, tagged, *map(text.label_terms, (heading, date, speaker)))
    return Labels(called, other, tagged, every)


def _why(
    hit: reader.Hit, heading: str, around: Labels, where: Mapping[str, Sequence[int]], wanted: Mapping[str, str]
) -> tuple[tuple[str, ...], AbstractSet[str]]:
    """Where the words were found, one `zone: words` a zone that holds any, and the rank by meaning, else BESIDE for a
    turn; and which words. `where`: those of the lines."""
    zones = (
        ("name", around.name),
        ("aliases", around.aliases),
        ("tags", around.tags),
        ("heading", text.label_terms(heading)),
        ("text", where.keys()),
    )
    why: tuple[str, ...] = ()
    matched = set[str]()
    for zone, terms in zones:
        if terms and (held := wanted.keys() & terms):
            why += (f"{zone}: {' '.join(_longest([word for term, word in wanted.items() if term in held]))}",)
            matched |= held
    if hit.meaning and (hit.meaning <= TOLD or not why):
        why += (f"{MEANING}: rank {hit.meaning}",)
    return why or ((BESIDE,) if hit.kind == "turn" else ()), matched


def _longest(words: list[str]) -> list[str]:
    """Without single characters that stand inside a longer word of the list (CJK unigrams beside bigrams)."""
    if min(map(len, words)) > 1:
        return words
    return [word for word in words if len(word) > 1 or not any(word in other and word != other for other in words)]
