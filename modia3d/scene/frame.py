"""Frames: everything in a scene is a frame, perhaps with a feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .basics import checks
from .scene_feature import SceneFeature
from .solid import SolidFeature
from .visual import VisualFeature

Feature = SceneFeature | SolidFeature | VisualFeature


@dataclass(frozen=True)
class Frame:
    """A coordinate system F, written ``Object3D`` by the user.

    Attributes:
        parent: name of the parent frame P; "" if there is none. A name is looked up in the model where the frame stands, then
            in the enclosing ones. A frame without parent that does not carry the scene is the first frame of
            a rigid group of its own, placed by a joint, or else free.
        feature: scene, solid or visual; None for a mere frame.
        translation: ``p_PF_P`` [m].
        rotation: Cardan angles about x, the new y and the new z [rad] (``R_PF = Rx Ry Rz``), or the matrix ``R_PF``.
        fixed_to_parent: False: the frame can move freely; translation, rotation and velocities say how it starts
            relative to its parent (to the world if it has none).
        velocity: initial ``v_PF_P``, velocity of the origin relative to P, resolved in P [m/s]; free frames only.
        angular_velocity: initial ``w_PF_P``, relative to P and resolved in P [rad/s]; free frames only.
        assembly_root: the states of the assembly, when it is free, are the motion of this frame.
        orientation: how the states describe the orientation when the assembly of this root frame is free: "quaternion", Cardan
            angles ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx"), or "auto" for a sequence that changes near its singularity.
        lockable: may be attached to another lockable frame: origin in the middle of the face, z the outward normal.
        parked: the assembly of this frame is not there at the start; ``ActionAdd`` lets it appear.

    Raises:
        ModelError: a field has the wrong type or value, or contradicts another one.
    """

    parent: str = ""
    feature: Feature | None = None
    translation: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0)
    fixed_to_parent: bool = True
    velocity: Sequence[float] = (0.0, 0.0, 0.0)
    angular_velocity: Sequence[float] = (0.0, 0.0, 0.0)
    assembly_root: bool = False
    lockable: bool = False
    orientation: str = "quaternion"
    parked: bool = False

    def __post_init__(self) -> None:
        owner = "Object3D"
        checks.text(owner, "parent", self.parent)
        if self.feature is not None:
            checks.instance(owner, "feature", self.feature, SceneFeature, SolidFeature, VisualFeature)
        for name in ("translation", "velocity", "angular_velocity"):
            object.__setattr__(self, name, checks.vector3(owner, name, getattr(self, name)))
        object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        for name in ("fixed_to_parent", "assembly_root", "lockable", "parked"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        checks.orientation(owner, self.orientation)
        if self.parent and self.fixed_to_parent and (any(self.velocity) or any(self.angular_velocity)):
            raise ModelError(
                "an Object3D that is fixed to its parent has a velocity",
                found=f"velocity={self.velocity}, angular_velocity={self.angular_velocity}",
                expected="zero",
                remedy="Set fixed_to_parent=False to let it move freely.",
            )
        if isinstance(self.feature, SceneFeature):
            self._check_world()

    @property
    def is_world(self) -> bool:
        """True if the frame carries the scene."""
        return isinstance(self.feature, SceneFeature)

    @property
    def is_displaced(self) -> bool:
        """True if translation, rotation or a velocity differ from their defaults."""
        values = (self.translation, self.rotation, self.velocity, self.angular_velocity)
        return any(value != (0.0, 0.0, 0.0) for value in values)

    def _check_world(self) -> None:
        if self.parent or not self.fixed_to_parent or self.assembly_root or self.is_displaced or self.parked:
            raise ModelError(
                "the Object3D with feature=Scene() is the world and cannot be placed",
                expected="no parent, no translation, rotation or velocity, no assembly_root, not parked",
            )
