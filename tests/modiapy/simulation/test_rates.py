"""What components are told of how fast the states of the equations change, also if their own states were others."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from modiapy import Model, ModelError, SimulationError, Var, instantiate
from modiapy.acausal import CallEquation, ComponentRun, SegmentLayout, Slot
from modiapy.flat import Name

from ..symbolic.sorted_models import component_function
from .test_components import Acting, Actor, Event, quiet

pytestmark = pytest.mark.white_box


class Holding(Actor):
    """It holds states, the first of which the equations see as ``f``."""

    def __init__(self, values: list[float], event: Event = quiet) -> None:
        super().__init__(event, (0.5,))
        self.values = values

        def tell(context: Any, inputs: Any, outputs: Any) -> int:
            n = context[Slot.N_X]
            outputs[0] = ctypes.c_double.from_address(context[Slot.X]).value if n else 100.0
            (ctypes.c_double * n).from_address(context[Slot.DER])[:] = [0.0] * n
            return 0

        self.functions = (component_function("tell", 1, 1, tell, sink=True),)

    def acausal_part(self) -> Model:
        return Model(f=Var(), equations=[CallEquation(self.functions[0], (Name("time"),), (Name("f"),))])

    def begin_run(self) -> ComponentRun:
        return Holds(self)


class Holds(Acting):
    _actor: Holding

    def init_segment(self, start: Any) -> SegmentLayout:
        return layout(self._actor.values if start.x is None else start.x)


def layout(values: Any) -> SegmentLayout:
    return SegmentLayout([f"s{k}" for k in range(len(values))], np.array(values, dtype=float))


def joined(event: Event, name: str, equation: str, **others: Any) -> Model:
    parts = {n: Holding(values, event if n == name else quiet) for n, values in (("a", [3.0]), ("b", [4.0, 5.0]), ("c", []))}
    models = {n: Model(_component=lambda scope, part=part: part) for n, part in parts.items()}
    return Model(**models, **others, equations=[equation])


@pytest.mark.parametrize(("name", "factor", "present"), [("a", 1.0, 3.0), ("b", 10.0, 4.0), ("c", 0.01, 100.0)])
def test_rates_as_if_a_component_had_other_states_change_nothing(name: str, factor: float, present: float) -> None:
    """However many these are, whatever its place among the others."""
    seen: list[float] = []

    def tries(start: Any) -> None:
        if start.time != 0.5:
            return
        for values in ([7.0], [-2.0, 6.0], [], [0.0, 8.0, 9.0]):
            other = start.rates.with_layout(layout(values))
            seen.extend([other()[0], start.rates()[0], other()[0]])
        seen.append(start.signal("x"))

    model = joined(tries, name, "der(x) = a.f + 10*b.f + 0.01*c.f", x=Var(init=0.0))
    result = instantiate(model).simulate(1.0, interval=0.25)
    others = [44.0 + factor * (value - present) for value in (7.0, -2.0, 100.0, 0.0)]
    assert seen == pytest.approx([rate for other in others for rate in (other, 44.0, other)] + [22.0])
    assert result["x"] == pytest.approx(44.0 * result.time)
    assert [result[f"{n}.s{k}"][-1] for n, k in (("a", 0), ("b", 0), ("b", 1))] == [3.0, 4.0, 5.0]
    assert (len(result.segments), result.statistics["events_by_kind"]) == (1, {"time": 1})


@pytest.mark.parametrize(
    ("equations", "others", "message"),
    [
        (
            "der(x) = sqrt(b.f)",
            {},
            r"at time 0.5 s an impact cannot be computed; found .*'der\(x\)' cannot be computed from 'der\(x\) = sqrt\(b.f\)'",
        ),
        (
            ["der(x) = u", "der(y) = w", "der(u) = -g*x", "der(w) = -g*y - b.f", "x**2 + y**2 = 1"],
            {"y": Var(start=-0.8), "u": Var(start=0.0), "w": Var(start=0.0), "g": Var(start=0.0)},
            r"at time 0.5 s an impact .* not explicit; found the constraint 'x\*\*2 \+ y\*\*2 = 1'",
        ),
    ],
    ids=["no value", "constraint"],
)
def test_rates_that_do_not_exist_are_refused(equations: Any, others: dict[str, Var], message: str) -> None:
    def tries(start: Any) -> None:
        if start.time == 0.5:
            start.rates.with_layout(layout([-1.0]))()

    part = Holding([4.0], tries)
    rules = [equations] if isinstance(equations, str) else equations
    model = Model(b=Model(_component=lambda scope: part), x=Var(init=0.6), **others, equations=rules)
    with pytest.raises(SimulationError, match=message) as caught:
        instantiate(model).simulate(1.0)
    assert (caught.value.time, caught.value.result.time[-1]) == (0.5, 0.5)


class Wrong(Holding):
    """It has a signal that has other points in time than there are."""

    def begin_run(self) -> ComponentRun:
        return WrongSignal(self)


class WrongSignal(Holds):
    def init_segment(self, start: Any) -> SegmentLayout:
        made = super().init_segment(start)
        made.signals = {"right": lambda at: 2.0 * at.x[:, 0], "wrong": lambda at: np.zeros((2, at.time.size))}
        return made


def test_a_signal_of_a_component_has_a_value_for_each_point() -> None:
    part = Wrong([4.0])
    result = instantiate(Model(b=Model(_component=lambda scope: part))).simulate(1.0, interval=0.5)
    assert result["b.right"].tolist() == [8.0] * result.time.size
    message = rf"signal 'b.wrong' .*found shape \(2, {result.time.size}\); expected a first dimension of {result.time.size}"
    with pytest.raises(ModelError, match=message):
        result["b.wrong"]
