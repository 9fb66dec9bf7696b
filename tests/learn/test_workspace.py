"""What a look at a workspace finds, leaves out and never does: real checkouts made by git, traps among the files."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memdir.errors import NotFound
from memdir.learn.workspace import git, ignore
from memdir.learn.workspace import look as workspace
from memdir.learn.workspace.worth import refused, worth

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program")
posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")

Git = Callable[..., str]
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)
README = "# Atlas\n\nPlans tours of the harbour for people who arrive by train.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "atlas"
    made.mkdir()
    return made


@pytest.fixture
def run(place: Path) -> Git:
    """`run("commit", "-m", "x", date="2026-03-01T10:00:00Z")` in the workspace, which is a checkout from now on."""

    def call(*args: str, date: str = "2026-03-01T10:00:00Z") -> str:
        who = ("-c", "user.name=Ana", "-c", "user.email=ana@harbour.pt", "-c", "commit.gpgSign=false")
        env = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(["git", *who, *args], cwd=place, env=env, capture_output=True, check=True, timeout=60)
        return done.stdout.decode()

    call("init", "-q", "-b", "main")
    return call


def fill(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, "utf-8")


def age(root: Path) -> None:
    """Give every file a time of modification long ago (its inode keeps the time of now)."""
    for path in root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (10**9, 10**9))


def paths(seen: workspace.Seen) -> list[str]:
    return [file.path for file in seen.files]


def later() -> datetime:
    """A moment after everything made until now: times of files come from a clock that ticks every few ms."""
    time.sleep(0.02)
    now = datetime.now(UTC)
    time.sleep(0.02)
    return now


def test_a_first_look_takes_what_is_worth_it_best_first(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "docs/tides.md": "x", "src/app.py": "pass", "data.csv": "1,2", "notes.txt": "x"})
    run("add", ".")
    run("commit", "-qm", "Plan tours by tide")
    fill(place, {"TODO.md": "- [ ] ferries"})
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md", "TODO.md", "docs/tides.md", "notes.txt"]
    assert {file.reason for file in seen.files} == {"new"}
    assert (seen.git, seen.first, seen.looked, seen.name) == (True, True, 6, "atlas")
    readme, todo, *_ = seen.files
    assert readme.day == "2026-03-01"
    assert [commit.subject for commit in readme.commits] == ["Plan tours by tide"]
    assert readme.commits[0].hash == run("rev-parse", "HEAD")[:10]
    assert todo.commits == ()
    assert list(seen.sources) == ["src/app.py"]
    assert seen.skipped == {"not worth it": 1}


def test_what_changed_since_by_commits_and_by_times(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "docs/a.md": "a", "docs/b.md": "b", "docs/c.md": "c"})
    run("add", ".")
    run("commit", "-qm", "All", date="2026-01-01T10:00:00Z")
    age(place)
    since = later()
    assert paths(workspace.changed(place, since)) == []
    fill(place, {"docs/a.md": "a, edited and not committed", "docs/new.md": "n"})
    seen = workspace.changed(place, since)
    assert [(file.path, file.reason) for file in seen.files] == [("docs/a.md", "changed"), ("docs/new.md", "changed")]
    assert seen.skipped["unchanged"] == 3


def test_a_commit_in_the_window_says_new_or_changed(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "docs/a.md": "a"})
    run("add", ".")
    run("commit", "-qm", "All", date="2026-01-01T10:00:00Z")
    fill(place, {"docs/a.md": "aa", "docs/b.md": "b"})
    run("add", ".")
    run("commit", "-qm", "Second\n\nwith a body", date="2026-05-01T10:00:00Z")
    fill(place, {"docs/a.md": "aaa"})
    run("commit", "-qam", "Third", date="2026-05-02T10:00:00Z")
    seen = workspace.changed(place, datetime(2026, 4, 1, tzinfo=UTC))
    found = {file.path: file for file in seen.files}
    assert found["docs/b.md"].reason == "new"
    assert found["docs/a.md"].reason == "changed"
    assert [commit.subject for commit in found["docs/a.md"].commits] == ["Third", "Second"]


def test_a_pull_of_commits_older_than_the_last_scan_is_seen(place: Path, run: Git) -> None:
    fill(place, {"README.md": README})
    run("add", ".")
    run("commit", "-qm", "All", date="2026-01-01T10:00:00Z")
    run("switch", "-qc", "side")
    fill(place, {"docs/side.md": "s"})
    run("add", ".")
    run("commit", "-qm", "Side", date="2026-01-02T10:00:00Z")
    run("switch", "-q", "main")
    since = later()
    run("merge", "-q", "side")
    assert paths(workspace.changed(place, since)) == ["docs/side.md"]


def test_what_git_ignores_is_not_seen(place: Path, run: Git) -> None:
    fill(place, {".gitignore": "private/\n*.draft.md\n", "README.md": README, "private/a.md": "a", "b.draft.md": "b"})
    assert paths(workspace.changed(place, None)) == ["README.md"]
    fill(place, {"docs/.gitignore": "!keep.draft.md\n", "docs/keep.draft.md": "k", "docs/no.draft.md": "n"})
    assert paths(workspace.changed(place, None)) == ["README.md", "docs/keep.draft.md"]


def test_what_is_a_note_is_not_seen(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "docs/a.md": "a", "docs/b.md": "b", "setup/pyproject.toml": "[project]"})
    seen = workspace.changed(place, None, most=1, is_note=lambda path: path.endswith(".md"))
    assert paths(seen) == ["setup/pyproject.toml"]
    assert seen.skipped == {"a note": 3}


def test_without_git_the_same_files_are_ignored(place: Path) -> None:
    fill(place, {".gitignore": "private/\n*.draft.md\n/top.md\n", "README.md": README, "private/a.md": "a"})
    fill(place, {"b.draft.md": "b", "top.md": "t", "sub/top.md": "t", "docs/.gitignore": "!keep.draft.md\n"})
    fill(place, {"docs/keep.draft.md": "k", "docs/no.draft.md": "n"})
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md", "docs/keep.draft.md", "sub/top.md"]
    assert not seen.git
    assert seen.skipped["ignored"] == 4


@pytest.mark.parametrize(
    ("line", "path", "folder", "expected"),
    [
        ("a", "x/a", False, True), ("/a", "x/a", False, False), ("a/", "a", False, False), ("a/", "a", True, True),
        ("x/*.md", "x/a.md", False, True), ("x/*.md", "x/y/a.md", False, False), ("**/a", "x/y/a", False, True),
        ("x/**", "x/y/a", False, True), ("x/**/a", "x/a", False, True), ("x/**/a", "x/1/2/a", False, True),
        ("#a", "#a", False, False), ("a?c", "abc", False, True), ("[ab].md", "b.md", False, True),
        ("", "a", False, False), ("!a", "a", False, False),
    ],
)  # fmt: skip
def test_patterns(line: str, path: str, folder: bool, expected: bool) -> None:
    assert ignore.ignored(ignore.read(line, ""), path, folder) is expected


def test_a_hostile_pattern_costs_no_time() -> None:
    patterns = ignore.read("*a" * 99 + "b\n" + "**/a/**/*a*a*a*a*b\n", "")
    start = time.process_time()
    assert not ignore.ignored(patterns, "/".join(["a" * 200] * 15), False)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("checkout", [True, False])
def test_never_opened(place: Path, checkout: bool, request: pytest.FixtureRequest) -> None:
    """Secret, hidden and built files: no name of theirs reaches the system's `open`."""
    secret = [".env", ".env.local", "server.pem", "tls.key", "id_rsa", "id_ed25519.pub", "credentials.json", "a.kdbx",
        ".netrc", ".npmrc", "secrets.md", "secrets.yaml", "my-service-account.json", "docs/Credentials.md",
        "docs/secrets/list.md", "passwords.txt", "密码.md"]  # fmt: skip
    other = ["node_modules/x/README.md", "venv/README.md", ".hidden/README.md", "target/README.md", "tests/README.md"]
    fill(place, dict.fromkeys([*secret, *other], "trap") | {"README.md": README})
    if checkout:
        call = request.getfixturevalue("run")
        call("add", "-f", ".")
        call("commit", "-qm", "all of it")
    opened = _opened()
    seen = workspace.changed(place, None)
    names = {os.path.basename(path) for path in opened()}
    assert "README.md" in names
    assert not names & {os.path.basename(path) for path in secret}
    assert paths(seen) == ["README.md"]
    assert seen.skipped["secret"] == len(secret)
    assert {"hidden", "dependencies", "test data"} <= set(seen.skipped)


def _opened() -> Callable[[], list[str]]:
    """Record what this process opens from now on; the value ends the record and returns it."""
    record: list[str] = []
    on = [True]

    def hook(event: str, args: tuple[object, ...]) -> None:
        if on[0] and event == "open" and isinstance(args[0], str):
            record.append(args[0])

    def end() -> list[str]:
        on[0] = False
        return record

    sys.addaudithook(hook)
    return end


@posix
@pytest.mark.parametrize("checkout", [True, False])
def test_links_pipes_binaries_and_large_files(
    place: Path, tmp_path: Path, checkout: bool, request: pytest.FixtureRequest
) -> None:
    if checkout:
        request.getfixturevalue("run")
    fill(tmp_path, {"outside/secret.md": "outside", "outside/deep/README.md": "outside"})
    fill(place, {"README.md": README, "docs/min.md": "x" * 30_000, "docs/large.md": "y " * 200_000})
    fill(place, {"docs/gen.md": "<!-- Code generated by tool. DO NOT EDIT. -->\n\nText", "yarn.lock": "x"})
    (place / "docs" / "null.md").write_bytes(b"a\0b")
    (place / "docs" / "gbk.md").write_bytes("说明文档".encode("gbk"))
    (place / "linked.md").symlink_to(tmp_path / "outside" / "secret.md")
    (place / "away").symlink_to(tmp_path / "outside" / "deep")
    os.mkfifo(place / "pipe.md")
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md"]
    counts = {"binary": 2, "large": 1, "generated": 3}
    assert counts.items() <= dict(seen.skipped).items()
    assert seen.skipped["link"] == (1 if checkout else 2)  # a link to a folder is no document by its name


@posix
def test_a_folder_replaced_by_a_link_leads_nowhere(place: Path, tmp_path: Path, run: Git) -> None:
    fill(place, {"docs/a.md": "inside", "README.md": README})
    run("add", ".")
    run("commit", "-qm", "all")
    fill(tmp_path, {"outside/a.md": "outside"})
    shutil.rmtree(place / "docs")
    (place / "docs").symlink_to(tmp_path / "outside")
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md"]
    assert seen.skipped["link"] == 1


@posix
def test_a_checkout_that_points_elsewhere_shows_nothing_from_there(place: Path, tmp_path: Path, run: Git) -> None:
    fill(tmp_path, {"outside/private.md": "outside", "outside/README.md": "outside"})
    fill(place, {"README.md": README})
    run("config", "core.worktree", str(tmp_path / "outside"))
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md"]
    assert "outside" not in seen.files[0].text


TRAPS = {
    "core.fsmonitor": "{trap}", "core.hooksPath": "{hooks}", "core.pager": "{trap}", "pager.log": "{trap}",
    "pager.ls-files": "{trap}", "diff.external": "{trap}", "diff.trap.textconv": "{trap}",
    "diff.trap.command": "{trap}", "filter.trap.clean": "{trap}", "filter.trap.smudge": "{trap}",
    "filter.trap.process": "{trap}",
    "gpg.program": "{trap}", "log.showSignature": "true", "core.sshCommand": "{trap}", "credential.helper": "{trap}",
    "core.alternateRefsCommand": "{trap}", "core.editor": "{trap}", "core.askPass": "{trap}", "alias.log": "!{trap}",
    "alias.ls-files": "!{trap}", "core.untrackedCache": "true", "diff.orderFile": "{missing}",
}  # fmt: skip
SIGNED = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n"


@posix
def test_a_hostile_checkout_runs_nothing(place: Path, tmp_path: Path, run: Git) -> None:
    """Every program that a checkout's configuration can name leaves a mark when it runs; none does."""
    fill(place, {"README.md": README, ".gitattributes": "* diff=trap filter=trap\n", "docs/a.md": "a"})
    run("add", ".")
    run("commit", "-qm", "First")
    _sign(run)
    fill(place, {"README.md": README + "more\n"})  # as racy for git as can be: compared by content when asked
    marker = _set_traps(place, tmp_path, run)
    subprocess.run(["git", "status"], cwd=place, capture_output=True, check=False, timeout=60)
    assert marker.exists(), "the traps are not armed"
    marker.unlink()
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md", "docs/a.md"]
    assert seen.git
    assert [commit.subject for commit in seen.files[0].commits] == ["First"]
    assert not marker.exists(), marker.read_text()
    subprocess.run(["git", "log", "-1", "--format=%H"], cwd=place, capture_output=True, check=False, timeout=60)
    assert marker.exists(), "the signature is not checked by an ordinary log"


def _set_traps(place: Path, tmp_path: Path, run: Git) -> Path:
    marker, trap, hooks = tmp_path / "marker", tmp_path / "trap", tmp_path / "hooks"
    trap.write_text(f'#!/bin/sh\necho "$0 $@" >> "{marker}"\ncat\n')
    trap.chmod(0o755)
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(trap, hooks / hook)
    for name, value in TRAPS.items():
        run("config", name, value.format(trap=trap, hooks=hooks, missing=tmp_path / "missing"))
    return marker


def _sign(run: Git) -> None:
    """Give the last commit a signature, so that a log that shows signatures asks gpg."""
    head = run("cat-file", "commit", "HEAD")
    fields, _, message = head.partition("\n\n")
    signed = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], input=f"{fields}\n{SIGNED}\n{message}".encode(),
        cwd=run("rev-parse", "--show-toplevel").strip(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    run("update-ref", "HEAD", signed.stdout.decode().strip())


@posix
def test_a_partial_clone_fetches_nothing(place: Path, tmp_path: Path, run: Git) -> None:
    fill(place, {"README.md": README})
    run("add", ".")
    run("commit", "-qm", "First")
    fill(place, {"docs/a.md": "a"})
    run("add", ".")
    run("commit", "-qm", "Second")
    tree = run("rev-parse", "HEAD~^{tree}").strip()
    (place / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    marker, trap = tmp_path / "marker", tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{marker}"\n')
    trap.chmod(0o755)
    for name, value in {
        "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": f"file://{tmp_path}", "remote.origin.uploadpack": str(trap),
        "protocol.file.allow": "always",
    }.items():  # fmt: skip
        run("config", name, value)
    subprocess.run(["git", "log", "--name-status"], cwd=place, capture_output=True, check=False, timeout=60)
    assert marker.exists(), "the trap is not armed"
    marker.unlink()
    assert paths(workspace.changed(place, None)) == ["README.md", "docs/a.md"]
    assert not marker.exists()


@posix
def test_no_program_of_the_workspace_is_taken_for_git(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(place, {"README.md": README, "bin/git": f'#!/bin/sh\ntouch "{tmp_path}/marker"\n'})
    (place / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}/bin{os.pathsep}{os.environ['PATH']}")
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md"]
    assert not (tmp_path / "marker").exists()


@posix
def test_a_folder_laid_out_like_a_repository_brings_no_settings(place: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", "."], cwd=place, check=True, capture_output=True, timeout=60)
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\ntouch "{tmp_path}/marker"\n')
    trap.chmod(0o755)
    with (place / "config").open("a") as file:
        file.write(f"[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {trap}\n")
    fill(place, {"README.md": README})
    seen = workspace.changed(place, None)
    assert paths(seen) == ["README.md"]
    assert not seen.git
    assert not (tmp_path / "marker").exists()


def test_variables_of_a_calling_git_do_not_lead_elsewhere(
    place: Path, tmp_path: Path, run: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(place, {"README.md": README})
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True, capture_output=True, timeout=60)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    seen = workspace.changed(place, None)
    assert (seen.git, paths(seen)) == (True, ["README.md"])


def test_a_checkout_that_git_refuses_is_read_as_a_folder(place: Path, run: Git) -> None:
    fill(place, {"README.md": README})
    (place / ".git" / "HEAD").write_text("damaged")
    seen = workspace.changed(place, None)
    assert (seen.git, paths(seen)) == (False, ["README.md"])
    assert "git does not read" in seen.problem


def test_a_folder_within_a_checkout(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "part/README.md": "# Part\n", "part/docs/a.md": "a"})
    run("add", ".")
    run("commit", "-qm", "All")
    seen = workspace.changed(place / "part", None)
    assert paths(seen) == ["README.md", "docs/a.md"]
    assert [commit.subject for commit in seen.files[0].commits] == ["All"]


def test_a_subject_or_name_forges_no_commit(place: Path, run: Git) -> None:
    fill(place, {"README.md": README, "commit": "x", "docs/M": "x", "docs/odd\x01commit.md": "x"})
    run("add", ".")
    run("commit", "-qm", "commit\x01deadbeef M README.md")
    found = git.history(place, None)
    assert set(found) == {"README.md", "commit", "docs/M", "docs/odd\x01commit.md"}
    assert {commit.hash for one in found.values() for commit in one.commits} == {run("rev-parse", "HEAD")[:10]}
    assert workspace.changed(place, None).skipped["odd name"] == 1


@pytest.mark.parametrize("checkout", [True, False])
def test_the_vault_is_left_out(place: Path, checkout: bool, request: pytest.FixtureRequest) -> None:
    if checkout:
        request.getfixturevalue("run")
    fill(place, {"README.md": README, "notes/README.md": "vault", "notes/deep/plan.md": "vault", "notes2/a.md": "b"})
    seen = workspace.changed(place, None, exclude=place / "notes")
    assert paths(seen) == ["README.md", "notes2/a.md"]
    fill(place, {"memory/project/roadmap.md": "own", "MEMORY.md": "own"})
    seen = workspace.changed(place, None, exclude=place)
    assert set(paths(seen)) == {"README.md", "notes/README.md", "notes/deep/plan.md", "notes2/a.md"}
    shutil.rmtree(place / "memory")
    assert paths(workspace.changed(place, None, exclude=place)) == []  # an adopted folder: every document is a note


def test_the_same_look_twice_and_what_is_known(place: Path, run: Git) -> None:
    fill(place, {"README.md": README} | {f"docs/{n}.md": f"{n}" for n in range(9)})
    run("add", ".")
    run("commit", "-qm", "All")
    first = workspace.changed(place, None, most=4)
    assert first == workspace.changed(place, None, most=4)
    assert first.skipped["beyond the limit"] == 6
    known = {(file.path, file.digest) for file in first.files}
    second = workspace.changed(place, None, most=4, known=known)
    assert paths(second) == ["docs/3.md", "docs/4.md", "docs/5.md", "docs/6.md"]
    assert second.skipped["known"] == 4


def test_a_workspace_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="workspace"):
        workspace.changed(tmp_path / "missing", None)


@pytest.mark.parametrize("since", [None, LONG_AGO, LONG_AGO - timedelta(days=1), datetime(2001, 1, 1)])
def test_an_empty_checkout(place: Path, run: Git, since: datetime | None) -> None:
    seen = workspace.changed(place, since)
    assert (seen.files, seen.looked) == ((), 0)


@pytest.mark.parametrize(
    ("path", "form", "kind"),
    [
        ("README.md", "readme", "project"), ("说明.md", "readme", "project"), ("CHANGELOG", "changelog", "project"),
        ("更新日志.md", "changelog", "project"), ("docs/adr/0007-queue.md", "decision", "project"),
        ("决策/队列.md", "decision", "project"), ("docs/architecture.md", "design", "project"),
        ("系统设计.md", "design", "project"), ("待办.md", "plan", "project"), ("ROADMAP.md", "plan", "project"),
        ("AGENTS.md", "working", "ref"), ("CONTRIBUTING.rst", "working", "ref"), ("部署说明.md", "howto", "ref"),
        ("ops/runbooks/db.md", "howto", "ref"), ("docs/api.md", "docs", "ref"), ("文档/接口.md", "docs", "ref"),
        ("pyproject.toml", "manifest", "project"), ("web/package.json", "manifest", "project"),
        ("docker-compose.yml", "service", "ref"), ("api/openapi.v2.yaml", "service", "ref"),
        (".github/workflows/ci.yml", "build", "ref"), ("ideas.txt", "prose", "ref"),
        ("notes/2026-03-01 call.md", "journal", "ref"), ("README.zh-CN.md", "translation", "ref"),
        ("如何保证完成自己制定的计划.md", "prose", "ref"),
    ],
)  # fmt: skip
def test_what_a_name_says(path: str, form: str, kind: str) -> None:
    found = worth(path)
    assert found is not None
    assert (found.form, found.kind) == (form, kind)
    assert not refused(path)


@pytest.mark.parametrize(
    "path",
    ["LICENSE", "LICENSE.md", "CODE_OF_CONDUCT.md", "src/app.py", "data.json", "memory/project/x.md", "MEMORY.md",
     "SOUL.md", "robots.txt", "CMakeLists.txt", ".github/ISSUE_TEMPLATE/bug.md", "logo.svg"],
)  # fmt: skip
def test_what_is_not_worth_it(path: str) -> None:
    assert worth(path) is None
