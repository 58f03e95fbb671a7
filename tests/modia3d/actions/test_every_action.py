"""What holds of every action and step of a program, taken from the tables in which they are registered."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect

import numpy as np
import pytest

import modia3d
from modia3d import Actions, End, IfElse, Parallel, Pose, Read, Repeat, Retry, Set, Spawn, StopPath, Together, Try, WaitUntil
from modia3d.actions.blocks import ONLY_IN_PYTHON, STEPS
from modia3d.actions.steps import Decide
from modia3d.actions.structural import recorders
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.base import StructuralAction
from modia3d.actions.values import ACTIONS, Wait
from modia3d.topology.placement import Placement
from modiapy import ModelError

pytestmark = pytest.mark.white_box

SAMPLES = {
    "frame": ("robot.tool", "hand"),
    "target": ("table", "platform.X2Y2"),
    "release": ("foot", "wall"),
    "joint": ("hinge", "robot.rev1"),
    "relative_to": ("deck", "ship"),
    "attach_to": ("hook", "eye"),
    "on_contact": ("impulse",),
    "enable_contact_detection": (False,),
    "park": (True,),
    "translation": ((1.0, 2.0, 3.0), (0.0, 0.0, 7.0)),
    "rotation": ((0.1, 0.2, 0.3), (0.0, 0.0, 1.0)),
    "velocity": ((4.0, 5.0, 6.0), (0.0, 1.0, 0.0)),
    "angular_velocity": ((7.0, 8.0, 9.0), (1.0, 0.0, 0.0)),
    "turn": (0.5, 0.25),
    "duration": (1.5, 2.5),
    "period": (3.5, 4.5),
    "names": (("a", "b"), ("c", "d")),
    "joints": (("j", "k"), ("l", "m")),
    "position": ((0.5, 0.6), (0.7, 0.8)),
    "positions": (((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0),)),
    "v_max": ((1.0, 2.0), (3.0, 4.0)),
    "a_max": ((5.0, 6.0), (7.0, 8.0)),
    "j_max": ((9.0, 10.0), (11.0, 12.0)),
    "blend": (0.1, 0.2),
    "tolerance": (1e-3, 1e-4),
}
"""Values of each argument, none of them the default."""
OF_ONE = {("moveLinear", "v_max"): (1.0, 2.0), ("moveLinear", "a_max"): (3.0, 4.0)}
FUNCTIONS = {name: getattr(modia3d, name) for name in ACTIONS if name != "together"}
EXCLUDED = {"ActionAdd": ({"attach_to", "turn"}, {"relative_to", "translation", "rotation", "velocity", "angular_velocity"})}
"""Arguments of which only one set may be given."""


def arguments(name, k=0):
    """All arguments of a function that records an action, but for those that exclude each other: list of dicts."""
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters)[1:]
    values = {p: OF_ONE.get((name, p), SAMPLES[p]) for p in parameters}
    chosen = {p: value[k % len(value)] for p, value in values.items()}
    sets = EXCLUDED.get(name, (set(),))
    return [{p: v for p, v in chosen.items() if p not in set().union(*sets) - one} for one in sets]


CASES = [(name, given) for name in FUNCTIONS for given in arguments(name)]


def fields(made):
    """Fields of an action; those of what it contains among them."""
    found = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    inside = [value for value in found.values() if dataclasses.is_dataclass(value) and not isinstance(value, Pose)]
    return found | {name: value for one in inside for name, value in fields(one).items()}


@pytest.mark.parametrize(("name", "given"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_each_argument_is_the_field_of_its_name_however_it_is_given(name, given):
    function, recorder = FUNCTIONS[name], Actions()
    made = function(recorder, **given)
    assert recorder.recorded == [made]
    assert recorder.recorded[0] is made  # a generator yields what is recorded
    assert {field: value for field, value in fields(made).items() if field in given} == given
    assert ACTIONS[name](**given) == made
    if name not in EXCLUDED:
        assert function(Actions(), *given.values()) == made
    assert hash(made) == hash(function(Actions(), **given))
    others = arguments(name, 1)[0]
    for field, value in given.items():
        required = inspect.signature(function).parameters[field].default is inspect.Parameter.empty
        other = others[field] if required else None
        changed = given | {field: other} if required else {key: v for key, v in given.items() if key != field}
        try:
            assert function(Actions(), **changed) != made, field
        except ModelError:
            assert field == "attach_to", (field, value)  # the turn belongs to it


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_left_out_is_the_same_however_an_action_is_made(name):
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters.values())[1:]
    needed = {p.name: OF_ONE.get((name, p.name), SAMPLES[p.name])[0] for p in parameters if p.default is p.empty}
    if name == "moveLinear":
        needed["translation"] = SAMPLES["translation"][0]
    made = FUNCTIONS[name](Actions(), **needed)
    assert made == (Add(**needed, placement=Placement()) if name == "ActionAdd" else type(made)(**needed))


TEXTS = {
    "ActionAttach": ["ActionAttach robot.tool -> table"],
    "ActionRelease": ["ActionRelease robot.tool from table"],
    "ActionReleaseAndAttach": ["ActionReleaseAndAttach robot.tool -> table, releasing foot"],
    "ActionFlipChain": ["ActionFlipChain robot.tool -> table, releasing foot"],
    "ActionDelete": ["ActionDelete robot.tool, parked"],
    "ActionAdd": ["ActionAdd robot.tool at hook", "ActionAdd robot.tool"],
    "ActionLock": ["ActionLock hinge"],
    "ActionUnlock": ["ActionUnlock hinge"],
    "ActionWait": ["ActionWait 1.5 s"],
    "EventAfterPeriod": ["EventAfterPeriod 3.5 s"],
    "addReferencePath": ["addReferencePath a, b"],
    "ptpJointSpace": ["ptpJointSpace through 2 positions"],
    "moveLinear": ["moveLinear robot.tool"],
}
SHORT = {
    "ActionRelease": "ActionRelease robot.tool",
    "ActionReleaseAndAttach": "ActionReleaseAndAttach robot.tool -> table",
    "ActionFlipChain": "ActionFlipChain robot.tool -> table",
    "ActionDelete": "ActionDelete robot.tool",
    "ptpJointSpace": "ptpJointSpace through 2 positions",
}


def test_every_action_has_its_text():
    """The texts stand in logs, by which a snapshot is known to fit the program."""
    assert {name: [str(ACTIONS[name](**given)) for given in arguments(name)] for name in FUNCTIONS} == TEXTS
    needed = {
        name: [p for p, q in inspect.signature(FUNCTIONS[name]).parameters.items() if q.default is q.empty][1:]
        for name in SHORT
    }
    short = {name: str(ACTIONS[name](**{p: v for p, v in arguments(name)[0].items() if p in needed[name]})) for name in SHORT}
    assert short == SHORT
    assert str(ACTIONS["ptpJointSpace"]([1.0, 2.0])) == "ptpJointSpace through 1 position"
    waits = [Wait(1.0)]
    steps = {
        "wait_until": (("x > 1", 2.0), "wait_until x > 1, at most 2 s"),
        "if": (("x > 1", waits), "if x > 1"),
        "repeat": ((waits, 3), "repeat 3 times"),
        "try": ((waits,), "try"),
        "retry": ((waits, 4), "retry at most 4 times"),
        "parallel": ((waits, waits), "parallel, 2 programs"),
        "spawn": ((waits,), "spawn a program"),
        "set": (({"f": 1, "g": "x"},), "set f = 1, g = x"),
        "stop_path": ((("a", "b"),), "stop_path a, b"),
        "end": (("done", False), "end done (no success)"),
    }
    assert {name: str(kind(*steps[name][0])) for name, kind in STEPS.items()} == {
        name: text for name, (_, text) in steps.items()
    }
    others = [("wait_until", ("x",), "wait_until x"), ("stop_path", (), "stop_path"), ("end", ("done",), "end done")]
    others += [("repeat", (waits, None, "x > 1"), "repeat while x > 1"), ("spawn", (sorted,), "spawn sorted")]
    others += [("parallel", (waits, sorted, waits), "parallel, 3 programs"), ("stop_path", ("a",), "stop_path a")]
    assert [str(STEPS[name](*given)) for name, given, _ in others] == [text for *_, text in others]
    assert [str(kind(given)) for kind, given in zip(ONLY_IN_PYTHON, ("x > 1", "2*x", 3), strict=True)] == [
        "if x > 1",
        "read 2*x",
        "join 3",
    ]


@pytest.mark.parametrize("n", range(1, 7))
def test_actions_given_together_are_told_up_to_three(n):
    given = [ACTIONS["ActionRelease"](f"f{k}") for k in range(n)]
    shown = " + ".join(f"ActionRelease f{k}" for k in range(min(n, 3)))
    assert str(Together(given)) == shown + (f" + {n - 3} more" if n > 3 else "")
    with (recorder := Actions()).together():
        for k in range(n):
            FUNCTIONS["ActionRelease"](recorder, f"f{k}")
    assert recorder.recorded == [Together(given)]
    with contextlib.suppress(KeyError), recorder.together():
        FUNCTIONS["ActionRelease"](recorder, "f")
        raise KeyError  # who catches it goes on without this change
    FUNCTIONS["ActionWait"](recorder, 1.0)
    assert recorder.recorded == [Together(given), Wait(1.0)]


STRUCTURAL = [(name, field) for name in recorders() for given in arguments(name)[:1] for field in given]
TEXT = "expected a text such as 'platform.X2Y2'"
WRONG = {
    "on_contact": ("impluse", "found 'impluse'; expected 'refuse' or 'impulse'. Did you mean 'impulse'?"),
    "enable_contact_detection": (1, "found 1; expected True or False"),
    "park": (None, "found None; expected True or False"),
}


@pytest.mark.parametrize(("name", "field"), STRUCTURAL)
def test_every_field_of_a_structural_action_is_checked(name, field):
    (given, *_), kind = arguments(name), type(ACTIONS[name](**arguments(name)[0]))
    assert issubclass(kind, StructuralAction)
    if name == "ActionAdd":
        given, kind = {"frame": given["frame"], "placement": Placement()}, Add
    if field in WRONG:
        value, text = WRONG[field]
        with pytest.raises(ModelError) as caught:
            kind(**given | {field: value})
        assert str(caught.value) == f"{field} of {name} is wrong; {text}"
    elif field in given:
        what = "joint" if field in kind.joints else "frame"
        for value in ("", 3, ["x"]):
            with pytest.raises(ModelError) as caught:
                kind(**given | {field: value})
            assert str(caught.value) == f"{field} of {name} must be the name of a {what}; found {value!r}; {TEXT}"


@pytest.mark.parametrize("name", recorders())
def test_all_names_of_an_action_are_told_by_field(name):
    for given in arguments(name):
        made = ACTIONS[name](**given)
        names = {"frame", "target", "release", "joint", "relative_to", "attach_to"} & set(given)
        assert made.names() == {field: given[field] for field in names}


HIGH, LOW = (lambda s: s["x"] > 1.0), (lambda s: s["x"] < 1.0)


def test_steps_with_the_same_fields_are_equal_and_others_are_not():
    made = [
        lambda: Wait(1),
        lambda: Wait(np.float64(2.0)),
        lambda: Set(a=1, b="x"),
        lambda: Set(b="x", a=1),
        lambda: Set(a=2, b="x"),
        lambda: Set(a=1, b="y"),
        lambda: Read("x"),
        lambda: Read("x + 1"),
        lambda: WaitUntil("x"),
        lambda: WaitUntil("x + 1"),
        lambda: WaitUntil("x", 1.0),
        lambda: WaitUntil(HIGH),
        lambda: WaitUntil(LOW),
        lambda: Decide("x"),
        lambda: Decide("x + 1"),
        lambda: StopPath(),
        lambda: StopPath(["a"]),
        lambda: StopPath(["a", "b"]),
        lambda: End("x"),
        lambda: End("x", False),
        lambda: IfElse("x", [Wait(1)]),
        lambda: IfElse("x", [], [Wait(1)]),
        lambda: Repeat([Wait(1)], 2),
        lambda: Repeat([Wait(1)], while_="x"),
        lambda: Try([Wait(1)]),
        lambda: Try([Wait(1)], [Wait(1)]),
        lambda: Retry([Wait(1)], 2, 0.5),
        lambda: Retry([Wait(1)], 2),
        lambda: Parallel([Wait(1)], [Wait(2)]),
        lambda: Parallel([Wait(2)], [Wait(1)]),
        lambda: Spawn([Wait(1)]),
    ]
    for i, one in enumerate(made):
        for j, two in enumerate(made):
            assert (one() == two()) == (i == j), (i, j)
    for one in made:
        assert hash(one()) == hash(one())
