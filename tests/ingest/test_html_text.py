"""HTML as text: what a person would read, no tag, no script, and no input that takes for ever."""

import html as html_lib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.ingest.html_text import marked, plain, still
from memdir.vault import markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Proof it <b>90</b> min &amp; wait.</p>", "Proof it 90 min & wait."),
        ("<h2>One</h2><p>a\n  b</p><p>c<br>d</p>", "One\n\na b\n\nc\nd"),
        ("<ul><li><p>one</p></li><li>two<ul><li>in</li></ul></li></ul>after", "- one\n\n- two\n  - in\n\nafter"),
        ("x<pre><code>if a &lt; b:\n    c()</code></pre>y", "x\n\n```\nif a < b:\n    c()\n```\n\ny"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"),
        ("a<script>alert('<p>x')</script><style>p{}</style><!-- <p>no --> b", "a b"),
        ('<a href="https://x.test/?a=1&amp;b" onclick="f(1)">here</a> &eacute;', "here é"),
        ("3 < 4 and <never closed", "3 < 4 and <never closed"),
        ("<!-- open", ""), ("", ""), ("</p></ul></pre>", ""),
    ],
)  # fmt: skip
def test_html_reads_as_it_looks(html: str, text: str) -> None:
    assert plain(html) == text


@given(st.text(max_size=40))
def test_escaped_text_comes_back(text: str) -> None:
    shown = " ".join(text.replace("\x00", "").split())
    assert " ".join(plain(f"<p>{html_lib.escape(shown)}</p>").split()) == shown


@given(
    st.lists(st.sampled_from(["<", ">", "<p>", "</p>", "<ul>", "<li>", "</pre>", "<pre>", "<td", "&", "&#", "a", "'"]))
)
def test_any_pieces_give_text(pieces: list[str]) -> None:
    assert "<p>" not in plain("".join(pieces))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<nav>a</nav><h2>One <i>b</i></h2>c<h3></h3><h4><br></h4>d", "a\n\n## One b\n\nc\n\nd"),
        ("<p># a<p>x # a<p>```<p>%%%<p>$$ a", "\\# a\n\nx # a\n\n\\```\n\n%\\%\\%\n\n$\\$ a"),
        (
            "<table><caption>t</caption><tr><th>a<th>b|c</tr><tr><td><p>1</p><p>2</p></td></tr></table>x",
            "t\n\n| a | b\\|c |\n| --- | --- |\n| 1 2 |  |\n\nx",
        ),
        (f"<table><tr><td>nav<td><p>{'w' * 1_001}</p><p>y</p></table>", f"nav\n\n{'w' * 1_001}\n\ny"),
        (
            "<table><tr><td>a<td><table><tr><td>1<td>2</table><h2>b</h2>c</table>",
            "a\n\n| 1 | 2 |\n| --- | --- |\n\n## b\n\nc",
        ),
        ("<table><tr><td>a</table><pre>\n# x\n```<br>y</pre>b", "a\n\n````\n# x\n```\ny\n````\n\nb"),
        ("<!DOCTYPE html><?xml version='1.0'?><title>t</title><svg><title>u</title></svg>a <! b", "a <! b"),
        ("<h1><table><tr><td>", ""), ("<pre>a", "```\na\n```"), ("</table><tr><td>a</td>", "a"),
    ],
)  # fmt: skip
def test_a_document_keeps_its_marks_and_gets_no_others(html: str, text: str) -> None:
    assert marked(html)[0] == text


def test_the_title_of_a_document_is_that_of_its_head() -> None:
    assert marked("<title> A\n &amp; b</title><body><svg><title>c</title></svg>")[1] == "A & b"


@given(st.text(alphabet="#`~ >-a%$\n", max_size=30))
def test_a_still_text_hides_nothing_behind_it(text: str) -> None:
    body = markdown.scan([*still(text).split("\n"), "", "## Page 2", "", "[[end]]"])
    assert [one.text for one in body.headings] == ["Page 2"]
    assert [one.target for one in body.links] == ["end"]


PIECES = [
    "<!--",
    "<a ",
    "</",
    "<?",
    "<a href='",
    "<![CDATA[",
    "<ul>",
    "<ul><li>x",
    "&#",
    "<table>",
    "<h1>",
    "<pre>",
    "<td>a",
]


@pytest.mark.parametrize("piece", PIECES)
def test_tags_that_never_close_take_time_as_their_number(piece: str) -> None:
    """The parser alone would take the square of it, or worse: minutes for the longer text."""

    def seconds(size: int) -> float:
        given = piece * (size // len(piece))
        start = time.process_time()
        assert isinstance(plain(given), str)
        assert isinstance(marked(given)[0], str)
        return time.process_time() - start

    short, long = seconds(25_000), seconds(100_000)
    assert long < 8 * short + 0.1, f"{short:.2f} s for 25 KB, {long:.2f} s for 100 KB"
