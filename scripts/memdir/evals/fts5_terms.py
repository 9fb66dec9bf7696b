"""The fairer baseline: FTS5 fed with the terms of memdir's own analysis, so that it finds what memdir finds.

Run as a script: `fts5_terms.py ROOT QUERIES REPEAT`. What it prints is what `fts5.py warm` prints; the analysis of
a question is not in its time.
"""

import json
import sqlite3
import sys

from memdir import text
from memdir.evals import fts5

# Signs that unicode61 would cut at (`c++`, `claude-3.5`, Thai marks) stay in a term.
TOKENIZE = "unicode61 remove_diacritics 0 categories 'L* N* Co M* P* S*'"


def analysed(content: str) -> str:
    return " ".join(text.terms(content))


def main(root: str, queries: str, repeat: str) -> None:
    db = sqlite3.connect(":memory:")
    fts5.index(db, root, TOKENIZE, analysed)
    print(json.dumps(fts5.warm(db, queries, int(repeat), analysed)))


if __name__ == "__main__":
    main(*sys.argv[1:])
