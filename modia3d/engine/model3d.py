"""`Model3D`: a model that is a predefined acausal component, the multibody engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from modiapy.acausal.protocol import ComponentScope
from modiapy.model.model import Model

if TYPE_CHECKING:
    from .multibody import Multibody


def multibody(scope: ComponentScope) -> Multibody:
    """Return the engine for the objects of a `Model3D`."""
    from .multibody import Multibody

    return Multibody(scope)


def Model3D(**entries: Any) -> Model:
    """A multibody system together with equations.

    Args:
        entries: as in `Model`; besides variables, parameters, equations and submodels there are `Object3D`s (exactly one with
            ``feature=Scene()``, the world), joints, and at most one `ModelActions`.

    Returns:
        A `Model` with the engine as its component; it can stand at the top or inside of other models. Result signals are
        listed in ``docs/multibody.md``.
    """
    return Model(**entries, _component=multibody)
