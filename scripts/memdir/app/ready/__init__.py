"""What stands ready before anybody asks: for a message, for the beginning of a session, in briefs."""
