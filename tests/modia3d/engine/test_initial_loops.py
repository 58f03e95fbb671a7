"""Loops at the start: what is fixed is kept, the rest is moved as little as can be, and what cannot be closed is told."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import (
    Cylindrical,
    FreeMotion,
    Model3D,
    NoGravity,
    Object3D,
    PinSlot,
    Planar,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    RodConstraint,
    Scene,
    Screw,
    Spherical,
    UniformGravity,
    Universal,
)
from modia3d import InitialPose as WantedPose
from modia3d.constraints.kinds.constraint import rows_of
from modia3d.constraints.kinds.cut_joint import CutJoint
from modia3d.engine.initial_loops import Kept, close_loops, close_with_guesses
from modia3d.engine.motion.configuration import Configuration
from modia3d.scene.basics.rotations import rotation_matrix
from modia3d.scene.frame import Frame
from modia3d.scene.initial_pose import InitialPose
from modia3d.scene.joints import FixedJoint, RevoluteJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.states import initial_state, initial_structure
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library.rotational import Flange, IdealGear, Inertia
from tests.modia3d.constraints.test_mechanisms import bar
from tests.modia3d.scenes import body
from tests.modia3d.topology.scenes import solid, world

pytestmark = pytest.mark.white_box

CRANK, ROD, ROCKER, GROUND = 0.5, 2.0, 1.5, 2.0
ENDS = {"motor": ("world", "crank"), "knee": ("crank_tip", "rod"), "pivot": ("far", "rocker"), "pin": ("rocker_tip", "rod_tip")}
NONE = Kept.none()


def four_bar(crank=1.0, rocker=ROCKER, **fields):
    """Crank of a mass, rod and rocker of a length in a plane; ``fields`` of the joints by their names."""
    objects = {"world": world(), "far": Frame(parent="world", translation=(GROUND, 0, 0))}
    for name, mass, length in (("crank", crank, CRANK), ("rod", 2.0, ROD), ("rocker", 3.0, rocker)):
        objects |= {name: Frame(feature=solid(mass)), f"{name}_tip": Frame(parent=name, translation=(length, 0, 0))}
    return build_graph(objects | {name: RevoluteJoint(*ends, **fields.get(name, {})) for name, ends in ENDS.items()})


def present(graph, states):
    """Where everything is with these initial states."""
    forest = spanning_forest(graph, initial_structure(graph, states))
    x, n = initial_state(graph, forest, states), forest.n_equation
    q, v = np.zeros(forest.nq), np.zeros(forest.nv)
    for edge in graph.prescribed_joints:
        (q[edge.equation],), (v[edge.equation],) = states[edge.name]
    q[n:], v[n:] = np.split(x, [forest.nq - n])
    return Configuration(forest, q, v)


def is_closed(there):
    rows = rows_of([CutJoint.of(there.forest.graph, cut) for cut in there.forest.cuts], there)
    return max(np.abs(rows.residual).max(), np.abs(rows.G @ there.v).max()) < 1e-9


def analytic(phi, side=-1):
    """Angle of the rocker at the crank angle phi, on either side of the line from the crank's tip to the rocker's pivot."""
    x, y = GROUND - CRANK * math.cos(phi), -CRANK * math.sin(phi)
    d = math.hypot(x, y)
    return math.atan2(y, x) + math.pi + side * math.acos((d * d + ROCKER**2 - ROD**2) / (2.0 * d * ROCKER))


@given(st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), st.sampled_from([{}, {"cut": True}]))
@settings(deadline=None, max_examples=25)
def test_what_is_fixed_is_kept_and_the_others_follow(phi, w, where):
    """The crank is fixed, also where it is the one that is cut; the rocker is where the lengths say, and as fast."""
    graph = four_bar(motor={"phi": phi, "w": w, "fixed": True, **where}, pivot={"phi": 1.8}, knee={"phi": 0.5 - phi})
    there = present(graph, close_loops(graph, {}, {}, NONE).states)
    assert is_closed(there)
    (q,), (v,) = there.state_of("motor")
    assert (q, v) == pytest.approx((phi, w), abs=1e-9)
    (q,), (v,) = there.state_of("pivot")
    h = 1e-5
    side = min((-1, 1), key=lambda side: abs(math.remainder(q - analytic(phi, side), 2.0 * math.pi)))
    assert math.remainder(q - analytic(phi, side), 2.0 * math.pi) == pytest.approx(0.0, abs=1e-8)
    assert side == -1 or where  # far from the guesses it may be the other side
    assert v == pytest.approx(
        w * math.remainder(analytic(phi + h, side) - analytic(phi - h, side), 2.0 * math.pi) / (2.0 * h), abs=1e-6
    )


def test_nothing_moves_where_the_loop_is_closed_already():
    graph = four_bar(motor={"phi": 0.7, "fixed": True}, pivot={"phi": 1.8})
    closing = close_loops(graph, {}, {}, NONE)
    assert set(closing.states) == {"knee", "pivot"}
    again = close_loops(graph, {}, closing.states, NONE)
    assert again.states == {}


def test_the_change_is_the_least_one_in_the_metric_of_the_mass_matrix():
    """A heavy crank stays where it is, a light one gives way."""

    def moved(mass):
        graph = four_bar(mass, motor={"phi": 1.0}, knee={"phi": -0.5}, pivot={"phi": 1.7})
        return abs(close_loops(graph, {}, {}, NONE).moved["motor"][0])

    assert moved(1e4) < 1e-2 * moved(1e-2)


def test_a_loop_that_cannot_be_closed_is_named_with_what_is_left_and_what_is_fixed():
    graph = four_bar(rocker=0.2, motor={"phi": 0.0, "fixed": True})
    with pytest.raises(ModelError) as caught:
        close_loops(graph, {}, {}, NONE)
    text = str(caught.value)
    for words in ("pin: a loop cannot be closed", "pin (position x) ", " m", "in the loop: ", "fixed: motor", "fix less"):
        assert words in text
    assert {name for name in ENDS if name in text} == set(ENDS)


@pytest.mark.parametrize(("field", "what", "unit", "k"), [
    ("translation", "position", "m", 0), ("rotation", "orientation", "rad", 2),
    ("velocity", "rate of position", "m/s", 2), ("angular_velocity", "rate of orientation", "rad/s", 0),
])  # fmt: skip
def test_what_is_left_of_a_wanted_pose_or_motion_is_told_with_its_unit(field, what, unit, k):
    wanted = [0.0, 0.0, 0.0] if field == "rotation" else [None] * 3
    wanted[k] = 5.0 if field == "translation" else 1.0
    motor = {"phi": 1.0, "w": 0.0, "fixed": True}
    graph = four_bar(motor=motor, knee={"phi": -0.5}, pivot={"phi": 1.8})
    with pytest.raises(ModelError, match=rf"pose \({what} {'xyz'[k]}\) -?[\d.e-]+ {unit}[,;]"):
        close_loops(graph, {"pose": InitialPose("rocker_tip", **{field: wanted})}, {}, NONE)


def test_two_speeds_that_contradict_each_other_are_named():
    fixed = {"motor": {"phi": 0.7, "w": 1.0, "fixed": True}}
    free = present(graph := four_bar(**fixed, pivot={"phi": 1.8}), close_loops(graph, {}, {}, NONE).states)
    (phi,), (w,) = free.state_of("pivot")
    graph = four_bar(**fixed, pivot={"phi": phi, "w": w, "fixed": True}, knee={"phi": free.state_of("knee")[0][0]})
    assert is_closed(present(graph, close_loops(graph, {}, {}, NONE).states))
    graph = four_bar(**fixed, pivot={"phi": phi, "w": w + 0.1, "fixed": True}, knee={"phi": free.state_of("knee")[0][0]})
    with pytest.raises(ModelError, match=r"pin: a loop cannot be closed.*left of the speeds.* m/s.*fixed: .*motor"):
        close_loops(graph, {}, {}, NONE)


def test_driven_joints_are_kept_where_the_user_says_so_and_defaults_give_way():
    driven = {"with_flange": True}
    graph = four_bar(motor=driven, pivot=driven)
    starts = {"motor": ((0.7,), (1.0,)), "pivot": ((0.0,), (0.0,))}
    with pytest.raises(ModelError, match=r"fixed: .*pivot"):
        close_loops(graph, {}, starts, Kept.all_of(starts))
    found = close_with_guesses(graph, {}, starts, Kept.all_of(["motor"]), Kept.all_of(["pivot"]))
    there = present(graph, {**starts, **found.states})
    assert is_closed(there)
    assert there.state_of("motor") == ((0.7,), (1.0,))
    kept = {"motor": ((0.7,), (0.0,)), "pivot": ((analytic(0.7),), (0.0,))}
    found = close_with_guesses(graph, {}, kept, Kept.all_of(["motor"]), Kept.all_of(["pivot"]))
    assert set(found.states) == {"knee"}  # nothing stands against the default


def test_a_wanted_pose_is_met_in_a_loop():
    graph = four_bar(motor={"phi": 1.0}, knee={"phi": -0.5}, pivot={"phi": 1.8})
    there = present(graph, close_loops(graph, {}, {}, NONE).states)
    wanted = float(there.motion_of("rocker_tip").p_WF[0]) - 0.05
    pose = InitialPose("rocker_tip", translation=(wanted, None, None), velocity=(0.3, None, None))
    there = present(graph, close_loops(graph, {"pose": pose}, {}, NONE).states)
    assert is_closed(there)
    assert there.motion_of("rocker_tip").p_WF[0] == pytest.approx(wanted, abs=1e-9)
    assert there.motion_of("rocker_tip").v_WF_W[0] == pytest.approx(0.3, abs=1e-9)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_orientations_and_free_roots_take_part(seed):
    """A closed chain that flies: spherical joints in any description; its root, and what hangs on it, stays."""
    rng = np.random.default_rng(seed)
    objects = {"world": world(), "root": Frame(parent="world", fixed_to_parent=False, translation=(1, 2, 3), feature=solid())}
    for k in range(3):
        objects |= {f"b{k}": Frame(feature=solid(1.0 + k)), f"t{k}": Frame(parent=f"b{k}", translation=(1.0, 0, 0))}
        orientation = str(rng.choice(["quaternion", "auto", "zxy"]))
        before = f"t{k - 1}" if k else "root"
        rotation = tuple(0.3 * rng.normal(size=3) + (0, 0, 0.6))
        w = tuple(rng.normal(size=3))
        objects[f"j{k}"] = SphericalJoint(before, f"b{k}", rotation, w, orientation=orientation)
    objects |= {"place": Frame(parent="root", translation=(0.8, 0.9, 0.1)), "last": SphericalJoint("t2", "place")}
    graph = build_graph(objects)
    found = close_loops(graph, {}, {}, NONE)
    there = present(graph, found.states)
    assert is_closed(there)
    assert set(found.states) == {"j0", "j1", "j2"}
    assert there.motion_of("root").p_WF.tolist() == [1.0, 2.0, 3.0]


def test_rigid_connections_that_do_not_fit_are_refused():
    objects = {"world": world(), "a": Frame(feature=solid())}
    objects |= {"one": FixedJoint("world", "a"), "two": FixedJoint("world", "a", (0.0, 0.1, 0.0))}
    graph = build_graph(objects)
    with pytest.raises(ModelError, match=r"two: a loop cannot be closed.*position y\) -?0\.1 m"):
        close_loops(graph, {}, {}, NONE)
    objects["two"] = FixedJoint("world", "a")
    graph = build_graph(objects)
    assert close_loops(graph, {}, {}, NONE).states == {}


# -- models -------------------------------------------------------------------------------------------------------------------


def model(motor, pivot, **more):
    """The four-bar with these joints at the crank and at the rocker."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-y"))),
        far=Object3D(parent="world", translation=(GROUND, 0, 0)),
        **{name: bar(length) for name, length in (("crank", CRANK), ("rod", ROD), ("rocker", ROCKER))},
        crank_tip=Object3D(parent="crank", translation=(CRANK, 0, 0)),
        rod_tip=Object3D(parent="rod", translation=(ROD, 0, 0)),
        rocker_tip=Object3D(parent="rocker", translation=(ROCKER, 0, 0)),
        motor=motor,
        knee=Revolute("crank_tip", "rod"),
        pivot=pivot,
        pin=Revolute("rocker_tip", "rod_tip"),
        **more,
    )


def beginning(made):
    """The first point of a simulation, which must be closed."""
    result = instantiate(made).simulate(0.0)
    assert np.abs(result["rod_tip.r_abs"] - result["rocker_tip.r_abs"]).max() < 1e-9
    assert np.abs(result["rod_tip.v_abs"] - result["rocker_tip.v_abs"]).max() < 1e-9
    return result


def test_init_of_a_driven_joint_is_kept_and_start_is_a_guess():
    motor = RevoluteWithFlange("world", "crank", phi=Var(init=0.7), w=Var(init=2.0))
    result = beginning(model(motor, RevoluteWithFlange("far", "rocker", phi=Var(start=1.8), w=Var(start=0.0))))
    assert (result["motor.phi"][0], result["motor.w"][0]) == pytest.approx((0.7, 2.0), abs=1e-12)
    assert result["pivot.phi"][0] == pytest.approx(analytic(0.7), abs=1e-9)
    record = result.segments[0].info
    assert record["dof"] == 1
    assert record["moved"]["pivot"] == pytest.approx([analytic(0.7) - 1.8], abs=1e-9)
    assert "motor" not in record["moved"]


def test_what_nobody_gave_is_kept_where_that_is_possible():
    result = beginning(model(RevoluteWithFlange("world", "crank"), Revolute("far", "rocker", phi=1.8)))
    assert result["motor.phi"][0] == 0.0
    result = beginning(model(RevoluteWithFlange("world", "crank", phi=Var(init=0.7)), RevoluteWithFlange("far", "rocker")))
    assert result["motor.phi"][0] == 0.7


def test_what_equations_determine_is_followed():
    drive = Model(flange=Flange, equations=["flange.phi = 0.4 + 0.5*time"])
    more = {"drive": drive, "connect": [("drive.flange", "motor.flange")]}
    result = beginning(model(RevoluteWithFlange("world", "crank"), Revolute("far", "rocker", phi=1.8), **more))
    assert result["motor.phi"][0] == pytest.approx(0.4, abs=1e-12)
    assert result["motor.w"][0] == pytest.approx(0.5, abs=1e-12)
    assert result["pivot.phi"][0] == pytest.approx(analytic(0.4), abs=1e-9)


def test_a_coordinate_of_one_joint_and_a_speed_of_another_may_be_given():
    motor = RevoluteWithFlange("world", "crank", phi=Var(start=0.6), w=Var(init=2.0))
    result = beginning(model(motor, RevoluteWithFlange("far", "rocker", phi=Var(init=analytic(0.7)), w=Var(start=0.1))))
    assert (result["pivot.phi"][0], result["motor.w"][0]) == pytest.approx((analytic(0.7), 2.0), rel=1e-14)
    assert result["motor.phi"][0] != 0.6  # it closes the loop, as far as that is needed
    assert result["pivot.w"][0] != 0.1


def pointer(**fields):
    """A pointer at the rocker that shows to a wanted height."""
    return {
        "pointer": bar(0.5),
        "point": Object3D(parent="pointer", translation=(0.5, 0.0, 0.0)),
        "joint": Revolute("rocker_tip", "pointer", phi=0.3),
        "pose": WantedPose("point", (None, 1.3, None), **fields),
    }


def test_a_joint_that_a_pose_fixes_stays_in_its_loop():
    """The others close it, and the pointer shows to the wanted height."""
    made = model(Revolute("world", "crank", phi=0.9), Revolute("far", "rocker", phi=1.8), **pointer(fixed=["pivot"]))
    result = beginning(made)
    assert result["pivot.phi"][0] == 1.8
    assert result["point.r_abs"][0, 1] == pytest.approx(1.3, abs=1e-9)
    assert abs(result["motor.phi"][0] - 0.9) > 1e-3


def test_a_pose_in_a_loop_is_met_with_what_initial_equations_say_of_a_drive():
    """It was assumed that the drive closes the loop, too, from where it starts: what equations say of it counts more."""
    motor = RevoluteWithFlange("world", "crank", phi=Var(init=None, start=0.9), w=Var(init=None))
    says = ["motor.phi**3 = 0.343", "motor.w + motor.w**3 = 10"]
    result = beginning(model(motor, Revolute("far", "rocker", phi=1.8), **pointer(), initial_equations=says))
    assert (result["motor.phi"][0], result["motor.w"][0]) == pytest.approx((0.7, 2.0), abs=1e-9)
    assert result["pivot.phi"][0] == pytest.approx(analytic(0.7), abs=1e-9)
    assert result["point.r_abs"][0, 1] == pytest.approx(1.3, abs=1e-9)


def test_a_free_body_that_is_moved_is_where_it_was_declared_from():
    """On a rod, relative to a place that is turned, as relative to the world."""
    place = {"translation": (0.4, -0.3, 0.2), "rotation": (0.5, -0.4, 0.8)}
    within, turn = np.array((0.6, 0.5, -0.2)), (0.2, 0.3, 0.1)
    R = rotation_matrix(place["rotation"])
    beside = {"translation": tuple(R @ within + place["translation"]), "rotation": (R @ rotation_matrix(turn)).tolist()}
    parts = {"world": Object3D(feature=Scene(gravity=NoGravity())), "place": Object3D(parent="world", **place)}
    starts = []
    for declared in ({"parent": "place", "translation": tuple(within), "rotation": turn}, {"parent": "world", **beside}):
        kite = {"kite": body(fixed_to_parent=False, **declared), "hook": Object3D(parent="kite", translation=(0.1, 0.3, 0.0))}
        starts.append(instantiate(Model3D(**parts, **kite, leash=RodConstraint("world", "hook", 1.5))).simulate(0.0))
    for result in starts:
        assert np.linalg.norm(result["hook.r_abs"][0]) == pytest.approx(1.5, abs=1e-9)
    for name in ("kite.r_abs", "kite.R_abs"):
        assert starts[0][name] == pytest.approx(starts[1][name], abs=1e-8)


@pytest.mark.parametrize("ratio", [1.0, -4.0])
def test_what_is_given_of_a_drive_is_followed(ratio):
    """By all joints with a flange whose values nobody gave; through a gear, and with other values than at the translation."""
    drive = Inertia | Map(J=0.1, phi=Var(init=0.7 * ratio), w=Var(init=2.0 * ratio))
    more = {
        "drive": drive,
        "gear": IdealGear | Map(ratio=ratio),
        "connect": [("drive.flange_b", "gear.flange_a"), ("gear.flange_b", "motor.flange")],
    }
    pivot = RevoluteWithFlange("far", "rocker", phi=Var(start=1.8), w=Var(start=0.0))
    sim = instantiate(model(RevoluteWithFlange("world", "crank", phi=Var(), w=Var()), pivot, **more))
    for phi, w in ((0.7, 2.0), (0.4, -1.0), (0.7, 0.0)):
        result = sim.simulate(0.0, merge=Map(drive=Map(phi=Map(init=phi * ratio), w=Map(init=w * ratio))))
        assert (result["motor.phi"][0], result["motor.w"][0]) == pytest.approx((phi, w), abs=1e-9)
        assert result["pivot.phi"][0] == pytest.approx(analytic(phi), abs=1e-9)
        assert result["rod_tip.v_abs"] == pytest.approx(result["rocker_tip.v_abs"], abs=1e-9)
        assert result.segments[0].info["moved"]["pivot"] == pytest.approx([analytic(phi) - 1.8], abs=1e-9)


@pytest.mark.parametrize("joints", [("turn", "motor"), ("motor", "turn")])
def test_what_closes_a_loop_is_turned_where_a_joint_stands_for_the_opposite_of_another(joints):
    """A rotor that gears turn against the pivot: one of the two angles is an alias of the other, with the sign changed."""
    against = Model(a=Flange, b=Flange, equations=["a.phi = -b.phi", "a.tau = b.tau"])
    turns = {
        "turn": RevoluteWithFlange("world", "rotor"),
        "motor": RevoluteWithFlange("world", "crank", phi=Var(init=0.7), w=Var(init=2.0)),
    }
    made = Model3D(
        rotor=bar(1.0),
        **{name: turns[name] for name in joints},
        against=against,
        connect=[("turn.flange", "against.a"), ("pivot.flange", "against.b")],
    ) | model(turns["motor"], RevoluteWithFlange("far", "rocker"))
    sim = instantiate(made)
    for crank in (0.7, 0.4):
        result = sim.simulate(0.0, merge=Map(motor=Map(phi=Map(init=crank))))
        assert math.remainder(result["pivot.phi"][0] - analytic(crank), 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)
        assert result["turn.phi"][0] == -result["pivot.phi"][0]
        assert result["motor.phi"][0] == pytest.approx(crank, abs=1e-12)


@pytest.mark.parametrize("crank", [0.0, 1.0, 2.0, 3.0, math.pi, 4.0, 5.0, 6.0])
@pytest.mark.parametrize(("guess", "speed"), [(1.5, {}), (-0.7, {}), (1.5, {"w": Var(init=0.3)})])
def test_a_guess_for_a_driven_joint_says_which_closed_position_is_meant(crank, guess, speed):
    """However the other guesses are: a rod whose angle begins at zero, as seen from the crank."""
    made = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-y"))),
        **{name: bar(length) for name, length in (("crank", CRANK), ("rod", ROD), ("piston", 0.1))},
        crank_tip=Object3D(parent="crank", translation=(CRANK, 0, 0)),
        rod_tip=Object3D(parent="rod", translation=(ROD, 0, 0)),
        motor=RevoluteWithFlange("world", "crank", phi=Var(init=crank), **speed),
        knee=Revolute("crank_tip", "rod"),
        guide=PrismaticWithFlange("world", "piston", "x", s=Var(start=guess), v=Var()),
        pin=Revolute("piston", "rod_tip", cut=True),
    )
    far = math.sqrt(ROD**2 - (CRANK * math.sin(crank)) ** 2)
    expected = CRANK * math.cos(crank) + math.copysign(far, guess - CRANK * math.cos(crank))
    assert instantiate(made).simulate(0.0)["guide.s"][0] == pytest.approx(expected, abs=1e-9)


def test_values_of_driven_joints_that_contradict_each_other_are_named():
    motor = RevoluteWithFlange("world", "crank", phi=Var(init=0.7))
    with pytest.raises(
        ModelError, match=r"pin: a loop cannot be closed.*pin \(position.* m.*fixed: .*(motor.*pivot|pivot.*motor)"
    ):
        instantiate(model(motor, RevoluteWithFlange("far", "rocker", phi=Var(init=0.5))))


@pytest.mark.parametrize("name", ["RevoluteWithFlange", "Revolute"])
def test_fixed_belongs_to_joints_without_flange(name):
    if name == "Revolute":
        assert beginning(model(Revolute("world", "crank", phi=0.7, fixed=True), Revolute("far", "rocker", phi=1.8)))
        return
    with pytest.raises(ModelError, match=r"motor: .* cannot have fixed=True.*flange.*Var\(init="):
        instantiate(model(RevoluteWithFlange("world", "crank") | Map(fixed=True), Revolute("far", "rocker", phi=1.8)))


AS_GIVEN = {
    "revolute": Revolute("hook", "eye", "y", phi=0.4, w=0.5),
    "prismatic": Prismatic("hook", "eye", (1.0, 2.0, 0.0), s=0.3, v=0.2),
    "screw": Screw("hook", "eye", "z", pitch=0.5, phi=0.4, w=0.5),
    "cylindrical": Cylindrical("hook", "eye", "x", s=0.3, phi=0.4, v=0.2, w=0.5),
    "pin slot": PinSlot("hook", "eye", s=0.3, phi=0.9, v=0.2, w=0.5),
    "planar": Planar("hook", "eye", s_x=0.3, s_y=-0.2, phi=0.9, v_x=0.2, v_y=0.3, w=0.5),
    "universal": Universal("hook", "eye", phi_a=0.4, phi_b=-0.9, w_a=0.5, w_b=0.3),
    "spherical": Spherical("hook", "eye", rotation=(0.5, -0.3, 0.8), angular_velocity=(0.5, 0.3, -0.2)),
    "free": FreeMotion(
        "hook", "eye", translation=(0.3, 0.1, -0.2), rotation=(0.5, -0.3, 0.8), velocity=(0.2, 0.3, 0.1),
        angular_velocity=(0.5, 0.3, -0.2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", AS_GIVEN)
def test_a_fixed_joint_that_is_cut_begins_as_one_that_is_not(kind):
    """A body on slides and a ball joint, which follow it, begins where and as it does on this joint alone."""
    parts = {
        "world": Object3D(feature=Scene(gravity=NoGravity())),
        "hook": Object3D(parent="world", translation=(0.3, -0.1, 0.2), rotation=(0.4, 0.2, -0.3)),
        "load": body(center=(0.1, 0.2, 0.0)),
        "eye": Object3D(parent="load", translation=(0.2, 0.1, -0.3), rotation=(-0.2, 0.5, 0.1)),
        "bound": AS_GIVEN[kind],
    }
    slides = {"carrier_x": body(), "carrier_y": body(), "carrier_z": body()}
    slides |= {"to_x": Prismatic("world", "carrier_x", "x"), "to_y": Prismatic("carrier_x", "carrier_y", "y")}
    slides |= {"to_z": Prismatic("carrier_y", "carrier_z", "z"), "ball": Spherical("carrier_z", "load")}
    alone = instantiate(Model3D(**parts)).simulate(1e-3)
    looped = parts | slides | {"bound": AS_GIVEN[kind] | Map(cut=True, fixed=True)}
    in_loop = instantiate(Model3D(**looped)).simulate(1e-3)
    assert "bound.cut_force" in in_loop
    for quantity in ("r_abs", "R_abs", "v_abs", "w_abs"):
        assert in_loop[f"eye.{quantity}"][0] == pytest.approx(alone[f"eye.{quantity}"][0], abs=1e-8), quantity
