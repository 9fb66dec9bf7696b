"""Who writes: the name of this device, and the key that makes markers of redacted secrets unguessable.

Both are made once in the user's configuration folder. Where that cannot be written, the device is named after the
host, and the key lives as long as the process.
"""

import contextlib
import os
import platform
import re
import secrets
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from memdir import config
from memdir.errors import BadData, Locked
from memdir.index import generation

_DEVICE = re.compile(r"[a-z0-9-]{1,40}")
KEY_BYTES = 32


def device(env: Mapping[str, str] | None = None) -> str:
    """The name of this device in the ledger: letters, digits and dashes."""
    host = re.sub(r"[^a-z0-9]+", "-", platform.node().split(".")[0].lower()).strip("-")[:20] or "device"
    made = _kept(config.config_home(env) / "device", lambda: f"{host}-{os.urandom(2).hex()}".encode())
    name = (made or b"").decode("ascii", "replace").strip()
    return name if _DEVICE.fullmatch(name) else host


def key(env: Mapping[str, str] | None = None) -> bytes:
    """The key for markers of secrets, 32 bytes."""
    return _kept(config.config_home(env) / "secret.key", lambda: secrets.token_bytes(KEY_BYTES)) or _own_key()


@cache
def _own_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def _kept(path: Path, make: Callable[[], bytes]) -> bytes | None:
    """The bytes of a small file, which is made when it is missing; None where neither can be."""
    with contextlib.suppress(BadData, Locked, OSError):
        held = config.small_file(path, follow=True)
        if held is None:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            with generation.lock(path.parent, 1.0):
                held = config.small_file(path, follow=True)
                if held is None:
                    generation.write(path, held := make())
        return held
    return None
