"""The external function of the Fourier transform: the same numbers as numpy's, when a model calls it."""

import numpy as np
import pytest

from modiapy import ModelError

from .conftest import Written

_TRANSFORM = """function transform
  input Real u[:];
  output Integer info;
  output Real amplitudes[div(size(u, 1), 2) + 1];
  output Real phases[div(size(u, 1), 2) + 1];
protected
  Real work[3*size(u, 1) + 2*(div(size(u, 1), 2) + 1)];
external "C" info = ModelicaFFT_kiss_fftr(u, size(u, 1), work, size(work, 1), amplitudes, phases);
end transform;
"""


def test_samples_are_transformed_at_an_event(written: Written) -> None:
    sim = written(
        _TRANSFORM
        + """model M
      Integer k(start = 0, fixed = true), info(start = 5, fixed = true);
      discrete Real samples[30](each start = 0, each fixed = true);
      discrete Real a[16](each start = 0, each fixed = true), p[16](each start = 0, each fixed = true);
      discrete Real b[3](each start = 0, each fixed = true), q[3](each start = 0, each fixed = true);
    algorithm
      when sample(0, 0.02) then
        k := pre(k) + 1;
        if k <= 30 then
          samples[k] := 2 + time^2 + 3*sin(10*time + 0.5);
        end if;
      end when;
      when time > 0.97 then
        (info, a, p) := transform(samples);
        (info, b, q) := transform({1, 2, 3, time});
      end when;
    end M;"""
    )
    result = sim.simulate(1.0)
    times = 0.02 * np.arange(30)
    expected = np.fft.rfft(2 + times**2 + 3 * np.sin(10 * times + 0.5))
    last = {name: result[name][-1] for name in [f"{v}[{k + 1}]" for v in "ap" for k in range(16)]}
    found = [last[f"a[{k + 1}]"] * np.exp(1j * last[f"p[{k + 1}]"]) for k in range(16)]
    assert np.array(found) * 16 == pytest.approx(expected, abs=1e-11)
    assert [result[f"b[{k}]"][-1] for k in (1, 2, 3)] == pytest.approx(abs(np.fft.rfft([1, 2, 3, 0.97])) / 3)
    assert result["info"][-1] == 0
    assert result["a[1]"][0] == 0


def test_an_odd_number_of_samples_is_refused(written: Written) -> None:
    with pytest.raises(ModelError, match=r"even length.*\(3,\)"):
        written(
            _TRANSFORM
            + """model M
          discrete Real a[2](each start = 0, each fixed = true), p[2](each start = 0, each fixed = true);
          Integer info(start = 0, fixed = true);
        algorithm
          when time > 0.5 then
            (info, a, p) := transform({1, 2, 3});
          end when;
        end M;"""
        )


def test_an_external_function_that_is_not_known_is_refused_by_name(written: Written) -> None:
    with pytest.raises(ModelError, match="the external function 'unknown' is not read"):
        written("""function unknown
          input Real u;
          output Real y;
          external "C" y = unknown(u);
        end unknown;
        model M Real y = unknown(time); end M;""")
