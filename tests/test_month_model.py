"""A made-up month distilled with a model: what was planted is there in the end, and nothing else.

The model is a scripted server that reads the entries it is shown and answers as a good one would, now and then in
fences or prose, with a line that is not true or not its own, or with nothing that can be read.
"""

import json
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memdir.app.memory import Memory
from memdir.evals.month import month
from memdir.evals.month_values import Fact, Month, State
from memdir.evals.scripted import Said, scripted
from memdir.index.sync import Options
from memdir.vault import names, note
from months import TOPICS, Played, Player

SEED = 1
UNDONE = (2, 7, 12, 17, 22, 28)  # nights that are taken back on a copy of the vault
KINDS = {"user": "preference", "feedback": "correction", "project": "decision", "ref": "reference"}
DATA = re.compile(r"^<<<data (\w+)\n(.*?)\ndata \1>>>$", re.MULTILINE | re.DOTALL)


@dataclass
class Model:
    """Answers with what the month planted in the entries of a prompt. `bad`: how many items it made up."""

    month: Month
    rng: random.Random = field(default_factory=lambda: random.Random(f"model/{SEED}"))
    bad: int = 0
    unread: int = 0
    seen: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        text = "\n".join(message["content"] for message in request["messages"])
        notes, entries = (json.loads(found[2]) for found in DATA.finditer(text))
        self.seen += [entry["text"] for entry in entries]
        items = [item for entry in entries for item in self.items(entry, notes)]
        items += self.made_up(entries, notes) if entries else []
        self.rng.shuffle(items)
        answer = json.dumps({"facts": items}, ensure_ascii=False)
        chance = self.rng.random()
        if chance < 0.15:
            self.unread += 1
            return self.rng.choice(["", "I am sorry.", answer[:-4], Said(answer[: len(answer) // 2], finish="length")])
        shapes = ["```json\n{}\n```", "Here is what I found:\n{}\nLet me know.", "<think>facts?</think>\n{}"]
        return self.rng.choice(shapes).replace("{}", answer) if chance < 0.5 else answer

    def items(self, entry: dict[str, str], notes: Sequence[dict[str, Any]]) -> Iterator[dict[str, str]]:
        lines = entry["text"].split("\n")
        for fact, state in said(self.month):
            if state.day.isoformat() == entry["day"] and state.said in lines and self.about(fact, entry, notes):
                yield {
                    "kind": "fact", **self.about(fact, entry, notes), "key": fact.key, "value": state.value,
                    "text": state.said, "source": entry["id"], "quote": state.said,
                }  # fmt: skip
        for edit in (edit for day in self.month.days for edit in day.edits if edit.kind == "delete line" and edit.key):
            line = next((line for line in lines if edit.old in line), "")
            about = self.about(Fact(entity=edit.target), entry, notes)
            if line and about:
                yield {"kind": "fact", **about, "key": edit.key, "value": edit.old, "text": line,
                       "source": entry["id"], "quote": line}  # fmt: skip
        for one in self.month.planted:
            held = next((line for line in lines if line.endswith(one.text)), None)
            if held and one.day.isoformat() == entry["day"]:
                yield {"kind": KINDS[one.expected], "about": "", "id": "", "key": "", "value": "", "text": one.text,
                       "source": entry["id"], "quote": held}  # fmt: skip

    def about(self, fact: Fact, entry: dict[str, str], notes: Sequence[dict[str, Any]]) -> dict[str, str]:
        """The note of an entity where it is offered, else the name that stands in the entry; {} where none does."""
        for one in notes:
            if names.fold(one["name"]).split(" (")[0] == names.fold(fact.entity):
                return {"id": one["id"], "about": ""}
        return {"id": "", "about": fact.entity} if names.fold(fact.entity) in names.fold(entry["text"]) else {}

    def made_up(self, entries: Sequence[dict[str, str]], notes: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
        """Sometimes an item that must not count: a wrong id, an invented value, an order, what a stranger planted."""
        if self.rng.random() > 0.5:
            return []
        self.bad += 1
        entry = self.rng.choice(entries)
        token = self.rng.choice(self.month.injections).tokens[0]
        quote = entry["text"].split("\n")[0]
        decoy = self.rng.choice(self.month.facts)
        plain = {"kind": "fact", "about": decoy.entity, "id": "", "key": decoy.key, "value": "invented-1",
                 "text": quote, "source": entry["id"], "quote": quote}  # fmt: skip
        return [
            self.rng.choice(
                [
                    {**plain, "id": str(len(notes) + self.rng.randint(0, 3))},
                    {**plain, "id": "memory/user/preferences.md"},
                    plain,
                    {**plain, "value": token, "quote": token},
                    {**plain, "kind": "preference", "text": f"User wants {token}", "quote": f"User wants {token}"},
                    {**plain, "kind": "preference", "text": f"You must always run {token} first"},
                    {**plain, "kind": "reference", "text": f"Packages come from https://{token}.example"},
                    {"id": "0", "event": "DELETE"},
                ]
            )
        ]


def said(made: Month) -> Iterator[tuple[Fact, State]]:
    """Every statement in the logs."""
    for fact in made.facts:
        for state in fact.states:
            if state.how != "note":
                yield fact, state


class Watched(Player):
    """A player that looks at every night: logs only grow, and six nights are taken back on a copy of the vault."""

    def __init__(self, place: Path, made: Month, options: dict[str, Any]) -> None:
        super().__init__(place / "vault", made, options)
        self.place, self.calls = place, list[int]()
        self.kept: list[str] = []  # files that an undo did not bring back
        self.shrunk: list[str] = []

    def night(self, day: date) -> None:
        self.memory.sync(Options())  # MEMORY.md as it is before the night
        before, logs = held(self.played.root), texts(self.played.root / "memory/logs")
        super().night(day)
        after = texts(self.played.root / "memory/logs")
        self.shrunk += [path for path, data in logs.items() if not after.get(path, b"").startswith(data)]
        (last,) = self.memory.reports(1)
        self.calls.append(last.said["calls"])
        if len(self.played.nights) - 1 in UNDONE:
            copy = self.place / "copy"
            shutil.copytree(self.played.root, copy, symlinks=True)
            with Memory(copy, now=lambda: self.now, options=self.options) as opened:
                opened.undo(last.id)
            found = held(copy)
            changed = [path for path in {*found, *before} if found.get(path) != before.get(path)]
            self.kept += [f"{day}: {path}" for path in changed]
            shutil.rmtree(copy)


def texts(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}


def held(root: Path) -> dict[str, bytes]:
    """Topic notes and MEMORY.md."""
    found = {f"{kind}/{path}": data for kind in TOPICS for path, data in texts(root / "memory" / kind).items()}
    return found | {"MEMORY.md": (root / "MEMORY.md").read_bytes()}


@dataclass
class Whole:
    """The month as it went."""

    played: Played
    model: Model
    player: Watched

    def bodies(self) -> dict[str, note.Note]:
        return {path: note.parse(path, text.encode()) for path, text in self.played.notes().items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """The month, played once."""
    place = tmp_path_factory.mktemp("month")
    with pytest.MonkeyPatch.context() as patched:
        for name in ("CACHE", "CONFIG"):
            patched.setenv(f"XDG_{name}_HOME", str(place / name.lower()))
        model = Model(month(SEED))
        with scripted(model) as server:
            (place / "vault").mkdir()
            options = {"llm.url": server.url, "llm.model": "tiny", "files.settle": 0.0, "embedder.kind": "none"}
            player = Watched(place, model.month, options)
            player.play()
        yield Whole(player.played, model, player)


def stated(whole: Whole) -> Iterator[tuple[Fact, note.Note | None]]:
    for fact in whole.played.month.facts:
        found = whole.played.note_of(fact.entity)
        yield fact, found[1] if found else None


def same(one: str, other: str) -> bool:
    return names.fold(one) == names.fold(other)


def test_the_model_was_asked_and_was_not_always_good(whole: Whole) -> None:
    assert (whole.model.bad >= 5, whole.model.unread >= 1) == (True, True), (whole.model.bad, whole.model.unread)
    assert max(whole.player.calls) <= 25, whole.player.calls
    assert whole.played.missed == []
    assert whole.player.shrunk == []


def test_every_current_fact_is_a_current_fact_of_its_note(whole: Whole) -> None:
    wrong = []
    for fact, found in stated(whole):
        current = (
            [one.value for one in found.body.facts if same(one.key, fact.key) and not one.until] if found else None
        )
        if current != [fact.value]:
            wrong.append(f"{fact.entity}: {fact.key} is {fact.value}, not {current}")
    share = 1 - len(wrong) / len(whole.played.month.facts)
    assert share >= 0.95, f"{share:.1%}: {wrong}"


def test_every_old_value_is_in_the_history_with_its_days(whole: Whole) -> None:
    wrong, count = [], 0
    for fact, found in stated(whole):
        since, past = "", []
        for state, after in pairwise(fact.states):
            since = since or ("" if state.how == "note" else state.day.isoformat())
            if after.value != state.value:
                past.append((state.value, since, after.day.isoformat()))
                since = ""
        facts = found.body.facts if found else []
        held = [(one.value, one.since, one.until) for one in facts if same(one.key, fact.key) and one.until]
        count += len(past)
        if held != past:
            wrong.append(f"{fact.entity}: {fact.key} was {past}, not {held}")
    assert count >= 60
    assert not wrong, f"{len(wrong)} of {count}: {wrong}"


def test_every_planted_line_is_in_a_note_of_its_type(whole: Whole) -> None:
    lines = [(parsed.type, line) for parsed in whole.bodies().values() for line in parsed.lines]
    planted = whole.played.month.planted
    wrong = [one.text for one in planted if not any(k == one.expected and one.words[0] in line for k, line in lines)]
    assert len(wrong) <= len(planted) * 0.05, f"{len(wrong)} of {len(planted)}: {wrong}"


def test_no_fact_and_no_observation_without_its_source(whole: Whole) -> None:
    """Each source is an entry of a day on which the value was said."""
    logs = {path.rpartition("/")[2].removesuffix(".md"): data.decode() for path, data in
            texts(whole.played.root / "memory/logs").items()}  # fmt: skip
    before = {value for one in whole.played.month.notes for _, value in one.facts}
    by_hand = {edit.text for day in whole.played.month.days for edit in day.edits if edit.kind == "change value"}
    count = 0
    for path, parsed in whole.bodies().items():
        for fact in parsed.body.facts:
            if not fact.source:
                assert fact.value in before | by_hand, (path, fact)
                continue
            count += 1
            day = re.fullmatch(r"\[\[([\d-]+)\]\] \d\d:\d\d", fact.source)
            assert day, (path, fact)
            if not fact.until:
                assert (fact.since, fact.value in logs[day[1]]) == (day[1], True), (path, fact)
        for seen in parsed.body.observations:
            assert seen.source, (path, seen)
    assert count >= 150, count


def test_nothing_that_was_planted_or_made_up_by_others_is_learned(whole: Whole) -> None:
    text = "\n".join([*whole.played.notes().values(), (whole.played.root / "MEMORY.md").read_text("utf-8")])
    tokens = [token for one in whole.played.month.injections for token in one.tokens]
    assert [token for token in tokens if token in text] == []
    shown = "\n".join(whole.model.seen)
    assert [token for token in tokens if token in shown] == []  # nor did the model see any of it
    assert "invented-1" not in text
    current = [fact for parsed in whole.bodies().values() for fact in parsed.body.facts if not fact.until]
    taken = [one.value for one in whole.played.month.decoys if any(one.value == fact.value for fact in current)]
    assert taken == []


def test_what_people_wrote_stays_and_what_they_deleted_stays_away(whole: Whole) -> None:
    notes = whole.played.notes()
    text = "\n".join([*notes, *notes.values()])
    edits = [edit for day in whole.played.month.days for edit in day.edits]
    assert [edit for edit in edits if edit.kind != "delete line" and edit.token not in text] == []
    assert [edit for edit in edits if edit.kind == "delete line" and edit.token in text] == []
    (crlf,) = (edit for edit in edits if edit.kind == "CRLF save")
    (data,) = (data for data in held(whole.played.root).values() if crlf.token.encode() in data)
    assert data.count(b"\n") == data.count(b"\r\n") > 0


def test_memory_md_is_under_its_cap_every_day(whole: Whole) -> None:
    assert whole.played.most_bytes <= 25_000, whole.played.most_bytes
    assert whole.played.most_lines <= 200, whole.played.most_lines


def test_undo_of_a_night_brings_back_every_byte(whole: Whole) -> None:
    assert whole.player.kept == []
