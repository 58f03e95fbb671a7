"""Functions come to the compiler so that it can go on with them: sizes that they compute, their effects, external bodies."""

from pathlib import Path

import pytest

from modiapy import ModelError
from modiapy.modelica.frontend.rewrites import external_arguments, purity
from modiapy.modelica.frontend.rumoca_front_end import RumocaFrontEnd

from .test_rewrites import flatten, kinds

pytestmark = pytest.mark.white_box

pytest.importorskip("rumoca")

SAMPLES = """
function samples "the smallest even number that 2 and 3 divide to 1, from f/r on"
  input Real f; input Real r; input Integer factor = 1;
  output Integer n;
protected
  Integer rest;
algorithm
  assert(r > 0, "r must be positive; (really)");
  n := 2*integer(ceil(f*factor/r));
  while true loop
    rest := n;
    while mod(rest, 2) == 0 loop rest := div(rest, 2); end while;
    while mod(rest, 3) == 0 loop rest := div(rest, 3); end while;
    if rest <= 1 then
      break;
    end if;
    n := n + 2;
  end while;
end samples;
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))


def test_sizes_that_a_function_computes_in_loops(tmp_path: Path) -> None:
    model = """
model Filter
  parameter Real f, r;
  parameter Integer n = samples(f, r, factor=2) "number of them";
  parameter Integer half = div(n, 2);
  Real x[n](each start=1, each fixed=true), y[half](each start=2, each fixed=true);
equation
  der(x) = -x;
  der(y) = -y;
end Filter;
model M
  Filter a(f=5, r=2), b(f=16, r=4), c(n=4, f=1, r=1);
end M;
"""
    flat = flatten(tmp_path, SAMPLES + model)
    variables = flat.trees["variables"]
    assert [variables[f"{name}.x"]["dims"] for name in "abc"] == [[12], [16], [4]]  # 10 and 16 are next to 12 and 16
    assert [variables[f"{name}.y"]["dims"] for name in "abc"] == [[6], [8], [2]]
    assert variables["a.n"]["binding"]["Literal"]["value"] == {"Integer": 12}
    assert not any("modia" in name for name in variables)
    assert flat.places.of(variables["a.x"]["source_span"]).line == 25  # type: ignore[union-attr]


def test_a_function_that_computes_a_size_is_called_at_run_time_too(tmp_path: Path) -> None:
    count = (
        "function count input Real f; output Integer n; algorithm n := 0; while n < f loop n := n + 1; end while; end count;"
    )
    flat = flatten(tmp_path, count + " model M Integer k = count(10*time); end M;")
    assert kinds(flat.trees["functions"]["count"]["body"]) == ["Assignment", "While"]


def test_a_size_that_stays_unknown_is_told_where_it_is(tmp_path: Path) -> None:
    text = SAMPLES + "model M\n parameter Integer n = samples(time, 1);\n Real x[n];\nequation x = zeros(n); end M;"
    file = tmp_path / "m.mo"
    file.write_text(text)
    with pytest.raises(ModelError, match="dimension") as caught:
        RumocaFrontEnd().flatten("M", file, {})
    assert caught.value.line is not None


def test_effects_of_functions_say_nothing(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
impure function print input String s; external "C" print(s); end print;
function loud
  input Real u;
  output Real y;
algorithm
  y := 2*u;
  if y > 3 then
    print("large; " + String(y));
  elseif y > 2 then
  else
    // nothing
  end if;
  print("done");
end loud;
function text input Real u; output Real y; protected String s; algorithm
  s := if u > 0 then "a" else "b"; y := if s == "a" then u else 2; end text;
model M
  Real x = loud(time);
end M;
""",
    )
    body = flat.trees["functions"]["loud"]["body"]
    assert kinds(body) == ["Assignment", "If"]
    assert [kinds(block["stmts"]) for block in body[1]["If"]["cond_blocks"]] == [[], []]
    assert flat.trees["functions"]["loud"]["locals"] == []
    texts = 'function f algorithm s := if c then "a" else "b"; end f;'
    assert purity.rewrite(texts) == texts


def test_external_bodies_get_no_local_arrays() -> None:
    text = """function f input Real u[:]; output Real y; protected
      Real work[2*size(u,1) + (1)]; Integer n=3;
      external "C" y = f(u, size(u, 1), work,
        size(work, 1)) annotation(Library="x"); end f;"""
    new = external_arguments.rewrite(text)
    assert "y = f(u, size(u, 1)\n) annotation" in new
    whole = 'function g input Real u; output Real y; external "C" y = g(u); end g;'
    assert external_arguments.rewrite(whole) == whole


def test_a_call_without_results_in_a_model_changes_nothing(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
function store input Real x[:]; output Boolean done; algorithm done := sum(x) > 0; end store;
model M
  Integer n(start=0, fixed=true);
  Real a[2](each start=0, each fixed=true);
algorithm
  when sample(0, 1) then
    n := pre(n) + 1;
    a[n] := time;
    store(a);
  end when;
end M;
""",
    )
    (section,) = flat.trees["algorithms"]
    (block,) = section["statements"][0]["When"]["blocks"]
    assert kinds(block["stmts"]) == ["Assignment", "Assignment", "Empty"]
