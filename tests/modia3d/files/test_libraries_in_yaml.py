"""Libraries in scenarios: all that there are, each by its own name; no proposal leads from one to another."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.list import known_names
from modia3d.files import read_scenario, registry
from modia3d.files.schema import scenario_schema
from modiapy import ModiaError, library
from modiapy.library import functions_in, library_names, models_in
from modiapy.model.errors import nearest

pytestmark = pytest.mark.white_box

SCENARIO = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
"""
END = "simulation: {stop_time: 1.0, interval: 0.1}\n"


def scenario(folder: Path, model: str) -> Path:
    file = folder / "libraries.yaml"
    file.write_text(SCENARIO + model + END)
    return file


def refusal(folder: Path, call: str) -> str:
    with pytest.raises(ModiaError) as caught:
        read_scenario(scenario(folder, f"  part: {call}\n"))
    return str(caught.value)


ROD = """  cold: {{{source}: {{T: {T}}}}}
  rod: {{insulated_rod.InsulatedRod: {{length: 0.1, n: 4}}}}
  end: {{heat_transfer.FixedTemperature: {{T: 400}}}}
  connect: [[cold.port, rod.port_a], [rod.port_b, end.port]]
"""


def test_a_temperature_in_degrees_is_in_degrees(tmp_path: Path) -> None:
    """25 degC are 298.15 K, and the rod's end is at that temperature."""
    first = read_scenario(scenario(tmp_path, ROD.format(source="celsius.FixedTemperature", T=25)))
    result = first.instantiate().simulate(1.0)
    assert result["cold.port.T"] == pytest.approx(298.15)
    kelvin = read_scenario(scenario(tmp_path, ROD.format(source="FixedTemperature", T=298.15))).instantiate().simulate(1.0)
    np.testing.assert_array_equal(result["rod.port_a.Q_flow"], kelvin["rod.port_a.Q_flow"])


PHASES = """  source: {{electric.polyphase.SineVoltage: {{m: {m}, V: 10, f: 0.5}}}}
  load: {{electric.polyphase.Resistor: {{m: {m}, R: 2, resistor2: {{R: 5}}}}}}
  a: {{electric.polyphase.Star: {m}}}
  b: {{electric.polyphase.Star: {{m: {m}}}}}
  ground: {{electric.Ground: {{}}}}
  total: {{blocks.MultiSum: {{nu: 2, k: [1, -1]}}}}
  equations: ["total.u1 = load.resistor1.i", "total.u2 = load.resistor2.i"]
  connect: [[source.plug_p, load.plug_p], [source.plug_n, a.plug_p], [load.plug_n, b.plug_p], [a.pin_n, b.pin_n, ground.p]]
"""


@pytest.mark.parametrize("m", [3, 6])
def test_functions_of_libraries_have_their_arguments_and_what_is_merged(m: int, tmp_path: Path) -> None:
    """Ohm's law in each phase, of 2 and 5 Ohm; the phases lag behind the first as those of the library do."""
    result = read_scenario(scenario(tmp_path, PHASES.format(m=m))).instantiate().simulate(1.0, interval=0.1)
    first, second = (result[f"source.sine_voltage{k}.v"] for k in (1, 2))
    np.testing.assert_allclose(first, 10 * np.sin(np.pi * result.time), atol=1e-9)
    np.testing.assert_allclose(result["load.resistor1.i"], first / 2, atol=1e-12)
    np.testing.assert_allclose(result["load.resistor2.i"], second / 5, atol=1e-12)
    np.testing.assert_allclose(result["total.y"], first / 2 - second / 5, atol=1e-12)


def test_mistakes_in_arguments_of_functions(tmp_path: Path) -> None:
    for call, said in {
        "{electric.polyphase.Star: n}": "m of Star",
        "{electric.polyphase.Star: 301}": "up to 300",
        "{electric.M_OLine: {N: 300, lines: 300}}": "up to 300",
        "{blocks.RealFFT: {f_res: 1e-12}}": "a transform is too large",
        "{electric.polyphase.Resistor: {r: 1}}": "Did you mean 'R'?",
        "{blocks.CombiTimeTable: {}}": "the arguments of CombiTimeTable do not fit",
        "{blocks.Filter: {analog_filter: bessels}}": "bessel",
        "{blocks.MultiSum: [2, [1, 1], Real, 5]}": "too many arguments",
        "{blocks.MultiSum: 2.5}": "a block needs inputs",
        "{Star: {}}": "Write electric.polyphase.Star.",
    }.items():
        message = refusal(tmp_path, call)
        assert said in message, message
        assert "libraries.yaml:5" in message


def test_a_proposal_stays_in_the_library(tmp_path: Path) -> None:
    """Sisters of a temperature in K for one in degC: the same name, or one alike, of another library."""
    assert "heat_transfer" not in (message := refusal(tmp_path, "{celsius.Inductor: {}}"))
    assert "'modia3d list celsius'" in message
    assert "Did you mean 'celsius.FixedTemperature'?" in refusal(tmp_path, "{celsius.FixedTemperatur: {}}")
    assert "Did you mean 'celsius.FixedTemperature'?" in refusal(tmp_path, "{celcius.FixedTemperature: {}}")
    assert "Did you mean" not in refusal(tmp_path, "{fahrenheit.FixedTemperature: {T: 77}}")
    assert "Did you mean 'translational.Mass'?" in refusal(tmp_path, "{translational.Maas: {}}")
    assert "rotational" not in refusal(tmp_path, "{translational.IdealGearR2: {}}")
    assert "Did you mean" not in refusal(tmp_path, "{polyphase.Resistor: {}}")
    assert "Did you mean 'Modia3D.Aluminium'?" in nearest("Modia3D.Aluminum", ["Aluminium", "Modia3D.Aluminium"])
    assert nearest("Modia3D.Titanium", ["Titanium", "Modia3D.Steel"]) in ("", "Did you mean 'Modia3D.Steel'?")
    assert "arm2" not in nearest("arm1.gear.ratoi", ["arm1.gear.c", "arm2.gear.ratio"])
    assert nearest("arm.gear.ratoi", ["arm.gear.ratio", "leg.gear.ratoi"]) == "Did you mean 'arm.gear.ratio'?"


@pytest.mark.parametrize("own", library_names())
def test_what_is_proposed_for_a_name_of_a_library_is_of_that_library(own: str) -> None:
    """Whatever letter of whatever name is missing or doubled, no other library is proposed."""
    known = set(registry.constructors())
    names = (*models_in(own), *functions_in(own))
    found = 0
    for name in names:
        for misspelt in (name[:-1], name[0] + name, name[:2] + "x" + name[2:]):
            if f"{own}.{misspelt}" in known:
                continue
            said = registry.proposed(f"{own}.{misspelt}", known)
            proposals = re.findall(r"'([^' ]+)'", said)
            assert all(each.rpartition(".")[0] == own for each in proposals), said
            found += len(proposals)
    assert found >= len(names)


def test_a_library_has_its_own_models_only() -> None:
    """A library does not offer what it takes from another one under its own name."""
    owners: dict[int, set[str]] = {}
    for each in library_names():
        for model in models_in(each).values():
            owners.setdefault(id(model), set()).add(each)
    assert [libraries for libraries in owners.values() if len(libraries) > 1] == []


def test_all_names_are_known_everywhere() -> None:
    """What scenarios, the schema and the list know is what the libraries have."""
    names = {f"{each}.{name}" for each in library_names() for name in (*models_in(each), *functions_in(each))}
    assert names >= {"celsius.ToKelvin", "insulated_rod.InsulatedRod", "electric.polyphase.Star", "blocks.MultiSum"}
    assert all(registry.constructors()[name] for name in names)
    assert names <= set(registry.constructors())
    assert names <= {one.name for one in known_names()}
    assert names <= scenario_schema()["definitions"]["call"]["properties"].keys()


def test_names_of_definitions_stay_free(tmp_path: Path) -> None:
    """Scenarios that called their own parts Star or ToKelvin go on: those libraries' names have their prefix always."""
    file = scenario(tmp_path, "  part: {Star: {}}\n")
    file.write_text(file.read_text().replace("model:", "definitions: {Star: {Model: {x: 1.0}}, ToKelvin: {Model: {}}}\nmodel:"))
    assert read_scenario(file).model["part"]["x"] == 1.0


def test_a_new_library_needs_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with models among the libraries is one of them, at once and for all."""
    (tmp_path / "hydraulic" / "oil").mkdir(parents=True)
    text = "from modiapy import Model, Var\nValve = Model(description='A valve', p=Var(init=2.0), equations=['der(p) = -p'])\n"
    for folder in ("hydraulic", "hydraulic/oil"):
        (tmp_path / folder / "__init__.py").write_text(text)
    monkeypatch.setattr(library, "__path__", [*library.__path__, str(tmp_path)])
    library_names.cache_clear()
    try:
        assert {"hydraulic", "hydraulic.oil"} <= set(library_names())
        file = scenario(tmp_path, "  part: {hydraulic.oil.Valve: {p: {init: 3.0}}}\n")
        assert read_scenario(file).instantiate().simulate(1.0)["part.p"][0] == 3.0
    finally:
        library_names.cache_clear()
        for name in [name for name in sys.modules if name.startswith("modiapy.library.hydraulic")]:
            del sys.modules[name]
