"""Translational counterparts of rotational models: the same equations, of positions and forces in the place of angles and
torques.
"""

from __future__ import annotations

import re
from typing import Any

from ...model.model import E, Entries
from ...model.when import When
from ..flanges import RotationalFlange, TranslationalFlange

COUNTERPARTS = {
    "phi": "s",
    "w": "v",
    "tau": "f",
    "rad": "m",
    "N.m": "N",
    "angle": "position",
    "angular velocity": "velocity",
    "angular acceleration": "acceleration",
    "torque": "force",
    "w_crit": "w_crit",  # an angular frequency in both
}
"""Letters, units and words of rotation -> those of translation."""

_ROTATIONAL = re.compile(
    rf"(?<![A-Za-z])({'|'.join(re.escape(word) for word in sorted(COUNTERPARTS, key=len, reverse=True))})(?![A-Za-z])"
)


def counterpart(model: E) -> E:
    """Return the translational model with the equations of a rotational one, such as `Spring` of `rotational.Spring`.

    ``tau = c*(phi_rel - phi_rel0)`` becomes ``f = c*(s_rel - s_rel0)``, the unit N.m becomes N, a flange of a shaft one of a
    sliding part.

    Args:
        model: the rotational model; its letters are ``phi, w, a, tau``, alone or before an index (``phi_rel``, ``tau0``).
    """
    made = model.copy()
    made.clear()
    dict.update(made, {_translated(name): _translated(entry) for name, entry in model.items()})
    return made


def _translated(entry: Any) -> Any:
    """Return an entry of a rotational model in the letters of translation."""
    if entry == RotationalFlange:
        return TranslationalFlange
    if isinstance(entry, str):
        return _ROTATIONAL.sub(lambda found: COUNTERPARTS[found[0]], entry)
    if isinstance(entry, list | tuple):
        return type(entry)(map(_translated, entry))
    if isinstance(entry, When):
        return When(*_translated([entry.condition, entry.equations, entry.elsewhen]))
    return counterpart(entry) if isinstance(entry, Entries) else entry
