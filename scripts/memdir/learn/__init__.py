"""Learning: reads and yields values and Changes, never writes."""
