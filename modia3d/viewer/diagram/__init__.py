"""Diagrams of models, drawn as SVG without a browser.

`diagram(model) -> Diagram` (`diagram.py`): components and connections. `objects.py` makes the net of instances, `flat.py` that
of a flat model, `multibody.py` the spanning tree of a multibody system, `type_names.py` finds what a component was made of.
`bond_graph(model) -> BondGraph` (`bond_graph.py`): `bonds.py` finds elements and bonds, `causality.py` which equation computes
what.
A net (`net.py`) gets places by `layers.py`, marks by `drawing.py` and `marks.py`.
"""
