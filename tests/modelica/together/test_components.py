"""A Modelica model with open connectors is a component: ports, parameters, events, several of them in one model."""

import pickle

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library import electric, heat_transfer, rotational, translational
from modiapy.modelica.reader.component import LoadedModel

from .conftest import Loaded
from .servo import Written

pytestmark = pytest.mark.white_box

TOLERANCE = 1e-10


def rig(**drives: Model | LoadedModel) -> Model:
    """Each drive turns an inertia of its own."""
    entries = dict(drives) | {f"load_{name}": rotational.Inertia | Map(J=0.7) for name in drives}
    wanted = [f"{name}.w_ref = 1.0 + sin(3*time)" for name in drives]
    return Model(**entries, equations=wanted, connect=[(f"{name}.flange", f"load_{name}.flange_a") for name in drives])


def test_a_drive_does_what_the_same_drive_in_python_does(drive: LoadedModel) -> None:
    ours, theirs = (instantiate(rig(drive=d)).simulate(2.0, tolerance=TOLERANCE) for d in (Written, drive))
    for name in ("load_drive.w", "drive.rotor.w", "drive.flange.tau", "drive.controller.command"):
        assert theirs[name] == pytest.approx(ours[name], abs=1e-5 * np.abs(ours[name]).max()), name
    assert np.ptp(theirs["load_drive.w"]) > 1.0
    assert theirs["drive.controller.command"].max() == 2.0  # at its limit
    assert theirs.statistics["events_by_kind"] == {"clock": 200}


def test_several_drives_with_values_of_their_own(drive: LoadedModel) -> None:
    both = instantiate(Model(J_motor=0.004) | rig(a=drive | Map(J="J_motor", ratio=10.0), b=drive))
    result = both.simulate(2.0, tolerance=TOLERANCE)
    assert both.parameter("a.rotor.J") == 0.004
    assert both.parameter("b.rotor.J") == 0.002
    assert both.parameter("a.controller.limit") == 4.0
    assert both.parameter("a.spring.d") == 20.0
    for name, values in (("a", Map(J=0.004, ratio=10.0)), ("b", Map())):
        alone = instantiate(rig(a=Written | values)).simulate(2.0, tolerance=TOLERANCE)
        assert result[f"load_{name}.w"] == pytest.approx(alone["load_a.w"], abs=2e-5)
    assert np.abs(result["load_a.w"] - result["load_b.w"]).max() > 0.02


def test_what_follows_from_a_parameter_follows_it_in_a_merge(drive: LoadedModel) -> None:
    simulation = instantiate(rig(drive=drive))
    changed = simulation.simulate(1.0, merge=Map(drive=Map(J=0.01, c=1000.0)), tolerance=TOLERANCE)
    assert simulation.parameter("drive.rotor.J") == 0.01
    assert simulation.parameter("drive.spring.d") == 5.0
    built = instantiate(rig(drive=drive | Map(J=0.01, c=1000.0))).simulate(1.0, tolerance=TOLERANCE)
    assert changed["load_drive.w"] == pytest.approx(built["load_drive.w"], abs=1e-12)
    kept = simulation.simulate(1.0, merge=Map(drive=Map(J=0.01, rotor=Map(J=0.002))), tolerance=TOLERANCE)
    before = instantiate(rig(drive=drive)).simulate(1.0, tolerance=TOLERANCE)
    assert kept["load_drive.w"] == pytest.approx(before["load_drive.w"], abs=1e-12)


def test_alone_nothing_flows_through_its_ports(drive: LoadedModel) -> None:
    for model in (drive, drive | Map(J=0.002)):
        result = instantiate(model).simulate(0.2)
        assert np.all(result["flange.tau"] == 0.0)


CONNECTORS = """
package P
  connector Shaft "with other names than ours"
    Real angle(unit = "rad");
    flow Real torque(unit = "N.m");
  end Shaft;
  connector Bare
    Real angle;
    flow Real torque;
  end Bare;
  connector Slide
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Slide;
  connector Pin
    Real v(unit = "V");
    flow Real i(unit = "A");
  end Pin;
  connector Heat
    Real T(unit = "K");
    flow Real Q_flow(unit = "W");
  end Heat;
  model Friction
    Shaft shaft;
    Bare bare;
  equation
    shaft.torque = 2*der(shaft.angle);
    bare.angle = time;
  end Friction;
  model Spring
    Slide a;
    Slide b;
    parameter Real c = 100;
  equation
    a.f = c*(a.s - b.s);
    a.f + b.f = 0;
  end Spring;
  model Resistor "warm"
    Pin p;
    Pin n;
    Heat heat;
    parameter Real R(unit = "Ohm") = 10;
  equation
    p.i + n.i = 0;
    p.v - n.v = R*p.i;
    heat.Q_flow = -(p.v - n.v)*p.i;
  end Resistor;
end P;
"""


def test_a_pair_of_variables_is_known_by_its_units(loaded: Loaded) -> None:
    friction = loaded(CONNECTORS, "P.Friction")
    brake = Model(
        friction=friction,
        load=rotational.Inertia | Map(J=0.5, phi=Var(init=0.0), w=Var(init=3.0)),
        connect=[("load.flange_b", "friction.shaft")],
    )
    result = instantiate(brake).simulate(1.0, tolerance=1e-9)
    assert result["load.w"] == pytest.approx(3.0 * np.exp(-4.0 * result.time), abs=1e-6)
    with pytest.raises(ModelError, match=r"friction.bare' and 'load.flange_b' .* angle, torque, .* phi \[rad\], tau \[N.m\]"):
        instantiate(brake | Model(connect=[("friction.bare", "load.flange_b")]))


def test_ports_of_all_kinds_of_physics(loaded: Loaded) -> None:
    spring = Model(
        wall=translational.Fixed,
        spring=loaded(CONNECTORS, "P.Spring") | Map(c=400.0),
        mass=translational.Mass | Map(m=4.0, s=Var(init=1.0), v=Var(init=0.0)),
        connect=[("wall.flange", "spring.a"), ("spring.b", "mass.flange_a")],
    )
    result = instantiate(spring).simulate(1.0, tolerance=1e-9)
    assert result["mass.s"] == pytest.approx(np.cos(10.0 * result.time), abs=1e-5)
    heater = Model(
        source=electric.ConstantVoltage | Map(V=20.0),
        ground=electric.Ground,
        resistor=loaded(CONNECTORS, "P.Resistor"),
        body=heat_transfer.HeatCapacitor | Map(C=80.0, T=Var(init=300.0)),
        connect=[
            ("source.p", "resistor.p"),
            ("source.n", "resistor.n", "ground.p"),
            ("resistor.heat", "body.port"),
        ],
    )
    assert instantiate(heater).simulate(10.0)["body.T"][-1] == pytest.approx(305.0)


PARTS = """
model M
  input Real u;
  output Real y;
  parameter Real k[3] = {1, 2, 3*gain};
  parameter Real A[2, 2] = [1, 2; 3, 4];
  parameter Real gain = 2;
  parameter Integer n = 2;
  parameter Boolean both = true;
  final parameter Real doubled = 2*gain;
  constant Real one = 1;
protected
  parameter Real hidden = gain + 1;
  Real x[2](each start = 0, each fixed = true);
  Real late;
  Boolean high(start = false, fixed = true);
  Integer count(start = 0, fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = A[i, 1]*u + A[i, 2]*k[i];
  end for;
  late = delay(x[1], 0.5);
  high = u > 0.5;
  when high then
    count = pre(count) + 1;
  end when;
  y = if both then x[1] + k[3]*x[2] + doubled + hidden + one + late else 0;
  assert(x[1] < 30, "x has become large");
end M;
"""


def _y(t: np.ndarray, a: float, gain: float) -> np.ndarray:
    """With ``A[1, 1] = a`` and the input sin(t)."""

    def x1(s: np.ndarray) -> np.ndarray:
        return a * (1.0 - np.cos(s)) + 2.0 * s

    x2 = 3.0 * (1.0 - np.cos(t)) + 8.0 * t
    return x1(t) + 3.0 * gain * x2 + 2.0 * gain + gain + 2.0 + x1(np.maximum(t - 0.5, 0.0))


def test_arrays_events_delays_and_what_is_hidden(loaded: Loaded) -> None:
    part = loaded(PARTS)
    model = Model(p=part, q=part | Map(A=[[3.0, 2.0], [3.0, 4.0]], gain=5.0), equations=["p.u = sin(time)", "q.u = p.u"])
    simulation = instantiate(model)
    result = simulation.simulate(3.0, tolerance=1e-9)
    t = result.time
    assert result["p.y"] == pytest.approx(_y(t, 1.0, 2.0), abs=1e-5)
    assert result["q.y"] == pytest.approx(_y(t, 3.0, 5.0), abs=1e-5)
    assert result["q.x[1]"][-1] == pytest.approx(3.0 * (1.0 - np.cos(3.0)) + 6.0, abs=1e-6)
    assert result["p.count"][-1] == 1.0
    assert result["p.high"].max() == 1.0
    assert simulation.parameter("q.k") == pytest.approx([1.0, 2.0, 15.0])
    again = simulation.simulate(3.0, merge=Map(p=Map(gain=5.0, A=[[3.0, 2.0], [3.0, 4.0]])), tolerance=1e-9)
    assert again["p.y"] == pytest.approx(again["q.y"], abs=1e-9)
    copied = pickle.loads(pickle.dumps(simulation)).simulate(3.0, tolerance=1e-9)
    assert copied["q.y"] == pytest.approx(result["q.y"], abs=1e-12)


@pytest.mark.parametrize("name", ["doubled", "hidden", "one", "other"])
def test_what_may_not_be_modified_is_no_entry(loaded: Loaded, name: str) -> None:
    with pytest.raises(
        ModelError, match=f"there is no '{name}' to modify; expected one of A, both, count, gain, high, k, late, n, u, y"
    ):
        loaded(PARTS) | Map({name: 1.0})


def test_what_the_equations_are_built_on_stays(loaded: Loaded) -> None:
    model = Model(p=loaded(PARTS), equations=["p.u = 1.0"])
    with pytest.raises(ModelError, match=r"p\.both: this parameter cannot be changed; found 0.0; expected 1.0"):
        instantiate(model | Map(p=Map(both=False)))
    with pytest.raises(ModelError, match=r"p\.n: this parameter cannot be changed; found 3.0; expected 2.0"):
        instantiate(model).simulate(1.0, merge=Map(p=Map(n=3)))


def test_an_assertion_names_the_component(loaded: Loaded) -> None:
    with pytest.raises(SimulationError, match=r"inner\.p: .* x has become large; found inner\.p\.x\[1\] = 30"):
        instantiate(Model(inner=Model(p=loaded(PARTS)), equations=["inner.p.u = 100.0"])).simulate(1.0)


def test_inputs_need_something_that_drives_them(loaded: Loaded) -> None:
    with pytest.raises(ModelError, match=r"p\.u: nothing is connected to this input"):
        instantiate(Model(p=loaded(PARTS)))
    with pytest.raises(ModelError, match=r"M\.u\[1\]: an input of a component that is an array"):
        loaded("model M input Real u[2]; Real y = u[1] + u[2]; end M;").as_entry()


def test_a_connection_that_leads_nowhere(drive: LoadedModel) -> None:
    with pytest.raises(ModelError, match=r"'drive.flange_b' .* leads nowhere; .* did you mean 'flange'|.*flange"):
        instantiate(rig(drive=drive) | Model(connect=[("drive.flange_b", "load_drive.flange_b")]))
