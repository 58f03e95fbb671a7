"""The loop over the steps makes the same decisions as machine code and as Python, whatever the integrator does."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy.simulation.solvers.crossings import HIGH, LOW, OFF, ROWS
from modiapy.simulation.solvers.step_compiler import address, copy, ir_of, maximum, minimum
from modiapy.simulation.solvers.step_loop import StepLoop
from modiapy.simulation.solvers.steps import Outcome, Steps
from modiapy.symbolic.codegen.object_cache import load, object_file

pytestmark = pytest.mark.white_box

I, D, P = ctypes.c_int, ctypes.c_double, ctypes.c_void_p
Number = ctypes.POINTER(ctypes.c_double)

VALUES = st.one_of(
    st.floats(-2.0, 2.0), st.sampled_from([0.0, -0.0, 1e-300, -1e-300, math.nan, math.inf, -math.inf, 1e3, -1e3])
)
LENGTHS = st.one_of(st.floats(1e-3, 0.1), st.sampled_from([1e-9, 1e-4, 0.05, 0.2]))


@dataclass
class Script:
    """What an integrator and a model answer, call by call, and what they were asked."""

    lengths: list[float]
    indicators: list[list[float]]
    failures: dict[int, int]
    n: int = 2
    time: float = 0.0
    asked: list[tuple[object, ...]] = field(default_factory=list)
    limits: np.ndarray = field(default_factory=lambda: np.array([math.inf, 9.0]))
    bands: np.ndarray = field(default_factory=lambda: np.array([0.0, 1e-3, 0.0]))

    def _note(self, *call: object) -> int:
        self.asked.append(call)
        return self.failures.get(len(self.asked), 0)

    def step(self, target: float) -> int:
        made = sum(call[0] == "step" for call in self.asked)
        flag = self._note("step", target)
        self.time += self.lengths[made % len(self.lengths)]
        return flag

    def states(self, t: float, x: np.ndarray) -> int:
        x[:] = [math.sin(t), math.cos(3.0 * t)]
        return self._note("states", t)

    def evaluate(self, t: float, z: np.ndarray) -> int:
        made = sum(call[0] == "indicators" for call in self.asked)
        z[:] = self.indicators[made % len(self.indicators)]
        return self._note("indicators", t, np.signbit(self.limits).tolist())


class InPython(Steps):
    """The loop as it stands."""

    def __init__(self, script: Script, n_z: int, draws: bool) -> None:
        self.script, self.n, self.n_z = script, script.n, n_z
        self.draws, self.drawn, self.since, self.pull = int(draws), 0.0, 0.0, np.array([10.0])
        self.x, self.sizes, self.rows = np.zeros(self.n), np.zeros(self.n), np.zeros((ROWS, n_z))
        self.z, self.at, self.off, self.bands = self.rows.reshape(-1), np.zeros(ROWS), OFF, script.bands[:n_z]
        self.limits, self.kept, self.n_limits = script.limits, np.zeros(2), script.limits.size
        self.recovers = self.flag = 0

    def give(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        self.grid, self.x_out = grid, x_out.reshape(-1)

    @np.errstate(all="ignore")
    def advance(self) -> int:
        return super().advance()

    def make_step(self) -> int:
        flag = self.script.step(self.target)
        self.time = self.script.time
        return flag

    def dense(self, t: float) -> int:
        return self.script.states(t, self.x)

    def indicators(self, t: float, row: int) -> int:
        return self.dense(t) or self.script.evaluate(t, self.rows[row])


class Compiled(StepLoop):
    """The same by machine code, in the place of CVODE or of IDA."""

    def __init__(self, script: Script, n_z: int, dae: bool, draws: bool = False) -> None:
        super().__init__(script.n, n_z)
        self.draws, self.pulled, self.measured = int(draws), np.array([10.0]), np.zeros(script.n)
        self.states, rates, self.smallest, self.largest = np.zeros(script.n), np.zeros(1), [], []

        def at(pointer: int, size: int) -> np.ndarray:
            return np.ctypeslib.as_array((D * size).from_address(pointer)) if size else np.zeros(0)

        def cvode(_memory: int, target: float, _y: int, time: object, task: int) -> int:
            assert task == 2
            flag = script.step(target)
            time[0] = script.time  # type: ignore[index]
            return flag

        def ida(memory: int, target: float, time: object, y: int, yp: int, task: int) -> int:
            assert yp == rates.ctypes.data
            return cvode(memory, target, y, time, task)

        def get_dky(_memory: int, t: float, order: int, vector: int) -> int:
            if order == 1:
                assert vector == rates.ctypes.data
                return 0
            return script.states(t, at(vector, script.n))

        def root(t: float, _y: int, z: int, user: int) -> int:
            assert user == 77
            return script.evaluate(t, at(z, n_z))

        def dae_root(t: float, y: int, _yp: int, z: int, user: int) -> int:
            return root(t, y, z, user)

        self.callbacks = {
            "cvode": ctypes.CFUNCTYPE(I, P, D, P, Number, I)(cvode),
            "ida_solve": ctypes.CFUNCTYPE(I, P, D, Number, P, P, I)(ida),
            "get_dky": ctypes.CFUNCTYPE(I, P, D, I, P)(get_dky),
            "root": ctypes.CFUNCTYPE(I, D, P, P, P)(root),
            "dae_root": ctypes.CFUNCTYPE(I, D, P, P, P, P)(dae_root),
            "set_min_step": ctypes.CFUNCTYPE(I, P, D)(lambda _memory, step: self.smallest.append(step) or 0),
            "set_max_step": ctypes.CFUNCTYPE(I, P, D)(lambda _memory, step: self.largest.append(step) or 0),
        }
        self.connect(**{name: ctypes.cast(function, P).value for name, function in self.callbacks.items()})
        x = self.states.ctypes.data
        self.n_limits, self.left = script.limits.size, np.zeros(2)
        self.connect(limits=script.limits.ctypes.data, kept=self.left.ctypes.data, bands=script.bands.ctypes.data)
        self.connect(pull=self.pulled.ctypes.data, sizes=self.measured.ctypes.data)
        self.connect(x=x, y=x, rates=rates.ctypes.data if dae else 0, user=77)
        self.keep_alive = rates

    def give(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        self.connect(grid=grid.ctypes.data, x_out=x_out.ctypes.data)


def run(
    loop: InPython | Compiled, script: Script, grid: np.ndarray, stop: float, budget: int, part: float, first: float = 0.1
) -> list[object]:
    """All that happens until the end of the grid, a failure, a crossing or the stop."""
    loop.begin = loop.end = loop.time = loop.target = loop.inside = 0.0
    loop.before, loop.longest, loop.first, loop.stop, loop.part = math.nan, 0.0, first, stop, part
    loop.rows[0] = script.indicators[-1]
    x_out = np.full((grid.size, script.n), np.nan)
    loop.give(grid, x_out)
    loop.n_grid, loop.count = grid.size, 0
    story: list[object] = []
    for _ in range(60):
        loop.steps = budget
        outcome = loop.advance()
        story.append((Outcome(outcome), loop.begin, loop.end, loop.inside, loop.before, loop.longest, loop.count, loop.steps))
        story.append((loop.flag, loop.recovers, loop.rows.tolist(), x_out.tolist(), list(script.asked)))
        story.append((loop.stop, *(loop.rows[[LOW, HIGH]].tolist() if loop.stop < stop else ())))
        if outcome != Outcome.STEPPED:
            break
        loop.recovers = 0
    return story


@settings(max_examples=150, deadline=None)
@given(
    lengths=st.lists(LENGTHS, min_size=1, max_size=8),
    indicators=st.integers(0, 3).flatmap(
        lambda n_z: st.lists(st.lists(VALUES, min_size=n_z, max_size=n_z), min_size=1, max_size=12)
    ),
    failures=st.dictionaries(st.integers(1, 60), st.sampled_from([-1, 1]), max_size=1),
    grid=st.lists(st.floats(1e-6, 0.5), min_size=1, max_size=8, unique=True),
    stop=st.one_of(st.just(math.inf), st.floats(0.01, 0.5)),
    budget=st.integers(1, 9),
    part=st.sampled_from([math.inf, 0.03]),
    dae=st.booleans(),
    draws=st.booleans(),
)
def test_both_loops_decide_alike(lengths, indicators, failures, grid, stop, budget, part, dae, draws) -> None:
    n_z, times = len(indicators[0]), np.array(sorted(grid))
    stories, pulls, sizes = [], [], []
    for make in (lambda script: InPython(script, n_z, draws), lambda script: Compiled(script, n_z, dae, draws)):
        script = Script(lengths, indicators, failures)
        loop = make(script)
        stories.append(run(loop, script, times, stop, budget, part))
        pulls.append(loop.pull if isinstance(loop, InPython) else loop.pulled)
        sizes.append(loop.sizes if isinstance(loop, InPython) else loop.measured)
    np.testing.assert_equal(*stories)
    np.testing.assert_equal(*sizes)
    assert pulls[0][0] == pulls[1][0]


def test_components_are_asked_for_the_next_step_where_it_begins() -> None:
    """Limits are negative within a step, and again what they were at its end, also where the indicators have failed."""
    for failing in ({}, {8: 1}):
        script = Script([0.05, 0.08], [[3.0], [4.0]], failing)
        loop = Compiled(script, 1, dae=False)
        run(loop, script, np.array([0.5]), math.inf, 100, math.inf)
        signs = [call[2] for call in script.asked if call[0] == "indicators"]
        assert signs[:2] == [[True, True], [False, False]]
        assert script.limits.tolist() == [math.inf, 9.0]


@pytest.mark.parametrize(
    ("lengths", "steps", "expected"),
    [
        ([5e-3], 49, 10.0),  # it begins with 10/s
        ([0.05], 1, 2.0),  # a tenth of the way
        ([0.05, 1e-3], 49, 2.0),
        ([0.05, *[1e-3] * 99], 51, 4.0),  # steps have become shorter for some time
        ([0.05, *[1e-3] * 200], 101, 8.0),
        ([0.04, *[0.03] * 99], 99, 2.5),
    ],
)
@pytest.mark.parametrize("draws", [True, False])
def test_states_are_drawn_to_their_constraints_by_a_part_of_the_way_in_each_step(lengths, steps, expected, draws) -> None:
    script = Script(lengths, [[]], {})
    loop = Compiled(script, 0, dae=False, draws=draws)
    end = sum((lengths * steps)[: steps - 1]) + 0.5 * (lengths * steps)[steps - 1]
    run(loop, script, np.array([end]), math.inf, 1000, math.inf)
    assert loop.pulled[0] == pytest.approx(expected if draws else 10.0)


@pytest.mark.parametrize(
    ("first", "largest"), [(0.1, [0.1, 0.1, 0.1, 0.4, 0.1, 0.1]), (0.07, [0.07, 0.07, 0.08, 0.4, 0.07, 0.08])]
)
def test_steps_are_limited_by_the_one_before_and_by_what_time_can_be_divided_into(first: float, largest: list[float]) -> None:
    script = Script([0.03, 0.04, 0.2], [[]], {})
    loop = Compiled(script, 0, dae=False)
    run(loop, script, np.array([0.5]), math.inf, 100, math.inf, first)
    eps = np.finfo(float).eps
    assert loop.smallest == pytest.approx([0.0, 2 * eps * 0.03, 2 * eps * 0.07, 2 * eps * 0.27, 2 * eps * 0.3, 2 * eps * 0.34])
    assert loop.largest == pytest.approx(largest)


class Arithmetic:
    """What the compiler can do, besides what the loop needs."""

    a: float
    k: int
    numbers: np.ndarray

    def polynomial(self, x: float) -> float:
        y = x
        while self.k > 0 and not (y > 1e6 or y < -1e6):
            y = y * x - self.a
            self.k -= 1
        return max(y, minimum(self.a, maximum(x, 2)))

    def choose(self, i: int, j: int) -> int:
        if i == j:
            return -1
        if i * j - i >= j or self.choose(j, j) == 0:
            self.numbers[i - j] = self.numbers[j] / 4
            copy(self.numbers, 0, self.numbers, i - j, 1)
            return i
        return j

    def is_between(self, x: float) -> bool:
        return (x > self.a and not x > 2.0) or x == 3.0


class InMemory(ctypes.Structure):
    _fields_ = (("a", D), ("k", ctypes.c_int64), ("numbers", P))


@settings(max_examples=50, deadline=None)
@given(x=st.floats(-3.0, 3.0), a=st.floats(-2.0, 2.0), k=st.integers(0, 20), i=st.integers(2, 5), j=st.integers(0, 2))
def test_compiled_methods_do_what_python_does(x: float, a: float, k: int, i: int, j: int) -> None:
    code, numbers = load(object_file(ir_of(Arithmetic, {})).data, {}), np.arange(8.0)
    memory, plain = InMemory(a, k, numbers.ctypes.data), Arithmetic()
    plain.a, plain.k, plain.numbers = a, k, np.arange(8.0)
    polynomial = ctypes.CFUNCTYPE(D, P, D)(code.address_of("polynomial"))
    choose = ctypes.CFUNCTYPE(ctypes.c_int64, P, ctypes.c_int64, ctypes.c_int64)(code.address_of("choose"))
    assert polynomial(ctypes.addressof(memory), x) == plain.polynomial(x)
    assert memory.k == plain.k
    assert choose(ctypes.addressof(memory), i, j) == plain.choose(i, j)
    assert numbers.tolist() == plain.numbers.tolist()
    is_between = ctypes.CFUNCTYPE(ctypes.c_int64, P, D)(code.address_of("is_between"))
    for value in (x, 3.0, math.nan):
        assert is_between(ctypes.addressof(memory), value) == plain.is_between(value)


class Sorts:
    n: int

    def sort(self) -> int:
        return sorted([self.n])[0]


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"sorted\(\[self.n\]\)"):
        ir_of(Sorts, {})
    with pytest.raises(NotImplementedError):
        address(0)
