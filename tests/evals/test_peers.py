"""The rows that run on other tools, on memdir and on a program that speaks as memsearch does: no tool is installed."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memdir.errors import MemdirError
from memdir.evals.reliability import __main__ as command
from memdir.evals.reliability import results
from memdir.evals.reliability.outcome import Outcome
from memdir.evals.reliability.peers import memsearch, rows
from memdir.evals.reliability.peers.memsearch import Memsearch
from memdir.evals.reliability.peers.ours import Ours
from memdir.evals.reliability.peers.store import FOLDER, NotTried, NoVerb, Store
from memdir.evals.reliability.results import Result

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the rows fork and kill")
SEED = 7

# Speaks as memsearch does: `index` keeps a list of files, `search` looks for a word in them, `compact` appends what the
# model says to the day's file, and the command of the maintenance reads what lies in the folder. FLAWS are its own.
PRETENDER = """#!{python}
import datetime, json, os, pathlib, sys, urllib.request
FLAWS = {flaws!r}
if sys.argv[1] == "-c":
    if len(sys.argv) == 3:
        sys.exit(print("0.0.1"))
    path = pathlib.Path(sys.argv[4].partition("'' ")[2].strip("'"))
    inside = path.resolve().is_relative_to(sys.argv[3]) or "reads" in FLAWS
    sys.exit(print(path.read_text() if inside and path.is_file() else "Error: no"))
verb, (*flags, last) = sys.argv[3], sys.argv[4:]
said = dict(one[2:].split("=", 1) for one in sys.argv[4:] if one.startswith("--") and "=" in one)
held = pathlib.Path(said["milvus-uri"]) / "list.json"
if verb == "index":
    kept = json.loads(held.read_text()) if held.exists() and "brittle" in FLAWS else []
    found = pathlib.Path(last).resolve(strict=True)
    kept += map(str, sorted(found.rglob("*.md")) if found.is_dir() else [found])
    held.parent.mkdir(exist_ok=True)
    held.write_text(json.dumps(kept))
    if "rewrites" in FLAWS:
        [pathlib.Path(one).write_text("gone") for one in kept if "hostile" in one]
    if "chokes" in FLAWS and "hostile" in last:
        sys.stderr.write("Failed to index " + last)
elif verb == "search":
    here = [one for one in pathlib.Path.cwd().rglob("*.md") if one.is_file()]
    here = [one for one in here if "follows" in FLAWS or not one.is_symlink()]
    known = [*here, *map(pathlib.Path, json.loads(held.read_text()))]
    found = [one for one in dict.fromkeys(known) if last in one.read_text("utf-8", "replace")]
    print(json.dumps([{{"source": str(one)}} for one in found]))
else:
    prompt = {{"model": "m", "messages": [{{"role": "user", "content": said["prompt"]}}]}}
    url, kind = os.environ["OPENAI_BASE_URL"] + "/chat/completions", {{"Content-Type": "application/json"}}
    asked = urllib.request.Request(url, json.dumps(prompt).encode(), kind)
    text = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
    folder = pathlib.Path(said["output-dir"]) / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{{datetime.date.today()}}.md", "w" if "forgets" in FLAWS else "a") as file:
        file.write(text + "\\n")
    print("Compact complete")
"""

Pretender = Callable[..., str]


@pytest.fixture
def pretender(tmp_path: Path) -> Pretender:
    def make(*flaws: str) -> str:
        path = tmp_path / "python"
        path.write_text(PRETENDER.format(python=sys.executable, flaws=flaws))
        path.chmod(0o755)
        return os.fspath(path)

    return make


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "run/row").mkdir(parents=True)
    return tmp_path / "run/row"


def _ran(row: str, store: Store, place: Path) -> Outcome:
    return rows.PEERS[row][0](store, 4, SEED, place)


@pytest.mark.parametrize("row", rows.PEERS)
def test_the_row_holds_for_memdir(row: str, place: Path) -> None:
    found = _ran(row, Ours(place), place)
    assert found.faults == []
    assert found.tried


@pytest.mark.parametrize("row", rows.PEERS)
def test_the_row_holds_for_a_tool_that_has_no_flaw(row: str, place: Path, pretender: Pretender) -> None:
    found = _ran(row, Memsearch(place, pretender()), place)
    assert found.faults == []
    assert found.tried


@pytest.mark.parametrize(
    ("row", "flaw", "fault"),
    [
        ("R4", "forgets", "is lost"),
        ("R5", "forgets", "is in no file"),
        ("R8", "rewrites", "lost lines"),
        ("R10", "brittle", "does not answer"),
        ("S1", "reads", "reads what is outside"),
        ("S1", "follows", "a link is followed"),
    ],
)
def test_the_row_can_fail(
    row: str, flaw: str, fault: str, place: Path, pretender: Pretender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "GRACE", 0.0)
    found = _ran(row, Memsearch(place, pretender(flaw)), place)
    assert any(fault in one for one in found.faults)


def test_what_a_tool_has_no_verb_for_is_told_and_no_fault(place: Path, pretender: Pretender) -> None:
    found = _ran("R8", Memsearch(place, pretender("chokes")), place)
    assert found.figures == {"not taken in": 4, "has no verb to append": 4, "line ends changed": 0}
    assert found.faults == []


def test_paths_that_are_taken_as_told_are_figures(place: Path, pretender: Pretender) -> None:
    store = Memsearch(place, pretender())
    (place / "secret.md").write_text("TOPSECRET")
    with store.open() as session:
        assert rows._let_in(session, "seed.md", known := set()) == ""
        assert rows._let_in(session, "../secret.md", known) == "TOPSECRET"
        assert rows._let_in(session, "../secret.md", known) == ""
        assert session.search("TOPSECRET") == [os.fspath(place / "secret.md")]
        session.write("../beside", "Evil", "evil")
        with pytest.raises(NotTried):
            session.write("../../beside", "Evil", "evil")
        with pytest.raises(NoVerb):
            session.append("seed.md", "line")
        with pytest.raises(MemdirError):
            session.read("../secret.md")
    assert [path.name for path in (place / "beside/Evil/memory").iterdir()]
    assert not (place.parent / "beside").exists()


def test_an_agent_appends_to_what_the_tool_wrote(place: Path, pretender: Pretender) -> None:
    store = Memsearch(place, pretender())
    with store.open() as session:
        path = session.write(FOLDER, "Note", "first")
        session.append(path, "second")
        assert (store.root / path).read_text() == "first\nsecond\n"
        assert session.search("second") == [path]


def test_the_model_says_what_it_is_told_and_knows_words_again() -> None:
    assert memsearch.reply({"messages": [{"content": f"chunks{memsearch.SAY}- one"}]}) == "- one"
    one, other, same = memsearch.reply({"input": ["a zebra fish", "Kestrel!", "fish: a ZEBRA", ""]}).rows[:3]
    assert one == pytest.approx(same)
    assert one != other


def test_the_command_puts_the_tools_beside_each_other(
    tmp_path: Path, pretender: Pretender, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--rows", "R8", "--scale", "0.1", "--peers", f"memsearch={pretender()}", "--write", os.fspath(tmp_path)]
    assert command.main(asked) == 0
    page = (tmp_path / results.PAGE).read_text("utf-8")
    assert f"| row | memdir {results.versions()['memdir']} | memsearch 0.0.1, {memsearch.EMBEDDER} |" in page
    assert "| R8 | 0 faults in 6 files" in page
    with pytest.raises(SystemExit):
        command.main(["--peers", "notes=python"])
    assert "no tool notes; there are basic-memory, memsearch" in capsys.readouterr().err


def test_the_page_tells_what_was_found_on_others(tmp_path: Path) -> None:
    one = Result("R5", "memdir 9", "R5: shows", "saves", 4, 1, "2026-11-30", 1.0, 1.0)
    one.take(Outcome(4))
    other = Result("R5", "other 1", "R5: shows", "saves", 4, 1, "2026-11-30", 1.0, 1.0)
    other.take(Outcome(4, [f"save {number} is in no file" for number in range(9)], {"lost": 9}))
    results.write_peers(tmp_path, [one, other], ["R5"])
    results.write_peers(tmp_path, [one], ["R5"])
    page = (tmp_path / results.PAGE).read_text("utf-8")
    assert "| R5 | 0 faults in 4 saves, 2026-11-30 | 9 faults in 4 saves, 2026-11-30 (lost: 9) |" in page
    assert "save 0 is in no file" in page
