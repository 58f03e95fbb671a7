"""Equation-based modelling of physical systems whose structure may change while they run.

Names are loaded when they are first used: ``import modiapy`` is light.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "model.model": ("Bus", "Map", "Model", "Par", "Var", "redeclare"),
    "model.constructors": ("constructor",),
    "model.scoping": ("enclosing",),
    "model.when": ("Assert", "Clock", "When"),
    "model.errors": ("ModelError", "ModiaError", "NumericalError", "SimulationError"),
    "model.array": ("Array",),
    "model.control": ("For", "If"),
    "model.functions": ("Function",),
    "model.tables": ("Table1D", "Table2D"),
    "simulation.model": ("SimulationModel", "instantiate"),
    "simulation.inputs.time_series": ("TimeSeries",),
    "simulation.results.result": ("Result",),
    "simulation.results.stored_result": ("read_result",),
    "simulation.results.segment_result": ("SegmentRecord",),
    "simulation.simulate": ("SimulationInterrupted",),
    "simulation.stepper": ("Stepper",),
    "symbolic.analysis.units": ("check_units",),
}
HOMES = {name: f"modiapy.{module}" for module, names in _MODULES.items() for name in names}
"""Module of each name. What type checkers see is ``__init__.pyi``, see ``tools/exports.py``."""

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'modiapy' has no attribute '{name}'")
    value = getattr(importlib.import_module(HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
