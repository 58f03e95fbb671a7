"""Tables of Modelica.Blocks, of time, of one and two inputs, against the definitions of all their kinds."""

from typing import Any

import numpy as np
import pytest

from modiapy import ModelError, SimulationError

from .conftest import Written
from .table_library import EXTRAPOLATION, LIBRARY, SMOOTHNESS, enumerated, looked_up, looked_up_2d, matrix

TABLE = [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 0.5, 1.0], [3.5, 4.0, -2.0], [4.0, 4.2, 2.0], [5.5, 4.2, 7.0]]
SHORT = [[0.1, 2.0, -1.0], [0.6, 1.0, 4.0]]
JUMPS = [[0.0, 0.0, 3.0], [0.4, 1.0, 3.0], [0.4, 2.0, -1.0], [1.0, 5.0, 2.0], [1.3, 5.0, 2.0], [1.3, 0.0, 0.0]]
SURFACE = [[0, 1, 2, 2.5, 4], [0, 1, 3, 2, 0], [1, 2, 2, 5, 1], [1.5, 0, 1, 3, 3], [3, 4, 1, 1, 2]]
BEYOND = EXTRAPOLATION[:3]


def assert_as_defined(found: Any, expected: Any, time: np.ndarray, kinks: np.ndarray, where: str) -> None:
    """Away from kinks everywhere; where it jumps either side is right."""
    away = np.abs(time[:, None] - kinks[None, :]).min(axis=1) > 1e-9
    np.testing.assert_allclose(found[away], np.array(expected)[away], rtol=1e-9, atol=1e-9, err_msg=where)


@pytest.mark.parametrize("smoothness", SMOOTHNESS)
def test_tables_of_time_are_as_defined_whatever_is_rounded(written: Written, smoothness: str) -> None:
    """In all periods, with instants that no double is: shifted, scaled, begun in the middle of a segment, before the table."""
    straight = smoothness in ("LinearSegments", "ConstantSegments")
    cases = {
        f"{beyond}{k}": (beyond, table, start, shift, scale)
        for beyond in BEYOND
        for k, (table, start, shift, scale) in enumerate(
            [
                (SHORT, 0.15, 0.15, 1.0),
                (TABLE, 0.7, 0.3, 0.1),
                (JUMPS if straight else TABLE, -1.0, 0.1, 0.3),
                (SHORT, 1.2, 0.05, 0.7),
            ]
        )
    }
    blocks = [
        f"Modelica.Blocks.Sources.CombiTimeTable {name}(table={matrix(table)}, {enumerated(smoothness, beyond)},"
        f" startTime={start}, shiftTime={shift}, timeScale={scale});"
        for name, (beyond, table, start, shift, scale) in cases.items()
    ]
    result = written(f"{LIBRARY} model M {' '.join(blocks)} end M;").simulate(4.0, interval=0.01)
    time = np.asarray(result.time)
    for name, (beyond, table, start, shift, scale) in cases.items():
        x = np.array(table)[:, 0]
        periods = np.arange(-50, 60)[:, None] * (x[-1] - x[0]) if beyond == "Periodic" else np.zeros((1, 1))
        kinks = np.append(((x[None, :] + periods) * scale + shift).ravel(), start)
        for column in (1, 2):
            expected = [looked_up(smoothness, beyond, table, (t - shift) / scale, column) if t >= start else 0.0 for t in time]
            assert_as_defined(result[f"{name}.y[{column}]"], expected, time, kinks, f"{name}, column {column}")


def test_no_event_of_a_table_is_lost_and_the_next_one_is_later_than_now(written: Written) -> None:
    """Where ``kink + shift`` and scales are rounded, for each of many shifts; no event before the start."""
    settings = [(0.1 * k, scale) for k in range(1, 8) for scale in (1.0, 0.1, 1.7)]
    blocks = [
        f"Modelica.Blocks.Sources.CombiTimeTable a{k}(table=[0, 0; 0.2, 3.5; 0.3, 1.8; 0.7, 0], startTime={start},"
        f" timeScale={scale}, {enumerated('LinearSegments', 'Periodic')});"
        for k, (start, scale) in enumerate(settings)
    ]
    result = written(f"{LIBRARY} model M {' '.join(blocks)} end M;").simulate(3.0)
    time = np.asarray(result.time)
    after = np.append(np.diff(time) > 0.0, True)
    for k, (start, scale) in enumerate(settings):
        following = np.asarray(result[f"a{k}.nextTimeEvent"])
        assert (following[after] > time[after]).all(), settings[k]
        changes = np.unique(following)
        kinks = [(n * 0.7 + x) * scale + start for n in range(60) for x in (0.0, 0.2, 0.3)]
        expected = [t for t in kinks if t <= changes[-1] + 1e-9]
        assert changes == pytest.approx([start, *expected[1:]], abs=1e-12)


def test_a_pulse_of_a_table_is_not_stepped_over(written: Written) -> None:
    """The integral of steps that are 0 but for 1e-4 s of each period, at rounded instants."""
    result = written(
        f"""{LIBRARY} model M
          Modelica.Blocks.Sources.CombiTimeTable a(table=[0, 0; 0.3, 1000; 0.3001, 0; 0.9, 0], startTime=0.15,
            {enumerated("ConstantSegments", "Periodic")});
          Real x(start = 0, fixed = true);
        equation
          der(x) = a.y[1];
        end M;"""
    ).simulate(9.0)
    assert result["x"][-1] == pytest.approx(10 * 0.1, rel=1e-6)


def test_published_values(written: Written) -> None:
    """Numbers that were computed with the C sources of the library 4.1.0."""
    steps = "table=[0, 0; 1, 1; 2, 4]"
    result = written(
        f"""{LIBRARY} model M
          Modelica.Blocks.Sources.CombiTimeTable steps({steps}, {enumerated("ConstantSegments", "LastTwoPoints")});
          Modelica.Blocks.Tables.CombiTable1Dv monotone(table=[0, 0; 1, 1; 2, 0.5; 3.5, 4; 4, 4.2], u = {{time*0.37/3}},
            {enumerated("MonotoneContinuousDerivative1", "HoldLastPoint")});
        end M;"""
    ).simulate(3.0)
    assert result["steps.y[1]"][-1] == pytest.approx(7.0)
    assert result["monotone.y[1]"][-1] == pytest.approx(0.45625, abs=5e-6)


@pytest.mark.parametrize("smoothness", SMOOTHNESS)
def test_tables_of_one_input_are_as_defined(written: Written, smoothness: str) -> None:
    """Swept from below the table to above it; columns as they are selected; two rows and one row."""
    tables = {"t": TABLE, "two": SHORT, "one": [[3.0, 1.5, -2.0]]}
    blocks = [
        f"Modelica.Blocks.Tables.CombiTable1Dv {beyond}{name}(table={matrix(table)}, columns={{3, 2}},"
        f" {enumerated(smoothness, beyond)}, u = {{9*time - 3, 2 - 3*time}});"
        for beyond in BEYOND
        for name, table in tables.items()
    ]
    result = written(f"{LIBRARY} model M {' '.join(blocks)} end M;").simulate(1.0, interval=0.003)
    time = np.asarray(result.time)
    for beyond in BEYOND:
        for name, table in tables.items():
            for k, (column, u) in enumerate([(2, 9 * time - 3), (1, 2 - 3 * time)]):
                expected = [looked_up(smoothness, beyond, table, v, column) for v in u]
                x = np.array(table)[:, 0]
                kinks = (x[None, :] + np.arange(-9, 30)[:, None] * (x[-1] - x[0])).ravel()
                assert_as_defined(result[f"{beyond}{name}.y[{k + 1}]"], expected, u, kinks, f"{beyond}, {name}, {column}")


@pytest.mark.parametrize("smoothness", SMOOTHNESS[:3])
def test_tables_of_two_inputs_are_as_defined(written: Written, smoothness: str) -> None:
    """Within, at the last abscissas, beyond one side and beyond a corner; of one row, of one column, of four points."""
    tables = {
        "a": SURFACE,
        "row": [[0, 1, 2, 4], [7, 3, 1, 2]],
        "column": [[0, 7], [0, 1], [1, 3], [4, 2]],
        "four": [[0, 1, 2], [0, 3, 1], [2, 4, 7]],
    }
    points = [(0.4, 2.2), (2.1, 3.7), (3.0, 2.2), (1.2, 4.0), (3.0, 4.0), (-0.7, 2.2), (3.6, 1.4), (0.6, 0.3), (2.2, 4.9)]
    points += [(-0.7, 0.3), (3.6, 4.9), (-1.1, 5.0), (4.0, 0.1), (0.0, 1.0), (1.0, 2.0)]
    blocks = [
        f"Modelica.Blocks.Tables.CombiTable2Ds {name}{beyond}{k}(table={matrix(table)}, {enumerated(smoothness, beyond)},"
        f" u1 = {u} + 0*time, u2 = {v} + 0*time);"
        for name, table in tables.items()
        for beyond in BEYOND
        for k, (u, v) in enumerate(points)
    ]
    result = written(f"{LIBRARY} model M {' '.join(blocks)} end M;").simulate(0.1)
    for name, table in tables.items():
        for beyond in BEYOND:
            for k, (u, v) in enumerate(points):
                expected = looked_up_2d(smoothness, beyond, table, u, v)
                found = result[f"{name}{beyond}{k}.y"][-1]
                assert found == pytest.approx(expected, rel=1e-7, abs=1e-7), (name, beyond, u, v)


BLOCKS = "Modelica.Blocks"
NONE = enumerated("LinearSegments", "NoExtrapolation")


def test_where_extrapolation_is_refused_the_table_stops_there(written: Written) -> None:
    """Beyond the ends of each kind; before its start a table of time is not asked; a single row has no ends."""
    text = f"""{LIBRARY} model M
      {BLOCKS}.Sources.CombiTimeTable a(table=[1, 3; 2, 4], startTime=1, shiftTime=0, {NONE});
      {BLOCKS}.Tables.CombiTable2Ds b(table=[0, 1, 2; 7, 3, 4], {NONE}, u1 = 100*time, u2 = 1 + time/2);
      {BLOCKS}.Sources.CombiTimeTable c(table=[1, 3], startTime=0, {NONE});
      Real x(start = 0, fixed = true);
    equation
      der(x) = a.y[1];
    end M;"""
    sim = written(text)
    result = sim.simulate(1.99)
    assert result["a.y[1]"][-1] == pytest.approx(3.99)
    assert result["a.y[1]"][0] == 0.0
    assert result["b.y"][-1] == pytest.approx(3.995)
    assert (result["c.y[1]"] == 3.0).all()
    with pytest.raises(SimulationError, match="outside of the table"):
        sim.simulate(2.5)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            "Tables.CombiTable1Dv a(table=[0, 0; 1, 1], columns={3}, u={time})",
            r"no such column .*found columns \[3\]; expected 1 to 2",
        ),
        ("Tables.CombiTable1Dv a(table=[0, 0; 1, 1], columns={0}, u={time})", "no such column"),
        ("Tables.CombiTable1Dv a(table=[0, 0; 1, 1; 1, 2], u={time})", "abscissas of the table do not increase"),
        (
            "Tables.CombiTable2Ds a(table=[0, 1, 1; 0, 2, 3; 1, 4, 5], u1=time, u2=time)",
            "abscissas of the table do not increase",
        ),
        ("Tables.CombiTable2Ds a(table=[0, 1; 0, 2; -1, 3], u1=time, u2=time)", "abscissas of the table do not increase"),
        (
            f"Tables.CombiTable2Ds a(table={matrix(SURFACE)}, u1=time, u2=time,"
            f" {enumerated('MonotoneContinuousDerivative1', 'HoldLastPoint')})",
            "no such interpolation of two inputs",
        ),
        (f"Sources.CombiTimeTable a(table=[0, 1; 0, 2], {enumerated('LinearSegments', 'Periodic')})", "do not increase"),
    ],
)
def test_mistakes_in_tables_are_named(written: Written, block: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        written(f"{LIBRARY} model M {BLOCKS}.{block}; end M;")
