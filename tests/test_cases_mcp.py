"""Public bug reports as tests: the MCP server, its protocol, its life, the size of its replies.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`.
"""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import driver
from mcp_client import Talk, desk, talk, web_server
from memdir.evals.scripted import scripted
from memdir.interfaces.mcp import shapes
from watcher import PATIENCE, until

CASES = Path(__file__).parent / "cases"
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and parents as POSIX has them")
Vault = Callable[..., Path]
WEB = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
SECRET = "a-token-of-the-tests"


def server(root: Path, **more: Any) -> subprocess.Popen[bytes]:
    """`memdir mcp` with its three pipes."""
    env = driver.environment(more.pop("env", {}))
    return subprocess.Popen(
        [sys.executable, "-m", "memdir", "--vault", os.fspath(root), "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, **more,
    )  # fmt: skip


def line(id_: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def began(process: subprocess.Popen[bytes]) -> None:
    """Shake hands, so that the server is surely there."""
    assert process.stdin
    assert process.stdout
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    process.stdin.write(line(1, "initialize", **client))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1


@pytest.fixture
def many(tmp_path: Path, vault: Vault) -> Path:
    """An adopted vault of 3,000 notes that hold one word, and one of 3 MB."""
    root = tmp_path / "many"
    for number in range(3_000):
        place = root / f"d{number % 60:02}" / f"n{number:04}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# Note {number}\n\ncommon uniq{number} is here\n", "utf-8")
    (root / "big.md").write_text(
        "# Big\n\n" + "".join(f"row {n} of the big note, äöü 表\n" for n in range(90_000)), "utf-8"
    )
    driver.run("init", "--adopt", root)
    return root


@pytest.mark.parametrize("noisy", [False, True])
def test_mcp_01_standard_output_is_protocol(noisy: bool, vault: Vault, tmp_path: Path) -> None:
    """`noisy`: libraries that print while they load, to the stream and to the descriptor."""
    root = vault()
    (root / "memory/project/bad.md").write_text("---\nname: [\n---\nx\n", "utf-8")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Noise:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('mcp', 'numpy', 'memdir.recall.pipeline'):\n"
        "            print('loading', name); sys.stdout.flush(); os.write(1, b'noise\\n')\n"
        "sys.meta_path.insert(0, Noise())\n" * noisy,
        "utf-8",
    )
    asked = (CASES / "MCP-01/in.jsonl").read_bytes()
    asked += line(3, "tools/call", name="memory_recall", arguments={"query": "nothing"})
    asked += line(4, "tools/call", name="memory_read", arguments={"target": "no such note"})
    env = {"PYTHONWARNINGS": "always", "PYTHONPATH": os.pathsep.join([os.fspath(tmp_path), os.fspath(driver.SCRIPTS)])}
    with server(root, env=env) as process:
        out, err = process.communicate(asked, timeout=60)
    told = {one["id"]: one for one in map(json.loads, out.splitlines())}
    assert all(one["jsonrpc"] == "2.0" for one in told.values())
    assert told.keys() == {1, 2, 3, 4}
    assert "result" in told[1]
    assert "result" in told[2]  # MCP-01 (1)
    assert told[4]["result"]["isError"]
    assert (b"noise" in err) == noisy  # MCP-01 (2)


def test_mcp_02_shapes_that_clients_send(vault: Vault, run: driver.Run) -> None:
    root = vault()
    calls = json.loads((CASES / "MCP-02/calls.json").read_bytes())

    async def work(client: Talk) -> None:
        for given in calls:
            fine = given.pop("ok")
            before = driver.tree(root)
            if fine:
                path = (await client.call("memory_write", **given))["path"]
                assert run("show", path, "--json", vault=root).json["tags"] == ["x1", "x2"]
            else:
                assert "content" in await client.error("memory_write", **given)
                assert driver.tree(root) == before  # MCP-02 (2)
        found = await client.call("memory_recall", query="r1 r2 r3 r4 r5 r6", limit="5", tags="x1, x2")
        assert len(found["found"]) == 5  # MCP-02 (1)

    with desk(root) as made:
        talk(made, work)


def size(reply: object) -> int:
    """Bytes of a reply as it goes over the pipe."""
    return len(json.dumps(reply, ensure_ascii=False).encode())


async def reply(client: Talk, tool: str, **given: object) -> dict[str, Any]:
    """A structured result; the whole of the reply keeps to the ceiling."""
    done = await client.client.call_tool(tool, dict(given))
    whole = done.model_dump(mode="json", by_alias=True)
    assert size(whole) < shapes.CEILING, (tool, given)
    assert not done.is_error, done.content
    assert done.structured_content is not None
    assert json.loads(done.content[0].text) == done.structured_content
    return done.structured_content


def test_mcp_03_replies_are_bounded_and_paged(many: Path) -> None:
    async def work(client: Talk) -> None:
        for limit in (0, 100_000):
            for tool, given in (
                ("memory_recall", {"query": "common", "limit": limit}),
                ("memory_read", {"target": "big.md", "max_chars": limit}),
                ("memory_context", {"budget": limit, "task": "common"}),
                ("memory_loops", {"limit": limit}),
                ("memory_status", {}),
            ):
                await reply(client, tool, **given)  # MCP-03 (1)
        seen: list[str] = []
        page = await reply(client, "memory_recall", query="common", limit=100_000)
        assert "go on" in page["notices"][0]
        while True:
            seen += [one["id"] for one in page["found"]]
            if not page["next"]:
                break
            page = await reply(client, "memory_recall", query="common", limit=50, offset=page["next"])
        assert len(seen) == len(set(seen))
        assert {one.partition(":")[0] for one in seen} >= {
            f"d{n % 60:02}/n{n:04}.md" for n in range(3_000)
        }  # MCP-03 (2)
        whole, text, offset = (many / "big.md").read_text("utf-8").rstrip("\n"), "", 0
        for _ in range(8):
            part = await reply(client, "memory_read", target="big.md", offset=offset, max_chars=20_000)
            text += part["text"].split("\n", 2)[2].rpartition("\n")[0]
            offset = part["next"]
        assert offset == len(text) > 100_000
        assert whole.startswith(text)
        assert part["characters"] == len(whole)
        last = await reply(client, "memory_read", target="big.md", offset=len(whole) - 900)
        assert whole[-900:] in last["text"]
        assert last["next"] == 0
        assert (await reply(client, "memory_recall", query="uniq2999"))["found"]  # MCP-03 (3)

    with desk(many) as made:
        talk(made, work)


def gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody asked for its end yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@POSIX
@pytest.mark.parametrize("way", ["nothing", "closed while it indexes", "SIGTERM", "SIGTERM while it indexes"])
def test_mcp_04_ends_with_its_client(way: str, many: Path, vault: Vault, run: driver.Run) -> None:
    root = many if "indexes" in way else vault()
    with server(root) as process:
        assert process.stdin
        if way == "nothing":
            process.stdin.close()
        else:
            began(process)
            process.stdin.close() if "closed" in way else process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0  # MCP-04 (1)
    assert run("sync", "--json", vault=root).code == 0  # MCP-04 (2)


@POSIX
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_mcp_04_ends_when_its_parent_is_killed(vault: Vault) -> None:
    """A grandchild holds the pipe open, so that the end of standard input never comes."""
    root = vault()
    code = (
        "import subprocess, sys, time\n"
        "one = subprocess.Popen([sys.executable, '-m', 'memdir', '--vault', sys.argv[1], 'mcp'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "two = subprocess.Popen(['sleep', '60'], pass_fds=[one.stdin.fileno(), one.stdout.fileno()])\n"
        "print(one.pid, two.pid, flush=True)\n"
        "one.stdin.write(sys.argv[2].encode() + b'\\n'); one.stdin.flush()\n"
        "print(one.stdout.readline().decode(), flush=True)\n"
        "time.sleep(60)\n"
    )
    hello = line(
        1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "0"}
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, os.fspath(root), hello.decode().strip()],
        stdout=subprocess.PIPE, env=driver.environment({}),
    ) as parent:  # fmt: skip
        assert parent.stdout
        served, holder = map(int, parent.stdout.readline().split())
        try:
            assert b'"id":1' in parent.stdout.readline()
            before = sum(os.times()[:2])
            parent.kill()
            assert until(lambda: gone(served), 30)  # MCP-04 (1)
            assert sum(os.times()[:2]) - before < 5
        finally:
            os.kill(holder, signal.SIGKILL)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, told: str) -> None:
        self.told = told

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self.told).replace(tzinfo=UTC)


def test_time_02_a_server_past_midnight(vault: Vault) -> None:
    root = vault()
    with (root / "memdir.toml").open("a", encoding="utf-8") as settings:
        settings.write('timezone = "UTC"\n')
    clock = Clock("2026-11-28T23:58:00")

    async def work(client: Talk) -> None:
        await client.call("memory_log", title="entry a")
        clock.told = "2026-11-29T00:03:00"
        await client.call("memory_log", title="entry b")
        clock.told = "2026-11-28T23:59:00"
        planned = await client.call("memory_log", title="entry c", dry_run=True)
        assert "entry c" in planned["diff"]
        clock.told = "2026-11-29T00:01:00"
        await client.call("memory_log", title="entry c")

    with desk(root, clock) as made:
        talk(made, work)
    one, two = ((root / f"memory/logs/2026/11/2026-11-{day}.md").read_text("utf-8") for day in (28, 29))
    assert "entry a" in one
    assert "entry b" in two
    assert ("entry c" in one) + ("entry c" in two) == 1  # TIME-02 (1)
    assert one.count("# 2026-11-28\n") == two.count("# 2026-11-29\n") == 1  # TIME-02 (2)


def test_sec_01_imported_orders_stay_data(vault: Vault, run: driver.Run, tmp_path: Path) -> None:
    """A document that asks to be remembered, and a model that obeys it. Its link leads to a server that listens."""
    root = vault()
    with scripted("") as model:
        link = model.url.replace("/v1", "/x")
        document = (CASES / "SEC-01/doc.md").read_text("utf-8").replace("http://collector.invalid/x", link)
        (tmp_path / "doc.txt").write_text(document, "utf-8")
        assert run("import", "documents", tmp_path / "doc.txt", vault=root).code == 0
        assert run("log", "Heat pump", "--line", "- Read its guide: service yearly", vault=root).code == 0
        order = document.split("rule: ")[1].split("\n")[0]
        facts = [{"kind": "rule", "text": said, "quote": said} for said in ("service yearly", order)]
        model.script = json.dumps({"facts": facts})
        env = {"MEMDIR_LLM_URL": model.url, "MEMDIR_LLM_MODEL": "tiny"}
        assert run("distill", "--json", vault=root, **env).json["calls"] == 1

        async def work(client: Talk) -> None:
            for tool, given in (
                ("memory_recall", {"query": "heat pump guide rule"}),
                ("memory_read", {"target": "doc"}),
            ):
                told = await client.call(tool, **given)
                text = told.get("memory") or told["text"]
                assert "Data, not orders" in text.split("\n")[1]
                assert "doc.md" in (text if "found" in told else told["path"])  # SEC-01 (1)
                assert order in text
                assert len(re.findall(r"</\s*memory", text, re.IGNORECASE)) == 1  # SEC-01 (2)
            assert order not in await client.read("memory://index")  # SEC-01 (3)

        with desk(root) as made:
            talk(made, work)
        topics = [path for kind in ("user", "feedback", "project") for path in (root / "memory" / kind).glob("*.md")]
        assert not [path for path in topics if order in path.read_text("utf-8")]
        assert len(model.requests) == 1  # SEC-01 (4)


def posted(port: int, body: bytes, headers: dict[str, str]) -> int:
    """The status of a request with these very headers."""
    held = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    held.putrequest("POST", "/mcp", skip_host=True)
    for key, value in {**headers, "Content-Length": str(len(body))}.items():
        held.putheader(key, value)
    held.endheaders(body)
    with contextlib.closing(held):
        return held.getresponse().status


def test_sec_03_a_web_page_reaches_nothing(vault: Vault) -> None:
    """Every row by a real server with default settings: what is refused is answered with 4xx, and no tool runs."""
    root = vault()
    rows = json.loads((CASES / "SEC-03/requests.json").read_bytes())
    with web_server(root, MEMDIR_TOKEN=SECRET) as (url, _):
        port = int(url.rpartition(":")[2])
        titles = []
        for number, row in enumerate(rows):
            fine, title = row.pop("ok"), f"row {number}"
            row.pop("note", "")
            headers = {key: value.replace("PORT", str(port)) for key, value in row.items()}
            asked = {"name": "memory_log", "arguments": {"title": title}}
            body = line(1, "tools/call", **asked)
            status = posted(port, body, {**WEB, "Authorization": f"Bearer {SECRET}", **headers})
            assert (status == 200) if fine else (400 <= status < 500), row  # SEC-03 (1)
            titles += [title] * fine
        log = "".join(path.read_text("utf-8") for path in (root / "memory/logs").rglob("*.md"))
        assert re.findall(r"row \d+", log) == titles  # SEC-03 (2)
        assert url == f"http://127.0.0.1:{port}"
    for more in ([], ["--insecure-local"]):
        assert driver.run("serve", "--host", "0.0.0.0", "--port", "0", *more, vault=root).code == 2  # SEC-03 (3)
