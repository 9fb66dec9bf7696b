"""How a vault is kept in order: the heartbeat and what it calls, each also a verb of its own."""
