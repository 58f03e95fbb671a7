"""Systems of m phases: how many symmetric ones they consist of, and the angles of their phases."""

from __future__ import annotations

from math import pi

from ....model.errors import ModelError


def check_phases(m: int, least: int = 1) -> None:
    """Refuse a number of phases that is too small. Raises ModelError."""
    if m < least:
        raise ModelError("a polyphase component has phases", found=f"m = {m!r}", expected=f"m >= {least}")


def base_systems(m: int) -> int:
    """Number of symmetric systems, each of an odd number of phases (or of two), of which a system of m phases consists."""
    return 1 if m == 2 or m % 2 else 2 * base_systems(m // 2)


def orientations(m: int) -> list[float]:
    """Return the angles [rad] by which the phases lag behind the first one; base systems are shifted against each other."""
    if m == 2:
        return [0.0, pi / 2]
    if m % 2:
        return [2 * pi * k / m for k in range(m)]
    half = orientations(m // 2)
    return half + [angle - pi / m for angle in half]
