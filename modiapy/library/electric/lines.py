"""Transmission lines of lumped segments, and transformers with any number of windings."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.errors import ModelError
from ...model.model import Map, Model, Var
from .basic import Capacitor, Conductor, Inductor, Resistor
from .interfaces import Pin


def _segments(N: int, series: dict[str, Model], parallel: dict[str, Model], description: str) -> Model:
    """N + 1 series branches, half as long at both ends, with N parallel ones between their ends."""
    if N < 1:
        raise ModelError("a line has segments", found=f"N = {N!r}", expected="N >= 1")
    parts: dict[str, Model] = {}
    connections: list[tuple[str, ...]] = []
    nodes = ["p1", *(f"node{k}" for k in range(1, N + 1)), "p2"]
    at: dict[str, list[str]] = {node: [] for node in nodes}
    for k in range(N + 1):
        share = f"length/{2 * N if k in (0, N) else N}"
        previous = nodes[k]
        names = list(series)
        for j, (name, component) in enumerate(series.items()):
            parts[f"{name}{k + 1}"] = component | Map({name: f"{name.lower()}*{share}"})
            if j == 0:
                at[previous].append(f"{name}{k + 1}.p")
            else:
                connections.append((f"{names[j - 1]}{k + 1}.n", f"{name}{k + 1}.p"))
        at[nodes[k + 1]].append(f"{names[-1]}{k + 1}.n")
    ground = ["p3"]
    for k in range(1, N + 1):
        for name, component in parallel.items():
            parts[f"{name}{k}"] = component | Map({name: f"{name.lower()}*length/{N}"})
            at[f"node{k}"].append(f"{name}{k}.p")
            ground.append(f"{name}{k}.n")
    connections += [tuple([node, *pins] if node in ("p1", "p2") else pins) for node, pins in at.items()]
    return Model({name.lower(): 1.0 for name in [*series, *parallel]}) | Model(
        description=description, length=1.0, p1=Pin, p2=Pin, p3=Pin, **parts, connect=[*connections, tuple(ground)]
    )


def OLine(N: int = 1) -> Model:
    """Lossy line from p1 to p2 above p3, of N segments.

    Parameters: resistance r [Ohm/m], inductance l [H/m], conductance g [S/m], capacitance c [F/m], length [m]. Parts: R1, ...,
    L1, ..., C1, ..., G1, ...
    """
    return _segments(N, {"R": Resistor, "L": Inductor}, {"G": Conductor, "C": Capacitor}, f"Lossy line of {N} segments")


def ULine(N: int = 1) -> Model:
    """Line with resistance r [Ohm/m] and capacitance c [F/m] only, from p1 to p2 above p3, of N segments; length [m]."""
    return _segments(N, {"R": Resistor}, {"C": Capacitor}, f"RC line of {N} segments")


def M_Transformer(N: int = 3, L: Sequence[float] = (1.0, 0.1, 0.2, 2.0, 0.3, 3.0)) -> Model:
    """Transformer with N windings from p1 to n1, ..., pN to nN, their voltages v1, ... and currents i1, ...

    Args:
        N: number of windings.
        L: upper triangle of the symmetric matrix of inductances [H], row by row, shape (N*(N + 1)/2,).

    Raises:
        ModelError: not that many inductances.
    """
    if N < 1 or len(L) != N * (N + 1) // 2:
        raise ModelError("inductances of a transformer", found=f"{len(L)} of them", expected=f"{N * (N + 1) // 2} for N = {N}")
    values = iter(L)
    upper = {(j, k): float(next(values)) for j in range(N) for k in range(j, N)}
    pins: dict[str, Model] = {f"{end}{k + 1}": Pin for k in range(N) for end in "pn"}
    variables: dict[str, Var] = {f"v{k + 1}": Var(unit="V") for k in range(N)}
    variables |= {f"i{k + 1}": Var(start=0.0, unit="A") for k in range(N)}
    rows = (" + ".join(f"({upper[min(j, k), max(j, k)]!r})*der(i{k + 1})" for k in range(N)) for j in range(N))
    return Model(
        description=f"Transformer with {N} windings",
        **pins,
        **variables,
        equations=[f"v{j + 1} = {row}" for j, row in enumerate(rows)]
        + [f"v{k} = p{k}.v - n{k}.v" for k in range(1, N + 1)]
        + [f"i{k} = p{k}.i" for k in range(1, N + 1)]
        + [f"0 = p{k}.i + n{k}.i" for k in range(1, N + 1)],
    )
