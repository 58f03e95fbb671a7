"""What holds besides the joints for a segment or for a moment: rows of constraints on the generalized speeds of a forest.

`kinds` declares them, one kind in a file; what is done with rows, whatever their kind, is here: `rank` says which are needed,
`elimination` has the least change and the multipliers, `projection` closes positions and speeds, `impact` brings speeds to zero
by the impulses of `impulse`. `joints` knows which joints of a graph may be held, `tables` is what the `kernels` read.
"""
