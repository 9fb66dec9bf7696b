"""`memdir serve`: who is let in, what each token may do, the limits, and the tools over HTTP in both eras."""

import itertools
import json
import re
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest

import driver
from mcp_client import ERAS, READS, WRITES, connected, desk, web_server
from memdir.app.tokens import Token
from memdir.errors import UsageError
from memdir.interfaces.mcp import web
from memdir.interfaces.mcp.guard import METHODS, Bucket, Limits
from memdir.interfaces.mcp.web import Where

Vault = Callable[..., Path]
PORT = 48400
FULL = Token("full", "a-token-that-may-do-everything")
READER = Token("reader", "a-token-that-may-read", ("read",))
CATCHER = Token("catcher", "a-token-that-may-capture", ("capture",))
ATLAS = Token("atlas", "a-token-of-one-scope", scopes=("atlas",))
STRANGER = Token("stranger", "a-token-not-vouched-for", external=True)
TOKENS = (FULL, READER, CATCHER, ATLAS, STRANGER)
HEADERS = {
    "host": f"127.0.0.1:{PORT}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: Any, method: str = "POST", path: str = "/mcp", body: bytes | list[bytes] = b"", wait: float = 0, **headers: str
) -> Answer:
    """One request to the application, as a server hands it over. `wait`: seconds before each part of the body."""
    parts = [body] if isinstance(body, bytes) else list(body)
    got: list[Any] = []

    async def receive() -> dict[str, Any]:
        await anyio.sleep(wait)
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        got.append(message)

    told = {key.replace("_", "-"): value for key, value in (HEADERS | headers).items() if value}
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "scheme": "http", "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", PORT),
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in told.items()],
    }  # fmt: skip
    await app(scope, receive, send)
    given = {key.decode(): value.decode() for key, value in got[0]["headers"]}
    return Answer(got[0]["status"], given, b"".join(one.get("body", b"") for one in got[1:]))


def call(tool: str, **given: Any) -> bytes:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    return json.dumps(asked).encode()


def bearer(token: Token | None) -> str:
    return f"Bearer {token.secret}" if token else ""


def served(
    root: Path, work: Callable[[Any], Awaitable[None]], *, held: tuple[Token, ...] = TOKENS, **more: Any
) -> None:
    """Run some work with the application of a vault."""
    limits = Limits(**more)

    async def run(app: Any) -> None:
        async with app.router.lifespan_context(app):
            await work(app)

    with desk(root) as made:
        anyio.run(run, web.make(made, Where(), PORT, held, limits))


async def result(app: Any, token: Token, tool: str, **given: Any) -> dict[str, Any]:
    answer = await ask(app, body=call(tool, **given), authorization=bearer(token))
    assert answer.status == 200, answer
    return dict(answer.json["result"])


# --- who is let in ---------------------------------------------------------------------------------------


def test_everything_is_refused_but_what_is_let_in(vault: Vault) -> None:
    """Host × Origin × token × method over every route of the application and one that is none."""
    root = vault()
    hosts = {
        f"127.0.0.1:{PORT}": True, f"localhost:{PORT}": True, f"[::1]:{PORT}": True, f"LOCALHOST:{PORT}": True,
        "127.0.0.1": False, "localhost:1": False, f"rebind.invalid:{PORT}": False, "": False,
        f"127.0.0.1.rebind.invalid:{PORT}": False,
        f"localhost:{PORT}.rebind.invalid": False, f"0.0.0.0:{PORT}": False,
    }  # fmt: skip
    origins = {
        "": True, f"http://localhost:{PORT}": True, f"http://127.0.0.1:{PORT}": True,
        "null": False, "http://rebind.invalid": False, f"https://localhost:{PORT}": False, "http://localhost": False,
        f"http://localhost:{PORT}.rebind.invalid": False, f"http://localhost.rebind.invalid:{PORT}": False,
    }  # fmt: skip
    tokens = {
        bearer(FULL): True, f"bearer {FULL.secret}": True, "": False, "Bearer ": False, "Bearer wrong": False,
        f"Basic {FULL.secret}": False, FULL.secret: False, f"Bearer {FULL.secret}x": False,
        f"Bearer {FULL.secret[:-1]}": False,
    }  # fmt: skip
    methods = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "XYZ")
    before = driver.tree(root)
    let_in: set[tuple[str, str]] = set()

    async def work(app: Any) -> None:
        paths = [route.path for route in app.routes]
        assert sorted(paths) == sorted(METHODS)
        every = itertools.product([*paths, "/", "/mcp/", "/tokens"], methods, hosts, origins, tokens)
        for path, method, host, origin, token in every:
            open_ = path == "/health" and method in ("GET", "HEAD")
            fine = hosts[host] and origins[origin] and (tokens[token] or open_) and method in METHODS.get(path, ())
            answer = await ask(
                app, method, path, call("memory_log", title="in") if not fine else b"", host=host, origin=origin,
                authorization=token,
            )  # fmt: skip
            if fine:
                let_in.add((path, method))
                assert answer.status == (200 if open_ else 400), (path, method, host, origin, token)
            else:
                assert answer.status in (401, 403, 404, 405, 421), (path, method, host, origin, token)
                assert b"jsonrpc" not in answer.body

    served(root, work, wrong=1e9)
    assert let_in == {("/mcp", "POST"), ("/health", "GET"), ("/health", "HEAD")}
    assert driver.tree(root) == before


@pytest.mark.parametrize("name", [b"host", b"authorization", b"content-length", b"origin"])
def test_a_header_that_stands_there_twice_is_refused(name: bytes, vault: Vault) -> None:
    async def work(app: Any) -> None:
        async def twice(scope: Any, receive: Any, send: Any) -> None:
            held = [one for one in scope["headers"] if one[0] == name]
            await app({**scope, "headers": [*scope["headers"], *held]}, receive, send)

        given = {"authorization": bearer(FULL), "content_length": "2", "origin": f"http://localhost:{PORT}"}
        assert b"twice" not in (await ask(app, body=b"{}", **given)).body
        refused = await ask(twice, body=b"{}", **given)
        assert refused.status == 400
        assert b"twice" in refused.body

    served(vault(), work)


def test_health_says_nothing_but_that_it_is(vault: Vault) -> None:
    async def work(app: Any) -> None:
        assert (await ask(app, "GET", "/health")).json == {"status": "ok"}
        assert (await ask(app, "POST", "/health", authorization=bearer(FULL))).status == 405

    served(vault(), work)


def test_without_tokens_everybody_on_this_machine_is_let_in(vault: Vault) -> None:
    async def work(app: Any) -> None:
        done = (await ask(app, body=call("memory_log", title="open"))).json["result"]
        assert not done["isError"]
        assert (await ask(app, body=call("memory_log", title="x"), host="rebind.invalid")).status == 421

    served(vault(), work, held=())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"host": "0.0.0.0"}, "--behind-proxy"),
        ({"host": "::"}, "--behind-proxy"),
        ({"host": "192.0.2.1"}, "--behind-proxy"),
        ({"host": "memory.example"}, "--behind-proxy"),
        ({"host": "0.0.0.0", "insecure_local": True}, "--insecure-local"),
        ({"host": "0.0.0.0", "insecure_local": True, "behind_proxy": True}, "--insecure-local"),
        ({"host": "0.0.0.0", "insecure_local": True, "certificate": "c", "key": "k"}, "--insecure-local"),
        ({"certificate": "c"}, "belong together"),
    ],
)  # fmt: skip
def test_what_would_be_open_to_others_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        Where(**given).check()


def test_what_may_listen() -> None:
    for given in (
        {}, {"host": "::1"}, {"host": "localhost", "insecure_local": True}, {"host": "127.0.0.2"},
        {"host": "0.0.0.0", "behind_proxy": True}, {"host": "0.0.0.0", "certificate": "c", "key": "k"},
    ):  # fmt: skip
        Where(**given).check()
    proxied = Where(host="0.0.0.0", behind_proxy=True, names=("memory.example",)).hosts(PORT)
    assert {"memory.example", f"memory.example:{PORT}", f"localhost:{PORT}"} <= proxied
    assert f"0.0.0.0:{PORT}" not in proxied


# --- what each may do ------------------------------------------------------------------------------------


def test_a_token_sees_the_tools_of_its_rights_and_may_use_no_other(vault: Vault) -> None:
    root = vault()
    rights = {
        FULL: {*READS, *WRITES},
        READER: {*READS},
        CATCHER: {"memory_log", "memory_ingest"},
        ATLAS: {*READS, *WRITES},
    }
    given: dict[str, dict[str, Any]] = {
        "memory_recall": {"query": "x"}, "memory_read": {"target": "MEMORY.md"}, "memory_context": {},
        "memory_loops": {}, "memory_status": {}, "memory_write": {"title": "t", "content": "c"},
        "memory_log": {"title": "t"},
        "memory_ingest": {"session": "s", "turns": [{"speaker": "u", "text": "t"}]}, "memory_forget": {"session": "s"},
    }  # fmt: skip

    async def work(app: Any) -> None:
        listing = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        for token, allowed in rights.items():
            told = (await ask(app, body=listing, authorization=bearer(token))).json["result"]["tools"]
            assert {one["name"] for one in told} == allowed, token
            for tool in {*READS, *WRITES} - allowed:
                refused = await result(app, token, tool, **given[tool])
                assert refused["isError"]
                assert "has no right to" in refused["content"][0]["text"]

    before = driver.tree(root)
    served(root, work)
    assert driver.tree(root) == before


def test_who_wrote_comes_from_the_token(vault: Vault, run: driver.Run) -> None:
    root = vault()

    async def work(app: Any) -> None:
        for token in (FULL, ATLAS):
            await result(app, token, "memory_log", title="x", by="somebody", trust="own")
        turn = {"speaker": "user", "text": "hello"}
        await result(app, CATCHER, "memory_ingest", session="s", turns=[turn], source="chatgpt", origin="chatgpt")

    served(root, work)
    assert {one["by"] for one in run("runs", "--json", vault=root).json["runs"]} == {
        "mcp:full",
        "mcp:atlas",
        "mcp:catcher",
    }
    assert run("sessions", "list", "--json", vault=root).json["sessions"][0]["source"] == "catcher"


def test_a_token_of_a_scope_sees_and_writes_that_scope_alone(vault: Vault) -> None:
    root = vault()
    for name, front in (("mine", "scope: atlas\n"), ("theirs", "scope: other\n"), ("open", "")):
        text = f"---\nname: {name}\ntype: project\n{front}---\nzebrafish {name}\n- [ ] feed {name}\n"
        (root / f"memory/project/{name}.md").write_text(text, "utf-8")

    async def work(app: Any) -> None:
        async def ok(tool: str, **given: Any) -> Any:
            done = await result(app, ATLAS, tool, **given)
            assert not done["isError"], done
            return done["structuredContent"]

        async def refused(tool: str, **given: Any) -> str:
            done = await result(app, ATLAS, tool, **given)
            assert done["isError"], done
            return str(done["content"][0]["text"])

        found = (await ok("memory_recall", query="zebrafish"))["found"]
        assert [one["id"].partition(":")[0] for one in found] == ["memory/project/mine.md"]
        assert "'other' is not one of this token's" in await refused("memory_recall", query="zebrafish", scope="other")
        assert (await ok("memory_loops"))["total"] == 1
        assert "zebrafish mine" in (await ok("memory_read", target="mine"))["text"]
        for target in ("theirs", "open", "MEMORY.md", "nothing", "memory/project/theirs.md", "../x"):
            assert "there is no" in await refused("memory_read", target=target)
            assert "there is no" in await refused("memory_write", note=target, content="x", mode="append")
            assert "there is no" in await refused("memory_write", kind="fact", note=target, key="k", value="v")
        context = await ok("memory_context", task="zebrafish")
        assert "theirs" not in context["memory"]
        assert (await ok("memory_status"))["counts"] == {}
        assert "cannot forget" in await refused("memory_forget", session="s", confirm=True)
        made = await ok("memory_write", title="New", content="zebrafish again")
        assert "scope: atlas\n" in (root / made["path"]).read_text("utf-8")
        assert "metadata.scope" in await refused("memory_write", note="mine", metadata={"scope": "other"}, base="x")
        assert "not one of" in await refused("memory_write", title="New", content="c", scope="other")
        await ok("memory_ingest", session="s", turns=[{"speaker": "u", "text": "zebrafish told", "scope": "other"}])
        assert len((await ok("memory_recall", query="zebrafish"))["found"]) == 3
        for uri, fine in (
            ("note/memory/project/mine.md", True),
            ("note/memory/project/theirs.md", False),
            ("index", False),
        ):
            read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"memory://{uri}"}}
            told = (await ask(app, body=json.dumps(read).encode(), authorization=bearer(ATLAS))).json
            assert ("result" in told) == fine, told

    served(root, work)


def test_what_a_token_that_is_not_vouched_for_writes_is_marked(vault: Vault) -> None:
    root = vault()
    (root / "memory/project/own.md").write_text("---\nname: own\ntype: project\n---\ntext\n", "utf-8")

    async def work(app: Any) -> None:
        made = await result(app, STRANGER, "memory_write", title="Seen", content="on a page", type="ref")
        assert "trust: external\n" in (root / made["structuredContent"]["path"]).read_text("utf-8")
        await result(app, STRANGER, "memory_write", note="Seen", content="more", mode="append")
        for tool, given in (
            ("memory_write", {"title": "t", "content": "c", "type": "user"}),
            ("memory_write", {"title": "t", "content": "c", "type": "feedback"}),
            ("memory_write", {"note": "own", "content": "c", "mode": "append"}),
            ("memory_write", {"title": "t", "content": "c", "metadata": {"trust": "own"}}),
            ("memory_log", {"title": "t"}),
        ):
            assert (await result(app, STRANGER, tool, **given))["isError"], given

    served(root, work)
    assert (root / "memory/project/own.md").read_text("utf-8").endswith("text\n")
    assert "more" in (root / "memory/ref/seen.md").read_text("utf-8")


# --- limits ----------------------------------------------------------------------------------------------


def test_a_body_has_its_bounds(vault: Vault) -> None:
    async def work(app: Any) -> None:
        key = bearer(FULL)
        assert (await ask(app, body=b"x" * 2_001, authorization=key)).status == 413
        assert (await ask(app, body=[b"x" * 1_000] * 3, authorization=key)).status == 413
        assert (await ask(app, body=b"{}", content_length="999999999999", authorization=key)).status == 413
        assert (await ask(app, body=b"{}", content_length="-1", authorization=key)).status == 413
        assert (await ask(app, body=[b"{"] * 9, wait=0.1, authorization=key)).status == 408
        assert (await ask(app, body=call("memory_status"), authorization=key)).status == 200

    served(vault(), work, body=2_000, seconds=0.3)


def test_too_many_requests_wait(vault: Vault) -> None:
    async def work(app: Any) -> None:
        statuses = [(await ask(app, body=call("memory_status"), authorization=bearer(FULL))) for _ in range(4)]
        assert [one.status for one in statuses] == [200, 200, 429, 429]
        assert int(statuses[2].headers["retry-after"]) >= 1
        assert (await ask(app, body=call("memory_status"), authorization=bearer(READER))).status == 200
        wrong = [(await ask(app, body=b"{}", authorization="Bearer no")) for _ in range(6)]
        assert [one.status for one in wrong] == [401] * 4 + [429] * 2
        assert "retry-after" in wrong[5].headers

    served(vault(), work, rate=0.001, burst=2, wrong=1)


def test_too_many_at_once_are_told_to_come_again(vault: Vault) -> None:
    async def work(app: Any) -> None:
        found: list[Answer] = []

        async def one() -> None:
            found.append(await ask(app, body=[b"{", b"}"], wait=0.2, authorization=bearer(FULL)))

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(one)
        refused = [one for one in found if one.status == 503]
        assert len(refused) == 3
        assert all(one.headers["retry-after"] == "1" for one in refused)
        assert (await ask(app, body=call("memory_status"), authorization=bearer(FULL))).status == 200

    served(vault(), work, at_once=2)


def test_a_bucket_fills_again() -> None:
    one = Bucket(rate=2, burst=2)
    assert [one.take(0), one.take(0)] == [0, 0]
    assert one.take(0) == 0.5
    assert one.take(0.5) == 0
    assert [one.take(9), one.take(9)] == [0, 0]
    assert one.take(9) > 0


# --- as a process ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_resource_and_prompt_over_http(vault: Vault, era: str) -> None:
    root = vault()

    async def work(url: str) -> None:
        async with connected(url, FULL.secret, era) as client:
            assert [one.name for one in (await client.client.list_tools()).tools] == [*READS, *WRITES]
            made = await client.call("memory_write", title="Tide", content="Six hours between tides.", type="ref")
            assert (await client.call("memory_recall", query="tides"))["found"][0]["id"].startswith(made["path"])
            read = await client.call("memory_read", target=made["path"])
            await client.call("memory_write", note="Tide", content="Seven.", mode="replace", base=read["digest"])
            assert "has changed" in await client.error(
                "memory_write", note="Tide", content="Eight.", mode="replace", base=read["digest"]
            )
            await client.call("memory_log", title="Tide measured", lines=["- [ ] Measure again"])
            held = await client.call("memory_loops")
            assert held["total"] == 1, held
            assert (await client.call("memory_ingest", session="s", turns=[{"speaker": "u", "text": "hi"}]))[
                "turns"
            ] == 1
            assert "Tide" in (await client.call("memory_context"))["memory"]
            assert (await client.call("memory_status"))["counts"]["session"] == 1
            assert (await client.call("memory_forget", session="s", confirm=True))["done"]
            assert "Seven." in await client.read("memory://note/memory/ref/tide.md")
            assert "Tide" in await client.read("memory://index")
            assert (await client.client.get_prompt("recall_first", {"topic": "x"})).messages

    with web_server(root, MEMDIR_TOKEN=FULL.secret) as (url, _):
        anyio.run(work, url)


def test_no_secret_is_printed(vault: Vault, home: Path) -> None:
    with web_server(vault()) as (url, one):
        secret = json.loads((home / "config/memdir/serve.json").read_bytes())["tokens"][0]["token"]
        for key in (f"Bearer {secret}", f"Bearer {secret}x", "Bearer wrong"):
            for path in ("/mcp", "/health", f"/{secret}"):
                httpx2.post(url + path, headers={"authorization": key}, content=b"{", timeout=30)
        one.send_signal(signal.SIGTERM)
        assert one.stdout
        assert one.stderr
        said = one.stdout.read() + one.stderr.read()
    assert secret not in said
    assert "wrong" not in said


def test_a_port_that_is_taken_is_told(vault: Vault, run: driver.Run) -> None:
    root = vault()
    with web_server(root) as (url, _):
        again = run("serve", "--port", url.rpartition(":")[2], vault=root)
    assert again.code == 2
    assert "--port" in again.err


def test_what_would_be_open_to_others_ends_with_2(vault: Vault, run: driver.Run) -> None:
    done = run("serve", "--host", "0.0.0.0", "--port", "0", vault=vault())
    assert done.code == 2
    assert "--behind-proxy" in done.err
