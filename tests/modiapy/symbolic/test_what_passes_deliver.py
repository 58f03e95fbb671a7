"""What the passes make of a model, seen in its solution: closed forms, observed variables, initial values, relations."""

from __future__ import annotations

import pytest

from modiapy import Model, Var, instantiate


def test_what_changes_without_event_inside_smooth_is_continuous() -> None:
    """A relation of it makes an event of its own."""
    equations = [
        "n = 1 if time > 5 else 0",
        "der(x) = 1",
        "y = noEvent(smooth(0, 1 if x > 0.5 else 2))",
        "der(z) = 1 if y > 1.5 else 0",
    ]
    model = Model(n=Var(type="Integer"), x=Var(init=0.0), y=Var(), z=Var(init=0.0), equations=equations)
    sim = instantiate(model)
    assert len(sim.sorted.indicators) == 1
    assert sim.simulate(1.0)["z"][-1] == pytest.approx(0.5, abs=1e-6)
