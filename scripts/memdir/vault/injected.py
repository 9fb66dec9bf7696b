"""Text that memdir put into a conversation: how it is marked, and how it is taken out of what is captured again.

A mark holds a nonce that is new for each text, so that no memory written earlier can hold its end. Marks are found in
every form in which a text comes back: inside a reminder of the program, behind `> `, behind the line numbers of a tool,
as JSON or HTML escaped, cut at either end. The line by which a reply names the memories that it used goes too. Pure.
"""

import re

_LESS, _MORE = r"(?:<|&lt;|\\u003[cC])", r"(?:>|&gt;|\\u003[eE])"
_OPEN = re.compile(rf"{_LESS}memory nonce=([0-9a-f]{{16,64}}){_MORE}")
_CLOSE = re.compile(rf"{_LESS}/memory nonce=([0-9a-f]{{16,64}}){_MORE}")
_LED = re.compile(r"\b[A-Z][A-Za-z]{2,30} hook (?:additional context|success):\s*$")  # how a client leads it in
ASK = (
    "If your reply uses a memory of these, let its last line be `memory used: ` and their numbers, "
    "as in `memory used: 1, 3`."
)
_ASKED = re.compile(rf"(?:(?<=\n)[ \t]*>[ \t>]*)?{re.escape(ASK)}")
_QUOTED = re.compile(r"(?<=\n)[ \t]*>[ \t>]*\Z")
# The last line of a reply, bare or in the marks of markdown: `memory used: 1, 3`, or `none`.
_NUMBER, _BETWEEN = r"\[?[0-9]{1,3}\]?", r"(?:[ \t]*[,，、;][ \t]*|[ \t]+(?:and[ \t]+)?)"
_USED = re.compile(
    rf"(?:^|\n)[ \t>*_`(-]*memory used[ \t]*[:：][ \t*_`]*(({_NUMBER})(?:{_BETWEEN}{_NUMBER})*|none)[ \t.。*_`)]*\s*$",
    re.IGNORECASE,
)
_LINE, _TAIL = 100, 400  # characters from the end in which those words, and that line, are looked for


def marks(nonce: str) -> tuple[str, str]:
    """The lines before and after an injected text."""
    return f"<memory nonce={nonce}>", f"</memory nonce={nonce}>"


def wrap(text: str, nonce: str) -> str:
    """The text between its marks; where it holds its own nonce, that becomes `***`."""
    opened, closed = marks(nonce)
    return f"{opened}\n{text.replace(nonce, '***')}\n{closed}"


def nonce_of(text: str) -> str:
    """The nonce of the first mark in a text, "" where there is none."""
    found = _OPEN.search(text)
    return found[1] if found else ""


def strip(text: str) -> str:
    """A text without what memdir put into it. A mark without its other half takes with it all that stands on its side:
    what is cut off was memdir's."""
    if "memory nonce=" not in text:
        return text
    kept, at = list[str](), 0
    while opened := _OPEN.search(text, at):
        kept.append(_unled(_headless(text[at : opened.start()])))
        closed = next((one for one in _CLOSE.finditer(text, opened.end()) if one[1] == opened[1]), None)
        if closed is None:
            return "".join(kept)
        at = closed.end()
    kept.append(_headless(text[at:]))
    return _ASKED.sub("", "".join(kept))


def _unled(text: str) -> str:
    """A text without the words by which a client leads in what a hook gave, and the sign of a quote before it."""
    head, tail = text[:-_LINE], text[-_LINE:]
    return head + _QUOTED.sub("", _LED.sub("", tail))


def _headless(text: str) -> str:
    """A text behind the last end mark in it whose beginning is not there."""
    ends = [one.end() for one in _CLOSE.finditer(text)]
    return text[ends[-1] :] if ends else text


def used(reply: str) -> list[int] | None:
    """The numbers of the memories that a reply says it used, in order, each once; None where it says nothing of it."""
    found = _USED.search(reply[-_TAIL:])
    return list(dict.fromkeys(map(int, re.findall(r"[0-9]+", found[1])))) if found else None


def unsigned(reply: str) -> str:
    """A reply without the line that names the memories it used."""
    head, tail = reply[:-_TAIL], reply[-_TAIL:]
    found = _USED.search(tail)
    return head + tail[: found.start()].rstrip() if found else reply
