"""What a conversation is about, by rules."""

import pytest

from memdir.learn import checkpointing
from memdir.vault.session import Turn


def _turns(*said: str) -> list[Turn]:
    return [Turn("assistant" if n % 2 else "user", text, number=n + 1) for n, text in enumerate(said)]


def test_the_first_request_and_the_last_messages() -> None:
    told = checkpointing.summary(_turns("Port the aliases to fish.", "Done.", *("x" for _ in range(20)), "", "The end"))
    assert told.first == "Port the aliases to fish."
    assert len(told.last) == checkpointing.LAST
    assert told.last[-1] == "assistant: The end"
    assert checkpointing.summary([]) == ("", [], [], [])
    long = checkpointing.summary(_turns("word " * 1_000))
    assert len(long.first) <= checkpointing.FIRST
    assert len(long.last[0]) <= checkpointing.MESSAGE + 10


@pytest.mark.parametrize(
    ("said", "is_open", "is_decided"),
    [
        ("We still need to update the docs.", True, False),
        ("- [ ] Update the docs", True, False),
        ("TODO: update the docs", True, False),
        ("Next: the docs.", True, False),
        ("The docs are not yet finished.", True, False),
        ("还需要更新文档。", True, False),
        ("下一步：更新文档", True, False),
        ("We decided to drop the docs.", False, True),
        ("我们决定不写文档了。", False, True),
        ("The docs are finished.", False, False),
        ("```\nTODO: in code\nWe decided to\n```", False, False),
        ("文档写完了。", False, False),
    ],
)
def test_what_is_open_and_what_was_decided(said: str, is_open: bool, is_decided: bool) -> None:
    told = checkpointing.summary(_turns("Hello.", said))
    assert (bool(told.loops), bool(told.decisions)) == (is_open, is_decided)


def test_the_newest_come_first_each_once() -> None:
    told = checkpointing.summary(_turns("TODO: one", "TODO: two", "TODO: one"))
    assert told.loops == ["TODO: one", "TODO: two"]
