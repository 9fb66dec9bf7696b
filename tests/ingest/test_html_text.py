"""HTML as text: what a person would read, no tag, no script, and no input that takes for ever."""

import html as html_lib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.ingest.html_text import plain


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


@pytest.mark.parametrize("piece", ["<!--", "<a ", "</", "<?", "<a href='", "<![CDATA[", "<ul>", "<ul><li>x", "&#"])
def test_tags_that_never_close_end(piece: str) -> None:
    """A million signs of them; the parser alone would take minutes or hours."""
    assert isinstance(plain(piece * (1_000_000 // len(piece))), str)
