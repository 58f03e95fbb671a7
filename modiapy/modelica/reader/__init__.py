"""Makes models of flat Modelica: typed trees become the variables and equations of a `FlatModel`."""
