"""Random moving trees: cuts against Newton and Euler in numpy, the balance of energy, across changes of structure."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    CutForceAndTorque,
    EnergySensor,
    EventAfterPeriod,
    ModelActions,
    PowerSensor,
)
from modiapy import Var, instantiate

from .random_trees import Slow, random_tree

CHANGES = (0.1, 0.2, 0.3)


def program(port, prescribed):
    """A joint is unlocked, a free body caught (an impact), let go and deleted; nothing is caught by what cannot give way."""

    def run(actions):
        ActionLock(actions, "hinge")
        EventAfterPeriod(actions, CHANGES[0])
        ActionUnlock(actions, "hinge")
        if not prescribed:
            ActionAttach(actions, "guest_0", port, on_contact="impulse")
        EventAfterPeriod(actions, CHANGES[1] - CHANGES[0])
        if not prescribed:
            ActionRelease(actions, "guest_0")
        EventAfterPeriod(actions, CHANGES[2] - CHANGES[1])
        ActionDelete(actions, "guest")

    return run


def examples(n):
    seeds = given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["ode", "dae"]))
    checks = [HealthCheck.too_slow]
    kept = settings(max_examples=n, suppress_health_check=checks, phases=(Phase.explicit, Phase.generate))
    return lambda test: seeds(kept(test))


def stretches(result):
    """Rows between two changes of structure."""
    borders = (0.0, *CHANGES, 0.4)
    for low, high in pairwise(borders):
        yield np.flatnonzero((result.time > low + 1e-6) & (result.time < high - 1e-6))


@pytest.mark.filterwarnings("ignore:.*it moves nothing")
@examples(6)
def test_balance_of_energy_and_power(seed, prescribed, mode):
    tree = random_tree(seed, prescribed=prescribed)
    model = tree.model(
        e=EnergySensor(), p=PowerSensor(), work=Var(init=0.0), equations=[*tree.parts["equations"], "der(work) = p.power"],
        actions=ModelActions(program("b3_0", prescribed)),
    )  # fmt: skip
    result = instantiate(model).simulate(0.4, tolerance=1e-10, interval=0.01, mode=mode)
    signals = {"power": "power", "drive": "drive_power", "force": "force_power", "dissipated": "dissipated_power"}
    for own, name in signals.items():
        assert result[f"p.{own}"] == pytest.approx(result[f"mechanics.{name}"], rel=1e-9, abs=1e-9)
    energy = result["e.kinetic"] + result["e.potential"]
    for rows in stretches(result):
        left = energy[rows] - result["work"][rows]
        assert left == pytest.approx(np.full(len(rows), left[0]), abs=1e-6 * max(1.0, np.abs(energy).max()))
    assert np.ptp(result["work"]) > 1e-2


@pytest.mark.filterwarnings("ignore:.*it moves nothing")
@examples(5)
def test_cuts_are_newton_and_euler(seed, prescribed, mode):
    tree = random_tree(seed, prescribed=prescribed)
    sensors = {f"at_{name}": CutForceAndTorque(name, resolved_in="b5") for name in ("turn", "slide", "hinge", "b1_0")}
    model = tree.model(**sensors, actions=ModelActions(program("b3_0", prescribed)))
    result = instantiate(model).simulate(0.4, tolerance=1e-9, interval=0.025, mode=mode)
    for k, rows in enumerate(stretches(result)):
        held = {"lock": ("b3_0", "guest_0")} if k == 1 and not prescribed else {}
        slow = Slow(tree, result, rows)
        for name in tree.links:
            if name.startswith("guest") and k == 3:
                continue
            cut = np.hstack([slow.get(f"{name}.cut_force"), slow.get(f"{name}.cut_torque")])
            expected = slow.through(name, tree.links | held)
            assert cut == pytest.approx(expected, abs=1e-8 * max(1.0, np.abs(expected).max())), name
            if f"at_{name}" in sensors:
                turn = np.einsum("tki,tkj->tij", slow.get("b5.R_abs"), slow.get(f"{tree.links[name][1]}.R_abs"))
                for part, sensor in ((cut[:, :3], "force"), (cut[:, 3:], "torque")):
                    seen = np.stack([slow.get(f"at_{name}.{sensor}.{c}") for c in "xyz"], axis=1)
                    assert seen == pytest.approx(np.einsum("tij,tj->ti", turn, part), abs=1e-8 * max(1.0, np.abs(cut).max()))
