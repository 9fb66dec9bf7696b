"""The notes that a made-up month begins with, and what a person does to notes by hand between its nights.

Retitled notes get no other edit, so that a target is always found by the title it has then. Touches no file.
"""

from collections.abc import Iterator

from memdir.evals import month_life as life
from memdir.evals.month_plan import Facts, Plan
from memdir.evals.month_values import HumanEdit, Note
from memdir.evals.month_words import NOTE_TYPES, Entity

APPENDED, VALUES, REWORDED, RETITLED, NEW, RENAMED, FRONT, CRLF = 5, 4, 3, 2, 3, 2, 2, 1
DELETED = 2  # facts that a night wrote; a third deletion takes a line of a note from before the month
Noted = tuple[Note, Entity]
Doomed = tuple[str, str, str, int]


def notes(plan: Plan, facts: Facts) -> list[Noted]:
    """Ten notes with their entities: a sentence, facts that the month overtakes, one it never names, a habit."""
    return [(_note(plan, entity, facts), entity) for entity in plan.noted]


def _note(plan: Plan, entity: Entity, facts: Facts) -> Note:
    language = entity.language
    held = [
        (fact.key, state.value)
        for fact, owner, _ in facts.asked
        for state in fact.states
        if owner is entity and state.how == "note"
    ]
    spare = plan.keys[entity.name][6]
    held.append((spare.label[language], plan.fresh(spare.maker, language)))
    habit = plan.rng.choice(life.EDITS["habit"][language]).format(t=plan.token())
    aliases = [entity.alias] if entity.name in plan.aliased else []
    body = [entity.about, "", *(f"- {key}:: {value}" for key, value in held), habit]
    if not aliases and plan.rng.random() < 0.5:
        body += ["", {"en": f"Also called {entity.alias}.", "zh": f"也叫{entity.alias}。"}[language]]
    tag = {"en": entity.kind, "zh": life.TAGS[entity.kind]}[language]
    return Note(entity.name, NOTE_TYPES[entity.kind], [tag], "\n".join(body) + "\n", aliases, held)


def edits(plan: Plan, noted: list[Noted], doomed: list[Doomed]) -> Iterator[tuple[int, HumanEdit]]:
    """(number of the day, edit) of every edit by hand."""
    chosen = plan.rng.sample(noted, len(noted))
    retitled, kept = chosen[: plan.share(RETITLED)], chosen[RETITLED:]
    yield from _at_any_time(plan, _retitled(plan, retitled))
    yield from _at_any_time(plan, _renamed(plan, kept[: plan.share(RENAMED)]))
    yield from _at_any_time(plan, _reworded(plan, kept[2 : 2 + plan.share(REWORDED)]))
    yield from _at_any_time(plan, _appended(plan, [plan.rng.choice(kept) for _ in range(plan.share(APPENDED))]))
    yield from _at_any_time(plan, _values(plan, plan.rng.sample(kept, plan.share(VALUES))))
    yield from _at_any_time(plan, _front(plan, plan.rng.sample(kept, plan.share(FRONT))))
    yield from _at_any_time(plan, _new(plan, plan.share(NEW)))
    yield from _at_any_time(plan, _crlf(plan, kept[6:7]))
    yield from _at_any_time(plan, _deleted(kept[5:6]))
    for entity, key, value, day in doomed:
        later = plan.rng.randint(day + 1, max(day + 1, plan.count - 4))
        yield later, HumanEdit("delete line", entity, "", value, value, key)


def _at_any_time(plan: Plan, found: Iterator[HumanEdit]) -> Iterator[tuple[int, HumanEdit]]:
    for edit in found:
        yield plan.rng.randint(1, plan.count - 3), edit


def _retitled(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, _ in chosen:
        token = plan.token()
        yield HumanEdit("retitle", note.title, f"{note.title} ({token})", token, note.title)


def _renamed(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, _ in chosen:
        token = plan.token()
        yield HumanEdit("rename file", note.title, f"{note.title.lower().replace(' ', '-')}-{token}", token)


def _reworded(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, entity in chosen:
        token = plan.token()
        template = plan.rng.choice(life.EDITS["reword"][entity.language])
        yield HumanEdit("reword", note.title, template.format(a=entity.about, t=token), token, entity.about)


def _appended(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, entity in chosen:
        token = plan.token()
        text = plan.rng.choice(life.EDITS["append"][entity.language]).format(t=token)
        yield HumanEdit("append", note.title, text, token)


def _values(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    """New values of the facts that no log names."""
    for note, entity in chosen:
        key, old = note.facts[-1]
        value = plan.fresh(plan.keys[entity.name][6].maker, entity.language)
        yield HumanEdit("change value", note.title, value, value, old, key)


def _front(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, _ in chosen:
        token = plan.token()
        yield HumanEdit("front matter by hand", note.title, f"# {token} was here\nshelf: '{token}'", token)


def _new(plan: Plan, count: int) -> Iterator[HumanEdit]:
    for number in range(count):
        token, language = plan.token(), ("en", "zh")[number % 2]
        title = plan.rng.choice(life.EDITS["new note"][language]).format(t=token)
        days = f"created: {plan.first}\nupdated: {plan.first}"
        front = f"---\nname: {title}\ntype: ref\ntags: []\n{days}\nimportance: low\n---\n"
        yield HumanEdit("new note", title, front + life.EDITS["paper"][language][0].format(t=token) + "\n", token)


def _crlf(plan: Plan, chosen: list[Noted]) -> Iterator[HumanEdit]:
    for note, entity in chosen:
        token = plan.token()
        yield HumanEdit("CRLF save", note.title, life.EDITS["CRLF save"][entity.language][0].format(t=token), token)


def _deleted(chosen: list[Noted]) -> Iterator[HumanEdit]:
    """The habit of a note, by its token."""
    for note, _ in chosen:
        token = next(line for line in note.body.split("\n") if line.startswith("- ") and "::" not in line)
        yield HumanEdit("delete line", note.title, "", token.removeprefix("- "), token)
