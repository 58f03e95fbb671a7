"""Ends of bonds, and what the elements have in common.

A connection of a `BondOut` with a `BondIn` is a bond: the power ``e*f`` flows along its half arrow, from the first to the
second. Flows are positive into a component, as everywhere in the language; along the half arrow of a `BondOut` the flow is
``-b.f``.

In models with the parameter ``impulses=True`` bonds carry impulses, too (`impulses`).

The size n of a bond is that of the element, by default the parameter ``bond_size`` of a model around it, by default 1. Its
units are the texts ``effort_unit`` and ``flow_unit`` of the element or a model around it, see `domains`.
"""

from __future__ import annotations

from typing import Any

from ...model.model import Model, Var
from .impulses import SIZE, with_impulses

_SIZE = "outer(bond_size, 1)"
_E, _F = "{effort_unit}", "{flow_unit}"

_VARIABLES = {
    "e": Var(potential=True, shape="n", elements=True, unit=_E, description="effort"),
    "f": Var(flow=True, shape="n", elements=True, unit=_F, description="flow into the component"),
    "E": Var(
        potential=True, impulse=True, shape="n_impulse", elements=True, unit=f"s.{_E}", description="impulse of the effort"
    ),
    "g": Var(flow=True, impulse=True, shape="n_impulse", elements=True, unit=_F, description="jump of the flow"),
}

BondIn = Model(
    description="End of a bond of size n whose half arrow enters the component, with efforts e and flows f",
    half_arrow="in",
    n_impulse=SIZE,
    **_VARIABLES,
)

BondOut = Model(
    description="End of a bond of size n whose half arrow leaves the component, with efforts e and flows f",
    half_arrow="out",
    n_impulse=SIZE,
    **_VARIABLES,
)


def _seen(bond: str = "", index: str = "", size: str = "n", impulses: str = "n_impulse") -> dict[str, Var]:
    """Return the variables of a component that tell effort and flow, impulse and jump at a bond, along its half arrow.

    Args:
        bond: its name, in components of several bonds.
        index: what stands behind e, f, E and g in the names of the variables.
        size, impulses: the parameters of their sizes.
    """
    of, at = (f"{bond}.", f" at {bond}") if bond else ("", "")
    effort, flow = f"{{{of}effort_unit}}", f"{{{of}flow_unit}}"
    jumps: dict[str, Any] = {"impulse": True, "shape": impulses, "elements": True}
    return {
        f"e{index}": Var(shape=size, unit=effort, description=f"effort{at}"),
        f"f{index}": Var(shape=size, unit=flow, description=f"flow along the half arrow{at}"),
        f"E{index}": Var(**jumps, unit=f"s.{effort}", description=f"impulse of the effort{at}"),
        f"g{index}": Var(**jumps, unit=flow, description=f"jump of the flow along the half arrow{at}"),
    }


PassiveOnePort = Model(
    description="What elements with one bond a of size n have in common whose half arrow points at them",
    n=_SIZE,
    n_impulse=SIZE,
    a=BondIn,
    **_seen(),
    equations=with_impulses("e = a.e", "f = a.f"),
)

Inertance = PassiveOnePort | Model(
    description="What inertances have in common. After an impulse they set their flows unless sets_flow is false, where others"
    " have these flows as states.",
    sets_flow=True,
    f=Var(state_select="'prefer' if n_impulse > 0 and sets_flow else 'default'"),
)

ActiveOnePort = Model(
    description="What elements with one bond b of size n have in common whose half arrow leaves them",
    n=_SIZE,
    n_impulse=SIZE,
    b=BondOut,
    **_seen(),
    equations=with_impulses("e = b.e", "f = -b.f"),
)

TwoPort = Model(
    description="What elements with a bond a that enters and a bond b that leaves, both of size n, have in common",
    n=_SIZE,
    n_impulse=SIZE,
    a=BondIn,
    b=BondOut,
    **_seen("a", "1"),
    **_seen("b", "2"),
    equations=with_impulses("e1 = a.e", "f1 = a.f", "e2 = b.e", "f2 = -b.f"),
)

TwoDiffPort = Model(
    description="What elements with a bond a of size n_a that enters and a bond b of size n_b that leaves have in common",
    n_a=_SIZE,
    n_b=_SIZE,
    n_impulse="n_a if outer(impulses, False) else 0",
    n_impulse_b="n_b if outer(impulses, False) else 0",
    a=BondIn | Model(n="n_a"),
    b=BondOut | Model(n="n_b"),
    **_seen("a", "1", "n_a"),
    **_seen("b", "2", "n_b", "n_impulse_b"),
    equations=with_impulses("e1 = a.e", "f1 = a.f", "e2 = b.e", "f2 = -b.f"),
)
