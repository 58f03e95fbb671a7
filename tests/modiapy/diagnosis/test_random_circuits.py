"""Random linear circuits: the well-posed ones agree with an independent analysis, the ill-posed ones get a true diagnosis."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_array

from modiapy import Model, ModelError, instantiate
from modiapy.flat import FlatModel, parse_equation, sort_model
from modiapy.model.expression import names
from modiapy.symbolic.flattening.flatten import flatten

from .circuits import Circuit, radau, random_circuit

pytestmark = pytest.mark.white_box

STOP, STEPS = 2.0, 200

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=40, derandomize=True)


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def check_against_tableau(circuit: Circuit, *, ground: bool = True) -> None:
    result = instantiate(circuit.model(ground=ground)).simulate(STOP, tolerance=1e-9, interval=STOP / STEPS)
    assert result.time[0] == 0.0
    rows = np.searchsorted(result.time, np.linspace(0.0, STOP, STEPS + 1) - 1e-9)
    names = [f"{circuit.name(k)}.{q}" for q in "vi" for k in range(len(circuit.branches))]
    ours = np.stack([result[name][rows] for name in names], axis=1)
    mass, matrix, rhs = circuit.tableau()
    start = np.concatenate([np.zeros(circuit.n_nodes), ours[0]])
    reference = radau(mass, matrix, rhs, start, STOP / STEPS, STEPS)[1:, circuit.n_nodes :]
    scale = np.maximum(1.0, np.abs(reference).max(axis=0))
    assert np.abs((ours[1:] - reference) / scale).max() < 1e-5


@few
@given(seeds)
def test_well_posed_circuits_agree_with_the_tableau(seed):
    check_against_tableau(random_circuit(np.random.default_rng(seed)))


def test_loop_of_capacitors_and_cut_set_of_inductors():
    loop = [("V", 1, 0, 1.0), ("R", 1, 2, 1.0), ("C", 2, 3, 0.5), ("C", 3, 0, 2.0), ("C", 0, 2, 1.5), ("R", 3, 0, 2.0)]
    check_against_tableau(Circuit(4, loop))
    check_against_tableau(Circuit(3, [("V", 1, 0, 1.0), ("C", 1, 0, 2.0), ("R", 1, 2, 1.0), ("C", 0, 2, 1.0)]))
    star = [("V", 1, 0, 1.0), ("L", 1, 2, 0.5), ("L", 2, 3, 1.0), ("L", 2, 0, 2.0), ("R", 3, 0, 1.0)]
    check_against_tableau(Circuit(4, star))
    check_against_tableau(Circuit(3, [("I", 0, 1, 1.0), ("L", 1, 2, 0.5), ("R", 2, 0, 1.0), ("C", 1, 0, 1.0)]))


def named(error: ModelError, circuit: Circuit) -> list[int]:
    """The branches one of whose equations a message names."""
    return [k for k in range(len(circuit.branches)) if re.search(rf"\b{circuit.name(k)}: ", str(error))]


def assert_refused_for_one_loop(circuit):
    """The voltage sources that the message names are a loop, all of them needed for it."""
    with pytest.raises(ModelError) as error:
        instantiate(circuit.model())
    found = [k for k in named(error.value, circuit) if circuit.branches[k][0] == "V"]
    assert circuit.has_loop(found)
    assert not any(circuit.has_loop([k for k in found if k != left]) for left in found)


@few
@given(seeds)
def test_loop_of_voltage_sources_is_named(seed):
    random = np.random.default_rng(seed)
    circuit = random_circuit(random)
    sources = circuit.of_kind("V")
    assume(sources)
    _, a, b, value = circuit.branches[int(random.choice(sources))]
    circuit.branches.append(("V", a, b, value + 1.0))
    assert_refused_for_one_loop(circuit)


@few
@given(seeds)
def test_loop_of_three_voltage_sources_is_named(seed):
    random = np.random.default_rng(seed)
    circuit = random_circuit(random)
    new = circuit.n_nodes
    a, b = (int(node) for node in random.choice(new, 2, replace=False))
    assume(Circuit(new, [*circuit.branches, ("V", a, b, 0.0)]).has_loop([*circuit.of_kind("V"), len(circuit.branches)]))
    circuit.n_nodes += 1
    circuit.branches += [("V", a, new, 3.0), ("V", new, b, 4.0), ("R", new, 0, 1.0)]
    assert_refused_for_one_loop(circuit)


@few
@given(seeds, st.booleans())
def test_cut_set_of_current_sources_is_named(seed, equal):
    random = np.random.default_rng(seed)
    circuit = random_circuit(random)
    new = circuit.n_nodes
    circuit.n_nodes += 1
    values = (1.0, -1.0) if equal else (1.0, 0.5)
    circuit.branches += [("I", new, int(random.integers(new)), value) for value in values]
    with pytest.raises(ModelError) as error:
        instantiate(circuit.model())
    assert circuit.is_cut([k for k in named(error.value, circuit) if circuit.branches[k][0] == "I"])


def structural_rank(flat: FlatModel, skip: int = -1) -> int:
    """How many equations of a flat model can be matched with variables, a variable and its derivative counting as one."""
    column = {name: k for k, name in enumerate(flat.variables)}
    entries = [
        (i, column[name])
        for i, e in enumerate(flat.equations)
        for name in names(e.lhs) | names(e.rhs)
        if name in column and i != skip
    ]
    rows, columns = zip(*entries, strict=True)
    shape = len(flat.equations), len(column)
    return int(csgraph.structural_rank(csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)))


@few
@given(seeds)
def test_without_any_equation_named_as_superfluous_the_others_still_determine_all(seed):
    random = np.random.default_rng(seed)
    circuit = random_circuit(random)
    k = int(random.integers(len(circuit.branches)))
    law = f"{circuit.name(k)}.v*{circuit.name(k)}.i = sin(time)"
    flat = flatten(circuit.model() | Model(equations=[law]))
    with pytest.raises(ModelError, match="too many equations") as error:
        sort_model(flat)
    lines = re.findall(r"^  (?!and )(?:(\S+): )?(.*?)(?:  \(\S+:\d+\))?$", error.value.message, re.MULTILINE)
    assert lines
    assert ("", law) in lines or len(lines) >= 12
    for path, text in lines:
        if "follows from" not in text:
            index = next(i for i, e in enumerate(flat.equations) if e.path == path and str(e) == text)
            assert structural_rank(flat, skip=index) == len(flat.variables)


@few
@given(seeds)
def test_an_equation_for_a_variable_named_as_open_mends_the_model(seed):
    random = np.random.default_rng(seed)
    circuit = random_circuit(random)
    flat = flatten(circuit.model())
    laws = [i for i, e in enumerate(flat.equations) if str(e) in ("v = R*i", "C*der(v) = i", "L*der(i) = v")]
    assume(laws)
    i = int(random.choice(laws))
    lacking = replace(flat, equations=flat.equations[:i] + flat.equations[i + 1 :])
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\)") as error:
        sort_model(lacking)
    unknowns = re.findall(r"'([^']+)'", error.value.message.partition("too few equations")[2].partition("\n")[0])
    mended = []
    for name in unknowns:
        mended.append(replace(lacking, equations=[*lacking.equations, parse_equation(f"{name} = sin(time)")]))
        assert structural_rank(mended[-1]) == len(flat.variables)
    assert any(is_regular(m) for m in mended)


def is_regular(flat: FlatModel) -> bool:
    try:
        sort_model(flat)
    except ModelError:
        return False
    return True
