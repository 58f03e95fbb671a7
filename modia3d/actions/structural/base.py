"""Base of structural actions: their names of frames and joints, and the change to which they belong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from modiapy.model.errors import ModelError, nearest

from ...topology.appearance import Appearance
from ...topology.graph import SceneGraph
from ...topology.motion import Present
from ...topology.structure import Structure

ON_CONTACT = ("refuse", "impulse")


@dataclass
class Change:
    """Change that the actions of one event have made so far.

    Attributes:
        graph, structure: what there is.
        present: state of all frames and joints at this moment.
        scope: path of the model where the program stands, in which names of frames are looked up first.
    """

    graph: SceneGraph
    structure: Structure
    present: Present
    scope: str


class StructuralAction:
    """An action that changes the structure, a frozen value.

    What becomes of every state is the contract of the edit that it carries out, in `modia3d.topology.edits`, with all details
    in ``docs/structural_change.md``; the docstring of an action says it in one sentence.

    Attributes:
        frames, joints: its fields that are names, of frames and of joints.

    Raises:
        ModelError: (where a subclass is defined) it names no frame and no joint.
    """

    frames: ClassVar[tuple[str, ...]] = ()
    joints: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.frames and not cls.joints:
            raise ModelError(
                f"structural action '{cls.__name__}' does not say what it acts on",
                expected="the class attribute 'frames' or 'joints': names of its fields",
            )

    def carry_out(self, at: Change) -> Structure:
        """Carry out the action and return the new structure; assemblies that appear are added to ``at.present``.

        Raises:
            ModelError: the edit is refused; nothing is changed then.
        """
        raise NotImplementedError

    @property
    def impulsive(self) -> bool:
        """True if a plastic impact stops parts that still move."""
        return getattr(self, "on_contact", "refuse") == "impulse"

    def locked_joints(self, graph: SceneGraph, scope: str) -> Iterable[str]:
        """Return the names of the joints that it locks."""
        return ()

    def names(self) -> dict[str, str]:
        """Return the names of frames and joints in it, by field."""
        return {field: name for field in (*self.frames, *self.joints) if (name := getattr(self, field, None))}

    def may_move(self, at: Change, *names: str) -> bool:
        """Return whether an impact may join two frames: assemblies that appear in this change take part in none."""
        if not self.impulsive:
            return False
        frames = (at.graph.frames[at.graph.frame_index(name, at.scope)].name for name in names)
        return not isinstance(at.present, Appearance) or not any(name in at.present.motions for name in frames)


def name_value(name: str, value: object, what: str = "frame") -> None:
    """Refuse a value that is no name of a frame or joint."""
    if not isinstance(value, str) or not value:
        raise ModelError(f"{name} must be the name of a {what}", found=repr(value), expected="a text such as 'platform.X2Y2'")


def contact_detection_value(action: str, value: object) -> None:
    """Refuse a value that is neither True nor False."""
    if not isinstance(value, bool):
        raise ModelError(f"enable_contact_detection of {action} is wrong", found=repr(value), expected="True or False")


def on_contact_value(action: str, value: object) -> None:
    """Refuse a value that is not in `ON_CONTACT`."""
    if value not in ON_CONTACT:
        expected = " or ".join(map(repr, ON_CONTACT))
        raise ModelError(
            f"on_contact of {action} is wrong", found=repr(value), expected=expected, remedy=nearest(str(value), ON_CONTACT)
        )
