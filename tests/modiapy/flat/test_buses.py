"""Signal buses: connectors whose signals come into being by connecting (Modelica, specification 3.6, section 9.1.3)."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Bus, If, Map, Model, ModelError, Var, check_units, instantiate, redeclare
from modiapy.library import blocks, rotational
from modiapy.symbolic.flattening.flatten import flatten
from tests.modiapy.runs import simulated

pytestmark = pytest.mark.white_box


def constant(k: float) -> Model:
    return blocks.Constant | Map(k=k)


Sensor = Model(bus=Bus, s=constant(3.0), connect=[("s.y", "bus.speed")])
Reader = Model(bus=Bus, g=blocks.Gain | Map(k=2.0), connect=[("bus.speed", "g.u")])


# -- examples of the Modelica library ---------------------------------------------------------------------------------------


def bus_usage(control_bus: Model, sub_control_bus: Model) -> Model:
    """Modelica.Blocks.Examples.BusUsage."""
    part = Model(
        subControlBus=sub_control_bus,
        real=blocks.RealExpression | Map(y=Var("time")),
        boolean=blocks.BooleanExpression | Map(y=Var("time >= 0.5")),
        connect=[("real.y", "subControlBus.myRealSignal"), ("boolean.y", "subControlBus.myBooleanSignal")],
    )
    return Model(
        integerStep=blocks.IntegerStep | Map(height=1, offset=2, start_time=0.5),
        booleanStep=blocks.BooleanStep | Map(start_time=0.5),
        sine=blocks.Sine | Map(f=1.0),
        part=part,
        gain=blocks.Gain,
        controlBus=control_bus,
        connect=[
            ("sine.y", "controlBus.realSignal1"),
            ("booleanStep.y", "controlBus.booleanSignal"),
            ("integerStep.y", "controlBus.integerSignal"),
            ("part.subControlBus", "controlBus.subControlBus"),
            ("gain.u", "controlBus.realSignal1"),
        ],
    )


StandardSubControlBus = Bus | Model(myRealSignal=Var(), myBooleanSignal=Var(type="Boolean"))
StandardControlBus = Bus | Model(
    realSignal1=Var(unit="rad/s"),
    realSignal2=Var(unit="m/s"),
    integerSignal=Var(type="Integer"),
    booleanSignal=Var(type="Boolean"),
    subControlBus=StandardSubControlBus,
)


@pytest.mark.parametrize(("bus", "sub"), [(Bus, Bus), (StandardControlBus, StandardSubControlBus), (StandardControlBus, Bus)])
def test_bus_usage(bus: Model, sub: Model) -> None:
    """Values of the published result (Modelica library 4.0.0), whose buses declare signals or do not."""
    r = instantiate(bus_usage(bus, sub)).simulate(2.0, interval=0.05)
    for time, expected in (
        (0.25, (1.0, 2.0, 0.0, 0.25, 0.0)),
        (0.6, (-0.58778525229247303, 3.0, 1.0, 0.6, 1.0)),
        (1.3, (0.95105651629515364, 3.0, 1.0, 1.3, 1.0)),
    ):
        k = int(np.argmin(np.abs(r.time - time)))
        own = [r[f"controlBus.{name}"][k] for name in ("realSignal1", "integerSignal", "booleanSignal")]
        below = [r[f"controlBus.subControlBus.{name}"][k] for name in ("myRealSignal", "myBooleanSignal")]
        assert [*own, *below] == pytest.approx(expected, abs=1e-9)
        assert r["part.subControlBus.myRealSignal"][k] == below[0]
    np.testing.assert_array_equal(r["gain.y"], r["controlBus.realSignal1"])
    assert "controlBus.realSignal2" not in r.signals()  # declared, and nobody uses it


Planning = Model(
    axis=Bus,
    angle=blocks.Sine | Map(f=0.5),
    speed=blocks.Sine | Map(f=0.5, amplitude=math.pi, phase=math.pi / 2),
    connect=[("angle.y", "axis.angle_ref"), ("speed.y", "axis.speed_ref")],
)
Controller = Model(
    angle=blocks.Feedback,
    k=blocks.Gain | Map(k=5.0),
    sum=blocks.Add3 | Map(k3=-1.0),
    pi=blocks.PI | Map(k=0.5, T=0.05),
    connect=[("angle.y", "k.u"), ("k.y", "sum.u1"), ("sum.y", "pi.u")],
)
Motor = Model(
    torque=rotational.Torque,
    rotor=rotational.Inertia | Map(J=0.01, phi=Var(init=0.0), w=Var(init=0.0)),
    phi=rotational.AngleSensor,
    w=rotational.SpeedSensor,
    connect=[("torque.flange", "rotor.flange_a"), ("rotor.flange_b", "phi.flange", "w.flange")],
)


def robot(axes: int) -> Model:
    """The control bus of the robot R3 (Modelica.Mechanics.MultiBody.Examples.Systems.RobotR3) without its mechanics."""
    controller = Controller | Model(
        bus=Bus,
        connect=[
            ("angle.u1", "bus.angle_ref"),
            ("sum.u2", "bus.speed_ref"),
            ("angle.u2", "bus.motorAngle"),
            ("sum.u3", "bus.motorSpeed"),
            ("pi.y", "bus.current_ref"),
        ],
    )
    motor = Motor | Model(
        bus=Bus, connect=[("phi.phi", "bus.motorAngle"), ("w.w", "bus.motorSpeed"), ("torque.tau", "bus.current_ref")]
    )
    axis = Model(
        axisControlBus=Bus,
        motor=motor,
        controller=controller,
        connect=[("controller.bus", "axisControlBus"), ("motor.bus", "axisControlBus")],
    )
    numbers = range(1, axes + 1)
    planning = Model(
        controlBus=Bus,
        **{f"axis{k}": Planning | Map(angle=Map(amplitude=float(k)), speed=Map(amplitude=math.pi * k)) for k in numbers},
        connect=[(f"axis{k}.axis", f"controlBus.axisControlBus{k}") for k in numbers],
    )
    return Model(
        controlBus=Bus,
        planning=planning,
        **{f"axis{k}": axis for k in numbers},
        connect=[
            ("controlBus", "planning.controlBus"),
            *((f"controlBus.axisControlBus{k}", f"axis{k}.axisControlBus") for k in numbers),
        ],
    )


def test_the_control_bus_of_a_robot_is_what_wires_are() -> None:
    r = simulated(robot(2), 1.5)
    for k in (1, 2):
        wired = Model(
            planning=Planning | Map(angle=Map(amplitude=float(k)), speed=Map(amplitude=math.pi * k)),
            controller=Controller,
            motor=Motor,
            connect=[
                ("planning.angle.y", "controller.angle.u1"),
                ("planning.speed.y", "controller.sum.u2"),
                ("motor.phi.phi", "controller.angle.u2"),
                ("motor.w.w", "controller.sum.u3"),
                ("controller.pi.y", "motor.torque.tau"),
            ],
        )
        direct = simulated(wired, 1.5)
        for signal, name in (
            ("motorAngle", "motor.rotor.phi"),
            ("current_ref", "motor.torque.tau"),
            ("angle_ref", "planning.angle.y"),
        ):
            # two axes choose other steps than one
            assert r[f"controlBus.axisControlBus{k}.{signal}"][-1] == pytest.approx(direct[name][-1], rel=1e-5, abs=1e-5)
            np.testing.assert_array_equal(r[f"axis{k}.motor.bus.motorSpeed"], r[f"controlBus.axisControlBus{k}.motorSpeed"])


# -- the result does not depend on order or paths ---------------------------------------------------------------------------

CONNECTIONS = [
    ("a.bus", "bus"),
    ("bus.axis", "b.bus"),
    ("s.y", "bus.axis.speed"),
    ("bus.position", "i.u"),
    ("c.bus", "b.bus"),
    ("bus", "d.bus"),
]


def buses_in_a_row(connect: list[tuple[str, ...]]) -> Model:
    return Model(
        bus=Bus,
        s=constant(3.0),
        i=blocks.Integrator,
        a=Model(bus=Bus, p=constant(5.0), connect=[("p.y", "bus.position")]),
        b=Reader,
        c=Reader | Map(g=Map(k=3.0)),
        d=Model(bus=Bus, g=blocks.Gain, connect=[("bus.axis.speed", "g.u")]),
        connect=connect,
    )


def test_the_order_of_connections_does_not_matter() -> None:
    orders = list(itertools.permutations(CONNECTIONS))
    names = {frozenset(flatten(buses_in_a_row([*order])).variables) for order in orders[::7]}
    turned = [tuple(reversed(pair)) for pair in CONNECTIONS]
    names.add(frozenset(flatten(buses_in_a_row(turned)).variables))
    assert len(names) == 1
    assert {"bus.position", "bus.axis.speed", "d.bus.axis.speed", "d.bus.position", "c.bus.speed"} <= names.pop()
    for order in (orders[0], orders[-1], turned):
        r = simulated(buses_in_a_row([*order]))
        assert [r[name][-1] for name in ("b.g.y", "c.g.y", "d.g.y", "i.y")] == pytest.approx([6.0, 9.0, 3.0, 5.0])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32))
def test_random_trees_of_buses_are_direct_connections(signals: int, readers: int, seed: int) -> None:
    """Outputs and inputs lie anywhere in a tree of models; each has a bus at its border that is connected with those below."""
    rng = random.Random(seed)
    parts = [("source", k, constant(float(2**k))) for k in range(signals)]
    parts += [(f"r{n}", k, blocks.Integrator) for n in range(readers) for k in range(signals)]
    rng.shuffle(parts)
    models: list[tuple[str, Model]] = []
    for role, k, block in parts:
        port = "y" if role == "source" else "u"
        name = f"{role}_{k}"
        models.append((name, Model(bus=Bus, part=block, connect=[(f"part.{port}", f"bus.x{k}")])))
    paths = {name: name for name, _ in models}
    for level in itertools.count():
        if len(models) == 1:
            break
        taken = [models.pop(rng.randrange(len(models))) for _ in range(min(len(models), rng.randint(2, 3)))]
        group = f"group{level}"
        connect: list[tuple[str, ...]]
        if rng.random() < 0.5:
            connect = [tuple(rng.sample(["bus", *(f"{n}.bus" for n, _ in taken)], len(taken) + 1))]
        else:
            chain = rng.sample(["bus", *(f"{n}.bus" for n, _ in taken)], len(taken) + 1)
            connect = [tuple(rng.sample(pair, 2)) for pair in itertools.pairwise(chain)]
            rng.shuffle(connect)
        for name, path in paths.items():
            if path.partition(".")[0] in {n for n, _ in taken}:
                paths[name] = f"{group}.{path}"
        models.append((group, Model(bus=Bus, **dict(taken), connect=connect)))
    (root, whole), *_ = models
    r = simulated(Model(**{root: whole}))
    for role, k, _ in parts:
        if role != "source":
            assert r[f"{paths[f'{role}_{k}']}.part.y"][-1] == pytest.approx(2.0**k)
            assert all(r[f"{root}.bus.x{j}"][-1] == 2.0**j for j in range(signals))


def test_two_ways_between_the_same_buses_are_one() -> None:
    through = Model(b1=Bus, b2=Bus, g=blocks.Gain, connect=[("b1", "b2"), ("b1.x", "g.u")])
    model = Model(bus=Bus, bus2=Bus, s=constant(2.0), p=through, q=blocks.Gain)
    connect = [("s.y", "bus.x"), ("bus", "p.b1"), ("bus2", "p.b2"), ("bus", "bus2"), ("bus2.x", "q.u")]
    r = simulated(model | Map(connect=connect))
    assert (r["p.g.y"][-1], r["q.y"][-1]) == (2.0, 2.0)
    boolean = Map(
        s=redeclare(blocks.BooleanStep), q=redeclare(blocks.BooleanPassThrough), p=Map(g=redeclare(blocks.BooleanPassThrough))
    )
    r = simulated(model | boolean | Map(connect=connect))
    assert (r["p.g.y"][-1], r["q.y"][-1]) == (1.0, 1.0)
    arrays = Map(s=redeclare(Vector), q=redeclare(Sum), p=Map(g=redeclare(Sum)))
    r = simulated(model | arrays | Map(connect=connect))
    assert (r["p.g.y"][-1], r["q.y"][-1]) == (6.0, 6.0)


# -- sources and readers ----------------------------------------------------------------------------------------------------


def test_a_bus_that_nothing_is_connected_to_is_left_open() -> None:
    assert simulated(Model(part=Sensor))["part.bus.speed"][-1] == 3.0


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Model(bus=Bus, r=Reader, u=Var(input=True, start=4.0), connect=[("u", "bus.speed"), ("bus", "r.bus")]), 8.0),
        (Model(bus=Bus | Model(speed=Var(input=True, start=4.0)), r=Reader, connect=[("bus", "r.bus")]), 8.0),
        (Model(bus=Bus | Model(speed=Var(4.0)), r=Reader, connect=[("bus", "r.bus")]), 8.0),
        (Model(bus=Bus, r=Reader, connect=[("bus", "r.bus")], equations=["bus.speed = 4*time"]), 8.0),
    ],
    ids=["input", "input of the bus", "binding", "equation"],
)
def test_an_input_of_the_whole_model_or_an_equation_is_a_source(model: Model, expected: float) -> None:
    assert simulated(model)["r.g.y"][-1] == expected


def test_equations_read_what_is_on_a_bus() -> None:
    model = Model(bus=Bus, s=Sensor, y=Var("2*bus.speed"), connect=[("s.bus", "bus")])
    sim = instantiate(model)
    assert sim.simulate(1.0)["y"][-1] == 6.0
    assert sim.simulate(1.0, merge=Map(s=Map(s=Map(k=5.0))))["y"][-1] == 10.0


ON_BUS = Model(bus=Bus, s=Sensor, r=Reader, connect=[("s.bus", "bus"), ("r.bus", "bus")])
Vector = Model(y=Var([1.0, 2.0, 3.0], output=True))
Pair = Model(y=Var([1.0, 2.0], output=True))
Sum = Model(u=Var(input=True, shape=3), y=Var("sum(u)", output=True))
Pin = Model(v=Var(potential=True), i=Var(flow=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Model(t=Sensor, connect=[("t.bus", "bus")]), r"'s.s.y' in connect\(s.y, bus.speed\) of s, 't.s.y' in .* of t"),
        (Model(t=constant(1.0), connect=[("bus.speed", "t.y")]), "2 sources .*'t.y' in .* a signal of its own on the bus"),
        (Model(g=blocks.Gain, connect=[("g.u", "bus.sped")]), r"'g.u' in connect\(g.u, bus.sped\).* Did you mean 'speed'"),
        (Model(x=Bus, connect=[("bus.a", "x.a")]), r"what 'bus.a' in connect\(bus.a, x.a\) is; .*Bus \| Model\(a=Var"),
        (Model(b=blocks.BooleanStep, connect=[("b.y", "bus.speed")]), "different types.* is (Real, .*Boolean|Boolean, .*Real)"),
        (Model(connect=[("s", "bus.s")]), "'s' in .* is not a connector"),
        (Model(connect=[("bus", "bus.sub")]), "bus: a bus is connected with a part of itself"),
        (Model(connect=[("bus.speed", "bus.sub.speed"), ("s.bus", "bus.sub"), ("bus.sub", "r.bus.x")]), "part of itself"),
        (Model(p=Model(p=Pin, equations=["p.v = 1"]), connect=[("p.p", "bus.speed")]), "do not match"),
        (Model(v=Pair, t=Sum, connect=[("v.y", "bus.v"), ("bus.v", "t.u")]), r"different shapes .*\(3,\)"),
        (Model(t=Sum, v=constant(1.0), connect=[("v.y", "bus.v[0]"), ("bus.v", "t.u")]), "has one source, which gives all"),
        (Model(g=blocks.Gain, connect=[("bus.v[0]", "g.u")]), r"what 'bus.v\[0\]' .*Bus \| Model\(v=Var\(shape=3\)\)"),
        (Model(connect=[("s.s.y", "bus._component")]), "'bus._component' in .* leads nowhere"),
        (Model(connect=[("s.s.y", "bus.connect")]), "'bus.connect' in .* leads nowhere"),
        (Model(connect=[("s.s.y", "bus.1x")]), "bus.1x: '1x' is not a name"),
        (Model(g=blocks.Gain, connect=[("s.buss.speed", "g.u")]), "'s.buss.speed' in .* leads nowhere"),
    ],
)  # fmt: skip
def test_mistakes_are_named(change: Model, message: str) -> None:
    simulated(ON_BUS)
    with pytest.raises(ModelError, match=message) as caught:
        flatten(ON_BUS | change)
    assert "_expandable" not in str(caught.value)


def test_units_on_a_bus_are_checked_in_any_order() -> None:
    meter = Model(y=Var(1.0, output=True, unit="m"))
    clock = Model(u=Var(input=True, unit="s"), z=Var("u"))
    connect = [("a.y", "bus.x"), ("bus", "bus2"), ("bus2.x", "b.u")]
    for order in itertools.permutations(connect):
        assert check_units(Model(bus=Bus, bus2=Bus, a=meter, b=clock, connect=[*order]))
    assert not check_units(Model(bus=Bus, bus2=Bus, a=meter, b=clock | Map(u=Var(unit="m")), connect=connect))


def test_arrays_and_their_elements() -> None:
    connect = [("v.y", "bus.v"), ("bus", "t.bus"), ("bus.v[1]", "g.u")]
    t = Model(bus=Bus, s=Sum, connect=[("bus.v", "s.u")])
    r = simulated(Model(bus=Bus, v=Vector, t=t, g=blocks.Gain, connect=connect))
    assert (r["t.s.y"][-1], r["g.y"][-1]) == (6.0, 2.0)
    np.testing.assert_array_equal(r["t.bus.v"][-1], [1.0, 2.0, 3.0])


# -- connectors on buses, records of signals --------------------------------------------------------------------------------


def test_flanges_on_a_bus_carry_torque() -> None:
    """Two inertias with one torque, joined by buses through three levels: 6 N.m on 2 + 1 kg.m2."""

    def on_bus(part: Model, flange: str) -> Model:
        return Model(bus=Bus, part=part, connect=[(f"part.{flange}", "bus.drive.flange")])

    first = on_bus(rotational.Inertia | Map(J=2.0, phi=Var(init=0.0), w=Var(init=0.0)), "flange_a")
    group = Model(bus=Bus, first=first, torque=on_bus(rotational.ConstantTorque | Map(tau_constant=6.0), "flange"))
    model = Model(
        bus=Bus,
        group=group | Map(connect=[("first.bus", "bus"), ("bus", "torque.bus")]),
        second=rotational.Inertia | Map(J=1.0),
        connect=[("group.bus", "bus"), ("bus.drive.flange", "second.flange_a")],
    )
    r = simulated(model)
    assert r["second.w"][-1] == pytest.approx(2.0)
    assert r["group.bus.drive.flange.tau"][-1] == pytest.approx(-2.0)  # what the second one takes out of the group


def test_overdetermined_connectors_on_a_bus() -> None:
    direction = Model(c=Var(potential=True), s=Var(potential=True), equality_constraint=["a.c*b.s - a.s*b.c"])
    frame = Model(R=direction, t=Var(flow=True))
    turned = ["b.R.c = cos(phi)*a.R.c - sin(phi)*a.R.s", "b.R.s = sin(phi)*a.R.c + cos(phi)*a.R.s"]
    back = ["a.R.c = cos(phi)*b.R.c + sin(phi)*b.R.s", "a.R.s = cos(phi)*b.R.s - sin(phi)*b.R.c"]
    model = Model(
        bus=Bus,
        world=Model(frame=frame, equations=["Connections.root(frame.R)", "frame.R.c = 1", "frame.R.s = 0"]),
        joint=Model(
            a=frame,
            b=frame,
            phi=Var("time"),
            equations=["Connections.branch(a.R, b.R)", "a.t + b.t = 0", If("Connections.rooted(a.R)", turned, otherwise=back)],
        ),
        connect=[("world.frame", "joint.a"), ("joint.b", "bus.f")],
    )
    follower = model["joint"] | Map(phi=Var(value=None), equations=["b.t = 0"])
    loop = model | Model(follower=follower, connect=[("follower.a", "world.frame"), ("bus.f", "follower.b")])
    r = simulated(loop)
    assert r["bus.f.R.s"][-1] == pytest.approx(math.sin(1.0))
    assert r["follower.phi"][-1] == pytest.approx(1.0)  # one equation closes the loop, not two


Plug = Model(v=Var(output=True), state=Model(on=Var(output=True, type="Boolean")), i=Var(input=True))
Socket = Model(v=Var(input=True), state=Model(on=Var(input=True, type="Boolean")), i=Var(output=True))
Giver = Model(plug=Plug, y=Var("2*plug.i", output=True), equations=["plug.v = 5", "plug.state.on = time > 0.5"])
Taker = Model(socket=Socket, equations=["socket.i = 3*socket.v if socket.state.on else 0"])


@pytest.mark.parametrize(
    "connect", [[("a.plug", "b.socket")], [("b.socket", "bus.k"), ("a.plug", "bus.k")]], ids=["direct", "bus"]
)
def test_records_of_signals_are_connected_member_by_member(connect: list[tuple[str, str]]) -> None:
    r = simulated(Model(bus=Bus, a=Giver, b=Taker, connect=connect))
    assert (r["a.y"][0], r["a.y"][-1]) == (0.0, 30.0)


def test_records_of_signals_pass_the_levels_of_a_model() -> None:
    inner = Model(plug=Plug, giver=Giver, connect=[("giver.plug", "plug")])
    outer = Model(socket=Socket, taker=Taker, connect=[("socket", "taker.socket")])
    assert simulated(Model(a=inner, b=outer, connect=[("a.plug", "b.socket")]))["a.giver.y"][-1] == 30.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model(a=Giver, b=Giver, connect=[("a.plug", "b.plug")]), "2 sources .*'a.plug.v', 'b.plug.v'"),
        (
            Model(a=Giver, b=Taker | Map(socket=Model(z=Var(input=True))), connect=[("a.plug", "b.socket")]),
            "do not match; .* z",
        ),
        (Model(a=Taker, b=Taker, connect=[("a.socket", "b.socket")]), "nothing gives .*'a.socket.v', 'b.socket.v'|2 sources"),
    ],
)
def test_records_that_do_not_fit_are_named(model: Model, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        flatten(model)


def test_a_signal_that_is_bound_in_a_bus_needs_neither_connection_nor_reader() -> None:
    """What is declared there and nobody gives a value is not there; what has one stays in the result."""
    result = simulated(Model(bus=Bus | Model(given=Var("2*time"), open=Var(), constant=Var(5.0))))
    assert result["bus.given"][-1] == pytest.approx(2.0)
    assert result["bus.constant"][-1] == 5.0
    assert "bus.open" not in result
