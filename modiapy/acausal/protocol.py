"""The protocol between the compiler and predefined acausal components.

A predefined acausal component (Neumayr & Otter 2024) brings

- an *acausal part*: variables and equations that are injected into the user's model and sorted together with everybody
  else's; among them `CallEquation`s that call the component's pre-compiled functions;
- a *causal part*: those functions, with states ``x_var`` and event indicators ``z_var`` of their own, which the equations
  never see. Their number may change at events: that ends one segment and begins the next.

The machine code of a function has the C signature ``int32 f(int64* context, double* inputs, double* outputs)``. It returns
`STATUS_OK` or another status and never raises. ``context`` is the component's block of `CONTEXT_SLOTS` eight-byte slots at a
stable address (`Slot`), rewritten in place at a segment change.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np

from ..model.expression import Expr, Name
from .memory_layout import INT64, Field, Layout, elsewhere, size

CONTEXT_SLOTS = 48
STATUS_OK = 0


class Slot(IntEnum):
    """Slots of a component's context. Addresses and sizes are int64; TIME is the bit pattern of a double."""

    TIME = 0
    MODE = 1
    X = 2  # address of this component's part of the state vector, set by the model before every evaluation
    DER = 3  # address of the derivatives of these states
    Z = 4  # address of this component's event indicators (valid in INDICATORS mode only)
    N_X = 5
    N_Z = 6
    X_OFFSET = 7  # where the component's part begins in the variant part of x
    Z_OFFSET = 8
    LONGEST_STEP = 9  # address of a double, see `CONTEXT`
    DATA = 16  # slots 16 to 47 belong to the component


CONTEXT = Layout(
    Field("time", ()),
    Field("mode", (), INT64),
    elsewhere("x", size("n_x")),
    elsewhere("der", size("n_x")),
    elsewhere("z", size("n_z")),
    Field("n_x", (), INT64),
    Field("n_z", (), INT64),
    Field("x_offset", (), INT64),
    Field("z_offset", (), INT64),
    elsewhere("longest_step", 1),
    Field("reserved", Slot.DATA - Slot.LONGEST_STEP - 1, INT64),
)
"""The slots before `Slot.DATA` as a record: ``native_layout.record(CONTEXT.followed_by(..))`` shows it to kernels, with what
the component puts behind.

``longest_step`` is infinite when a segment begins. A function of the component may write to it where it computes indicators
(`Mode.INDICATORS`): the integrator's next step is no longer [s], so that nothing begins and ends unseen within it."""


class Mode(IntEnum):
    """Quantities that an evaluation of the model must deliver. The bits may be combined with EVENT and INITIAL."""

    DERIVATIVES = 0  # der(x) only
    INDICATORS = 1  # event indicators z (and der(x))
    OUTPUTS = 2  # all variables (and der(x))
    EVENT = 4  # at an event: relations may change their value
    INITIAL = 8  # at the initial event: initial() is true
    RESIDUALS = (
        16  # residuals instead of der(x): the integrator supplies the derivatives, linear systems in them are not solved
    )
    TERMINAL = 32  # at the last event, when the stop time is reached: terminal() is true


@dataclass(frozen=True)
class ComponentFunction:
    """A pre-compiled function of a component, described so that the compiler can sort and differentiate by metadata only.

    Attributes:
        name: name for messages, e.g. ``"generalized_forces"``.
        n_in, n_out: number of scalar inputs and outputs.
        symbol: name of the external symbol in the object file; one symbol per machine-code function.
        address: gives the address of the machine code when the model is loaded (numba is imported there, not before).
        linear_in: positions of the inputs in which all outputs are affine.
        sink: to be evaluated even if nothing needs its outputs (it computes the component's derivatives).
        derivative: function that computes the time derivative of the outputs from (inputs, derivatives of the
            inputs); None: index reduction refuses to differentiate it, by name.
        gaps: its outputs are NaN where what they describe does not exist; that is no failure.
    """

    name: str
    n_in: int
    n_out: int
    symbol: str
    address: Callable[[], int]
    linear_in: frozenset[int] = frozenset()
    sink: bool = False
    derivative: ComponentFunction | None = None
    gaps: bool = False


@dataclass(frozen=True)
class CallEquation:
    """``outputs = function(inputs)`` in a component's acausal part.

    ``function`` is what is called, ``inputs`` are expressions, ``outputs`` variables that this equation computes; it can be
    solved for nothing else. Names are relative to the component until flattening; ``component`` is then the component's path.
    What must be called before is expressed by variables: a function that prepares data for others has an output (a token) that
    is their input.

    ``rate`` is, for a call with one output, the time derivative of that output as an expression of other variables of the
    component: index reduction differentiates the call to ``der(output) = rate``, and neither the function nor what its inputs
    depend on has to be differentiated. A rate that is again the output of a call with a rate allows a second differentiation.
    """

    function: ComponentFunction
    inputs: tuple[Expr, ...]
    outputs: tuple[Name, ...]
    component: str = ""
    rate: Expr | None = None

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.outputs))}) = {self.function.name}({', '.join(map(str, self.inputs))})"


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


class EndOfSimulation(Exception):
    """Raised in `ComponentRun.event`: the simulation ends here, as it was meant to.

    Attributes:
        verdict: what is to be said about it.
        success: whether that is good.
    """

    def __init__(self, verdict: str, success: bool = True) -> None:
        super().__init__(verdict)
        self.verdict, self.success = verdict, success


@dataclass(frozen=True)
class ComponentScope:
    """Part of a model that the factory of a component gets to see.

    Attributes:
        path: full path of that model ("" at the top level).
        objects: what the constructors inside it returned, by path relative to it, in the order of declaration.
        parameters: numeric parameters inside it, by path relative to it.
        starts: ``init`` (else ``start``) of the variables inside it that have one, by path relative to it.
        connections: the connections inside it: paths of the connectors of each, relative to it.
        fixed: paths of those of the ``starts`` that are an ``init`` of the user; others are guesses, or a component's default.
    """

    path: str
    objects: Mapping[str, Any]
    parameters: Mapping[str, float]
    starts: Mapping[str, Any] = field(default_factory=dict)
    connections: Sequence[tuple[str, ...]] = ()
    fixed: frozenset[str] = frozenset()


class AcausalComponent(ABC):
    """A predefined acausal component: what the factory makes of the parameters, the same in all simulations.

    It does not change when the model has been translated: any number of runs, in any number of threads, share it, and it can be
    pickled. What changes while a simulation runs belongs to the `ComponentRun`.

    Abilities that a component may have besides are base classes in ``abilities.py``: ``KnowsEquations``, ``StoresSignals``.

    Attributes:
        reserved_names: names that entries of its model must not have, because results of the component begin with them.
    """

    reserved_names: Sequence[str] = ()

    def __str__(self) -> str:
        """Return a description of what the component consists of, one line or several: a part of what ``print(sim)`` shows."""
        return type(self).__name__

    @property
    def most_states(self) -> int | None:
        """The largest number of own states that a segment may have; None where that is not known."""
        return None

    def prepare_many_states(self) -> None:  # noqa: B027  (most components have nothing to load)
        """Load what the sparsity of segments needs: called when the model is made, if segments may have many states."""

    @abstractmethod
    def acausal_part(self) -> Any:
        """Return `Model` with the variables and equations to inject, names relative to the component."""

    @abstractmethod
    def begin_run(self) -> ComponentRun:
        """Return the component at the beginning of a simulation."""

    def failure(self, status: int, keep: Any) -> str:
        """Return the meaning of a status of its functions in words, a `Reason` if of one object; "" if there is nothing to say.

        Args:
            status: what a function returned.
            keep: ``SegmentLayout.keep`` of the layout it was evaluated with.
        """
        return ""

    def undetermined(self, unknowns: Sequence[str], keep: Any) -> str:
        """Return the reason why linear equations do not determine these unknowns, and a remedy.

        The text is "" if the reason is not in the component.
        """
        return ""

    def remedy_in_equations(self, name: str) -> str:
        """Return a remedy for a name, relative to the component, that leads nowhere: what equations can use in its place,
        or "".
        """
        return ""


class ComponentRun(ABC):
    """A component in one simulation: its present structure, the progress of its program, whatever it remembers.

    Abilities that it may have besides are base classes in ``abilities.py``: ``Saves``, ``Assembles``, ``Waits``, ``Notes``.
    """

    @abstractmethod
    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """Begin a segment: at the start of the simulation, and after each `SegmentChange` this component or another asked for.

        A component whose structure did not change returns a layout with the same states and values.
        """

    @abstractmethod
    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Return the called at every event (time, state, initial): keep the structure (None), or ask for a new segment."""

    @abstractmethod
    def next_time_event(self, time: float) -> float:
        """Return the time of the component's next time event after ``time`` [s]; ``math.inf`` if there is none."""

    def terminate(self, time: float) -> None:
        """Finish the run: the simulation has reached its stop time [s].

        Raises:
            ModiaError: the simulation must not end here. The results are kept all the same.
        """
        return

    @property
    def program_log(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of what has been carried out so far; they become ``Result.program_log``."""
        return ()

    def tables(self, time: float) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return tables besides the signals: rows of plain data by the name of a table; they become ``Result.tables``.

        Called at the end, however the simulation ended, perhaps before the first segment; and now and then while it runs, where
        its result is written to a file, which must not change anything. Tables of several components that have
        the same name become one, so rows name their objects by full path. Of a run that goes on from a snapshot they hold what
        was before, too (see ``Saves``).

        Args:
            time: of the last stored point [s].
        """
        return {}
