"""Rods as constraints and as bodies: the four-bar of the Modelica library built in all ways, energy, work of the rods."""

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
    Object3D,
    Prismatic,
    Revolute,
    RodConstraint,
    SphericalSpherical,
    UniformGravity,
    UniversalSpherical,
)
from modiapy import Map
from modiapy.library import rotational, translational

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

G = 9.80665
LENGTH = math.sqrt(1.1)
SPEED = 5.235987755983
ROD = (1.0, -0.3, -0.1)


def cylinder(r, diameter=0.05, **fields):
    """A full steel cylinder from the origin to r, as ``BodyCylinder`` of the Modelica library."""
    way = np.array(r)
    length = float(np.linalg.norm(way))
    mass = 7700.0 * math.pi * diameter**2 / 4.0 * length
    across, along = mass * (length**2 / 12.0 + diameter**2 / 16.0), mass * diameter**2 / 8.0
    J = across * np.eye(3) + (along - across) * np.outer(way, way) / length**2
    return body(mass, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]), tuple(way / 2.0), **fields)


def four_bar(tolerance=1e-9, stop_time=1.0, **coupling):
    """Crank about x and slider along x; what couples them is given."""
    parts = {
        "world": world(UniformGravity(G, "-y")),
        "crank": cylinder((0.0, 0.5, 0.1)),
        "j1": Revolute("world", "crank", "x", w=SPEED, fixed=True),
        "tip": Object3D(parent="crank", translation=(0.0, 0.5, 0.1)),
        "base": Object3D(parent="world", translation=(1.2, 0.0, 0.0)),
    }
    return run(stop_time, tolerance, 20, **parts, **coupling)


SLIDER = {
    "slider": cylinder((0.0, 0.2, 0.0)),
    "pin": Object3D(parent="slider", translation=(0.0, 0.2, 0.0)),
    "j2": Prismatic("base", "slider", "x", s=-0.2),
}
PISTON = {"piston": cylinder((0.0, 0.2, 0.0), parent="link.frame_ib")}
SLIDING = {"n_b": "x", "s_offset": -0.2, "r_rod2_ib": (0.0, 0.2, 0.0)}


@pytest.fixture(scope="module")
def plain():
    """The rod without mass as a distance."""
    return four_bar(**SLIDER, rod=RodConstraint("tip", "pin", LENGTH))


def test_the_four_bar_of_the_modelica_library():
    """Fourbar_analytic: figures of its published results."""
    link = JointSSP("tip", "base", LENGTH, **SLIDING, frame_ib=True)
    result = four_bar(1e-9, 1.0, link=link, **PISTON)
    assert result.segments[0].info["dof"] == 1
    expected = {0.2: 1.3275598023, 0.4: 3.5073191283}
    for time, phi in expected.items():
        assert np.interp(time, result["time"], result["j1.phi"]) == pytest.approx(phi, abs=5e-5)
    assert_constant(energy(result), 1e-6)


@pytest.mark.parametrize(
    "coupling",
    [
        {**SLIDER, "rod": SphericalSpherical("tip", "pin", LENGTH)},
        {**SLIDER, "rod": UniversalSpherical("pin", "tip", "y", (-1.0, 0.3, 0.1))},
        {"link": JointSSP("tip", "base", LENGTH, **SLIDING, frame_ib=True), **PISTON},
        {"link": JointUSP("tip", "base", "y", r_rod1_ia=ROD, **SLIDING, frame_ib=True), **PISTON},
    ],
    ids=["SphericalSpherical", "UniversalSpherical", "JointSSP", "JointUSP"],
)
def test_a_rod_without_mass_is_a_distance(plain, coupling):
    result = four_bar(**coupling)
    for name in ("j1.phi", "j1.w"):
        assert result[name] == pytest.approx(plain[name], abs=1e-5)
    if "link" in coupling:
        assert result["link.s"] == pytest.approx(plain["j2.s"] + 0.2, abs=1e-6)


def test_the_force_in_a_rod():
    """A ball on a rod of 0.5 m: weight along the rod and centripetal force, whatever the body turns besides."""
    start = {"translation": (0.5, 0.0, 0.0), "velocity": (0.0, 1.0, 0.0), "angular_velocity": (1.0, 2.0, 3.0)}
    result = run(
        1.0, 1e-9, 20, world=world(UniformGravity(G, "-z")), ball=free(**start), rod=RodConstraint("world", "ball", 0.5)
    )
    along = result["ball.r_abs"] / 0.5
    tension = (result["ball.v_abs"] ** 2).sum(axis=1) / 0.5 - G * along[:, 2]
    R = result["ball.R_abs"].reshape(-1, 3, 3)
    assert np.einsum("tij,tj->ti", R, result["rod.cut_force"]) == pytest.approx(-tension[:, None] * along, abs=1e-8)
    assert np.abs(result["rod.cut_torque"]).max() == 0.0


def test_a_point_mass_in_the_middle_of_a_rod():
    """Two balls and the mass fly as one; the centre of all moves as it did, and all energies together are constant."""
    balls = {
        "one": free(mass=1.0, translation=(0.0, 0.0, 0.0), velocity=(0.0, 0.5, 0.0)),
        "two": free(mass=2.0, translation=(0.6, 0.0, 0.0), velocity=(0.0, -1.0, 0.3)),
    }
    result = run(1.0, 1e-9, 20, world=world(), **balls, rod=SphericalSpherical("one", "two", 0.6, m=0.9))
    r = {name: result[f"{name}.r_abs"] for name in balls}
    v = {name: result[f"{name}.v_abs"] for name in balls}
    assert np.linalg.norm(r["one"] - r["two"], axis=1) == pytest.approx(0.6, abs=1e-9)
    momentum = 1.45 * v["one"] + 2.45 * v["two"]
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-7)
    assert_constant(energy(result) + result["rod.mass.kinetic_energy"], 1e-7)


def test_a_mechanism_with_a_mass_in_its_rod_keeps_its_energy():
    link = JointSSP("tip", "base", LENGTH, 0.7, **SLIDING, frame_ib=True)
    result = four_bar(link=link, **PISTON)
    whole = energy(result) + result["link.mass.kinetic_energy"] + result["link.mass.potential_energy"]
    assert np.ptp(result["link.mass.kinetic_energy"]) > 1.0
    assert_constant(whole, 1e-6)


def test_a_rod_with_mass_is_a_body_however_the_loop_is_declared():
    """The universal joint at the crank or at the slider, and of plain joints: the same motion."""
    heavy = {"r_rod1_ia": ROD, **SLIDING, "frame_ia": True, "frame_ib": True}
    rod = cylinder(ROD, 0.03, parent="link.frame_ia")
    link = four_bar(link=JointUSP("tip", "base", "y", **heavy), rod=rod, **PISTON)
    single = UniversalSpherical("tip", "pin", "y", ROD, frame_ia=True)
    result = four_bar(**SLIDER, link=single, rod=rod)
    assert result["j1.phi"] == pytest.approx(link["j1.phi"], abs=1e-5)
    assert_constant(energy(result), 1e-6)
    assert link.segments[0].info["dof"] == 1


def test_a_slider_without_mass_needs_no_body():
    """The rod's end moves along the line of the slider, and a spring at the flange pushes it."""
    spring = {
        "spring": translational.Spring | Map(c=300.0, s_rel0=0.1),
        "connect": [("link.bearing", "spring.flange_a"), ("link.axis", "spring.flange_b")],
    }
    rod = cylinder(ROD, 0.03, parent="link.frame_ia")
    link = JointUSP("tip", "base", "y", r_rod1_ia=ROD, **SLIDING, frame_ia=True)
    result = four_bar(link=link, rod=rod, **spring)
    stored = 150.0 * (result["link.s"] - 0.1) ** 2
    assert np.ptp(stored) > 1.0
    assert_constant(energy(result) + stored, 1e-6)
    end = result["link.frame_im.r_abs"]
    assert end[:, 1:] == pytest.approx(np.tile((0.2, 0.0), (len(end), 1)), abs=1e-9)
    assert result["link.s"] == pytest.approx(end[:, 0] - 1.0, abs=1e-9)


def planar(link, stop_time=1.0, **more):
    """A crank and a foot 2 m away, with two rods between them in the plane across z."""
    crank = cylinder((0.5, 0.0, 0.0))
    parts = {
        "world": world(UniformGravity(G, "-y")),
        "crank": crank,
        "j1": Revolute("world", "crank", "z", phi=1.2, w=2.0, fixed=True),
        "tip": Object3D(parent="crank", translation=(0.5, 0.0, 0.0)),
        "foot": Object3D(parent="world", translation=(2.0, 0.0, 0.0)),
        "link": link,
    }
    return run(stop_time, 1e-9, 20, **parts, **more)


COUPLER, ROCKER = (2.0, 0.2, 0.0), (0.1, 1.5, 0.0)


def rods(*which):
    """Rods of steel at the frames of the assembly."""
    found = {"frame_ia": cylinder(COUPLER, 0.04, parent="link.frame_ia"), "frame_ib": cylinder(ROCKER, parent="link.frame_ib")}
    return {f"rod_{name[-1]}": found[name] for name in which}


def sprung(phi=0.2):
    """A spring that turns the rocker."""
    spring = rotational.Spring | Map(c=40.0, phi_rel0=phi)
    return {"spring": spring, "connect": [("link.bearing", "spring.flange_a"), ("link.axis", "spring.flange_b")]}


@pytest.mark.parametrize("which", [("frame_ia", "frame_ib"), ("frame_ib",), ("frame_ia",)], ids=["both", "rocker", "coupler"])
def test_planar_rods_keep_the_energy_of_the_spring_that_drives_them(which):
    given = dict.fromkeys(which, True)
    result = planar(JointRRR("tip", "foot", "z", COUPLER, ROCKER, **given), **rods(*which), **sprung())
    stored = 20.0 * (result["link.phi"] - 0.2) ** 2
    assert np.ptp(result["link.phi"]) > 0.1
    assert_constant(energy(result) + stored, 1e-6)
    middle, foot = result["link.frame_im.r_abs"], np.array((2.0, 0.0, 0.0))
    assert np.linalg.norm(middle - foot, axis=1) == pytest.approx(np.linalg.norm(ROCKER), abs=1e-9)
    assert np.linalg.norm(middle - result["tip.r_abs"], axis=1) == pytest.approx(np.linalg.norm(COUPLER), abs=1e-9)


def test_spherical_and_universal_joints_do_the_same_where_the_rod_has_no_mass():
    reach = float(np.linalg.norm(COUPLER))
    links = (
        JointRRR("tip", "foot", "z", COUPLER, ROCKER, frame_ib=True),
        JointUSR("tip", "foot", "x", "z", COUPLER, ROCKER, frame_ib=True),
        JointSSR("tip", "foot", reach, n_b="z", r_rod2_ib=ROCKER, frame_ib=True),
    )
    found = [planar(link, 0.5, **rods("frame_ib"), **sprung())["link.phi"] for link in links]
    assert found[0] == pytest.approx(found[1], abs=1e-8)
    assert found[0] == pytest.approx(found[2], abs=1e-8)


@pytest.mark.parametrize("which", [("frame_ia", "frame_ib"), ("frame_ia",)], ids=["both", "rod"])
def test_a_slider_crank_against_a_spring(which):
    """An engine: the piston slides along x, offset by 0.1 m, and a gas spring acts on it."""
    gas = translational.Spring | Map(c=200.0, s_rel0=0.1)
    spring = {"gas": gas, "connect": [("link.bearing", "gas.flange_a"), ("link.axis", "gas.flange_b")]}
    given = dict.fromkeys(which, True)
    link = JointRRP("tip", "foot", "z", "x", (1.5, 0.0, 0.0), (-0.1, 0.1, 0.0), s_offset=-0.2, s_guess=-0.1, **given)
    parts = {
        "frame_ia": cylinder((1.5, 0.0, 0.0), 0.03, parent="link.frame_ia"),
        "frame_ib": body(3.0, 0.01, parent="link.frame_ib"),
    }
    result = planar(link, **spring, **{f"part_{name[-1]}": parts[name] for name in which})
    stored = 100.0 * (result["link.s"] - 0.1) ** 2
    assert np.ptp(stored) > 1.0
    assert_constant(energy(result) + stored, 1e-6)
    pin = result["link.frame_im.r_abs"]
    assert pin[:, 0] == pytest.approx(2.0 - 0.2 + result["link.s"] - 0.1, abs=1e-9)
    assert pin[:, 1:] == pytest.approx(np.tile((0.1, 0.0), (len(pin), 1)), abs=1e-9)


def test_the_guess_of_an_assembly_with_frames_chooses_the_branch():
    up, down = (
        planar(JointRRR("tip", "foot", "z", COUPLER, ROCKER, phi_guess=guess, frame_ib=True), 0.05, **rods("frame_ib"))
        for guess in (0.2, -2.8)
    )
    assert up["link.frame_im.r_abs"][0][1] > 0.5
    assert down["link.frame_im.r_abs"][0][1] < -0.5


def test_planar_rods_are_a_four_bar_of_plain_joints():
    link = planar(JointRRR("tip", "foot", "z", COUPLER, ROCKER, frame_ia=True, frame_ib=True), **rods("frame_ia", "frame_ib"))
    joints = {
        "rod_a": cylinder(COUPLER, 0.04),
        "rod_b": cylinder(ROCKER),
        "end_a": Object3D(parent="rod_a", translation=COUPLER),
        "end_b": Object3D(parent="rod_b", translation=ROCKER),
        "knee": Revolute("tip", "rod_a", "z", phi=-1.0),
        "pivot": Revolute("foot", "rod_b", "z"),
    }
    result = planar(Revolute("end_a", "end_b", "z", cut=True), **joints)
    assert result["j1.phi"] == pytest.approx(link["j1.phi"], abs=1e-6)


def test_a_leg_with_mass_does_what_a_line_does_when_the_mass_is_small():
    """Both halves of a leg between the world and a ball; beside the force at the line there is only their own weight."""
    start = {"translation": (1.0, 0.5, 0.3), "velocity": (0.0, 0.5, 0.2), "orientation": "xyz"}
    spring = {
        "spring": translational.SpringDamper | Map(c=50.0, d=1.0, s_rel0=0.9),
        "connect": [("leg.bearing", "spring.flange_a"), ("leg.axis", "spring.flange_b")],
    }
    foot = {"world": world(UniformGravity(G, "-z")), "foot": Object3D(parent="world"), "ball": free(mass=2.0, **start)}
    line = run(0.5, 1e-8, **foot, leg=JointUPS("foot", "ball"), **spring)
    heavy = {
        "leg": JointUPS("foot", "ball", s_guess=1.0, frame_ia=True, frame_ib=True),
        "cylinder": body(1e-3, 1e-4, parent="leg.frame_ia"),
        "rod": body(1e-3, 1e-4, parent="leg.frame_ib"),
    }
    result = run(0.5, 1e-8, **foot, **heavy, **spring)
    assert result.segments[0].info["dof"] == 6
    assert result["ball.r_abs"] == pytest.approx(line["ball.r_abs"], abs=2e-3)
    distance = np.linalg.norm(result["ball.r_abs"], axis=1)
    assert result["leg.s"] == pytest.approx(distance, abs=1e-8)
