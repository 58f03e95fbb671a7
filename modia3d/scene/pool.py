"""Pools: copies of a template that are parked at the start and appear while a simulation runs."""

from __future__ import annotations

from collections.abc import Mapping

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.model import Model

from .basics import checks
from .frame import Frame

MAX_SIZE = 10_000
"""More copies are a mistake: each has its equations and states."""


@arguments_checked(typed=True)
def Pool(model: Model, size: int = 1) -> Model:
    """Copies ``m0, m1, ...`` of a model whose assemblies are parked; ``ActionAdd(actions, "pool.m0.body")`` lets one appear.

    The pool keeps its size: what was deleted may be added again. Equations of the copies are compiled with all others.

    Args:
        model: a template; one of its `Object3D`s has ``parked=True``.
        size: number of copies.

    Raises:
        ModelError: the template is no model, or nothing in it is parked; the size is no positive integer.
    """
    if not isinstance(model, Model):
        raise ModelError("model of Pool is wrong", found=repr(model), expected="a Model: the template")
    if isinstance(size, bool) or checks.number("Pool", "size", size) != int(size) or size < 1:
        raise ModelError("size of Pool is wrong", found=repr(size), expected="a positive integer")
    if size > MAX_SIZE:
        raise ModelError(
            "size of Pool is wrong", found=repr(size), expected=f"at most {MAX_SIZE}: all copies are there from the start"
        )
    if not _has_parked(model):
        raise ModelError(
            "nothing in the template of the Pool is parked",
            expected="an Object3D with parked=True in each assembly that is to appear later",
        )
    return Model(**{f"m{k}": model for k in range(int(size))})


def _has_parked(entries: Mapping[str, object]) -> bool:
    if entries.get("_constructor") is Frame:
        return entries.get("parked") not in (None, False)
    return any(isinstance(value, Mapping) and _has_parked(value) for value in entries.values())
