"""Evaluation of parameters, constructors and components."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Par, Var, constructor
from modiapy.symbolic.flattening.evaluate import evaluate

pytestmark = pytest.mark.white_box


@dataclass
class Shape:
    """A shape."""

    length: float
    axis: str | Sequence[float] = "z"
    kind: Literal["solid", "hollow"] = "solid"

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise ValueError(f"length must be positive, not {self.length}")


@dataclass
class Frame:
    """A frame."""

    parent: str = ""
    shape: Shape | None = None
    translation: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)
    names: Sequence[str] = ()
    masses: Mapping[str, float] = field(default_factory=dict)
    children: list[Shape] = field(default_factory=list)
    program: Any = None


MakeShape, MakeFrame = constructor(Shape, name="Shape"), constructor(Frame, name="Frame")


def test_expressions_are_evaluated_in_any_order_with_constants() -> None:
    model = Model(p="2*Lx + 3", Lx=4.0, angle="pi/2", flag=True, choice="p if flag else 0", big="inf")
    assert evaluate(model).parameters == {
        "p": 11.0,
        "Lx": 4.0,
        "angle": math.pi / 2,
        "flag": 1.0,
        "choice": 11.0,
        "big": math.inf,
    }


def test_an_entry_never_refers_to_itself() -> None:
    model = Model(R=2.0, c=3.0, a=Model(R="R", b=Model(R="R*c", c="c + 1")))
    assert evaluate(model).parameters == {"R": 2.0, "c": 3.0, "a.R": 2.0, "a.b.R": 8.0, "a.b.c": 4.0}


def test_the_users_modifier_is_evaluated_in_lexical_scope() -> None:
    inertia = Model(J=1.0)
    assert evaluate(Model(J_motor=0.25, m=inertia | Map(J="J_motor*2"))).parameters["m.J"] == 0.5
    assert evaluate(Model(gear=Model(ratio=5.0), m=inertia | Map(J="gear.ratio**2"))).parameters["m.J"] == 25.0


def test_arrays() -> None:
    evaluated = evaluate(Model(L=2.0, p=[0.0, "L/2"], m=np.eye(2), q="m", r="p[1] + m[0, 0]", s="m[1][1]"))
    assert evaluated.parameters["p[1]"] == 1.0
    assert evaluated.parameters["m[0,1]"] == 0.0
    assert evaluated.parameters["q[1,1]"] == 1.0
    assert evaluated.parameters["r"] == 2.0
    assert evaluated.parameters["s"] == 1.0


def test_constructors_are_called_depth_first_with_evaluated_fields() -> None:
    def program() -> None: ...

    model = Model(
        L=2.0,
        side=[0.0, "L", 1.0],
        bar=MakeShape("L/2", axis="x"),
        frame=MakeFrame(
            parent="world",
            shape=MakeShape(length="3*L"),
            translation=("L/2", 0.0, "-L"),
            names=["L", "x"],
            masses={"a": "L"},
            children=[MakeShape("L"), "bar"],
            program=program,
        ),
        arm=Model(other=MakeFrame(shape="bar", translation="side")),
    )
    objects = evaluate(model).objects
    assert list(objects) == ["bar", "frame", "arm.other"]
    assert objects["bar"] == Shape(1.0, "x")
    assert objects["frame"] == Frame(
        "world", Shape(6.0), (1.0, 0.0, -2.0), ["L", "x"], {"a": 2.0}, [Shape(2.0), Shape(1.0, "x")], program
    )
    assert objects["frame"].children[1] is objects["bar"] is objects["arm.other"].shape
    np.testing.assert_array_equal(objects["arm.other"].translation, [0.0, 2.0, 1.0])


def test_a_model_with_a_constructor_stays_a_model() -> None:
    joint = Model(_constructor=Shape, length="2*k", axis="x", phi=Var(init="length"), k=1.0, equations=["phi = length"])
    evaluated = evaluate(Model(rev=joint, k=3.0))
    assert evaluated.objects == {"rev": Shape(2.0, "x")}
    assert evaluated.parameters == {"rev.length": 2.0, "rev.k": 1.0, "k": 3.0}
    assert evaluated.tree.children["rev"].variables["phi"]["init"] == 2.0


@settings(max_examples=40)
@given(st.permutations(range(8)), st.floats(-10, 10))
def test_a_chain_of_parameters_has_one_value_in_any_order(order: list[int], first: float) -> None:
    chain: dict[str, Any] = {f"p{i}": f"p{i - 1} + {i}" for i in range(1, 8)} | {"p0": first}
    parameters = evaluate(Model({f"p{i}": chain[f"p{i}"] for i in order})).parameters
    assert parameters["p7"] == pytest.approx(first + 28)


@pytest.mark.parametrize(
    ("model", "path", "message"),
    [
        (Model(a=Model(J="J_motr"), J_motor=1.0), "a.J", "unknown name 'J_motr' in 'J_motr'.*Did you mean 'J_motor'"),
        (Model(a="b", b="c + 1", c="a"), "a", "found a -> b -> c -> a"),
        (Model(a="a"), "a", "unknown name 'a'"),
        (Model(a="1/b", b=0.0), "a", "'1/b' has no value; found .* with b = 0.0"),
        (Model(a="sqrt(-b)", b=1.0), "a", "has no value"),
        (Model(x=Var(), a="2*x"), "a", "'x' in .* is a variable"),
        (Model(a="time"), "a", "'time' cannot be used"),
        (Model(b=1.0, a="der(b)"), "a", r"'der\(...\)' cannot stand in a parameter"),
        (Model(p=[[1.0, 2.0], [3.0]], a="2*p"), "a", "'p' in '2\\*p' is not a number; found an array"),
        (Model(p=[1.0], a="p[1]"), "a", r"no element \[1\]; found an array of shape \(1,\)"),
        (Model(x=Var(init="p + 1")), "x.init", "unknown name 'p'"),
        (Model(x=Var(init=[[1.0], [2.0, 3.0]])), "x.init", "is not a number"),
        (Model(a=Par(unit="m")), "a", "the parameter has no value"),
        (Model(body=Model(f=MakeFrame(shape=MakeShape(axis="x")))), "body.f.shape", "Shape needs a value for 'length'"),
        (Model(body=Model(f=MakeFrame(shape=MakeShape("-1")))), "body.f.shape", "length must be positive, not -1.0"),
        (Model(f=MakeFrame(shape=MakeShape("L"))), "f.shape.length", "unknown name 'L'"),
        (Model(f=MakeFrame(translation=[0, "u", 0])), "f.translation[1]", "unknown name 'u'"),
        (Model(f=MakeFrame(shape=Model())), "f.shape", "a Model cannot stand here"),
    ],
)
def test_mistakes_name_the_full_path(model: Model, path: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as error:
        evaluate(model)
    assert error.value.path == path


def test_a_long_chain_is_evaluated_in_order_and_refused_in_reverse() -> None:
    chain = {"p0": 1.0} | {f"p{i}": f"p{i - 1} + 1" for i in range(1, 400)}
    assert evaluate(Model(chain)).parameters["p399"] == 400.0
    with pytest.raises(ModelError, match=r"p399: .* Declare parameters before they are used"):
        evaluate(Model(dict(reversed(chain.items()))))
