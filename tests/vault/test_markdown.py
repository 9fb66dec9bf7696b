"""The body grammar: every row of it, what hides it (code, math, comments), what only looks like it, and its cost."""

import pytest

from memdir.vault import markdown
from memdir.vault.markdown import Body, Fact, Heading, Link, Loop, Observation, Relation


def scan(text: str, start: int = 0) -> Body:
    return markdown.scan(text.split("\n"), start)


# --- the rows of the grammar ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("- shell:: zsh", Fact(0, "shell", "zsh")),
        ("* shell:: zsh", Fact(0, "shell", "zsh")),
        ("+ shell::\tzsh ", Fact(0, "shell", "zsh")),
        ("12. shell:: zsh", Fact(0, "shell", "zsh")),
        ("  - shell:: zsh", Fact(0, "shell", "zsh")),
        ("- shell:: zsh\r", Fact(0, "shell", "zsh")),
        ("- 偏好的 shell:: zsh 和 fish", Fact(0, "偏好的 shell", "zsh 和 fish")),
        ("- url:: http://a.b/c::d", Fact(0, "url", "http://a.b/c::d")),
        ("- lives in:: [[Lisbon]] ^k3f", Fact(0, "lives in", "[[Lisbon]]")),
        ("- shell:: bash (2019-04-01 → 2026-03-12)", Fact(0, "shell", "bash", "2019-04-01", "2026-03-12")),
        ("- shell:: zsh (2026-03-12 →)", Fact(0, "shell", "zsh", "2026-03-12", "")),
        ("- shell:: sh (→ 2019-04-01)", Fact(0, "shell", "sh", "", "2019-04-01")),
        ("- shell:: sh (→)", Fact(0, "shell", "sh")),
        ("- shell:: zsh (2026-03-12 → ) ^a1", Fact(0, "shell", "zsh", "2026-03-12", "")),
        ("- met:: Ana (2026-03-12T14:00:00Z → 2026-03-12T15:00:00Z)",
        Fact(0, "met", "Ana", "2026-03-12T14:00:00Z", "2026-03-12T15:00:00Z")),
        ("- arrow:: left → right (soon → late)", Fact(0, "arrow", "left → right (soon → late)")),
    ],
)  # fmt: skip
def test_facts(line: str, fact: Fact) -> None:
    assert scan(line).facts == [fact]


@pytest.mark.parametrize("key", sorted(markdown.RESERVED_KEYS))
def test_reserved_keys_are_no_facts(key: str) -> None:
    assert scan(f"- {key}:: something\n- {key.title()}:: something").facts == []


@pytest.mark.parametrize("line", ["shell:: zsh", "- shell::zsh", "- shell: zsh", "- shell::", "- :: zsh",
    "- `shell:: zsh`", "- std::vector", "# shell:: zsh", "- [a]:: b"])  # fmt: skip
def test_what_only_looks_like_a_fact(line: str) -> None:
    assert scan(line).facts == []


def test_a_repeated_key_is_a_set_of_values() -> None:
    assert [(fact.line, fact.value) for fact in scan("- likes:: tea\n\n- likes:: rain").facts] == [
        (0, "tea"),
        (2, "rain"),
    ]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("- [preference] Never suggest bash-only syntax #shell",
        Observation(0, "preference", "Never suggest bash-only syntax #shell")),
        ("- [偏好] 用 zsh", Observation(0, "偏好", "用 zsh")),
        ("- [two words] text ^b1", Observation(0, "two words", "text")),
    ],
)  # fmt: skip
def test_observations(line: str, seen: Observation) -> None:
    assert scan(line).observations == [seen]


@pytest.mark.parametrize("line", ["- [x] done", "- [ ] open", "- [-] dropped", "- [^1] a note", "- [^1]: a note",
    "- [a](b) text", "- [text](b.md)", "- [[Target]] text", "- [preference]", "[preference] no item",
    "- [preference]text", "- `[preference] text`"])  # fmt: skip
def test_what_only_looks_like_an_observation(line: str) -> None:
    assert scan(line).observations == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- replaces [[bash-preference]]", Relation(0, "replaces", "bash-preference")),
        ("- part_of [[Project/Atlas#Plan|the plan]]", Relation(0, "part_of", "Project/Atlas")),
        ("- needs [[水泵]] ^r1", Relation(0, "needs", "水泵")),
    ],
)
def test_relations(line: str, found: Relation) -> None:
    assert scan(line).relations == [found]
    assert [link.target for link in scan(line).links] == [found.target]


@pytest.mark.parametrize("line", ["- see also [[A]]", "- replaces [[A]] and more", "- Replaces [[A]]",
    "- replaces [[A]] [[B]]", "replaces [[A]]", "- [[A]]", "- re-uses [[A]]", "- replaces [[A]]."])  # fmt: skip
def test_what_is_a_link_but_no_relation(line: str) -> None:
    body = scan(line)
    assert body.relations == []
    assert body.links


@pytest.mark.parametrize(
    ("line", "loop"),
    [
        ("- [ ] Port the old aliases", Loop(0, "Port the old aliases", False)),
        ("- [x] Ported ^k3f", Loop(0, "Ported", True, "k3f")),
        ("  * [X] Ported", Loop(0, "Ported", True)),
        ("1. [ ] 换滤芯 ^a-1", Loop(0, "换滤芯", False, "a-1")),
        ("- [>] deferred", Loop(0, "deferred", False)),
    ],
)
def test_loops(line: str, loop: Loop) -> None:
    assert scan(line).loops == [loop]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Target]]", Link(0, "Target")),
        ("[[folder/Target.md#Head|shown]]", Link(0, "folder/Target", "Head", "shown")),
        ("[[Target#^block]]", Link(0, "Target", "^block")),
        ("[[#Here]]", Link(0, "", "Here")),
        ("![[picture.png|100]]", Link(0, "picture.png", "", "100", embed=True)),
        (r"| a | [[Target\|shown]] |", Link(0, "Target", "", "shown")),
        ("[text](path.md)", Link(0, "path", wiki=False)),
        ("[text](a%20b.md#Head)", Link(0, "a b", "Head", wiki=False)),
        ("[text](<a b.md>)", Link(0, "a b", wiki=False)),
        ('[text](path.md "title")', Link(0, "path", wiki=False)),
        ("[text](#Here)", Link(0, "", "Here", wiki=False)),
        ("见[[水泵]]。", Link(0, "水泵")),
    ],
)
def test_links(text: str, link: Link) -> None:
    assert scan(text).links == [link]


@pytest.mark.parametrize("text", ["[text](https://a.b/c.md)", "[text](mailto:a@b.md)", "[text](//a.b/c.md)",
    "[text](picture.png)", "[[]]", "[[a\n]]", "[[a[b]]", "[text]"])  # fmt: skip
def test_what_is_no_link(text: str) -> None:
    assert scan(text).links == []


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#shell and #Tools/zsh.", ["shell", "Tools/zsh"]),
        ("#水泵 and(#滤芯),然后,#甲七。", ["水泵", "滤芯", "甲七"]),
        ("#タグ #тег #کتاب #태그", ["タグ", "тег", "کتاب", "태그"]),
        ("#a-b_c #1984 #y1984 #12/34", ["a-b_c", "y1984"]),
        ("#Shell again #shell", ["Shell"]),
        ("a#b http://x.y/#frag &#39; # head ## x", []),
        ("# Title #tag", ["tag"]),
        ("#/nested/", ["nested"]),
    ],
)
def test_tags(text: str, tags: list[str]) -> None:
    assert scan(text).tags == tags


@pytest.mark.parametrize(("line", "block"), [("text ^k3f", "k3f"), ("- [ ] loop ^a-1 ", "a-1"), ("^alone", "alone")])
def test_block_ids(line: str, block: str) -> None:
    assert scan(f"first\n{line}").blocks == {block: 1}


@pytest.mark.parametrize("line", ["x^2", "2 ^", "a ^b c", "^b c", "a ^b_c", "`a ^b`"])
def test_what_is_no_block_id(line: str) -> None:
    assert scan(line).blocks == {}


@pytest.mark.parametrize(
    ("line", "heading"),
    [("# A", Heading(0, 1, "A")), ("### A b ##", Heading(0, 3, "A b")), ("  ## 水泵\r", Heading(0, 2, "水泵")),
    ("#\tA", Heading(0, 1, "A"))],
)  # fmt: skip
def test_headings(line: str, heading: Heading) -> None:
    assert scan(line).headings == [heading]


@pytest.mark.parametrize("line", ["#A", "####### A", "    # A", "> # A", "\\# A"])
def test_what_is_no_heading(line: str) -> None:
    assert scan(line).headings == []


def test_lines_count_from_the_top_of_the_file() -> None:
    body = scan("---\nk: v #no [[no]]\n---\n\n# Head\n- a:: b\n", 3)
    assert body.headings == [Heading(4, 1, "Head")]
    assert [fact.line for fact in body.facts] == [5]
    assert body.tags == []
    assert body.links == []


# --- what hides it -------------------------------------------------------------------------------------

EVERYTHING = "# head\n- k:: v\n- [cat] text #tag\n- rel [[Link]]\n- [ ] loop ^id"


def indented(by: str) -> str:
    return "\n".join(by + line for line in EVERYTHING.split("\n"))


HIDING = {
    "fence": f"```\n{EVERYTHING}\n```",
    "fence with a language": f"```md title=x\n{EVERYTHING}\n```",
    "tilde fence": f"~~~\n{EVERYTHING}\n```\n~~~",
    "longer fence": f"````\n```\n{EVERYTHING}\n```\n````",
    "fence in a quote": "> ```\n" + indented("> ") + "\n> ```",
    "indented fence": f"   ```\n{EVERYTHING}\n   ```",
    "fence not closed": f"```\n{EVERYTHING}",
    "indented code": "\n" + indented("    ") + "\n",
    "tab-indented code": "\n" + indented("\t") + "\n",
    "comment": f"%%\n{EVERYTHING}\n%%",
    "comment from the middle of a line": f"text %% begins\n{EVERYTHING}\nends %%",
    "math": f"$$\n{EVERYTHING}\n$$",
}


@pytest.mark.parametrize("kind", HIDING)
def test_nothing_is_read_where_it_is_hidden(kind: str) -> None:
    assert scan(HIDING[kind]) == Body()


@pytest.mark.parametrize("kind", [kind for kind in HIDING if kind != "fence not closed"])
def test_what_stands_behind_is_read(kind: str) -> None:
    behind = scan(f"{HIDING[kind]}\n\n# after\n- a:: b #c [[d]]")
    assert [heading.text for heading in behind.headings] == ["after"]
    assert (len(behind.facts), behind.tags, len(behind.links)) == (1, ["c"], 1)


@pytest.mark.parametrize(
    "span", ["`#a [[b]]`", "``#a ` [[b]]``", "%%#a [[b]]%%", "$#a$", "$$x #a [[b]]$$", "`` `#a` ``"]
)
def test_spans_hide_within_a_line(span: str) -> None:
    body = scan(f"before {span} #after [[seen]]")
    assert body.tags == ["after"]
    assert [link.target for link in body.links] == ["seen"]


@pytest.mark.parametrize(
    "text", ["it costs $5 #a and $6", "a ` lone #a tick", "100 % #a 50 %", r"\$x #a$", "a $ b #a $"]
)
def test_signs_that_open_nothing_hide_nothing(text: str) -> None:
    assert scan(text).tags == ["a"]


def test_a_list_continues_indented_behind_a_blank_line() -> None:
    body = scan("- item\n\n    - inner:: fact\n\n\ttext #tag")
    assert [fact.key for fact in body.facts] == ["inner"]
    assert body.tags == ["tag"]


def test_a_comment_that_ends_on_a_line_frees_the_rest_of_it() -> None:
    body = scan("a %%b\nc %% #seen [[x]]")
    assert body.tags == ["seen"]
    assert [link.target for link in body.links] == ["x"]


# --- cost ----------------------------------------------------------------------------------------------

SIZE = 200_000
PATHOLOGICAL = {
    "ticks": "`" * SIZE, "ticks apart": "` " * (SIZE // 2), "growing ticks": "\n".join("`" * n for n in range(1, 600)),
    "dollars": "$" * SIZE, "dollars and letters": "$a" * (SIZE // 2), "per cents": "%" * SIZE,
    "per cents apart": "%% " * (SIZE // 3),
    "brackets": "[" * SIZE, "double brackets": "[[" * (SIZE // 2), "closing": "]" * SIZE,
    "links half": "[a](" * (SIZE // 4),
    "embeds": "![[" * (SIZE // 3), "hashes": "#" * SIZE, "hashes apart": "# " * (SIZE // 2),
    "one tag": "#" + "a" * SIZE, "tags": "#a " * (SIZE // 3),
    "colons": "- " + ":" * SIZE, "colons apart": "- " + ":: " * (SIZE // 3),
    "key without end": "- " + "k" * SIZE + "::", "dashes": "- " * (SIZE // 2),
    "blanks": " " * SIZE, "blanks and a sign": " " * SIZE + "x", "tabs": "\t" * SIZE,
    "item of blanks": "- " + " " * SIZE, "heading of blanks": "# " + " " * SIZE + "x",
    "heading of hashes": "# a " + "# " * (SIZE // 2), "quotes": ">" * SIZE, "quotes apart": "> " * (SIZE // 2),
    "carets": "^" * SIZE, "carets apart": " ^a" * (SIZE // 3),
    "arrows": "- k:: v " + "(→" * (SIZE // 2), "ranges": "- k:: v " + "(2019-01-01 → 2020-01-01)" * (SIZE // 25),
    "blanks before a range": "- k:: v" + " " * SIZE + "(→)",
    "indented lines": "- a\n\n" + "\n".join(["    x", ""] * (SIZE // 8)),
    "indented without a list": "\n".join(["", "    x"] * (SIZE // 8)),
    "blank lines": "\n" * SIZE, "carriage returns": "\r" * SIZE, "fences": "```\n" * (SIZE // 4),
    "fence line": "~" * SIZE, "tables": "| a \\| b " * (SIZE // 9),
    "marks": "#a" + "\u0301" * SIZE, "joiners": "#" + "\u200d" * SIZE, "loops": "- [ ] " * (SIZE // 6),
    "relations": "- " + "a_" * (SIZE // 2) + " [[b]]",
}  # fmt: skip


def test_pathological_text_costs_what_its_length_costs() -> None:
    """No clock here: at a square of 200,000 characters pytest's faulthandler_timeout would show the pattern."""
    for name, text in PATHOLOGICAL.items():
        assert len(text) > SIZE * 0.4, name
        scan(text)
        scan("\n".join(text[at : at + 3_000] for at in range(0, len(text), 3_000)))


def test_only_the_first_part_of_a_monstrous_line_is_read() -> None:
    body = scan("#first " + "x" * markdown.MAX_LINE + " #last\n#next")
    assert body.tags == ["first", "next"]


def test_a_fence_in_pre_tags_hides_nothing_behind_them() -> None:
    shown = "<pre><code>```mermaid\nA --> B\n```</code></pre>\n\n[[A]]\n```\n[[B]]\n```\n"
    assert [link.target for link in scan(shown).links] == ["A"]
    assert [link.target for link in scan("<pre>\n\n```\n[[B]]\n```\n[[A]]").links] == ["A"]


@pytest.mark.parametrize(
    ("line", "value", "until"),
    [
        ("- test:: `pytest -q`", "`pytest -q`", ""),
        ("- test:: run `a:: b` now (2026-01-01 → 2026-02-01) [source:: [[x]]]", "run `a:: b` now", "2026-02-01"),
        ("- test:: `[source:: [[x]]]`", "`[source:: [[x]]]`", ""),
        ("- test:: `x (→ 2026-01-01)`", "`x (→ 2026-01-01)`", ""),
        ("- test:: 80 %%was 90%%", "80", ""),
    ],
)
def test_a_value_may_be_code(line: str, value: str, until: str) -> None:
    (fact,) = scan(line).facts
    assert (fact.key, fact.value, fact.until) == ("test", value, until)


def test_code_in_observations_and_loops_is_kept() -> None:
    body = scan("- [rule] use ```json fences``` in docs\n- [ ] run `make #all [[x]]` ^abc")
    assert [seen.text for seen in body.observations] == ["use ```json fences``` in docs"]
    assert [(loop.text, loop.block) for loop in body.loops] == [("run `make #all [[x]]`", "abc")]
    assert (body.tags, body.links) == ([], [])
    assert scan("- `a`:: b\n- [`rule`] text").observations == scan("- `a`:: b").facts == []
