"""Moves in real Obsidian vaults, judged by a reader of its own (`obsidian`) that imports no `relink`, `links` or
`resolve` to find where a link leads."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from obsidian import VAULTS, Reader, links, moved, texts, visible


def moves(paths: list[str], favourites: list[str]) -> Iterator[tuple[str, str]]:
    """For every so many notes of a vault and those most linked to: a new name, a new folder, a name twice."""
    notes = [path for path in paths if path.endswith(".md")]
    folders = sorted({str(PurePosixPath(path).parent) for path in notes})
    numbers = range(0, len(notes), max(1, len(notes) // 10))
    for number in sorted({*numbers, *(notes.index(path) for path in favourites)}):
        path = PurePosixPath(notes[number])
        away = PurePosixPath(folders[(number * 7 + 1) % len(folders)])
        other = PurePosixPath(notes[(number * 5 + 3) % len(notes)])
        for new in (path.with_name(f"Renamed {number} 泵.md"), away / path.name, away / "new place" / other.name,
            PurePosixPath(other.name)):  # fmt: skip
            if str(new) not in paths:
                yield str(path), str(new)


@pytest.mark.skipif(not VAULTS, reason="no sample vaults at ../shared; MEMDIR_SHARED may name them")
@pytest.mark.parametrize("root", VAULTS, ids=lambda path: path.name)
def test_every_link_that_led_to_a_file_leads_to_it_after_a_move(root: Path) -> None:
    paths, held = visible(root), texts(root)
    before = Reader(paths)
    led = {
        path: [(link, before.follow(link, path) if link else "") for link in links(path, text)]
        for path, text in held.items()
    }
    made = checked = rewritten = 0
    lost = []
    linked = Counter(target for found in led.values() for _, target in found if target.endswith(".md"))
    for old, new in moves(paths, [path for path, _ in linked.most_common(8)]):
        changed = moved(held, paths, old, new)
        after = Reader([new if path == old else path for path in paths])
        made += 1
        rewritten += len(changed)
        for path in held:
            own = new if path == old else path
            now = links(own, changed[own]) if own in changed else [link for link, _ in led[path]]
            assert len(now) == len(led[path]), (old, new, path)
            for (link, target), link_now in zip(led[path], now, strict=True):
                if target:
                    checked += 1
                    wanted = new if target == old else target
                    if after.follow(link_now, own) != wanted:
                        lost.append((old, new, path, link, link_now, wanted, after.follow(link_now, own)))
    print(f"{root.name}: {made} moves, {rewritten} files rewritten, {checked} links followed, {len(lost)} lost")
    assert lost == []
    assert checked > made
