"""Linear models as engineers of control use them: Bode diagrams, poles and damping, against closed forms and scipy."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
import scipy.signal

from modiapy import Model, ModelError, Var, instantiate
from modiapy.simulation.linear_model import LinearModel

pytestmark = pytest.mark.white_box

OSCILLATOR = Model(
    w=4.0, d=0.4, u=Var(input=True), x=Var(init=0.0), v=Var(init=0.0), y=Var("x", output=True),
    equations=["der(x) = v", "der(v) = u - w*x - d*v"],
)  # fmt: skip
"""1/(s^2 + 0.4 s + 4): natural frequency 2 rad/s, damping ratio 0.1."""


@pytest.fixture(scope="module")
def linear() -> LinearModel:
    return instantiate(OSCILLATOR).linearize()


def test_an_oscillator_has_its_closed_form(linear: LinearModel) -> None:
    np.testing.assert_allclose(linear.natural_frequencies(), 2.0, rtol=1e-8)
    np.testing.assert_allclose(linear.damping_ratios(), 0.1, rtol=1e-7)
    np.testing.assert_array_equal(linear.poles(), linear.eigenvalues())
    omega = np.array([0.3, 2.0, 1.98, 40.0])
    bode = linear.bode(omega)
    at = np.sort(omega)
    np.testing.assert_array_equal(bode.omega, at)
    exact = 1.0 / (4.0 - at**2 + 0.4j * at)
    np.testing.assert_allclose(bode.response[0, 0], exact, rtol=1e-7)
    np.testing.assert_allclose(bode.magnitude[0, 0], abs(exact), rtol=1e-7)
    np.testing.assert_allclose(bode.magnitude_dB[0, 0], 20 * np.log10(abs(exact)), atol=1e-6)
    np.testing.assert_allclose(bode.phase[0, 0], np.angle(exact), atol=1e-7)
    np.testing.assert_allclose(bode.phase_deg[0, 0], np.degrees(np.angle(exact)), atol=1e-5)


def test_the_peak_is_among_the_frequencies_that_are_chosen(linear: LinearModel) -> None:
    """1/(2 zeta sqrt(1 - zeta^2)) of the static gain 1/4."""
    bode = linear.bode()
    assert bode.magnitude.max() == pytest.approx(0.25 / (0.2 * np.sqrt(0.99)), rel=1e-6)
    assert bode.omega[0] == pytest.approx(0.2)
    assert bode.omega[-1] == pytest.approx(20.0)
    assert (np.diff(bode.omega) > 0).all()


def test_scipy_agrees(linear: LinearModel) -> None:
    system = linear.to_scipy()
    assert isinstance(system, scipy.signal.StateSpace)
    omega = np.geomspace(0.1, 100.0, 40)
    _, response = scipy.signal.freqresp(system, omega)
    np.testing.assert_allclose(linear.bode(omega).response[0, 0], response, rtol=1e-8)
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(system.A)), np.sort_complex(linear.poles()), rtol=1e-9)
    time, step = scipy.signal.step(system, T=np.linspace(0.0, 5.0, 51))
    run = instantiate(OSCILLATOR).simulate(5.0, interval=0.1, tolerance=1e-9, inputs={"u": 1.0})
    np.testing.assert_allclose(step, run["y"], atol=1e-6)
    np.testing.assert_allclose(time, run.time, atol=1e-12)


def test_several_inputs_and_outputs_keep_their_places() -> None:
    """Two low passes in one model: 1/(s + 1) of a, 3/(s + 2) of b, and a feedthrough."""
    model = Model(
        a=Var(input=True), b=Var(input=True), p=Var(init=0.0), q=Var(init=0.0),
        equations=["der(p) = a - p", "der(q) = 3*b - 2*q"], r=Var("q + 5*a"),
    )  # fmt: skip
    found = instantiate(model).linearize(outputs=["p", "q", "r"])
    s = 1j * np.array([0.5, 7.0])
    expected = [[1 / (s + 1), 0 * s], [0 * s, 3 / (s + 2)], [5 + 0 * s, 3 / (s + 2)]]
    bode = found.bode([0.5, 7.0])
    np.testing.assert_allclose(bode.response, expected, atol=1e-7)
    assert (bode.inputs, bode.outputs) == (("a", "b"), ("p", "q", "r"))
    pytest.importorskip("matplotlib").use("Agg")
    figure = bode.plot()
    lines = [[line.get_label() for line in axis.lines] for axis in figure.axes]
    assert lines == [[f"{i} → {o}" for o in "pqr" for i in "ab"]] * 2


@pytest.mark.parametrize(("d", "damping"), [(0.0, 0.0), (4.0, 1.0), (-0.8, -0.2)])
def test_signs_of_damping(d: float, damping: float) -> None:
    """Undamped, critically damped, and growing; the double pole of the second is known to the root of rounding."""
    found = instantiate(OSCILLATOR | Model(d=d)).linearize()
    np.testing.assert_allclose(found.damping_ratios(), damping, atol=1e-6 if d < 4 else 1e-3)


def test_poles_at_zero_and_on_the_frequency() -> None:
    """An integrator is infinite at 0, as an oscillator without damping is at its frequency; elsewhere both are exact."""
    integrator = instantiate(Model(u=Var(input=True), x=Var(init=0.0), equations=["der(x) = u"])).linearize(outputs=["x"])
    assert integrator.damping_ratios().tolist() == [-1.0]
    np.testing.assert_allclose(integrator.bode([0.0, 2.0]).magnitude[0, 0], [np.inf, 0.5], rtol=1e-8)
    assert np.isfinite(integrator.bode().magnitude).all()


def test_no_states_at_all() -> None:
    gain = instantiate(Model(u=Var(input=True), y=Var("3*u", output=True))).linearize()
    np.testing.assert_allclose(gain.bode([1.0, 10.0]).response[0, 0], 3.0, rtol=1e-8)
    assert gain.poles().size == gain.damping_ratios().size == 0
    assert gain.bode().omega.size >= 2


@pytest.mark.parametrize("omega", [[-1.0], [np.nan], [np.inf], [[1.0]]])
def test_frequencies_that_are_none(linear: LinearModel, omega: Any) -> None:
    with pytest.raises(ModelError, match="the frequencies of a response are wrong"):
        linear.bode(omega)


def test_without_ends_it_says_what_is_missing() -> None:
    closed = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])).linearize()
    assert closed.poles().tolist() == [pytest.approx(-1.0)]
    for use in (closed.bode, closed.to_scipy, closed.to_control):
        with pytest.raises(ModelError, match=r"needs inputs.*Var\(input=True\)"):
            use()
    with pytest.raises(ModelError, match=r"needs outputs.*outputs=\[...\]"):
        instantiate(Model(u=Var(input=True), x=Var(init=0.0), equations=["der(x) = u"])).linearize().bode()


def test_control_is_used_where_it_is_installed(linear: LinearModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names without dots, which separate systems and signals there; without the package it is said how to get it."""
    real = builtins.__import__

    class Control:
        @staticmethod
        def ss(*matrices: Any, **names: Any) -> tuple[Any, ...]:
            return matrices, names

    def imported(name: str, *rest: Any) -> Any:
        if name == "control":
            if missing:
                raise ImportError(name)
            return Control
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", imported)
    missing = False
    matrices, names = linear.to_control()
    assert all(a is b for a, b in zip(matrices, (linear.A, linear.B, linear.C, linear.D), strict=True))
    assert names == {"states": ["x", "v"], "inputs": ["u"], "outputs": ["y"]}
    missing = True
    with pytest.raises(ModelError, match="pip install control"):
        linear.to_control()


def test_control_agrees(linear: LinearModel) -> None:
    control = pytest.importorskip("control")
    frequency, damping, _ = control.damp(linear.to_control(), doprint=False)
    np.testing.assert_allclose(frequency, 2.0, rtol=1e-8)
    np.testing.assert_allclose(damping, 0.1, rtol=1e-7)
