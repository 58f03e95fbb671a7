"""The blocks of memory as arrays, for kernels: ``(address, sizes..)`` -> arrays, and the address behind them."""

from __future__ import annotations

from typing import Any

from modiapy.acausal.native import float64_array, part

from .blocks import ACCELERATIONS, LOADED, POSES, VELOCITIES, WORKING, Block


def _accessor(name: str, block: Block) -> Any:
    scope: dict[str, Any] = {"float64_array": float64_array}
    exec(block.source(name), scope)
    return part(scope[name])


working = _accessor("working", WORKING)
loaded = _accessor("loaded", LOADED)
poses = _accessor("poses", POSES)
velocities = _accessor("velocities", VELOCITIES)
accelerations = _accessor("accelerations", ACCELERATIONS)
