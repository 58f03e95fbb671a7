"""Records and arrays of ``outer`` components keep their meaning, in equations and as arguments; so do those of subtypes."""

from pathlib import Path

import pytest

from modiapy import SimulationModel, instantiate
from modiapy.modelica.frontend.libraries import find_libraries
from modiapy.modelica.frontend.rumoca_front_end import RumocaFrontEnd

pytestmark = pytest.mark.white_box

pytest.importorskip("rumoca")

_LIBRARY = """
package L
  import Short = L.Types;
  package Types
    type Length = Real(unit = "m");
    record Pose
      Real T[2, 2];
      Real w;
    end Pose;
    package Others
      type Pose = Real[2];
    end Others;
  end Types;
  function turned
    input Types.Pose pose;
    input Real v[2];
    output Real y[2];
  algorithm
    y := transpose(pose.T)*v;
  end turned;
  model World "where things are"
    parameter Real factors[2] = {2, 3};
    Short.Pose pose;
    Short.Length[2] g "its description; with a semicolon";
  equation
    pose.T = [0, 1; -1, 0];
    pose.w = 5;
    g = {1, time};
  end World;
  model Other
    extends World;
    Real more = 7;
  end Other;
  partial model Base
    outer L.World world "where it is";
  end Base;
  partial model Between
    extends L.Base;
  end Between;
  model Part
    extends Between;
    parameter Real scale = 2*world.factors[2];
    Real r[2] = turned(world.pose, {1, time});
    Real a[2];
    Real b;
    Real c[2];
  equation
    if scale > 1 then
      a = scale*world.g;
    else
      a = zeros(2);
    end if;
    b = world.g[2] + world.pose.T[1, 2] + world.pose.w;
    for i in 1:2 loop
      c[i] = world.g[i]*world.factors[i];
    end for;
  end Part;
  model M
    inner World world(factors = {4, 5});
    Part part;
    Part[2] parts;
  end M;
  model Subtype
    inner Other world;
    Part part;
    Real whole[2] = world.g;
  end Subtype;
end L;
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))


def _model(folder: Path, name: str) -> SimulationModel:
    from modiapy.modelica import load_file

    file = folder / "L.mo"
    file.write_text(_LIBRARY, encoding="utf-8")
    return instantiate(load_file(file, f"L.{name}", libraries=[]))


def test_members_of_outer_components(tmp_path: Path) -> None:
    result = _model(tmp_path, "M").simulate(2.0)
    for part in ("part", "parts[1]", "parts[2]"):
        values = {name: result[f"{part}.{name}"][-1] for name in ("r[1]", "r[2]", "a[1]", "a[2]", "b", "c[1]", "c[2]")}
        wanted = {"r[1]": -2.0, "r[2]": 1.0, "a[1]": 10.0, "a[2]": 20.0, "b": 8.0, "c[1]": 4.0, "c[2]": 10.0}
        assert values == pytest.approx(wanted), part
    assert not [name for name in result if "modia_" in name]


def test_an_inner_component_of_a_subtype(tmp_path: Path) -> None:
    result = _model(tmp_path, "Subtype").simulate(2.0)
    assert (result["part.a[2]"][-1], result["part.c[2]"][-1]) == pytest.approx((12.0, 6.0))
    assert (result["whole[2]"][-1], result["world.more"][-1]) == pytest.approx((2.0, 7.0))


def test_places_are_those_of_the_original(tmp_path: Path) -> None:
    """What is read again from the cache, too."""
    file = tmp_path / "L.mo"
    file.write_text(_LIBRARY, encoding="utf-8")
    line = _LIBRARY[: _LIBRARY.index("if scale > 1")].count("\n") + 1
    for _ in range(2):
        source = RumocaFrontEnd().flatten("L.M", file, find_libraries([]))
        places = {str(source.places.of(equation["span"])).split(":")[1] for equation in source.trees["equations"]}
        assert str(line) in places
        quoted = {source.places.quoted(equation["span"]) for equation in source.trees["equations"]}
        assert "b = world.g[2] + world.pose.T[1, 2] + world.pose.w" in quoted
