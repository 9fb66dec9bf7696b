"""The health of a vault: Problems in its files, the state of its index, what may be mended.

Mends only what is derived: left-over temporary files, the index, the list in MEMORY.md (by `Memory`).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memdir.app.keeping import merging
from memdir.errors import Problem
from memdir.index import generation, reader, sync
from memdir.vault import fields, layout, memory_md, names, resolve


@dataclass(slots=True)
class Health:
    """What `doctor` found."""

    problems: list[Problem] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    rebuilt: str = ""
    files: int = 0


def examine(vault: sync.Vault, *, caps: tuple[int, int], fix: bool) -> Health:
    """Look at everything; the index is brought up to date on the way (it is derived). Raises as `sync.sync`."""
    health = Health()
    report = sync.sync(vault, sync.Options(wait=vault.settings["sync.lock_wait"]))
    health.rebuilt = report.rebuilt if report.rebuilt != sync.FIRST else ""
    health.files = report.files
    health.problems += report.problems
    health.problems += [Problem(path, 1, why) for path, why in (report.kept | report.skipped).items()]
    if fix:
        health.fixed += [str(problem) for problem in vault.root.recover()]
    health.problems += _copies(vault) + _memory(vault, caps) + _ambiguous(vault)
    health.problems = sorted(set(health.problems))
    return health


def _copies(vault: sync.Vault) -> list[Problem]:
    """Conflict copies of sync tools and of memdir, and files named like one that hold nearly the same."""
    listing = vault.root.walk(
        lambda path, is_dir: names.is_ignored_folder(_last(path)) if is_dir else not path.endswith(".md")
    )
    copies = merging.copies(vault.root, (entry.path for entry in listing.entries))
    found = [Problem(one.path, 1, one.about) for one in copies]
    found += [Problem(path, 1, "left by a crash: `memdir doctor --fix` sees to it") for path in listing.strays]
    return found + [
        Problem(path, 1, "a link out of the notes is never followed") for path in listing.links if path.endswith(".md")
    ]


def _memory(vault: sync.Vault, caps: tuple[int, int]) -> list[Problem]:
    if not vault.root.stat(layout.INDEX_FILE):
        return []
    text = fields.decode(vault.root.read(layout.INDEX_FILE).data)
    problem = memory_md.check(text, *caps) if memory_md.fenced(text) else None
    return [problem] if problem else []


def _ambiguous(vault: sync.Vault) -> list[Problem]:
    """Bare wikilinks whose name several notes have."""
    source = reader.opened(vault.place, verified=True, patience=vault.settings["sync.lock_wait"])
    try:
        twice = [
            row[0] for row in source.rows("SELECT stem FROM files GROUP BY stem HAVING count(*) > 1 ORDER BY stem")
        ]
        found = []
        for stem in twice:
            paths = [row[0] for row in source.rows("SELECT path FROM files WHERE stem = ? ORDER BY path", (stem,))]
            for path, line, target in source.rows(
                "SELECT f.path, l.line, l.target FROM links l JOIN files f ON f.id = l.file WHERE l.key = ? AND l.wiki",
                (stem,),
            ):
                if len(resolve.matches(target, paths)) > 1:
                    found.append(
                        Problem(
                            path,
                            line + 1,
                            f"[[{target}]] may mean {', '.join(paths[:3])}{' …' if len(paths) > 3 else ''}",
                        )
                    )
        return found
    finally:
        source.close()


def statistics(source: reader.Reader, vault: sync.Vault, *, own: bool) -> dict[str, Any]:
    """Counts and sizes; everything is read from the index but the size of MEMORY.md."""
    count = dict(
        source.rows("SELECT CASE kind WHEN 'note' THEN type ELSE kind END, count(*) FROM files GROUP BY 1 ORDER BY 1")
    )
    folder = generation.current(vault.place)
    memory = vault.root.read(layout.INDEX_FILE).data if vault.root.stat(layout.INDEX_FILE) else b""
    return {
        "vault": os.fspath(vault.root.path),
        "adopted": not own,
        "files": sum(count.values()),
        "by_type": count,
        "passages": _count(source, "SELECT count(*) FROM passages"),
        "turns": _count(source, "SELECT count(*) FROM turns"),
        "tags": _count(source, "SELECT count(DISTINCT key) FROM tags"),
        "links": _count(source, "SELECT count(*) FROM links"),
        "problems": _count(source, "SELECT count(*) FROM files WHERE problems <> '[]'"),
        "memory_md": {"lines": memory.count(b"\n"), "bytes": len(memory)},
        "index": {"folder": os.fspath(folder or ""), "bytes": _size(folder)},
    }


def _count(source: reader.Reader, sql: str) -> int:
    return int(source.rows(sql)[0][0])


def _size(folder: Any) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder else 0


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def shown(problems: Sequence[Problem], most: int) -> tuple[Sequence[Problem], int]:
    """The first `most` problems and how many more there are."""
    return problems[:most], max(0, len(problems) - most)
