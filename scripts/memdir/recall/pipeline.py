"""Recall, first form: words of the question → passages by BM25F → one piece of evidence a note.

Given a reader of the index, or of a throw-away one made from the files. Writes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memdir import text
from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import filters, lexical, reader, sync
from memdir.recall import evidence, hops, known, spoken
from memdir.recall.evidence import Answer, Evidence

# How much a passage gains that holds a Chinese, Japanese or Thai run as it was typed. `memdir bench`, phrases first
# of 10 at 1,000 notes: 9 without, 10 with 0.1 to 0.5.
LITERAL = 0.25
LEAST = 80  # bytes of the shortest quote
_ECHO = re.compile(r"→ \[\[([^\[\]]+)\]\]$")  # how `new` and `set` end their line in the log
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
    hits = _linked(vault, source, question, words, hits)
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


def _linked(
    vault: sync.Vault, source: reader.Reader, question: Question, words: reader.Words, hits: Sequence[reader.Hit]
) -> list[reader.Hit]:
    """The hits with places for what the best of them leads to."""
    allowed = source.allowed(question.filters)
    asked = hops.Question(words.groups, weights(vault.settings), None if allowed is None else set(allowed))
    return hops.placed(vault.root, source, asked, hits, vault.settings)


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
