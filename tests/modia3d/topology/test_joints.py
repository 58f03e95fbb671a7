"""All joints in the graph and the forest: kernels and declarations agree, in either direction, fixed, locked."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d import Model3D, Object3D, RevoluteWithFlange, Scene, Solid, Sphere
from modia3d.dynamics.basics import layout
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.scene.basics.rotations import SEQUENCES, best_sequence, coordinates_of, matrix_of, sequence_sine
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, FreeMotionJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.joints.cylindrical import CylindricalJoint
from modia3d.scene.joints.planar import PlanarJoint
from modia3d.scene.joints.screw import ScrewJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.scene.joints.universal import UniversalJoint
from modia3d.topology import edits, forest_of
from modia3d.topology.build import build_graph
from modia3d.topology.check_structure import check_structure
from modia3d.topology.forest import spanning_forest
from modia3d.topology.motion import FrameMotion, relative_motion
from modia3d.topology.states import initial_motion, initial_state, initial_structure, singular_sequences, transfer_state
from modia3d.topology.structure import JointWeld, Structure
from modiapy import ModelError

from .scenes import difference, solid, world

pytestmark = pytest.mark.white_box

AXIS, OTHER = (0.6, 0.0, 0.8), (-0.8, 0.3, 0.6)
MAKERS = {
    "revolute": lambda a, b: RevoluteJoint(a, b, AXIS, phi=0.4, w=1.5),
    "prismatic": lambda a, b: PrismaticJoint(a, b, AXIS, s=0.4, v=1.5),
    "screw": lambda a, b: ScrewJoint(a, b, AXIS, pitch=0.3, phi=0.4, w=1.5),
    "cylindrical": lambda a, b: CylindricalJoint(a, b, AXIS, s=0.2, phi=0.4, v=-0.7, w=1.5),
    "universal": lambda a, b: UniversalJoint(a, b, AXIS, OTHER, phi_a=0.4, phi_b=-0.7, w_a=1.5, w_b=2.0),
    "planar": lambda a, b: PlanarJoint(a, b, AXIS, OTHER, s_x=0.2, s_y=0.3, phi=0.4, v_x=-0.7, v_y=0.8, w=1.5),
    "spherical": lambda a, b: SphericalJoint(a, b, (0.3, 0.4, -0.5), (1.0, 2.0, 3.0)),
    "spherical zxy": lambda a, b: SphericalJoint(a, b, (0.3, 0.4, -0.5), (1.0, 2.0, 3.0), "zxy"),
    "spherical auto": lambda a, b: SphericalJoint(a, b, (0.3, 1.4, -0.5), (1.0, 2.0, 3.0), "auto"),
    "free": lambda a, b: FreeMotionJoint(a, b, (1.0, 0.2, 0.3), (0.3, 0.4, -0.5), (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)),
    "free yxz": lambda a, b: FreeMotionJoint(a, b, (1.0, 0.2, 0.3), (0.3, 0.4, -0.5), (0.1, 0.2, 0.3), (1.0, 2.0, 3.0), "yxz"),
    "fixed": lambda a, b: FixedJoint(a, b, (0.1, 0.2, 0.3), (0.3, 0.4, -0.5)),
}


def chain(seed, n=8, kinds=tuple(MAKERS), free=False):
    """A chain of bodies with joints of any kind in any direction, on a joint of the world or free."""
    rng = np.random.default_rng(seed)
    objects = {"world": world()}
    orientation = str(rng.choice(["quaternion", "auto", "zyx"]))
    objects["b0"] = Frame(feature=solid(), assembly_root=True, orientation=orientation) if free else Frame(feature=solid())
    for k in range(n):
        before = f"b{k - 1}" if k else "world"
        objects[f"b{k}"] = objects.get(f"b{k}", Frame(feature=solid(1.0 + k)))
        objects[f"a{k}"] = Frame(parent=before, translation=tuple(rng.normal(size=3)), rotation=tuple(rng.normal(size=3)))
        objects[f"c{k}"] = Frame(parent=f"b{k}", translation=tuple(rng.normal(size=3)), rotation=tuple(rng.normal(size=3)))
        if k or not free:
            ends = (f"a{k}", f"c{k}") if rng.random() < 0.5 else (f"c{k}", f"a{k}")
            objects[f"j{k}"] = MAKERS[rng.choice(kinds)](*ends)
    return objects


def by_kernels(forest, x):
    """Motion of all frames by name, from the kernels of the dynamics."""
    n_q = forest.nq - forest.n_equation
    assert forest.n_equation == 0
    q, v, n = x[:n_q].copy(), x[n_q:].copy(), forest.n
    R, p, velocity, w = np.empty((n, 9)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    body_poses(forest.ints, forest.floats, q, R, p)
    body_velocities(forest.ints, forest.floats, q, v, R, p, velocity, w, np.zeros(layout.work_shape(n)))
    motions = {}
    for i, node in enumerate(forest.graph.frames):
        body, R_BF, p_BF = forest.frame_pose(i)
        if body >= 0:
            carrier = FrameMotion(R[body].reshape(3, 3), p[body], velocity[body], w[body])
            motions[node.name] = carrier.carried(R_BF, p_BF)
    return motions


def start(objects):
    graph = build_graph(objects)
    forest = spanning_forest(graph, initial_structure(graph, {}))
    return graph, forest, initial_state(graph, forest, {})


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("free", [False, True])
def test_kernels_and_declarations_agree_on_the_motion_of_frames(seed, free):
    graph, forest, x = start(chain(seed, free=free))
    declared = initial_motion(graph, {})
    motions = by_kernels(forest, x)
    assert len(forest.x_names) == len(set(forest.x_names)) == x.size
    assert max(difference(motion, declared(name)) for name, motion in motions.items()) < 1e-11


def parts(motion):
    return motion.R_12, motion.p_12_1, motion.v_12_1, motion.w_12_1


def given_starts(graph, rng):
    """Random initial values of all joints, and of the roots of free trees."""
    starts = {}
    for k, (_, speeds) in enumerate(graph.state_names):
        n, assembly = len(speeds), graph.assemblies[k - len(graph.joints)] if k >= len(graph.joints) else None
        if n and not (assembly and assembly.is_world):
            q = rng.normal(size=n)
            if graph.orientation_of(k):
                turn = rng.normal(size=4)
                q = np.concatenate([q[:-3], turn / np.linalg.norm(turn)])
            starts[assembly.name if assembly else graph.joints[k].name] = tuple(q.tolist()), tuple(rng.normal(size=n).tolist())
    return starts


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("free", [False, True])
def test_given_initial_values_mean_the_same_however_states_describe_orientations(seed, free):
    """Quaternions are given; joints and free roots have Cardan angles of a fixed or automatic sequence, too."""
    graph = build_graph(chain(seed, free=free))
    starts = given_starts(graph, np.random.default_rng(seed))
    motion, structure = initial_motion(graph, starts), initial_structure(graph, starts)
    forest = spanning_forest(graph, structure)
    motions = by_kernels(forest, initial_state(graph, forest, starts))
    assert max(difference(one, motion(name)) for name, one in motions.items()) < 1e-11
    for edge in graph.joints:
        seen = relative_motion(*(motion(graph.frames[k].name) for k in edge.frames))
        wanted = edge.joint.motion(*starts.get(edge.name, ((), ())), "quaternion")
        for one, other in zip(parts(seen), parts(wanted), strict=True):
            assert one == pytest.approx(other, abs=1e-11)
        if edge.joint.orientation == "auto":
            assert sequence_sine(dict(structure.sequences)[edge.name], seen.R_12) < 0.8
    for name in starts.keys() - {edge.name for edge in graph.joints}:
        (*p, a, b, c, d), (*v, x, y, z) = starts[name]
        R = matrix_of("quaternion", (a, b, c, d))
        wanted = FrameMotion(R, np.array(p), np.array(v), R @ (x, y, z))
        assert difference(motion(name), wanted) < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_each_state_has_a_place_of_its_own_among_those_of_all_joints_and_roots(seed):
    graph, forest, _ = start(chain(seed, free=seed % 2 == 0))
    names = {}
    for k, (coordinates, speeds) in enumerate(graph.state_names):
        names |= {layout.X_PLACES * k + i: name for i, name in enumerate(coordinates)}
        names |= {layout.X_PLACES * k + layout.V_PLACE + i: name for i, name in enumerate(speeds)}
    assert [names[place] for place in forest.x_place.tolist()] == list(forest.x_names)
    speeds = [name.rpartition(".")[0] for name in forest.x_names[forest.nq :]]
    assert [forest.joint_of_speed(k) for k in range(forest.nv)] == speeds


@pytest.mark.parametrize("kind", MAKERS)
def test_a_chain_seen_from_its_other_end_moves_alike(kind):
    """The root of the free tree at one end or the other: the joints keep their states, all frames their motion."""
    objects = chain(3, n=4, kinds=[kind], free=True)
    _, forest, x = start(objects)
    expected = by_kernels(forest, x)
    del objects["b0"]
    other_end = {"b0": Frame(feature=solid())} | objects | {"b3": Frame(feature=solid(4.0), assembly_root=True)}
    turned = build_graph(other_end)
    structure = Structure(sequences=forest.structure.sequences)
    turned_forest = spanning_forest(turned, structure)
    assert turned_forest.free_roots == ("b3",)
    if kind != "fixed":
        assert turned_forest.reversed_joints == {"j1", "j2", "j3"} - forest.reversed_joints
    x_turned = transfer_state(forest, x, expected.__getitem__, turned_forest)
    own = dict(zip(forest.x_names, x.tolist(), strict=True))
    for name, value in zip(turned_forest.x_names, x_turned.tolist(), strict=True):
        assert name.startswith("b3.") or value == own[name]
    motions = by_kernels(turned_forest, x_turned)
    assert max(difference(motions[name], expected[name]) for name in motions) < 1e-11


def test_a_deleted_assembly_takes_its_locked_joints_with_it():
    objects = {
        "world": world(),
        "a": Frame(feature=solid()),
        "b": Frame(feature=solid()),
        "j": RevoluteJoint("a", "b", phi=0.3),
    }
    graph = build_graph(objects)
    locked = edits.lock_joint(graph, Structure(), "j", ((0.3,), (0.0,)))
    deleted = edits.delete(graph, locked, "b")
    assert deleted.welded == ()
    assert spanning_forest(graph, deleted).n == 0
    with pytest.raises(ModelError, match="was deleted"):
        edits.unlock_joint(graph, deleted, "j")


@pytest.mark.parametrize("side", [-1, 1])
def test_a_deleted_assembly_forgets_that_a_joint_was_at_its_limit(side):
    """It begins anew where it appears again; joints of others stay where they are held."""
    objects = {"world": world()}
    for name in ("j", "other"):
        objects |= {
            f"{name}_a": Frame(feature=solid()),
            f"{name}_b": Frame(feature=solid()),
            name: RevoluteJoint(f"{name}_a", f"{name}_b", phi=0.3),
        }
    held = Structure().with_limits({"j": side, "other": side})
    deleted = edits.delete(build_graph(objects), held, "j_b")
    assert [(joint.name, joint.side) for joint in deleted.locked] == [("other", side)]


def test_fixed_frames_are_one_body():
    objects = {
        "world": world(),
        "a": Frame(feature=solid(2.0)),
        "b": Frame(feature=solid(3.0)),
        "rev": RevoluteJoint("world", "a"),
        "fix": FixedJoint("b", "a", (0.0, 0.0, -1.0), (0.0, 0.5, 0.0)),
    }
    graph, forest, x = start(objects)
    assert (forest.n, forest.dof) == (1, 1)
    assert forest.floats[0, layout.MASS] == 5.0
    motions = by_kernels(forest, x)
    relative = FixedJoint("b", "a", (0.0, 0.0, -1.0), (0.0, 0.5, 0.0)).motion((), (), "")
    assert difference(motions["b"].carried(relative.R_12, relative.p_12_1), motions["a"]) < 1e-15
    with pytest.raises(ModelError, match="always rigid"):
        edits.lock_joint(graph, Structure(), "fix", ((), ()))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_cardan_angles_describe_the_rotation_also_at_the_singularity(sequence):
    for second in (0.3, -1.2, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9):
        R = matrix_of(sequence, (0.7, second, -2.0))
        assert np.abs(matrix_of(sequence, coordinates_of(sequence, R)) - R).max() < 1e-15
        assert sequence_sine(sequence, R) == pytest.approx(abs(np.sin(second)), abs=1e-15)
        assert all(sequence_sine(best_sequence(R, w), R) < 0.71 for w in np.eye(3))
        assert best_sequence(R, (1.0, -3.0, 2.0))[2] == "y"


@pytest.mark.parametrize("turned", [0.1, 0.6, 1.5, 2.4])
def test_what_starts_relative_to_a_driven_frame_has_the_sequence_of_the_drive_at_zero(turned):
    model = Model3D(
        world=Object3D(feature=Scene()),
        arm=Object3D(feature=Solid(Sphere(0.1), "Steel")),
        hinge=RevoluteWithFlange("world", "arm", axis="x"),
        box=Object3D(
            parent="arm",
            fixed_to_parent=False,
            rotation=(turned, 0.7, 0.4),
            feature=Solid(Sphere(0.1), "Steel"),
            orientation="auto",
        ),
    )
    forest = forest_of(model)
    expected = best_sequence(matrix_of("xyz", (turned, 0.7, 0.4)), (0.0, 0.0, 0.0))
    assert forest.sequence(forest.indices["box"][0]) == expected


@pytest.mark.parametrize("free", [False, True])
def test_an_automatic_sequence_changes_near_its_singularity_and_nothing_else(free):
    """Of a joint, or of a free body."""
    turned = {"rotation": (0.1, 1.4, 0.2), "angular_velocity": (1, 2, 3), "orientation": "auto"}
    objects = {"world": world()}
    if free:
        objects["b"] = Frame(parent="world", fixed_to_parent=False, feature=solid(), **turned)
    else:
        objects |= {"b": Frame(feature=solid()), "j": SphericalJoint("world", "b", *turned.values())}
    graph = build_graph(objects)
    bad = spanning_forest(graph, Structure())
    x = initial_state(graph, bad, {})
    better = singular_sequences(bad, x)
    assert set(better) == {"b" if free else "j"}
    assert bad.n_automatic == 1
    first = 3 if free else 0
    angles = slice(first, first + 3)
    assert bad.x_names[angles] == tuple(f"{'b' if free else 'j'}.phi[{i}]" for i in range(3))
    good = spanning_forest(graph, Structure().with_sequences(better))
    expected = by_kernels(bad, x)
    x_good = transfer_state(bad, x, expected.__getitem__, good)
    assert not singular_sequences(good, x_good)
    assert np.array_equal(np.delete(x_good, angles), np.delete(x, angles))
    assert difference(by_kernels(good, x_good)["b"], expected["b"]) < 1e-14
    assert initial_structure(graph, {}).sequences == good.structure.sequences


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "fixed"])
def test_a_locked_joint_keeps_its_pose_and_goes_on_from_it(kind):
    objects = {"world": world(), "a": Frame(feature=solid()), "b": Frame(feature=solid())}
    objects |= {"base": RevoluteJoint("world", "a", "x", phi=0.3, w=2.0), "j": MAKERS[kind]("a", "b")}
    graph, forest, x = start(objects)
    place, names = forest.indices["j"], graph.state_names[graph.joint_index("j")]
    q = tuple(x[place[1] : place[1] + len(names[0])].tolist())
    at_rest = x.copy()
    n_q = forest.nq + place[2]
    at_rest[n_q : n_q + len(names[1])] = 0.0
    locked = edits.lock_joint(graph, forest.structure, "j", (q, (0.0,) * len(names[1])))
    rigid = spanning_forest(graph, locked)
    assert (rigid.n, rigid.dof) == (1, 1)
    motion = by_kernels(forest, at_rest)
    x_rigid = transfer_state(forest, at_rest, motion.__getitem__, rigid)
    assert x_rigid.tolist() == [0.3, 2.0]
    assert difference(by_kernels(rigid, x_rigid)["b"], motion["b"]) < 1e-14
    free = spanning_forest(graph, edits.unlock_joint(graph, locked, "j"))
    back = transfer_state(rigid, x_rigid, by_kernels(rigid, x_rigid).__getitem__, free)
    assert np.array_equal(back, at_rest)
    with pytest.raises(ModelError, match="the joint moves"):
        edits.lock_joint(graph, forest.structure, "j", (q, (1.0,) * len(names[1])))
    with pytest.raises(ModelError, match="locked already"):
        edits.lock_joint(graph, locked, "j", (q, (0.0,) * len(names[1])))
    with pytest.raises(ModelError, match="not locked"):
        edits.unlock_joint(graph, forest.structure, "j")


@pytest.mark.parametrize("sequence", [*SEQUENCES, "quaternion", "auto"])
@pytest.mark.parametrize("how", ["root", "spherical", "free"])
def test_only_angles_that_begin_at_their_singularity_are_refused(sequence, how):
    """Of a joint or a free root, where another one begins with such an orientation that has no angles."""
    turns = {"quaternion": "xyz", "auto": "xyz"}.get(sequence, sequence)
    for second, refused in ((np.pi / 2, True), (-np.pi / 2, True), (np.pi / 2 - 1e-4, False), (0.0, False)):
        R = matrix_of(turns, (0.4, second, -1.1)).tolist()
        at = {"rotation": R, "orientation": sequence}
        objects = {"world": world(), "other": Frame(parent="world", fixed_to_parent=False, rotation=R, feature=solid())}
        if how == "root":
            objects["b"] = Frame(parent="world", fixed_to_parent=False, translation=(1, 2, 3), feature=solid(), **at)
        else:
            objects["b"] = Frame(feature=solid())
            objects["j"] = (SphericalJoint if how == "spherical" else FreeMotionJoint)("world", "b", **at)
        name = "b" if how == "root" else "j"
        if not refused or sequence in ("quaternion", "auto"):
            _, forest, x = start(objects)
            assert np.abs(by_kernels(forest, x)["b"].R_WF - R).max() < 1e-14
            continue
        with pytest.raises(ModelError) as caught:
            start(objects)
        assert str(caught.value) == (
            f"{name}: the initial orientation is singular; found a second angle of 90 degrees in the sequence '{sequence}'; "
            "expected another sequence. Set orientation='auto', or leave it out for a quaternion."
        )


PART = st.floats(-1.0, 1.0)


@given(kind=st.sampled_from(["planar", "spherical"]), v=st.tuples(PART, PART, PART), size=st.floats(0.0, 1.6))
def test_a_joint_is_at_rest_within_the_tolerances_of_the_scene(kind, v, size):
    """Those of velocities and of angular velocities differ by far; ``v`` are the speeds in parts of them."""
    limits = {"velocity": 0.002, "angular_velocity": 0.3}
    planar = kind == "planar"
    joint = PlanarJoint("a", "b") if planar else SphericalJoint("a", "b")
    graph = build_graph({"world": world(**limits), "a": Frame(feature=solid()), "b": Frame(feature=solid()), "j": joint})
    part = max(np.hypot(*v[:2]), abs(v[2])) if planar else float(np.linalg.norm(v))
    assume(part > 1e-3)
    scale = size / part
    assume(abs(size - 1.0) > 1e-6)
    units = (0.002, 0.002, 0.3) if planar else (0.3, 0.3, 0.3)
    speeds = tuple(scale * x * unit for x, unit in zip(v, units, strict=True))
    state = joint.start("quaternion")[0], speeds
    if size < 1.0:
        assert edits.lock_joint(graph, Structure(), "j", state).welded == (JointWeld("j", state[0]),)
        return
    with pytest.raises(ModelError, match=r"j: the joint moves.*; expected at most 0\.002 m/s and 0\.3 rad/s\.") as caught:
        edits.lock_joint(graph, Structure(), "j", state)
    names = ("v_x", "v_y", "w") if planar else ("w[0]", "w[1]", "w[2]")
    assert caught.value.found == ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, speeds, strict=True))
    assert edits.lock_joint(graph, Structure(), "j", state, moving=True).welded == (JointWeld("j", state[0]),)


@pytest.mark.parametrize("with_flange", [False, True])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_joint_at_its_limit_is_no_locked_one(with_flange, side):
    """It may be locked, which is all that holds it then; unlocked by name it is not before."""
    objects = {"world": world()}
    for name in ("one", "two", "three"):
        objects |= {f"{name}.b": Frame(feature=solid()), name: RevoluteJoint("world", f"{name}.b", with_flange=with_flange)}
    graph = build_graph(objects)
    rest = (0.5,), (0.0,)
    held = edits.lock_joint(graph, Structure(), "three", rest).with_limits({"one": side, "two": -side})
    with pytest.raises(ModelError, match=r"one: the joint is not locked; found locked joints: three$"):
        edits.unlock_joint(graph, held, "one")
    locked = edits.lock_joint(graph, held, "one", rest)
    check_structure(graph, locked)
    assert locked.welded == (() if with_flange else (JointWeld("one", (0.5,)), JointWeld("three", (0.5,))))
    others = {"one": 0, "three": 0} if with_flange else {}
    assert {joint.name: joint.side for joint in locked.locked} == {"two": -side} | others
    assert len(locked.locked) == 1 + len(others)
    opened = edits.unlock_joint(graph, locked, "one")
    assert opened == held.with_limits({"two": -side})
    assert [spanning_forest(graph, some).dof for some in (held, locked, opened)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UniversalJoint("a", "b", "x", (1.0, 1.0, 0.0)), "perpendicular"),
        (lambda: PlanarJoint("a", "b", "z", "z"), "axis_x of Planar"),
        (lambda: SphericalJoint("a", "b", orientation="xyx"), "orientation of Spherical"),
        (lambda: FreeMotionJoint("a", "b", velocity=(1.0, 2.0)), "velocity of FreeMotion"),
        (lambda: ScrewJoint("a", "b", pitch="fast"), "pitch of Screw"),
        (lambda: CylindricalJoint("a", ""), "obj2 of Cylindrical"),
        (lambda: Frame(orientation="euler"), "orientation of Object3D"),
    ],
)
def test_wrong_declarations_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_orientation_belongs_to_the_root_of_a_free_assembly():
    objects = {"world": world(), "a": Frame(feature=solid()), "b": Frame(feature=solid(), orientation="xyz")}
    objects["j"] = RevoluteJoint("a", "b")
    with pytest.raises(ModelError, match="'orientation' is given for an Object3D that is not the root") as error:
        build_graph(objects)
    assert error.value.path == "b"
    objects["b"] = Frame(feature=solid(), orientation="xyz", assembly_root=True)
    assert build_graph(objects).state_names[2][0][3:] == ("b.phi[0]", "b.phi[1]", "b.phi[2]")
    with pytest.raises(ModelError, match="'orientation' is given for an Object3D that is not the root"):
        build_graph({"world": Frame(feature=world().feature, orientation="xyz")})


def test_an_unknown_joint_is_refused_with_the_nearest_name():
    graph = build_graph({"world": world(), "a": Frame(feature=solid()), "m.elbow": RevoluteJoint("world", "a")})
    assert graph.joint_index("elbow", "m.sub") == 0
    with pytest.raises(ModelError, match="there is no joint 'elbw'") as error:
        graph.joint_index("elbw", "m")
    assert "elbow" in error.value.remedy


@pytest.mark.parametrize("kind", MAKERS)
@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_coordinates_follow_from_the_motion(kind, seed):
    """`state_from` is the inverse of `motion`, also after many turns, and of a quaternion with either sign."""
    rng = np.random.default_rng(seed)
    joint = MAKERS[kind]("a", "b")
    sequence = {"": "quaternion", "auto": "yzx"}.get(joint.orientation, joint.orientation)
    q, v = (np.array(part) for part in joint.start(sequence))
    q, v = rng.normal(size=q.size) * 10.0, rng.normal(size=v.size)
    if joint.orientation:
        n = 4 if sequence == "quaternion" else 3
        q[-n:] = q[-n:] / np.linalg.norm(q[-n:]) if n == 4 else q[-n:] * (1.0, 0.0, 1.0) + (0.0, rng.uniform(-1.4, 1.4), 0.0)
    near = q + rng.uniform(-0.05, 0.05, size=q.size)
    if kind == "screw":
        near = near + 40.0  # the distance tells the turns
    found = joint.state_from(joint.motion(tuple(q), tuple(v), sequence), tuple(near), sequence)
    np.testing.assert_allclose(found[0], q, atol=1e-12)
    np.testing.assert_allclose(found[1], v, atol=1e-12)
