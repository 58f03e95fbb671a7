"""Forces between solids that touch: a table of pairs, the law of elastic contact, and friction that holds what is at rest.

`constants.py` says what is known of a pair before it touches (materials, curvature), `phases.py` what an event changes in its
row of the table, `kernels.py` what forces follow. Both know the columns of `layout.py` only. Theory: docs/contact.md.

A pair that touches is in one of four phases of friction. *Sliding*: friction is regularised where the slip speed is small. In
the phase *stuck* a spring between the solids is added, which starts without force, so nothing jumps. Where it would need
more than friction can give, the pair is *breaking*: what the spring held last stays as a force of constant direction that
fades as the slip speed grows to ``V_SMALL``; then the pair slides again. If it moves back before, it is stuck again.
*Rolling off* is the same where solids begin to roll on each other. So force is continuous through all of it, and each
change takes something with it that does not come back (the spring's energy): a contact at rest settles after a few events.
"""
