"""Files of plain data: what is written is read, what is no plain data is refused; no change of a model is unseen."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from modiapy import Assert, Clock, Model, ModelError, Table1D, Var, When
from modiapy.simulation.files import schema
from modiapy.simulation.files.archive import packed_text, read_archive, unpacked_text, write_archive
from modiapy.simulation.files.fingerprint import difference, digest, fingerprint
from modiapy.simulation.files.schema import Damaged
from modiapy.symbolic.flattening.flatten import flatten

pytestmark = pytest.mark.white_box

ARRAYS = st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?"]).flatmap(
    lambda kind: arrays_of.arrays(kind, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
TURNED = ARRAYS.map(lambda array: array.T) | ARRAYS.filter(lambda array: array.ndim > 0).map(lambda array: array[::-1])
NUMBERS = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text()
DATA = st.recursive(
    NUMBERS | ARRAYS | TURNED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def assert_same(found: Any, wanted: Any) -> None:
    assert type(found) is type(wanted)
    if isinstance(wanted, np.ndarray):
        np.testing.assert_array_equal(found, wanted, strict=True)
    elif isinstance(wanted, list):
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for key in wanted:
            assert_same(found[key], wanted[key])
    else:
        assert found == wanted or (found != found and wanted != wanted)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(data=DATA)
@example(data=[np.array(0.5), np.zeros((2, 3), order="F"), {"a": np.zeros((0, 2), dtype="i4")}])
def test_what_is_written_is_read(tmp_path: Path, data: Any) -> None:
    """In a file and as a line of text: types, shapes and order too."""
    write_archive(tmp_path / "data", data)
    assert_same(read_archive(tmp_path / "data"), data)
    assert "\n" not in packed_text(data)
    assert_same(unpacked_text(packed_text(data)), data)


def test_tuples_numbers_of_numpy_and_other_keys_become_plain(tmp_path: Path) -> None:
    data = {1: (np.float64(0.5), np.int32(7), np.bool_(True)), 2.5: np.arange(2)}
    write_archive(tmp_path / "data", data)
    for found in (read_archive(tmp_path / "data"), unpacked_text(packed_text(data))):
        assert list(found) == ["1", "2.5"]
        assert_same(found["1"], [0.5, 7, True])
        assert_same(found["2.5"], np.arange(2))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"a": [{1.0}]}, "set"),
        ([1j], "complex"),
        ({"a": object()}, "object"),
        (np.array([1j]), "complex128"),
        ([np.array(["text"])], "<U4"),
        (np.array([None]), "object"),
    ],
)
def test_what_is_no_plain_data_is_refused(tmp_path: Path, data: Any, found: str) -> None:
    """And nothing is written."""
    for write in (lambda: write_archive(tmp_path / "data", data), lambda: packed_text(data)):
        with pytest.raises(ModelError, match="cannot be written") as caught:
            write()
        assert caught.value.found == found
    assert not list(tmp_path.iterdir())


ROW = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (schema.whole, [0, 2**53], [-1, 2**53 + 1, 1.0, True, "1", None]),
        (schema.real, [0, -1, 0.5, -(2**53), math.inf, math.nan], [2**53 + 1, -(2**53) - 1, True, "1", None]),
        (schema.finite, [0, -0.5, 1e308], [math.inf, -math.inf, math.nan, True]),
        (schema.flag, [True, False], [0, 1, "true", None]),
        (schema.text, ["", "x"], [b"x", 1, None]),
        (schema.one_of("a", 1), ["a", 1], ["b", True, 1.0, 0, None]),
        (schema.vector(2), [ROW, ROW * math.nan], [ROW[:1], ROW.astype("f4"), ROW[None], [1.0, 2.0], None]),
        (schema.vector(0), [ROW[:0]], [ROW, ROW[:0, None], []]),
        (schema.states, [ROW, ROW[:0]], [ROW[None], ROW.astype(int), [1.0], 1.0]),
        (schema.each(schema.whole), [[], [1, 2]], [(1,), 1, {}]),
        (schema.each(schema.whole, 2), [[1, 2]], [[], [1], [1, 2, 3]]),
        (schema.parts(schema.text, schema.whole), [["a", 1]], [["a"], ["a", 1, 2], ("a", 1)]),
        (schema.table(schema.whole), [{}, {"a": 1}], [[], None]),
        (schema.record(a=schema.whole, b=schema.text), [{"b": "", "a": 1}], [{"a": 1}, {"a": 1, "b": "", "c": 1}, {}, []]),
    ],
)
def test_what_is_checked_is_what_is_said(check: schema.Check, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        check(value, "place")
    for value in bad:
        with pytest.raises(Damaged, match=r"^place: expected ."):
            check(value, "place")


def test_the_place_of_what_is_wrong_is_told() -> None:
    """Of the first thing that is, with what was found."""
    check = schema.record(a=schema.each(schema.table(schema.whole)), b=schema.parts(schema.text, schema.real))
    good: dict[str, Any] = {"a": [{"x": 1}, {"y": 2, "z": 3}], "b": ["t", 0.5]}
    check(good, "data")
    for bad, text in (
        ({**good, "a": [{"x": 1}, {"y": 2, "z": -3}]}, "data.a[1].z: expected a whole number, not negative, found -3"),
        ({**good, "a": [{"x": 1}, 7]}, "data.a[1]: expected a mapping, found 7"),
        ({**good, "b": ["t", "u" * 100]}, f"data.b[1]: expected a number, found '{'u' * 76}..."),
        ({**good, "b": ["t", ROW]}, "data.b[1]: expected a number, found ndarray"),
        ({**good, "b": ["t"]}, "data.b: expected a list of 2, found list"),
        ({"a": [], "c": 1}, "data: expected the entries a, b, differs in b, c"),
    ):
        with pytest.raises(Damaged) as caught:
            check(bad, "data")
        assert str(caught.value) == text


class Colour(enum.Enum):
    RED = 1
    BLUE = 1.5


@dataclass
class Part:
    size: float
    name: str = "a"
    cached: float = field(default=0.0, init=False)


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def times(self, x: float) -> float:
        return self.factor * x


def with_factor(a: float) -> Callable[[float], float]:
    return lambda x: a * x


def plus(x: float, y: float = 1.0, *, z: float = 2.0) -> float:
    return x + y + z


def functions() -> list[Any]:
    """Each differs from all others in one respect."""

    def one(x: float) -> float:
        return x + 1.0

    def constant(x: float) -> float:
        return x + 2.0

    def operation(x: float) -> float:
        return x - 1.0

    def name(x: float) -> float:
        return math.sin(x)

    def other_name(x: float) -> float:
        return math.cos(x)

    def default(x: float, y: float = 1.0) -> float:
        return x + y

    def other_default(x: float, y: float = 2.0) -> float:
        return x + y

    def keyword(x: float, *, y: float = 1.0) -> float:
        return x + y

    def other_keyword(x: float, *, y: float = 2.0) -> float:
        return x + y

    made = [one, constant, operation, name, other_name, default, other_default, keyword, other_keyword]
    for function in made:
        function.__qualname__ = "same"
    return [*made, with_factor(1.0), with_factor(2.0)]


def test_everything_that_makes_a_difference_changes_a_digest() -> None:
    def values() -> list[Any]:
        return [
            None, 1, 2, 1.0, True, "1", b"1", 1j, np.float64(1.0), np.float32(1.0), math.nan,
            [], [1], (1,), [1, 2], [2, 1], [[1], 2], [1, [2]], {1}, {1, 2}, frozenset({1}),
            {"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 1},
            np.array([1.0, 2.0]), np.array([[1.0], [2.0]]), np.array([1, 2]), np.array([1.0, 3.0]), np.array([1.0, 2.0], "f4"),
            np.zeros(2), np.zeros(2, int),
            Colour.RED, Colour.BLUE, Colour, Part, Part(1.0), Part(2.0), Part(1.0, "b"), *functions(),
        ]  # fmt: skip

    found = [digest(value) for value in values()]
    assert len(set(found)) == len(found)
    assert [digest(value) for value in values()] == found
    assert digest(set(range(0, 24, 8))) == digest(set(range(16, -8, -8)))
    part = Part(1.0)
    part.cached = 5.0
    assert digest(part) == digest(Part(1.0))
    assert digest(np.asfortranarray(np.eye(3)[:2])) == digest(np.eye(3)[:2])
    around: list[Any] = [1]
    around.append(around)
    assert digest(around) == digest(around)


@dataclass(frozen=True)
class Law:
    factor: float

    def value(self, x: float) -> float:
        return self.factor * x


def test_a_method_is_its_function_and_what_it_is_bound_to() -> None:
    assert digest(Law(1.0).value) == digest(Law(1.0).value) != digest(Law(2.0).value)
    assert digest(Scaled(1.0).times) != digest(Law(1.0).value)


BASE = {
    "k": 1.0,
    "A": np.eye(2),
    "curve": Table1D([[0, 0], [1, 2]]),
    "clock": Clock(0.3),
    "x": Var(init=1.0),
    "y": Var(start=0.5),
}
EQUATIONS = ["der(x) = -k*x + curve(y) + A[0, 0]", "y**3 + y = x", "s = sample(x, clock)"]


def base(equations: Any = EQUATIONS, initial: Any = (), **more: Any) -> Model:
    given = BASE | {"s": Var(start=0.0, type="Real")} | more
    return Model(**given, equations=[*equations], initial_equations=[*initial])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (base([EQUATIONS[0], "y**3 + 2*y = x", EQUATIONS[2]]), ["equation that only the model", "equation that only the sn"]),
        (base([*EQUATIONS, When("x < 0.5", ["reinit(x, 1)"])]), ["equation that only the model has"]),
        (base([*EQUATIONS, Assert("x > -1", "small")]), ["equation that only the model has"]),
        (base(initial=["x = 2 - y"], x=Var(start=1.0)), ["equation that only the model has", "variable x differs"]),
        (base(k=2.0), ["parameter k = 2.0 (in the snapshot 1.0)"]),
        (base(A=np.array([[1.0, 1e-12], [0.0, 1.0]])), ["parameter A[0,1] = 1e-12 (in the snapshot 0.0)"]),
        (base(curve=Table1D([[0, 0], [1, 3]])), ["parameter curve"]),
        (base(clock=Clock(0.4)), ["clock clock differs", "object clock differs"]),
        (base(y=Var(start=0.6)), ["variable y differs"]),
        (base(y=Var(start=0.5, nominal=2.0)), ["variable y differs"]),
        (base(z=Var("2*x")), ["variable z, which only the model has"]),
        (base(more=3.0), ["parameter more, which only the model has"]),
    ],
)
def test_each_change_of_a_model_is_a_difference(changed: Model, told: list[str]) -> None:
    before, after = fingerprint(flatten(base())), fingerprint(flatten(changed))
    assert difference(before, before) == difference(after, after) == ""
    for text in told:
        assert text in difference(before, after)
    assert difference(after, before)
    assert ("only the snapshot has" in difference(after, before)) == any("which only the model" in text for text in told)


def test_of_many_differences_some_are_told() -> None:
    one, other = ({"parameter": dict.fromkeys("abcdefgh", value)} for value in (1.0, 2.0))
    told = difference(one, other).split("; ")
    assert told == [*(f"parameter {name} = 2.0 (in the snapshot 1.0)" for name in "abcde"), "3 more"]
    assert "more" not in difference(*({"parameter": dict(list(data["parameter"].items())[:5])} for data in (one, other)))
    for damaged in ({}, {"parameter": None}, {"parameter": [1]}):
        assert difference(damaged, {"parameter": {"a": 1.0}}) == "parameter a, which only the model has"
