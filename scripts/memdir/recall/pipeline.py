"""Recall, first form: words of the question → passages by BM25F → one piece of evidence a note.

Given a reader of the index, or of a throw-away one made from the files. Writes nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memdir import text
from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import filters, graph, lexical, reader, sync
from memdir.recall import evidence, hops, known, spoken, spread
from memdir.vault import names
from memdir.recall.evidence import Answer, Evidence

# How much a passage gains that holds a Chinese, Japanese or Thai run as it was typed. `memdir bench`, phrases first
# of 10 at 1,000 notes: 9 without, 10 with 0.1 to 0.5.
LITERAL = 0.25
LEAST = 80  # bytes of the shortest quote
_ECHO = re.compile(r"→ \[\[([^\[\]]+)\]\]$")  # how `new` and `set` end their line in the log
SEEDS = 2  # hits from which energy spreads
PLACES = hops.Places()
RESIDUE = 1
POOL = 6  # passages looked at for each result wanted, so that several of one note leave room for others


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, within which filters, and how much may come back."""

    text: str
    filters: filters.Filters
    limit: int
    budget: int = 0


def weights(settings: Settings) -> lexical.Weights:
    values = {zone: float(settings[f"recall.weight_{zone}"]) for zone in ("name", "aliases", "tags", "heading")}
    return lexical.Weights(**values, k1=settings["recall.k1"], b=settings["recall.b"])


def recall(vault: sync.Vault, source: reader.Reader, question: Question) -> Answer:
    """Evidence for a question, best first, quoted from the files."""
    answer = Answer(question.text)
    terms, dropped = text.query_terms(question.text)
    if dropped:
        answer.notices.append(
            f"the question is very long: its first {len(terms)} different words were used, {dropped} were not"
        )
    words = source.words(terms)
    if not all(map(text.is_sign, terms)) and all(text.is_sign(term) for group in words.groups for term in group):
        return answer  # only single signs of a sentence are known
    typed = text.spoken(question.text)
    wanted = {term: typed.get(term, term) for group in words.groups for term in group}
    hits = source.search(words.groups, question.filters, weights(vault.settings), question.limit * POOL)
    top = 2 * question.limit
    hits = [*_lifted(vault, hits[:top], text.runs(question.text)), *hits[top:]]
    if said := spoken.turns(source, question.text, terms, question.filters, question.limit * POOL):
        hits = sorted([*hits, *said], key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))
    hits = _spread(vault, source, question, words, hits)
    if not known.asks_for_past(question.text):
        hits = known.first(hits, source, known.facts(source, question.text, hits))
    for word, close in words.guessed.items():
        surfaces = [_surface(vault, source, stem) for stem in close]
        answer.suggestions[typed.get(word, word)] = tuple(dict.fromkeys(one for one in surfaces if one))
    answer.evidence = _one_a_note(vault, hits, wanted, question)
    if question.budget:
        left = len(answer.evidence)
        answer.evidence = _within(vault, hits, wanted, answer.evidence, question.budget)
        if left > len(answer.evidence):
            answer.notices.append(f"{left - len(answer.evidence)} more answers did not fit the budget")
    return answer


def _spread(
    vault: sync.Vault, source: reader.Reader, question: Question, words: reader.Words, hits: Sequence[reader.Hit]
) -> list[reader.Hit]:
    """The hits with places for those that the graph reaches from the first of them."""
    notes = [hit for hit in hits if hit.id > 0 and not hit.archived]
    if not vault.settings["graph.hops"] or not notes:
        return list(hits)
    top = notes[0].score
    seeds = {hit.id: hit.score for hit in notes[:SEEDS]}
    reached = spread.spread(source, seeds, spread.shape(vault.settings), partial(_lines, vault))
    allowed = source.allowed(question.filters)
    far = [one for one in reached.energy if allowed is None or one in allowed]
    asked = _asked(vault, source, words, notes[:SEEDS], {one: reached.by[one] for one in far})
    first = list(dict.fromkeys(map(_key, hits)))[: PLACES.behind]
    known_ = {hit.id: hit for hit in hits}
    found = {hit.id: hit for hit in source.hits(far) if not hit.archived}
    parts = {one: graph.Part(one, 0, hit.path, hit.first, hit.last, hit.heading) for one, hit in found.items()}
    chosen = hops.chosen(
        {one: reached.energy[one] for one in found},
        {one: score / top for one, score in asked.items()},
        _said(vault, source, words, {one: reached.by[one] for one in found}),
        parts, [key.partition(":")[0] for key in first], PLACES,
    )
    paths = {hit.id: hit.path for hit in [*notes, *source.hits(list({edge.source for edge in reached.by.values()}))]}
    at = next((number for number, hit in enumerate(hits) if _key(hit) not in first), len(hits))
    score = hits[min(at, len(hits) - 1)].score
    placed = [_joined(known_.get(one, found[one]), reached.by[one], paths, score) for one in chosen]
    head = [_joined(hit, reached.by.get(hit.id), paths, hit.score) for hit in hits[:at]]
    return [*head, *placed, *(hit for hit in hits[at:] if hit.id not in chosen)]


def _asked(
    vault: sync.Vault,
    source: reader.Reader,
    words: reader.Words,
    seeds: Sequence[reader.Hit],
    by: Mapping[int, graph.Edge],
) -> dict[int, float]:
    """Number → score of a reached passage for those words of the question that the seed before it does not hold."""
    found: dict[int, float] = {}
    for seed in seeds:
        near = [one for one, edge in by.items() if edge.source == seed.id]
        told = _lines(vault, graph.Part(0, 0, seed.path, seed.first, seed.last, ""))
        held = set(text.terms("\n".join([names.searched(seed.name, seed.path), *seed.aliases, told])))
        rest = [group for group in words.groups if not held & group.keys()] if RESIDUE else words.groups
        if near and rest:
            found |= source.lexical.search(rest, weights=weights(vault.settings), allowed=near, limit=len(near))
    return found


def _said(
    vault: sync.Vault, source: reader.Reader, words: reader.Words, by: Mapping[int, graph.Edge]
) -> dict[int, float]:
    """Number → share of the question's words, by rarity, in the line by which a passage was reached."""
    total = source.lexical.doc_count
    rare = [(group, max(text.worth(t) * math.log1p(total / (1 + source.lexical.df(t))) for t in group)) for group in words.groups]
    whole = sum(worth for _, worth in rare) or 1.0
    said = {}
    for one, edge in by.items():
        if edge.line >= 0:
            terms = set(text.terms(_lines(vault, graph.Part(0, 0, edge.path, edge.line, edge.line + 1, ""))))
            said[one] = sum(worth for group, worth in rare if terms & group.keys()) / whole
    return said


def _joined(hit: reader.Hit, edge: graph.Edge | None, paths: Mapping[int, str], score: float) -> reader.Hit:
    """A hit with the edge that brought it most."""
    if edge is None:
        return hit
    near = edge.line if edge.path == hit.path else -1
    return replace(hit, score=score, near=near, by=f"{edge.kind}: {paths[edge.source]}")


def _lines(vault: sync.Vault, part: graph.Part) -> str:
    try:
        return "\n".join(evidence.lines_of(vault.root.read(part.path).data, "")[part.first : part.last])
    except MemdirError:
        return ""


def _lifted(vault: sync.Vault, hits: Sequence[reader.Hit], runs: Sequence[str]) -> list[reader.Hit]:
    """Hits with those that hold a run of the question letter by letter before those that hold its pairs apart."""
    if not runs:
        return list(hits)
    total = sum(map(len, runs))
    lifted = []
    for hit in hits:
        try:
            body = text.plain(evidence.passage_text(vault.root, hit))
        except MemdirError:
            continue
        held = sum(len(run) for run in runs if run in body) / total
        lifted.append(replace(hit, score=round(hit.score * (1 + LITERAL * held), 6)))
    return sorted(lifted, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))


def _surface(vault: sync.Vault, source: reader.Reader, stem: str) -> str:
    """A word as somebody wrote it that is analysed to `stem`; "" when none is found."""
    for hit in source.search([{stem: 1.0}], filters.Filters(), weights(vault.settings), 1)[:1]:
        try:
            lines = vault.root.read(hit.path).data.decode("utf-8", "replace").split("\n")
        except MemdirError:
            return ""
        for word in text.surface_words("\n".join([hit.name, *hit.tags, *hit.aliases, *lines])):
            if stem in text.terms(word):
                return word
    return ""


def _one_a_note(
    vault: sync.Vault, hits: Sequence[reader.Hit], wanted: Mapping[str, str], question: Question
) -> list[Evidence]:
    """The best passage of each note (every entry of a log is its own) until enough are quoted.

    A log entry that only says a note was written is left out where the note itself is among the hits.
    """
    found: dict[str, Evidence] = {}
    notes = {hit.path.rsplit("/", 1)[-1].removesuffix(".md") for hit in hits if hit.kind == "note"}
    for hit in hits:
        if hit.kind == "log" and (echo := _ECHO.search(hit.heading)) and echo[1] in notes:
            continue
        key = _key(hit)
        if key in found:
            found[key] = replace(found[key], more=found[key].more + 1)
        elif len(found) < question.limit and (quoted := evidence.quote(vault.root, hit, wanted)):
            found[key] = quoted
    return list(found.values())


def _key(hit: reader.Hit) -> str:
    return f"{hit.path}:{hit.first}" if hit.kind in ("log", "turn") else hit.path


def _within(
    vault: sync.Vault, hits: Sequence[reader.Hit], wanted: Mapping[str, str], found: Sequence[Evidence], budget: int
) -> list[Evidence]:
    """The evidence that fits `budget` tokens; the first that does not is quoted shorter, the best one always stays."""
    kept: list[Evidence] = []
    for one in found:
        if evidence.cost(one) > budget:
            of_file = [hit for hit in hits if hit.path == one.path]
            # A file changed since it was indexed is cut anew: its line may lie in no hit, then its best one stands in.
            hit = next((hit for hit in of_file if hit.first < one.at <= hit.last), of_file[0])
            room = max(LEAST, (budget - evidence.cost(replace(one, quote=""))) * 4)
            short = evidence.quote(vault.root, hit, wanted, room)
            if short and (not kept or evidence.cost(short) <= budget):
                kept.append(replace(short, more=one.more))
            break
        kept.append(one)
        budget -= evidence.cost(one)
    return kept
