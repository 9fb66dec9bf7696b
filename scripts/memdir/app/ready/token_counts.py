"""What counts tokens: tiktoken where it is installed and has a table on this machine, else the estimate of `text`.

Nothing is downloaded: tiktoken would fetch a missing table, and a start must not wait for a network. Reads tiktoken's
own cache, through tiktoken.
"""

from typing import NoReturn

from memdir.app.ready.fitting import Count
from memdir.text import token_count

# The first that is there: 0.12 CPU s to load, and 0.26. Of the notes, code and Chinese notes that were measured the
# estimate is 0.74 to 0.99 of the first one's count, 0.87 to 1.02 of the second's (`references/startup-workflow.md`).
TABLES = ("cl100k_base", "o200k_base")


def counter(*, exact: bool = True) -> Count:
    """What counts the tokens of a text. `exact`: by tiktoken if that can be."""
    if not exact:
        return token_count
    try:
        import tiktoken
        from tiktoken import load
    except ImportError:
        return token_count
    fetch = load.read_file
    load.read_file = _refused
    try:
        for name in TABLES:
            try:
                encode = tiktoken.get_encoding(name).encode
            except (OSError, ValueError, KeyError):  # not on this machine, or not whole
                continue
            return lambda text: len(encode(text, disallowed_special=()))
    finally:
        load.read_file = fetch
    return token_count


def _refused(place: str) -> NoReturn:
    raise FileNotFoundError(f"{place} is not on this machine")
