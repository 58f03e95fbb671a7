"""Large models: few torn unknowns, accurate solutions, no limit of recursion, effort that grows linearly."""

from __future__ import annotations

import random as random_module

import llvmlite.binding
import numpy as np
import pytest

from benchmarks import translation, translation_models
from benchmarks.translation_models import resistor_ladder, rigid_servo_chain
from modiapy import Map, Model, Var, instantiate
from modiapy.flat import Const, Name, parse, sort_model
from modiapy.library.electric import ConstantVoltage, Ground, Resistor
from modiapy.model.calculus import differentiate, linear_in, partial
from modiapy.model.expression import add, evaluate, mul, names, rewrite, sub, substitute
from modiapy.symbolic.codegen import object_cache
from modiapy.symbolic.codegen.model import generate
from modiapy.symbolic.codegen.object_cache import _divided
from modiapy.symbolic.flattening.flatten import flatten

pytestmark = pytest.mark.white_box


def ladder_potentials(n):
    """Potentials of n nodes, each with 1 Ohm to the one before it (the first to 1 V) and 1 Ohm to ground."""
    matrix = 3.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    matrix[-1, -1] = 2.0
    return np.linalg.solve(matrix, np.eye(n)[0])


@pytest.mark.parametrize(("n", "torn"), [(10, 1), (60, 9), (250, 36)])
def test_ladder_of_resistors_is_torn_at_few_places_and_solved_accurately(n, torn):
    sim = instantiate(resistor_ladder(n))
    assert sim.report()["unknowns of linear systems"] <= torn
    result = sim.simulate(0.0)
    found = np.array([result[f"R{k}.n.v"][0] for k in range(n)])
    assert np.abs(found - ladder_potentials(n)).max() < 2e-11


@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_units_of_measurement_make_no_difference(scale):
    resistances = {f"{name}{k}": Map(R=scale) for k in range(40) for name in ("R", "shunt")}
    sim = instantiate(resistor_ladder(40) | Map(resistances))
    assert sim.report()["unknowns of linear systems"] <= 7
    result = sim.simulate(0.0)
    assert np.abs([result[f"R{k}.n.v"][0] for k in range(40)] - ladder_potentials(40)).max() < 1e-10


def grid(n):
    """A square grid of n x n nodes with a resistor of 1 Ohm on each edge, 1 V between opposite corners."""
    model = Model(V=ConstantVoltage, ground=Ground)
    pins = {(i, j): [] for i in range(n) for j in range(n)}
    for i, j in list(pins):
        for other in ((i + 1, j), (i, j + 1)):
            if other in pins:
                name = f"R{i}_{j}_{other[0]}_{other[1]}"
                model[name] = Resistor
                pins[i, j].append(f"{name}.p")
                pins[other].append(f"{name}.n")
    pins[0, 0].append("V.p")
    pins[n - 1, n - 1] += ["V.n", "ground.p"]
    model["connect"] = [tuple(p) for p in pins.values()]
    return model


def test_grid_of_resistors():
    n = 12
    sim = instantiate(grid(n))
    assert sim.report()["unknowns of linear systems"] < 0.5 * n * n
    result = sim.simulate(0.0)
    laplacian = np.zeros((n * n, n * n))
    for i in range(n):
        for j in range(n):
            for a, b in ((i + 1, j), (i, j + 1)):
                if a < n and b < n:
                    edge = np.zeros(n * n)
                    edge[i * n + j], edge[a * n + b] = 1.0, -1.0
                    laplacian += np.outer(edge, edge)
    inside = np.arange(1, n * n - 1)
    potentials = np.linalg.solve(laplacian[np.ix_(inside, inside)], -laplacian[inside, 0])
    current = laplacian[0, 0] + laplacian[0, inside] @ potentials
    assert result["V.i"][0] == pytest.approx(-current, rel=1e-10)


def test_chain_of_servos_has_few_torn_accelerations():
    report = sort_model(flatten(rigid_servo_chain(100))).report
    assert report["unknowns of linear systems"] <= 10
    assert report["largest linear system"] >= 700


def test_code_of_linear_systems_grows_linearly():
    sizes = [10, 20, 40, 80]
    code = [generate(sort_model(flatten(rigid_servo_chain(n)))).linear_iteration_bytes for n in sizes]
    assert translation.exponent(sizes, code) < 1.1


def test_sum_of_many_terms():
    n = 5000
    model = Model(total=Var(), **{f"x{k}": Var(init=float(k % 7)) for k in range(n)})
    model["equations"] = [f"der(x{k}) = -x{k}" for k in range(n)]
    model["equations"].append("total = " + " + ".join(f"x{k}" for k in range(900)))
    result = instantiate(model).simulate(0.0)
    assert result["total"][0] == sum(k % 7 for k in range(900))


def test_node_of_many_connectors():
    n = 1500
    model = Model(V=ConstantVoltage | Map(V=2.0), ground=Ground, **{f"R{k}": Resistor for k in range(n)})
    model["connect"] = [("V.p", *(f"R{k}.p" for k in range(n))), ("V.n", "ground.p", *(f"R{k}.n" for k in range(n)))]
    assert instantiate(model).simulate(0.0)["V.i"][0] == pytest.approx(-2.0 * n)


def test_calculus_of_long_sums_needs_no_recursion():
    n = 20000
    x = Name("x")
    expr = mul(Const(3.0), x)
    for k in range(n):
        expr = add(expr, Name(f"a{k}")) if k % 2 else sub(expr, Name(f"a{k}"))
    assert partial(expr, "x") == Const(3.0)
    a, b = linear_in(expr, "x")
    assert a == Const(3.0)
    assert "x" not in names(b)
    values = {f"a{k}": 1.0 for k in range(n)} | {"x": 2.0}
    assert evaluate(expr, values) == 6.0
    renamed = rewrite(expr, lambda node: Name(node.name.upper()) if type(node) is Name else None)
    assert "A19999" in names(renamed)
    assert renamed != expr
    assert rewrite(renamed, lambda node: Name(node.name.lower()) if type(node) is Name else None) == expr
    assert substitute(expr, {"x": Const(2.0)}) != expr
    assert str(expr) == "<2e+04 operations>"  # what nobody can read is not written out
    shorter = mul(Const(3.0), x)
    for k in range(4000):
        shorter = add(shorter, Name(f"a{k}")) if k % 2 else sub(shorter, Name(f"a{k}"))
    text = str(shorter)
    assert text.startswith("3*x - a0 + a1 - a2")
    assert len(parse(text[: text.index(" + a1999 ")]).args) == 2
    slope = differentiate(expr, lambda node: Name(f"d{node.name}") if type(node) is Name else None)
    assert "da19999" in names(slope)


def test_rewriting_visits_nodes_from_the_top_and_from_the_left():
    seen = []
    rewrite(parse("f*(a + b) - c/(d - sin(e))"), lambda node: seen.append(str(node)))
    assert seen == [
        "f*(a + b) - c/(d - sin(e))",
        "f*(a + b)",
        "f",
        "a + b",
        "a",
        "b",
        "c/(d - sin(e))",
        "c",
        "d - sin(e)",
        "d",
        "sin(e)",
        "e",
    ]


def test_text_of_sums_is_read_back():
    random = random_module.Random(1)

    def build(depth):
        if not depth:
            return random.choice([Name("a"), Name("b"), Const(2.0)])
        return random.choice([add, sub, mul])(build(depth - 1), build(random.randrange(depth)))

    values = {"a": 0.7, "b": -1.3}
    for _ in range(200):
        expr = build(5)
        assert evaluate(parse(str(expr)), values) == pytest.approx(evaluate(expr, values), rel=1e-12, abs=1e-12)


def test_benchmark_of_the_translation():
    row = translation.translate("rc_ladder", 5)
    assert row["equations"] == len(flatten(translation_models.rc_ladder(5)).equations)
    assert row["code_bytes"] > 0
    explicit = [translation.inverted(n) for n in (2, 3, 4)]
    growth = translation.exponent([2, 3, 4], [r["lambdify_bytes"] for r in explicit])
    assert growth > 2.0 > translation.exponent([2, 3, 4], [r["linear_bytes"] for r in explicit])


def test_code_in_parts_is_the_same_code(monkeypatch, tmp_path):
    circuit = grid(4)
    circuit["y"], circuit["z"], circuit["n"] = Var(init=1.5), Var(start=0.5), Var("floor(3*y)")
    circuit["equations"] = ["der(y) = -y + z", "exp(z) + sin(z*y) = 3"]
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path))
    expected = instantiate(circuit).simulate(1.0, tolerance=1e-9)
    divided = []

    def counted(ir):
        parts = _divided(ir)
        divided.append(parts.count("\npart."))
        return parts

    for name, value in (("_HUGE", 0), ("_LONGEST_BLOCK", 3), ("_divided", counted)):
        monkeypatch.setattr(object_cache, name, value)
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "divided"))
    result = instantiate(circuit).simulate(1.0, tolerance=1e-9)
    assert divided
    assert max(divided) > 100
    assert result.statistics["events"] == expected.statistics["events"] > 0
    for name in expected:
        np.testing.assert_array_equal(result[name], expected[name], err_msg=name)


def test_no_block_of_machine_code_is_long():
    """The time for a block grows with the square of its length."""
    n = 20_000
    lines = [f"  %v{k} = fadd double %v{k - 1}, %v{k - 2}" for k in range(2, n)]
    text = "\n".join(["  %v0 = load double, ptr %x", "  %v1 = fneg double %v0", *lines, f"  store double %v{n - 1}, ptr %x"])
    divided = _divided(f"define i32 @model(ptr %x) {{\nentry:\n{text}\n  ret i32 0\n}}\n")
    module = llvmlite.binding.parse_assembly(divided)
    lengths = [len(list(block.instructions)) for block in module.get_function("model").blocks]
    assert sum(lengths) == n + 2 + len(lengths) - 1  # the branches between the parts
    assert max(lengths) <= object_cache._LONGEST_BLOCK + 1
