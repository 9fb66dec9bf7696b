"""`python -m memdir.evals.served load|noise|crowd|start`: one JSON document of figures."""

import argparse
import dataclasses
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from memdir.app import vaults
from memdir.evals import corpus, cost
from memdir.evals.served import crowd, load, noise, start
from memdir.evals.served.processes import command

NOTES = 6_300  # of the corpus: 10,000 passages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trial", choices=("load", "noise", "crowd", "start"))
    parser.add_argument("--seconds", type=float, default=0, help="load: 60, crowd: 120")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--count", type=int, default=20_000, help="messages of noise")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--times", type=int, default=7, help="starts")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memdir-served-") as place:
        print(json.dumps(dataclasses.asdict(_trial(chosen, Path(place).resolve())), indent=1))


def _trial(chosen: argparse.Namespace, place: Path) -> Any:
    env = cost.environment(place) | {"MEMDIR_EMBEDDER_KIND": "none"}
    root = place / "vault"
    vaults.init(root, adopt=False, env=env)
    if chosen.trial == "noise":
        return noise.run(root, env, chosen.seed, chosen.count)
    if chosen.trial == "crowd":
        return crowd.run(root, env, chosen.seconds or 120)
    queries = [one.text for one in corpus.write(root / "memory", chosen.notes, chosen.seed)]
    subprocess.run(command(root, "sync"), env=env, capture_output=True, check=True)
    if chosen.trial == "load":
        return load.run(root, env, queries, chosen.clients, chosen.seconds or 60)
    return start.run(root, env, queries[0], chosen.times)


if __name__ == "__main__":
    main()
