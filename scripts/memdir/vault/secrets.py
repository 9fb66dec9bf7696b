"""Secrets are taken out before anything is written: each leaves a keyed marker in its place.

Pure functions over text; touches no file and knows no key of its own. `secret_shapes` knows tokens by their look,
`secret_words` by the word beside them, `secret_said` plain words that a sentence calls a password; `secret_values` says
whether a value is more than words.
"""

import hmac
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memdir.vault import secret_said, secret_shapes, secret_words
from memdir.vault.secret_shapes import BLANK, Span

_MARK = "⟦secret:"
_MAX_ROUNDS = 8


class Found(NamedTuple):
    """A secret in a text: its kind and where it stands."""

    kind: str
    start: int
    end: int


def redact(text: str, key: bytes, *, keep: str = "") -> tuple[str, list[str]]:
    """`text` with each secret replaced by its marker, and the kinds of those replaced, in order.

    A secret that stands in `keep` (the file before an edit: a person wrote it there) is left alone. Markers are never
    redacted; a second call changes nothing. Everything else stays byte for byte.
    """
    found = find(text)
    if keep and found:
        known = _standing(keep, found, text)
        found = [one for one in found if text[one.start : one.end] not in known]
    if not found:
        return text, []
    parts: list[str] = []
    at = 0
    for kind, start, end in found:
        parts += (text[at:start], marker(kind, text[start:end], key))
        at = end
    return "".join(parts) + text[at:], [one.kind for one in found]


def marker(kind: str, secret: str, key: bytes) -> str:
    """What stands in place of a secret: the same for the same secret under one key, no help in guessing it."""
    digest = hmac.digest(key, secret.encode("utf-8", "surrogatepass"), "sha256")
    return f"{_MARK}{kind}:{digest.hex()[:4]}⟧"


def find(text: str) -> list[Found]:
    """All secrets of a text in order, none overlapping; markers of redacted ones are passed over.

    What is found is blanked and the rest read again, because a gap can make its neighbours readable in a new way:
    so a redacted text holds nothing more to find.
    """
    rest = _blanked(text, _marks(text)) if _MARK in text else text
    found: list[Span] = []
    for _ in range(_MAX_ROUNDS):
        low = _lowered(rest)
        new = _united([*secret_shapes.find(rest, low), *secret_words.find(rest, low), *secret_said.find(rest, low)])
        if not new:
            break
        found += new
        rest = _blanked(rest, new)
    return [Found(*span) for span in sorted(found, key=lambda span: span.start)]


def _standing(keep: str, found: list[Found], text: str) -> set[str]:
    """The secrets of `found` that `keep` holds as such or as whole words."""
    known = {keep[start:end] for _, start, end in find(keep)}
    open_ones = {text[start:end] for _, start, end in found} - known
    if len(keep) * len(open_ones) > 50_000_000:  # a second of looking; whoever writes so many has not kept them
        return known
    return known | {secret for secret in open_ones if _stands(secret, keep)}


def _stands(secret: str, keep: str) -> bool:
    """Whether `secret` stands in `keep` and not inside a longer word: `1234` does not stand in `512345`."""
    at = keep.find(secret)
    while at >= 0:
        end = at + len(secret)
        joined = (keep[at - 1 : at] + secret[0]).isalnum() and at > 0
        if not joined and not (end < len(keep) and (secret[-1] + keep[end]).isalnum()):
            return True
        at = keep.find(secret, end)
    return False


@cache
def _marker_pattern() -> re.Pattern[str]:
    return re.compile(_MARK + "[a-z0-9-]{1,20}:[0-9a-f]{4}⟧")


def _marks(text: str) -> Iterator[Span]:
    return (Span("", *found.span()) for found in _marker_pattern().finditer(text))


def _lowered(text: str) -> str:
    """`text` in small letters, sign for sign: `İ`, whose small form has two, stays."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _blanked(text: str, spans: Iterator[Span] | list[Span]) -> str:
    parts: list[str] = []
    at = 0
    for _, start, end in spans:
        parts += (text[at:start], BLANK * (end - start))
        at = end
    return "".join(parts) + text[at:]


def _united(spans: list[Span]) -> list[Span]:
    """Overlapping spans as one, in order; it bears the kind of the first rule that found a part of it."""
    rank = {id(span): n for n, span in enumerate(spans)}
    united: list[tuple[int, Span]] = []
    for span in sorted(spans, key=lambda span: (span.start, rank[id(span)])):
        order = rank[id(span)]
        if united and span.start < united[-1][1].end:
            first, last = united[-1]
            kind = last.kind if first <= order else span.kind
            united[-1] = (min(first, order), Span(kind, last.start, max(last.end, span.end)))
        else:
            united.append((order, span))
    return [span for _, span in united]
