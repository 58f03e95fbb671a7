"""Joints with flanges: their coordinates are variables of the equations, and each has a connector that drives it.

Each is made of what its joint declares (`Joint.motions`): one of one coordinate is a joint of the equations itself, one of
several is a chain of prismatic and revolute joints with frames without mass between them, as in
``Modelica.Mechanics.MultiBody.Joints``: the same motion, and each coordinate may be driven, limited and locked alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from modiapy.library.flanges import RotationalFlange, TranslationalFlange
from modiapy.model.arguments import NO_REMEDIES, arguments_checked, as_written, check_arguments, check_fields
from modiapy.model.constructors import constructor
from modiapy.model.errors import ModelError
from modiapy.model.fields import admits_str, field_hints
from modiapy.model.model import MADE_BY, DefaultInit, Model, Var
from modiapy.model.scoping import moved_in

from . import frame
from .flange_texts import flanges_text, part_name, variables
from .joint_names import WITH_FLANGES, joint_class
from .joints import Joint, PrismaticJoint, RevoluteJoint
from .modia3d_jl_names import ARGUMENTS

Given = Var | float | str | None
"""Attributes of a coordinate or speed, or its initial value; None: it begins at 0."""

_object3d = constructor(frame.Frame, name="Object3D")


@dataclass(frozen=True)
class MadeBy:
    """Record of how a chain was made: kept in its model, so that it can be written down as it was.

    Attributes:
        name: of the constructor.
        shape: what was given for `Joint.shape`.
    """

    name: str
    shape: tuple[tuple[str, object], ...]


def joint_with_flanges(name: str) -> Callable[..., Model]:
    """Return the constructor ``name``, one of `WITH_FLANGES`; its attribute ``hints`` has the types of its parameters."""
    cls: type[Joint] = joint_class(WITH_FLANGES[name])
    hints = _hints(cls)
    signature = _signature(cls, hints)

    def make(*args: Any, **kwargs: Any) -> Model:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}(): {error}") from None
        bound.apply_defaults()
        one = len(cls.motions) == 1
        given = {key: as_written(value) for key, value in bound.arguments.items()}
        fields = ("obj1", "obj2", *cls.shape, *(("limits", *_options(cls)) if one else ()))
        check_fields(cls, name, {key: given[key] for key in fields})
        check_arguments(name, {key: value for key, value in given.items() if key not in fields}, hints)
        return _one(cls, bound.arguments) if one else _chain(name, cls, bound.arguments)

    made: Any = make
    made.__name__ = made.__qualname__ = name
    made.__doc__, made.__signature__, made.hints = flanges_text(name, cls), signature, hints
    return arguments_checked(ARGUMENTS.get(name, NO_REMEDIES))(make)


OPTION_TYPES: Mapping[str, Any] = {"at_limit": str, "lockable": bool, "can_collide": bool | None}
"""Types of what the joints that it consists of all get."""


def _options(cls: type[Joint]) -> dict[str, object]:
    """Return the defaults of `OPTION_TYPES`."""
    return {"at_limit": "stop", "lockable": False, "can_collide": cls.can_collide}


def _hints(cls: type[Joint]) -> dict[str, Any]:
    """Return the annotations of the parameters."""
    shape = {key: field_hints(cls)[key] for key in cls.shape}
    states: dict[str, Any] = dict.fromkeys(variables(cls), Given)
    limits = Sequence[float] | None if len(cls.motions) == 1 else Mapping[str, Sequence[float]] | None
    return {"obj1": str, "obj2": str, **shape, **states, "limits": limits, **OPTION_TYPES}


def _signature(cls: type[Joint], hints: Mapping[str, Any]) -> inspect.Signature:
    """Return the frames, fields of the joint, coordinates, speeds; by keyword only what a limit does and the lock."""
    kinds = inspect.Parameter
    parameters = [kinds(key, kinds.POSITIONAL_OR_KEYWORD) for key in ("obj1", "obj2")]
    given = {**cls.shape, **dict.fromkeys(variables(cls))}
    parameters += [kinds(key, kinds.POSITIONAL_OR_KEYWORD, default=value) for key, value in given.items()]
    options = {"limits": None, **_options(cls)}
    parameters += [kinds(key, kinds.KEYWORD_ONLY, default=value) for key, value in options.items()]
    return inspect.Signature([p.replace(annotation=hints[p.name]) for p in parameters], return_annotation=Model)


def _variable(given: Given) -> Var:
    """Return the variable of a joint: as given, or with the given initial value, 0 by default. Its names are the caller's."""
    if given is None:
        return Var(init=DefaultInit(0.0))
    return moved_in(given if isinstance(given, Var) else Var(init=given), 1)


def _one(cls: Any, given: Mapping[str, Any]) -> Model:
    """Return a joint of one coordinate; texts are those of the caller's caller."""
    (motion,), hints = cls.motions, field_hints(cls)
    q, v = motion.coordinate, motion.speed
    names = {key for key in (*cls.shape, "at_limit") if isinstance(given[key], str) and admits_str(hints[key])}
    fields = {key: given[key] if key in names else moved_in(given[key], 1) for key in (*_options(cls), *cls.shape)}
    if given["limits"] is not None:
        fields["limits"] = moved_in(given["limits"], 1)
    return Model(
        _constructor=cls,
        with_flange=True,
        obj1=given["obj1"],
        obj2=given["obj2"],
        **fields,
        flange=TranslationalFlange if motion.slides else RotationalFlange,
        **{q: _variable(given[q]), v: _variable(given[v])},
        equations=[f"{q} = flange.{'s' if motion.slides else 'phi'}", f"{v} = der({q})"],
    )


_PARTS = {True: (PrismaticJoint, "s", "v"), False: (RevoluteJoint, "phi", "w")}
"""The joint of a motion that slides or turns, names of its coordinate and its speed."""


def _chain(name: str, cls: type[Joint], given: Mapping[str, Any]) -> Model:
    """Return the joints of one coordinate in series as one joint; texts are those of the caller."""
    shape = {key: given[key].tolist() if isinstance(given[key], np.ndarray) else given[key] for key in cls.shape}
    joint = cls(given["obj1"], given["obj2"], **shape)
    motions, axes = joint.order(), joint.axes().T.tolist()
    between = [f"frame_{i}" for i in range(1, len(motions))]
    for field in ("obj1", "obj2"):
        if given[field].partition(".")[0] in {*between, *map(part_name, motions)}:
            expected = "a name that is none of the joint's own parts"
            raise ModelError(f"{field} of {name} is wrong", found=repr(given[field]), expected=expected)
    bounds = dict(given["limits"] or {})
    if unknown := bounds.keys() - {motion.coordinate for motion in motions}:
        known = ", ".join(motion.coordinate for motion in cls.motions)
        raise ModelError(
            f"limits of {name} are wrong", found=", ".join(map(repr, sorted(unknown))), expected=f"some of {known}"
        )
    made = Model({MADE_BY: MadeBy(name, tuple(shape.items()))}, equations=[], connect=[])
    made |= Model({frame: _object3d() for frame in between})
    for motion, one, two in zip(motions, [given["obj1"], *between], [*between, given["obj2"]], strict=True):
        part, flange = part_name(motion), f"flange_{motion.coordinate}"
        part_class, q, v = _PARTS[motion.slides]
        values = {q: given[motion.coordinate], v: given[motion.speed], "limits": bounds.get(motion.coordinate)}
        values |= {key: given[key] for key in _options(cls) if key != "at_limit"}
        values = {key: moved_in(value, 1) for key, value in values.items()} | {"at_limit": given["at_limit"]}
        made[part] = _one(part_class, {"obj1": one, "obj2": two, "axis": tuple(axes[motion.axis]), **values})
        made[flange] = made[part]["flange"]
        made[motion.coordinate], made[motion.speed] = Var(), Var()
        made["equations"] += [f"{motion.coordinate} = {part}.{q}", f"{motion.speed} = {part}.{v}"]
        made["connect"].append((flange, f"{part}.flange"))
    return made


def call_of(model: Model) -> tuple[str, dict[str, object]] | None:
    """Name and arguments of the joint of several flanges that a model is; None if it is none, or has been changed since."""
    record = model.get(MADE_BY)
    if not isinstance(record, MadeBy):
        return None
    cls: Any = joint_class(WITH_FLANGES[record.name])
    shape = dict(record.shape)
    motions = cls("obj1", "obj2", **shape).order()
    parts = [model.get(part_name(motion)) for motion in motions]
    if not all(isinstance(part, Model) for part in parts):
        return None
    given: dict[str, object] = {"obj1": parts[0].get("obj1"), "obj2": parts[-1].get("obj2")}  # type: ignore[union-attr]
    given |= {key: value for key, value in shape.items() if value != cls.shape[key]}
    limits: dict[str, object] = {}
    for motion, part in zip(motions, parts, strict=True):
        _, q, v = _PARTS[motion.slides]
        for key, own in ((motion.coordinate, q), (motion.speed, v)):
            if (value := moved_in(part.get(own), -2)) != Var(init=0.0):  # type: ignore[union-attr]
                given[key] = value
        if "limits" in part:  # type: ignore[operator]
            limits[motion.coordinate] = moved_in(part["limits"], -2)  # type: ignore[index]
    given |= {"limits": limits} if limits else {}
    for key, default in _options(cls).items():
        if (value := moved_in(parts[0].get(key), 0 if key == "at_limit" else -2)) != default:  # type: ignore[union-attr]
            given[key] = value
    return (record.name, given) if repr(joint_with_flanges(record.name)(**given)) == repr(model) else None
