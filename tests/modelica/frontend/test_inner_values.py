"""What an ``inner`` component is given counts where an ``outer`` one stands in conditions."""

from pathlib import Path

import pytest

from modiapy import SimulationModel, instantiate

pytest.importorskip("rumoca")

_PARTS = """
type Begin = enumeration(Free, Fixed, Steady);
model Settings
  parameter Begin begin
    = Begin.Free "how; it = begins" annotation(Dialog(group = "x"));
  parameter Boolean rises(start = true) = false;
  parameter Integer n = 1 "number";
end Settings;
model Optional
  Real y = 7;
end Optional;
model Part
  outer Settings settings;
  parameter Begin begin = settings.begin;
  Real x(start = 1);
  Optional optional if settings.rises;
equation
  if settings.rises then
    der(x) = settings.n;
  end if;
  if not settings.rises then
    der(x) = -settings.n;
  end if;
initial equation
  if begin == Begin.Fixed then
    x = 3;
  elseif begin == Begin.Steady then
    der(x) = 0;
  end if;
end Part;
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))


def _model(folder: Path, declared: str) -> SimulationModel:
    from modiapy.modelica import load_file

    file = folder / "m.mo"
    file.write_text(f"{_PARTS}model M\n{declared}\nend M;\n", encoding="utf-8")
    return instantiate(load_file(file, "M", libraries=[]))


@pytest.mark.parametrize(
    ("given", "begin", "end"),
    [
        ("", 1.0, -1.0),
        ("(rises = true)", 1.0, 3.0),
        ("(begin = Begin.Fixed)", 3.0, 1.0),
        ("(begin = Begin.Fixed, rises = true, n = 2)", 3.0, 7.0),
    ],
)
def test_branches_are_those_of_the_inner_component(tmp_path: Path, given: str, begin: float, end: float) -> None:
    result = _model(tmp_path, f"inner Settings settings{given};\nPart part;").simulate(2.0)
    assert (result["part.x"][0], result["part.x"][-1]) == pytest.approx((begin, end))
    assert ("part.optional.y" in result) == ("rises" in given)


def test_a_component_beside_it_keeps_its_defaults(tmp_path: Path) -> None:
    result = _model(tmp_path, "inner Settings settings(n = 2);\nSettings other;\nPart part;\nReal y = other.n;").simulate(1.0)
    assert result["y"][-1] == 1
    assert result["part.x"][-1] == pytest.approx(-1.0)
