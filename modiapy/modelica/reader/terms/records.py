"""Records: several values by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Record:
    """A record: its fields by name; ``type`` is the name of its class."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)
