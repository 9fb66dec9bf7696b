"""What a server stands: load, noise, several writers, and how soon it answers. `python -m memdir.evals.served`."""
