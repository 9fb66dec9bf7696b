"""Recall: a question → views (words of notes and turns, meaning) → one fused ranking → one piece of evidence a note.

Given a reader of the index, or of a throw-away one made from the files. Writes nothing.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memdir import text
from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import filters, lexical, reader, sync
from memdir.recall import evidence, fusion, known, spoken
from memdir.recall.evidence import Answer, Evidence

if TYPE_CHECKING:
    from memdir.recall.dense import Dense

# How much a passage gains that holds a Chinese, Japanese or Thai run as it was typed. `memdir bench`, phrases first
# of 10 at 1,000 notes: 9 without, 10 with 0.1 to 0.5.
LITERAL = 0.25
LEAST = 80  # bytes of the shortest quote
_ECHO = re.compile(r"→ \[\[([^\[\]]+)\]\]$")  # how `new` and `set` end their line in the log
POOL = 6  # passages looked at for each result wanted, so that several of one note leave room for others
CANDIDATES = 100  # of each view, at least
SEMANTIC = ("auto", "semantic", "hybrid")
MODES = (*SEMANTIC, "keyword")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, within which filters, and how much may come back."""

    text: str
    filters: filters.Filters
    limit: int
    budget: int = 0
    mode: str = "auto"


def weights(settings: Settings) -> lexical.Weights:
    values = {zone: float(settings[f"recall.weight_{zone}"]) for zone in ("name", "aliases", "tags", "heading")}
    return lexical.Weights(**values, k1=settings["recall.k1"], b=settings["recall.b"])


def recall(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    dense: "Callable[[str, Collection[int] | None], Dense] | None" = None,
) -> Answer:
    """Evidence for a question, best first, quoted from the files. `dense`: the view by meaning, where there is one."""
    answer = Answer(question.text)
    terms, dropped = text.query_terms(question.text)
    if dropped:
        answer.notices.append(
            f"the question is very long: its first {len(terms)} different words were used, {dropped} were not"
        )
    words = source.words(terms)
    voices = spoken.named(question.text, source.voices)
    allowed = source.allowed(question.filters)
    views = []
    if question.mode != "semantic":
        views.append(_by_words(vault, source, question, terms, words.groups, allowed))
    if dense is not None and question.mode in SEMANTIC:
        near = dense(spoken.unnamed(question.text, voices), allowed)
        answer.notices += near.notices
        views += _by_meaning(vault.settings, near, question)
    hits = _fused(vault, source, views, question, voices)
    typed = text.spoken(question.text)
    wanted = {term: typed.get(term, term) for group in words.groups for term in group}
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


def _candidates(question: Question) -> int:
    return max(CANDIDATES, question.limit * POOL)


def _by_words(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    terms: Sequence[str],
    groups: Sequence[Mapping[str, float]],
    allowed: Sequence[int] | None,
) -> fusion.View:
    """Passages by BM25F and turns by bm25 as one list; empty where only single signs of a sentence are known."""
    best: dict[int, float] = {}
    total = squares = 0.0
    chance = not all(map(text.is_sign, terms)) and all(text.is_sign(term) for group in groups for term in group)
    if not chance:
        limit = _candidates(question)
        found = source.search(groups, weights(vault.settings), limit, allowed)
        said = source.turns(terms, question.filters, limit)
        best = {**found.best, **said.best}
        for number, score in _lifted(vault, source, found.best, question).items():
            best[number] = score
        total, squares = found.total + said.total, found.squares + said.squares
    return fusion.words(best, total, squares, source.count, vault.settings["recall.words"])


def _by_meaning(settings: Settings, dense: "Dense", question: Question) -> list[fusion.View]:
    near = dense.near
    if near is None:
        return []
    best = near.best(_candidates(question))
    return [fusion.View("meaning", best, near.of, near.mean, near.deviation, near.mean, settings["recall.meaning"])]


def _fused(
    vault: sync.Vault, source: reader.Reader, views: Sequence[fusion.View], question: Question, voices: Sequence[str]
) -> list[reader.Hit]:
    """The passages and turns that all views together hold for the best, archived ones behind."""
    fuse = fusion.reciprocal if vault.settings["recall.fusion"] == "rrf" else fusion.standardised

    def scored(numbers: Collection[int]) -> dict[int, float]:
        return fuse(views, numbers)

    scores = scored({number for view in views for number in view.best})
    heads = _first({number: score for number, score in scores.items() if number < 0}, _candidates(question))
    if heads:
        speaker = voices[0] if len(voices) == 1 else ""
        said = spoken.moved(source, speaker, heads, scored)
        allowed = source.allowed(question.filters)
        held = said.keys() if allowed is None else said.keys() & set(allowed)
        scores = {number: score for number, score in scores.items() if number > 0} | {n: said[n] for n in held}
    archived = source.archived
    kept = _first({n: s for n, s in scores.items() if n not in archived}, question.limit * POOL)
    kept += _first({n: s for n, s in scores.items() if n in archived}, question.limit * POOL - len(kept))
    meaning = next((view for view in views if view.name == "meaning"), None)
    hits = [
        replace(hit, score=round(scores[hit.id], 6), meaning=meaning.rank(hit.id) if meaning else 0)
        for hit in source.hits(kept)
    ]
    return _ordered(hits)


def _first(scores: Mapping[int, float], limit: int) -> list[int]:
    """Numbers of the `limit` best, and of all that tie with the last of them."""
    if limit < 1 or not scores:
        return []
    last = sorted(scores.values(), reverse=True)[:limit][-1]
    return [number for number, score in scores.items() if score >= last]


def _ordered(hits: Sequence[reader.Hit]) -> list[reader.Hit]:
    return sorted(hits, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))


def _lifted(
    vault: sync.Vault, source: reader.Reader, best: Mapping[int, float], question: Question
) -> dict[int, float]:
    """The first of some passages with what they gain by holding a run of the question letter by letter, not only its
    pairs apart."""
    runs = text.runs(question.text)
    if not runs:
        return {}
    total = sum(map(len, runs))
    lifted = {}
    for hit in source.hits(_first(best, 2 * question.limit)):
        try:
            body = text.plain(evidence.passage_text(vault.root, hit))
        except MemdirError:
            continue
        held = sum(len(run) for run in runs if run in body) / total
        lifted[hit.id] = round(best[hit.id] * (1 + LITERAL * held), 6)
    return lifted


def _surface(vault: sync.Vault, source: reader.Reader, stem: str) -> str:
    """A word as somebody wrote it that is analysed to `stem`; "" when none is found."""
    for hit in source.hits([*source.search([{stem: 1.0}], weights(vault.settings), 1).best][:1]):
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
