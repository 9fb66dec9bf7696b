"""Made-up conversations to measure on, the same for the same seed, and questions about single turns.

Sessions of SIZE turns between two people about harbour instruments. Each turn holds one fact that no other holds: a
key, a number and a name. Writes the file of turns that it is asked for.
"""

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memdir.evals import words
from memdir.evals.questions import Query

SIZE = 60  # turns of a session
ASKED = 40
_BEGIN = datetime(2024, 1, 8, 8, tzinfo=UTC)
_FORMS = (
    "I looked at the {key} of {place} again: {number} {unit}. {name} says it held all {season}.",
    "{name} rang about {place}. The {key} should be {number} {unit} from now on, not what the {tag} says.",
    "Remember that {place} had trouble with its {key}? We set it to {number} {unit} after the {tag}.",
    "No, the {tag} is fine. What worries me is the {key} at {place}, {number} {unit} and nobody but {name} knows why.",
    "Could you write down that {name} wants {number} {unit} for the {key} of {place}? It came up in the {tag}.",
)
_SEASONS = ("winter", "spring", "summer", "autumn")


def write(file: Path, turns: int, seed: int) -> list[Query]:
    """Write the turns as JSON Lines; returns questions, each with the session file that answers it."""
    chance = random.Random(seed)
    asked = set(chance.sample(range(turns), min(ASKED, turns)))
    found = []
    with file.open("w", encoding="utf-8") as out:
        for number in range(turns):
            slots = _slots(chance, number)
            session, when = f"talk-{seed}-{number // SIZE:05d}", _BEGIN + timedelta(minutes=17 * number)
            path = f"memory/sessions/{_started(number):%Y/%m}/{session}.md"
            turn = {
                "session_id": session, "speaker": slots["speaker"], "ts": when.isoformat(), "uuid": f"{seed}-{number}",
                "text": chance.choice(_FORMS).format(**slots), "path": path,
            }  # fmt: skip
            out.write(json.dumps(turn) + "\n")
            if number in asked:
                found.append(Query("turn", f"{slots['key']} {slots['place']} {slots['number']}", path))
    return found


def _started(number: int) -> datetime:
    return _BEGIN + timedelta(minutes=17 * (number - number % SIZE))


def _slots(chance: random.Random, number: int) -> dict[str, str]:
    return {
        "key": chance.choice(words.KEYS).replace("_", " "),
        "unit": chance.choice(words.UNITS),
        "tag": chance.choice(words.TAGS),
        "season": chance.choice(_SEASONS),
        "name": f"{chance.choice(words.FIRST)} {chance.choice(words.LAST)}",
        "place": words.place("en", chance),
        "number": str(1_000 + number),
        "speaker": words.FIRST[(number // SIZE) % len(words.FIRST)] if number % 2 else "Me",
    }
