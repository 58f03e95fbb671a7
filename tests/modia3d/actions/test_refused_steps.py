"""What is refused where a step of a program is made, word for word."""

from __future__ import annotations

import math

import pytest

from modia3d import (
    ActionWait,
    End,
    IfElse,
    ModelActions,
    Parallel,
    Pose,
    Read,
    Repeat,
    Retry,
    Set,
    Spawn,
    StopPath,
    Together,
    Try,
    WaitUntil,
)
from modia3d.actions.paths_values import AddPath, MoveLinear, PtpJointSpace
from modia3d.actions.values import AfterPeriod, Wait
from modiapy import ModelError

pytestmark = pytest.mark.white_box

W = [Wait(1.0)]
PROGRAM = "expected a function or a list of actions and steps"
ENTRY = "expected an action or a step"
NAMES = "expected a list of names, as in addReferencePath"
VALUES = "of addReferencePath has the wrong length; found 2 values for 1 names; expected one value for each name"
LIMITS = "expected limits above zero, and at most 1e+100"
CALLABLE = (
    "expected numbers, signals, arithmetic, comparisons, and/or/not, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, "
    "asinh, acosh, exp, log, log10, erf, erfc, sqrt, abs, sign, floor, min, max, in_contact, not_in_contact"
)
TARGET = "has no target; expected a translation, a rotation, or both"
TURN = 'expected three angles [rad], a 3x3 rotation matrix, or "free"'
STRETCHED = ((1, 0, 0), (0, 1, 0), (0, 0, 2))
POSITIVE, TIME = "expected a positive number", "expected a number, not negative"


def running():
    yield W[0]


RUNNING = running()


def path(names=("a",), position=(0.0,), v_max=(1.0,), a_max=(1.0,), *more):
    return AddPath(names, position, v_max, a_max, *more)


def two(*names, joints=None):
    return AddPath(names, (0.0, 0.0), (1.0, 1.0), (1.0, 1.0), joints=joints)


MADE = [
    (lambda: IfElse("x"), "'if' has no steps; expected steps in 'then' or in 'else'"),
    (lambda: IfElse("x", "abc"), f"'then' of if is not a program; found 'abc'; {PROGRAM}"),
    (lambda: IfElse("x", W, [3]), f"entry 1 of 'else' of if is not an action; found 3; {ENTRY}"),
    (lambda: Repeat(W), "'repeat' does not say how often; found neither times nor while; expected one of them"),
    (lambda: Repeat(W, 2, "x"), "'repeat' does not say how often; found times and while; expected one of them"),
    (lambda: Repeat([], 2), "'repeat' has no steps; expected steps in 'do'"),
    (lambda: Repeat(W, 0), "times of repeat is wrong; found 0; expected a whole number, at least 1"),
    (lambda: Repeat([*W, None], 2), f"entry 2 of 'do' of repeat is not an action; found None; {ENTRY}"),
    (lambda: Try(None), f"'do' of try is not a program; found None; {PROGRAM}"),
    (lambda: Try(W, [W]), f"entry 1 of 'on_refused' of try is not an action; found [Wait(duration=1.0)]; {ENTRY}"),
    (lambda: Retry(W, 0), "times of retry is wrong; found 0; expected a whole number, at least 1"),
    (lambda: Retry("x"), f"'do' of retry is not a program; found 'x'; {PROGRAM}"),
    (lambda: Retry(W, pause=-1), f"pause of retry must be a time [s]; found -1; {TIME}"),
    (lambda: Parallel(), "'parallel' has no programs; expected a list of actions for each program"),
    (lambda: Parallel(W, 3), f"a program of parallel is not a program; found 3; {PROGRAM}"),
    (lambda: Parallel(W, ["x"]), f"entry 1 of a program of parallel is not an action; found 'x'; {ENTRY}"),
    (
        lambda: Parallel(RUNNING),
        f"a program of parallel is running already; found {RUNNING!r}; expected the function itself, without calling it",
    ),
    (
        lambda: Spawn(RUNNING),
        f"a program of spawn is running already; found {RUNNING!r}; expected the function itself, without calling it",
    ),
    (lambda: Spawn(None), f"a program of spawn is not a program; found None; {PROGRAM}"),
    *(
        (
            lambda given=given: Set(given),
            f"'set' names no flags; found {given}; expected a name and a value, e.g. ready: true",
        )
        for given in ({}, {"a b": 1}, {3: 1})
    ),
    (lambda: Set(a=None), "this is not an expression; found None; expected a number or a text"),
    (lambda: Read([1]), "this is not an expression; found [1]; expected a number or a text"),
    (lambda: End(3), "the verdict of 'end' is wrong; found 3, True; expected a text, and true or false"),
    (lambda: End("a", 1), "the verdict of 'end' is wrong; found 'a', 1; expected a text, and true or false"),
    *(
        (lambda names=names: StopPath(names), f"the names of a path must be texts; found {names}; {NAMES}")
        for names in ([], 3, [1])
    ),
    (lambda: PtpJointSpace([1.0], names=[]), f"the names of a path must be texts; found []; {NAMES}"),
    (
        lambda: WaitUntil(None),
        "this is not a condition; found None; expected a text such as 'rev.phi > 1', or a function of signals",
    ),
    (lambda: WaitUntil("x >"), "'x >' cannot be read as an expression; found invalid syntax"),
    (lambda: WaitUntil("x", -1), f"timeout of wait_until must be a time [s]; found -1; {TIME}"),
    (
        lambda: IfElse("1 < sni(x)", W),
        f"'sni' cannot stand in a condition of a program; found '1 < sni(x)'; {CALLABLE}. Did you mean 'sin'?",
    ),
    (
        lambda: Read("2*pre(x)"),
        f"'pre' cannot stand in a condition of a program; found '2*pre(x)'; {CALLABLE}. Write an equation for it, and use its "
        "variable here.",
    ),
    (lambda: WaitUntil({}), "this is not a condition; found {}; expected some of condition, in_contact, not_in_contact"),
    (lambda: WaitUntil({"in_contact": ["a"]}), "in_contact needs two solids; found ['a']; expected the names of two Object3D"),
    (
        lambda: WaitUntil("not_in_contact(a)"),
        "not_in_contact needs two solids; found ['a']; expected the names of two Object3D",
    ),
    (
        lambda: WaitUntil("in_contact(a, 2*b)"),
        "in_contact needs two solids; found ['a', '2*b']; expected the names of two Object3D",
    ),
    (
        lambda: WaitUntil({"in_contct": ["a", "b"]}),
        "this is not a condition; found {'in_contct': ['a', 'b']}; expected some of condition, in_contact, not_in_contact",
    ),
    (
        lambda: PtpJointSpace([]),
        "ptpJointSpace has no positions; found an empty list; expected one row of joint positions, or several",
    ),
    (
        lambda: PtpJointSpace([["a"]]),
        "positions of ptpJointSpace must be numbers; found ['a']; expected one number for each joint",
    ),
    (
        lambda: PtpJointSpace([[math.inf]]),
        "positions of ptpJointSpace must be finite; found [inf]; expected one finite number for each joint",
    ),
    (lambda: PtpJointSpace([1.0], blend=0), f"blend of ptpJointSpace is wrong; found 0; {POSITIVE}"),
    (lambda: path("a"), "names of addReferencePath must be texts; found 'a'; expected a list of names"),
    (lambda: path([]), "names of addReferencePath must be texts; found []; expected a list of names"),
    (lambda: two("a", ""), "names of addReferencePath must be texts; found ('a', ''); expected a list of names"),
    (lambda: two("a", "a"), "names of addReferencePath must differ; found ('a', 'a'); expected each name once"),
    (lambda: two("a", "b", joints="cd"), "joints of addReferencePath must be texts; found 'cd'; expected a list of names"),
    (
        lambda: two("a", "b", joints=["c", "c"]),
        "joints of addReferencePath must differ; found ('c', 'c'); expected each name once",
    ),
    (
        lambda: path(["a b"]),
        "addReferencePath needs names that an expression can use; found 'a b'; "
        "expected letters, digits and underscores: signals are "
        "<name>.position",
    ),
    (
        lambda: two("a", "a.b"),
        "addReferencePath needs names that an expression can use; found 'a.b'; expected no signals inside 'a'",
    ),
    (lambda: path(position=(0, 0)), f"position {VALUES}"),
    (lambda: path(v_max=(1, 2)), f"v_max {VALUES}"),
    (lambda: path(a_max=(1, 2)), f"a_max {VALUES}"),
    (lambda: path(("a",), (0,), (1,), (1,), (1, 2)), f"j_max {VALUES}"),
    (lambda: path(("a",), (0,), (1,), (1,), None, ("b", "c")), f"joints {VALUES}"),
    (lambda: path(v_max=(0,)), f"v_max of addReferencePath must be positive; found (0.0,); {LIMITS}"),
    (lambda: path(a_max=(-1,)), f"a_max of addReferencePath must be positive; found (-1.0,); {LIMITS}"),
    (
        lambda: path(("a",), (0,), (1,), (1,), (2e100,)),
        f"j_max of addReferencePath must be positive; found (2e+100,); {LIMITS}",
    ),
    (
        lambda: path(position=["x"]),
        "position of addReferencePath must be numbers; found ['x']; expected one number for each joint",
    ),
    (
        lambda: path(v_max=[math.nan]),
        "v_max of addReferencePath must be finite; found [nan]; expected one finite number for each joint",
    ),
    (lambda: MoveLinear("a", (1, 2, 3), v_max=0), f"v_max of moveLinear is wrong; found 0; {POSITIVE}"),
    (lambda: MoveLinear("a", (1, 2, 3), a_max=-1), f"a_max of moveLinear is wrong; found -1; {POSITIVE}"),
    (lambda: MoveLinear("a", (1, 2, 3), tolerance=0), f"tolerance of moveLinear is wrong; found 0; {POSITIVE}"),
    (lambda: Together([]), "Together has no actions; found an empty list; expected structural actions"),
    (
        lambda: Together(W),
        "Together takes structural actions only; found ActionWait 1 s; expected attach, release, delete, ...",
    ),
    (lambda: Wait(-1), f"duration of ActionWait must be a time [s]; found -1; {TIME}"),
    (lambda: AfterPeriod("x"), f"period of EventAfterPeriod must be a time [s]; found 'x'; {TIME}"),
    *(
        (
            lambda given=given: ActionWait(*given),
            f"ActionWait is called without the recorder of the program; found {found}; expected the argument of the program "
            "function as its first argument. Write ActionWait(actions, duration) in def program(actions), and "
            "ModelActions(program).",
        )
        for given, found in (((1.0,), "1.0"), ((), "no argument"))
    ),
    (lambda: ModelActions(3), f"the program is not a program; found 3; {PROGRAM}"),
    (lambda: ModelActions(W, closes_loops=3), "closes_loops of ModelActions is wrong; found 3; expected True, False or None"),
]
for name, kind in (("moveLinear", MoveLinear), ("Pose", Pose)):
    MADE += [
        (lambda kind=kind: kind(""), f"frame of {name} must be the name of a frame; found ''; expected a text"),
        (lambda kind=kind: kind(3, (1, 2, 3)), f"frame of {name} must be the name of a frame; found 3; expected a text"),
        (lambda kind=kind: kind("a"), f"{name} {TARGET}"),
        (lambda kind=kind: kind("a", rotation="free"), f"{name} {TARGET}"),
        (lambda kind=kind: kind("a", (1, 2)), f"translation of {name} is wrong; found 2 numbers; expected three: x, y, z"),
        (lambda kind=kind: kind("a", rotation="x"), f"rotation of {name} is wrong; found 'x'; {TURN}"),
        (
            lambda kind=kind: kind("a", rotation=STRETCHED),
            f"rotation of {name} is wrong; found {STRETCHED}; {TURN}. Its rows must be orthogonal unit vectors.",
        ),
        (
            lambda kind=kind: kind("a", (1, 2, 3), relative_to=3),
            f"relative_to of {name} must be the name of a frame; found 3; expected the name of a frame",
        ),
    ]


@pytest.mark.parametrize(("make", "text"), MADE, ids=[text[:60] for _, text in MADE])
def test_a_wrong_step_is_refused_where_it_is_made(make, text):
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == text
