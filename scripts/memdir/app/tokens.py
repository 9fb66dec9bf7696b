"""The tokens that open a server: who holds one, what they may do, and which memory scopes they see.

`serve.json` in the user's configuration folder, for its owner's eyes alone and outside the vault; made with one token
on the first start. `MEMDIR_TOKEN` takes its place. A token is never printed, logged or written anywhere else.
"""

import json
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memdir import config
from memdir.errors import BadData, UsageError
from memdir.index import generation

FILE, VARIABLE = "serve.json", "MEMDIR_TOKEN"
RIGHTS = ("read", "capture", "write")
SHORTEST = 16  # characters of a token
_KEYS = {"name", "token", "rights", "scopes", "external"}


@dataclass(frozen=True, slots=True)
class Token:
    """`scopes`: the memory scopes that it sees, none for all; `external`: what it writes is not vouched for."""

    name: str
    secret: str
    rights: tuple[str, ...] = RIGHTS
    scopes: tuple[str, ...] = ()
    external: bool = False

    def __repr__(self) -> str:
        return f"Token({self.name})"


def kept(root: Path, env: Mapping[str, str] | None = None) -> tuple[list[Token], str]:
    """The tokens of a server of the vault at `root`, and where they stand. Raises BadData, UsageError."""
    given = (os.environ if env is None else env).get(VARIABLE, "")
    if given:
        return [_checked({"name": "env", "token": given}, VARIABLE)], VARIABLE
    place = config.config_home(env) / FILE
    if place.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{place} would lie in the vault; set XDG_CONFIG_HOME, or {VARIABLE}")
    data = config.small_file(place, follow=True)
    if data is None:
        data = _make(place)
    elif os.name != "nt" and stat.S_IMODE(place.stat().st_mode) & 0o077:
        raise BadData(f"{place} may be read by others: chmod 600 it")
    return _read(data, str(place)), str(place)


def _make(place: Path) -> bytes:
    one = {"name": "default", "token": secrets.token_urlsafe(32), "rights": [*RIGHTS], "scopes": []}
    data = json.dumps({"tokens": [one]}, indent=1).encode() + b"\n"
    place.parent.mkdir(0o700, parents=True, exist_ok=True)
    with generation.lock(place.parent, 1.0):
        held = config.small_file(place, follow=True)
        if held is None:
            generation.write(place, data)
    return held or data


def _read(data: bytes, shown: str) -> list[Token]:
    try:
        held = json.loads(data)
        items = held["tokens"]
        if not isinstance(items, list) or not items:
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadData(f'{shown}: it holds {{"tokens": [{{"name", "token", "rights", "scopes"}}]}}') from None
    tokens = [_checked(one, shown) for one in items]
    if len({one.name for one in tokens}) < len(tokens) or len({one.secret for one in tokens}) < len(tokens):
        raise BadData(f"{shown}: two tokens have one name or one secret")
    return tokens


def _checked(one: Any, shown: str) -> Token:
    """A token as it stands in the file. Raises BadData, which never holds the secret."""
    if not isinstance(one, dict) or not isinstance(name := one.get("name"), str) or not name.strip():
        raise BadData(f"{shown}: a token without a name")
    if strange := set(one) - _KEYS:
        raise BadData(f"{shown}: token {name!r}: unknown key {min(strange)!r}; there are {', '.join(sorted(_KEYS))}")
    secret, rights, scopes = one.get("token"), one.get("rights", [*RIGHTS]), one.get("scopes", [])
    if not isinstance(secret, str) or len(secret) < SHORTEST or not secret.isascii() or not secret.isprintable():
        raise BadData(f"{shown}: token {name!r}: its secret has at least {SHORTEST} plain characters")
    for key, items, known in (("rights", rights, RIGHTS), ("scopes", scopes, None)):
        if not isinstance(items, list) or any(
            not isinstance(item, str) or (known and item not in known) for item in items
        ):
            raise BadData(f"{shown}: token {name!r}: {key} is a list" + (f" of {', '.join(known)}" if known else ""))
    if "" in scopes or not isinstance(external := one.get("external", False), bool):
        raise BadData(f"{shown}: token {name!r}: no empty scope, and external is true or false")
    return Token(name, secret, tuple(rights), tuple(scopes), external)
