"""MOS transistors with smooth characteristics (their switching makes no events).

Source: H. Spiro, Simulation integrierter Schaltungen durch universelle Rechnerprogramme, 1990.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import Pin, WithHeatPort

_TEXT = (
    "-channel MOS transistor without capacitances (Spiro, Simulation integrierter Schaltungen, 1990), pins drain D, gate G,"
    " source S, bulk B. W, L [m]: width and length, d_W, d_L [m]: what they lose; Beta [A/V2]: transconductance; Vt [V]:"
    " threshold; K2, K5: bulk threshold and pinch-off; RDS [Ohm]: from drain to source"
)


def _field_effect(kind: str, sign: str, **parameters: float) -> Model:
    """Return a transistor; the voltages and currents of a p-channel one (sign "-") have the opposite sign."""
    return Model(
        description=kind + _TEXT,
        W=20e-6,
        L=6e-6,
        d_W=-2.5e-6,
        RDS=1e7,
        T=293.15,
        **parameters,
        D=Pin,
        G=Pin,
        S=Pin,
        B=Pin,
        beta_t=Var("Beta", unit="A/V2", description="transconductance at the temperature T"),
        vt_t=Var("Vt", unit="V", description="threshold at the temperature T"),
        k2_t=Var("K2", description="bulk threshold at the temperature T"),
        ud=Var(f"noEvent({sign}max({sign}D.v, {sign}S.v))", unit="V", description="potential of the end that acts as drain"),
        us=Var(f"noEvent({sign}min({sign}D.v, {sign}S.v))", unit="V", description="potential of the end that acts as source"),
        uds=Var(f"{sign}(ud - us)", unit="V", description="voltage between both ends"),
        ubs=Var(f"noEvent(min({sign}(B.v - us), 0))", unit="V", description="voltage of the bulk that acts on the channel"),
        ugst=Var(f"({sign}(G.v - us - vt_t) + k2_t*ubs)*K5", unit="V", description="voltage of the gate above the threshold"),
        id=Var(unit="A", description="current of the channel"),
        loss_power=Var("D.i*(D.v - S.v)", unit="W", description="losses"),
        equations=[
            "id = uds/RDS + beta_t*(W + d_W)/(L + d_L)*noEvent(0 if ugst <= 0"
            " else (uds*(ugst - uds/2) if ugst > uds else ugst**2/2))",
            "D.i = noEvent(id if D.v > S.v else -id)",
            "G.i = 0",
            "B.i = 0",
            "D.i + S.i = 0",
        ],
    )


NMOS = _field_effect("n", "", Beta=0.041e-3, Vt=0.8, K2=1.144, K5=0.7311, d_L=-1.5e-6)
PMOS = _field_effect("p", "-", Beta=0.0105e-3, Vt=-1.0, K2=0.41, K5=0.839, d_L=-2.1e-6)


def _heating(transistor: Model, name: str, kvt: float, kk2: float) -> Model:
    return (
        transistor
        | WithHeatPort
        | Model(
            description=f"{name} whose Beta, Vt and K2 (given at Tnom [K]) depend on the temperature T [K] of its heat port;"
            " kvt, kk2 [1/K]: temperature coefficients of Vt and K2; losses flow out of the port",
            Tnom=300.15,
            kvt=kvt,
            kk2=kk2,
            beta_t=Var("Beta*(T/Tnom)**(-1.5)"),
            vt_t=Var("Vt*(1 + (T - Tnom)*kvt)"),
            k2_t=Var("K2*(1 + (T - Tnom)*kk2)"),
        )
    )


HeatingNMOS, HeatingPMOS = _heating(NMOS, "NMOS", -6.96e-3, 6e-4), _heating(PMOS, "PMOS", -2.9e-3, 6.2e-4)
