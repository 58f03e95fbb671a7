"""The inputs of the model that drive the joints of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modiapy.acausal.present import PresentPoint
from modiapy.model.errors import ModelError, nearest

from ...topology.graph import SceneGraph
from .joints import ViewJoint


@dataclass(frozen=True)
class Drive:
    """An input that is the torque or force at the flange of a joint.

    Attributes:
        joint: the joint.
        input: name of an element of the inputs; index: where it is among them.
        sign: 1.0, or -1.0 where the input is the opposite.
    """

    joint: ViewJoint
    input: str
    index: int
    sign: float

    def __str__(self) -> str:
        return f"{'-' if self.sign < 0.0 else ''}{self.input}"


def given_drives(
    given: Mapping[str, str], joints: Sequence[ViewJoint], graph: SceneGraph, present: PresentPoint, full: Callable[[str], str]
) -> tuple[Drive, ...]:
    """Return the drives that a user names.

    Args:
        given: name of an input, or of its element, by name of the joint; "-u" where the input u is the opposite of the torque.

    Raises:
        ModelError: there is no such joint, it has no flange, or there is no such input; an input is named twice.
    """
    known = {key: joint for joint in joints for key in (full(joint.name), joint.short)}
    inputs = list(present.input_names)
    found: dict[str, Drive] = {}
    for name, written in given.items():
        joint = known.get(name)
        if joint is None:
            short = [joint.short for joint in joints]
            raise ModelError(f"there is no joint '{name}' in this view", expected=", ".join(short), remedy=nearest(name, known))
        if joint.base or graph.joints[joint.number].equation < 0:
            raise ModelError(
                "an input cannot be the torque of this joint", path=full(joint.name), found="a joint without a flange",
                expected="a joint with a flange",
                remedy="Use RevoluteWithFlange or PrismaticWithFlange; import robots with flanges='all'.",
            )  # fmt: skip
        name = str(written).removeprefix("-")
        if name not in inputs:
            raise ModelError(
                f"the model has no input '{name}'", path=full(joint.name),
                expected=", ".join(inputs) or "an input (there is none)", remedy=nearest(name, inputs),
            )  # fmt: skip
        if name in (drive.input for drive in found.values()):
            raise ModelError("an input drives two joints", path=name, expected="an input for each joint")
        found[joint.name] = Drive(joint, name, inputs.index(name), -1.0 if str(written).startswith("-") else 1.0)
    return tuple(found[joint.name] for joint in joints if joint.name in found)


def found_drives(
    joints: Sequence[ViewJoint], graph: SceneGraph, present: PresentPoint, full: Callable[[str], str]
) -> tuple[Drive, ...]:
    """Return the drives that follow from the equations.

    An input drives a joint if it equals ``c.tau`` (``c.f``) of a component c that exerts it on its flange
    (``c.flange.tau = -c.tau``), and this flange is connected with that of the joint.

    Raises:
        ModelError: two inputs act on one joint.
    """
    ends: dict[str, tuple[ViewJoint, float]] = {}
    for joint in joints:
        edge = None if joint.base else graph.joints[joint.number]
        if edge is not None and edge.equation >= 0:
            coordinate = "s" if edge.joint.slides else "phi"
            ends |= {name: (joint, sign) for name, sign in present.aliases(full(f"{edge.name}.{coordinate}"))}
    found: dict[str, Drive] = {}
    for index, name in enumerate(present.input_names):
        equal = dict(present.aliases(name))
        for variable, sign in equal.items():
            component, _, kind = variable.rpartition(".")
            coordinate = {"tau": "phi", "f": "s"}.get(kind, "")
            flange = f"{component}.flange"
            if not coordinate or f"{flange}.{coordinate}" not in ends or equal.get(f"{flange}.{kind}") != -sign:
                continue
            joint, turned = ends[f"{flange}.{coordinate}"]
            before = found.get(joint.name)
            if before is not None and before.input != name:
                raise ModelError(
                    "two inputs act on one joint", path=full(joint.name), found=f"{before.input} and {name}", expected="one",
                    remedy=f"Say which one is meant: view(..., torque={{{joint.short!r}: {name!r}}}).",
                )  # fmt: skip
            found[joint.name] = Drive(joint, name, index, sign * turned)
    return tuple(found[joint.name] for joint in joints if joint.name in found)
