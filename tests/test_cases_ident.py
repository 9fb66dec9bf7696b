"""Public bug reports as tests: which file is which note, what the index may forget, how long MEMORY.md gets.

`# ID (n)` stands behind the n-th line of `expect` of a case in `cases/cases.json`.
"""

import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import Run, Tree
from memdir.app.memory import Memory
from memdir.index.filters import Filters
from memdir.recall.question import Question
from memdir.vault import memory_md

CASES = Path(__file__).parent / "cases"


def make(script: str, root: Path) -> None:
    """Run a case's own generator."""
    subprocess.run([sys.executable, CASES / script, root], check=True)


def ids_of(root: Path) -> dict[str, int]:
    """Path → number of every file in the index as it is."""
    with Memory(root) as opened:
        return dict(opened.open_reader(verified=False).rows("SELECT path, id FROM files"))


def test_ident_01_rename_of_case_and_swap(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("IDENT-01")
    assert run("sync", vault=root).code == 0
    ids = ids_of(root)
    (root / "Plan.md").rename(root / "plan.md")
    (root / "A.md").rename(root / "third")
    (root / "B.md").rename(root / "A.md")
    (root / "third").rename(root / "B.md")
    report = run("sync", "--json", vault=root).json["report"]
    assert (report["moved"], report["added"], report["removed"], report["modified"]) == (3, 0, 0, 0)
    listed = run("list", "--json", vault=root)
    assert sorted(listed.paths) == ["A.md", "B.md", "link.md", "plan.md"]  # IDENT-01 (1)
    now = ids_of(root)
    assert (now["A.md"], now["B.md"], now["plan.md"]) == (ids["B.md"], ids["A.md"], ids["Plan.md"])  # IDENT-01 (2)
    for words, path in {"content-alpha": "B.md", "content-beta": "A.md", "plan body lower": "plan.md"}.items():
        found = run("recall", words, "--json", vault=root).json["evidence"][0]
        assert (found["path"], found["quote"]) == (path, words)
    again = run("sync", "--json", vault=root).json["report"]
    assert not any(again[word] for word in ("moved", "added", "removed", "modified"))
    assert ids_of(root) == now
    (target,) = run("show", "link", "--json", vault=root).json["links"]
    assert run("read", target, "--json", vault=root).json["path"] == "plan.md"  # IDENT-01 (3)
    assert run("doctor", vault=root).code == 0


def test_ident_02_decomposed_name(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("IDENT-02")
    make("IDENT-02/make.py", root)
    nfc = unicodedata.normalize("NFC", "Café größe.md")
    nfd = unicodedata.normalize("NFD", nfc)
    assert run("sync", vault=root).code == 0
    for form in (nfc, nfd, nfc.removesuffix(".md"), nfd.removesuffix(".md")):
        assert run("read", form, vault=root).out == "nfdtoken\n"  # IDENT-02 (1)
    (target,) = run("show", "ref.md", "--json", vault=root).json["links"]
    assert run("read", target, vault=root).out == "nfdtoken\n"
    assert len(run("recall", "nfdtoken", "--mode", "keyword", "--json", vault=root).paths) == 1
    next(path for path in root.iterdir() if path.name != "ref.md" and path.suffix == ".md").unlink()
    report = run("sync", "--json", vault=root).json["report"]
    assert (report["removed"], report["files"]) == (1, 1)
    assert run("recall", "nfdtoken", vault=root).code == 3  # IDENT-02 (2)
    assert run("list", "--json", vault=root).paths == ["ref.md"]
    assert run("read", nfc, vault=root).code == 3


def test_ident_02_both_forms_are_two_notes(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("IDENT-02")
    make("IDENT-02/make.py", root)
    nfc = unicodedata.normalize("NFC", "Café größe.md")
    nfd = unicodedata.normalize("NFD", nfc)
    (root / nfc).write_text("nfctoken\n", encoding="utf-8")
    if sum(path.suffix == ".md" for path in root.iterdir()) < 3:
        pytest.skip("this file system keeps one name for both forms")
    assert run("sync", "--json", vault=root).json["report"]["files"] == 3
    assert sorted(run("list", "--json", vault=root).paths) == sorted([nfc, nfd, "ref.md"])  # IDENT-02 (3)
    assert run("recall", "nfdtoken", "--json", vault=root).paths[:1] == [nfd]
    assert run("recall", "nfctoken", "--json", vault=root).paths[:1] == [nfc]
    for name, token in ((nfc, "nfctoken"), (nfd, "nfdtoken")):
        assert run("set", name, f"mark={token}", vault=root).code == 0
    for name, token in ((nfc, "nfctoken"), (nfd, "nfdtoken")):
        assert (root / name).read_text(encoding="utf-8") == f"---\nmark: {token}\n---\n{token}\n"


def test_ident_03_hidden_files_and_placeholders(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("IDENT-03")
    make("IDENT-03/make.py", root)
    assert run("sync", "--json", vault=root).json["report"]["files"] == 2
    assert run("recall", "hiddentoken", vault=root).code == 3  # IDENT-03 (1)
    assert run("recall", "realtoken", "--json", vault=root).paths == ["real.md"]  # IDENT-03 (2)
    assert run("recall", "budgettoken", "--json", vault=root).paths == ["Budget.md"]
    (root / "Budget.md").unlink()
    (root / ".Budget.md.icloud").write_bytes(b"bplist00\xd1\x01\x02")
    report = run("sync", "--json", vault=root).json["report"]
    assert report["kept"] == {"Budget.md": "not downloaded"}  # IDENT-03 (3)
    assert (report["removed"], report["added"], report["files"]) == (0, 0, 2)
    assert run("list", "--json", vault=root).paths == ["Budget.md", "real.md"]
    said = run("recall", "budgettoken", vault=root)
    assert "Budget.md" in said.err
    assert "not downloaded" in said.err
    assert "not downloaded" in run("doctor", vault=root).out
    (root / ".Budget.md.icloud").unlink()
    (root / "Budget.md").write_text("budgettoken\n", encoding="utf-8")
    assert run("recall", "budgettoken", "--json", vault=root).paths == ["Budget.md"]


def test_stale_01_last_note_of_a_folder(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("STALE-01")
    assert run("sync", vault=root).code == 0
    assert run("recall", "ghostalpha", "--json", vault=root).paths == ["sub/only.md"]
    (root / "sub/only.md").unlink()
    assert run("sync", "--json", vault=root).json["report"]["removed"] == 1
    assert run("recall", "ghostalpha", vault=root).code == 3  # STALE-01 (1)
    assert run("read", "sub/only.md", vault=root).code == 3
    counts = run("stats", "--json", vault=root).json
    assert (counts["files"], counts["passages"], counts["by_type"]) == (0, 0, {})  # STALE-01 (2)
    assert run("rebuild", "--json", vault=root).json["report"]["files"] == 0


@pytest.mark.parametrize("gone", ["emptied", "missing"])
def test_stale_01_unmounted_is_not_deleted(gone: str, run: Run, vault: Callable[..., Path], tmp_path: Path) -> None:
    root = vault("STALE-01")
    assert run("sync", vault=root).code == 0
    away = tmp_path / "away"
    shutil.move(root, away)
    if gone == "emptied":
        root.mkdir()
    refused = run("sync", vault=root)
    assert refused.code in (3, 5)  # STALE-01 (3)
    assert str(root) in refused.err
    assert run("rebuild", vault=root).code in (3, 5)
    if gone == "emptied":
        root.rmdir()
    shutil.move(away, root)
    report = run("sync", "--json", vault=root).json["report"]
    assert (report["files"], report["added"], report["rebuilt"]) == (1, 0, "")
    assert run("recall", "ghostalpha", "--json", vault=root).paths == ["sub/only.md"]


def test_stale_01_emptied_on_purpose(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("STALE-01")
    assert run("sync", vault=root).code == 0
    shutil.rmtree(root / "sub")
    shutil.rmtree(root / ".memdir", ignore_errors=True)
    assert run("sync", vault=root).code == 5
    assert run("sync", "--accept-removals", vault=root).code == 0
    assert run("stats", "--json", vault=root).json["files"] == 0
    assert run("recall", "ghostalpha", vault=root).code == 3


def test_stale_02_one_file_drops_no_other(run: Run, vault: Callable[..., Path]) -> None:
    root = vault("STALE-02")
    assert run("sync", "--json", vault=root).json["report"]["files"] == 3
    (root / "a.md").write_text("atoken again\n", encoding="utf-8")
    assert run("recall", "atoken", "--path", "a.md", "--json", vault=root).paths == ["a.md"]
    assert run("recall", "ctoken", "--path", "c", "--json", vault=root).paths == ["c/c.md"]
    assert run("set", "c/c.md", "k=v", vault=root).code == 0
    for token, path in {"btoken": "b.md", "atoken": "a.md", "ctoken": "c/c.md"}.items():
        assert run("recall", token, "--json", vault=root).paths[0] == path  # STALE-02 (1)
    assert run("stats", "--json", vault=root).json["files"] == 3
    (root / "a.md").touch()
    report = run("sync", "--json", vault=root).json["report"]
    assert (report["files"], report["removed"], report["added"]) == (3, 0, 0)


@pytest.mark.parametrize("adopted", [True, False])
def test_cap_01_the_newest_note_is_seen(
    adopted: bool, run: Run, vault: Callable[..., Path], tree: Tree, tmp_path: Path
) -> None:
    root = vault("CAP-01") if adopted else vault()
    notes = root if adopted else root / "memory/project"
    make("CAP-01/gen.py", notes)
    assert run("sync", "--json", vault=root).json["report"]["files"] >= 260
    written = run("index", "--write", "--json", vault=root)
    assert written.code == 0
    before = {path: digest for path, digest in tree(notes).items() if path.startswith("topic")}
    added = run("new", "ZZ newest heatpump reset", "--body", "Hold the reset for ten seconds.", "--json", vault=root)
    assert added.code == 0
    text = (root / "MEMORY.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 200  # CAP-01 (1)
    assert len(text.encode()) <= 25_000
    assert "ZZ newest heatpump reset" in text  # CAP-01 (2)
    assert run("index", vault=root).out.rstrip("\n") == text.rstrip("\n")
    listed = memory_md.listed(text)
    left_out = [n for n in range(260) if not any(path.endswith(f"topic-{n:03}.md") for path in listed)]
    assert len(listed) + len(left_out) == 261
    with Memory(root) as opened:
        opened.freshen()
        for n in left_out:
            found = opened.recall(Question(f"subject{n:03}", Filters(), 1), fresh=False).evidence
            assert [one.path.rpartition("/")[2] for one in found] == [f"topic-{n:03}.md"]  # CAP-01 (3)
    overflow = "memory/archive/MEMORY-overflow.md"
    assert f"{len(left_out)} more notes are in [{overflow}]" in text  # CAP-01 (4)
    away = memory_md.listed((root / overflow).read_text(encoding="utf-8"))
    topics = run("list", "--type", "project", "--type", "ref", "--json", vault=root).paths
    assert sorted(listed | away) == sorted(topics)
    said = [notice for notice in added.json["notices"] if "cap" in notice]
    assert len(said) == 1  # CAP-01 (5)
    assert str(len(left_out)) in said[0]
    assert overflow in said[0]
    assert {path: digest for path, digest in tree(notes).items() if path.startswith("topic")} == before
