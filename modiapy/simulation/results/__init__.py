"""Results: where signals are found, segment by segment, in memory and on disk."""
