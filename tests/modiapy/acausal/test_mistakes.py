"""What an author of a component does wrong, and the message that names component, function and state."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy import Model, ModelError, SimulationError, Var, instantiate
from modiapy.acausal import (
    AcausalComponent,
    ComponentFunction,
    ComponentRun,
    KnowsEquations,
    Saves,
    SegmentChange,
    SegmentLayout,
    SegmentStart,
    Sparsity,
    StoresSignals,
    Waits,
    call_equation,
    kernel_address,
)

KERNELS = """
import math
from numba import cfunc
from modiapy.acausal import COMPONENT_SIGNATURE, Mode, Slot, float64_array

X, DER, Z, N_X, N_Z, MODE, FAULT = (int(s) for s in (Slot.X, Slot.DER, Slot.Z, Slot.N_X, Slot.N_Z, Slot.MODE, Slot.DATA))
INDICATORS = int(Mode.INDICATORS)

@cfunc(COMPONENT_SIGNATURE, cache=True)
def decay(context, inputs, outputs):
    n, fault = context[N_X], context[FAULT]
    x, rate = float64_array(context[X], n), float64_array(context[DER], n)
    if fault == 1 and x[0] < 0.5:
        return 7
    for i in range(n if fault != 2 else n - 1):
        rate[i] = -x[i] + inputs[0]
    if fault == 3:
        rate[0] = math.nan
    if context[MODE] & INDICATORS and fault != 4:
        z = float64_array(context[Z], context[N_Z])
        for k in range(context[N_Z]):
            z[k] = 1.0
    outputs[0] = x[0]
    return 0
"""
DECAY = ComponentFunction(
    "decay", 1, 1, "test_mistakes_decay", kernel_address("kernels_of_mistakes", "decay"), frozenset({0}), sink=True
)


@pytest.fixture(scope="module", autouse=True)
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernels_of_mistakes.py").write_text(KERNELS)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("kernels_of_mistakes")
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("kernels_of_mistakes", None)


class Decay(AcausalComponent):
    """Two states that decay; correct, unless a test makes it wrong."""

    def __init__(self, fault: int = 0, n_z: int = 1, run: type[ComponentRun] | None = None) -> None:
        self.fault, self.n_z, self._run = fault, n_z, run or Decaying

    def acausal_part(self) -> Any:
        return Model(u=Var(), y=Var(), equations=["u = 0.1", call_equation(DECAY, ["u"], ["y"])])

    def begin_run(self) -> Any:
        return self._run(self)  # type: ignore[call-arg]


class Decaying(ComponentRun):
    """It in one simulation."""

    def __init__(self, decay: Decay) -> None:
        self.decay = decay

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        x = np.array([1.0, 2.0]) if start.x is None else start.x
        return SegmentLayout(["a", "b"], x, self.decay.n_z, [self.decay.fault])

    def event(self, start: SegmentStart) -> Any:
        return None

    def next_time_event(self, time: float) -> Any:
        return 0.5 if time < 0.5 else math.inf


def simulate(component: Any) -> Any:
    return instantiate(Model(part=Model(_component=lambda scope: component))).simulate(2.0)


def with_method(name: str, method: Any, *abilities: type) -> Any:
    """The component with a method of its own in the place where that name belongs."""
    if name in vars(AcausalComponent):
        return type("Wrong", (Decay, *abilities), {name: method})()
    return Decay(run=type("Wrong", (Decaying, *abilities), {name: method}))


def layout(**changes: Any) -> Any:
    """A component whose layout has these entries."""

    def init_segment(self: Any, start: SegmentStart) -> SegmentLayout:
        good = Decaying.init_segment(self, start)
        return SegmentLayout(**(vars(good) | changes))

    return with_method("init_segment", init_segment)


def part(call: Any) -> Any:
    return with_method("acausal_part", lambda self: Model(u=Var(), y=Var(), equations=["u = 0.1", call()]))


def test_the_component_that_all_tests_spoil_is_right() -> None:
    result = simulate(Decay())
    assert result["part.b"] == pytest.approx(0.1 + 1.9 * np.exp(-result.time), abs=1e-4)


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (object(), r"part: the factory returns no acausal component; found <object.*derived from modiapy.acausal.Acausal"),
        (
            with_method("begin_run", lambda self: None),
            "part: begin_run of the component does not return a ComponentRun; found None; expected .*ComponentRun",
        ),
        (
            Decay(run=type("Half", (ComponentRun,), {"event": 1, "__init__": lambda *_: None})),
            "part: .*Half without init_segment, next",
        ),
        (
            with_method("acausal_part", lambda self: ["u = 1"]),
            r"part: acausal_part of the component does not return a Model; found \['u = 1'\]",
        ),
        (
            part(lambda: call_equation(DECAY, [], ["y"])),
            r"part: '.*decay\(\)' has a wrong number of inputs; found 0; exp",
        ),
        (part(lambda: call_equation(DECAY, ["u"], ["y", "u"])), "part: .*wrong number of outputs; found 2; expected 1"),
        (
            part(lambda: call_equation(DECAY, ["u"], ["2*y"])),
            r"an output of component function 'decay' is not a variable; found '2\*y'",
        ),
        (part(lambda: call_equation(DECAY, ["w"], ["y"])), "part: .*'w'"),
    ],
)
def test_what_is_wrong_when_the_model_is_instantiated(component: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        simulate(component)


def nothing(*_: Any) -> None:
    return None


def of_model(name: str, *abilities: type) -> Any:
    return lambda: type("Mine", (Decay, *abilities), {name: nothing})()


def of_run(name: str, *abilities: type) -> Any:
    return lambda: Decay(run=type("Mine", (Decaying, *abilities), {name: nothing}))


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (of_run("restor", Saves), "part: the component is incomplete; found Mine without restore, snapshot"),
        (of_run("awaited", Waits), "part: the component is incomplete; found Mine without watching"),
        (of_model("stored_signal", StoresSignals), "part: the component is incomplete; found Mine without stored_signals"),
        (of_model("introduces", KnowsEquations), "part: the component is incomplete; found Mine without introduce"),
        (of_run("terminat"), "part: nobody calls this method .*; found Mine.terminat; expected 'terminate', or"),
        (of_run("snapshots"), "part: nobody calls this method .*; found Mine.snapshots; expected 'snapshot', or"),
        (of_model("failures"), "part: nobody calls this method .*; found Mine.failures; expected 'failure', or"),
        (of_model("remedy_in_equation"), "part: .*; found Mine.remedy_in_equation; expected 'remedy_in_equations', or"),
        (
            of_run("assembled"),
            "part: .*not declare .*; found Mine.assembled; expected a class derived from Assembles, too",
        ),
        (of_run("snapshot"), "part: .*does not declare .*; found Mine.snapshot; expected a class derived from Saves, too"),
        (of_model("stored_signals"), "part: .*does not declare .*; expected a class derived from StoresSignals, too"),
        (of_model("event"), "part: nobody calls .* here; found Mine.event; expected it in a class derived from ComponentRun"),
        (of_run("failure"), "part: nobody calls .* here; found Mine.failure; expected it in .* from AcausalComponent"),
        (of_model("snapshot"), "part: nobody calls .* here; found Mine.snapshot; expected it in a class derived from Saves"),
    ],
)
def test_an_ability_that_is_misspelt_or_not_declared_is_refused_when_the_model_is_instantiated(
    component: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(Model(part=Model(_component=lambda scope: component())))


def test_methods_with_names_of_their_own_are_nobodys_business() -> None:
    component = type("Mine", (Decay,), {"figures": nothing, "_events": nothing})()
    assert simulate(component).status == "finished"


@pytest.mark.parametrize(
    ("component", "message"),
    [
        (with_method("init_segment", lambda self, start: None), "part: .*init_segment .*found None; expected a SegmentLayout"),
        (layout(names=["a", "b", "c"]), r"part: .*states are inconsistent; found 3 names and values of shape \(2,\)"),
        (layout(x=np.ones((1, 2))), r"part: .*2 names and values of shape \(1, 2\)"),
        (layout(x=np.array([1.0, math.nan])), "part: .*initial value of state 'part.b' is not a number"),
        (layout(data=range(40)), "part: .*data do not fit its context; found 40 values; expected at most 32.*ctypes"),
        (layout(data=[0, 0.5]), "part: .*data must be sizes and addresses; found 0.5; expected whole numbers"),
        (layout(n_z=-1), "part: .*number of event indicators of the component; found -1"),
        (layout(sparsity=Sparsity(np.array([0, 1]), np.array([0]))), r"part: .*sparsity .*starts of shape \(2,\)"),
        (Decay(fault=2), "at time 0 s the derivative of 'part.b' is not a number"),
        (Decay(fault=3), "at time 0 s the derivative of 'part.a' is not a number"),
        (Decay(fault=4), "at time 0 s event indicator 0 of part is not a number"),
        (
            with_method("event", lambda self, start: True),
            "part: .*event of the component returns no SegmentChange; found True; expected a Segment",
        ),
        (with_method("event", lambda self, start: SegmentChange("hit", impact=np.ones(5))), r"part: .*impact.*\(5,\).*\(0,\)"),
        (with_method("event", lambda self, start: SegmentChange("set", {"a": 1.0})), "'part.a' is to be re-initialised, but"),
        (with_method("event", lambda self, start: start.read("v")), "part: .*there is no variable 'part.v'"),
        (with_method("next_time_event", lambda self, time: math.nan), "part: .*next_time_event .*found nan; expected a time"),
        (with_method("next_time_event", lambda self, time: None), "part: .*next_time_event .*found None"),
        (with_method("event", lambda self, start: SegmentChange("again")), "more than 1000 changes at one .*; found again"),
    ],
)
def test_what_is_wrong_when_a_segment_begins_or_at_an_event(component: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        simulate(component)


def test_a_status_stops_the_simulation_where_it_begins_and_names_the_function() -> None:
    with pytest.raises(SimulationError, match=r"part: at time 0\.\d+ s component function 'decay' failed; found status 7") as e:
        simulate(Decay(fault=1))
    assert e.value.time == pytest.approx(np.log(0.9 / 0.4), abs=1e-3)
    assert e.value.result["part.a"][-1] == pytest.approx(0.5, abs=5e-3)
    assert "status 7 for the inputs 0.1; expected status 0" in str(e.value)


@pytest.mark.parametrize("order", ["one", "two", "three"])
def test_of_several_components_the_one_that_fails_is_told(order: str) -> None:
    """With its own states, in the place that it has among them: those of the others stay above 0.5."""

    class Shifted(Decaying):
        def init_segment(self, start: SegmentStart) -> SegmentLayout:
            x = np.array([9.0, 8.0, 7.0]) if start.x is None else start.x
            return SegmentLayout(["a", "b", "c"], x, 2, [0])

    parts = {name: Decay(fault=1) if name == order else Decay(run=Shifted) for name in ("one", "two", "three")}
    model = {name: Model(_component=lambda scope, part=part: part) for name, part in parts.items()}
    with pytest.raises(SimulationError, match=r"decay' failed; found status 7 for the inputs 0\.1") as caught:
        instantiate(Model(**model)).simulate(2.0)
    assert caught.value.path == order
    assert caught.value.time == pytest.approx(np.log(0.9 / 0.4), abs=1e-3)
    for name in parts:
        assert caught.value.result[f"{name}.a"][-1] == pytest.approx(0.5 if name == order else 0.1 + 8.9 * 0.4 / 0.9, abs=0.02)


def test_the_component_says_a_status_in_words() -> None:
    component = with_method("failure", lambda self, status, keep: f"the decay went too far ({status})")
    component.fault = 1
    with pytest.raises(SimulationError, match=r"the decay went too far \(7\)"):
        simulate(component)


def test_a_result_signal_of_a_wrong_length_is_refused_by_name() -> None:
    result = simulate(layout(signals={"sum": lambda trajectory: trajectory.x.sum(axis=0)}))
    with pytest.raises(
        ModelError, match=r"signal 'part.sum' of the component has the wrong shape; found shape \(2,\); expected a first"
    ):
        result["part.sum"]


def test_a_component_without_snapshot_says_that_it_cannot_be_saved(tmp_path: Path) -> None:
    sim = instantiate(Model(part=Model(_component=lambda scope: Decay())))
    sim.simulate(0.7)
    with pytest.raises(ModelError, match=r"part: .*cannot be saved.*without snapshot\(\) and restore"):
        sim.save(tmp_path / "state")
