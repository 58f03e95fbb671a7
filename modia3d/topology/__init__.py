"""The user's graph of frames, joints and locks, its structural edits, and the spanning forest of a segment."""

from __future__ import annotations

from modiapy.model.lazy_exports import lazy_exports

HOMES = {"forest_of": "modia3d.topology.forest_of_model"}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
