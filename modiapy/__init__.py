"""Equation-based modelling of physical systems whose structure may change while they run.

Names are loaded when they are first used: ``import modiapy`` is light.
"""

from __future__ import annotations

from .model.lazy_exports import lazy_exports

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
    "symbolic.analysis.connection_trees": ("connection_trees",),
    "symbolic.analysis.units": ("check_units",),
}
HOMES = {name: f"modiapy.{module}" for module, names in _MODULES.items() for name in names}
"""Module of each name. What type checkers see is ``__init__.pyi``, see ``tools/exports.py``."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
