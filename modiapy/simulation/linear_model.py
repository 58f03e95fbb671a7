"""Linear models at the end of a simulation, and steady states, by central differences of the compiled model.

The relations keep the values that they have at the point. The linear model is that of the active branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..acausal.protocol import Mode
from ..model.errors import ModelError, NumericalError, nearest
from ..symbolic.terms.arrays import element_names
from .frequency_response import FrequencyResponse, frequency_response
from .segments.present import present_signals

if TYPE_CHECKING:
    from scipy.signal import StateSpace

    from ..symbolic.sorted.sorted_model import SortedModel
    from .evaluation.machine import Machine
    from .segment_loop import SegmentLoop

STEP = float(np.finfo(float).eps ** (1.0 / 3.0))
"""Relative step of a central difference: its truncation is then as large as its rounding."""

MAX_ITERATIONS, MAX_HALVINGS = 100, 30


@dataclass(frozen=True, eq=False)
class LinearModel:
    """``der(dx) = A dx + B du``, ``dy = C dx + D du`` for small deviations from a point.

    Attributes:
        A, B, C, D: matrices, shapes (nx, nx), (nx, nu), (ny, nx), (ny, nu).
        states, inputs, outputs: names of rows and columns; elements of arrays one by one.
        time: [s]. x, rates, u, y: states, their derivatives, inputs and outputs at the point.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    time: float
    x: np.ndarray
    rates: np.ndarray
    u: np.ndarray
    y: np.ndarray

    def _repr_latex_(self) -> str:
        """Return the four matrices between the vectors of states, inputs and outputs."""
        from ..model.latex import latex_of_matrix, names_vector

        rates = [f"der({name})" for name in self.states]
        A, B, C, D = map(latex_of_matrix, (self.A, self.B, self.C, self.D))
        rows = [(rates, A, B)] * bool(self.states) + [(self.outputs, C, D)] * bool(self.outputs)
        lines = []
        for left, by_states, by_inputs in rows:
            terms = [rf"{by_states} {names_vector(self.states)}"] * bool(self.states)
            terms += [rf"{by_inputs} {names_vector(self.inputs)}"] * bool(self.inputs)
            lines.append(rf"{names_vector(left)} &= {' + '.join(terms) or '0'}")
        return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"

    def eigenvalues(self) -> np.ndarray:
        """Return the eigenvalues of A, shape (nx,), complex [1/s], those with the largest real part first."""
        values = np.linalg.eigvals(self.A).astype(complex)
        return values[np.lexsort((values.imag, -values.real))]

    def poles(self) -> np.ndarray:
        """Return the same as `eigenvalues`."""
        return self.eigenvalues()

    def natural_frequencies(self) -> np.ndarray:
        """Return the distances of the `poles` from zero [rad/s], shape (nx,): frequencies that oscillations would have
        without damping.
        """
        return np.abs(self.poles())

    def damping_ratios(self) -> np.ndarray:
        """Return ``-Re(p)/abs(p)`` of each of the `poles`, shape (nx,): 1 decays without oscillation, below 0 grows; -1 for
        0.
        """
        poles = self.poles()
        size = np.abs(poles)
        return np.where(size > 0.0, -poles.real / np.where(size > 0.0, size, 1.0), -1.0)

    def bode(self, omega: Sequence[float] | None = None) -> FrequencyResponse:
        """Return the transfer functions from all inputs to all outputs over the frequency; ``bode().plot()`` draws them.

        Args:
            omega: angular frequencies [rad/s]; by default from a decade below the slowest pole to one beyond the fastest.

        Raises:
            ModelError: there are no inputs or no outputs, or frequencies that are no numbers of 0 or more.
        """
        self._check_ends("a frequency response")
        at, values = frequency_response((self.A, self.B, self.C, self.D), omega, self.poles())
        return FrequencyResponse(at, values, self.inputs, self.outputs)

    def to_scipy(self) -> StateSpace:
        """Return the model as a ``scipy.signal.StateSpace``, without names. Raises ModelError where there are no inputs or
        outputs.
        """
        from scipy.signal import StateSpace

        self._check_ends("a StateSpace of scipy")
        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """Return the model as a ``control.StateSpace`` with the names of states, inputs and outputs; needs the package
        ``control``.

        Raises:
            ModelError: the package is not installed, or there are no inputs or outputs.
        """
        self._check_ends("a StateSpace of control")
        try:
            import control  # type: ignore[import-not-found]
        except ImportError:
            remedy = "Install it with 'pip install control', or use to_scipy()."
            raise ModelError("to_control needs the package control, which is not installed", remedy=remedy) from None
        # a dot separates the names of systems and signals there
        names = {key: [one.replace(".", "_") for one in getattr(self, key)] for key in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def _check_ends(self, what: str) -> None:
        for name, found in (("inputs", self.inputs), ("outputs", self.outputs)):
            if not found:
                remedy = f"Name signals: linearize({name}=[...])." + " Inputs are Var(input=True)." * (name == "inputs")
                raise ModelError(f"{what} needs {name}, and the linear model has none", remedy=remedy)

    def to_json(self) -> dict[str, Any]:
        """Return the names, matrices, the point and the poles as plain data for ``json.dumps``."""
        given = {name: list(getattr(self, name)) for name in ("states", "inputs", "outputs")}
        arrays = {name: getattr(self, name).tolist() for name in ("A", "B", "C", "D", "x", "rates", "u", "y")}
        poles = {"poles": [[p.real, p.imag] for p in self.poles().tolist()]}
        about = {name: getattr(self, name)().tolist() for name in ("natural_frequencies", "damping_ratios")}
        return {"time": self.time, **given, **arrays, **poles, **about}

    def transfer(self, s: complex) -> np.ndarray:
        """Return ``C (sI - A)^-1 B + D`` at a complex frequency [1/s], shape (ny, nu)."""
        result: np.ndarray = self.C @ np.linalg.solve(s * np.eye(len(self.states)) - self.A, self.B) + self.D
        return result


class _Point:
    """Compiled model at the end of a simulation, as a function of states and inputs.

    Raises: ModelError: there is no signal of that name.
    """

    def __init__(self, loop: SegmentLoop, outputs: Sequence[str]) -> None:
        if loop.delay_history.wanted:
            raise ModelError(
                "a model with delays cannot be linearised: its past is not a finite number of states",
                found="delay(...)",
                expected="a model without",
                remedy="Approximate the delay by states, e.g. by blocks.PadeDelay.",
            )
        self.machine, self.segment, self.time = loop.machine, loop.current.segment, loop.current.time
        self.x = self.segment.x.copy()
        self.u = self.machine.input_vector()
        self.states = tuple(self.machine.all_states())
        self.names = tuple(outputs)
        self._solutions = self.machine.memory.solutions()

    def evaluate(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the derivatives, shape (nx,), and outputs."""
        machine = self.machine
        machine.memory.begin_from(self._solutions)
        with machine.inputs_held() as hold:
            hold(u)
            machine.evaluate(self.time, x, Mode.OUTPUTS)
        rates = machine.derivatives.copy()
        if not self.names:
            return rates, []
        read = present_signals(self.segment, self.time, x, machine.memory.unknowns.copy())
        try:
            return rates, [np.array(read(name), dtype=float) for name in self.names]
        except KeyError as error:
            name = str(error.args[0])
            signals = self.segment.result.signals()
            raise ModelError(f"there is no signal '{name}'", path=name, remedy=nearest(name, signals)) from None

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Return the Jacobian of the derivatives with respect to the states, shape (nx, nx)."""
        return _differences(lambda at: self.evaluate(at, self.u)[0], x, self.magnitudes(x))

    def magnitudes(self, x: np.ndarray) -> np.ndarray:
        """Return the magnitudes of the states, shape (nx,), at least their nominal values."""
        nominal = self.machine.magnitudes(x.size)
        return np.maximum(np.abs(x), 1.0 if nominal is None else nominal)


def check_explicit(model: SortedModel) -> None:
    """Refuse a model whose derivatives are not explicit. Raises ModelError."""
    if model.constraints:
        raise ModelError(
            "the model cannot be linearised, because its derivatives are not explicit",
            found=f"the constraint '{model.constraints[0].equation}', which allows no static selection of states",
        )


def _differences(
    function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, magnitudes: np.ndarray, chosen: Sequence[int] | None = None
) -> np.ndarray:
    """Return the Jacobian by central differences, shape (n, at.size), or its ``chosen`` columns in their order."""
    columns = []
    for k in range(at.size) if chosen is None else chosen:
        above, below = at.copy(), at.copy()
        above[k] += STEP * magnitudes[k]
        below[k] -= STEP * magnitudes[k]
        columns.append((function(above) - function(below)) / (above[k] - below[k]))
    return np.array(columns).T if columns else np.zeros((function(at).size, 0))


def _input_columns(machine: Machine, inputs: Sequence[str] | None) -> tuple[list[int], tuple[str, ...]]:
    """Return the numbers and names of the elements of chosen inputs: of a name that is an array all of them. Raises
    ModelError.
    """
    known, places = machine.sorted.inputs, {name: k for k, name in enumerate(machine.input_elements)}
    names: list[str] = []
    for name in known if inputs is None else inputs:
        if name not in known and name not in places:
            raise ModelError(f"'{name}' is no input", path=name, expected=f"one of {', '.join(known) or '(there are none)'}")
        names += element_names([name], machine.layout.shapes) if name in known else [name]
    return [places[name] for name in names], tuple(names)


def linearize(loop: SegmentLoop, inputs: Sequence[str] | None, outputs: Sequence[str] | None) -> LinearModel:
    """Linearize the model at the end of a simulation. Arguments and errors as `SimulationModel.linearize`."""
    machine = loop.machine
    columns, chosen = _input_columns(machine, inputs)
    if outputs is None:
        outputs = [name for name, variable in machine.flat.variables.items() if variable.output and "." not in name]
    point = _Point(loop, outputs)
    rates, values = point.evaluate(point.x, point.u)
    nx = point.x.size

    def all_of(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        rates, values = point.evaluate(x, u)
        return np.concatenate([rates, *(np.ravel(value) for value in values)])

    by_states = _differences(lambda x: all_of(x, point.u), point.x, point.magnitudes(point.x))
    by_inputs = _differences(lambda u: all_of(point.x, u), point.u, np.maximum(np.abs(point.u), 1.0), columns)
    names = tuple(
        name if value.ndim == 0 else f"{name}[{','.join(map(str, index))}]"
        for name, value in zip(outputs, values, strict=True)
        for index in np.ndindex(value.shape)
    )
    y = np.concatenate([np.zeros(0), *(np.ravel(value) for value in values)])
    return LinearModel(
        by_states[:nx],
        by_inputs[:nx],
        by_states[nx:],
        by_inputs[nx:],
        point.states,
        chosen,
        names,
        point.time,
        point.x,
        rates,
        point.u[columns],
        y,
    )


def go_to_steady_state(loop: SegmentLoop, tolerance: float) -> None:
    """Change the states of a simulation until all derivatives are zero.

    Arguments and errors as `SimulationModel.steady_state`.
    """
    point = _Point(loop, ())
    x, relations = loop.current.x, loop.iteration.relations
    for _ in range(MAX_ITERATIONS):
        rates = point.evaluate(x, point.u)[0]
        jacobian = point.jacobian(x)
        change = np.linalg.lstsq(jacobian, -rates, rcond=1e-12)[0]
        if np.abs(rates).max(initial=0.0) == 0.0 or np.all(np.abs(change) <= tolerance * point.magnitudes(x)):
            if np.linalg.norm(jacobian @ change + rates) <= 0.5 * np.linalg.norm(rates):
                x += change
            if not relations.update(loop.current.time, x, Mode.DERIVATIVES).size:
                break
            continue
        for k in range(MAX_HALVINGS):
            new = x + 0.5**k * change
            if np.linalg.norm(point.evaluate(new, point.u)[0]) < (1.0 - 1e-4 * 0.5**k) * np.linalg.norm(rates):
                break
        x[:] = new
        relations.update(loop.current.time, x, Mode.DERIVATIVES)
    rates = point.evaluate(x, point.u)[0]
    if np.abs(rates / point.magnitudes(x)).max(initial=0.0) > 1e3 * tolerance:
        worst = int(np.argmax(np.abs(rates / point.magnitudes(x))))
        raise NumericalError(
            "no steady state was found",
            path=point.states[worst],
            time=loop.current.time,
            found=f"der({point.states[worst]}) = {rates[worst]:.6g} at last",
            expected="a derivative of zero",
            remedy="Begin nearer to it: steady_state(time) simulates until that time before; or there is none.",
        )
