"""Results: the places of signals, segment by segment, in memory and on disk."""
