"""Reading a file as it is now, or the part of it that a heading, a block id, a turn or a line names, as far as a window
reaches. Reads the vault only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memdir.errors import NotFound
from memdir.recall import units
from memdir.recall.units import Units
from memdir.recall.window import Window
from memdir.vault import edits, files, layout, note

AROUND = 20  # lines shown on either side of a line that was asked for
Row = tuple[int, int]  # lines [first, last) of what limit and offset count


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines [first, last] (from 1) of a file that has `lines`; hand `digest` (the file's) or `part` (that of all lines
    which the anchor names, shown or not) back with an edit.

    The part read has `total` lines, of a session turns (`unit`); `shown` of them behind `offset` are here, the last one
    not whole where `split`. `truncated`: there is more; `above` and `rest` are the calls that read it.
    """

    path: str
    digest: str
    part: str
    first: int
    last: int
    total: int
    text: str
    unit: str = "line"
    lines: int = 0
    offset: int = 0
    shown: int = 0
    split: bool = False
    truncated: bool = False
    above: str = ""
    rest: str = ""
    detail: Mapping[str, object] | None = None


def read(root: files.Root, path: str, anchor: str, window: Window | None = None) -> Excerpt:
    """`anchor`: "" for everything, `heading`, `A#B`, `^block`, `^t12` of a session or `:line`. Raises NotFound,
    Conflict where several headings are meant."""
    return excerpt(path, root.read(path).data, anchor, window)


def excerpt(path: str, data: bytes, anchor: str, window: Window | None = None) -> Excerpt:
    """The part of a file's bytes that `anchor` names, as much as `window` lets through. Raises NotFound, Conflict."""
    window = window or Window()
    lines = units.lines_of(data)
    counted = bool(window.reach) or layout.kind_of(path) == "session"
    cut = units.cut(path, data) if counted else Units("line", (), (), len(lines))
    start, stop = _span(path, data, lines, anchor, cut)
    part = files.digest("\n".join(lines[start:stop]).encode())
    line = int(anchor[1:]) - 1 if anchor.startswith(":") else start
    if window.reach and anchor:
        start, stop = cut.grown(line, line if anchor.startswith(":") else stop, *window.reach)
        stop = units.trimmed(lines, start, stop)
    rows = _rows(cut, start, stop)
    low, high = _page(path, rows, window, cut)
    paged = (window.limit, window.offset) != (None, None)
    focus = low if paged else next((n for n in range(low, high) if rows[n][0] <= line < rows[n][1]), low)
    first, last, text = _fit(lines, rows[low:high], focus - low, window.room)
    first, last = first + low, last + low
    split = bool(rows) and text != "\n".join(lines[rows[first][0] : rows[last - 1][1]])
    more = split or last < len(rows)
    return Excerpt(
        path=path,
        digest=files.digest(data),
        part=part,
        first=rows[first][0] + 1 if rows else 1,
        last=rows[first][0] + text.count("\n") + 1 if rows else 0,
        total=len(rows),
        text=text,
        unit="turn" if cut.held else "line",
        lines=len(lines),
        offset=first,
        shown=last - first,
        split=split,
        truncated=more or first > low,
        above=window.call(path, anchor, f"--limit {first}") if first > low else "",
        rest=window.call(path, anchor, f"--offset {last - split}") if more else "",
        detail=_detail(path, data, rows[first:last]) if window.detail else None,
    )


def _span(path: str, data: bytes, lines: Sequence[str], anchor: str, cut: Units) -> Row:
    """Lines [start, stop) that an anchor names."""
    total = len(lines)
    if not anchor:
        return 0, total
    if anchor.startswith(":"):
        line = int(anchor[1:])
        if not 1 <= line <= max(total, 1):
            raise NotFound(f"{path} has {total} lines, not {line}")
        start, stop = max(0, line - 1 - AROUND), min(total, line + AROUND)
        return cut.grown(start, stop, 0, 0) if cut.held else (start, stop)
    if cut.held:
        return _turn(path, anchor, cut)
    if anchor.startswith("^"):
        blocks = note.parse(path, data).body.blocks
        if anchor[1:] not in blocks:
            raise NotFound(f"{path} has no block {anchor}; it has: {', '.join('^' + one for one in blocks) or 'none'}")
        return _block(lines, blocks[anchor[1:]])
    start, stop = edits.section_lines(path, lines, anchor)
    return start, min(stop, total)


def _turn(path: str, anchor: str, cut: Units) -> Row:
    """The lines of a turn, which is named `^t12` or, as sources are, `t12`."""
    assert cut.held
    turns = cut.held.turns
    found = next((turn for turn in turns if f"t{turn.number}" == anchor.removeprefix("^")), None)
    if found is None:
        raise NotFound(f"{path} has no turn {anchor}; it has ^t{turns[0].number} to ^t{turns[-1].number}")
    return found.line, found.last


def _block(lines: Sequence[str], at: int) -> Row:
    """The paragraph or list item that ends in a block id; the block above where the id stands alone."""
    first = at
    if lines[at].strip().startswith("^"):
        while first > 0 and not lines[first - 1].strip():
            first -= 1
    while first > 0 and lines[first - 1].strip() and not lines[first].lstrip().startswith(("- ", "* ", "+ ")):
        first -= 1
    return first, at + 1


def _rows(cut: Units, start: int, stop: int) -> list[Row]:
    """What limit and offset count in [start, stop): lines, of a session turns; the front matter goes with the first."""
    if not cut.held:
        return [(line, line + 1) for line in range(start, stop)]
    inside = [n for n in range(len(cut)) if cut.span(n)[0] < stop and cut.span(n)[1] > start]
    edges = [start, *(cut.span(n)[0] for n in inside[1:]), stop]
    return list(pairwise(edges)) if start < stop else []


def _page(path: str, rows: Sequence[Row], window: Window, cut: Units) -> Row:
    """Which rows limit and offset ask for. Raises NotFound behind the last."""
    low = window.offset or 0
    if low and low >= len(rows):
        one = "turn" if cut.held else "line"
        raise NotFound(f"this part of {path} has {len(rows)} {one}s: nothing stands behind --offset {low}")
    return low, len(rows) if window.limit is None else min(len(rows), low + window.limit)


def _fit(lines: Sequence[str], rows: Sequence[Row], focus: int, room: int | None) -> tuple[int, int, str]:
    """The rows [first, last) round one that `room` characters hold, and their text; of a row that is too long alone as
    many whole lines as fit, of such a line its beginning."""
    texts = ["\n".join(lines[first:last]) for first, last in rows]
    if room is None or not rows or sum(map(len, texts)) + len(texts) - 1 <= room:
        return 0, len(rows), "\n".join(texts)
    if len(texts[focus]) > room:
        head = texts[focus][: room + 1]
        whole = head.rfind("\n")
        return focus, focus + 1, head[:whole] if whole > 0 else head[:room]
    first, last, left = focus, focus + 1, room - len(texts[focus])
    while True:
        up = first > 0 and len(texts[first - 1]) < left
        down = last < len(rows) and len(texts[last]) < left
        if down and (not up or last - focus <= focus - first + 1):
            left -= len(texts[last]) + 1
            last += 1
        elif up:
            first -= 1
            left -= len(texts[first]) + 1
        else:
            return first, last, "\n".join(texts[first:last])


def _detail(path: str, data: bytes, rows: Sequence[Row]) -> dict[str, object]:
    """What memdir understands of a file, and of the lines shown: front matter, links, who spoke and when."""
    start, stop = (rows[0][0], rows[-1][1]) if rows else (0, 0)
    parsed = note.parse(path, data)
    told: dict[str, object] = {key: getattr(parsed, key) for key in ("name", "kind", "type", "date")}
    told |= {"tags": list(parsed.tags), "aliases": list(parsed.aliases), "meta": parsed.meta}
    links = [link for link in parsed.body.links if start <= link.line < stop and link.target]
    told["links"] = [{"line": link.line + 1, "target": link.target, "anchor": link.anchor} for link in links]
    if (held := units.cut(path, data).held) is None:
        return {**told, "session": None, "turns": []}
    told["session"] = {key: getattr(held, key) for key in ("id", "source", "started", "scope")}
    told["turns"] = [
        {**{key: getattr(turn, key) for key in ("number", "speaker", "ts", "uuid")}, "line": turn.line + 1}
        for turn in held.turns
        if start <= turn.line < stop
    ]
    return told
