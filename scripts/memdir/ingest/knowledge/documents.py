"""Documents: text, HTML, PDF and Word files, a note for each.

The pages of a PDF stand under headings, so that what recall quotes names its page; of Word and HTML headings, lists and
tables are kept, pictures are not. PDF and Word need the extra `[documents]`, imported when the first of them comes.
One file is held at a time. Nothing is fetched, writes nothing.
"""

import codecs
import html as entities
import io
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memdir import text as texts
from memdir.errors import BadData, MemdirError
from memdir.ingest import html_text
from memdir.ingest.knowledge import markdown_folder, pages
from memdir.ingest.knowledge.pages import Page
from memdir.ingest.members import HEAD, Members
from memdir.ingest.members import read as reading
from memdir.ingest.records import Bad, Left, Noted, Record, Wanted, whole
from memdir.vault import fields, names
from memdir.vault.fields import Value

ENDINGS = (".txt", ".html", ".htm", ".pdf", ".docx")
MOST = 64 << 20  # bytes of a PDF
MOST_PAGES = 2_000
MOST_TEXT = 5_000_000  # characters of one document
MOST_XML = 32 << 20  # bytes of the XML in a Word file
MOST_TAGS = 1_000_000  # in it; mammoth takes 45 s and 1 GB for so many empty paragraphs, 14 s and 0.45 GB for runs
PART = 900_000  # bytes of a note: of one over 1 MiB what stands behind is read without headings
_LONGEST_TITLE = 200
_NEEDED = 'needs an extra: pip install "memdir[documents]"'
# What programs put where a title should be.
_NO_TITLE = re.compile(
    r"(?i)untitled.*|\(\w*\)|无标题|document\d*|文档\d*|microsoft \w+ - .*"
    r"|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|rtf|odt|pptx?)"
)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_CORE_TITLE = re.compile(r"<dc:title>([^<]{1,1000})</dc:title>")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_-]{2,20})", re.IGNORECASE)
_CHARSETS = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "iso-8859-1": "cp1252", "us-ascii": "cp1252"}
_KNOWN = re.compile(r"gb18030|big5|shift_jis|euc-jp|euc-kr|iso-8859-\d{1,2}|windows-125\d|cp125\d|koi8-r|utf-8")
_PAIRS = re.compile(rb"(?:[\xa1-\xfe][\xa1-\xfe])+")
_HIGH = re.compile(rb"[\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class _Text:
    """What a document says. `title`: its own, "" for none; `more`: front matter."""

    body: str
    title: str = ""
    more: dict[str, Value] = field(default_factory=dict)


def suits(members: Members) -> bool:
    """Whether it is a document, or a folder of them without markdown; an archive of them may be anything."""
    if members.path("") is None or any(pages.is_page(name) for name in members.names):
        return False
    return bool(_sorted_out(members)[0])


def read(members: Members, wanted: Wanted) -> Iterator[Record]:
    """The documents by path, and what was left out. Raises BadData for a source without any."""
    label = pages.label(members)
    found, left = _sorted_out(members)
    if not found:
        raise BadData(f"{members.name}: no documents; {', '.join(ENDINGS)} are read")
    for name in found:
        try:
            told = _text(members, name)
        except MemdirError as error:
            yield Bad(name, str(error).removeprefix(f"{name}: "))
        except OSError as error:
            yield Bad(name, f"cannot be read: {error.strerror or error}")
        except Exception as error:  # a converter may raise anything for a broken file
            yield Bad(name, f"cannot be read: {type(error).__name__} {' '.join(str(error).split())[:200]}".rstrip())
        else:
            yield from _notes(label, name, told)
    yield from (Left(why, count) for why, count in sorted(left.items()))


def _sorted_out(members: Members) -> tuple[list[str], Counter[str]]:
    """The documents of a source, and what else there is, counted by what it is."""
    found, left = [], Counter[str]()
    for name in members.names:
        hidden = any(names.is_ignored_folder(one) for one in name.split("/")[:-1])
        if hidden or name.rpartition("/")[2].startswith("."):
            left["documents in hidden folders"] += _ending(name) in ENDINGS
        elif _ending(name) not in ENDINGS:
            left["markdown" if pages.is_page(name) else "other files"] += 1
        elif names.is_by_product(name):
            left["copies that sync tools and editors made"] += 1
        else:
            found.append(name)
    return found, +left


def _ending(name: str) -> str:
    return f".{name.rpartition('/')[2].rpartition('.')[2].lower()}"


def _notes(label: str, name: str, told: _Text) -> Iterator[Noted]:
    """The note of a document; a long one is several, cut between its pages or sections."""
    front: dict[str, Value] = {"title": told.title[:_LONGEST_TITLE].rstrip()} if told.title else {}
    one = markdown_folder.noted(label, Page(name, "", front))
    for number, part in enumerate(_parts(told.body), 1):
        text = f"{part.rstrip()}\n"
        if number == 1:
            yield replace(one, text=text, more={**one.more, **told.more}, files=(), exact=True)
        else:
            titled, origin = f"{one.title} ({number})", f"{one.origin} ({number})"
            yield replace(one, origin=origin, title=titled, text=text, more=told.more, files=(), exact=True)


def _parts(body: str) -> Iterator[str]:
    """A text in pieces of PART bytes at most, each from a heading on where there is one in the second half of it, else
    under the heading that its beginning belongs to. A line is never cut."""
    lines: list[str] = []
    size, over, cut = 0, "", 0
    for line in body.split("\n"):
        length, heads = _length(line), bool(_HEADING.match(line))
        if lines and size + length > PART:
            at = len(lines) if heads else cut or len(lines)
            yield "\n".join(lines[:at])
            lines = lines[at:] if heads or cut else [over, ""] if over else []
            size, cut = sum(map(_length, lines)), 0
        if heads:
            over = line
            cut = len(lines) if size > PART // 2 else cut
        lines.append(line)
        size += length
    yield "\n".join(lines)


def _length(line: str) -> int:
    return len(line.encode("utf-8", "replace")) + 1


def _text(members: Members, name: str) -> _Text:
    """What a document says. Raises BadData, and whatever a converter raises."""
    convert = {".pdf": _pdf, ".docx": _word, ".txt": _plain}.get(_ending(name), _html)
    told = convert(members, name)
    if len(told.body) > MOST_TEXT:
        raise BadData(f"more than {MOST_TEXT:,} characters of text: left out")
    if not told.body.strip():
        raise BadData("no text in it")
    return replace(told, body=whole(told.body))


def _titled(*given: str) -> str:
    """The first of some titles that a person may have given; "" for none."""
    told = (" ".join(texts.printable(whole(one)).split()) for one in given)
    return next((one for one in told if one and not _NO_TITLE.fullmatch(one)), "")


def _bytes(members: Members, name: str, most: int) -> bytes:
    with reading(members, name) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise BadData(f"larger than {most >> 20} MiB: left out")
    return data


def _plain(members: Members, name: str) -> _Text:
    text, code = _decoded(_bytes(members, name, pages.MOST))
    return _Text(text.replace("\r\n", "\n").replace("\r", "\n"), more={"encoding": code} if code else {})


def _html(members: Members, name: str) -> _Text:
    data = _bytes(members, name, pages.MOST)
    told = _CHARSET.search(data[:HEAD])
    given = told[1].decode().lower() if told else ""
    text, code = _decoded(data, _CHARSETS.get(given, given))
    return _marked(text, {"encoding": code} if code else {})


def _marked(html: str, more: dict[str, Value], title: str = "") -> _Text:
    if len(html) > html_text.LONGEST:
        raise BadData(f"more than {html_text.LONGEST:,} characters of HTML: left out")
    text, own = html_text.marked(html)
    heading = _HEADING.search(text)
    return _Text(texts.printable(text), _titled(title, own, heading[1] if heading else ""), more)


def _decoded(data: bytes, told: str = "") -> tuple[str, str]:
    """The text, and the encoding where it is neither told by a mark nor UTF-8. `told`: the one that the file names.
    Raises BadData."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), ""
    if b"\0" in data:
        raise BadData("no text, but bytes")
    try:
        return data.decode().removeprefix(fields.BOM), ""
    except UnicodeDecodeError:
        pass
    for code in (*([told] if _KNOWN.fullmatch(told) else []), *_guesses(data)):
        try:
            return data.decode(code), code
        except UnicodeDecodeError:
            continue
    raise BadData("its encoding is not known; save it as UTF-8")


def _guesses(data: bytes) -> tuple[str, str]:
    """Chinese comes in pairs of high bytes, a letter with an accent mostly stands alone."""
    high = sum(map(len, _HIGH.findall(data)))
    paired = sum(map(len, _PAIRS.findall(data)))
    return ("gb18030", "cp1252") if paired * 10 > high * 8 else ("cp1252", "gb18030")


def _pdf(members: Members, name: str) -> _Text:
    try:
        import pypdf
    except ImportError as error:
        raise BadData(_NEEDED) from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every oddity of a file on standard error
    reader = pypdf.PdfReader(io.BytesIO(_bytes(members, name, MOST)))
    if reader.is_encrypted:
        raise BadData("encrypted: save it without a password")
    if (count := len(reader.pages)) > MOST_PAGES:
        raise BadData(f"{count:,} pages, {MOST_PAGES:,} may be: left out")
    parts, size = [], 0
    for number, page in enumerate(reader.pages, 1):
        text = texts.printable(whole(page.extract_text()).replace("\r", "\n"))
        text = "\n".join(line.rstrip() for line in html_text.still(text).split("\n")).strip("\n")
        size += len(text)
        if size > MOST_TEXT:
            raise BadData(f"more than {MOST_TEXT:,} characters of text: left out")
        if text:
            parts.append(f"## Page {number}\n\n{text}\n")
    if not parts:
        raise BadData("no text in it: pages that are pictures need text recognition first")
    told = reader.metadata
    return _Text("\n".join(parts), _titled(str(told.title or "") if told else ""))


def _word(members: Members, name: str) -> _Text:
    try:
        import mammoth
    except ImportError as error:
        raise BadData(_NEEDED) from error
    packed, title = _without_pictures(members.within(name))
    done = mammoth.convert_to_html(packed, convert_image=lambda image: [], include_embedded_style_map=False)
    return _marked(done.value, {}, title)


def _without_pictures(package: Members) -> tuple[io.BytesIO, str]:
    """The XML of a Word file, every part of it read under the limits of an archive, and the title that it gives."""
    packed, title, size, tags = io.BytesIO(), "", 0, 0
    with zipfile.ZipFile(packed, "w") as archive:
        for part in package.names:
            if not part.endswith((".xml", ".rels")):
                continue
            with reading(package, part) as stream:
                data = stream.read()
            size, tags = size + len(data), tags + data.count(b"<")
            if size > MOST_XML or tags > MOST_TAGS:
                raise BadData(f"more than {MOST_XML >> 20} MiB of XML or {MOST_TAGS:,} tags: left out")
            if b"<!DOCTYPE" in data.replace(b"\0", b""):
                raise BadData("it declares entities of its own: left out")
            if part == "docProps/core.xml" and (told := _CORE_TITLE.search(data.decode("utf-8", "replace"))):
                title = entities.unescape(told[1])
            archive.writestr(part, data)
    packed.seek(0)
    return packed, title
