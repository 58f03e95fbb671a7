"""Merging of models: what ``|`` changes, keeps and refuses; constructors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Par, Var, constructor, redeclare

LowPass = Model(
    T=0.2,
    u=Var(input=True),
    y=Var("x", output=True),
    x=Var(init=0.0),
    equations=["T*der(x) + x = u"],
    description="first order",
)


@dataclass
class BoxShape:
    """A box."""

    length: float
    width: float = 1.0
    axis: str | Sequence[float] = "z"


Box = constructor(BoxShape)


def test_a_map_changes_values_and_attributes_and_nothing_else() -> None:
    other = LowPass | Map(T=0.5, y=Var("-x + u"), x=Map(start=3.0))
    assert other["T"] == 0.5
    assert other["y"] == Var("-x + u", output=True)
    assert other["x"] == Var(init=0.0, start=3.0)
    assert other["u"] is LowPass["u"]
    assert type(other) is Model


def test_operands_do_not_change() -> None:
    filters = Model(low=LowPass, equations=["low.u = 1"])
    change = Map(low=Map(T=1.0, equations=["y2 = 2*y"], y2=Var()), equations=["a = b"])
    before = copy.deepcopy((filters, change))
    merged = filters | change
    merged |= Map(low=None)
    assert (filters, change) == before
    assert "low" not in merged


def test_equations_and_connections_are_appended_in_order() -> None:
    merged = Model(equations=["a = 1"], connect=[("a", "b")]) | Map(equations=["b = 2"]) | Model(connect=[("c", "d")])
    assert merged["equations"] == ["a = 1", "b = 2"]
    assert merged["connect"] == [("a", "b"), ("c", "d")]


def test_none_removes_an_entry_also_through_a_map() -> None:
    assert "T" not in LowPass | Map(T=None)
    deep = Model(a=LowPass) | (Map(a=Map(x=Map(init=1.0))) | Map(a=Map(x=Map(init=None), equations=None)))
    assert deep["a"]["x"] == Var()
    assert "equations" not in deep["a"]


def test_a_model_adds_what_a_map_must_not() -> None:
    assert (LowPass | Model(k=2.0))["k"] == 2.0
    with pytest.raises(ModelError, match=r"a\.k: there is no 'k' to modify"):
        Model(a=LowPass) | Map(a=Map(k=2.0))


def test_a_model_is_merged_into_a_submodel_and_may_add_to_it() -> None:
    container = Model(a=LowPass)
    assert (container | Map(a=Model(p=1.0)))["a"] == LowPass | Model(p=1.0)
    assert (container | Model(a=Model(p=1.0, b=Model(q=2.0)))) == Model(a=LowPass | Model(p=1.0, b=Model(q=2.0)))
    assert (container | Map(a=LowPass | Map(T=0.3)))["a"] == LowPass | Map(T=0.3)  # no equation is there twice
    assert (container | Map(a=redeclare(Model(p=1.0))))["a"] == Model(p=1.0)


def test_a_submodel_is_not_replaced_by_a_number() -> None:
    container = Model(a=LowPass)
    with pytest.raises(ModelError, match="a submodel cannot be replaced by a value"):
        container | Map(a=3.0)


def test_a_number_replaces_the_value_of_a_parameter_and_never_an_initial_value() -> None:
    model = Model(p=Par(value=1.0, unit="m"), q=2.0, x=Var(init=1.0)) | Map(p=3.0, q=4.0, x=5.0)
    assert model == Model(p=Par(value=3.0, unit="m"), q=4.0, x=Var(5.0, init=1.0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Var(int=0.0), "Did you mean 'init'"),
        (lambda: Par(valeu=0.0), "Did you mean 'value'"),
        (lambda: LowPass | Map(x=Map(int=0.0)), "x.int: a variable has no attribute 'int'"),
        (lambda: LowPass | Map(t=0.3), "there is no 't' to modify"),
        (lambda: Var(init=1.0) | Par(value=1.0), "a Par cannot be merged into a Var"),
        (lambda: Box(lenght=1.0), "Did you mean 'length'"),
        (lambda: Box(1.0, 2.0, "x", 4.0), "too many arguments"),
        (lambda: Box(1.0, length=2.0), "field 'length' is given twice"),
        (lambda: Box(1.0) | Map(hight=2.0), "BoxShape has no field 'hight'"),
    ],
)
def test_mistakes_are_refused_at_once(wrong: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        wrong()


def test_a_constructor_describes_a_call() -> None:
    box = Box(1.0, axis="x")
    assert box == Par(_constructor=BoxShape, length=1.0, axis="x")
    assert (box | Map(length=2.0))["length"] == 2.0
    assert Box.__name__ == "BoxShape"
    with pytest.raises(TypeError, match="is not a dataclass"):
        constructor(int)


def test_models_print_as_they_are_written_and_survive_copy_and_pickle() -> None:
    names = {"Model": Model, "Map": Map, "Var": Var, "Par": Par, "BoxShape": Box}
    model = Model(f=LowPass, box=Box(1.0), p=Par(value=[1.0, 2.0]), m=Map(a=1), connect=[("f.u", "u"), ("f.y", "y")])
    assert eval(repr(model), names) == model
    assert eval(str(model), names) == model
    assert copy.deepcopy(model) == model == pickle.loads(pickle.dumps(model)) == model.copy()
    assert type(model.copy()) is Model
    assert "T = 0.2" in str(model)
    assert "length=1.0" in str(model)


values = st.one_of(st.floats(allow_nan=False), st.booleans(), st.just("2*a"), st.just([1.0, 2.0]))
maps = st.recursive(
    st.dictionaries(st.sampled_from("abcd"), values, max_size=3).map(Map),
    lambda inner: st.dictionaries(st.sampled_from("abcd"), st.one_of(values, inner), max_size=3).map(Map),
    max_leaves=8,
)


def _same_kind(a: Any, b: Any) -> bool:
    """Whether two nested maps have maps at the same places, where both have an entry."""
    both = a.keys() & b.keys()
    return all(
        isinstance(a[k], Map) == isinstance(b[k], Map) and (not isinstance(a[k], Map) or _same_kind(a[k], b[k])) for k in both
    )


@settings(max_examples=60)
@given(maps, maps, maps)
def test_merging_is_associative_and_idempotent(a: Map, b: Map, c: Map) -> None:
    if _same_kind(a, b) and _same_kind(b, c) and _same_kind(a, c):
        assert (a | b) | c == a | (b | c)
    assert a | a == a
    assert a | Map() == a == Map() | a


def test_arrays_are_values() -> None:
    merged = Model(table=np.zeros(2)) | Map(table=np.ones(3))
    np.testing.assert_array_equal(merged["table"], np.ones(3))
