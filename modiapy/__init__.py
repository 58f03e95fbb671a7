"""Equation-based modelling of physical systems whose structure may change while they run.

Names are loaded when they are first used: ``import modiapy`` is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model.control import For, If
    from .model.errors import ModelError, ModiaError, SimulationError
    from .model.functions import Function
    from .model.model import Bus, Map, Model, Par, Var, constructor, redeclare
    from .model.scoping import enclosing
    from .model.tables import Table1D, Table2D
    from .model.when import Assert, Clock, When
    from .simulation.model import SimulationModel, instantiate
    from .simulation.result import Result, SegmentRecord
    from .simulation.simulate import SimulationInterrupted
    from .symbolic.analysis.units import check_units

__all__ = [
    "Assert",
    "Bus",
    "Clock",
    "For",
    "Function",
    "If",
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
    "Table1D",
    "Table2D",
    "Var",
    "When",
    "check_units",
    "constructor",
    "enclosing",
    "instantiate",
    "redeclare",
]

_MODULES = {
    "model.model": ("Bus", "Map", "Model", "Par", "Var", "constructor", "redeclare"),
    "model.scoping": ("enclosing",),
    "model.when": ("Assert", "Clock", "When"),
    "model.errors": ("ModelError", "ModiaError", "SimulationError"),
    "model.control": ("For", "If"),
    "model.functions": ("Function",),
    "model.tables": ("Table1D", "Table2D"),
    "simulation.model": ("SimulationModel", "instantiate"),
    "simulation.result": ("Result", "SegmentRecord"),
    "simulation.simulate": ("SimulationInterrupted",),
    "symbolic.analysis.units": ("check_units",),
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
