"""Converters between voltages and words of N truth values (bits; the first one is the least significant)."""

from __future__ import annotations

from ...model.errors import ModelError
from ...model.model import Model, Var
from ...model.when import When
from .interfaces import Pin


def _check(N: int) -> None:
    if N < 1:
        raise ModelError("a converter has bits", found=f"N = {N!r}", expected="N >= 1")


def AD_Converter(N: int = 8) -> Model:
    """Analog to digital: when trig becomes true, y1, ..., yN become the bits of the voltage from p to n.

    Parameters: V_ref_high, V_ref_low [V], the voltages at which all bits are true and false; R_in [Ohm]. z is the number whose
    bits they are, rounded, and not limited to those that N bits can have.

    Raises:
        ModelError: no bits.
    """
    _check(N)
    bits = {f"y{k + 1}": f"mod(div(z, {2**k}), 2) == 1" for k in range(N)}
    return Model({y: Var(type="Boolean", output=True, init=False) for y in bits}) | Model(
        description=f"Analog to digital converter of {N} bits",
        V_ref_high=10.0,
        V_ref_low=0.0,
        R_in=1e6,
        p=Pin,
        n=Pin,
        trig=Var(type="Boolean", input=True),
        v=Var("p.v - n.v", unit="V", description="voltage from p to n"),
        z=Var(type="Integer", init=0, description="number at the last trigger"),
        equations=[
            "p.i = v/R_in",
            "p.i + n.i = 0",
            When("trig", [f"z = floor((v - V_ref_low)/(V_ref_high - V_ref_low)*{2**N - 1} + 0.5) if v > V_ref_low else 0"]),
        ]
        + [f"{y} = {value}" for y, value in bits.items()],
    )


def DA_Converter(N: int = 8) -> Model:
    """Digital to analog: when trig becomes true, the voltage from p to n becomes that of the bits x1, ..., xN.

    Parameter: V_ref [V], the voltage when all bits are true.

    Raises:
        ModelError: no bits.
    """
    _check(N)
    bits = [f"x{k + 1}" for k in range(N)]
    number = " + ".join(f"({2**k} if {x} else 0)" for k, x in enumerate(bits))
    return Model({x: Var(type="Boolean", input=True) for x in bits}) | Model(
        description=f"Digital to analog converter of {N} bits",
        V_ref=10.0,
        p=Pin,
        n=Pin,
        trig=Var(type="Boolean", input=True),
        v_out=Var(init=0.0, unit="V", description="voltage from p to n"),
        equations=[
            "p.v - n.v = v_out",
            "p.i + n.i = 0",
            When("trig", [f"v_out = V_ref/{2**N - 1}*({number})"]),
        ],
    )
