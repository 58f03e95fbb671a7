"""`PresentPoint`: where a simulation that is stepped stands, as components see it that offer views of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np


class PresentPoint(Protocol):
    """Point at which a simulation pauses between two steps of a Python loop.

    Attributes:
        version: number that grows whenever the point changes: by a step, a reset, a state that is set.
        structure: number that grows whenever the segment changes, and with it the size and the meaning of ``x``.
        time: [s].
        x: all states, shape (n,), to be read only. The same array as long as ``structure`` is the same.
        inputs: the values that all elements of inputs have from the next step on, shape (n_inputs,), to be read and written in
            place. The same array for ever.
        input_names: names of these elements, in their order.
    """

    @property
    def version(self) -> int: ...
    @property
    def structure(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def x(self) -> np.ndarray: ...
    @property
    def inputs(self) -> np.ndarray: ...
    @property
    def input_names(self) -> Sequence[str]: ...

    def component_states(self, path: str) -> slice:
        """Return where in ``x`` the states of a component are, by its path."""

    def state_index(self, name: str) -> tuple[int, float] | None:
        """Return the position in ``x`` of a variable of the equations, by full path, and its sign; None if it is no state."""

    def affine(self, name: str) -> tuple[int, float, float] | None:
        """Return k, a, b where a variable of the equations is ``a x[k] + b`` for ever; None if it is nothing of the kind."""

    def aliases(self, name: str) -> Sequence[tuple[str, float]]:
        """Return the variables that are equal to a variable, itself included, or to minus this one, with the sign."""

    def value(self, name: str) -> Any:
        """Return the value of any signal at this point, a number or an array. It evaluates the model. Raises ModelError."""

    def component(self, path: str) -> Any:
        """Return the run of a component, by its path; another one after a reset."""

    def on_step(
        self,
        before: Callable[[], None] | None = None,
        after: Callable[[], None] | None = None,
        back: Callable[[], None] | None = None,
    ) -> None:
        """Call functions from now on: ``before`` a step reads `inputs`, ``after`` the point has changed, and where the
        simulation has gone ``back`` to another state with other inputs.
        """
