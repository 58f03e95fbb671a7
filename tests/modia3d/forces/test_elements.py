"""Force elements are declared in one file each: one from outside, a rope, and what a declaration must not forget."""

import importlib
import math

import numpy as np
import pytest

from modia3d import (
    Bushing,
    GravityPool,
    MassProperties,
    Model3D,
    Object3D,
    PointGravity,
    Prismatic,
    Rope,
    Solid,
    SpringDamperPtP,
    UniformGravity,
    UserGravity,
    WorldForce,
    WorldTorque,
)
from modia3d.files import read_scenario
from modia3d.files.writer import scenario_text
from modia3d.forces import NOTHING, Declaration, ForceElement, Row
from modia3d.forces.registry import ELEMENTS
from modiapy import ModelError, instantiate

from ..scenes import world
from . import cubic_spring

pytestmark = pytest.mark.white_box

CubicSpring = cubic_spring.CubicSpring
INERTIA = {"Ixx": 0.3, "Iyy": 0.2, "Izz": 0.4}


def body(mass=2.0, **fields):
    solid = Solid(mass_properties=MassProperties(mass=mass, **INERTIA))
    return Object3D(parent="world", fixed_to_parent=False, feature=solid, **fields)


# -- one from outside -----------------------------------------------------------------------------------------------------


def test_an_element_from_outside_pulls_as_its_law_says():
    model = Model3D(world=world(), a=body(translation=(0.5, 0, 0)), spring=CubicSpring("world", "a", stiffness=16.0))
    result = instantiate(model).simulate(3.0, tolerance=1e-10)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert result["mechanics.potential_energy"][0] == pytest.approx(16.0 * 0.5**4 / 4, rel=1e-14)
    assert energy == pytest.approx(np.full_like(energy, 0.25), rel=1e-7)
    # m x'' = -k x^3 from x0 at rest: a quarter of the period is K(1/2) / x0 * sqrt(m / k), K(1/2) = Gamma(1/4)^2 / (4 sqrt(pi))
    quarter = math.gamma(0.25) ** 2 / (4 * math.sqrt(math.pi)) / 0.5 * math.sqrt(2.0 / 16.0)
    x = result["a.r_abs"][:, 0]
    k = int(np.argmax(x < 0))
    crossing = result.time[k - 1] + x[k - 1] * (result.time[k] - result.time[k - 1]) / (x[k - 1] - x[k])
    assert crossing == pytest.approx(quarter, abs=1e-4)


def test_a_scenario_knows_an_element_from_outside(tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text(
        "modia3d: 1\n"
        "model:\n"
        "  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}\n"
        "  a: {Object3D: {parent: world, fixed_to_parent: false, translation: [0.5, 0, 0],\n"
        "      feature: {Solid: {mass_properties: {MassProperties: {mass: 2, Ixx: 1, Iyy: 1, Izz: 1}}}}}}\n"
        "  spring: {CubicSpring: [world, a, 16]}\n"
        "simulation: {stop_time: 0.1}\n"
    )
    model = read_scenario(file).model
    result = instantiate(model).simulate(0.1)
    assert result["mechanics.potential_energy"][0] == pytest.approx(0.25, rel=1e-14)
    assert "CubicSpring: {obj1: world, obj2: a, stiffness: 16}" in scenario_text(model)


def test_nothing_is_compiled_after_the_start_though_an_element_is_from_outside():
    model = Model3D(world=world(), a=body(translation=(0.5, 0, 0)), spring=CubicSpring("world", "a", stiffness=16.0))
    assert instantiate(model).simulate(0.1).statistics["compilations_after_start"] == 0


# -- what a declaration must say ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forgotten", ["row", "wrench", "energy", "loss", "outer_power"])
def test_what_a_declaration_forgets_is_an_error_with_the_name_of_the_element(forgotten):
    given = {"row": Row(), "wrench": cubic_spring.add_wrenches, "energy": NOTHING, "loss": NOTHING, "outer_power": NOTHING}
    del given[forgotten]
    with pytest.raises(ModelError, match=rf"force element 'Magnet' is not declared.*nothing about {forgotten}"):
        Declaration("Magnet", **given)


def test_an_element_without_a_declaration_is_an_error_where_its_class_is_defined():
    with pytest.raises(ModelError, match="force element 'Magnet' has no declaration"):
        type("Magnet", (ForceElement,), {})


def test_a_second_element_of_one_name_is_refused():
    from modia3d.forces import add_element

    with pytest.raises(ModelError, match=r"'CubicSpring'.*expected a new name"):
        add_element(cubic_spring.CubicSpringForce)


def test_each_element_is_declared_by_its_name():
    for name, module in ELEMENTS.items():
        there = vars(importlib.import_module(f"modia3d.forces.elements.{module}")).values()
        elements = (made for made in there if isinstance(made, type) and issubclass(made, ForceElement))
        assert [cls.declared.name for cls in elements if cls is not ForceElement].count(name) == 1


# -- energies of all of them ----------------------------------------------------------------------------------------------


def field(x, y, z):
    return (-y, x, -0.5 * z)


SPRINGS = {"stiffness": (300.0, 200.0, 100.0), "damping": (2.0, 1.0, 3.0)}
TURNING = {"rotational_stiffness": (3.0, 2.0, 1.0), "rotational_damping": (0.2, 0.1, 0.3)}
ALL = {
    "Bushing": {"f": Bushing("a", "b", **SPRINGS, **TURNING, nominal_force=(1, 2, 3), nominal_torque=(0.1, 0.2, 0.3))},
    "SpringDamperPtP": {"f": SpringDamperPtP("a", "b", stiffness=80.0, damping=3.0, nominal_length=0.3, nominal_force=2.0)},
    "Rope": {"f": Rope("a", "b", length=0.4, stiffness=80.0, dissipation=0.8)},
    "WorldForce": {"f": WorldForce("a", (3.0, -1.0, 2.0), resolved_in="b")},
    "WorldTorque": {"f": WorldTorque("a", (0.3, -0.1, 0.2), resolved_in="b")},
    "CubicSpring": {"f": CubicSpring("a", "b", stiffness=50.0)},
    "PointGravity": {"gravity": PointGravity(mu=4.0, position=(0, 0, 2))},
    "GravityPool": {"gravity": GravityPool(G=2.0)},
    "UserGravity": {"gravity": UserGravity(field)},
}


def test_every_element_is_among_those_whose_energies_are_compared():
    assert set(ELEMENTS) <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_power_of_the_forces_is_what_energies_and_losses_say(name):
    """``d/dt (kinetic + potential) = outer power - loss`` along a motion: each of the kernels is checked by the others."""
    entries = dict(ALL[name])
    a = body(translation=(0.1, 0.2, 0.0), velocity=(0.3, -0.2, 0.1), angular_velocity=(0.5, 0.4, -0.3))
    b = body(3.0, translation=(0.7, 0.1, 0.2), rotation=(0.2, 0.1, -0.1), velocity=(0.6, 0.2, 0.0))
    model = Model3D(world=world(entries.pop("gravity", None)), a=a, b=b, **entries)
    result = instantiate(model).simulate(0.5, interval=0.5 / 2000, tolerance=1e-10)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    power = result["mechanics.force_power"] - result["mechanics.dissipated_power"]
    summed = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.time))])
    assert np.ptp(result["mechanics.kinetic_energy"]) > 1e-3
    assert energy - energy[0] == pytest.approx(summed, abs=2e-6 * np.abs(energy).max())


# -- the rope -------------------------------------------------------------------------------------------------------------


def hanging(rope, v=0.0):
    return Model3D(
        world=world(UniformGravity(n=(0, -1, 0))), joint=Prismatic("world", "a", axis="y", v=v),
        a=Object3D(feature=Solid(mass_properties=MassProperties(mass=2.0, **INERTIA))), rope=rope,
    )  # fmt: skip


def test_a_body_falls_freely_until_the_rope_is_taut_and_swings_back_as_high():
    m, k, length, g = 2.0, 800.0, 0.5, 9.81
    result = instantiate(hanging(Rope("world", "a", length, k))).simulate(2.0, interval=0.001, tolerance=1e-10)
    t, y = result.time, result["a.r_abs"][:, 1]
    fall = math.sqrt(2 * length / g)
    v, w = g * fall, math.sqrt(k / m)
    rest = g / w**2
    amplitude, taut = math.hypot(rest, v / w), 2 * (math.pi - math.atan2(v / w, rest)) / w
    free = t < fall
    assert y[free] == pytest.approx(-0.5 * g * t[free] ** 2, abs=1e-7)
    assert -y.min() == pytest.approx(length + rest + amplitude, abs=2e-5)
    back = 2 * fall + taut
    again = np.abs(t - back) < 0.05
    assert y[again] == pytest.approx(-0.5 * g * (t[again] - back) ** 2, abs=1e-6)


def test_what_a_taut_rope_takes_is_what_hunt_and_crossley_say():
    """Without gravity the speed v before and u after obey ``G(v) = G(-u)``, ``G(v) = v/c - log(1 + c*v)/c**2``."""
    c, v = 0.6, 1.2
    model = Model3D(
        world=world(), joint=Prismatic("world", "a", axis="y", s=-0.4, v=-v), rope=Rope("world", "a", 0.5, 900.0, c),
        a=Object3D(feature=Solid(mass_properties=MassProperties(mass=2.0, **INERTIA))),
    )  # fmt: skip
    result = instantiate(model).simulate(0.5, interval=1e-4, tolerance=1e-10)
    u = result["a.v_abs"][-1, 1]

    def G(speed):
        return speed / c - math.log1p(c * speed) / c**2

    assert G(v) == pytest.approx(G(-u), abs=1e-7)
    assert u < 0.75 * v
    taken = np.sum(0.5 * (result["mechanics.dissipated_power"][1:] + result["mechanics.dissipated_power"][:-1]) * 1e-4)
    assert taken == pytest.approx(0.5 * 2.0 * (v**2 - u**2), rel=1e-5)


def test_a_rope_between_two_frames_of_one_body_or_at_a_massless_point_is_refused_or_warned_of():
    with pytest.raises(ModelError, match="both ends are the same frame"):
        instantiate(Model3D(world=world(), a=body(), rope=Rope("a", "a", 1.0, 10.0)))
    point = Object3D(parent="world", fixed_to_parent=False)
    with pytest.raises(ModelError, match=r"'rope' cannot act at the massless point 'p'.*slack"):
        instantiate(
            Model3D(
                world=world(), a=body(translation=(1, 0, 0)), p=point,
                rope=Rope("world", "p", 1.0, 10.0), spring=SpringDamperPtP("p", "a", 1.0),
            )
        )  # fmt: skip


@pytest.mark.parametrize(("field", "value"), [("length", -1.0), ("stiffness", -1.0), ("dissipation", -0.1)])
def test_fields_of_a_rope_are_checked(field, value):
    fields = {"length": 1.0, "stiffness": 10.0} | {field: value}
    with pytest.raises(ModelError, match=f"{field} of Rope"):
        instantiate(Model3D(world=world(), a=body(translation=(2, 0, 0)), rope=Rope("world", "a", **fields)))
