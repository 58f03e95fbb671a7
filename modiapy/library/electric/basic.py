"""Elements that have neither voltage nor current of their own."""

from __future__ import annotations

from ...model.model import Model
from .interfaces import OnePort, Pin

Ground = Model(description="Ground: the potential of the pin p is zero", p=Pin, equations=["p.v = 0"])

Idle = OnePort | Model(description="Idle branch: no current", equations=["i = 0"])

Short = OnePort | Model(description="Short cut: no voltage", equations=["v = 0"])
