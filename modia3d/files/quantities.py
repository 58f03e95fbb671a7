"""Numbers with units in scenarios, ``90 deg``, ``12 cm``: converted to the unit that is expected, SI units where none is known.

What is expected is said by a unit of a parameter or variable, and for arguments of constructors by their docstrings. pint
converts; it is imported when the first unit is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from modiapy.model.errors import ModelError
from modiapy.model.fields import admits_str, field_hints
from modiapy.model.model import Par, Var
from modiapy.model.parser import parse

from .basics.quantity_text import GLUED, QUANTITY
from .node_reader import NodeReader
from .yaml_tree import Node

ATTRIBUTES = ("value", "init", "start", "nominal", "min", "max")
"""Attributes of `Var` and `Par` that have its unit."""

Units = Callable[[], Sequence[str]]
"""The units of which one is expected, none where they are not known; asked where a quantity is read only."""


def no_units() -> Sequence[str]:
    """Return no units: nothing is known here."""
    return ()


def seconds() -> Sequence[str]:
    """Return the unit of times."""
    return ("s",)


def measured(reader: NodeReader, node: Node, what: str, units: Units = no_units) -> Node:
    """Return a node in which quantities are numbers.

    Args:
        reader: of the file.
        node: text, or a list or a `Var` or `Par` in which it may stand; anything else stays as it is.
        what: the name of the argument or parameter, for messages.
        units: that are expected.

    Raises:
        ScenarioError: a unit is unknown, or measures something else.
    """
    value = node.value
    if isinstance(value, str):
        match = QUANTITY.match(value)
        if (glued := GLUED.match(value)) is not None and _is_glued(value, glued[2]):
            raise reader.error(
                f"{what} is no number", node, found=f"'{value}'", remedy=f"A blank stands before a unit: {glued[1]} {glued[2]}."
            )
        if match is None:
            return node
        with reader.placing(node):
            return Node(float(converted(float(match[1]), match[2], units(), what, value)), node.line)
    if isinstance(value, list):
        return Node([measured(reader, item, what, units) for item in value], node.line)
    if isinstance(value, dict) and len(value) == 1 and (name := next(iter(value))) in ("Var", "Par"):
        inner = value[name]
        if isinstance(inner.value, dict):
            return Node({name: _attributes(reader, inner, what, units)}, node.line, node.key_lines)
        return Node({name: measured(reader, inner, what, units)}, node.line, node.key_lines)
    return node


def _attributes(reader: NodeReader, node: Node, what: str, units: Units) -> Node:
    entries: dict[str, Node] = node.value
    if "type" in entries and entries["type"].value == "String":
        return node
    own = entries["unit"].value if "unit" in entries else None
    expected = (lambda: (own,)) if isinstance(own, str) else units
    given = {key: measured(reader, item, what, expected) if key in ATTRIBUTES else item for key, item in entries.items()}
    return Node(given, node.line, node.key_lines)


def units_in(base: Any, key: str, outer: Sequence[str] = ()) -> Sequence[str]:
    """Return the units of an entry of a model, of a field of a constructor's value, or of an attribute of a variable or
    parameter.

    ``outer`` are those of a variable or parameter that says none itself.
    """
    if not isinstance(base, Mapping):
        return ()
    constructor = base.get("_constructor")
    if isinstance(base, Var | Par) and constructor is None:
        return () if key not in ATTRIBUTES else (base["unit"],) if isinstance(base.get("unit"), str) else outer
    entry = base.get(key)
    if isinstance(entry, Var | Par) and isinstance(entry.get("unit"), str):
        return (entry["unit"],)
    return documented(constructor, key) if constructor is not None else ()


def documented(make: Any, field: str) -> Sequence[str]:
    """Return the units of an argument by the docstring, in which they stand in brackets: ``[m]``, ``[rad or m]``, ``[N/m,
    N.s/m]``.
    """
    from .basics.docstrings import field_texts

    brackets = re.findall(r"\[([^\]]+)\]", field_texts(getattr(make, "func", make)).get(field, ""))
    return [unit for bracket in brackets for unit in re.split(r", | or ", bracket)]


def is_text(make: Any, field: str) -> bool:
    """Return whether an argument is text, that is no number with a unit whatever it looks like."""
    cls = getattr(make, "dataclass", None)
    hint = (field_hints(cls) if cls is not None else getattr(make, "hints", {})).get(field)
    return hint is not None and admits_str(hint) and not documented(make, field)


def _is_glued(text: str, unit: str) -> bool:
    """Return whether a text that ends with a unit is no expression, such as ``1e3``."""
    from modiapy.symbolic.analysis.units import in_notation_of_pint, registry

    try:
        parse(text)
        return False
    except ModelError:
        pass
    try:
        registry().Unit(in_notation_of_pint(unit.replace("^", "**")))
    except Exception:  # pint raises its own, and those of Python's tokenizer
        return False
    return True


def converted(value: Any, unit: str, expected: Sequence[str], what: str, written: str = "") -> Any:
    """Return a number, or an array, in the first of the expected units that measures the same; in SI units where none is
    expected. Messages show what is ``written``.

    Raises:
        ModelError: the unit of ``what`` is not known, or measures something else.
    """
    from modiapy.symbolic.analysis.units import in_notation_of_pint, registry

    known = registry()
    try:
        quantity = known.Quantity(value, in_notation_of_pint(unit.replace("^", "**")))
        dimension = _dimension(known.Quantity(1.0, quantity.units))
    except Exception:  # pint raises its own, and those of Python's tokenizer
        raise ModelError(
            f"the unit of {what} is not known",
            found=f"'{written or unit}'",
            remedy="Units are written as in 90 deg, 12 cm, 3 rpm, 5 N.m, 2 kg*m^2.",
        ) from None
    wanted = {}
    for one in expected:
        with suppress(Exception):
            wanted[one] = known.Unit(in_notation_of_pint(one))
    if not wanted:
        return quantity.to_base_units().magnitude
    for target in wanted.values():
        if _agree(dimension, _dimension(known.Quantity(1.0, target))):
            return quantity.to(target).magnitude
    remedy = "A frequency in turns is written in rpm or turn/s." if "second" in dimension and len(dimension) == 1 else ""
    expected = f"a quantity in {' or '.join(wanted)}"
    raise ModelError(
        f"the unit of {what} measures something else", found=f"'{written or unit}'", expected=expected, remedy=remedy
    )


def _dimension(quantity: Any) -> dict[str, float]:
    """Return the exponents of the base units; other than to pint, an angle has a unit."""
    return {str(unit): float(power) for unit, power in quantity.to_root_units().unit_items()}


def _agree(given: dict[str, float], wanted: dict[str, float]) -> bool:
    """Return whether units measure the same. Angles are left out as in N.m for N.m/rad, where nothing can be mistaken."""
    without = [{unit: power for unit, power in each.items() if unit != "radian"} for each in (given, wanted)]
    return given == wanted or (without[0] == without[1] and not set(without[0]) <= {"second"})
