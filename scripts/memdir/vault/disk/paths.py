"""The grammar of paths inside a vault: what may be read, what memdir may create, how copies in conflict are named.

Pure functions of text; nothing here touches the disk. A path is relative, "/" between segments. Whether a segment is
a link is decided when it is opened, not here.
"""

import os
import re
import time
import unicodedata
from urllib.parse import unquote

from memdir.errors import Unsafe
from memdir.vault.disk.syscalls import WINDOWS

SEGMENT_BYTES = 255  # the limit of ext4, APFS (UTF-8) and, in UTF-16 units, NTFS
_PATH_BYTES = 4096
# Patterns that `re` compiles when they are first used: with all of them, importing this costs 8 ms.
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e0fff]"
)
_RESERVED = r'[<>:"|?*\\]'
# What a name that memdir makes never holds; `^` ends a wikilink's target.
UNFIT = rf"{_CONTROL}|{_INVISIBLE}|{_RESERVED}|[\^~%]"
_ENCODED = re.compile(r"%(?:2e|2f|5c|00|25|3a)", re.IGNORECASE)
_SLASHES = re.compile("[\u2044\u2215]")  # look like "/", and no normal form says so
# Names of letters, digits and harmless signs, never too long, in which check_path has nothing to look for.
_SIGNS = r" -$&-9;-\[\]-}"
_PLAIN_ASCII = re.compile(rf"[{_SIGNS}]{{1,63}}")
_PLAIN = rf"[{_SIGNS}\u00c0-\u024f\u0370-\u04ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]{{1,63}}"
# A path to read of such names, none of them hidden: nearly every path there is.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.,()\-]*+(?:/[A-Za-z0-9][A-Za-z0-9 _.,()\-]*+)*+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\s*(?:[.:]|$)", re.IGNORECASE)


def check_path(rel: str, *, create: bool = False) -> str:
    """Return `rel` with "/" between segments; raise Unsafe for whatever could leave the vault or deceive a reader.

    Windows spellings of a relative path are accepted: `topics\\pump.md`, `.\\topics\\pump.md`. With `create` the
    stricter grammar for names that memdir makes holds as well, and the result is NFC: every such name is legal on
    Windows, macOS and Linux. Names a person made ("a:b.md", "What? .md") stay readable.
    """
    if not create and not WINDOWS and len(rel) < SEGMENT_BYTES and _PLAIN_PATH.fullmatch(rel):
        return rel
    if not rel:
        raise Unsafe("a path is missing")
    if not str.isprintable(rel) and re.search(_CONTROL, rel):
        raise Unsafe(f"{_shown(rel)}: control characters in a path")
    path = _slashed(rel)
    if len(path.encode()) > _PATH_BYTES:
        raise Unsafe(f"{_shown(rel)}: the path is longer than {_PATH_BYTES} bytes")
    if reason := _unsafe(path) or _disguised(path):
        raise Unsafe(f"{_shown(rel)}: {reason}; paths are relative to the vault")
    if create or WINDOWS:
        if create:
            path = unicodedata.normalize("NFC", path)
        for segment in path.split("/"):
            if reason := _unportable(segment, create):
                raise Unsafe(f"{_shown(rel)}: {reason}")
    return path


def readable(path: str, name: str) -> bool:
    """Tell whether check_path lets a path found on disk through, so that a listing and a reader agree.

    `name` is its last segment, not hidden; the folder it is in has passed. Ordinary names take a short cut.
    """
    plain = _PLAIN_ASCII.fullmatch(name) if name.isascii() else re.fullmatch(_PLAIN, name)
    if plain and len(path) <= _PATH_BYTES // 4 and not WINDOWS:
        return True
    try:
        return check_path(path) == path
    except Unsafe:
        return False


def copy_name(rel: str, now: float) -> str:
    """Return a fresh name for a copy in conflict with `rel`: `stem.conflict-YYYYMMDD-HHMMSS-xxxxxx.ext` (UTC)."""
    folder, slash, name = rel.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    if not dot or len(ext.encode()) > 20:
        stem, ext = name, ""
    mark = f".conflict-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{os.urandom(3).hex()}"
    room = SEGMENT_BYTES - len(mark) - len((dot + ext).encode())
    return folder + slash + stem.encode()[:room].decode(errors="ignore") + mark + (dot + ext if ext else "")


def _slashed(rel: str) -> str:
    """Turn a relative Windows spelling into ours; absolute ones keep a mark that _unsafe refuses."""
    if "\\" in rel:
        rel = re.sub(r"\\+", "/", rel)
    return rel[2:] if rel.startswith("./") else rel


def _unsafe(path: str) -> str | None:
    """Return why a path is refused for reading too."""
    if path.startswith("/"):
        return "an absolute path"
    segments = path.split("/")
    if segments[0].endswith(":") or (WINDOWS and re.match("[A-Za-z]:", path)):
        return "a drive or URL"
    if segments[0] == "~":
        return "a home folder"
    for segment in segments:
        if segment in ("", ".", ".."):
            return f"the segment {segment!r}"
        if segment[0] == ".":
            return f"hidden names such as {_shown(segment)} are not memory"
        if len(segment) > SEGMENT_BYTES // 4 and len(segment.encode()) > SEGMENT_BYTES:
            return f"a name is longer than {SEGMENT_BYTES} bytes"
    return None


def _disguised(path: str) -> str | None:
    """Return why a path is refused when somebody else would decode or fold it into an escape."""
    if "%" in path:
        decoded = path
        for _ in range(3):
            decoded = unquote(decoded)
        if decoded != path and (re.search(_CONTROL, decoded) or _unsafe(_slashed(decoded))):
            return "an encoded escape"
    if not path.isascii():
        folded = _SLASHES.sub("/", unicodedata.normalize("NFKC", path).replace("\\", "/"))
        if folded.startswith("/") or any(s.strip() in (".", "..") for s in folded.split("/")):
            return "an escape in look-alike characters"
    return None


def _unportable(segment: str, create: bool) -> str | None:
    """Return why memdir does not create a name (and, on Windows, does not open it)."""
    if _DEVICE.match(segment):
        return f"{segment} is a device name on Windows"
    if segment[-1] in ". ":
        return "a name ends in a dot or a space"
    if found := re.search(_RESERVED, segment):
        return f"the character {found[0]} is not portable"
    if create and re.search(_INVISIBLE, segment):
        return "invisible or direction-changing characters in a name"
    if create and _ENCODED.search(segment):
        return "percent-encoded characters in a name"
    if create and segment[0] in "~ ":
        return "a name begins with a space or ~"
    return None


def _shown(text: str) -> str:
    """Return text safe to print: escapes and invisible characters spelt out, long paths cut."""
    text = text if len(text) <= 120 else text[:117] + "..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
