"""What one message of ChatGPT says: its parts as text, pictures and files by name, citations taken out.

Every type of content that is known is named here; one that is not gives its text, or is counted. Pure functions.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import listed, table, tables, word
from memdir.ingest.records import RESULTS, THOUGHTS

Names = dict[str, str]  # id of a picture or file → its name
TEXTS = {"text", "multimodal_text", ""}
FOUND = {"tether_quote", "tether_browsing_display", "sonic_webpage", "execution_output", "citable_code_output"}
THINKING = {"thoughts", "reasoning_recap"}
_CITED = re.compile("[ \t]{0,3}\ue200([^\ue200\ue201]*)\ue201|[ \t]{0,3}【[^】【\n]{0,200}†[^】【\n]{0,200}】")
_ASSET = re.compile(r"[a-z-]+://")


@dataclass(frozen=True, slots=True)
class Told:
    """`kind`: THOUGHTS, RESULTS, or "" for what was said."""

    text: str
    kind: str = ""


def hidden(message: dict[str, Any]) -> bool:
    """Whether the message was never shown."""
    metadata = table(message.get("metadata"))
    if metadata.get("is_visually_hidden_from_conversation") or metadata.get("is_visually_hidden"):
        return True
    weight = message.get("weight")
    if isinstance(weight, int | float) and weight == 0:
        return True
    kind = word(table(message.get("content")).get("content_type"))
    return word(table(message.get("author")).get("role")) == "system" or kind.endswith("_editable_context")


def told(message: dict[str, Any], names: Names, counts: Counter[str]) -> Told:
    """What a message says. `counts` learns what cannot be read as text."""
    content = message.get("content")
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    content = table(content)
    kind = word(content.get("content_type"))
    if kind in THINKING:
        return Told(_thoughts(content), THOUGHTS)
    if kind in TEXTS:
        known = _attached(message) | names
        text = "\n".join(filter(None, (_part(one, known, counts) for one in listed(content.get("parts")))))
        files = "\n".join(f"[file: {name}]" for name in _files(message))
        text = "\n".join(filter(None, (text, files)))
        return Told(uncited(text) if word(table(message.get("author")).get("role")) != "user" else text)
    text = word(content.get("text")) or word(content.get("output_str")) or word(content.get("result"))
    text = text or "\n".join(one for one in listed(content.get("parts")) if isinstance(one, str))
    if kind in FOUND:
        return Told(text, RESULTS)
    if kind == "code":
        return Told(loose.fenced(text, word(content.get("language")).replace("unknown", "")) if text.strip() else "")
    if not text.strip():
        counts[f"content of type {loose.kind_of(kind)}"] += 1
    return Told(text)


def uncited(text: str) -> str:
    """Text without the marks of citations; a mark that stands for a name leaves the name."""
    return _CITED.sub(_named, text) if "\ue200" in text or "【" in text else text


def _named(mark: re.Match[str]) -> str:
    kind, _, rest = (mark[1] or "").partition("\ue202")
    if kind == "url":
        return " " + rest.split("\ue202", 1)[0]
    if kind != "entity":
        return ""
    try:
        found = json.loads(rest)
    except (ValueError, RecursionError):
        return ""
    blanks = mark[0][: mark[0].index("\ue200")]
    return blanks + word(found[1]) if isinstance(found, list) and len(found) > 1 else ""


def _part(part: object, names: Names, counts: Counter[str]) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = word(part.get("content_type"))
    if kind.endswith("asset_pointer"):
        what = next((one for one in ("image", "video", "audio") if kind.startswith(one)), "recording")
        id_ = _ASSET.sub("", word(part.get("asset_pointer")), count=1)
        # What a voice says stands beside it in words.
        return f"[{what}: {names.get(id_) or id_[:80]}]" if id_ and what != "audio" else ""
    text = word(part.get("text")) or word(part.get("content"))
    if text.strip():
        return text
    counts[f"content of type {loose.kind_of(kind)}"] += 1
    return ""


def _attached(message: dict[str, Any]) -> Names:
    """Names of attached pictures and files by the ids that pointers use."""
    found = tables(table(message.get("metadata")).get("attachments"))
    return {word(one.get("id")): word(one.get("name"))[:200] for one in found if one.get("name")}


def _files(message: dict[str, Any]) -> list[str]:
    """Names of attached files that no part points to."""
    pointers = {
        _ASSET.sub("", word(one.get("asset_pointer")), count=1)
        for one in tables(table(message.get("content")).get("parts"))
    }
    return [" ".join(name.split()) for id_, name in _attached(message).items() if id_ not in pointers]


def _thoughts(content: dict[str, Any]) -> str:
    thoughts = [
        "\n".join(dict.fromkeys(filter(None, (word(one.get("summary")), word(one.get("content"))))))
        for one in tables(content.get("thoughts"))
    ]
    parts = [one for one in listed(content.get("parts")) if isinstance(one, str)]
    return "\n\n".join(filter(None, [*thoughts, word(content.get("content")), *parts]))
