"""Documents as a test makes them: a PDF and a Word file, byte by byte."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def pdf(*pages: Sequence[str], title: str = "") -> bytes:
    """A PDF with the lines of each page. Its one font has a code of two bytes for a character, and tells which."""
    code = {sign: number for number, sign in enumerate(sorted({*"".join("".join(page) for page in pages)}), 1)}
    known = "\n".join(f"<{number:04x}> <{sign.encode('utf-16-be').hex()}>" for sign, number in code.items())
    unicode_map = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(code)} beginbfchar\n{known}\nendbfchar\n"
        "endcmap end end"
    )
    descendant = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /T /CIDSystemInfo << /Registry (Adobe) /Ordering "
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{7 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /T /Encoding /Identity-H /DescendantFonts [4 0 R] "
        "/ToUnicode 5 0 R >>",
        f"{descendant}(Identity) /Supplement 0 >> /DW 600 >>",
        _stream(unicode_map),
        f"<< /Title <feff{title.encode('utf-16-be').hex()}> >>",
    ]
    for number, page in enumerate(pages):
        shown = " ".join(f"<{''.join(f'{code[sign]:04x}' for sign in line)}> Tj 0 -14 Td" for line in page)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {8 + 2 * number} 0 R >>"
        )
        objects.append(_stream(f"BT /F1 12 Tf 72 720 Td {shown} ET"))
    return _file(objects)


def _stream(text: str) -> str:
    return f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"


def _file(objects: Sequence[str]) -> bytes:
    data, places = bytearray(b"%PDF-1.7\n"), []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {len(objects) + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return bytes(data) + end.encode()


def docx(path: Path, body: str, title: str = "", **more: bytes) -> Path:
    """A Word file with a body of WordprocessingML. `more`: further parts of `word/`, `__` in a name for a full stop."""
    main = f'<?xml version="1.0"?><w:document xmlns:w="{WORD}" xmlns:r="{_OFFICE}"><w:body>{body}</w:body></w:document>'
    core = f'<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    main_is = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    linked = f'<Relationship Id="r9" Type="{_OFFICE}/image" TargetMode="External" Target="file:///etc/hostname"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{main_is}</Relationships>')
        archive.writestr("word/document.xml", main)
        archive.writestr("docProps/core.xml", core)
        archive.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{linked}</Relationships>'
        )
        for name, data in more.items():
            archive.writestr(f"word/{name.replace('__', '.')}", data)
    return path


def paragraph(text: str, style: str = "") -> str:
    told = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{told}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def table(*rows: Sequence[str]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def picture() -> str:
    """One that is linked, to a file that stands on every machine."""
    main = "http://schemas.openxmlformats.org/drawingml/2006"
    return (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="{main}/wordprocessingDrawing"><a:graphic xmlns:a="{main}/main">'
        f'<a:graphicData><pic:pic xmlns:pic="{main}/picture"><pic:blipFill><a:blip r:link="r9"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
