"""``enable_contact_detection=False`` belongs to the lock: it is saved with it, restored with it, gone with it."""

import numpy as np
import pytest

from modia3d import ActionAttach, ActionRelease, ActionReleaseAndAttach, ActionWait, Model3D, ModelActions, Object3D
from modia3d.files import read_scenario
from modiapy import ModelError, instantiate
from modiapy.simulation.files.archive import read_archive, write_archive
from tests.modia3d.scenes import free, world

pytestmark = pytest.mark.white_box

TURNED = (np.pi, 0.0, 0.0)
PARTS = {
    "world": world(),
    "hook": Object3D(parent="world", lockable=True),
    "other": Object3D(parent="world", rotation=(0, 0, np.pi / 2), lockable=True),
    "ball": free(rotation=TURNED),
    "top": Object3D(parent="ball", lockable=True),
}


def machine(*recorded, **options):
    """A ball that is attached; ``options`` of the actions."""

    def program(actions):
        ActionAttach(actions, "top", "hook", **options)
        ActionWait(actions, 0.4)
        ActionReleaseAndAttach(actions, "top", "other", **options)
        ActionWait(actions, 0.4)
        ActionRelease(actions, "top")

    return instantiate(Model3D(**PARTS, actions=ModelActions(program)))


def locks(snapshot):
    """Data of the locks in a snapshot."""
    (engine,) = snapshot["snapshot"]["components"].values()
    return engine["structure"]["locks"]


def contacts(snapshot):
    """Of each lock in a snapshot whether there is contact across it."""
    return [lock["contact"] for lock in locks(snapshot)]


@pytest.mark.parametrize("stop", [0.2, 0.6])
def test_it_is_saved_and_restored_with_the_lock(tmp_path, stop):
    file, again = tmp_path / "one.npz", tmp_path / "again.npz"
    for enabled in (True, False):
        sim = machine(enable_contact_detection=enabled)
        sim.simulate(stop, save=file)
        assert contacts(read_archive(file)) == [enabled]
        sim.restore(file)
        sim.simulate(stop + 0.1, save=again)
        assert contacts(read_archive(again)) == [enabled]
    sim.simulate(1.0, save=file)
    assert contacts(read_archive(file)) == []


def test_a_snapshot_without_it_is_one_of_contact(tmp_path):
    file, old, again = tmp_path / "new.npz", tmp_path / "old.npz", tmp_path / "again.npz"
    sim = machine(enable_contact_detection=True)
    sim.simulate(0.2, save=file)
    data = read_archive(file)
    for lock in locks(data):
        del lock["contact"]
    write_archive(old, data)
    sim.restore(old)
    sim.simulate(0.3, save=again)
    assert contacts(read_archive(again)) == [True]


def test_it_is_true_or_false():
    with pytest.raises(ModelError, match=r"enable_contact_detection of ActionAttach.*'no'"):
        machine(enable_contact_detection="no")


def test_in_yaml(tmp_path):
    file = tmp_path / "grip.yaml"
    file.write_text(
        "modia3d: 1\n"
        "model: {world: {Object3D: {feature: {Scene: {}}}}, hook: {Object3D: {parent: world, lockable: true}},\n"
        "  ball: {Object3D: {parent: world, fixed_to_parent: false, rotation: [3.141592653589793, 0, 0], lockable: true,\n"
        "    feature: {Solid: {shape: {Sphere: 0.1}, solid_material: Steel}}}}}\n"
        "actions: [{ActionAttach: {frame: ball, target: hook, enable_contact_detection: false}}]\n"
        "simulation: {stop_time: 1}\n"
    )
    snapshot = tmp_path / "one.npz"
    instantiate(read_scenario(file).model).simulate(0.1, save=snapshot)
    assert contacts(read_archive(snapshot)) == [False]
