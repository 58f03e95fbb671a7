"""What a user of another language writes by habit is refused with the remedy, at the line where it stands."""

from __future__ import annotations

import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, When, instantiate


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("der(x) == -x", "Write '=' between the two sides"),
        ("der(x) := -x", "Write '=' between the two sides"),
        ("der(x) = -x^2", r"Write \*\* for a power"),
        ("der(x) = if x > 0 then 1 else 2", "Write 'a if condition else b'"),
        ("der(x) = x > 0 ? 1 : 2", "Write 'a if condition else b'"),
        ("der(x) = 1 if x > 0", "An if-expression has two values"),
        ("der(x) = -x;", "without ';'"),
        ("der(x) = 1 if x > 0 && x < 2 else 0", "Write 'and' and 'or'"),
        ("der(x) = 1 if !b else 0", "Write 'not'"),
        ("der(x) = 1 if 0 < x < 2 else 0", "Write two comparisons"),
        ("der(x) = 2x", r"Write the sign of a product: 2\*x"),
        ("der(x) = (1 + x)(2 - x)", "Write the sign of a product|call"),
        ("der x = -x", r"Write der\(x\)"),
        ("x' = -x", r"Write der\(x\)"),
        ("Assert(x > 0)", "It is no text"),
        ("reinit(x, 2)", "It stands in a when clause"),
        ("der(x) = -true*x", "Did you mean 'True'"),
        ("der(x) = Sin(x)", "Did you mean 'sin'"),
        ("der(x) = -X", "Did you mean 'x'"),
        ("der(x) = -x if x == 0.5 else 0", "Write noEvent"),
    ],
)
def test_syntax_of_other_languages(text: str, remedy: str) -> None:
    with pytest.raises(ModelError, match=remedy) as error:
        instantiate(Model(p=1.0, x=Var(init=1.0), equations=[text]))
    assert error.value.file.endswith("test_foreign_syntax.py")
    assert error.value.line


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"p": 1.0, "equations": ["p = 3"]}, "'p = 3' contradicts itself.*to give a parameter a value"),
        ({"x": Var("x + 1")}, "'x' is bound to an expression of itself: 'x = x . 1'.*among the equations"),
        ({"a": "b", "b": "a + 1"}, "a: parameters depend on each other; found a -> b -> a"),
        ({"x": Var(init=1.0), "equations": "der(x) = -x"}, "'equations' is not a list"),
        ({"x": Var(init=[1, 2]), "y": Var("x[2]"), "equations": ["der(x) = -x"]}, "Indices count from 0"),
        ({"x": Var(init=1.0), "y": Var("2*x"), "equations": ["der(x) = -1", When("x < 0", ["reinit(y, 3)"])]}, "not a state"),
    ],
)
def test_mistakes_of_declaration(entries: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(Model(**entries))


def test_a_number_that_is_infinite_can_be_shown() -> None:
    with pytest.raises(SimulationError, match=r"der\(x\) = -\(x\*inf\) with x = 1.0"):
        instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x*1e400"])).simulate(1.0)


def test_numbers_that_are_no_numbers_name_their_equation() -> None:
    for text, message in (
        ("log(0.5 - time)", r"at time 0.5 s .*'der\(x\)=log\(0.5 - time\)'"),
        ("1/(time - 0.5)", r"at time 0.5 s .*'der\(x\)=1/\(time - 0.5\)'"),
    ):
        with pytest.raises(SimulationError, match=message):
            instantiate(Model(x=Var(init=1.0), equations=[f"der(x)={text}"])).simulate(1.0)


def test_a_model_merged_into_another_one_is_not_a_replacement() -> None:
    base = Model(sub=Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    other = Model(y=Var(init=1.0), equations=["der(y) = 1"])
    assert set(instantiate(base | Map(sub=other)).states) == {"sub.x", "sub.y"}
