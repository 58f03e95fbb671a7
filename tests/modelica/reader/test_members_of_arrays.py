"""Members of arrays of components, and constructors with several iterators: right, or refused by name and line."""

import pytest

from modiapy import ModelError

from .conftest import Written

PARTS = """
model V
  parameter Real v[2] = {30, 40};
  parameter Real k0 = 3;
  parameter Real k = 2*k0;
  parameter Integer n = 2;
  Real z[2](start = v, each fixed = true);
  Real m[2, 2] = {{1, 2}, {3, 4}}*k0;
equation
  der(z) = {1, 2};
end V;
model C
  V q[2](v = {{1, 2}, {3, 4}}, k0 = {1, 2});
end C;
connector Pin
  Real v;
  flow Real i;
end Pin;
model G
  Pin n[2];
equation
  n[1].v = 1;
  n[2].i = -3;
end G;
model L
  Pin n[2];
equation
  n[2].v = 5;
  n[1].i = 2;
end L;
"""
ONE = "V p[2](v = {{1, 2}, {3, 4}}, k0 = {1, 2});"
TWO = "V p[2, 2](k0 = {{1, 2}, {3, 4}});"


@pytest.mark.parametrize(
    ("declarations", "expression", "value"),
    [
        (ONE, "sum(p.v)*time", 10),
        (ONE, "sum(p.k)*time", 6),
        (ONE, "sum(p.v[:])*time", 10),
        (ONE, "sum(p.v[2:2])*time", 6),
        (ONE, "sum(p[:].v[2])*time", 6),
        (ONE, "sum(p[2:2].v[1])*time", 3),
        (ONE, "p[:].v[2]*{1, 10}*time", 42),
        (ONE, "max(p[:].z[1])", 4),
        (ONE, "product(p[1:2].z[2])", 24),
        (ONE, "sum(p.m[:, 1])", 12),
        (ONE, "sum(p.m[1, 2:2])", 6),
        (ONE, "sum({p[i].v[2] for i in 1:2})*time", 6),
        (ONE, "sum(p[1].v[1:2])*time", 3),
        (TWO, "p[1, 2].k*time", 4),
        ("C c;", "sum(c.q[:].v[2])*time", 6),
        ("C c[2];", "sum(c[1].q.k0)*time", 3),
        ("parameter Real a[:] = {1, 0};", "a*({10*i + time*j for i in 1:2, j in 1:2}*{0, 1})", 21),
        ("", "time*sum(10*i + j for i in 1:3, j in 1:2)", 129),
    ],
)
def test_what_is_read_is_right(written: Written, declarations: str, expression: str, value: float) -> None:
    result = written(f"{PARTS} model M {declarations} Real y = {expression}; end M;").simulate(1.0)
    assert result["y"][-1] == pytest.approx(value)


@pytest.mark.parametrize(
    ("declarations", "equations", "form"),
    [
        (ONE, "Real y = sum(p.v[2])*time;", "p.v"),
        (ONE, "Real y = time*max(p.z[1]);", "p.z"),
        (ONE, "Real y = product(p.v[2])*time;", "p.v"),
        (ONE, "Real y = time*(p.v[2]*{1, 10});", "p.v"),
        (ONE, "parameter Real y = sum(p.v[2]);", "p.v"),
        (ONE, "Real y(start = sum(p.v[2]), fixed = true); equation der(y) = 0;", "p.v"),
        (ONE, "Real y; equation der(y) = p.v[1]*{1, 1};", "p.v"),
        (ONE, "Real y; algorithm y := time*sum(p.v[2]);", "p.v"),
        (ONE, "discrete Real y; equation when time > 0.5 then y = sum(p.z[2]); end when;", "p.z"),
        (ONE, 'Real y = time; equation assert(sum(p.v[2]) > 6.5, "six");', "p.v"),
        (TWO, "Real y = sum(p.k0)*time;", "p.k0"),
        (TWO, "Real y = min(p.k)*time;", "p.k"),
        (TWO, "Real y = time*sum(p.n);", "p.n"),
        (TWO, "Real y; equation der(y) = sum(p.v);", "p.v"),
        ("C c;", "Real y = time*sum(c.q.v[2]);", "c.q.v"),
        ("C c[2];", "Real y = time*sum(c[1].q.v[2]);", "c[1].q.v"),
        ("C c[2];", "Real y = if sum(c.q.k0) > 5 then time else 0;", "c.q.k0"),
        ("C c[2];", "Real y = sum(c.q.k0)*time;", "c.q.k0"),
        ("G g[2]; L l[2];", "equation connect(g.n[2], l.n[2]); connect(g.n[1], l.n[1]);", "g.n[2]"),
    ],
)
def test_what_the_compiler_reads_wrongly_is_refused_by_name_and_line(
    written: Written, declarations: str, equations: str, form: str
) -> None:
    with pytest.raises(ModelError, match="member of several components at once") as error:
        written(f"{PARTS}model M\n{declarations}\n{equations}\nend M;")
    line = PARTS.count("\n") + 3
    assert f"'{form}'" in str(error.value)
    assert f"m.mo:{line}:" in str(error.value)


def test_connections_of_another_class_of_the_file_do_not_count(written: Written) -> None:
    other = "model N G g[2]; L l[2]; equation connect(g.n[2], l.n[2]); end N;"
    for connections in (
        "connect(g.n, l.n);",
        "for i in 1:2 loop connect(g[i].n[2], l[i].n[2]); connect(g[i].n[1], l[i].n[1]); end for;",
    ):
        text = f"{PARTS} {other} model M G g[2]; L l[2]; Real y = g[2].n[2].v*time; equation {connections} end M;"
        assert written(text).simulate(1.0)["y"][-1] == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("H := {10*i + x*j for i in 1:2, j in 1:2}; y := H[1, 2];", 21),
        ("H := array(10*i + x*j for i in 1:2, j in 1:2); y := H[1, 2];", 21),
        ("H := {{10*i + x*j for i in 1:2} for j in 1:2}; y := H[1, 2];", 21),
        ("while k < n loop H := {10*i + x*j for i in 1:2, j in 1:2}; k := k + 1; end while; y := H[1, 2];", 21),
        ("B := {100*i + 10*j + x*l for i in 1:2, j in 1:2, l in 1:2}; y := B[1, 1, 2];", 211),
        ("for i in 1:2, j in 1:2 loop H[j, i] := 10*i + x*j; end for; y := H[1, 2];", 21),
    ],
)
def test_the_first_of_several_iterators_is_the_last_dimension(written: Written, statement: str, value: float) -> None:
    """``{e for i in a, j in b}`` is ``{{e for i in a} for j in b}`` (Modelica Language Specification 3.6, 10.4.1)."""
    result = written(
        f"""function f
          input Real x;
          input Integer n;
          output Real y;
        protected
          Real H[2, 2];
          Real B[2, 2, 2];
          Integer k = 0;
        algorithm
          {statement}
        end f;
        model M
          Real y = f(1 + 0*time, integer(2 + time));
        end M;"""
    ).simulate(0.5)
    assert result["y"][-1] == value
