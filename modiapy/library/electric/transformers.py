"""Transformers and gyrators."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.errors import ModelError
from ...model.model import Map, Model, Var
from .interfaces import Pin, TwoPort

Transformer = (
    TwoPort
    | Map(i1=Map(start=0.0), i2=Map(start=0.0))
    | Model(
        description="Transformer with the inductances L1, L2 [H] and the coupling inductance M [H]",
        L1=1.0,
        L2=1.0,
        M=1.0,
        equations=["v1 = L1*der(i1) + M*der(i2)", "v2 = M*der(i1) + L2*der(i2)"],
    )
)

IdealTransformer = TwoPort | Model(
    description="Ideal transformer without magnetization: v1 = n*v2", n=1.0, equations=["v1 = n*v2", "i2 = -n*i1"]
)

IdealTransformerWithMagnetization = TwoPort | Model(
    description="Ideal transformer v1 = n*v2 with the magnetizing inductance Lm1 [H] of the side 1",
    n=1.0,
    Lm1=1.0,
    im1=Var(start=0.0, unit="A", description="magnetizing current of the side 1"),
    psim1=Var("Lm1*im1", unit="Wb", description="magnetic flux of the side 1"),
    equations=["v1 = n*v2", "im1 = i1 + i2/n", "v1 = der(psim1)"],
)

Gyrator = TwoPort | Model(
    description="Gyrator with the conductances G1, G2 [S]", G1=1.0, G2=1.0, equations=["i1 = G2*v2", "i2 = -G1*v1"]
)


def M_Transformer(N: int = 3, L: Sequence[float] = (1.0, 0.1, 0.2, 2.0, 0.3, 3.0)) -> Model:
    """Transformer with N windings from p1 to n1, ..., pN to nN, their voltages v1, ... and currents i1, ...

    Args:
        N: number of windings.
        L: upper triangle of the symmetric matrix of inductances [H], row by row, shape (N*(N + 1)/2,); a parameter.

    Raises:
        ModelError: not that many inductances.
    """
    if N < 1 or len(L) != N * (N + 1) // 2:
        raise ModelError("inductances of a transformer", found=f"{len(L)} of them", expected=f"{N * (N + 1) // 2} for N = {N}")
    rows = [" + ".join(f"L[{upper_triangle(N, j, k)}]*der(i{k + 1})" for k in range(N)) for j in range(N)]
    windings = range(1, N + 1)
    return (
        Model({f"{end}{k}": Pin for k in windings for end in "pn"})
        | Model({f"v{k}": Var(f"p{k}.v - n{k}.v", unit="V") for k in windings})
        | Model({f"i{k}": Var(f"p{k}.i", start=0.0, unit="A") for k in windings})
        | Model(
            description=f"Transformer with {N} windings",
            L=[float(value) for value in L],
            equations=[f"v{j} = {row}" for j, row in zip(windings, rows, strict=True)]
            + [f"0 = p{k}.i + n{k}.i" for k in windings],
        )
    )


def upper_triangle(N: int, j: int, k: int) -> int:
    """Return the place of entry (j, k), counted from 0, of a symmetric matrix of N rows in its upper triangle, row by row."""
    j, k = min(j, k), max(j, k)
    return j * N - j * (j - 1) // 2 + k - j
