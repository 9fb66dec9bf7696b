"""From settings to an endpoint: none without a model, and no message that repeats a secret."""

from pathlib import Path

import pytest

from memdir import config
from memdir.config import Settings
from memdir.errors import BadData, ModelError
from memdir.llm.endpoint import Endpoint, endpoint

URL = "http://localhost:11434/v1"
SET = {"llm.url": URL, "llm.model": "tiny"}


def test_without_a_url_or_a_model_there_is_none() -> None:
    assert endpoint(Settings()) is None
    assert endpoint(Settings({"llm.url": URL})) is None
    assert endpoint(Settings({"llm.model": "tiny", "llm.key_env": "MISSING"})) is None


def test_settings_make_an_endpoint() -> None:
    settings = Settings({**SET, "llm.key_env": "MY_KEY", "llm.timeout": 9, "llm.max_tokens": 77})
    made = endpoint(settings, {"MY_KEY": "secret\n", "OPENAI_API_KEY": "other"})
    assert made == Endpoint(URL, "tiny", "secret", timeout=9.0, max_tokens=77)
    assert endpoint(Settings(SET), {"OPENAI_API_KEY": "other"}) == Endpoint(URL, "tiny")


@pytest.mark.parametrize("written", [URL + "/", URL + "/chat/completions", f" {URL}/chat/completions/ "])
def test_the_url_is_where_the_api_begins(written: str) -> None:
    made = endpoint(Settings({**SET, "llm.url": written}))
    assert made is not None
    assert made.url == URL


BAD = ["localhost:11434", "ftp://a/v1", "file:///etc/passwd", "http://", "http://a b/v1", "http://a\n/v1"]
BAD += ["http://me:hunter2@a/v1", "http://a/v1?key=hunter2", "http://a/v1#hunter2", "http://a:hunter2/v1"]
BAD += ["http://[::1/v1", "http://a:99999/v1"]


@pytest.mark.parametrize("url", BAD)
def test_what_is_no_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(BadData, match=r"^llm\.url takes") as error:
        endpoint(Settings({**SET, "llm.url": url}))
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("environ", [{}, {"gsk_hunter2": ""}])
def test_a_key_that_is_not_set_is_an_error_that_does_not_repeat_the_setting(environ: dict[str, str]) -> None:
    with pytest.raises(
        ModelError, match=r"^llm\.key_env names an environment variable that is empty or not set"
    ) as error:
        endpoint(Settings({**SET, "llm.key_env": "gsk_hunter2"}), environ)
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("key", ["a b", "a\nHost: b", "clé", "a\x00"])
def test_what_can_be_no_key_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(BadData) as error:
        Endpoint(URL, "tiny", key)
    assert key not in str(error.value)


@pytest.mark.parametrize("name", ["url", "model", "key_env", "timeout", "budget", "max_tokens"])
def test_a_vault_may_not_set_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "memdir.toml").write_text(f"[llm]\n{name} = 1\n", "utf-8")
    with pytest.raises(BadData, match=rf"^memdir\.toml:2: 'llm\.{name}' may be set in the user's configuration only"):
        config.load(tmp_path)
