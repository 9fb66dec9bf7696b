"""A vault of made-up notes to measure on, the same for the same seed, and the questions whose answers are known.

Notes of 150 to 300 words with front matter, links and tags, every twentieth in Chinese or Japanese. Each holds
one fact that no other note holds. Writes into the folder it is given; a note is made from its number alone, so
that any of them may be asked for without the others.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path

from memdir.evals import words
from memdir.evals.questions import Query

SHARE = 20  # one note in so many is Chinese or Japanese
WANTED = {"exact": 15, "natural": 15, "cjk": 10, "ident": 5, "typo": 5}
_TYPES = ("project",) * 9 + ("feedback",) * 4 + ("ref",) * 4 + ("user",) * 3
_IMPORTANCE = ("low", "medium", "medium", "high")


@dataclass(frozen=True)
class Made:
    """Note number `number` of the corpus that `seed` and `count` name."""

    seed: int
    count: int
    number: int

    @cached_property
    def slots(self) -> dict[str, str]:
        """What the fact of the note says, by part."""
        rng = random.Random(f"{self.seed}/{self.number}")
        said = words.SAID[self.language]
        place = words.place(self.language, random.Random(f"{self.seed}/place/{rng.randrange(self._places)}"))
        code = self.code
        key = f"{rng.choice(words.KEYS)}_{rng.choice(words.UNITS)}"
        return {
            "place": place,
            "device": rng.choice(said.devices),
            "material": rng.choice(said.materials),
            "reason": rng.choice(said.reasons),
            "person": f"{rng.choice(words.FIRST)} {rng.choice(words.LAST)}",
            "key": key,
            "code": str(code),
            "ident": f"{(place if place.isascii() else key)[:4].upper()}-{code}",
        }

    @property
    def _places(self) -> int:
        return max(40, self.count // 6)

    @property
    def code(self) -> int:
        """A number that no other note of the corpus has: 7,919 and 99,991 are primes."""
        return 10_007 + (self.number * 7_919 + self.seed) % 99_991

    @property
    def language(self) -> str:
        if self.number % SHARE != 7:
            return "en"
        return "zh" if self.number // SHARE % 2 == 0 else "ja"

    @cached_property
    def type(self) -> str:
        return random.Random(f"{self.seed}/type/{self.number}").choice(_TYPES)

    @property
    def name(self) -> str:
        return words.SAID[self.language].name.format(**self.slots)

    @property
    def path(self) -> str:
        return f"{self.type}/{self.name.lower().replace(' ', '-')}.md"

    @property
    def fact(self) -> str:
        return words.SAID[self.language].fact.format(**self.slots)

    def question(self, kind: str) -> str:
        """The note asked for as `kind`: exact, natural, cjk, ident or typo."""
        slots = self.slots
        if kind == "ident":
            return slots["ident"]
        if kind == "exact":
            return f"{slots['place']} {slots['device']} {slots['material']} {slots['ident']}"
        if kind == "typo":
            rng = random.Random(f"{self.seed}/typo/{self.number}")
            first, _, rest = slots["device"].partition(" ")
            return f"{_typo(slots['place'], rng)} {_typo(first, rng)} {rest} {slots['code']}"
        return words.SAID[self.language].question.format(first=slots["person"].split()[0], **slots)

    def text(self) -> str:
        """The whole file."""
        rng = random.Random(f"{self.seed}/text/{self.number}")
        said = words.SAID[self.language]
        day = date(2024, 1, 1) + timedelta(days=rng.randrange(900))
        lines = [
            "---",
            f"name: {self.name}",
            f"type: {self.type}",
            f"tags: [{', '.join(rng.sample(words.TAGS, rng.randint(2, 4)))}]",
            f"created: {day}",
            f"updated: {day + timedelta(days=rng.randrange(60))}",
            f"importance: {rng.choice(_IMPORTANCE)}",
            *([f"aliases: [{self.slots['ident']}]"] if rng.random() < 0.3 else []),
            "---",
            f"# {self.name}",
            "",
            self.fact,
            "",
        ]
        size, target, part = said.size("\n".join(lines)), rng.randint(*said.sizes), 0
        while size < target:
            if part % 3 == 2:
                lines += [f"## {rng.choice(said.headings)}", ""]
            paragraph = self._paragraph(rng)
            lines += [f"- {paragraph}" if rng.random() < 0.2 else paragraph, ""]
            size += said.size(paragraph)
            part += 1
        return "\n".join(lines).rstrip() + "\n"

    def _paragraph(self, rng: random.Random) -> str:
        said = words.SAID[self.language]
        said_once = rng.sample(said.sentences, 2)
        other = Made(self.seed, self.count, rng.randrange(self.count)).slots
        text = said.joint.join(sentence.format(**other) for sentence in said_once)
        if rng.random() < 0.45:
            text += f" [[{Made(self.seed, self.count, rng.randrange(self.count)).name}]]"
        return f"{text} #{rng.choice(words.TAGS)}" if rng.random() < 0.2 else text


def _typo(word: str, rng: random.Random) -> str:
    """The word with two unlike neighbours exchanged, not at its ends where it is long enough."""
    places = [n for n in range(1, len(word) - 2) if word[n] != word[n + 1]]
    if not places:
        return word
    at = rng.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def notes(count: int, seed: int) -> Iterator[Made]:
    return (Made(seed, count, number) for number in range(count))


def write(root: Path, count: int, seed: int) -> list[Query]:
    """Write the corpus below `root`; returns questions of every kind but `phrase`, those that one note answers."""
    for folder in sorted(set(_TYPES)):
        (root / folder).mkdir(parents=True, exist_ok=True)
    asked: Counter[str] = Counter()
    for made in notes(count, seed):
        (root / made.path).write_text(made.text(), encoding="utf-8")
        asked[_topic(made)] += 1
    return _questions([n for n in range(count) if asked[_topic(Made(seed, count, n))] == 1], count, seed)


def _topic(made: Made) -> str:
    """Notes with the same topic answer the same question."""
    return " ".join(made.slots[part] for part in ("place", "device", "material"))


def _questions(numbers: list[int], count: int, seed: int) -> list[Query]:
    rng = random.Random(f"{seed}/questions")
    chosen = [Made(seed, count, number) for number in numbers]
    groups = {
        "en": [made for made in chosen if made.language == "en"],
        "cjk": [made for made in chosen if made.language != "en"],
    }
    found = []
    for kind, wanted in WANTED.items():
        group = groups["cjk" if kind == "cjk" else "en"]
        for made in rng.sample(group, min(wanted, len(group))):
            found.append(Query(kind, made.question(kind), made.path))
    return found


def edit(root: Path, paths: Sequence[str], how_many: int, turn: int) -> list[str]:
    """Append a sentence to `how_many` of the files, other ones each turn; returns which."""
    chosen = random.Random(f"edit/{turn}").sample(sorted(paths), min(how_many, len(paths)))
    for number, path in enumerate(chosen):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"\nAdded in turn {turn}: the reading was {turn * 1_000 + number} on the second day.\n")
    return chosen
