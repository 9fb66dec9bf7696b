"""Which files are notes: by place, in a vault of ours and in an adopted one."""

import pytest

from memdir.vault.layout import Rules


@pytest.mark.parametrize(
    ("path", "own", "adopted"),
    [
        ("MEMORY.md", True, True),
        ("memory/ref/a.md", True, True),
        ("docs/a.md", False, True),
        ("docs/a.rst", False, False),
        ("memory/inbox/a.md", False, False),  # waits for review
        ("memory/inbox/deep/a.md", False, False),
        ("memory/inbox.md", True, True),
        ("docs/memory/inbox/a.md", False, True),  # a folder of somebody else's
        ("memory/sessions/2026/11/a.md", True, True),
        ("memory/ledger/a.md", False, True),
        ("memory/archive/MEMORY-overflow.md", False, False),
        (".obsidian/a.md", False, False),
        ("memory/templates/a.md", False, False),
        ("docs/node_modules/x/a.md", False, False),
    ],
)
def test_what_a_walk_takes(path: str, own: bool, adopted: bool) -> None:
    assert Rules(own=True).takes(path) is own
    assert Rules(own=False).takes(path) is adopted


def test_patterns_do_not_make_a_note_of_a_proposal() -> None:
    assert not Rules(own=False, include=("memory/*",)).takes("memory/inbox/a.md")
    assert Rules(own=False, include=("memory/*",)).takes("memory/a.md")
    assert not Rules(own=False, exclude=("memory/a.md",)).takes("memory/a.md")
