"""Adaptors between connectors and signals: `GenerationOfFMUs` of three domains, published results; prescribed motions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from modiapy import Map, Model, Result, Var, instantiate
from modiapy.library import blocks, heat_transfer, rotational, translational

AT_REST = Map(phi=Var(init=0.0), w=Var(init=0.0))
AT_ORIGIN = Map(s=Var(init=0.0), v=Var(init=0.0))


def as_blocks(
    mover: Callable[..., Model],
    driver: Callable[..., Model],
    names: tuple[str, str],
    port: str,
    body: Callable[[float], Model],
    source: tuple[Model, str],
    ends: tuple[tuple[str, str], tuple[str, str], tuple[str, str]],
    elements: dict[str, tuple[Model, int]],
) -> Model:
    """A body that drives another one by signals only, and pairs of bodies with an element between them by signals only.

    Args:
        mover, driver: adaptors of potential and flow.
        names: of potential and flow in their signals.
        port: of the adaptors.
        body: by its inertia.
        source: drives a body; name of its input.
        ends: ports of the source and the body, both ports of the body, both ports of elements.
        elements: between two bodies, with the number of derivatives that they need.
    """
    p, f = names
    (out, first), (_, second), (left, right) = ends
    signals = [p, "w" if p == "phi" else "pder", "a" if p == "phi" else "pder2"]
    order = 2 if p != "p" or port == "flange" else 1
    model = Model(
        drive=blocks.Sine | Map(f=2.0, amplitude=1000.0 if port == "heat_port" else 10.0),
        source=source[0],
        direct=body(1.1),
        given=driver() if order == 2 else driver(use_pder=True),
        taken=mover(),
        inverse=body(2.2) | Map({name: Map(init=None) for name, v in body(2.2).items() if isinstance(v, Var) and "init" in v}),
        equations=[f"source.{source[1]} = drive.y", f"given.{f} = taken.{f}"]
        + [f"taken.{s} = given.{s}" for s in signals[: order + 1]],
        connect=[(f"source.{out}", f"direct.{first}", f"given.{port}"), (f"taken.{port}", f"inverse.{first}")],
    )
    for name, (element, n) in elements.items():
        flags = (n > 0, n > 1) if order == 2 else (n > 0,)
        model |= Model(
            {
                f"{name}_source": source[0],
                f"{name}a": body(1.1),
                f"{name}b": body(2.2),
                f"{name}_element": element,
                f"{name}_given_a": driver(*flags),
                f"{name}_given_b": driver(*flags),
                f"{name}_taken_a": mover(*flags),
                f"{name}_taken_b": mover(*flags),
            }
        ) | Model(
            equations=[f"{name}_source.{source[1]} = drive.y"]
            + [f"{name}_taken_{k}.{s} = {name}_given_{k}.{s}" for k in "ab" for s in signals[: n + 1]]
            + [f"{name}_given_{k}.{f} = {name}_taken_{k}.{f}" for k in "ab"],
            connect=[
                (f"{name}_source.{out}", f"{name}a.{first}", f"{name}_given_a.{port}"),
                (f"{name}_given_b.{port}", f"{name}b.{second}"),
                (f"{name}_taken_a.{port}", f"{name}_element.{left}"),
                (f"{name}_element.{right}", f"{name}_taken_b.{port}"),
            ],
        )
    return model


def at(r: Result, name: str) -> list[float]:
    return [float(r[name][np.abs(r.time - t).argmin()]) for t in (0.2, 0.6, 1.0)]


PUBLISHED = {
    "direct": [0.0369494036558661, 0.1264359037848127, 0.24114385192666882],
    "dampeda": [0.0372550115548293, 0.1268393609854185, 0.24108759435587537],
    "dampedb": [0.03679659970638541, 0.12623417518451235, 0.24117198071206986],
    "springa": [0.037260835915106795, 0.12682464540418026, 0.2411692858395806],
    "springb": [0.036793687526245906, 0.12624153297512927, 0.2411311349702136],
}


def mechanical(kind: str) -> tuple[Model, str]:
    if kind == "translational":
        library, position = translational, "s"
        adaptors = translational.GeneralPositionToForceAdaptor, translational.GeneralForceToPositionAdaptor
        body = lambda m: translational.Mass | Map(m=m) | AT_ORIGIN  # noqa: E731
        source, names = (translational.Force, "f"), ("p", "f")
    else:
        library, position = rotational, "phi"
        body = lambda m: rotational.Inertia | Map(J=m) | AT_REST  # noqa: E731
        if kind == "rotational":
            adaptors, names = (rotational.AngleToTorqueAdaptor, rotational.TorqueToAngleAdaptor), ("phi", "tau")
        else:
            adaptors = rotational.GeneralAngleToTorqueAdaptor, rotational.GeneralTorqueToAngleAdaptor
            names = ("p", "f")
        source = rotational.Torque, "tau"
    elements = {"damped": (library.SpringDamper | Map(c=1e4, d=100.0), 1), "spring": (library.Spring | Map(c=1e4), 0)}
    ends = (("flange", "flange_a"), ("flange_b", "flange_a"), ("flange_a", "flange_b"))
    return as_blocks(*adaptors, names, "flange", body, source, ends, elements), position


@pytest.mark.parametrize("kind", ["rotational", "rotational, general names", "translational"])
def test_mechanics_as_input_output_blocks(kind: str) -> None:
    model, position = mechanical(kind)
    r = instantiate(model).simulate(1.0, tolerance=1e-8, interval=0.002)
    for name, values in PUBLISHED.items():
        assert at(r, f"{name}.{position}") == pytest.approx(values, abs=5e-6), name
    t, w = r.time, 4 * np.pi
    np.testing.assert_allclose(r[f"direct.{position}"], 10 / 3.3 * (t / w - np.sin(w * t) / w**2), atol=1e-6)
    np.testing.assert_allclose(r[f"inverse.{position}"], r[f"direct.{position}"], atol=1e-12)


def test_heat_as_input_output_blocks() -> None:
    model = as_blocks(
        heat_transfer.GeneralTemperatureToHeatFlowAdaptor,
        heat_transfer.GeneralHeatFlowToTemperatureAdaptor,
        ("p", "f"),
        "heat_port",
        lambda C: heat_transfer.HeatCapacitor | Map(C=C, T=Map(init=293.15)),
        (heat_transfer.PrescribedHeatFlow, "Q_flow"),
        (("port", "port"), ("port", "port"), ("port_a", "port_b")),
        {"pair": (heat_transfer.ThermalConductor | Map(G=10.0), 0)},
    )
    r = instantiate(model).simulate(1.0, tolerance=1e-8, interval=0.002)
    published = {
        "direct.T": [336.77359034275383, 309.8126403639205, 293.1490052067844],
        "paira.T": [370.2664062745984, 325.83289234401025, 271.00148184215965],
        "pairb.T": [320.0271823768317, 301.80251437387557, 304.2227668890966],
    }
    for name, values in published.items():
        assert at(r, name) == pytest.approx(values, abs=2e-3), name
    exact = 293.15 + 1000 / 3.3 * (1 - np.cos(4 * np.pi * r.time)) / (4 * np.pi)
    np.testing.assert_allclose(r["direct.T"], exact, atol=1e-4)


@pytest.mark.parametrize("kind", ["rotational", "translational"])
def test_move_takes_speed_and_acceleration_as_they_are_given(kind: str) -> None:
    """They come from a table here, and from outside: neither could be differentiated."""
    library, x, v, force, inertia = {
        "rotational": (rotational, "phi", "w", "tau", rotational.Inertia | Map(J=3.0)),
        "translational": (translational, "s", "v", "f", translational.Mass | Map(m=3.0)),
    }[kind]
    model = Model(
        a_given=Var(input=True, start=0.5),
        motion=blocks.CombiTimeTable([[0.0, 0.0, 1.0], [0.5, 1.0, 3.0], [1.0, 5.0, 5.0]]),
        move=library.Move,
        body=inertia,
        equations=[f"move.{x}_ref = motion.y1", f"move.{v}_ref = motion.y2", "move.a_ref = a_given"],
        connect=[("move.flange", "body.flange_a")],
    )
    r = instantiate(model).simulate(1.0, interval=0.1)
    np.testing.assert_allclose(r[f"body.{x}"], np.interp(r.time, [0, 0.5, 1], [0, 1, 5]), atol=1e-12)
    np.testing.assert_allclose(r[f"body.{v}"], 1 + 4 * r.time, atol=1e-12)
    np.testing.assert_allclose(r[f"move.flange.{force}"], -3.0 * 0.5, atol=1e-12)


def test_gearbox_loses_power_in_its_teeth_and_twists() -> None:
    """A torque against a held flange twists the spring; with the load turning steadily the efficiency is that of the table."""
    gear = rotational.Gearbox | Map(ratio=4.0, c=200.0, d=5.0, loss_table=[[0.0, 0.8, 0.7, 0.0, 0.0]])
    model = Model(
        torque=rotational.ConstantTorque | Map(tau_constant=2.0),
        motor=rotational.Inertia | Map(J=0.1, phi=Map(init=0.0), w=Map(init=0.0)),
        gear=gear,
        load=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=0.0)),
        brake=rotational.LinearSpeedDependentTorque | Map(tau_nominal=-1.0, torque_direction=False),
        connect=[
            ("torque.flange", "motor.flange_a"),
            ("motor.flange_b", "gear.flange_a"),
            ("gear.flange_b", "load.flange_a"),
            ("load.flange_b", "brake.flange"),
        ],
    )
    r = instantiate(model).simulate(60.0, tolerance=1e-8)
    assert r["load.w"][-1] == pytest.approx(0.8 * 4.0 * 2.0, rel=1e-5)
    assert r["motor.w"][-1] == pytest.approx(4.0 * r["load.w"][-1], rel=1e-6)
    assert abs(r["gear.phi_rel"][-1]) == pytest.approx(6.4 / 200.0, rel=1e-5)
    assert r["gear.loss_power"][-1] == pytest.approx(0.2 * 2.0 * r["motor.w"][-1], rel=1e-5)


def test_collector_joins_ports() -> None:
    model = Model(
        collector=heat_transfer.ThermalCollector(2),
        one=heat_transfer.FixedHeatFlow | Map(Q_flow=3.0),
        other=heat_transfer.FixedHeatFlow | Map(Q_flow=4.0),
        wall=heat_transfer.ThermalConductor | Map(G=2.0),
        cold=heat_transfer.FixedTemperature | Map(T=300.0),
        connect=[
            ("one.port", "collector.port_a1"),
            ("other.port", "collector.port_a2"),
            ("collector.port_b", "wall.port_a"),
            ("wall.port_b", "cold.port"),
        ],
    )
    r = instantiate(model).simulate(0.1)
    assert r["one.port.T"][-1] == r["other.port.T"][-1] == pytest.approx(303.5)
