"""`SortedModel`, what the passes deliver: its blocks, initial values of what was eliminated, magnitudes of variables."""
