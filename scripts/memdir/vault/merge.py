"""Two versions of a note made one, with their common ancestor or without: for the copies that sync tools leave.

Front matter is merged key by key, the body block by block. No line that a person wrote is lost: where both changed
one block, both versions stay, the other one in a callout. Pure functions from texts to a text.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from memdir.vault import blocks, fields
from memdir.vault.blocks import Block, Key, Parts

CALLOUT = "> [!warning] conflict: "
EDITED = 0.3  # share of three-sign runs from which a block is another version of one in the ancestor
ALIKE = 0.6  # the same between two versions without an ancestor, where the answer is a guess
MOST = 4_000_000  # pairs of blocks that are compared for equality: 2,000 equal items on each side take 1 s
MANY = 10_000  # pairs of blocks in one stretch beyond which none are compared for likeness

T = TypeVar("T", bound=Hashable)


def merge(base: str | None, ours: str, theirs: str, *, sure: bool = True) -> str:
    """Ours with what theirs changed since `base`; without a base, with what only theirs has. Line ends are ours.

    A change on one side is taken, the same on both once; additions of both stay, ours first; an edit beats a
    deletion. Two edits of one block both stay, theirs in a `[!warning]` callout below; of a front matter key ours
    stays and theirs stands in a callout at the head of the body, but of `updated` the later day is taken.

    Not `sure`: the base is a guess and may be younger than theirs, so what theirs lacks is not taken as deleted. Of
    bodies too long to compare (`MOST`) everything is taken.
    """
    whole = _one_sided(base, ours, theirs, sure)
    if whole is not None:
        return whole
    end = fields.newline_of(ours if "\n" in ours else theirs)
    mine, other = blocks.split(ours), blocks.split(re.sub("\r?\n", end, theirs))
    root = None if base is None else blocks.split(base)
    clashes: list[str] = []
    keys = _keys(root, mine, other, clashes, sure)
    notes = [_callout("front matter of the other version", clashes, end)] if clashes else []
    if root is None or any(_too_long(root.body, side.body) for side in (mine, other)):
        body = _union(mine.body, other.body)
    else:
        body = _three(root.body, mine.body, other.body, sure)
    made = replace(mine, crlf=end == "\r\n", ended=mine.ended or other.ended, bare=mine.bare and other.bare, keys=keys)
    made.fences = mine.fences or other.fences
    made.body = [body[0], *notes, *body[1:]]
    if sure and not keys and root and root.fences and not (mine.fences and other.fences):
        made.fences = ()
    said = blocks.join(made)
    if not (left := _left_out(base, ours, theirs, said)):
        return said
    made.body.append(_callout("lines that each version keeps in another place", left, end))
    return blocks.join(made)


def _one_sided(base: str | None, ours: str, theirs: str, sure: bool) -> str | None:
    """The answer where only one side changed, or both in the same way; line ends alone are no change."""
    if base is not None:
        if theirs == base:
            return ours
        if ours == base and sure:
            return theirs
    mine, other = _plain(ours), _plain(theirs)
    if mine == other:
        return ours
    if base is None:
        return None
    root = _plain(base)
    return ours if other == root else theirs if mine == root and sure else None


def _plain(text: str) -> str:
    return text.removeprefix(fields.BOM).replace("\r\n", "\n")


def _callout(about: str, lines: Iterable[str], end: str, gap: tuple[str, ...] = ()) -> Block:
    quoted = [f"> {line}" for one in lines for line in one.split("\n")]
    return Block(tuple(line.removesuffix("\r") + end[:-1] for line in (CALLOUT + about, *quoted)), gap)


# --- front matter --------------------------------------------------------------------------------


def _keys(root: Parts | None, mine: Parts, other: Parts, clashes: list[str], sure: bool) -> dict[Key, tuple[str, ...]]:
    """The lines of each key that stays, ours in our order, what theirs added behind its neighbours; into `clashes`
    theirs of keys that both changed."""
    held = {}
    for key in _ordered(list(mine.keys), list(other.keys)):
        ours = mine.keys.get(key)
        known = root is not None and (sure or ours is None or key in other.keys)
        span = _key(key, root.keys.get(key) if root and known else None, ours, other.keys.get(key), clashes)
        if span:
            held[key] = span
    return held


def _key(
    key: Key,
    was: Sequence[str] | None,
    ours: tuple[str, ...] | None,
    theirs: tuple[str, ...] | None,
    clashes: list[str],
) -> tuple[str, ...] | None:
    old, mine, other = (None if span is None else _said(span) for span in (was, ours, theirs))
    if ours is None or theirs is None:
        return None if old is not None and old in (mine, other) else ours or theirs
    if mine == other or other == old:
        return ours
    if mine == old:
        return theirs
    if key[0] == "updated" and len(ours) == len(theirs) == 1:
        return max(ours, theirs, key=_said)
    clashes.append(other or "")
    return ours


def _said(span: Sequence[str]) -> str:
    return "\n".join(line.removesuffix("\r") for line in span)


def _ordered(ours: Sequence[T], theirs: Sequence[T]) -> list[T]:
    """Ours in their order; what only theirs has stands behind the same neighbour, behind what we put there."""
    both = set(ours) & set(theirs)
    behind: dict[T | None, list[T]] = {}
    anchor: T | None = None
    for one in theirs:
        if one in both:
            anchor = one
        else:
            behind.setdefault(anchor, []).append(one)
    order: list[T] = []
    anchor = None
    for one in ours:
        if one in both:
            order += behind.get(anchor, ())
            anchor = one
        order.append(one)
    return order + behind.get(anchor, [])


# --- body ----------------------------------------------------------------------------------------


def _three(root: Sequence[Block], mine: Sequence[Block], other: Sequence[Block], sure: bool) -> list[Block]:
    """Block by block of the ancestor: what became of it on each side, and what was added before it."""
    ours, ours_added = _fates(root, mine, EDITED, lone=True)
    theirs, theirs_added = _fates(root, other, EDITED, lone=True)
    made: list[Block] = []
    for number in range(len(root) + 1):
        made += _both_added(ours_added[number], theirs_added[number])
        if number < len(root):
            one, there = ours[number], theirs[number]
            made += [one] if one and not there and not sure else _fate(root[number], one, there)
    return made


def _fate(was: Block, ours: Block | None, theirs: Block | None) -> list[Block]:
    if ours is None or theirs is None:
        left = ours or theirs
        return [] if left is None or left.key == was.key else [left]
    gap = theirs.gap if len(ours.gap) == len(was.gap) else ours.gap
    if theirs.key in (was.key, ours.key):
        return [ours._replace(gap=gap)]
    if ours.key == was.key:
        return [theirs._replace(gap=gap)]
    return _clash(ours, theirs, gap)


def _clash(ours: Block, theirs: Block, gap: tuple[str, ...]) -> list[Block]:
    """Both versions: ours, and theirs in a callout that Obsidian shows below it."""
    end = "\r\n" if ours.lines[0].endswith("\r") else "\n"
    return [ours._replace(gap=()), _callout("the other version of what stands above", theirs.key, end, gap)]


def _fates(
    root: Sequence[Block], side: Sequence[Block], alike: float, *, lone: bool
) -> tuple[list[Block | None], list[list[Block]]]:
    """What each block of `root` became (None: deleted), and what was added before each and at the end."""
    fates: list[Block | None] = [None] * len(root)
    added: list[list[Block]] = [[] for _ in range(len(root) + 1)]
    for equal, i1, i2, j1, j2 in _spans(root, side):
        if equal:
            pairs = {j1 + n: i1 + n for n in range(i2 - i1)}
        else:
            found = _pairs(root[i1:i2], side[j1:j2], alike, lone=lone)
            pairs = {j1 + there: i1 + here for here, there in found}
        place, fresh = i2, dict[int, list[Block]]()
        for number in range(j2 - 1, j1 - 1, -1):
            if number in pairs:
                place = pairs[number]
                fates[place] = side[number]
            else:
                fresh.setdefault(place, []).append(side[number])
        for place, blocks_ in fresh.items():
            added[place][:0] = reversed(blocks_)
    return fates, added


def _spans(root: Sequence[Block], side: Sequence[Block]) -> Iterator[tuple[bool, int, int, int, int]]:
    """(equal, from, to, from, to) of the stretches of two lists; what is too long to compare is one that differs, as is
    what has nothing, or one block, on each side."""
    head, tail = _ends(root, side)
    yield True, 0, head, 0, head
    one, other = ([block.key for block in blocks[head : len(blocks) - tail]] for blocks in (root, side))
    if not 1 < len(one) * len(other) <= MOST:
        yield False, head, head + len(one), head, head + len(other)
    else:
        import difflib

        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
            yield tag == "equal", head + i1, head + i2, head + j1, head + j2
    yield True, len(root) - tail, len(root), len(side) - tail, len(side)


def _ends(root: Sequence[Block], side: Sequence[Block]) -> tuple[int, int]:
    """How many blocks two lists share at their beginning, and of the rest at their end."""
    most = min(len(root), len(side))
    head = next((n for n in range(most) if root[n].key != side[n].key), most)
    tail = next((n for n in range(most - head) if root[-n - 1].key != side[-n - 1].key), most - head)
    return head, tail


def _too_long(root: Sequence[Block], side: Sequence[Block]) -> bool:
    both = sum(_ends(root, side))
    return (len(root) - both) * (len(side) - both) > MOST


def _pairs(root: Sequence[Block], side: Sequence[Block], alike: float, *, lone: bool) -> Iterator[tuple[int, int]]:
    """Blocks that are versions of one another, in order; one that stands alone against one always is, with `lone`."""
    if lone and len(root) == len(side) == 1 and root[0].kind == side[0].kind:
        yield 0, 0
        return
    if len(root) * len(side) > MANY:
        return
    start = 0
    for here, one in enumerate(root):
        scores = [(_likeness(one, side[there]), -there) for there in range(start, len(side))]
        best, there = max(scores, default=(0.0, 0))
        if best >= alike:
            yield here, -there
            start = 1 - there


def _likeness(one: Block, other: Block) -> float:
    return len(one.grams & other.grams) / len(one.grams | other.grams) if one.kind == other.kind else 0.0


def _both_added(ours: list[Block], theirs: list[Block]) -> list[Block]:
    """Additions in one place: ours, then what theirs does not share, section by section."""
    have = Counter(_unit_key(unit) for unit in _units(ours))
    fresh: list[Block] = []
    for unit in _units(theirs):
        if have[_unit_key(unit)] > 0:
            have[_unit_key(unit)] -= 1
        else:
            fresh += unit
    made = [*ours]
    _put(made, fresh)
    return made


def _put(made: list[Block], fresh: Sequence[Block]) -> None:
    """Put blocks of one side behind those of the other: no heading right below a line."""
    if made and fresh and not made[-1].gap and made[-1].lines and fresh[0].kind == "heading":
        made[-1] = made[-1]._replace(gap=(_blank(made[-1]),))
    made += fresh


def _blank(block: Block) -> str:
    """An empty line in the manner of a block."""
    return "\r" if block.lines and block.lines[-1].endswith("\r") else ""


def _units(added: Sequence[Block]) -> Iterator[list[Block]]:
    """A heading with all below it; blocks above the first heading one by one."""
    held: list[Block] = []
    for block in added:
        if block.kind == "heading" or not held:
            if held:
                yield held
            held = []
        if block.kind == "heading" or held:
            held.append(block)
        else:
            yield [block]
    if held:
        yield held


def _unit_key(unit: Sequence[Block]) -> tuple[tuple[str, ...], ...]:
    return tuple(block.key for block in unit)


# --- without an ancestor -------------------------------------------------------------------------


def _union(mine: Sequence[Block], other: Sequence[Block]) -> list[Block]:
    """Sections of both by their headings, so that a line that two sections share stays in each."""
    ours, theirs = _sections(mine), _sections(other)
    made: list[Block] = []
    foreign = False
    for key in _ordered(list(ours), list(theirs)):
        both = key in ours and key in theirs
        section = _beside(ours[key], theirs[key]) if both else ours.get(key) or theirs[key]
        foreign, before = key not in ours, foreign
        if foreign or before:
            _put(made, section)
        else:
            made += section
    return made


def _sections(body: Sequence[Block]) -> dict[tuple[tuple[str, ...], int], list[Block]]:
    found: dict[tuple[tuple[str, ...], int], list[Block]] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    held: list[Block] = []
    for block in body:
        if block.kind in ("start", "heading"):
            held = found[block.key, seen[block.key]] = []
            seen[block.key] += 1
        held.append(block)
    return found


def _beside(ours: Sequence[Block], theirs: Sequence[Block]) -> list[Block]:
    """The blocks of two versions of one section."""
    same, added = _fates(ours, theirs, ALIKE, lone=False)
    have = {block.key for block in ours}
    made: list[Block] = []
    for number in range(len(ours) + 1):
        made += [block for block in added[number] if block.key not in have]
        if number < len(ours):
            one, other = ours[number], same[number]
            longer = max(one.gap, other.gap, key=len) if other else one.gap
            if other is None or other.key == one.key:
                made.append(one if longer is one.gap else one._replace(gap=longer))
            else:
                made += _clash(one, other, one.gap)
    return made


def _left_out(base: str | None, ours: str, theirs: str, made: str) -> list[str]:
    """Lines that are owed and missing: each side deleted another one of equal lines, and both kept one."""
    old, mine, other = (set(_plain(text or "").split("\n")) for text in (base, ours, theirs))
    held = set(_plain(made).split("\n"))
    held |= {line.removeprefix("> ") for line in held}
    owed = _plain(ours).split("\n") + _plain(theirs).split("\n")
    return [
        line for line in dict.fromkeys(owed)
        if line.strip() and line not in held and not line.startswith("updated:") and line.rstrip() != "---"
        and (line in mine & other or line not in old)
    ]  # fmt: skip
