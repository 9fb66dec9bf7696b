"""Earlier versions of a note, as the history keeps them."""

from typing import TYPE_CHECKING

from memdir.errors import Conflict, NotFound
from memdir.vault import files, resolve

if TYPE_CHECKING:
    from memdir.app.memory import Memory


def versions(memory: "Memory", target: str) -> list[files.Version]:
    """As `Memory.history` promises."""
    path = resolve.split_anchor(target)[0]
    try:
        path = memory.find(path)
    except NotFound:
        path = files.check_path(path)
    found = memory.root.history(path)
    if not found and memory.root.stat(path) is None:
        raise NotFound(f"no note {target!r}, and no version of one is kept under that path")
    return found


def version(memory: "Memory", target: str, digest: str) -> bytes:
    """As `Memory.version` promises."""
    held = (one.digest for one in versions(memory, target))
    found = list(dict.fromkeys(one for one in held if one.startswith(digest)))
    if len(found) > 1:
        raise Conflict(f"{digest!r} may mean {', '.join(one[:12] for one in found)}; give more of it")
    return memory.root.version(found[0] if found else digest)
