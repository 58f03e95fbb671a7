"""What lacks the mass for a definite acceleration is refused, and nothing else: random trees against sums over their parts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.solid import SolidFeature
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.structure import Structure
from modiapy import ModelError

from .scenes import world

pytestmark = pytest.mark.white_box

J = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
PARTS = {
    "nothing": None,
    "point": MassProperties(2.0, (0.1, 0.2, 0.3)),
    "body": MassProperties(1.0, (0.3, -0.2, 0.1), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]),
    "inertia": MassProperties(0.0, (0.0, 0.0, 0.0), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]),
}
TURN = (0.3, -0.4, 1.1)
"""Cardan angles x, y, z of each fixed joint, which is also displaced."""
KINDS = {
    "revolute": RevoluteJoint,
    "prismatic": PrismaticJoint,
    "spherical": SphericalJoint,
    "driven": lambda one, two: PrismaticJoint(one, two, with_flange=True),
    "fixed": lambda one, two: FixedJoint(one, two, translation=(0.2, 0.5, -0.1), rotation=TURN),
}
TURNS = {"revolute", "spherical"}


@st.composite
def trees(draw):
    """Parts, and of each but the first (parent, kind, whether the joint is declared from the child, places of the joint)."""
    n = draw(st.integers(1, 5))
    parts = draw(st.lists(st.sampled_from([*PARTS, "point"]), min_size=n, max_size=n))
    number = st.sampled_from([0.0, 1.0, -0.7])
    place = st.tuples(number, number, number)
    joints = [
        (draw(st.integers(0, k - 1)), draw(st.sampled_from([*KINDS])), draw(st.booleans()), draw(place), draw(place))
        for k in range(1, n)
    ]
    return parts, joints, draw(st.booleans()), draw(st.integers(0, n - 1))


def scene(tree):
    """Bodies b0, b1, ... and joints j1, ... in random places; b0 hangs on a joint of the world, or nothing does."""
    parts, joints, free, root = tree
    objects = {"world": world()}
    for k, part in enumerate(parts):
        feature = SolidFeature(mass_properties=PARTS[part]) if PARTS[part] else None
        objects[f"b{k}"] = Frame(feature=feature, assembly_root=free and k == root)
    if not free:
        objects["j0"] = RevoluteJoint("world", "b0")
    for k, (parent, kind, backwards, at, to) in enumerate(joints, 1):
        objects[f"at{k}"] = Frame(parent=f"b{parent}", translation=at, rotation=(0.0, 0.0, 0.5))
        objects[f"to{k}"] = Frame(parent=f"b{k}", translation=to)
        objects[f"j{k}"] = KINDS[kind](*(f"at{k}", f"to{k}")[:: -1 if backwards else 1])
    return objects


def placed(R, p):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_euler("XYZ", R).as_matrix(), p
    return X


def poses(tree):
    """Pose (4, 4) of each body in b0, all coordinates zero."""
    _, joints, _, _ = tree
    found = [np.eye(4)]
    for parent, kind, backwards, at, to in joints:
        across = placed(TURN, (0.2, 0.5, -0.1)) if kind == "fixed" else np.eye(4)
        across = np.linalg.inv(across) if backwards else across
        found.append(found[parent] @ placed((0, 0, 0.5), at) @ across @ np.linalg.inv(placed((0, 0, 0), to)))
    return found


def sums(tree, members):
    """Mass, and principal moments about the center of mass (3,), ascending, of some bodies, all coordinates zero."""
    parts, _, _, _ = tree
    mass, first, spread = 0.0, np.zeros(3), np.zeros((3, 3))
    for k in members:
        part, X = PARTS[parts[k]], poses(tree)[k]
        if part is None:
            continue
        own = J if part.Ixx else np.zeros((3, 3))
        center = X[:3, :3] @ part.center_of_mass + X[:3, 3]
        about = X[:3, :3] @ (0.5 * np.trace(own) * np.eye(3) - own) @ X[:3, :3].T
        mass, first, spread = (
            mass + part.mass,
            first + part.mass * center,
            spread + about + part.mass * np.outer(center, center),
        )
    if mass:
        spread = spread - np.outer(first, first) / mass
    return mass, np.linalg.eigvalsh(np.trace(spread) * np.eye(3) - spread)


def beyond(tree, k):
    """The bodies that joint k carries, seen from b0."""
    inside = {k}
    for child, (parent, *_) in enumerate(tree[1], 1):
        if parent in inside:
            inside.add(child)
    return inside


def reasons(tree):
    """All that is to be refused: (path, words)."""
    parts, joints, free, root = tree
    everything = set(range(len(parts)))
    mass, moments = sums(tree, everything)
    if free and mass == 0.0:
        return {(f"b{root}", "no mass")}
    if free and moments[0] < 1e-9:
        return {(f"b{root}", "no moment of inertia about some axis")}
    found = set()
    for k, kind in [] if free else [(0, "revolute")]:
        if not weighs(tree, beyond(tree, k), kind):
            found.add((f"j{k}", "without mass"))
    for k, (_, kind, *_) in enumerate(joints, 1):
        sides = [beyond(tree, k), everything - beyond(tree, k)] if free else [beyond(tree, k)]
        if kind not in ("fixed", "driven") and not all(weighs(tree, side, kind) for side in sides):
            found.add((f"j{k}", "without mass"))
    return found


def weighs(tree, side, kind):
    """Whether a joint of a kind that moves some bodies has something to accelerate."""
    own = [PARTS[tree[0][k]] for k in side]
    return any(part and (part.mass or (kind in ("revolute", "spherical") and part.Ixx)) for part in own)


@settings(max_examples=100)
@given(trees())
def test_what_lacks_mass_is_refused_and_nothing_else(tree):
    wanted = reasons(tree)
    moments = sums(tree, range(len(tree[0])))[1]
    assume(not 1e-9 < moments[0] < 1e-6)
    if not wanted:
        forest = spanning_forest(build_graph(scene(tree)), Structure())
        assert forest.floats[:, 12].sum() == pytest.approx(sum(part.mass for part in map(PARTS.get, tree[0]) if part))
        return
    with pytest.raises(ModelError) as caught:
        build_graph(scene(tree))
    assert any(caught.value.path == path and re.search(words, caught.value.message) for path, words in wanted), wanted


@settings(max_examples=40)
@given(trees())
def test_fixed_together_all_parts_are_one_body_with_their_inertia(tree):
    """Its ten numbers about the root, whichever part is the root and whichever way the joints are declared."""
    parts, joints, _, root = tree
    tree = parts, [(parent, "fixed", *more) for parent, _, *more in joints], True, root
    assume(not reasons(tree))
    forest = spanning_forest(build_graph(scene(tree)), Structure())
    mass, moments = sums(tree, range(len(parts)))
    assert forest.n == 1
    numbers = forest.floats[0, 12:22]
    xx, yy, zz, xy, xz, yz = numbers[4:]
    c = numbers[1:4] / mass
    about_root = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    central = about_root - mass * ((c @ c) * np.eye(3) - np.outer(c, c))
    assert numbers[0] == pytest.approx(mass, rel=1e-14)
    assert np.linalg.eigvalsh(central) == pytest.approx(moments, rel=1e-10, abs=1e-12)
    X = np.linalg.inv(poses(tree)[root])
    expected = sum(
        PARTS[part].mass * (X @ pose @ [*PARTS[part].center_of_mass, 1.0])[:3]
        for part, pose in zip(parts, poses(tree), strict=True)
        if PARTS[part]
    )
    assert numbers[1:4] == pytest.approx(expected, rel=1e-12, abs=1e-12)
