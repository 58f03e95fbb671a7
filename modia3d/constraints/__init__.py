"""What holds besides the joints for a segment or for a moment: rows of constraints on the generalized speeds of a forest.

`kinds` declares them, one kind in a file; what is done with rows, whatever their kind, is here: `impact` brings their speeds to
zero, `impulse` solves for what acts. `joints` knows which joints of a graph may be held.
"""
