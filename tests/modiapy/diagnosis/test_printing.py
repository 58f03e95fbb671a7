"""Each stage of a translation prints itself: sorted equations as assignments and torn systems, the passes one by one."""

import re

import pytest

from modiapy import Clock, Map, Model, SimulationModel, Var, When, instantiate
from modiapy.flat import sort_model
from modiapy.library import electric
from modiapy.symbolic.sorted.parts import LinearBlock, NonlinearBlock
from modiapy.symbolic.structure.sort import PASSES
from modiapy.symbolic.structure.translation import Translation

from ..symbolic.flat_models import call, flat_model, function

pytestmark = pytest.mark.white_box

PENDULUM = Model(
    J=2.0,
    k=0.3,
    R=1.5,
    m=1.0,
    phi=Var(init=1.0),
    w=Var(init=0.0),
    tau=Var(),
    i=Var(),
    u=Var(input=True),
    loss=Var(),
    a=Var(),
    b=Var(),
    high=Var(),
    equations=[
        "der(phi) = w",
        "(J + m)*der(w) = tau - 9.81*sin(phi)",
        "tau = k*i",
        "u = R*i + k*w",
        "loss = 2 - exp(loss) + i",
        "a + 2*b = phi",
        "a - b = time",
        "high = 1 if phi > 0.5 else 0",
        When("phi < -2", ["reinit(w, -pre(w))"]),
    ],
)
"""A pendulum with a motor: a chain of assignments, a linear and a nonlinear system, a relation, and a new value of a state."""


@pytest.fixture(scope="module")
def sim() -> SimulationModel:
    return instantiate(PENDULUM, "Pendulum")


def blocks_of(text: str) -> list[str]:
    """Lines of the blocks without their numbers and spaces."""
    lines = text.splitlines()
    inside = lines[lines.index("blocks") + 1 : lines.index("events")]
    return [re.sub(r"^ *\d+  ", "", line).strip() for line in inside]


def test_sorted_equations_are_assignments_in_the_order_of_evaluation(sim: SimulationModel) -> None:
    text = str(sim.sorted)
    blocks = blocks_of(text)
    order = [blocks.index(line) for line in ("i := (u - k*w)/R", "tau := k*i", "der(w) := (tau - 9.81*sin(phi))/(J + m)")]
    assert order == sorted(order)
    assert "high := 1 if (phi > 0.5) else 0" in blocks
    assert text.splitlines()[0] == f"model Pendulum: 2 states, {len(sim.sorted.unknowns)} unknowns in 8 blocks"
    assert [line.strip() for line in text.splitlines()[1:5]] == ["states", "phi", "w", "inputs u"]
    numbers = [int(line.split()[0]) for line in text.splitlines() if line[:4].strip().isdigit()]
    assert numbers == list(range(1, len(sim.sorted.blocks) + 1))


def test_systems_of_equations_show_what_is_torn_what_follows_and_what_becomes_zero(sim: SimulationModel) -> None:
    blocks = blocks_of(str(sim.sorted))
    first = blocks.index("linear, constant system of 2 unknowns, torn: a")
    assert blocks[first + 1 : first + 3] == ["b := (phi - a)/2", "0 = a - b - time"]
    first = blocks.index("nonlinear system of 1 unknown, torn: loss")
    assert blocks[first + 1] == "0 = loss - (2 - exp(loss) + i)"


def test_events_stand_behind_the_blocks(sim: SimulationModel) -> None:
    events = str(sim.sorted).split("events\n")[1]
    assert [line.strip() for line in events.splitlines()[:2]] == ["phi > 0.5", "phi < -2"]
    assert "reinit(w, -pre(w)) where when(phi < -2)" in events


def test_aliases_and_derivatives_that_have_other_names_are_shown() -> None:
    text = str(instantiate(Model(x=Var(init=1.0), v=Var(), a=Var(), equations=["v = der(x)", "a = -v", "v = -2*x"])).sorted)
    assert re.search(r"aliases(\n  \S+ = \S+)*\n  a = -v", text)


def test_the_report_names_the_passes_in_their_order(sim: SimulationModel) -> None:
    rows = str(sim.report()).splitlines()[2:]
    assert all(row.startswith(step.name) for row, step in zip(rows, PASSES[:-1], strict=False))


def test_passes_can_be_watched(sim: SimulationModel) -> None:
    seen: dict[str, Translation] = {}
    model = sort_model(sim.flat, observe=seen.__setitem__)
    assert list(seen) == [step.name for step in PASSES]
    assert "9.81*sin(phi)" in str(seen["expand control"])
    assert "mode(0): phi - 0.5 > 0" in str(seen["extract events"])
    assert "states phi, w" in str(seen["select states"])
    assert "a, b:  a + 2*b = phi" in str(seen["sort (BLT)"])
    assert str(seen["pose initialization"]) == str(model) == str(sim.sorted)


def test_a_pass_that_is_repeated_is_seen_again() -> None:
    # that x can be a state only together with der(x), in the place of b and der(b), is found out when states are selected
    names: list[str] = []
    model = Model(
        x=Var(init=1.0, state_select="always"),
        b=Var(init=0.5),
        equations=["x = 2*b", "der(der(b)) = -b"],
    )
    sort_model(instantiate(model).flat, observe=lambda name, _: names.append(name))
    assert (names.count("reduce index"), names.count("eliminate aliases")) == (2, 1)
    assert names[-1] == "pose initialization"


def test_machine_code_shows_its_sizes_and_how_systems_are_solved(sim: SimulationModel) -> None:
    lines = str(sim.compiled).splitlines()
    assert lines[1].strip() == f"2 states, 2 indicators, {len(sim.sorted.unknowns)} unknowns"
    linear = next(k for k, block in enumerate(sim.sorted.blocks, 1) if isinstance(block, LinearBlock))
    nonlinear = next(k for k, block in enumerate(sim.sorted.blocks, 1) if isinstance(block, NonlinearBlock))
    assert f"  block {linear}: division, constant for a" in lines
    assert f"  block {nonlinear}: Newton for loss" in lines
    assert lines[-1].strip().startswith("delivers der(x) = f(t, x)")


def test_equations_of_submodels_are_shown_with_their_paths_and_signs_of_aliases_cancel() -> None:
    bridge = Model(
        V=electric.ConstantVoltage | Map(V=5.0),
        a=electric.Resistor | Map(R=1.0),
        b=electric.Resistor | Map(R=2.0),
        c=electric.Resistor | Map(R=3.0),
        d=electric.Resistor | Map(R=4.0),
        e=electric.Resistor | Map(R=5.0),
        ground=electric.Ground,
        connect=[
            ("V.p", "a.p", "b.p"),
            ("a.n", "c.p", "e.p"),
            ("b.n", "d.p", "e.n"),
            ("c.n", "d.n", "V.n", "ground.p"),
        ],
    )
    sim = instantiate(bridge, "Bridge")
    flat = str(sim.flat)
    for name in "abcde":
        assert f"\n  {name}.v = {name}.p.v - {name}.n.v\n" in flat
    seen: dict[str, str] = {}
    sort_model(sim.flat, observe=lambda name, state: seen.update({name: str(state)}))
    assert "linear, constant system of" in seen["tear and solve"]
    for text in (seen["tear and solve"], str(sim.sorted)):
        assert not re.search(r"-\(?-|- -", text)
    assert re.search(r"0 = .*i", seen["tear and solve"])


def test_states_that_are_arrays_are_shown_with_their_shapes() -> None:
    sim = instantiate(Model(x=Var(init=[1.0, 2.0]), s=Var(init=0.0), equations=["der(x) = -x", "der(s) = sum(x)"]))
    lines = str(sim.sorted).splitlines()
    assert lines[lines.index("states") + 1 : lines.index("blocks")] == ["  s", "  x[2]"]


def test_everything_that_makes_events_is_shown_as_it_was_written() -> None:
    """Times, samples, clocks, and new values of scalars and arrays, in parts of a model with their paths."""
    part = Model(
        p=2.0, tick=Clock(0.25), x=Var(init=0.0), v=Var(init=[1.0, 2.0]), n=Var(init=0.0), y=Var(init=0.0), z=Var(init=0.0),
        equations=[
            "der(x) = 3 if after(p) else 1", "der(v) = -v", "y = previous(y) + sample(x, tick)",
            When("sample(0.5, 0.125)", ["n = pre(n) + 1"]), When("x > p", ["reinit(x, p - 1)", "reinit(v, 2*v)"]),
            When("sample(0.75, 1.5)", ["z = x"]),
        ],
    )  # fmt: skip
    lines = str(instantiate(Model(a=part)).sorted).split("\nevents\n")[1].split("\naliases\n")[0].splitlines()
    expected = {
        "a.x > a.p  [a]", "after(a.p)", "every sample(0.5, 0.125)", "every sample(0.75, 1.5)", "every a.tick",
        "reinit(a.x, a.p - 1) where a.when(a.x > a.p)", "reinit(a.v, 2*a.v) where a.when(a.x > a.p)",
    }  # fmt: skip
    assert {line.strip().partition(" and not pre")[0] for line in lines} == expected


def test_functions_of_components_are_shown_with_inputs_outputs_and_place() -> None:
    equations = [call(function("f", 2, 2), ["x", "2*time"], ["y", "z"], "arm"), call(function("g", 1, 1), ["y"], ["w"], "")]
    text = str(sort_model(flat_model([*equations, "der(x) = w - z"], {name: {} for name in "xyzw"})))
    assert "  y, z := f(x, 2*time)  [arm]\n" in text
    assert "  w := g(y)  [top level]\n" in text
