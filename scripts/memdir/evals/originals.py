"""Public benchmarks in the form in which they are published → the neutral form of `dataset`.

LoCoMo (`locomo10.json`): a list of conversations with numbered sessions and `qa`. LongMemEval (`longmemeval_*.json`):
a list of questions, each with a haystack of sessions, which becomes a store of its own. Writes the two files of a
new set.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memdir.errors import BadData, UsageError
from memdir.evals.dataset import QUERIES, TURNS

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(slots=True)
class Neutral:
    """Records of a set in the making. `dropped`: answerable questions whose evidence is nowhere."""

    turns: list[dict[str, Any]] = field(default_factory=list)
    queries: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def ask(self, query: dict[str, Any], evidence: list[str], *, abstain: str) -> None:
        """Add a question; what would be the evidence of an unanswerable one only tempts."""
        if not evidence and not abstain:
            self.dropped.append(query["id"])
            return
        gold, near = ([], {"near_turn_ids": evidence}) if abstain else (evidence, {})
        self.queries.append({**query, "gold_turn_ids": gold, "abstain": abstain or False, **near})


def convert(kind: str, file: Path, folder: Path) -> Neutral:
    """Write the set that a published file holds into a folder. Raises BadData, UsageError."""
    if any((folder / name).exists() for name in (TURNS, QUERIES)):
        raise UsageError(f"{folder} holds a set already; name another folder")
    try:
        made = READERS[kind](json.loads(file.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{file}: not the published form of {kind}: {type(error).__name__}: {error}") from error
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in ((TURNS, made.turns), (QUERIES, made.queries)):
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in records)
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return made


def locomo(data: list[dict[str, Any]]) -> Neutral:
    made = Neutral()
    for sample in data:
        corpus, spoken = sample["sample_id"], sample["conversation"]
        numbers = sorted(int(key[8:]) for key in spoken if re.fullmatch(r"session_\d+", key))
        last = ""
        for number in numbers:
            last = _moment(spoken[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            for turn in spoken[f"session_{number}"]:
                made.turns.append(_locomo_turn(turn, {"corpus": corpus, "session_id": f"s{number}"}, last))
        held = {turn["turn_id"] for turn in made.turns if turn["corpus"] == corpus}
        for number, asked in enumerate(sample["qa"]):
            category = CATEGORIES[asked["category"]]
            query = {"id": f"{corpus}/q{number}", "corpus": corpus, "query": asked["question"], "ts": last}
            answer = {"answer": str(asked["answer"])} if "answer" in asked else {}
            abstain = category if category == "adversarial" else ""
            ids = _evidence(asked.get("evidence", []))
            found = [one for one in dict.fromkeys(ids) if one in held]
            made.ask({**query, "category": category, **answer}, found, abstain=abstain)
    return made


def _locomo_turn(turn: Mapping[str, Any], head: Mapping[str, str], moment: str) -> dict[str, Any]:
    caption = turn.get("blip_caption", "")
    said = turn["text"] or caption or "…"
    record = {**head, "turn_id": turn["dia_id"], "ts": moment, "speaker": turn["speaker"], "text": said}
    return record | ({"caption": caption} if caption else {})


def _evidence(listed: list[str]) -> Iterator[str]:
    """Turns named in evidence, of which some is written `D8:6; D9:17` or `D30:05`."""
    for session, turn in _EVIDENCE.findall(" ".join(listed)):
        yield f"D{int(session)}:{int(turn)}"


def longmemeval(data: list[dict[str, Any]]) -> Neutral:
    made = Neutral()
    for one in data:
        id, evidence, seen = one["question_id"], list[str](), Counter[str]()
        haystack = zip(one["haystack_session_ids"], one["haystack_dates"], one["haystack_sessions"], strict=True)
        for session, day, turns in haystack:
            seen[session] += 1  # a filler session may come twice
            name = session if seen[session] == 1 else f"{session}#{seen[session]}"
            head = {"corpus": id, "session_id": name, "ts": _longmemeval_moment(day)}
            for number, turn in enumerate(turns):
                if turn["content"].strip():
                    turn_id = f"{name}:t{number}"
                    said = {"turn_id": turn_id, "speaker": turn["role"], "text": turn["content"]}
                    made.turns.append(head | said)
                    evidence += [turn_id] if turn.get("has_answer") else []
        abstain = "abstention" if id.endswith("_abs") else ""
        category = abstain or one["question_type"].replace("single-session", "ss").replace("-", "_")
        query = {"id": f"lme/{id}", "corpus": id, "query": one["question"], "category": category}
        query |= {"ts": _longmemeval_moment(one["question_date"]), "answer": str(one["answer"])}
        made.ask(query, evidence, abstain=abstain)
    return made


def _longmemeval_moment(shown: str) -> str:
    return _moment(re.sub(r" \(\w+\)", "", shown), "%Y/%m/%d %H:%M")


def _moment(shown: str, form: str) -> str:
    return f"{datetime.strptime(shown.strip(), form):%Y-%m-%dT%H:%M}"


READERS: dict[str, Callable[[list[dict[str, Any]]], Neutral]] = {"locomo": locomo, "longmemeval": longmemeval}
