"""The scripted server says what its script says."""

import http.client
import json
from typing import Any

from memdir.evals.scripted import Late, Raw, Said, Server, Status, scripted


def post(server: Server, **body: Any) -> tuple[int, Any]:
    wire = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    wire.request("POST", "/v1/chat/completions", json.dumps({"model": "m", "messages": [], **body}), {"X-Who": "me"})
    answer = wire.getresponse()
    status, data = answer.status, answer.read()
    wire.close()
    return status, json.loads(data) if data.startswith(b"{") else data.decode()


def content(answer: tuple[int, Any]) -> Any:
    return answer[1]["choices"][0]["message"]["content"]


def test_a_list_is_said_in_turn_and_then_418() -> None:
    script = ["one", lambda request: request["model"] + "!", Late(0.01, Said("two", "length", None)), Status(503)]
    with scripted(script) as server:
        assert content(post(server)) == "one"
        assert content(post(server)) == "m!"
        late = post(server)[1]
        assert (late["choices"][0]["finish_reason"], "usage" in late) == ("length", False)
        assert server.left == 1
        assert post(server)[0] == 503
        assert post(server) == (418, "end of the script")
        assert server.left < 0
    assert len(server.requests) == 5
    assert server.requests[0].headers["x-who"] == "me"
    assert server.requests[0]["model"] == "m"


def test_one_reply_is_said_every_time_and_a_refused_format_takes_no_turn() -> None:
    with scripted("same", refuses={"json_schema"}, usage=False) as server:
        assert post(server, response_format={"type": "json_schema"})[0] == 400
        assert content(post(server, messages=[{"role": "user", "content": "a"}])) == "same"
        assert "usage" not in post(server)[1]
    assert (server.refused, server.requests[1].text) == (1, "a")


def test_raw_bytes_and_none_at_all() -> None:
    with scripted([Raw(b"HTTP/1.0 200 OK\r\n\r\nhi", pause=0.001), Raw()]) as server:
        assert post(server) == (200, "hi")
        try:
            post(server)
        except http.client.RemoteDisconnected:
            pass
        else:
            raise AssertionError
