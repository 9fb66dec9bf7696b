"""Front matter as hostile as it comes: fragments put together at random, and YAML that explodes or hangs. Pure data."""

import random

from memdir.vault import fields

LINES = [
    "title: My note", "title: a: b", "tags: [a, b]", "tags:\n  - x\n  - y", "tags:\n- x\n# between\n- y", "tags: a, b",
    "tags: '[\"a\", \"b\"]'", "tags: [a] # kept", "created: 2024-01-05", "created: 2024-01-05T10:00:00Z",
    "created: 2024-13-45", "created: 0000-00-00", "aliases: [[Note]]", "aliases: [[[x]]", 'quoted: "q # no comment"',
    "single: 'it''s'  # kept", "n: 0123", "v: 1.10", "no: NO", "yes: true", "int: 7", "empty:", "tilde: ~",
    "# a comment",
    "  # an indented comment", "long: >\n  folded\n  text", "lit: |\n  keep\n    this\n\n  and this",
    "lit2: |+\n  tail\n\n",
    "anchored: &anc 1", "alias: *nope", "merge: {<<: *a}", "<<: *base", "by: @me", "t: {{date}}", "percent: %x",
    "bang: !x y",
    "py: !!python/object/apply:os.system ['true']", "bin: !!binary '@@@'", "dup: 1\ndup: 2", "emoji: \U0001F600",
    "key with space: 1", '"quoted key": 1', "'single key': 2", "? complex\n: value", "- a list item", "café: über",
    "ключ: значение", "标签: [水泵, 滤芯]", "tab:\tx", "\ttabbed: x", "num: " + "9" * 30, "time: 12:30",
    "sep: a\u2028b: c",
    "nel: a\x85b: 1", "para: a\u2029# hidden", "cr: a\rb: 2", "nul: \x00", "bell: \x07", "bom: \ufeffx",
    "deep: " + "[" * 40 + "]" * 40,
    "flow: {a: 1, b: [c, {d: e}]}", "open: [", "unclosed: \"oops", "multi: \"one\n  two: 3\n  four\"",
    "updated: 2024-01-01",
    "updated: # only a comment", "updated:\n  nested: 1", "---x: 1", "--- # not a fence", "...", "name: &n Pump",
    "x:y",
    "trailing: spaces   ", "http://a.b: c", "a.b/c: 1", "%YAML 1.1", "%TAG ! tag:x,2000:",
]  # fmt: skip
BODIES = [
    "# H\n\ntext\n", "text with trailing spaces  \n\n\n", "\n\nlead blank", "no newline at end", "--- \n---\nhr",
    "a\n---\nb\n",
    "---\ntags: [second]\n---\nbody\n", "", "\r\nwin\r\nmixed\n", "updated: not front matter\n", "a\u2028b\x85c\n",
    "\x00\x01\n",
]  # fmt: skip
NOISE = ["\x00", "\t", ":", "'", '"', "{", "[", "\u200b", "- ", "\u2028", "\x85", "\r", "\n", "---\n", "\\", "#", " #",
    "&", "*", "\udcff", "\udce9", "!", "|", ">"]  # fmt: skip
OPENINGS = [
    "---",
    "---",
    "---",
    "---",
    "---",
    "--- ",
    "---\t",
    "----",
    " ---",
    "--",
    "- - -",
    "\n---",
    "\ufeff\ufeff---",
]
KEYS = ["updated", "tags", "title", "name", "created", "aliases", "n", "dup", "lit", "key with space", "标签",
        "new: key", "yes", "café"]  # fmt: skip
VALUES: list[fields.Value] = [
    "2026-11-29", "zsh", "", "a: b", " padded ", "yes", "~", "null", "007", "1.10", "1e3", "#tag", "x #y", "- item",
    "[[Note]]", "'", '"',
    "it's \"so\"", "multi\nline", "tab\there", "水泵", "\U0001F600", "@me", "*star", "&amp", "%p", "`tick`",
    "{{date}}", "a, b", "...", "---",
    "\u2028", "\x85", "\ufeff", "\\n", 7, 0, -3, True, False, None, [], ["a"], ["a, b", "c: d", "#e", "[f]", ""],
    ["水泵", "x y"], [1, True, None],
]  # fmt: skip


def hostile(rng: random.Random) -> bytes:
    """One file: fragments in any order, two kinds of line ends, marks, noise and bytes that are no UTF-8."""
    end = rng.choice(["\n", "\n", "\n", "\r\n"])
    block = "\n".join(rng.sample(LINES, rng.randint(0, 6))).replace("\n", end)
    close = rng.choice(["---", "---", "---", "---", "--- ", "", "...", "----"])
    text = rng.choice(OPENINGS) + end + (block + end if block else "") + close + end + rng.choice(BODIES)
    text = ("\ufeff" if rng.random() < 0.1 else "") + text
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 5])):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(NOISE) + text[at + rng.choice([0, 1]) :]
    data = text.encode("utf-8", "surrogateescape")
    if rng.random() < 0.05:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + bytes([rng.randrange(128, 256)]) + data[at:]
    return data


def bomb(levels: int, width: int = 9) -> str:
    text = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
    for level in range(1, levels):
        text += f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * width)}]\n"
    return text


def merge_bomb(levels: int, width: int = 9) -> str:
    text = "a0: &a0 {" + ",".join(f"k{n}: v" for n in range(width)) + "}\n"
    for level in range(1, levels):
        text += f"a{level}: &a{level}\n  <<: [{','.join([f'*a{level - 1}'] * width)}]\n  m{level}: 1\n"
    return text


BOMBS = {
    "python object": "!!python/object/apply:os.system ['exit 7']", "python name": "a: !!python/name:os.system",
    "python tuple": "a: !!python/tuple [1,2]", "alias bomb": bomb(9), "merge bomb": merge_bomb(7),
    "flow nested 500": "a: " + "[" * 500 + "]" * 500, "flow nested 30,000": "a: " + "[" * 30_000 + "]" * 30_000,
    "maps nested 10,000": "a: " + "{a: " * 10_000, "blocks nested 300": "\n".join(" " * n + "a:" for n in range(300)),
    "recursive alias": "a: &a [*a]", "integer of 5,000 digits": "a: " + "9" * 5_000,
    "sexagesimal": "a: 1" + ":1" * 20_000,
    "hex of a million digits": "a: 0x" + "f" * 1_000_000, "bad date": "a: 2024-13-45",
    "date of zeros": "created: 0000-00-00",
    "bad offset": "a: 2024-01-01T00:00:00+99:99", "unhashable key": "? [a]\n: b", "map as key": "{{a: b}: c}",
    "NUL": "a: \0",
    "BOM inside": "a: b\ufeffc", "control": "a: \x1b[31m", "surrogate": "a: \udcff", "tab indent": "a:\n\tb: 1",
    "bad binary": "a: !!binary '@@@'",
    "set": "a: !!set {x,y}", "bad timestamp": "a: !!timestamp junk", "bad int": "a: !!int junk",
    "bad float": "a: !!float junk",
    "megabyte list": "a:\n" + "- x\n" * 250_000, "megabyte of escapes": 'a: "' + "\\u0041" * 170_000 + '"',
    "megabyte scalar": "a: " + "x " * 500_000,
    "30,000 anchors": "\n".join(f"k{n}: &a{n} 1" for n in range(30_000)), "infinity": "a: .nan\nb: -.inf",
    "two documents": "a: 1\n--- b\nb: 2",
    "a list": "- 1\n- 2", "a scalar": "hello", "empty": "",
    "JSON in tags, deep": "tags: '" + "[" * 20_000 + "]" * 20_000 + "'",
    "JSON in tags, long number": "tags: '[" + "9" * 10_000 + "]'",
    "JSON surrogates": "tags: '[\"\\ud800\", \"\\udfff\"]'",
    "300 keys": "\n".join(f"k{n}: 1" for n in range(300)), "400 lines": "\n".join(["a: 1", *["# c"] * 398]),
    "quotes": "a: " + '"' * 20_001,
    "backslashes": 'a: "' + "\\" * 20_001, "colons": ":" * 60_000, "colons and spaces": ": " * 30_000,
    "questions": "? " * 3_000, "dashes": "- " * 3_000,
}  # fmt: skip
