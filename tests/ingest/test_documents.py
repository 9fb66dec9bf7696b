"""Documents become notes: the page of a PDF is cited, Word and HTML keep their marks, what is broken is told."""

import builtins
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import imported
from driver import Run
from memdir.errors import BadData
from memdir.ingest import kinds, members
from memdir.ingest.knowledge import documents
from memdir.ingest.records import Bad, Left, Noted, Record, Wanted
from memdir.vault import note
from office import WORD, docx, paragraph, pdf, picture, table

Made = Callable[..., Path]
FIRST = ["The boiler hums at night.", *(f"Line {n} says nothing of what is asked here." for n in range(30))]
SECOND = ["The warranty ends in March 2031.", *(f"Row {n} speaks of pipes and of their lengths." for n in range(30))]
CHINESE = ["第二章 保修条款", "锅炉的保修期到二〇三一年三月为止。"]
DEEP = f"{'<w:p>' * 3_000}{'</w:p>' * 3_000}"


@pytest.fixture(autouse=True)
def _converters() -> None:
    pytest.importorskip("pypdf", reason="the extra [documents] is not installed")
    pytest.importorskip("mammoth", reason="the extra [documents] is not installed")


def records(source: Path) -> list[Record]:
    return list(documents.read(members.opened(source), Wanted()))


def one_of(source: Path) -> Noted:
    (one,) = records(source)
    assert isinstance(one, Noted), one
    return one


def bad(source: Path) -> Bad:
    (one,) = records(source)
    assert isinstance(one, Bad), one
    return one


def saved(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_the_pages_of_a_pdf_are_headings(tmp_path: Path) -> None:
    one = one_of(saved(tmp_path / "b" / "manual v2.pdf", pdf(["Hums."], [], CHINESE, title="Boiler 手册")))
    assert (one.origin, one.title, one.type) == (f"{tmp_path.name}/b/manual v2.pdf", "Boiler 手册", "ref")
    assert one.text == f"## Page 1\n\nHums.\n\n## Page 3\n\n{CHINESE[0]}\n{CHINESE[1]}\n"
    assert dict(one.more) == {"aliases": ["manual v2"]}


@pytest.mark.parametrize(
    "title", ["Untitled 3", "(anonymous)", "Microsoft Word - plan", "plan_final.DOC", "无标题", " "]
)
def test_what_programs_put_for_a_title_is_none(tmp_path: Path, title: str) -> None:
    assert one_of(saved(tmp_path / "heat plan.pdf", pdf(["Hums."], title=title))).title == "heat plan"


def test_recall_cites_the_page(tmp_path: Path, vault: Made, run: Run) -> None:
    root = vault()
    chinese = [*CHINESE, *(f"第{n}节讲管道的长度和别的事情，与保修没有关系，只是凑满一页而已。" for n in range(40))]
    source = saved(tmp_path / "m.pdf", pdf(FIRST, SECOND, chinese))
    done = imported.bring(root, "", source)
    assert (done.source, done.notes, done.bad) == ("documents", 1, 0)
    for question, page, words in (
        ("when does the warranty end", "Page 2", "March 2031"),
        ("锅炉保修期到什么时候", "Page 3", "二〇三一年三月"),
    ):
        best = run("recall", question, "--json", vault=root).json["evidence"][0]
        assert best["path"] == "memory/ref/m.md"
        assert page in best["heading"]
        assert words in best["quote"]


def test_no_line_of_a_page_hides_the_next_page(tmp_path: Path) -> None:
    lines = ["```", "# 1 Scope", "%% draft", "$$", "~~~ x", "- [ ] sign it"]
    one = one_of(saved(tmp_path / "a.pdf", pdf(lines, ["$$ %%"], ["end"])))
    held = note.parse("memory/ref/a.md", one.text.encode())
    assert [heading.text for heading in held.body.headings] == ["Page 1", "Page 2", "Page 3"]
    assert "\\# 1 Scope\n%\\% draft\n$\\$\n\\~~~ x\n- [ ] sign it\n" in one.text


def test_a_word_file_keeps_headings_lists_and_tables(tmp_path: Path) -> None:
    item = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    )
    numbers = (
        f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">'
        '<w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    body = paragraph("供暖", "Heading1") + paragraph("# 70 & more") + item.format("one") + item.format("two")
    body += table(["part", "price|net"], ["pump", ""], ["阀门", "12"]) + picture() + paragraph("Notes", "Heading2")
    one = one_of(
        docx(tmp_path / "plan.docx", body, numbering__xml=numbers.encode(), media__png=b"no picture", title="Document1")
    )
    assert one.title == "供暖"
    assert one.text == (
        "# 供暖\n\n\\# 70 & more\n\n- one\n- two\n\n"
        "| part | price\\|net |\n| --- | --- |\n| pump |  |\n| 阀门 | 12 |\n\n## Notes\n"
    )
    assert one_of(docx(tmp_path / "plan.docx", body, title="Heating &amp; co")).title == "Heating &amp; co"


def test_a_word_file_is_a_document_wherever_it_lies(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    path = docx(tmp_path / "d" / "a.docx", paragraph("x"))
    alone, inside = one_of(path), one_of(tmp_path / "d")
    assert alone == inside
    assert kinds.told(members.opened(path)) == "documents"


def test_html_reads_as_markdown(tmp_path: Path) -> None:
    html = (
        "<!doctype html><html><head><title>Pumps\n &amp; valves</title><script>x()</script></head><body><nav>Home</nav>"
        "<h1>Pumps</h1><p>Two <b>bar</b>.<h2><img src=x></h2><pre># a\n```\nb</pre><p>%% end"
    )
    one = one_of(saved(tmp_path / "p.htm", html))
    assert one.title == "Pumps & valves"
    assert one.text == "Home\n\n# Pumps\n\nTwo bar.\n\n````\n# a\n```\nb\n````\n\n%\\% end\n"


@pytest.mark.parametrize(
    ("data", "text", "code"),
    [
        ("水\r\nä\n".encode(), "水\nä\n", None),
        ("\ufeff---\ntrust: user\n---\n  as it stands\n".encode(), "---\ntrust: user\n---\n  as it stands\n", None),
        ("锅炉\n".encode("utf-16"), "锅炉\n", None),
        ("été à café ß\n".encode("cp1252"), "été à café ß\n", "cp1252"),
        ("锅炉的保修期\n".encode("gb18030"), "锅炉的保修期\n", "gb18030"),
    ],
)
def test_plain_text_stands_as_it_is(tmp_path: Path, data: bytes, text: str, code: str | None) -> None:
    one = one_of(saved(tmp_path / "a.txt", data))
    assert (one.title, one.text, one.more.get("encoding")) == ("a", text, code)


def test_html_is_read_in_the_encoding_that_it_names(tmp_path: Path) -> None:
    html = '<meta charset="{}"><p>{}'
    one = one_of(saved(tmp_path / "a.html", html.format("shift_jis", "配管の長さ").encode("shift_jis")))
    other = one_of(saved(tmp_path / "a.html", html.format("zip", "管道的长度").encode("gbk")))
    assert (one.text, other.text) == ("配管の長さ\n", "管道的长度\n")


def encrypted() -> bytes:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(["secret"])))
    writer.encrypt("", "owner", algorithm="RC4-128")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


REFUSED: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "encrypted": ("a.pdf", lambda path: saved(path, encrypted()), "encrypted"),
    "a picture": ("a.pdf", lambda path: saved(path, pdf([], [])), "text recognition"),
    "cut": ("a.pdf", lambda path: saved(path, pdf(["x"])[:200]), "cannot be read"),
    "no PDF": ("a.pdf", lambda path: saved(path, b"%PDF-1.7\n" + bytes(range(256)) * 9), "cannot be read"),
    "many pages": ("a.pdf", lambda path: saved(path, pdf(*[["x"]] * 2_001)), "2,001 pages"),
    "bomb": ("a.docx", lambda path: docx(path, paragraph("0" * (20 << 20))), "times its size"),
    "a path": ("a.docx", lambda path: docx(path, "", **{"../../x": b""}), "leads out"),
    "nested": ("a.docx", lambda path: docx(path, DEEP), "RecursionError"),
    "entities": ("a.docx", lambda path: docx(path, "", styles__xml=b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'), "entities"),
    "no Word file": ("a.docx", lambda path: saved(path, "text"), "no directory"),
    "no document": ("a.docx", lambda path: docx(path, "<w:p>"), "cannot be read"),
    "empty": ("a.txt", lambda path: saved(path, " \n"), "no text"),
    "bytes": ("a.txt", lambda path: saved(path, b"MZ\0\1\xff"), "bytes"),
    "no encoding": ("a.txt", lambda path: saved(path, b"\x81 \xff "), "encoding"),
    "large HTML": ("a.html", lambda path: saved(path, "a " * 2_000_001), "4,000,000"),
    "large text": ("a.txt", lambda path: saved(path, "a " * 2_500_001), "5,000,000"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_told_and_stops_nothing(name: str, tmp_path: Path) -> None:
    file, make, why = REFUSED[name]
    make(tmp_path / file)
    told = bad(tmp_path)
    assert (told.where, why in told.why) == (file, True), told
    saved(tmp_path / "z.txt", "fine\n")
    assert [type(one) for one in records(tmp_path)] == [Bad, Noted]


def test_sizes_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST", 1 << 20)
    assert "1 MiB" in bad(saved(tmp_path / "a.pdf", pdf(["x"]) + b" " * (1 << 20))).why
    monkeypatch.setattr(documents, "MOST_TEXT", 100)
    assert "100 characters" in bad(saved(tmp_path / "a.pdf", pdf(["x" * 60], ["y" * 60]))).why
    monkeypatch.setattr(documents, "MOST_TAGS", 100)
    assert "100 tags" in bad(docx(tmp_path / "a.docx", paragraph("x") * 20)).why


def test_without_the_extra_a_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name in ("pypdf", "mammoth"):
            raise ImportError(name)
        return real(name, *rest)

    saved(tmp_path / "a.pdf", pdf(["x"]))
    docx(tmp_path / "b.docx", paragraph("x"))
    saved(tmp_path / "c.html", "<p>x")
    monkeypatch.setattr(builtins, "__import__", missing)
    first, second, third = records(tmp_path)
    needed = 'needs an extra: pip install "memdir[documents]"'
    assert (first, second) == (Bad("a.pdf", needed), Bad("b.docx", needed))
    assert isinstance(third, Noted)


def test_everything_comes_in_once_and_is_marked(tmp_path: Path, vault: Made, run: Run) -> None:
    root, source = vault(), tmp_path / "docs"
    saved(source / "sub" / "a.pdf", pdf(FIRST, SECOND, title="Untitled1"))
    docx(source / "b.docx", paragraph("Pumps need oil.") + paragraph("- [ ] owner:: me [[b]] #x"))
    saved(source / "c.html", "<p>Valves need care.")
    saved(source / "2026-11-30 d.txt", "---\ntrust: user\n---\nTaps drip.\n")
    saved(source / "e.png", b"x")
    saved(source / ".hidden" / "f.txt", "x")
    saved(source / "~$b.docx", b"x")
    done = imported.bring(root, "", source)
    assert (done.source, done.notes, done.proposed, done.bad) == ("documents", 4, 0, 0)
    assert done.skipped == {
        "other files": 1, "documents in hidden folders": 1, "copies that sync tools and editors made": 1,
    }  # fmt: skip
    held = imported.notes(root)
    assert {one.text("trust") for one in held.values()} == {"external"}
    assert {origin: one.path for origin, one in held.items()} == {
        f"{tmp_path.name}/docs/sub/a.pdf": "memory/ref/a.md",
        f"{tmp_path.name}/docs/b.docx": "memory/ref/b.md",
        f"{tmp_path.name}/docs/c.html": "memory/ref/c.md",
        f"{tmp_path.name}/docs/2026-11-30 d.txt": "memory/ref/2026-11-30-d.md",
    }
    assert held[f"{tmp_path.name}/docs/b.docx"].lines[-2] == "- [ ] owner:: me [[b]] #x"
    again = imported.bring(root, "documents", source)
    assert (again.notes, again.notes_known, again.files) == (0, 4, [])
    alone = imported.bring(root, "documents", source / "b.docx")
    assert (alone.notes, alone.notes_known) == (0, 1)
    found = run("recall", "what do pumps need", "--json", vault=root)
    assert found.paths[0] == "memory/ref/b.md"


def test_a_long_document_is_several_notes_cut_between_pages(
    tmp_path: Path, vault: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "PART", 9_000)
    pages = [[f"page {n}", *["w" * 98] * 19] for n in range(1, 11)]
    source = saved(tmp_path / "long.pdf", pdf(*pages, title="Long"))
    root = vault()
    assert imported.bring(root, "", source).notes == 3
    held = imported.notes(root)
    label = f"{tmp_path.parent.name}/{tmp_path.name}/long.pdf"
    parts = [held[origin] for origin in (label, f"{label} (2)", f"{label} (3)")]
    assert [one.name for one in parts] == ["Long", "Long (2)", "Long (3)"]
    headings = [heading.text for one in parts for heading in one.body.headings]
    assert headings == [f"Page {n}" for n in range(1, 11)]


def test_a_piece_without_a_heading_of_its_own_begins_under_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "PART", 40)
    text = "## Page 1\n\n" + "\n".join(f"line {n}" for n in range(7)) + "\n## Page 2\n\nend"
    parts = list(documents._parts(text))
    assert [part.split("\n")[0] for part in parts] == ["## Page 1", "## Page 1", "## Page 2"]
    lines = [line for part in parts for line in part.split("\n") if line.startswith(("line", "end"))]
    assert lines == [*(f"line {n}" for n in range(7)), "end"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["a.txt"], True), (["A.PDF"], True), (["x/a.html", "b.png"], True), (["a.txt", "README.md"], False),
        (["a.rtf"], False), ([".git/a.txt"], False),
    ],
)  # fmt: skip
def test_a_folder_is_told_by_its_files(tmp_path: Path, files: list[str], told: bool) -> None:
    for file in files:
        saved(tmp_path / "f" / file, "x")
    assert documents.suits(members.opened(tmp_path / "f")) is told


def test_an_archive_of_documents_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "fine")
        archive.write(docx(tmp_path / "b.docx", paragraph("x")), "b.docx")
    assert not documents.suits(members.opened(path))
    one, other = records(path)
    assert isinstance(one, Noted)
    assert isinstance(other, Bad)
    assert (one.origin, "archive inside" in other.why) == ("a.zip/a.txt", True)


def test_a_source_without_documents_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "a.md", "x")
    with pytest.raises(BadData, match="no documents"):
        records(tmp_path)


def test_markdown_beside_documents_is_counted(tmp_path: Path) -> None:
    saved(tmp_path / "a.md", "x")
    saved(tmp_path / "b.txt", "x")
    _, left = records(tmp_path)
    assert left == Left("markdown", 1)
