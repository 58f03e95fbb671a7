"""Refusals of forms that are not read: each finds its place in the Modelica source on its way out."""

from __future__ import annotations

from ....model.errors import ModelError


class Refusal(ModelError):
    """Something in a Modelica model that is not understood, by name; ``file`` and ``line`` say where."""
