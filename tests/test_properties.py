"""Any sequence of edits, moves, deletions, commands, crashes and syncs leaves the index equal to a rebuild."""

import io
import json
import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

import inside
from hashed import Hashed
from memdir.app import vaults
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.evals.reliability import mirror
from memdir.index import drain as drains
from memdir.index import generation, sync
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault import fields
from memdir.vault.draft import NewNote

SUITE = settings(
    max_examples=30,
    stateful_step_count=15,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
QUESTIONS = ("pump filter", "kitchen", "水泵的滤芯", "boiler preasure", "alpha beta gamma", "zsh")
FOLDERS = (
    "memory/user",
    "memory/project",
    "memory/archive",
    "memory/ref/deep",
    "memory/notes",
    "memory/sessions/2026/11",
)
NAMES = ("pump", "Pump", "boiler", "水泵", "alpha", "e\u0301tude", "2026-11-29-visit")
PARTS = (
    "The pump filter is changed every spring.",
    "厨房水泵的滤芯,型号是甲七。",
    "## Boiler pressure",
    "- shell:: zsh",
    "- [preference] Never bash #tools/shell",
    "See [[pump]] and [[boiler|the boiler]].",
    "alpha beta gamma " * 60,
    "- [ ] Order the kitchen filter ^k1",
    "```\n# no heading\n```",
    "",
)
FRONT = (
    "",
    "---\nname: Kitchen pump\ntype: project\ntags: [water, Kitchen]\nupdated: 2026-11-29\n---\n",
    "---\nname: alpha\naliases: [beta, 甲七]\nimportance: high\ncreated: 2026-01-02\n---\n",
    "---\nbad: [\n---\n",
    "---\r\ndescription: zsh, always\r\nscope: home\r\n---\r\n",
)
TEXTS = st.builds(lambda front, parts: front + "\n".join(parts), st.sampled_from(FRONT),
    st.lists(st.sampled_from(PARTS), max_size=5))  # fmt: skip
PATHS = st.builds(lambda folder, name: f"{folder}/{name}.md", st.sampled_from(FOLDERS), st.sampled_from(NAMES))
PICK = st.integers(0, 1_000)


class Vault(RuleBasedStateMachine):
    """One own vault, edited by a person (files), by memdir (commands) and interrupted (kill -9)."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp())
        self.root = self.base / "vault"
        vaults.init(self.root, adopt=False)
        self.time = datetime(2026, 11, 29, 8, tzinfo=UTC)
        self.memory = self.open()

    def open(self) -> Memory:
        options = {"index_dir": os.fspath(self.base / "index"), "files.settle": 0.0}
        return Memory(self.root, now=lambda: self.time, options=options)

    def teardown(self) -> None:
        self.compare(100)
        self.memory.close()
        shutil.rmtree(self.base)

    # --- what a person does --------------------------------------------------------------------------

    def notes(self) -> list[Path]:
        return sorted(path for path in (self.root / "memory").rglob("*.md") if "/logs/" not in path.as_posix())

    def one(self, pick: int) -> Path:
        found = self.notes()
        return found[pick % len(found)]

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(fields.encode(text))

    @initialize(texts=st.lists(TEXTS, min_size=3, max_size=6))
    def begin(self, texts: list[str]) -> None:
        for number, text in enumerate(texts):
            self.write(self.root / "memory/ref" / f"start-{number}.md", text)

    @rule(path=PATHS, text=TEXTS)
    def create_or_overwrite(self, path: str, text: str) -> None:
        self.write(self.root / path, text)

    @precondition(lambda self: self.notes())
    @rule(pick=PICK, part=st.sampled_from(PARTS))
    def append(self, pick: int, part: str) -> None:
        with self.one(pick).open("ab") as file:
            file.write(f"\n{part}\n".encode())

    @precondition(lambda self: self.notes())
    @rule(pick=PICK, path=PATHS)
    def rename(self, pick: int, path: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        self.one(pick).replace(target)

    @precondition(lambda self: self.notes())
    @rule(pick=PICK)
    def rename_in_case_only(self, pick: int) -> None:
        path = self.one(pick)
        path.rename(path.with_name(f"{path.stem.swapcase()}.md"))

    @precondition(lambda self: len(self.notes()) > 1)
    @rule(picks=st.tuples(PICK, PICK))
    def swap_names(self, picks: tuple[int, int]) -> None:
        one, other = (self.one(pick) for pick in picks)
        aside = one.with_name("aside.tmp")
        if one != other:
            one.rename(aside)
            other.rename(one)
            aside.rename(other)

    @precondition(lambda self: len(self.notes()) > 2)
    @rule(pick=PICK)
    def turn_names_round(self, pick: int) -> None:
        """Every name takes the text of the next one."""
        found = self.notes()
        texts = [path.read_bytes() for path in found]
        for path, number in zip(found, range(len(found)), strict=True):
            path.write_bytes(texts[(number + pick) % len(found)])

    @precondition(lambda self: self.notes())
    @rule(pick=PICK, path=PATHS)
    def copy(self, pick: int, path: str) -> None:
        self.write(self.root / path, fields.decode(self.one(pick).read_bytes()))

    @precondition(lambda self: self.notes())
    @rule(pick=PICK)
    def delete(self, pick: int) -> None:
        self.one(pick).unlink()

    @rule(source=st.sampled_from(FOLDERS), into=st.sampled_from(("moved", "user", "archive")))
    def move_folder(self, source: str, into: str) -> None:
        place, new = self.root / source, self.root / "memory" / into / "from-elsewhere"
        if place.is_dir() and not new.is_relative_to(place) and not new.exists():
            new.parent.mkdir(parents=True, exist_ok=True)
            place.rename(new)

    @precondition(lambda self: self.notes())
    @rule(pick=PICK)
    def edit_with_size_and_time_kept(self, pick: int) -> None:
        path = self.one(pick)
        before, data = path.stat(), path.read_bytes()
        path.write_bytes(data.replace(b"pump", b"bump").replace(b"zsh", b"ash"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    @precondition(lambda self: self.notes())
    @rule(pick=PICK)
    def touch(self, pick: int) -> None:
        os.utime(self.one(pick))

    # --- what memdir does ----------------------------------------------------------------------------

    @rule(title=st.sampled_from(("Pump", "水泵 甲七", "Boiler pressure")), kind=st.sampled_from(("user", "ref")))
    def new(self, title: str, kind: str) -> None:
        self.memory.new(NewNote(title, kind, body="alpha filter of the kitchen", tags=["water"]))

    @precondition(lambda self: set(self.notes()) - set(self.talks()))
    @rule(pick=PICK, value=st.sampled_from(("zsh", "甲七", ["a", "b"], 7)))
    def set(self, pick: int, value: fields.Value) -> None:
        found = [one for one in self.notes() if one not in self.talks()]
        path = found[pick % len(found)].relative_to(self.root).as_posix()
        try:
            self.memory.set(path, {"name" if isinstance(value, str) else "tags": value})
        except MemdirError:
            assert not fields.read(fields.decode((self.root / path).read_bytes())).readable

    @rule(id_=st.sampled_from(("pump", "talk")), told=st.lists(st.sampled_from(PARTS[:8]), min_size=1, max_size=6))
    def ingest(self, id_: str, told: list[str]) -> None:
        lines = [json.dumps({"session_id": id_, "speaker": f"Mel {len(text) % 2}", "text": text}) for text in told]
        self.memory.ingest(io.BytesIO("\n".join(lines).encode()))
        assert self.memory.ingest(io.BytesIO("\n".join(lines).encode())).turns == 0

    @precondition(lambda self: self.talks())
    @rule(pick=PICK, cut=st.integers(1, 200))
    def tear(self, pick: int, cut: int) -> None:
        """A session loses its end, as a sync tool may leave it."""
        path = self.talks()[pick % len(self.talks())]
        path.write_bytes(path.read_bytes()[:-cut])

    @precondition(lambda self: self.talks())
    @rule(pick=PICK, text=st.sampled_from(("> zsh, kitchen\n", "\n### Mel · ^t9\n> pump\n", "---\n")))
    def go_on(self, pick: int, text: str) -> None:
        with self.talks()[pick % len(self.talks())].open("ab") as file:
            file.write(text.encode())

    def talks(self) -> list[Path]:
        return sorted((self.root / "memory/sessions").rglob("*.md"))

    @rule(title=st.sampled_from(("Changed the filter", "zsh again")))
    def log(self, title: str) -> None:
        self.time += timedelta(hours=7)
        self.memory.log(title, ["- outcome:: success", "kitchen"])

    @rule(at=st.integers(1, 60), size=st.sampled_from((1, 2, 100)), afresh=st.sampled_from((False, False, True)))
    def sync_killed(self, at: int, size: int, afresh: bool) -> None:
        """A sync that dies before its `at`-th durable step; it must not have been a danger to anything."""
        self.memory.drop_reader()
        options = sync.Options(accept_removals=True, afresh=afresh)
        with inside.batches_of(size):
            mirror.killed(lambda: sync.sync(self.memory.vault, options), at)

    @rule(at=st.integers(0, 20), most=st.sampled_from((1, 3, None)))
    def drain(self, at: int, most: int | None) -> None:
        """Vectors are made, by a run that dies before its `at`-th durable step or (0) by one that ends."""
        self.memory.drop_reader()
        if generation.current(self.memory.vault.place) is not None:
            work = partial(drains.drain, self.memory.vault, Hashed(), drains.Limits(passages=most, batch=2))
            if at:
                mirror.killed(work, at)
            else:
                work()

    @rule(size=st.sampled_from((1, 2, 100)))
    def compare(self, size: int) -> None:
        """After a sync the index is what a rebuild would make of the files."""
        with inside.batches_of(size):
            self.memory.sync(mirror.ALL)
        mirror.assert_mirrors(self.memory, self.base / "fresh", QUESTIONS)
        inside.assert_vectors(self.memory, Hashed())

    @rule(question=st.sampled_from(QUESTIONS))
    def recall(self, question: str) -> None:
        """What a question finds is in the file at the line it names, also straight after an edit or a crash."""
        for one in self.memory.recall(Question(question, Filters(), limit=6)).evidence:
            lines = fields.decode((self.root / one.path).read_bytes()).lstrip(fields.BOM).split("\n")
            assert one.line <= one.at <= one.last <= len(lines)
            assert one.why


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed syncs need fork")
def test_the_index_equals_a_rebuild_after_anything() -> None:
    run_state_machine_as_test(Vault, settings=SUITE)
