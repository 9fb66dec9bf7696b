"""Where a model answers, and with which key: a value made from settings and checked once.

Every `llm.*` and `embedder.*` setting is the user's alone, never a vault's, so a stranger's vault cannot send notes
anywhere.
No message here repeats a URL or a key that was refused: either may hold a secret in the wrong place.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from memdir.config import Settings
from memdir.errors import BadData, ModelError

# What a header can carry; a key with a line end in it would otherwise be printed by the library that refuses it.
_KEY = re.compile(r"[!-~]*")
_URL = re.compile(r"https?://[!-~]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one OpenAI-compatible address. Raises BadData for a URL or a key that cannot be one.

    `timeout`: seconds for a whole ask, retries and waits included; `connect`: for a connection alone.
    `key` "" is none; it is left out of `repr`. `section`: whose settings made it, and `bound`: which of
    them holds the timeout ("": the section's own), for messages.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    connect: float = 10.0
    retries: int = 2
    max_tokens: int = 2048
    section: str = "llm"
    bound: str = ""

    def __post_init__(self) -> None:
        if not _plain(self.url):
            raise BadData(f"{self.section}.url takes http(s)://host:port/path without a user, a password, `?` or `#`")
        if not _KEY.fullmatch(self.key):
            raise BadData("the key of the model holds a space, a line end or a letter outside ASCII; no key does")

    @property
    def where(self) -> str:
        """The URL as messages show it."""
        return self.hidden(self.url)

    def hidden(self, text: str) -> str:
        """Return the text with `***` for the key; under four letters it is a placeholder and no secret."""
        return text.replace(self.key, "***") if len(self.key) >= 4 else text


def endpoint(settings: Settings, environ: Mapping[str, str] | None = None) -> Endpoint | None:
    """Return the model that the settings name, None where they name no URL or no model.

    Raises ModelError when `llm.key_env` names a variable that is not set, BadData as `Endpoint` does.
    """
    if not (settings["llm.url"] and settings["llm.model"]):
        return None
    return Endpoint(
        url=settings["llm.url"].strip().rstrip("/").removesuffix("/chat/completions"),
        model=settings["llm.model"].strip(),
        key=_key(settings["llm.key_env"].strip(), os.environ if environ is None else environ),
        timeout=settings["llm.timeout"],
        max_tokens=settings["llm.max_tokens"],
    )


def embedding(settings: Settings, environ: Mapping[str, str] | None = None, *, key: str = "") -> Endpoint:
    """Return where texts are embedded; `key`: used where `embedder.key_env` names no variable.

    Raises BadData when the settings name no URL or no model, else as `endpoint` does.
    """
    if not (settings["embedder.url"] and settings["embedder.model"]):
        raise BadData("embedder.kind is endpoint, so embedder.url and embedder.model must say where and which")
    variable = settings["embedder.key_env"].strip()
    return Endpoint(
        url=settings["embedder.url"].strip().rstrip("/").removesuffix("/embeddings"),
        model=settings["embedder.model"].strip(),
        key=_key(variable, os.environ if environ is None else environ, "embedder") if variable else key,
        timeout=settings["embedder.timeout"],
        section="embedder",
    )


def _key(variable: str, environ: Mapping[str, str], section: str = "llm") -> str:
    """Return what the variable holds; its name is in no message, because people put the key itself there."""
    if not variable:
        return ""
    if not (key := environ.get(variable, "").strip()):
        raise ModelError(
            f"{section}.key_env names an environment variable that is empty or not set; "
            f"it takes the variable's name (not the key): export that variable, or clear {section}.key_env"
        )
    return key


def _plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError when it is no number
    except ValueError:
        return False
    return bool(_URL.fullmatch(url) and parts.hostname and "@" not in parts.netloc and not set("?#") & set(url))
