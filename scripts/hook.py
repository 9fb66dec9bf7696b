#!/usr/bin/env python3
"""What agents call at their events: what `memdir hook` does. Try --help."""

import sys

try:
    from memdir.interfaces.cli.main import main

    main(["hook", *sys.argv[1:]])
except ModuleNotFoundError as error:  # to a client another exit code is a fault of every prompt
    print(f"memdir needs {error.name}; install it with pip in the folder above this script", file=sys.stderr)
