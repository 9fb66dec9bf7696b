"""Questions whose answer is one known note: reading and writing them, and phrases cut out of CJK notes.

A file of questions holds one JSON object a line: `kind`, `q`, and `path` of the note from the root of the corpus.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdir.errors import BadData

_CJK = "\u3041-\u30ff\u3400-\u9fff"
_HAS_CJK = re.compile(f"[{_CJK}]")
_ONLY_CJK = re.compile(f"[{_CJK}]+")
_LETTER = re.compile(r"[0-9A-Za-z_`-]")
SHORTEST, LONGEST = 4, 10  # characters of a phrase


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is to find the note at `path`."""

    kind: str
    text: str
    path: str


def load(file: Path, root: Path) -> list[Query]:
    """Read a file of questions for the corpus at `root`. Raises BadData with file and line."""
    found = []
    try:
        lines = file.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{file}: cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            held = json.loads(line)
            query = Query(str(held["kind"]), str(held["q"]), str(held["path"]))
        except (ValueError, KeyError, TypeError) as error:
            raise BadData(f"{file}:{number}: not an object with `kind`, `q` and `path`") from error
        if not (root / query.path).is_file():
            raise BadData(f"{file}:{number}: the corpus has no {query.path}")
        found.append(query)
    if not found:
        raise BadData(f"{file}:1: no question in it")
    return found


def save(file: Path, queries: Iterable[Query]) -> None:
    lines = (json.dumps({"kind": one.kind, "q": one.text, "path": one.path}, ensure_ascii=False) for one in queries)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def markdown(root: Path) -> list[str]:
    """Paths of every note below `root`, sorted; folders with a leading dot are left out."""
    found = (path.relative_to(root) for path in root.rglob("*.md"))
    return sorted(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))


def phrases(root: Path, queries: Sequence[Query]) -> list[Query]:
    """One phrase from the note of each `cjk` question: 4 to 10 characters that stand in no other note.

    Pure CJK phrases come first, their lengths varying from note to note; else the one with most CJK characters beside
    whole Latin words or numbers. A note without such a phrase gives none.
    """
    wanted = {query.path: number for number, query in enumerate(q for q in queries if q.kind == "cjk")}
    held = {path: _candidates((root / path).read_text("utf-8"), number) for path, number in wanted.items()}
    for path in markdown(root):
        text = (root / path).read_text("utf-8")
        if _HAS_CJK.search(text):
            for mine, candidates in held.items():
                if mine != path:
                    held[mine] = [phrase for phrase in candidates if phrase not in text]
    return [Query("phrase", candidates[0], path) for path, candidates in held.items() if candidates]


def _candidates(text: str, number: int) -> list[str]:
    """Phrases of the fact, the first CJK line of the text that is no heading, the best first."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    line = next((one for one in body.split("\n") if _HAS_CJK.search(one) and not one.startswith("#")), "")
    preferred = SHORTEST + number % (LONGEST - SHORTEST + 1)
    lengths = sorted(range(SHORTEST, LONGEST + 1), key=lambda length: (abs(length - preferred), length))
    windows = [window for length in lengths for window in _windows(line, length)]
    return sorted(dict.fromkeys(windows), key=_impurity)


def _impurity(window: str) -> int:
    """0 for pure CJK; else less, the more CJK characters there are."""
    return 0 if _ONLY_CJK.fullmatch(window) else 1 + LONGEST - len(_HAS_CJK.findall(window))


def _windows(line: str, length: int) -> Iterator[str]:
    """Runs of `length` characters that hold CJK, cut no Latin word and neither begin nor end with a blank or sign."""
    for start in range(len(line) - length + 1):
        window = line[start : start + length]
        before, after = line[start - 1 : start], line[start + length : start + length + 1]
        cut = any(_LETTER.match(a) and _LETTER.match(b) for a, b in ((before, window[0]), (window[-1], after)))
        if not cut and window[0].isalnum() and window[-1].isalnum() and _HAS_CJK.search(window):
            yield window
