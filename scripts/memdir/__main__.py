"""`python -m memdir`, and `python scripts/memdir` from a checkout that is not installed."""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from memdir.interfaces.cli.main import main

main()
