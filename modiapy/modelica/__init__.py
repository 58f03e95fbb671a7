"""Modelica source becomes models: a front end flattens it (`frontend/`), a reader makes models of what it says (`reader/`).

The package needs the extra ``modia3d[modelica]``; nothing of it is imported before a model is loaded.
"""

from __future__ import annotations

from ..model.lazy_exports import lazy_exports

HOMES = {"load": "modiapy.modelica.loading", "load_file": "modiapy.modelica.loading"}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
