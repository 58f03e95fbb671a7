"""Two kinds of components in one model, each changing its structure on its own: a brake on a multibody system heats a rod."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionRelease,
    Box,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    Object3D,
    RevoluteWithFlange,
    Scene,
    Solid,
)
from modiapy import Map, Model, Par, Var, instantiate
from modiapy.library.heat_transfer import HeatCapacitor, WithHeatPort
from modiapy.library.insulated_rod import InsulatedRod
from modiapy.library.rotational import Damper, Fixed

QUARTER = np.pi / 2


def solid() -> Par:
    return Solid(shape=Box(0.2, 0.1, 0.1), solid_material="Aluminium")


def sling(release: float) -> Model:
    """A pendulum with a stone at its tip that is released after ``release`` [s]."""

    def program(actions: Any) -> None:
        ActionAttach(actions, "grip", "tip")
        EventAfterPeriod(actions, release)
        ActionRelease(actions, "grip")

    return Model3D(
        world=Object3D(feature=Scene()),
        arm=Object3D(feature=solid()),
        tip=Object3D(parent="arm", translation=[1.0, 0, 0], rotation=[0, QUARTER, 0], lockable=True),
        joint=RevoluteWithFlange(obj1="world", obj2="arm", axis="z", phi=Var(init=0.0), w=Var(init=0.0)),
        stone=Object3D(fixed_to_parent=False, translation=[1.1, 0, 0], feature=solid()),
        grip=Object3D(parent="stone", translation=[-0.1, 0, 0], rotation=[0, -QUARTER, 0], lockable=True),
        actions=ModelActions(program),
    )


def braked(release: float, rod: Map) -> dict[str, Any]:
    """Parts and connections of a sling whose joint is damped; what the damper loses flows into a rod, then into a body."""
    return {
        "mechanics": sling(release),
        "damper": Damper | WithHeatPort | Map(d=6.0),
        "wall": Fixed,
        "rod": InsulatedRod | Map(n=4, max_level=5, refine_above=0.3, length=0.1, T_start=300.0) | rod,
        "sink": HeatCapacitor | Map(C=5.0, T=Var(init=300.0)),
        "connect": [
            ("wall.flange", "damper.flange_a"),
            ("damper.flange_b", "mechanics.joint.flange"),
            ("damper.heat_port", "rod.port_a"),
            ("rod.port_b", "sink.port"),
        ],
    }


def energy(result: Any, prefix: str = "") -> np.ndarray:
    mechanics = f"{prefix}mechanics.mechanics"
    mechanical = result[f"{mechanics}.kinetic_energy"] + result[f"{mechanics}.potential_energy"]
    return np.asarray(mechanical + result[f"{prefix}rod.energy"] + 5.0 * result[f"{prefix}sink.T"])


def test_a_rod_is_refined_while_the_tree_releases_a_body() -> None:
    sim = instantiate(Model(braked(0.8, Map())))
    result = sim.simulate(2.0, tolerance=1e-9)
    assert result.statistics["compilations_after_start"] == 0
    causes = [s.cause for s in result.segments]
    release = next(k for k, cause in enumerate(causes) if "ActionRelease" in cause)
    assert sum(cause.startswith("rod: ") for cause in causes[:release]) > 1
    assert sum(cause.startswith("rod: ") for cause in causes[release + 1 :]) > 1
    assert causes[release] == "ActionRelease grip"
    before, after = result.segment(release), result.segment(release + 1)
    assert np.array_equal(before["rod.T"][-1], after["rod.T"][0])
    assert after.record.states_variant == before.record.states_variant + 13
    total = energy(result)
    assert np.ptp(total) < 3e-9 * total[0]
    heat = result["rod.energy"][-1] + 5.0 * result["sink.T"][-1] - result["rod.energy"][0] - 5.0 * result["sink.T"][0]
    assert heat > 25.0
    fine = sim.simulate(2.0, tolerance=1e-9, merge=Map(rod=Map(n=128, max_level=0)))
    assert len(fine.segments) < len(result.segments)
    assert result["sink.T"][-1] == pytest.approx(fine["sink.T"][-1], rel=1e-5)
    assert result["mechanics.stone.r_abs"][-1] == pytest.approx(fine["mechanics.stone.r_abs"][-1], abs=1e-6)


def test_two_trees_and_two_rods_in_one_model() -> None:
    """They do not touch each other: each does what it does alone, at its own times."""
    one, two = braked(0.8, Map()), braked(0.5, Map(check_period=0.1))
    both = instantiate(Model(one=Model(one), two=Model(two))).simulate(1.5, tolerance=1e-9)
    assert both.statistics["compilations_after_start"] == 0
    for name, parts in (("one", one), ("two", two)):
        alone = instantiate(Model(parts)).simulate(1.5, tolerance=1e-9)
        assert both[f"{name}.rod.volumes"][-1] == alone["rod.volumes"][-1]
        assert both[f"{name}.mechanics.stone.r_abs"][-1] == pytest.approx(alone["mechanics.stone.r_abs"][-1], abs=1e-6)
        assert both[f"{name}.sink.T"][-1] == pytest.approx(alone["sink.T"][-1], rel=1e-6)
        total = energy(both, f"{name}.")
        assert np.ptp(total) < 3e-9 * total[0]
