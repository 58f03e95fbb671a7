"""Adaptors between flanges and signals, and a flange that moves as three signals say."""

from __future__ import annotations

from ...model.model import Model, Var
from ..adaptors import WITH_TWO_DERIVATIVES, flow_to_potential, potential_to_flow
from .interfaces import Flange

_NAMES = ("phi", "w", "a")


def AngleToTorqueAdaptor(use_w: bool = True, use_a: bool = True) -> Model:
    """Moves the flange by the inputs phi [rad] and, unless they are left out, w = der(phi), a = der(w); output tau [N.m]."""
    text = "The torque tau [N.m] that it takes to move the flange as the inputs say"
    return potential_to_flow(text, "flange", Flange, use_w or use_a, use_a, _NAMES, "tau")


def TorqueToAngleAdaptor(use_w: bool = True, use_a: bool = True) -> Model:
    """Drives the flange by the input tau [N.m]; outputs phi [rad] and, unless they are left out, w and a."""
    return flow_to_potential("How the flange moves by the torque tau [N.m]", "flange", Flange, use_w, use_a, _NAMES, "tau")


def GeneralAngleToTorqueAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """`AngleToTorqueAdaptor` with the names of all General adaptors: inputs p, pder, pder2, output f."""
    return potential_to_flow(
        "The torque f [N.m] that it takes to move the flange as the inputs say", "flange", Flange, use_pder, use_pder2
    )


def GeneralTorqueToAngleAdaptor(use_pder: bool = True, use_pder2: bool = True) -> Model:
    """`TorqueToAngleAdaptor` with the names of all General adaptors: input f, outputs p, pder, pder2."""
    return flow_to_potential("How the flange moves by the torque f [N.m]", "flange", Flange, use_pder, use_pder2)


Move = Model(
    description="The flange moves as the inputs phi_ref [rad], w_ref = der(phi_ref), a_ref = der(w_ref) say; none of them is"
    " differentiated",
    phi_ref=Var(input=True, unit="rad"),
    w_ref=Var(input=True, unit="rad/s"),
    a_ref=Var(input=True, unit="rad/s2"),
    flange=Flange,
    moved=WITH_TWO_DERIVATIVES,
    equations=["flange.phi = moved(phi_ref, w_ref, a_ref, time)"],
)
