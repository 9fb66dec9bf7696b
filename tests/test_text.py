"""The analyser: languages, identifiers, hostile input, keys, token estimate, terminal safety."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir import text


@pytest.mark.parametrize(
    ("written", "terms"),
    [
        ("Evan偏好zsh", ["evan", "偏", "好", "偏好", "zsh"]),
        ("The pumps were running", ["pump", "run"]),
        ("Завтра меняем фильтры НАСОСА", ["завтр", "меня", "фильтр", "насос"]),
        ("필터", ["필", "터", "필터"]),
        ("ﾊﾝ Ｆｕｌｌ", ["ハ", "ン", "ハン", "full"]),
        ("น้ำ", ["น้ํ", "า", "น้ํา"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("C++ and C#", ["c++", "c", "c#", "c"]),
        ("C++17", ["c++17", "c++", "c", "17"]),
        ("foo_bar.py", ["foo_bar.py", "foo", "bar", "py"]),
        ("claude-3.5", ["claude-3.5", "claud", "3.5"]),
        ("v1.10.3", ["v1.10.3", "1.10.3", "1.10"]),
        ("GB/s", ["gb/s", "gb", "s"]),
        ("pre-edit-check", ["pre-edit-check", "pre", "edit", "check"]),
        ("Downloads/transcripts", ["downloads/transcripts", "download", "transcript"]),
        ("ops@example.org", ["ops@example.org", "op", "example.org", "exampl", "org"]),
        ("status:blocked", ["status:blocked", "status", "block"]),
        ("CHEH-7964", ["cheh-7964", "cheh", "7964"]),
        ("10,000 hits", ["10000", "hit"]),
        ("sha256 H2O URLs", ["sha256", "sha", "256", "h2o", "url"]),
        ("__init__ _emphasis_", ["init", "emphasi"]),
        ("don't dont Don’t", ["dont", "dont", "dont"]),
        ("Evan's I'll l'eau", ["evan", "leau", "eau"]),
        ("USB-кабель", ["usb-кабель", "usb", "кабел"]),
        ("café résumé Αθήνα ёлка", ["cafe", "resum", "αθηνα", "елк"]),
        ("so\u00adft zero\u200bwidth", ["soft", "zerowidth"]),
        ("((( --- ... \ud800", []),
    ],
)
def test_terms(written: str, terms: list[str]) -> None:
    assert text.terms(written) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("getUserName", "get user name"),
        ("getUserName", "GETUSERNAME"),
        ("HTTPServer", "http server"),
        ("foo_bar.py", "foo bar"),
        ("pre-edit", "pre-edit-check"),
        ("gpt4", "GPT-4"),
        ("python3", "python"),
        ("v1.10.3", "1.10.3"),
        ("v1.10.3", "version 1.10"),
        ("src/foo_bar.py", "foo_bar.py"),
        ("https://example.org/a", "example.org"),
        ("مرشح", "مُرَشِّح"),
        ("ΑΘΗΝΑ", "Αθήνα"),
        ("Straße", "STRASSE"),
        ("ℌello", "hello"),
    ],
)
def test_a_query_of_one_form_meets_a_note_of_the_other(one: str, other: str) -> None:
    assert set(text.terms(one)) & set(text.terms(other))


def test_thai_word_inside_a_sentence() -> None:
    sentence = text.terms("สัปดาห์หน้าจะเปลี่ยนไส้กรองปั๊มน้ำ")
    assert set(text.terms("ไส้กรอง")) <= set(sentence)


def test_query_terms_are_distinct_ordered_and_bounded() -> None:
    assert text.query_terms("zsh or bash or zsh") == (["zsh", "bash"], 0)
    assert text.query_terms("one two three four", limit=3) == (["one", "two", "three"], 1)


HOSTILE = {"a ": 500_000, "(": 5_000, "a/": 300_000, "x1": 300_000, "a'": 300_000, "1,000": 200_000, "1.": 300_000}
HOSTILE |= {"鸟": 300_000, "a-": 300_000, "_": 500_000, "é": 300_000, "aB": 300_000, "C++": 200_000, "'": 500_000}


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_queries_give_few_short_terms(piece: str) -> None:
    found, dropped = text.query_terms(piece * HOSTILE[piece])
    assert len(found) < 10
    assert dropped == 0
    assert all(len(term) <= text.LONGEST for term in found)


@given(st.text())
def test_any_text_analyses_into_clean_terms(written: str) -> None:
    for term in text.terms(written):
        assert 0 < len(term) <= text.LONGEST
        assert not any(map(str.isspace, term))
        term.encode()


@given(st.text(alphabet="abcXYZ 019_-./:'+#偏好ไส้кий"))
def test_analysis_does_not_depend_on_what_came_before(written: str) -> None:
    first = text.terms(written)
    text._known.clear()
    assert text.terms(written) == first


@given(st.lists(st.text(), max_size=6), st.sampled_from([" ", "\n", "\t", "\u00a0", "\u3000", "\u2028"]))
def test_no_term_reaches_over_a_blank(words: list[str], blank: str) -> None:
    assert text.terms(blank.join(words)) == [term for word in words for term in text.terms(word)]


@pytest.mark.parametrize(
    ("term", "worth"), [("zsh", 1), ("c++", 1), ("насос", 1), ("好", 0.2), ("偏好", 0.5), ("ส้ก", 0.5)]
)
def test_a_sentence_without_spaces_does_not_drown_the_words_beside_it(term: str, worth: float) -> None:
    assert text.worth(term) == worth


def test_surface_words_keep_what_was_written() -> None:
    assert text.surface_words("Getting foo_bar.py, Don't! 水泵 _x_") == ["getting", "foo_bar.py", "don't", "水泵", "x"]


@pytest.mark.parametrize(
    ("written", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("明天要换厨房水泵的", 9), ("насос", 3), ("héllo wörld", 3)],
)
def test_token_count(written: str, tokens: int) -> None:
    assert text.token_count(written) == tokens


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\tb\nc\r\n", "a\tb\nc\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x\x1b]8;;http://e\x1b\\link", "xlink"),
        ("\x1b]52;c;AAAA", "52;c;AAAA"),
        ("\x9b2Jx\x9d0;t\x9cy", "xy"),
        ("\x1b\x1b[31m[31mx", "[31mx"),
        ("a\u202eb\u2066c\u200f", "abc"),
        ("hi\U000e0068\U000e0069", "hi"),
        ("\x00\x7f\x85\ud800", ""),
        ("👩\u200d🚀 偏好", "👩\u200d🚀 偏好"),
    ],
)
def test_printable(written: str, shown: str) -> None:
    assert text.printable(written) == shown


@given(st.text(alphabet="\x1b[]0;mP\\\x07\x9b\x9cab\n"))
def test_nothing_printable_can_start_an_escape(written: str) -> None:
    shown = text.printable(written)
    assert not set(shown) & set("\x1b\x07\x9b\x9c")
    assert text.printable(shown) == shown


def test_the_stemmer_is_loaded_at_first_use() -> None:
    code = "import sys, memdir.text as t; assert 'Stemmer' not in sys.modules; assert t.terms('pumps') == ['pump']"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


@given(st.text(st.characters(max_codepoint=127) | st.sampled_from(".-/@:'+#,_ 19aB"), max_size=60))
def test_ascii_is_cut_into_words_as_any_text_is(given_text: str) -> None:
    assert text._chunk(True).findall(given_text) == text._chunk(False).findall(given_text)
