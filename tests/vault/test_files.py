"""Paths, reading, walking, writing, appending, removing and recovering, one person at a time."""

import itertools
import os
import stat
import threading
import time
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest

from memdir.errors import BadData, Conflict, Locked, MemdirError, NotFound, Unsafe
from memdir.vault import files, ledger, note
from memdir.vault.disk import syscalls
from memdir.vault.disk.paths import copy_name, readable
from memdir.vault.disk.syscalls import Folder
from memdir.vault.files import Root, check_path, digest

DAY = 86_400.0
SECRET = b"TOPSECRET\n"

# shared case SEC-02
CASE_PATHS = [
    "../secret.md", "..\\secret.md", "sub/../../secret.md", "/etc/hostname", "C:\\Windows\\win.ini", "%2e%2e/secret.md",
    "..%2fsecret.md", "up/secret.md", "../vault2/s.md", "note.md\0.txt", "~/secret.md", "\\\\host\\share\\x.md",
    "file:///etc/hostname", ".", "",
]  # fmt: skip
DOTS = [
    "../", "..\\", "%2e%2e/", "%2e%2e%2f", "..%2f", "%252e%252e%252f", "....//", "..;/", "..%c0%af", "..%00/",
    "\u2025/", "\uff0e\uff0e/", "..\u2215", "..\uff0f", ". ./", ".. /", "./../", "sub/../../", "x/../../",
    "../vault/../", "..//", "/..//../", "sub/./../../",
]  # fmt: skip
TRAVERSALS = [
    dots * times + tail
    for dots, times, tail in itertools.product(DOTS, (1, 2, 6), ("secret.md", "vault2/s.md", "etc/passwd"))
]
UNREADABLE = [
    "..", "sub/..", "sub/.", "sub//ok.md", "/", "//etc/passwd", "~", "C:/x.md", "c:\\x.md", "\\x.md", "\\\\?\\C:\\x",
    "http://host/x.md", "https:/x.md", "ok.md\0.png", "\0", "a\nb.md", "a\r.md", "a\x1b[31m.md", "a\x7f.md",
    ".git/config", ".obsidian/plugins/x/main.js", ".memdir/journal.jsonl", "sub/.hidden.md", ".memdir", "./.git/x",
    "a" * 256 + ".md", "é" * 128 + ".md", "x/" * 3000 + "a.md", "%2egit/config", "%2Fetc%2Fpasswd", "a\udcff.md",
    "sub/../.git/config", "%5c%5chost%5cx.md", "a\u2028b.md",
]  # fmt: skip
NOT_CREATED = [
    "CON.md", "nul.md", "aux", "com1.md", "LPT9.txt", "sub/Prn.md", "con .md", "CONIN$", "a.md:stream", "a:b.md",
    "a.md.", "a.md ", "sub /a.md", "sub./a.md", " a.md", "~a.md", "\u202egnp.md", "a\u200b.md", "a\u2066b.md",
    "\ufeffa.md", "a\u00adb.md", "a\U000e0041.md", "a%2fb.md", "100%25.md", "What? .md/", "what?.md", "a|b.md", "a*.md",
    "<a>.md", 'a".md', "C:x.md",
]  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with a file outside, a sibling vault, and links that lead to them."""
    path = tmp_path / "vault"
    (path / "sub").mkdir(parents=True)
    (path / "ok.md").write_bytes(b"ok\n")
    (path / "sub/ok.md").write_bytes(b"ok\n")
    (tmp_path / "vault2").mkdir()
    (tmp_path / "secret.md").write_bytes(SECRET)
    (tmp_path / "vault2/s.md").write_bytes(SECRET)
    os.symlink(tmp_path, path / "up")
    os.symlink(tmp_path / "secret.md", path / "link.md")
    os.symlink("../../vault2", path / "sub/relative")
    os.symlink(tmp_path / "fresh.md", path / "dangling.md")
    os.symlink("ok.md", path / "inside.md")
    os.mkfifo(path / "fifo.md")
    return path


def outside(vault: Path) -> list[tuple[str, bytes]]:
    top = vault.parent
    return sorted((str(p), p.read_bytes()) for p in top.rglob("*") if p.is_file() and vault not in p.parents)


def nothing(_path: str, _is_folder: bool) -> bool:
    return False


@pytest.mark.parametrize("rel", ["topics\\pump.md", "topics/pump.md", ".\\topics\\pump.md", "topics\\\\pump.md"])
def test_windows_spellings_of_one_path(rel: str) -> None:
    assert check_path(rel) == check_path(rel, create=True) == "topics/pump.md"


@pytest.mark.parametrize("rel", UNREADABLE)
def test_unsafe_paths_are_refused_for_reading(rel: str) -> None:
    with pytest.raises(Unsafe):
        check_path(rel)
    with pytest.raises(Unsafe):
        check_path(rel, create=True)


@pytest.mark.parametrize("rel", NOT_CREATED)
def test_names_that_are_not_portable_are_not_created(rel: str) -> None:
    with pytest.raises(Unsafe):
        check_path(rel, create=True)


@pytest.mark.parametrize(
    "rel",
    [
        "a:b.md", "What? .md", "a|b.md", "aux.md", "100% sure.md", "100%25.md", "Notes%2FFoo.md", "~draft.md", "-rf.md",
        " a.md", "…and more.md", "A／B.md", "👨\u200d👩\u200d👧.md", "می\u200cخواهم.md", "a" * 252 + ".md", "C:x.md",
    ],
)  # fmt: skip
def test_names_that_people_give_stay_readable(tmp_path: Path, rel: str) -> None:
    (tmp_path / rel).write_bytes(b"text\n")
    root = Root(tmp_path, settle=0)
    assert [e.path for e in root.walk(nothing).entries] == [rel]
    seen = root.read(rel)
    root.write(rel, b"changed\n", base=seen.digest)
    root.append(rel, b"- line\n")
    assert root.read(rel).data == b"changed\n- line\n"


@pytest.mark.parametrize("rel", ["memory/用户偏好.md", "записи/день.md", "a" * 252 + ".md", "日本/A／B.md", "🎉 ok.md"])
def test_names_of_every_script_are_created(tmp_path: Path, rel: str) -> None:
    root = Root(tmp_path)
    assert root.write(rel, b"text\n", base=None).path == rel
    assert (tmp_path / rel).read_bytes() == b"text\n"
    assert os.listdir(tmp_path / rel.rpartition("/")[0]).count(rel.rpartition("/")[2]) == 1


def test_no_path_reads_or_writes_outside(vault: Path) -> None:
    """Every payload through every method: refused, nothing shown, nothing changed outside."""
    payloads = list(dict.fromkeys([*CASE_PATHS, *TRAVERSALS, *UNREADABLE]))
    payloads += ["link.md", "inside.md", "dangling.md", "up/fresh.md", "sub/relative/s.md", "up/vault2/s.md", "fifo.md"]
    assert len(payloads) > 220
    before, root = outside(vault), Root(vault, settle=0)
    for rel in payloads:
        methods: list[Callable[[], object]] = [
            lambda r=rel: root.read(r),  # type: ignore[misc]
            lambda r=rel: root.write(r, b"x", base=digest(SECRET), shrink_ok=True),  # type: ignore[misc]
            lambda r=rel: root.remove(r, base=digest(SECRET)),  # type: ignore[misc]
        ]
        for method in methods:
            with pytest.raises(MemdirError) as refused:
                method()
            assert "TOPSECRET" not in str(refused.value)
            assert refused.value.exit_code in (3, 4, 5)
    assert outside(vault) == before


@pytest.mark.parametrize("rel", [*CASE_PATHS, "link.md", "inside.md", "dangling.md", "up/new.md", "sub/relative/s.md"])
def test_nothing_is_made_behind_links_or_dots(vault: Path, rel: str) -> None:
    before, root = outside(vault), Root(vault, settle=0)
    with pytest.raises(MemdirError):
        root.write(rel, b"x", base=None)
    with pytest.raises(MemdirError):
        root.append(rel, b"x\n")
    assert outside(vault) == before


def test_links_are_named_as_the_reason(vault: Path) -> None:
    root = Root(vault)
    for rel in ("up/secret.md", "link.md", "sub/relative/s.md"):
        with pytest.raises(Unsafe, match="link"):
            root.read(rel)
        assert root.stat(rel) is None


def test_missing_files_and_folders_are_not_found(vault: Path) -> None:
    root = Root(vault)
    for rel in ("none.md", "none/none.md", "sub", "ok.md/x.md", "fifo.md", "é.md"):
        with pytest.raises(NotFound):
            root.read(rel)
        assert root.stat(rel) is None


def test_a_missing_vault_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("none", "file"):
        with pytest.raises(NotFound, match="vault"):
            Root(tmp_path / name)


def test_copy_names_are_valid_and_short_enough() -> None:
    for rel in ("note.md", "memory/用户" + "偏" * 80 + ".md", "a" * 255, "sub/README", "dot.in.name.md"):
        copy = copy_name(rel, 1_795_988_179.0)
        assert check_path(copy, create=True) == copy
        assert ".conflict-20261129-" in copy
        assert copy.rpartition("/")[0] == rel.rpartition("/")[0]
    assert copy_name("note.md", 0) != copy_name("note.md", 0)


def test_read_gives_bytes_digest_and_stat(vault: Path) -> None:
    blob = Root(vault).read("sub/ok.md")
    st = os.stat(vault / "sub/ok.md")
    assert (blob.data, blob.digest) == (b"ok\n", digest(b"ok\n"))
    assert (blob.stat.size, blob.stat.mtime_ns, blob.stat.ino) == (3, st.st_mtime_ns, st.st_ino)
    assert Root(vault).stat("sub/ok.md") == blob.stat


@pytest.mark.parametrize("size", [0, 1, 1 << 16, 3_000_001])
def test_read_is_whole_at_any_size(tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "n.md").write_bytes(data)
    assert Root(tmp_path).read("n.md").data == data


Form = Literal["NFC", "NFD"]


@pytest.mark.parametrize(("form", "other"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_either_unicode_form_finds_the_file_on_disk(tmp_path: Path, form: Form, other: Form) -> None:
    on_disk = unicodedata.normalize(form, "Café/Übung.md")
    asked = unicodedata.normalize(other, "Café/Übung.md")
    (tmp_path / on_disk).parent.mkdir()
    (tmp_path / on_disk).write_bytes(b"one\n")
    root = Root(tmp_path, settle=0)
    assert root.read(asked).data == b"one\n"
    assert root.stat(asked) == root.stat(on_disk)
    with pytest.raises(Conflict):
        root.write(asked, b"a second file\n", base=None)
    assert root.write(asked, b"two\n", base=digest(b"one\n")).path == on_disk
    assert root.append(asked, b"three\n").path == on_disk
    assert [v.digest for v in root.history(asked)] == [digest(b"one\n")]
    root.write(unicodedata.normalize(other, "Café/neu.md"), b"n\n", base=None)
    assert len([p for p in tmp_path.iterdir() if p.name != ".memdir"]) == 1
    root.remove(asked, base=digest(b"two\nthree\n"))
    assert not (tmp_path / on_disk).exists()


def test_the_exact_name_comes_first(tmp_path: Path) -> None:
    forms: tuple[Form, Form] = ("NFC", "NFD")
    for form in forms:
        (tmp_path / unicodedata.normalize(form, "é.md")).write_bytes(form.encode())
    root = Root(tmp_path)
    for form in forms:
        assert root.read(unicodedata.normalize(form, "é.md")).data == form.encode()


def test_walk_lists_what_can_be_read_and_names_the_rest(vault: Path) -> None:
    (vault / "sub/.cloud.md.icloud").touch()
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/x.md").touch()
    (vault / "sub/back\\slash.md").touch()
    (vault / "new\nline.md").touch()
    with open(os.fsencode(vault) + b"/latin-\xe9.md", "wb"):
        pass
    (vault / ".a.md.0123456789abcdef.memdir-tmp").touch()
    listing = Root(vault).walk(nothing)
    assert [e.path for e in listing.entries] == ["ok.md", "sub/ok.md"]
    assert listing.placeholders == ["sub/cloud.md"]
    assert listing.links == ["dangling.md", "inside.md", "link.md", "sub/relative", "up"]
    assert listing.unreadable == ["latin-\\udce9.md", "new\nline.md", "sub/back\\slash.md"]
    assert listing.strays == [".a.md.0123456789abcdef.memdir-tmp"]


@pytest.mark.parametrize(
    "rel",
    [
        "~/a.md", "x:/a.md", "https:/a.md", "sub/~/a.md", "sub/x:/a.md", "~draft/a.md", "x:y/a.md",
        "sub/%7e/a.md", "%7e/a.md", "a%3a/b.md", "sub/a%3a/b.md", "100%/a.md", "%2e%2e/a.md",
        "a%2fb/c.md", "．．/a.md", "sub/．．/a.md", "‥/a.md", "／a.md", "sub/／a.md", "sub/A／B.md",
        "sub/\u2044a.md", "\u2215a.md", "a\u2215../b.md", "a\u200bb/c.md", "水泵/维修：记录.md", "é/e\u0301.md",
        "a\\b/c.md", "b\x85/c.md", "ab\u2028/c.md", "a" * 250 + ".md", "é" * 120 + ".md",
        "/".join(["deep" * 60] * 18), "/".join(["é" * 60] * 40), "😀" * 63, " /a.md", "a./b .md",
    ],
)  # fmt: skip
def test_walk_and_read_agree_on_every_path(tmp_path: Path, rel: str) -> None:
    """What a walk lists can be read; what cannot be read is named, whole or by a folder it is in."""
    here = os.open(tmp_path, os.O_RDONLY)
    *parents, name = rel.split("/")
    for part in parents:
        os.mkdir(part, dir_fd=here)
        there = os.open(part, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)
    root = Root(tmp_path)
    listing = root.walk(nothing)
    try:
        good = root.read(rel) is not None
    except MemdirError:
        good = False
    assert [e.path for e in listing.entries] == ([rel] if good else [])
    named = [path for path in listing.unreadable if f"{rel}/".startswith(f"{path}/")]
    assert len(named) == len(listing.unreadable) == (0 if good else 1)


def test_the_short_cut_of_a_walk_decides_as_check_path_does() -> None:
    """For every sign that some reader could take for a dot, a slash, a colon or the like."""
    every = map(chr, (*range(1, 0xD800), *range(0xE000, 0x110000)))
    telling = [sign for sign in every if set(unicodedata.normalize("NFKC", sign)) & set("./\\~:% ")]
    assert len(telling) > 50
    for sign in [*telling, *"\u2044\u2215\0\x1f\x7f\x85\u2028\u2029\udcff", "a" * 63, "\ud7a3" * 63, "水" * 43]:
        for name in (sign, sign * 2, f"a{sign}", f"{sign}a", f"a{sign}.", f"é{sign}..", f"a{sign}2f", f"水{sign}"):
            for path in (name, f"sub/{name}"):
                if name[0] != "." and "/" not in name:
                    assert readable(path, name) == allowed(path), path


def allowed(path: str) -> bool:
    try:
        return check_path(path) == path
    except Unsafe:
        return False


def test_walk_asks_before_it_complains(tmp_path: Path) -> None:
    (tmp_path / "~").mkdir()
    (tmp_path / "~/a.md").touch()
    assert Root(tmp_path).walk(nothing).unreadable == ["~"]
    assert Root(tmp_path).walk(lambda path, _: path == "~").unreadable == []


def test_walk_skips_what_it_is_told_to(vault: Path) -> None:
    asked: list[tuple[str, bool]] = []

    def skip(path: str, is_folder: bool) -> bool:
        asked.append((path, is_folder))
        return path == "sub"

    assert [e.path for e in Root(vault).walk(skip).entries] == ["ok.md"]
    assert ("sub", True) in asked
    assert ("sub/ok.md", False) not in asked


def test_walk_collects_an_unreadable_folder(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syscalls.open_folder

    def refuse(parent: Folder, name: str) -> Folder:
        if name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(parent, name)

    root = Root(vault)
    monkeypatch.setattr(syscalls, "open_folder", refuse)
    listing = root.walk(nothing)
    assert listing.unreadable == ["sub"]
    assert [e.path for e in listing.entries] == ["ok.md"]


def test_walk_notices_a_vault_that_went_away(vault: Path) -> None:
    root = Root(vault)
    vault.rename(vault.parent / "elsewhere")
    with pytest.raises(NotFound):
        root.walk(nothing)
    vault.mkdir()
    (vault / "other.md").touch()
    assert [e.path for e in root.walk(nothing).entries] == ["other.md"]


def test_create_write_history_round(tmp_path: Path) -> None:
    root = Root(tmp_path)
    one = root.write("memory/user/n.md", b"one\n", base=None)
    two = root.write("memory/user/n.md", b"two\n", base=one.digest)
    root.write("memory/user/n.md", b"three\n", base=two.digest)
    assert root.read("memory/user/n.md").data == b"three\n"
    versions = root.history("memory/user/n.md")
    assert [root.version(v.digest) for v in versions] == [b"two\n", b"one\n"]
    assert [(v.size, v.by) for v in versions] == [(4, "memdir")] * 2
    assert root.history("memory/user/other.md") == []
    with pytest.raises(NotFound):
        root.version(digest(b"never\n"))
    with pytest.raises(NotFound):
        root.version("../../secret.md")


@pytest.mark.parametrize("passed", [1, 0], ids=["a second apart", "in one millisecond"])
def test_history_outlives_the_journal(tmp_path: Path, passed: int) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    texts = [b"text %d\n" % n for n in range(4)]
    root.write("n.md", texts[0], base=None)
    for old, new in itertools.pairwise(texts):
        now[0] += passed
        root.write("n.md", new, base=digest(old))
    before = root.history("n.md")
    assert root.history("n.md", digest(texts[1])) == before[1:2]
    assert root.history("n.md", digest(texts[3])) == []
    assert root.history("n.md", digest(texts[1])[:8]) == [], "the whole digest names a text"
    now[0] += 3
    assert root.recover() == []
    assert not (tmp_path / ".memdir/journal.jsonl").exists()
    assert root.history("n.md") == before
    assert [root.version(v.digest) for v in before] == texts[2::-1]
    assert root.history("n.md", digest(texts[1])) == before[1:2]


def test_the_same_text_costs_no_version(tmp_path: Path) -> None:
    root = Root(tmp_path)
    one = root.write("n.md", b"one\n", base=None)
    inode = os.stat(tmp_path / "n.md").st_ino
    assert root.write("n.md", b"one\n", base=one.digest) == one
    assert os.stat(tmp_path / "n.md").st_ino == inode
    assert root.history("n.md") == []


def test_create_refuses_an_existing_file(vault: Path) -> None:
    with pytest.raises(Conflict, match="exists") as conflict:
        Root(vault).write("ok.md", b"x\n", base=None)
    assert (conflict.value.path, conflict.value.current) == ("ok.md", digest(b"ok\n"))
    with pytest.raises(Conflict):
        Root(vault).write("sub", b"x\n", base=None)


def test_write_refuses_another_text(vault: Path) -> None:
    root = Root(vault, settle=0)
    seen = root.read("ok.md")
    with open(vault / "ok.md", "ab") as person:
        person.write(b"human line\n")
    with pytest.raises(Conflict, match="changed") as conflict:
        root.write("ok.md", b"ours\n", base=seen.digest)
    assert conflict.value.current == digest(b"ok\nhuman line\n") == root.read("ok.md").digest
    with pytest.raises(Conflict):
        root.remove("ok.md", base=seen.digest)
    root.append("ok.md", b"- appended\n")
    assert (vault / "ok.md").read_bytes() == b"ok\nhuman line\n- appended\n"


@pytest.mark.parametrize("rel", ["none.md", "none/none.md"])
def test_write_to_a_deleted_note_is_a_conflict(vault: Path, rel: str) -> None:
    with pytest.raises(Conflict, match="gone") as conflict:
        Root(vault).write(rel, b"x\n", base=digest(b"x"))
    assert conflict.value.current is None
    with pytest.raises(Conflict, match="gone"):
        Root(vault).remove(rel, base=digest(b"x"))
    assert not (vault / "none").exists()


def test_a_note_does_not_lose_half_of_itself_by_accident(tmp_path: Path) -> None:
    text = b"a line of text\n" * 100
    (tmp_path / "n.md").write_bytes(text)
    root = Root(tmp_path, settle=0)
    with pytest.raises(Conflict, match="shrink from 1500 to 600"):
        root.write("n.md", text[:600], base=digest(text))
    assert root.read("n.md").data == text
    root.write("n.md", text[:600], base=digest(text), shrink_ok=True)
    root.write("n.md", b"small\n", base=digest(text[:600]))


def test_what_memdir_wrote_itself_needs_no_settling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "n.md").write_bytes(b"a person's\n")
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    one = Root(tmp_path, settle=0.2).write("n.md", b"one\n", base=digest(b"a person's\n"))
    assert len(naps) == 1
    assert 0 < naps[0] <= 0.2
    Root(tmp_path, settle=0.2).write("n.md", b"two\n", base=one.digest)
    assert len(naps) == 1


def test_a_file_that_never_settles_is_a_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "n.md"
    note.write_bytes(b"text\n")
    monkeypatch.setattr(time, "sleep", lambda _s: os.utime(note))
    with pytest.raises(Conflict, match="being written"):
        Root(tmp_path, settle=60).write("n.md", b"x\n", base=digest(b"text\n"))


def test_hard_links_are_read_but_not_written(vault: Path) -> None:
    os.link(vault.parent / "secret.md", vault / "hard.md")
    root = Root(vault, settle=0)
    assert root.read("hard.md").stat.nlink == 2
    for attempt in (
        lambda: root.write("hard.md", b"x\n", base=digest(SECRET)),
        lambda: root.append("hard.md", b"x\n"),
        lambda: root.remove("hard.md", base=digest(SECRET)),
    ):
        with pytest.raises(Unsafe, match="hard link"):
            attempt()
    assert (vault.parent / "secret.md").read_bytes() == SECRET


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_what_memdir_makes_is_private(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "vault"
    path.mkdir(mode=0o755)
    old = os.umask(mask)
    try:
        root = Root(path, settle=0, clock=lambda: time.time() + 9)
        one = root.write("memory/user/n.md", b"one\n", base=None)
        root.write("memory/user/n.md", b"two\n", base=one.digest)
        root.append("memory/logs/2026/11/d.md", b"- x\n")
        late = Root(path, clock=lambda: time.time() + 99)
        late.recover()
    finally:
        os.umask(old)
    for found in path.rglob("*"):
        wanted = 0o700 if found.is_dir() else 0o600
        assert stat.S_IMODE(found.stat().st_mode) == wanted, found
    assert (path / ".memdir/.gitignore").read_bytes() == b"*\n"


def test_mode_and_attributes_of_a_note_are_kept(tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_bytes(b"one\n")
    note.chmod(0o640)
    try:
        os.setxattr(note, "user.tag", b"red")
    except OSError:
        pytest.skip("no extended attributes here")
    Root(tmp_path, settle=0).write("n.md", b"two\n", base=digest(b"one\n"))
    assert stat.S_IMODE(note.stat().st_mode) == 0o640
    assert os.getxattr(note, "user.tag") == b"red"


def test_reading_makes_nothing(vault: Path) -> None:
    root = Root(vault)
    root.read("ok.md")
    root.walk(nothing)
    assert root.history("ok.md") == []
    assert root.recover() == []
    assert not (vault / ".memdir").exists()


def test_a_linked_state_folder_is_refused(vault: Path) -> None:
    os.symlink(vault.parent, vault / ".memdir")
    before = outside(vault)
    with pytest.raises(BadData, match="cannot lock"):
        Root(vault, settle=0).write("ok.md", b"x\n", base=digest(b"ok\n"))
    assert outside(vault) == before


def test_append_begins_with_the_header_once(tmp_path: Path) -> None:
    root = Root(tmp_path)
    first = root.append("memory/logs/d.md", b"- one\n", header=b"# day\n")
    second = root.append("memory/logs/d.md", b"- two\n", header=b"# day\n")
    assert (tmp_path / "memory/logs/d.md").read_bytes() == b"# day\n- one\n- two\n"
    assert (first.digest, second.digest) == (digest(b"# day\n- one\n"), digest(b"# day\n- one\n- two\n"))


@pytest.mark.parametrize(
    ("torn", "healed"),
    [
        (b"", b"# day\n- x\n"),
        (b"# d", b"# day\n- x\n"),
        (b"# day\n- to", b"# day\n- to\n- x\n"),
        (b"text", b"text\n- x\n"),
        (b"text\r\n", b"text\r\n- x\n"),
    ],
)
def test_append_heals_a_torn_tail(tmp_path: Path, torn: bytes, healed: bytes) -> None:
    (tmp_path / "d.md").write_bytes(torn)
    Root(tmp_path).append("d.md", b"- x\n", header=b"# day\n")
    assert (tmp_path / "d.md").read_bytes() == healed


def test_append_creates_only_good_names(tmp_path: Path) -> None:
    with pytest.raises(Unsafe):
        Root(tmp_path).append("con.md", b"- x\n")
    with pytest.raises(Unsafe):
        Root(tmp_path).append(".memdir/journal.jsonl", b"{}\n")


def test_make_folder_makes_what_is_missing(tmp_path: Path) -> None:
    root = Root(tmp_path)
    assert root.make_folder("memory/logs", dry_run=True)
    assert os.listdir(tmp_path) == []
    assert root.make_folder("memory/logs")
    assert not root.make_folder("memory/logs")
    assert not root.make_folder("memory")
    assert stat.S_IMODE((tmp_path / "memory/logs").stat().st_mode) == 0o700


@pytest.mark.parametrize("dry_run", [False, True])
def test_make_folder_follows_no_link_and_replaces_no_file(vault: Path, dry_run: bool) -> None:
    (vault / "memory").symlink_to("../vault2")
    (vault / "gone").symlink_to("../nowhere")
    before, folders, root = outside(vault), sorted(vault.parent.iterdir()), Root(vault)
    for rel in ("memory", "memory/user", "gone", "gone/x", "up/new", "sub/relative/new", *DOTS, ".git", "con", "a:b"):
        with pytest.raises(Unsafe):
            root.make_folder(rel, dry_run=dry_run)
    for rel in ("ok.md", "ok.md/x", "fifo.md"):
        with pytest.raises(Conflict, match="a file stands"):
            root.make_folder(rel, dry_run=dry_run)
    assert (outside(vault), sorted(vault.parent.iterdir())) == (before, folders)
    assert os.listdir(vault.parent / "vault2") == ["s.md"]


def test_remove_keeps_the_text(tmp_path: Path) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    one = root.write("n.md", b"one\n", base=None)
    root.remove("n.md", base=one.digest)
    assert not (tmp_path / "n.md").exists()
    assert root.version(one.digest) == b"one\n"
    now[0] += 3
    assert root.recover() == []
    assert root.version(root.history("n.md")[0].digest) == b"one\n"
    root.write("n.md", root.version(one.digest), base=None)


def test_the_lock_is_reentrant_and_excludes_other_threads(tmp_path: Path) -> None:
    root = Root(tmp_path, settle=0)
    refused: list[bool] = []

    def other() -> None:
        try:
            with root.lock(timeout=0.01):
                refused.append(False)
        except Locked:
            refused.append(True)

    with root.lock(), root.lock():
        root.write("n.md", b"x\n", base=None)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert refused == [True]
    with Root(tmp_path).lock(timeout=None):
        pass


def test_writes_wait_for_the_lock_as_long_as_the_root_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured in what is asked for, not in seconds: `_wait` is spied upon."""
    asked: list[float | None] = []
    real = Root._wait

    def spy(done: Callable[[], bool], timeout: float | None, message: str) -> None:
        asked.append(timeout)
        real(done, timeout, message)

    monkeypatch.setattr(Root, "_wait", staticmethod(spy))
    root = Root(tmp_path, settle=0, wait=0.25)
    root.write("n.md", b"x\n", base=None)
    root.append("n.md", b"y\n")
    with root.lock():
        pass
    with root.lock(timeout=3):
        pass
    with root.lock(timeout=None):
        pass
    assert asked == [0.25, 0.25, 0.25, 3, None]
    busy = Root(tmp_path, settle=0, wait=0.0)
    with root.lock(), pytest.raises(Locked, match="another memdir"):
        busy.write("m.md", b"x\n", base=None)
    assert not (tmp_path / "m.md").exists()


def test_old_history_is_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    root.write("n.md", b"0\n", base=None)
    for n in range(3):
        root.write("n.md", b"%d\n" % (n + 1), base=digest(b"%d\n" % n))
        now[0] += 40 * DAY
        root.recover()
    assert [v.digest for v in root.history("n.md")] == [digest(b"2\n"), digest(b"1\n")]
    with pytest.raises(NotFound):
        root.version(digest(b"0\n"))
    monkeypatch.setattr("memdir.vault.disk.history.KEEP_BYTES", 3)
    root.write("n.md", b"4\n", base=digest(b"3\n"))
    now[0] += 2 * DAY
    root.recover()
    assert [v.digest for v in root.history("n.md")] == [digest(b"3\n")]
    assert root.version(digest(b"3\n")) == b"3\n"


def test_a_stray_temporary_file_is_shown_or_dropped(tmp_path: Path) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    root.write("memory/n.md", b"one\n", base=None)
    root.write("memory/n.md", b"two\n", base=digest(b"one\n"))
    for key, text in (("a", b""), ("b", b"one\n"), ("c", b"two\n"), ("d", b"nobody knows this\n")):
        (tmp_path / f"memory/.n.md.{key * 16}.memdir-tmp").write_bytes(text)
    root.walk(nothing)
    (problem,) = root.recover()
    assert problem.path == "memory/n.md"
    (copy,) = (tmp_path / "memory").glob("*.conflict-*")
    assert copy.read_bytes() == b"nobody knows this\n"
    assert not list((tmp_path / "memory").glob("*.memdir-tmp"))
    assert root.read("memory/n.md").data == b"two\n"


def test_a_planted_journal_moves_nothing_outside(vault: Path) -> None:
    (vault / ".memdir/pending").mkdir(parents=True)
    (vault / ".memdir/pending/0123456789abcdef").write_bytes(b"planted\n")
    line = '{"id":"%s","ts":1,"path":"%s","base":"%s","new":"%s","size":1,"by":"x"}\n'
    good = ("0123456789abcdef", digest(b"a"), digest(b"b"))
    lines = [line % (good[0], path, *good[1:]) for path in ("../secret.md", "up/secret.md", "/etc/x", ".git/config")]
    lines += [line % ("../../../secret.md", "ok.md", *good[1:]), line % (good[0], "ok.md", "../x", "../y")]
    lines += ["[]\n", "{}\n", '{"id":1,"ts":"x","path":3,"base":4,"new":5,"size":6,"by":7}\n', "\xff\n"]
    (vault / ".memdir/journal.jsonl").write_bytes("".join(lines).encode("latin-1"))
    before = outside(vault)
    Root(vault, settle=0).recover()
    assert outside(vault) == before
    assert (vault / "ok.md").read_bytes() == b"ok\n"


ODD = ["1e300", "-1", "NaN", "Infinity", "true", '"abc"', "null", "[]", "9" * 5000, "4e9", '"\\ud800"']


@pytest.mark.parametrize("key", ["id", "ts", "path", "base", "new", "size", "by"])
@pytest.mark.parametrize("odd", ODD)
def test_a_planted_journal_never_raises(vault: Path, key: str, odd: str) -> None:
    record = {
        "id": '"0123456789abcdef"', "ts": "1", "path": '"ok.md"', "base": f'"{digest(b"a")}"',
        "new": f'"{digest(b"b")}"', "size": "1", "by": '"x"',
    }  # fmt: skip
    (vault / ".memdir/pending").mkdir(parents=True)
    (vault / ".memdir/pending/0123456789abcdef").write_bytes(b"planted\n")
    line = ", ".join(f'"{name}": {value}' for name, value in (record | {key: odd}).items())
    (vault / ".memdir/journal.jsonl").write_text("{" + line + "}\n" + "[" * 100_000 + "\n", "utf-8")
    before, root = outside(vault), Root(vault, settle=0)
    root.history("ok.md")
    root.recover()
    seen = root.read("ok.md")
    root.write("ok.md", b"mine\n", base=seen.digest)
    assert seen.digest in {version.digest for version in root.history("ok.md")}
    assert outside(vault) == before


@pytest.mark.parametrize("key", ["ts", "path", "digest", "size", "by"])
@pytest.mark.parametrize("odd", [*ODD, '"0001-01-01"', '"9999-12-31T23:59:59Z"', '"../x"'])
def test_a_planted_list_of_versions_never_raises(tmp_path: Path, key: str, odd: str) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    one = root.write("n.md", b"one\n", base=None)
    root.write("n.md", b"two\n", base=one.digest)
    now[0] += 3
    assert root.recover() == []
    (good,) = root.history("n.md")
    record = {
        "ts": '"2026-01-01T00:00:00.000Z"', "path": '"n.md"', "digest": f'"{digest(b"x")}"', "size": "2", "by": '"x"'
    }  # fmt: skip
    line = ", ".join(f'"{name}": {value}' for name, value in (record | {key: odd}).items())
    index = tmp_path / ".memdir/history/index.jsonl"
    index.write_text("{" + line + "}\n" + "[" * 100_000 + "\n{}\n1\n" + index.read_text("utf-8"), "utf-8")
    (tmp_path / ".memdir/history/pruned").unlink()
    others = [version for version in root.history("n.md") if version != good]
    assert [(version.size, version.path) for version in others] in ([], [(2, "n.md")])
    root.write("n.md", b"three\n", base=digest(b"two\n"))
    now[0] += 3
    assert root.recover() == []
    assert good in root.history("n.md")
    assert root.version(one.digest) == b"one\n"
    assert (tmp_path / ".memdir/history/pruned").exists()


def test_a_displaced_text_without_a_journal_becomes_a_version(tmp_path: Path) -> None:
    now = [time.time()]
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    one = root.write("n.md", b"one\n", base=None)
    root.write("n.md", b"two\n", base=one.digest)
    (tmp_path / ".memdir/journal.jsonl").write_bytes(b'{"id":"torn')
    (told,) = root.recover()
    assert told.message.endswith(f"/{one.digest}")
    assert root.version(one.digest) == b"one\n"
    assert os.listdir(tmp_path / ".memdir/pending") == []


def test_recover_on_a_disk_that_refuses_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root(tmp_path, settle=0, clock=lambda: time.time() + 10)
    one = root.write("n.md", b"one\n", base=None)
    root.write("n.md", b"two\n", base=one.digest)
    monkeypatch.setattr(root, "_clock", lambda: time.time() + 99)

    def refuse(*_args: object) -> int:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(syscalls.sys_calls, "open", refuse, raising=False)
        (problem,) = root.recover()
    assert "Read-only" in problem.message
    assert root.recover() == []
    assert root.version(one.digest) == b"one\n"


def test_another_device_for_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where .memdir/ is mounted elsewhere, displaced texts are copied."""
    root = Root(tmp_path, settle=0)
    one = root.write("n.md", b"one\n", base=None)
    real = syscalls.sys_calls.rename

    def rename(folder: Folder, name: str, target: Folder, new: str) -> None:
        if (".memdir" in folder.path) != (".memdir" in target.path):
            raise OSError(18, "Invalid cross-device link")
        real(folder, name, target, new)

    monkeypatch.setattr(syscalls.sys_calls, "rename", rename, raising=False)
    root.write("n.md", b"two\n", base=one.digest)
    assert root.version(one.digest) == b"one\n"
    assert sorted(os.listdir(tmp_path)) == [".memdir", "n.md"]


def test_a_very_deep_folder_is_named_not_entered(tmp_path: Path) -> None:
    deep = "x/" * 150
    (tmp_path / deep).mkdir(parents=True)
    (tmp_path / "n.md").touch()
    listing = Root(tmp_path).walk(nothing)
    assert [e.path for e in listing.entries] == ["n.md"]
    assert listing.unreadable == ["/".join(["x"] * 101)]


def test_a_moved_folder_loses_no_displaced_text(tmp_path: Path) -> None:
    now = [time.time()]
    (tmp_path / "a").mkdir()
    (tmp_path / "a/n.md").write_bytes(b"one\n")
    root = Root(tmp_path, settle=0, clock=lambda: now[0])
    with open(tmp_path / "a/n.md", "ab") as editor:
        root.write("a/n.md", b"two\n", base=digest(b"one\n"))
        editor.write(b"late\n")
    (tmp_path / "a").rename(tmp_path / "b")
    now[0] += 3
    root.recover()
    texts = [p.read_bytes() for p in tmp_path.rglob("*.md")]
    assert sorted(texts) == [b"one\nlate\n", b"two\n"]


def test_an_append_to_the_ledger_does_not_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger is a month long, and each command writes to it several times."""
    held = ledger.Ledger(Root(tmp_path), True, "here")
    held.append([ledger.Event("used")], datetime(2026, 11, 29, tzinfo=UTC))
    with monkeypatch.context() as patch:
        patch.setattr(files, "read_fd", pytest.fail)
        held.append([ledger.Event("used")], datetime(2026, 11, 30, tzinfo=UTC))
    assert len(held.events()) == 2


@pytest.mark.parametrize("kind", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_never_written_to(tmp_path: Path, kind: str) -> None:
    """Lines of UTF-8 in it would make all of it unreadable."""
    data = "\ufeffhello wörld\r\nsecond line\r\n".encode(kind)
    (tmp_path / "a.md").write_bytes(data)
    root = Root(tmp_path, settle=0)
    with pytest.raises(BadData, match=r"a\.md: is UTF-16"):
        root.write("a.md", data + b"more", base=root.read("a.md").digest)
    with pytest.raises(BadData, match="save it as UTF-8"):
        root.append("a.md", b"more\n")
    assert (tmp_path / "a.md").read_bytes() == data
    assert note.parse("a.md", data).problems[0].message.startswith("UTF-16")
