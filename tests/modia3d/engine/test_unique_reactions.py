"""Which reactions of closed mechanisms are determined, and which ones others could do instead."""

import numpy as np
import pytest

from modia3d import Cylindrical, Model3D, Object3D, Revolute, Scene, Spherical, UniformGravity
from modiapy import Map, instantiate
from tests.modia3d.engine.test_closed_loops import IN_PLANE, PASSIVE, closed, four_bars
from tests.modia3d.scenes import body

pytestmark = pytest.mark.white_box

QUANTITIES = ("cut_force", "cut_torque")


def unique(result, name):
    """Of force and torque at all times, shape (nt, 6)."""
    return np.hstack([result[f"{name}.{quantity}_unique"] for quantity in QUANTITIES])


def test_a_planar_loop_determines_what_acts_in_its_plane():
    """The forces in the plane and the torque about its normal: of joints that are cut or not, within the bodies between."""
    result = instantiate(four_bars(2)).simulate(0.5, interval=0.1)
    for name in ("rocker0", "rocker1", "left1", "right1", "right2", "tip2"):
        assert (unique(result, name) == (1, 1, 0, 0, 0, 1)).all(), name
    rows = [f"right{k} (position {axis})" for k in (1, 2) for axis in "xy"]
    assert result.segments[0].info["unique"] == rows


@pytest.mark.parametrize("flanges", [("motor",), tuple(PASSIVE)])
def test_the_same_where_joints_have_flanges_or_a_body_is_cut(flanges):
    result = instantiate(closed(flanges)).simulate(0.2, interval=0.1)
    for name in PASSIVE:
        for quantity, axes in IN_PLANE.items():
            expected = [float(axis in axes) for axis in range(3)]
            assert (result[f"{name}.{quantity}_unique"] == expected).all(), name


def test_in_line_the_force_along_the_line_is_not_unique():
    """All four bodies could be pressed together there, and only there."""
    at_rest = {
        "motor": Revolute("world", "crank", "z"),
        "knee": Revolute("crank_tip", "coupler", "z"),
        "pivot": Revolute("far", "rocker", "z"),
        "pin": Revolute("coupler_tip", "rocker_tip", "z"),
    }
    result = instantiate(closed(()) | Map(**at_rest)).simulate(0.01, tolerance=1e-8, interval=0.01)
    assert unique(result, "pin")[0].tolist() == [0, 1, 0, 0, 0, 1]
    assert result.segments[0].info["unique"] == ["pin (position y)"]


def hung(kind, cut):
    """A leaf of 20 kg on two hinges under gravity; `cut` names the hinge that closes the loop."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-z"))),
        frame=Object3D(parent="world", translation=(0.1, 0.2, 0.3)),
        upper_frame=Object3D(parent="frame", translation=(0.0, 0.0, 1.0)),
        leaf=body(20.0, (4.0, 5.0, 3.0), (0.4, 0.0, 0.5)),
        upper_leaf=Object3D(parent="leaf", translation=(0.0, 0.0, 1.0)),
        handle=Object3D(parent="leaf", translation=(0.7, 0.0, 0.5)),
        lower=Revolute("frame", "leaf", "z", phi=0.4, w=2.0, cut=cut == "lower"),
        upper=kind("upper_frame", "upper_leaf", "z", phi=0.4, w=2.0, cut=cut == "upper"),
    )


@pytest.mark.parametrize(("kind", "determined"), [(Revolute, (0, 0, 0, 0, 0, 1)), (Cylindrical, (0, 0, 1, 0, 0, 1))])
def test_of_two_hinges_of_a_door_what_both_can_bear_is_not_unique(kind, determined):
    """Where one of them can slide, the other one bears the weight. What is unique does not depend on which one is cut."""
    results = {cut: instantiate(hung(kind, cut)).simulate(0.5, interval=0.1) for cut in ("lower", "upper")}
    differs = np.zeros(6, dtype=bool)
    for name in ("lower", "upper"):
        for cut, result in results.items():
            assert (unique(result, name) == determined).all()
            assert (unique(result, "handle") == 1.0).all()
            slides = cut == "lower" and kind is Cylindrical
            assert result.segments[0].info["unique"] == (["lower (position z)"] if slides else [])
        lower, upper = (np.hstack([result[f"{name}.{q}"] for q in QUANTITIES]) for result in results.values())
        same = np.array(determined, dtype=bool)
        assert lower[:, same] == pytest.approx(upper[:, same], abs=1e-8)
        differs |= np.abs(lower - upper).max(axis=0) > 1.0
    assert differs[0]
    assert differs[2] == (kind is Revolute)


def test_beside_the_line_of_a_force_that_is_not_unique_its_moment_is_not():
    """The upper hinge hangs on an arm of the leaf; both hinges can share the weight, without any other way to press."""
    hinges = Model3D(
        arm=Object3D(parent="leaf", translation=(0.3, 0.0, 0.2)),
        upper_leaf=Object3D(parent="arm", translation=(-0.3, 0.0, 0.8)),
        lower=Spherical("frame", "leaf"),
        upper=Spherical("upper_frame", "upper_leaf"),
    )
    result = instantiate(hung(Revolute, "upper") | hinges).simulate(0.1, interval=0.1)
    assert (unique(result, "upper_leaf") == (1, 1, 0, 1, 1, 1)).all()
    assert (unique(result, "arm") == (1, 1, 0, 1, 0, 1)).all()


@pytest.mark.parametrize("heights", [(0.5, 2.0), (2.0, 0.5), (1.0, 1.0)])
def test_what_two_hinges_bear_together_is_unique_where_the_third_one_slides(heights):
    """How they share the weight is not, wherever they are; what passes from both of them through the leaf is."""
    hinges = Model3D(
        above=Object3D(parent="leaf", translation=(0.4, 0.0, 0.25)),
        lower=Cylindrical("frame", "leaf", "z", phi=0.4, w=2.0),
    )
    for k, height in enumerate(heights):
        hinges |= Model3D(**{
            f"bracket{k}": Object3D(parent="frame", translation=(0.0, 0.0, height)),
            f"edge{k}": Object3D(parent="above", translation=(-0.4, 0.0, height - 0.25)),
            f"hinge{k}": Revolute(f"bracket{k}", f"edge{k}", "z", phi=0.4, w=2.0, cut=True),
        })  # fmt: skip
    result = instantiate(hung(Revolute, "upper") | Map(upper=None) | hinges).simulate(0.1, interval=0.1)
    assert (unique(result, "above") == (0, 0, 1, 0, 0, 0)).all()  # beside the line of forces that are not
    for k in (0, 1):
        assert (unique(result, f"hinge{k}") == (0, 0, 0, 0, 0, 1)).all()
