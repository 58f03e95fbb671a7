"""Joints of one coordinate: they may have limits and a flange, with which they may be locked while a simulation runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from modiapy.model.errors import ModelError, nearest

from ..basics import checks
from .base import Joint

AT_LIMIT = ("stop", "error")


@dataclass(frozen=True)
class LimitedJoint(Joint):
    """A joint of one coordinate.

    Attributes:
        limits: smallest and largest value of the coordinate [rad or m]; either may be infinite. None: there are none.
        at_limit: what happens where a limit is reached: "stop": a hard end stop takes the speed away (a plastic impact), and
            holds the joint until it is pulled off; "error": the simulation ends with an error.
        with_flange: the coordinate is a variable of the equations; the initial values here are not used.
        lockable: a joint with a flange may be locked while a simulation runs (one without may always).
    """

    limits: Sequence[float] | None = field(default=None, kw_only=True)
    at_limit: str = field(default="stop", kw_only=True)
    with_flange: bool = field(default=False, kw_only=True)
    lockable: bool = field(default=False, kw_only=True)

    @property
    def driven(self) -> bool:
        return self.with_flange

    @property
    def always_in_tree(self) -> bool:
        return self.driven or self.limits is not None

    def set_limits(self, owner: str) -> None:
        """Check the limits and store them as a pair of floats, and what belongs to a flange."""
        for name in ("with_flange", "lockable"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        if not isinstance(self.at_limit, str) or self.at_limit not in AT_LIMIT:
            raise ModelError(
                f"at_limit of {owner} is wrong",
                found=repr(self.at_limit),
                expected=" or ".join(map(repr, AT_LIMIT)),
                remedy=nearest(str(self.at_limit), AT_LIMIT),
            )
        if self.limits is None:
            return
        try:
            lower, upper = (float(limit) for limit in self.limits)
        except (TypeError, ValueError):
            raise ModelError(
                f"limits of {owner} are wrong", found=repr(self.limits), expected="two numbers: lower, upper"
            ) from None
        if not (lower < upper and lower < math.inf and upper > -math.inf):  # false for NaN, too
            found = f"({lower:g}, {upper:g})"
            raise ModelError(f"limits of {owner} are wrong", found=found, expected="a lower limit below the upper one")
        object.__setattr__(self, "limits", (lower, upper))
