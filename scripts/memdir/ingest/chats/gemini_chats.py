"""Chats of Gemini that are files of their own: sessions of the Gemini CLI, prompts of AI Studio. Pure functions."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from memdir.ingest import loose
from memdir.ingest.loose import table, tables, text_of, word
from memdir.ingest.records import CALLS, RESULTS, THOUGHTS, Bad, Said, Wanted, said
from memdir.vault import session

SPEAKERS = {"model": "assistant", "gemini": "assistant"}
FILES = {"driveDocument": "file", "driveImage": "image", "inlineFile": "file", "inlineImage": "image"}
FILES |= {"driveVideo": "video", "driveAudio": "audio", "youtubeVideo": "video"}


def session_turns(
    where: str, value: dict[str, Any], wanted: Wanted, counts: Counter[str]
) -> Iterator[Said | Bad]:  # fmt: skip
    """The turns of a session of the CLI; what the program itself said is counted."""
    id_ = word(value.get("sessionId"))
    if not session.id_of(id_):
        yield Bad(where, "a session without id")
        return
    for message in tables(value.get("messages")):
        kind, time = word(message.get("type")), loose.moment(message.get("timestamp"))
        uuid = word(message.get("id"))
        if kind not in ("user", "gemini"):
            counts["messages of the program"] += 1
            continue
        thoughts = [
            "\n".join(filter(None, (word(one.get("subject")), word(one.get("description")))))
            for one in tables(message.get("thoughts"))
        ]
        aside = [(THOUGHTS, one) for one in thoughts if one.strip()]
        for call in tables(message.get("toolCalls")):
            aside.append((CALLS, loose.call(word(call.get("name")) or "tool", call.get("args"))))
            result = word(call.get("resultDisplay")) or text_of(call.get("result"), "\n")
            aside += [(RESULTS, result)] if result.strip() else []
        yield from _aside(id_, aside, time, uuid, wanted, counts)
        yield from said(id_, SPEAKERS.get(kind, kind), text_of(message.get("content"), "\n"), time, uuid)


def chunked(where: str, value: dict[str, Any], wanted: Wanted, counts: Counter[str]) -> Iterator[Said | Bad]:
    """The turns of a prompt of AI Studio. One without an id has the name of its file."""
    id_ = word(value.get("id")) or where.partition(": ")[0].rsplit("/", 1)[-1].removesuffix(".json") or "prompt"
    time = loose.moment(value.get("createTime"))
    for chunk in tables(table(value.get("chunkedPrompt")).get("chunks")):
        time = loose.moment(chunk.get("createTime")) or time
        role, uuid = word(chunk.get("role")), word(chunk.get("id"))
        speaker = SPEAKERS.get(role, role)
        text = word(chunk.get("text")) or text_of(chunk.get("parts"), "\n")
        if chunk.get("isThought") is True:
            thought = [(THOUGHTS, text)] if text.strip() else []
            yield from _aside(id_, thought, time, uuid, wanted, counts)
            continue
        code, result = table(chunk.get("executableCode")), table(chunk.get("codeExecutionResult"))
        aside = []
        if word(code.get("code")).strip():
            shown = loose.fenced(word(code["code"]), word(code.get("language")).lower())
            aside.append((CALLS, loose.call("code", shown)))
        if output := word(result.get("output")).strip("\n"):
            aside.append((RESULTS, output))
        files = [_file(what, table(chunk[key])) for key, what in FILES.items() if key in chunk]
        yield from said(id_, speaker, "\n".join(filter(None, [*files, text])), time, uuid)
        yield from _aside(id_, aside, time, uuid, wanted, counts)


def _aside(
    id_: str, found: list[tuple[str, str]], time: str, uuid: str, wanted: Wanted, counts: Counter[str]
) -> Iterator[Said]:  # fmt: skip
    """Turns beside what was said, each with an id of its own, or their counts."""
    for number, (why, text) in enumerate(found):
        if speaker := wanted.speaker(why):
            yield from said(id_, speaker, text, time, f"{uuid}/{number}" if uuid else "")
        else:
            counts[why] += 1


def _file(what: str, given: dict[str, Any]) -> str:
    name = next((word(given.get(key)) for key in ("name", "id", "mimeType") if word(given.get(key))), "")
    return f"[{what}: {' '.join(name.split())[:200]}]" if name else ""
