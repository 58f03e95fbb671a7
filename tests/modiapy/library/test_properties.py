"""What two-ports conserve, whatever their parameters and whatever drives them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, Result
from modiapy.library import electric, heat_transfer, rotational, translational
from tests.modiapy.runs import simulated

positive = st.floats(0.1, 10.0)
number = st.floats(-5.0, 5.0)
few = settings(max_examples=8)


def zero(values: Any, scale: float = 1.0) -> None:
    np.testing.assert_allclose(values, 0.0, atol=1e-9 * scale)


def shaft(component: Model, tau_a: float, tau_b: float, j: float, start: float | None = None) -> Result:
    """``component`` between an inertia driven by the torque tau_a and one driven by tau_b, whose states begin at ``start``."""
    return simulated(
        Model(
            a=rotational.Inertia | Map(J=j),
            component=component,
            b=rotational.Inertia | Map(J=2.0 * j, phi=Map(start=start), w=Map(start=start)),
            tau_a=rotational.ConstantTorque | Map(tau_constant=tau_a),
            tau_b=rotational.ConstantTorque | Map(tau_constant=tau_b),
            connect=[
                ("tau_a.flange", "a.flange_a"),
                ("a.flange_b", "component.flange_a"),
                ("component.flange_b", "b.flange_a"),
                ("b.flange_b", "tau_b.flange"),
            ],
        ),
        0.5,
    )


@few
@given(ratio=positive, tau_a=number, tau_b=number, j=positive)
def test_a_gear_passes_on_all_power(ratio: float, tau_a: float, tau_b: float, j: float) -> None:
    r = shaft(rotational.IdealGear | Map(ratio=ratio), tau_a, tau_b, j)
    zero(r["component.flange_a.tau"] * r["a.w"] + r["component.flange_b.tau"] * r["b.w"], 1e3)
    w = (tau_a * ratio + tau_b) / (ratio**2 * j + 2.0 * j) * r.time  # the inertia of both, seen from flange_b
    np.testing.assert_allclose(r["b.w"], w, atol=1e-6)


@few
@given(c=positive, d=positive, tau_a=number, tau_b=number, j=positive)
def test_momentum_changes_by_outer_torques_only(c: float, d: float, tau_a: float, tau_b: float, j: float) -> None:
    for component in (
        rotational.Spring | Map(c=c),
        rotational.SpringDamper | Map(c=c, d=d),
        rotational.ElastoBacklash | Map(c=c, d=d, b=0.01),
    ):
        r = shaft(component, tau_a, tau_b, j, start=0.0)
        zero(r["component.flange_a.tau"] + r["component.flange_b.tau"])
        np.testing.assert_allclose(j * r["a.w"] + 2.0 * j * r["b.w"], (tau_a + tau_b) * r.time, atol=1e-6)


@few
@given(ratio=positive, w_sun=number, w_ring=number, d=positive)
def test_a_planetary_gear_passes_on_all_power(ratio: float, w_sun: float, w_ring: float, d: float) -> None:
    r = simulated(
        Model(
            gear=rotational.IdealPlanetary | Map(ratio=ratio),
            sun=rotational.ConstantSpeed | Map(w_fixed=w_sun),
            ring=rotational.ConstantSpeed | Map(w_fixed=w_ring),
            load=rotational.Damper | Map(d=d),
            wall=rotational.Fixed,
            speed=rotational.SpeedSensor,
            connect=[
                ("sun.flange", "gear.sun"),
                ("ring.flange", "gear.ring"),
                ("gear.carrier", "load.flange_a", "speed.flange"),
                ("load.flange_b", "wall.flange"),
            ],
        ),
        0.5,
    )
    w_carrier = (w_sun + ratio * w_ring) / (1 + ratio)
    np.testing.assert_allclose(r["speed.w"], w_carrier, atol=1e-9)
    zero(r["gear.sun.tau"] * w_sun + r["gear.ring.tau"] * w_ring + r["gear.carrier.tau"] * w_carrier, 1e4)
    zero(r["gear.sun.tau"] + r["gear.ring.tau"] + r["gear.carrier.tau"], 1e3)


@few
@given(ratio=positive, m=positive, f=number)
def test_rotation_and_translation_exchange_all_power(ratio: float, m: float, f: float) -> None:
    r = simulated(
        Model(
            shaft=rotational.Inertia | Map(J=0.5, phi=Map(start=None), w=Map(start=None)),
            gear=rotational.IdealGearR2T | Map(ratio=ratio),
            mass=translational.Mass | Map(m=m),
            force=translational.ConstantForce | Map(f_constant=f),
            connect=[
                ("shaft.flange_b", "gear.flange_r"),
                ("gear.flange_t", "mass.flange_a"),
                ("mass.flange_b", "force.flange"),
            ],
        ),
        0.5,
    )
    zero(r["gear.flange_r.tau"] * r["shaft.w"] + r["gear.flange_t.f"] * r["mass.v"], 1e4)
    np.testing.assert_allclose(r["mass.v"], f / (m + 0.5 * ratio**2) * r.time, atol=1e-6)


@few
@given(c=positive, d=positive, m=positive, v=st.floats(0.5, 5.0))
def test_a_gap_only_pushes_and_takes_energy(c: float, d: float, m: float, v: float) -> None:
    r = simulated(
        Model(
            wall=translational.Fixed,
            gap=translational.ElastoGap | Map(c=100.0 * c, d=d),
            mass=translational.Mass | Map(m=m, s=Map(init=0.5), v=Map(init=-v)),
            connect=[("wall.flange", "gap.flange_a"), ("gap.flange_b", "mass.flange_a")],
        ),
        4.0,
    )
    assert r["gap.f"].max() <= 1e-9
    energy = 0.5 * m * r["mass.v"] ** 2 + 0.5 * 100.0 * c * np.minimum(r["gap.s_rel"], 0.0) ** 2
    assert np.diff(energy).max() <= 1e-6 * energy[0]


@few
@given(n=positive, v=number, load=positive)
def test_an_ideal_transformer_and_a_gyrator_pass_on_all_power(n: float, v: float, load: float) -> None:
    for component in (electric.IdealTransformer | Map(n=n), electric.Gyrator | Map(G1=n, G2=n)):
        r = simulated(
            Model(
                source=electric.ConstantVoltage | Map(V=v),
                inner=electric.Resistor | Map(R=1.0),
                component=component,
                load=electric.Resistor | Map(R=load),
                ground=electric.Ground,
                connect=[
                    ("source.p", "inner.p"),
                    ("inner.n", "component.p1"),
                    ("component.p2", "load.p"),
                    ("source.n", "component.n1", "component.n2", "load.n", "ground.p"),
                ],
            ),
            0.5,
        )
        zero(r["component.v1"] * r["component.i1"] + r["component.v2"] * r["component.i2"], 1e3)
        zero(r["source.v"] * r["source.i"] + r["inner.v"] * r["inner.i"] + r["load.v"] * r["load.i"], 1e3)


@few
@given(c=positive, g=positive, gr=positive, t1=st.floats(250.0, 400.0), t2=st.floats(250.0, 400.0))
def test_a_thermal_network_keeps_its_energy(c: float, g: float, gr: float, t1: float, t2: float) -> None:
    r = simulated(
        Model(
            a=heat_transfer.HeatCapacitor | Map(C=10.0 * c, T=Map(init=t1)),
            b=heat_transfer.HeatCapacitor | Map(C=5.0, T=Map(init=t2)),
            conductor=heat_transfer.ThermalConductor | Map(G=g),
            resistor=heat_transfer.ThermalResistor | Map(R=g),
            radiation=heat_transfer.BodyRadiation | Map(Gr=gr),
            convection=heat_transfer.Convection | Map(Gc=g),
            flow=heat_transfer.HeatFlowSensor,
            connect=[
                ("a.port", "conductor.port_a", "resistor.port_a", "radiation.port_a", "flow.port_a"),
                ("flow.port_b", "convection.solid"),
                ("b.port", "conductor.port_b", "resistor.port_b", "radiation.port_b", "convection.fluid"),
            ],
        ),
        0.5,
    )
    np.testing.assert_allclose(10.0 * c * r["a.T"] + 5.0 * r["b.T"], 10.0 * c * t1 + 5.0 * t2, rtol=1e-9)
    difference = np.abs(r["a.T"] - r["b.T"])
    assert np.diff(difference).max() <= 1e-6
    np.testing.assert_allclose(r["flow.Q_flow"], g * (r["a.T"] - r["b.T"]), atol=1e-6)


@few
@given(k=positive, v=number, d=positive)
def test_an_electromotive_force_turns_electric_power_into_mechanical_power(k: float, v: float, d: float) -> None:
    r = simulated(
        Model(
            source=electric.ConstantVoltage | Map(V=v),
            R=electric.Resistor | Map(R=0.5),
            emf=electric.RotationalEMF | Map(k=k),
            rotor=rotational.Inertia | Map(J=0.1),
            load=rotational.Damper | Map(d=d),
            wall=rotational.Fixed,
            ground=electric.Ground,
            connect=[
                ("source.p", "R.p"),
                ("R.n", "emf.p"),
                ("emf.n", "source.n", "ground.p"),
                ("emf.flange", "rotor.flange_a"),
                ("rotor.flange_b", "load.flange_a"),
                ("load.flange_b", "wall.flange"),
            ],
        ),
        0.5,
    )
    zero(r["emf.v"] * r["emf.i"] + r["emf.tau"] * r["emf.w"], 1e3)
    final = v * k / (k**2 + 0.5 * d)  # v = R*i + k*w and k*i = d*w
    rate = (k**2 / 0.5 + d) / 0.1
    np.testing.assert_allclose(r["rotor.w"], final * (1 - np.exp(-rate * r.time)), atol=1e-6)
