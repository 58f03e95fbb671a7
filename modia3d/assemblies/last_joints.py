"""The joint at the end of two rods: it turns or slides. What the second rod, its flange and a rod without mass make of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from modiapy.library.flanges import RotationalFlange, TranslationalFlange
from modiapy.model.errors import ModelError
from modiapy.model.model import Model, Var
from modiapy.model.when import When

from ..forces.signal_constructors import Force
from ..scene.basics import checks
from ..scene.basics.rotations import axis_rotation
from ..scene.constructors import Object3D, PrismaticWithFlange, RevoluteWithFlange, RodConstraint, SphericalConstraint
from ..scene.sensors.constructors import RelativeSensor
from .parts import Axis, axes_along, place


class LastJoint(ABC):
    """The joint of ``obj2`` with a flange, and the second rod.

    Attributes:
        axis: of the joint, in ``obj2``.
        rod: from there to the joint in the middle, in ``frame_ib``.
        guess: where the coordinate is about at the start.
    """

    coordinate: str
    flange: Model

    def __init__(self, owner: str, obj2: str, n_b: Axis, r_rod2_ib: Sequence[float], offset: float, guess: float) -> None:
        name = self.coordinate
        self.owner, self.obj2 = owner, obj2
        self.axis = checks.unit_vector(owner, "n_b", n_b)
        self.rod = checks.vector3(owner, "r_rod2_ib", r_rod2_ib)
        self.offset, self.guess = checks.number(owner, f"{name}_offset", offset), checks.number(owner, f"{name}_guess", guess)

    def flanges(self) -> dict[str, Any]:
        """Return the connectors: ``axis`` drives, ``bearing`` is fixed."""
        return {
            "axis": self.flange,
            "bearing": self.flange,
            "equations": [f"bearing.{self.coordinate} = 0"],
            "offset": self.base(),
        }

    def with_frame(self) -> dict[str, Any]:
        """Return the second rod as a body ``frame_ib`` with the frame ``frame_im`` at its end."""
        joint = self.joint()
        (name,) = joint
        coordinate = {self.coordinate: Var(f"{name}.{self.coordinate}"), "connect": [("axis", f"{name}.flange")]}
        return {"frame_ib": Object3D(), "frame_im": place("frame_ib", self.rod), **joint, **coordinate}

    @abstractmethod
    def base(self) -> Any:
        """Return the frame from which the coordinate counts."""

    @abstractmethod
    def joint(self) -> dict[str, Any]:
        """Return the joint itself, by its name."""

    @abstractmethod
    def held_by(self, tip: str) -> dict[str, Any]:
        """Return the second rod without mass: what keeps a point of the first one where the joint allows it, the flange's
        force.
        """

    @abstractmethod
    def between(self, obj1: str, length: float) -> dict[str, Any]:
        """Return both rods without mass: the coordinate in closed form, and the force on ``obj1``."""


class TurningJoint(LastJoint):
    """A revolute joint; ``track`` is a frame whose x axis points to the end of the rod where the angle is the guessed one."""

    coordinate, flange = "phi", RotationalFlange

    def base(self) -> Any:
        return place(self.obj2, (0.0, 0.0, 0.0), axis_rotation(self.axis, self.offset))

    def joint(self) -> dict[str, Any]:
        return {"revolute": RevoluteWithFlange("offset", "frame_ib", self.axis, Var(start=self.guess), Var(start=0.0))}

    def _track(self) -> tuple[Any, float]:
        """Return the frame in the middle of the circle on which the end of the rod moves, and its radius."""
        e = np.array(self.axis)
        height = float(e @ self.rod)
        arm = np.array(self.rod) - height * e
        radius = float(np.linalg.norm(arm))
        if radius == 0.0:
            raise ModelError(f"r_rod2_ib of {self.owner} is wrong", found="a rod along the axis n_b", expected="one beside it")
        turned = axis_rotation(self.axis, self.guess) @ arm
        return place("offset", (height * e).tolist(), axes_along(self.axis, turned.tolist())), radius

    def held_by(self, tip: str) -> dict[str, Any]:
        track, radius = self._track()
        return {
            "track": track,
            "rod2": RodConstraint("track", tip, radius),
            "plane": SphericalConstraint("track", tip, x_locked=False, y_locked=False),
            "motion": RelativeSensor("track", tip),
            "phi": Var(f"{self.guess!r} + atan2(motion.r.y, motion.r.x)"),
            "drive": Force(
                "track", tip, "track", tuple(f"axis.tau*({x})/{radius * radius!r}" for x in ("-motion.r.y", "motion.r.x", "0"))
            ),
            "equations": ["axis.phi = phi"],
        }

    def between(self, obj1: str, length: float) -> dict[str, Any]:
        track, radius = self._track()
        squares = "motion.r.x**2 + motion.r.y**2"
        tip = (f"{radius!r}*cos(angle)", f"{radius!r}*sin(angle)", "0")
        arms = [f"(motion.r.{c} - {x})" for c, x in zip("xyz", tip, strict=True)]
        return {
            "track": track,
            "motion": RelativeSensor("track", obj1),
            "reach": Var(f"({squares} + motion.r.z**2 + {radius * radius - length * length!r})/{2.0 * radius!r}"),
            "aside": Var(f"acos(reach/sqrt({squares}))"),
            "toward": Var("atan2(motion.r.y, motion.r.x)"),
            **_branch("toward + aside", "toward - aside"),
            "angle": Var("toward + branch*aside"),
            "phi": Var(f"{self.guess!r} + angle"),
            "lever": Var(f"{radius!r}*(motion.r.y*cos(angle) - motion.r.x*sin(angle))"),
            "drive": Force("track", obj1, "track", tuple(f"axis.tau*{arm}/lever" for arm in arms)),
            "equations": ["axis.phi = phi", _BRANCH],
        }


class SlidingJoint(LastJoint):
    """A prismatic joint; ``track`` is the frame at the end of the rod at the guessed distance, z along the axis."""

    coordinate, flange = "s", TranslationalFlange

    def base(self) -> Any:
        return place(self.obj2, [self.offset * x for x in self.axis])

    def joint(self) -> dict[str, Any]:
        return {"prismatic": PrismaticWithFlange("offset", "frame_ib", self.axis, Var(start=self.guess), Var(start=0.0))}

    def _track(self) -> Any:
        at = np.array(self.rod) + self.guess * np.array(self.axis)
        return place("offset", at.tolist(), axes_along(self.axis, (0.0, 0.0, 0.0)))

    def held_by(self, tip: str) -> dict[str, Any]:
        return {
            "track": self._track(),
            "rod2": SphericalConstraint("track", tip, z_locked=False),
            "motion": RelativeSensor("track", tip),
            "s": Var(f"{self.guess!r} + motion.r.z"),
            "drive": Force("track", tip, "track", ("0", "0", "axis.f")),
            "equations": ["axis.s = s"],
        }

    def between(self, obj1: str, length: float) -> dict[str, Any]:
        return {
            "track": self._track(),
            "motion": RelativeSensor("track", obj1),
            "aside": Var(f"sqrt({length * length!r} - motion.r.x**2 - motion.r.y**2)"),
            **_branch("motion.r.z + aside", "motion.r.z - aside"),
            "distance": Var("motion.r.z + branch*aside"),
            "s": Var(f"{self.guess!r} + distance"),
            "drive": Force(
                "track", obj1, "track", ("-axis.f*motion.r.x/(branch*aside)", "-axis.f*motion.r.y/(branch*aside)", "axis.f")
            ),
            "equations": ["axis.s = s", _BRANCH],
        }


def _branch(plus: str, minus: str) -> dict[str, Any]:
    """Return which of two solutions is kept: the one nearer to zero, the guess, at the start."""
    return {"branch": Var(init=1.0), "plus": Var(plus), "minus": Var(minus)}


_BRANCH: Any = When("initial()", ["branch = 1.0 if abs(plus) <= abs(minus) else -1.0"])
