"""Forest with one state in one block of memory, for callers in Python.

The functions of `Dynamics` are machine code that works on this block. It reads and checks the arrays that a caller passes
(`array_calls`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from modiapy.acausal.native import float64_array, int64_array
from modiapy.model.errors import ModelError

from .array_calls import HEADER, REFUSED, as_result, bound, doubles, elements, fast_call, header_of
from .basics.layout import (
    FLOAT_COLUMNS,
    FREE,
    INT_COLUMNS,
    KIND,
    MASS,
    ORIENTATION,
    PARENT,
    PASSIVE,
    PRESCRIBED,
    Q_INDEX,
    REVERSED,
    ROLE,
    SEQUENCES,
    STATUS_OK,
    V_INDEX,
    W_FORCE,
    WORK_COLUMNS,
    work_shape,
)
from .basics.spatial import kernel
from .bias import bias
from .forward_dynamics import forward_dynamics
from .inverse_dynamics import inverse_dynamics
from .joints.kinds import KINDS, ORIENTATION_AT, V_SIZE, q_size
from .mass_matrix import mass_matrix


@kernel
def _unpack(address):
    """Return the arrays ints, floats, gravity, q, v, a, tau, h, M, work of the header at ``address``."""
    s = int64_array(address, HEADER)
    n, nq, nv = s[0], s[1], s[2]
    return (
        int64_array(s[3], (n, INT_COLUMNS)),
        float64_array(s[4], (n, FLOAT_COLUMNS)),
        float64_array(s[5], 3),
        float64_array(s[6], nq),
        float64_array(s[7], nv),
        float64_array(s[8], nv),
        float64_array(s[9], nv),
        float64_array(s[10], nv),
        float64_array(s[11], (nv, nv)),
        float64_array(s[12], (n, WORK_COLUMNS)),
    )


# Without arguments each of them works on the arrays of the header, else on arrays given and, as the last one, a new result.


@fast_call
def _inverse_dynamics(block, arguments, count):
    header = header_of(block)
    ints, floats, gravity, q, v, a, tau, _, _, work = _unpack(header)
    if count > 0:
        given = int64_array(arguments, 4)
        n_q, n_v = q.size, v.size
        at = doubles(header, given[0], n_q), doubles(header, given[1], n_v), doubles(header, given[2], n_v)
        if at[0] == 0 or at[1] == 0 or at[2] == 0:
            return as_result(REFUSED)
        q, v, a = float64_array(at[0], n_q), float64_array(at[1], n_v), float64_array(at[2], n_v)
        tau = float64_array(elements(given[3]), n_v)
    return as_result(inverse_dynamics(ints, floats, gravity, q, v, a, tau, work))


@fast_call
def _forward_dynamics(block, arguments, count):
    header = header_of(block)
    ints, floats, gravity, q, v, a, tau, _, _, work = _unpack(header)
    if count > 0:
        given = int64_array(arguments, 4)
        n_q, n_v = q.size, v.size
        at = doubles(header, given[0], n_q), doubles(header, given[1], n_v), doubles(header, given[2], n_v)
        if at[0] == 0 or at[1] == 0 or at[2] == 0:
            return as_result(REFUSED)
        q, v, tau = float64_array(at[0], n_q), float64_array(at[1], n_v), float64_array(at[2], n_v)
        a = float64_array(elements(given[3]), n_v)
    return as_result(forward_dynamics(ints, floats, gravity, q, v, tau, a, work))


@fast_call
def _bias(block, arguments, count):
    header = header_of(block)
    ints, floats, gravity, q, v, _, _, h, _, work = _unpack(header)
    if count > 0:
        given = int64_array(arguments, 3)
        at_q, at_v = doubles(header, given[0], q.size), doubles(header, given[1], v.size)
        if at_q == 0 or at_v == 0:
            return as_result(REFUSED)
        q, v, h = float64_array(at_q, q.size), float64_array(at_v, v.size), float64_array(elements(given[2]), v.size)
    return as_result(bias(ints, floats, gravity, q, v, h, work))


@fast_call
def _mass_matrix(block, arguments, count):
    header = header_of(block)
    ints, floats, _, q, v, _, _, _, M, work = _unpack(header)
    if count > 0:
        given = int64_array(arguments, 2)
        at_q = doubles(header, given[0], q.size)
        if at_q == 0:
            return as_result(REFUSED)
        q, M = float64_array(at_q, q.size), float64_array(elements(given[1]), (v.size, v.size))
    return as_result(mass_matrix(ints, floats, q, M, work))


def _public(name: str, call: Callable[..., int], inputs: dict[str, np.ndarray], result: np.ndarray) -> Any:
    """Return an algorithm for `Dynamics`, see there: its machine code, and the arrays on which it works.

    There is a function for each number of arguments, since gathering them in a tuple would take a tenth of the time at 7
    joints.
    """
    empty, shape = np.empty, result.shape

    def checked(*given: Any) -> np.ndarray:
        """Check the result and return it; raise if an argument is no contiguous array of this length, or there is no result."""
        arrays = [_numbers(which, own.shape, array) for (which, own), array in zip(inputs.items(), given, strict=True)]
        found = empty(shape)
        if call(*arrays, found) != STATUS_OK:
            raise ModelError(f"{name} has no result", found="what moves without inertia", expected="inertia behind each joint")
        return found

    def of_one(q: Any = None, /) -> Any:
        if q is None:
            return call()
        found = empty(shape)
        return checked(q) if call(q, found) else found

    def of_two(q: Any = None, v: Any = None, /) -> Any:
        if q is None:
            return call()
        found = empty(shape)
        return checked(q, v) if call(q, v, found) else found

    def of_three(q: Any = None, v: Any = None, u: Any = None, /) -> Any:
        if q is None:
            return call()
        found = empty(shape)
        return checked(q, v, u) if call(q, v, u, found) else found

    algorithm: Any = (of_one, of_two, of_three)[len(inputs) - 1]
    algorithm.__name__ = name
    return algorithm


def _numbers(name: str, shape: tuple[int, ...], value: Any) -> np.ndarray:
    """Convert a value to contiguous doubles. Raises ModelError if it has another shape or no numbers."""
    given = np.asarray(value)
    if given.shape != shape or given.dtype.kind not in "biuf":
        found = f"shape {given.shape}" if given.shape != shape else f"elements of the type {given.dtype}"
        raise ModelError("the array has the wrong shape or type", path=name, found=found, expected=f"shape {shape} of numbers")
    return np.array(given, dtype=np.float64, order="C")


class Dynamics:
    """Dynamics of a forest: give the state and get an array, or write into the arrays, call, and read the arrays.

    ``tau = d.inverse_dynamics(q, v, a)`` returns a new array and leaves the object's arrays alone. Without arguments the same
    function works on these arrays, ``d.q`` and so on, and returns a status: 0, or ``basics.layout.STATUS_SINGULAR``.

    Attributes:
        ints, floats, gravity: the forest, see ``basics.layout``; copies that may be changed in place. Of a `Model3D` they
            are those of ``modia3d.topology.forest_of``.
        q, v, a, tau, h: shapes (nq,), (nv,), ...; zero at first, quaternions the identity. M: shape (nv, nv). An assignment
            (``d.q = values``) writes into the array.
        R, p, v_W, w_W, a_W, alpha_W: results of `kinematics`, shapes (n, 3, 3), (n, 3), ...
        inverse_dynamics: ``tau`` from ``q, v, a``.
        forward_dynamics: ``a`` from ``q, v, tau``.
        bias: ``h`` from ``q, v``.
        mass_matrix: ``M`` from ``q``.

    Raises:
        ModelError: the arrays do not describe a forest, or an array of another shape is assigned or given; something has no
            inertia where a result is to be returned.
    """

    inverse_dynamics: Callable[..., Any]
    forward_dynamics: Callable[..., Any]
    bias: Callable[..., Any]
    mass_matrix: Callable[..., Any]

    def __init__(self, ints: np.ndarray, floats: np.ndarray, gravity: np.ndarray) -> None:
        ints, floats, gravity = (np.asarray(array) for array in (ints, floats, gravity))
        nq, nv = check_forest(ints, floats, gravity)
        n = len(ints)
        shapes: list[tuple[int, ...]] = [
            ints.shape,
            floats.shape,
            (3,),
            (nq,),
            (nv,),
            (nv,),
            (nv,),
            (nv,),
            (nv, nv),
            work_shape(n),
        ]
        # Every array begins at a multiple of 64 bytes, which is a line of the processor's cache.
        sizes = [-(-int(np.prod(shape)) // 8) * 8 for shape in shapes]
        block = np.zeros(HEADER + sum(sizes) + 8, np.int64)
        offset = -(block.ctypes.data // 8) % 8
        header, position = block[offset : offset + HEADER], offset + HEADER
        header[:3] = n, nq, nv
        arrays: list[Any] = []
        for k, (shape, size) in enumerate(zip(shapes, sizes, strict=True)):
            part = block[position : position + int(np.prod(shape))]
            arrays.append((part if k == 0 else part.view(np.float64)).reshape(shape))
            header[3 + k] = block.ctypes.data + 8 * position
            position += size
        self.ints, self.floats, self.gravity, self.q, self.v, self.a, self.tau, self.h, self.M, self._work = arrays
        self.ints[:], self.floats[:], self.gravity[:] = ints, floats, gravity
        for kind, k, orientation in self.ints[:, [KIND, Q_INDEX, ORIENTATION]]:
            if ORIENTATION_AT[kind] >= 0 and orientation == 0:
                self.q[k + ORIENTATION_AT[kind]] = 1.0
        self.R, self.p = np.zeros((n, 3, 3)), np.zeros((n, 3))
        self.v_W, self.w_W, self.a_W, self.alpha_W = (np.zeros((n, 3)) for _ in range(4))
        for algorithm, code, inputs, result in (
            ("inverse_dynamics", _inverse_dynamics, ("q", "v", "a"), self.tau),
            ("forward_dynamics", _forward_dynamics, ("q", "v", "tau"), self.a),
            ("bias", _bias, ("q", "v"), self.h),
            ("mass_matrix", _mass_matrix, ("q",), self.M),
        ):
            given = {name: getattr(self, name) for name in inputs}
            setattr(self, algorithm, _public(algorithm, bound(code, header), given, result))

    def __setattr__(self, name: str, value: Any) -> None:
        array = self.__dict__.get(name)
        if not isinstance(array, np.ndarray):
            super().__setattr__(name, value)
            return
        array[...] = _numbers(name, array.shape, value)

    def kinematics(self) -> None:
        """Compute the poses, velocities and accelerations of all bodies from ``q, v, a``.

        Results: ``R`` (``R_WB``), ``p`` (``p_WB_W`` [m]), ``v_W``, ``w_W`` (``v_WB_W`` [m/s], ``w_WB_W`` [rad/s]), ``a_W``,
        ``alpha_W``, the derivatives of both (without gravity).
        """
        from .accelerations import body_accelerations

        self._velocities()
        rotations = self.R.reshape(-1, 9)
        body_accelerations(
            self.ints, self.floats, self.q, self.v, self.a, rotations, self.p, self.w_W, self.a_W, self.alpha_W, self._work
        )

    def cut_wrenches(self) -> np.ndarray:
        """Return the wrenches that the joint of each body exerts on that body, at ``q, v, a``; ``tau`` is computed, too.

        Returns:
            shape (n, 6): torque about the body's origin [N m], then force [N], both in B.
        """
        self.inverse_dynamics()
        return self._work[:, W_FORCE : W_FORCE + 6].copy()

    def kinetic_energy(self) -> float:
        """Return the kinetic energy [J] at ``q, v``."""
        from .energy import kinetic_energy

        self._velocities()
        return float(kinetic_energy(self.floats, self.R.reshape(-1, 9), self.v_W, self.w_W))

    def potential_energy(self) -> float:
        """Return the potential energy [J] of uniform gravity at ``q``, zero with all mass at the world's origin."""
        from .energy import potential_energy

        self._poses()
        return float(potential_energy(self.floats, self.gravity, self.R.reshape(-1, 9), self.p))

    def frame_jacobian(self, body: int, p_BF_B: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Return the Jacobian J of a frame F that is fixed to a body, at ``q``.

        Args:
            body: index of the body; -1 is the world.
            p_BF_B: position of F's origin in the body [m].

        Returns:
            shape (6, nv): ``J v`` is ``v_WF_W`` [m/s], then ``w_WF_W`` [rad/s].

        Raises:
            ModelError: there is no such body, or the position has not three components.
        """
        from .jacobian import frame_jacobian

        place = np.array(p_BF_B, dtype=np.float64)
        if place.shape != (3,):
            raise ModelError(
                "the array has the wrong shape or type", path="p_BF_B", found=f"shape {place.shape}", expected="shape (3,)"
            )
        if not -1 <= body < len(self.ints):
            raise ModelError("there is no such body", path="body", found=str(body), expected=f"-1 .. {len(self.ints) - 1}")
        self._poses()
        J = np.empty((6, len(self.v)))
        frame_jacobian(self.ints, self.floats, self.q, self.R.reshape(-1, 9), self.p, body, place, J, self._work)
        return J

    def _poses(self) -> None:
        from .kinematics import body_poses

        body_poses(self.ints, self.floats, self.q, self.R.reshape(-1, 9), self.p)

    def _velocities(self) -> None:
        from .kinematics import body_velocities

        self._poses()
        body_velocities(self.ints, self.floats, self.q, self.v, self.R.reshape(-1, 9), self.p, self.v_W, self.w_W, self._work)


def check_forest(ints: np.ndarray, floats: np.ndarray, gravity: np.ndarray) -> tuple[int, int]:
    """Check the arrays of a forest (`layout`) and return nq and nv.

    Raises:
        ModelError: wrong shape or type, or a row that contradicts the rules; ``path`` names the element.
    """
    n = len(ints) if ints.ndim else 0
    for name, array, shape, numbers in (
        ("ints", ints, (n, INT_COLUMNS), "integers"),
        ("floats", floats, (n, FLOAT_COLUMNS), "numbers"),
        ("gravity", gravity, (3,), "numbers"),
    ):
        if array.shape != shape or array.dtype.kind not in ("i" if numbers == "integers" else "if"):
            raise ModelError(
                "the array has the wrong shape or type",
                path=name,
                found=f"shape {array.shape} of {array.dtype}",
                expected=f"shape {shape} of {numbers}",
            )
        if not np.all(np.isfinite(array)):
            raise ModelError("the array has elements that are not finite", path=name)
    q_used: list[int] = []
    v_used: list[tuple[int, int]] = []
    for i, row in enumerate(ints):
        parent, kind, role = (int(row[column]) for column in (PARENT, KIND, ROLE))
        _check(-1 <= parent < i, i, PARENT, parent, f"-1 (the world) or a body before it, 0 .. {i - 1}")
        _check(0 <= kind < len(KINDS), i, KIND, kind, ", ".join(f"{k} ({name})" for k, name in enumerate(KINDS)))
        _check(role in (PRESCRIBED, PASSIVE), i, ROLE, role, "0 (prescribed) or 1 (passive)")
        _check(kind != FREE or parent == -1, i, PARENT, parent, "-1, for a free body moves relative to the world")
        prescribable = kind != FREE and ORIENTATION_AT[kind] < 0
        _check(prescribable or role == PASSIVE, i, ROLE, role, "1 (passive), equations have no joints with an orientation")
        orientation, reverse = int(row[ORIENTATION]), int(row[REVERSED])
        last = len(SEQUENCES) - 1 if ORIENTATION_AT[kind] >= 0 else 0
        _check(0 <= orientation <= last, i, ORIENTATION, orientation, f"a place in SEQUENCES, 0 .. {last}")
        _check(reverse in ((0, 1) if kind > FREE else (0,)), i, REVERSED, reverse, "0, or 1 in a general joint")
        if not floats[i, MASS] >= 0.0:
            raise ModelError(
                "a mass is negative", path=f"floats[{i}, {MASS}]", found=str(floats[i, MASS]), expected="a mass of at least 0"
            )
        q_used += range(row[Q_INDEX], row[Q_INDEX] + q_size(kind, orientation))
        v_used += [(k, role) for k in range(row[V_INDEX], row[V_INDEX] + V_SIZE[kind])]
    for name, used in (("q", q_used), ("v", [k for k, _ in v_used])):
        if sorted(used) != list(range(len(used))):
            column = Q_INDEX if name == "q" else V_INDEX
            raise ModelError(
                f"the joints do not share out the elements of {name}",
                path=f"ints[:, {column}]",
                found=str(sorted(used)),
                expected=f"each of 0 .. {len(used) - 1} once",
            )
    roles = [role for _, role in sorted(v_used)]
    if roles != sorted(roles):
        raise ModelError(
            "speeds of passive joints come before those of prescribed joints",
            path=f"ints[:, {V_INDEX}]",
            expected="v = (v_e, v_h)",
        )
    return len(q_used), len(v_used)


def _check(condition: bool, i: int, column: int, found: int, expected: str) -> None:
    if not condition:
        raise ModelError("the row does not fit the forest", path=f"ints[{i}, {column}]", found=str(found), expected=expected)
