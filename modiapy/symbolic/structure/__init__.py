"""Translation of a `FlatModel` to a `SortedModel`: the passes that `sort` carries out in their order.

Aliases and singularities of equations with integer coefficients are eliminated, equations differentiated (Pantelides)
until all states can be chosen, states selected (or the index-1 form of Otter and Elmqvist kept, where no static choice
exists), equations sorted to block lower triangular form and algebraic loops torn. An equation is matched with unknowns of
its own shape only. A single equation is solved element by element where the coefficient is a scalar or an array; where it
is a matrix, or in a system of equations, the unknown becomes one of a `LinearBlock`, whose iteration runs over all
elements. `diagnosis` says what is wrong with a model that cannot be solved, in the user's own words."""
