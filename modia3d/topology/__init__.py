"""The user's graph of frames, joints and locks, its structural edits, and the spanning forest of a segment."""
