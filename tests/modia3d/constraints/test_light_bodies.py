"""Masses from 1e-9 to 1e3 kg in one closed mechanism: the rank is that of the geometry, the motion that of closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import (
    ActionAttach,
    GearConstraint,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Planar,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    RollingConstraint,
    Scene,
    Solid,
    Torque,
    UniformGravity,
)
from modiapy import Map, Var, instantiate
from modiapy.library import rotational

G, CRANK, ROD = 9.81, 0.5, 1.3
SQUARE = 0.1
"""Moment of inertia per mass [m2]."""
MASSES = [
    (1.0, 1e-3, 1.0),
    (1.0, 1e-7, 1.0),
    (1e3, 1e-9, 1e3),
    (1e3, 1e-9, 1e-9),
    (1e-9, 1e3, 1e-9),
    (1e-3, 1e-9, 1e3),
]


def solid(mass, center=(0.0, 0.0, 0.0), square=SQUARE):
    """A solid with equal moments of inertia about its centre."""
    return Solid(mass_properties=MassProperties(mass, center, *(square * mass,) * 3, as_given=True))


def slider_crank(masses, phi=0.9, w=2.0):
    """A slider crank in the plane x, y; the pin of the slider is cut."""
    crank, rod, slider = masses
    beta = -np.arcsin(CRANK * np.sin(phi) / ROD)
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(G, "-y"))),
        crank=Object3D(feature=solid(crank, (0.5 * CRANK, 0.0, 0.0))),
        crank_end=Object3D(parent="crank", translation=(CRANK, 0.0, 0.0)),
        rod=Object3D(feature=solid(rod, (0.5 * ROD, 0.0, 0.0))),
        rod_end=Object3D(parent="rod", translation=(ROD, 0.0, 0.0)),
        slider=Object3D(feature=solid(slider)),
        a=Revolute("world", "crank", "z", phi=phi, w=w, fixed=True),
        b=Revolute("crank_end", "rod", "z", phi=beta - phi),
        c=Prismatic("world", "slider", "x", s=CRANK * np.cos(phi) + ROD * np.cos(beta)),
        pin=Revolute("rod_end", "slider", "z", cut=True),
    )


def motion_of_crank(masses, times, phi=0.9, w=2.0, torque=0.0):
    """Angle and speed of the crank: one equation of Lagrange, rows (2, n)."""
    m_crank, m_rod, m_slider = masses

    def parts(p):
        b = -np.arcsin(CRANK * np.sin(p) / ROD)
        db = -CRANK * np.cos(p) / (ROD * np.cos(b))
        ddb = (CRANK * np.sin(p) + ROD * np.sin(b) * db**2) / (ROD * np.cos(b))

        def along(length):  # of a point of the rod: derivatives by the angle of the crank
            first = -CRANK * np.sin(p) - length * np.sin(b) * db, CRANK * np.cos(p) + length * np.cos(b) * db
            bend = np.cos(b) * db**2 + np.sin(b) * ddb, -np.sin(b) * db**2 + np.cos(b) * ddb
            second = -CRANK * np.cos(p) - length * bend[0], -CRANK * np.sin(p) + length * bend[1]
            return np.array(first), np.array(second)

        middle = 0.5 * CRANK * np.array([-np.sin(p), np.cos(p)]), -0.5 * CRANK * np.array([np.cos(p), np.sin(p)])
        return db, ddb, [(m_crank, *middle), (m_rod, *along(0.5 * ROD)), (m_slider, *along(ROD))]

    def rates(_, y):
        db, ddb, points = parts(y[0])
        inertia = SQUARE * (m_crank + m_rod * db**2) + sum(m * J @ J for m, J, _ in points)
        bias = SQUARE * m_rod * db * ddb + sum(m * J @ dJ for m, J, dJ in points)
        force = torque - sum(m * G * J[1] for m, J, _ in points)
        return y[1], (force - bias * y[1] ** 2) / inertia

    return solve_ivp(rates, (0.0, times[-1]), [phi, w], rtol=1e-12, atol=1e-12, t_eval=times, method="DOP853").y


def check(result, reference, tolerance=1e-6):
    """A slider crank has one freedom, moves as it should, and is closed."""
    assert [record.info["dof"] for record in result.segments][-1] == 1
    assert len(result.segments[-1].info["redundant"]) == 3
    assert not result.notes
    np.testing.assert_allclose(result["a.phi"], reference[0], atol=tolerance * np.abs(reference[0]).max())
    np.testing.assert_allclose(result["a.w"], reference[1], atol=10.0 * tolerance * np.abs(reference[1]).max())
    assert result["mechanics.constraint_residual"].max() < 1e-12
    assert result["mechanics.constraint_speed"].max() < 1e-9


@pytest.mark.parametrize("masses", MASSES)
def test_a_slider_crank_moves_whatever_its_masses(masses):
    result = instantiate(slider_crank(masses)).simulate(1.0, tolerance=1e-10, interval=0.1)
    check(result, motion_of_crank(masses, result.time))


@pytest.mark.parametrize(("solver", "mode"), [("cvode", "ode"), ("cvode", "dae"), ("scipy", "ode")])
def test_it_does_so_in_all_modes(solver, mode):
    masses = (2.0, 1e-8, 1e2)
    result = instantiate(slider_crank(masses)).simulate(0.5, tolerance=1e-9, interval=0.1, solver=solver, mode=mode)
    check(result, motion_of_crank(masses, result.time), 1e-5)


@pytest.mark.parametrize("masses", [(1.0, 1e-3, 1.0), (1e3, 1e-9, 1.0), (1e-3, 1e-9, 1e3)])
def test_a_driven_one_obeys_its_torque(masses):
    """What passive joints cannot meet is left to the joint with a flange, in the metric of its mass alone."""
    torque = 3.0 * (masses[0] + masses[2])
    model = slider_crank(masses) | Model3D(
        a=RevoluteWithFlange("world", "crank", "z", phi=Var(init=0.9), w=Var(init=2.0)),
        drive=rotational.ConstantTorque | Map(tau_constant=torque),
        connect=[("drive.flange", "a.flange")],
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-10, interval=0.1)
    check(result, motion_of_crank(masses, result.time, torque=torque))


def test_forces_go_on_to_those_of_a_rod_without_mass():
    """The force of the pin becomes that along the rod, linearly with its mass."""
    found = {}
    for mass in (1e-3, 1e-6, 1e-9):
        result = instantiate(slider_crank((1.0, mass, 1.0))).simulate(0.2, tolerance=1e-9, interval=0.1)
        assert result["pin.cut_force_unique"][-1].tolist() == [1.0, 1.0, 0.0]
        found[mass] = result["pin.cut_force"][-1][:2], result["rod_end.r_abs"][-1][:2] - result["crank_end.r_abs"][-1][:2]
    force, along = found[1e-9]
    assert np.hypot(*force) > 0.5
    assert abs(force[0] * along[1] - force[1] * along[0]) < 1e-6
    np.testing.assert_allclose(found[1e-6][0], force, atol=1e-4)


def sleigh(wheel_mass, wheel_inertia):
    """Chaplygin's sleigh with a wheel under its knife edge."""
    wheel = MassProperties(wheel_mass, (0.0, 0.0, 0.0), *(wheel_inertia,) * 3, as_given=True)
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(G, "-z"))),
        ground=Object3D(parent="world", translation=(0.0, 0.0, -0.1)),
        body=Object3D(feature=Solid(mass_properties=MassProperties(2.0, (0.4, 0.0, 0.0), 0.3, 0.3, 0.3, as_given=True))),
        j=Planar("world", "body", "z", v_x=0.7, v_y=0.0, w=1.5),
        wheel=Object3D(feature=Solid(mass_properties=wheel)),
        axle=Revolute("body", "wheel", "y", w=7.0),
        roll=RollingConstraint("ground", "wheel", radius=0.1, axis="y", normal="z", upright=True),
    )


@pytest.mark.parametrize(("mass", "inertia"), [(1e-6, 1e-8), (1e-6, 1e-9), (1e-9, 1e-12)])
def test_a_sleigh_rolls_on_a_wheel_of_almost_no_mass(mass, inertia):
    """``u' = a w^2``, ``(I + m a^2) w' = -m a u w`` (Chaplygin 1911)."""
    result = instantiate(sleigh(mass, inertia)).simulate(3.0, tolerance=1e-10, interval=0.25)

    def rates(_, y):
        u, w, phi, *_ = y
        return 0.4 * w**2, -0.8 * u * w / (0.3 + 2.0 * 0.16), w, u * np.cos(phi), u * np.sin(phi)

    y = solve_ivp(rates, (0.0, 3.0), [0.7, 1.5, 0.0, 0.0, 0.0], rtol=1e-12, atol=1e-12, t_eval=result.time).y
    assert [(record.info["dof"], record.info["redundant"]) for record in result.segments] == [(2, [])]
    np.testing.assert_allclose(result["j.phi"], y[2], atol=1e-6)
    np.testing.assert_allclose(result["body.r_abs"][:, :2], y[3:].T, atol=3e-6)
    assert result["mechanics.constraint_speed"].max() < 1e-12


def test_light_shafts_of_a_gear_turn_a_heavy_one():
    """``(r^2 J_a + J_b) w_b' = r tau``, whichever of both shafts is the light one."""
    for mass_a, mass_b in ((1e-9, 1e3), (1e3, 1e-9)):
        model = Model3D(
            world=Object3D(feature=Scene(gravity=UniformGravity(G, "-x"))),
            one=Object3D(feature=solid(mass_a)),
            two=Object3D(feature=solid(mass_b)),
            gear=GearConstraint("one", "two", "world", 10.0),
            drive=Torque("world", "one", "world", (2.0, 0.0, 0.0)),
        )
        result = instantiate(model).simulate(1.0, tolerance=1e-10, interval=0.5)
        angle = 0.5 * 20.0 / (SQUARE * (100.0 * mass_a + mass_b)) * result.time**2
        np.testing.assert_allclose(result["gear.phi_b"], angle, rtol=1e-7)


@pytest.mark.parametrize("mass", [1e-3, 1e-9])
def test_a_lock_that_closes_a_loop_through_a_light_link_holds(mass):
    """The light link at the end of the rod is attached to the slider in a run: from then on it is a slider crank."""
    masses = (1.0, mass, 1.0)

    def program(actions: ModelActions):
        ActionAttach(actions, "plate", "grip", on_contact="impulse")

    model = slider_crank(masses, w=0.0) | Model3D(
        pin=Revolute("rod_end", "link", "z", phi=np.arcsin(CRANK * np.sin(0.9) / ROD), cut=False),
        link=Object3D(feature=solid(mass)),
        plate=Object3D(parent="link", rotation=(0.0, np.pi / 2.0, 0.0), lockable=True),
        grip=Object3D(parent="slider", rotation=(0.0, -np.pi / 2.0, 0.0), lockable=True),
        modelActions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-10, interval=0.1)
    reference = motion_of_crank((1.0, mass, 1.0 + mass), np.unique(result.time), w=0.0)
    np.testing.assert_allclose(result["a.phi"][-1], reference[0][-1], atol=1e-6)
    assert result.segments[-1].info["dof"] == 1
