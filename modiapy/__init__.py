"""Equation-based modelling of physical systems whose structure may change while they run.

Names are loaded when they are first used: ``import modiapy`` is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model.errors import ModelError, ModiaError, SimulationError
    from .model.model import Map, Model, Par, Var, constructor
    from .simulation.model import SimulationModel, instantiate
    from .simulation.result import Result, SegmentRecord
    from .simulation.simulate import SimulationInterrupted

__all__ = [
    "Map",
    "Model",
    "ModelError",
    "ModiaError",
    "Par",
    "Result",
    "SegmentRecord",
    "SimulationError",
    "SimulationInterrupted",
    "SimulationModel",
    "Var",
    "constructor",
    "instantiate",
]

_MODULES = {
    "model.model": ("Map", "Model", "Par", "Var", "constructor"),
    "model.errors": ("ModelError", "ModiaError", "SimulationError"),
    "simulation.model": ("SimulationModel", "instantiate"),
    "simulation.result": ("Result", "SegmentRecord"),
    "simulation.simulate": ("SimulationInterrupted",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
