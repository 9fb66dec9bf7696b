"""Names: from a title to a file name, from a spelling to a key, and which names are nobody's notes.

Pure functions over strings; touches no file. Grammar of created names: NFC, any script, at most
200 UTF-8 bytes, none of the signs that Obsidian, Windows or a link cannot carry.
"""

import hashlib
import re
import unicodedata
from collections.abc import Set
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath, PureWindowsPath

from memdir.vault.disk import paths

MAX_NAME_BYTES = 200
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
_CONFLICT = (
    r"\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}|\((?:[^()]*['’]s )?conflicted copy\b[^)]*\)"
    r"|\.conflict-\d{8}-\d{6}-[0-9a-f]{6}"
)
# Marks of a copy between the name and its extension; the last three look like titles, so that only content tells.
_MARKS = (
    r"\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}|\.conflict-\d{8}-\d{6}-[0-9a-f]{6}",
    r" ?\((?:[^()]*['’]s )?conflicted copy\b.*\)",
    r" \d| \(\d\)",
    r"-(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{3,11}(?:-\d)?",
    r"-[A-Z][A-Z0-9]{2,14}(?:-\d)?",
)
_CONFLICT_COPY = re.compile(f"(?:{_CONFLICT})[^/]*$", re.IGNORECASE)
_BY_PRODUCT = re.compile(rf"(?:^|/)(?:~\$|\.|#|~syncthing~)[^/]*$|~$|(?:{_CONFLICT})[^/]*$", re.IGNORECASE)
_IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_TEMPLATE_FOLDERS = frozenset({"templates", "template", "_templates", "模板", "模版"})
# What a note shows of another file: `![[name]]`, `![text](path)`.
EMBED = re.compile(r"!(?:\[\[[^\[\]\n]{1,300}\]\]|\[[^\[\]\n]{0,300}\]\([^()\n]{0,500}\))")
DATE_NAME = re.compile(r"^(\d{4}-\d{2}-\d{2})(?!\d)")


def fold(name: str) -> str:
    """Key under which two spellings of one name are equal: NFC and casefold."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def slug(title: str) -> str:
    """File name (without `.md`) for a title; never empty, hidden, reserved or over-long."""
    text = re.sub(paths.UNFIT, " ", unicodedata.normalize("NFC", title).lower())
    kept = _join_runs(text, "LNM") or _join_runs(text, "S") or ("note" if title.strip() else "untitled")
    name = _cut(kept, MAX_NAME_BYTES - len("-999.md"))
    return f"note-{name}" if name.split(".")[0] in _DEVICES else name


def numbered(name: str, taken: Set[str], last: dict[str, int] | None = None) -> str:
    """`name`, or the first of `name-2`, `name-3` … whose key is not in `taken` (keys by `fold`). `last`: name → number
    that it came to, where many names are asked for and `taken` only grows: no number is tried twice."""
    last = {} if last is None else last
    n = last.get(name, 1)
    while fold(candidate := name if n == 1 else f"{name}-{n}") in taken:
        n += 1
    last[name] = n
    return candidate


def searched(name: str, path: str) -> str:
    """What is searched as a note's name: the name, and the file's where it is another."""
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    return name if name == stem else f"{name} {stem}"


def is_conflict_copy(path: str) -> bool:
    """Whether a sync tool (or memdir) made this file to keep the losing side of a conflict."""
    return bool(_CONFLICT_COPY.search(path))


def original_of(path: str) -> str:
    """The note of which this would be a copy by its name; "" for any other name. Content tells whether it is one.

    Syncthing, Obsidian Sync, Dropbox, Nextcloud and memdir mark their copies; `N 2.md` (iCloud), `N (1).md` (Drive)
    and `N-DESKTOP-ABC123.md` (OneDrive) may be titles.
    """
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not dot or (extension.lower() != "md" and not is_conflict_copy(path)):
        return ""
    for number, mark in enumerate(_MARKS):
        found = re.fullmatch(rf"(.+?)(?:{mark})+", stem, re.IGNORECASE if number < 2 else 0)
        if found:
            return f"{folder}{slash}{found[1]}.{extension}"
    return ""


def is_by_product(path: str) -> bool:
    """Whether an editor or a sync tool made this file beside the real one; hidden files and conflict copies count."""
    marked = "~" in path or "#" in path or "/." in path or path.startswith(".") or "conflict" in path.lower()
    if not marked:
        return False  # nearly every file; the pattern alone costs 30 ms a walk of 10,000
    return bool(_BY_PRODUCT.search(path))


def is_ignored_folder(name: str) -> bool:
    """Folders that never hold notes: hidden ones and what package tools install."""
    return name.startswith(".") or name in _IGNORED_FOLDERS


def is_day(text: str) -> bool:
    """Whether text is a day of the calendar as notes write it: `YYYY-MM-DD`."""
    try:
        return bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) and date.fromisoformat(text))
    except ValueError:
        return False


def is_template_folder(name: str) -> bool:
    return fold(name) in _TEMPLATE_FOLDERS


def relative(path: str) -> str:
    """A vault path as memdir writes it: forward slashes, no `.` and no empty segments (`..` is kept for the check)."""
    parts = [part for part in re.split(r"[\\/]+", path) if part not in ("", ".")]
    return "/".join(parts)


@lru_cache(64)
def vault_key(root: str) -> str:
    """Folder name for the index of the vault at `root` (an absolute path of either system)."""
    windows = re.match(r"^[A-Za-z]:[\\/]|^\\\\", root)
    path = PureWindowsPath(root).as_posix().casefold() if windows else PurePosixPath(root).as_posix()
    name = re.sub(r"[^a-z0-9]+", "-", path.rsplit("/", 1)[-1].lower()).strip("-")[:40] or "vault"
    return f"{name}-{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def _join_runs(text: str, kinds: str) -> str:
    """Runs of characters whose Unicode category begins with one of `kinds`, joined by `-`."""
    runs = "".join(c if unicodedata.category(c)[0] in kinds else " " for c in text).split()
    return "-".join(run for run in runs if any(unicodedata.category(c)[0] != "M" for c in run))


def _cut(text: str, size: int) -> str:
    return text.encode("utf-8")[:size].decode("utf-8", "ignore").rstrip("-")
