"""Transmission lines: lossless ones by delays, lossy ones of lumped segments."""

from __future__ import annotations

from typing import Any

from ...model.errors import ModelError
from ...model.model import Map, Model, Var
from ...model.when import Assert
from .interfaces import Pin, TwoPort
from .resistors import Conductor, Resistor
from .storage import Capacitor, Inductor
from .transformers import M_Transformer, upper_triangle

_THERMAL = {"T_ref": 300.15, "T": 293.15}

_LINE = TwoPort | Model(
    Z0=1.0,
    es=Var(unit="V", description="voltage of the wave that arrives at p1"),
    er=Var(unit="V", description="voltage of the wave that arrives at p2"),
    equations=[
        "v1 = es + Z0*i1",
        "v2 = er + Z0*i2",
        "es = 2*delay(v2, TD) - delay(er, TD)",
        "er = 2*delay(v1, TD) - delay(es, TD)",
        Assert("Z0 > 0", "Z0 of a line must be positive"),
    ],
)
"""Waves run along a lossless line in both directions. Source: Branin, Proc. IEEE 55 (1967), 2012."""

TLine1 = _LINE | Model(
    description="Lossless line of the characteristic impedance Z0 [Ohm] and the transmission delay TD [s]", TD=1.0
)

TLine2 = _LINE | Model(
    description="Lossless line of the impedance Z0 [Ohm] and the length NL in wavelengths at the frequency F [Hz]",
    F=1.0,
    NL=1.0,
    TD="NL/F",
)

TLine3 = _LINE | Model(
    description="Lossless line of the impedance Z0 [Ohm], a quarter of a wavelength long at the frequency F [Hz]",
    F=1.0,
    TD="1/(4*F)",
)


def _check(N: int, least: int = 1) -> None:
    if least > N:
        raise ModelError("a line has segments", found=f"N = {N!r}", expected=f"N >= {least}")


def _heated(component: Model, alpha: str) -> Model:
    return component | Map(alpha=alpha, T_ref="T_ref", T="T")


def _segments(N: int, series: dict[str, Model], parallel: dict[str, Model], parameters: dict[str, float], text: str) -> Model:
    """Return N + 1 series branches, half as long at both ends, with N parallel ones between their ends."""
    _check(N)
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
    return Model({name.lower(): 1.0 for name in [*series, *parallel]} | parameters) | Model(
        description=text, length=1.0, p1=Pin, p2=Pin, p3=Pin, **parts, connect=[*connections, tuple(ground)]
    )


def OLine(N: int = 1) -> Model:
    """Lossy line from p1 to p2 above p3, of N segments.

    Parameters: resistance r [Ohm/m], inductance l [H/m], conductance g [S/m], capacitance c [F/m], length [m]; temperature
    coefficients alpha_R, alpha_G [1/K] of the resistances of R and G, temperatures T_ref and T [K]. Parts: R1, ..., L1, ...,
    C1, ..., G1, ...
    """
    return _segments(
        N,
        {"R": _heated(Resistor, "alpha_R"), "L": Inductor},
        {"G": _heated(Conductor, "alpha_G"), "C": Capacitor},
        {"alpha_R": 0.0, "alpha_G": 0.0, **_THERMAL},
        f"Lossy line of {N} segments",
    )


def ULine(N: int = 1) -> Model:
    """Line with resistance r [Ohm/m] and capacitance c [F/m] only, from p1 to p2 above p3, of N segments.

    Parameters: r, c, length [m]; temperature coefficient alpha [1/K] of the resistances, temperatures T_ref and T [K].
    """
    return _segments(
        N, {"R": _heated(Resistor, "alpha")}, {"C": Capacitor}, {"alpha": 0.0, **_THERMAL}, f"RC line of {N} segments"
    )


_FOUR_WIRES = {
    "r": [4.76e5, 1.72e5, 1.72e5, 1.72e5],
    "l": [5.98e-7, 4.44e-7, 4.39e-7, 3.99e-7, 5.81e-7, 4.09e-7, 4.23e-7, 5.96e-7, 4.71e-7, 6.06e-7],
    "g": [8.05e-6, 3.42e-5, 2.91e-5, 1.76e-6, 9.16e-6, 7.12e-6, 2.43e-5, 5.93e-6, 4.19e-5, 6.64e-6],
    "c": [2.38e-11, 1.01e-10, 8.56e-11, 5.09e-12, 2.71e-11, 2.09e-11, 7.16e-11, 1.83e-11, 1.23e-10, 2.07e-11],
}
"""Line of an integrated circuit: values for one metre, the default of M_OLine."""


def M_OLine(N: int = 5, lines: int = 4) -> Model:
    """Lossy line of several coupled wires from p1, p2, ... to n1, n2, ..., of N segments, above ref_pin.

    Parameters: resistances r [Ohm/m], shape (lines,); upper triangles, row by row, of the matrices of inductances l [H/m],
    capacitances c [F/m] and conductances g [S/m], shape (lines*(lines + 1)/2,): diagonal entries of c and g lead from a wire
    to ref_pin, the others from wire to wire; all of them are 1 by default where there are not four wires; length [m];
    temperature coefficients alpha_R, alpha_G [1/K], temperatures T_ref, T [K]. Parts: segment1, ... with R1, ..., inductance,
    C1, ..., G1, ...

    Raises:
        ModelError: fewer than two segments, no wire.
    """
    _check(N, 2)
    if lines < 1:
        raise ModelError("a line has wires", found=f"lines = {lines!r}", expected="lines >= 1")
    parts: dict[str, Any] = {}
    connections: list[tuple[str, ...]] = []
    for s in range(1, N + 2):
        share = f"length/{2 * N if s in (1, N + 1) else N}"
        parts[f"segment{s}"] = _wires(lines, share, "" if s == N + 1 else f"length/{N}")
        ends = [(f"segment{s}.n{k}", f"segment{s + 1}.p{k}" if s <= N else f"n{k}") for k in range(1, lines + 1)]
        connections += ends
    connections += [(f"p{k}", f"segment1.p{k}") for k in range(1, lines + 1)]
    connections.append(("ref_pin", *(f"segment{s}.ref_pin" for s in range(1, N + 1))))
    return Model({f"{end}{k}": Pin for k in range(1, lines + 1) for end in "pn"}) | Model(
        description=f"Lossy line of {lines} wires and {N} segments",
        length=0.1,
        **(_FOUR_WIRES if lines == 4 else {"r": [1.0] * lines, **dict.fromkeys("lcg", [1.0] * (lines * (lines + 1) // 2))}),
        alpha_R=0.0,
        alpha_G=0.0,
        **_THERMAL,
        ref_pin=Pin,
        **parts,
        connect=connections,
    )


def _wires(lines: int, series: str, parallel: str) -> Model:
    """Return one segment of coupled wires: shares of the length of the branches along the line and of those across, "" for
    none.
    """
    n = lines * (lines + 1) // 2
    parts: dict[str, Any] = {f"R{k + 1}": _heated(Resistor, "alpha_R") | Map(R=f"r[{k}]*{series}") for k in range(lines)}
    parts["inductance"] = M_Transformer(lines, [1.0] * n) | Map(L=f"l*{series}")
    nodes = [[f"n{k + 1}", f"inductance.n{k + 1}"] for k in range(lines)]
    ground = ["ref_pin"]
    for j in range(lines if parallel else 0):
        for k in range(j, lines):
            index = upper_triangle(lines, j, k)
            parts[f"C{index + 1}"] = Capacitor | Map(C=f"c[{index}]*{parallel}")
            parts[f"G{index + 1}"] = _heated(Conductor, "alpha_G") | Map(G=f"g[{index}]*{parallel}")
            for name in (f"C{index + 1}", f"G{index + 1}"):
                nodes[j].append(f"{name}.p")
                (ground if j == k else nodes[k]).append(f"{name}.n")
    connections: list[tuple[str, ...]] = [(f"p{k + 1}", f"R{k + 1}.p") for k in range(lines)]
    connections += [(f"R{k + 1}.n", f"inductance.p{k + 1}") for k in range(lines)]
    connections += [tuple(node) for node in nodes] + ([tuple(ground)] if parallel else [])
    pins = {f"{end}{k}": Pin for k in range(1, lines + 1) for end in "pn"} | ({"ref_pin": Pin} if parallel else {})
    return Model(pins) | Model(description="Segment of a line", **parts, connect=connections)
