"""Transformers and gyrators: by ratios, and by matrices that transform the effort or the flow, also between two sizes.

The inputs of modulated elements have the names of the parameters.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import finite, gyrates, with_impulses
from .ports import PassiveOnePort, TwoDiffPort, TwoPort

_EACH = "a number for all n elements or a list of n"
_TF, _GY = ["e1 = m*e2", "f2 = m*f1"], ["e1 = r*f2", "e2 = r*f1"]

TF = TwoPort | Model(
    description=f"Transformer with the ratio m, {_EACH}; e1 = m*e2, f2 = m*f1", m=1.0, equations=with_impulses(*_TF)
)

GY = TwoPort | Model(description=f"Gyrator with the ratio r, {_EACH}; e1 = r*f2, e2 = r*f1", r=1.0, equations=gyrates(*_GY))

mTF = TwoPort | Model(
    description="Transformer with the ratio m, an input of size n; e1 = m*e2, f2 = m*f1",
    m=Var(input=True, shape="n"),
    equations=with_impulses(*_TF),
)

mGY = TwoPort | Model(
    description="Gyrator with the ratio r, an input of size n; e1 = r*f2, e2 = r*f1",
    r=Var(input=True, shape="n"),
    equations=gyrates(*_GY),
)

_EQUATIONS = {
    "Transformer of the effort": ["e2 = M@e1", "f1 = transpose(M)@f2"],
    "Transformer of the flow": ["f2 = M@f1", "e1 = transpose(M)@e2"],
    "Gyrator of the effort": ["f2 = M@e1", "f1 = transpose(M)@e2"],
    "Gyrator of the flow": ["e2 = M@f1", "e1 = transpose(M)@f2"],
}

_LAWS = {"Transformer": with_impulses, "Gyrator": gyrates}


def _by_matrix(base: Model, rows: str, columns: str, text: str, modulated: bool = False) -> tuple[Model, Model, Model, Model]:
    """Return the transformers of the effort and of the flow, and the gyrators of the effort and of the flow."""
    given = f"({rows}, {columns})" + ", an input" * modulated
    matrix = Var(input=True, shape=[rows, columns]) if modulated else [[1.0]]
    one, other, third, fourth = (
        base
        | Model(
            description=f"{kind}{text} by the matrix M {given}; {', '.join(equations)}",
            M=matrix,
            equations=_LAWS[kind.split()[0]](*equations),
        )
        for kind, equations in _EQUATIONS.items()
    )
    return one, other, third, fourth


TF_effort, TF_flow, GY_effort, GY_flow = _by_matrix(TwoPort, "n", "n", "")
mTF_effort, mTF_flow, mGY_effort, mGY_flow = _by_matrix(TwoPort, "n", "n", "", modulated=True)

_SIZES = " from size n_a to size n_b"
TF2_effort, TF2_flow, GY2_effort, GY2_flow = _by_matrix(TwoDiffPort, "n_b", "n_a", _SIZES)
mTF2_effort, mTF2_flow, mGY2_effort, mGY2_flow = _by_matrix(TwoDiffPort, "n_b", "n_a", _SIZES, modulated=True)

SGY = TwoPort | Model(
    description="Symplectic gyrator: the effort of one side is the flow of the other; f2 = e1, f1 = e2",
    equations=gyrates("f2 = e1", "f1 = e2"),
)

_EULER = finite("e = cross(f, I@f)")

MGY = PassiveOnePort | Model(
    description="Eulerian junction structure: gyroscopic torque of a body with the angular velocity f and the matrix of inertia"
    " I (3, 3), both in axes of the body; e = cross(f, I@f)",
    n=3,
    I=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    equations=_EULER,
)

mMGY = PassiveOnePort | Model(
    description="Eulerian junction structure whose matrix of inertia I (3, 3) is an input; e = cross(f, I@f)",
    n=3,
    I=Var(input=True, shape=[3, 3]),
    equations=_EULER,
)
