"""A vault's own messages, sampled, judged and asked again, over four weeks in which notes change, move and merge."""

import io
import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from driver import Run
from memdir.app import own
from memdir.app.memory import Memory
from memdir.evals.scripted import scripted
from memdir.vault import draft

FIRST = datetime.fromisoformat("2026-10-05T08:00:00+02:00")
DAYS = 28
# Subject → what its note says, and what is asked about it.
SUBJECTS = {
    "Heron deploy": ("The heron deploy listens on port 7431.", "Which port did we give the heron deploy?"),
    "Otter host": ("Otter stands in rack 4 of the old room.", "In which rack is our otter host again?"),
    "Kestrel broker": (
        "Kestrel runs NATS with a limit of 4 MB a message.",
        "What message limit did we set on kestrel?",
    ),
    "Dentist": ("The dentist is Dr. Pinas on the Bergweg.", "Who is my dentist?"),
    "苍鹭值班": ("苍鹭服务的值班电话是四位短号 8842。", "苍鹭服务的值班电话是多少"),
    "Bicycle": ("The bicycle key hangs behind the meter.", "Where did I put the bicycle key?"),
    "Choir": ("Rehearsal of the choir is on Tuesday at eight.", "When does our choir rehearse?"),
}
KEYS = {"Otter host": "rack 4", "苍鹭值班": "8842"}  # by which an answer is known, where it is not the last word
TALK = ("Thanks!", "explain what a port is", "ok")


class Life:
    """Four weeks in one vault. `seen`: the moment of each conversation and the files as they were then."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = FIRST
        self.memory = Memory(root, now=lambda: self.now)
        self.seen: list[tuple[str, dict[str, bytes]]] = []

    def live(self, days: int = DAYS) -> None:
        for name, (body, _) in SUBJECTS.items():
            self.memory.new(draft.NewNote(name, "ref", body))
        for day in range(days):
            self.now = FIRST + timedelta(days=day)
            self._happens(day)
            self.memory.log(f"Day {day}", ["Nothing broke", "outcome:: success"])
            self.now += timedelta(hours=2)
            self._talk(day)
            self.now += timedelta(hours=3)
            self.memory.log(f"Evening of day {day}", ["Went home"])

    def _happens(self, day: int) -> None:
        """What becomes of notes: edited, moved, copied and merged, archived, taken back, written by hand."""
        if day == 6:
            self.memory.fact_set("Heron deploy", "port", "8080")
        if day == 9:
            self.memory.move("memory/ref/heron-deploy.md", "memory/project/heron-service.md")
        if day == 11:
            self.by_hand("memory/ref/otter-host 2.md", "---\nname: Otter host\ntype: ref\ncreated: 2026-10-16\n---\n"
                         "Otter host: rack 4, slot 9.\n")  # fmt: skip
        if day == 16:
            self.memory.merge_conflicts(["memory/ref/otter-host 2.md"])
        if day == 18:
            self.memory.archive(["Bicycle"])
        if day == 20:
            done = self.memory.set("Choir", {"importance": "high"})
            self.now += timedelta(minutes=30)
            self.memory.undo(done.run)
        if day == 23:
            (self.root / "memory/ref/dentist.md").unlink()

    def by_hand(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, "utf-8")
        os.utime(self.root / path, (self.now.timestamp(),) * 2)

    def _talk(self, day: int) -> None:
        asked = [question for _, question in SUBJECTS.values()]
        said = [asked[(2 * day) % len(asked)], TALK[day % len(TALK)], asked[(2 * day + 1) % len(asked)]]
        lines = []
        for number, text in enumerate(said):
            at = self.now + timedelta(minutes=number)
            for speaker, words in (("user", text), ("assistant", "Let me see.")):
                lines.append({"session_id": f"day-{day}", "speaker": speaker, "text": words, "ts": at.isoformat()})
        self.seen.append((self.now.isoformat(), self._files()))
        self.now += timedelta(minutes=5)
        self.memory.ingest(io.BytesIO("\n".join(map(json.dumps, lines)).encode()), source="chat")

    def _files(self) -> dict[str, bytes]:
        paths = [*self.root.rglob("*.md"), *self.root.rglob("*.toml")]
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes() for path in paths if ".memdir" not in path.parts
        }


@pytest.fixture
def life(vault: Callable[..., Path]) -> Iterator[Life]:
    lived = Life(vault())
    lived.live()
    yield lived
    lived.memory.close()


def test_every_moment_comes_back_as_it_was_and_moves_are_followed(life: Life) -> None:
    past = life.memory.past()
    for ts, files in life.seen:
        tree = past.at(datetime.fromisoformat(ts).timestamp() - 1)
        then = {path: data for path, data in tree.files.items() if not path.startswith("memory/ledger/")}
        assert {*then} == {*files} - {"memory/ref/dentist.md"}, ts  # its text went with a person's deletion
        for path, data in then.items():
            assert data == files[path], (ts, path)
        assert tree.unsure == ["memory/ref/dentist.md"]
    assert past.follow("memory/ref/heron-deploy.md") == "memory/project/heron-service.md"
    assert past.follow("memory/ref/otter-host 2.md") == "memory/ref/otter-host.md"
    assert past.follow("memory/ref/bicycle.md") == "memory/archive/ref/bicycle.md"
    assert past.follow("memory/ref/choir.md") == "memory/ref/choir.md"


def judge_all(life: Life, run: Run) -> dict[str, str]:
    """A person at work: the note that answers, wherever it stands in what came; returns the words by message."""
    words: dict[str, str] = {}
    at = life.now.isoformat()
    answers = {question: KEYS.get(name) or body.split()[-1].strip(".。") for name, (body, question) in SUBJECTS.items()}
    shown = run("eval", "judge", "--json", vault=life.root, MEMDIR_NOW=at).json
    while shown["message"]:
        message = shown["message"]
        hits = [n for n, one in enumerate(shown["came"], 1) if answers[message["text"]] in one["quote"]
                and "sessions" not in one["id"]]  # fmt: skip
        words[message["id"]] = ",".join(map(str, hits)) or "n"
        shown = run("eval", "judge", message["id"], words[message["id"]], "--json", vault=life.root, MEMDIR_NOW=at).json
    return words


def test_a_life_is_sampled_judged_and_asked_again(life: Life, run: Run) -> None:
    at = life.now.isoformat()
    report = run("eval", "own", "--json", vault=life.root, MEMDIR_NOW=at).json
    assert report["samples"] == [
        {"day": "2026-11-01", "messages": 50, "gone": 0, "judged": 0, "by_model": 0, "open": 50}
    ]
    assert (report["due"], report["waiting"]) == ("2026-11-15", 6)
    assert report["figures"]["then"] == {}

    words = judge_all(life, run)
    assert len(words) == 50
    report = run("eval", "own", "--json", vault=life.root, MEMDIR_NOW=at).json
    assert (report["judged"], report["samples"][0]["open"]) == (50, 0)
    assert report["useful"] == sum(word != "n" for word in words.values()) >= 35
    then, now = report["figures"]["then"], report["figures"]["now"]
    assert then["any@10"] == then["share@10"] == 1.0  # what was judged comes back of the vault as it was
    assert then["MRR"] >= now["MRR"] > 0.5
    by_path: dict[str, list[Any]] = {}
    for row in report["rows"]:
        for id_, rank in zip(row["useful"], row["now"], strict=True):
            by_path.setdefault(id_.rpartition(":")[0], []).append(rank)
    for moved in ("memory/ref/heron-deploy.md", "memory/ref/otter-host 2.md"):
        assert None not in by_path[moved], moved
    assert set(by_path.get("memory/ref/dentist.md", [None])) == {None}
    assert "100.0" in run("eval", "own", vault=life.root, MEMDIR_NOW=at).out
    # A later word replaces the one before, and can be taken back; what is forgotten leaves the sample.
    one = life.memory.samples().held[0].messages[0]
    later = (life.now + timedelta(minutes=1)).isoformat()
    assert run("eval", "judge", one.id, "nonsense", vault=life.root, MEMDIR_NOW=at).code == 2
    assert run("eval", "judge", "chat:nobody^t1", "n", vault=life.root, MEMDIR_NOW=at).code == 3
    assert one.text in run("eval", "judge", one.id, vault=life.root, MEMDIR_NOW=at).out
    before = life.memory.samples().held[0].verdicts[one.id].useful
    assert run("eval", "judge", one.id, "n", vault=life.root, MEMDIR_NOW=later).code == 0
    assert life.memory.samples().held[0].verdicts[one.id].useful == () != before
    assert one.text not in "".join(path.read_text("utf-8") for path in life.root.glob("memory/ledger/*.jsonl"))
    latest = run("runs", "--all", "--json", vault=life.root).json["runs"][0]
    assert (latest["verb"], run("undo", latest["id"], vault=life.root, MEMDIR_NOW=later).code) == ("judge", 0)
    assert life.memory.samples().held[0].verdicts[one.id].useful == before
    life.memory.forget(one.session, yes=True)
    assert life.memory.samples().held[0].gone >= 1


def test_few_messages_are_told(vault: Callable[..., Path], run: Run) -> None:
    root = vault()
    assert run("eval", "own", vault=root).code == 3
    assert "from 40 on" in run("eval", "judge", vault=root).err


def test_a_new_sample_waits_for_fourteen_days_and_forty_messages(life: Life) -> None:
    assert life.memory.draw()
    assert life.memory.draw() is None
    life.now += timedelta(days=14)
    assert life.memory.draw() is None  # 6 wait
    for day in range(DAYS, DAYS + 20):
        life._talk(day)
        life.now += timedelta(hours=1)
    drawn = life.memory.draw(dry_run=True)
    assert drawn
    assert len(drawn.messages) >= own.LEAST
    assert len(life.memory.samples().held) == 1
    assert life.memory.draw()
    first, second = life.memory.samples().held
    assert not {one.id for one in first.messages} & {one.id for one in second.messages}


def test_a_model_judges_and_what_it_makes_up_is_passed_over(vault: Callable[..., Path], run: Run) -> None:
    life = Life(vault())
    life.live(21)
    at = life.now.isoformat()
    assert "no model" in run("eval", "judge", "--model", vault=life.root, MEMDIR_NOW=at).err
    with scripted(json.dumps({"useful": ["m1", "m99", "m1"]})) as server:
        env = {"MEMDIR_LLM_URL": server.url, "MEMDIR_LLM_MODEL": "tiny", "MEMDIR_NOW": at}
        done = run("eval", "judge", "--model", "--json", vault=life.root, **env)
    assert (done.code, done.json["message"], done.json["left"]) == (0, None, 0)
    (sample,) = life.memory.samples().held
    assert {verdict.by for verdict in sample.verdicts.values()} == {"model"}
    assert all(verdict.useful == verdict.shown[:1] for verdict in sample.verdicts.values())
    asked = "".join(json.dumps(one.body) for one in server.requests)
    assert "memory/ref" not in asked  # no path is told
    assert run("eval", "own", "--json", vault=life.root, MEMDIR_NOW=at).json["samples"][0]["by_model"] == 42
    life.memory.close()
