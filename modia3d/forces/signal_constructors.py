"""Constructors for forces whose values come from the equations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Par

from .signal import SignalForce, Values


@arguments_checked(typed=True)
def Force(obj1: str, obj2: str, resolved_in: str | None = None, force: Values | None = None) -> Par:
    """Force on ``obj2`` and the opposite one on ``obj1``, from the equations: as `ForceAndTorque`, without the other one.

    Args:
        obj1, obj2, resolved_in, force: as `ForceAndTorque`.
    """
    return _element("Force", ("force",), obj1=obj1, obj2=obj2, resolved_in=resolved_in, force=force)


@arguments_checked(typed=True)
def Torque(obj1: str, obj2: str, resolved_in: str | None = None, torque: Values | None = None) -> Par:
    """Torque on ``obj2`` and the opposite one on ``obj1``, from the equations: as `ForceAndTorque`, without the other one.

    Args:
        obj1, obj2, resolved_in, torque: as `ForceAndTorque`.
    """
    return _element("Torque", ("torque",), obj1=obj1, obj2=obj2, resolved_in=resolved_in, torque=torque)


@arguments_checked(typed=True)
def ForceAndTorque(
    obj1: str, obj2: str, resolved_in: str | None = None, force: Values | None = None, torque: Values | None = None
) -> Par:
    """Force and torque on ``obj2`` and the opposite ones on ``obj1``, from the equations.

    The force acts at the origin of obj2, and its reaction in the same line, so that both are in balance. The variables are
    ``force.x, .y, .z`` [N] and ``torque.x, .y, .z`` [N.m]. Nothing acts any more once one of the frames was deleted.

    Args:
        obj1, obj2: names of the two frames, obj1 may be "", the world.
        resolved_in: name of the frame that the components refer to, "" the world; by default obj2.
        force, torque: three numbers or expressions of variables of the surrounding model, e.g. ``("10*sin(time)", 0,
            "controller.y")``; without them the equations have to say what the variables are.
    """
    names = ("force", "torque")
    return _element("ForceAndTorque", names, obj1=obj1, obj2=obj2, resolved_in=resolved_in, force=force, torque=torque)


def also_from_equations(construct: Callable[..., Par], quantity: str) -> Callable[..., Par]:
    """Return a constructor of an external force or torque that takes expressions, too.

    Without its field ``quantity``, or with a text among the three entries of that, the force comes from the equations and
    is a `SignalForce` of the world on ``obj``.
    """

    @functools.wraps(construct)
    def made(*args: Any, **kwargs: Any) -> Par:
        inside = construct(*args, **kwargs)
        given = inside.get(quantity)
        if given is not None and not (isinstance(given, list | tuple) and any(isinstance(value, str) for value in given)):
            return inside
        frames = {"obj2": inside["obj"]} if "obj" in inside else {}
        fields = {"obj1": "", **frames, "resolved_in": inside.get("resolved_in", ""), quantity: given}
        return _element(construct.__name__, (quantity,), **fields)

    signature = inspect.signature(construct)
    optional = [p.replace(default=None) if p.name == quantity else p for p in signature.parameters.values()]
    made.__signature__ = signature.replace(parameters=optional)  # type: ignore[attr-defined]
    return made


def _element(owner: str, quantities: tuple[str, ...], **fields: Any) -> Par:
    given = {name: value for name, value in fields.items() if value is not None}
    return Par(_constructor=SignalForce, owner=owner, quantities=quantities, **given)
