"""Diodes with smooth characteristics (their switching makes no events)."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import OnePort, WithHeatPort

THERMAL_VOLTAGE = 1.380649e-23 / 1.602176634e-19
"""Boltzmann constant over elementary charge (exact since 2019) [V/K]."""

_Lossy = OnePort | Model(T=293.15, loss_power=Var("v*i", unit="W", description="losses"))


def _exponential(x: str) -> str:
    """Return exp(x), linear above max_exp."""
    return f"(exp(max_exp)*(1 + {x} - max_exp) if {x} > max_exp else exp({x}))"


Diode = _Lossy | Model(
    description="Diode: Ids*(exp(v/Vt) - 1) + v/R, linear above v = max_exp*Vt. Ids [A]: saturation current; Vt [V]:"
    " voltage equivalent of temperature; R [Ohm]: parallel resistance",
    Ids=1e-6,
    Vt=0.04,
    max_exp=15.0,
    R=1e8,
    equations=[f"i = noEvent(Ids*({_exponential('v/Vt')} - 1)) + v/R"],
)

HeatingDiode = (
    _Lossy
    | WithHeatPort
    | Model(
        description="Diode whose current depends on the temperature T [K] of its heat port; losses flow out of that. Ids [A]:"
        " saturation current at TNOM [K]; EG [V]: activation energy; N: emission coefficient; XTI: temperature exponent of the"
        " saturation current; R [Ohm]: parallel resistance; max_exp: exponent above which the characteristic is linear",
        Ids=1e-6,
        max_exp=15.0,
        R=1e8,
        EG=1.11,
        N=1.0,
        TNOM=300.15,
        XTI=3.0,
        vt_t=Var(f"{THERMAL_VOLTAGE!r}*T", unit="V", description="voltage equivalent of the temperature"),
        id=Var(unit="A", description="current of the junction at TNOM"),
        equations=[
            f"id = noEvent(Ids*({_exponential('v/(N*vt_t)')} - 1))",
            "i = id*(T/TNOM)**(XTI/N)*exp((T/TNOM - 1)*EG/(N*vt_t)) + v/R",
        ],
    )
)

Diode2 = _Lossy | Model(
    description="Diode with the ohmic resistance Rs [Ohm]. Vf [V]: forward voltage, above which (and N*Vt more) the junction is"
    " linear; Ids [A]: reverse saturation current; Vt [V]: voltage equivalent of the temperature T [K]; N: emission"
    " coefficient; Bv [V]: reverse breakdown voltage; Gp [S]: parallel conductance",
    Vf=0.7,
    Ids=1e-13,
    Rs=16.0,
    Vt=Var(f"{THERMAL_VOLTAGE!r}*T", unit="V"),
    N=1.0,
    Bv=100.0,
    Gp=1e-6,
    vd=Var(start=0.0, unit="V", description="voltage of the junction"),
    id=Var(unit="A", description="current of the junction"),
    equations=[
        "id = Ids*noEvent(2*exp(-Bv/(2*N*Vt)) - 1 - exp(-(vd + Bv)/(N*Vt)) if vd < -Bv/2"
        " else (exp(vd/(N*Vt)) - 1 if vd < Vf + N*Vt else exp(Vf/(N*Vt) + 1)*(vd - Vf)/(N*Vt) - 1))",
        "v = vd + id*Rs",
        "i = id + v*Gp",
    ],
)

ZDiode = _Lossy | Model(
    description="Diode that breaks down below the voltage -Bv [V], there with the knee current Ibv [A] and the ideality Nbv;"
    " the other parameters are those of Diode",
    Ids=1e-6,
    Vt=0.04,
    max_exp=30.0,
    R=1e8,
    Bv=5.1,
    Ibv=0.7,
    Nbv=0.74,
    equations=[
        "i = noEvent((Ids*(exp(max_exp)*(1 + v/Vt - max_exp) - 1) if v > max_exp*Vt"
        " else (-Ids - Ibv*exp(max_exp)*(1 - (v + Bv)/(Nbv*Vt) - max_exp) if v + Bv < -max_exp*Nbv*Vt"
        " else Ids*(exp(v/Vt) - 1) - Ibv*exp(-(v + Bv)/(Nbv*Vt)))) + v/R)",
    ],
)
