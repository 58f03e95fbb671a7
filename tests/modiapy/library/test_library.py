"""Library models against closed-form solutions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from modiapy import Map, Model, Var, instantiate, library
from modiapy.library import (
    WITHOUT_PREFIX,
    blocks,
    drives,
    electric,
    library_names,
    models_in,
    rotational,
    translational,
)
from modiapy.model.model import Entries
from modiapy.symbolic.flattening.flatten import flatten
from tools.library_tables import written

pytestmark = pytest.mark.white_box

TOLERANCE = 1e-8


def simulate(model: Model, stop_time: float = 1.0) -> Any:
    return instantiate(model).simulate(stop_time, tolerance=TOLERANCE, interval=0.01)


def close(actual: np.ndarray, expected: np.ndarray | float, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(actual, np.broadcast_to(expected, actual.shape), rtol=0.0, atol=tolerance)


def linear_response(a: np.ndarray, b: np.ndarray, x0: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Exact solution of x' = a x + b, shape (nt, n)."""
    n = len(x0)
    augmented = np.zeros((n + 1, n + 1))
    augmented[:n, :n], augmented[:n, n] = a, b
    return np.array([(expm(augmented * t) @ [*x0, 1.0])[:n] for t in time])


DOCUMENT = Path(__file__).parents[3] / "docs" / "library.md"


def test_every_package_is_a_library_and_is_told_of() -> None:
    folders = {file.parent for file in Path(library.__file__).parent.rglob("__init__.py")} - {Path(library.__file__).parent}
    named = {folder.relative_to(Path(library.__file__).parent).as_posix().replace("/", ".") for folder in folders}
    assert set(library_names()) == named >= {"celsius", "electric.polyphase", "insulated_rod", *WITHOUT_PREFIX}
    headings = [line.removeprefix("## ") for line in DOCUMENT.read_text().splitlines() if line.startswith("## ")]
    assert set(headings) >= named


def test_tables_of_the_guide_are_those_of_the_libraries() -> None:
    """``python -m tools.library_tables`` writes them."""
    assert all(model.get("description") for name in library_names() for model in models_in(name).values())
    text = DOCUMENT.read_text(encoding="utf-8")
    assert written(text) == text


def test_a_model_that_is_added_or_changed_appears_in_the_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    pump = Model(description="A new | pump", flange=rotational.Flange, y=Var(output=True), u=Var(input=True))
    wider = rotational.Inertia | Model(description="Shaft", support=rotational.Flange)
    monkeypatch.setitem(models_in("heat_transfer"), "HeatCapacitor", pump)
    monkeypatch.setitem(models_in("rotational"), "Inertia", wider)
    monkeypatch.setitem(models_in("electric.polyphase"), "Pump", pump)
    monkeypatch.setattr(electric.polyphase, "Pump", pump, raising=False)
    text = DOCUMENT.read_text(encoding="utf-8")
    changed = set(written(text).splitlines()) - set(text.splitlines())
    assert changed == {
        r"| `HeatCapacitor` | `u -> [ HeatCapacitor ]--o flange -> y` | A new \| pump |",
        "| `Inertia` | `flange_a o--[ Inertia ]--o flange_b, support` | Shaft |",
        r"| `Pump` | `u -> [ Pump ]--o flange -> y` | A new \| pump |",
    }
    assert written(written(text)) == written(text)
    part = written(text).partition("\n## electric.polyphase\n")[2]
    assert part.index("`Pump`") < part.index("### basic")


@pytest.mark.parametrize("library_name", library_names())
def test_names_of_parameters_are_those_of_variables_in_python(library_name: str) -> None:
    """Snake case: no capital letter after a small one, except in indices of one quantity such as ``w_nominal``."""
    for name, model in models_in(library_name).items():
        for key, value in model.items():
            if not isinstance(value, Entries):
                assert re.search("[a-z][A-Z]", key) is None, f"{name}.{key}"


def test_low_pass_filter_charges_exponentially() -> None:
    r = simulate(
        Model(
            R=electric.Resistor | Map(R=0.5),
            C=electric.Capacitor | Map(C=0.4),
            V=electric.ConstantVoltage | Map(V=10.0),
            ground=electric.Ground,
            connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
        )
    )
    close(r["C.v"], 10.0 * (1 - np.exp(-r.time / 0.2)), 1e-5)
    close(r["V.i"], -r["C.i"])
    close(r["ground.p.i"], 0.0)


def test_inductor_and_resistor() -> None:
    r = simulate(
        Model(
            R=electric.Resistor | Map(R=2.0),
            L=electric.Inductor | Map(L=0.5),
            V=electric.ConstantVoltage | Map(V=4.0),
            ground=electric.Ground,
            connect=[("V.p", "R.p"), ("R.n", "L.p"), ("L.n", "V.n", "ground.p")],
        )
    )
    close(r["L.i"], 2.0 * (1 - np.exp(-4.0 * r.time)), 1e-5)


def test_sources() -> None:
    r = simulate(
        Model(
            step=blocks.Step | Map(height=2.0, offset=1.0, start_time=0.25),
            ramp=blocks.Ramp | Map(height=-3.0, duration=0.5, offset=1.0, start_time=0.2),
            sine=blocks.Sine | Map(amplitude=2.0, f=3.0, phase=0.3, offset=0.5, start_time=0.1),
            constant=blocks.Constant | Map(k=7.0),
            clock=blocks.Integrator | Map(u=1.0),
        )
    )
    t = r.time
    away = np.abs(t - 0.25) > 1e-9
    close(r["step.y"][away], np.where(t > 0.25, 3.0, 1.0)[away])
    close(r["ramp.y"], 1.0 - 3.0 * np.clip((t - 0.2) / 0.5, 0.0, 1.0))
    away = np.abs(t - 0.1) > 1e-9
    close(r["sine.y"][away], (0.5 + np.where(t > 0.1, 2.0 * np.sin(6 * np.pi * (t - 0.1) + 0.3), 0.0))[away])
    close(r["constant.y"], 7.0)
    close(r["clock.y"], t)


def test_continuous_blocks() -> None:
    r = simulate(
        Model(
            pi=blocks.PI | Map(k=2.0, T=0.5, u=1.0, x_start=0.1),
            first=blocks.FirstOrder | Map(k=3.0, T=0.2, u=1.0, y_start=1.0),
            i=blocks.Integrator | Map(k=4.0, u=1.0, y_start=-1.0),
            f=blocks.Feedback,
            add=blocks.Add | Map(k2=-2.0),
            p=blocks.P | Map(k=5.0),
            connect=[("pi.y", "f.u1", "add.u1"), ("i.y", "f.u2", "add.u2"), ("f.y", "p.u")],
        )
    )
    t = r.time
    close(r["pi.y"], 2.0 * (0.1 + t / 0.5 + 1.0))
    close(r["first.y"], 3.0 - 2.0 * np.exp(-t / 0.2), 1e-5)
    close(r["i.y"], -1.0 + 4.0 * t)
    close(r["p.y"], 5.0 * (r["pi.y"] - r["i.y"]))
    close(r["add.y"], r["pi.y"] - 2.0 * r["i.y"])


def test_two_inertias_with_spring_and_damper() -> None:
    j1, j2, c, d = 2.0, 3.0, 50.0, 1.5
    r = simulate(
        Model(
            a=rotational.Inertia | Map(J=j1, phi=Map(init=0.3), w=Map(init=0.0)),
            s=rotational.SpringDamper | Map(c=c, d=d, phi_rel0=0.1),
            b=rotational.Inertia | Map(J=j2, phi=Map(init=0.0), w=Map(init=1.0)),
            connect=[("a.flange_b", "s.flange_a"), ("s.flange_b", "b.flange_a")],
        )
    )
    m = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-c / j1, c / j1, -d / j1, d / j1], [c / j2, -c / j2, d / j2, -d / j2]])
    x = linear_response(m, np.array([0, 0, -c * 0.1 / j1, c * 0.1 / j2]), np.array([0.3, 0.0, 0.0, 1.0]), r.time)
    close(r["a.phi"], x[:, 0], 1e-5)
    close(r["b.w"], x[:, 3], 1e-5)
    close(j1 * r["a.w"] + j2 * r["b.w"], 3.0, 1e-5)


def test_a_gear_reflects_inertia_with_the_square_of_its_ratio() -> None:
    r = simulate(
        Model(
            tau=rotational.Torque | Map(tau=2.0),
            motor=rotational.Inertia | Map(J=0.01),
            gear=rotational.IdealGear | Map(ratio=50.0),
            load=rotational.Inertia | Map(J=10.0, phi=Map(init=0.2), w=Map(init=0.0)),
            angle=rotational.AngleSensor,
            speed=rotational.SpeedSensor,
            connect=[
                ("tau.flange", "motor.flange_a"),
                ("motor.flange_b", "gear.flange_a"),
                ("gear.flange_b", "load.flange_a", "angle.flange", "speed.flange"),
            ],
        )
    )
    acceleration = 50.0 * 2.0 / (10.0 + 50.0**2 * 0.01)
    close(r["angle.phi"], 0.2 + acceleration * r.time**2 / 2)
    close(r["speed.w"], acceleration * r.time)
    close(r["motor.phi"], 50.0 * r["load.phi"], 1e-4)


def test_spring_and_damper_one_by_one_are_the_spring_damper() -> None:
    load = rotational.Inertia | Map(phi=Map(init=0.4), w=Map(init=0.0))
    r = simulate(
        Model(
            wall=rotational.Fixed | Map(phi0=0.1),
            spring=rotational.Spring | Map(c=30.0),
            damper=rotational.Damper | Map(d=0.8),
            both=rotational.SpringDamper | Map(c=30.0, d=0.8),
            one=load,
            two=load,
            connect=[
                ("wall.flange", "spring.flange_a", "damper.flange_a", "both.flange_a"),
                ("spring.flange_b", "damper.flange_b", "one.flange_a"),
                ("both.flange_b", "two.flange_a"),
            ],
        )
    )
    close(r["one.phi"], r["two.phi"])
    x = linear_response(np.array([[0, 1], [-30.0, -0.8]]), np.array([0, 3.0]), np.array([0.4, 0.0]), r.time)
    close(r["one.phi"], x[:, 0], 1e-5)


def test_prescribed_speed_and_torque_sensor() -> None:
    r = simulate(
        Model(
            drive=rotational.Speed | Map(w_ref=2.0),
            sensor=rotational.TorqueSensor,
            brake=rotational.Damper | Map(d=3.0),
            wall=rotational.Fixed,
            connect=[
                ("drive.flange", "sensor.flange_a"),
                ("sensor.flange_b", "brake.flange_a"),
                ("brake.flange_b", "wall.flange"),
            ],
        )
    )
    close(r["sensor.tau"], 6.0)


def test_a_prescribed_motion_needs_its_inertia_torque() -> None:
    r = simulate(
        Model(
            drive=rotational.Position | Map(phi_ref="sin(3*time)"),
            load=rotational.Inertia | Map(J=2.0, phi=Map(start=None), w=Map(start=None)),
            connect=[("drive.flange", "load.flange_a")],
        )
    )
    close(r["load.flange_a.tau"], -18.0 * np.sin(3 * r.time))


def test_mass_spring_damper_with_force() -> None:
    r = simulate(
        Model(
            wall=translational.Fixed | Map(s0=-1.0),
            spring=translational.SpringDamper | Map(c=40.0, d=2.0, s_rel0=0.5),
            mass=translational.Mass | Map(m=3.0, L=0.2, s=Map(init=0.0), v=Map(init=-0.5)),
            force=translational.Force | Map(f=6.0),
            connect=[
                ("wall.flange", "spring.flange_a"),
                ("spring.flange_b", "mass.flange_a"),
                ("mass.flange_b", "force.flange"),
            ],
        )
    )
    constant = (6.0 - 40.0 * (-0.1 + 1.0 - 0.5)) / 3.0
    x = linear_response(np.array([[0, 1], [-40.0 / 3, -2.0 / 3]]), np.array([0, constant]), np.array([0.0, -0.5]), r.time)
    close(r["mass.s"], x[:, 0], 1e-5)


PHI0, PHI_REF = 0.2, 0.7
DRIVE = {"ratio": 50.0, "J_motor": 2e-3, "k_p": 12.0, "k_pi": 0.9, "T_pi": 0.08}
LOAD = rotational.Inertia | Map(J=8.0, phi=Map(init=PHI0), w=Map(init=0.0))


def _driven(drive: Model) -> Model:
    return Model(
        drive=drive | Map(DRIVE),
        load=LOAD,
        equations=[f"drive.phi_ref = {PHI_REF}", "drive.w_ref = 0"],
        connect=[("drive.flange", "load.flange_a")],
    )


def test_elastic_drive_follows_the_linear_model_of_its_cascade() -> None:
    c, d, j_load = 4000.0, 60.0, 8.0
    n, j, kp, k, ti = (DRIVE[key] for key in ("ratio", "J_motor", "k_p", "k_pi", "T_pi"))
    model = _driven(drives.ElasticDrive | Map(c=c, d=d, phi0=PHI0))
    sim = instantiate(model)
    spring = {"drive.spring.phi_rel", "drive.spring.w_rel"}
    assert set(sim.states) == spring | {"drive.motor.phi", "drive.motor.w", "drive.controller.PI.x"}
    r = sim.simulate(1.0, tolerance=TOLERANCE, interval=0.01)
    # states: motor angle, motor speed, integrator, load angle, load speed
    a = np.array(
        [
            [0, 1, 0, 0, 0],
            [(-k * kp - c / n**2) / j, (-k - d / n**2) / j, k / j, c / n / j, d / n / j],
            [-kp / ti, -1 / ti, 0, 0, 0],
            [0, 0, 0, 0, 1],
            [c / n / j_load, d / n / j_load, 0, -c / j_load, -d / j_load],
        ]
    )
    b = np.array([0, k * kp * n * PHI_REF / j, kp * n * PHI_REF / ti, 0, 0])
    x = linear_response(a, b, np.array([n * PHI0, 0, 0, PHI0, 0]), r.time)
    close(r["load.phi"], x[:, 3], 1e-5)
    close(r["drive.motor.w"], x[:, 1], 1e-3)
    close(r["drive.controller.PI.x"], x[:, 2], 1e-3)


def test_rigid_drive_is_the_limit_of_the_stiff_elastic_drive() -> None:
    rigid = instantiate(_driven(drives.RigidDrive))
    assert set(rigid.states) == {"drive.controller.PI.x", "load.phi", "load.w"}
    stiff = _driven(drives.ElasticDrive | Map(c=1e8, d=1e5, phi0=PHI0))
    close(rigid.simulate(0.5, tolerance=TOLERANCE, interval=0.01)["load.phi"], simulate(stiff, 0.5)["load.phi"], 1e-4)


def test_a_drive_starts_where_its_joint_is() -> None:
    flat = flatten(
        Model(
            phi_ref=Var(input=True),
            drive=drives.ElasticDrive | Map(phi0=0.3, w0=-1.0, ratio=20.0, w_ref=0.0),
            connect=[("phi_ref", "drive.phi_ref")],
        )
    )
    assert flat.variables["drive.motor.phi"].init == 6.0
    assert flat.variables["drive.motor.w"].init == -20.0


@pytest.mark.parametrize(
    ("torque", "expected"),
    [
        (rotational.LinearSpeedDependentTorque | Map(tau_nominal=-2.0, w_nominal=4.0), lambda t: 5.0 * np.exp(-0.5 * t)),
        (rotational.QuadraticSpeedDependentTorque | Map(tau_nominal=-2.0, w_nominal=2.0), lambda t: 5.0 / (1 + 2.5 * t)),
        (rotational.SignTorque | Map(tau_nominal=-2.0), lambda t: 5.0 - 2.0 * t),
        (rotational.InverseSpeedDependentTorque | Map(tau_nominal=-3.0, w_nominal=2.0), lambda t: np.sqrt(25.0 - 12.0 * t)),
        (
            rotational.TorqueStep | Map(step_torque=2.0, offset_torque=1.0, start_time=0.5),
            lambda t: 5 + t + 2 * np.maximum(t - 0.5, 0),
        ),
    ],
)
def test_torques_that_depend_on_speed_or_time(torque: Model, expected: Any) -> None:
    shaft = rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=5.0))
    r = simulate(Model(shaft=shaft, torque=torque, connect=[("shaft.flange_b", "torque.flange")]))
    close(r["shaft.w"], expected(r.time), 1e-5)


def test_sensors_of_motion_and_power() -> None:
    r = simulate(
        Model(
            torque=rotational.ConstantTorque | Map(tau_constant=3.0),
            shaft=rotational.Inertia | Map(J=2.0, phi=Map(init=0.0), w=Map(init=1.0)),
            power=rotational.PowerSensor,
            load=rotational.Inertia | Map(J=1.0, phi=Map(start=None), w=Map(start=None)),
            acceleration=rotational.AccSensor,
            relative=rotational.RelSpeedSensor,
            wall=rotational.Fixed,
            connect=[
                ("torque.flange", "shaft.flange_a"),
                ("shaft.flange_b", "power.flange_a", "acceleration.flange", "relative.flange_b"),
                ("power.flange_b", "load.flange_a"),
                ("wall.flange", "relative.flange_a"),
            ],
        )
    )
    close(r["acceleration.a"], 1.0)
    close(r["power.power"], 1.0 + r.time)
    close(r["relative.w_rel"], 1.0 + r.time)


def test_a_housing_takes_the_difference_of_the_torques_of_its_gear() -> None:
    r = simulate(
        Model(
            gear=rotational.IdealGearWithSupport | Map(ratio=5.0),
            drive=rotational.ConstantTorque | Map(tau_constant=2.0),
            load=rotational.Damper | Map(d=1.0),
            wall=rotational.Fixed,
            connect=[
                ("drive.flange", "gear.flange_a"),
                ("gear.flange_b", "load.flange_a"),
                ("load.flange_b", "wall.flange", "gear.support"),
            ],
        )
    )
    close(r["gear.support.tau"], 8.0)
