"""Flattening: names, connections, inputs, components; and what a user is told about typical mistakes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Par, Var, constructor
from modiapy.acausal import AcausalComponent, CallEquation, ComponentFunction, ComponentRun, ComponentScope
from modiapy.flat import Equation, FlatModel, Name, parse
from modiapy.library.blocks import Constant, Gain, Integrator
from modiapy.library.electric import Capacitor, ConstantVoltage, Ground, Pin, Resistor
from modiapy.library.rotational import Flange, Inertia, SpringDamper
from modiapy.model.expression import names
from modiapy.symbolic.flattening.flatten import flatten, same_structure

pytestmark = pytest.mark.white_box

Filter = Model(
    R=Resistor | Map(R=0.5),
    C=Capacitor,
    V=ConstantVoltage,
    ground=Ground,
    connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
)


def unknowns(flat: FlatModel) -> set[str]:
    return {name for name, v in flat.variables.items() if not v.input}


def sides(flat: FlatModel) -> list[str]:
    return [f"{e.lhs} = {e.rhs}" for e in flat.equations if isinstance(e, Equation)]


def test_the_filter_of_the_design_has_as_many_equations_as_variables() -> None:
    flat = flatten(Filter, "Filter")
    assert flat.name == "Filter"
    assert len(flat.equations) == len(flat.variables) == 21
    assert flat.parameters == {"R.R": 0.5, "R.T_ref": 300.15, "R.alpha": 0.0, "R.T": 300.15, "C.C": 1.0, "V.V": 1.0}
    assert "V.p.v = R.p.v" in sides(flat)
    assert "C.n.i + V.n.i + ground.p.i = 0" in sides(flat)
    referenced = {n for e in flat.equations if isinstance(e, Equation) for n in names(e.lhs) | names(e.rhs)}
    assert referenced <= flat.variables.keys() | flat.parameters.keys()


def test_flattening_is_deterministic() -> None:
    assert flatten(Filter) == flatten(Filter)


def test_inside_and_outside_connectors_have_opposite_flows() -> None:
    two = Model(p=Pin, n=Pin, a=Resistor, b=Resistor, connect=[("p", "a.p", "b.p"), ("a.n", "b.n", "n")])
    flat = flatten(Model(two=two, V=ConstantVoltage, ground=Ground, connect=[("V.p", "two.p"), ("V.n", "two.n", "ground.p")]))
    assert len(flat.equations) == len(flat.variables)
    assert "V.p.i + two.p.i = 0" in sides(flat)
    assert "two.a.p.i + two.b.p.i - two.p.i = 0" in sides(flat) or "-two.p.i + two.a.p.i + two.b.p.i = 0" in sides(flat)


def test_unconnected_flows_are_zero_inside_and_at_the_top() -> None:
    flat = flatten(Model(flange=Flange, load=Inertia, connect=[("flange", "load.flange_a")]))
    assert "load.flange_b.tau = 0" in sides(flat)
    assert "flange.tau = 0" in sides(flat)
    assert len(flat.equations) == len(flat.variables)


def test_nested_connectors_are_connected_variable_by_variable() -> None:
    plug = Model(a=Pin, b=Pin)
    flat = flatten(Model(x=Model(plug=plug, equations=[]), y=Model(plug=plug, equations=[]), connect=[("x.plug", "y.plug")]))
    assert {"x.plug.a.v = y.plug.a.v", "x.plug.b.v = y.plug.b.v", "x.plug.a.i + y.plug.a.i = 0"} <= set(sides(flat))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda t: t[0] != t[1]), max_size=12))
def test_any_connection_graph_balances_variables_and_equations(pairs: list[tuple[int, int]]) -> None:
    parts = {f"r{i}": Resistor for i in range(6)}
    flat = flatten(Model(parts) | Model(connect=[(f"r{a}.p", f"r{b}.n") for a, b in pairs]))
    assert len(flat.equations) == len(flat.variables)


def test_signals_go_through_models_in_both_directions() -> None:
    inner = Model(u=Var(input=True), y=Var(output=True), g=Gain, connect=[("u", "g.u"), ("g.y", "y")])
    flat = flatten(
        Model(u=Var(input=True, start=2.0), inner=inner, y=Var(output=True), connect=[("u", "inner.u"), ("inner.y", "y")])
    )
    assert [name for name, v in flat.variables.items() if v.input] == ["u"]
    assert flat.variables["u"].start == 2.0
    assert len(flat.equations) == len(unknowns(flat))


def test_an_unconnected_input_takes_start_binding_or_an_equation_of_the_enclosing_model() -> None:
    flat = flatten(
        Model(
            level=2.0,
            a=Gain | Map(u=Map(start="level")),
            b=Gain | Map(u=3.0),
            c=Gain,
            equations=["c.u = time"],
        )
    )
    assert flat.parameters["a.u.start"] == 2.0
    assert {"a.u = a.u.start", "b.u = 3", "c.u = time"} <= set(sides(flat))
    assert len(flat.equations) == len(flat.variables)


def test_names_are_found_in_the_own_model_then_parameters_in_the_enclosing_ones() -> None:
    inner = Model(k=2.0, x=Var(), equations=["x = k*shared*table[1]*pi + sub.q"], sub=Model(q=1.0))
    flat = flatten(Model(shared=3.0, k=5.0, table=[1.0, 7.0], inner=inner))
    assert sides(flat) == [f"inner.x = inner.k*shared*table[1]*{np.pi!r} + inner.sub.q"]
    assert flat.parameters["table[1]"] == 7.0


def test_attributes_of_variables_are_evaluated() -> None:
    flat = flatten(
        Model(phi0=0.5, gear=Model(ratio=4.0, phi=Var(init="ratio*phi0", start="-phi0", unit="rad"), equations=["phi = 0"]))
    )
    phi = flat.variables["gear.phi"]
    assert (phi.init, phi.start, phi.unit, phi.origin) == (2.0, -0.5, "rad", "gear")


MISTAKES: list[tuple[Model, str]] = [
    (Model(T=1.0, a=Model(x=Var(), equations=["der(x) = y"])), r"a: unknown name 'y' in 'der\(x\) = y'"),
    (Model(R=Resistor, equations=["R.vv = 1"]), "unknown name 'R.vv' in 'R.vv = 1'. Did you mean 'R.v'"),
    (Model(R=Resistor, equations=["R = 1"]), "'R' in 'R = 1' is a model"),
    (Model(x=Var(), a=Model(y=Var(), equations=["y = x"])), "a: 'x' in 'y = x' is a variable of the enclosing model"),
    (Model(x=Var(), equations=["x + 1"]), "is not an equation"),
    (Model(x=Var(), equations=["x = sni(time)"]), "unknown function 'sni'"),
    (Model(x=Var(), equations="x = 1"), "'equations' is not a list"),
    (Model(p=[[[1.0, 2.0]]], x=Var(), equations=["x = p"]), r"an array of shape \(1, 1, 2\)"),
    (Model(p=[1.0, 2.0], x=Var(), equations=["x = p[2]"]), r"there is no element \[2\]"),
    (Model(g=Gain), "g.u: nothing is connected to this input"),
    (Model(a=Constant, b=Constant, g=Gain, connect=[("a.y", "g.u"), ("b.y", "g.u")]), "2 sources are connected"),
    (Model(a=Gain, b=Gain, connect=[("a.u", "b.u")]), "nothing gives these variables a value"),
    (
        Model(a=Resistor, b=Inertia, connect=[("a.p", "b.flange_a")]),
        r"'a.p' has v \[V\], i \[A\], 'b.flange_a' has phi \[rad\], tau \[N.m\]",
    ),
    (Model(a=Resistor, g=Gain, connect=[("a.p", "g.u")]), r"'a.p' has v \[V\], i \[A\], 'g.u' is a variable"),
    (Model(a=Resistor, b=Resistor, connect=[("a.p", "b.pp")]), "no connector, variable or submodel 'pp' in b"),
    (Model(a=Resistor, b=Resistor, connect=[("a", "b.p")]), "'a' in .* is not a connector; .* one of a.p, a.n"),
    (Model(a=Resistor, connect=[("a.p", "a.p")]), "connected to itself"),
    (Model(a=Resistor, connect=["a.p, a.n"]), "a tuple of two or more paths"),
    (Model(a=Resistor, connect=[("a.i", "a.p.i")]), "'a.p.i' is a flow variable, 'a.i' is not"),
    (Model(**{"lambda": 1.0}), "'lambda' has a meaning of its own"),
    (Model(time=Var()), "'time' has a meaning of its own"),
    (Model(a=Map(k=1.0)), "a: there is nothing that this Map could modify"),
]


@pytest.mark.parametrize(("model", "message"), MISTAKES)
def test_mistakes_are_named(model: Model, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        flatten(model)


# -- components ---------------------------------------------------------------------------------------------------------


@dataclass
class Volume:
    """A thing that the component counts."""

    size: float


MakeVolume = constructor(Volume)

INNER = ComponentFunction("inner", 2, 1, "tests_inner", lambda: 0)


class Counter(AcausalComponent):
    """Component with one function; its acausal part speaks about a submodel and an object of the model it stands for."""

    def __init__(self, scope: ComponentScope) -> None:
        self.scope = scope

    def acausal_part(self) -> Model:
        call = CallEquation(INNER, (Name("rev.phi"), parse("der(rev.w)")), (Name("force"),))
        reference = Model({"actions.q1.position": Var("sin(time)")})
        return Model(force=Var(), rev=Map(equations=["w = der(phi)"]), equations=[call, "rev.tau = force"]) | reference

    def begin_run(self) -> ComponentRun:
        raise NotImplementedError  # of no importance here


def _model() -> Model:
    inside = Model(
        _component=Counter,
        big=MakeVolume("2*size"),
        actions=MakeVolume(0.0),
        rev=Model(phi=Var(init=0.0), w=Var(), tau=Var(), _constructor=Volume, size=1.0),
        target=Var("actions.q1.position"),
    )
    return Model(size=4.0, cell=inside)


def test_an_acausal_part_is_merged_and_its_names_become_paths() -> None:
    flat = flatten(_model())
    (call,) = [e for e in flat.equations if isinstance(e, CallEquation)]
    assert call.component == "cell"
    assert call.inputs == (Name("cell.rev.phi"), parse("der(cell.rev.w)"))
    assert call.outputs == (Name("cell.force"),)
    assert {"cell.rev.w = der(cell.rev.phi)", "cell.rev.tau = cell.force", "cell.target = cell.actions.q1.position"} <= set(
        sides(flat)
    )
    component = flat.components["cell"]
    assert isinstance(component, Counter)
    assert component.scope.path == "cell"
    assert component.scope.objects == {"big": Volume(8.0), "actions": Volume(0.0), "rev": Volume(1.0)}
    assert component.scope.parameters == {"rev.size": 1.0}
    assert list(flat.objects) == ["cell.big", "cell.actions", "cell.rev"]
    assert flat.variables["cell.actions.q1.position"].origin == "cell.actions.q1"


def test_a_call_outside_a_component_is_refused() -> None:
    with pytest.raises(ModelError, match="stands in no predefined acausal component"):
        flatten(Model(y=Var(), equations=[CallEquation(INNER, (), (Name("y"),))]))


# -- comparison ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (Map(R=Map(R=0.7), C=Map(C=2.0, v=Map(start=1.0))), None),
        (Map(R=Map(equations=["v = 2*i"])), r"equation 'v = p\.v - n\.v' became 'v = 2\*i'"),
        (Map(connect=[("R.p", "R.n")]), "equation .* became|is new"),
        (Map(C=Map(v=Map(init=1.0))), "variable 'C.v' now has 'init'"),
        (Model(k=1.0), "parameter 'k' is new"),
        (Map(R=Map(v=None, loss_power=None, equations=None)), "variable 'R.v' is gone"),
        (Map(V=None, connect=None), "variable 'V.v' is gone"),
    ],
)
def test_same_structure_names_the_first_difference(change: Mapping[str, Any], difference: str | None) -> None:
    base = flatten(Filter)
    found = same_structure(base, flatten(Filter | change))
    assert found == difference if found is None or difference is None else re.search(difference, found)


def test_parameters_with_attributes_and_limits() -> None:
    model = Model(
        c=Par(value="2*k", min=0.0, unit="N.m/rad"), k=3.0, spring=SpringDamper | Map(c="c"), i=Integrator | Map(u=0.0)
    )
    assert flatten(model).parameters["spring.c"] == 6.0
    with pytest.raises(ModelError, match=r"c: the parameter is out of range; found -2\.0; expected min 0\.0"):
        flatten(model | Map(k=-1.0))
