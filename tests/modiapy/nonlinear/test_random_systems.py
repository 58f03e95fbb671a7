"""Random monotone systems: the solution is unique and is found; machine code and interpreter agree."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import root

from modiapy.flat import sort_model
from modiapy.symbolic.codegen.model import compile_model
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import NonlinearBlock

from ..symbolic.flat_models import flat_model
from ..symbolic.sorted_models import value_in

pytestmark = pytest.mark.white_box

LOSSES = {
    "{c}*x*abs(x)": lambda c, x: c * x * abs(x),
    "{c}*x**3": lambda c, x: c * x**3,
    "{c}*(exp(x) - 1)": lambda c, x: c * (np.exp(x) - 1),
    "{c}*atan(5*x)": lambda c, x: c * np.arctan(5 * x),
    "{c}*tanh(x)": lambda c, x: c * np.tanh(x),
}


@st.composite
def monotone_systems(draw):
    """``A x + f(x) = b`` with A positive definite and f increasing: one solution."""
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    b = np.round(rng.uniform(-1, 1, (n, n)), 2) * (rng.uniform(size=(n, n)) < 0.6)
    matrix = b @ b.T + np.diag(np.round(rng.uniform(0.2, 2.0, n), 2))
    kinds = [draw(st.sampled_from(list(LOSSES))) for _ in range(n)]
    factors = np.round(rng.uniform(0.1, 3.0, n), 2)
    return matrix, kinds, factors, np.round(rng.uniform(-4, 4, n), 2)


@settings(max_examples=60)
@given(monotone_systems())
def test_monotone_systems(system):
    matrix, kinds, factors, right = system
    n = len(right)
    equations = []
    for i in range(n):
        linear = " + ".join(f"({float(matrix[i, j])!r})*x{j}" for j in range(n) if matrix[i, j])
        equations.append(f"{linear} + f{i} = p*({float(right[i])!r})")
        loss = kinds[i].replace("{c}", repr(float(factors[i])))
        equations.append(f"f{i} = " + re.sub(r"\bx\b", f"x{i}", loss))
    flat = flat_model(equations, [f"{v}{i}" for v in "xf" for i in range(n)], {"p": 1.0})
    model = sort_model(flat)
    assert any(isinstance(block, NonlinearBlock) for block in model.blocks)

    def residual(x):
        return matrix @ x + [LOSSES[k](c, v) for k, c, v in zip(kinds, factors, x, strict=True)] - right

    values = interpret(model, 0.0, [], flat.parameters)
    x = np.array([values[f"x{i}"] for i in range(n)])
    assert np.abs(residual(x)).max() < 1e-9
    reference = root(residual, x + 0.01, tol=1e-12)
    if reference.success:
        np.testing.assert_allclose(x, reference.x, atol=1e-5)

    compiled = compile_model(model)
    context = ModelContext(compiled)
    assert context.evaluate(0.0, np.zeros(0), np.zeros(0), None, 2) == 0
    got = [value_in(context, f"x{i}", 0.0, np.zeros(0)) for i in range(n)]
    np.testing.assert_allclose(got, x, rtol=1e-9, atol=1e-10)
