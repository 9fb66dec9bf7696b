"""A made-up month while it is drawn up: who is in it, which values are taken, and every statement of a fact.

The random numbers are asked in a fixed order, so that a seed always gives the same month. Yields drafts: entries that
have a day and no place in it. Touches no file.
"""

import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeVar

from memdir.evals import month_life as life
from memdir.evals import month_words as words
from memdir.evals.month_values import Closing, Fact, Mark, State
from memdir.evals.month_words import Entity, Key

FULL = 30  # days; a shorter month holds its share of everything, a longer one more small talk
FACTS, CHANGED, CONTRADICTED, RESTATED, OVERTAKEN = 120, 40, 15, 10, 8
Option = TypeVar("Option")
WORDINGS = ("grammar", "prose", "title")
_CJK = "\u3001-\u3011\u3400-\u9fff\uff01-\uff5e"
_GAP = re.compile(f"(?<=[{_CJK}]) (?=[{_CJK}])")


@dataclass(slots=True, eq=False)
class Draft:
    """An entry that has a day and no place in it; `marks` learn where it came to stand."""

    day: int
    language: str
    title: str
    lines: list[str]
    marks: list[Mark] = field(default_factory=list)
    closings: list[Closing] = field(default_factory=list)
    room: int = 2  # for a further line: 2 yes, 1 rather not, 0 no
    loose: bool = False  # may share an entry with others of its kind
    early: bool = False  # comes before the others of its day


class Plan:
    """The month while it is drawn up; `rng` is asked in a fixed order."""

    def __init__(self, seed: int, days: int, first: date) -> None:
        self.rng = random.Random(f"month/{seed}")
        self.count, self.first = days, first
        self.used: set[str] = set()
        self.load: Counter[int] = Counter({n: 3 for n in range(days) if (first + timedelta(n)).weekday() > 4})
        self.drafts: list[Draft] = []
        self.decks: dict[tuple[object, ...], list[Any]] = {}
        self.cast = [one for kind in words.KINDS for one in self._some(kind, "en", 3) + self._some(kind, "zh", 2)]
        self.keys = {one.name: self.rng.sample(words.KEYS[one.kind], 8) for one in self.cast}
        self.noted: list[Entity] = []
        for kind in words.KINDS:  # two of each kind have a note, eleven languages in twenty English
            self.noted += self.rng.sample([one for one in self.cast if one.kind == kind], 2)
        self.aliased = {one.name for one in self.rng.sample(self.noted, 5)}

    def _some(self, kind: str, language: str, how_many: int) -> list[Entity]:
        held = [one for one in words.ENTITIES if (one.kind, one.language) == (kind, language)]
        return self.rng.sample(held, how_many)

    def share(self, full: int) -> int:
        return full if self.count >= FULL else max(1, round(full * self.count / FULL))

    def fresh(self, maker: str, language: str) -> str:
        """A value that neither holds nor is part of any other."""
        for _ in range(500):
            value = words.MAKERS[maker](self.rng, language)
            if not any(value in other or other in value for other in self.used):
                self.used.add(value)
                return value
        raise ValueError(f"no further {maker} can be made up")

    def token(self) -> str:
        while (made := f"{self.rng.choice(life.TOKENS)}-{self.rng.randint(110, 989)}") in self.used:
            pass
        self.used.add(made)
        return made

    def when(self, low: int, high: int) -> int:
        """The quietest of six days between the two."""
        high = min(high, self.count - 1)
        tried = [self.rng.randint(min(low, high), high) for _ in range(6)]
        found = min(tried, key=lambda day: self.load[day])
        self.load[found] += 1
        return found

    def fill(self, template: str, language: str, **slots: str) -> str:
        """The template with its slots, a person and small numbers; Chinese with or without blanks around Latin."""
        who = self.rng.choice([one for one in life.PEOPLE[language] if one not in slots.values()])
        if language == "zh" and self.rng.random() < 0.4:
            template = re.sub(r" ?(\{[ekvo]\}) ?", r"\1", template)
        text = template.format(p=who, m=self.rng.randint(2, 58), **{"e": "", **slots})
        if template.startswith("{k}"):
            text = text[:1].upper() + text[1:]
        return _GAP.sub("", text)

    def colour(self, language: str, most: int = 2) -> list[str]:
        return [self.fill(self.pick(life.COLOUR[language]), language) for _ in range(self.rng.randint(0, most))]

    def pick(self, options: tuple[Option, ...]) -> Option:
        """One of the options, each once before any comes again."""
        deck: list[Option] = self.decks.setdefault(options, [])
        if not deck:
            deck += self.rng.sample(options, len(options))
        return deck.pop()

    def language(self, share: float = 0.4) -> str:
        return "zh" if self.rng.random() < share else "en"

    def titled(self, entity: Entity, language: str) -> str:
        return self.fill(self.pick(life.TITLES[language][entity.kind]), language, e=entity.name)


class Facts:
    """The facts of a plan and how they are said."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.rng = plan, plan.rng
        self.asked: list[tuple[Fact, Entity, Key]] = []
        self.overtaken = self.restated = 0
        self.bundles: dict[tuple[str, str], list[Draft]] = defaultdict(list)

    def draw(self) -> None:
        """All facts: which change or are contradicted, their days, and a draft for every statement."""
        plan, total = self.plan, self.plan.share(FACTS)
        kinds = ["changed"] * plan.share(CHANGED) + ["contradicted"] * plan.share(CONTRADICTED)
        kinds += ["stable"] * (total - len(kinds))
        wordings = [WORDINGS[number % len(WORDINGS)] for number in range(total)]
        self.rng.shuffle(kinds)
        self.rng.shuffle(wordings)
        turn = [(place, one) for place in range(5) for one in plan.cast]
        before = {one.name for one in plan.noted}
        changes = 0
        for (place, entity), kind, wording in zip(turn, kinds, wordings, strict=False):
            key = plan.keys[entity.name][place]
            overtakes = kind == "stable" and entity.name in before and self.overtaken < plan.share(OVERTAKEN)
            before -= {entity.name} if overtakes else set()
            changes += kind == "changed"
            fact = self.begin(entity, key, "overtaken" if overtakes else kind, wording)
            self.live(fact, entity, key, changes)

    def begin(self, entity: Entity, key: Key, kind: str, wording: str) -> Fact:
        """A fact without a statement, but for the one in a note that it overtakes."""
        language = entity.language
        if kind != "overtaken" and self.rng.random() < 0.08:
            language = {"en": "zh", "zh": "en"}[language]
        fact = Fact(entity=entity.name, kind=kind, wording=wording, language=language, key=key.label[language])
        if kind == "overtaken":
            self.overtaken += 1
            fact.states = [State(value=self.plan.fresh(key.maker, language), how="note", wording="note")]
        self.asked.append((fact, entity, key))
        return fact

    def live(self, fact: Fact, entity: Entity, key: Key, number: int) -> None:
        """The statements of one fact over the month; every fourth change is followed by another."""
        last = self.plan.count - 1
        turns = {"changed": 2 if number % 4 == 0 else 1, "contradicted": 1}.get(fact.kind, 0)
        day = self.say(fact, entity, key, (0, last * 5 // 10 if turns else last - 1))
        for turn in range(turns):
            high = last * 8 // 10 if turns - turn == 2 else last
            back = fact.states[0].value if turn == 1 and number % 12 == 0 else ""
            day = self.say(fact, entity, key, (day + 2, max(day + 2, high)), back)
        if fact.kind == "stable" and self.restated < self.plan.share(RESTATED) and day < last - 3:
            self.restated += 1
            self.say(fact, entity, key, (day + 2, last), fact.states[0].value)

    def say(self, fact: Fact, entity: Entity, key: Key, days: tuple[int, int], value: str = "") -> int:
        """Draft the next statement of a fact on some day between the two; returns the day."""
        old = fact.states[-1].value if fact.states else ""
        value = value or self.plan.fresh(key.maker, fact.language)
        how = "first"
        if old:
            how = "restated" if value == old else "contradicted" if fact.kind == "contradicted" else "changed"
        wording = fact.wording if how == "first" or self.rng.random() < 0.5 else self.rng.choice(WORDINGS)
        state = State(value=value, how=how, wording=wording)
        fact.states.append(state)
        name = entity.name
        if entity.name in self.plan.aliased and wording != "grammar" and self.rng.random() < 0.3:
            name = entity.alias
        slots = {"e": name, "k": fact.key, "v": value, "o": old if how == "changed" else "", "own": entity.name}
        if wording == "grammar":
            return self.by_grammar(state, entity, fact.language, slots, days)
        day = self.plan.when(*days)
        state.said = self.sentence(fact, key, state, slots)
        title = wording == "title"
        lines = self.plan.colour(fact.language) if title else [state.said]
        draft = Draft(day, fact.language, state.said if title else "", lines, [state], loose=not title)
        draft.title = draft.title or self.plan.titled(entity, fact.language)
        self.plan.drafts.append(draft)
        return day

    def sentence(self, fact: Fact, key: Key, state: State, slots: dict[str, str]) -> str:
        """A statement in prose or as a title; contradicted and restated ones have no word of change."""
        plain = {"prose": words.SAY, "title": words.TITLE}[state.wording][fact.language]
        change = {"prose": words.CHANGE, "title": words.TITLE_CHANGE}[state.wording][fact.language]
        free = state.how == "first" and fact.kind != "contradicted"
        if state.how == "changed":
            template = self.plan.pick(change)
        elif free and state.wording == "prose" and self.rng.random() < 0.25:
            template = key.idiom[fact.language]
        elif free and state.wording == "title" and self.rng.random() < 0.35:
            template = self.plan.pick(tuple(one for one in change if "{o}" not in one))
        else:
            template = self.plan.pick(plain)
        text = self.plan.fill(template, fact.language, **slots)
        stop = {"en": ".", "zh": "。"}[fact.language]
        return text + stop if state.wording == "prose" and self.rng.random() < 0.3 else text

    def by_grammar(
        self, state: State, entity: Entity, language: str, slots: dict[str, str], days: tuple[int, int]
    ) -> int:
        """An entry with an `entity::` line and `key:: value`; up to three values of an entity share one."""
        state.said = f"{slots['k']}:: {slots['v']}"
        line = self.rng.choice(("", "- ")) + state.said
        held = self.bundles[entity.name, language]
        near = [draft for draft in held if days[0] <= draft.day <= days[1] and len(draft.marks) < 3]
        if state.how == "first" and near and self.rng.random() < 0.8:
            near[-1].lines.append(line)
            near[-1].marks.append(state)
            return near[-1].day
        title = self.plan.fill(self.plan.pick(words.GRAMMAR_TITLES[language]), language, e=entity.name)
        link = [f"- entity:: [[{entity.name}]]"]
        lines = [*link, line]
        if slots["o"]:
            lines += [self.plan.fill(self.plan.pick(words.WAS[language]), language, **slots)]
        else:
            lines = self.plan.colour(language, 1) + lines
        draft = Draft(self.plan.when(*days), language, title, lines, [state])
        self.plan.drafts.append(draft)
        if not slots["o"]:
            held.append(draft)
        return draft.day

    def doomed(self) -> tuple[str, str, str, int]:
        """(entity, key, value, day) of a further fact that a person will delete from its note."""
        entity = self.rng.choice([one for one in self.plan.cast if one not in self.plan.noted])
        key = self.plan.keys[entity.name].pop()
        fact = Fact(entity=entity.name, key=key.label[entity.language], language=entity.language, wording="prose")
        day = self.say(fact, entity, key, (1, self.plan.count * 6 // 10))
        return fact.entity, fact.key, fact.states[0].value, day
