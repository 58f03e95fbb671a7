"""Fields: resistors, conductors and storages whose elements are coupled by a matrix, constant and modulated.

The inputs of modulated fields have the names of the parameters; modulated storages keep charge and momentum, as in `passive`.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import finite, inertance
from .ports import Inertance, PassiveOnePort

_MATRIX = "matrix (n, n)"
_SQUARE = Var(input=True, shape=["n", "n"])


def _matrix(name: str) -> str:
    """Return the expression of a matrix; a vector in its place, of which the product would be a number, is refused."""
    return f"transpose(transpose({name}))"


RF = PassiveOnePort | Model(
    description=f"Resistive field with the {_MATRIX} R; e = R@f", R=[[1.0]], equations=finite(f"e = {_matrix('R')}@f")
)

GF = PassiveOnePort | Model(
    description=f"Conductive field with the {_MATRIX} G; f = G@e", G=[[1.0]], equations=finite(f"f = {_matrix('G')}@e")
)

CF = PassiveOnePort | Model(
    description=f"Capacitive field with the {_MATRIX} C; f = C@der(e). The efforts are its states.",
    C=[[1.0]],
    equations=finite(f"{_matrix('C')}@der(e) = f"),
)

IF = Inertance | Model(
    description=f"Inductive field with the {_MATRIX} I; e = I@der(f). The flows are its states.",
    I=[[1.0]],
    equations=inertance("I@der(f) = e", "E = I@g"),
)

mRF = PassiveOnePort | Model(
    description=f"Resistive field with the {_MATRIX} R, an input; e = R@f", R=_SQUARE, equations=finite("e = R@f")
)

mGF = PassiveOnePort | Model(
    description=f"Conductive field with the {_MATRIX} G, an input; f = G@e", G=_SQUARE, equations=finite("f = G@e")
)

mCF = PassiveOnePort | Model(
    description=f"Capacitive field with the {_MATRIX} C, an input; q = C@e with the charge q, f = der(q)",
    C=_SQUARE,
    q=Var(shape="n", description="charge: integral of the flow"),
    equations=finite("q = C@e", "der(q) = f"),
)

mIF = PassiveOnePort | Model(
    description=f"Inductive field with the {_MATRIX} I, an input; p = I@f with the momentum p, e = der(p)",
    I=_SQUARE,
    p=Var(shape="n", description="momentum: integral of the effort"),
    equations=finite("p = I@f", "der(p) = e", impulse="E = I@g", momentum="reinit(p, p + E)"),
)
