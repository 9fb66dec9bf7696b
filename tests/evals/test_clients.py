"""Real clients with memdir's hooks, where they are installed; the endpoint they talk to, everywhere."""

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from memdir.errors import UsageError
from memdir.evals import clients
from memdir.evals.endpoint import Endpoint
from memdir.vault import injected


def posted(address: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as given:
        return str(given.read().decode())


def test_the_endpoint_speaks_both_ways_and_keeps_what_it_was_told() -> None:
    with Endpoint(lambda said: f"heard {len(said)}") as endpoint:
        messages = [{"role": "user", "content": "茶"}]
        whole = json.loads(posted(f"{endpoint.address}/v1/messages?beta=true", {"messages": messages}))
        streamed = posted(f"{endpoint.address}/v1/messages", {"messages": messages, "stream": True})
        response = posted(f"{endpoint.address}/v1/responses", {"input": messages})
    said = f"heard {len(endpoint.requests[0])}"
    assert whole["content"] == [{"type": "text", "text": said}]
    assert f'"text": "{said}"' in streamed
    assert streamed.startswith("event: message_start\n")
    assert f'"text": "{said}"' in response
    assert "event: response.completed\n" in response
    assert len(endpoint.requests) == 3
    assert all("茶" in one for one in endpoint.requests)


def test_a_model_that_was_shown_memories_says_which_it_used() -> None:
    assert clients.reply('[{"content": "hello"}]') == "Noted, thank you."
    assert clients.reply(f"<memory nonce=1>{injected.ASK}").endswith("memory used: 1")


def test_a_client_that_is_not_known_is_refused() -> None:
    with pytest.raises(UsageError):
        clients.programs(["emacs=/usr/bin/emacs"])


@pytest.mark.parametrize("name", clients.PROGRAMS)
def test_a_real_client_gets_back_in_one_session_what_was_said_in_another(name: str) -> None:
    program = shutil.which(clients.PROGRAMS[name])
    if program is None:
        pytest.skip(f"{clients.PROGRAMS[name]} is not installed here")
    assert [what for what, holds in clients.seen(name, Path(program)) if not holds] == []
