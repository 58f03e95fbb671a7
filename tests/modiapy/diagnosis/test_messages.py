"""What a user is told: the equations and variables, where they were written, what would mend them."""

from __future__ import annotations

import inspect
import linecache
import math
import re
from pathlib import Path

import pytest

from modiapy import Map, Model, ModelError, ModiaError, Par, SimulationError, Var, instantiate
from modiapy.library.electric import ConstantVoltage, Ground, Resistor
from modiapy.library.rotational import Inertia
from modiapy.model.places import without_places
from modiapy.symbolic.structure.diagnosis import dulmage_mendelsohn

pytestmark = pytest.mark.white_box

Divider = Model(
    V=ConstantVoltage,
    R1=Resistor | Map(R=2.0),
    R2=Resistor,
    ground=Ground,
    connect=[
        ("V.p", "R1.p"),
        ("R1.n", "R2.p"),
        ("R2.n", "V.n", "ground.p"),
    ],
)


def error_of(model, stop_time=None, **options):
    try:
        simulation = instantiate(model)
        if stop_time is not None:
            simulation.simulate(stop_time, **options)
    except ModiaError as error:
        return error
    pytest.fail("no error")


def written_at(error):
    assert Path(error.file) == Path(__file__)
    return linecache.getline(error.file, error.line)


def test_superfluous_equation_is_shown_with_file_and_line():
    model = Divider | Model(
        x=Var(),
        equations=[
            "x = R1.v*time",
            "x**2 = R2.v",
        ],
    )
    error = error_of(model)
    assert isinstance(error, ModelError)
    lines, first = inspect.getsourcelines(test_superfluous_equation_is_shown_with_file_and_line)
    for text in ("x = R1.v*time", "x**2 = R2.v"):
        line = first + next(k for k, source in enumerate(lines) if f'"{text}"' in source)
        assert f"{text}  (test_messages.py:{line})" in str(error)
    assert "x" in written_at(error)
    assert "too many equations" in str(error)
    assert "Remove one of these equations" in error.remedy


def test_a_superfluous_value_is_shown_with_file_and_line():
    """Of a variable with a value it is that of the value, wherever the part was made."""
    part = Model(
        u=Var(),
        x=Var("3*u"),
        total = Var("2*u + sin(time)"),
    )  # fmt: skip
    error = error_of(Model(part=part, equations=["cos(time) = part.x", "1 = part.total"]))
    lines, first = inspect.getsourcelines(test_a_superfluous_value_is_shown_with_file_and_line)
    for name, value in (("x", "3*u"), ("total", "2*u + sin(time)")):
        line = first + next(k for k, written in enumerate(lines) if f'Var("{value}")' in written)
        assert f"part: {name} = {value}  (test_messages.py:{line})" in str(error)


def test_equation_of_the_library_is_shown_with_its_file():
    error = error_of(Divider | Model(equations=["R1.v*R1.i = time"]))
    assert re.search(r"R1: v = R\*\(1 \+ alpha\*\(T - T_ref\)\)\*i  \(resistors\.py:\d+\)", str(error))


def test_variable_that_nothing_determines():
    error = error_of(Model(motor=Model(phi=Var(), w=Var(), equations=["w = der(phi)"])))
    assert error.path == "motor"
    assert "too few equations (1 missing)" in error.message
    assert "motor: w = der(phi)" in error.message
    assert "Var(value)" in error.remedy
    assert "w = der(phi)" in written_at(error)


def test_unconnected_flow_is_blamed_for_an_equation_too_many():
    error = error_of(Model(J=Inertia, equations=["J.flange_a.tau = sin(time)"]))
    assert "J.flange_a.tau" in error.message
    assert "Nothing is connected to the connector of 'J.flange_a.tau'" in error.remedy


def test_initial_values_of_aliases_that_contradict_each_other():
    error = error_of(Model(a=Model(x=Var(init=1.0)), b=Model(y=Var(init=2.0)), equations=["a.x = b.y", "der(a.x) = -b.y"]))
    for text in ("'b.y'", "'a.x'", "init=2.0", "init=1.0", "equal values"):
        assert text in str(error)


def test_initial_equation_that_contradicts_an_initial_value():
    model = Model(x=Var(init=1.0), equations=["der(x) = -x"], initial_equations=["der(x) = 3"])
    with pytest.raises(SimulationError, match=r"init=1\.0; expected -3\.0, computed from the initial equations 'der\(x\) = 3'"):
        instantiate(model).simulate(1.0)


def test_shaft_of_two_inertias_with_different_initial_angles():
    shaft = Model(
        J=Inertia | Map(phi=Map(init=0.0), w=Map(init=0.0)),
        K=Inertia | Map(phi=Map(init=1.0)),
        connect=[("J.flange_b", "K.flange_a")],
    )
    error = error_of(shaft, 1.0)
    assert "J.phi" in str(error)
    assert "K.phi" in str(error)


def test_not_a_number_during_integration_names_equation_and_values():
    error = error_of(Model(tank=Model(h=Var(init=1.0), q=Var(), equations=["der(h) = -1 + q", "q = sqrt(h - 0.5)"])), 5.0)
    assert isinstance(error, SimulationError)
    assert 0.0 < error.time < 5.0
    assert "q = sqrt(h - 0.5)" in error.message
    assert "tank.h = 0.4999" in error.found or "tank.h = 0.5" in error.found
    assert "q = sqrt(h - 0.5)" in written_at(error)


def test_division_by_zero_at_the_beginning():
    error = error_of(Model(m=Model(k=Par(0.0), x=Var(init=1.0), equations=["der(x) = -x/k"])), 1.0)
    assert "der(x) = -x/k" in str(error)
    assert "m.k = 0.0" in str(error)


def test_pole_is_named_where_the_step_becomes_too_small():
    error = error_of(
        Model(a=Var(init=1.0), b=Var(), c=Var(init=0.0), equations=["der(a) = -1", "der(c) = b", "b = 1/(a - 0.5)"]), 1.0
    )
    assert error.time == pytest.approx(0.5, abs=1e-3)
    for text in ("'der(c) = b'", "'b = 1/(a - 0.5)'"):
        assert text in error.found


def test_not_a_number_in_an_output_is_a_warning():
    model = Model(a=Var(init=1.0), b=Var(), equations=["der(a) = -1", "b = sqrt(a - 0.5)"])
    with pytest.warns(UserWarning, match=r"'b' cannot be computed from 'b = sqrt\(a - 0.5\)'"):
        result = instantiate(model).simulate(1.0)
    assert result["a"][-1] == pytest.approx(0.0, abs=1e-9)
    assert math.isnan(result["b"][-1])


def test_models_without_places_have_none():
    with without_places():
        model = Model(x=Var(), y=Var(), equations=["x = y"])
    error = error_of(model)
    assert not error.file
    assert "(test_messages.py" not in str(error)


def test_merging_keeps_the_places_and_equality():
    base, more = Model(x=Var(), equations=["x = 1"]), Model(y=Var(), equations=["y = x"])
    merged = base | more
    assert merged.places["x = 1"] == base.places["x = 1"]
    assert merged.places["y = x"] == more.places["y = x"]
    assert merged == Model(x=Var(), equations=["x = 1", "y = x"], y=Var())
    assert merged.copy().places == merged.places


def test_decomposition_of_an_incidence():
    # rows 0, 1 for column 0; row 2 for columns 1, 2; row 3 for column 3
    parts = dulmage_mendelsohn([[0], [0], [1, 2], [3, 0]], 4)
    assert (sorted(parts.over_rows), sorted(parts.over_columns)) == ([0, 1], [0])
    assert (sorted(parts.under_rows), sorted(parts.under_columns)) == ([2], [1, 2])
    assert (sorted(parts.well_rows), sorted(parts.well_columns)) == ([3], [3])


def test_code_without_a_file_has_no_lines() -> None:
    """As in ``python -c``: an error keeps its message, also where the call stands below the first line."""
    names: dict[str, object] = {}
    exec(compile("\n\n\nfrom modiapy import *\nmodel = Model(x=Var(), equations=['x = y'])", "<none>", "exec"), names)
    with pytest.raises(ModelError, match="unknown name 'y'"):
        instantiate(names["model"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rest", "initial", "source"),
    [
        (["der(w) = -w"], [], "the initial values of w (no states because of C = 0)"),
        (["w = sin(time)"], [], "the equations (no states because of C = 0)"),
        (["der(w) = -w"], ["w = 0"], "the initial equations 'w = 0' (no states because of C = 0)"),
    ],
)
def test_an_initial_value_that_does_not_fit_is_told_with_what_it_was_computed_from(
    rest: list[str], initial: list[str], source: str
) -> None:
    w = Var(init=0.0) if rest[0].startswith("der") and not initial else Var()
    model = Model(C=0.0, v=Var(init=1.0), w=w, equations=["C*der(v) = 2 + w - v", *rest], initial_equations=initial)
    with pytest.raises(SimulationError, match="the initial value contradicts the equations") as error:
        instantiate(model).simulate(0.1)
    assert error.value.path == "v"
    assert error.value.expected == f"2.0, computed from {source}"
