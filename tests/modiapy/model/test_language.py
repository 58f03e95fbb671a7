"""The language of models: redeclaration, texts and enumerations, limits, models made by functions, printing."""

from __future__ import annotations

import numpy as np
import pytest

import modiapy
from modiapy import Map, Model, ModelError, Par, Table1D, Var, When, instantiate, redeclare

Pin = Model(v=Var(potential=True), i=Var(flow=True))
OnePort = Model(p=Pin, n=Pin, v=Var(), i=Var(), equations=["v = p.v - n.v", "0 = p.i + n.i", "i = p.i"])
Resistor = OnePort | Model(R=1.0, equations=["R*i = v"])
Capacitor = OnePort | Model(C=1.0, v=Var(init=0.0), equations=["C*der(v) = i"])
Voltage = OnePort | Model(V=1.0, equations=["v = V"])
Ground = Model(p=Pin, equations=["p.v = 0"])
Filter = Model(
    R=Resistor | Map(R=0.5),
    C=Capacitor | Map(C=2.0),
    V=Voltage | Map(V=10.0),
    ground=Ground,
    connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
)


# -- redeclare, models as values ---


def test_filter_becomes_a_voltage_divider():
    two = Model(f1=Filter, f2=Filter | Map(R=Map(R=1.0)))
    divider = two | Map(f1=Map(C=redeclare(Resistor | Map(R=1.5))))
    result = instantiate(divider).simulate(1.0)
    np.testing.assert_allclose(result["f1.C.v"], 10 * 1.5 / 2.0, rtol=1e-12)
    np.testing.assert_allclose(result["f2.C.v"], 10 * (1 - np.exp(-result.time / 2)), rtol=1e-4, atol=1e-4)


def test_replacement_keeps_nothing_and_may_be_modified_while_it_waits():
    change = Map(C=redeclare(Resistor)) | Map(C=Map(R=7.0))
    merged = Filter | change
    assert merged["C"] == Resistor | Map(R=7.0)
    assert Filter["C"]["C"] == 2.0  # operands never change


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Filter | Map(CC=redeclare(Resistor)), "there is no submodel to redeclare.*Did you mean 'C'"),
        (lambda: Filter["R"] | Map(R=redeclare(Resistor)), "found 0.5"),
        (lambda: redeclare(Map(R=2.0)), "redeclare was not given a Model.*leave redeclare out"),
        (lambda: redeclare(2.0), "redeclare was not given a Model"),
        (lambda: Filter | Map(C=redeclare(Resistor) | Map(C=3.0)), "there is no 'C' to modify"),
        (lambda: instantiate(Model(a=redeclare(Ground))), "there is no submodel to redeclare"),
        (lambda: Filter | Map(C=5.0), "a submodel cannot be replaced by a value"),
    ],
)
def test_wrong_redeclarations_are_refused(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_model_is_a_value_that_a_function_returns():
    def ladder(n, part):
        sections = {f"s{k}": part for k in range(n)}
        connect = [(f"s{k}.n", f"s{k + 1}.p") for k in range(n - 1)] + [("V.p", "s0.p"), (f"s{n - 1}.n", "V.n", "ground.p")]
        return Model(V=Voltage, ground=Ground, **sections, connect=connect)

    result = instantiate(ladder(5, Resistor)).simulate(1.0)
    assert result["V.i"][-1] == pytest.approx(-1 / 5)


def test_connect_among_equations_is_the_same_as_in_the_list():
    listed = instantiate(Filter).flat
    equations = ["connect(V.p, R.p)", "connect(R.n, C.p)", "connect( C.n, V.n, ground.p )"]
    among = instantiate(Filter | Map(connect=None) | Model(equations=equations)).flat
    assert [(e.lhs, e.rhs) for e in among.equations] == [(e.lhs, e.rhs) for e in listed.equations]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("connect(V.p)", "two or more paths"),
        ("connect(V.p, R.q)", "leads nowhere"),
        ("connect(V.p, 2*R.p)", "is not a name"),
        ("Connections.roots(R.p)", "unknown statement 'Connections.roots'.*Connections.root"),
        ("Connections.branch(R.p)", "found 1 arguments; expected 2"),
        ("Connections.root(R.p)", "is not an overdetermined record"),
    ],
)
def test_wrong_statements_are_refused(statement, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Filter | Model(equations=[statement]))


def test_connectors_of_any_shape():
    """A connector in a connector, causal signals in both directions, and a variable with neither role."""
    Bus = Model(pin=Pin, order=Var(input=True), answer=Var(output=True))
    Plug = Model(left=Pin, bus=Bus)
    Device = Model(
        plug=Plug,
        equations=["plug.left.i = plug.left.v", "plug.bus.pin.i = 2*plug.bus.pin.v", "plug.bus.answer = 3*plug.bus.order"],
    )
    Reverse = Model(pin=Pin, order=Var(output=True), answer=Var(input=True))
    Source = Model(
        plug=Model(left=Pin, bus=Reverse), equations=["plug.left.v = 5", "plug.bus.pin.v = 7", "plug.bus.order = time"]
    )
    result = instantiate(Model(d=Device, s=Source, connect=[("s.plug", "d.plug")])).simulate(1.0)
    assert result["s.plug.left.i"][-1] == -5.0
    assert result["s.plug.bus.pin.i"][-1] == -14.0
    np.testing.assert_allclose(result["s.plug.bus.answer"], 3 * result.time)


# -- texts and enumerations ---

Controller = Model(
    kind=Par("PI", choices=("P", "PI")),
    k=2.0,
    gain="3 if kind == 'PI' and k > 1 else 1",
    x=Var(init=0.0),
    y=Var(),
    equations=["der(x) = time if kind == 'PI' else 0", "y = k*time + (x if kind != 'P' else 0)"],
)


def test_text_of_a_parameter_chooses_equations():
    proportional = instantiate(Controller | Map(kind="P"))
    assert proportional.simulate(1.0)["y"][-1] == pytest.approx(2.0)
    integrating = instantiate(Controller)
    assert integrating.simulate(1.0, tolerance=1e-8)["y"][-1] == pytest.approx(2.5, abs=1e-6)
    assert (proportional.parameter("gain"), integrating.parameter("gain")) == (1.0, 3.0)
    assert integrating.parameter("kind") == "PI"


def test_texts_are_propagated_and_compared():
    inner = Model(medium=Par("air", type="String"), y=Var("1 if medium == 'water' else 2"))
    model = Model(fluid=Par("water", type="String"), a=inner | Map(medium="fluid"), b=inner, same="fluid == b.medium")
    sim = instantiate(model | Map(a=Map(medium=None)) | Model(a=inner))
    assert sim.parameter("same") == 0.0
    assert instantiate(model | Map(b=Map(medium="water"))).simulate(1.0)["b.y"][-1] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: Map(kind="PID"), "kind: the parameter cannot have this value; found 'PID'; expected one of 'P', 'PI'"),
        (lambda: Map(kind=3), "cannot have this value"),
        (lambda: Model(z=Var("1 if k == 'P' else 2")), "compares a text with a number"),
        (lambda: Model(z="k == 'P'"), "compares a text with a number"),
        (lambda: Model(z=Var("'P'")), "'P' in 'z = 'P'' is text"),
        (lambda: Model(z="'P' + 1"), "is text"),
        (lambda: Model(z=Var("kind + 1")), "'kind' in 'z = kind \\+ 1' is not a number; found a str"),
        (lambda: Model(z=Par("a", type="Text")), "type of Par is wrong; found 'Text'; expected one of String"),
        (lambda: Model(z=Par(2.0, type="String")), "the value of the parameter is not a text"),
        (lambda: Model(z=Par(5.0, max=3)), "z: the parameter is out of range; found 5.0; expected max 3"),
        (lambda: Model(z=Par([1.0, -2.0], min="0.1*k")), "out of range"),
    ],
)
def test_wrong_values_of_parameters_are_named(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Controller | change())


def test_limits_hold_for_merged_values_too():
    sim = instantiate(Model(R=Par(1.0, min=0.0), y=Var("R")))
    with pytest.raises(ModelError, match=r"R: the parameter is out of range; found -1.0; expected min 0"):
        sim.simulate(1.0, merge=Map(R=-1.0))


def test_text_that_changes_equations_cannot_be_merged_later():
    with pytest.raises(ModelError, match=r"changes the structure.*Merge before"):
        instantiate(Controller).simulate(1.0, merge=Map(kind="P"))


Valve = Model(
    state=Var(type=("closed", "open", "broken"), init="closed"),
    flow_rate=Var("10 if state == 'open' else 0"),
    x=Var(init=0.0),
    equations=["der(x) = 1", When("x > 0.5", ["state = 'open'"])],
)


def test_enumeration_changes_at_an_event():
    sim = instantiate(Valve)
    result = sim.simulate(1.0)
    assert [result["state"][0], result["state"][-1]] == [0.0, 1.0]
    assert [result["flow_rate"][0], result["flow_rate"][-1]] == [0.0, 10.0]
    assert sim.flat.variables["state"].literals == ("closed", "open", "broken")
    assert "enumeration of closed, open, broken" in str(sim.flat)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Model(z=Var("1 if state == 'opne' else 0")), "'opne'.*not a literal.*Did you mean 'open'"),
        (Map(state=Var(init="shut")), "state.init: 'shut'.*expected one of closed, open, broken"),
        (Model(equations=[When("x > 0.7", ["state = 'lost'"])]), "'lost' in 'state = 'lost'' is text"),
        (Model(z=Var(type="Complex")), "unknown type 'Complex'"),
    ],
)
def test_wrong_literals_are_named(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Valve | change)


# -- reading values ---


def test_values_are_read_by_path():
    model = Model(drive=Model(ratio=2.0, table=[[1, 2], [3, 4]], twice="2*ratio", x=Var(init="ratio"), z=Var(start=0.5)))
    model = model | Map(drive=Map(equations=["der(x) = -x", "z = x"]))
    sim = instantiate(model)
    assert (sim.parameter("drive.twice"), sim.parameter("drive.table[1,0]")) == (4.0, 3.0)
    assert sim.parameter("drive")["ratio"] == 2.0
    assert (sim.start("drive.x"), sim.start("drive.z")) == (2.0, 0.5)
    assert sim.value("drive.ratio") == 2.0
    with pytest.raises(ModelError, match=r"drive.x: the variable has no value yet.*simulate"):
        sim.value("drive.x")
    result = sim.simulate(1.0)
    assert sim.value("drive.x") == result["drive.x"][-1] == pytest.approx(2 * np.exp(-1), rel=1e-4)
    for read in (sim.parameter, sim.start, sim.value):
        with pytest.raises(ModelError, match=r"drive.rat: there is no such .*Did you mean 'drive"):
            read("drive.rat")


def test_what_a_variable_begins_with_is_its_init_else_its_start():
    given = {"both": {"init": 1.0, "start": 2.0}, "init": {"init": 1.0}, "start": {"start": 2.0}, "none": {}}
    variables = {name: Var(**values) for name, values in given.items()}
    sim = instantiate(Model(part=Model(**variables, equations=[f"der({name}) = 1" for name in given])))
    assert {name: sim.start(f"part.{name}") for name in given} == {"both": 1.0, "init": 1.0, "start": 2.0, "none": None}
    result = sim.simulate(0.0)
    assert {name: result[f"part.{name}"][0] for name in given} == {"both": 1.0, "init": 1.0, "start": 2.0, "none": 0.0}


def test_elements_and_derivatives_are_read_by_path():
    sim = instantiate(Model(x=Var(init=[1.0, 2.0]), A=Var(init=0.5, shape=(2, 2)), equations=["der(x) = -x", "der(A) = -A"]))
    assert (sim.start("x[1]"), sim.start("A[1, 0]")) == (2.0, 0.5)
    for read in (lambda: sim.start("x[2]"), lambda: sim.start("A[1]"), lambda: sim.start("y[0]")):
        with pytest.raises(ModelError, match="there is no such variable"):
            read()
    with pytest.raises(ModelError, match=r"x\[1\]: the variable has no value yet"):
        sim.value("x[1]")
    result = sim.simulate(1.0)
    assert sim.value("x[1]") == result["x"][-1, 1] == pytest.approx(-sim.value("der(x)")[1])
    with pytest.raises(ModelError, match=r"no signal 'x\[2\]'"):
        sim.value("x[2]")


def test_evaluated_parameters_are_listed(capsys):
    instantiate(Model(a=2.0, sub=Model(b="3*a", v=Var(1.0)), none=Model(w=Var(2.0))), log_evaluated_parameters=True)
    assert eval(capsys.readouterr().err, vars(modiapy) | {"Map": Map}) == Map(a=2.0, sub=Map(b=6.0))


# -- text ---


def test_printed_model_is_the_model():
    model = Model(
        kind=Par("PI", choices=("P", "PI"), description='say "PI"'),
        a=np.array([[1.0, 2.0], [3.0, 4.0]]),
        n=np.float64(3.0),
        l=[1, 2.5],
        t=(1, 2),
        on=True,
        x=Var(init=0.0, unit="m"),
        y=Var("2*x", output=True),
        tab=Table1D([[0, 0], [1, 1]], interpolation="akima"),
        sub=Model(p=Pin, k="a[0,1]"),
        empty=Model(),
        equations=["der(x) = -x"],
        connect=[("sub.p", "sub.p")],
        **{"odd name": 1.0},
    )
    text = str(model)
    again = eval(text, {**{name: getattr(modiapy, name) for name in ("Model", "Map", "Var", "Par", "Table1D")}, "np": np})
    np.testing.assert_array_equal(again.pop("a"), model["a"])
    assert again == {key: value for key, value in model.items() if key != "a"}
    assert "x = Var(init=0.0, unit='m')," in text
    assert "y = Var('2*x', output=True)," in text
    assert "tab = Table1D(data=[[0, 0], [1, 1]], interpolation='akima')," in text


def test_waiting_replacement_is_printed_as_such():
    text = str(Map(C=redeclare(Model(R=1.0))))
    assert "C = redeclare(Model(" in text
    assert "_redeclared" not in text


def test_indices_in_parameters_are_expressions_of_parameters():
    model = Model(
        n=2,
        v=[1.0, 2.0, 3.0],
        A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        p="v[n - 1] + A[1, n]",
        sub=Model(k=1, q="(2*v)[k]", r="v[n]"),
        y=Var("p*time"),
    )
    sim = instantiate(model)
    assert (sim.parameter("p"), sim.parameter("sub.q"), sim.parameter("sub.r")) == (8.0, 4.0, 3.0)
    with pytest.raises(ModelError, match=r"p: there is no element \[1,4\]"):
        sim.simulate(1.0, merge=Map(n=4))
    with pytest.raises(ModelError, match=r"found 'n - 1' = 0\.5; expected an integer"):
        sim.simulate(1.0, merge=Map(n=1.5))
