"""Pairs of solid materials in contact: from the palette `materials/contact_pairs.toml`, or from a palette of the user."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError, nearest

from .basics import checks
from .palette import BUILT_IN, read_tables

RESPONSES = ("elastic", "rigid")
"""How solids in contact answer: by forces that grow with penetration, or by impulses and constraints."""

Pairs = Mapping[frozenset[str], "ContactPair"]
"""Pairs by the names of both materials, in any order; a material with itself is a set of one name."""


@dataclass(frozen=True)
class ContactPair:
    """Behaviour of two materials in contact.

    Attributes:
        restitution: speed after an impact divided by the speed before it, 0 (plastic) to 1 (elastic).
        static_friction, sliding_friction: coefficients of dry friction at rest and in motion.
        rolling_resistance: torque against rolling divided by normal force and radius.
        source: where the values come from.
        response: "elastic" or "rigid"; "" is that of the scene.
        slow_velocity: below it impacts are plastic, and sliding friction is proportional to the speed [m/s].
        slow_angular_velocity: below it the resistance against rolling is proportional to it [rad/s].
    """

    restitution: float
    sliding_friction: float
    static_friction: float | None = None
    rolling_resistance: float = 0.0
    source: str = ""
    response: str = ""
    slow_velocity: float = 0.01
    slow_angular_velocity: float = 0.01

    def __post_init__(self) -> None:
        owner = "ContactPair"
        if self.static_friction is None:
            object.__setattr__(self, "static_friction", self.sliding_friction)
        for name in ("restitution", "sliding_friction", "static_friction", "rolling_resistance"):
            object.__setattr__(self, name, checks.not_negative(owner, name, getattr(self, name)))
        if self.restitution > 1.0:
            raise ModelError(f"restitution of {owner} is wrong", found=repr(self.restitution), expected="a number from 0 to 1")
        checks.text(owner, "source", self.source)
        checks.choice(owner, "response", self.response, ("", *RESPONSES))
        for name in ("slow_velocity", "slow_angular_velocity"):
            object.__setattr__(self, name, checks.positive(owner, name, getattr(self, name)))


def read_contact_pairs(file: str | os.PathLike[str]) -> dict[frozenset[str], ContactPair]:
    """Return the pairs of materials in a palette, a TOML ``file``: tables ``[contact.Name.Name]`` with the fields of
    `ContactPair`.

    Raises:
        ModelError: the file cannot be read or is wrong; a pair stands there twice.
    """
    pairs: dict[frozenset[str], ContactPair] = {}
    what = f"the palette '{os.fspath(file)}'"
    for first, others in read_tables(file)["contact"].items():
        for second, values in others.items():
            name, key = f"contact.{first}.{second}", frozenset((first, second))
            if not isinstance(values, dict):
                expected = "[contact.Name.Name] with the fields of a pair"
                raise ModelError(f"{what} is wrong", found=f"'{name}', which is no table", expected=expected)
            if key in pairs:
                raise ModelError(f"{what} is wrong", found=f"a second pair of {first} and {second}", expected="one")
            try:
                pairs[key] = _made(values)
            except ModelError as error:
                error.path, error.file = name, error.file or os.fspath(file)
                raise
    return pairs


def _made(values: object) -> ContactPair:
    """Return a pair from its fields; raises ModelError for what is none, and for what is missing."""
    known = [field.name for field in fields(ContactPair)]
    if not isinstance(values, Mapping):
        raise ModelError("this is not a pair of materials", found=repr(values), expected="a ContactPair, or its fields")
    for name in values:
        if name not in known:
            expected = f"one of {', '.join(known)}"
            raise ModelError(f"unknown field '{name}' of ContactPair", expected=expected, remedy=nearest(name, known))
    missing = [field.name for field in fields(ContactPair) if field.default is MISSING and field.name not in values]
    if missing:
        raise ModelError("this pair of materials is not complete", found=f"no {' and no '.join(missing)}", expected="a number")
    return ContactPair(**values)


@functools.cache
def _built_in() -> dict[frozenset[str], ContactPair]:
    return read_contact_pairs(BUILT_IN / "contact_pairs.toml")


def pairs_of(given: Mapping[object, object]) -> dict[frozenset[str], ContactPair]:
    """Return the pairs as a user writes them: by "A, B", ("A", "B") or a set of both, each a `ContactPair` or a mapping of its
    fields.

    Raises:
        ModelError: a key or a value is something else, or a pair stands there twice.
    """
    pairs: dict[frozenset[str], ContactPair] = {}
    for key, value in given.items():
        names = [name.strip() for name in key.split(",")] if isinstance(key, str) else key
        if isinstance(names, frozenset) and len(names) == 1:
            names = [*names, *names]
        if (
            not isinstance(names, list | tuple | frozenset)
            or len(names) != 2
            or not all(n and isinstance(n, str) for n in names)
        ):
            expected = "the names of two materials: 'Steel, Foam' or ('Steel', 'Foam')"
            raise ModelError("contact_pairs of Scene is wrong", found=f"the key {key!r}", expected=expected)
        shown = ", ".join(sorted(names))
        if (both := frozenset(names)) in pairs:
            raise ModelError("contact_pairs of Scene is wrong", found=f"a second pair {shown}", expected="one")
        try:
            pairs[both] = value if isinstance(value, ContactPair) else _made(value)
        except ModelError as error:
            error.path = error.path or f"contact_pairs['{shown}']"
            raise
    return pairs


def written_pairs(given: Mapping[object, object]) -> dict[str, dict[str, object]]:
    """Return pairs as `pairs_of` takes them, of texts and numbers only."""
    return {
        ", ".join(sorted(key) * (3 - len(key))): {
            item.name: value for item in fields(pair) if (value := getattr(pair, item.name)) != item.default
        }
        for key, pair in pairs_of(given).items()
    }


@arguments_checked(typed=True)
def contact_pair(first: str, second: str, palette: Pairs | None = None) -> ContactPair:
    """Return the pair of two solid materials; their order does not matter.

    Args:
        first, second: names of materials.
        palette: of the user (`read_contact_pairs`); its pairs come before those of the program.

    Raises:
        ModelError: there is no such pair, with the nearest one.
    """
    known = {**_built_in(), **(palette or {})}
    pair = known.get(frozenset((checks.text("contact_pair", "first", first), checks.text("contact_pair", "second", second))))
    if pair is None:
        names = [" and ".join(sorted(key) * (3 - len(key))) for key in known]
        raise ModelError(
            f"unknown pair of materials '{first}' and '{second}'",
            expected=f"one of {', '.join(names)}",
            remedy=nearest(" and ".join(sorted((first, second))), names),
        )
    return pair
