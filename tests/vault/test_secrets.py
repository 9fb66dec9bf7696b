"""Secrets leave a text before it is written, and nothing else does."""

import itertools
import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdir.evals.reliability.secret_lines import corpus
from memdir.vault import secrets
from memdir.vault.secrets import find, redact

SUITE = settings(max_examples=300, deadline=None, derandomize=True)
KEY = b"a key of this machine"
GITHUB = "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8"
AWS = "AK" + "IA" + "QWERTY7ASDF5ZXCV"


@pytest.mark.parametrize("seed", [20261129, 7, 42])
def test_the_labelled_lines(seed: int) -> None:
    lines = corpus(seed)
    held = [line for line in lines if line.secrets]
    plain = [line for line in lines if not line.secrets]
    assert len(lines) >= 1_000
    assert 0.45 < len(held) / len(lines) < 0.55
    missed = [line.text for line in held if any(secret in redact(line.text, KEY)[0] for secret in line.secrets)]
    false = [line.text for line in plain if redact(line.text, KEY) != (line.text, [])]
    found, wrong = 1 - len(missed) / len(held), len(false) / len(plain)
    figures = f"{found:.1%} of {len(held)} found, {wrong:.2%} of {len(plain)} false"
    assert found >= 0.98, f"{figures}; missed: {missed}"
    assert wrong <= 0.005, f"{figures}; false: {false}"


def test_what_surrounds_a_secret_stays() -> None:
    """At least nine in ten finds are the labelled span to the character; the rest differ by a sign or a prefix."""
    held = [line for line in corpus() if len(line.secrets) == 1]
    exact = [line for line in held if [line.text[a:b] for _, a, b in find(line.text)] == list(line.secrets)]
    assert len(exact) / len(held) >= 0.9, f"{len(exact)} of {len(held)} exact"


@pytest.mark.parametrize(
    ("text", "kinds", "shown"),
    [
        ("my password is hunter2!", ["password"], "my password is ⟦secret:password:{}⟧"),
        ("密码是 Tr0ub4dor&3，别说", ["password"], "密码是 ⟦secret:password:{}⟧，别说"),
        ("postgres://mara:Kq82jfn2x@db/shop", ["url"], "postgres://mara:⟦secret:url:{}⟧@db/shop"),
        (f"id {AWS}.", ["aws"], "id ⟦secret:aws:{}⟧."),
        (f"GITHUB_TOKEN={GITHUB}\n", ["github"], "GITHUB_TOKEN=⟦secret:github:{}⟧\n"),
        ("?token=a8Xk29dkQpz31LmT&x=1", ["token"], "?token=⟦secret:token:{}⟧&x=1"),
        ("- password:: Kq82jfn2x ^k3f9", ["password"], "- password:: ⟦secret:password:{}⟧ ^k3f9"),
        ('{"pin": "4711"}', ["code"], '{{"pin": "⟦secret:code:{}⟧"}}'),
    ],
)
def test_a_marker_stays_in_place(text: str, kinds: list[str], shown: str) -> None:
    (one,) = find(text)
    shown_hex = secrets.marker(one.kind, text[one.start : one.end], KEY)[-5:-1]
    assert redact(text, KEY) == (shown.format(shown_hex), kinds)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("My password is swordfish and I prefer dark mode.", "swordfish"),
        ("We decided that the admin password is correcthorse.", "correcthorse"),
        ("The wifi password is blue-horse-42", "blue-horse-42"),
        ("The password for the router's still Rosebud!", "Rosebud!"),
        ("my password: swordfish", "swordfish"),
        ("My password is correct horse battery staple.", "correct horse battery staple"),
        ("I use swordfish as my password.", "swordfish"),
        ("我的密码是swordfish。", "swordfish"),
        ("口令改成 bluebird，别忘了", "bluebird"),
    ],
)
def test_a_plain_word_is_a_password_where_a_sentence_says_so(text: str, word: str) -> None:
    assert [text[start:end] for _, start, end in find(text)] == [word]


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored in the keychain.",
        "My password is too weak.",
        "My password is shared with nobody else anyway.",
        "My password is wrong for some reason today.",
        "password is required",
        "The password is read-only, sorry.",
        "The password is wrong.",
        "I use Bitwarden as my password manager.",
        "password: swordfish.example.org",
        "Passwort ist erforderlich",
        "密码是 required 字段",
        "密码是必填项。",
        "The pass is open.",
    ],
)
def test_what_is_said_of_a_password_is_no_password(text: str) -> None:
    assert redact(text, KEY) == (text, [])


def test_the_same_secret_shows_the_same_marker_under_one_key_only() -> None:
    text = f"{GITHUB} and {AWS} and {GITHUB}"
    out, kinds = redact(text, KEY)
    assert kinds == ["github", "aws", "github"]
    first, _, last = out.split(" and ")
    assert first == last
    assert redact(text, b"another")[0] != out


def test_key_blocks_go_whole_and_unfinished_ones_too() -> None:
    begin, end = "-" * 5 + "BEGIN RSA PRIVATE KEY" + "-" * 5, "-" * 5 + "END RSA PRIVATE KEY" + "-" * 5
    body = "\n".join(["MIIEpAIBAAKCAQEA7Zq1yQ2m3kXv" + "b" * 36] * 4)
    assert redact(f"x\n{begin}\n{body}\n{end}\ny", KEY)[0].count("\n") == 2
    out, kinds = redact(f"x\n{begin}\n{body}\nand so on", KEY)
    assert kinds == ["private-key"]
    assert out.startswith("x\n⟦secret:private-key:")
    assert out.endswith("⟧\nand so on")


def test_what_a_person_wrote_stays() -> None:
    before = "gate code and so on\npassword: hunter2x\nmy word Kq82jfn2x"
    assert redact(before, KEY, keep=before) == (before, [])
    after = before + "\npassword: Kq82jfn2x\npassword: new4Secret"
    out, kinds = redact(after, KEY, keep=before)
    assert kinds == ["password"]
    assert out.startswith(before + "\npassword: Kq82jfn2x\npassword: ⟦secret:")
    assert redact("PIN: 1234", KEY, keep="call 512345")[1] == ["code"], "a part of a number is not that PIN"


def test_templates_of_settings_do_not_hide_the_one_that_is_filled() -> None:
    text = "PASSWORD=\nTOKEN=\nSECRET=\nAPI_KEY=\nAUTH_TOKEN=\nPASS=\nPIN=\nDB_PASSWORD=Kq82jfn2x\n"
    assert redact(text, KEY)[1] == ["password"]
    assert redact('{"password":"","token":"","secret":"","auth":"","apiKey":"9f8e7d6c5b4a39281706f5e4"}', KEY)[1]


HEADS = [
    "password: ",
    "token=",
    "密码是 ",
    "ghp_",
    "sk-",
    "eyJ",
    "AKIA",
    "://a:",
    "@",
    "Bearer ",
    "api_key: '",
    "'",
    " is ",
]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*HEADS, GITHUB, AWS, "hunter2", "⟦secret:aws:4f2a⟧", "\n", " ", "&", "=", ":", "mysql -p"]),
        st.text(alphabet=string.ascii_letters + string.digits + "_-+/=.:@\\ ⟦⟧\n是密\0", max_size=30),
        st.text(max_size=8),
    ),
    max_size=14,
).map("".join)


@SUITE
@given(TEXTS)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    out, kinds = redact(text, KEY)
    assert redact(out, KEY) == (out, [])
    found = find(text)
    assert [one.kind for one in found] == kinds
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    if not found:
        assert out == text


@SUITE
@given(TEXTS)
def test_outside_the_finds_every_sign_stays(text: str) -> None:
    out, at = "", 0
    for kind, start, end in find(text):
        out += text[at:start] + secrets.marker(kind, text[start:end], KEY)
        at = end
    assert redact(text, KEY)[0] == out + text[at:]
    assert redact(text, KEY, keep=text) == (text, [])


RUNS = [
    "a", "sk-", "eyJ", "password ", "=", "\n", "password: ", "password=", "password1=", "token ", "密码", "密码是",
    "密码 ", "://",
    "://a:", "a:b@", "-----BEGIN PRIVATE KEY-----\n", "AKIA", "ghp_", "aA1", "aws aA1", "curl -u ", "mysql -u ", "glc_",
    "eyJaaaaaaaaa.", "password for a", '"password": "', "password (a", "token[[", "1", ":AA", "M", "⟦secret:",
    "PASSWORD=a,",
    "password: a(", "auth bearer ", "secret", "passphrase: aaa bbb ccc ", "api key: aA1bB2cC3d ", "İ", "password=a\\n",
]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
def test_time_grows_with_length_only(run: str) -> None:
    """Measured for 1 MB on a slow shared core: 0.1 to 0.8 s, runs full of key words or of secrets up to 1.8 s."""

    def seconds(size: int) -> float:
        text = (run * (size // len(run) + 1))[:size]
        start = time.process_time()
        find(text)
        return time.process_time() - start

    short, long = seconds(100_000), seconds(400_000)
    assert long < 6.5 * short + 0.15, f"{short:.2f} s for 100 KB, {long:.2f} s for 400 KB"
    assert long < 1.75, f"{long:.2f} s for 400 KB"


def test_a_note_of_ten_kilobytes_costs_little() -> None:
    words = [line.text for line in corpus() if not line.secrets]
    text = "\n".join(
        random.Random(1).choices(["The pump ran dry again on Friday, see the log of the week."] * 9 + words, k=170)
    )
    redact(text, KEY)
    start = time.process_time()
    for _ in range(20):
        redact(text, KEY)
    assert (time.process_time() - start) / 20 * 10_000 / len(
        text
    ) < 0.015  # measured: 1.7 to 2 ms; 3.2 ms where something is found


@pytest.mark.parametrize("text", ["`0%→100% test pass (151/151)`", "- pass (151/151)", "password [3.11.2]"])
def test_a_count_or_version_in_brackets_is_no_secret(text: str) -> None:
    assert find(text) == []
    assert find("password (S3cr3t/x9)")
