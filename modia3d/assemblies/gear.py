"""A gear between shafts in any directions: `GearConstraint`."""

from __future__ import annotations

from collections.abc import Sequence

from modiapy.library.rotational import IdealGear
from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Map, Model, Var

from ..scene.basics import checks
from ..scene.constructors import RevoluteWithFlange
from .parts import Axis, assembled, inner, place


@arguments_checked(typed=True)
def GearConstraint(
    obj1: str,
    obj2: str,
    bearing: str,
    ratio: float = 2.0,
    n_a: Axis = "x",
    n_b: Axis = "x",
    r_a: Sequence[float] = (0.0, 0.0, 0.0),
    r_b: Sequence[float] = (0.0, 0.0, 0.0),
    phi_b: Var | float | str | None = None,
    w_b: Var | float | str | None = None,
) -> Model:
    """A gear without losses: two shafts in a bearing, the first one turns ``ratio`` times as fast as the second one.

    The constraint is one on both angles, ``phi_a = ratio*phi_b``; its multiplier is the torque of both shafts, and the bearing
    feels the reactions.

    Args:
        obj1, obj2: names of the frames of both shafts.
        bearing: name of the frame that carries them.
        ratio: speed of ``obj1`` over that of ``obj2``.
        n_a, n_b: axes of both shafts, in ``bearing`` as in ``obj1`` and ``obj2``.
        r_a, r_b: where both shafts are, in ``bearing`` [m].
        phi_b, w_b: attributes of the angle and the speed of ``obj2``, or their initial values [rad, rad/s].

    Returns:
        A model with the joints ``revolute_a``, ``revolute_b`` (see `RevoluteWithFlange`), their ``gear``, and ``phi_b``,
        ``w_b``.
    """
    owner = "GearConstraint"
    parts = {
        "base_a": place(bearing, checks.vector3(owner, "r_a", r_a)),
        "base_b": place(bearing, checks.vector3(owner, "r_b", r_b)),
        "revolute_a": RevoluteWithFlange("base_a", obj1, n_a, Var(), Var()),
        "revolute_b": RevoluteWithFlange("base_b", obj2, n_b, *(inner(value) for value in (phi_b, w_b))),
        "gear": IdealGear | Map(ratio=checks.number(owner, "ratio", ratio)),
        "phi_b": Var("revolute_b.phi"),
        "w_b": Var("revolute_b.w"),
        "connect": [("revolute_a.flange", "gear.flange_a"), ("gear.flange_b", "revolute_b.flange")],
    }
    return assembled(owner, parts, obj1=obj1, obj2=obj2, bearing=bearing)
