"""Signals of a model's simulations that are known before a simulation runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...acausal.abilities import NamesSignals
from ...acausal.protocol import AcausalComponent
from ...symbolic.flat.flat_model import FlatModel
from .signals import relative_name
from .submodel_arrays import elements_of


class Signals:
    """Names of the signals of a model.

    Args:
        flat: the model.

    Attributes:
        flags: names of what its programs set; None where that is not known.
    """

    def __init__(self, flat: FlatModel) -> None:
        self._own = {"time", *flat.variables, *flat.parameters, *flat.arrays}
        self._own |= {f"der({name})" for name in flat.variables}
        self._components, self._shapes = flat.components, flat.shapes
        given = [each.flags() for each in flat.components.values() if isinstance(each, NamesSignals)]
        self.flags: Collection[str] | None = None if None in given else {name for names in given for name in names or ()}

    def has(self, name: str) -> bool:
        """Return whether a signal with this full path may exist; it may have an index."""
        whole, bracket, index = name.rpartition("[")
        if self._shape(name) is not None:
            return True
        shape = self._shape(whole) if bracket else None
        if shape is not None:
            numbers = [int(k) if k.strip().isdigit() else -1 for k in index.removesuffix("]").split(",")]
            return len(numbers) == len(shape) and all(0 <= k < size for k, size in zip(numbers, shape, strict=True))
        return any(not isinstance(one, NamesSignals) or one.has_signal(inner) for one, inner in self._components_of(name))

    def is_array(self, name: str) -> bool:
        """Return whether an existing signal has several elements; False if this is unknown before the run."""
        shape = self._shape(name)
        if shape is not None:
            return shape != ()
        of_components = [(one, inner) for one, inner in self._components_of(name) if isinstance(one, NamesSignals)]
        return any(one.has_signal(f"{inner}[{index}]") for one, inner in of_components for index in ("0", "0,0"))

    def is_number(self, name: str) -> bool:
        """Return whether a signal is known to be a number, not true or false: a signal that components name as their own."""
        if self._shape(name) is not None or self._shape(name.partition("[")[0]) is not None:
            return False
        return any(isinstance(one, NamesSignals) and one.has_signal(inner) for one, inner in self._components_of(name))

    def _shape(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a variable of the equations; None if they have no variable of this name."""
        if name in self._own:
            return self._shapes.get(name.removeprefix("der(").removesuffix(")"), ())
        elements = elements_of(name, self._own)
        return None if elements is None else (*elements[0], *(self._shape(elements[1][0]) or ()))

    def _components_of(self, name: str) -> Iterator[tuple[AcausalComponent, str]]:
        """Generate the components to which a name may belong, each with the name relative to it."""
        for path, component in self._components.items():
            if not path or name.startswith(f"{path}."):
                yield component, name.removeprefix(f"{path}.") if path else name

    def names(self) -> list[str]:
        """Return the names of all known signals, for messages."""
        of_components = (
            relative_name(path, name)
            for path, component in self._components.items()
            if isinstance(component, NamesSignals)
            for name in component.signal_names()
        )
        return [*sorted(self._own), *of_components]
