"""Machine code of the kinds of constraints: parts that the engine's component functions call."""
