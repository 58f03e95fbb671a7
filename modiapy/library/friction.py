"""Coulomb friction with stiction: what rotational and translational friction share, in the letters of rotation.

While surfaces slide, the friction is a function of the speed. While they are stuck, their relative acceleration is zero and the
friction follows from the balance of forces; a stuck speed is exactly zero. The parameter ``sa`` of the curve is the friction
while stuck, and grows with the acceleration while they slide: they break loose when it leaves the band of the largest static
friction. Source: M. Otter, H. Elmqvist, S. E. Mattsson, Hybrid modeling in Modelica based on the synchronous data flow
principle, CACSD 1999, and the models PartialFriction of Modelica.Mechanics.
"""

from __future__ import annotations

from ..model.model import Model, Var
from ..model.tables import Table1D
from ..model.when import When
from .flanges import RotationalFlange

PRESSED_TEXT = (
    " mu_pos: table of the friction coefficient over the speed >= 0; peak: static over sliding friction at the speed zero;"
    " cgeo: geometry (mean radius times number of surfaces); the normal force is fn_max*f_normalized [N]."
)
"""Documentation of the parameters of clutches and brakes."""


HELD = 1e-10
"""By how much, relative to the largest static friction, an element is beyond it while it slides without acceleration."""

MOVES = 1e-12
"""Speed [SI] from which on an element that begins to slide slides, above the rounding errors of a speed that others hold."""


def flag(description: str) -> Var:
    """Return a Boolean that is false before the simulation begins."""
    return Var(type="Boolean", init=False, description=description)


# where they do not matter, ``sa`` and the speed must not cross zero: that would be an event
_SA, _SPEED = "(sa if pre(mode) == 0 else 0)", "(0 if free or (locked and pre(mode) == 0) else w_relfric)"
# an element that gives way while others still hold has no acceleration: it must not count as stuck by rounding errors
_LEAST, _BEGIN = f"({MOVES} if pre(mode) == 0 else 0)", f"(1 + {HELD})*tau0_max"

COULOMB = Model(
    w_small=1e10,
    w_relfric=Var(unit="rad/s", description="relative speed of the surfaces"),
    a_relfric=Var(unit="rad/s2", description="relative acceleration of the surfaces"),
    tau0=Var(unit="N.m", description="friction at the beginning of sliding"),
    tau0_max=Var(unit="N.m", description="largest friction while stuck"),
    free=flag("whether the surfaces are apart"),
    sa=Var(description="parameter of the friction characteristic"),
    start_forward=flag("stuck, and beginning to slide forward"),
    start_backward=flag("stuck, and beginning to slide backward"),
    locked=flag("stuck, and not beginning to slide"),
    mode=Var(
        type="Integer",
        init=3,
        description="-1: slides backward, 0: stuck or beginning to slide, 1: slides forward, 2: free, 3: not known",
    ),
    loss_power=Var(unit="W", description="heat"),
    equations=[
        f"start_forward = (pre(mode) == 0 and ({_SA} > tau0_max or (pre(start_forward) and {_SA} > tau0)))"
        f" or (pre(mode) == -1 and {_SPEED} > w_small) or (initial() and {_SPEED} > 0)",
        f"start_backward = (pre(mode) == 0 and ({_SA} < -tau0_max or (pre(start_backward) and {_SA} < -tau0)))"
        f" or (pre(mode) == 1 and {_SPEED} < -w_small) or (initial() and {_SPEED} < 0)",
        "locked = not free and not (pre(mode) == 1 or start_forward or pre(mode) == -1 or start_backward)",
        f"a_relfric = 0 if locked else (sa if free else (sa - {_BEGIN} if start_forward"
        f" else (sa + {_BEGIN} if start_backward else (sa - tau0_max if pre(mode) == 1"
        " else (sa + tau0_max if pre(mode) == -1 else sa - sign(w_relfric)*tau0_max)))))",
        f"mode = 2 if free else (1 if (pre(mode) == 1 or pre(mode) == 2 or start_forward) and {_SPEED} > {_LEAST}"
        f" else (-1 if (pre(mode) == -1 or pre(mode) == 2 or start_backward) and {_SPEED} < -{_LEAST} else 0))",
        When("locked and pre(mode) == 0", ["reinit(w_relfric, 0)"]),
    ],
)
"""The state machine. What ``w_relfric, a_relfric, tau0, tau0_max, free`` and ``loss_power`` are is for the element to say;
``w_small`` is the speed from which on a stuck element that was re-initialised slides.
"""

PRESSED = Model(
    mu_pos=[[0.0, 0.5]],
    peak=1.0,
    cgeo=1.0,
    fn_max=1.0,
    f_normalized=Var(input=True, description="normal force relative to fn_max"),
    fn=Var("fn_max*f_normalized", unit="N", description="normal force"),
    mu=Table1D("mu_pos"),
    equations=["free = fn <= 0", "tau0 = mu(0)*cgeo*fn", "tau0_max = peak*tau0"],
)
"""Largest friction of surfaces that a normal force presses together."""

LOADED = Model(
    tau_pos=[[0.0, 1.0]],
    peak=1.0,
    friction=Table1D("tau_pos"),
    equations=["free = False", "tau0 = friction(0)", "tau0_max = peak*tau0"],
)
"""Largest friction of surfaces that are always in contact, by a table of the friction over the speed."""

WITH_SUPPORT = Model(
    phi_support=Var("support.phi", unit="rad", description="angle of the housing"),
    support=RotationalFlange,
    equations=["0 = flange_a.tau + flange_b.tau + support.tau"],
)
"""Housing that is a flange: it feels what the friction takes from the others."""


def sliding(function: str, v: str) -> str:
    """Return the friction while sliding, by the odd continuation of ``function`` of the speed ``v``."""
    forward, backward = f"{function}({v})", f"-{function}(-{v})"
    otherwise = f"({forward} if pre(mode) == 1 else {backward})"
    return f"({forward} if start_forward else ({backward} if start_backward else {otherwise}))"
