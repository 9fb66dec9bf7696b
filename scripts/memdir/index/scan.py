"""A direct scan of the files: the answer while the index is missing, damaged or being built.

Reads every note once, keeps those that hold letters of the question, and ranks their passages with the same
analysis and BM25F as the index. Slower, never wrong. Reads the vault only.
"""

import math
from collections import Counter
from collections.abc import Sequence

from memdir import text
from memdir.errors import MemdirError
from memdir.index.lexical import Weights
from memdir.index.reader import Filters, Hit
from memdir.index.sync import Vault
from memdir.vault import layout, names, note, passages

MOST = 200  # notes that are analysed, those that hold most of the question's words first


def search(vault: Vault, question: str, filters: Filters, weights: Weights, limit: int) -> list[Hit]:
    """The best passages over the files as they are now; `pid` is 0 in all of them."""
    wanted = list(dict.fromkeys(text.query_terms(question)[0]))
    found, total = _candidates(vault, wanted)
    scored: list[Hit] = []
    counts = Counter(term for _, _, terms in found for term in set(terms) if term in wanted)
    for parsed, digest, _ in found:
        if _passes(parsed, filters):
            scored += _hits(parsed, digest, wanted, counts, total, weights)
    return sorted(scored, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))[:limit]


def _candidates(vault: Vault, wanted: Sequence[str]) -> tuple[list[tuple[note.Note, str, list[str]]], int]:
    """Notes worth analysing, with digest and terms, and how many files there are."""
    keys = [term[: max(3, len(term) - 2)] for term in wanted]
    rough: list[tuple[int, str]] = []
    entries = vault.root.walk(vault.rules.skip).entries
    for entry in entries:
        try:
            content = names.fold(vault.root.read(entry.path).data.decode("utf-8", "replace") + entry.path)
        except MemdirError:
            continue
        matches = sum(key in content for key in keys)
        if matches:
            rough.append((-matches, entry.path))
    chosen = []
    for _, path in sorted(rough)[:MOST]:
        blob = vault.root.read(path)
        parsed = note.parse(path, blob.data, own=vault.rules.own)
        chosen.append(
            (
                parsed,
                blob.digest,
                text.terms("\n".join([parsed.name, *parsed.aliases, *parsed.tags, *parsed.lines[parsed.body_line :]])),
            )
        )
    return chosen, len(entries)


def _passes(parsed: note.Note, filters: Filters) -> bool:
    tags = [names.fold(tag) for tag in parsed.tags]
    wanted = [names.fold(tag.lstrip("#")) for tag in filters.tags]
    return (
        (not filters.types or parsed.kind in filters.types or (parsed.kind == "note" and parsed.type in filters.types))
        and all(any(tag == one or tag.startswith(one + "/") for tag in tags) for one in wanted)
        and filters.scope in (None, parsed.text("scope"))
        and (not filters.since or parsed.date >= filters.since)
        and (not filters.until or "" < parsed.date <= filters.until)
        and (not filters.path or parsed.path == filters.path or parsed.path.startswith(filters.path.rstrip("/") + "/"))
    )


def _hits(
    parsed: note.Note, digest: str, wanted: Sequence[str], counts: Counter[str], total: int, weights: Weights
) -> list[Hit]:
    found = []
    edges = Counter[str]()
    for words, weight in (
        (parsed.name, weights.name),
        (" ".join(parsed.aliases), weights.aliases),
        (" ".join(parsed.tags), weights.tags),
    ):
        for term in text.terms(words):
            edges[term] += weight  # type: ignore[assignment]
    for passage in passages.cut(parsed):
        heading = " › ".join(passage.headings)
        have = Counter(text.terms(passage.text))
        high = Counter(text.terms(heading))
        score = 0.0
        for term in wanted:
            tf = have[term] + weights.heading * high[term] + edges[term]
            idf = math.log1p((total - counts[term] + 0.5) / (counts[term] + 0.5))
            score += text.worth(term) * idf * (weights.k1 + 1) * tf / (tf + weights.k1)
        if score:
            found.append(
                Hit(0, round(score, 6), parsed.path, digest, passage.start, passage.end, heading, parsed.kind, parsed.name, parsed.type,
                    parsed.date, layout.is_archived(parsed.path), parsed.tags, parsed.aliases)
            )  # fmt: skip
    return found
