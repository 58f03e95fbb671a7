"""Converters between single bonds and the connectors of the other libraries: the same power, in or against the half arrow.

Efforts are voltages, torques, forces and temperatures; flows are currents, speeds and flows of entropy.
"""

from __future__ import annotations

from ...model.model import Model, Var
from ..electric import Pin
from ..flanges import TranslationalFlange
from ..heat_transfer import HeatPort
from ..rotational import Flange
from .impulses import at_events
from .ports import BondIn, BondOut

_KINDS = {
    "pins p and n": ({"p": Pin, "n": Pin}, ["e = p.v - n.v", "p.i = {flow}", "n.i = -p.i"], ("V", "A")),
    "a flange that rotates": ({"flange": Flange}, ["flange.tau = {effort}", "f = der(flange.phi)"], ("N.m", "rad/s")),
    "a flange that slides": ({"flange": TranslationalFlange}, ["flange.f = {effort}", "f = der(flange.s)"], ("N", "m/s")),
    "a port of heat": ({"port": HeatPort}, ["e = port.T", "port.Q_flow = e*{flow}"], ("K", "W/K")),
}


def _converters(kind: str) -> tuple[Model, Model]:
    """Return the converters from a bond and to a bond."""
    connectors, equations, (effort, flow) = _KINDS[kind]
    own = Model(
        n_impulse="1 if outer(impulses, False) else 0",
        e=Var(unit=effort, start=293.15 if effort == "K" else None, description="effort"),
        f=Var(unit=flow, description="flow along the half arrow"),
        **connectors,
    )
    into = [text.format(effort="-e", flow="-f") for text in equations]
    out = [text.format(effort="e", flow="f") for text in equations]
    one = own | Model(
        description=f"The power of the bond a of size 1 goes on at {kind}",
        a=BondIn | Model(n=1),
        equations=["e = a.e[0]", "f = a.f[0]", *into, at_events("a.E = 0*a.g")],
    )
    other = own | Model(
        description=f"The power at {kind} goes on in the bond b of size 1",
        b=BondOut | Model(n=1),
        equations=["e = b.e[0]", "f = -b.f[0]", *out, at_events("b.E = 0*b.g")],
    )
    return one, other


ToElectric, FromElectric = _converters("pins p and n")
ToRotational, FromRotational = _converters("a flange that rotates")
ToTranslational, FromTranslational = _converters("a flange that slides")
ToHeat, FromHeat = _converters("a port of heat")
