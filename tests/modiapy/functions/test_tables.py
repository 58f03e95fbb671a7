"""Tables: interpolation against scipy and closed forms, derivatives, extrapolation, events, new data, mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator, RegularGridInterpolator

from modiapy import Map, Model, ModelError, SimulationError, Table1D, Table2D, Var, instantiate

X = np.array([0.0, 0.3, 1.0, 1.2, 2.0, 3.0, 3.1, 4.0])
Y = np.array([1.0, 2.0, 0.5, 0.4, 3.0, 3.0, 2.0, 2.5])
DATA = np.column_stack([X, Y])


def evaluated(table, expression, stop=4.0, start=0.0, **more):
    """Values of an expression of ``u``, which equals time, but not by its name (so that there are no time events)."""
    model = Model(t=table, u=Var(init=start), y=Var(expression), equations=["der(u) = 1"], **more)
    result = instantiate(model).simulate(stop, start_time=start)
    return result["u"], result["y"]


@pytest.mark.parametrize(
    ("kind", "reference"),
    [("linear", lambda u: np.interp(u, X, Y)), ("akima", Akima1DInterpolator(X, Y)), ("monotone", PchipInterpolator(X, Y))],
)
def test_interpolation_in_one_dimension(kind, reference):
    u, y = evaluated(Table1D(DATA, interpolation=kind, extrapolation="hold"), "t(u)")
    inside = u <= 4.0
    np.testing.assert_allclose(y[inside], reference(u[inside]), rtol=1e-10, atol=1e-10)


def test_constant_interpolation_takes_the_last_abscissa_not_above():
    u, y = evaluated(Table1D(DATA, interpolation="constant", extrapolation="hold"), "t(u)", stop=3.9)
    np.testing.assert_allclose(y, Y[np.searchsorted(X, u, side="right") - 1])


def test_extrapolation():
    table = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]]
    far = np.array([-1.5, 4.25])
    for how, expected in (
        ("linear", [1 + 2 * -1.5, 2 - 1 * 2.25]),
        ("hold", [1.0, 2.0]),
        ("periodic", [np.interp(0.5, [0, 1, 2], [1, 3, 2]), np.interp(0.25, [0, 1, 2], [1, 3, 2])]),
    ):
        model = Model(t=Table1D(table, extrapolation=how), y=Var(f"t({far[0]})"), z=Var(f"t({far[1]})"))
        result = instantiate(model).simulate(1.0)
        np.testing.assert_allclose([result["y"][-1], result["z"][-1]], expected, rtol=1e-12, err_msg=how)


def test_several_columns_are_several_results():
    table = np.column_stack([X, Y, 2 * Y - X])
    model = Model(t=Table1D(table, interpolation="akima"), a=Var(), b=Var(), equations=["(a, b) = t(1.7)"])
    result = instantiate(model).simulate(1.0)
    assert result["a"][-1] == pytest.approx(Akima1DInterpolator(X, Y)(1.7))
    assert result["b"][-1] == pytest.approx(Akima1DInterpolator(X, 2 * Y - X)(1.7))


@pytest.mark.parametrize("kind", ["akima", "monotone"])
def test_derivatives_in_one_dimension(kind):
    """v and a are derivatives of s that index reduction makes."""
    reference = {"akima": Akima1DInterpolator, "monotone": PchipInterpolator}[kind](X, Y)
    model = Model(
        t=Table1D(DATA, interpolation=kind), s=Var("t(time)"), v=Var(), f=Var(), equations=["der(s) = v", "2*der(v) = f"]
    )
    result = instantiate(model).simulate(3.9)
    np.testing.assert_allclose(result["v"], reference(result.time, 1), rtol=1e-9, atol=1e-9)
    away = np.min(np.abs(result.time[:, None] - X), axis=1) > 1e-9
    np.testing.assert_allclose(result["f"][away], 2 * reference(result.time[away], 2), rtol=1e-8, atol=1e-8)


def test_table_is_inverted_by_iteration():
    model = Model(
        t=Table1D([[0, 0], [1, 1], [2, 8], [3, 27]], interpolation="monotone"), x=Var(start=1.5), equations=["t(x) = 2 + time"]
    )
    result = instantiate(model).simulate(5.0)
    reference = PchipInterpolator([0, 1, 2, 3], [0, 1, 8, 27])
    np.testing.assert_allclose(reference(result["x"]), 2 + result.time, rtol=1e-7)


X1, X2 = np.array([0.0, 1.0, 2.5, 3.0]), np.array([-1.0, 0.0, 0.5, 2.0, 3.0])
GRID = np.sin(X1)[:, None] + X1[:, None] * X2**2


def matrix(values):
    return np.block([[np.zeros((1, 1)), X2[None, :]], [X1[:, None], values]])


def test_bilinear_interpolation():
    model = Model(t=Table2D(matrix(GRID)), y=Var("t(time, 3*time/2 - 1)"))
    result = instantiate(model).simulate(2.6)
    points = np.column_stack([result.time, 1.5 * result.time - 1])
    np.testing.assert_allclose(result["y"], RegularGridInterpolator((X1, X2), GRID)(points), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["akima", "monotone"])
def test_bicubic_interpolation_is_that_of_one_dimension_along_grid_lines_and_smooth(kind):
    reference = {"akima": Akima1DInterpolator, "monotone": PchipInterpolator}[kind]
    model = Model(t=Table2D(matrix(GRID), interpolation=kind), y=Var("t(time, 0.5)"), z=Var("t(2.5, time)"))
    result = instantiate(model).simulate(3.0)
    np.testing.assert_allclose(result["y"], reference(X1, GRID[:, 2])(result.time), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result["z"], reference(X2, GRID[2])(result.time), rtol=1e-9, atol=1e-9)


def test_partial_derivatives_in_two_dimensions():
    """Against differences of the table's own values, along a curve through several cells."""
    model = Model(
        t=Table2D(matrix(GRID), interpolation="akima"), s=Var("t(time, 2*sin(time))"), v=Var(), equations=["der(s) = v"]
    )
    result = instantiate(model).simulate(2.9, interval=1e-3)
    slope = np.gradient(result["s"], result.time, edge_order=2)
    np.testing.assert_allclose(result["v"][5:-5], slope[5:-5], atol=2e-2)
    assert np.median(np.abs(result["v"] - slope)) < 1e-4


def test_product_of_straight_lines_is_exact_everywhere():
    for kind in ("linear", "akima", "monotone"):
        values = (2 + 3 * X1)[:, None] * (1 - X2)
        model = Model(t=Table2D(matrix(values), interpolation=kind), y=Var("t(5*time - 1, 4 - 7*time)"))
        result = instantiate(model).simulate(1.0)
        a, b = 5 * result.time - 1, 4 - 7 * result.time
        np.testing.assert_allclose(result["y"], (2 + 3 * a) * (1 - b), rtol=1e-9, atol=1e-9, err_msg=kind)


def test_new_data_of_another_size_need_no_new_machine_code():
    sim = instantiate(Model(t=Table1D([[0, 0], [1, 1]]), u=Var("2*time"), y=Var("t(u)")))
    grid = np.linspace(0, 2, 2001)
    result = sim.simulate(1.0, merge=Map(t=Map(data=np.column_stack([grid, grid**2]))))
    np.testing.assert_allclose(result["y"], (2 * result.time) ** 2, atol=1e-6)
    assert result.statistics["compilations_after_start"] == 0
    np.testing.assert_allclose(sim.simulate(1.0)["y"], 2 * result.time, rtol=1e-12)


def test_data_may_come_from_parameters():
    model = Model(top=3.0, table=[[0, 0], [1, "top"]], t=Table1D("table"), y=Var("t(0.5)"), k="t(0.25)")
    sim = instantiate(model)
    assert sim.parameter("k") == 0.75
    assert sim.simulate(1.0, merge=Map(top=5.0))["y"][-1] == 2.5


def test_table_of_time_makes_time_events():
    """Kinks and jumps are met exactly."""
    model = Model(
        begin=0.25,
        ramp=Table1D([[0, 0], [1, 2], [1, 5], [2, 1], [3, 1]]),
        step=Table1D([[0, 1], [0.5, 3], [1.5, -1]], interpolation="constant", extrapolation="hold"),
        x=Var(init=0.0),
        z=Var(init=0.0),
        equations=["der(x) = ramp(time)", "der(z) = step(time - begin)"],
    )
    result = instantiate(model).simulate(3.0, tolerance=1e-8)
    assert result["x"][-1] == pytest.approx(1 + 3 + 1, abs=1e-6)
    assert result["z"][-1] == pytest.approx(0.25 + 0.5 + 3 - 1.25, abs=1e-9)
    for event in (0.75, 1.0, 1.75, 2.0):
        assert np.sum(np.abs(result.time - event) < 1e-12) == 2  # before and after


def test_table_of_time_takes_the_right_side_of_a_jump_at_the_event():
    model = Model(t=Table1D([[0, 1], [1, 1], [1, 4], [2, 4]]), y=Var("t(time)"), x=Var(init=0.0), equations=["der(x) = y"])
    result = instantiate(model).simulate(2.0)
    assert [*result["y"][np.abs(result.time - 1.0) < 1e-12]] == [1.0, 4.0]


def test_argument_outside_is_refused_if_asked_for():
    table = Table1D([[0, 0], [0.5, 1]], extrapolation="error")
    model = Model(t=table, x=Var(init=0.0), u=Var("2*time"), y=Var("t(u)"), equations=["der(x) = y"])
    assert instantiate(model).simulate(0.25)["y"][-1] == pytest.approx(1.0)
    with pytest.raises(SimulationError, match=r"is outside of the table, which goes from 0.0 to 0.5"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (lambda: Table1D([[0, 0], [-1, 1]]), "the abscissas of the table do not increase; found 0.0 and then -1.0"),
        (lambda: Table1D([[0, 0], [0, 1], [1, 1]], interpolation="akima"), "do not increase"),
        (lambda: Table1D([[0, 0], [math.nan, 1]]), "do not increase"),
        (lambda: Table1D([0, 1]), "the data of a table are a matrix"),
        (lambda: Table1D([[0, 0]], extrapolation="periodic"), "at least 2 rows"),
        (lambda: Table1D([[0, 0], [1]]), "the data of a table are a matrix"),
        (lambda: Table1D([[0, 0], [1, 1]], interpolation="cubic"), "unknown interpolation.*'cubic'.*akima"),
        (lambda: Table1D([[0, 0], [1, 1]], extrapolation="none"), "unknown extrapolation"),
        (lambda: Table2D([[0, 0], [0, 1]]), "at least 3 rows"),
        (lambda: Table1D(), "needs a value for 'data'"),
    ],
)
def test_mistakes_are_named(table, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Model(t=table(), y=Var("t(time)")))


def test_wrong_number_of_arguments_is_named():
    with pytest.raises(ModelError, match=r"found 1 arguments; expected 2"):
        instantiate(Model(t=Table2D(matrix(GRID)), y=Var("t(time)")))
