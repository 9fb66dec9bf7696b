"""Recall: a question → views (words, meaning) → one fused ranking → adjustment → one piece of evidence a note.

Given a reader of the index, or of a throw-away one made from the files. Writes nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memdir import text
from memdir.config import Settings
from memdir.errors import MemdirError
from memdir.index import filters, reader, sync
from memdir.index.turns import Spoken
from memdir.recall import adjust, calibrate, evidence, fusion, hops, rank, spoken, times, trace, validity, views
from memdir.recall.evidence import Answer, Evidence

# Seen from here every time that a question names is over: of turns only the day that is named counts.
FAR = datetime(9000, 1, 1)
LEAST = 80  # bytes of the shortest quote
_ECHO = re.compile(r"→ \[\[([^\[\]]+)\]\]$")  # how `new` and `set` end their line in the log
POOL = 6  # passages looked at for each result wanted, so that several of one note leave room for others
CANDIDATES = 100  # of each view, at least
MODES = ("auto", "keyword", "semantic", "hybrid")
LINKED = ("auto", "hybrid")  # modes in which links are followed; auto is hybrid, a rule that chooses is not built


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, within which filters, and how much may come back.

    `recent`: the running conversation before it, JSON Lines or a message a line, the newest last. `now`: the moment of
    asking, by which words such as "last week" are read; `hyde`: whether a model helps, None as the settings say;
    `trace`: also tell what every stage made of it; `as_of`: an ISO day, what held on it comes first, and nothing dated
    later comes back; `whole`: keep what a declined answer would leave out.
    """

    text: str
    filters: filters.Filters
    limit: int
    budget: int = 0
    mode: str = "auto"
    recent: str = ""
    now: datetime | None = None
    hyde: bool | None = None
    trace: bool = False
    as_of: str = ""
    whole: bool = False


class Also(NamedTuple):
    """A text that is searched for beside the question, at a weight of its own."""

    text: str
    weight: float
    words: bool = True


def recall(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    meaning: views.Meaning | None = None,
    also: Callable[[], Sequence[Also]] = tuple,
    strength: Mapping[str, float] | None = None,
) -> Answer:
    """Evidence for a question, best first, quoted from the files. `meaning`: the view by vectors, where there is one;
    `also`: called once the question itself has been searched for by its words; `strength`: path → how much more energy
    a note takes up over links, by its use."""
    answer = Answer(question.text)
    terms, dropped = text.query_terms(question.text)
    if dropped:
        answer.notices.append(
            f"the question is very long: its first {len(terms)} different words were used, {dropped} were not"
        )
    words = source.words(terms)
    time = times.asked(question.text, question.now or datetime.now().astimezone(), question.as_of)
    question = replace(question, filters=times.within(question.filters, time))
    voices = spoken.named(question.text, source.voices)
    scope = _scope(source, question)
    typed = text.spoken(question.text)
    wanted = {term: typed.get(term, term) for group in words.groups for term in group}
    meaning = meaning if terms else None  # signs and stop words alone mean nothing
    looks = _views(vault, source, question, words, voices, scope, meaning, answer)
    looks += _more_views(vault, source, question, scope, meaning, also(), wanted)
    hits = _optional(vault.settings, _fused(vault, source, looks, scope, voices, question), looks, question)
    hits = calibrate.near(hits, looks, source.count)
    hits = validity.ranked(hits, source, question.text, time, vault.settings)
    if question.mode in LINKED:
        allowed = None if scope.allowed is None else set(scope.allowed)
        asked = hops.Question(words.groups, views.weights(vault.settings), allowed)
        hits = hops.placed(vault.root, source, asked, hits, vault.settings, strength)
    for word, close in words.guessed.items():
        surfaces = [_surface(vault, source, stem) for stem in close]
        answer.suggestions[typed.get(word, word)] = tuple(dict.fromkeys(one for one in surfaces if one))
    if question.trace:
        answer.trace = {
            "question": trace.profile(question.mode, words.groups, words.guessed, voices),
            "views": trace.views(source, looks),
            "ranking": trace.ranking(hits),
        }
    answer.evidence = _one_a_note(vault, hits, wanted, question)
    basis = calibrate.Found(words, looks, hits, voices, bool(hits and hits[0].at >= 0), source.count)
    calibrate.judge(vault, basis, answer, whole=question.whole)
    if question.budget:
        left = len(answer.evidence)
        answer.evidence = _within(vault, hits, wanted, answer.evidence, question.budget)
        if left > len(answer.evidence):
            answer.notices.append(f"{left - len(answer.evidence)} more answers did not fit the budget")
    answer.evidence = validity.marked(answer.evidence, source)
    return answer


def signals(
    vault: sync.Vault, source: reader.Reader, question: Question, meaning: views.Meaning | None = None
) -> list[tuple[str, rank.Signals]]:
    """What the second look sees of its candidates, with the id that its source gave each turn: to learn from."""
    words, voices = source.words(text.query_terms(question.text)[0]), spoken.named(question.text, source.voices)
    scope = _scope(source, question)
    looks = _views(vault, source, question, words, voices, scope, meaning, Answer(question.text))
    found = _signals(source, looks, voices, question, *_turns(vault, source, looks, scope, voices))
    return [(hit.uuid, found[hit.id]) for hit in source.hits([*found])]


def _scope(source: reader.Reader, question: Question) -> views.Scope:
    return views.Scope(
        filters=question.filters,
        allowed=source.allowed(question.filters),
        candidates=max(CANDIDATES, question.limit * POOL),
        lifted=2 * question.limit,
    )


def _views(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    words: reader.Words,
    voices: Sequence[str],
    scope: views.Scope,
    meaning: views.Meaning | None,
    answer: Answer,
) -> list[fusion.View]:
    """The question's own views."""
    settings, found = vault.settings, list[fusion.View]()
    if question.mode != "semantic":
        found.append(views.by_words(vault, source, question.text, words, scope, settings["recall.words"]))
    if meaning and question.mode != "keyword" and settings["recall.meaning"]:
        dense = meaning(spoken.unnamed(question.text, voices), scope.allowed)
        answer.notices += dense.notices
        found += filter(None, [views.by_meaning(dense, scope, settings["recall.meaning"])])
    return found


def _more_views(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    scope: views.Scope,
    meaning: views.Meaning | None,
    also: Sequence[Also],
    wanted: dict[str, str],
) -> list[fusion.View]:
    """The views of what is searched for beside the question; its words are added to those that a quote may show."""
    settings, found = vault.settings, list[fusion.View]()
    for one in also:
        if one.words and question.mode != "semantic":
            words, typed = source.words(text.query_terms(one.text)[0]), text.spoken(one.text)
            weight = settings["recall.words"] * one.weight
            found.append(views.by_words(vault, source, one.text, words, scope, weight))
            for term in (term for group in words.groups for term in group):
                wanted.setdefault(term, typed.get(term, term))
        if meaning and question.mode != "keyword" and settings["recall.meaning"]:
            dense = meaning(spoken.unnamed(one.text, spoken.named(one.text, source.voices)), scope.allowed)
            found += filter(None, [views.by_meaning(dense, scope, settings["recall.meaning"] * one.weight)])
    return found


def _optional(
    settings: Settings, hits: list[reader.Hit], looks: Sequence[fusion.View], question: Question
) -> list[reader.Hit]:
    """The hits as the options say that are off by default."""
    today = (question.now or datetime.now()).date()
    if settings["recall.half_life"]:
        hits = adjust.decayed(hits, today, settings["recall.half_life"])
    if settings["recall.freshness"]:
        hits = adjust.fresher(hits, today, settings["recall.freshness"])
    alike = next((view.alike for view in looks if view.alike), None)
    if settings["recall.diverse"] and alike:
        hits = adjust.diverse(hits, alike([hit.id for hit in hits]), question.limit)
    return hits


def _shares(settings: Settings) -> spoken.Shares:
    near, far = settings["recall.beside"], settings["recall.beside_two"]
    return spoken.Shares({1: near, 2: far}, settings["recall.reply"], settings["recall.speaker"])


def _fused(
    vault: sync.Vault,
    source: reader.Reader,
    looks: Sequence[fusion.View],
    scope: views.Scope,
    voices: Sequence[str],
    question: Question,
) -> list[reader.Hit]:
    """The passages and turns that all views together hold for the best, archived ones behind."""
    limit, fuse = question.limit, _fuse(vault)
    scores = {n: score for n, score in fuse(looks, {n for view in looks for n in view.best}).items() if n > 0}
    if any(n < 0 for view in looks for n in view.best):
        turns, near = _turns(vault, source, looks, scope, voices)
        seen = _signals(source, looks, voices, question, turns, near) if vault.settings["recall.ranker"] else {}
        scores |= rank.reordered(turns, seen) if fuse is fusion.standardised else turns
    kept = views.first({n: score for n, score in scores.items() if n not in source.archived}, limit * POOL)
    kept += views.first({n: score for n, score in scores.items() if n in source.archived}, limit * POOL - len(kept))
    meaning = next((view for view in looks if view.name == "meaning"), None)
    hits = [
        hit._replace(score=round(scores[hit.id], 6), meaning=meaning.rank(hit.id) if meaning else 0)
        for hit in source.hits(kept)
    ]
    return sorted(hits, key=lambda hit: (hit.archived, -hit.score, hit.path, hit.first))


def _fuse(vault: sync.Vault) -> fusion.Fuse:
    return fusion.reciprocal if vault.settings["recall.fusion"] == "rrf" else fusion.standardised


def _turns(
    vault: sync.Vault, source: reader.Reader, looks: Sequence[fusion.View], scope: views.Scope, voices: Sequence[str]
) -> tuple[dict[int, float], list[Spoken]]:
    """The best turns and those beside them, with what neighbours and the speaker whom the question names add; and what
    they are, those that filters leave out included."""

    def scored(numbers: Collection[int]) -> dict[int, float]:
        return _fuse(vault)(looks, numbers)

    heads = views.first(scored({n for view in looks for n in view.best if n < 0}), scope.candidates)
    near = source.beside(heads, spoken.REACH) if heads else []
    said = spoken.moved(near, voices[0] if len(voices) == 1 else "", scored, _shares(vault.settings))
    held = said.keys() if scope.allowed is None else said.keys() & set(scope.allowed)
    return {number: said[number] for number in held}, near


def _signals(
    source: reader.Reader,
    looks: Sequence[fusion.View],
    voices: Sequence[str],
    question: Question,
    turns: Mapping[int, float],
    near: Sequence[Spoken],
) -> dict[int, rank.Signals]:
    """What the second look sees; nothing without a view by words."""
    words, meaning = (next((view for view in looks if view.name == name), None) for name in ("words", "meaning"))
    if words is None or not turns:
        return {}
    periods = times.asked(question.text, question.now or FAR).periods
    return rank.signals(source, rank.asked(question.text, voices, periods), words, meaning, turns, near)


def _surface(vault: sync.Vault, source: reader.Reader, stem: str) -> str:
    """A word as somebody wrote it that is analysed to `stem`; "" when none is found."""
    for hit in source.hits([*source.search([{stem: 1.0}], views.weights(vault.settings), 1).best][:1]):
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
    more: Counter[str] = Counter()
    notes = {hit.path.rsplit("/", 1)[-1].removesuffix(".md") for hit in hits if hit.kind == "note"}
    for hit in hits:
        if hit.kind == "log" and (echo := _ECHO.search(hit.heading)) and echo[1] in notes:
            continue
        key = _key(hit)
        if key in found:
            more[key] += 1
        elif len(found) < question.limit and (quoted := evidence.quote(vault.root, hit, wanted)):
            found[key] = quoted
    return [replace(one, more=more[key]) if key in more else one for key, one in found.items()]


def _key(hit: reader.Hit) -> str:
    return f"{hit.path}:{hit.first}" if hit.apart or hit.kind in ("log", "turn") else hit.path


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
