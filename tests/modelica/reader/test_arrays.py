"""Arrays and records of Modelica are those of linear algebra, whichever way they are written."""

import numpy as np
import pytest

from modiapy import Map, ModelError

from .conftest import Written

RANDOM = np.random.default_rng(1)
A, B = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(3, 2))
V, W = RANDOM.normal(size=3), RANDOM.normal(size=3)


def text_of(value: np.ndarray) -> str:
    return "{" + ", ".join(text_of(v) if v.ndim else repr(float(v)) for v in value) + "}"


FORMULAS = {
    "A*v": A @ V,
    "w*B": W @ B,
    "A*B": A @ B,
    "v*w": V @ W,
    "transpose(A)": A.T,
    "cross(v, w)": np.cross(V, W),
    "skew(v)*w": np.cross(V, W),
    "outerProduct(v, w)": np.outer(V, W),
    "A .* transpose(B)": A * B.T,
    "v ./ w": V / W,
    "v .^ 2": V**2,
    "[v, w]": np.column_stack([V, W]),
    "[transpose(v_row); 1, 2, 3]": np.vstack([V, [1, 2, 3]]),
    "[{A, 2*A}]": np.array([A, 2 * A]),
    "[{A}; {A, 2*A}]": np.array([A, A, 2 * A]),
    "cat(1, v, w)": np.concatenate([V, W]),
    "B[2:3, 1]": B[1:3, 0],
    "B[end, :]": B[-1],
    "A[:, {3, 1}]": A[:, [2, 0]],
    "sum(A)": A.sum(),
    "max(v) - min(w)": V.max() - W.min(),
    "product(v)": V.prod(),
    "identity(3) + diagonal(v)": np.eye(3) + np.diag(V),
    "{i*v[i] for i in 1:3}": np.arange(1, 4) * V,
    "linspace(v[1], 2, 4)": np.linspace(V[0], 2.0, 4),
    "if v[1] > 100 then v else -w": -W,
    "fill(v[2], 2)": np.full(2, V[1]),
    "size(A, 2)*ones(2)": np.full(2, 3.0),
    "sqrt(v .* v)": np.abs(V),
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_formula_has_its_value(written: Written, formula: str) -> None:
    value = np.asarray(FORMULAS[formula])
    dims = f"[{','.join(map(str, value.shape))}]" if value.ndim else ""
    sim = written(f"""model M
      Real t(start = 0, fixed = true);
      Real A[2,3], B[3,2], v[3], w[3], v_row[3,1];
      Real y{dims};
    equation
      der(t) = 1;
      A = (1 + 0*t)*{text_of(A)};
      B = (1 + 0*t)*{text_of(B)};
      v = (1 + 0*t)*{text_of(V)};
      w = (1 + 0*t)*{text_of(W)};
      v_row = {{{{v[1]}}, {{v[2]}}, {{v[3]}}}};
      y = {formula};
    end M;""")
    result = sim.simulate(1.0)
    for index in np.ndindex(*value.shape):
        name = f"y[{','.join(str(k + 1) for k in index)}]" if index else "y"
        assert result[name][-1] == pytest.approx(value[index]), name


def test_records_and_arrays_of_components_have_their_fields(written: Written) -> None:
    sim = written("""model M
      record Pose
        Real p[2];
        Real angle;
      end Pose;
      model Part
        parameter Real k = 1;
        Pose pose;
        Real x(start = k, fixed = true);
      equation
        der(x) = -k;
        pose.p = {x, 2*x};
        pose.angle = 3*x;
      end Part;
      Part parts[3](k = {1, 2, 3});
      Pose copy;
      Pose made;
      Real xs[3] = parts.x;
      Real angles = sum(parts.pose.angle);
    equation
      copy = parts[2].pose;
      made = Pose({1, time}, 4);
    end M;""")
    result = sim.simulate(0.5)
    x = 0.5 * np.arange(1, 4)
    assert [result[f"xs[{k}]"][-1] for k in (1, 2, 3)] == pytest.approx(x)
    assert result["angles"][-1] == pytest.approx(3 * x.sum())
    assert [result[f"copy.p[{k}]"][-1] for k in (1, 2)] == pytest.approx([x[1], 2 * x[1]])
    assert result["copy.angle"][-1] == pytest.approx(3 * x[1])
    assert [result["made.p[2]"][-1], result["made.angle"][-1]] == pytest.approx([0.5, 4.0])


def test_a_repetition_that_reaches_back_is_written_out(written: Written) -> None:
    sim = written("""model M
      parameter Integer n = 6;
      Real x[n](each start = 0, each fixed = true);
    equation
      der(x[1]) = 1;
      for i in 2:n loop
        der(x[i]) = i*x[i-1];
      end for;
    end M;""")
    result = sim.simulate(2.0, tolerance=1e-9)
    assert [result[f"x[{k}]"][-1] for k in range(1, 7)] == pytest.approx([2.0**k for k in range(1, 7)], rel=1e-6)


def test_what_a_bus_declares_and_nothing_uses_is_not_there(written: Written) -> None:
    sim = written("""model M
      expandable connector Bus
        Real used;
        Real unused;
      end Bus;
      connector Output = output Real;
      connector Input = input Real;
      model Source
        Output y;
      equation
        y = 2*time;
      end Source;
      model Sink
        Input u;
      end Sink;
      Bus a, b;
      Source source;
      Sink sink;
    equation
      connect(source.y, a.used);
      connect(a, b);
      connect(b.used, sink.u);
    end M;""")
    result = sim.simulate(1.0)
    assert result["sink.u"][-1] == pytest.approx(2.0)
    assert "a.unused" not in result


def test_the_derivative_of_an_expression(written: Written) -> None:
    sim = written("""model M
      Real x(start = 1, fixed = true), y, z;
      parameter Real k = 3;
    equation
      der(x - k*time) = -x;
      y = der(x^2 + k);
      z = der( x );
    end M;""")
    result = sim.simulate(1.0, tolerance=1e-9)
    x = 3 - 2 * np.exp(-result.time)
    np.testing.assert_allclose(result["x"], x, rtol=1e-6)
    np.testing.assert_allclose(result["y"], 2 * x * (3 - x), rtol=1e-5)


def test_sizes_that_follow_from_parameters_which_could_change_are_those_of_now(written: Written) -> None:
    """``n`` follows ``f``, which keeps its value then; what has nothing to do with sizes stays changeable."""
    sim = written("""model M
      parameter Real f = 5.2, high = 2;
      final parameter Integer n = integer(ceil(f/2));
      Real x[n](start = zeros(n), each fixed = true), y[n] = fill(high, n), z[n] = linspace(0, high, n), e[n, n] = identity(n);
    equation
      der(x) = ones(n);
    end M;""")
    result = sim.simulate(1.0, merge=Map(high=3.0))
    assert [result[f"{name}[3]"][-1] for name in "xyz"] == pytest.approx([1.0, 3.0, 3.0])
    assert (result["e[2,2]"][-1], result["e[2,3]"][-1]) == (1, 0)
    with pytest.raises(ModelError, match="f"):
        sim.simulate(1.0, merge=Map(f=7.0))


def test_sums_and_maxima_of_thousands_of_elements_are_read(written: Written) -> None:
    sim = written("""model M
      Real x[2000] = {time*k for k in 1:2000};
      Real total = sum(x), most = max(x), least = min(x);
    end M;""")
    result = sim.simulate(1.0)
    assert (result["total"][-1], result["most"][-1], result["least"][-1]) == pytest.approx((2001000.0, 2000.0, 1.0))


def test_flows_of_connectors_that_are_vectors_add_up_by_element(written: Written) -> None:
    result = written("""
        model M
          connector C Real v[3]; flow Real f[3]; end C;
          model P C c; parameter Real k[3]; equation c.f = k .* c.v; end P;
          model S C c; equation c.v = {time, 2, 3*time}; end S;
          S s; P p[2](k = {{1, 2, 3}, {4, 5, 6}});
        equation
          connect(s.c, p[1].c); connect(p[2].c, s.c);
        end M;""").simulate(1.0)
    assert [result[f"s.c.f[{k}]"][-1] for k in (1, 2, 3)] == pytest.approx([-5.0, -14.0, -27.0])
