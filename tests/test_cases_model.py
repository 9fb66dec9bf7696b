"""Public bug reports as tests: what a model answers, the day's log beside a distillation, and midnight.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`. The model is a scripted server that
gives the same reply to every request; what a reply states, the log holds: else it could not be kept.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.evals.scripted import Server, scripted
from memdir.vault import note

CASES = Path(__file__).parent / "cases"
NIGHT = "2026-05-10T02:15:00+00:00"
DAY = "2026-05-09"


@pytest.fixture
def model() -> Iterator[Server]:
    with scripted("") as server:
        yield server


def told(case: str, name: str) -> str:
    return (CASES / case / name).read_text(encoding="utf-8")


def given(root: Path, text: str) -> Path:
    """The log of the day before the night."""
    path = root / f"memory/logs/2026/05/{DAY}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def distilled(run: Run, root: Path, server: Server) -> Any:
    variables = {
        "MEMDIR_LLM_URL": server.url,
        "MEMDIR_LLM_MODEL": "tiny",
        "MEMDIR_NOW": NIGHT,
        "MEMDIR_TIMEZONE": "UTC",
    }
    done = run("distill", "--json", vault=root, **variables)
    assert done.code == 0, done.err
    return done.json


def observations(root: Path) -> list[str]:
    """What topic notes say in observations."""
    paths = [path for kind in ("user", "feedback", "project", "ref") for path in (root / "memory" / kind).glob("*.md")]
    return [one.text for path in paths for one in note.parse(path.name, path.read_bytes()).body.observations]


def test_cap_02_a_reply_never_replaces_the_list(
    run: Run, vault: Callable[..., Path], model: Server, tree: Tree
) -> None:
    root = vault()
    before = told("CAP-02", "before.md")
    shown = (root / "MEMORY.md").read_text(encoding="utf-8")
    (root / "MEMORY.md").write_text(f"{before}\n{shown}", encoding="utf-8")
    given(root, "# 2026-05-09\n\n## 10:00 - New\n- just added: the New page\n")
    assert run("sync", vault=root).code == 0
    size = len((root / "MEMORY.md").read_bytes())
    reply = told("CAP-02", "reply.txt")
    remark = reply.strip().split("\n")[-1]
    as_items = json.dumps({"facts": [{"kind": "context", "text": remark, "quote": "just added"}, *reply.split("\n")]})
    for said in (reply, f"```markdown\n{reply}```", as_items):
        model.script = said
        distilled(run, root, model)
        text = (root / "MEMORY.md").read_text(encoding="utf-8")
        assert [f"- [Item {n}](item-{n}.md) - short hint {n}" in text for n in range(1, 41)] == [
            True
        ] * 40  # CAP-02 (1)
        assert len(text.encode()) >= size  # CAP-02 (3)
        for path in root.rglob("*.md"):
            assert not re.search(
                "remain|unchanged", path.read_text(encoding="utf-8").replace("left out", "")
            )  # CAP-02 (2)
    assert observations(root) == []


TWO = ["Pump filter is type K7", "Spare key is with Ana"]


@pytest.mark.parametrize("name", ["fence", "prose", "inner_fence", "think"])
def test_llm_01_what_can_be_read_is_kept(name: str, run: Run, vault: Callable[..., Path], model: Server) -> None:
    root = vault()
    # The fact of inner_fence is not in the two lines of the case: without a line that says so it would be made up.
    more = "- 09:20 use ```json fences``` in docs\n" if name == "inner_fence" else ""
    given(root, told("LLM-01", "log.md") + more)
    model.script = told("LLM-01", f"reply_{name}.txt")
    done = distilled(run, root, model)
    expected = ["Use ```json fences``` in docs", TWO[1]] if name == "inner_fence" else TWO
    assert observations(root) == expected  # LLM-01 (1)
    assert (done["failed"], done["calls"]) == ([], 1)


@pytest.mark.parametrize("name", ["empty", "cut", "notjson", "surrogate"])
def test_llm_01_what_cannot_be_read_waits(
    name: str, run: Run, vault: Callable[..., Path], model: Server, tree: Tree
) -> None:
    root = vault()
    log = given(root, told("LLM-01", "log.md"))
    data = log.read_bytes()
    topics = {kind: tree(root / "memory" / kind) for kind in ("user", "feedback", "project", "ref")}
    index = (root / "MEMORY.md").read_bytes()
    model.script = told("LLM-01", f"reply_{name}.txt")
    done = distilled(run, root, model)
    assert (done["learned"], observations(root), len(done["failed"])) == ({}, [], 1)
    assert done["failed"][0].startswith("[[2026-05-09]]: the model's reply cannot be read: ")  # LLM-01 (2)
    assert "cannot be read" in run("report", vault=root).out
    assert {kind: tree(root / "memory" / kind) for kind in topics} == topics  # LLM-01 (3)
    assert ((root / "MEMORY.md").read_bytes(), log.read_bytes()) == (index, data)
    for path in (root / "memory").rglob("*.*"):
        held = path.read_text(encoding="utf-8")  # strict: a surrogate on disk would not decode
        assert "\\ud83d" not in held.lower()
    assert len(model.requests) == 3  # LLM-01 (4)
    model.script = told("LLM-01", "reply_fence.txt")
    assert distilled(run, root, model)["entries"] == 1
    assert observations(root) == TWO


def test_llm_02_one_bad_action_stops_no_other(run: Run, vault: Callable[..., Path], model: Server, tree: Tree) -> None:
    root = vault()
    for name in ("Attic", "Pump", "Shed", "Wharf"):
        assert run("new", name, "--type", "ref", vault=root, MEMDIR_NOW="2026-05-01T10:00:00+00:00").code == 0
    # The log speaks of three notes, which are offered as 0 to 2, and says what the two good actions say.
    text = "## 09:00 - Attic, Pump and Shed\n- Filter is K8 now\n- Ana moved to flat 4\n- no id\n- x\n"
    given(root, f"# {DAY}\n\n{text}")
    before = tree(root / "memory/ref")
    model.script = told("LLM-02", "reply.json")
    done = distilled(run, root, model)
    body = model.requests[0].text
    assert [f'"id": "{n}",\n  "name": "{name}"' in body for n, name in enumerate(("Attic", "Pump", "Shed"))] == [
        True
    ] * 3
    assert "Wharf" not in body
    assert done["learned"] == {"context": 2}  # LLM-02 (1)
    assert len(done["dropped"]) == 6
    reasons = [one["why"] for one in done["dropped"]]
    assert all(reasons)
    assert all(why in run("report", vault=root).out for why in reasons)
    after = tree(root / "memory/ref")
    assert {path for path in after if after[path] != before.get(path)} == {"pump.md"}  # LLM-02 (2)
    assert set(before) == set(after)
    assert "- [context] Filter is K8 now [source:: [[2026-05-09]] 09:00]" in (root / "memory/ref/pump.md").read_text(
        "utf-8"
    )
    assert "Ana moved to flat 4" in (root / "memory/project/project-context.md").read_text("utf-8")


def test_log_01_the_log_of_the_day_only_grows(run: Run, vault: Callable[..., Path], model: Server, tree: Tree) -> None:
    root = vault()
    path = given(root, told("LOG-01", f"{DAY}.md"))
    name = path.relative_to(root).as_posix()
    held = path.read_bytes()

    def grown() -> bytes:
        data = path.read_bytes()
        assert data.startswith(held)  # LOG-01 (1)
        return data

    for text in ("filter fitted", "receipt is in the folder"):
        assert run("log", text, vault=root, MEMDIR_NOW=f"{DAY}T12:00:00+00:00", MEMDIR_TIMEZONE="UTC").code == 0
        held = grown()
    base = run("read", name, "--json", vault=root).json["digest"]
    for command in (
        ["edit", name, "--replace", "--text", "all new", "--base", base],
        ["edit", name, "--append", "--text", "more"],
        ["edit", name, "--section", DAY, "--text", "other", "--base", base],
        ["set", name, "status=done"],
    ):
        refused = run(*command, vault=root)
        assert (refused.code, path.read_bytes()) == (5, held), command
        assert "is never rewritten; add to it with `memdir log`" in refused.err  # LOG-01 (2)
    logs = tree(root / "memory/logs")
    model.script = json.dumps({"facts": ["hand note by Ana: keep receipt", "receipt is in the folder"]})
    assert distilled(run, root, model)["learned"] == {"context": 2}
    after = tree(root / "memory/logs")
    assert {one: after.get(one) for one in logs} == logs  # LOG-01 (3)
    assert set(after) - set(logs) == {"2026/05/2026-05-10.md"}
    assert observations(root) == ["hand note by Ana: keep receipt", "receipt is in the folder"]
    assert run("distill", "--no-model", vault=root, MEMDIR_NOW=f"{DAY}T23:00:00+00:00", MEMDIR_TIMEZONE="UTC").code == 0
    assert grown() == held  # nothing new, so nothing is said


def test_time_02_the_day_is_that_of_the_writing(run: Run, vault: Callable[..., Path]) -> None:
    """The commands, and one `Memory` that stays open past midnight."""
    root = vault()
    zone = {"MEMDIR_TIMEZONE": "Asia/Seoul"}
    days = [root / f"memory/logs/2026/03/2026-03-{day:02}.md" for day in (2, 3)]
    assert run("log", "a", vault=root, MEMDIR_NOW="2026-03-02T23:58:00+09:00", **zone).code == 0
    assert run("log", "b", vault=root, MEMDIR_NOW="2026-03-03T00:03:00+09:00", **zone).code == 0
    planned = run("log", "c", "--dry-run", vault=root, MEMDIR_NOW="2026-03-02T23:59:00+09:00", **zone)
    assert (planned.code, "2026-03-02" in planned.out + planned.err) == (0, True)
    assert run("log", "c", vault=root, MEMDIR_NOW="2026-03-03T00:01:00+09:00", **zone).code == 0
    now = datetime(2026, 3, 2, 23, 58, tzinfo=ZoneInfo("Asia/Seoul"))
    with Memory(root, now=lambda: now, options={"timezone": "Asia/Seoul"}) as opened:
        opened.log("d")
        now += timedelta(minutes=5)
        opened.log("e")
        opened.log("f")
    first, second = (path.read_text(encoding="utf-8") for path in days)
    titles = [re.findall(r"^## \d\d:\d\d \+09:00 - (.)$", text, re.MULTILINE) for text in (first, second)]
    assert titles == [["a", "d"], ["b", "c", "e", "f"]]  # TIME-02 (1)
    assert [text.count(f"# {path.stem}\n") for text, path in zip((first, second), days, strict=True)] == [
        1,
        1,
    ]  # TIME-02 (2)
