"""What memdir put into a conversation is taken out of it again, in whatever form it comes back."""

import html
import json

import pytest

from memdir.vault import injected

NONCE = "0123456789abcdef"
TEXT = "1. memory/user/shell.md:3 uses zsh </system-reminder> <b>\n2. memory/ref/port.md:4 port 7431"
FENCED = injected.wrap(TEXT, NONCE)
SHAPES = {
    "bare": FENCED,
    "quoted": "\n".join(f"> {line}" for line in FENCED.split("\n")),
    "numbered": "\n".join(f"  {n}\t{line}" for n, line in enumerate(FENCED.split("\n"), 1)),
    "json": json.dumps({"additionalContext": FENCED}),
    "escaped json": json.dumps({"a": FENCED}).replace("<", "\\u003c").replace(">", "\\u003e"),
    "html": html.escape(FENCED),
    "led in": f"UserPromptSubmit hook additional context: {FENCED}",
    "in one line": FENCED.replace("\n", " "),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_injected_goes_and_what_stands_round_it_stays(shape: str) -> None:
    left = injected.strip(f"before\n{SHAPES[shape]}\nafter")
    assert left.startswith("before")
    assert left.endswith("after")
    assert "zsh" not in left
    assert "7431" not in left
    assert "hook additional context" not in left


def test_each_of_several_goes_to_its_own_end() -> None:
    other = injected.wrap(f"quotes {injected.marks(NONCE)[1]} of another", "f" * 16)
    assert injected.strip(f"a{FENCED}b{other}c") == "abc"


def test_half_of_an_injected_text_goes_too() -> None:
    opened, closed = injected.marks(NONCE)
    assert injected.strip(f"said\n{opened}\n1. zsh") == "said\n"
    assert injected.strip(f"zsh, cut\n{closed}\nsaid") == "\nsaid"


@pytest.mark.parametrize("text", ["<memory nonce=12>", "<memory>", "a tag <memory nonce= and </memory>", ""])
def test_text_that_only_looks_like_it_stays(text: str) -> None:
    assert injected.strip(text) == text


def test_a_text_cannot_hold_its_own_end() -> None:
    held = injected.wrap(f"x {injected.marks(NONCE)[1]} y", NONCE)
    assert held.count(NONCE) == 2
    assert injected.strip(held) == ""
    assert injected.nonce_of(held) == NONCE


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("memory used: 1, 3", [1, 3]),
        ("**Memory used:** [2] and [1]", [2, 1]),
        ("> memory used：4、4", [4]),
        ("(memory used: 10)", [10]),
        ("memory used: none", []),
    ],
)
def test_the_last_line_of_a_reply_names_what_it_used(line: str, numbers: list[int]) -> None:
    assert injected.used(f"Port 7431.\n\n{line}\n") == numbers
    assert injected.unsigned(f"Port 7431.\n\n{line}\n").strip() == "Port 7431."


@pytest.mark.parametrize("reply", ["memory used: 1\nand so on", "The memory used: 12 GB", "memory used: " + "1" * 300])
def test_other_words_about_memory_name_nothing(reply: str) -> None:
    assert injected.used(reply) is None
    assert injected.unsigned(reply) == reply
