"""From a question to a ranking: the views of it, fused; turns with what flows between them, looked at a second time.

Given a reader of the index. Reads it; writes nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memdir import text
from memdir.config import Settings
from memdir.index import reader, sync
from memdir.index.turns import Spoken
from memdir.index.values import ordered, scored
from memdir.recall import adjust, asking, days, evidence, fusion, quantities, rank, spoken, temporal, times, views
from memdir.recall.evidence import Answer
from memdir.recall.question import Also, Question

# Seen from here every time that a question names is over: of turns only the day that is named counts.
FAR = datetime(9000, 1, 1)
POOL = 6  # passages looked at for each result wanted, so that several of one note leave room for others
CANDIDATES = 100  # of each view, at least, where it is fused with others or something is left out of it


class Search(NamedTuple):
    """A question at work: where it is asked, and what was read of it. `periods`: the times it names; `voices`: the
    speakers."""

    settings: Settings
    source: reader.Reader
    opened: evidence.Files
    question: Question
    words: reader.Words
    periods: Sequence[temporal.Period]
    voices: Sequence[str]
    scope: views.Scope


def begun(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    time: times.Asked,
    terms: Sequence[str],
    *,
    alone: bool = False,
) -> Search:
    """The search for a question within its filters. `terms`: its analysed words; `alone`: it is searched for by these
    words and by nothing else."""
    least = 0 if alone and not source.has_turns and not source.archived else CANDIDATES
    scope = views.Scope(
        filters=question.filters,
        allowed=source.allowed(question.filters),
        candidates=max(least, question.limit * POOL),
        lifted=2 * question.limit,
    )
    voices = spoken.named(question.text, source.voices)
    opened = evidence.Files(vault.root)
    words = _words(source, question.text, terms, days.slight(time, question.text))
    return Search(vault.settings, source, opened, question, words, time.periods, voices, scope)


def signals(
    vault: sync.Vault, source: reader.Reader, question: Question, meaning: views.Meaning | None = None
) -> list[tuple[str, rank.Signals]]:
    """What the second look sees of its candidates, with the id that its source gave each turn: to learn from."""
    time = times.asked(question.text, question.now or FAR)
    search = begun(vault, source, question, time, text.query_terms(question.text)[0])
    looks = own_views(search, meaning, Answer(question.text))
    found = _looked(search, looks, *_turns(search, looks)).signals
    return [(hit.uuid, found[hit.id]) for hit in source.hits([*found])]


def own_views(search: Search, meaning: views.Meaning | None, answer: Answer) -> list[fusion.View]:
    """The question's own views."""
    question, settings, found = search.question, search.settings, list[fusion.View]()
    if question.mode != "semantic":
        found.append(_by_words(search, question.text, search.words, settings["recall.words"]))
    if meaning and question.mode != "keyword" and settings["recall.meaning"]:
        dense = meaning(spoken.unnamed(question.text, search.voices), search.scope.allowed)
        answer.notices += dense.notices
        found += filter(None, [views.by_meaning(dense, search.scope, settings["recall.meaning"])])
    return found


def more_views(
    search: Search, meaning: views.Meaning | None, also: Sequence[Also], wanted: dict[str, str]
) -> list[fusion.View]:
    """The views of what is searched for beside the question; its words are added to those that a quote may show."""
    mode, settings, found = search.question.mode, search.settings, list[fusion.View]()
    for one in also:
        if one.words and mode != "semantic":
            words, typed = _words(search.source, one.text, text.query_terms(one.text)[0]), text.spoken(one.text)
            found.append(_by_words(search, one.text, words, settings["recall.words"] * one.weight))
            for term in (term for group in words.groups for term in group):
                wanted.setdefault(term, typed.get(term, term))
        if meaning and mode != "keyword" and settings["recall.meaning"]:
            voices = spoken.named(one.text, search.source.voices)
            dense = meaning(spoken.unnamed(one.text, voices), search.scope.allowed)
            found += filter(None, [views.by_meaning(dense, search.scope, settings["recall.meaning"] * one.weight)])
    return found


def _words(
    source: reader.Reader, said: str, terms: Sequence[str], slight: frozenset[str] = frozenset()
) -> reader.Words:
    """`slight`: further terms that say little of what is asked for."""
    return source.words(terms, dict.fromkeys(slight | asking.slight(said), asking.SLIGHT), quantities.together(said))


def _by_words(search: Search, said: str, words: reader.Words, weight: float) -> fusion.View:
    return views.by_words(search.settings, search.source, search.opened, said, words, search.scope, weight)


def adjusted(
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


def fused(search: Search, looks: Sequence[fusion.View]) -> list[reader.Hit]:
    """The passages and turns that all views together hold for the best, archived ones behind."""
    source, most, fuse = search.source, search.question.limit * POOL, _fuse(search.settings)
    alone = len(looks) == 1 and not source.has_turns and looks[0].weight > 0
    # What one view puts first stays first: a third of its candidates are fused.
    numbers = _first(source, looks[0].best, most) if alone else {n for view in looks for n in view.best}
    scores = fuse(looks, numbers)
    if source.has_turns and min(scores, default=0) < 0:
        scores = {n: score for n, score in scores.items() if n > 0}
        turns, near = _turns(search, looks)
        seen = _looked(search, looks, turns, near) if search.settings["recall.ranker"] else rank.NOTHING
        scores |= rank.reordered(turns, seen) if fuse is fusion.standardised else turns
    kept = [*scores] if alone else _first(source, scores, most)
    hits = scored(source.hits(kept), scores)
    if meaning := next((view for view in looks if view.name == "meaning"), None):
        ranks = meaning.ranks()
        hits = [hit._replace(meaning=ranks[hit.id]) if hit.id in ranks else hit for hit in hits]
    return ordered(hits)


def _first(source: reader.Reader, scores: Mapping[int, float], most: int) -> list[int]:
    """Numbers of the best, archived ones only where the others are fewer than `most`."""
    if not source.archived:
        return views.first(scores, most)
    kept = views.first({n: score for n, score in scores.items() if n not in source.archived}, most)
    return kept + views.first({n: score for n, score in scores.items() if n in source.archived}, most - len(kept))


def _fuse(settings: Settings) -> fusion.Fuse:
    return fusion.reciprocal if settings["recall.fusion"] == "rrf" else fusion.standardised


def _turns(search: Search, looks: Sequence[fusion.View]) -> tuple[dict[int, float], list[Spoken]]:
    """The best turns and those beside them, with what neighbours and the speaker whom the question names add; and what
    they are, those that filters leave out included."""

    def scored(numbers: Collection[int]) -> dict[int, float]:
        return _fuse(search.settings)(looks, numbers)

    voices, allowed = search.voices, search.scope.allowed
    heads = views.first(scored({n for view in looks for n in view.best if n < 0}), search.scope.candidates)
    near = search.source.beside(heads, spoken.REACH) if heads else []
    said = spoken.moved(near, voices[0] if len(voices) == 1 else "", scored, _shares(search.settings))
    held = said.keys() if allowed is None else said.keys() & set(allowed)
    return {number: said[number] for number in held}, near


def _looked(
    search: Search, looks: Sequence[fusion.View], turns: Mapping[int, float], near: Sequence[Spoken]
) -> rank.Look:
    """What the second look sees; nothing without a view by words."""
    words, meaning = (next((view for view in looks if view.name == name), None) for name in ("words", "meaning"))
    if words is None or not turns:
        return rank.NOTHING
    asked = rank.asked(search.question.text, search.voices, search.periods)
    return rank.looked(search.source, asked, words, meaning, turns, near)
