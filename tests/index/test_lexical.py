"""The Whoosh index against a plain BM25F over the living passages, and the language and query cases."""

import math
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from whoosh.filedb.filestore import FileStorage

from memdir import text
from memdir.index import lexical, segments
from memdir.index.lexical import Reader, Weights, Writer

WEIGHTS = Weights(name=4, aliases=3, tags=2, heading=2.5, body=1.5, k1=1.4, b=0.6)
PLAIN = Weights(name=1, aliases=1, tags=1, heading=1)

Zones = Mapping[str, Sequence[str]]
Passages = dict[int, tuple[str, Zones]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lexical.create(tmp_path / "whoosh")
    return tmp_path / "whoosh"


def write(folder: Path, passages: Passages) -> None:
    with Writer(folder) as writer:
        for pid, (file, zones) in passages.items():
            writer.add(file, pid, zones)


def search(folder: Path, *words: str, weights: Weights = PLAIN, limit: int = 10) -> list[tuple[int, float]]:
    reader = Reader(folder)
    try:
        return [*reader.search([{word: 1.0} for word in words], weights=weights, limit=limit).best.items()]
    finally:
        reader.close()


def brute(passages: Passages, groups: Sequence[Mapping[str, float]], weights: Weights) -> dict[int, float]:
    """BM25F from its definition, passage by passage."""
    counts = {pid: {zone: Counter(words) for zone, words in zones.items()} for pid, (_, zones) in passages.items()}
    lengths = {pid: len(zones.get("body", ())) for pid, (_, zones) in passages.items()}
    mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    holders = {
        term: [pid for pid in passages if any(zone[term] for zone in counts[pid].values())]
        for group in groups
        for term in group
    }
    total: dict[int, float] = {}
    for group in groups:
        best: dict[int, float] = {}
        for term, worth in group.items():
            df = len(holders[term])
            idf = math.log(1 + (len(passages) - df + 0.5) / (df + 0.5))
            for pid in holders[term]:
                found = 0.0
                for zone, words in counts[pid].items():
                    norm = 1 - weights.b + weights.b * lengths[pid] / mean if zone == "body" else 1
                    if words[term]:
                        found += getattr(weights, zone) * min(words[term], lexical.CAP[zone]) / norm
                score = worth * idf * found * (weights.k1 + 1) / (found + weights.k1)
                best[pid] = max(best.get(pid, 0), score)
        for pid, score in best.items():
            total[pid] = total.get(pid, 0) + score
    return total


def assert_equal(folder: Path, passages: Passages, words: Sequence[str]) -> None:
    reader = Reader(folder)
    groups: list[Mapping[str, float]] = [{word: 1.0} for word in words]
    groups.append({word: 1 / (i + 1) for i, word in enumerate(words[:3])})
    hits = [*reader.search(groups, weights=WEIGHTS, limit=10_000).best.items()]
    assert reader.doc_count == len(passages)
    expected = brute(passages, groups, WEIGHTS)
    assert dict(hits) == pytest.approx(expected, abs=2e-6)
    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    terms = {term for _, zones in passages.values() for zone in zones.values() for term in zone}
    assert reader.lexicon() == sorted(terms)
    assert all((word in reader) == (word in terms) for word in words)
    reader.close()


def random_zones(rng: random.Random, words: Sequence[str]) -> Zones:
    zones = {"body": rng.choices(words, k=rng.randrange(60))}
    for zone in ("name", "aliases", "tags", "heading"):
        if rng.random() < 0.4:
            zones[zone] = rng.choices(words, k=rng.randrange(1, 5))
    return zones


def test_many_commits_with_merges_and_deletions_equal_brute_force_and_a_rebuild(folder: Path, tmp_path: Path) -> None:
    rng = random.Random(1)
    words = [f"w{i}" for i in range(300)]
    passages: Passages = {}
    pid = 0
    most = 0
    for commit in range(25):
        with Writer(folder) as writer:
            for file in {f"f{rng.randrange(150)}" for _ in range(60 if commit % 5 else 400)}:
                writer.delete(file)
                passages = {p: kept for p, kept in passages.items() if kept[0] != file}
                for _ in range(rng.randrange(6)):
                    pid += 1
                    passages[pid] = (file, random_zones(rng, words))
                    writer.add(file, pid, passages[pid][1])
        reader = Reader(folder)
        most = max(most, len(reader._segments))
        reader.close()
        assert_equal(folder, passages, rng.sample(words, 6))
    assert 1 <= most <= 6
    lexical.create(tmp_path / "again")
    write(tmp_path / "again", passages)
    groups = [{word: 1.0} for word in words[:40]]
    edited, rebuilt = Reader(folder), Reader(tmp_path / "again")
    one, other = (reader.search(groups, weights=WEIGHTS, limit=50) for reader in (edited, rebuilt))
    assert one.best == other.best
    assert (one.total, one.squares) == pytest.approx((other.total, other.squares))
    assert [edited.df(word) for word in words] == [rebuilt.df(word) for word in words]
    edited.close()
    rebuilt.close()


WORDS = ["a", "b", "c", "水", "x y"]


class Edits(RuleBasedStateMachine):
    """Any sequence of additions, deletions and commits equals a brute-force index."""

    @initialize(folder=st.builds(lambda: Path(os.environ["MEMDIR_TEST_FOLDER"]) / os.urandom(8).hex()))
    def start(self, folder: Path) -> None:
        self.folder = folder
        lexical.create(folder)
        self.committed: Passages = {}
        self.passages: Passages = {}
        self.writer: Writer | None = None
        self.pid = 0

    def _writer(self) -> Writer:
        if self.writer is None:
            self.writer = Writer(self.folder)
        return self.writer

    @rule(
        file=st.sampled_from(["f", "g", "h"]),
        zones=st.dictionaries(st.sampled_from(lexical.ZONES), st.lists(st.sampled_from(WORDS), max_size=6)),
    )
    def add(self, file: str, zones: Zones) -> None:
        self.pid += 1
        self._writer().add(file, self.pid, zones)
        self.passages[self.pid] = (file, zones)

    @rule(file=st.sampled_from(["f", "g", "h"]))
    def delete(self, file: str) -> None:
        self._writer().delete(file)
        self.passages = {pid: kept for pid, kept in self.passages.items() if kept[0] != file}

    @rule()
    def commit(self) -> None:
        with self._writer():
            pass
        self.writer, self.committed = None, dict(self.passages)

    @rule()
    def give_up(self) -> None:
        self._writer().__exit__(ValueError, ValueError(), None)
        self.writer, self.passages = None, dict(self.committed)

    @invariant()
    def equals_brute_force(self) -> None:
        assert_equal(self.folder, self.committed, WORDS)

    def teardown(self) -> None:
        if getattr(self, "writer", None) is not None:
            self.give_up()


@pytest.mark.parametrize("small", [0, 128])
def test_any_sequence_of_edits(small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_SMALL", small)
    monkeypatch.setenv("MEMDIR_TEST_FOLDER", str(tmp_path))
    Edits.TestCase.settings = settings(
        max_examples=15, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
    )
    Edits.TestCase("runTest").debug()


@given(st.dictionaries(st.sampled_from(lexical.ZONES), st.lists(st.sampled_from("ab"), max_size=40)))
def test_pack_keeps_counts_up_to_the_cap(zones: Zones) -> None:
    packed = lexical.pack(zones)
    for zone in lexical.ZONES:
        for term in "ab":
            value = lexical.np.array([packed.get(term, 0)], lexical.np.uint32)
            expected = min(list(zones.get(zone, ())).count(term), lexical.CAP[zone])
            assert lexical.unpack(value, zone).tolist() == [expected]


def test_body_counts_saturate() -> None:
    assert lexical.pack({"body": ["a"] * 20_000, "name": ["a"]}) == {"a": 1 << 27 | 16_383}


def test_a_pool_that_goes_to_disk_gives_the_same_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_POOL_BYTES", 8_000)
    rng = random.Random(2)
    words = [f"w{i}" for i in range(40)]
    passages: Passages = {pid: (f"f{pid % 7}", random_zones(rng, words)) for pid in range(1, 300)}
    write(folder, passages)
    assert_equal(folder, passages, words[:6])
    with Writer(folder) as writer:
        writer.delete("f3")
    assert_equal(folder, {pid: kept for pid, kept in passages.items() if kept[0] != "f3"}, words[:6])


def test_ties_at_the_cut_are_all_kept_in_order_of_number(folder: Path) -> None:
    write(folder, {pid: ("f", {"body": ["a"]}) for pid in (5, 3, 9)} | {7: ("f", {"body": ["a", "a"]})})
    assert [pid for pid, _ in search(folder, "a", limit=1)] == [7]
    assert [pid for pid, _ in search(folder, "a", limit=2)] == [7, 3, 5, 9]
    assert search(folder, "a", limit=0) == []


def test_allowed_passages_are_chosen_before_the_cut(folder: Path) -> None:
    write(folder, {pid: ("f", {"body": ["a"] * pid}) for pid in range(1, 20)})
    reader = Reader(folder)
    free = [*reader.search([{"a": 1.0}], weights=PLAIN, limit=100).best.items()]
    narrow = reader.search([{"a": 1.0}], weights=PLAIN, allowed=(pid for pid in (2, 4, 99)), limit=1)
    chosen = [*narrow.best.items()]
    assert chosen == [(pid, score) for pid, score in free if pid in (2, 4)][:1]
    assert reader.search([{"a": 1.0}], weights=PLAIN, allowed=[]).best == {}
    reader.close()


def test_a_group_counts_with_its_best_alternative(folder: Path) -> None:
    write(folder, {1: ("f", {"body": ["cat"]}), 2: ("f", {"body": ["cart"]}), 3: ("f", {"body": ["cat", "cart"]})})
    reader = Reader(folder)
    alone = reader.search([{"cat": 1.0}], weights=PLAIN).best
    both = reader.search([{"cat": 1.0, "cart": 0.5}], weights=PLAIN).best
    assert both[1] == alone[1]
    assert both[3] == alone[3]
    assert both[2] == pytest.approx(both[1] / 2, abs=1e-6)
    reader.close()


def test_zone_weights_are_chosen_at_query_time(folder: Path) -> None:
    write(folder, {1: ("f", {"name": ["pump"], "body": ["x"]}), 2: ("g", {"body": ["pump", "pump", "y"]})})
    assert search(folder, "pump", weights=Weights(name=9, aliases=0, tags=0, heading=0))[0][0] == 1
    assert search(folder, "pump", weights=Weights(name=0.1, aliases=0, tags=0, heading=0))[0][0] == 2


def test_odd_names_numbers_and_terms(folder: Path) -> None:
    passages: Passages = {
        0: ("bad\udcff.md", {"body": ["a"]}),
        2**64 - 1: ("日.md", {"tags": ["a", "two\nlines"]}),
        7: ("empty", {}),
    }
    write(folder, passages)
    assert_equal(folder, passages, ["a", "two\nlines"])
    with Writer(folder) as writer:
        writer.delete("bad\udcff.md")
        writer.delete("no such file")
    assert [pid for pid, _ in search(folder, "a")] == [2**64 - 1]


def test_an_empty_index_answers(folder: Path) -> None:
    reader = Reader(folder)
    assert (reader.doc_count, reader.lexicon(), reader.df("a"), "a" in reader) == (0, [], 0, False)
    assert reader.search([{"a": 1.0}, {}], weights=PLAIN).best == {}
    reader.close()


def test_an_error_inside_the_block_changes_nothing(folder: Path) -> None:
    write(folder, {1: ("f", {"body": ["a"]})})
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def fail() -> None:
        with Writer(folder) as writer:
            writer.delete("f")
            writer.add("g", 2, {"body": ["b"]})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_reader_keeps_answering_from_its_commit(folder: Path) -> None:
    write(folder, {1: ("f", {"body": ["a"]})})
    reader = Reader(folder)
    with Writer(folder) as writer:
        writer.delete("f")
        writer.add("f", 2, {"body": ["a"]})
    assert [*reader.search([{"a": 1.0}], weights=PLAIN).best] == [1]
    reader.close()
    assert [pid for pid, _ in search(folder, "a")] == [2]


def test_files_are_the_latest_commit_and_no_other_file_is_left(folder: Path) -> None:
    for pid in range(1, 6):
        write(folder, {pid: (f"f{pid}", {"body": ["a"] * pid})})
    names = lexical.files(folder)
    assert len(names) == 2
    assert {path.name for path in folder.iterdir()} - set(names) == {"MAIN_WRITELOCK"}


def test_a_folder_without_an_index_is_said(tmp_path: Path) -> None:
    for use in (Reader, Writer, lexical.files):
        with pytest.raises(FileNotFoundError, match="no Whoosh index"):
            use(tmp_path)


def test_a_second_writer_gives_up_after_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_WAIT", 0.05)
    with Writer(folder), pytest.raises(TimeoutError, match="writing"):
        Writer(folder)


def test_every_file_of_a_commit_and_then_the_folder_is_synced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync

    def record(fd: int) -> None:
        synced.append(os.fstat(fd).st_ino)
        real(fd)

    monkeypatch.setattr(os, "fsync", record)
    write(folder, {1: ("f", {"body": ["a"]})})
    assert {(folder / name).stat().st_ino for name in lexical.files(folder)} <= set(synced)
    assert synced[-1] == folder.stat().st_ino


def test_whoosh_itself_reads_the_postings(folder: Path) -> None:
    write(folder, {1: ("f", {"body": ["a"]}), 2: ("g", {"body": ["b"]}), 3: ("h", {"body": ["b", "a"]})})
    with FileStorage(str(folder)).open_index().reader() as reader:
        assert list(reader.postings("terms", "a").all_ids()) == [0, 2]
        assert list(reader.postings("file", "g").all_ids()) == [1]


LANG_01 = {
    "ar": "غدا نغير مرشح المضخة",
    "ja": "来週の土曜日に屋根を修理する予定です。",
    "ko": "다음 주에 보일러 필터를 교체한다.",
    "ru": "Завтра меняем фильтры насоса.",
    "th": "สัปดาห์หน้าจะเปลี่ยนไส้กรองปั๊มน้ำ",
    "zh": "明天要换厨房水泵的滤芯，型号是甲七。",
}
QUERY_01 = {
    "apos": "Don't open the bypass valve.",
    "cpp": "We moved the sensor code to C++ and some C#.",
    "hyphen": "The pre-edit-check hook runs first.",
    "kv": "status:blocked in the tracker; mail ops@example.org",
    "op": "Choose heat AND power, NOT gas OR oil.",
    "path": "Copied Downloads/transcripts at 5 GB/s.",
    "ver": "Server runs ubuntu 20.04 and tool v1.10.3.",
}
NOTES = list((LANG_01 | QUERY_01).items())


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes") / "whoosh"
    lexical.create(folder)
    write(folder, {pid: (name, {"body": text.terms(note)}) for pid, (name, note) in enumerate(NOTES)})
    return folder


def ask(folder: Path, question: str, limit: int = 3) -> list[str]:
    return [NOTES[pid][0] for pid, _ in search(folder, *text.query_terms(question)[0], limit=limit)]


LANG_01_FIRST = {
    "zh": ["滤芯", "水泵的滤芯", "泵"],
    "ja": ["屋根", "修理する"],
    "ko": ["필터", "보일러 필터"],
    "th": ["ไส้กรอง"],
    "ru": ["насоса", "НАСОСА"],
    "ar": ["مرشح"],
}
QUERY_01_FIRST = {
    "cpp": ["C++", "C#"],
    "hyphen": ["pre-edit", "pre-edit-check"],
    "path": ["Downloads/transcripts", "GB/s"],
    "apos": ["don't open"],
    "ver": ["ubuntu 20.04", "v1.10.3"],
    "kv": ["status:blocked", "ops@example.org"],
    "op": ["heat AND power"],
}
FIRST = [(question, name) for name, asked in (LANG_01_FIRST | QUERY_01_FIRST).items() for question in asked]
SYNTAX = [
    "NOT gas",
    '"bypass valve',
    "foo(bar",
    "[[link]]",
    "a* OR *",
    "^x~2",
    "title:",
    "\\",
    "100%",
    "NEAR(a b)",
    "-",
]
SYNTAX += ["'; DROP TABLE notes;--", '<xml attr="1">']


@pytest.mark.parametrize(("question", "first"), FIRST)
def test_lang_01_and_query_01_name_the_note_first(notes: Path, question: str, first: str) -> None:
    assert ask(notes, question)[0] == first


@pytest.mark.parametrize("question", SYNTAX)
def test_query_01_syntax_means_nothing(notes: Path, question: str) -> None:
    ask(notes, question)


def test_query_02_a_pasted_log_finds_the_note_with_its_rare_words(folder: Path) -> None:
    rng = random.Random(5)
    log = ["".join(rng.choices("abcdefghij", k=6)) for _ in range(4000)]
    log[37:40] = ["flange", "gasket", "torque"]
    passages: Passages = {pid: ("f", {"body": text.terms(f"the boiler and {rng.choice(log)}")}) for pid in range(50)}
    passages[99] = ("target", {"body": text.terms("flange gasket torque is 25 Nm")})
    write(folder, passages)
    terms, dropped = text.query_terms(" ".join(log))
    assert dropped == 0
    assert 99 in [pid for pid, _ in search(folder, *terms, limit=5)]


@pytest.mark.parametrize("step", ["makedirs", "fsync"], ids=["begin", "commit"])
def test_a_writer_that_fails_lets_go_of_the_lock(folder: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Also while somebody holds the error, and with it everything that was under way."""
    real = getattr(os, step)
    monkeypatch.setattr(segments, "_WAIT", 0.0)
    monkeypatch.setattr(os, step, _no_room)
    with pytest.raises(OSError, match="no room") as held:
        write(folder, {1: ("a", {"body": ["fish"]})})
    monkeypatch.setattr(os, step, real)
    write(folder, {2: ("b", {"body": ["fish"]})})
    assert held.value
    assert [number for number, _ in search(folder, "fish")] == [2]


def _no_room(*_args: object, **_named: object) -> None:
    raise OSError("no room")
