"""Obsidian's rules for links, written anew to judge a move by, and the sample vaults. Imports nothing of memdir."""

import json
import os
import re
import unicodedata
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from memdir.vault import relink

SHARED = Path(os.environ.get("MEMDIR_SHARED") or Path(__file__).parents[2] / "shared")
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


def visible(root: Path) -> list[str]:
    """Every file of a vault but hidden ones, sorted."""
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))


def texts(root: Path) -> dict[str, str]:
    """Path → text of the notes and canvases."""
    return {
        path: (root / path).read_bytes().decode("utf-8", "surrogateescape")
        for path in visible(root)
        if path.endswith((".md", ".canvas"))
    }


def moved(texts: relink.Texts, paths: list[str], old: str, new: str) -> dict[str, str]:
    """What a move of one file, or of the folder `old`, changes."""
    below = {path: f"{new}/{path[len(old) + 1 :]}" for path in paths if path.startswith(f"{old}/")}
    return relink.carried(texts, paths, relink.together(paths, below or {old: new}))
