"""Functions whose number of repetitions is known only while they run are differentiated by what their annotations name.

The sum of x^k/k for k up to n is differentiated to the sum of x^(k-1) x'. An annotated function that gives a multiple of
that shows that it is what is called.
"""

import pytest

from modiapy import ModelError

from .conftest import Written

SUM = """function total
    input Real x;
    input Real n;
    output Real y;
  protected
    Real k;
  algorithm
    y := 0;
    k := 1;
    while k <= n loop
      y := y + x^k/k;
      k := k + 1;
    end while;
    annotation({annotation});
  end total;"""


def rate(name: str, inputs: str, factor: str, annotation: str = "", n: str = "n") -> str:
    """A function that returns ``factor`` times the sum of x^(k-1)."""
    return f"""function {name}
    input Real x;
    input Real {n};
    {inputs}
    output Real r;
  protected
    Real k;
  algorithm
    r := 0;
    k := 1;
    while k <= {n} loop
      r := r + x^(k - 1)*({factor});
      k := k + 1;
    end while;
    annotation({annotation});
  end {name};"""


def model(*functions: str, declarations: str = "parameter Real n = 3; Real y; Real v;", equations: str) -> str:
    return f"""model M
      {" ".join(functions)}
      {declarations}
      Real x(start = 0.5, fixed = true);
    equation
      {equations}
    end M;"""


def prescribed(*functions: str) -> str:
    """The position of a point is prescribed: its acceleration needs the derivative of the derivative."""
    declarations = "parameter Real n = 3; Real y; Real v; Real a; Real w(start = 0, fixed = true);"
    return model(
        *functions, declarations=declarations, equations="der(x) = w; der(w) = 8; y = total(x, n); v = der(y); a = der(v);"
    )


ONE = "der(x) = 2; y = total(x, n); v = der(y);"


def test_the_derivative_is_the_function_that_the_annotation_names(written: Written) -> None:
    functions = (
        SUM.format(annotation="derivative(zeroDerivative = n) = total_der"),
        rate("total_der", "input Real x_der;", "10*x_der"),
    )
    result = written(model(*functions, equations=ONE)).simulate(0.25)
    assert result["y"][-1] == pytest.approx(1 + 1 / 2 + 1 / 3)
    assert result["v"][-1] == pytest.approx(10 * 3 * 2.0)


def test_the_first_annotation_that_holds_is_taken(written: Written) -> None:
    """One for an n that does not change, and one for any n, whose derivative it gets."""
    annotation = "derivative(zeroDerivative = n) = of_x, derivative = of_both"
    functions = (
        SUM.format(annotation=annotation),
        rate("of_x", "input Real x_der;", "x_der"),
        rate("of_both", "input Real x_der; input Real n_der;", "x_der + 100*n_der"),
    )
    assert written(model(*functions, equations=ONE)).simulate(0.25)["v"][-1] == pytest.approx(3 * 2.0)
    changing = model(*functions, declarations="Real n; Real y; Real v;", equations=f"n = 3 + time; {ONE}")
    assert written(changing).simulate(0.25)["v"][-1] == pytest.approx(3 * (2.0 + 100.0))


def test_without_an_annotation_that_holds_it_is_refused_by_name(written: Written) -> None:
    functions = SUM.format(annotation="derivative(zeroDerivative = n) = of_x"), rate("of_x", "input Real x_der;", "x_der")
    changing = model(*functions, declarations="Real n; Real y; Real v;", equations=f"n = 3 + time; {ONE}")
    with pytest.raises(ModelError, match=r"'total\(x, n\)' cannot be differentiated"):
        written(changing)


def test_arguments_that_are_derivatives_of_others_give_none(written: Written) -> None:
    """noDerivative: w is the derivative of x already."""
    total = SUM.replace("input Real n;", "input Real n; input Real w;").format(
        annotation="derivative(zeroDerivative = n, noDerivative = w) = total_der"
    )
    total_der = rate("total_der", "input Real w; input Real x_der;", "x_der + 0.5*w")
    equations = "w = 2; der(x) = w; y = total(x, n, w); v = der(y);"
    text = model(total, total_der, declarations="parameter Real n = 3; Real y; Real v; Real w;", equations=equations)
    assert written(text).simulate(0.25)["v"][-1] == pytest.approx(3 * (2.0 + 1.0))


def test_a_derivative_of_all_inputs_of_the_derivative_is_followed(written: Written) -> None:
    functions = (
        SUM.format(annotation="derivative(zeroDerivative = n) = total_der"),
        rate("total_der", "input Real u;", "u", "derivative(zeroDerivative = n) = total_der_der"),
        rate("total_der_der", "input Real u; input Real x_der; input Real u_der;", "1000*u_der + 7*u*x_der"),
    )
    result = written(prescribed(*functions)).simulate(0.25)
    x, w = result["x"][-1], result["w"][-1]
    sum_of_powers = 1 + x + x**2
    assert w == pytest.approx(2.0)
    assert result["v"][-1] == pytest.approx(sum_of_powers * w)
    assert result["a"][-1] == pytest.approx(sum_of_powers * (7 * w**2 + 8))  # the part of w' is that of total_der itself


def test_annotations_of_order_two_are_not_taken_for_what_they_are_not(written: Written) -> None:
    functions = (
        SUM.format(annotation="derivative(zeroDerivative = n) = total_der"),
        rate("total_der", "input Real u;", "u", "derivative(order = 2, zeroDerivative = n) = total_der2"),
        rate("total_der2", "input Real u; input Real u_der;", "u_der + u^2"),
    )
    with pytest.raises(ModelError, match=r"total.*cannot be differentiated"):
        written(prescribed(*functions))


def test_vectors_are_followed_element_by_element(written: Written) -> None:
    functions = """function weighted
        input Real x[2];
        input Real n;
        input Real s;
        output Real y[2];
      protected
        Real k;
      algorithm
        y := {s, s};
        k := 1;
        while k <= n loop
          y := y + k*x;
          k := k + 1;
        end while;
        annotation(derivative(zeroDerivative = n) = weighted_der);
      end weighted;
      function weighted_der
        input Real x[2];
        input Real n;
        input Real s;
        input Real x_der[2];
        input Real s_der;
        output Real r[2];
      protected
        Real k;
      algorithm
        r := {s_der, 100*s_der};
        k := 1;
        while k <= n loop
          r := r + k*{x_der[1], 10*x_der[2]};
          k := k + 1;
        end while;
      end weighted_der;"""
    declarations = "parameter Real n = 3; Real y[2]; Real v[2];"
    equations = "der(x) = 2; y = weighted({x, 3*x}, n, time); v = der(y);"
    result = written(model(functions, declarations=declarations, equations=equations)).simulate(0.25)
    assert [result[f"v[{k}]"][-1] for k in (1, 2)] == pytest.approx([6 * 2.0 + 1, 6 * 10 * 6.0 + 100])
