"""`FlatModel`, the border of the language: variables, equations, parameters, components.

Whatever front end there is ends here, and all passes after it are the same."""
