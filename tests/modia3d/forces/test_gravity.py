"""Gravity fields of the user and mutual attraction, against closed forms and conservation laws."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    ActionWait,
    GravityPool,
    Model3D,
    ModelActions,
    Object3D,
    PointGravity,
    Revolute,
    RevoluteWithFlange,
    UserGravity,
)
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library.rotational import Damper, Fixed

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

MU = 3.0


def point_field(x, y, z):
    s = -MU / (x * x + y * y + z * z) ** 1.5
    return s * x, s * y, s * z


def point_potential(x, y, z):
    return -MU / math.sqrt(x * x + y * y + z * z)


TEXT = "-3*{}/(x**2 + y**2 + z**2)**1.5"


@pytest.mark.parametrize(
    "field",
    [
        UserGravity(point_field, point_potential),
        UserGravity(tuple(TEXT.format(c) for c in "xyz"), "-3/sqrt(x**2 + y**2 + z**2)"),
    ],
    ids=["function", "text"],
)
def test_a_field_written_by_the_user_is_that_of_a_point_mass(field):
    parts = {
        "satellite": free(translation=(2.0, 0.0, 0.0), velocity=(0.0, 1.0, 0.0), rotation=(0.1, 0.2, 0.8)),
        "tip": body(mass=2.0, parent="satellite", translation=(0.5, 0.1, 0.0), center=(0.0, 0.2, 0.0)),
        "swing": body(mass=0.5, center=(0.3, 0.0, 0.0)),
        "joint": Revolute("tip", "swing", "y", phi=0.3, w=2.0),
    }
    result, expected = run(3.0, world=world(field), **parts), run(3.0, world=world(PointGravity(MU)), **parts)
    for signal in ("satellite.r_abs", "swing.v_abs", "mechanics.potential_energy"):
        assert result[signal] == pytest.approx(expected[signal], abs=1e-7)
    assert_constant(energy(result), 1e-8)


def test_two_bodies_of_a_pool_move_as_kepler_says():
    """Relative motion on an ellipse with mu = G (m1 + m2); the centre of mass moves straight on."""
    G, m_1, m_2, a, e, drift = 2.0, 3.0, 1.0, 2.0, 0.4, np.array([0.1, 0.0, 0.2])
    mu, total = G * (m_1 + m_2), m_1 + m_2
    near, speed = a * (1.0 - e), math.sqrt(mu / a * (1.0 + e) / (1.0 - e))
    period = 2.0 * math.pi * math.sqrt(a**3 / mu)
    result = run(
        period,
        world=world(GravityPool(G)),
        one=free(mass=m_1, translation=(-near * m_2 / total, 0, 0), velocity=drift - (0, speed * m_2 / total, 0)),
        two=free(mass=m_2, translation=(near * m_1 / total, 0, 0), velocity=drift + (0, speed * m_1 / total, 0)),
    )
    r = result["two.r_abs"] - result["one.r_abs"]
    mean = 2.0 * math.pi * result.time / period
    eccentric = mean.copy()
    for _ in range(50):
        eccentric -= (eccentric - e * np.sin(eccentric) - mean) / (1.0 - e * np.cos(eccentric))
    ellipse = np.stack([a * (np.cos(eccentric) - e), a * math.sqrt(1 - e * e) * np.sin(eccentric), 0 * mean], axis=1)
    assert r == pytest.approx(ellipse, abs=1e-6)
    centre = (m_1 * result["one.r_abs"] + m_2 * result["two.r_abs"]) / total
    assert centre == pytest.approx(result.time[:, None] * drift, abs=1e-7)
    assert_constant(energy(result), 1e-6)
    assert result["mechanics.potential_energy"][0] == pytest.approx(-G * m_1 * m_2 / near)
    assert_constant(result["mechanics.momentum"], 1e-9)
    assert_constant(result["mechanics.angular_momentum"], 1e-6)


def test_a_pool_of_chosen_bodies_leaves_the_others_alone():
    parts = {
        "fixed": body(mass=5.0, parent="world"),
        "planet": free(translation=(1.0, 0.0, 0.0), velocity=(0.0, 1.5, 0.0), angular_velocity=(0.1, 0.2, 0.3)),
        "moon": body(mass=0.1, parent="planet", translation=(0.05, 0.0, 0.0)),
        "dust": free(mass=1.0, translation=(0.0, 1.0, 0.0)),
    }
    result = run(1.0, world=world(GravityPool(1.0, ["fixed", "planet"])), **parts)
    assert result["dust.r_abs"][-1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert_constant(energy(result), 1e-6)
    assert np.linalg.norm(result["planet.v_abs"][-1] - (0.0, 1.5, 0.0)) > 1.0
    everything = run(1.0, world=world(GravityPool(1.0)), **parts)
    assert np.linalg.norm(everything["dust.v_abs"][-1]) > 1.0
    assert_constant(energy(everything), 1e-5)


def test_what_is_deleted_attracts_no_more():
    def program(actions):
        ActionWait(actions, 0.5)
        ActionDelete(actions, "one")

    result = run(
        1.0,
        world=world(GravityPool(1.0)),
        one=free(mass=2.0, assembly_root=True),
        two=free(translation=(1.0, 0.0, 0.0)),
        actions=ModelActions(program),
    )
    after = result.segment(len(result.segments))
    assert after["two.v_abs"][-1] == pytest.approx(after["two.v_abs"][0], abs=1e-12)
    assert after["two.v_abs"][0][0] < -0.5


def theoretical_gravity(phi):
    """Gravity of the WGS84 ellipsoid near its surface at the latitude phi (Somigliana, with height); y is up."""
    a, b, f, m, e2 = 6378137.0, 6356752.3142, 1.0 / 298.257223563, 0.00344978650684, 0.00669437999014
    k, g_e = 0.00193185265241, 9.7803253359
    s2 = math.sin(phi) ** 2
    g_0 = g_e * (1.0 + k * s2) / math.sqrt(1.0 - e2 * s2)
    assert b < a
    return f"-{g_0!r}*(1 - 2/{a!r}*{1 + f + m - 2 * f * s2!r}*y + 3/{a!r}**2*y**2)"


@pytest.mark.parametrize(("latitude", "final"), [(0.0, -2.39), (90.0, -2.42)])
def test_pendulum_of_the_modelica_library_in_a_field_of_the_user(latitude, final):
    """MultiBody.Examples.Elementary.UserDefinedGravityField; its documentation gives the angle after 10 s to two digits."""
    result = run(
        10.0,
        tolerance=1e-8,
        world=world(UserGravity(("0", theoretical_gravity(math.radians(latitude)), "0"))),
        mount=Object3D(parent="world", translation=(0.0, 20.0, 0.0)),
        pendulum=body(mass=1000.0, inertia=0.001, center=(10.0, 0.0, 0.0)),
        rev=RevoluteWithFlange("mount", "pendulum", "z", phi=Var(init=0.0), w=Var(init=0.0)),
        damper=Damper | Map(d=0.1),
        ground=Fixed,
        connect=[("damper.flange_a", "ground.flange"), ("damper.flange_b", "rev.flange")],
    )
    assert result["rev.phi"][-1] == pytest.approx(final, abs=0.0051)


def test_mistakes_are_refused_by_name():
    def refused(match, gravity):
        with pytest.raises(ModelError, match=match):
            instantiate(Model3D(world=world(gravity()), box=free(), frame=Object3D(parent="box")))

    with pytest.raises(ModelError, match=r"unknown name 'r'.*an expression of x, y, z"):
        UserGravity(("0", "-9.81*r", "0"))
    refused(r"acceleration of UserGravity.*three expressions", lambda: UserGravity(("0", "0")))
    refused(r"'<lambda>' does not fit.*2 arguments.*3 arguments", lambda: UserGravity(lambda x, y: (x, y, 0.0)))
    refused(r"there is no Object3D 'bix'.*box", lambda: GravityPool(1.0, ["bix"]))
    refused(r"'frame' cannot be a body of a GravityPool.*no mass", lambda: GravityPool(1.0, ["frame"]))
    refused(r"G of GravityPool.*greater than 0", lambda: GravityPool(-1.0))
