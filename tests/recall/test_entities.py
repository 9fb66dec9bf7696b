"""Entities by shape, names that the vault knows, and the names of a question that nothing mentions."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.index import lexicon
from memdir.index.lexicon import Names
from memdir.recall import entities


def shaped(text: str) -> str:
    """`kind:text` of every entity, by place."""
    return " | ".join(f"{one.kind}:{one.text}" for one in entities.shapes(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Names
        ("When did Dora Klein call Atlas?", "name:Dora Klein | name:Atlas"),
        ("The pump failed. Deploy failed.", ""),
        ("Atlas is up. We asked Atlas.", "name:Atlas | name:Atlas"),
        ("What is Evan's manager's phone?", "name:Evan"),
        ("I'm with Caroline and Melanie.", "name:Caroline | name:Melanie"),
        ("Is it in New York City or at the University of Porto?", "name:New York City | name:University of Porto"),
        ("ask Dora's Atlas", "name:Dora | name:Atlas"),
        ("API keys and GPT4", "name:API | name:GPT4"),
        ("on Monday in May, heat AND power", ""),
        ("и Дора Клейн говорила", "name:Дора Клейн"),
        ("with O'Brien at the café Élan", "name:O'Brien | name:Élan"),
        # Addresses and places
        ("see https://Example.com/a(b)?c=1).", "url:https://Example.com/a(b)?c=1"),
        ("在https://example.com/a看到的", "url:https://example.com/a"),
        ("mail Ops@Example.org.", "email:Ops@Example.org"),
        ("in scripts/memdir/text.py, line 3", "path:scripts/memdir/text.py"),
        ("~/notes/a.md and ./tests and ../b", "path:~/notes/a.md | path:./tests | path:../b"),
        (r"C:\Users\dora\x.txt", r"path:C:\Users\dora\x.txt"),
        ("read README.md", "path:README.md"),
        ("日志/2025/三月.md 里", "path:日志/2025/三月.md"),
        ("and/or, he/she, 24/7", ""),
        # Code
        ("set DATABASE_URL, $HOME, ${USER_ID}, %PATH%", "env:DATABASE_URL | env:$HOME | env:${USER_ID} | env:%PATH%"),
        ("run --dry-run or --no-hyde", "flag:--dry-run | flag:--no-hyde"),
        ("call fooBar and foo_bar", "code:fooBar | code:foo_bar"),
        ("in memdir.recall.known, parse() of __init__", "code:memdir.recall.known | code:parse() | code:__init__"),
        ("use `git push` here", "code:`git push`"),
        ("e.g. this, i.e. that", ""),
        # Numbers
        ("from v1.10.3 to 2.0.0rc1", "version:v1.10.3 | version:2.0.0rc1"),
        ("5 GB, 10,000 ms, 12m and 25 Nm", "quantity:5 GB | quantity:10,000 ms | quantity:12m | quantity:25 Nm"),
        ("$5.50, 30% and 20 °C", "quantity:$5.50 | quantity:30% | quantity:20 °C"),
        ("用了3小时花了500元", "quantity:3小时 | quantity:500元"),
        ("5 people on port 8080", ""),
        ("ticket ABC-123", "ticket:ABC-123"),
        ("on 14 March 2025 and 2025-03-14", "date:14 March 2025 | date:2025-03-14"),
        ("2025年3月14日的会议", "date:2025年3月14日"),
        ("on 14 March, in K-2024-11", "name:K-2024-11"),
        # Marks
        ('the "rack fest" and “dune”', "quote:rack fest | quote:dune"),
        ("it's the 'big one', isn't it", "quote:big one"),
        ("《三体》和「青松」的作者", "title:三体 | quote:青松"),
        ("#infra and #项目/青松 but a#b", "hashtag:#infra | hashtag:#项目/青松"),
        ("&#39; and # heading", ""),
    ],
)
def test_shapes(text: str, found: str) -> None:
    assert shaped(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("see https://www.Example.com/a/", "see http://example.com/a"),
        ("in ./Notes/a.md", r"in notes\a.md"),
        ("call fooBar", "call foo_bar"),
        ("call `parse()`", "call parse()"),
        ("set $HOME", "set ${HOME}"),
        ("from v1.10.3", "from 1.10.3"),
        ("about 10,000 ms", "about 10000ms"),
        ("on 14 March 2025", "on 2025-03-14"),
        ("2025年3月14日", "on March 14th, 2025"),
        ("with Dora  Klein", "with Dora-Klein"),
        ("at the Café", "at the CAFE"),
        ("mail A@b.org", "mail a@B.org"),
        ('the "Rack Fest"', "the 'rack fest'"),
    ],
)
def test_two_spellings_have_one_key(one: str, other: str) -> None:
    first, second = ({(e.key) for e in entities.shapes(text)} for text in (one, other))
    assert first & second


TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ["Dora", "of", "'s", "a/", "/", "\\", "c:", "--x", "$", "{", "}", "%A_B%", "@", ".org", "http://", "1,000",
             "v1", ".", "-", "《", "》", "“", '"', "'", "`", "#", "_", "Ab", "2025-03-14", "三", "的", " "]
        ),
        max_size=30,
    ).map("".join),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_any_text_has_shapes_that_stand_where_they_say(text: str) -> None:
    found = entities.shapes(text)
    assert all(text[one.start : one.end] == one.text and one.text and one.key for one in found)
    assert found == sorted(found, key=lambda one: one.start)
    plain = [one for one in found if one.kind not in ("quote", "title")]
    assert all(one.end <= after.start for one, after in pairwise(plain))
    assert entities.missing(text, lambda word: True) == []
    assert all(name in text for name in entities.missing(text, lambda word: False))


@pytest.mark.parametrize(
    "piece",
    ["a/", "a.", "A ", "Aa_", "1,000", "1.", "“", '" ', "@a", "https://", "《", "$", "Aa's ", "a\\", "的", "2025-"],
)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    names = Names({"a a": 1, "的的": 2, "Aa": 3})
    short, long = ((piece * size)[:size] for size in (12_000, 96_000))
    entities.shapes(short[:100])
    # Collecting garbage may fall into one of them.
    assert any(_seconds(long, names) < 24 * _seconds(short, names) + 0.1 for _ in range(3))


def _seconds(text: str, names: Names) -> float:
    start = time.process_time()
    entities.shapes(text)
    entities.missing(text, lambda word: False)
    names.find(text)
    return time.process_time() - start


# --- names of the vault


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("Shell preference", "what is my shell preference?", "shell preference"),
        ("shell-preference", "Shell Preference", "Shell Preference"),
        ("shell_preference", "the SHELL-PREFERENCE note", "SHELL-PREFERENCE"),
        ("Atlas", "is atlas's port open", "atlas"),
        ("Café Élan", "cafe elan", "cafe elan"),
        ("C++", "why c++?", "c++"),
        ("青松系统", "请问青松系统的负责人", "青松系统"),
        ("Atlas 系统", "atlas系统的端口", "atlas系统"),
        ("Дора Клейн", "где дора клейн", "дора клейн"),
        ("ёлка", "елка", "елка"),
        ("필터", "필터를 바꾸다", "필터"),
        ("Ｆｕｌｌ", "a full one", "full"),
        ("cafe\u0301", "le café noir", "café"),
        ("हिन्दी", "मुझे हिन्दी आती", "हिन्दी"),
        ("น้ำ", "กินน้ำเย็น", "น้ำ"),
        ("サーバー", "サーバーの場所", "サーバー"),
        ("memory/ref/atlas", "see memory/ref/atlas.md", "memory/ref/atlas"),
        ("O'Brien", "o’brien called", "o’brien"),
        ("v1.10", "since V1.10 it works", "V1.10"),
        ("Atlas (old)", "the atlas (OLD) port", "atlas (OLD"),
    ],
)
def test_names_are_found_in_any_case_and_script(name: str, text: str, said: str) -> None:
    ((key, number, start, end),) = Names({name: 7}).find(text)
    assert (number, text[start:end], key) == (7, said, lexicon.key(name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Atlas", "atlases and atlasx"),
        ("art", "start the party"),
        ("バー", "サーバーの場所"),
        ("Dora Klein", "Dora. Klein came"),
        ("Dora Klein", "Dora.\nKlein"),
        ("Dora Klein", "Dora\n\nKlein"),
        ("Dora Klein", "Dora, Klein"),
        ("Dora Klein", "Dora: Klein"),
        ("C++", "c is c"),
        ("x", "x"),
        ("青", "青松"),
        ("!!!", "!!! what"),
        ("", "nothing"),
        ("Dora Klein", "dora"),
    ],
)
def test_names_are_not_found_in_parts(name: str, text: str) -> None:
    assert Names({name: 7}).find(text) == []


def test_the_longest_name_wins_and_none_lies_in_another() -> None:
    names = Names({"Atlas": 1, "Atlas port": 2, "port map": 3, "青松": 4, "青松系统": 5, "a b c d": 6, "a b": 7})
    assert [one.id for one in names.find("atlas port map")] == [2]
    assert [one.id for one in names.find("atlas, port map")] == [1, 3]
    assert [one.id for one in names.find("青松系统和青松")] == [5, 4]
    assert [one.id for one in names.find("a b c x")] == [7]


def test_of_two_names_that_fold_alike_the_first_stays() -> None:
    names = Names({"Atlas": 1, "ATLAS": 2})
    assert len(names) == 1
    assert [one.id for one in names.find("atlas")] == [1]


WORDS = st.sampled_from(
    ["dora", "Dora", "klein", "atlas", "青", "松", "c++", "-", "_", " ", ". ", "'s", "İ", "バ", "é", "x"]
)


@settings(deadline=None)
@given(st.lists(st.lists(WORDS, max_size=5).map("".join), max_size=8), st.lists(WORDS, max_size=30).map("".join))
def test_names_stand_where_they_say_and_a_name_finds_itself(written: list[str], text: str) -> None:
    names = Names({name: number for number, name in enumerate(written)})
    found = names.find(text)
    assert all(lexicon.key(text[one.start : one.end]) == one.key for one in found)
    assert all(one.end <= after.start for one, after in pairwise(found))
    for name in written:
        apart = any(len(gap) > 3 or ". " in gap for gap in re.split(r"[^\s.'_-]+", name)[1:-1])
        if len(lexicon.key(name)) > 1 and not apart and "バ" not in name:
            assert names.find(name)


def test_ten_thousand_names_are_ready_in_a_third_of_a_second() -> None:
    keys = {
        f"{first}{n} {second} note": n for n in range(5_000) for first, second in (("Atlas", "port"), ("青松", "x"))
    }
    start = time.process_time()
    names = Names(keys)
    took = time.process_time() - start
    assert len(names) == 10_000
    assert took < 0.3
    assert [one.id for one in names.find("the atlas4999 PORT note of 青松12 x-note")] == [4999, 12]


# --- what is missing


@pytest.mark.parametrize(
    ("question", "vault", "missing"),
    [
        ("Where does Dora live?", (), ["Dora"]),
        ("Where does Dora live?", ("dora",), []),
        ("Where does Dora Klein live?", ("dora",), []),
        ("Where does Dora Ann Klein live?", ("dora",), ["Dora Ann Klein"]),
        ("Did Jon go to Barcelona with Gina?", ("jon",), ["Barcelona", "Gina"]),
        ('When did she read "the Four Seasons"?', (), ["the Four Seasons"]),
        ('She said "What should I wear?"', (), []),
        ("what is ABC-123 about", (), ["ABC-123"]),
        ("When did Dr. Who call on Monday in May?", (), []),
        ("which shell does evan use", (), []),
        ("What happened?", (), []),
        ("火星基地的负责人是谁", (), ["火星基地"]),
        ("火星基地的负责人是谁", ("火星", "基地"), []),
        ("《三体》的作者是谁", (), ["三体"]),
        ("请问张伟老师什么时候来", (), ["张伟"]),
        ("我的房租是多少", (), []),
        ("以前的端口是多少", (), []),
        ("默认的端口", (), []),
        ("", (), []),
    ],
)
def test_missing(question: str, vault: tuple[str, ...], missing: list[str]) -> None:
    assert entities.missing(question, lambda word: word in vault) == missing
