"""Arrays of submodels: their elements, what changes them, connections in loops, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from modiapy import Array, For, If, Map, Model, ModelError, Par, Var, instantiate
from modiapy.library.electric import Capacitor, ConstantVoltage, Ground, Resistor

DIVIDER = Model(
    n=3,
    r0=1.0,
    R=Array("n", Resistor | Map(R="r0 + i")),
    V=ConstantVoltage | Map(V=6.0),
    G=Ground,
    total=Var(),
    equations=[For("i", "n - 1", ["connect(R[i].n, R[i+1].p)"]), "total = R[0].v + R[1].v"],
    connect=[("V.p", "R[0].p"), ("V.n", "G.p")],
) | Model(connect=[("R[2].n", "G.p")])


def voltages(model: Model, n: int = 3) -> list[float]:
    result = instantiate(model).simulate(0.0)
    return [float(result[f"R[{k}].v"][-1]) for k in range(n)]


def test_elements_differ_by_their_index() -> None:
    """Resistors of 1, 2 and 3 ohm in series at 6 V; the index i is not the current i of the resistors."""
    assert voltages(DIVIDER) == pytest.approx([1.0, 2.0, 3.0])
    assert instantiate(DIVIDER).simulate(0.0)["total"][-1] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("changes", "resistances"),
    [
        (Map(r0=2.0), [2, 3, 4]),
        (Map(R=Map(R=5.0)), [5, 5, 5]),
        (Map(R=Map(R="r0*(i + 2)")), [2, 3, 4]),
        (Map(**{"R[1]": Map(R=10.0)}), [1, 10, 3]),
        (Map(R=Map(R=5.0)) | Map(**{"R[0]": Map(R="2*r0")}), [2, 5, 5]),
        (Map(**{"R[0]": Map(R=2.0)}) | Map(**{"R[0]": Map(R=7.0), "R[2]": Map(R=1.0)}), [7, 2, 1]),
    ],
)
def test_all_elements_are_changed_or_one(changes: Map, resistances: list[float]) -> None:
    expected = [6.0 * r / sum(resistances) for r in resistances]
    assert voltages(DIVIDER | changes) == pytest.approx(expected)
    sim = instantiate(DIVIDER)
    result = sim.simulate(0.0, merge=changes)
    assert [result[f"R[{k}].v"][-1] for k in range(3)] == pytest.approx(expected)


def test_the_number_of_elements_is_a_parameter() -> None:
    """A ladder of n sections; the slowest mode of n equal sections is known in closed form."""
    section = Model(
        R=Resistor | Map(R=1.0), C=Capacitor | Map(C=1.0, v=Var(init=0.0)), a=_pin(), b=_pin(), g=_pin(),
        connect=[("a", "R.p"), ("R.n", "C.p", "b"), ("C.n", "g")],
    )  # fmt: skip
    ladder = Model(
        n=2, half=Par(1), S=Array("n", section), V=ConstantVoltage | Map(V=1.0), G=Ground,
        connect=[
            ("V.p", "S[0].a"), ("V.n", "G.p"),
            For("k", "n - 1", [("S[k].b", "S[k+1].a")]),
            For("k", "half", [("S[k].g", "G.p")]), For("k", "n - half", [("S[k].g", "G.p")], first="half"),
        ],
    )  # fmt: skip
    for n in (1, 2, 5):
        A = instantiate(ladder | Map(n=n)).linearize().A
        expected = [-2.0 + 2.0 * np.cos((2 * k + 1) * np.pi / (2 * n + 1)) for k in range(n)]
        assert sorted(np.linalg.eigvals(A).real) == pytest.approx(sorted(expected))


def _pin() -> Model:
    return Model(v=Var(potential=True), i=Var(flow=True))


def test_arrays_in_arrays_and_in_submodels() -> None:
    row = Model(m=2, offset=0.0, x=Array("m", Model(u="10*offset + j", y=Var("u")), index="j"))
    model = Model(rows=Array(3, row | Map(m="i + 1", offset="i")), s=Var("rows[2].x[1].y"))
    result = instantiate(model).simulate(0.0)
    assert {name for name in result.signals() if name.endswith(".y")} == {
        f"rows[{i}].x[{j}].y" for i in range(3) for j in range(i + 1)
    }
    assert (result["s"][-1], result["rows[1].x[1].y"][-1]) == (21.0, 11.0)


def test_loops_of_equations_reach_elements() -> None:
    model = Model(
        x=Array(4, Model(v=Var())), equations=["x[0].v = 1", For("i", 3, ["x[i+1].v = 2*x[i].v"])],
    )  # fmt: skip
    assert instantiate(model).simulate(0.0)["x[3].v"][-1] == 8.0


def test_an_array_is_printed_pickled_and_may_be_empty() -> None:
    text = str(DIVIDER["R"])
    assert "Array('n'" in text
    assert pickle.loads(pickle.dumps(DIVIDER)) == DIVIDER
    model = Model(x=Var("2*time"), none=Array(0, Model(y=Var("1"))))
    assert "none" not in " ".join(instantiate(model).simulate(0.0).signals())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Array(3, 2.0), "element of the Array"),  # type: ignore[arg-type]
        (lambda: Array(-1, Resistor), "number of elements of an Array"),
        (lambda: Array(True, Resistor), "number of elements of an Array"),
        (lambda: Array(3, Resistor, index="2i"), "index of the Array is not a name"),
        (lambda: DIVIDER | Map(**{"R[3]": Map(R=1.0)}), r"R\[3\]: there is no such element.*\[0\] to \[2\]"),
        (lambda: DIVIDER | Map(R=Map(Q=1.0)), r"there is no 'Q' to modify"),
        (lambda: DIVIDER | Map(n=2.5), r"R: the number in 'Array\('n'.*is not known.*'n'.*integer"),
        (lambda: DIVIDER | Map(n="m"), "is not known"),
        (lambda: DIVIDER | Map(n=-2), "number of elements is wrong; found -2"),
        (lambda: DIVIDER | Map(n=2), r"R\[2\]"),
        (lambda: Model(n="n", x=Array("n", Resistor)), "is not known"),
        (lambda: Model(x=Array(2, Resistor), connect=[("x[5].p", "x[0].n")]), r"x\[5\]"),
    ],
)
def test_mistakes_are_named(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        instantiate(make()).simulate(0.0)


def test_sums_over_elements_are_written_as_in_python() -> None:
    cell = Model(k=1.0, y=Var(shape=2, value="[k*time, k**2*time]"))
    total = Model(
        n=3,
        m=0,
        cells=Array("n", cell | Map(k="1 + i")),
        nothing=Array("m", cell),
        both=Var(),
        vector=Var(shape=2),
        squares=Var("sum(cells[k].y[0]**2 for k in range(n))"),
        equations=[
            "both = 2*sum(cells[k].y[1] for k in range(n)) - sum(nothing[j].y[0] for j in range(m))",
            "vector = sum(cells[k].y for k in range(n - 1)) + sum(nothing[k].y for k in range(m))",
        ],
    )
    result = instantiate(total).simulate(1.0)
    assert result["both"][-1] == pytest.approx(2 * (1 + 4 + 9))
    assert result["vector"][-1] == pytest.approx([1 + 2, 1 + 4])
    assert result["squares"][-1] == pytest.approx(1 + 4 + 9)
    outside = Model(n=2, part=total | Map(n=4, both=Var(), squares=Var("sum(part.cells[k].k for k in range(n))")))
    assert instantiate(outside).simulate(1.0)["part.squares"][-1] == pytest.approx(1 + 2)
    for wrong, message in {
        "sum(cells[k].k for k in range(unknown))": "number in .* is not known",
        "sum(cells[k].k for k in range(n + 1))": r"unknown name 'cells\[3\].k'",
        "sum(cells[k].k for k in (1, 2))": "not part of the expression language",
    }.items():
        with pytest.raises(ModelError, match=message):
            instantiate(total | Model(wrong=Var(wrong)))


@pytest.mark.parametrize("wanted", [True, False])
def test_loops_over_elements_may_stand_in_a_choice(wanted: bool) -> None:
    cell = Model(k=1.0, y=Var(start=0.0))
    given = For("k", "n", ["cells[k].y = cells[k].k*time"])
    none = [For("k", "n", ["cells[k].y = 0"])]
    model = Model(
        n=3, wanted=wanted, cells=Array("n", cell | Map(k="1 + i")), equations=[If("wanted", [given], otherwise=none)]
    )
    assert instantiate(model).simulate(1.0)["cells.y"][-1] == pytest.approx([1.0, 2.0, 3.0] if wanted else [0.0] * 3)


def test_sum_in_an_element_has_an_index_of_its_own() -> None:
    """The number of the element and the index of the sum are both called i."""
    part = Model(n=3, v=[1.0, 2.0, 3.0], k="i", y=Var("sum(v[i]*2 for i in range(n)) + i"))
    assert instantiate(Model(a=Array(2, part))).simulate(0.0)["a.y"][-1].tolist() == [12.0, 13.0]
