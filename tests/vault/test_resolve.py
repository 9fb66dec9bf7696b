"""Which note a name means."""

import pytest

from memdir.errors import Conflict, NotFound
from memdir.vault import resolve

PATHS = [
    "memory/user/shell.md",
    "memory/ref/Shell.md",
    "memory/ref/水泵.md",
    "a/b/pump.md",
    "b/pump.md",
    "étude.md",
    "x/2026-11-29.md",
]


@pytest.mark.parametrize(
    ("target", "split"),
    [
        ("a.md", ("a.md", "")), ("a.md#Head", ("a.md", "Head")), ("a#A#B", ("a", "A#B")), ("a#^k3f", ("a", "^k3f")),
        ("a.md:12", ("a.md", ":12")), ("a:b.md", ("a:b.md", "")),
        (":12", (":12", "")), ("#Head", ("", "Head")), ("a.md:", ("a.md:", "")), ("[[a#Head|shown]]", ("a", "Head")),
        ("[[a]]", ("a", "")),
    ],
)  # fmt: skip
def test_split_anchor(target: str, split: tuple[str, str]) -> None:
    assert resolve.split_anchor(target) == split


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("memory/user/shell.md", ["memory/user/shell.md"]), ("memory/user/shell", ["memory/user/shell.md"]),
        ("user/shell", ["memory/user/shell.md"]), ("水泵", ["memory/ref/水泵.md"]),
        ("shell", ["memory/ref/Shell.md", "memory/user/shell.md"]), ("pump", ["b/pump.md", "a/b/pump.md"]),
        ("b/pump", ["b/pump.md"]), ("a/b/pump.md", ["a/b/pump.md"]),
        ("E\u0301TUDE", ["étude.md"]), ("ump", []), ("", []), ("x\\2026-11-29", ["x/2026-11-29.md"]),
        ("./étude.md", ["étude.md"]), ("nothing", []),
    ],
)  # fmt: skip
def test_matches(target: str, found: list[str]) -> None:
    assert resolve.matches(target, PATHS) == found


def test_only_one() -> None:
    assert resolve.only("水泵", ["memory/ref/水泵.md"]) == "memory/ref/水泵.md"
    with pytest.raises(NotFound, match="memdir list"):
        resolve.only("nothing", [])
    with pytest.raises(Conflict, match=r"memory/ref/Shell.md, memory/user/shell.md"):
        resolve.only("shell", resolve.matches("shell", PATHS))


TREE = ["Plan.md", "a/Plan.md", "a/b/Plan.md", "a/b/note.md", "zz/Étude.md", "img/p.png", "x.y.md", "ab/Note two.md"]


@pytest.mark.parametrize(
    ("link", "source", "first"),
    [
        ("Plan", "a/b/note.md", "Plan.md"), ("a/Plan", "n.md", "a/Plan.md"), ("b/Plan", "n.md", "a/b/Plan.md"),
        ("./Plan", "a/b/note.md", "a/b/Plan.md"), ("../Plan", "a/b/note.md", "a/Plan.md"),
        ("../../../Plan", "a/b/note.md", "Plan.md"), ("./../Plan", "a/b/note.md", "a/Plan.md"),
        ("/a/Plan", "n.md", "a/Plan.md"),
        ("/b/Plan", "n.md", ""), ("/Plan.md", "a/x.md", "Plan.md"), ("NOTE", "n.md", "a/b/note.md"),
        ("e\u0301tude", "n.md", "zz/Étude.md"), ("p.png", "n.md", "img/p.png"), ("p", "n.md", ""),
        ("x.y", "n.md", "x.y.md"),
        ("Note\u00a0two", "n.md", "ab/Note two.md"), ("b/Note two", "n.md", "ab/Note two.md"), ("no", "n.md", ""),
        ("", "n.md", "n.md"),
    ],
)  # fmt: skip
def test_a_link_opens_what_obsidian_opens(link: str, source: str, first: str) -> None:
    assert (resolve.Tree(TREE).meant(link, source) or [""])[0] == first


def test_files_of_one_name_near_ones_first_then_short_ones() -> None:
    tree = resolve.Tree(["a/n.md", "b/n.md", "b/c/n.md", "d/e/f/n.md"])
    assert tree.meant("n", "b/c/x.md") == ["b/c/n.md", "a/n.md", "b/n.md", "d/e/f/n.md"]
    assert tree.meant("n", "x.md") == ["a/n.md", "b/n.md", "b/c/n.md", "d/e/f/n.md"]
