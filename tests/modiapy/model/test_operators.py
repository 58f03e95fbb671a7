"""One entry of the language is all that an elementary function needs: each is read, differentiated, compiled, given units."""

import itertools
import math

import numpy as np
import pytest

from modiapy import Model, ModelError, Var, check_units, instantiate
from modiapy.flat import Apply, Assign, FunctionDefinition, Name, parse
from modiapy.model.calculus import partial
from modiapy.model.entry import Code, Entry, How, Kind, ShapeError
from modiapy.model.expression import FUNCTIONS, evaluate
from modiapy.model.language import LANGUAGE, names_of, register
from modiapy.symbolic.terms.arrays import evaluate_arrays

pytestmark = pytest.mark.white_box

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


# -- operators on whole arrays ------------------------------------------------------------------------------------------


def operands_of(entry: Entry) -> dict[str, np.ndarray]:
    """Return operands of the first shapes that an operator takes."""
    rng = np.random.default_rng(1)
    names = entry.names or ("x", "y")
    for shapes in itertools.product([(3,), (3, 3)], repeat=len(names)):
        try:
            entry.shape(shapes)
        except ShapeError:
            continue
        return {name: rng.uniform(0.5, 1.5, shape) for name, shape in zip(names, shapes, strict=True)}
    raise AssertionError(entry.name)


OF_ARRAYS = [entry for entry in LANGUAGE.values() if entry.kind is Kind.ARRAY and not entry.expansion]


@pytest.mark.parametrize("entry", OF_ARRAYS, ids=lambda entry: entry.name)
def test_operators_on_arrays_have_one_value_and_derivative_in_machine_code_and_numpy(entry: Entry) -> None:
    values = operands_of(entry)
    expr = Apply(entry.name, tuple(map(Name, values)))
    expected = entry.value_of_arrays(*values.values())
    moving = [f"{name}*(1 + 0.5*time)" for name in values]
    text = str(Apply(entry.name, tuple(map(parse, moving))))
    result = instantiate(Model(**values, z=Var(), dz=Var("der(z)"), equations=[f"z = {text}"])).simulate(0.0)
    np.testing.assert_allclose(result["z"][0], expected, rtol=1e-14)
    np.testing.assert_allclose(evaluate_arrays(expr, values), expected, rtol=1e-14)
    high, low = (entry.value_of_arrays(*(v * (1 + 0.5 * t) for v in values.values())) for t in (1e-5, -1e-5))
    np.testing.assert_allclose(result["dz"][0], (high - low) / 2e-5, rtol=1e-8)


def test_the_norm_of_an_array_is_the_root_of_the_sum_of_squares() -> None:
    variables = {"v": [3.0, 0.0, -4.0], "A": [[1.0, 2.0], [4.0, 10.0]], "a": Var("norm(v*(1 + time))"), "b": Var("norm(A)")}
    result = instantiate(Model(**variables, rate=Var("der(a)"))).simulate(1.0)
    assert result["a"][-1] == pytest.approx(10.0, rel=1e-15)
    assert result["rate"][-1] == pytest.approx(5.0, rel=1e-15)
    assert result["b"][-1] == 11.0


def test_the_skew_matrix_of_a_vector_times_another_is_their_cross_product() -> None:
    variables = {"a": [1.0, 2.0, 3.0], "b": [-0.4, 5.0, 0.6], "z": Var(shape=3), "y": Var(shape=3)}
    result = instantiate(Model(**variables, equations=["z = skew(a)@b", "y = cross(a, b)"])).simulate(0.0)
    np.testing.assert_allclose(result["z"][0], np.cross([1.0, 2.0, 3.0], [-0.4, 5.0, 0.6]), rtol=1e-15)
    assert (result["z"][0] == result["y"][0]).all()
    with pytest.raises(ModelError, match=r"found:? 'a' of shape \(4,\).*expected:? a vector of shape \(3,\)"):
        instantiate(Model(a=[1.0, 2.0, 3.0, 4.0], z=Var(), equations=["z = sum(skew(a))"]))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry("trace", Kind.ARRAY, of_arrays=np.trace), "'trace' has no machine code.*NONE.*How.GATHER"),
        (Entry("trace", Kind.ARRAY, code=Code(How.CALL, "trace")), "'trace' has no machine code.*CALL"),
        (Entry("gamma", Kind.FUNCTION, value=math.gamma), "'gamma' has no machine code.*How.CALL"),
        (Entry("gamma", Kind.FUNCTION, code=Code(How.FOLD, "+")), "'gamma' has no machine code"),
        (Entry("median", Kind.ARRAY, code=Code(How.FOLD, "middle")), "'median' joins elements by 'middle'"),
        (Entry("turn", Kind.ARRAY, code=Code(How.ELEMENTS, "[v[1], x[0]]")), "'turn' has elements of unknown operands.*'v'"),
        (Entry("sin", Kind.ARRAY, code=Code(How.GATHER)), "'sin' is declared twice"),
    ],
    ids=lambda value: value.name if isinstance(value, Entry) else None,
)
def test_an_operator_without_machine_code_is_refused_by_its_name_when_it_is_registered(entry: Entry, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        register([*LANGUAGE.values(), entry])
