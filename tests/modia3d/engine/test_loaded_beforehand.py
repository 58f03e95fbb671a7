"""What a program reads while it waits is compiled beforehand."""

import builtins
import importlib.util

import pytest

from modia3d import Model3D, ModelActions, WaitUntil, WorldForce
from modiapy import instantiate
from tests.modia3d.scenes import body, free, world

pytestmark = pytest.mark.white_box

MODEL = {
    "world": world(),
    "arm": free(),
    "hand": body(parent="arm", translation=(0.3, 0.0, 0.0)),
    "push": WorldForce("hand", (1.0, 2.0, 3.0)),
}
SIGNALS = ["hand.cut_force[1]", "hand.a_abs[1]", "hand.v_abs[1]", "mechanics.kinetic_energy", "mechanics.dissipated_power"]


@pytest.fixture
def kernels(monkeypatch):
    """Names of the kernels of results in the order in which they are imported, loaded before or not."""
    imported, load, find = list[str](), importlib.import_module, builtins.__import__

    def importing(name, globals=None, locals=None, fromlist=(), level=0):
        place = importlib.util.resolve_name("." * level + name, globals["__package__"]) if level else name
        for full in (place, *(f"{place}.{part}" for part in fromlist or ())):
            kernel = full.removeprefix("modia3d.engine.kernels.")
            if kernel != full and "." not in kernel:
                imported.append(kernel)
        return find(name, globals, locals, fromlist, level)

    def loading(name):
        imported.append(name.rpartition(".")[2])
        return load(name)

    monkeypatch.setattr("modia3d.engine.signals.import_module", loading)
    monkeypatch.setattr(builtins, "__import__", importing)
    return imported


@pytest.mark.parametrize("signal", SIGNALS)
def test_nothing_is_imported_while_a_program_waits_for_a_signal(signal, kernels):
    simulation = instantiate(Model3D(**MODEL, actions=ModelActions([WaitUntil(f"{signal} > 1e9")])))
    loaded = set(kernels)
    kernels.clear()
    simulation.simulate(0.01)
    assert set(kernels) <= loaded
