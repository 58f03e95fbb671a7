"""The structure that passes find, against one computed without them: offsets, strong components, sequences of solution."""

from __future__ import annotations

import random
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from modiapy import Model, Var, instantiate
from modiapy.flat import Equation, Expr, sort_model
from modiapy.model.expression import evaluate, names
from modiapy.symbolic.codegen import systems
from modiapy.symbolic.sorted.parts import Assignment, Block, Call, LinearBlock, NonlinearBlock
from modiapy.symbolic.structure.translation import Translation

from .flat_models import flat_model
from .random_daes import RandomDae

pytestmark = pytest.mark.white_box

seeds = st.integers(0, 10**9)


def parted(name: str) -> tuple[str, int]:
    """``der(der(x))`` as x and 2."""
    order = name.count("der(")
    return name.replace("der(", "").rstrip(")") if order else name, order


def offsets(equations: Sequence[Equation], variables: Sequence[str], rates: Container[str]) -> tuple[np.ndarray, np.ndarray]:
    """The least numbers of differentiations of equations and highest derivatives of variables; those of ``rates`` have one.

    Source: J. D. Pryce, A simple structural analysis method for DAEs, BIT 41 (2001).
    """
    column = {name: k for k, name in enumerate(variables)}
    none = -1000
    sigma = np.full((len(equations), len(variables)), none)
    for i, equation in enumerate(equations):
        for name in names(equation.lhs) | names(equation.rhs):
            base, order = parted(name)
            if base in column:
                sigma[i, column[base]] = max(sigma[i, column[base]], order)
    rows, columns = linear_sum_assignment(-sigma)
    assert (sigma[rows, columns] > none).all()
    c = np.zeros(len(equations), dtype=int)
    while True:
        d = np.where(sigma > none, sigma + c[:, None], none).max(axis=0)
        d = np.maximum(d, [int(name in rates) for name in variables])
        new = c.copy()
        new[rows] = d[columns] - sigma[rows, columns]
        if (new == c).all():
            return c, d
        c = new


@settings(max_examples=60)
@given(seed=seeds, parts=st.integers(1, 6))
def test_equations_are_differentiated_as_often_as_needed_and_the_rest_of_derivatives_are_states(seed: int, parts: int) -> None:
    dae, stages = RandomDae(random.Random(seed)).build(parts), dict[str, Translation]()
    model = sort_model(flat_model(dae.equations, dae.variables(), dae.parameters), observe=stages.__setitem__)
    elimination = stages["sort (BLT)"].elimination
    assert elimination is not None
    equations = [e for e in elimination.equations if isinstance(e, Equation)]
    rates = set(elimination.rates).intersection(elimination.differentiated)
    c, d = offsets(equations, list(elimination.variables), rates)
    assert model.report["states"] - len(model.constraints) == d.sum() - c.sum()
    if not model.constraints:
        assert model.report["differentiated equations"] == c.sum()
    # the numbers that are reported, counted anew
    assert model.report["equations"] == len(dae.equations)
    assert model.report["variables"] == len(dae.variables())
    assert model.report["aliases"] == len(dae.variables()) - len(elimination.variables)
    assert model.report["equations after alias elimination"] == len(equations)
    assert model.report["blocks"] == len(stages["tear and solve"].blocks)
    assert model.report["parameters"] == len(dae.parameters)
    assert model.report["states fixed by start"] == model.report["states"]  # nobody says init
    for kind, name in ((LinearBlock, "linear"), (NonlinearBlock, "nonlinear")):
        systems = [block for block in model.blocks if isinstance(block, kind)]
        assert model.report[f"{name} systems"] == len(systems)
        assert model.report[f"unknowns of {name} systems"] == sum(len(block.residuals) for block in systems)
        if kind is LinearBlock:
            sizes = [len(block.unknowns) + len(block.body) for block in systems]
            assert model.report["largest linear system"] == max(sizes, default=0)
    told = {record.name: list(map(int, re.findall(r"\d+", record.remark))) for record in model.passes}
    assert told["remove singularities"] == [model.report["aliases"], model.report["redundant equations"]]
    assert told["reduce index"] == [model.report["differentiated equations"]]
    assert told["select states"] == [model.report["states"]]
    assert told["tear and solve"][0] == model.report["blocks"]
    counts = [model.report[f"{name} systems"] for name in ("linear", "nonlinear")]
    assert told["tear and solve"][1:] == [n for n in counts if n]


@settings(max_examples=40)
@given(seed=seeds, parts=st.integers(1, 6))
def test_blocks_are_strong_components_in_an_order_of_evaluation(seed: int, parts: int) -> None:
    dae, stages = RandomDae(random.Random(seed)).build(parts), dict[str, Translation]()
    sort_model(flat_model(dae.equations, dae.variables(), dae.parameters), observe=stages.__setitem__)
    state = stages["sort (BLT)"]
    assert state.system is not None
    assert state.selection is not None
    system = state.system
    unknowns = [system.variables[v] for v in state.selection.unknowns]
    equations = [e for n, e in enumerate(system.nodes) if n not in state.constraint_nodes and isinstance(e, Equation)]
    used = [sorted((names(e.lhs) | names(e.rhs)) & set(unknowns)) for e in equations]
    entry = np.array([[name in u for name in unknowns] for u in used], dtype=int)
    # unknowns that must be assigned by an equation of their own make other matchings impossible
    solved = entry * np.array([[_may_solve(e, name, state.assigned) for name in unknowns] for e in equations], dtype=int)
    partner = maximum_bipartite_matching(csr_matrix(solved), perm_type="column")
    assert len(equations) == len(unknowns)
    assert (partner >= 0).all()
    graph = entry[:, partner]  # equation i needs what equation j is solved for
    _, labels = connected_components(csr_matrix(graph), connection="strong")
    expected = {frozenset(unknowns[partner[i]] for i in np.flatnonzero(labels == k)) for k in set(labels.tolist())}
    assert {frozenset(names_) for _, names_ in state.parts()} == expected
    known = set[str]()
    for nodes, names_ in state.parts():
        known |= set(names_)
        for node in nodes:
            assert isinstance(node, Equation)
            assert (names(node.lhs) | names(node.rhs)) & set(unknowns) <= known


def _may_solve(equation: Equation, name: str, assigned: Iterable[str]) -> bool:
    return name not in assigned or name in (str(side).lstrip("-") for side in (equation.lhs, equation.rhs))


def check_sequence(blocks: Sequence[Block], known: set[str], equations: list[str]) -> None:
    """Each step needs only what is known before; a system has as many residuals as torn unknowns, fewer than unknowns."""
    for block in blocks:
        if isinstance(block, Assignment):
            assert names(block.expr) <= known, block
            assert block.variable not in known, block
            known.add(block.variable)
            equations += [str(block.equation)] if block.equation is not None else []
        else:
            assert not isinstance(block, Call)
            assert len(block.unknowns) == len(block.residuals) == len(block.equations)
            assert not known & set(block.unknowns)
            known |= set(block.unknowns)
            check_sequence(block.body, known, equations)
            assert set().union(*map(names, block.residuals)) <= known
            equations += map(str, block.equations)


@settings(max_examples=60)
@given(seed=seeds, parts=st.integers(1, 6), given_=st.sampled_from(("start", "init")))
def test_each_equation_is_solved_once_with_what_is_known(seed: int, parts: int, given_: str) -> None:
    """In the simulation and in the initialization problem."""
    dae, stages = RandomDae(random.Random(seed)).build(parts), dict[str, Translation]()
    declared = {
        name: {given_ if key == "start" else key: value for key, value in fields.items()}
        for name, fields in dae.variables().items()
    }
    model = sort_model(flat_model(dae.equations, declared, dae.parameters), observe=stages.__setitem__)
    found = list[str]()
    check_sequence(model.blocks, {"time", *dae.parameters, *model.states}, found)
    given_nodes = [str(e) for nodes, _ in stages["sort (BLT)"].parts() for e in nodes]
    assert sorted(found) == sorted(given_nodes)
    if model.initialization is not None:
        initial, found = model.initialization.sorted, []
        check_sequence(initial.blocks, {"time", *dae.parameters, *model.initialization.values}, found)
        assert not initial.states
        assert len(found) == len(set(initial.unknowns))


def bent(expressions: Sequence[Expr], names_: Sequence[str], values: Mapping[str, float]) -> set[str]:
    """Names on which an expression depends nonlinearly: by second differences, with each other name."""
    found, h = set[str](), 1e-3
    for expr in expressions:
        used = sorted(names(expr) & set(names_))
        for k, one in enumerate(used):
            for other in used[k:]:
                corners = []
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    moved = {**values, one: values[one] + a * h}
                    moved[other] += b * h
                    corners.append(evaluate(expr, moved))
                if abs(corners[0] - corners[1] - corners[2] + corners[3]) > 1e-4 * h * h:
                    found |= {one, other}
    return found


@settings(max_examples=30)
@given(seed=seeds, parts=st.integers(0, 3))
def test_what_is_nonlinear_in_a_block_is_opened(seed: int, parts: int) -> None:
    """A variable of the body that depends on others nonlinearly, or on which others do."""
    dae = RandomDae(random.Random(seed)).build(parts)
    dae.nonlinear()
    dae.nonlinear()
    model = sort_model(flat_model(dae.equations, dae.variables(), dae.parameters))
    draw = random.Random(seed)
    for block in model.blocks:
        if not isinstance(block, NonlinearBlock):
            continue
        body = [step for step in block.body if isinstance(step, Assignment)]
        varying = [*block.unknowns, *(step.variable for step in body)]
        expressions = [*(step.expr for step in body), *block.residuals]
        values = dict.fromkeys(set().union(*map(names, expressions), varying), 0.0)
        values = {name: draw.uniform(0.4, 0.9) for name in sorted(values)} | dae.parameters
        steps = {step.variable for step in body if bent([step.expr], varying, values)}
        assert set(block.opened) == steps | (bent(expressions, varying, values) - set(block.unknowns))


@settings(max_examples=30)
@given(seed=seeds, n=st.integers(3, 7))
def test_units_make_no_difference_to_what_is_torn(seed: int, n: int) -> None:
    """Unknowns and equations in other units: all coefficients are multiplied by powers of ten."""
    choice = random.Random(seed)
    matrix = [[choice.choice((0.0, 0.0, 1.0, -2.0, 0.01, 30.0)) + 200.0 * (i == j) for j in range(n)] for i in range(n)]
    columns, rows = ([10.0 ** choice.randint(-4, 4) for _ in range(n)] for _ in range(2))
    found = []
    for column, row in (([1.0] * n, [1.0] * n), (columns, rows)):
        equations = [
            " + ".join(f"({row[i] * a * column[j]!r})*x{j}" for j, a in enumerate(matrix[i]) if a) + f" = {row[i]!r}*sin(time)"
            for i in range(n)
        ]
        model = sort_model(flat_model(equations, [f"x{j}" for j in range(n)]))
        found.append([(block.unknowns, [str(step.variable) for step in block.body]) if isinstance(block, LinearBlock)
                      else block.variable for block in model.blocks])  # type: ignore[union-attr]  # fmt: skip
    assert found[0] == found[1]


@settings(max_examples=12, phases=(Phase.explicit, Phase.generate))
@given(seed=seeds, parts=st.integers(1, 5), mode=st.sampled_from(("ode", "dae")), nested=st.booleans())
def test_results_follow_the_closed_form_in_every_mode_and_hierarchy(seed: int, parts: int, mode: str, nested: bool) -> None:
    """Whatever is wished as a state; also where the integrator, or a library's factors, solve systems of two unknowns."""
    choice, begin = random.Random(seed), 0.1
    dae = RandomDae(choice).build(parts)
    choice.choice((dae.index_three, partial(dae.two_constraints, 0), partial(dae.two_constraints, 1)))()
    declared: dict[str, Var] = {}
    for name, fields in dae.variables().items():
        wish = choice.choice(("avoid", "default", "default", "prefer"))
        declared[name] = Var(init=dae.exact(name, begin), state_select=wish) if name in dae.waves else Var(**fields)
    initial = [f"der({name}) = {dae.exact(f'der({name})', begin)!r}" for name in dae.unnamed]
    model = Model(**dae.parameters, **declared, equations=dae.equations, initial_equations=initial)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(systems, "DAE_SIZE", 2)
        patch.setattr(systems, "LAPACK_SIZE", 2)
        sim = instantiate(Model(a=Model(b=model)) if nested else model)
        if any("der(der(" in name for name in sim.states):
            return  # their initial values are said nowhere
        mode = "auto" if sim.sorted.constraints else mode
        result = sim.simulate(1.0, start_time=begin, mode=mode, tolerance=1e-8)
    for name in dae.waves:
        exact = [dae.exact(name, t) for t in result.time]
        np.testing.assert_allclose(result["a.b." + name if nested else name], exact, atol=1e-4, err_msg=name)
