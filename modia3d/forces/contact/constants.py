"""Constants of a pair of solids before they touch: materials, curvatures, and what follows for its row."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from modiapy.model.errors import ModelError

from ...scene.contact_pairs import ContactPair, contact_pair
from ...scene.scene_feature import SceneFeature
from ...scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    MeshShape,
    PlaneShape,
    SphereShape,
)
from ...scene.shapes.base import SolidShape
from ...scene.solid import SolidFeature
from ...scene.solid_materials import SolidMaterial
from .layout import (
    CONTACT_COLUMNS,
    ELASTIC,
    EXACT,
    FLORES,
    LAW,
    MAX_DAMPING,
    MU_K,
    MU_S,
    RADIUS,
    RESPONSE,
    RESTITUTION,
    RIGID,
    ROLLING,
    STIFFNESS,
    TANGENTIAL,
    V_SMALL,
    W_SMALL,
)


@dataclass(frozen=True)
class ContactSolid:
    """A solid as contacts see it.

    Attributes:
        name: full name of its frame, for messages.
        solid: with ``collision=True``.
    """

    name: str
    solid: SolidFeature


def pair_row(first: ContactSolid, second: ContactSolid, scene: SceneFeature) -> np.ndarray:
    """Return the row of the table of pairs (`layout`), shape (CONTACT_COLUMNS,), without shapes and bodies; they do not touch
    yet.

    Raises:
        ModelError: see `pair_of` and `elastic_constants`.
    """
    row = np.zeros(CONTACT_COLUMNS)
    pair = pair_of(first, second, scene)
    assert pair.static_friction is not None
    response = pair.response or scene.contact_response
    row[RESPONSE] = ELASTIC if response == "elastic" else RIGID
    row[RESTITUTION] = pair.restitution
    row[MU_K], row[MU_S] = pair.sliding_friction, max(pair.sliding_friction, pair.static_friction)
    row[V_SMALL], row[W_SMALL] = pair.slow_velocity, pair.slow_angular_velocity
    row[MAX_DAMPING], row[LAW] = scene.maximum_contact_damping, EXACT if scene.contact_damping == "exact" else FLORES
    row[RADIUS] = common_radius(first, second)
    row[ROLLING] = pair.rolling_resistance * row[RADIUS]
    one, other = (first, second) if response == "elastic" else map(_stiff, (first, second))
    normal, row[TANGENTIAL] = elastic_constants(one, other)
    row[STIFFNESS] = scene.elastic_contact_reduction_factor * normal * 4.0 / 3.0 * math.sqrt(row[RADIUS])
    return row


def _stiff(one: ContactSolid) -> ContactSolid:
    """Return the same solid; of steel, where the elastic constants of its material are not known: at rest that is as good as
    rigid.
    """
    material = one.solid.surface_material
    known = material.youngs_modulus is not None and material.poisson_ratio is not None
    return one if known else replace(one, solid=replace(one.solid, contact_material="Steel"))


def pair_of(first: ContactSolid, second: ContactSolid, scene: SceneFeature) -> ContactPair:
    """Return how the materials of two solids behave in contact.

    Raises:
        ModelError: a material has no name, or there is no such pair; both solids are named.
    """
    names = []
    for one in (first, second):
        names.append(one.solid.surface_material.name)
        if not names[-1]:
            raise ModelError(
                "the material of a solid that collides has no name",
                path=one.name,
                found=repr(one.solid.surface_material),
                expected="a name by which pairs of materials refer to it",
                remedy="Write SolidMaterial(..., name='Foam'), and Scene(contact_pairs={'Foam, Steel': ContactPair(...)}).",
            )
    try:
        return contact_pair(names[0], names[1], scene.pairs)
    except ModelError:
        both = ", ".join(sorted(names))
        raise ModelError(
            f"it can touch '{second.name}', but nothing is known of {' and '.join(names)} in contact",
            path=first.name,
            expected=f"the pair '{both}' in Scene(contact_pairs=...)",
            remedy=f"Write Scene(contact_pairs={{'{both}': ContactPair(restitution, sliding_friction)}}), give one of "
            f"them another contact_material, or exclude them: no_contact=[('{first.name}', '{second.name}')].",
        ) from None


def elastic_constants(first: ContactSolid, second: ContactSolid) -> tuple[float, float]:
    """Return ``1 / (1/c_1 + 1/c_2)`` with ``c = E / (1 - nu**2)`` [Pa]; tangential by normal stiffness of spheres (Mindlin).

    Raises:
        ModelError: Young's modulus or Poisson's ratio of a material is not known.
    """
    (E_1, nu_1), (E_2, nu_2) = _moduli(first), _moduli(second)
    normal = 1.0 / ((1.0 - nu_1**2) / E_1 + (1.0 - nu_2**2) / E_2)
    shear = 1.0 / (2.0 * (2.0 - nu_1) * (1.0 + nu_1) / E_1 + 2.0 * (2.0 - nu_2) * (1.0 + nu_2) / E_2)
    return normal, 4.0 * shear / normal


def _moduli(one: ContactSolid) -> tuple[float, float]:
    material: SolidMaterial = one.solid.surface_material
    if material.youngs_modulus is None or material.poisson_ratio is None:
        missing = "youngs_modulus" if material.youngs_modulus is None else "poisson_ratio"
        raise ModelError(
            f"the {missing} of its material is not known",
            path=one.name,
            found=f"the material '{material.name}'",
            expected="a material with elastic constants, or a rigid response",
            remedy=f"Give SolidMaterial(..., {missing}=...), a contact_material, or Scene(contact_response='rigid').",
        )
    return material.youngs_modulus, material.poisson_ratio


def common_radius(first: ContactSolid, second: ContactSolid) -> float:
    """Return the radius of the sphere on a plane that is as curved as both solids together [m]; what is flat counts as a
    plane.
    """
    (r_1, flat_1), (r_2, flat_2) = (curvature(one.solid) for one in (first, second))
    if flat_1 != flat_2:
        return r_2 if flat_1 else r_1
    return 1.0 / (1.0 / r_1 + 1.0 / r_2)


def curvature(solid: SolidFeature) -> tuple[float, bool]:
    """Return the radius of a sphere that stands for the surface of a solid wherever it is touched [m], and whether it is flat.

    Without a radius of the user's it follows from the sizes of the shape as in Modia3D (ContactForceLaw.md).
    """
    assert isinstance(solid.shape, SolidShape)
    radius, flat = _curvature(solid.shape)
    return (radius if solid.contact_sphere_radius is None else solid.contact_sphere_radius), flat


def _curvature(shape: SolidShape) -> tuple[float, bool]:
    match shape:
        case SphereShape() | CapsuleShape():
            return 0.5 * shape.diameter, False
        case EllipsoidShape():
            return 0.5 * min(shape.length_x, shape.length_y, shape.length_z), False
        case CylinderShape():
            return 0.5 * min(shape.diameter, shape.length), False
        case ConeShape():
            return 0.25 * (shape.diameter + shape.top_diameter), False
        case BoxShape():
            return 0.5 * min(shape.length_x, shape.length_y, shape.length_z), True
        case BeamShape():
            return 0.5 * min(shape.length, shape.width, shape.thickness), True
        case PlaneShape():
            return math.inf, True
        case MeshShape():
            return 0.5 * float(shape.surface().edges_unique_length.min()), False
    raise TypeError(f"no curvature of {type(shape).__name__} is known")
