"""Two servers, a command line and a watcher on one vault: what was said to be written is there, once."""

import contextlib
import json
import random
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memdir.evals.served.processes import Web, command, web

SHARED = "Shared note"  # that all of them add to
# The one refusal that is right: another was first.
CONFLICT = re.compile(r"has changed since (?:you read it|it was read)")


@dataclass(slots=True)
class Crowd:
    """Writes by who made them, refusals of a change that came second, and what was wrong."""

    wrote: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    recalls: int = 0
    files: int = 0
    wrong: list[str] = field(default_factory=list)


Marks = dict[str, str]  # what was said to be written: mark → who


def run(root: Path, env: Mapping[str, str], seconds: float) -> Crowd:
    """Work on an empty vault for some seconds, then hold the files and the index against what was said."""
    done, marks = Crowd(), Marks()
    _memdir(root, env, "new", SHARED, "--body", "- owner:: nobody")
    watcher = subprocess.Popen(
        command(root, "watch", "--json"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(env)
    )
    try:
        with contextlib.ExitStack() as held:
            served = [held.enter_context(web(root, env)) for _ in range(2)]
            clients = [Web(port, token) for port, token, _ in served for _ in range(2)]
            until = time.monotonic() + seconds
            threads = [threading.Thread(target=_type, args=(root, env, until, marks, done))]
            threads += [
                threading.Thread(target=_serve, args=(who, client, until, marks, done))
                for who, client in zip(("one0", "one1", "two0", "two1"), clients, strict=True)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        watcher.terminate()
        watcher.wait(10)
    judge(root, env, marks, done)
    return done


def _serve(who: str, client: Web, until: float, marks: Marks, done: Crowd) -> None:
    """Mixed work by one client of a server."""
    chance = random.Random(who)
    number = 0
    while not number or time.monotonic() < until:
        number += 1
        mark = f"mark{who}x{number}x"
        act = chance.choice(("log", "log", "append", "note", "fact", "recall", "recall", "observation"))
        try:
            if act == "recall":
                result = client.call("memory_recall", query=f"mark{who}x{chance.randrange(1, number + 1)}x")
                done.recalls += 1
            elif act == "fact":
                read = client.call("memory_read", target=SHARED)["structuredContent"]
                result = client.call(
                    "memory_write", kind="fact", note=SHARED, key="owner", value=mark, base=read["digest"]
                )
            else:
                tool, given = _WRITES[act]
                result = client.call(tool, **{key: one.format(mark) for key, one in given.items()})
        except Exception as error:  # whatever it is, it is told
            done.wrong.append(f"{who} {act}: {type(error).__name__}: {error}")
            break
        _note(who, act, mark, result, marks, done)
    client.close()


_WRITES: dict[str, tuple[str, dict[str, str]]] = {
    "log": ("memory_log", {"title": "{}"}),
    "append": ("memory_write", {"note": SHARED, "mode": "append", "content": "- {}"}),
    "note": ("memory_write", {"title": "Note {}", "content": "text"}),
    "observation": ("memory_write", {"kind": "observation", "note": SHARED, "content": "{}", "category": "seen"}),
}


def _note(who: str, act: str, mark: str, result: Mapping[str, Any], marks: Marks, done: Crowd) -> None:
    if not result["isError"]:
        if act != "recall":
            marks[mark] = who
        return
    said = " ".join(one["text"] for one in result["content"])
    if act == "fact" and CONFLICT.search(said):
        done.refused += 1
    else:
        done.wrong.append(f"{who} {act}: {said}")


def _type(root: Path, env: Mapping[str, str], until: float, marks: Marks, done: Crowd) -> None:
    """Work on the command line."""
    number = 0
    while time.monotonic() < until:
        number += 1
        mark = f"markclix{number}x"
        words = (["log", mark], ["edit", SHARED, "--append", "--text", f"- {mark}"], ["new", f"Note {mark}"])[
            number % 3
        ]
        code, said = _memdir(root, env, *words)
        if code == 0:
            marks[mark] = "cli"
        else:
            done.wrong.append(f"cli {words[0]}: {code} {said}")


def _memdir(root: Path, env: Mapping[str, str], *words: str) -> tuple[int, str]:
    ran = subprocess.run(command(root, *words), capture_output=True, encoding="utf-8", env=dict(env), check=False)
    return ran.returncode, ran.stdout if ran.returncode == 0 else ran.stderr


def judge(root: Path, env: Mapping[str, str], marks: Marks, done: Crowd) -> None:
    """Every mark stands in one file, once; no file is torn; the index is whole and says what a rebuild says."""
    done.wrote = dict(Counter(marks.values()))
    paths = [path for path in (root / "memory").rglob("*.md") if "ledger" not in path.parts]
    done.files = len(paths)
    texts = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}
    logs = "".join(text for path, text in texts.items() if path.startswith("memory/logs/"))
    shared = next(text for path, text in texts.items() if path.endswith("shared-note.md"))
    names = "\n".join(texts)
    for mark, who in marks.items():
        found = (shared.count(mark) + names.count(mark)) or logs.count(f" {mark}\n")
        if found != 1:
            done.wrong.append(f"{mark} of {who} stands there {found} times")
    conflicts = [path for path in texts if "conflict" in path]
    done.wrong += [f"a copy was left: {path}" for path in conflicts]
    code, said = _memdir(root, env, "doctor", "--json")
    if code:
        done.wrong.append(f"doctor: {said}")
    before = _answers(root, env, marks)
    _memdir(root, env, "rebuild")
    if before != _answers(root, env, marks):
        done.wrong.append("a rebuilt index answers otherwise")


def _answers(root: Path, env: Mapping[str, str], marks: Marks) -> list[Any]:
    asked = [*marks][:: max(1, len(marks) // 5)][:5]
    found = [_memdir(root, env, "recall", mark, "--json")[1] for mark in asked]
    return [[(one["path"], one["at"]) for one in json.loads(said)["evidence"]] for said in found if said]
