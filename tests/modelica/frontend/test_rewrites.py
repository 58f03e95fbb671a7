"""What the compiler refuses comes through as it was written: the flat trees are those of the original, and so are its lines."""

from pathlib import Path
from typing import Any

import pytest

from modiapy import ModelError
from modiapy.modelica.frontend.flat_source import FlatSource
from modiapy.modelica.frontend.rewrites import own_base, veiled_statements
from modiapy.modelica.frontend.rewrites.rules import rewritten
from modiapy.modelica.frontend.rumoca_front_end import RumocaFrontEnd

pytestmark = pytest.mark.white_box

pytest.importorskip("rumoca")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))


def flatten(folder: Path, text: str) -> FlatSource:
    file = folder / "m.mo"
    file.write_text(text)
    return RumocaFrontEnd().flatten("M", file, {})


def kinds(statements: list[dict[str, Any]]) -> list[str]:
    return [next(iter(statement)) for statement in statements]


def test_loops_with_conditions_and_returns_are_kept(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
function first "while, return and break in a comment"
  input Real x[:];
  output Integer k;
protected
  Integer found;
algorithm
  k := 0;
  while k < size(x, 1) loop
    k := k + 1;
    if x[k] > 1 then
      found := k;
      return;
    else
      found := -k;
      break;
    end if;
  end while;
  k := -1;
end first;
model M
  Real x[2] = {time, 2*time};
  Integer k = first(x);
end M;
""",
    )
    function = flat.trees["functions"]["first"]
    assert kinds(function["body"]) == ["Assignment", "While", "Assignment"]
    loop = function["body"][1]["While"]["block"]
    assert next(iter(loop["cond"])) == "Binary"
    assert kinds(loop["stmts"]) == ["Assignment", "If"]
    branches = loop["stmts"][1]["If"]
    assert kinds(branches["cond_blocks"][0]["stmts"]) == ["Assignment", "Return"]
    assert kinds(branches["else_block"]) == ["Assignment", "Break"]
    assert [entry["name"] for entry in function["locals"]] == ["found"]


def test_a_function_within_a_function_is_rewritten_too(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
function around
  input Real u;
  output Real y;
  function nested
    input Real u;
    output Real y;
  algorithm
    y := u;
    while y < 1 loop
      y := y + 0.25;
    end while;
  end nested;
algorithm
  y := nested(u);
end around;
model M
  Real y = around(time);
end M;
""",
    )
    assert kinds(flat.trees["functions"]["around.nested"]["body"]) == ["Assignment", "While"]
    assert kinds(flat.trees["functions"]["around"]["body"]) == ["Assignment"]


CHOSEN = """
function third
  input Real x[:];
  output Boolean found;
protected
  Integer k;
algorithm
  found := false;
  k := 0;
  while k < size(x, 1) loop
    k := k + 1;
    if x[k] > 2.5 then
      found := true;
    end if;
  end while;
end third;
model M
  parameter Real x[3] = {1, 2, 3};
  Boolean b = third(x);
  Real y;
equation
  if b then
    y = 1;
  else
    y = time;
  end if;
end M;
"""


def test_the_compiler_does_not_choose_branches_by_what_it_was_given_instead(tmp_path: Path) -> None:
    """It took the branch without: its loop runs once."""
    flat = flatten(tmp_path, CHOSEN)
    assert set(flat.trees["functions"]) == {"third"}
    sides = [equation["residual"]["Binary"]["rhs"] for equation in flat.trees["equations"]]
    assert any("If" in side for side in sides)


TABLE = """
function getTable1DValue
  input Real table[:, 2];
  input Integer column;
  input Real u;
  output Real y;
algorithm
  y := table[1, 1] + table[1, 2]*u;
end getTable1DValue;
model M
  parameter Real table[:, 2] = [0, 0.5];
  parameter Boolean inverse = false;
  final parameter Real mu0 =
    if inverse then -getTable1DValue(table, 1, 0)
    else getTable1DValue(table, 1, 0)
    "Friction coefficient";
  parameter Real mu1(unit="1") = getTable1DValue(table, 1, 1);
  parameter Real free(fixed=false);
  Real y = mu0*time;
initial equation
  free = mu0;
end M;
"""


def test_parameters_looked_up_in_tables_have_bindings(tmp_path: Path) -> None:
    flat = flatten(tmp_path, TABLE)
    variables = flat.trees["variables"]
    assert next(iter(variables["mu0"]["binding"])) == "If"
    assert variables["mu0"]["fixed"] is None
    assert "FunctionCall" in variables["mu1"]["binding"]
    assert flat.trees["variable_final_flags"].get("mu0") is True
    assert not flat.trees["variable_final_flags"].get("mu1")
    assert variables["free"]["fixed"] == [False]
    assert len(flat.trees["initial_equations"]) == 1  # that of the class
    assert str(flat.places.of(variables["y"]["source_span"])).endswith("m.mo:19:3")


OWN_BASE = """
model M
  extends Base;
  Real v;
  encapsulated partial model Base "what is declared within"
    parameter Real k = 2;
    Real s(start=1, fixed=true);
    Integer mode;
  equation
    mode = if s > 0.5 then 1 else 0;
    annotation (Documentation(info="<html>end Base;
    </html>"));
  end Base;
equation
  der(s) = -k*v;
  v = s;
end M;
"""


def test_a_model_may_extend_a_class_within_itself(tmp_path: Path) -> None:
    flat = flatten(tmp_path, OWN_BASE)
    assert set(flat.trees["variables"]) == {"v", "k", "s", "mode"}
    assert len(flat.trees["equations"]) == 3
    assert own_base.rewrite(OWN_BASE).count("Base") == 0


@pytest.mark.parametrize("text", [TABLE, OWN_BASE])
def test_lines_stay_where_they_are(text: str) -> None:
    new = rewritten(text.encode()).decode()
    assert new != text
    assert new.count("\n") == text.count("\n")
    assert new.splitlines()[-2] == text.splitlines()[-2]


def test_texts_without_such_things_stay_as_they_are() -> None:
    text = "model M\n  Real x; // while loop return\n  parameter Real getTable = 3;\nequation\n  der(x) = -x;\nend M;\n"
    assert rewritten(text.encode()) == text.encode()


def test_both_branches_of_the_gear_with_losses_are_loops(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
model M
  Real interpolation_result[1, 4];
  Boolean ideal = time > 1;
equation
  if ideal then
    interpolation_result = [1, 1, 0, 0];
  else
    for i in 1:size(interpolation_result, 2) loop
      interpolation_result[1, i] = i*time;
    end for;
  end if;
end M;
""",
    )
    chosen = [equation for equation in flat.trees["equations"] if "'If'" in str(equation["residual"])]
    assert sum(equation["scalar_count"] for equation in chosen) == 4


def test_sizes_that_a_function_declares_need_no_value(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
function fill_up
  input Integer n;
  input Real u[:];
  output Real[n] s;
  output Real m[2, n + 1];
algorithm
  for i in 1:n loop s[i] := i + size(u, 1); end for;
  for k in 1:2 loop for i in 1:n + 1 loop m[k, i] := k; end for; end for;
end fill_up;
function g
  input Real u;
  output Real y;
protected
  Real a[3] "a[5]";
  Real b[2, 4];
algorithm
  (a, b) := fill_up(size(a, 1), {u, u, size(b, 2)});
  y := sum(a) + b[2, 1] + size(b, 2);
end g;
model M
  Real y = g(time);
end M;
""",
    )
    from modiapy import instantiate
    from modiapy.modelica.reader.read import read

    result = instantiate(read(flat)).simulate(1.0)
    assert result["y"][-1] == (1 + 3) + (2 + 3) + (3 + 3) + 2 + 4


def test_names_of_instances_begin_with_the_simulated_class(tmp_path: Path) -> None:
    flat = flatten(
        tmp_path,
        """
model M
  function is
    input String name;
    output Real y;
  algorithm
    y := if name == "M.b" then 1 else 2;
  end is;
  block B
    parameter Real x(fixed = false);
  initial equation
    x = is(getInstanceName());
  end B;
  B b;
end M;
""",
    )
    assert "'M.b'" in str(flat.trees["initial_equations"])
    assert "ModiaFlattened" not in str(flat.trees["initial_equations"])


_LOOPED = """
model M
  discrete Real x[2];
algorithm
  when time > 0.5 then
    for i in 1:2 loop
      x[i] := i;
      x[i] := x[i] + 1;
    end for;
  end when;
end M;
"""


def test_algorithms_that_the_compiler_refuses_come_through_as_statements(tmp_path: Path) -> None:
    flat = flatten(tmp_path, _LOOPED)
    (section,) = flat.trees["algorithms"]
    assert section["origin"].strip() == "algorithm from"
    ((kind, when),) = section["statements"][0].items()
    assert kind == "When"
    assert kinds(when["blocks"][0]["stmts"]) == ["Assignment"] * 4
    assert list(flat.trees["variables"]) == ["x"]
    assert not flat.trees["assert_equations"]
    assert not flat.trees["when_chains"]


def test_a_statement_that_got_lost_is_noticed() -> None:
    def veiled(place: str, content: dict[str, Any]) -> dict[str, Any]:
        section = {"VarRef": {"name": {"name": "modia_algorithm_1"}, "span": None}}
        sides = [{"BuiltinCall": {"function": "Size", "args": [{"Array": {"elements": [e]}}]}} for e in (content, section)]
        condition = {"Binary": {"op": "Eq", "lhs": sides[0], "rhs": sides[1]}}
        return {"condition": condition, "message": {"Literal": {"value": {"String": f"modia_algorithm_{place}"}}}, "span": None}

    lists = ("initial_assert_equations", "when_chains", "algorithms", "initial_algorithms", "equations")
    trees: dict[str, Any] = {
        "variables": {"modia_algorithm_1": {}}, "variable_type_names": {}, "variable_final_flags": {}, **{n: [] for n in lists}
    }  # fmt: skip
    true = {"Literal": {"value": {"Boolean": True}, "span": None}}
    with pytest.raises(ModelError, match=r"left out statements.*2of2"):
        veiled_statements.restore({**trees, "assert_equations": [veiled("1of2.break", true)]})
    condition = [veiled("1of1.if1.1of1.break", true)]
    with pytest.raises(ModelError, match="left out the condition"):
        veiled_statements.restore({**trees, "assert_equations": condition})


def test_sections_with_other_statements_stay() -> None:
    loop = b"model M Integer k; algorithm k := 0; while k < 3 loop k := k + 1; end while; end M;"
    assert rewritten(loop, 2) == loop
    section = b'algorithm x := 2; terminate("x");'
    connections = b"equation connect(a[1], b); if time > 1 then connect(a[3], b); connect(a[2], b); end if;"
    call = b"model M Real x; " + section + connections + b" end M;"
    veiled = rewritten(call, 2).decode()
    assert "algorithm x := 2;" in veiled
    assert "connect(a[1], b)" not in veiled
    assert "connect(a[2], b)" in veiled
