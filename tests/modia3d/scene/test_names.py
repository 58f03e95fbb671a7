"""Every object has one full name: names that could be read as paths, or hide others, are refused where they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modia3d import FreeMotion, Model3D, ModelActions, Object3D, Scene, SolidMaterial, addReferencePath
from modia3d.files import read_scenario
from modiapy import Clock, Function, Map, Model, ModelError, Par, Table1D, Var, instantiate

WORLD = Object3D(feature=Scene())


@pytest.mark.parametrize("name", ["a.b", "a[0]", "", " ", "x y", "a\nb", "x-y", "der(x)", "1st", "if", "ﬁ"])
@pytest.mark.parametrize(
    "entry",
    [
        Object3D(parent="world"),
        FreeMotion(obj1="world", obj2="body"),
        SolidMaterial(density=1.0),
        Function(lambda u: u),
        Table1D([[0, 0], [1, 1]]),
        Clock(0.1),
        Var("1"),
        Par(2.0),
        3.0,
        Model(x=Var("1")),
    ],
    ids=lambda entry: type(entry).__name__,
)
@pytest.mark.parametrize("inside", [False, True])
def test_names_that_are_none(name: str, entry: Any, inside: bool) -> None:
    entries: dict[str, Any] = {name: entry}
    model = Model3D(world=WORLD, **({"part": Model(**entries)} if inside else entries))
    with pytest.raises(ModelError) as error:
        instantiate(model)
    assert "name" in str(error.value) or "is read as" in str(error.value)
    assert error.value.path == (f"part.{name}" if inside and name else "part" if inside else name)


def test_an_object_beside_a_submodel_of_that_path() -> None:
    model = Model3D(
        world=WORLD, a=Model(b=Object3D(parent="world")), **{"a.b": Object3D(parent="world", translation=[1, 0, 0])}
    )
    with pytest.raises(ModelError, match=r"a\.b: 'a\.b' is not a name.* stands in a Model of that name"):
        instantiate(model)
    with pytest.raises(ModelError, match=r"'a\.b' is not a name"):
        instantiate(Model3D(world=WORLD) | Model({"a.b": Object3D(parent="world")}))


def test_names_of_functions_are_free_for_frames() -> None:
    sim = instantiate(Model3D(world=WORLD, floor=Object3D(parent="world", translation=[1, 2, 3])))
    assert sim.simulate(0.1)["floor.r_abs"][-1].tolist() == [1, 2, 3]


@pytest.mark.parametrize("entry", [Object3D(parent="world"), Model(power=Var("1")), Var("1"), 2.0])
def test_names_of_results_of_the_engine(entry: Any) -> None:
    with pytest.raises(ModelError, match=r"mechanics: the name is taken by a result of the component"):
        instantiate(Model3D(world=WORLD, mechanics=entry))


@pytest.mark.parametrize("names", [["a", "a b"], ["a", "a[0]"], ["a", "a.b"], ["a.", "b"]])
def test_names_of_reference_paths(names: list[str]) -> None:
    def program(actions: Any) -> None:
        addReferencePath(actions, names=names, position=[0, 0], v_max=[1, 1], a_max=[1, 1])

    with pytest.raises(ModelError, match="addReferencePath needs names that an expression can use"):
        instantiate(Model3D(world=WORLD, actions=ModelActions(program)))


def test_a_scenario_says_the_line(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(
        "modia3d: 1\nmodel:\n  world: {Object3D: {feature: {Scene: {}}}}\n  a.b: {Object3D: {parent: world}}\n"
        "simulation: {stop_time: 1}\n"
    )
    with pytest.raises(ModelError, match=r"a\.b: 'a\.b' is not a name"):
        instantiate(read_scenario(file).model)
    with pytest.raises(ModelError, match=r"there is no 'a\.b' to modify"):
        Model3D(world=WORLD) | Map({"a.b": 2.0})
