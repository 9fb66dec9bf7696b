"""Cases of what other tools export: branches, odd records, content that is no text, size.

A session file has no title: what the cases say of titles holds for the words by which a conversation is found.
"""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driver import Run, Tree, environment
from memdir.app.exchange.importing import Asked
from memdir.app.memory import Memory

CASES = Path(__file__).parent / "cases"


def text(root: Path, id_: str) -> str:
    (path,) = (root / "memory/sessions").rglob(f"{id_}.md")
    return path.read_text("utf-8")


def brought(run: Run, root: Path, *args: object) -> Any:
    done = run("import", *args, "--json", vault=root)
    assert done.code == 0, done.err
    return done.json


def test_import_01_the_branch_that_was_shown(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    done = brought(run, root, CASES / "IMPORT-01/conversations.json")
    held = text(root, "c1")
    assert held.index("slogan two") < held.index("keep this end")  # IMPORT-01 (1)
    assert "slogan one" not in held  # IMPORT-01 (2)
    assert "dropped turn" not in held
    assert done["skipped"] == {"turns of other branches": 2}


def test_import_02_odd_conversations_of_chatgpt(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    done = brought(run, root, CASES / "IMPORT-02/conversations.json")
    listed = {one["id"]: one for one in run("sessions", "list", "--json", vault=root).json["sessions"]}
    assert set(listed) == {"ok", "nt", "nc", "mc", "pn", "na"}  # IMPORT-02 (1)
    assert done["skipped"]["conversations in which nothing is said"] == 1
    assert done["problems"] == [{"where": "conversations.json: item 7", "why": "no conversation"}]
    assert listed["nc"]["started"] == "2026-02-02T02:40:02Z"  # IMPORT-02 (2)
    assert listed["na"]["started"] == "2026-02-02T02:40:04Z"
    assert listed["mc"]["started"] == ""
    assert "turns without a time that can be read: 1" in done["notices"]
    month = f"{time.strftime('%Y/%m', time.gmtime())}"
    assert (root / "memory/sessions" / month / "mc.md").exists()
    assert not [path for path in (root / "memory/sessions").rglob("*.md") if "1970" in path.read_text("utf-8")]
    shown = run("sessions", "show", "nt", "--json", vault=root).json["turns"]
    assert shown[0]["text"] == "beta text"  # IMPORT-02 (3)
    assert "nt.md" in run("recall", "beta text", vault=root).out


def test_import_02_odd_conversations_of_claude(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    done = brought(run, root, CASES / "IMPORT-02/claude.json")
    assert done["source"] == "claude"  # IMPORT-03 (3)
    listed = {one["id"]: one["started"] for one in run("sessions", "list", "--json", vault=root).json["sessions"]}
    assert listed == {"k1": "2026-05-01T10:00:00Z", "k2": "2026-05-02T23:59:00+09:00"}
    assert done["skipped"] == {"conversations in which nothing is said": 1}
    assert "> eta text\n> \n> [attachment: x.txt]\n> theta text\n" in text(root, "k1")


def test_import_03_messages_that_are_no_plain_text(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    done = brought(run, root, "chatgpt", CASES / "IMPORT-03/conversations.json", "--thoughts")
    held = text(root, "mm")
    for words in ("caption words", "print(1)", "spoken words", "Plan text", "[image: file-FAKE1]"):
        assert words in held  # IMPORT-03 (1)
    assert "content_type" not in held  # IMPORT-03 (2)
    assert "asset_pointer" not in held
    assert done["skipped"]["content of type brand_new_type"] == 1


def test_sec_02_no_name_of_an_export_is_a_path(
    run: Run, tree: Tree, tmp_path: Path, vault: Callable[..., Path]
) -> None:
    """Ids, titles and file names that lead elsewhere, in every place that a name comes from."""
    hostile = [one for one in json.loads((CASES / "SEC-02/paths.json").read_bytes()) if one.strip(". ")]
    root, source = vault(), tmp_path / "export"
    source.mkdir()

    def message(text: str, to: str, id_: str) -> Any:
        content = {"content_type": "text", "parts": [text]}
        return {"id": id_, "author": {"role": "assistant"}, "recipient": to, "content": content}

    def chat(name: str) -> Any:
        canvas = json.dumps({"name": name, "type": name, "content": f"canvas {name}"})
        told = [message("hello", "all", name), message(canvas, "canmore.create_textdoc", f"{name}c"),
                message(name, "bio", f"{name}b")]  # fmt: skip
        mapping = {
            f"{name}{n}": {"parent": f"{name}{n - 1}" if n else None, "message": one} for n, one in enumerate(told)
        }
        return {"id": name, "title": name, "current_node": f"{name}2", "mapping": mapping}

    docs = [{"uuid": name, "filename": name, "content": f"doc {name}"} for name in hostile]
    (source / "conversations.json").write_text(json.dumps([chat(name) for name in hostile]), "utf-8")
    (source / "projects.json").write_text(
        json.dumps([{"uuid": name, "name": name, "prompt_template": name, "docs": docs} for name in hostile]), "utf-8"
    )
    before = {path: one for path, one in tree(tmp_path).items() if not path.startswith("vault/")}
    chats = brought(run, root, "chatgpt", source)
    assert (chats["sessions"], chats["notes"], chats["proposed"]) == (len(hostile),) * 3
    projects = brought(run, root, "claude", source / "projects.json")
    assert projects["notes"] == 2 * len(hostile)
    after = {path: one for path, one in tree(tmp_path).items() if not path.startswith("vault/")}
    assert after == before  # SEC-02 (2)
    made = [*chats["files"], *projects["files"]]
    assert len({path.casefold() for path in made}) == len(made)
    assert {path.split("/")[1] for path in made} == {"sessions", "ref", "project", "inbox"}  # SEC-02 (3)
    for path in made:
        assert re.fullmatch(r"memory/[\w/.-]+\.md", path), path
        assert (root / path).is_file()


def export(tmp_path: Path, megabytes: int) -> Path:
    path = tmp_path / "big.json"
    with path.open("wb") as out:
        subprocess.run([sys.executable, CASES / "SCALE-01/gen.py", str(megabytes)], stdout=out, check=True)
    return path


def test_scale_01_an_export_takes_no_memory_of_its_size(tmp_path: Path, vault: Callable[..., Path]) -> None:
    """24 MB of export in 8 MB of memory, most of which is one piece of the file; by hand it was 500 MB."""
    path = export(tmp_path, 24)
    code = (
        "import sys, tracemalloc\nfrom pathlib import Path\nfrom memdir.ingest import members\n"
        "from memdir.ingest.chats import chatgpt\n"
        "from memdir.ingest.records import Wanted\ntracemalloc.start()\n"
        "count = sum(1 for _ in chatgpt.read(members.opened(Path(sys.argv[1])), Wanted()))\n"
        "print(count, tracemalloc.get_traced_memory()[1])"
    )
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True, env=environment({}))
    count, peak = map(int, ran.stdout.split())
    chats = len(json.loads(path.read_bytes()))
    assert count == chats
    assert peak < 8_000_000  # SCALE-01 (1)
    told: list[int] = []
    with Memory(vault()) as memory:
        memory.bring("", export(tmp_path, 4), Asked(), progress=told.append)
    assert told == [100, 200, 300]


def test_scale_01_a_kill_doubles_and_loses_nothing(tmp_path: Path, run: Run, vault: Callable[..., Path]) -> None:
    root, path = vault(), export(tmp_path, 4)
    line = [sys.executable, "-m", "memdir", "--vault", str(root), "import", str(path)]
    process = subprocess.Popen(line, env=environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sessions = root / "memory/sessions"
    while process.poll() is None and not any(sessions.rglob("*.md")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    brought(run, root, path)
    chats = len(json.loads(path.read_bytes()))
    held = [one.read_text("utf-8") for one in sessions.rglob("*.md")]
    assert len(held) == chats  # SCALE-01 (2)
    assert sorted(one.split("> mark")[1].split(" ")[0] for one in held) == sorted(map(str, range(chats)))
    assert all(one.count("\n### ") == 1 for one in held)
