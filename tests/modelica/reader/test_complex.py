"""Complex numbers: operators, functions, arrays, connectors and parameters of them."""

from pathlib import Path

import numpy as np
import pytest

from modiapy import Map, SimulationModel, instantiate

_COMPLEX = """within ;
operator record Complex
  replaceable Real re;
  replaceable Real im;
end Complex;
"""
_MODEL = """model M
  type Voltage = Real(unit = "V");
  operator record ComplexVoltage = Complex(redeclare Voltage re, redeclare Voltage im);
  constant Complex j = Complex(0, 1);
  connector Pin
    ComplexVoltage v;
    flow Complex i;
  end Pin;
  function size2
    input Complex z;
    output Real y;
  algorithm
    y := sqrt(z.re^2 + z.im^2);
  end size2;
  function conjugated
    input Complex z;
    output Complex y;
  algorithm
    y := Complex(z.re, -z.im);
  end conjugated;
  model Source
    Pin p;
    Complex V;
  equation
    p.v = V;
  end Source;
  model Impedance
    Pin p, n;
    parameter Complex Z(re(start = 1), im(start = 0)) = Complex(1, 0);
    ComplexVoltage v(re(start = 0), im(start = 0));
    Complex i, S = v*conjugated(i);
    Real size = size2(i);
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = Complex(0);
    v = Z*i;
  end Impedance;
  connector RealOutput = output Real;
  connector RealInput = input Real;
  model Parts
    Complex u;
    RealOutput re, im;
  equation
    re = u.re;
    im = u.im;
  end Parts;
  model Gain
    RealInput u;
    Real y = 2*u;
  end Gain;
  Parts parts(u = total);
  Gain gain;
  Source up(V = Complex(10, 5*time)), down(V = Complex(0));
  Impedance a(Z = Complex(3, 4)), b(Z = 2*j), c[2](Z = {Complex(im = 1, re = 1), Complex(2)});
  Complex s[2], total, turned, power;
  Complex q(re(start = 1, fixed = true), im(start = 1, fixed = true));
  parameter Complex lone(re(start = 3), im(start = 4));
  Real five = size2(lone);
  Boolean late = time > 0.5;
equation
  connect(parts.im, gain.u);
  connect(up.p, a.p);
  connect(a.n, b.p);
  connect(b.n, down.p);
  for k in 1:2 loop
    connect(up.p, c[k].p);
    connect(c[k].n, down.p);
    s[k] = c[k].S/k;
  end for;
  total = sum(s);
  turned = if late then -total else j*total;
  power = (a.i/b.Z)^2;
  der(q.re) = -q.re;
  der(q.im) = q.re;
end M;
"""


@pytest.fixture
def model(tmp_path: Path) -> SimulationModel:
    pytest.importorskip("rumoca")
    from modiapy.modelica import load_file

    (tmp_path / "Complex.mo").write_text(_COMPLEX, encoding="utf-8")
    (tmp_path / "m.mo").write_text(_MODEL, encoding="utf-8")
    return instantiate(load_file(tmp_path / "m.mo", "M", libraries=[tmp_path]))


def test_a_network_of_impedances_is_ohms_law(model: SimulationModel) -> None:
    result = model.simulate(1.0, tolerance=1e-9)

    def z(name: str) -> np.ndarray:
        return np.asarray(result[f"{name}.re"]) + 1j * np.asarray(result[f"{name}.im"])

    source = 10 + 5j * result.time
    np.testing.assert_allclose(z("a.i"), source / (3 + 6j), atol=1e-12)
    np.testing.assert_allclose(z("b.v"), source * 2j / (3 + 6j), atol=1e-12)
    np.testing.assert_allclose(result["a.size"], np.abs(source / (3 + 6j)), atol=1e-12)
    powers = [np.abs(source) ** 2 / (1 - 1j), np.abs(source) ** 2 / 2]
    np.testing.assert_allclose(z("s[2]"), powers[1] / 2, atol=1e-12)
    np.testing.assert_allclose(z("total"), powers[0] + powers[1] / 2, atol=1e-12)
    np.testing.assert_allclose(result["gain.y"], 2 * (powers[0] + powers[1] / 2).imag, atol=1e-12)
    turned = np.where(result["late"] > 0.5, -1, 1j) * (powers[0] + powers[1] / 2)
    np.testing.assert_allclose(z("turned"), turned, atol=1e-12)
    np.testing.assert_allclose(z("power"), (source / (3 + 6j) / 2j) ** 2, atol=1e-12)
    assert result["five"][0] == pytest.approx(5.0)
    np.testing.assert_allclose(z("q"), np.exp(-result.time) + 1j * (2 - np.exp(-result.time)), atol=1e-6)


def test_parameters_that_are_complex_stay_changeable(model: SimulationModel) -> None:
    result = model.simulate(0.1, merge=Map(a=Map(Z=Map(re=0.0, im=8.0))))
    assert result["a.i.re"][0] == pytest.approx(0.0, abs=1e-12)
    assert result["a.i.im"][0] == pytest.approx(-1.0)
