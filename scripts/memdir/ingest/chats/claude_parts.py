"""What one message of Claude.ai says: its blocks of text as one turn, attachments as text, tools and thoughts apart.

Tools and thoughts are turns of their own with ids of their own, so that they can be brought in later. Pure functions.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import table, tables, text_of, word
from memdir.ingest.records import ARTIFACTS, CALLS, RESULTS, THOUGHTS, Said, Wanted, said

SPEAKERS = {"human": "user"}
ASIDE = {"thinking": THOUGHTS, "tool_use": CALLS, "tool_result": RESULTS}
MUTE = {"token_budget", "flag"}  # blocks that hold nothing to read


def turns(id_: str, message: dict[str, Any], time: str, wanted: Wanted, counts: Counter[str]) -> Iterator[Said]:
    """The turns of a message. `counts` learns what is left out."""
    speaker = word(message.get("sender"))
    speaker, uuid = SPEAKERS.get(speaker, speaker), word(message.get("uuid"))
    texts, aside = [], False
    for number, block in enumerate(tables(message.get("content"))):
        kind = word(block.get("type"))
        if kind in ASIDE:
            aside = True
            text, why = _aside(kind, block)
            if who := wanted.speaker(why):
                yield from said(id_, who, text, time, f"{uuid}/{number}" if uuid else "")
            else:
                counts[why] += bool(text)
            continue
        text = word(block.get("text"))
        texts.append(text)
        if not text.strip() and kind not in MUTE | {"text"}:
            counts[f"content of type {loose.kind_of(kind)}"] += 1
    # Beside a block that is no text, the whole of the text says that "this block is not supported".
    spoken = "\n\n".join(one for one in texts if one.strip()) or ("" if aside else word(message.get("text")))
    whole = "\n\n".join(filter(None, [spoken.strip("\n"), *_attached(message)]))
    yield from said(id_, speaker, whole, time, uuid)


def _aside(kind: str, block: dict[str, Any]) -> tuple[str, str]:
    """A block beside the text as a turn, and its name where it is left out; "" for an empty one."""
    if kind == "thinking":
        return word(block.get("thinking")).strip(), ASIDE[kind]
    name = word(block.get("name")) or "tool"
    if kind == "tool_result":
        return text_of(block.get("content"), "\n").strip("\n"), ASIDE[kind]
    given = table(block.get("input"))
    if name != "artifacts":
        return loose.call(name, given), ASIDE[kind]
    text = word(given.get("content")) or word(given.get("new_str"))
    title = " ".join(word(given.get("title")).split()) or word(given.get("id")) or "artifact"
    code = "markdown" not in word(given.get("type")) and word(given.get("type")) != ""
    text = loose.fenced(text, word(given.get("language"))) if code and text else text
    return f"[artifact: {title}]\n{text}" if text.strip() else "", ARTIFACTS


def _attached(message: dict[str, Any]) -> Iterator[str]:
    """What was attached: the text where the export has it, else the name."""
    shown = set()
    for one in tables(message.get("attachments")):
        name, text = " ".join(word(one.get("file_name")).split()), word(one.get("extracted_content")).strip("\n")
        shown.add(name)
        if name or text.strip():
            yield f"[attachment: {name or 'pasted'}]\n{text}".strip()
    for one in tables(message.get("files")):
        name = " ".join(word(one.get("file_name")).split())
        if name and name not in shown:
            yield f"[file: {name}]"
