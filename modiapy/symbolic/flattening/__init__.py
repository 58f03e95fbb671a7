"""Flattening of a user's model to a `FlatModel`: instances, parameters, scopes of names, connections, buses, arrays.

Parameters are evaluated and constructors called depth first; then the acausal parts of components are merged in, names
are resolved, connections become equations, if- and for-equations are expanded.

An array variable is one unknown in all passes, an array parameter one parameter; shapes stand by name in
`FlatModel.shapes`. `array_flattening` finds undeclared shapes, checks all equations, gathers equations for elements
(``x[0] = ...``, ``x[1:] = ...``) into one for the vector, and makes a scalar beside an array an array of its shape
(operator ``fill NAME``): after that the number 0 is the only scalar that may stand for an array, whatever simplification
and differentiation do."""
