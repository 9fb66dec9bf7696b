"""Untrusted text as data inside a prompt: quoted between marks that its author could not know.

The nonce is new for each prompt and given by the caller, so that a text written earlier cannot hold its end mark.
A fence does not make a model obey; what it answers is checked as if the text had written it. Pure.
"""

import re

from memdir.text import printable

SHORTEST = 8  # bytes of a nonce: 64 bits cannot be guessed


def marks(nonce: bytes) -> tuple[str, str]:
    """Return the lines before and after a quoted text. Raises ValueError for a nonce that could be guessed."""
    if len(nonce) < SHORTEST:
        raise ValueError(f"a nonce has at least {SHORTEST} bytes")
    return f"<<<data {nonce.hex()}", f"data {nonce.hex()}>>>"


def quote(text: str, nonce: bytes) -> str:
    """Return the text between its marks, each on a line of its own.

    What hides from a reader goes (see `text.printable`), and the nonce becomes `***` wherever it stands in the
    text, in any case: after what is invisible, which could stand in the middle of it.
    """
    opened, closed = marks(nonce)
    safe = printable(text)
    if nonce.hex() in safe.lower():
        safe = re.sub(nonce.hex(), "***", safe, flags=re.IGNORECASE)
    return f"{opened}\n{safe}\n{closed}"
