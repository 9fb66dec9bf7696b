"""Commands that let `memdir heartbeat` run by itself: schedule install, status, remove."""

from pathlib import Path

import click

from memdir.app import machine, vaults
from memdir.app.keeping import schedule as jobs
from memdir.app.keeping import schedulers
from memdir.interfaces.cli import output

_kind = click.option("--kind", type=click.Choice(jobs.KINDS), help="Scheduler to use; else the one of this system.")
_yes = click.option("--yes", is_flag=True, help="Do it; without, the plan is shown and nothing is written.")
_DONE = {
    "install": f"installed, every {jobs.EVERY} minutes",
    "replace": f"replaced, every {jobs.EVERY} minutes",
    "remove": "removed",
    "keep": "already installed",
    "none": "not installed",
}


@click.group()
def schedule() -> None:
    """Let `memdir heartbeat` run by itself, every 30 minutes, for one vault."""


@schedule.command()
@_kind
@_yes
@output.dry_run
@output.as_json
@click.pass_context
def install(ctx: click.Context, kind: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Set it up, in place of what did so before; shows the plan, and with --yes does it."""
    system = machine.here()
    plan = jobs.install(_root(ctx), system, kind or "")
    _carry_out(plan, system, yes and not dry_run, as_json)


@schedule.command()
@_kind
@_yes
@output.dry_run
@output.as_json
@click.pass_context
def remove(ctx: click.Context, kind: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Take it away; shows the plan, and with --yes does it."""
    system = machine.here()
    plan = jobs.remove(_root(ctx), system, kind or "")
    _carry_out(plan, system, yes and not dry_run, as_json)


@schedule.command()
@output.as_json
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show what is set up, whether it is active, and when it ran and runs where the system says so."""
    root = _root(ctx)
    found = jobs.status(root, machine.here())
    if as_json:
        output.data({"vault": root, "installed": found})
        return
    for one in found:
        active = {True: "active", False: "not active", None: "active: not known"}[one.active]
        output.show(f"{one.kind}: {jobs.about(one.kind)}, {active} ({one.place})")
        for word, value in (("last run", one.last), ("exit code", one.exit_code), ("next run", one.next)):
            if value is not None:
                output.show(f"  {word}: {value}")
        interpreter = one.command[0] if one.command else "not understood"
        output.show(f"  interpreter: {interpreter}{'' if one.interpreter_exists else ' (missing; install again)'}")
    if not found:
        output.show(f"not installed for {root}")


def _root(ctx: click.Context) -> Path:
    return vaults.discover(ctx.find_root().obj, Path.cwd())


def _carry_out(plan: jobs.Plan, system: machine.System, really: bool, as_json: bool) -> None:
    """Show a plan, or do it and say so."""
    if really:
        jobs.apply(plan, system)
    if as_json:
        output.data({"plan": plan, "done": really})
        return
    if not plan.steps:
        output.show(f"{_DONE[plan.verb]} for {plan.vault}")
        return
    kinds = " and ".join(map(jobs.about, plan.kind.split(", ")))
    output.show(f"{_DONE[plan.verb] if really else f'would {plan.verb}'}: {kinds} for {plan.vault}")
    for step in () if really else plan.steps:
        output.show(machine.shown(step))
    output.notices(plan.notices)
    if not really:
        stuck = plan.verb in ("install", "replace") and schedulers.ALL[plan.kind].unusable(system)
        output.say(f"nothing was written{'' if stuck else '; run again with --yes'}")
