"""Near words against a plain dynamic programme."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdir.index import spell

LEXICON = [
    "gasket",
    "basket",
    "torque",
    "valve",
    "valves",
    "насос",
    "cheh-7964",
    "cheh-7965",
    "python3",
    "python",
    "水泵",
]


@pytest.mark.parametrize(
    ("word", "best", "distance"),
    [
        ("gasekt", "gasket", 1),
        ("gaskket", "gasket", 1),
        ("gaket", "gasket", 1),
        ("gosket", "gasket", 1),
        ("asket", "basket", 1),
        ("troqeu", "torque", None),
        ("basketry", "basket", 2),
        ("нсаос", "насос", 1),
        ("valve", "valve", 0),
        ("chhe-7964", "cheh-7964", 1),
        ("pyhton", "python", 1),
    ],
)
def test_each_kind_of_edit(word: str, best: str, distance: int | None) -> None:
    assert spell.near(word, LEXICON)[:1] == ([] if distance is None else [(best, distance)])


@pytest.mark.parametrize("word", ["", "ab", "7964", "20.04", "cheh-7963", "水泵", "zzzzzz"])
def test_no_guess(word: str) -> None:
    assert spell.near(word, LEXICON) == []


def test_short_words_allow_a_swap_only() -> None:
    assert spell.near("ford", ["fold", "food", "fro", "frod", "ford"]) == [("ford", 0), ("frod", 1)]


def test_order_is_distance_then_first_letter_then_spelling_and_is_cut() -> None:
    words = ["tasketed", "gasketex", "gasketeq", "gasketed", "gaxketex"]
    expected = [("gasketed", 0), ("gasketeq", 1), ("gasketex", 1), ("tasketed", 1), ("gaxketex", 2)]
    assert spell.near("gasketed", words) == expected
    assert spell.near("gasketed", words, limit=2) == expected[:2]


def plain_distance(a: str, b: str) -> int:
    rows = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = a[i - 1] == b[j - 1]
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (not same))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.text("abcd", min_size=5, max_size=9), st.lists(st.text("abcd", min_size=1, max_size=9), unique=True))
def test_finds_exactly_what_the_definition_says(word: str, lexicon: list[str]) -> None:
    most = 2 if len(word) >= 8 else 1
    expected = {(term, plain_distance(word, term)) for term in lexicon if plain_distance(word, term) <= most}
    assert set(spell.near(word, lexicon, limit=1000)) == expected


@pytest.mark.parametrize(
    ("typed", "stem"),
    [("migratoin", "migrat"), ("mgration", "migrat"), ("organizaton", "organiz"), ("notificatoin", "notif")],
)
def test_a_mistyped_ending_is_matched_by_the_stem(typed: str, stem: str) -> None:
    assert spell.stems(typed, ["atlas", "mig", "migrat", "notif", "org", "organiz"]) == [(stem, 2)]


def test_the_longest_stem_wins_and_unlike_words_stay_apart() -> None:
    assert spell.stems("deploymnts", ["depl", "deplo", "deploi", "deploy"]) == [
        ("deploi", 2),
        ("deploy", 2),
        ("deplo", 2),
    ]
    assert spell.stems("zzzzqqqq", ["quartz", "zebra"]) == []
    assert spell.stems("chehareth7", ["cheha"]) == []


@given(st.text("abcdeфя", min_size=3, max_size=9), st.lists(st.text("abcdeфя", min_size=1, max_size=9), unique=True))
def test_letters_rule_out_nothing_that_is_near(word: str, lexicon: list[str]) -> None:
    ordered = sorted(lexicon)
    assert spell.near(word, spell.Letters(ordered).like(word)) == spell.near(word, ordered)
