"""Adaptors between flanges and signals, and a flange that moves as three signals say."""

from __future__ import annotations

from ...model.model import Model
from .. import rotational
from ..adaptors import flow_to_potential, potential_to_flow
from ..flanges import TranslationalFlange as Flange
from .counterparts import counterpart


def GeneralPositionToForceAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """Moves the flange by the inputs p [m] and, unless they are left out, pder = der(p), pder2 = der(pder); output f [N]."""
    return potential_to_flow(
        "The force f [N] that it takes to move the flange as the inputs say", "flange", Flange, use_pder, use_pder2
    )


def GeneralForceToPositionAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """Drives the flange by the input f [N]; outputs p [m] and, unless they are left out, its derivatives pder and pder2."""
    return flow_to_potential("How the flange moves by the force f [N]", "flange", Flange, use_pder, use_pder2)


Move = counterpart(rotational.Move) | Model(
    description="The flange moves as the inputs s_ref [m], v_ref = der(s_ref), a_ref = der(v_ref) say; none of them is"
    " differentiated"
)
