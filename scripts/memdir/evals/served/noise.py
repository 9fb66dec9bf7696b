"""Messages that no client sends: a server answers or passes over them, and goes on. The same for the same seed."""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memdir.evals.served.processes import command
from memdir.evals.stdio import Server, message

TOOLS = {
    "memory_recall": (
        "query", "limit", "offset", "types", "tags", "scope", "since", "as_of", "path", "mode", "session",
    ),
    "memory_read": ("target", "offset", "max_chars"),
    "memory_context": ("task", "scope", "budget"),
    "memory_loops": ("everything", "limit", "offset"),
    "memory_status": (),
    "memory_write": ("title", "content", "note", "kind", "mode", "base", "key", "value", "metadata", "tags", "dry_run"),
    "memory_log": ("title", "lines", "dry_run"),
    "memory_ingest": ("session", "turns", "scope", "dry_run"),
    "memory_forget": ("session", "origin", "derived"),
}  # fmt: skip
METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list",
    "prompts/list", "prompts/get", "server/discover", "logging/setLevel", "completion/complete", "roots/list",
    "notifications/cancelled", "notifications/initialized", "subscriptions/listen", "sampling/createMessage", "", "x/y",
)  # fmt: skip
WORDS = (
    "", "x", "pump valve", "../../etc/passwd", "/etc/hostname", "a\x00b", "泵 阀门", "\ud83d", "[[x]]", "#", ":", "-1",
    "NaN", "true", "[]", "{}", '["a"]', "a" * 3_000, "\u202e\u200b", "<memory nonce=00>", "MEMORY.md", "last month",
)  # fmt: skip


@dataclass(slots=True)
class Noise:
    """How many messages were sent and lines came back, and what of that was wrong."""

    sent: int = 0
    lines: int = 0
    wrong: list[str] = field(default_factory=list)


def messages(seed: int, count: int) -> Iterator[bytes]:
    """Lines for the server, most of them nearly right."""
    chance = random.Random(seed)
    for number in range(count):
        yield _line(chance, number).replace(b"\n", b" ") + b"\n"


def _line(chance: random.Random, number: int) -> bytes:
    kind = chance.random()
    if kind < 0.08:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(200)))
    if kind < 0.12:
        return json.dumps(_value(chance, 0)).encode()
    if kind < 0.14:
        return b"[" * chance.randrange(1, 5_000)
    whole: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
    if kind < 0.55:
        tool = chance.choice([*TOOLS, "memory_none"])
        if tool in ("memory_write", "memory_ingest", "memory_forget") and chance.random() < 0.8:
            tool = "memory_recall"  # what writes takes long
        keys = [key for key in TOOLS.get(tool, ("a",)) if chance.random() < 0.5]
        whole["params"] = {"name": tool, "arguments": {key: _value(chance, 1) for key in keys}}
    else:
        whole["method"] = chance.choice(METHODS)
        whole["params"] = _object(chance, 0) if chance.random() < 0.8 else _value(chance, 0)
    for key in [key for key in whole if chance.random() < 0.08]:
        if chance.random() < 0.5:
            del whole[key]
        else:
            whole[key] = _value(chance, 1)
    text = json.dumps(whole, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return text[: chance.randrange(len(text))] if chance.random() < 0.05 else text


def _value(chance: random.Random, depth: int) -> Any:
    pick = chance.randrange(10 if depth < 3 else 8)
    if pick < 4:
        return chance.choice(WORDS)
    if pick < 8:
        return [chance.randrange(-5, 50), 2**80, -0.5, 1e308, None, True, False][chance.randrange(7)]
    if pick == 8:
        return [_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return _object(chance, depth)


def _object(chance: random.Random, depth: int) -> dict[str, Any]:
    keys = ("name", "uri", "arguments", "_meta", "cursor", "protocolVersion", "ref", chance.choice(WORDS))
    return {chance.choice(keys): _value(chance, depth + 1) for _ in range(chance.randrange(4))}


def run(root: Path, env: Mapping[str, str], seed: int, count: int) -> Noise:
    """Send messages to `memdir mcp`; at the end it must still answer. What it prints is held to the protocol."""
    done = Noise()
    with Server(command(root, "mcp"), env) as server:
        for line in messages(seed, count):
            server.send(line)
            done.sent += 1
            _take(server, done)
        server.send(message("the end", "tools/call", {"name": "memory_status", "arguments": {}}))
        while (line := server.lines.get(timeout=120)) and b'"the end"' not in line:
            _judge(line, done)
        if not line or json.loads(line)["result"]["isError"]:
            done.wrong.append(f"no answer at the end: {line!r}")
    if (code := server.child.returncode) != 0:
        done.wrong.append(f"it ended with {code}")
    _take(server, done)
    return done


def _take(server: Server, done: Noise) -> None:
    """What has come back so far but for the last line, which may be the end."""
    while server.lines.qsize() > 1:
        _judge(server.lines.get(), done)


def _judge(line: bytes, done: Noise) -> None:
    done.lines += 1
    try:
        held = json.loads(line)
        fine = held["jsonrpc"] == "2.0" and (("result" in held) != ("error" in held) or "method" in held)
    except (ValueError, KeyError, TypeError):
        fine = False
    if not fine and len(done.wrong) < 20:
        done.wrong.append(f"no message of the protocol: {line[:200]!r}")
