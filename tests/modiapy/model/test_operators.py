"""One entry of the language is all that an elementary function needs: each is read, differentiated, compiled, given units."""

import math

import numpy as np
import pytest

from modiapy import Model, Var, instantiate
from modiapy.model.algorithms import Assign, FunctionDefinition
from modiapy.model.calculus import partial
from modiapy.model.entry import Kind
from modiapy.model.errors import ModelError
from modiapy.model.expression import FUNCTIONS, Apply, Name, evaluate
from modiapy.model.language import LANGUAGE, names_of
from modiapy.model.parser import parse
from modiapy.symbolic.analysis.units import check_units

POINTS = {"acosh": (1.7, 0.4)}
"""Where a function is evaluated, if not at the usual point."""


def point(name: str) -> dict[str, float]:
    return dict(zip("ab"[: len(LANGUAGE[name].names)], POINTS.get(name, (0.6, 0.4)), strict=False))


def called(name: str) -> str:
    return f"{name}({', '.join(point(name))})"


@pytest.mark.parametrize("name", names_of(Kind.ARITHMETIC, Kind.RELATION, Kind.LOGIC, Kind.CHOICE, Kind.FUNCTION))
def test_the_text_of_an_operator_is_read_back(name: str) -> None:
    expr = Apply(name, tuple(map(Name, "abc"[: len(LANGUAGE[name].names)])))
    assert parse(str(expr)) == expr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions_agree_with_differences(name: str) -> None:
    expr, values, h = parse(called(name)), point(name), 1e-6
    for operand, value in values.items():
        high, low = (evaluate(expr, {**values, operand: value + step}) for step in (h, -h))
        assert evaluate(partial(expr, operand), values) == pytest.approx((high - low) / (2 * h), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if LANGUAGE[name].inverse])
def test_inverses_of_functions_lead_back(name: str) -> None:
    inverse = evaluate(parse(LANGUAGE[name].inverse), {"x": evaluate(parse(called(name)), point(name))})
    assert inverse == pytest.approx(point(name)["a"], rel=1e-12)


def test_all_functions_have_the_same_value_in_equations_of_numbers_and_of_arrays() -> None:
    variables, equations, arrays = {}, [], []
    for name in FUNCTIONS:
        values = point(name)
        variables |= {f"{name}_{operand}": value for operand, value in values.items()}
        own = [f"{name}_{operand}" for operand in values]
        variables |= {f"{name}_y": Var(), f"{name}_v": Var(shape=(3,))}
        equations.append(f"{name}_y = {name}({', '.join(f'{p} + 0*time' for p in own)})")
        arrays.append(f"{name}_v = noEvent({name}({', '.join(f'[{p}, {p} + 0.1, {p} + 0.2*time]' for p in own)}))")
    result = instantiate(Model(**variables, equations=equations + arrays)).simulate(1.0)
    for name in FUNCTIONS:
        value = LANGUAGE[name].value
        assert result[f"{name}_y"][-1] == pytest.approx(value(*point(name).values()), rel=1e-15)
        for k, more in enumerate((0.0, 0.1, 0.2)):
            expected = value(*(p + more for p in point(name).values()))
            assert result[f"{name}_v"][-1][k] == pytest.approx(expected, rel=1e-14)


def test_functions_stand_in_algorithms() -> None:
    for name in FUNCTIONS:
        values = point(name)
        definition = FunctionDefinition("f", list(values), ["y"], [Assign("y", parse(called(name)))])
        assert definition.function().evaluate(list(values.values())) == pytest.approx(
            (evaluate(parse(called(name)), values),), rel=1e-15
        )


@pytest.mark.parametrize("name", ["asinh", "acosh", "erf", "erfc", "log10"])
def test_functions_of_numbers_refuse_a_quantity_with_a_unit(name: str) -> None:
    pytest.importorskip("pint")
    (message,) = check_units(Model(x=Var(input=True, unit="m"), y=Var(f"{name}(x)", unit="")))
    assert f"the argument of {name}" in message


def test_the_distribution_of_a_random_walk_solves_its_equation_of_heat() -> None:
    # erf(x/sqrt(4*t)) solves der(u, t) = d2u/dx2; its derivative by time is that of the closed form
    model = Model(x=0.7, u=Var("erf(x/sqrt(4*(1 + time)))"), rate=Var("der(u)"), z=Var(init=0.0), equations=["der(z) = rate"])
    result = instantiate(model).simulate(2.0, tolerance=1e-10)
    expected = math.erf(0.7 / math.sqrt(12.0)) - math.erf(0.7 / 2.0)
    assert result["z"][-1] == pytest.approx(expected, rel=1e-7)


def test_an_equation_in_a_function_with_an_inverse_is_solved_in_closed_form() -> None:
    sim = instantiate(Model(y=Var(), equations=["asinh(y) = 2 + time"]))
    assert sim.report().get("nonlinear systems", 0) == 0
    assert np.allclose(sim.simulate(1.0)["y"][-1], math.sinh(3.0), rtol=1e-14)


def test_a_function_with_too_many_arguments_is_refused() -> None:
    with pytest.raises(ModelError, match=r"'erf' in 'erf\(1, 2\)'.*2 arguments.*expected.*1"):
        parse("erf(1, 2)")
