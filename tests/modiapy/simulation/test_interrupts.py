"""Interrupts, by real signals: the first one ends a computation, once; what is written is written to its end."""

import signal
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from modiapy import For, Model, SimulationInterrupted, Var, instantiate
from modiapy.simulation.segments.interrupts import (
    IMPATIENT,
    finish_first,
    interrupted_all_the_same,
    interrupted_once,
    undisturbed,
)
from modiapy.simulation.solvers.chebyshev import ChebyshevLoop
from modiapy.simulation.solvers.jacobian import Differences
from modiapy.simulation.solvers.python_steps import PythonLoop
from modiapy.simulation.solvers.step_loop import StepLoop

pytestmark = pytest.mark.white_box


def press():
    signal.raise_signal(signal.SIGINT)


@contextmanager
def ended_by(kind):
    """The block is left by an exception of this kind."""
    try:
        yield
    except kind:
        return
    pytest.fail("nothing has ended it")


@pytest.fixture(autouse=True)
def handler():
    """As in a program that handles no signals itself; it is there again afterwards."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_the_first_one_ends_the_block_the_second_does_not_disturb_its_end_but_the_third():
    with interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            press()
        for _ in range(IMPATIENT - 2):
            press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_what_is_undisturbed_ends_first():
    written = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        with undisturbed():
            press()
            written.append("all")
        written.append("too much")
    assert written == ["all"]


def test_a_second_one_is_not_raised_at_the_end_of_what_is_undisturbed_but_the_third():
    with interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            press()
        for _ in range(IMPATIENT - 2):
            with undisturbed():
                press()
        with pytest.raises(KeyboardInterrupt), undisturbed():
            press()


def test_without_one_nothing_is_raised_and_earlier_ones_do_not_count():
    done = []
    with interrupted_once():
        with suppress(KeyboardInterrupt):
            press()
        with undisturbed():
            done.append("what waits")
        done.append("what follows")
    assert done == ["what waits", "what follows"]


def test_an_error_in_what_is_undisturbed_is_that_error():
    with ended_by(ZeroDivisionError), interrupted_once(), undisturbed():
        press()
        raise ZeroDivisionError


def test_a_part_of_what_is_undisturbed_is_left_at_once_and_the_rest_is_done():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once(), undisturbed() as wait:
        try:
            with wait.but_here():
                press()
                done.append("too much")
        except KeyboardInterrupt:
            press()
            done.append("kept")
            raise
    assert done == ["kept"]


def test_a_part_that_may_be_interrupted_does_not_begin_after_an_interrupt():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once(), undisturbed() as wait:
        with wait.but_here():
            done.append("first")
        press()
        done.append("second")
        with wait.but_here():
            done.append("too much")
    assert done == ["first", "second"]


def test_a_part_waits_where_all_of_it_has_to_wait():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        finish_first()
        with undisturbed() as wait, wait.but_here():
            press()
            done.append("all")
    assert done == ["all"]


def test_blocks_within_each_other_end_with_the_outer_one():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once(), undisturbed():
        with undisturbed():
            press()
        with interrupted_once():
            press()
        done.append("outer")
    assert done == ["outer"]


def test_what_asks_to_finish_first_ends_with_the_whole_block():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        finish_first()
        press()
        with undisturbed():
            press()
        done.append("all")
    assert done == ["all"]


def test_a_computation_within_another_does_not_make_that_one_wait():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        with interrupted_all_the_same():
            finish_first()
        press()
        done.append("too much")
    assert not done


def test_signals_that_a_program_handles_itself_are_left_to_it():
    seen = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    with interrupted_once():
        press()
        press()
    assert seen == [signal.SIGINT] * 2
    signal.signal(signal.SIGINT, signal.default_int_handler)


DECAY = Model(
    x=Var(init=1.0), y=Var("exp(-x)"), late=Var("log(0.6 - time)"), other=Var(start=1.0),
    equations=["der(x) = -x", "other**3 + other = x"],
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("output", [None, "result.h5"])
def test_points_that_are_being_stored_are_stored(monkeypatch, tmp_path, output):
    """The warning about what has no value from 0.6 s on comes while a thousand points are stored."""
    sim, options = instantiate(DECAY), {"interval": 0.001, "output": None if output is None else tmp_path / output}
    with monkeypatch.context() as patch:
        patch.setattr("modiapy.simulation.segments.segment.warnings.warn", lambda *_, **__: press())
        with pytest.raises(SimulationInterrupted) as caught:
            sim.simulate(3.0, **options)
    result, expected = caught.value.result, sim.simulate(3.0, interval=0.001)
    size = result.time.size
    assert (result.status, caught.value.time) == ("interrupted", result.time[-1])
    assert result.time[-1] > 0.6
    for name in ("time", "x", "y", "other"):
        assert (result[name] == expected[name][:size]).all(), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("solver", "loop"), [("cvode", StepLoop), ("chebyshev", ChebyshevLoop), ("scipy", PythonLoop)])
def test_points_that_the_integrator_has_reached_are_stored(monkeypatch, solver, loop):
    """A signal that comes while machine code works is told to Python when that returns, before anything else happens."""
    sim, calls = instantiate(DECAY), []
    advance = loop.advance

    def pressed(self):
        outcome = advance(self)
        calls.append(self.count)
        press()
        return outcome

    monkeypatch.setattr(loop, "advance", pressed)
    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(3.0, interval=0.001, solver=solver)
    monkeypatch.undo()
    result = caught.value.result
    assert len(calls) == 1
    assert result.time.size == 1 + calls[0] > 100
    assert result["x"] == pytest.approx(np.exp(-result.time), abs=1e-4)


def test_an_interrupt_while_a_jacobian_is_computed_ends_the_run_soon_after(monkeypatch, capfd):
    """The integrator, which has called it, lets no exception through; it is raised between two steps, not at the end."""
    n = 200
    equations = [
        For("i", n - 1, [f"der(x[i]) = -x[i]*(1 + x[i]**2) + sin(x[{n - 1}])"]),
        f"der(x[{n - 1}]) = -x[{n - 1}] + cos(40*time)",
    ]
    sim = instantiate(Model(x=Var(init=[1.0] * n), equations=equations))
    calls = []

    def pressed(before):
        def computed(self, *args):
            calls.append(1)
            if len(calls) == 3:
                press()
            return before(self, *args)

        return computed

    for name in ("by_address", "explicit"):
        monkeypatch.setattr(Differences, name, pressed(getattr(Differences, name)))
    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(50.0, interval=50.0)
    assert len(calls) > 3
    assert caught.value.result.statistics["steps"] < 3000  # of about 8500
    assert "Traceback" not in capfd.readouterr().err
