"""Conditions and expressions of programs against Python's own meaning of them, and the names in them against a slow look-up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from modia3d.actions.conditions import Condition, Formula, Signals, candidates
from modiapy import ModelError

pytestmark = pytest.mark.white_box

VALUES = {"x": 1.5, "y": -2.0, "n.z": 0.0, "der(x)": 3.0, "v[1]": 0.25, "flags.f": 1.0, "flags.unset": 0.0}
PYTHON = {"n.z": "n_z", "der(x)": "der_x", "v[1]": "v_1", "flags.f": "flags_f", "flags.unset": "flags_unset"}
TWO, ONE = ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!="), ("abs", "sin", "sqrt", "exp", "floor", "log")


def grown(inner):
    return st.one_of(
        st.tuples(inner, st.sampled_from(TWO), inner).map(lambda t: (f"({t[0][0]} {t[1]} {t[2][0]})", t[0][1] | t[2][1])),
        st.tuples(st.sampled_from(ONE), inner).map(lambda t: (f"{t[0]}({t[1][0]})", t[1][1])),
        st.tuples(st.sampled_from(("min", "max")), inner, inner).map(
            lambda t: (f"{t[0]}({t[1][0]}, {t[2][0]})", t[1][1] | t[2][1])
        ),
        st.tuples(inner, st.sampled_from(("and", "or")), inner).map(
            lambda t: (f"(({t[0][0]}) != 0 {t[1]} ({t[2][0]}) != 0)", t[0][1] | t[2][1])
        ),
        inner.map(lambda t: (f"(not ({t[0]}) > 0)", t[1])),
        inner.map(lambda t: (f"(-{t[0]})", t[1])),
    )


atoms = st.one_of(
    st.sampled_from(sorted(VALUES)).map(lambda name: (name, {name})),
    st.sampled_from(["0", "1", "2.5", "1e-3"]).map(lambda text: (text, set())),
)
expressions = st.recursive(atoms, grown, max_leaves=6)


def meaning(text):
    """What Python makes of it; NaN where it has no value."""
    for name, other in PYTHON.items():
        text = text.replace(name, other)
    known = {PYTHON.get(name, name): value for name, value in VALUES.items()}
    functions = {name: getattr(math, name, None) or getattr(__builtins__, name, None) for name in ONE}
    try:
        return float(eval(text, {"__builtins__": {}}, known | functions | {"min": min, "max": max, "abs": abs}))
    except (ArithmeticError, ValueError):
        return math.nan


def signals(scope="", flags=None):
    return Signals(
        {name: value for name, value in VALUES.items() if "flags" not in name}.__getitem__, scope, flags or {"f": 1.0}
    )


@settings(max_examples=150)
@given(expressions)
@example(("(1 / n.z)", {"n.z"}))
@example(("(flags.f and x > 1)", {"flags.f", "x"}))
@example(("(not flags.unset)", {"flags.unset"}))
@example(("(x == x or 1 / flags.unset > 2)", {"x", "flags.unset"}))
@example(("(flags.unset == 0 or 1 / flags.unset > 2)", {"flags.unset"}))
@example(("(flags.unset != 0 and 1 / flags.unset > 2)", {"flags.unset"}))
def test_an_expression_has_the_value_and_the_names_that_python_gives_it(made):
    text, names = made
    expected = meaning(text)
    try:
        formula, condition = Formula(text), Condition(text)
    except ModelError as error:
        assume("has no value" not in str(error))  # 1/0, log(0) without a signal in it
        raise
    assert formula.names == condition.names == tuple(sorted(set(formula.names)))
    assert set(formula.names) <= names  # x - x is zero
    assume(not math.isnan(expected) or (set(formula.names) == names and "(0 / " not in text))  # 0/x is zero
    assert formula.value(signals()) == pytest.approx(expected, rel=1e-14, abs=1e-300, nan_ok=True)
    assert condition.holds(signals()) is (expected != 0.0 and not math.isnan(expected))
    assert str(condition) == str(formula) == text
    assert condition == Condition(text)
    assert hash(condition) == hash(Condition(text))
    assert condition != Condition(f"1*({text})")


@pytest.mark.parametrize("given", [True, False, 1, 0, np.bool_(True), np.float64(0.0), 2.5])
def test_a_number_is_a_condition(given):
    assert Condition(given).holds(signals()) is bool(given)
    assert Condition(given).names == ()


@pytest.mark.parametrize("value", [True, 1, 0, [], [0], "", "x", None, np.bool_(True), np.float64(0.0)])
def test_what_a_function_returns_holds_as_in_python(value):
    condition = Condition(lambda s: value)
    assert condition.holds(signals()) is bool(value)
    assert not condition.only_at_events


levels = st.lists(st.sampled_from("ab"), max_size=3).map(".".join)


@settings(max_examples=100)
@given(
    levels,
    levels.filter(bool),
    st.dictionaries(st.lists(st.sampled_from("ab"), min_size=1, max_size=6).map(".".join), st.floats(-9, 9)),
)
def test_a_name_is_looked_up_where_the_program_stands_and_then_outwards(scope, name, known):
    parts = scope.split(".") if scope else []
    places = [".".join([*parts[:n], name]) for n in range(len(parts), -1, -1)]
    assert candidates(name, scope) == places
    view = Signals(known.__getitem__, scope, {}, lambda: sorted(known))
    there = [place for place in places if place in known]
    assert (list(view), len(view)) == (sorted(known), len(known))
    if there:
        assert view[name] == known[there[0]]
        return
    with pytest.raises(ModelError, match=f"there is no signal '{name}' now") as caught:
        view[name]
    assert "It exists while" not in caught.value.remedy


@pytest.mark.parametrize("scope", ["", "cell", "cell.robot"])
@pytest.mark.parametrize("name", ["box.r_abs", "box.r_abs[1]", "box.R_abs[0, 2]", "gone"])
def test_a_signal_of_another_structure_is_told_as_such(scope, name):
    known = ["box.r_abs", "box.R_abs", "gone", "x"]
    for prefix in dict.fromkeys(("", scope)):
        full = [f"{prefix}.{other}" if prefix else other for other in known]
        with pytest.raises(ModelError) as caught:
            Signals({}.__getitem__, scope, {}, lambda full=full: full)[name]
        assert caught.value.remedy == (
            "It exists while the structure is another one, e.g. before something is deleted or attached."
        )
    with pytest.raises(ModelError) as caught:
        Signals({}.__getitem__, scope, {}, lambda: ["other.x", "y"])[name]
    assert "It exists" not in caught.value.remedy


@pytest.mark.parametrize(
    "text", ["in_contact(a, b)", "not in_contact(a, b)", "in_contact(a, b) and flags.f", "not_in_contact(a, b)"]
)
def test_what_asks_for_contact_and_flags_only_changes_at_events_only(text):
    def touching(one, two):
        return f"touching {one} {two}"

    for there in (0.0, 1.0):
        view = Signals({"touching a b": there}.__getitem__, "", {"f": 1.0}, contact=touching)
        assert Condition(text).holds(view) is (bool(there) != text.startswith("not"))
    assert Condition(text).only_at_events
    for other in (f"{text} and x > 1", f"x > 1 or {text}", "x > 1", "flags.f", "flags.f and x"):
        assert not Condition(other).only_at_events
