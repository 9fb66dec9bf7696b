"""Named runs: `references/eval-history.jsonl` of a checkout, a line a run, appended only when it is asked for."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memdir.errors import NotFound, UsageError
from memdir.evals import dataset, sets

FILE = sets.PROJECT / "references" / "eval-history.jsonl"
# What a run is known by and compared with; definitions and goals follow from it.
KEPT = (
    "memdir", "set", "split", "store", "config", "queries", "answerable", "levels", "abstention", "stale_first",
    "cost", "ids", "answers",
)  # fmt: skip


def save(name: str, report: Mapping[str, Any], now: datetime) -> None:
    """Append a run under a name. Raises UsageError outside a checkout."""
    if not FILE.parent.is_dir():
        raise UsageError("only a checkout keeps a history; give the report to a file with --json")
    line = {"run": name, "date": f"{now:%Y-%m-%d}", **{key: report[key] for key in KEPT}}
    with FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def find(name: str, report: Mapping[str, Any]) -> dict[str, Any]:
    """The run to compare with: a report in a file, or the last of that name with the same questions.

    Raises NotFound, BadData.
    """
    if Path(name).is_file():
        return _read(Path(name))
    runs = [held for _, held in dataset.records(FILE)] if FILE.is_file() else []
    fitting = [one for one in runs if one["run"] == name and one["ids"] == report["ids"]]
    if not fitting:
        known = sorted({one["run"] for one in runs if one["ids"] == report["ids"]})
        raise NotFound(
            f"no run {name!r} that asked these questions, and no such file; there are: {', '.join(known) or 'none'}"
        )
    return fitting[-1]


def _read(file: Path) -> dict[str, Any]:
    try:
        held = json.loads(file.read_bytes())
        if {"ids", "answers", "set"} <= held.keys():
            return dict(held)
    except (ValueError, AttributeError):
        pass
    raise UsageError(f"{file}: not a report of `memdir eval --json`")
