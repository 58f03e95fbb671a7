"""Trajectory segments as a component sees them: what it gives for one, what it is told when one begins, what it asks for at an
event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

SignalReader = Callable[[str], float]
"""Value of a variable of the equations, by its path relative to the component, e.g. ``read("rev1.phi")``."""


@dataclass
class Trajectory:
    """Trajectory of one segment, from which a component computes its result signals.

    Attributes:
        time: time points [s], shape (nt,).
        x: the component's states ``x_var``, shape (nt, n_x).
        read: values of a variable of the equations over time, shape (nt,), by its path relative to the component.
        history: what the run added to ``SegmentLayout.history`` while the segment lasted, in this order: pairs (first, entry).
            What an entry tells holds from the time point with the number ``first`` on; of the two points of an event it
            is the second one for what was added at that event. ``first`` may be nt: the segment ended there. From results on
            disk, tuples come back as lists.
    """

    time: np.ndarray
    x: np.ndarray
    read: Callable[[str], np.ndarray]
    history: Sequence[tuple[int, Any]] = ()


@dataclass(frozen=True)
class Sparsity:
    """Dependence of the derivatives of a component's states in one segment; what is not said here is dense.

    Attributes:
        starts, columns: own states that each own derivative depends on, in compressed rows: those of derivative i are
            ``columns[starts[i]:starts[i + 1]]``; shapes (n_x + 1,) and (entries,), int. The diagonal is taken for granted.
        inputs: by name of a function: pairs (own derivative, position of an input that it depends on), shape (m, 2), int. A
            function that is missing: all derivatives depend on all its inputs.
        outputs: by name of a function: pairs (position of an output, own state that it depends on), shape (m, 2), int. A
            function that is missing: all its outputs depend on all own states.
    """

    starts: np.ndarray
    columns: np.ndarray
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    outputs: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class StateProjection:
    """Projection of the states onto constraints that hold between them, such as those of a kinematic loop.

    The machine code at ``address`` has the C signature ``int32 project(int64* context, double* x_inv, double* x_var,
    double* e_inv, double* e_var)``: it changes the states of the equations ``x_inv`` (see `SegmentStart`: ``state_index``) and
    the component's own ``x_var`` in place, by the least change that takes residuals to rounding. What is on the constraints
    already stays as it is. ``e_inv`` and ``e_var`` are null, or an estimate of the states' error, to be projected alike: what
    of it leaves the constraints is taken away. `STATUS_OK` is good, another status is one for `AcausalComponent.failure`; the
    integrator then tries a shorter step. ``Slot.TIME`` of the context is the time of the states.

    It is called after each step of an integrator that projects itself (CVODE), at each stored point, where an event is located,
    where one ends and where a segment begins; where event indicators are evaluated between them; and with the right-hand side
    of other integrators. Components project one after the other, so two of them should not move the same states.

    Attributes:
        address: of the machine code; it must be there as long as the layout.
        evaluate: evaluate the model at these states before each call, because the function reads what equations gave the
            component.
    """

    address: int
    evaluate: bool = False


@dataclass(frozen=True)
class Poses:
    """Poses of frames that are fixed to moving bodies, which result files hold, so that they can be read without the model.

    Of a frame F fixed to the body B, ``R_WF = R_WB @ R_BF`` and ``p_WF = p_WB + R_WB @ p_BF`` are the signals ``F.R_abs`` and
    ``F.r_abs``.

    Attributes:
        frames: name of a frame -> number of its body (-1: the world), ``R_BF`` (3, 3), ``p_BF`` (3,) [m].
        bodies: number of bodies.
        over_time: ``R_WB`` and ``p_WB`` of all bodies over time, as rows of 12 numbers for each, shape (nt, 12*bodies).
    """

    frames: Mapping[str, tuple[int, np.ndarray, np.ndarray]]
    bodies: int
    over_time: Callable[[Trajectory], np.ndarray]


@dataclass
class SegmentLayout:
    """A component's part of one segment.

    Attributes:
        names: names of the states ``x_var``, relative to the component.
        x: their values at the beginning of the segment, shape (n_x,).
        n_z: number of event indicators.
        indicator: text of an indicator by its number, for messages; "" where it has none. None: none of them has.
        data: values for the slots from ``Slot.DATA`` on (addresses and sizes).
        keep: whatever owns the memory behind these addresses; held until the integrator is gone.
        signals: result signals that exist in this segment: name relative to the component -> function that computes the
            values, shape (nt, ...), on demand. If they cannot be pickled, neither can the result. An attribute
            ``viewer`` names a module whose ``animate(result, **options)`` is what ``result.animate()`` gives.
        info: figures for the table of segments, e.g. ``{"dof": 49}``.
        sparsity: see `Sparsity`, or a function that makes it, called for large systems only, and before the next event; None:
            every derivative depends on everything. A run may give the layout another one in `ComponentRun.event`, where it
            changes what depends on what, such as which bodies touch: it holds from then on, in the same segment.
        description: of the segment as plain data (see ``StoresSignals``), or a function that makes it, from which
            ``stored_signals(description)`` of the component computes `signals` again; None: results on disk do not have them.
        projection: see `StateProjection`; None: the states obey no constraints.
        history: what changes at events within the segment and signals depend on, such as which bodies touch. A run appends to
            it in `ComponentRun.init_segment` and `ComponentRun.event`: plain data (see ``Saves.snapshot``) that are not changed
            later. Signals get it as ``Trajectory.history``, also from results on disk. Nothing is ever taken out. Where a
            simulation goes on from a snapshot, the list begins anew: `init_segment` appends all that holds then.
        poses: those that result files hold, see `Poses`, or a function that makes it; None: none.
    """

    names: Sequence[str]
    x: np.ndarray
    n_z: int = 0
    data: Sequence[int] = ()
    keep: Any = None
    signals: Mapping[str, Callable[[Trajectory], np.ndarray]] = field(default_factory=dict)
    info: Mapping[str, Any] = field(default_factory=dict)
    sparsity: Sparsity | Callable[[], Sparsity] | None = None
    description: Any = None
    projection: StateProjection | None = None
    history: list[Any] = field(default_factory=list)
    indicator: Callable[[int], str] | None = None

    poses: Poses | Callable[[], Poses] | None = None

    def described_poses(self) -> Poses | None:
        """Return ``poses``, made where it is a function."""
        return self.poses() if callable(self.poses) else self.poses

    def described(self) -> Any:
        """Return ``description``, made where it is a function."""
        return self.description() if callable(self.description) else self.description

    def __getstate__(self) -> dict[str, Any]:
        """Return the part that results keep: addresses, and what is behind them, mean nothing elsewhere."""
        here = {
            "x": np.zeros(0),
            "data": (),
            "keep": None,
            "sparsity": None,
            "projection": None,
            "indicator": None,
            "poses": self.described_poses(),
        }
        return {**vars(self), **here, "description": self.described()}


def no_signal(name: str) -> Any:
    """Raise KeyError: no signals can be read here."""
    raise KeyError(name)


StateIndex = Callable[[str], "tuple[int, float] | None"]
"""Where a variable of the equations, by its path relative to the component, is among their states: ``(index, factor)`` if it is
``factor * x_inv[index]``, with a factor of 1 or -1; None where it is no state. Raises a ModelError where it does not exist."""


def no_state_index(name: str) -> None:
    """Return None: the states of the equations are not known here."""


class Rates(Protocol):
    """Response of everything to a component: evaluates the model at the present states of the equations.

    Returns the derivatives of these states, shape (n_inv,), with the component's memory as it is now. Raises a ModelError where
    derivatives are not explicit or cannot be computed.
    """

    def __call__(self) -> np.ndarray: ...

    def with_layout(self, layout: SegmentLayout) -> Rates:
        """Return the same as if a segment with another layout of the component had begun; nothing else sees anything of it."""

    def giving_way(self) -> Sequence[str]:
        """Return the relations of the equations, as texts, that would change with the component's present memory."""


@dataclass(frozen=True)
class SegmentChange:
    """A component's vote for a new segment: why, and which states of the equations are to be re-initialised.

    What the component itself begins the next segment with belongs here, too: `ComponentRun.event` returns a subclass with
    fields of its own, and `ComponentRun.init_segment` gets it back as ``SegmentStart.change``. It may be dropped in between
    where the simulation ends; a run changes when a segment begins, not when it asks for one.

    Attributes:
        cause: text for the table of segments.
        reinit: new values of states of the equations, by path relative to the component.
        impact: what is added to all states of the equations, shape (n_inv,); after it other components vote anew.
        calms: whether it ends what made events come faster and faster: whether they accumulate is looked at anew.
    """

    cause: str
    reinit: Mapping[str, float] = field(default_factory=dict)
    impact: np.ndarray | None = None
    calms: bool = False


@dataclass(slots=True)
class SegmentStart:
    """State of the simulation when a segment begins.

    Attributes:
        time: [s].
        x: the component's states at the end of the previous segment; None at the beginning of the simulation.
        read: see `SignalReader`; at the beginning of the simulation it gives initial values.
        signal: present value of any signal of the result, a number or an array, by its full path (KeyError where there is none
            now). Only in `ComponentRun.event`.
        rates: see ``Rates``. Only in `ComponentRun.event`.
        change: what this component asked for; None where it did not, or where the simulation begins. Only in
            `ComponentRun.init_segment`.
        state_index: see `StateIndex`.
    """

    time: float
    x: np.ndarray | None
    read: SignalReader
    rates: Rates | None = None
    signal: Callable[[str], Any] = no_signal
    change: SegmentChange | None = None
    state_index: StateIndex = no_state_index
