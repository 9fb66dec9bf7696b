"""Public bug reports as tests: what comes in from other tools.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import imported
from memdir.vault import names, resolve

CASES = Path(__file__).parent / "cases"


def titles() -> list[str]:
    done = subprocess.run([sys.executable, CASES / "IMPORT-04" / "gen.py"], check=True, capture_output=True)
    return [one["title"] for one in json.loads(done.stdout)]


def test_import_04_hostile_titles_of_notes(vault: Callable[..., Path], tmp_path: Path) -> None:
    root, given = vault(), titles()
    lines: list[dict[str, object]] = [
        {"type": "entity", "name": title, "entityType": "chat", "observations": [f"body {number}"]}
        for number, title in enumerate(given)
    ]
    lines.append({"type": "entity", "name": "The index", "entityType": "index", "observations": []})
    lines += [{"type": "relation", "from": "The index", "to": title, "relationType": "has"} for title in given]
    source = tmp_path / "memory.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    imported.bring(root, "mcp-memory", source)

    notes = sorted((root / "memory/ref").glob("*.md"))
    assert len(notes) - 1 == len(given) == 14  # IMPORT-04 (1)
    held = {"index" if one.body.links else one.lines[one.body_line]: one for one in imported.notes(root).values()}
    for number, title in enumerate(given):
        one = held[f"- body {number}"]
        assert one.meta.get("original_title", one.meta["name"]) == title  # IMPORT-04 (2)
    stems = [path.stem for path in notes]
    assert not [sign for stem in stems for sign in stem if sign in '*"\\/<>:|?#^[]' or ord(sign) < 32]
    assert max(len(path.name.encode()) for path in notes) <= 255
    assert len({names.fold(stem) for stem in stems}) == len(stems)  # IMPORT-04 (3)
    index = held["index"]
    tree = resolve.Tree(path.relative_to(root).as_posix() for path in notes)
    opened = [tree.meant(one.target, index.path)[:1] for one in index.body.links]
    assert opened == [[held[f"- body {number}"].path] for number in range(len(given))]  # IMPORT-04 (4)
