"""What an import made of a source: the notes by where they come from, and whether links among them still lead there."""

from dataclasses import dataclass
from pathlib import Path

from memdir.app.exchange.importing import Asked
from memdir.app.exchange.ingesting import Ingested
from memdir.app.memory import Memory
from memdir.vault import fields, layout, links, note, resolve
from memdir.vault.note import Note


def bring(root: Path, kind: str, source: Path) -> Ingested:
    with Memory(root) as opened:
        return opened.bring(kind, source, Asked())


def notes(root: Path) -> dict[str, Note]:
    """Origin without its kind → note, of what lies in the topic folders and the inbox."""
    found = {}
    for path in sorted((root / "memory").rglob("*.md")):
        held = note.parse(path.relative_to(root).as_posix(), path.read_bytes(), own=True)
        if held.text("origin") and (layout.is_topic(held.path) or held.path.startswith(layout.INBOX)):
            found[held.text("origin").partition(":")[2]] = held
    return found


@dataclass(frozen=True, slots=True)
class Led:
    """A link in the text of a note that leads to another of the same source."""

    source: str
    target: str


def inside(source: Path, files: list[str]) -> list[Led]:
    """The links among some files of a folder, as Obsidian follows them."""
    tree = resolve.Tree(files)
    found = []
    for file in files:
        text = (source / file).read_bytes().decode("utf-8", "replace").lstrip(fields.BOM)
        front = fields.read(text)
        body = "\n".join(text.split("\n")[front.body_line :])
        meant = [tree.meant(one.path, file)[:1] for one in links.targets(file, body)]
        found += [Led(file, one[0]) for one in meant if one]
    return found


def now(root: Path, label: str) -> list[Led]:
    """The same links as they stand in the vault, each end by the file that it came from."""
    held = {origin.removeprefix(f"{label}/"): one for origin, one in notes(root).items()}
    back = {one.path: origin for origin, one in held.items()}
    tree = resolve.Tree(path.relative_to(root).as_posix() for path in root.rglob("*.md"))
    found = []
    for origin, one in held.items():
        body = "\n".join(one.lines[one.body_line :])
        meant = [tree.meant(target.path, one.path)[:1] for target in links.targets(one.path, body)]
        found += [Led(origin, back[path[0]]) for path in meant if path and path[0] in back]
    return found
