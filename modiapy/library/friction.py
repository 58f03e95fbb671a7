"""Coulomb friction with stiction, the state machine that rotational and translational friction share.

While surfaces slide, the friction is a function of the speed. While they are stuck, their relative acceleration is zero and the
friction follows from the balance of forces; a stuck speed is exactly zero. The parameter ``sa`` of the curve is the friction
while stuck, and grows with the acceleration while they slide: they break loose when it leaves the band of the largest static
friction. Source: M. Otter, H. Elmqvist, S. E. Mattsson, Hybrid modeling in Modelica based on the synchronous data flow
principle, CACSD 1999, and the models PartialFriction of Modelica.Mechanics.
"""

from __future__ import annotations

from ..model.model import Model, Var
from ..model.when import When

PRESSED = (
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


def coulomb(v: str, a: str, f: str, units: tuple[str, str, str], v_small: float) -> Model:
    """Return the state machine.

    Args:
        v, a, f: names of speed, acceleration and force without the index, e.g. ``"w", "a", "tau"``.
        units: their units.
        v_small: speed from which on a stuck element that was re-initialised slides.

    Returns:
        A model with the variables ``<v>_relfric, <a>_relfric, <f>0, <f>0_max, free``, for which equations are missing, and
        ``sa, start_forward, start_backward, locked, mode``.
    """
    rel, acceleration, f0, f0_max, small = f"{v}_relfric", f"{a}_relfric", f"{f}0", f"{f}0_max", f"{v}_small"
    # where they do not matter, ``sa`` and the speed must not cross zero: that would be an event
    # an element that gives way while others still hold has no acceleration: it must not count as stuck by rounding errors
    least = f"({MOVES} if pre(mode) == 0 else 0)"
    begin = f"(1 + {HELD})*{f0_max}"
    torque, speed = "(sa if pre(mode) == 0 else 0)", f"(0 if free or (locked and pre(mode) == 0) else {rel})"
    return Model(
        {
            small: v_small,
            rel: Var(unit=units[0], description="relative speed of the surfaces"),
            acceleration: Var(unit=units[1], description="relative acceleration of the surfaces"),
            f0: Var(unit=units[2], description="friction at the beginning of sliding"),
            f0_max: Var(unit=units[2], description="largest friction while stuck"),
        }
    ) | Model(
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
            f"start_forward = (pre(mode) == 0 and ({torque} > {f0_max} or (pre(start_forward) and {torque} > {f0})))"
            f" or (pre(mode) == -1 and {speed} > {small}) or (initial() and {speed} > 0)",
            f"start_backward = (pre(mode) == 0 and ({torque} < -{f0_max} or (pre(start_backward) and {torque} < -{f0})))"
            f" or (pre(mode) == 1 and {speed} < -{small}) or (initial() and {speed} < 0)",
            "locked = not free and not (pre(mode) == 1 or start_forward or pre(mode) == -1 or start_backward)",
            f"{acceleration} = 0 if locked else (sa if free else (sa - {begin} if start_forward"
            f" else (sa + {begin} if start_backward else (sa - {f0_max} if pre(mode) == 1"
            f" else (sa + {f0_max} if pre(mode) == -1 else sa - sign({rel})*{f0_max})))))",
            f"mode = 2 if free else (1 if (pre(mode) == 1 or pre(mode) == 2 or start_forward) and {speed} > {least}"
            f" else (-1 if (pre(mode) == -1 or pre(mode) == 2 or start_backward) and {speed} < -{least} else 0))",
            When("locked and pre(mode) == 0", [f"reinit({rel}, 0)"]),
        ],
    )


def sliding(function: str, v: str) -> str:
    """Return the friction while sliding, by the odd continuation of ``function`` of the speed ``v``."""
    forward, backward = f"{function}({v})", f"-{function}(-{v})"
    otherwise = f"({forward} if pre(mode) == 1 else {backward})"
    return f"({forward} if start_forward else ({backward} if start_backward else {otherwise}))"
