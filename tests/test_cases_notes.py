"""Public bug reports as tests: how a note is read, what its values mean, what an edit leaves alone.

`cases/cases.json` gives each case with its sources; `# ID (n)` stands behind the n-th line of its `expect`.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.vault import note
from memdir.vault.draft import NewNote

BOM = b"\xef\xbb\xbf"


def body(path: Path) -> str:
    """Everything behind the front matter of a file."""
    parsed = note.parse(path.name, path.read_bytes())
    return "\n".join(parsed.lines[parsed.body_line :])


def fences(data: bytes) -> int:
    return sum(line.rstrip(b"\r") == b"---" for line in data.removeprefix(BOM).split(b"\n"))


def test_note_01_byte_order_mark(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-01")
    assert run("sync", vault=root).code == 0
    shown = run("show", "bom.md", "--json", vault=root)
    assert (shown.json["name"], shown.json["tags"]) == ("Boiler service", ["home"])  # NOTE-01 (1)
    assert shown.json["meta"] == {"title": "Boiler service", "tags": ["home"]}
    found = run("recall", "zephyrquill", "--json", vault=root)
    assert sorted(found.paths) == ["bom.md", "bom_no_block.md"]
    commands = [["read", "bom.md"], ["read", "bom_no_block.md"], ["show", "bom_no_block.md"], ["list"]]
    replies = [shown, found, *(run(*command, "--json", vault=root) for command in commands)]
    replies += [run(*command, vault=root) for command in [*commands, ["recall", "zephyrquill"]]]
    for reply in replies:
        assert reply.code == 0
        assert "\ufeff" not in reply.out + reply.err  # NOTE-01 (2)
        assert "\\ufeff" not in reply.out.lower()


def test_note_01_set_keeps_the_mark_at_the_front(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-01")
    for name in ("bom.md", "bom_no_block.md"):
        path = root / name
        text = body(path)
        assert run("set", name, "status=done", vault=root).code == 0
        data = path.read_bytes()
        assert fences(data) == 2  # NOTE-01 (3)
        assert data.count(BOM) == 1
        assert data.startswith(BOM)
        assert body(path) == text
        assert run("show", name, "--json", vault=root).json["meta"]["status"] == "done"


def test_note_02_crlf(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-02")
    path = root / "crlf.md"
    before = path.read_bytes()
    assert run("sync", vault=root).code == 0
    shown = run("show", "crlf.md", "--json", vault=root).json
    assert shown["name"] == shown["meta"]["title"] == "Gate motor"  # NOTE-02 (1)
    assert shown["tags"] == ["yard"]
    assert run("set", "crlf.md", "status=done", vault=root).code == 0
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == before.count(b"\n") + 1  # NOTE-02 (2)
    assert fences(data) == 2  # NOTE-02 (3)
    assert data.split(b"---\r\n", 2)[2] == before.split(b"---\r\n", 2)[2]
    assert run("show", "crlf.md", "--json", vault=root).json["meta"]["status"] == "done"


def test_note_03_fences_and_rules(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-03")
    assert run("sync", vault=root).code == 0
    shown = {path.name: run("show", path.name, "--json", vault=root).json for path in root.glob("*.md")}
    whole = {path.name: path.read_text(encoding="utf-8") for path in root.glob("*.md")}
    assert shown["rule_in_body.md"]["meta"] == {"title": "Rules", "note": "a --- b"}  # NOTE-03 (1)
    text = body(root / "rule_in_body.md")
    assert text.startswith("Top\n")
    assert text.split("\n").count("---") == 2
    assert text.endswith("afterrule\n")
    for name in ("lone_rule.md", "no_close.md"):
        assert shown[name]["meta"] == {}  # NOTE-03 (2)
        assert body(root / name) == whole[name]
    assert (shown["empty_block.md"]["meta"], body(root / "empty_block.md")) == ({}, "Body text.\n")  # NOTE-03 (3)
    assert (shown["block_only.md"]["name"], body(root / "block_only.md")) == ("Solo", "")  # NOTE-03 (4)
    assert body(root / "dots_close.md") == whole["dots_close.md"]  # NOTE-03 (5): whole file is body, with a warning
    assert [problem["line"] for problem in shown["dots_close.md"]["problems"]] == [1]
    assert "afterrule" in run("recall", "afterrule", vault=root).out


@pytest.mark.parametrize(
    "name", ["rule_in_body.md", "lone_rule.md", "no_close.md", "empty_block.md", "block_only.md", "dots_close.md"]
)
def test_note_03_set_keeps_the_body(name: str, run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-03")
    text, meta = body(root / name), run("show", name, "--json", vault=root).json["meta"]
    assert run("set", name, "k=v", vault=root).code == 0
    assert run("show", name, "--json", vault=root).json["meta"] == {**meta, "k": "v"}  # NOTE-03 (6)
    assert body(root / name) == text
    assert text.strip() in run("read", name, "--json", vault=root).json["text"]


def test_note_04_one_bad_block_stops_nothing(run: Run, vault: Callable[..., Path], tree: Tree) -> None:
    root = vault("NOTE-04")
    before = tree(root)
    synced = run("sync", "--json", vault=root)
    assert synced.code == 0
    problems = [(one["path"], one["line"]) for one in synced.json["report"]["problems"]]
    assert problems == [  # NOTE-04 (1)
        ("bad_at.md", 2),
        ("bad_colon.md", 2),
        ("bad_link.md", 3),
        ("bad_path.md", 2),
        ("bad_star.md", 2),
        ("bad_tab.md", 3),
    ]
    assert len(before) == 7
    bad = ["bad_colon.md", "bad_path.md", "bad_star.md", "bad_link.md", "bad_tab.md", "bad_at.md"]
    tokens = {"goodtoken": "good.md", **{f"badtoken{n}": name for n, name in enumerate(bad, 1)}}
    for token, name in tokens.items():
        assert run("recall", token, "--json", vault=root).paths[0] == name  # NOTE-04 (2)
    assert tree(root) == before  # NOTE-04 (3)
    said = run("doctor", vault=root)
    assert said.code == 5
    assert all(f"{path}:{line}: " in said.out for path, line in problems)


@pytest.mark.parametrize(
    "name", ["bad_at.md", "bad_colon.md", "bad_link.md", "bad_path.md", "bad_star.md", "bad_tab.md"]
)
def test_note_04_set_on_a_bad_block_is_refused_by_name(name: str, run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-04")
    before = (root / name).read_bytes()
    refused = run("set", name, "status=done", vault=root)
    assert refused.code == 5  # NOTE-04 (4)
    assert name in refused.err
    assert (root / name).read_bytes() == before


def test_note_05_tags_in_every_shape(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-05")
    assert run("sync", vault=root).code == 0
    tags = {path.stem: run("show", path.name, "--json", vault=root).json["tags"] for path in root.glob("*.md")}
    assert tags == {  # NOTE-05 (1)
        "t_null": [],
        "t_str": ["garden"],
        "t_comma": ["garden", "pump"],
        "t_hash": ["garden"],
        "t_nest": ["garden", "pump"],
    }
    with Memory(root) as opened:
        opened.freshen()
        held = [tag for (tag,) in opened.open_reader(verified=True).rows("SELECT tag FROM tags")]
    assert sorted(held) == ["garden"] * 4 + ["pump"] * 2
    assert all(len(tag) > 1 and not set(tag) & set("[]\"'") for tag in held)  # NOTE-05 (2)
    assert run("list", "--tag", "pump", "--json", vault=root).paths == ["t_comma.md", "t_nest.md"]


def test_note_05_tags_given_as_json_text(run: Run, vault: Callable[..., Path]) -> None:
    root = vault()
    with Memory(root) as opened:
        paths = [opened.new(NewNote("By the API", "ref", "x", tags='["a1","b2"]')).path]
    paths.append(run("new", "By the command line", "--tag", '["a1","b2"]', "--json", vault=root).json["path"])
    paths.append(run("new", "By set", "--json", vault=root).json["path"])
    assert run("set", paths[-1], 'tags=["a1","b2"]', vault=root).code == 0
    for path in paths:
        assert "tags: [a1, b2]" in (root / path).read_text(encoding="utf-8").split("\n")  # NOTE-05 (3)
        assert run("show", path, "--json", vault=root).json["meta"]["tags"] == ["a1", "b2"]


def test_note_06_code_is_no_markup(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("NOTE-06")
    assert run("sync", vault=root).code == 0
    shown = run("show", "code.md", "--json", vault=root).json
    assert shown["links"] == ["Real Note"]  # NOTE-06 (1)
    assert shown["tags"] == ["realtag"]  # NOTE-06 (2)
    counts = run("stats", "--json", vault=root).json
    assert (counts["links"], counts["tags"]) == (1, 1)


def test_type_01_dates_stay_text(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("TYPE-01")
    lines = (root / "dates.md").read_bytes().split(b"\n")
    assert run("sync", vault=root).code == 0
    meta = run("show", "dates.md", "--json", vault=root).json["meta"]
    assert (meta["created"], meta["bad"], meta["odd"]) == ("2026-04-14", "0000-00-00", "2026-02-30")  # TYPE-01 (1)
    assert meta["updated"] == "2026-04-14T23:30:00+09:00"  # TYPE-01 (2)
    assert meta["at"] == "12:30:00"
    assert run("list", "--json", vault=root).code == 0
    assert run("recall", "body", "--json", vault=root).json["evidence"][0]["date"] == "2026-04-14"
    assert run("set", "dates.md", "status=done", vault=root).code == 0
    after = (root / "dates.md").read_bytes().split(b"\n")
    assert after == [*lines[:6], b"status: done", *lines[6:]]  # TYPE-01 (3)
    assert run("show", "dates.md", "--json", vault=root).json["meta"] == {**meta, "status": "done"}


def test_type_02_words_stay_words(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("TYPE-02")
    lines = (root / "types.md").read_bytes().split(b"\n")
    assert run("sync", vault=root).code == 0
    shown = run("show", "types.md", "--json", vault=root).json
    meta = shown["meta"]
    assert (meta["title"], meta["country"], meta["version"]) == ("no", "NO", "1.10")  # TYPE-02 (1)
    assert shown["tags"] == ["on", "404", "1.10", "2026"]  # TYPE-02 (2)
    for tag in ("404", "on", "1.10", "2026"):
        assert run("list", "--tag", tag, "--json", vault=root).paths == ["types.md"]  # TYPE-02 (3)
        assert run("recall", "body", "--tag", tag, "--json", vault=root).paths == ["types.md"]
    assert run("recall", "404", "--json", vault=root).paths == ["types.md"]
    assert run("set", "types.md", "status=done", vault=root).code == 0
    after = (root / "types.md").read_bytes().split(b"\n")
    assert after == [*lines[:5], b"status: done", *lines[5:]]


def test_rewrite_01_sync_adds_no_block(run: Run, vault: Callable[..., Path], tree: Tree) -> None:
    root = vault("REWRITE-01")
    before = tree(root)
    first = run("sync", "--json", vault=root)
    assert first.code == 0
    assert tree(root) == before  # REWRITE-01 (2)
    assert ("double.md", 5) in [(one["path"], one["line"]) for one in first.json["report"]["problems"]]
    assert run("show", "own.md", "--json", vault=root).json["meta"] == {  # REWRITE-01 (1)
        "title": "Seed list",
        "type": "catalog",
        "citekey": "seeds26",
    }
    for name, keys in {"own.md": 3, "odd.md": 2}.items():
        data = (root / name).read_bytes()
        assert fences(data) == 2
        assert data.split(b"---\n")[1].count(b"\n") == keys
    for _ in range(2):
        assert run("sync", vault=root).code == 0
        assert tree(root) == before  # REWRITE-01 (3)
    assert run("doctor", vault=root).out.startswith("double.md:5: ")


def test_rewrite_02_set_changes_one_line(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("REWRITE-02")
    before = (root / "order.md").read_bytes().split(b"\n")
    assert run("set", "order.md", "status=active", vault=root).code == 0
    after = (root / "order.md").read_bytes().split(b"\n")
    assert [line for line in after if line not in before] == [b"status: active"]  # REWRITE-02 (1)
    assert [line for line in after if line != b"status: active"] == before  # REWRITE-02 (2)
    assert run("set", "order.md", "alpha=3", vault=root).code == 0
    again = (root / "order.md").read_bytes().split(b"\n")
    assert again == [b"alpha: 3" if line == b"alpha: 2" else line for line in after]


def test_inputs_are_the_bytes_that_were_given() -> None:
    """The cases live on odd bytes: a checkout that changed line ends or marks would test nothing."""
    cases = Path(__file__).parent / "cases"
    assert (cases / "NOTE-01/bom.md").read_bytes().startswith(BOM)
    assert (cases / "NOTE-02/crlf.md").read_bytes().count(b"\r\n") == 7
    assert not (cases / "NOTE-03/block_only.md").read_bytes().endswith(b"\n")
    assert hashlib.sha256((cases / "NOTE-04/bad_tab.md").read_bytes()).hexdigest().startswith("13faa5ab")
