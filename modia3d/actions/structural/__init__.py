"""Structural actions, one file each: the value, its checks, the edit that it carries out, and the function that records it.

`modia3d.topology.action_names` lists everything that other modules need to know.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from modia3d.topology.action_names import STRUCTURAL


def recorders() -> dict[str, Callable[..., Any]]:
    """Return the functions that record structural actions, by name."""
    return {name: getattr(import_module(f"{__name__}.{file}"), name) for name, file in STRUCTURAL.items()}
