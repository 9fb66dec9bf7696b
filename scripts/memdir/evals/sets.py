"""Which set a name means. A set may lie anywhere; a checkout looks for names in its own data and beside itself."""

from pathlib import Path

from memdir.errors import NotFound
from memdir.evals import cost, dataset, vault_set
from memdir.evals.dataset import Dataset

PROJECT = cost.PACKAGE.parents[1]
OWN = PROJECT / "tests" / "data"
SHARED = PROJECT.parent / "shared" / "eval"


def load(name: str) -> Dataset:
    """A folder in the neutral form, a vault-set file, or a name known here. Raises NotFound, BadData."""
    return read(find(name))


def find(name: str) -> Path:
    for place in (Path(name), OWN / f"{name}.jsonl", SHARED / name):
        if place.is_file() or (place / dataset.TURNS).is_file():
            return place
    near = ", ".join(known()) or "none here"
    raise NotFound(f"no set {name!r}: neither a folder with {dataset.TURNS}, nor a file, nor a known name ({near})")


def known() -> list[str]:
    """Names that can be looked up."""
    shared = sorted(place.parent.name for place in SHARED.glob(f"*/{dataset.TURNS}"))
    return [*sorted(place.stem for place in OWN.glob("*.jsonl")), *shared]


def read(place: Path) -> Dataset:
    return vault_set.load(place) if place.is_file() else dataset.load(place)
