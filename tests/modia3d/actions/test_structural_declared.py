"""A structural action is declared in one file: what it names is looked up, and its edit carried out, wherever it is from."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from modia3d import ActionAttach, Box, Model3D, ModelActions, Object3D, Scene, Solid, UniformGravity
from modia3d.actions.structural.base import StructuralAction
from modia3d.actions.values import ACTIONS, Wait
from modia3d.topology import edits
from modia3d.topology.action_names import STRUCTURAL
from modiapy import ModelError, instantiate

pytestmark = pytest.mark.white_box


@dataclass(frozen=True)
class Drop(StructuralAction):
    """Release two locks in one change."""

    first: str
    second: str

    frames: ClassVar[tuple[str, ...]] = ("first", "second")

    def carry_out(self, at):
        left = edits.release(at.graph, at.structure, self.first, scope=at.scope)
        return edits.release(at.graph, left, self.second, scope=at.scope)


def scene(program):
    entries = {}
    for i, x in enumerate((0.0, 1.0)):
        entries[f"hook{i}"] = Object3D(parent="world", translation=(x, 0, 0), lockable=True)
        entries[f"box{i}"] = Object3D(
            parent="world", fixed_to_parent=False, translation=(x, 0, 0), feature=Solid(Box(0.1, 0.1, 0.1), "Aluminium")
        )
        entries[f"eye{i}"] = Object3D(parent=f"box{i}", lockable=True, rotation=(3.141592653589793, 0, 0))
    world = Object3D(feature=Scene(gravity=UniformGravity(n=(0, -1, 0))))
    return Model3D(world=world, actions=ModelActions(program), **entries)


def program(last):
    def steps(actions):
        for i in range(2):
            ActionAttach(actions, f"hook{i}", f"eye{i}")
        actions.record(Wait(0.5))
        actions.record(last)

    return steps


def test_an_action_from_outside_is_carried_out_as_one_change():
    result = instantiate(scene(program(Drop("eye0", "eye1")))).simulate(1.0)
    assert len(result.segments) == 4
    for i in range(2):
        y = result[f"box{i}.r_abs"][:, 1]
        assert y[result.time <= 0.5] == pytest.approx(0.0, abs=1e-9)
        assert y[-1] == pytest.approx(-0.5 * 9.81 * 0.5**2, rel=1e-5)


def test_its_names_are_looked_up_before_anything_moves():
    with pytest.raises(ModelError, match="eye7"):
        instantiate(scene([Drop("eye0", "eye7")])).simulate(1.0)


def test_an_action_that_names_nothing_is_an_error_where_its_class_is_defined():
    with pytest.raises(ModelError, match="structural action 'Shake' does not say what it acts on"):
        type("Shake", (StructuralAction,), {})


def test_scenarios_know_all_structural_actions_that_are_listed():
    assert set(STRUCTURAL) <= set(ACTIONS)
