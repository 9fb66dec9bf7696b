"""What a move rewrites: every kind of link, nothing beside it, and nothing that led elsewhere."""

import json
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driver
from memdir.vault import fence, relink
from obsidian import moved

SUITE = settings(max_examples=300, deadline=None, derandomize=True)
OLD, NEW = "proj/Old Plan.md", "done/New Plan.md"
PATHS = [OLD, "n.md", "proj/m.md", "img/a b.png", "board.canvas", "other/Else.md"]


def after(text: str, *, path: str = "n.md", old: str = OLD, new: str = NEW, paths: list[str] = PATHS) -> str:
    """The text of `path` behind the move."""
    held = [*paths, *({path, old} - set(paths))]
    return moved({path: text}, held, old, new).get(new if path == old else path, text)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("[[Old Plan]]", "[[New Plan]]"), ("[[Old Plan|as shown]]", "[[New Plan|as shown]]"),
        ("[[old plan]]", "[[New Plan]]"), ("[[Old Plan#Head]]", "[[New Plan#Head]]"),
        ("[[Old Plan#A#B|x]]", "[[New Plan#A#B|x]]"), ("[[Old Plan#^k3f]]", "[[New Plan#^k3f]]"),
        ("[[proj/Old Plan]]", "[[done/New Plan]]"), ("[[proj/Old Plan.md]]", "[[done/New Plan.md]]"),
        ("[[Old Plan.md]]", "[[New Plan.md]]"), ("[[/proj/Old Plan]]", "[[/done/New Plan]]"),
        ("[[./proj/Old Plan]]", "[[./done/New Plan]]"), ("[[ Old Plan ]]", "[[ New Plan ]]"),
        ("![[Old Plan]]", "![[New Plan]]"), ("![[Old Plan#h|300]]", "![[New Plan#h|300]]"),
        (r"| [[Old Plan\|alias]] | x |", r"| [[New Plan\|alias]] | x |"),
        ("- links_to [[Old Plan]]", "- links_to [[New Plan]]"),
        ("[[Old Plan]] and [[Old Plan]], [[Else]]", "[[New Plan]] and [[New Plan]], [[Else]]"),
        ("[[Old\u00a0Plan]]", "[[New Plan]]"),
        ("[t](proj/Old%20Plan.md)", "[t](done/New%20Plan.md)"), ("[t](Old%20Plan.md)", "[t](New%20Plan.md)"),
        ("[t](proj/Old%20Plan.md#head-ing)", "[t](done/New%20Plan.md#head-ing)"),
        ("[t](<proj/Old Plan.md>)", "[t](<done/New Plan.md>)"),
        ("[t](<proj/Old%20Plan.md#h>)", "[t](<done/New%20Plan.md#h>)"),
        ('[t](proj/Old%20Plan.md "a title")', '[t](done/New%20Plan.md "a title")'),
        ("[t](/proj/Old%20Plan.md)", "[t](/done/New%20Plan.md)"),
        ("[t](./proj/Old%20Plan.md)", "[t](./done/New%20Plan.md)"), ("[t](proj/Old%20Plan)", "[t](done/New%20Plan)"),
        ("![300](proj/Old%20Plan.md)", "![300](done/New%20Plan.md)"),
        ("[a [b] c](proj/Old%20Plan.md)", "[a [b] c](done/New%20Plan.md)"),
        ("[![i](img/x.png)](proj/Old%20Plan.md)", "[![i](img/x.png)](done/New%20Plan.md)"),
        ("[ref]: proj/Old%20Plan.md", "[ref]: done/New%20Plan.md"),
        ('[ref]: <proj/Old Plan.md> "t"', '[ref]: <done/New Plan.md> "t"'),
        ("x" * 5000 + " [[Old Plan]]", "x" * 5000 + " [[New Plan]]"),
        ('---\nup: "[[Old Plan]]"\n---\n', '---\nup: "[[New Plan]]"\n---\n'),
        ("---\nup: '[[Old Plan|x]]' # [[Old Plan]]\n---\n", "---\nup: '[[New Plan|x]]' # [[New Plan]]\n---\n"),
        ('---\nup:\n  - "[[Old Plan]]"\n  - "[[proj/Old Plan#h]]"\n---\n',
        '---\nup:\n  - "[[New Plan]]"\n  - "[[done/New Plan#h]]"\n---\n'),
        ('---\nup: ["[[Old Plan]]", "[[Else]]"]\n---\n', '---\nup: ["[[New Plan]]", "[[Else]]"]\n---\n'),
        ("\ufeff---\r\nup: \"[[Old Plan]]\"\r\n---\r\n[[Old Plan]]\r\n",
        "\ufeff---\r\nup: \"[[New Plan]]\"\r\n---\r\n[[New Plan]]\r\n"),
        ("odd \udcff [[Old Plan]] \udcfe", "odd \udcff [[New Plan]] \udcfe"),
    ],
)  # fmt: skip
def test_every_kind_of_link_follows(before: str, behind: str) -> None:
    assert after(before) == behind


@pytest.mark.parametrize(
    "text",
    ["`[[Old Plan]]`", "```\n[[Old Plan]]\n```", "~~~md\n[t](proj/Old%20Plan.md)\n~~~", "    [[Old Plan]]",
    "%% [[Old Plan]] %%", "%%\n[[Old Plan]]\n%%", "$$ [[Old Plan]] $$", r"\[[Old Plan]]", "[[Old Planner]]",
    "[[#Old Plan]]",
    "[[Else|Old Plan]]", "[[x/Old Plan]]", "[Old Plan](https://a.b/Old%20Plan.md)", "[t](mailto:Old%20Plan.md)",
    "[^1]: proj/Old%20Plan.md", "t](proj/Old%20Plan.md)", r"\[t](proj/Old%20Plan.md)", "Old Plan", "[[../x/Old Plan]]",
    "---\n# up: [[Old Plan]]\n---\n", "[[Old Plan", "[[/Old Plan]]", ""],
)  # fmt: skip
def test_what_is_no_link_to_it_stays(text: str) -> None:
    assert after(text) == text


@pytest.mark.parametrize(
    ("path", "before", "behind"),
    [
        ("proj/m.md", "[t](Old%20Plan.md)", "[t](../done/New%20Plan.md)"),
        ("proj/m.md", "[t](./Old%20Plan.md#h)", "[t](../done/New%20Plan.md#h)"),
        ("proj/m.md", "[[./Old Plan]]", "[[../done/New Plan]]"), ("proj/m.md", "[[Old Plan]]", "[[New Plan]]"),
        ("other/Else.md", "[t](../proj/Old%20Plan.md)", "[t](../done/New%20Plan.md)"),
        ("other/Else.md", "[t](proj/Old%20Plan.md)", "[t](done/New%20Plan.md)"),
        ("other/Else.md", "[[../proj/Old Plan]]", "[[../done/New Plan]]"),
        ("done/x.md", "[[../proj/Old Plan]]", "[[./New Plan]]"),
        ("done/x.md", "[t](../proj/Old%20Plan.md)", "[t](New%20Plan.md)"),
        (OLD, "[t](m.md) ![](../img/a%20b.png) [[m]]", "[t](../proj/m.md) ![](../img/a%20b.png) [[m]]"),
        (OLD, "[[./m]] [[Old Plan#h]] [[#h]] [x](#h)", "[[../proj/m]] [[New Plan#h]] [[#h]] [x](#h)"),
    ],
)  # fmt: skip
def test_relative_links_stay_relative(path: str, before: str, behind: str) -> None:
    assert after(before, path=path) == behind


@pytest.mark.parametrize(
    ("before", "behind", "new"),
    [
        ("[t](%E6%B3%B5.md)", "[t](%E6%B0%B4.md)", "水.md"), ("[t](泵.md)", "[t](水%20%28a%29.md)", "水 (a).md"),
        ("[t](<泵.md>)", "[t](<水 (a).md>)", "水 (a).md"), ("[t](泵.md)", "[t](100%25.md)", "100%.md"),
        ("[[泵]]", "[[a/水]]", "a/水.md"), ("[[泵]]", "[[泵]]", "bad#name.md"),
        ("---\nup: '[[泵]]'\n---", "---\nup: '[[Ana''s]]'\n---", "Ana's.md"),
        ('---\nup: "[[泵]]"\n---', '---\nup: "[[Ana\'s]]"\n---', "Ana's.md"),
    ],
)  # fmt: skip
def test_the_new_name_is_spelled_as_the_place_demands(before: str, behind: str, new: str) -> None:
    assert after(before, old="泵.md", new=new, paths=["n.md", "b/水.md"]) == behind
    assert relink.linkable(new) == ("#" not in new)


def test_names_in_either_normal_form() -> None:
    wide, narrow = unicodedata.normalize("NFD", "étude.md"), "étude.md"
    assert after("[[étude]] [x](e%CC%81tude.md)", old=wide, new="a.md") == "[[a]] [x](a.md)"
    assert after("[[e\u0301tude]]", old=narrow, new="a.md") == "[[a]]"


def test_a_change_of_case_is_followed_where_the_old_case_was_written() -> None:
    assert after("[[Plan]] [[plan|p]]", old="Plan.md", new="plan.md") == "[[plan]] [[plan|p]]"
    assert after("[[PLAN]]", old="Plan.md", new="plan.md") == "[[PLAN]]"


@pytest.mark.parametrize(
    ("source", "before", "behind"),
    [
        ("n.md", "[[Plan]] [[Draft]]", "[[a/Plan]] [[Plan]]"),
        ("n.md", "[t](Plan.md) [t](a/Plan.md)", "[t](a/Plan.md) [t](a/Plan.md)"),
        ("a/m.md", "[[Plan]] [t](Plan.md)", "[[a/Plan]] [t](./Plan.md)"), ("n.md", "[[a/Plan]]", "[[a/Plan]]"),
        ("n.md", "[[Plan|x]]", "[[a/Plan|x]]"),
    ],
)  # fmt: skip
def test_a_name_that_arrives_takes_no_link_of_another(source: str, before: str, behind: str) -> None:
    paths = [source, "a/Plan.md", "b/Draft.md"]
    assert after(before, path=source, old="b/Draft.md", new="Plan.md", paths=paths) == behind


def test_what_was_unclear_before_is_left_alone_while_it_opens_the_same() -> None:
    assert after("[[P]]", old="c/d/Q.md", new="c/d/P.md", paths=["n.md", "a/P.md", "b/e/P.md"]) == "[[P]]"


def test_a_folder_moves_with_all_that_is_in_it() -> None:
    texts = {
        "n.md": "[[A]] [t](x/y/B.md) ![](x/i.png)",
        "x/A.md": "[t](y/B.md) [n](../n.md) [[x/y/B]]",
        "x/y/B.md": "[[A]]",
    }
    paths = [*texts, "x/i.png"]
    assert moved(texts, paths, "x", "z/w") == {
        "n.md": "[[A]] [t](z/w/y/B.md) ![](z/w/i.png)",
        "z/w/A.md": "[t](y/B.md) [n](../../n.md) [[z/w/y/B]]",
    }


CANVAS = """{
\t"nodes":[
\t\t{"type":"file","file":"proj/Old Plan.md","subpath":"#h","id":"1"},
\t\t{"id":"2","type":"file", "file" : "proj\\/Old\\u0020Plan.md"},
\t\t{"type":"text","text":"# 泵 \\"q\\"\\n\\n[[Old Plan|x]] \\ud83d\\ude00 [t](proj/Old%20Plan.md)\\n`[[Old Plan]]`"},
\t\t{"type":"text","text":"{\\"file\\":\\"proj/Old Plan.md\\"}"}
\t],
\t"edges":[]
}"""


def test_a_canvas_keeps_its_bytes() -> None:
    behind = after(CANVAS, path="board.canvas", new='完/New \U0001f600 "Plan.md')
    assert behind == CANVAS.replace('"file":"proj/Old Plan.md"', '"file":"完/New \U0001f600 \\"Plan.md"').replace(
        '"proj\\/Old\\u0020Plan.md"', '"完\\/New \U0001f600 \\"Plan.md"'
    ).replace("[[Old Plan|x]]", '[[New \U0001f600 \\"Plan|x]]').replace(
        "(proj/Old%20Plan.md)", "(完/New%20\U0001f600%20%22Plan.md)"
    )
    assert json.loads(behind)["nodes"][0]["file"] == '完/New \U0001f600 "Plan.md'


def test_escapes_of_a_canvas_are_kept() -> None:
    text = '{"nodes":[{"file":"a\\/\\u6cf5.md"},{"text":"[[\\u6cf5]]"}]}'
    behind = after(text, path="board.canvas", old="a/泵.md", new="b/水.md")
    assert behind == '{"nodes":[{"file":"b\\/\\u6c34.md"},{"text":"[[\\u6c34]]"}]}'


@pytest.mark.parametrize("text", ["", "{", '[{"file":"proj/Old Plan.md"}]', '{"file":"proj/Old Plan"}', "null"])
def test_what_is_no_canvas_stays(text: str) -> None:
    assert after(text, path="board.canvas") == text


def test_two_names_that_differ_in_case_only() -> None:
    paths = ["n.md", "b.canvas", "a/Plan.md", "a/plan.md"]
    texts = {"n.md": "[[a/Plan]] [[a/plan]]", "b.canvas": '{"nodes":[{"file":"a/Plan.md"},{"file":"a/plan.md"}]}'}
    assert moved(texts, paths, "a/plan.md", "q.md") == {
        "n.md": "[[a/Plan]] [[q]]", "b.canvas": '{"nodes":[{"file":"a/Plan.md"},{"file":"q.md"}]}',
    }  # fmt: skip


def test_texts_may_come_one_at_a_time() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return "[[Old Plan]]" if path == "n.md" else None

    assert moved(read, PATHS, OLD, NEW) == {"n.md": "[[New Plan]]"}
    assert "img/a b.png" not in asked


def test_work_grows_with_the_notes_only() -> None:
    line = "See [[Note 7]] and [x](f3/Note%2013.md), https://a.b/c, costs $5. " + "水泵的滤芯 words " * 20

    def work(count: int) -> None:
        texts = {f"f{n % 50}/Note {n}.md": f"---\nname: n\n---\n{line}\n" * 4 for n in range(count)}
        assert moved(texts, list(texts), "f9/Note 9.md", "f1/Note Nine.md") == {}

    short, long = (driver.calls(lambda count=count: work(count)) for count in (100, 800))
    assert long < 8.5 * short


# --- properties ----------------------------------------------------------------------------------

NAMES = st.sampled_from(["Alpha", "beta", "水泵", "Ana's", "a b", "é", "x.y", "100%", "(p)"])
FOLDERS = st.sampled_from(["", "f/", "f/g/", "h h/"])
PLACES = st.builds(lambda folder, name: f"{folder}{name}.md", FOLDERS, NAMES)
LINKS = st.sampled_from([
    "[[{stem}]]", "[[{stem}|a]]", "![[{stem}#h|3]]", "[[{path}]]", "[[/{path}]]", "[t]({quoted}.md)",
    "[t](</{path}.md#h>)",
    "`[[{stem}]]`", "%% [[{path}]] %%", "text {stem}", "\n", "- k:: v", "\r\n", "\udcff",
])  # fmt: skip

PATH = re.compile(r"(?<=\[\[)[^\[\]|#]*|(?<=\]\()(?:<[^>#]*|[^\s#]*?\.md)")


def _written(form: str, path: str) -> str:
    path = path.removesuffix(".md")
    return form.format(stem=path.rpartition("/")[2], path=path, quoted=path.replace("%", "%25").replace(" ", "%20"))


@SUITE
@given(st.lists(PLACES, min_size=3, max_size=8, unique_by=lambda path: path.casefold()), st.data())
def test_only_paths_in_links_change(paths: list[str], data: st.DataObject) -> None:
    old, new = paths[0], paths.pop()
    written = data.draw(st.lists(st.tuples(LINKS, st.sampled_from(paths)), max_size=8))
    source = data.draw(st.sampled_from(paths))
    text = " ".join(_written(form, path) for form, path in written)
    behind = after(text, path=source, old=old, new=new, paths=paths)
    assert fence.decode(fence.encode(behind)) == behind
    assert PATH.sub("", behind) == PATH.sub("", text)
    if (
        not any(path == old or path.rpartition("/")[2] == new.rpartition("/")[2] for _, path in written)
        and source != old
    ):
        assert behind == text


@SUITE
@given(st.lists(st.tuples(NAMES, FOLDERS), min_size=4, max_size=8, unique_by=lambda one: one[0]), st.data())
def test_there_and_back_is_the_same_bytes(places: list[tuple[str, str]], data: st.DataObject) -> None:
    """With names that are unique no spelling needs to grow, and styles that a move cannot blur come back."""
    *held, (name, _) = places
    paths = [f"{folder}{stem}.md" for stem, folder in held]
    old = paths[0]
    new = f"k/{name}.md"
    forms = LINKS if "/" in old else LINKS.filter(lambda form: "[[{path}" not in form)
    text = " ".join(
        _written(form, path) for form, path in data.draw(st.lists(st.tuples(forms, st.sampled_from(paths)), max_size=8))
    )
    source = data.draw(st.sampled_from(paths[1:]))
    if "(" in old or "'" in old:
        return
    there = moved({source: text}, paths, old, new).get(source, text)
    back = moved({source: there}, [new, *paths[1:]], new, old).get(source, there)
    if "../" not in there and "./" not in there:
        assert back == text
