"""`Dynamics`: one object for callers in Python, and what it says about arrays that are no forest."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from modia3d.dynamics import Dynamics
from modia3d.dynamics.basics.layout import FREE, PASSIVE, PRESCRIBED, STATUS_SINGULAR
from modia3d.dynamics.joints.kinds import KINDS
from modiapy import ModelError
from modiapy.acausal import STATUS_OK

from .forests import CYLINDRICAL, SIX_DOF, SPHERICAL, Forest, assert_close, equations_of_motion, random_forest

pytestmark = pytest.mark.white_box


def packed(f: Forest) -> Dynamics:
    """The forest and its state in a `Dynamics`."""
    dynamics = Dynamics(f.ints, f.floats, f.gravity)
    dynamics.q[:], dynamics.v[:], dynamics.a[:] = f.q, f.v, f.a
    return dynamics


@pytest.mark.parametrize("seed", range(5))
def test_results_stand_in_the_arrays(seed: int) -> None:
    f = random_forest(seed, 7)
    d = packed(f)
    M, h = equations_of_motion(f)
    assert (d.inverse_dynamics(), d.bias(), d.mass_matrix()) == (STATUS_OK,) * 3
    assert_close(d.tau, M @ f.a + h)
    assert_close(d.h, h)
    assert_close(d.M, M)
    d.a[:] = 0.0
    assert d.forward_dynamics() == STATUS_OK
    assert_close(d.a, f.a, 1e-9)


def test_it_starts_at_rest_with_identity_orientations() -> None:
    f = random_forest(0, 4, free=1.0, root=1.0)
    d = Dynamics(f.ints, f.floats, f.gravity)
    d.forward_dynamics()
    for kind, j, k in f.ints[:, 1:4]:
        assert kind == FREE
        assert list(d.q[j : j + 7]) == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        assert_close(d.a[k : k + 6], [*f.gravity, 0.0, 0.0, 0.0])


def test_the_arrays_are_copies_and_functions_outlive_the_object() -> None:
    f = random_forest(1, 6)
    d = packed(f)
    tau, inverse_dynamics = d.tau, d.inverse_dynamics
    f.floats[:] = np.nan
    del d
    gc.collect()
    assert inverse_dynamics() == STATUS_OK
    assert np.all(np.isfinite(tau))
    assert np.any(tau != 0.0)


def test_no_body_at_all_is_a_forest() -> None:
    d = Dynamics(np.zeros((0, 8), np.int64), np.zeros((0, 32)), np.zeros(3))
    assert (d.inverse_dynamics(), d.forward_dynamics(), d.mass_matrix()) == (STATUS_OK,) * 3


def test_a_massless_end_gives_a_status() -> None:
    f = random_forest(2, 3, free=0.0)
    f.floats[2, 12:] = 0.0
    assert packed(f).forward_dynamics() == STATUS_SINGULAR


def changed(name: str, index: Any, value: Any) -> dict[str, np.ndarray]:
    """Arrays of a chain of three passive revolute joints with one element changed."""
    f = random_forest(0, 3, free=0.0, root=0.0, chain=1.0, passive=1.0, prismatic=0.0)
    arrays = {"ints": f.ints, "floats": f.floats, "gravity": f.gravity}
    arrays[name][index] = value
    return arrays


@pytest.mark.parametrize(
    ("arrays", "path"),
    [
        (changed("ints", (1, 0), 1), "ints[1, 0]"),  # its own parent
        (changed("ints", (0, 0), -2), "ints[0, 0]"),
        (changed("ints", (2, 1), len(KINDS)), "ints[2, 1]"),
        (changed("ints", (2, 1), FREE), "ints[2, 0]"),  # free, but not a root
        (changed("ints", (2, 4), 7), "ints[2, 4]"),
        (changed("ints", (2, 2), 0), "ints[:, 2]"),  # two joints with one coordinate
        (changed("ints", (2, 3), 5), "ints[:, 3]"),  # a gap
        (changed("ints", (2, 4), 0), "ints[:, 3]"),  # a prescribed joint behind passive ones
        (changed("ints", (2, 5), 1), "ints[2, 5]"),  # Cardan angles of a revolute joint
        (changed("ints", (2, 6), 1), "ints[2, 6]"),  # a revolute joint is reversed by its axis
        (changed("floats", (1, 12), -1.0), "floats[1, 12]"),
        (changed("floats", (1, 16), np.nan), "floats"),
        (changed("gravity", 0, np.inf), "gravity"),
    ],
)
def test_what_is_no_forest_is_refused_by_place(arrays: dict[str, np.ndarray], path: str) -> None:
    with pytest.raises(ModelError) as error:
        Dynamics(**arrays)
    assert error.value.path == path


def test_wrong_shapes_and_types_are_refused() -> None:
    f = random_forest(0, 3)
    for arrays, path in (
        ((f.ints[:, :5], f.floats, f.gravity), "ints"),
        ((f.ints.astype(float), f.floats, f.gravity), "ints"),
        ((f.ints, f.floats[:2], f.gravity), "floats"),
        ((f.ints, f.floats, np.zeros(2)), "gravity"),
    ):
        with pytest.raises(ModelError) as error:
            Dynamics(*arrays)
        assert error.value.path == path
        assert error.value.expected.startswith("shape")


def test_a_free_body_in_the_equations_is_refused() -> None:
    f = random_forest(0, 1, free=1.0)
    f.ints[0, 4] = PASSIVE - 1
    with pytest.raises(ModelError, match="passive"):
        Dynamics(f.ints, f.floats, f.gravity)


def test_what_has_an_orientation_cannot_be_prescribed() -> None:
    f = random_forest(0, 1, free=0.0)
    for kind, refused in ((SPHERICAL, True), (SIX_DOF, True), (CYLINDRICAL, False)):
        f.ints[0, 1:5] = kind, 0, 0, PRESCRIBED
        if not refused:
            Dynamics(f.ints, f.floats, f.gravity)
            continue
        with pytest.raises(ModelError, match="no joints with an orientation"):
            Dynamics(f.ints, f.floats, f.gravity)


def test_layout_is_importable_without_numba() -> None:
    code = "import modia3d.dynamics.basics.layout, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_assignment_writes_into_the_array_or_is_refused() -> None:
    f = random_forest(0, 4)
    d = Dynamics(f.ints, f.floats, f.gravity)
    d.q, d.v, d.a = f.q, list(f.v), f.a
    d.inverse_dynamics()
    M, h = equations_of_motion(f)
    assert_close(d.tau, M @ f.a + h)
    with pytest.raises(ModelError, match=r"^q: the array has the wrong shape or type; found shape \(1,\); expected shape"):
        d.q = np.zeros(1)
    with pytest.raises(ModelError, match=r"^body: there is no such body; found 4; expected -1 \.\. 3"):
        d.frame_jacobian(4)
    with pytest.raises(ModelError, match=r"^p_BF_B: the array has the wrong shape or type; found shape \(2,\)"):
        d.frame_jacobian(0, (1.0, 2.0))
    assert not d.frame_jacobian(-1).any()


@pytest.mark.parametrize("seed", range(3))
def test_arrays_in_a_new_array_out(seed: int) -> None:
    f = random_forest(seed, 7)
    d = Dynamics(f.ints, f.floats, f.gravity)
    before = [getattr(d, name).copy() for name in ("q", "v", "a", "tau", "h", "M")]
    M, h = equations_of_motion(f)
    tau = d.inverse_dynamics(f.q, f.v, f.a)
    assert_close(tau, M @ f.a + h)
    assert_close(d.bias(f.q, f.v), h)
    assert_close(d.mass_matrix(f.q), M)
    assert_close(d.forward_dynamics(f.q, f.v, tau), f.a, 1e-9)
    again = d.inverse_dynamics(f.q, f.v, 0.0 * f.a)
    assert_close(again, h)
    assert_close(tau, M @ f.a + h)  # the first result is an array of its own
    for name, value in zip(("q", "v", "a", "tau", "h", "M"), before, strict=True):
        assert np.array_equal(getattr(d, name), value)


def test_what_is_given_may_be_any_numbers_of_the_right_length() -> None:
    f = random_forest(0, 4, free=0.0, root=0.0)
    d = Dynamics(f.ints, f.floats, f.gravity)
    tau = d.inverse_dynamics(f.q, f.v, f.a)
    spread = np.repeat(f.q, 2)[::2]
    assert_close(d.inverse_dynamics(spread, list(f.v), tuple(f.a)), tau)
    fixed = f.q.copy()
    fixed.flags.writeable = False
    assert_close(d.inverse_dynamics(fixed, f.v, f.a), tau)
    whole = np.arange(f.q.size)
    assert_close(d.mass_matrix(whole), d.mass_matrix(whole.astype(float)))
    assert_close(d.mass_matrix(f.q.astype(np.float32)), d.mass_matrix(f.q.astype(np.float32).astype(float)))


class Named(np.ndarray):
    """A class of a user."""


@pytest.mark.parametrize(
    "form",
    [
        lambda x: np.frombuffer(b"0" * 3 + x.tobytes(), np.uint8)[3:].view(np.float64),  # at an odd address
        lambda x: x.astype(">f8"),
        lambda x: x.view(Named),
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.ma.masked_array(x, np.zeros(x.size, bool)),
        lambda x: x.astype(object).astype(np.longdouble),
    ],
    ids=["odd address", "other order of bytes", "of a class of its own", "backwards", "masked", "long"],
)
def test_arrays_of_any_kind_are_read_as_their_numbers(form: Any) -> None:
    f = random_forest(3, 5)
    d = packed(f)
    M, tau, a = d.mass_matrix(f.q), d.inverse_dynamics(f.q, f.v, f.a), d.forward_dynamics(f.q, f.v, f.a)
    q, v, u = form(f.q), form(f.v), form(f.a)
    for found, expected in (
        (d.mass_matrix(q), M),
        (d.bias(q, f.v), d.bias(f.q, v)),
        (d.inverse_dynamics(f.q, v, f.a), tau),
        (d.inverse_dynamics(f.q, f.v, u), tau),
        (d.forward_dynamics(q, v, u), a),
    ):
        assert type(found) is np.ndarray
        assert np.array_equal(found, expected)


def test_calls_leave_no_objects_behind() -> None:
    f = random_forest(3, 5)
    d = packed(f)
    d.mass_matrix(f.q)
    references = [sys.getrefcount(each) for each in (f.q, f.v, f.a, d.q, np.ndarray)]
    blocks = sys.getallocatedblocks()
    for _ in range(1000):
        d.mass_matrix(f.q), d.inverse_dynamics(f.q, f.v, f.a), d.bias(f.q, f.v), d.mass_matrix()
    assert sys.getallocatedblocks() - blocks < 100
    assert [sys.getrefcount(each) for each in (f.q, f.v, f.a, d.q, np.ndarray)] == references


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda d, f: d.inverse_dynamics(f.q[:-1], f.v, f.a), r"^q: the array has the wrong shape or type; found shape"),
        (lambda d, f: d.inverse_dynamics(f.q, f.v), r"^a: the array has the wrong shape or type; found shape \(\)"),
        (
            lambda d, f: d.inverse_dynamics(f.q, f.v, np.append(f.a, 1.0)),
            r"^a: the array has the wrong shape or type; found shape",
        ),
        (
            lambda d, f: d.forward_dynamics(f.q, f.v[None, :], f.a),
            r"^v: the array has the wrong shape or type; found shape \(1, ",
        ),
        (lambda d, f: d.bias(f.q, 3.0), r"^v: the array has the wrong shape or type; found shape \(\)"),
        (
            lambda d, f: d.mass_matrix(["x"] * f.q.size),
            r"^q: the array has the wrong shape or type; found elements of the type <U1",
        ),
        (
            lambda d, f: d.mass_matrix(f.q * 1j),
            r"^q: the array has the wrong shape or type; found elements of the type complex128",
        ),
    ],
)
def test_what_is_given_is_checked_by_name(wrong: Any, message: str) -> None:
    f = random_forest(0, 4)
    with pytest.raises(ModelError, match=message):
        wrong(packed(f), f)


def test_accelerations_of_what_has_no_inertia_are_refused() -> None:
    f = random_forest(2, 3, free=0.0)
    f.floats[2, 12:] = 0.0
    with pytest.raises(ModelError, match="forward_dynamics has no result"):
        packed(f).forward_dynamics(f.q, f.v, f.a)
