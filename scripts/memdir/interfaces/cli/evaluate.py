"""The command that says how well recall finds: eval, with replay, import and compare-ranking."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from memdir.errors import UsageError
from memdir.evals import gated, history, judging, originals, own, rankings, replay, reports, retrieval, sets, stores
from memdir.evals.dataset import SPLITS
from memdir.interfaces.cli import output

_SHOWN = (
    "any@1", "any@5", "any@10", "any@20", "all@1", "all@5", "all@10", "all@20", "R@1", "R@5", "R@10", "R@20",
    "MRR", "nDCG@5", "nDCG@10",
)  # fmt: skip
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class Evals(click.Group):
    """A group in which `run` may be left out; `own` is what the vault itself says, `run own` the labelled set."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        bare = args and args[0] not in self.commands and args[0] not in ctx.help_option_names
        return super().parse_args(ctx, ["run", *args] if bare else args)


@click.group("eval", cls=Evals)
def evaluate() -> None:
    """Measure what recall finds on a labelled set; `run` may be left out. `own` and `replay` ask the vault's own
    questions."""


@evaluate.command()
@click.argument("dataset")
@click.option("--config", multiple=True, metavar="NAME=VALUE", help="A setting of memdir for this run; may repeat.")
@click.option("--split", type=click.Choice(SPLITS), default="all", show_default=True, help="Part of a divided set.")
@click.option("--limit", type=click.IntRange(0), help="Questions at most, spread evenly; 0 only checks the set.")
@click.option("--store", type=click.Choice(sorted(stores.STORES)), help="What is asked; else the first for the form.")
@click.option("--depth", type=click.IntRange(20, 1000), help="Results asked for (turns 100, vault 20).")
@click.option("--processes", type=click.IntRange(1, 64), default=2, show_default=True, help="Stores at a time.")
@click.option("--compare", metavar="FILE|NAME", help="A report (--json), or a run of the history, to compare with.")
@click.option("--save", metavar="NAME", help="Append the run to the history of the checkout.")
@output.as_json
def run(dataset: str, limit: int | None, compare: str | None, save: str | None, as_json: bool, **given: Any) -> None:
    """Ask memdir every question of DATASET: a folder with turns.jsonl and queries.jsonl, a vault-set file, a name."""
    picked = sets.load(dataset).pick(given["split"], limit)
    name, make = stores.choose(picked.form, given["store"] or "")
    depth = given["depth"] or 0
    plan = retrieval.Plan(picked, make, config_of(given["config"]), depth, given["processes"])
    with output.progress("asking") as bar:
        report = reports.report(plan, retrieval.run(plan, bar), name)
    if compare:
        report["compared"] = reports.compared(report, history.find(compare, report))
    if save:
        clock = output.now()
        history.save(save, report, clock() if clock else datetime.now())
    if as_json:
        output.data(report)
    else:
        show(report)


@evaluate.command("replay")
@click.option("--limit", type=click.IntRange(1), help="Questions at most, the newest.")
@output.as_json
@click.pass_context
def replay_(ctx: click.Context, limit: int | None, as_json: bool) -> None:
    """Ask the vault's own questions again: what share of the memories that were used (`memdir used`) comes back.

    Exit code 3 when no use is recorded.
    """
    with output.memory(ctx) as opened, output.progress("asking") as bar:
        report = replay.replay(opened, limit, bar)
    if as_json:
        output.data(report)
    else:
        _show_replay(report)


@evaluate.command("own")
@output.as_json
@click.pass_context
def own_(ctx: click.Context, as_json: bool) -> None:
    """Ask real messages of the vault's conversations again, of the vault as it was then and as it is now.

    From 40 messages that need memory on, a sample of 50 is drawn, a new one every 14 days; `eval judge` takes your word
    on what came. Exit code 3 while there are too few messages.
    """
    with output.memory(ctx) as opened, output.progress("asking") as bar:
        report = own.measure(opened, bar)
    if as_json:
        output.data(report)
    else:
        _show_own(report)


@evaluate.command("judge")
@click.argument("message", required=False, metavar="[MESSAGE]")
@click.argument("word", required=False, metavar="[y|n|1,3]")
@click.option("--model", is_flag=True, help="Let the model that is configured judge all that is open.")
@output.as_json
@click.pass_context
def judge_(ctx: click.Context, message: str | None, word: str | None, model: bool, as_json: bool) -> None:
    """Show the next message of a sample with what came for it, or take your word on MESSAGE and show the next.

    `y`: the first memory is of use, `n`: none is, `1,3`: these are. The word is kept in the ledger; a later one on the
    same message replaces it.
    """
    with output.memory(ctx) as opened, output.progress("asking") as bar:
        word = word or ""
        done = judging.by_model(opened, bar) if model else judging.by_person(opened, message or "", word, bar)
    if as_json:
        output.data(done)
    else:
        _show_next(done)


@evaluate.command("gate")
@click.argument("file", required=False, type=_FILE, metavar="[RUN]")
@click.option("--set", "name", default="own", show_default=True, metavar="SET", help="Vault set whose notes are there.")
@click.option("--config", multiple=True, metavar="NAME=VALUE", help="A setting of memdir for this run; may repeat.")
@output.as_json
def gate_(file: Path | None, name: str, config: tuple[str, ...], as_json: bool) -> None:
    """Say what a run of several agents costs with the gate and without: prompts that get memories, share of a context.

    RUN is a file of tasks with their prompts; in a checkout 11 tasks of 10 prompts each, in two languages.
    """
    run = gated.load(file or sets.find("run"))
    with output.progress("asking") as bar:
        report = gated.measure(run, sets.load(name), config_of(config), bar)
    if as_json:
        output.data(report)
    else:
        _show_gated(report)


@evaluate.command("import")
@click.argument("kind", type=click.Choice(sorted(originals.READERS)))
@click.argument("file", type=_FILE)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the new set (its kind).")
@output.as_json
def bring(kind: str, file: Path, out: Path | None, as_json: bool) -> None:
    """Turn FILE, a benchmark as it is published, into a set in the neutral form."""
    folder = out or Path(kind)
    made = originals.convert(kind, file, folder)
    if as_json:
        counts = {"turns": len(made.turns), "queries": len(made.queries)}
        output.data({"folder": folder, **counts, "dropped": made.dropped})
        return
    output.show(f"{folder}: {output.count(len(made.turns), 'turn')}, {output.count(len(made.queries), 'query')}")
    if made.dropped:
        output.say(f"left out, their evidence is nowhere: {', '.join(made.dropped)}")


@evaluate.command("compare-ranking")
@click.argument("file", type=_FILE)
@output.as_json
def compare_ranking(file: Path, as_json: bool) -> None:
    """Compare two rankings, `{"a": [id…], "b": [id…]}` a line of FILE, by overlap and rank correlation."""
    found = rankings.compare(file)
    if as_json:
        output.data(found)
        return
    _definitions(found["definitions"])
    rows = [(name, f"{100 * value:.1f} %") for name, value in found.items() if name.startswith("overlap")]
    if found["spearman"] is not None:
        rows.append(("Spearman", f"{found['spearman']:.3f} over {found['spearman_questions']}"))
    output.table([("questions", str(found["questions"])), *rows])


def config_of(given: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` → settings. Raises UsageError."""
    odd = [one for one in given if "=" not in one]
    if odd:
        raise UsageError(f"--config takes NAME=VALUE, not {odd[0]!r}")
    return {name.strip(): value for name, _, value in (one.partition("=") for one in given)}


def show(report: Mapping[str, Any]) -> None:
    """Print a report for a person, in percent."""
    config = "".join(f" {name}={value}" for name, value in report["config"].items())
    unanswerable = report["queries"] - report["answerable"]
    output.show(
        f"{report['set']}, split {report['split']}: {report['answerable']} answerable and {unanswerable} unanswerable "
        f"questions; store {report['store']}{config}; memdir {report['memdir']}"
    )
    _definitions(report["definitions"])
    for level, parts in report["levels"].items():
        head = (f"{level}, %", *(name.rjust(7) for name in _SHOWN), "      n")
        output.table([head, *(_figures(name, held) for name, held in parts.items())])
        output.show("")
    for line in (*_abstention(report), *_cost(report["cost"])):
        output.show(line)
    output.show("")
    for part in (_goals(report["goals"]), _compared(report.get("compared", []))):
        if part:
            output.table(part)
            output.show("")


def _show_replay(report: Mapping[str, Any]) -> None:
    held = report["kinds"]["all"]
    output.show(
        f"{output.count(report['uses'], 'use')} recorded; {output.count(held['questions'], 'question')} asked again "
        f"for {output.count(held['memories'], 'memory')}; left out: {report['gone']} of what is gone, "
        f"{report['unasked']} without a question; memdir {report['memdir']}"
    )
    _definitions(report["definitions"])
    head = ("%", *(name.rjust(8) for name in replay.SHOWN), "questions  memories")
    output.table([head, *(_replayed(kind, one) for kind, one in report["kinds"].items())])


def _show_own(report: Mapping[str, Any]) -> None:
    for one in report["samples"]:
        gone = f", {one['gone']} gone since" if one["gone"] else ""
        output.show(
            f"sample of {one['day']}: {output.count(one['messages'], 'message')}{gone}; {one['judged']} judged, "
            f"{one['by_model']} of them by a model"
        )
    output.show(f"next sample from {report['due']} on; {output.count(report['waiting'], 'message')} wait")
    if report["figures"]["then"]:
        output.show(f"of {report['judged']} judged, {report['useful']} had something useful\n")
        _definitions(report["definitions"])
        head = ("%", *(name.rjust(8) for name in own.SHOWN))
        rows = [(when, *(f"{100 * held[name]:8.1f}" for name in own.SHOWN)) for when, held in report["figures"].items()]
        output.table([head, *rows])
    else:
        output.say("`memdir eval judge` shows the next message and takes your word")
    if report["unsure"]:
        output.say(f"files whose text then is not known, taken as they were next: {len(report['unsure'])}")


def _show_next(done: judging.Next) -> None:
    output.notices(done.notices)
    if done.message is None:
        output.show(f"nothing is open; {output.count(done.judged, 'message')} judged")
        return
    output.show(f"{done.message.id}  {done.message.ts}\n\n> " + done.message.text[:2_000].replace("\n", "\n> ") + "\n")
    for number, one in enumerate(done.came, 1):
        output.show(f"{number}. {one.id}  {one.about}\n   " + " ".join(one.quote.split()))
    if not done.came:
        output.show("nothing came")
    output.say(f"{done.judged} judged, {done.left} open: memdir eval judge '{done.message.id}' y|n|1,3")


def _show_gated(report: Mapping[str, Any]) -> None:
    output.show(
        f"{report['tasks']} tasks of {report['agents']} agents, {report['prompts']} prompts, over the "
        f"{report['notes']} files of {report['set']}; memdir {report['memdir']}"
    )
    _definitions(report["definitions"])
    names = [*next(iter(report["ways"].values()))]
    rows = [(name, *(_gated(name, held[name]) for held in report["ways"].values())) for name in names]
    output.table([("", *(way.rjust(14) for way in report["ways"])), *rows])


def _gated(name: str, value: float) -> str:
    return f"{value:14.0f}" if name.startswith("tokens") else f"{100 * value:12.1f} %"


def _replayed(kind: str, held: Mapping[str, float]) -> tuple[str, ...]:
    figures = (f"{100 * held[name]:8.1f}" for name in replay.SHOWN)
    return kind, *figures, f"{held['questions']:9.0f}  {held['memories']:8.0f}"


def _definitions(held: Mapping[str, str]) -> None:
    for name, meaning in held.items():
        output.show(f"  {name}: {meaning}")
    output.show("")


def _figures(name: str, held: Mapping[str, float]) -> tuple[str, ...]:
    return name, *(_percent(held[key]) for key in _SHOWN), f"{held['n']:7.0f}"


def _percent(value: float) -> str:
    return f"{100 * value:7.1f}"


def _abstention(report: Mapping[str, Any]) -> Iterable[str]:
    if held := report["abstention"]:
        curve = ", ".join(f"{100 * kept:.1f} at {100 * float(at):g}" for at, kept in held["kept"].items())
        yield f"abstention: kept recall at false recall, %: {curve}; area {held['area']:.3f}"
        yield f"as it is set: false recall {100 * held['false_now']:.1f} %, kept recall {100 * held['kept_now']:.1f} %"
        sides = [
            ("all", held),
            *([(f"the {held['found']['n']} found among five", held["found"])] if "found" in held else []),
        ]
        for name, side in sides:
            yield f"false recall with 95 % of {name} kept: {100 * side['false_at_95']:.1f} %; area {side['area']:.3f}"
    if stale := report["stale_first"]:
        yield f"a superseded answer came before the current one: {100 * stale['share']:.1f} % of {stale['n']:.0f}"


def _cost(held: Mapping[str, Any]) -> Iterable[str]:
    if "p50_ms" in held:
        yield (
            f"an answer of {held['limit']}: p50 {held['p50_ms']} ms, p95 {held['p95_ms']} ms of wall time with "
            f"{held['processes']} at a time; {held['tokens']:.0f} tokens in the mean"
        )
        if held["same"] < 1:
            yield f"only {100 * held['same']:.1f} % of short answers are the beginning of the long ones measured here"
    yield f"stores built in {held['build_s']} s"


def _goals(held: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    rows = [
        (
            one["kind"],
            f"{one['level']} {one['figure']}{'' if one['rows'] == 'all' else ' ' + one['rows']}",
            _percent(one["least"]),
            _percent(one["value"]),
            f"{100 * one['ahead']:+7.1f}  {'met' if one['ahead'] >= 0 else 'missed'}",
        )
        for one in held
    ]
    return [("", "", "   want", "    got", "  apart"), *rows] if rows else []


def _compared(held: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    rows = [
        (
            f"{one['level']} {one['figure']}",
            _percent(one["ours"]),
            _percent(one["theirs"]),
            f"{100 * one['mean']:+7.1f}",
            f"{100 * one['low']:+.1f} to {100 * one['high']:+.1f}{'' if one['certain'] else ', may be chance'}",
        )
        for one in held
    ]
    return [("compared", "   this", "  other", "  apart", "95 % of resamples"), *rows] if rows else []
