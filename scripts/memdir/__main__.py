"""`python -m memdir`, and `python3 scripts/memdir` from a checkout whose libraries are installed."""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

try:
    from memdir.interfaces.cli.main import main
except ModuleNotFoundError as error:
    project = Path(__file__).resolve().parents[2]
    sys.exit(f"memdir: {error.name} is not installed; run: python3 -m pip install {project}")

main()
