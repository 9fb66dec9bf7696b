"""The rows: what each is called, how often it runs in full, and the function that runs it. Pure values."""

from dataclasses import dataclass

from memdir.evals.reliability import (
    crashes,
    damage,
    front,
    leaks,
    linear,
    paths,
    people,
    places,
    poison,
    power,
    processes,
    writers,
)
from memdir.evals.reliability.outcome import Row


@dataclass(frozen=True, slots=True)
class Line:
    """`full`: how many of `units` the whole row has. What is shown, and from where, is the function's docstring."""

    title: str
    full: int
    units: str
    run: Row

    @property
    def shows(self) -> str:
        """The docstring in one line."""
        return " ".join((self.run.__doc__ or "").split())


ROWS: dict[str, Line] = {
    "R1": Line("kill -9", 1_000, "kill points", crashes.kills),
    "R2": Line("random kills", 200, "kills", processes.watchers),
    "R3": Line("power cut, as a model", 1_000, "cuts", power.cuts),
    "R4": Line("eight writers of one log", 10_000, "lines a writer", writers.appends),
    "R5": Line("a person saves meanwhile", 3_000, "saves", writers.saves),
    "R6": Line("a night between people", 500, "orders", people.nights),
    "R7": Line("plans of what changed", 20_000, "triples", people.plans),
    "R8": Line("hostile front matter", 50_000, "files", front.roundtrip),
    "R9": Line("failing calls", 3_000, "failed calls", crashes.faults),
    "R10": Line("a damaged index", 500, "damages", damage.damages),
    "R11": Line("four processes", 120, "seconds", processes.together),
    "R12": Line("locks", 500, "locks", processes.locks),
    "R13": Line("clocks", 300, "clocks", people.clocks),
    "R14": Line("going on and on", 100_000, "operations", processes.soak),
    "R16": Line("folders that are away", 150, "disappearances", places.away),
    "R17": Line("restoring", 100, "drills", places.drills),
    "S1": Line("paths that lead out", 2_000, "payloads", paths.escapes),
    "S2": Line("YAML bombs", 300, "files", front.bombs),
    "S3": Line("texts that patterns run away on", 150, "texts", linear.growth),
    "S4": Line("archives", 100, "archives", leaks.archives),
    "S6": Line("poisoned texts", 500, "texts", poison.poisoned),
    "S7": Line("secrets", 1_000, "lines", leaks.leaked),
    "S8": Line("permissions", 2, "umasks", leaks.modes),
    "S9": Line("a planted index", 24, "verbs and places", damage.planted),
}
