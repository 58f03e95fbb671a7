"""Random closed mechanisms of all kinds of joints, redundant ones included, against mechanics in absolute coordinates."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d import Model3D
from modia3d.constraints.elimination import Elimination
from modia3d.constraints.kinds.constraint import rows_of
from modia3d.constraints.kinds.cut_joint import CutJoint
from modia3d.dynamics import Dynamics
from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import work_shape
from modia3d.dynamics.kinematics import body_velocities
from modia3d.engine.motion.configuration import Configuration
from modia3d.topology import forest_of
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.states import initial_state, initial_structure
from modiapy import Model, instantiate
from modiapy.symbolic.flattening.evaluate import evaluate
from tests.modia3d.constraints.loop_reference import KINDS, WORLD, random_mechanism
from tests.modia3d.constraints.rows import seeds

pytestmark = pytest.mark.white_box

GAP = 1e-12
SPATIAL = tuple(kind for kind in KINDS if kind != "fixed")
FLAT = ("revolute", "prismatic")


@st.composite
def mechanisms(draw):
    """A closed mechanism that can move and is not at a singular position."""
    planar = draw(st.booleans())
    kinds = FLAT if planar else SPATIAL
    closings = draw(st.lists(st.sampled_from(FLAT[:1] if planar else KINDS), min_size=1, max_size=2))
    made = random_mechanism(
        draw(seeds), draw(st.integers(2, 5)), kinds, closings=closings, planar=planar, copies=draw(st.integers(0, 2))
    )
    assume(made.dof and made.clear and made.contradiction < 1e-9)
    return made


@st.composite
def cut_mechanisms(draw):
    """A mechanism, and its joints as a tree and cuts, whichever these are."""
    made = draw(mechanisms())
    return made, *made.spanning_tree(draw(st.permutations(range(len(made.links)))))


def cut_configuration(made, tree, cuts):
    """The forest of the tree at present, and the cut joints."""
    forest = forest_of(Model3D(**made.entries(tree)))
    states = initial_state(forest.graph, forest, {})
    objects = evaluate(Model(**{link.name: made.entries([link])[link.name] for link in cuts})).objects
    joints = [CutJoint(link.name, *made.frame_names(link), objects[link.name]) for link in cuts]
    return Configuration(forest, states[: forest.nq], states[forest.nq :]), joints


def body_accelerations_of(made, present, a):
    """Accelerations of all centres of mass and angular ones at generalized accelerations a, shape (n, 6)."""
    forest, (R, p) = present.forest, (poses[0] for poses in present.poses)
    arrays, work = (forest.ints, forest.floats, present.q, present.v), np.zeros(work_shape(forest.n))
    v_W, w_W, a_W, alpha_W = np.zeros((4, forest.n, 3))
    body_velocities(*arrays, R, p, v_W, w_W, work)
    body_accelerations(*arrays, a, R, p, w_W, a_W, alpha_W, work)
    found = np.zeros((len(made.parts), 6))
    for row, part in zip(found, made.parts, strict=True):
        k, _, _ = forest.frame_pose(forest.graph.index[part.name])
        if k >= 0:
            motion = present.motion_of(part.name)
            r = motion.p_WF + motion.R_WF @ part.centre - p[k]
            row[:3], row[3:] = a_W[k] + np.cross(alpha_W[k], r) + np.cross(w_W[k], np.cross(w_W[k], r)), alpha_W[k]
    return found


def chosen_configuration(made, order):
    """The forest of all joints, declared in this order, at present, and the cut joints that it chooses."""
    graph = build_graph(evaluate(Model(**made.entries([made.links[k] for k in order]))).objects)
    forest = spanning_forest(graph, initial_structure(graph, {}))
    states, frames = initial_state(graph, forest, {}), graph.frames
    joints = [CutJoint(cut.name, frames[cut.frame_1].name, frames[cut.frame_2].name, cut.joint) for cut in forest.cuts]
    return Configuration(forest, states[: forest.nq], states[forest.nq :]), joints


@settings(max_examples=40)
@given(cut_mechanisms())
def test_any_joints_may_be_cut(drawn):
    made, tree, cuts = drawn
    assert_as_the_reference(made, *cut_configuration(made, tree, cuts))


@settings(max_examples=40)
@given(mechanisms(), st.data())
def test_joints_may_be_declared_in_any_order(made, data):
    order = data.draw(st.permutations(range(len(made.links))))
    assert_as_the_reference(made, *chosen_configuration(made, order))


def assert_as_the_reference(made, present, joints):
    """Closed where the reference is, the same degrees of freedom, speeds and accelerations."""
    forest = present.forest
    rows = rows_of(joints, present)
    dynamics = Dynamics(forest.ints, forest.floats, forest.gravity)
    M, h = dynamics.mass_matrix(present.q), dynamics.bias(present.q, present.v)
    elimination = Elimination(rows, M)
    speed = 1.0 + np.abs(made.speeds).max(initial=0.0)
    assert np.abs(rows.residual).max(initial=0.0) < GAP
    assert np.abs(rows.G @ present.v).max(initial=0.0) < 1e-11 * speed
    for k, part in enumerate(made.parts):
        motion, (v, w) = present.motion_of(part.name), made.velocity(k)
        assert motion.p_WF == pytest.approx(part.pose[1], abs=GAP)
        assert motion.w_WF_W == pytest.approx(w, abs=1e-11 * speed)
        assert motion.v_WF_W + np.cross(w, motion.R_WF @ part.centre) == pytest.approx(v, abs=1e-11 * speed)
    assert forest.nv - len(elimination.rank) == made.dof
    a, p = elimination.acceleration(np.linalg.solve(M, -h), rows.gamma)
    assert M @ a + h == pytest.approx(rows.G.T @ p, abs=1e-7 * (1.0 + np.abs(h).max(initial=0.0)))
    expected = made.accelerations
    assert body_accelerations_of(made, present, a) == pytest.approx(expected, abs=1e-7 * (1.0 + np.abs(expected).max()))


@settings(max_examples=20)
@given(mechanisms(), st.data())
def test_the_reference_keeps_energy_and_its_joints(made, data):
    """No allowed motion gets power from the constraints, and the joints stay closed to first order (gaps shrink as t^2)."""
    force = made.mass_matrix @ (made.accelerations.ravel() - made.free_accelerations)
    scale = 1.0 + np.abs(force).max()
    assert made.motions[: len(force)].T @ force == pytest.approx(np.zeros(made.dof), abs=1e-8 * scale)
    link = data.draw(st.sampled_from(made.links))
    k = link.bodies[1]
    assert k != WORLD
    direction = made.motions @ np.ones(made.dof)
    gaps = [np.abs(made.gaps(direction, t)).max() for t in (1e-3, 5e-4)]
    assert gaps[1] <= 0.26 * gaps[0] + 1e-13


@settings(max_examples=20)
@given(mechanisms(), st.data())
def test_the_engine_simulates_the_reference(made, data):
    """With flanges or without, in any order: the motion begins as that of the reference, all stays closed, energy is kept."""
    links = [made.links[k] for k in data.draw(st.permutations(range(len(made.links))))]
    driven = data.draw(st.sets(st.sampled_from([link.name for link in links])))
    model = Model3D(**made.entries(links, driven))
    result = instantiate(model).simulate(0.05, tolerance=1e-9, interval=0.01, mode=data.draw(st.sampled_from(["ode", "dae"])))
    assert result.segments[0].info["dof"] == made.dof
    scale = 1.0 + np.abs(made.accelerations).max()
    for k, part in enumerate(made.parts):
        R, r = result[f"{part.name}.R_abs"], result[f"{part.name}.r_abs"]
        assert R[0] == pytest.approx(part.pose[0], abs=1e-9)
        assert r[0] == pytest.approx(part.pose[1], abs=1e-9)
        w, a, z = (result[f"{part.name}.{name}"][0] for name in ("w_abs", "a_abs", "z_abs"))
        arm, expected = R[0] @ part.centre, made.accelerations[k]
        assert w == pytest.approx(made.velocity(k)[1], abs=1e-9)
        assert a + np.cross(z, arm) + np.cross(w, np.cross(w, arm)) == pytest.approx(expected[:3], abs=1e-6 * scale)
        assert z == pytest.approx(expected[3:], abs=1e-6 * scale)
    for link in made.links:
        (R_1, r_1), (R_2, r_2) = ([result[f"{name}.{q}"] for q in ("R_abs", "r_abs")] for name in made.frame_names(link))
        for t in range(len(result.time)):
            assert link.opening((R_1[t].T @ R_2[t], R_1[t].T @ (r_2[t] - r_1[t]))) < 1e-9
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    # of 20000 others, in both modes, with and without flanges, none lost 3e-7 of this at the tolerance 1e-9
    assert energy == pytest.approx(
        energy[0], abs=1e-6 * (1.0 + np.abs(energy).max() + result["mechanics.kinetic_energy"].max())
    )
