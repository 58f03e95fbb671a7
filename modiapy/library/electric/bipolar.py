"""Bipolar transistors with smooth characteristics (their switching makes no events).

Source: J. Vlach and K. Singhal, Computer Methods for Circuit Analysis and Design, 1983.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .diodes import THERMAL_VOLTAGE
from .interfaces import Pin, WithHeatPort


def _exponential(x: str) -> str:
    """Return exp(x), linear below e_min and above e_max."""
    low, high = f"exp(e_min)*({x} - e_min + 1)", f"exp(e_max)*({x} - e_max + 1)"
    return f"noEvent({low} if {x} < e_min else ({high} if {x} > e_max else exp({x})))"


def _junction(v: str, size: str, phi: str, m: str) -> str:
    """Return the depletion capacitance, linear at forward voltages; the power is not evaluated there."""
    return f"{size}*noEvent(1 + {m}*{v}/{phi} if {v} > 0 else (1 - min({v}, 0)/{phi})**(-{m}))"


def _bipolar(kind: str, sign: str) -> Model:
    """Return the transistor of Ebers and Moll; the voltages of a pnp transistor (sign "-") have the opposite sign."""
    return Model(
        description=f"{kind} transistor of Ebers and Moll (Vlach and Singhal, Computer Methods for Circuit Analysis and Design,"
        " 1983), pins collector C, base B, emitter E. Bf, Br: gains; Is [A]: saturation current; Vak [1/V]: inverse Early"
        " voltage; Tauf, Taur [s]: transit times; Ccs, Cje, Cjc [F]: capacitances of substrate and of both junctions with the"
        " diffusion voltages Phie, Phic [V] and exponents Me, Mc; Gbc, Gbe [S]: conductances; Vt [V]: voltage equivalent of"
        " temperature; NF, NR: emission coefficients. Outside of e_min, e_max exponentials are linear.",
        Bf=50.0,
        Br=0.1,
        Is=1e-16,
        Vak=0.02,
        Tauf=0.12e-9,
        Taur=5e-9,
        Ccs=1e-12,
        Cje=0.4e-12,
        Cjc=0.5e-12,
        Phie=0.8,
        Me=0.4,
        Phic=0.8,
        Mc=0.333,
        Gbc=1e-15,
        Gbe=1e-15,
        Vt=0.02585,
        NF=1.0,
        NR=1.0,
        e_min=-100.0,
        e_max=40.0,
        T=293.15,
        C=Pin,
        B=Pin,
        E=Pin,
        is_t=Var("Is", unit="A", description="saturation current at the temperature T"),
        bf_t=Var("Bf", description="forward gain at the temperature T"),
        br_t=Var("Br", description="reverse gain at the temperature T"),
        vt_t=Var("Vt", unit="V", description="voltage equivalent of the temperature T"),
        vbc=Var(f"{sign}(B.v - C.v)", unit="V", description="voltage of the collector's junction"),
        vbe=Var(f"{sign}(B.v - E.v)", unit="V", description="voltage of the emitter's junction"),
        ibc=Var(unit="A"),
        ibe=Var(unit="A"),
        cbc=Var(unit="F"),
        cbe=Var(unit="F"),
        i_transfer=Var("(ibe - ibc)*(1 - vbc*Vak)", unit="A", description="current that the transistor amplifies"),
        loss_power=Var("(vbe - vbc)*i_transfer + vbc*ibc/br_t + vbe*ibe/bf_t", unit="W", description="losses"),
        equations=[
            f"ibc = is_t*({_exponential('(vbc/(NR*vt_t))')} - 1) + vbc*Gbc",
            f"ibe = is_t*({_exponential('(vbe/(NF*vt_t))')} - 1) + vbe*Gbe",
            f"cbc = Taur*is_t/(NR*vt_t)*{_exponential('(vbc/(NR*vt_t))')} + {_junction('vbc', 'Cjc', 'Phic', 'Mc')}",
            f"cbe = Tauf*is_t/(NF*vt_t)*{_exponential('(vbe/(NF*vt_t))')} + {_junction('vbe', 'Cje', 'Phie', 'Me')}",
            f"C.i = {sign}(i_transfer - ibc/br_t - cbc*der(vbc)) + Ccs*der(C.v)",
            f"B.i = {sign}(ibe/bf_t + ibc/br_t + cbc*der(vbc) + cbe*der(vbe))",
            "E.i = -B.i - C.i + Ccs*der(C.v)",
        ],
    )


NPN, PNP = _bipolar("npn", ""), _bipolar("pnp", "-")


def _heating(transistor: Model, name: str) -> Model:
    return (
        transistor
        | WithHeatPort
        | Model(
            description=f"{name} whose gains and saturation current (given at Tnom [K]) depend on the temperature T [K] of its"
            " heat port. XTI, XTB: temperature exponents of the saturation current and of the gains; EG [V]: energy gap; losses"
            " flow out of the port",
            Tnom=300.15,
            XTI=3.0,
            XTB=0.0,
            EG=1.11,
            vt_t=Var(f"{THERMAL_VOLTAGE!r}*T"),
            is_t=Var(f"Is*(T/Tnom)**XTI*{_exponential('((T/Tnom - 1)*EG/vt_t)')}"),
            bf_t=Var("Bf*(T/Tnom)**XTB"),
            br_t=Var("Br*(T/Tnom)**XTB"),
        )
    )


HeatingNPN, HeatingPNP = _heating(NPN, "NPN"), _heating(PNP, "PNP")
