"""The commands that measure: bench, bench-embedders."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from memdir import text
from memdir.app import vaults
from memdir.app.keeping import embedding
from memdir.config import load
from memdir.errors import UsageError
from memdir.evals import bench as benches
from memdir.evals import bench_turns, embedders, sources, targets, warm
from memdir.evals import noise as fill
from memdir.index.filters import Filters
from memdir.interfaces.cli import output
from memdir.recall.question import Question

_COSTS = {
    "first_index": "first index",
    "no_change": "sync, no change",
    "ten_edits": "sync, 10 edits",
    "cold_recall": "cold recall, by words",
    "cold_hybrid": "cold recall, by words, meaning and links",
    "hybrid_process": "the process of the warm recalls by all three",
    "ingest": "ingest into session files and index",
    "ingest_again": "the same again: nothing to add",
    "cold_turns": "cold recall, by words",
    "turns_process": "the process of the warm recalls",
    "version": "--version",
    "python": "python alone",
    "libraries": "python with libraries",
    "grep": "grep -ri, cold",
    "fts5_index": "FTS5, first index",
    "fts5_turns": "FTS5, first index",
    "fts5_cold": "FTS5, cold query",
}
_WARM = {
    "recall": "warm recall, by words",
    "recall_same": "warm recall, what FTS5 answers too",
    "recall_first": "warm recall, first time asked",
    "recall_fresh": "warm recall, files looked at first",
    "hybrid": "warm recall, by words, meaning and links",
    "scan": "of that, all vectors scored and the best chosen",
    "fts5": "FTS5, warm query",
    "fts5_bare": "FTS5 without quotes, warm query",
    "fts5_terms": "FTS5 on memdir's terms, warm query",
}
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--notes", type=click.IntRange(1), multiple=True, help="Size of a made corpus; may be given again (1000, 10000)."
)
@click.option("--turns", type=click.IntRange(60), help="Measure on so many turns of conversations instead of notes.")
@click.option("--corpus", type=_FOLDER, help="Measure on a copy of this folder of notes; needs --queries.")
@click.option("--queries", type=_FILE, help="Questions for --corpus, JSON lines with kind, q and path.")
@click.option("--own", is_flag=True, help="Make the corpus with memdir's own generator, also where another is at hand.")
@click.option("--repeat", type=click.IntRange(1, 100), default=3, show_default=True, help="Processes a median is of.")
@click.option("--warm", "file", type=_FILE, hidden=True)
@click.option("--mode", default="auto", hidden=True)
@click.option("--noise", is_flag=True, hidden=True)
@output.as_json
@click.pass_context
def bench(
    ctx: click.Context,
    /,
    notes: tuple[int, ...],
    turns: int | None,
    file: Path | None,
    mode: str,
    noise: bool,
    repeat: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Measure speed and found answers beside grep and bare FTS5, in a temporary folder; needs no vault."""
    if file or noise:
        root = vaults.discover(ctx.find_root().obj, Path.cwd())
        asked = lambda text: Question(text, Filters(), 5, mode=mode)  # noqa: E731
        output.data(warm.measure(root, file, repeat, asked) if file else fill.fill(root))
        return
    if notes and given["corpus"]:
        raise UsageError("--notes makes a corpus and --corpus brings one: give one of them")
    plan = sources.Plan(notes=notes or sources.Plan().notes, repeat=repeat, **given)
    with output.progress("measuring") as bar:
        report = bench_turns.run(turns, repeat, bar) if turns else benches.run(plan, bar)
    if as_json:
        output.data(report)
    else:
        show(report)


@click.command("bench-embedders")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind for kind in embedding.KINDS if kind != "none"]),
    multiple=True,
    help="Kind to measure, with the other settings as they are; may be given again. Else the chosen one.",
)
@output.as_json
def bench_embedders(kinds: tuple[str, ...], as_json: bool) -> None:
    """Compare embedders: what they find across English and Chinese, and how fast they are; needs no vault."""
    chosen = []
    for kind in kinds or ("",):
        settings = load(None)
        if kind:
            settings.put("embedder.kind", kind, "--kind")
        chosen.append(settings)
    with output.progress("embedding") as bar:
        measured = embedders.run(chosen, bar)
    if as_json:
        output.data({"notes": len(embedders.notes()), "embedders": measured})
        return
    for one in measured:
        _embedder(one)


def _embedder(one: embedders.Measured) -> None:
    figures = f"{one.dimension} numbers, first vector {one.first_ms:g} ms, a question {one.query_ms:g} ms"
    output.show(f"\n{one.kind} {one.name}: {figures}\n")
    speeds = [(str(words), str(speed)) for words, speed in one.texts_per_cpu_s.items()]
    _table(("words of a text", "texts a CPU second"), speeds)
    rows = [(f"{x.asked_in} → {x.notes_in}", f"{x.hit1:.3f}", f"{x.hit5:.3f}", f"{x.mrr:.3f}") for x in one.found]
    _table(("question → note", "hit@1", "hit@5", "MRR"), rows)


def show(report: Mapping[str, Any]) -> None:
    """Print a report for a person."""
    machine = report["machine"]
    load = " to ".join(map(str, machine["load"]))
    output.show(f"memdir {report['memdir']}, Python {machine['python']}, {machine['cpus']} CPUs, load {load}")
    output.show(f"{machine['system']}; medians of {report['repeat']}")
    for run in report["runs"]:
        size = f"{run['turns']} turns" if "turns" in run else f"{run['notes']} notes"
        output.show(f"\n{size}, {run['megabytes']} MB, {run['queries']} questions; {run['made_by']}\n")
        if "speed" in run:
            output.show(f"{run['speed']} turns a CPU second; target {bench_turns.LEAST}\n")
        _table(("whole processes", "CPU s", "wall s", "peak MB", "target"), _costs(run))
        if run.get("embedded"):
            output.show(f"embedding: {run['embedded']} notes of 500 characters a CPU second\n")
        _table(("in an open process", "p50 ms", "p95 ms", "wall p50", "wall p95"), _warm(run))
        _table(("ratio of CPU", "times"), ((name, f"{ratio:.2f}") for name, ratio in run["ratios"].items()))
        _table(("found", "of", "first", "top 5", "FTS5 first", "FTS5 top 5", "target"), _found(run))
        for line in run["missed"]:
            output.show(f"missed: {line}")


def _costs(run: Mapping[str, Any]) -> Iterable[Sequence[str]]:
    for name in filter(run["costs"].get, _COSTS):
        cost = run["costs"][name]
        figures = f"{cost['cpu']:.3f}", f"{cost['wall']:.3f}", f"{cost['peak_mb']:.0f}"
        yield _COSTS[name], *figures, _target(name, run.get("notes", 0))


def _target(name: str, notes: int) -> str:
    if not notes or notes > targets.MOST_NOTES or name not in targets.CPU:
        return ""
    return f"{targets.CPU[name]:g}" + (f", {targets.PEAK_MB:g} MB" if name == "first_index" else "")


def _warm(run: Mapping[str, Any]) -> Iterable[Sequence[str]]:
    for name, held in run["warm"].items():
        yield _WARM[name], *(f"{held[key]:.1f}" for key in ("p50", "p95", "wall_p50", "wall_p95"))


def _found(run: Mapping[str, Any]) -> Iterable[Sequence[str]]:
    for kind, one in run["found"].items():
        counts = (str(one[key]) for key in ("queries", "top1", "top5", "fts5_top1", "fts5_top5"))
        yield kind, *counts, one["target"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on a terminal, columns of plain text elsewhere."""
    if not sys.stdout.isatty():
        output.table([head, *rows])
        output.show("")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    shown = Table(*head)
    for row in rows:
        shown.add_row(*(escape(text.printable(cell)) for cell in row))
    Console().print(shown)
