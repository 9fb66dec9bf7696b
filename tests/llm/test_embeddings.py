"""Vectors from an endpoint: all or none, never more asked than agreed, left alone when it fails."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memdir.errors import ModelError
from memdir.evals.scripted import Embedded, Late, Raw, Server, Status, numbers, scripted
from memdir.llm import resting
from memdir.llm.embeddings import Embeddings
from memdir.llm.endpoint import Endpoint

QUOTA = Status(429, body={"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}})


def asking(server: Server, *, timeout: float = 5.0, **given: Any) -> Embeddings:
    where = Endpoint(server.url, "tiny", given.pop("key", ""), timeout=timeout, section="embedder")
    return Embeddings(where, sleep=given.pop("sleep", lambda seconds: None), **given)


def test_rows_come_in_the_order_of_the_texts_and_have_length_1() -> None:
    with scripted([Embedded([[0, 3], [4, 0], [1, 1]], order=[1, 0, 2])]) as server:
        rows = asking(server).embed(["a", "b", "c"])
    assert rows.dtype == np.float32
    assert np.allclose(rows, [[1, 0], [0, 1], [0.5**0.5, 0.5**0.5]])
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].body == {"model": "tiny", "input": ["a", "b", "c"], "encoding_format": "float"}


def test_prefixes_batches_and_texts_that_no_server_takes() -> None:
    with scripted(numbers(4)) as server:
        model = asking(server, prefixes=("passage: ", "query: "), batch=2)
        assert model.embed(["a", "", "lone \udc80"]).shape == (3, 4)
        assert model.embed(["b"], query=True).shape == (1, 4)
        assert model.dimension == 4
    sent = [request["input"] for request in server.requests]
    assert sent == [["passage: a", "passage: -"], ["passage: lone ?"], ["query: b"]]


def test_the_dimension_is_asked_for_once() -> None:
    with scripted(numbers(6)) as server:
        model = asking(server)
        assert (model.dimension, model.dimension) == (6, 6)
        assert model.embed([]).shape == (0, 6)
    assert len(server.requests) == 1


WRONG: dict[str, Any] = {
    "one too few": lambda body: Embedded([[1.0, 2.0]] * (len(body["input"]) - 1)),
    "one too many": lambda body: Embedded([[1.0, 2.0]] * (len(body["input"]) + 1)),
    "not a number": Embedded([[1.0, float("nan")], [1.0, 2.0]]),
    "text": Embedded([["NaN", 1.0], [1.0, 2.0]]),
    "infinite": Embedded([[1.0, 1e999], [1.0, 2.0]]),
    "zeros": Embedded([[0.0, 0.0], [1.0, 2.0]]),
    "ragged": Embedded([[1.0], [1.0, 2.0]]),
    "empty": Embedded([[], []]),
    "twice the same": Embedded([[1.0], [2.0]], order=[0, 0]),
    "order of strings": Embedded([[1.0], [2.0]], order=["a", "b"]),  # type: ignore[list-item]
    "a page": Status(200, {"Content-Type": "text/html"}, "<html>login</html>"),
    "a list": Status(200, body=[1, 2]),
    "no list": Status(200, body={"data": "x"}),
}


@pytest.mark.parametrize("kind", WRONG)
def test_an_answer_that_is_not_what_was_asked_for_is_no_answer(kind: str) -> None:
    with scripted(WRONG[kind]) as server, pytest.raises(ModelError, match="without the vectors asked for") as error:
        asking(server).embed(["a", "b"])
    assert "embedder.url" in str(error.value)
    assert len(server.requests) == 1


def test_one_bad_batch_spoils_the_call() -> None:
    first = Embedded([[1.0, 2.0]])
    for second, said in ((Embedded([[1.0, 2.0, 3.0]]), "different lengths"), (Status(400), "refused the request")):
        with scripted([first, second]) as server, pytest.raises(ModelError, match=said):
            asking(server, batch=1).embed(["a", "b"])


def test_three_tries_and_then_it_says_so() -> None:
    waits: list[float] = []
    with scripted(Status(500)) as server:
        model = asking(server, sleep=waits.append)
        with pytest.raises(ModelError, match=r"failed \(500\)"):
            model.embed(["a"])
        assert len(server.requests) == 3
        assert waits == [0.5, 1.0]


def test_a_pause_that_is_asked_for_is_made() -> None:
    waits: list[float] = []
    with scripted([Status(429, {"Retry-After": "2"}), numbers(4)]) as server:
        assert asking(server, sleep=waits.append).embed(["a"]).shape == (1, 4)
    assert waits == [2.0]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def kept(server: Server, folder: Path, clock: Clock) -> Callable[[], Embeddings]:
    """As many processes as one likes: each has its own embedder, the notes of pauses are in one folder."""

    def one() -> Embeddings:
        where = Endpoint(server.url, "tiny", timeout=5.0, section="embedder")
        return Embeddings(where, rest=resting.Rest(where, folder, clock), sleep=lambda seconds: None)

    return one


def test_a_pause_longer_than_can_be_waited_binds_later_processes(tmp_path: Path) -> None:
    clock = Clock()
    with scripted([Status(429, {"Retry-After": "20"}), numbers(4)]) as server:
        process = kept(server, tmp_path, clock)
        with pytest.raises(ModelError, match="429"):
            process().embed(["a"])
        clock.now += 19
        with pytest.raises(ModelError, match="was not asked: it asked for a pause; it is left alone for another 1 s"):
            process().embed(["a"])
        clock.now += 2
        assert process().embed(["a"]).shape == (1, 4)
    assert len(server.requests) == 2
    assert not list(tmp_path.iterdir())


def test_a_used_up_quota_is_not_asked_again_for_an_hour(tmp_path: Path) -> None:
    clock = Clock()
    with scripted(QUOTA) as server:
        process = kept(server, tmp_path, clock)
        for _ in range(6):
            with pytest.raises(ModelError, match="quota"):
                process().embed(["a"])
            clock.now += 300
        assert len(server.requests) == 1
        other = Endpoint(server.url, "tiny", "a-key", timeout=5.0)
        with pytest.raises(ModelError, match="429"):  # settings that changed are tried
            Embeddings(other, rest=resting.Rest(other, tmp_path, clock)).embed(["a"])
        clock.now += 3_600
        with pytest.raises(ModelError, match="429"):
            process().embed(["a"])


def test_three_failures_in_a_row_rest_thirty_seconds(tmp_path: Path) -> None:
    clock = Clock()
    with scripted(Status(400)) as server:
        process = kept(server, tmp_path, clock)
        for _ in range(3):
            with pytest.raises(ModelError, match="400"):
                process().embed(["a"])
        with pytest.raises(ModelError, match="was not asked: it failed 3 times in a row"):
            process().embed(["a"])
        clock.now += 31
        server.script = numbers(4)
        assert process().embed(["a"]).shape == (1, 4)
    assert len(server.requests) == 4


def test_a_question_waits_two_seconds_and_asks_once() -> None:
    with scripted(Late(30)) as server:
        began = time.monotonic()
        with pytest.raises(ModelError, match="did not answer within"):
            asking(server).embed(["a"], query=True)
        assert time.monotonic() - began < 3
    with scripted(Raw()) as server:
        with pytest.raises(ModelError):
            asking(server).embed(["a"], query=True)
        assert len(server.requests) == 1


def test_no_message_repeats_the_key() -> None:
    odd = Status(500, body={"error": {"message": "key hunter2hunter2 is odd"}})
    with scripted(odd) as server, pytest.raises(ModelError) as error:
        asking(server, key="hunter2hunter2").embed(["a"], query=True)
    assert "hunter2" not in str(error.value)


def test_a_note_of_a_pause_that_nobody_can_read_is_none(tmp_path: Path) -> None:
    where = Endpoint("http://localhost:1/v1", "tiny")
    rest = resting.Rest(where, tmp_path, Clock())
    rest.failed(60, "it asked for a pause")
    (note,) = tmp_path.iterdir()
    for text in ("", "[]", "[3, 1e999, 1]", "{}", '["a", 1, ""]', '[9, 99999999999, ""]'):
        note.write_text(text)
        resting.Rest(where, tmp_path, Clock()).check()


def test_without_a_folder_the_breaker_is_the_process_s_own(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    where = Endpoint("http://localhost:1/v1", "tiny")
    rest = resting.Rest(where, tmp_path / "file" / "sub", Clock())
    for _ in range(3):
        rest.check()
        rest.failed()
    with pytest.raises(ModelError, match="failed 3 times"):
        rest.check()
    rest.worked()
    rest.check()
