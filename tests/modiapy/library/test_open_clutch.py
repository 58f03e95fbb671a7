"""An open clutch beside a spring without mass: nothing determines how its flange moves, and the error says where."""

from __future__ import annotations

from typing import Any

import pytest

from modiapy import Map, Model, NumericalError, Var, instantiate
from modiapy.library import rotational, translational


def shaft(spring: Model, f_normalized: Any = 0.0, w: float = 1.0) -> Model:
    """An inertia, a spring, a clutch and another inertia in a row."""
    return Model(
        first=rotational.Inertia | Map(J=1.0, w=Var(init=w)),
        spring=spring,
        clutch=rotational.Clutch | Map(fn_max=10.0, f_normalized=f_normalized),
        second=rotational.Inertia | Map(J=1.0),
        connect=[
            ("first.flange_b", "spring.flange_a"),
            ("spring.flange_b", "clutch.flange_a"),
            ("clutch.flange_b", "second.flange_a"),
        ],
    )


@pytest.mark.parametrize("w", [1.0, -1.0])
@pytest.mark.parametrize(
    "spring", [rotational.Spring | Map(c=10.0), rotational.SpringDamper | Map(c=10.0, d=1.0), rotational.Damper | Map(d=1.0)]
)
def test_the_equation_and_its_values_are_named(spring: Model, w: float) -> None:
    with pytest.raises(NumericalError, match=r"at time 0 s 'clutch\.sa' cannot be computed from 'tau = sa if locked") as caught:
        instantiate(shaft(spring, w=w)).simulate(1.0)
    assert "spring" in str(caught.value) or "flange" in str(caught.value)
    assert "clutch.locked = 0" in str(caught.value.found)
    assert caught.value.path.startswith("clutch")


def test_one_that_opens_later_says_when() -> None:
    with pytest.raises(NumericalError, match=r"at time 0\.5\d* s .*clutch\.sa.*tau = sa if locked"):
        instantiate(shaft(rotational.Spring | Map(c=10.0), "1.0 if time < 0.5 else 0.0")).simulate(1.0)


def test_with_a_mass_between_it_runs() -> None:
    """The remedy: an inertia between spring and clutch, which swings alone as soon as the clutch is open."""
    model = shaft(rotational.Spring | Map(c=10.0)) | Model(
        between=rotational.Inertia | Map(J=0.1), connect=[("between.flange_a", "spring.flange_b")]
    )
    result = instantiate(model).simulate(1.0)
    assert abs(result["second.w"]).max() == 0.0
    assert result["first.w"] + 0.1 * result["between.w"] == pytest.approx(1.0, abs=1e-6)


def test_in_translation_too() -> None:
    """A mass, a spring and a point at rest that nothing holds: a division by what is zero a moment later."""
    model = Model(
        mass=translational.Mass | Map(m=1.0, v=Var(init=1.0)), u=Var(), x=Var("mass.s"),
        equations=["u = x/(1 if time <= 0 else 0)"], v=Var(init=0.0), der_v=Var("u"),
    ) | Model(equations=["der(v) = der_v"])  # fmt: skip
    with pytest.raises(NumericalError, match=r"'u' cannot be computed from 'u = x/"):
        instantiate(model).simulate(1.0)
