"""Docstrings of joints with flanges, from what each joint declares."""

from __future__ import annotations

import inspect
import re
import textwrap

from .basics.rotations import SEQUENCES
from .joint_names import WITH_FLANGES
from .joints import ElementaryMotion, Joint

_WIDTH = 120
_SHAPE = {"orientation": "order of the Cardan angles: " + ", ".join(f'"{sequence}"' for sequence in SEQUENCES) + "."}
"""Fields that mean something else in a joint with flanges."""
_QUANTITIES = {True: ("distance", "m", "velocity", "m/s"), False: ("angle", "rad", "angular velocity", "rad/s")}
_FLANGES = {
    True: ("translational", "flange.f", "along", "N", "force"),
    False: ("rotational", "flange.tau", "about", "N.m", "torque"),
}


def variables(cls: type[Joint]) -> list[str]:
    """Return the names of the coordinates and speeds of a joint with flanges."""
    return [*(motion.coordinate for motion in cls.motions), *(motion.speed for motion in cls.motions)]


def part_name(motion: ElementaryMotion) -> str:
    """Name of the joint of a motion in a chain: ``prismatic_x`` has the coordinate ``s_x``."""
    _, mark, axis = motion.coordinate.partition("_")
    return f"{'prismatic' if motion.slides else 'revolute'}{mark}{axis}"


def flanges_text(name: str, cls: type[Joint]) -> str:
    """Return the docstring of a constructor."""
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", WITH_FLANGES[name]).capitalize()
    several, documented = len(cls.motions) > 1, _documented(cls)
    what = "whose coordinates are variables" if several else f"whose {_QUANTITIES[cls.motions[0].slides][0]} is a variable"
    arguments = ["obj1, obj2: names of the two frames."]
    arguments += [f"{key}: {_SHAPE.get(key) or documented[key]}" for key in cls.shape]
    arguments += [line for slides in (True, False) for line in _of_states([s for s in cls.motions if s.slides is slides])]
    arguments += [
        f"limits: smallest and largest value{f', ``{{{cls.motions[0].coordinate!r}: (0.0, 0.5)}}``' if several else ''}.",
        'at_limit: "stop" or "error", as `Revolute`.',
        "lockable: the joint may be locked while a simulation runs, also by a program that does not name it when it is loaded.",
        "can_collide: the two bodies that it joins may touch each other.",
    ]
    parts = [
        f"{title}{'' if title.endswith('motion') else ' joint'} {what} of the equations.",
        _section("Args", arguments),
        _section("Returns", [_returned(cls)]),
        _section("Raises", ["ModelError: a value of the wrong type; limits of what is no coordinate."]),
    ]
    return "\n\n".join(parts)


def _of_states(motions: list[ElementaryMotion]) -> list[str]:
    """Return the lines on what may be given for coordinates of one kind, and for their speeds."""
    if not motions:
        return []
    (q, unit, v, rate), plural = _QUANTITIES[motions[0].slides], "s" if len(motions) > 1 else ""
    return [
        f"{', '.join(s.coordinate for s in motions)}: attributes of the {q}{plural} [{unit}], or the initial value{plural}; "
        "default ``Var(init=0.0)``.",
        f"{', '.join(s.speed for s in motions)}: the same of the {v} [{rate}].",
    ]


def _returned(cls: type[Joint]) -> str:
    """Return the line on what the model has."""
    names, motions = cls.flanges(), cls.motions
    text = f"A model with the variables ``{', '.join(variables(cls))}`` and the connector"
    if len(motions) == 1:
        kind, force, way, unit, what = _FLANGES[motions[0].slides]
        text += (
            f" ``flange`` ({kind}); ``{force}`` drives ``obj2`` relative to ``obj1`` {way} the axis [{unit}]. With limits, or"
            f" if it may be locked, also ``constraint_{what}``: what holds ``obj2`` relative to ``obj1``, 0 while it moves"
            f" [{unit}]."
        )
    else:
        connectors = ", ".join(f"``{names[motion.coordinate]}`` ({_FLANGES[motion.slides][0]})" for motion in motions)
        text += (
            f"s {connectors}, which drive ``obj2`` relative to ``obj1``. It consists of the joints "
            f"``{', '.join(map(part_name, motions))}``, which can be locked."
        )
    return f"{text} {cls.note}".rstrip()


def _section(title: str, entries: list[str]) -> str:
    lines = [f"{title}:"]
    for entry in entries:
        inner = " " * (8 if title != "Returns" else 4)
        lines.append(textwrap.fill(entry, _WIDTH, initial_indent="    ", subsequent_indent=inner, break_on_hyphens=False))
    return "\n".join(lines)


def _documented(cls: type[Joint]) -> dict[str, str]:
    """Return the descriptions of a joint's fields in its docstring."""
    entries = re.split(r"\n    (?=\w+(?:, \w+)*: )", (inspect.getdoc(cls) or "").partition("Attributes:")[2])
    found: dict[str, str] = {}
    for entry in entries:
        names, _, text = entry.strip().partition(": ")
        found |= {key: " ".join(text.partition("\n\n")[0].split()) for key in names.split(", ")}
    return found
