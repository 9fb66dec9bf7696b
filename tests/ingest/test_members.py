"""Archives that must not be opened, and ones that lie: refused by name, size or what comes out of them."""

import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from driver import PEAK
from memdir.errors import BadData, NotFound
from memdir.ingest import members

MIB = 1 << 20


def _zip(path: Path, *entries: tuple[str, bytes], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            held = zipfile.ZipInfo(name)
            held.compress_type = zipfile.ZIP_DEFLATED
            held.external_attr = mode << 16
            archive.writestr(held, data)
    return path


def _many(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")
    return path


def _lying(path: Path) -> Path:
    """The directory says 10 bytes, 40 MiB come out."""
    _zip(path, ("a.json", b"\0" * (40 * MIB)))
    data = bytearray(path.read_bytes())
    entry = data.rfind(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<L", 10)
    data[26 - 4 : 26] = struct.pack("<L", 10)
    path.write_bytes(data)
    return path


def _under_password(path: Path) -> Path:
    _zip(path, ("a.json", b"[]"))
    data = bytearray(path.read_bytes())
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    return path


def _twice(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", b"[]")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.json", b"[1]")
    return path


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "up": (lambda path: _zip(path, ("../evil.md", b"x")), "leads out"),
    "up by backslash": (lambda path: _zip(path, ("a\\..\\..\\evil.md", b"x")), "leads out"),
    "absolute": (lambda path: _zip(path, ("/etc/evil", b"x")), "leads out"),
    "drive": (lambda path: _zip(path, ("C:/evil", b"x")), "leads out"),
    "link": (lambda path: _zip(path, ("a", b"/etc/passwd"), mode=0o120777), "link"),
    "bomb": (lambda path: _zip(path, ("a", b"\0" * (30 * MIB))), "times its size"),
    "many": (_many, "members"),
    "twice": (_twice, "twice"),
    "password": (_under_password, "password"),
    "cut": (lambda path: path.write_bytes(_zip(path, ("a", b"x" * 999)).read_bytes()[:60]) and path, "cut short"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_is_refused_before_anything_is_read(name: str, tmp_path: Path) -> None:
    make, why = REFUSED[name]
    with pytest.raises(BadData, match=why):
        members.opened(make(tmp_path / "a.zip"))
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_sizes_that_lie_are_counted_as_they_come(tmp_path: Path) -> None:
    source = members.opened(_lying(tmp_path / "a.zip"))
    with members.read(source, "a.json") as stream, pytest.raises(BadData):
        all(iter(lambda: stream.read(MIB), b""))


def test_what_is_opened_is_counted_and_what_is_not_may_be_large(tmp_path: Path) -> None:
    """An export with hundreds of pictures is read for the sake of its one JSON file."""
    noise = bytes(range(256)) * 2048
    path = _zip(tmp_path / "a.zip", *((f"{n}.json", noise) for n in range(4)))
    source = members.opened(path, members.Limits(total=MIB))
    assert source.names == [f"{n}.json" for n in range(4)]
    for name in source.names[:2]:
        with members.read(source, name) as stream:
            assert stream.read() == noise
    with members.read(source, "2.json") as stream, pytest.raises(BadData, match=r"import\.archive_mb"):
        stream.read()
    small = members.opened(path, members.Limits(member=MIB // 4))
    with pytest.raises(BadData, match=r"import\.member_mb"):
        small.open("0.json")


def test_a_nested_archive_is_bytes_and_nothing_else(tmp_path: Path) -> None:
    inner = _zip(tmp_path / "inner.zip", ("a.json", b"[]")).read_bytes()
    source = members.opened(_zip(tmp_path / "a.zip", ("inner.zip", inner)))
    with members.read(source, "inner.zip") as stream:
        assert stream.read() == inner
    assert source.path("inner.zip") is None


def test_an_archive_in_a_folder_is_opened_and_one_in_an_archive_is_not(tmp_path: Path) -> None:
    _zip(tmp_path / "inner.zip", ("a.json", b"[]"))
    assert members.opened(tmp_path).within("inner.zip").names == ["a.json"]
    outer = _zip(tmp_path / "outer.zip", ("inner.zip", (tmp_path / "inner.zip").read_bytes()))
    with pytest.raises(BadData, match="archive inside an archive"):
        members.opened(outer).within("inner.zip")
    _zip(tmp_path / "evil.zip", ("../a.json", b"[]"))
    with pytest.raises(BadData, match="leads out"):
        members.opened(tmp_path).within("evil.zip")
    (tmp_path / "no.zip").write_text("text", "utf-8")
    with pytest.raises(BadData):
        members.opened(tmp_path).within("no.zip")


def test_a_second_reading_is_no_second_size(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 2048
    source = members.opened(_zip(tmp_path / "a.zip", ("a.json", noise)), members.Limits(total=len(noise)))
    for _ in range(3):
        with members.read(source, "a.json") as stream:
            assert stream.read() == noise


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "export"
    root.mkdir()
    (root / "a.json").write_text("[]", "utf-8")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.json").write_text("[]", "utf-8")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "c.json").symlink_to(tmp_path / "secret" / "b.json")
    assert members.opened(root).names == ["a.json"]
    with pytest.raises(NotFound):
        members.opened(tmp_path / "nowhere")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the peak")
def test_a_hundred_thousand_members_cost_no_memory(tmp_path: Path) -> None:
    """What a process of its own holds stays under 150 MB while it refuses the archive."""
    path = _many(tmp_path / "a.zip")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
        "from memdir.errors import BadData\nfrom memdir.ingest import members\n"
        "try:\n    members.opened(Path(sys.argv[2]))\nexcept BadData:\n"
        f"    print({PEAK})"
    )
    scripts = str(Path(members.__file__).parents[2])
    ran = subprocess.run([sys.executable, "-c", code, scripts, str(path)], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 150_000
