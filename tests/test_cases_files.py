"""Public bug reports as tests: paths that must not lead out, edits that must not overwrite, the day's log.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from driver import Result, Run, Tree, environment, program
from memdir.app.memory import Memory
from memdir.errors import MemdirError
from memdir.vault import files, names

CASES = Path(__file__).parent / "cases"
HOSTILE = json.loads((CASES / "SEC-02/paths.json").read_text(encoding="utf-8"))
SECRETS = ("TOPSECRET", "SIBLING")
MARK = re.compile(r"MARK-[AB]-\d{3}")


@pytest.fixture
def base(tmp_path: Path, run: Run) -> Path:
    """A folder that holds a vault, a secret beside it, a sibling, and a link from the vault up to all of it."""
    place = tmp_path / "base"
    subprocess.run([sys.executable, CASES / "SEC-02/setup.py", place], check=True)
    shutil.copy(CASES / "SEC-02/evil.md", place / "vault/evil.md")
    assert run("init", place / "vault", "--adopt").code == 0
    assert run("sync", "--json", vault=place / "vault").json["report"]["files"] == 1
    return place


def outside(held: dict[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in held.items() if path != "vault" and not path.startswith("vault/")}


def shows_nothing(result: Result) -> bool:
    host = Path("/etc/hostname")
    secrets = [*SECRETS, *([host.read_text(encoding="utf-8").strip()] if host.is_file() else [])]
    return not any(secret in result.out + result.err for secret in secrets if secret)


@pytest.mark.parametrize("path", HOSTILE)
def test_sec_02_commands_refuse_paths_out_of_the_vault(path: str, run: Run, base: Path, tree: Tree) -> None:
    before, root = tree(base), base / "vault"
    commands = [
        ["read", "--", path],
        ["show", "--", path],
        ["set", "--", path, "k=v"],
        ["edit", "--append", "--text", "x", "--", path],
        ["edit", "--section", "One", "--text", "x", "--base", "0" * 64, "--", path],
        ["edit", "--replace", "--text", "x", "--base", "0" * 64, "--", path],
    ]
    for command in commands:
        for extra in ([], ["--json"]):
            refused = run(command[0], *extra, *command[1:], vault=root)
            assert refused.code in ((3, 5) if path else (2,)), command  # SEC-02 (1); nothing at all is a mistake
            assert refused.out + refused.err
            assert "Traceback" not in refused.err
            assert shows_nothing(refused)
    assert tree(base) == before  # SEC-02 (2)


@pytest.mark.parametrize("path", HOSTILE)
def test_sec_02_filters_refuse_paths_out_of_the_vault(path: str, run: Run, base: Path) -> None:
    for command in (["list"], ["recall", "body"], ["recall", "TOPSECRET"]):
        refused = run(*command, "--json", "--path", path, vault=base / "vault")
        assert refused.code in (3, 5), command  # SEC-02 (1)
        assert "evil.md" not in refused.out
        assert "SIBLING" not in refused.out
        assert "TOPSECRET" not in refused.out or "TOPSECRET" in command


@pytest.mark.parametrize("path", HOSTILE)
def test_sec_02_writes_never_leave_the_vault(path: str, base: Path, tree: Tree) -> None:
    before = tree(base)
    root = files.Root(base / "vault")
    try:
        for attempt in (
            lambda: root.write(path, b"x", base=None),
            lambda: root.write(path, b"x", base=files.digest(b"TOPSECRET")),
            lambda: root.append(path, b"x\n", header=b"# x\n"),
            lambda: root.remove(path, base=files.digest(b"TOPSECRET")),
            lambda: root.read(path),
            lambda: root.version(files.digest(b"TOPSECRET")),
        ):
            with pytest.raises(MemdirError) as refused:  # SEC-02 (1)
                attempt()
            assert not any(secret in str(refused.value) for secret in SECRETS)
    finally:
        root.close()
    after = tree(base)
    assert outside(after) == outside(before)  # SEC-02 (2)
    assert [name for name in after if name not in before and not name.startswith("vault/.memdir")] == []


def test_sec_02_what_a_note_says_decides_no_path(run: Run, base: Path, tree: Tree) -> None:
    before, root = tree(base), base / "vault"
    assert run("set", "evil.md", "status=done", vault=root).code == 0
    assert run("edit", "evil.md", "--append", "--text", "more", vault=root).code == 0
    assert run("sync", vault=root).code == 0
    assert run("list", "--json", vault=root).paths == ["evil.md"]  # SEC-02 (3)
    for name in ("../../secret", "../secret", "../../x", "secret"):
        assert run("read", name, vault=root).code in (3, 5)
    assert run("new", "--", "", vault=root).code == 2
    for title in filter(None, HOSTILE):
        made = run("new", "--json", "--", title, vault=root)
        assert made.code == 0
        assert made.json["path"].startswith("memory/project/")
        assert (root / made.json["path"]).is_file()
    after = tree(base)
    assert outside(after) == outside(before)
    changed = {name for name in before.keys() & after.keys() if before[name] != after[name]}
    assert {name for name in changed if not name.startswith("vault/.memdir")} == {"vault/evil.md"}
    assert b"id: ../../secret\npermalink: ../secret\ntitle: ../../x\n" in (root / "evil.md").read_bytes()


def person_adds(path: Path, text: str) -> None:
    with path.open("ab") as held:
        held.write(text.encode())


def test_edit_01_what_a_person_added_is_kept(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("EDIT-01")
    path = root / "n.md"
    whole = run("read", "n.md", "--json", vault=root).json["digest"]
    part = {name: run("read", f"n.md#{name}", "--json", vault=root).json["part"] for name in ("One", "Two")}
    person_adds(path, "human line\n")
    current = path.read_bytes()
    refused = run("edit", "n.md", "--replace", "--text", "all new", "--base", whole, "--json", vault=root)
    assert (refused.code, refused.json["error"]["kind"]) == (4, "conflict")  # EDIT-01 (1)
    assert refused.json["error"]["current"] == files.digest(current)
    assert "has changed" in run("set", "n.md", "k=v", "--base", whole, vault=root).err
    assert run("set", "n.md", "k=v", "--base", whole, vault=root).code == 4
    assert run("edit", "n.md", "--section", "Two", "--text", "new", "--base", part["Two"], vault=root).code == 4
    assert path.read_bytes() == current
    assert run("edit", "n.md", "--section", "One", "--text", "new one", "--base", part["One"], vault=root).code == 0
    text = path.read_text(encoding="utf-8")
    assert text == current.decode().replace("old one", "new one")  # EDIT-01 (2)
    assert text.endswith("old two\nhuman line\n")
    assert run("edit", "n.md", "--append", "--text", "agent line", vault=root).code == 0
    assert path.read_text(encoding="utf-8") == text + "agent line\n"  # EDIT-01 (3)


def test_edit_01_one_of_two_agents_wins(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("EDIT-01")
    whole = run("read", "n.md", "--json", vault=root).json["digest"]

    def replace(agent: str) -> Result:
        return program("edit", "n.md", "--replace", "--text", agent, "--base", whole, "--json", vault=root)

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip("AB", pool.map(replace, ("agent A", "agent B")), strict=True))
    assert sorted(result.code for result in results.values()) == [0, 4]  # EDIT-01 (4)
    winner = next(agent for agent, result in results.items() if result.code == 0)
    loser = next(result for result in results.values() if result.code == 4)
    data = (root / "n.md").read_bytes()
    assert data == f"---\ntitle: N\n---\nagent {winner}\n".encode()
    assert loser.json["error"]["kind"] == "conflict"
    assert loser.json["error"]["current"] == files.digest(data)


def test_edit_01_through_the_api(vault: Callable[..., Path]) -> None:
    root = vault("EDIT-01")
    with Memory(root) as one, Memory(root) as other:
        digest = one.read("n.md").digest
        assert one.set("n.md", {"status": "a"}, base=digest).changed == ["n.md"]
        with pytest.raises(MemdirError) as refused:
            other.set("n.md", {"status": "b"}, base=digest)
        assert refused.value.exit_code == 4
        assert other.show("n.md")["meta"] == {"title": "N", "status": "a"}


def time_rows() -> list[dict[str, str]]:
    with (CASES / "TIME-01/cases.csv").open(encoding="utf-8", newline="") as held:
        return list(csv.DictReader(held))


@pytest.mark.parametrize("row", time_rows(), ids=lambda row: row["tz"])
def test_time_01_the_day_is_that_of_the_zone(row: dict[str, str], run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    clock = {"MEMDIR_NOW": row["utc"], "MEMDIR_TIMEZONE": row["tz"]}
    path = run("log", "valve opened", "--json", vault=root, **clock).json["path"]
    day = row["expect_date"]
    assert path == f"memory/logs/{day[:4]}/{day[5:7]}/{day}.md"  # TIME-01 (1)
    head, _, entry, end = (root / path).read_text(encoding="utf-8").split("\n")
    assert (head, end) == (f"# {day}", "")
    shown = re.fullmatch(r"## (\d\d:\d\d) ([+-]\d\d:\d\d) - valve opened", entry)
    assert shown
    assert shown[1] == row["expect_local"]  # TIME-01 (2)
    offsets = {
        "Asia/Seoul": "+09:00",
        "America/Denver": "-06:00",
        "Asia/Kathmandu": "+05:45",
        "Pacific/Kiritimati": "+14:00",
    }
    assert shown[2] == offsets[row["tz"]]
    found = run("recall", "valve", "--since", day, "--until", day, "--json", vault=root, **clock)
    assert [one["date"] for one in found.json["evidence"]] == [day]  # TIME-01 (3)
    utc_day = row["utc"][:10]
    assert utc_day != day
    assert run("recall", "valve", "--since", utc_day, "--until", utc_day, vault=root, **clock).code == 3
    made = run("new", "Valve", "--json", vault=root, **clock).json["path"]
    assert run("show", made, "--json", vault=root).json["meta"]["created"] == day


def marks(root: Path) -> list[str]:
    """Every marker in the logs; fails where a line holds two of them or something else beside one."""
    lines = [line for path in (root / "memory/logs").rglob("*.md") for line in path.read_text("utf-8").split("\n")]
    found = [line for line in lines if MARK.search(line)]
    assert all(re.fullmatch(r"## \d\d:\d\d [+-]\d\d:\d\d - MARK-[AB]-\d{3}", line) for line in found)
    assert all(re.fullmatch(r"(?:# \d{4}-\d\d-\d\d)?", line) for line in lines if line not in found)
    return [line[-len("MARK-A-000") :] for line in found]


def expected(count: int) -> list[str]:
    return [f"MARK-{agent}-{n:03}" for agent in "AB" for n in range(count)]


def test_log_02_two_processes_of_commands(vault: Callable[..., Path], tmp_path: Path) -> None:
    """The driver of the case, 12 rounds each instead of 200: every round is a whole process."""
    root = vault()
    race = (CASES / "LOG-02/race.py").read_text(encoding="utf-8")
    assert "range(200)" in race
    driver = tmp_path / "race.py"
    driver.write_text(race.replace("range(200)", "range(12)"), encoding="utf-8")
    command = f"{sys.executable} -m memdir --vault {root} log {{}}"
    done = subprocess.run([sys.executable, driver, command], capture_output=True, text=True, env=environment({}))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("logged in memory/logs/") == 24
    assert sorted(marks(root)) == expected(12)


APPEND = """
import sys
from pathlib import Path
from memdir.app.memory import Memory

with Memory(Path(sys.argv[1])) as opened:
    sys.stdin.readline()
    for n in range(200):
        done = opened.log(f"MARK-{sys.argv[2]}-{n:03}")
        assert done.path
        print(n, flush=True)
"""


def test_log_02_two_processes_append_400_entries(vault: Callable[..., Path]) -> None:
    root = vault()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", APPEND, root, agent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment({}),
        )
        for agent in "AB"
    ]
    for process in processes:  # both have loaded what they need before either begins
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert out.split() == [str(n) for n in range(200)]
    assert sorted(marks(root)) == expected(200)  # LOG-02 (1)


def test_log_02_a_failure_is_told(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    path = root / run("log", "MARK-A-000", "--json", vault=root).json["path"]
    os.link(path, root / "second-name")
    before = path.read_bytes()
    refused = run("log", "MARK-A-001", "--json", vault=root)
    assert refused.code == 5  # LOG-02 (2)
    assert refused.json["error"]["exit_code"] == 5
    assert path.read_bytes() == before
    path.unlink()
    path.mkdir()
    assert run("log", "MARK-A-002", vault=root).code != 0
    assert list(path.iterdir()) == []


def test_win_02_one_path_for_every_spelling() -> None:
    rows = json.loads((CASES / "WIN-02/rows.json").read_text(encoding="utf-8"))
    assert {names.relative(spelling) for spelling in rows["note"]} == {"topics/pump.md"}  # WIN-02 (1)
    assert {files.check_path(spelling) for spelling in rows["note"]} == {"topics/pump.md"}
    assert {files.check_path(spelling, create=True) for spelling in rows["note"]} == {"topics/pump.md"}
    (key,) = {names.vault_key(spelling) for spelling in rows["vault"]}  # WIN-02 (2)
    assert re.fullmatch(r"vault-[0-9a-f]{16}", key)
    assert names.vault_key("/home/sam/Vault") != names.vault_key("/home/sam/vault")


def test_win_02_replies_use_forward_slashes(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("STALE-02")
    for spelling in ("c\\c.md", ".\\c\\c.md", "c\\\\c.md", "c/c.md"):
        found = run("read", spelling, "--json", vault=root)
        assert (found.code, found.json["path"]) == (0, "c/c.md")  # WIN-02 (3)
    assert run("set", "c\\c.md", "k=v", "--json", vault=root).json["changed"] == ["c/c.md"]
    found = run("recall", "ctoken", "--path", "c\\c.md", "--json", vault=root)
    assert found.paths == ["c/c.md"]
    assert run("list", "--path", "c\\", "--json", vault=root).paths == ["c/c.md"]
