"""Optional abilities of components and their runs: one base class for each ability.

A class that has an ability is derived from it, too: that is what the simulation asks for, never a name of a method. A type
checker and ``component_methods.py`` tell which methods are missing or would never be called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .present import PresentPoint
from .protocol import AcausalComponent, ComponentRun
from .segment import SignalReader, Trajectory


@dataclass(frozen=True)
class Equations:
    """Facts about the equations around a component, known when the model has been translated.

    Attributes:
        names: full paths of all variables.
        explicit: those that are computed one by one, outside of systems of equations.
    """

    names: Collection[str]
    explicit: frozenset[str]


class KnowsEquations(ABC):
    """Ability of an `AcausalComponent`: it wants to know the equations around it."""

    @abstractmethod
    def introduce(self, equations: Equations) -> None:
        """Receive the equations, once, when the model has been translated and before anything runs.

        Raises:
            ModelError: a signal that the component waits for does not exist.
        """


class StoresSignals(ABC):
    """Ability of an `AcausalComponent`: its result signals can be computed from result files, and in other processes."""

    @abstractmethod
    def stored_signals(self, description: Any) -> Mapping[str, Callable[[Trajectory], np.ndarray]]:
        """Return the signals of a segment from ``SegmentLayout.description``. Changes nothing."""

    def units(self) -> Mapping[str, str]:
        """Return the units of the signals, by name relative to the component or by a pattern such as ``*.r_abs``."""
        return {}


class NamesSignals(ABC):
    """Ability of an `AcausalComponent`: it knows its result signals before anything runs."""

    @abstractmethod
    def has_signal(self, name: str) -> bool:
        """Return whether there may be a signal of this relative name in some segment."""

    @abstractmethod
    def signal_names(self) -> Sequence[str]:
        """Return the relative names of its signals, for messages; there may be more."""

    @abstractmethod
    def flags(self) -> Collection[str] | None:
        """Return the names of the flags that its program sets; None where that is not known before it runs."""


class Saves(ABC):
    """Ability of a `ComponentRun`: a simulation with it can be saved, and go on later."""

    @abstractmethod
    def snapshot(self) -> Mapping[str, Any] | Callable[[], Mapping[str, Any]]:
        """Return all data besides the states that determine the future of the run, after an event.

        Numbers, texts, numpy arrays and lists and mappings of these, without references to what changes later. It is called at
        every event, so it may be a function that makes them when somebody asks, which does not depend on what changes later.
        """

    @abstractmethod
    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `snapshot`, possibly in another process, at the beginning of the run.

        The next `init_segment` gets the states and returns them with the same layout as then.

        Raises:
            ModelError, KeyError, TypeError, ValueError: the data do not fit.
        """


class Assembles(ABC):
    """Ability of a `ComponentRun`: where the user gives no initial values they follow from those that he gives."""

    @property
    @abstractmethod
    def assembles(self) -> bool:
        """True if there is anything that follows."""

    @abstractmethod
    def assembled(self, read: SignalReader) -> Mapping[str, float]:
        """Return the initial values of variables that have a ``DefaultInit``, which fit to what is read, by relative names.

        It is called at the start, before `init_segment`, until it gives what it reads; equations that determine the variable
        win over it.

        Args:
            read: initial value of a variable.

        Raises:
            ModelError: nothing fits.
        """


class Waits(ABC):
    """Ability of a `ComponentRun`: it waits for conditions, at which the integrator stops."""

    @property
    @abstractmethod
    def watching(self) -> bool:
        """True if it waits for a condition now."""

    @abstractmethod
    def awaited(self, time: float, signal: Callable[[str], Any]) -> bool:
        """Return whether the awaited condition holds at ``time`` [s]; ``signal`` is that of `SegmentStart`.

        There is an event where this becomes true, to the precision of root finding. Changes nothing.
        """


class Notes(ABC):
    """Ability of a `ComponentRun`: it tells what it noticed between events, which goes on as if nothing had been."""

    @abstractmethod
    def notes(self, ending: bool) -> Sequence[Mapping[str, Any]]:
        """Return the notes taken since the last call, in the order of time; ``ending``: the segment ends now.

        Plain data with ``kind``, ``time`` [s], ``text`` and figures; they become ``info["notes"]`` of the segment and
        `Result.notes`, and are counted as events of that kind.
        """


class Jumps(ABC):
    """Ability of a `ComponentRun`: what it computes from time jumps at its time events, and nowhere else."""

    @abstractmethod
    def arrive(self, time: float) -> None:
        """Take note that an event begins at ``time`` [s] and nothing has been evaluated since: what jumps is now behind its
        jump.

        Until then evaluations at that time, with which a step of the integrator ends, are to see what is before the jump.
        """


class OffersViews(ABC):
    """Ability of a `ComponentRun`: controllers in a Python loop get views of it, with arrays by name."""

    @abstractmethod
    def view(self, path: str, present: PresentPoint, **options: Any) -> Any:
        """Return a view of the part at a path, relative to the component ("" is all of it).

        Args:
            path: of the part.
            present: where the simulation stands, from now on to its end.
            options: of the component's views.

        Raises:
            ModelError: there is no such part, or an option is wrong.
        """


ABILITIES: Mapping[type, tuple[type, ...]] = {
    AcausalComponent: (KnowsEquations, StoresSignals, NamesSignals),
    ComponentRun: (Saves, Assembles, Waits, Notes, Jumps, OffersViews),
}
"""Those that there are, by what may have them."""
