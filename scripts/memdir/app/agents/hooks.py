"""What memdir does at an event of Claude Code or Codex: what it tells the agent, and what it starts beside it.

A hook answers from the index that there is and never builds one; it serves registered vaults only. What is long, the
import of a transcript and what was used, is handed to a process of its own (`hook_work`) that nobody waits for.
Nothing is raised to the client but by `answer`, whose caller prints nothing then.
"""

import json
import os
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memdir.app import scopes, vaults
from memdir.app.agents import hook_job, hook_state
from memdir.app.memory import Memory
from memdir.errors import NotFound, Problem, UsageError
from memdir.index import generation
from memdir.vault import injected

if TYPE_CHECKING:
    from memdir.index.values import Progress

# command → name of the event, and the seconds that it may take here
EVENTS = {
    "session-start": ("SessionStart", 15.0),
    "user-prompt-submit": ("UserPromptSubmit", 10.0),
    "stop": ("Stop", 5.0),
    "pre-compact": ("PreCompact", 5.0),
    "session-end": ("SessionEnd", 1.0),  # all hooks together have 1.5 s
}
CLIENTS = {"claude-code": "Claude Code", "codex": "Codex"}
_BY_KEY = {name.replace("-", ""): name for name in EVENTS}
MOST = 10_000  # characters of what is printed, all signs counted: a client cuts a longer text
PROMPT = 20_000  # characters of a prompt that are looked at
EVENT_BYTES = 16_000_000
QUICK = 20  # files that a hook brings into an index that is there (2 ms each)
WAIT = 0.05  # seconds for another memdir that writes the index
START_BUDGET = 2_000  # tokens, as `Memory.start`
CUT = "\n[cut: {} characters were left out]\n"


class Quick(Memory):
    """A vault as hooks open it: few changed files are looked at, and no index is ever built."""

    def freshen(
        self,
        *,
        wait: float | None = None,
        most: int | None = QUICK,
        meant: AbstractSet[str] = frozenset(),
        progress: "Progress | None" = None,
    ) -> tuple[bool, list[str]]:
        if generation.current(self.vault.place) is None:
            return False, ["there is no index yet: run `memdir sync`"]
        return super().freshen(wait=WAIT, most=QUICK, meant=meant)

    def recovered(self) -> list[Problem]:
        """A forgetting that was stopped is finished by a command that has the time."""
        return self.root.recover()


@dataclass(frozen=True, slots=True)
class Event:
    """An event as a client tells it. `name`: that of the command; `more`: everything that it told."""

    name: str
    client: str
    session: str
    cwd: Path | None
    transcript: str
    more: Mapping[str, Any]

    def word(self, key: str) -> str:
        """What else it told under a key, where that is text."""
        given = self.more.get(key)
        return given if isinstance(given, str) else ""

    @property
    def scope(self) -> str:
        """That of the variable, else the name of the repository that the client works in."""
        given = os.environ.get(scopes.VARIABLE)
        return given if given is not None else scopes.of_folder(self.cwd) if self.cwd else ""


def named(name: str) -> str:
    """The event that a name means, as memdir or as a client writes it. Raises UsageError."""
    key = "".join(sign for sign in name.lower() if sign.isalnum())
    if key not in _BY_KEY:
        raise UsageError(f"there is no event {name[:60]!r}; there are {', '.join(EVENTS)}")
    return _BY_KEY[key]


def told(name: str, client: str, data: bytes) -> Event:
    """The event on standard input. Raises UsageError for what cannot be read."""
    if client not in CLIENTS:
        raise UsageError(f"there is no client {client[:60]!r}; there are {', '.join(CLIENTS)}")
    if len(data) > EVENT_BYTES:
        raise UsageError(f"an event of more than {EVENT_BYTES} bytes is not read")
    try:
        held = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the event is no JSON: {error}") from None
    if not isinstance(held, dict):
        raise UsageError("the event is no JSON object")
    words = {
        key: one if isinstance(one := held.get(key), str) else "" for key in ("session_id", "cwd", "transcript_path")
    }
    cwd = Path(words["cwd"]) if os.path.isabs(words["cwd"]) and "\0" not in words["cwd"] else None
    event = named(name or str(held.get("hook_event_name")))
    return Event(event, client, words["session_id"], cwd, words["transcript_path"], held)


def served(option: str | None, env: Mapping[str, str] | None = None) -> Path:
    """The vault that hooks serve: the one that is named and registered, else the default. Raises NotFound."""
    given = option or (os.environ if env is None else env).get("MEMDIR_VAULT", "")
    held = vaults.registry(env)
    if given:
        return Path(vaults.known(given, held))
    if not held.default:
        raise NotFound("no vault is registered; `memdir init PATH` or `memdir vaults add PATH` registers one")
    return Path(held.default)


def answer(event: Event, root: Path, now: Callable[[], datetime] | None, wait: bool = False) -> str:
    """What is to be printed, "" for nothing. `wait`: the long work is done here, not in a process of its own."""
    with Quick(root, now=now) as memory:
        _see_what_has_no_scope(memory, event.scope)
        if event.name == "session-start":
            text = memory.start(
                cwd=event.cwd,
                budget=START_BUDGET,
                scope=event.scope,
                session=event.session,
                source=event.word("source"),
                exact=False,  # a client counts characters
            ).text
            return document(event, text)
        if event.name == "user-prompt-submit":
            return document(event, _recalled(memory, event))
        if not event.more.get("stop_hook_active"):  # else another hook made the client go on: the next event comes soon
            _hand_over(memory, event, now, wait)
        return ""


def _see_what_has_no_scope(memory: Memory, scope: str) -> None:
    """Let a repository see the memories of no scope too, unless the settings say what its scope inherits: what is known
    of the user holds in every repository, and most vaults have no scopes at all."""
    rules = memory.settings["scope.inherits"]
    if (
        scope
        and "<" not in scope
        and "," not in scope
        and scope not in (one.partition("<")[0].strip() for one in rules)
    ):
        memory.settings.put("scope.inherits", [*rules, f"{scope} <"], "hook")


def _recalled(memory: Memory, event: Event) -> str:
    """What a prompt needs of the memory; which memories that were is kept for its reply."""
    prompt = event.more.get("prompt")
    asked = injected.strip(prompt)[:PROMPT] if isinstance(prompt, str) else ""
    if not asked.strip() or generation.current(memory.vault.place) is None:
        return ""
    gated = memory.gate(asked, scope=event.scope, session=event.session)
    if not gated.text:
        return ""
    if gated.ids and event.session:
        ts = memory.clock.now().astimezone(UTC).isoformat(timespec="milliseconds")
        place = hook_state.folder(memory.vault.place, event.session)
        hook_state.note(place, hook_state.Shown(injected.nonce_of(gated.text), ts, list(gated.ids)))
        return f"{gated.text}\n{injected.ASK}"
    return gated.text


def _hand_over(memory: Memory, event: Event, now: Callable[[], datetime] | None, wait: bool) -> None:
    """Start what is to be done with a transcript: it comes in, what was said in it is captured."""
    if not event.session:
        raise UsageError("the event names no session")
    held = hook_state.shown(hook_state.folder(memory.vault.place, event.session))
    reply = event.more.get("last_assistant_message")
    job = hook_job.Job(
        client=event.client,
        session=event.session,
        transcript=event.transcript,
        scope=event.scope,
        nonce=held[-1].nonce if held and event.name == "stop" else "",
        numbers=injected.used(reply) if isinstance(reply, str) else None,
        replied=isinstance(reply, str) and bool(reply.strip()),
        cwd=os.fspath(event.cwd) if event.cwd else "",
        checkpoint=event.name == "pre-compact",
        ended=event.name == "session-end",
    )
    if wait:
        from memdir.app.agents import hook_work  # deferred: nothing else of a hook has a use for it

        hook_work.do(job, memory.root.path, now)
    else:
        hook_job.begin(job, memory.root.path, hook_state.folder(memory.vault.place, event.session))


def document(event: Event, text: str) -> str:
    """The JSON that a client takes, "" where there is nothing to tell. What is too long is cut inside its marks."""
    if not text.strip():
        return ""
    if not injected.nonce_of(text):
        text = injected.wrap(text, os.urandom(8).hex())
    room = len(text)
    while (size := _length(shown := _json(event, cut(text, room)))) > MOST and room > 0:
        room -= max(1, (size - MOST) // 6)  # no sign takes more than six in JSON
    return shown if size <= MOST else ""


def _length(text: str) -> int:
    """As clients count it, in units of UTF-16."""
    return len(text) + sum(sign > "\uffff" for sign in text)


def _json(event: Event, text: str) -> str:
    name = EVENTS[event.name][0]
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}, ensure_ascii=False)


def cut(text: str, room: int) -> str:
    """At most `room` characters of an injected text, its end mark among them, and how much was left out."""
    if len(text) <= room:
        return text
    closed = injected.marks(injected.nonce_of(text))[1]
    body, mark, tail = text.rpartition(f"\n{closed}")
    if not mark:
        body, tail = text, ""
    kept = max(0, room - len(mark) - len(tail) - len(CUT) - 10)
    return body[:kept] + CUT.format(len(body) - kept).rstrip("\n") + mark + tail
