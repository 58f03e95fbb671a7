"""Diodes and transistors with smooth characteristics (their switching makes no events)."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import OnePort, Pin

Diode = OnePort | Model(
    description="Diode: Ids*(exp(v/Vt) - 1) + v/R, linear above v = max_exp*Vt. Ids [A]: saturation current; Vt [V]:"
    " voltage equivalent of temperature; R [Ohm]: parallel resistance",
    Ids=1e-6,
    Vt=0.04,
    max_exp=15.0,
    R=1e8,
    equations=[
        "i = noEvent((Ids*(exp(max_exp)*(1 + v/Vt - max_exp) - 1) if v/Vt > max_exp else Ids*(exp(v/Vt) - 1)) + v/R)",
    ],
)

ZDiode = OnePort | Model(
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

_Field = Model(
    W=20e-6,
    L=6e-6,
    d_W=-2.5e-6,
    RDS=1e7,
    D=Pin,
    G=Pin,
    S=Pin,
    B=Pin,
    ud=Var(unit="V", description="potential of the end that acts as drain"),
    us=Var(unit="V", description="potential of the end that acts as source"),
    ubs=Var(unit="V", description="voltage of the bulk that acts on the channel"),
    ugst=Var(unit="V", description="voltage of the gate above the threshold"),
    id=Var(unit="A", description="current of the channel"),
    loss_power=Var("D.i*(D.v - S.v)", unit="W", description="heat"),
    equations=[
        "ugst = (G.v - us - Vt + K2*ubs)*K5",
        "G.i = 0",
        "B.i = 0",
        "D.i + S.i = 0",
    ],
)

_FIELD_TEXT = (
    " transistor without capacitances (Spiro, Simulation integrierter Schaltungen, 1990), pins drain D, gate G, source S,"
    " bulk B."
    " W, L [m]: width and length, d_W, d_L [m]: what they lose; Beta [A/V2]: transconductance; Vt [V]: threshold; K2, K5: bulk"
    " threshold and pinch-off; RDS [Ohm]: from drain to source"
)

NMOS = _Field | Model(
    description="n-channel MOS" + _FIELD_TEXT,
    Beta=0.041e-3,
    Vt=0.8,
    K2=1.144,
    K5=0.7311,
    d_L=-1.5e-6,
    equations=[
        "ud = noEvent(max(D.v, S.v))",
        "us = noEvent(min(D.v, S.v))",
        "ubs = noEvent(0 if B.v > us else B.v - us)",
        "id = (ud - us)/RDS + Beta*(W + d_W)/(L + d_L)*noEvent(0 if ugst <= 0"
        " else ((ud - us)*(ugst - (ud - us)/2) if ugst > ud - us else ugst**2/2))",
        "D.i = noEvent(-id if D.v < S.v else id)",
    ],
)

PMOS = _Field | Model(
    description="p-channel MOS" + _FIELD_TEXT,
    W=50e-6,
    Beta=0.0105e-3,
    Vt=-1.0,
    K2=0.41,
    K5=0.839,
    d_L=-2.1e-6,
    equations=[
        "ud = noEvent(min(D.v, S.v))",
        "us = noEvent(max(D.v, S.v))",
        "ubs = noEvent(0 if B.v < us else B.v - us)",
        "id = (ud - us)/RDS - Beta*(W + d_W)/(L + d_L)*noEvent(0 if ugst >= 0"
        " else ((ud - us)*(ugst - (ud - us)/2) if ugst < ud - us else ugst**2/2))",
        "D.i = noEvent(-id if D.v > S.v else id)",
    ],
)


def _exponential(x: str) -> str:
    """exp(x), linear below e_min and above e_max."""
    low, high = f"exp(e_min)*({x} - e_min + 1)", f"exp(e_max)*({x} - e_max + 1)"
    return f"noEvent({low} if {x} < e_min else ({high} if {x} > e_max else exp({x})))"


def _junction(v: str, size: str, phi: str, m: str) -> str:
    """Depletion capacitance, linear at forward voltages; the power is not evaluated there."""
    return f"{size}*noEvent(1 + {m}*{v}/{phi} if {v} > 0 else (1 - min({v}, 0)/{phi})**(-{m}))"


def _bipolar(kind: str, sign: str) -> Model:
    """Transistor of Ebers and Moll; the voltages of a pnp transistor (sign "-") have the opposite sign."""
    return Model(
        description=f"{kind} transistor of Ebers and Moll (Vlach and Singhal, Computer Methods for Circuit Analysis and Design,"
        " 1983), pins collector C, base B, emitter E. Bf, Br: gains; Is [A]: saturation current; Vak [1/V]: inverse Early"
        " voltage; Tauf, Taur [s]: transit times; Ccs, Cje, Cjc [F]: capacitances of substrate and of both junctions with the"
        " diffusion voltages Phie, Phic [V] and exponents Me, Mc; Gbc, Gbe [S]: conductances; Vt [V]: voltage equivalent of"
        " temperature. Outside of e_min, e_max exponentials are linear.",
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
        e_min=-100.0,
        e_max=40.0,
        C=Pin,
        B=Pin,
        E=Pin,
        vbc=Var(f"{sign}(B.v - C.v)", unit="V", description="voltage of the collector's junction"),
        vbe=Var(f"{sign}(B.v - E.v)", unit="V", description="voltage of the emitter's junction"),
        ibc=Var(unit="A"),
        ibe=Var(unit="A"),
        cbc=Var(unit="F"),
        cbe=Var(unit="F"),
        i_transfer=Var("(ibe - ibc)*(1 - vbc*Vak)", unit="A", description="current that the transistor amplifies"),
        loss_power=Var("(vbe - vbc)*i_transfer + vbc*ibc/Br + vbe*ibe/Bf", unit="W", description="heat"),
        equations=[
            f"ibc = Is*({_exponential('(vbc/Vt)')} - 1) + vbc*Gbc",
            f"ibe = Is*({_exponential('(vbe/Vt)')} - 1) + vbe*Gbe",
            f"cbc = Taur*Is/Vt*{_exponential('(vbc/Vt)')} + {_junction('vbc', 'Cjc', 'Phic', 'Mc')}",
            f"cbe = Tauf*Is/Vt*{_exponential('(vbe/Vt)')} + {_junction('vbe', 'Cje', 'Phie', 'Me')}",
            f"C.i = {sign}(i_transfer - ibc/Br - cbc*der(vbc)) + Ccs*der(C.v)",
            f"B.i = {sign}(ibe/Bf + ibc/Br + cbc*der(vbc) + cbe*der(vbe))",
            "E.i = -B.i - C.i + Ccs*der(C.v)",
        ],
    )


NPN, PNP = _bipolar("npn", ""), _bipolar("pnp", "-")
