"""`python -m memdir`."""

from memdir.interfaces.cli.main import main

main()
