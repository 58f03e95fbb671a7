"""A rotor with inertia and no mass: what turns needs no mass."""

import numpy as np
import pytest

from modia3d import Box, MassProperties, Model3D, Object3D, Prismatic, Revolute, Scene, Solid
from modiapy import ModelError, instantiate


def arm_with_rotor(mass: float, moments=(0.02, 0.03, 0.05)):
    """A pendulum whose link carries a rotor that spins about an axis across its own."""
    rotor = Object3D(feature=Solid(mass_properties=MassProperties(mass, (0, 0, 0), *moments)))
    link = Object3D(feature=Solid(shape=Box(0.5, 0.1, 0.1), mass_properties=MassProperties(2.0, (0.3, 0, 0), 0.1, 0.2, 0.2)))
    return Model3D(
        world=Object3D(feature=Scene()),
        link=link,
        seat=Object3D(parent="link", translation=(0.4, 0, 0)),
        rotor=rotor,
        swing=Revolute("world", "link", "y", phi=0.4),
        turn=Revolute("link", "base", "x", w=1.0),
        base=Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0, 0, 0), 0.1, 0.1, 0.1))),
        spin=Revolute("base", "rotor", "z", w=40.0),
    )


def test_it_is_the_limit_of_small_masses():
    """Gyroscopic moments included: the motion is that with a millionth of a gram."""
    results = [instantiate(arm_with_rotor(mass)).simulate(2.0, tolerance=1e-10) for mass in (0.0, 1e-9)]
    for name in ("swing.phi", "turn.phi", "spin.w"):
        np.testing.assert_allclose(results[0][name], results[1][name], atol=1e-6)
    energy = results[0]["mechanics.kinetic_energy"] + results[0]["mechanics.potential_energy"]
    assert np.ptp(energy) < 1e-6 * results[0]["mechanics.kinetic_energy"].max()
    assert np.ptp(results[0]["spin.w"]) > 0.03  # the base turns the rotor


def test_inertia_about_the_axis_is_enough():
    rotor = Object3D(feature=Solid(mass_properties=MassProperties(0.0, (0, 0, 0), 0.0, 0.0, 0.5, as_given=True)))
    result = instantiate(
        Model3D(world=Object3D(feature=Scene()), rotor=rotor, spin=Revolute("world", "rotor", "z", w=3.0))
    ).simulate(1.0)
    assert result["spin.phi"][-1] == pytest.approx(3.0)
    assert result["mechanics.kinetic_energy"] == pytest.approx(0.5 * 0.5 * 9.0)


def test_what_is_pushed_needs_mass_and_what_turns_inertia():
    rotor = Object3D(feature=Solid(mass_properties=MassProperties(0.0, (0, 0, 0), 0.1, 0.1, 0.1)))
    nothing = Object3D(feature=Solid(mass_properties=MassProperties(0.0, (0, 0, 0), 0.0, 0.0, 0.0)))
    for joint, body in ((Prismatic, rotor), (Revolute, nothing)):
        with pytest.raises(ModelError, match=r"j: .*moves an assembly without mass"):
            instantiate(Model3D(world=Object3D(feature=Scene()), body=body, j=joint("world", "body", "z")))
