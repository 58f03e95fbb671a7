"""Index-1 form: neither the factor of a constraint nor the unit of length changes what is computed, or how much work it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from modiapy import Model, Var, instantiate

CRANK, ROD, G = 0.3, 1.0, 9.81
factors = st.floats(-3.0, 3.0).map(lambda e: 10.0**e)


def slider_crank(k1=1.0, k2=1.0, unit=1.0):
    """Point masses at the crank pin and the slider, lengths in parts of ``unit`` metres; constraints times k1 and k2."""
    return Model(
        r=CRANK * unit,
        l=ROD * unit,
        g=G * unit,
        m1=1.5,
        m2=0.7,
        k1=k1,
        k2=k2,
        x1=Var(init=CRANK * unit, nominal=unit),
        y1=Var(init=0.0, nominal=unit),
        x2=Var(start=1.2 * unit, nominal=unit),
        f1=Var(),
        f2=Var(),
        equations=[
            "m1*der(der(x1)) = -f1*x1 + f2*(x2 - x1)",
            "m1*der(der(y1)) = -f1*y1 - f2*y1 - m1*g",
            "m2*der(der(x2)) = -f2*(x2 - x1)",
            "k1*(x1**2 + y1**2) = k1*r**2",
            "k2*((x2 - x1)**2 + y1**2) = k2*l**2",
        ],
    )


ENGINE = {"r": 0.05, "l": 0.2, "J": 0.03, "Jr": 0.003, "m": 0.7}  # m, kg.m2, kg


def engine(k=1.0, **changes):
    """Crank, connecting rod and piston of an engine of centimetres, turning; both loop equations times ``k``."""
    return Model(
        **ENGINE,
        k=k,
        phi=Var(init=0.0),
        w=Var(init=10.0),
        b=Var(start=0.0),
        s=Var(start=0.25),
        along=Var(),
        across=Var(),
        equations=[
            "der(phi) = w",
            "J*der(w) = -across*r*cos(phi) + along*r*sin(phi)",
            "Jr*der(der(b)) = across*l*cos(b) + along*l*sin(b)",
            "m*der(der(s)) = along - m*9.81",
            "k*r*sin(phi) = k*l*sin(b)",
            "k*s = k*(r*cos(phi) + l*cos(b))",
        ],
    )


def work(result):
    return [result.statistics[name] for name in ("steps", "rhs_evaluations", "jacobian_evaluations")]


@settings(max_examples=12, deadline=None)
@given(k1=factors, k2=factors)
def test_the_factor_of_a_constraint_changes_nothing(k1, k2):
    first, other = (instantiate(slider_crank(*k)).simulate(2.0) for k in ((1.0, 1.0), (k1, k2)))
    assert np.abs(np.subtract(work(other), work(first))).max() <= 0.03 * work(first)[1]  # rounding errors only
    for name in ("x1", "y1", "x2", "f1", "f2"):
        np.testing.assert_allclose(other[name], first[name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("power", [-12, -3, 5, 10])
def test_a_factor_without_rounding_changes_no_bit(power):
    first, other = (instantiate(slider_crank(k, k)).simulate(2.0) for k in (1.0, 2.0**power))
    assert work(other) == work(first)
    assert other["x2"].tolist() == first["x2"].tolist()


@settings(max_examples=8, deadline=None)
@given(unit=factors)
def test_the_unit_of_length_changes_nothing(unit):
    """With nominal values in the same unit."""
    first, other = instantiate(slider_crank()).simulate(2.0), instantiate(slider_crank(unit=unit)).simulate(2.0)
    assert np.abs(np.subtract(work(other), work(first))).max() <= 0.03 * work(first)[1]
    np.testing.assert_allclose(other["x2"] / unit, first["x2"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("k", [1e-3, 1.0, 1e3])
def test_an_engine_of_centimetres_turns_like_one_in_its_angle(k):
    result = instantiate(engine(k)).simulate(1.0, tolerance=1e-8)
    r, l, J, Jr, m = ENGINE.values()

    def rates(_, u):
        phi, w = u
        cosine = np.sqrt(1.0 - (r / l * np.sin(phi)) ** 2)  # of the rod
        b1 = r * np.cos(phi) / (l * cosine)
        b2 = (-r * np.sin(phi) + l * np.sqrt(1 - cosine**2) * np.sign(np.sin(phi)) * b1**2) / (l * cosine)
        s1 = -r * np.sin(phi) - r * np.sin(phi) * b1
        s2 = -r * np.cos(phi) - r * np.cos(phi) * b1 - r * np.sin(phi) * b2
        inertia = J + Jr * b1**2 + m * s1**2
        return [w, -(m * 9.81 * s1 + (Jr * b1 * b2 + m * s1 * s2) * w**2) / inertia]

    exact = solve_ivp(rates, (0.0, 1.0), [0.0, 10.0], "DOP853", result.time, rtol=1e-12, atol=1e-12).y
    assert np.abs(result["phi"] - exact[0]).max() < 1e-5
    assert np.abs(result["w"] - exact[1]).max() < 1e-4
    assert result.statistics["steps"] < 1200  # 77000 for centimetres once
