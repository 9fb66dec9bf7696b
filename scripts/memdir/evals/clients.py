"""Real clients, Claude Code and Codex, with memdir's hooks in them and a scripted endpoint instead of a model.

What one session says is asked for in the next, ten rounds long, and looked for where it has to be: in what the client
sends to its model, in the session files and in the ledger of the vault. Everything lies in a folder of its own, the
client's home too.

    python -m memdir.evals.clients [claude-code=PATH] [codex=PATH]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdir.errors import MemdirError, UsageError
from memdir.evals import cost
from memdir.evals.endpoint import Endpoint

FACT, NAME, QUESTION = "Our staging server is called heron-7 and stands in rack 12.", "heron-7", "staging server"
ROUNDS = 10
LONGEST = 120.0  # seconds for one round of a client
SETTLE = 30.0  # seconds for the process beside a session to bring it in
PROGRAMS = {"claude-code": "claude", "codex": "codex"}
ASKED = "let its last line be `memory used: `"  # as memdir asks in what it injects
USED, LAST = "memory used: 1", 6_000  # signs at the end of a request among which an injected text stands


@dataclass(frozen=True, slots=True)
class Client:
    """A client with a home of its own. `plugin`: memdir comes as a plugin in its place, and not by its settings."""

    name: str
    program: Path
    env: Mapping[str, str]
    place: Path
    plugin: Path | None = None

    @property
    def title(self) -> str:
        return f"{self.name}, plugin" if self.plugin else self.name

    def ask(self, prompt: str, *, on: bool = False) -> None:
        """One round, in a session of its own, or `on` in the last. Raises MemdirError."""
        command = [os.fspath(self.program)]
        if self.name == "codex":
            command += ["exec", *(("resume", "--last") if on else ()), "--skip-git-repo-check"]
            command += ["--dangerously-bypass-hook-trust", prompt]  # these hooks are our own
        else:
            command += [
                "-p",
                *(["--plugin-dir", os.fspath(self.plugin)] if self.plugin else ()),
                *(["-c"] if on else ()),
            ]
            command.append(prompt)
        _run(command, self.env, self.place)


def _run(command: Sequence[str], env: Mapping[str, str], place: Path) -> str:
    try:
        ran = subprocess.run(
            command, env=dict(env), cwd=place, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MemdirError(f"{command[0]}: {error}") from error
    if ran.returncode:
        raise MemdirError(f"{command[0]} ended with {ran.returncode}: {ran.stderr.decode(errors='replace')[-300:]}")
    return ran.stdout.decode(errors="replace")


def reply(said: str) -> str:
    """What the scripted model answers: whoever is shown memories says that it used the first."""
    return f"It is as you said.\n\n{USED}" if ASKED in said[-LAST:] else "Noted, thank you."


def life(client: Client, root: Path, endpoint: Endpoint) -> Iterator[tuple[str, bool]]:
    """What is to hold, and whether it does."""
    client.ask(FACT)
    yield "what was said is in a session file", _within(SETTLE, lambda: FACT in _texts(root / "memory/sessions"))
    client.ask(f"What is our {QUESTION} called?")
    asked = endpoint.requests[-1]
    yield "a session begins with what is known", "memory nonce=" in asked
    yield "it is asked for in the next session and comes before the model answers", NAME in asked
    yield "what the reply used is in the ledger", _within(SETTLE, lambda: '"used"' in _texts(root / "memory/ledger"))
    for number in range(ROUNDS):
        client.ask(f"Round {number}: which rack was the {QUESTION} in, and is it reachable?", on=True)
    last = f"Round {ROUNDS - 1}"
    yield (
        f"{ROUNDS} rounds later every turn is there",
        _within(SETTLE, lambda: last in _texts(root / "memory/sessions")),
    )
    kept = _texts(root / "memory/sessions") + _texts(root / "memory/logs")
    yield "no injected text was captured", "memory nonce=" not in kept and "memory used" not in kept
    yield "nothing that was said is in a file twice", kept.count(FACT) == 1
    if client.name == "claude-code":
        client.ask("/compact", on=True)
        client.ask(f"After that: what is the {QUESTION} called?", on=True)
        yield "after a compaction it comes again", NAME in endpoint.requests[-1]


def _within(seconds: float, held: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not held():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def _texts(folder: Path) -> str:
    files = sorted(one for one in folder.rglob("*") if one.is_file()) if folder.is_dir() else []
    return "\n".join(one.read_text("utf-8", "replace") for one in files)


def settled(name: str, program: Path, place: Path, address: str, *, plugin: bool = False) -> tuple[Client, Path]:
    """A client with memdir in it, and the vault that it serves, below an empty `place`."""
    home, root, work = place / "home", place / "vault", place / "work"
    for folder in (home, work):
        folder.mkdir()
    env = dict(cost.environment(place)) | {
        "HOME": os.fspath(home),
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "SCRIPTED_KEY": "scripted",
    }
    memdir = [sys.executable, "-m", "memdir"]
    _run([*memdir, "init", os.fspath(root)], env, work)
    if name == "codex":
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(
            'model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
            f'base_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n',
            encoding="utf-8",
        )
    if not plugin:
        _run([*memdir, "hooks", "install", "--client", name], env, work)
    return Client(name, program, env, work, cost.PACKAGE.parents[1] if plugin else None), root


def seen(name: str, program: Path, *, plugin: bool = False) -> Iterator[tuple[str, bool]]:
    """The life of one client, from an empty home on."""
    folder = tempfile.TemporaryDirectory(prefix="memdir-client-", ignore_cleanup_errors=True)
    with folder as place, Endpoint(reply) as endpoint:
        client, root = settled(name, program, Path(place).resolve(), endpoint.address, plugin=plugin)
        for what, holds in life(client, root, endpoint):
            yield f"{client.title}: {what}", holds


def programs(arguments: Sequence[str]) -> dict[str, Path]:
    """Those that are named, else those that are on the path. Raises UsageError."""
    named = dict(one.partition("=")[::2] for one in arguments)
    if not named:
        named = {name: found for name, program in PROGRAMS.items() if (found := shutil.which(program))}
    if not named or named.keys() - PROGRAMS.keys():
        raise UsageError("python -m memdir.evals.clients [claude-code=PATH] [codex=PATH]; neither is on the path")
    return {name: Path(path).absolute() for name, path in named.items()}


def main(arguments: Sequence[str]) -> None:
    failed = False
    for name, program in programs(arguments).items():
        version = _run([os.fspath(program), "--version"], os.environ, Path.cwd()).strip()
        sys.stdout.write(f"{version}\n")
        for plugin in (False, True) if name == "claude-code" else (False,):
            for what, holds in seen(name, program, plugin=plugin):
                failed = failed or not holds
                sys.stdout.write(f"{'yes' if holds else 'NO '}  {what}\n")
                sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
