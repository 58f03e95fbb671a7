"""States of small size: their errors are kept as small as the tolerance promises, or the result tells which are not."""

from __future__ import annotations

import itertools
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, NumericalError, Result, Var, instantiate, read_result
from modiapy.library import electric, rotational, translational

A = 1e-6
TOLERANCES = (1e-4, 1e-6, 1e-8)

OSCILLATOR = Model(x=Var(init=1.0), v=Var(init=0.0), equations=["der(x) = v", "der(v) = -x"])
PUSHED = Model(F=A, x=Var(init=0.0), v=Var(init=0.0), equations=["der(x) = v", "der(v) = F - x"])
"""Nothing that is known at the beginning tells how far it moves."""


def told(model: Model, stop_time: float = 10.0, **options: Any) -> tuple[Result, list[str]]:
    """The result, and what was warned of."""
    simulation = instantiate(model)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = simulation.simulate(stop_time, **options)
    return result, [str(one.message) for one in seen]


def error(result: Result, name: str, exact: np.ndarray) -> float:
    """The largest error of a signal, as a part of its largest value."""
    return float(np.abs(result[name] - exact).max() / np.abs(exact).max())


# -- from initial values ----------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(-13, 9), st.sampled_from(TOLERANCES), st.sampled_from(["cvode", "adams", "scipy"]))
@example(-3, 1e-4, "cvode")
@example(-6, 1e-6, "cvode")
def test_the_unit_of_an_oscillation_changes_its_relative_error_by_a_factor_of_100_at_most(
    k: int, tolerance: float, solver: str
) -> None:
    simulation = instantiate(OSCILLATOR)
    one, scaled = (
        simulation.simulate(10.0, tolerance=tolerance, solver=solver, merge=Map(x=Var(init=size))) for size in (1.0, 10.0**k)
    )
    allowed = 100.0 * max(error(one, "x", np.cos(one.time)), tolerance)
    assert error(scaled, "x", 10.0**k * np.cos(scaled.time)) < min(allowed, 0.2)
    if k not in (-3, -2, -1):
        assert error(scaled, "x", 10.0**k * np.cos(scaled.time)) < 0.1 * allowed


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize("which", ["position", "speed"])
def test_of_position_and_velocity_the_one_tells_of_the_other(which: str, mode: str) -> None:
    begins = {"x": Var(init=A if which == "position" else 0.0), "v": Var(init=A if which == "speed" else 0.0)}
    result, seen = told(OSCILLATOR | Map(**begins), mode=mode)
    exact = A * (np.cos(result.time) if which == "position" else np.sin(result.time))
    assert error(result, "x", exact) < 2e-4
    assert not seen
    assert not result.notes


def test_masses_beside_one_that_is_displaced_are_as_small() -> None:
    """Two equal masses between three springs: the second one begins at zero."""
    mass, spring = translational.Mass | Map(v=Map(init=0.0)), translational.Spring
    ends = [("wall.flange", "s1.flange_a"), ("s1.flange_b", "m1.flange_a"), ("m1.flange_b", "s2.flange_a")]
    ends += [("s2.flange_b", "m2.flange_a"), ("m2.flange_b", "s3.flange_a"), ("s3.flange_b", "end.flange")]
    fixed = {"wall": translational.Fixed, "end": translational.Fixed}
    masses = {"m1": mass | Map(s=Map(init=A)), "m2": mass | Map(s=Map(init=0.0))}
    result, seen = told(Model(**masses, **fixed, s1=spring, s2=spring, s3=spring, connect=ends))
    slow, fast = np.cos(result.time), np.cos(np.sqrt(3.0) * result.time)
    assert error(result, "m1.s", A / 2 * (slow + fast)) < 2e-4
    assert error(result, "m2.s", A / 2 * (slow - fast)) < 2e-4
    assert not seen


@pytest.mark.parametrize("size", [A, 1e-12])
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_an_infection_that_begins_small_grows_as_it_does(size: float, tolerance: float) -> None:
    """Logistic growth from a small beginning: what is lost there is lost for ever."""
    model = Model(i=Var(init=size), equations=["der(i) = i*(1 - i)"])
    result, _ = told(model, 40.0, tolerance=tolerance)
    growth = size * np.exp(result.time)
    assert error(result, "i", growth / (1.0 - size + growth)) < 2e3 * tolerance


def test_arrays_and_matrices() -> None:
    model = Model(M=np.array([[0.0, 1.0], [-1.0, 0.0]]), x=Var(init=np.array([A, 0.0])), equations=["der(x) = M @ x"])
    result, seen = told(model)
    assert np.abs(result["x"][:, 0] - A * np.cos(result.time)).max() < 1e-4 * A
    assert not seen


# -- from ratios ------------------------------------------------------------------------------------------------------------


def geared(ratios: list[float], slow: str = "prefer") -> Model:
    """An oscillator of frequency 1 behind gears, with the shaft of the slow end before them."""
    gears = {f"gear{k}": rotational.IdealGear | Map(ratio=ratio) for k, ratio in enumerate(ratios)}
    chain = ["shaft", *gears, "rotor"]
    ends = [(f"{a}.flange_b", f"{b}.flange_a") for a, b in itertools.pairwise(chain)]
    ends += [("rotor.flange_b", "spring.flange_a"), ("spring.flange_b", "wall.flange")]
    wish = Var(state_select=slow)
    return Model(
        **gears,
        shaft=rotational.Inertia | Map(J=1e-3, phi=wish, w=wish),
        rotor=rotational.Inertia | Map(J=1.0, phi=Var(init=2.0), w=Var(init=0.0)),
        spring=rotational.Spring,
        wall=rotational.Fixed,
        connect=ends,
    )


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("ratios", [[1e-6], [1e-3, 1e-3], [1e-4, 1.0, -1e-4], [1e-9]])
def test_behind_a_gear_the_fast_side_is_as_exact_as_the_tolerance_says(
    ratios: list[float], tolerance: float, mode: str
) -> None:
    result, seen = told(geared(ratios), tolerance=tolerance, mode=mode)
    assert error(result, "rotor.phi", 2.0 * np.cos(result.time)) < 100.0 * tolerance
    assert not seen


def test_the_state_is_on_the_slow_side_where_that_was_wished() -> None:
    assert instantiate(geared([1e-6])).states == ("shaft.phi", "shaft.w")
    assert instantiate(geared([1e-6], "default")).states == ("rotor.phi", "rotor.w")


def test_a_ratio_that_is_merged_counts() -> None:
    simulation = instantiate(geared([1.0]))
    result = simulation.simulate(10.0, merge=Map(gear0=Map(ratio=1e-6)))
    assert simulation.states == ("shaft.phi", "shaft.w")
    assert error(result, "rotor.phi", 2.0 * np.cos(result.time)) < 1e-4


def test_a_shaft_behind_a_gear_without_inertia() -> None:
    """The angle that is only looked at is plotted, too; units tell that both are angles."""
    gear = rotational.IdealGear | Map(ratio=1e-6)
    end = Model(flange=rotational.Flange, equations=["flange.tau = 0"])
    model = Model(
        shaft=rotational.Inertia | Map(phi=Var(init=0.0), w=Var(init=0.0)),
        torque=rotational.ConstantTorque | Map(tau_constant=2e-6),
        gear=gear,
        end=end,
        connect=[("torque.flange", "shaft.flange_a"), ("shaft.flange_b", "gear.flange_a"), ("gear.flange_b", "end.flange")],
    )
    result, _ = told(model | Map(shaft=Map(w=Map(init=1e-6))), 3.0)
    assert error(result, "end.flange.phi", result.time + result.time**2) < 1e-5


def test_a_rack_behind_a_small_pinion() -> None:
    """The pinion turns by 1 rad where the rack moves by a micrometre, and its angle is no state."""
    prefer = Var(state_select="prefer")
    model = Model(
        rack=translational.Mass | Map(m=1.0, s=prefer, v=prefer),
        pinion=rotational.IdealGearR2T | Map(ratio=1e6),
        rotor=rotational.Inertia | Map(J=1.0, phi=Var(init=1.0), w=Var(init=0.0)),
        spring=rotational.Spring,
        wall=rotational.Fixed,
        connect=[
            ("wall.flange", "spring.flange_a"),
            ("spring.flange_b", "rotor.flange_a"),
            ("rotor.flange_b", "pinion.flange_r"),
        ]
        + [("pinion.flange_t", "rack.flange_a")],
    )
    simulation = instantiate(model)
    assert simulation.states == ("rack.s", "rack.v")
    result = simulation.simulate(10.0)
    assert error(result, "rotor.phi", np.cos(result.time)) < 1e-4


def test_a_transformer() -> None:
    """Oscillating circuit at the side of the high voltage, whose state is the low one."""
    model = Model(
        low=electric.Capacitor | Map(C=1e-3, v=Var(state_select="prefer")),
        transformer=electric.IdealTransformer | Map(n=1e-6),
        high=electric.Capacitor | Map(C=1.0, v=Var(init=1.0)),
        coil=electric.Inductor | Map(L=1.0, i=Var(init=0.0)),
        ground1=electric.Ground,
        ground2=electric.Ground,
        connect=[("low.p", "transformer.p1"), ("low.n", "transformer.n1", "ground1.p"), ("transformer.p2", "high.p", "coil.p")]
        + [("transformer.n2", "high.n", "coil.n", "ground2.p")],
    )
    simulation = instantiate(model)
    assert set(simulation.states) == {"low.v", "coil.i"}
    result = simulation.simulate(10.0)
    assert error(result, "high.v", np.cos(result.time)) < 1e-4


# -- charges ----------------------------------------------------------------------------------------------------------------

CHARGE = Model(
    R=1e12,
    C=1e-12,
    V=1.0,
    q=Var(init=0.0, unit="C"),
    v=Var(unit="V"),
    i=Var(unit="A"),
    equations=["der(q) = i", "q = C*v", "R*i = V - v"],
)


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_a_charge_is_as_small_as_its_voltage_makes_it(tolerance: float) -> None:
    result, seen = told(CHARGE, 5.0, tolerance=tolerance)
    assert error(result, "q", 1e-12 * (1.0 - np.exp(-result.time))) < 100.0 * tolerance
    assert not seen


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_a_charge_that_begins_with_its_size(tolerance: float) -> None:
    model = Model(R=1e12, C=1e-12, q=Var(init=1e-12), i=Var(), equations=["der(q) = i", "R*i = -q/C"])
    result, _ = told(model, 3.0, tolerance=tolerance)
    assert error(result, "q", 1e-12 * np.exp(-result.time)) < 100.0 * tolerance


# -- what nothing is known of is told ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvode", "adams", "chebyshev", "scipy", "sundae"])
def test_a_state_that_begins_at_zero_and_stays_small_is_told_by_name(solver: str) -> None:
    result, (text,) = told(PUSHED, solver=solver)
    (note,) = result.notes
    assert "x (at most" in text
    assert "v (at most" in text
    assert note["text"] == text
    assert note["time"] == 10.0
    assert note["states"].keys() == {"x", "v"}


def test_what_is_told_helps() -> None:
    result, (text,) = told(PUSHED)
    exact = A * (1.0 - np.cos(result.time))
    assert error(result, "x", exact) > 0.1  # so it is told rightly
    nominal = float(re.findall(r"Var\(nominal=([^)]+)\)", text)[0])
    absolute = float(re.findall(r"absolute_tolerance=([0-9.e-]+)", text)[0])
    for model, options in (
        (PUSHED | Map(x=Var(nominal=nominal)), {}),
        (PUSHED, {"absolute_tolerance": absolute}),
    ):
        better, seen = told(model, **options)
        assert error(better, "x", A * (1.0 - np.cos(better.time))) < 1e-4
        assert not seen
        assert not better.notes


@pytest.mark.parametrize("tolerance", [1e-3, *TOLERANCES, 1e-11])
def test_a_charge_without_units_is_told_at_any_tolerance(tolerance: float) -> None:
    plain = {name: Var(unit="") for name in ("q", "v", "i")}
    result, (text,) = told(CHARGE | Map(**plain), 5.0, tolerance=tolerance)
    assert "q (at most 9." in text
    assert list(result.notes[0]["states"]) == ["q"]


def test_output_points_do_not_decide_what_is_told() -> None:
    notes = [told(PUSHED, interval=interval)[0].notes for interval in (0.001, 0.7, 1e3)]
    assert notes[0] == notes[1] == notes[2]
    assert not told(Model(x=Var(init=0.0), equations=["der(x) = cos(time)"]), 2 * np.pi, interval=np.pi)[0].notes


@pytest.mark.parametrize(
    "model",
    [
        OSCILLATOR,
        Model(x=Var(init=0.0), y=Var(init=1.0), equations=["der(x) = 0", "der(y) = -y"]),  # exactly zero is exact
        Model(x=Var(init=1.0), equations=["der(x) = -10*x"]),  # it has been large
        PUSHED | Map(x=Var(nominal=A), v=Var(nominal=A)),
        PUSHED | Map(F=1.0),
    ],
)
def test_nothing_is_told_of_others(model: Model) -> None:
    result, seen = told(model)
    assert not seen
    assert not result.notes


def test_elements_of_arrays_and_derivatives_are_told_by_name() -> None:
    arrays = Model(x=Var(init=np.zeros(2)), y=Var(init=1.0), equations=["der(x) = [1e-9, 1.0]", "der(y) = -y"])
    assert list(told(arrays)[0].notes[0]["states"]) == ["x[0]"]
    twice = Model(x=Var(init=0.0), equations=["der(der(x)) = 1e-9 - x"])
    result, (text,) = told(twice)
    assert list(result.notes[0]["states"]) == ["x", "der(x)"]
    assert "x: Var(nominal=" in text


def test_what_is_told_is_in_the_file(tmp_path: Path) -> None:
    result, _ = told(PUSHED, output=tmp_path / "r.h5")
    assert result.notes
    assert read_result(tmp_path / "r.h5").notes == result.notes


def test_a_stepper_tells_at_its_end() -> None:
    stepper = instantiate(PUSHED).stepper(10.0)
    stepper.step(1.0)
    assert not stepper.result.notes
    with pytest.warns(UserWarning, match=r"x \(at most"):
        stepper.finish()
    assert stepper.result.notes[0]["kind"] == "small states"


def test_a_magnitude_that_is_given_counts_more_than_one_that_is_derived() -> None:
    """The user may want less."""
    coarse = OSCILLATOR | Map(x=Var(init=A, nominal=1.0), v=Var(nominal=1.0))
    result, seen = told(coarse)
    assert result.statistics["steps"] < 30
    assert len(seen) == 1


def test_a_derived_magnitude_that_rounding_errors_defeat_is_named() -> None:
    """Forces of 1e4 N cancel to 1e-12 N beside a state that is said to be a nanometre."""
    model = Model(
        x=Var(init=1e-9),
        v=Var(init=0.0),
        y=Var(init=1.0),
        equations=["der(x) = v", "der(v) = -x - 0.7*v + 1e4*(y + 0.1) - 1e4*y - 1e3", "der(y) = -0.1*y"],
    )
    with pytest.raises(NumericalError, match=r"x is taken for as small as 1e-09.*Var\(nominal=1.0\)"):
        instantiate(model).simulate(100.0)
    free = Map(x=Var(nominal=1.0), v=Var(nominal=1.0))
    assert told(model | free, 100.0)[0].status == "finished"
