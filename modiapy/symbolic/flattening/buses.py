"""Expandable connectors: the signals of buses come into being by connections (Modelica, specification 3.6, section 9.1.3).

What a connection brings to one of two buses belongs to both, so that a signal is there in each bus that it passes. After
that a bus is a connector as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...model.errors import ModelError
from ...model.model import EQUALITY, EXPANDABLE, Bus, Model, Var, merge
from ...model.places import without_places
from ..terms.names import join
from .connections import check_connector, connects_of
from .instance import Instance, is_entry, make_children

MAX_LEVELS = 16
"""More buses inside each other come of a bus that is connected with a part of itself."""

_ROLES = ("potential", "flow")
"""What variables of connectors are on a bus, too; inputs and outputs are signals without direction there."""


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a connection: an instance, or its entry ``key``, which a bus may not have yet, or an element of that."""

    instance: Instance
    key: str = ""
    element: bool = False

    def target(self) -> Instance | Var | None:
        """Return the object at this end; None if there is none yet."""
        if not self.key:
            return self.instance
        return self.instance.children.get(self.key) or self.instance.variables.get(self.key)


def expand_buses(tree: Instance) -> None:
    """Add the signals that connections need to all buses of a model.

    Raises:
        ModelError: nothing says what a signal is; a bus is connected with a part of itself.
    """
    if not any(EXPANDABLE in instance.model for instance in tree.walk()):
        return
    with without_places():
        _expand(tree)


def _expand(tree: Instance) -> None:
    connections = []
    for instance in list(tree.walk()):
        for entry in connects_of(instance):
            if isinstance(entry, tuple | list) and all(isinstance(path, str) for path in entry):
                connections.append((instance, entry, [_end(instance, path) for path in entry]))
    pairs = [(ends[0], end) for _, _, ends in connections for end in ends[1:]]
    found = [(a, b) for a, b in pairs if a is not None and b is not None]
    changed = True
    while changed:
        changed = False
        for a, b in found:
            changed |= _complete(a, b)
    for instance, entry, ends in connections:
        _check_signals(instance, entry, ends)


def _end(instance: Instance, path: str) -> _End | None:
    """Return the end of a path; None if it leads nowhere. Buses inside buses that it passes are made."""
    here = instance
    *parents, last = path.split(".")
    for part in parents:
        if part not in here.children and _may_get(here, part):
            _add(here, part, Bus)
        if part not in here.children:
            return None
        here = here.children[part]
    key, bracket, _ = last.partition("[")
    if key in here.children or key in here.variables or _may_get(here, key):
        return _End(here, key, bool(bracket))
    return None


def _may_get(here: Instance, key: str) -> bool:
    """Return whether a connection may give an instance a new entry of this name."""
    return EXPANDABLE in here.model and key not in here.model and is_entry(key)


def _complete(a: _End, b: _End) -> bool:
    """Copy the entries of one end to the other one; return whether there was something new."""
    one, other = a.target(), b.target()
    if isinstance(one, Instance) and isinstance(other, Instance):
        return one.is_connector() and other.is_connector() and _unite(one, other)
    missing, given = (a, other) if one is None else (b, one)
    if missing.target() is not None or given is None or missing.element:
        return False
    if isinstance(given, Var):
        _add(missing.instance, missing.key, _signal(given))
        return True
    if given.is_connector():
        _add(missing.instance, missing.key, _bus_like(given))
        return True
    return False


def _unite(a: Instance, b: Instance) -> bool:
    """Exchange the signals of two connectors that are buses; return whether there were new ones."""
    changed = False
    for one, other in ((a, b), (b, a)):
        missing = [key for key in (*one.variables, *one.children) if key not in other.model]
        for key in missing if EXPANDABLE in other.model and one is not other else ():
            variable = one.variables.get(key)
            _add(other, key, _bus_like(one.children[key]) if variable is None else _signal(variable, _ROLES))
            changed = True
    for key in [key for key in a.children if key in b.children]:
        changed |= _unite(a.children[key], b.children[key])
    return changed


def _signal(variable: Var, roles: tuple[str, ...] = ()) -> Var:
    """Return the signal that a bus has of a variable, or of an element of an array; the equations tell its shape."""
    return Var(**{key: variable[key] for key in ("type", "unit", *roles) if variable.get(key) is not None})


def _bus_like(connector: Instance) -> Model:
    """Return a bus inside a bus that takes what a connector has."""
    equality = connector.model.get(EQUALITY)
    return Bus if equality is None else Bus | Model({EQUALITY: equality})


def _add(bus: Instance, key: str, entry: Var | Model) -> None:
    """Add a signal, or an inner bus, to a bus."""
    bus.model = merge(bus.model, Model({key: entry}), bus.path)
    make_children(bus)
    if isinstance(entry, Var):
        bus.variables[key] = entry
        return
    here, levels = bus.children[key], 0
    while here.parent is not None and EXPANDABLE in here.model:
        here, levels = here.parent, levels + 1
    if levels > MAX_LEVELS:
        raise ModelError(
            "a bus is connected with a part of itself",
            path=join(here.path, bus.path[len(here.path) :].strip(".").partition(".")[0]),
            found=f"'{bus.path}.{key}'",
            expected=f"at most {MAX_LEVELS} buses inside each other",
        )


def _check_signals(instance: Instance, entry: tuple[str, ...] | list[str], ends: list[_End | None]) -> None:
    """Refuse a connection that leaves open what a signal of a bus is."""
    text = f"connect({', '.join(entry)})"
    targets = [end.target() if end is not None else None for end in ends]
    for path, target in zip(entry, targets, strict=True):
        if isinstance(target, Instance):
            check_connector(instance, path, target, text)
    for path, end, target in zip(entry, ends, targets, strict=True):
        if end is None or target is not None:
            continue
        if end.element:
            remedy = "Connect the whole array, or declare its shape in the bus: Bus | Model(name=Var(shape=3))."
        else:
            remedy = "Connect it with an input, an output or a connector, or declare it in the bus: Bus | Model(name=Var())."
        raise ModelError(
            f"nothing tells what '{path}' in {text} is",
            path=instance.path,
            found=f"a name that the bus '{end.instance.path}' has from this connection only",
            expected="a signal",
            remedy=remedy.replace("name", end.key),
        )
