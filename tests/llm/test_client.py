"""Asking a model: a real server on this machine, scripted; time is the test's own where waiting is meant."""

import contextlib
import logging
import os
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import pytest

from memdir.errors import ModelError
from memdir.evals.scripted import USAGE, Late, Raw, Said, Server, Status, scripted
from memdir.llm.answers import WAIT, Reply
from memdir.llm.client import Client, Refused
from memdir.llm.endpoint import Endpoint
from memdir.llm.limits import Budget, BudgetSpent

KEY = "sk-Very-Secret-0123456789"
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array"}}, "required": ["facts"]}
ASK = [{"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "What is new?"}]


class Clock:
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def client(server: Server, clock: Clock | None = None, *, budget: int = 0, **more: Any) -> Client:
    clock = clock or Clock()
    endpoint = Endpoint(**{"url": server.url, "model": "tiny", "key": KEY, "timeout": 20.0, **more})
    return Client(endpoint, budget=Budget(budget), clock=clock, sleep=clock.sleep)


def failure(asking: Client, kind: type[ModelError] = ModelError, **options: Any) -> str:
    with pytest.raises(kind) as error:
        asking.ask(ASK, **options)
    assert KEY not in "".join(traceback.format_exception(error.value))
    assert error.value.exit_code == 6
    assert error.value.kind == "model"
    return str(error.value)


def formats(server: Server) -> list[str]:
    return [(request.get("response_format") or {}).get("type", "") for request in server.requests]


# --- what is sent, what comes back -----------------------------------------------------------------------


def test_a_reply_is_the_text_its_cost_and_why_it_ended() -> None:
    with scripted("  <think>x</think>\nhello ") as server:
        assert client(server).ask(ASK) == Reply("  <think>x</think>\nhello ", 11, 7, "stop")
    [request] = server.requests
    assert request.body == {"model": "tiny", "messages": ASK, "max_tokens": 2048, "temperature": 0}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert set(request.headers) <= {
        "host", "accept", "accept-encoding", "authorization", "connection", "content-length", "content-type",
        "user-agent",
    }  # fmt: skip


def test_a_cut_reply_says_so_and_an_empty_one_is_empty() -> None:
    with scripted([Said('{"a', "length"), Said(None), Said("", None), Said("é 好 \ud83d")]) as server:
        asking = client(server)
        assert asking.ask(ASK, max_tokens=3).finish == "length"
        assert asking.ask(ASK).text == ""
        assert asking.ask(ASK) == Reply("", 11, 7, "")
        assert asking.ask(ASK).text == "é 好 \ud83d"
    assert server.requests[0]["max_tokens"] == 3


def test_a_text_with_odd_bytes_is_sent() -> None:
    with scripted("yes") as server:
        client(server).ask([{"role": "user", "content": "caf\udce9 好"}])
    assert server.requests[0].text == "caf? 好"


def test_a_schema_is_sent_as_strict_json_schema() -> None:
    with scripted("{}") as server:
        client(server).ask(ASK, schema=SCHEMA)
    assert server.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }


# --- what a server does not accept -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refuses", "first", "later"),
    [
        ([], ["json_schema"], "json_schema"),
        (["json_schema"], ["json_schema", "json_object"], "json_object"),
        (["json_schema", "json_object"], ["json_schema", "json_object", ""], ""),
    ],
)
def test_a_format_that_is_refused_is_left_out_and_remembered(refuses: list[str], first: list[str], later: str) -> None:
    with scripted("{}", refuses=refuses) as server:
        clock = Clock()
        asking = client(server, clock)
        asking.ask(ASK, schema=SCHEMA)
        assert formats(server) == first
        asking.ask(ASK, schema=SCHEMA)
        asking.ask(ASK)
        assert formats(server) == [*first, later, ""]
    assert clock.slept == []


def test_422_is_a_refusal_too_and_nothing_is_remembered_that_did_not_help() -> None:
    with scripted([Status(422, body={"detail": [{"msg": "no"}]})] * 3 + ["{}"]) as server:
        asking = client(server)
        assert '(422): {"detail": [{"msg": "no"}]}; ' in failure(asking, Refused, schema=SCHEMA)
        asking.ask(ASK, schema=SCHEMA)
    assert formats(server) == ["json_schema", "json_object", "", "json_schema"]


def test_temperature_and_the_name_of_the_limit_follow_the_server() -> None:
    def strict(request: Any) -> Any:
        for name, said in (("max_tokens", "use 'max_completion_tokens' instead"), ("temperature", "only the default")):
            if name in request:
                return Status(400, body={"error": {"message": f"Unsupported: '{name}': {said}", "param": name}})
        return "ok"

    with scripted(strict) as server:
        asking = client(server)
        asking.ask(ASK, schema=SCHEMA)
        asking.ask(ASK, schema=SCHEMA, max_tokens=9)
    assert len(server.requests) == 4
    assert server.requests[-1]["max_completion_tokens"] == 9
    assert formats(server) == ["json_schema"] * 4


# --- again, or not ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again_twice(code: int) -> None:
    with scripted([Status(code), Status(code), "yes"]) as server:
        clock = Clock()
        assert client(server, clock).ask(ASK).text == "yes"
    assert clock.slept == [0.5, 1.0]


def test_the_third_failure_is_the_last() -> None:
    with scripted(Status(503, body="warming up")) as server:
        said = failure(client(server))
    assert len(server.requests) == 3
    assert said == f"{server.url} failed (503): warming up; try again later, or see the server's log"


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413, 418, 422, 301, 307])
def test_what_will_not_pass_is_asked_once(code: int) -> None:
    with scripted(Status(code, {"Location": "/v1/elsewhere"})) as server:
        said = failure(client(server))
    assert len(server.requests) == 1
    assert said.startswith(server.url)
    assert f"({code})" in said


@pytest.mark.parametrize("raw", [b"", b'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"choi', b"nonsense\r\n\r\n"])
def test_a_dropped_connection_is_asked_again(raw: bytes) -> None:
    with scripted([Raw(raw), "yes"]) as server:
        clock = Clock()
        assert client(server, clock).ask(ASK).text == "yes"
    assert clock.slept == [0.5]


def test_nobody_listens() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        clock = Clock()
        asking = Client(Endpoint(url, "tiny"), clock=clock, sleep=clock.sleep)
        said = failure(asking)
    assert said.startswith(f"{url} gave no answer (")
    assert "refused" in said
    assert said.endswith("; see that it runs and llm.url is right")
    assert clock.slept == [0.5, 1.0]
    assert asking.budget.used == 0


@pytest.mark.parametrize("host", ["a..b", "[v1.x]", "a" * 300 + ".com"])
def test_a_host_that_no_network_knows_is_an_error_of_the_network(host: str) -> None:
    clock = Clock()
    said = failure(Client(Endpoint(f"http://{host}/{KEY}/v1", "tiny", KEY), clock=clock, sleep=clock.sleep))
    assert said.startswith(f"http://{host}/***/v1 gave no answer (")
    assert clock.slept == []


def test_a_connection_that_is_not_made_is_tried_again() -> None:
    with contextlib.ExitStack() as stack:
        deaf = stack.enter_context(socket.socket())
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(3):  # more than the queue of a listener that accepts nobody
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())
        clock = Clock()
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        asking = Client(Endpoint(url, "tiny", connect=0.1), clock=clock, sleep=clock.sleep)
        assert "(no connection in time)" in failure(asking)
    assert clock.slept == [0.5, 1.0]
    assert asking.budget.used == 0


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": "soon"}, 0.5),
        ({"Retry-After": "nan"}, 0.5),
        ({"Retry-After": "Sun, 29 Nov 2026 12:00:07 GMT", "Date": "Sun, 29 Nov 2026 12:00:00 GMT"}, 7.0),
        ({"Retry-After": "Sun, 99 Nov 2026 12:00:07 GMT"}, 0.5),
    ],
)
def test_the_server_says_how_long_to_wait(headers: dict[str, str], wait: float) -> None:
    with scripted([Status(429, headers), "yes"]) as server:
        clock = Clock()
        client(server, clock).ask(ASK)
    assert clock.slept == [wait]


@pytest.mark.parametrize(
    ("asked", "said"), [("31", "in 31 s"), ("86400", "in 86400 s"), ("inf", "later"), ("9e999", "later")]
)
def test_a_long_wait_is_left_to_the_caller(asked: str, said: str) -> None:
    with scripted(Status(429, {"Retry-After": asked}, {"error": {"message": "slow\ndown"}})) as server:
        clock = Clock()
        assert failure(client(server, clock, timeout=900.0)).startswith(
            f"{server.url} failed (429): slow down; try again {said}, or"
        )
    assert (clock.slept, WAIT) == ([], 30.0)


def test_no_wait_passes_the_time_that_is_left() -> None:
    with scripted(Status(503, {"Retry-After": "20"})) as server:
        clock = Clock()
        failure(client(server, clock, timeout=15.0))
    assert clock.slept == []


# --- time and size ---------------------------------------------------------------------------------------


DRIP = b"HTTP/1.0 200 OK\r\nX-Long: " + b"x" * 400 + b"\r\n\r\n" + b" " * 400
QUIET = b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n        "


@pytest.mark.parametrize(
    "entry", [Late(9.0), Raw(DRIP, 0.02), Raw(QUIET + b" " * 8, 0.04)], ids=["late", "drip", "quiet"]
)
def test_an_ask_ends_in_time_whatever_the_server_does(entry: Any) -> None:
    with scripted("warm") as server:
        client(server).ask(ASK)  # loads the library
    with scripted(entry) as server:
        before = time.monotonic()
        asking = client(server, timeout=0.5)
        asking._clock = time.monotonic
        said = failure(asking)
        assert time.monotonic() - before < 1.5
        assert len(server.requests) == 1
    assert said == f"{server.url} did not answer within 0.5 s; raise llm.timeout or take a faster model"
    assert asking.budget.used > 0


def test_a_huge_reply_is_read_and_one_beyond_all_measure_is_not() -> None:
    with scripted(["a" * 7_000_000, "b" * 9_000_000, Status(500, body=b"c" * 9_000_000)]) as server:
        asking = client(server)
        assert len(asking.ask(ASK).text) == 7_000_000
        assert "(an answer of more than 8 MB)" in failure(asking)
        assert "(an answer of more than 8 MB)" in failure(asking)
    assert len(server.requests) == 3


def test_a_compressed_answer_is_not_unpacked() -> None:
    with scripted(Status(200, {"Content-Encoding": "gzip"}, b"\x1f\x8b" + b"\0" * 100)) as server:
        assert "(a compressed answer)" in failure(client(server))
    assert server.requests[0].headers["accept-encoding"] == "identity"


NO_COMPLETION = [b"", b"<html>hello", b"[]", b"null", b"\xff\xfe", b"[" * 100_000]
NO_COMPLETION += [b'{"choices": []}', b'{"choices": [1]}', b'{"choices": [{}]}', b'{"choices": {"message": 1}}']
NO_COMPLETION += [b'{"choices": [{"message": {"content": 5}}]}']
NO_COMPLETION += [b'{"error": {"message": "no\\u001b[31m credit", "code": 402}}']


@pytest.mark.parametrize("body", NO_COMPLETION, ids=lambda body: body[:30])
def test_an_answer_that_is_no_completion(body: bytes) -> None:
    with scripted(Status(200, body=body)) as server:
        said = failure(client(server))
    assert said.startswith(f"{server.url} answered without a chat completion (200)")
    assert len(said) < 400
    assert "\x1b" not in said
    assert ("no credit" in said) == (b"credit" in body)
    assert len(server.requests) == 1


# --- budget and breaker ----------------------------------------------------------------------------------


def test_a_budget_is_spent_as_the_server_reports_and_ends_before_the_call() -> None:
    with scripted("yes") as server:
        asking = client(server, budget=100)
        for used in (18, 36, 54):
            asking.ask(ASK, max_tokens=20)
            assert (asking.budget.used, asking.budget.left) == (used, 100 - used)
        said = failure(asking, BudgetSpent, max_tokens=40)
        assert said.startswith("the token budget would be passed: 54 of 100 are used and the next question may cost 5")
        assert len(server.requests) == 3
        asking.ask(ASK, max_tokens=20)


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": "9"}, {"prompt_tokens": -5}, [1]],
)
def test_a_server_without_usage_is_estimated(usage: Any) -> None:
    with scripted(Said("four letters each", usage=usage)) as server:
        asking = client(server)
        assert asking.ask(ASK) == Reply("four letters each", 15, 5, "stop")
    assert asking.budget.used == 20
    assert asking.budget.left is None


def test_usage_can_be_switched_off_for_a_whole_script() -> None:
    with scripted("four letters each", usage=False) as server:
        assert client(server).ask(ASK).completion_tokens == 5
    assert USAGE["completion_tokens"] == 7


def test_a_budget_counts_what_was_sent_and_lost() -> None:
    with scripted([Raw(), Raw(), "yes"]) as server:
        asking = client(server, budget=100)
        asking.ask(ASK, max_tokens=10)
        assert asking.budget.used == 15 + 15 + 18
    with scripted([Raw(), "yes"]) as server:
        failure(client(server, budget=30), BudgetSpent, max_tokens=10)
        assert len(server.requests) == 1


def test_three_failures_in_a_row_open_the_breaker_for_thirty_seconds() -> None:
    with scripted(Status(500)) as server:
        clock = Clock()
        asking = client(server, clock, retries=0)
        for _ in range(3):
            assert "failed (500)" in failure(asking)
        clock.now += 10
        assert failure(asking).startswith(f"{server.url} was not asked: it failed 3 times in a row; try again in 20 s")
        assert len(server.requests) == 3
        clock.now += 20
        assert "failed (500)" in failure(asking)  # one may try
        assert "failed 4 times in a row; try again in 30 s" in failure(asking)
        clock.now += 30
        server.script = "yes"
        assert asking.ask(ASK).text == "yes"
        server.script = Status(500)
        for _ in range(3):
            assert "failed (500)" in failure(asking)
    assert len(server.requests) == 8


def test_neither_a_refused_request_nor_a_spent_budget_is_a_failure_of_the_endpoint() -> None:
    with scripted([Status(400), Status(413), Status(422), "yes"]) as server:
        asking = client(server, budget=1000)
        for _ in range(3):
            failure(asking, Refused, max_tokens=10)
            failure(asking, BudgetSpent, max_tokens=1000)
        assert asking.ask(ASK, max_tokens=10).text == "yes"


# --- the key ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [200, 400, 401, 403, 404, 418, 422, 429, 500])
@pytest.mark.parametrize(
    "echo", [f"bad key {KEY}", {"error": {"message": f"{KEY[:9]}\u202e{KEY[9:]}"}}, ["x" * 190 + KEY]]
)
def test_the_key_never_shows_in_a_message(code: int, echo: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted(Status(code, body=echo)) as server:
        said = failure(client(server))
    assert "Very-Secret" not in said
    assert KEY not in caplog.text


def test_the_key_never_shows_in_repr_or_in_logs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted("yes") as server:
        asking = client(server)
        asking.ask(ASK)
    assert server.requests[0].headers["authorization"].endswith(KEY)
    assert KEY not in caplog.text + repr(asking.endpoint) + str(asking.endpoint) + repr(asking)


def test_no_key_is_a_word_and_not_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted("elsewhere") as other, scripted("yes") as server:
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "from-the-environment")
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer from-the-environment\nX-More: 1")
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, other.url)
        netrc = Path(os.environ["HOME"]) / ".netrc"
        netrc.write_text("machine 127.0.0.1 login me password from-the-environment\n", "utf-8")
        netrc.chmod(0o600)
        assert client(server, key="").ask(ASK).text == "yes"
    assert other.requests == []
    [request] = server.requests
    assert request.headers["authorization"] == "Bearer none"
    assert "from-the-environment" not in str(request)
    assert not {name for name in request.headers if name.startswith(("x-", "openai"))}


def test_a_redirect_takes_the_key_nowhere() -> None:
    with scripted("elsewhere") as other, scripted(Status(307, {"Location": f"{other.url}/chat/completions"})) as server:
        said = failure(client(server))
    assert other.requests == []
    assert "sends elsewhere, which is not followed (307); set llm.url to the final address" in said


# --- start-up --------------------------------------------------------------------------------------------


IMPORTS = "import memdir.llm.client, memdir.llm.endpoint, memdir.llm.replies, memdir.llm.fenced\n"
VERSION = """
import contextlib, sys
from memdir.interfaces.cli.main import run
with contextlib.suppress(SystemExit):
    run(["--version"])
assert not [name for name in sys.modules if name.startswith("memdir.llm")]
"""


@pytest.mark.parametrize("code", [IMPORTS, VERSION])
def test_the_library_is_loaded_by_the_first_ask_alone(code: str) -> None:
    code += "import sys; assert not {'openai', 'httpx2', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
