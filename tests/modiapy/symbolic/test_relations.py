"""Relations, positive(e) and after(t) become numbered events."""

import pytest

from modiapy import ModelError
from modiapy.flat import Apply, parse, sort_model
from modiapy.model.expression import ZERO, evaluate
from modiapy.symbolic.interpreter.interpreter import interpret

from .flat_models import flat_model

pytestmark = pytest.mark.white_box


def events(text, parameters=None):
    model = sort_model(flat_model([f"y = {text}", "der(x) = 1 - x"], {"x": {}, "y": {}}, parameters))
    indicators = list(zip(map(str, model.indicators), model.relations, strict=True))
    return model, indicators, [str(e) for e in model.time_events]


def relation_values(model, values, parameters):
    """Values of all relations (0.0 or 1.0), and the times of all ``after(t)`` [s]."""
    known = {**parameters, **values}
    relations = zip(model.relations, model.indicators, strict=True)
    return [evaluate(Apply(op, (e, ZERO)), known) for op, e in relations], [evaluate(e, known) for e in model.time_events]


def test_relation_in_a_condition_is_a_state_event():
    model, indicators, times = events("1 if x > 0.5 else 2")
    assert (indicators, times) == ([("x - 0.5", ">")], [])
    # between events the relation is frozen, whatever x is
    assert interpret(model, 0.0, [0.9], {}, modes=[0.0])["y"] == 2.0
    assert interpret(model, 0.0, [0.1], {}, modes=[1.0])["y"] == 1.0


def test_positive_is_a_state_event():
    model, indicators, _ = events("2 if positive(x - 1) else 3")
    assert indicators == [("x - 1", ">")]
    assert interpret(model, 0.0, [0.0], {}, modes=[1.0])["y"] == 2.0


@pytest.mark.parametrize(
    ("relation", "below", "at", "above"), [(">", 0, 0, 1), (">=", 0, 1, 1), ("<", 1, 0, 0), ("<=", 1, 1, 0)]
)
def test_relation_values_are_those_of_the_relations(relation, below, at, above):
    model, _, _ = events(f"1 if x {relation} 2 else 0")
    for x, expected in ((1.0, below), (2.0, at), (3.0, above)):
        relations, _ = relation_values(model, interpret(model, 0.0, [x], {}), {})
        assert relations == [expected]
        assert interpret(model, 0.0, [x], {}, modes=relations)["y"] == expected


def test_equal_relations_share_one_event():
    _, indicators, times = events("(1 if x > p else 2) + (3 if x > p else 4)*(after(p) + after(p))", {"p": 1.0})
    assert len(indicators) == 1
    assert times == ["p"]


@pytest.mark.parametrize(
    ("condition", "before", "later"),
    [
        ("after(p)", 0, 1),
        ("time > p", 0, 1),
        ("time >= p", 0, 1),
        ("time < p", 1, 0),
        ("p <= time", 0, 1),
        ("p - 2*time > -p", 1, 0),
    ],
)
def test_comparison_of_time_with_parameters_is_a_time_event(condition, before, later):
    model, indicators, times = events(f"1 if {condition} else 0", {"p": 3.0})
    assert indicators == []
    assert len(times) == 1
    assert relation_values(model, interpret(model, 0.0, [0.0], {"p": 3.0}), {"p": 3.0})[1] == [3.0]
    assert interpret(model, 0.0, [0.0], {"p": 3.0}, after=[0.0])["y"] == before
    assert interpret(model, 0.0, [0.0], {"p": 3.0}, after=[1.0])["y"] == later


def test_factor_of_unknown_sign_makes_a_state_event():
    _, indicators, times = events("1 if p*time > 1 else 0", {"p": 1.0})
    assert (len(indicators), times) == (1, [])


def test_no_event_and_parameters_make_no_events():
    model, indicators, times = events("noEvent(1 if x > 0.5 else 2) + (4 if p > 1 else 8)", {"p": 2.0})
    assert (indicators, times) == ([], [])
    assert interpret(model, 0.0, [0.9], {"p": 2.0})["y"] == 5.0
    assert interpret(model, 0.0, [0.1], {"p": 0.0})["y"] == 10.0


def test_relations_inside_relations_and_logic():
    model, indicators, _ = events("1 if (x > 1 and not x > 2) or x < -1 else 0")
    assert len(indicators) == 3
    for x, expected in ((0.0, 0.0), (1.5, 1.0), (3.0, 0.0), (-2.0, 1.0)):
        relations, _ = relation_values(model, interpret(model, 0.0, [x], {}), {})
        assert interpret(model, 0.0, [x], {}, modes=relations)["y"] == expected


def test_initial_is_known():
    model, _, _ = events("5 if initial() else x")
    assert interpret(model, 0.0, [2.0], {}, initial=True)["y"] == 5.0
    assert interpret(model, 0.0, [2.0], {})["y"] == 2.0


def test_indicators_are_written_in_remaining_variables():
    flat = flat_model(["y = -x", "der(x) = 1 if y > z else 0", "z = p"], {"x": {"init": 0.0}, "y": {}, "z": {}}, {"p": 2.0})
    model = sort_model(flat)
    assert set(model.aliases) == {"y", "z"}
    for x, expected in ((-3.0, 1.0), (3.0, 0.0)):
        values = interpret(model, 0.0, [x], {"p": 2.0})
        assert relation_values(model, {"x": values["x"]}, {"p": 2.0})[0] == [expected]


def test_derivative_of_an_expression_is_expanded():
    model = sort_model(flat_model(["v = der(x**2 + p*time)", "der(x) = 3"], ["v", "x"], {"p": 7.0}))
    assert interpret(model, 0.0, [2.0], {"p": 7.0})["v"] == 2 * 2 * 3 + 7


def test_equality_of_changing_quantities_is_refused():
    with pytest.raises(ModelError, match="'=='") as error:
        events("1 if x == 1 else 0")
    assert "noEvent" in error.value.remedy
    assert events("1 if n == 2 else 0", {"n": 2.0})[1] == []


def test_operators_of_when_clauses_are_refused_elsewhere():
    with pytest.raises(ModelError, match="no meaning here"):
        events("reinit(x, 1)")


def test_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(ModelError, match=r"unknown name 'gear\.rato'") as error:
        sort_model(flat_model([("gear", "x = gear.rato")], ["x"], {"gear.ratio": 2.0}))
    assert error.value.remedy == "Did you mean 'gear.ratio'?"


def test_if_of_a_mode_is_differentiated_branch_by_branch():
    flat = flat_model(["x = (2 if y > 1 else 3)*y", "der(x) = v", "der(y) = w", "w = 5"], ["x", "y", "v", "w"])
    model = sort_model(flat)
    assert model.states == ["y"]
    assert interpret(model, 0.0, [0.5], {}, modes=[1.0])["v"] == 10.0
    assert interpret(model, 0.0, [0.5], {}, modes=[0.0])["v"] == 15.0
    assert str(parse("y - 1")) == str(model.indicators[0])


def test_after_of_a_continuous_quantity_is_a_state_event():
    _, indicators, times = events("1 if after(x) else 2")
    assert (indicators, times) == ([("time - x", ">=")], [])
