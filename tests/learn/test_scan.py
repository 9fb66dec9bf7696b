"""What proposals say: the files' own words, harmless, short, the same every time."""

import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.learn.workspace import git, inert, manifest, prose, scan
from memdir.learn.workspace import look as workspace
from memdir.learn.workspace.worth import worth
from memdir.text import printable
from memdir.vault import markdown

TODAY = date(2026, 11, 29)


def file(path: str, content: str, *, reason: str = "new", commits: Sequence[git.Commit] = ()) -> workspace.File:
    what = worth(path)
    assert what is not None
    digest = workspace.tree.digest(content.encode("utf-8", "surrogatepass"))
    return workspace.File(path, reason, what, content, digest, "2026-03-01", tuple(commits))


def seen(
    *files: workspace.File, sources: dict[str, tuple[git.Commit, ...]] | None = None, first: bool = True
) -> workspace.Seen:
    return workspace.Seen("atlas", files, sources or {}, {}, len(files), True, first)


def one(path: str, content: str) -> scan.Proposal:
    offer = scan.proposals(seen(file(path, content)), TODAY)
    assert len(offer.proposals) == 1, offer
    return offer.proposals[0]


README = """---
title: hidden
---
<p align="center"><img src="logo.png"></p>

# Atlas [![build](https://img.shields.io/x.svg)](https://ci.example.com)

[English](README.md) | [中文](README.zh.md)

Plans tours of the harbour for people who arrive by train,
with the [tides](https://tides.harbour.pt/api?key=1) in mind.

## Install

```sh
pip install atlas # not in the note
```

## Design <!-- not this -->

Text.
"""


def test_a_readme() -> None:
    found = one("README.md", README)
    assert (found.kind, found.title, found.source, found.reason) == ("project", "atlas: README", "README.md", "new")
    assert found.body == (
        "> Plans tours of the harbour for people who arrive by train, with the tides in mind.\n>\n"
        "> Sections: Install; Design\n>\n> Links: https://tides.harbour.pt/api\n\n"
        f"From `README.md`, of 2026-03-01; read 2026-11-29, sha256 {found.digest[:12]}."
    )


def test_the_commit_it_comes_from() -> None:
    commits = [git.Commit("abc1234567", "2026-05-02", "Tours by tide [[x]]"), git.Commit("def", "2026-05-01", "Second")]
    offer = scan.proposals(seen(file("docs/a.md", README, reason="changed", commits=commits)), TODAY)
    body = offer.proposals[0].body
    assert "> Commits: Tours by tide x; Second" in body
    assert "commit abc1234567 of 2026-05-02" in body


def test_the_newest_section_of_a_changelog() -> None:
    text = "# Changelog\n\nAll changes.\n\n## [Unreleased]\n\n## [1.4.0] - 2026-10-01\n\n### Added\n\n- Ferries\n\n"
    body = one("CHANGELOG.md", text + "### Fixed\n\n- Tides of [#3](x)\n\n## [1.3.0]\n\n- Old\n").body
    assert "> **1.4.0 - 2026-10-01**\n>\n> - Ferries\n> - Tides of \\#3\n" in body.replace("[1.4.0]", "1.4.0")
    assert "Old" not in body


def test_open_items_without_their_boxes() -> None:
    body = one("TODO.md", "# Todo\n\n- [x] Done\n- [ ] Ferry times\n  for winter\n- [/] Half\n- [-] Dropped\n").body
    assert body.startswith("> - Ferry times for winter\n> - Half\n\n")
    assert one("待办.md", "- 潮汐接口\n- 冬季航班\n").body.startswith("> - 潮汐接口\n> - 冬季航班\n\n")
    assert scan.proposals(seen(file("TODO.md", "- [x] All done\n")), TODAY).empty == 1


def test_a_decision_has_status_and_choice() -> None:
    text = "# 7. Queue\n\nStatus: accepted\n\n## Context\n\nJobs are lost when the worker restarts.\n\n## Decision\n\n"
    found = one(
        "docs/adr/0007-queue.md", text + "We keep jobs in PostgreSQL.\n\n## Consequences\n\nOne service less.\n"
    )
    assert found.title == "atlas: 7. Queue"
    assert found.body.startswith("> Status: accepted\n>\n")
    assert "> Decision: We keep jobs in PostgreSQL." in found.body


MANIFESTS = {
    "pyproject.toml": (
        '[project]\nname = "atlas"\nversion = "1.4"\ndescription = "Tours"\nrequires-python = ">=3.11"\n'
        'dependencies = ["httpx>=0.27 ; python_version > \'3\'", "rich"]\n[project.scripts]\natlas = "atlas:main"\n',
        ["atlas 1.4: Tours", "Python: >=3.11", "Depends on: httpx>=0.27, rich", "Commands: atlas"],
    ),
    "package.json": (
        '{"name": "web", "scripts": {"dev": "vite"}, "dependencies": {"vue": "3"}, "engines": {"node": ">=20"}}',
        ["Name: web", "Engines: node >=20", "Scripts: dev (vite)", "Depends on: vue"],
    ),
    "Cargo.toml": (
        '[package]\nname = "tide"\nversion = "0.2.0"\n[dependencies]\nserde = "1"\n',
        ["Name: tide 0.2.0", "Depends on: serde"],
    ),
    "go.mod": (
        "module harbour.pt/tide\n\ngo 1.22\n\nrequire (\n\tgolang.org/x/net v0.1.0\n\tb.io/c v1.0.0 // indirect\n)\n",
        ["Module: harbour.pt/tide", "Go: 1.22", "Depends on: golang.org/x/net v0.1.0"],
    ),
    "pom.xml": (
        "<project><parent><artifactId>p</artifactId></parent><artifactId>tide</artifactId><version>1</version>"
        "<dependencies><dependency><artifactId>junit</artifactId></dependency></dependencies></project>",
        ["Artifact: tide", "Version: 1", "Depends on: junit"],
    ),
    "requirements.txt": ("# c\nhttpx==0.27 # x\nrich\n-r other.txt\n", ["Depends on: httpx==0.27, rich"]),
    "docker-compose.yml": (
        "services:\n  db: &db\n    image: postgres:16\n    environment:\n      PASSWORD: hunter2\n"
        '    ports:\n      - "5432:5432"\n  web:\n    <<: *db\n    build: .\nvolumes:\n  data:\n',
        ["Services: db (postgres:16, port 5432:5432), web"],
    ),
    "Dockerfile": (
        'FROM python:3.12 AS base\nENV TOKEN=hunter2\nEXPOSE 8080\nCMD ["atlas", \\\n "serve"]\n',
        ["Built from: python:3.12 AS base", "Ports: 8080", 'Runs: ["atlas",   "serve"]'],
    ),
    "Makefile": ("X := 1\ntest: build ## Run tests\n\tpytest\nbuild:\n", ["Targets: test (Run tests), build"]),
    ".github/workflows/ci.yml": (
        "name: CI\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: x\n    steps:\n"
        "      - uses: actions/checkout@v4\n      - name: t\n        run: scripts/check\n",
        ["Workflow: CI", "Runs on: push", "Jobs: test", "Steps: scripts/check"],
    ),
    "openapi.yaml": (
        "openapi: 3.1.0\ninfo:\n  title: Tides\n  version: '2'\nservers:\n  - url: https://api.harbour.pt\n"
        "paths:\n  /tides/{day}:\n    get:\n      summary: x\n",
        ["API: Tides", "Version: 2", "Servers: https://api.harbour.pt", "Paths: /tides/{day}"],
    ),
}


@pytest.mark.parametrize("path", MANIFESTS)
def test_manifests(path: str) -> None:
    content, expected = MANIFESTS[path]
    assert manifest.facts(path, content) == expected
    assert "hunter2" not in one(path, content).body


@pytest.mark.parametrize("path", MANIFESTS)
@pytest.mark.parametrize(
    "content",
    ["", "\ufeff{", "[" * 100_000, "{" * 100_000, "a." * 120_000 + "a=1", "a: " * 80_000, "- " * 120_000, "[]", "1",
     '{"name": 1, "scripts": [], "dependencies": "x", "engines": 3}', "<dependencies>" * 20_000, "x\n" * 120_000,
     'project = 1\ntool = []\npackage = "x"\n', "\\\n" * 100_000, "a" * 250_000],
    ids=range(15),
)  # fmt: skip
def test_odd_manifests_are_quick_and_raise_nothing(path: str, content: str) -> None:
    start = time.process_time()
    assert isinstance(manifest.facts(path, content), list)
    assert time.process_time() - start < 3


def test_program_text_that_changed_is_one_proposal_by_its_commits() -> None:
    new, old = git.Commit("b" * 10, "2026-05-02", "Tours by tide", 0), git.Commit("a" * 10, "2026-05-01", "Add x", 1)
    sources = {"src/x/a.py": (new, old), "src/x/b.py": (new,), "app.py": (old,)}
    group = scan.proposals(seen(sources=sources, first=False), TODAY).proposals[0]
    assert (group.kind, group.source, group.reason) == ("project", ".", "changed")
    assert group.title == "atlas: 3 source files changed, 2026-05-01 to 2026-05-02"
    assert group.body == (
        "> - 2026-05-02 Tours by tide\n> - 2026-05-01 Add x\n\n"
        "3 source files changed in 2 commits up to bbbbbbbbbb: `src/x` 2, `.` 1; read 2026-11-29."
    )
    known = {(".", group.digest)}
    assert not scan.proposals(seen(sources=sources, first=False), TODAY, known=known).proposals
    assert not scan.proposals(seen(sources=sources), TODAY).proposals


def test_best_first_bounded_and_counted() -> None:
    about = "# Page {0}\n\nWhat page {0} says about tides and tours of the harbour."
    files = [file(f"docs/{n:02}.md", about.format(n)) for n in range(40)]
    files += [file("README.md", README), file("docs/adr/1.md", README), file("empty.md", "# Only a title\n")]
    offer = scan.proposals(seen(*files), TODAY)
    assert [found.source for found in offer.proposals[:2]] == ["README.md", "docs/adr/1.md"]
    assert len(offer.proposals) == scan.MOST
    assert (offer.rest, offer.known, offer.empty) == (22, 0, 1)
    assert len({found.title for found in offer.proposals}) == scan.MOST
    assert scan.proposals(seen(*reversed(files)), TODAY) == offer


def test_what_was_proposed_is_not_proposed_again() -> None:
    first = file("README.md", README)
    known = {(first.path, first.digest)}
    assert scan.proposals(seen(first), TODAY, known=known) == scan.Offer((), 0, 1, 0)
    again = scan.proposals(seen(file("README.md", README + "\nMore.\n")), TODAY, known=known)
    assert again.proposals[0].reason == "changed"


def test_restructured_text_and_asciidoc() -> None:
    rst = "=====\nTides\n=====\n\n.. image:: x.png\n   :alt: no\n\n"
    rst += "Computes ``tides`` of the harbour with :ref:`the tables <t>` of 1998.\n\nUse\n---\n"
    assert "> Computes `tides` of the harbour with the tables of 1998." in one("docs/tides.rst", rst).body
    assert one("docs/tides.rst", rst).title == "atlas: Tides"
    adoc = "= Tides\n:toc:\n\nComputes the link:https://x.pt/t[tides] of the harbour from the tables.\n\n"
    adoc += "----\ncode\n----\n\n== Use\n"
    found = one("docs/tides.adoc", adoc)
    assert found.title == "atlas: Tides"
    assert found.body.startswith("> Computes the tides of the harbour from the tables.\n")


HOSTILE = (
    "# T [[a]] %%x%%\n\n- [ ] box\n\nSay [[secret|this]] ![[e]] #tag ^block\n\n%%\nhidden\n%%\n\n"
    "key:: value `$= app.vault.delete()` `= this.x` <!-- c --> <script>x()</script> <% tp.system() %> {{x}} $$a$$ "
    "\x1b[31mred\u202e \U000e0041\n\n> [!note] callout\n\n## [ ] [x] - [ ] box ^id\n\n[x](javascript:alert) "
    "&lt;!-- d --&gt; "
    "&#91;&#91;w&#93;&#93; [<b></b>[z]<b></b>] %<b></b>% ~~~ ``` end ^a ^b\n"
)
PIECES = (
    "[[", "]]", "%%", "<!--", "-->", "- [ ] ", "[x] ", " ^id", "#tag", "key:: v", "$$", "```", "~~~", "`$= x`", "`= x`",
    "<b>", "</b>", "<%", "%>", "{{", "}}", "---", "\n", "\n\n", "# ", "> ", "&lt;", "&#91;", "&#37;", "\x1b]0;x\x07",
    "\u202e", "\u2028", "\x85", "\r", "1. ", "![", "](", ")", "https://u:p@h.pt/?q", "|", "text ", "\U000e0041", "::",
)  # fmt: skip


def harmless(body: str, origin: bool = True) -> None:
    for mark in ("[[", "]]", "%%", "<!--", "-->", "$$", "```", "~~~", "<%", "{{", "`=", "`$="):
        assert mark not in body, mark
    assert printable(body) == body
    assert len(body.splitlines()) == body.count("\n") + 1
    lines = body.split("\n")
    quoted = [line for line in lines if line.startswith(">")]
    assert lines == [*quoted, "", lines[-1]] if origin else True
    for line in quoted:
        assert not inert._MARKER.match(line.removeprefix("> ").removeprefix("- ")) or line == ">", line
    found = markdown.scan(lines)
    assert found == markdown.Body()


@pytest.mark.parametrize("path", ["README.md", "TODO.md", "CHANGELOG.md", "docs/adr/1.md", "docs/a.rst", "notes.adoc"])
def test_nothing_hostile_is_carried_over(path: str) -> None:
    for found in scan.proposals(seen(file(path, HOSTILE)), TODAY).proposals:
        harmless(found.body)
        harmless(f"> {found.title}", origin=False)
        assert "hidden" not in found.body
        assert "javascript" not in found.body


@settings(max_examples=250, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=40).map("".join),
    st.sampled_from(
        ["README.md", "TODO.md", "CHANGELOG.md", "docs/adr/1.md", "a.rst", "a.adoc", "Makefile", "pom.xml"]
    ),
)
def test_any_text_becomes_a_harmless_note(content: str, path: str) -> None:
    commits = [git.Commit("abc", "2026-05-01", content[:200].replace("\n", " "))]
    offer = scan.proposals(seen(file(path, content, reason="changed", commits=commits)), TODAY)
    for found in offer.proposals:
        assert len(found.body) <= scan.LONGEST
        assert 0 < len(found.title) <= 90
        assert "\n" not in found.title
        harmless(found.body)
        harmless(f"> {found.title}", origin=False)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=25).map("".join))
def test_cleaning_is_done_once(line: str) -> None:
    assert inert.plain(inert.plain(line)) == inert.plain(line)


@pytest.mark.parametrize(
    "content",
    ["<" * 100_000, "[" * 100_000, "![" * 60_000, "[](" * 50_000, "`" * 100_000, "<!--" * 50_000, "%%" * 60_000,
     "- [ ] " * 40_000, "\n- x" * 60_000, "# x\n" * 60_000, "x\n=\n" * 60_000, "> " * 100_000, "&#91;" * 50_000,
     "https://" * 30_000, "{{" * 60_000, "a b " * 60_000, "^a " * 60_000, "[a]" * 60_000, ":a:`" * 40_000],
    ids=range(19),
)  # fmt: skip
@pytest.mark.parametrize("path", ["README.md", "TODO.md", "docs/a.rst", "a.adoc"])
def test_long_odd_texts_are_quick(path: str, content: str) -> None:
    for text in (content, content.replace("\n", " ")[:3_990], "\n".join(content[:3_900] for _ in range(60))):
        start = time.process_time()
        scan.proposals(seen(file(path, text)), TODAY)
        assert time.process_time() - start < 3


def test_the_project_itself() -> None:
    """Its own checkout: the README comes first, and no note of its vault is proposed."""
    root = Path(__file__).parents[2]
    look = workspace.changed(root, None, exclude=root)
    offer = scan.proposals(look, TODAY)
    assert offer.proposals[0].source == "README.md"
    assert not [found for found in offer.proposals if found.source.startswith("memory/")]
    assert prose.read("# A\n\nb", "a.md").title == "A"


def test_ids_at_the_end_of_a_line_are_taken_away_once_each() -> None:
    began = time.process_time()
    assert inert.inline("a" + " ^a" * 100_000) == "a"
    assert time.process_time() - began < 2
    assert inert.inline("go ^a-1 on ^b  ^c ") == "go ^a-1 on"


@pytest.mark.parametrize(
    "said", ["每周三部署到预发环境，端口 8090。", "Every Wednesday it goes to staging, port 8090."]
)
def test_a_short_document_says_as_much_in_every_script(said: str) -> None:
    assert said in one("docs/deploy.md", f"# 部署说明\n\n{said}\n").body
    assert said in one("README.md", f"# 部署说明\n\n{said}\n").body
