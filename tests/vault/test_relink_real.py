"""Moves in real Obsidian vaults, judged by a reader of its own: written from Obsidian's rules, it imports no `relink`,
`links` or `resolve` to find where a link leads."""

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest

from memdir.vault import relink

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[3] / "shared")
VAULTS = sorted((SHARED / "samples" / "obsidian").glob("*/"))
FENCED = re.compile(r"(?m)^ *(?:> ?)*(```+|~~~+)[^`\n]*\n(?:.*\n)*?(?: *(?:> ?)*\1[`~]*[ \t]*$|\Z)")
HIDDEN = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)|%%(?:(?!%%)(?!\n## \d\d:).)*?%%", re.DOTALL)
LINK = re.compile(r"(?<!\\)\[\[([^\[\]\n]+)\]\]|\]\((<[^<>\n]+>|[^\s()]+)(?: \"[^\"\n]*\")?\)")
CANVAS = re.compile(r'"file"\s*:\s*"((?:[^"\\]|\\.)*)"')


def plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).replace("\u00a0", " ").lower()


class Reader:
    """Follows links as Obsidian does; ties, which it leaves to chance, go by path."""

    def __init__(self, paths: list[str]) -> None:
        self.by_name: dict[str, list[str]] = {}
        for path in paths:
            self.by_name.setdefault(plain(PurePosixPath(path).name), []).append(path)

    def follow(self, link: str, source: str) -> str:
        here = PurePosixPath(source).parent
        link = plain(link)
        if link.startswith(("./", "../")):
            parts = [] if str(here) == "." else list(here.parts)
            for step in link.split("/"):
                if step == "..":
                    parts = parts[:-1]
                elif step != ".":
                    parts.append(plain(step))
            link = "/".join(plain(part) for part in parts)
        rooted, link = link.startswith("/"), link.lstrip("/")
        same = self.by_name.get(link.split("/")[-1]) if "." in link.split("/")[-1] else None
        if same is None:
            link += ".md"
            same = self.by_name.get(link.split("/")[-1], [])
        for path in same:
            if plain(path) == link:
                return path
        folder = "" if str(here) == "." else plain(str(here))
        fits = [path for path in same if plain(path).endswith(link) and not rooted]
        fits.sort(key=lambda path: (not plain(path).startswith(folder), len(path.encode("utf-16-le")), path))
        return fits[0] if fits else ""


def links(path: str, text: str) -> list[str]:
    """Paths of the links in a file, in order; for a canvas only its `file` values."""
    if path.endswith(".canvas"):
        return ["/" + json.loads(f'"{one}"') for one in CANVAS.findall(text)]
    shown = text
    for pattern in (FENCED, HIDDEN):
        shown = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), shown)
    found = []
    for wiki, other in LINK.findall(shown):
        target = re.split(r"[#|]|\\\|", wiki)[0].strip() if wiki else unquote(other.strip("<>").split("#")[0])
        found.append("" if re.match(r"\w[\w+.-]*:", target) else target)
    return found


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
    paths = sorted(
        path.relative_to(root).as_posix() for path in root.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)
    )  # fmt: skip
    texts = {
        path: (root / path).read_bytes().decode("utf-8", "surrogateescape")
        for path in paths if path.endswith((".md", ".canvas"))
    }  # fmt: skip
    before = Reader(paths)
    led = {
        path: [(link, before.follow(link, path) if link else "") for link in links(path, text)]
        for path, text in texts.items()
    }
    made = checked = rewritten = 0
    lost = []
    linked = Counter(target for found in led.values() for _, target in found if target.endswith(".md"))
    for old, new in moves(paths, [path for path, _ in linked.most_common(8)]):
        changed = relink.moved(texts, paths, old, new)
        after = Reader([new if path == old else path for path in paths])
        made += 1
        rewritten += len(changed)
        for path in texts:
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
