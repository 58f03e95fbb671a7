"""Expectations of a quantity of a simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...model.errors import ModelError
from .quantities import Value


@dataclass(frozen=True)
class Expectation:
    """Expected value or range of a quantity; all given conditions must hold.

    Attributes:
        quantity: name or expression of the quantity.
        value: number or text that it equals.
        tolerance, relative: by how much it may differ, absolutely and relative to ``value``; the larger one counts.
        at_least, at_most: bounds.

    Raises:
        ModelError: nothing is expected, or a text with a tolerance.
    """

    quantity: str
    value: Value | None = None
    tolerance: float = 0.0
    relative: float = 0.0
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        if self.value is None and self.at_least is None and self.at_most is None:
            raise ModelError(
                "the expectation of a quantity has no value and no bounds",
                path=self.quantity,
                expected="value, at_least or at_most",
            )
        if (self.tolerance or self.relative) and not isinstance(self.value, float | int):
            raise ModelError(
                "a tolerance is given for an expectation that is not a number", path=self.quantity, found=repr(self.value)
            )
        for name in ("tolerance", "relative"):
            if not getattr(self, name) >= 0.0:
                raise ModelError(f"{name} is wrong", path=self.quantity, found=str(getattr(self, name)), expected="0 or more")

    def unmet(self, found: Value) -> str:
        """Return the reason why a value is not as expected, as a text; "" if it is."""
        if isinstance(found, str) or isinstance(self.value, str):
            return "" if found == self.value else f"{self.quantity} is {found!r}, expected {self.value!r}"
        wanted = []
        if self.value is not None and not (math.isnan(self.value) and math.isnan(found)):
            allowed = max(self.tolerance, self.relative * abs(self.value))
            if not (found == self.value or abs(found - self.value) <= allowed):
                wanted.append(f"{self.value:.10g}" + (f" within {allowed:.3g}" if allowed else ""))
        if self.at_least is not None and not found >= self.at_least:
            wanted.append(f"at least {self.at_least:.10g}")
        if self.at_most is not None and not found <= self.at_most:
            wanted.append(f"at most {self.at_most:.10g}")
        return f"{self.quantity} is {found:.10g}, expected {' and '.join(wanted)}" if wanted else ""
