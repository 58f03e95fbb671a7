"""More tests of Modia3D (folders Basic, ForceElements, Tutorial): final states, uncertainties and all shapes written there."""

import math

import numpy as np
import pytest
import trimesh
from scipy.integrate import solve_ivp

from modia3d import (
    Beam,
    Box,
    Bushing,
    Capsule,
    Cone,
    CoordinateSystem,
    Cylinder,
    Distance,
    Ellipsoid,
    Fix,
    FreeMotion,
    GearWheel,
    Grid,
    MassProperties,
    MassPropertiesFromShape,
    MassPropertiesFromShapeAndMass,
    Mesh,
    Model3D,
    Object3D,
    Prismatic,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Sphere,
    SpringDamperPtP,
    SpringShape,
    Text,
    UniformGravity,
    Visual,
    VisualMaterial,
)
from modia3d.scene.basics.rotations import rotation_matrix
from modia3d.viewer.animation import animate
from modiapy import Map, Model, ModelError, Par, SimulationError, Var, instantiate
from modiapy.library.rotational import Damper, Fixed

from ..scenes import body, free, run, world
from .test_modia3d import assert_ends, down

pytestmark = pytest.mark.white_box


def degrees(*angles):
    return tuple(math.radians(angle) for angle in angles)


def in_body(result, name):
    """Angular velocity in the axes of the body over time."""
    return np.einsum("tji,tj->ti", result[f"{name}.R_abs"], result[f"{name}.w_abs"])


BAR = Model(
    m=0.1,
    Lx=0.1,
    Ly=Par(value="0.2*Lx"),
    Lz=Par(value="0.2*Lx"),
    look=VisualMaterial(color="DeepSkyBlue", transparency=0.5),
    frame0=Object3D(
        feature=Solid(shape=Beam("Lx", "Ly", "Lz", "x"), mass_properties=MassProperties(mass="m"), visual_material="look")
    ),
    frame1=Object3D(
        parent="frame0",
        translation="[-Lx/2, 0.0, 0.0]",
        feature=Visual(shape=Cylinder("Ly/2", "1.2*Lz", "z"), visual_material="look"),
    ),
)
DAMPED = Model(
    damper=Damper,
    fixed=Fixed,
    connect=[("damper.flange_b", "pendulum.rev.flange"), ("damper.flange_a", "fixed.flange")],
)


def test_pendulum_with_bar_in_a_larger_model():
    """PendulumWithBar1, PendulumWithParameterizedDamper: parameters and a material go down two models, changed above."""
    pendulum = Model3D(
        m=1.0,
        Lx=0.1,
        world=Object3D(feature=Scene()),
        axes=Object3D(parent="world", feature=Visual(shape=CoordinateSystem(length="Lx/2"))),
        bar=BAR | Map(m="m", Lx="Lx"),
        rev=RevoluteWithFlange("world", "bar.frame1"),
    )
    changes = Map(Lx=1.0, m=2.0, rev=Map(phi=Var(init=1.0)), bar=Map(look=VisualMaterial(color="Red")))
    sim = instantiate(Model(pendulum=pendulum | changes) | DAMPED | Map(damper=Map(d=0.5)))
    result = sim.simulate(10.0, tolerance=1e-9)
    assert_ends(result["pendulum.rev.phi"], -1.578178763749515)
    assert_ends(result["pendulum.rev.w"], 0.06153191687388868)
    colors = {frame.material.rgb for frame in animate(result, sim.flat.components.items()).seen if "bar" in frame.name}
    assert colors == {(1.0, 0.0, 0.0)}


def test_pendulum_of_aluminium():
    """PendulumWithBar2."""
    solid = Solid(Beam("Lx", "0.2*Lx", "0.2*Lx", "x"), "Aluminium", MassPropertiesFromShape())
    pendulum = Model3D(
        Lx=1.0,
        world=Object3D(feature=Scene()),
        frame0=Object3D(feature=solid),
        frame1=Object3D(parent="frame0", translation="[-Lx/2, 0.0, 0.0]"),
        rev=RevoluteWithFlange("world", "frame1", phi=Var(init=1.0)),
    )
    result = instantiate(Model(pendulum=pendulum) | DAMPED | Map(damper=Map(d=40.0))).simulate(6.0, tolerance=1e-9)
    assert_ends(result["pendulum.rev.phi"], -1.47312952226279)
    assert_ends(result["pendulum.rev.w"], -0.5146766053301051)


@pytest.mark.parametrize("d", [0.0, 100.0], ids=["Pendulum2", "Pendulum3"])
def test_pendulums_of_the_tutorial(d):
    """No figures are given there: the equation of a beam (a rectangle between two half cylinders) integrated by scipy."""
    length, width, density, g = 1.0, 0.2, 7850.0, 9.81
    bar, ends = length * width * width * density, math.pi / 4.0 * width * width * width * density
    radius, m = width / 2.0, bar + ends
    offset = 4.0 * radius / (3.0 * math.pi)  # of the centroid of a half disk
    disk = ends * (radius**2 / 2.0 - offset**2 + (length / 2.0 + offset) ** 2)
    I = bar * (length**2 + width**2) / 12.0 + disk + m * length**2 / 4.0
    result = run(
        3.0,
        world=down(),
        obj1=Object3D(feature=Solid(Beam(length, width, width, "x"), solid_material="Steel")),
        obj2=Object3D(parent="obj1", translation=(-0.5, 0.0, 0.0), feature=Visual(Cylinder(0.1, 0.21))),
        rev=RevoluteWithFlange("world", "obj2"),
        damper=Damper | Map(d=d),
        fixed=Fixed,
        connect=[("damper.flange_b", "rev.flange"), ("damper.flange_a", "fixed.flange")],
    )

    def rhs(_, y):
        return y[1], (-m * g * length / 2.0 * math.cos(y[0]) - d * y[1]) / I

    expected = solve_ivp(rhs, (0.0, 3.0), (0.0, 0.0), "DOP853", t_eval=result.time, rtol=1e-12, atol=1e-12).y
    np.testing.assert_allclose(result["rev.phi"], expected[0], atol=1e-7)
    np.testing.assert_allclose(result["rev.w"], expected[1], atol=1e-6)


def test_three_kinds_of_joints():
    """ModelsForPrecompilation. Its angle of the pendulum, -7.0597e-6, is off by 1e-3: half of w t is -7.0499e-6."""
    result = run(
        1e-3,
        world=down(),
        body1=Object3D(feature=Solid(Beam(1.0, 0.1, 0.1, "x"), "Aluminium")),
        frame1=Object3D(parent="body1", translation=(-0.5, 0.0, 0.0)),
        rev=Revolute("world", "frame1"),
        body2=Object3D(feature=Solid(Box(1.0, 0.1, 0.1), mass_properties=MassProperties(mass=1.0))),
        prism=Prismatic("world", "body2", axis=(0.0, 20.0, 0.0)),
        body3=Object3D(
            parent="world",
            fixed_to_parent=False,
            translation=(0.0, 1.0, 0.0),
            angular_velocity=(10.0, 0.0, -5.0),
            feature=Solid(Sphere(0.2), "Steel", MassPropertiesFromShapeAndMass(mass=0.001)),
        ),
    )
    assert result["rev.w"][-1] == pytest.approx(-0.01409972769199364, rel=1e-6)
    assert result["rev.phi"][-1] == pytest.approx(-0.01409972769199364 * 1e-3 / 2.0, rel=1e-5)
    assert result["prism.v"][-1] == pytest.approx(-0.00981)
    assert result["prism.s"][-1] == pytest.approx(-4.905e-6)
    assert result["body3.r_abs"][-1] == pytest.approx([0.0, 1.0 - 4.905e-6, 0.0], abs=1e-10)
    end = rotation_matrix((0.009999952436232525, -2.5034486890006063e-5, -0.004999904940503696))
    np.testing.assert_allclose(result["body3.R_abs"][-1], end, atol=1e-7)


@pytest.mark.parametrize("orientation", ["quaternion", "auto", "xzy"])
@pytest.mark.parametrize("joint", [False, True])
def test_shaft_through_a_cardan_singularity(orientation, joint):
    """FreeShaft- and ShaftFreeMotionAdaptiveRotSequence: it starts where the sequence x, y, z is singular."""
    properties = MassProperties(84.7154, (0.0, 0.0, 0.0), 7.2711, 7.2711, 0.4230)
    angles = degrees(30, 90, 10)
    motion = {
        "rotation": angles,
        "velocity": (0.0, 0.1, 0.0),
        "angular_velocity": rotation_matrix(angles) @ (-2.0, 0.0, 0.0),
        "orientation": orientation,
    }
    solid = Solid(Cylinder(0.2, 1.0), mass_properties=properties)
    parts = {"shaft": Object3D(parent="world", fixed_to_parent=False, feature=solid, **motion)}
    if joint:
        parts = {"shaft": Object3D(feature=solid), "free": FreeMotion("world", "shaft", **motion)}
    result = run(7.0, world=world(UniformGravity(0.3, "-z")), **parts)
    assert result["shaft.r_abs"][-1] == pytest.approx([0.0, 0.7, -7.35], abs=1e-4)
    assert result["shaft.v_abs"][-1] == pytest.approx([0.0, 0.1, -2.1], abs=1e-6)
    assert in_body(result, "shaft")[-1] == pytest.approx([-2.0, 0.0, 0.0], abs=1e-9)
    x, z, y = 0.6981317007977381, 1.4336293856408397, 1.5707963267949017
    end = rotation_matrix((x, 0, 0)) @ rotation_matrix((0, 0, z)) @ rotation_matrix((0, y, 0))
    np.testing.assert_allclose(result["shaft.R_abs"][-1], end, atol=1e-7)


def test_a_singular_start_is_refused_by_name():
    shaft = free(rotation=degrees(30, 90, 10), orientation="xyz")
    with pytest.raises(SimulationError, match=r"shaft: .*orientation is singular.*'xyz'.*orientation='auto'"):
        instantiate(Model3D(world=world(), shaft=shaft)).simulate(1.0)


def test_two_boxes_and_a_sensor():
    """BoxForceSensorResult. The sensor's values are not given there: it must measure the motion of both."""
    result = run(
        6.0,
        world=down("-z"),
        box1=free(translation=(0.2, 0.1, 0.05), rotation=(0.12, 0.06, 0.03)),
        box2=free(),
        corner=Object3D(parent="box2", translation=(0.05, 0.05, 0.05)),
        axes=Object3D(parent="world", rotation=degrees(23, 45, 67)),
        force1=Bushing("world", "box1", (50, 100, 200), (1, 2, 4), (5, 10, 20), (0.1, 0.2, 0.4)),
        force2=SpringDamperPtP("world", "corner", stiffness=100.0, damping=2.0),
        sensor=RelativeSensor("box2", "box1", resolved_in="axes", quantities=("r", "R", "v")),
        distance=Distance("box2", "box1"),
    )
    assert_ends(result["box1.r_abs"], [-0.0016107113217414199, -0.0002480705395490782, -0.049050349752476706])
    assert_ends(result["box1.v_abs"], [0.07029162030881492, 2.2312117805489287e-5, -6.372913904848077e-6])
    assert_ends(in_body(result, "box1"), [0.042388263052657665, 0.00010086233694909848, -5.551141011115388e-6])
    assert_ends(result["box2.r_abs"], [0.05646126021462138, 0.0564613884676648, -0.12716607892200024])
    assert_ends(result["box2.v_abs"], [0.2920400985011993, 0.2920398970084984, 0.04549365682408229])
    assert_ends(in_body(result, "box2"), [0.29439337230022455, -0.29439394783827416, 5.036863759629742e-7])
    R1, R2 = result["box1.R_abs"][-1], result["box2.R_abs"][-1]
    end = rotation_matrix((-0.0010449353993963431, -0.0001514824927969645, -2.4593890216411865e-7))
    np.testing.assert_allclose(R1, end, atol=1e-6)
    end = rotation_matrix((2.1980798016988854, -0.6805794882560942, 1.213379900814701))
    np.testing.assert_allclose(R2, end, atol=1e-5)

    axes = rotation_matrix(degrees(23, 45, 67))
    apart = result["box1.r_abs"][-1] - result["box2.r_abs"][-1]
    measured = [result[f"sensor.r.{k}"][-1] for k in "xyz"]
    np.testing.assert_allclose(axes @ measured, apart, atol=1e-12)
    assert result["distance.s"][-1] == pytest.approx(np.linalg.norm(apart))
    seen = result["box1.v_abs"][-1] - result["box2.v_abs"][-1] - np.cross(result["box2.w_abs"][-1], apart)
    np.testing.assert_allclose(axes @ [result[f"sensor.v.{k}"][-1] for k in "xyz"], seen, atol=1e-12)
    assert result["sensor.R.xz"][-1] == pytest.approx((R2.T @ R1)[0, 2], abs=1e-12)


def test_box_on_a_spring_of_no_length():
    """Basic/BoxSpringDamperPtP. That its last digits are the integrator's says scipy, with 1e-12."""
    k, d, g = 100.0, 2.0, np.array([0.0, 0.0, -9.81])
    result = run(
        6.0,
        world=down("-z"),
        box=body(),
        joint=FreeMotion("world", "box", (0.1, 0.2, 0.3)),
        force=SpringDamperPtP("world", "box", stiffness=k, damping=d),
    )

    def rhs(_, y):
        r, v = y[:3], y[3:]
        e = r / np.linalg.norm(r)
        return np.concatenate([v, g - k * r - d * (v @ e) * e])

    exact = solve_ivp(rhs, (0.0, 6.0), (0.1, 0.2, 0.3, 0.0, 0.0, 0.0), "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    end = np.concatenate([result["box.r_abs"][-1], result["box.v_abs"][-1]])
    np.testing.assert_allclose(end, exact, atol=1e-8)
    expected = (-0.026549009773552276, -0.05309801954749593, -0.10117097852565102)
    assert_ends(result["box.r_abs"], expected)
    assert_ends(result["box.v_abs"], (0.0144068779028959, 0.028813755813570235, 0.02595802582858583))


def test_harmonic_oscillator_without_a_nominal_force():
    """Basic/HarmonicOscillator."""
    bushing = Bushing("world", "box", (0, 0, 100.0), (0, 0, 2.0))
    result = run(5.0, world=down("-z"), box=body(), joint=Prismatic("world", "box", "z"), force=bushing)
    assert_ends(result["joint.s"], -0.09755848695453585)
    assert_ends(result["joint.v"], 0.0032763240987720987)


UNCERTAIN = {  # final value and its standard deviation: positions, velocities, angles
    True: (
        (-0.013215277601760956, 0.10238262257381348),
        (0.0005526103273748118, 0.0034290441668571774),
        (-0.04904665489506527, 0.024454889113053886),
        (0.07579851089880853, 0.6989650278803374),
        (0.0033419359041493876, 0.08002469080591593),
        (-4.9715423211640314e-5, 0.00044925302816920573),
        (-0.0567101057097755, 0.5086539247889504),
        (0.0009601261505964376, 0.00017381365017344816),
        (4.346670031167073e-5, 0.000775684386519148),
    ),
    False: (
        (-0.013215277601552635, 0.10238262252917202),
        (0.0005526103197354207, 0.0034290442242695743),
        (-0.049046654893074346, 0.02445488915038268),
        (0.0757985108632449, 0.6989650278303001),
        (0.003341935959151564, 0.08002468988356412),
        (-4.971539341264976e-5, 0.0004492536593590073),
        (-0.008050262232562722, 0.061052026485471915),
        (0.000349394588935699, 0.0018088785905316534),
        (1.46263089343343e-6, 1.0759148476334787e-5),
    ),
}


@pytest.mark.parametrize("large_angles", [True, False])
def test_uncertain_mass_and_inertia(large_angles):
    """BoxBushing_Measurements: 1 kg with a deviation of 0.5, 0.1 kg.m2 with 0.05, propagated linearly.

    There with numbers that carry derivatives, here with differences of simulations of one compiled model.
    """
    angles = (0.8, 0.4, 0.2) if large_angles else (0.12, 0.06, 0.03)
    properties = MassProperties(mass="mass", Ixx="inertia", Iyy="inertia", Izz="inertia")
    box = Object3D(parent="world", fixed_to_parent=False, translation=(0.2, 0.1, 0.05), rotation=angles)
    bushing = Bushing(
        *("world", "box", (50, 100, 200), (1, 2, 4), (5, 10, 20), (0.1, 0.2, 0.4)),
        large_angles=large_angles,
    )
    sim = instantiate(
        Model3D(
            mass=1.0,
            inertia=0.1,
            world=down("-z"),
            box=box | Map(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=properties)),
            force=bushing,
        )
    )

    def end(**changes):
        result = sim.simulate(5.0, tolerance=1e-11, interval=5.0, merge=changes)
        R = result["box.R_abs"][-1]
        cardan = math.atan2(-R[1, 2], R[2, 2]), math.asin(R[0, 2]), math.atan2(-R[0, 1], R[0, 0])
        return np.array([*result["box.r_abs"][-1], *result["box.v_abs"][-1], *cardan])

    of_mass = (end(mass=1.0 + 1e-3) - end(mass=1.0 - 1e-3)) / 2e-3
    of_inertia = (end(inertia=0.1 + 1e-4) - end(inertia=0.1 - 1e-4)) / 2e-4
    value, deviation = np.transpose(UNCERTAIN[large_angles])
    np.testing.assert_allclose(end(), value, atol=1e-8)
    np.testing.assert_allclose(np.hypot(0.5 * of_mass, 0.05 * of_inertia), deviation, rtol=2e-3)


def test_all_shapes(tmp_path):
    """AllShapes: every shape as solid and to be seen; those of Modelica's visualizers are the same ones here."""
    file = tmp_path / "tetrahedron.obj"
    trimesh.creation.icosphere(subdivisions=1, radius=0.3).export(file)
    solids = {
        "sphere": Sphere(0.5),
        "ellipsoid": Ellipsoid(0.6, 0.9, 0.3),
        "box": Box(0.9, 0.5, 0.3),
        "cylinder": Cylinder(0.5, 0.8),
        "pipe": Cylinder(0.5, 0.8, inner_diameter=0.45),
        "cone": Cone(0.3, 0.7, "z"),
        "frustum": Cone(0.3, 0.7, "z", top_diameter=0.15),
        "capsule": Capsule(0.4, 0.45),
        "beam": Beam(0.4, 0.5, 0.3, "x"),
        "mesh": Mesh(str(file), scale=0.5),
    }
    marks = {
        "axes": CoordinateSystem(0.7),
        "grid": Grid(1.0, 0.05, "z"),
        "spring": SpringShape(length=0.8, coil_diameter=0.26, wire_diameter=0.04, windings=5, axis="z"),
        "wheel": GearWheel(0.5, 0.8, teeth=16, axis="z", inner_diameter=0.25),
        "text": Text("Modia3D", axis="y"),
    }
    green = VisualMaterial(color="Green", transparency=0.75)
    parts = {}
    for k, (name, shape) in enumerate((solids | marks).items()):
        parts[f"visual_{name}"] = Object3D(parent="world", feature=Visual(shape, green), translation=(k, 0.0, 1.0))
    for k, (name, shape) in enumerate(solids.items()):
        feature = Solid(shape, "Steel", MassPropertiesFromShapeAndMass(mass=4.5))
        parts[f"solid_{name}"] = Object3D(parent="world", feature=feature, translation=(k, 0.0, 0.0))
    parts["solid_ellipsoid"] = Object3D(feature=Solid(solids["ellipsoid"], "DryWood"))
    parts["joint"] = FreeMotion("world", "solid_ellipsoid", translation=(-6.0, 0.0, 0.0))
    parts["solid_box"] = Object3D(feature=Solid(solids["box"], "Steel"))
    parts["fix"] = Fix("world", "solid_box", translation=(-5.0, 0.0, 0.0))
    sim = instantiate(Model3D(world=down("-z"), **parts))
    result = sim.simulate(0.1)
    assert result["solid_ellipsoid.r_abs"][-1] == pytest.approx([-6.0, 0.0, -0.5 * 9.81 * 0.01], abs=1e-6)
    assert result["solid_box.r_abs"][-1] == pytest.approx([-5.0, 0.0, 0.0], abs=1e-15)
    shown = animate(result, sim.flat.components.items())
    assert len(shown.seen) == len(solids) * 2 + len(marks)


def test_two_frames_without_parent():
    """Object3DWithoutParentError."""
    rev = RevoluteWithFlange("world", "bar.frame1")
    with pytest.raises(ModelError, match=r"bar\.frame2: an assembly that can move freely has no mass.*a parent or a joint"):
        instantiate(Model3D(world=world(), bar=BAR | Model(frame2=Object3D()), rev=rev))


def test_a_material_that_no_parameter_holds_is_looked_up_in_the_palette():
    solid = Solid(Box(0.1, 0.1, 0.1), "Steel", visual_material="look")
    with pytest.raises(ModelError, match="unknown visual material 'look'"):
        instantiate(Model3D(world=world(), box=Object3D(parent="world", feature=solid), look=3.0))
