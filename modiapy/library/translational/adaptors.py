"""Adaptors between flanges and signals, and a flange that moves as three signals say."""

from __future__ import annotations

from ...model.model import Model, Var
from ..adaptors import WITH_TWO_DERIVATIVES, flow_to_potential, potential_to_flow
from .interfaces import Flange

_UNITS = ("m", "m/s", "m/s2", "N")


def _signals(use_pder: bool, use_pder2: bool) -> tuple[str, ...]:
    return ("p", "pder", "pder2")[: 1 + use_pder + (use_pder and use_pder2)]


def GeneralPositionToForceAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """Moves the flange by the inputs p [m] and, unless they are left out, pder = der(p), pder2 = der(pder); output f [N]."""
    text = "The force f [N] that it takes to move the flange as the inputs say"
    return potential_to_flow(text, "flange", Flange, ("s", "f"), _signals(use_pder, use_pder2), "f", _UNITS)


def GeneralForceToPositionAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """Drives the flange by the input f [N]; outputs p [m] and, unless they are left out, its derivatives pder and pder2."""
    text = "How the flange moves by the force f [N]"
    return flow_to_potential(text, "flange", Flange, ("s", "f"), _signals(use_pder, use_pder2), "f", _UNITS)


Move = Model(
    description="The flange moves as the inputs s_ref [m], v_ref = der(s_ref), a_ref = der(v_ref) say; none of them is"
    " differentiated",
    s_ref=Var(input=True, unit="m"),
    v_ref=Var(input=True, unit="m/s"),
    a_ref=Var(input=True, unit="m/s2"),
    flange=Flange,
    moved=WITH_TWO_DERIVATIVES,
    equations=["flange.s = moved(s_ref, v_ref, a_ref, time)"],
)
