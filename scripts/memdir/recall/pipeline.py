"""Recall: a question → a ranking → what time and links make of it → one piece of evidence a note, graded.

Given a reader of the index, or of a throw-away one made from the files. Writes nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from memdir import text
from memdir.errors import MemdirError
from memdir.index import reader, sync
from memdir.recall import asking, calibrate, days, evidence, hops, ranking, times, trace, validity, views
from memdir.recall.evidence import Answer, Evidence
from memdir.recall.question import LINKED, Also, Question

LEAST = 80  # bytes of the shortest quote
_ECHO = re.compile(r"→ \[\[([^\[\]]+)\]\]$")  # how `new` and `set` end their line in the log


def recall(
    vault: sync.Vault,
    source: reader.Reader,
    question: Question,
    meaning: views.Meaning | None = None,
    also: Callable[[], Sequence[Also]] | None = None,
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
    time = times.asked(question.text, question.now or datetime.now().astimezone(), question.as_of)
    question = question._replace(filters=times.within(question.filters, time))
    alone = question.mode == "keyword" and also is None and not question.trace
    search = ranking.begun(vault, source, question, time, terms, alone=alone)
    words, opened = search.words, search.opened
    typed = text.spoken(question.text)
    wanted = {term: typed.get(term, term) for group in words.groups for term in group}
    meaning = meaning if terms else None  # signs and stop words alone mean nothing
    looks = ranking.own_views(search, meaning, answer)
    looks += ranking.more_views(search, meaning, also(), wanted) if also else []
    hits = ranking.fused(search, looks)
    hits = ranking.adjusted(vault.settings, hits, looks, question)
    hits = calibrate.near(hits, looks, source.count)
    hits = days.preferred(hits, source, time, vault.settings, search.scope.allowed)
    if days.is_bare(hits, time):
        answer.notices.append("nothing that was found is of the time that is asked for")
    hits = validity.ranked(hits, source, question.text, time, vault.settings)
    if question.mode in LINKED:
        allowed = None if search.scope.allowed is None else set(search.scope.allowed)
        asked = hops.Question(asking.parts(question.text), words.groups, views.weights(vault.settings), allowed)
        hits = hops.placed(opened, source, asked, hits, vault.settings, strength)
    hits = validity.cut(hits, source, time)
    answer.suggestions = _suggested(vault, source, words, typed)
    if question.trace:
        answer.trace = {
            "question": trace.profile(question.mode, words.groups, words.guessed, search.voices),
            "views": trace.views(source, looks),
            "ranking": trace.ranking(hits),
        }
    answer.evidence = _one_a_note(opened, hits, wanted, question)
    basis = calibrate.Found(words, looks, hits, search.voices, bool(hits and hits[0].at >= 0), source.count)
    calibrate.judge(opened, basis, answer, whole=question.whole)
    if question.budget:
        left = len(answer.evidence)
        answer.evidence = _within(opened, hits, wanted, answer.evidence, question)
        if left > len(answer.evidence):
            answer.notices.append(f"{left - len(answer.evidence)} more answers did not fit the budget")
    answer.evidence = validity.marked(answer.evidence, source, time)
    if any(one.path in opened.late for one in answer.evidence):
        answer.notices.append(f"lines that tell of what came after {time.cut} are left out")
    return answer


def _suggested(
    vault: sync.Vault, source: reader.Reader, words: reader.Words, typed: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Words that stand nowhere, as typed → those of the vault that they were taken for, as somebody wrote them."""
    found = {}
    for word, close in words.guessed.items():
        surfaces = [_surface(vault, source, stem) for stem in close]
        found[typed.get(word, word)] = tuple(dict.fromkeys(one for one in surfaces if one))
    return found


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
    opened: evidence.Files, hits: Sequence[reader.Hit], wanted: Mapping[str, str], question: Question
) -> list[Evidence]:
    """The best passage of each note (every entry of a log is its own) until enough are quoted.

    A log entry that only says a note was written is left out where the note itself is among the hits.
    """
    found: dict[str, Evidence] = {}
    more: dict[str, int] = {}
    for hit in hits:
        if hit.kind == "log" and (echo := _ECHO.search(hit.heading)) and _is_held(echo[1], hits):
            continue
        key = hit.path if hit.kind == "note" and not hit.apart else _key(hit)
        if key in found:
            more[key] = more.get(key, 0) + 1
        elif len(found) < question.limit and (quoted := evidence.quote(opened, hit, wanted, as_of=question.as_of)):
            found[key] = quoted
    return [one._replace(more=more[key]) if key in more else one for key, one in found.items()]


def _is_held(stem: str, hits: Sequence[reader.Hit]) -> bool:
    return any(hit.kind == "note" and hit.path.rsplit("/", 1)[-1].removesuffix(".md") == stem for hit in hits)


def _key(hit: reader.Hit) -> str:
    return f"{hit.path}:{hit.first}" if hit.apart or hit.kind in ("log", "turn") else hit.path


def _within(
    opened: evidence.Files,
    hits: Sequence[reader.Hit],
    wanted: Mapping[str, str],
    found: Sequence[Evidence],
    question: Question,
) -> list[Evidence]:
    """The evidence that fits the budget; the first that does not is quoted shorter, the best one always stays."""
    kept, budget = list[Evidence](), question.budget
    for one in found:
        if evidence.cost(one) > budget:
            of_file = [hit for hit in hits if hit.path == one.path]
            # A file changed since it was indexed is cut anew: its line may lie in no hit, then its best one stands in.
            hit = next((hit for hit in of_file if hit.first < one.at <= hit.last), of_file[0])
            room = max(LEAST, (budget - evidence.cost(one._replace(quote=""))) * 4)
            short = evidence.quote(opened, hit, wanted, room, question.as_of)
            if short and (not kept or evidence.cost(short) <= budget):
                kept.append(short._replace(more=one.more))
            break
        kept.append(one)
        budget -= evidence.cost(one)
    return kept
