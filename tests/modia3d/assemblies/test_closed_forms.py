"""Assemblies of rods without mass: their coordinate in closed form, what drives it, and the branch that is kept."""

import math

import numpy as np
import pytest

from modia3d import (
    JointRRP,
    JointRRR,
    JointSSP,
    JointSSR,
    JointUPS,
    JointUSP,
    JointUSR,
    Prismatic,
    Revolute,
    SpringDamperPtP,
)
from modia3d.scene.basics.rotations import axis_rotation
from modiapy import Map, ModelError, SimulationError
from modiapy.library import rotational, translational

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

ROD1, ROD2 = (1.0, 0.3, 0.0), (0.5, 0.8, 0.1)
LENGTH = math.sqrt(1.09)
AXIS = (0.1, 0.2, 1.0)
ALONG = (1.0, 0.3, 0.1)
TURNING = {
    "USR": lambda guess=0.7: JointUSR("arm", "ball", "z", AXIS, ROD1, ROD2, phi_offset=0.2, phi_guess=guess),
    "SSR": lambda guess=0.7: JointSSR("arm", "ball", LENGTH, 0.0, AXIS, ROD2, phi_offset=0.2, phi_guess=guess),
}
SLIDING = {
    "USP": lambda guess=0.4: JointUSP("arm", "ball", "z", ALONG, ROD1, (-0.5, 0.3, 0.1), s_offset=0.1, s_guess=guess),
    "SSP": lambda guess=0.4: JointSSP("arm", "ball", LENGTH, 0.0, ALONG, (-0.5, 0.3, 0.1), s_offset=0.1, s_guess=guess),
}


def simulated(joint, stop_time=1.0, **more):
    """An arm on a hinge and a ball that flies, both tied to the assembly."""
    flying = free(
        translation=(1.2, 0.3, 0.4), rotation=(0.2, 0.1, -0.3), velocity=(0.1, 0.2, -0.2), angular_velocity=(0.1, 0.3, 0.2)
    )
    arm = body(1.0, (0.01, 0.02, 0.02), (0.2, 0.0, 0.0))
    return run(stop_time, world=world(), arm=arm, hinge=Revolute("world", "arm", "z", w=1.0), ball=flying, joint=joint, **more)


def sprung(spring):
    """A spring that drives an assembly."""
    return {"spring": spring, "connect": [("joint.axis", "spring.flange_b"), ("joint.bearing", "spring.flange_a")]}


@pytest.mark.parametrize("name", TURNING)
def test_a_spring_that_turns_the_last_joint_does_the_work_that_moves_all(name):
    result = simulated(TURNING[name](), **sprung(rotational.Spring | Map(c=3.0, phi_rel0=0.4)))
    phi = result["joint.phi"]
    stored = 1.5 * (phi - 0.4) ** 2
    assert np.ptp(stored) > 1.0
    assert_constant(energy(result) + stored, 1e-7)


@pytest.mark.parametrize("name", SLIDING)
def test_a_spring_that_shifts_the_last_joint_does_the_work_that_moves_all(name):
    result = simulated(SLIDING[name](), **sprung(translational.Spring | Map(c=5.0, s_rel0=0.6)))
    stored = 2.5 * (result["joint.s"] - 0.6) ** 2
    assert np.ptp(stored) > 0.1
    assert_constant(energy(result) + stored, 1e-7)


@pytest.mark.parametrize(("guess", "name"), [(0.7, "USR"), (-2.0, "USR"), (0.7, "SSR")])
def test_the_rods_meet(guess, name):
    """Seen from the ball, which is at rest, the arm's end is a rod's length away from the end of the second rod."""
    fixed = {"world": world(), "ball": body(translation=(1.2, 0.3, 0.4), fixed_to_parent=True, parent="world")}
    fixed |= {"arm": body(), "slide": Prismatic("world", "arm", "y", s=0.1, v=-0.4), "joint": TURNING[name](guess)}
    result = run(1.0, **fixed)
    e = np.array(AXIS) / np.linalg.norm(AXIS)
    for k, phi in enumerate(result["joint.phi"]):
        tip = np.array((1.2, 0.3, 0.4)) + axis_rotation(e.tolist(), float(phi) + 0.2) @ ROD2
        assert np.linalg.norm(tip - result["arm.r_abs"][k]) == pytest.approx(LENGTH, abs=1e-9)
    assert np.abs(np.diff(result["joint.phi"])).max() < 0.1  # one branch from beginning to end


def test_the_guess_chooses_the_branch():
    found = [simulated(TURNING["USR"](guess), 0.3)["joint.phi"] for guess in (0.7, 2.0, -2.0)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert np.abs(found[0] - found[2]).min() > 0.3


def test_what_is_not_driven_exerts_nothing():
    tied, alone = simulated(TURNING["USR"](), 0.3), simulated(JointUPS("arm", "ball"), 0.3)
    assert tied["ball.r_abs"] == pytest.approx(alone["ball.r_abs"], abs=1e-9)
    assert tied["hinge.phi"] == pytest.approx(alone["hinge.phi"], abs=1e-9)


def test_planar_ones_are_those_of_space():
    rods = {"r_rod1_ia": ROD1, "r_rod2_ib": (0.5, 0.8, 0.0)}
    spring = sprung(rotational.Spring | Map(c=3.0, phi_rel0=0.4))
    planar = simulated(JointRRR("arm", "ball", "z", phi_guess=0.7, **rods), 0.3, **spring)
    space = simulated(JointUSR("arm", "ball", "z", "z", phi_guess=0.7, **rods), 0.3, **spring)
    assert planar["joint.phi"].tolist() == space["joint.phi"].tolist()
    shift = sprung(translational.Spring | Map(c=5.0, s_rel0=0.6))
    rods["r_rod2_ib"] = (-0.5, 0.3, 0.0)
    planar = simulated(JointRRP("arm", "ball", "z", (1.0, 0.3, 0.0), **rods), **shift)
    space = simulated(JointUSP("arm", "ball", "z", (1.0, 0.3, 0.0), **rods), **shift)
    assert planar["joint.s"].tolist() == space["joint.s"].tolist()


def test_a_leg_without_mass_is_a_line():
    leg = simulated(
        JointUPS("arm", "ball", s_offset=0.3), **sprung(translational.SpringDamper | Map(c=20.0, d=2.0, s_rel0=0.5))
    )
    line = simulated(
        JointUPS("arm", "ball"), damper=SpringDamperPtP("arm", "ball", stiffness=20.0, damping=2.0, nominal_length=0.8)
    )
    for name in ("ball.r_abs", "hinge.phi"):
        assert leg[name] == pytest.approx(line[name], abs=1e-8)
    distance = np.linalg.norm(leg["ball.r_abs"] - leg["arm.r_abs"], axis=1)
    assert leg["joint.s"] == pytest.approx(distance - 0.3, abs=1e-9)


def test_a_drive_may_have_inertia():
    """A rotor at the flange: its coordinate is that of the rods, which follows from positions alone."""
    rotor = {"rotor": rotational.Inertia | Map(J=0.2), "connect": [("joint.axis", "rotor.flange_a")]}
    result = simulated(TURNING["USR"](), 0.3, **rotor)
    assert result["rotor.phi"] == pytest.approx(result["joint.phi"], abs=1e-12)
    spin = 0.1 * result["rotor.w"] ** 2
    assert np.ptp(spin) > 1e-4
    assert_constant(energy(result) + spin, 1e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: JointUSR("arm", "ball", "x", r_rod1_ia=(2.0, 0.0, 0.0), frame_ia=True), "along the rod"),
        (lambda: JointUSR("arm", "ball", n_b="x", r_rod2_ib=(1.0, 0.0, 0.0)), "along the axis n_b"),
        (lambda: JointUSP("arm", "ball", r_rod1_ia=(0.0, 0.0, 0.0)), "the zero vector"),
        (lambda: JointSSR("arm", "ball", 1.0, rod1_mass=0.3), "frame_ib=True"),
        (lambda: JointSSP("arm", "offset", 1.0), "none of the assembly's own parts"),
        (lambda: JointUPS("arm", "ball", frame_ib=True), "both or none"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_rods_that_cannot_meet_are_refused_by_name():
    with pytest.raises(SimulationError, match=r"joint\.aside"):
        simulated(JointSSR("arm", "ball", 0.1, n_b=AXIS, r_rod2_ib=(0.2, 0.0, 0.0)))
