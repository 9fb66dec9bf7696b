#!/usr/bin/env python3
"""Move notes that had their time to the archive: what `memdir archive` does. Try --help."""

import shlex
import sys
from pathlib import Path

try:
    from memdir.interfaces.cli.main import main

    main(["archive", *sys.argv[1:]])
except ModuleNotFoundError as error:
    project = shlex.quote(str(Path(__file__).resolve().parents[1]))
    sys.exit(f"memdir needs {error.name}; install it with: {sys.executable} -m pip install {project}")
