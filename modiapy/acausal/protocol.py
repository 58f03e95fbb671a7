"""The protocol between the compiler and predefined acausal components.

A predefined acausal component (Neumayr & Otter 2024) brings

- an *acausal part*: variables and equations that are injected into the user's model and sorted together with everybody
  else's; among them `CallEquation`s that call the component's pre-compiled functions;
- a *causal part*: those functions, with states ``x_var`` and event indicators ``z_var`` of their own, which the equations
  never see. Their number may change at events: that ends one segment and begins the next.

The machine code of a function has the C signature ``int32 f(int64* context, double* inputs, double* outputs)``. It returns
`STATUS_OK` or another status and never raises. ``context`` is the component's block of `CONTEXT_SLOTS` eight-byte slots at a
stable address (`Slot`), rewritten in place at a segment change. What is said when segments begin and end: `segment`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from ..model.expression import Expr, Name
from .memory_layout import INT64, Field, Layout, elsewhere, size
from .segment import SegmentChange, SegmentLayout, SegmentStart

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
(`Mode.INDICATORS`): the integrator's next step is no longer [s], so that nothing begins and ends unseen within it. Where it is
negative no step follows from there, and what would be written is not looked at."""


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
        """Keep the structure (None), or ask for a new segment; called at every event (of time, of states, initial)."""

    @abstractmethod
    def next_time_event(self, time: float) -> float:
        """Return the time of the component's next time event after ``time`` [s]; ``math.inf`` if there is none."""

    def ignores_samples(self) -> bool:
        """Return whether new values of inputs and discrete variables leave the structure as it is until the next event.

        `event` is then not called where such values change and no indicator of the component changes its sign. By default it
        is.
        """
        return False

    def before_states(self, names: Collection[str]) -> SegmentChange | None:
        """Return the change after which nothing is held that new values of states decide; None if nothing is.

        Args:
            names: of the states that are to be set from outside, relative to the component; others may be among them.

        Raises:
            ModelError: one of them cannot be set now.
        """
        return None

    def goes_back(self, data: Any) -> bool:
        """Go back within the present segment to a state that `Saves.snapshot` gave; return whether that was possible.

        If not, nothing has changed, and the run is restored from the beginning. By default it is not.
        """
        return False

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
