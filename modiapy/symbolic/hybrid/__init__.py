"""Events in the equations: when clauses, clocks, relations, memory, discrete equations.

When clauses and clocks become ordinary equations of discrete variables; relations become modes that change at events only."""
