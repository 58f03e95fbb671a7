"""The signals that simulations of a model have, known before one of them runs."""

from __future__ import annotations

from collections.abc import Collection

from ...acausal.abilities import NamesSignals
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
        self._components = flat.components
        given = [each.flags() for each in flat.components.values() if isinstance(each, NamesSignals)]
        self.flags: Collection[str] | None = None if None in given else {name for names in given for name in names or ()}

    def has(self, name: str) -> bool:
        """Return whether there may be a signal of this full path, which may have an index."""
        whole = name.rpartition("[")[0]
        return any(
            each in self._own or elements_of(each, self._own) is not None or self._of_component(each)
            for each in filter(None, (name, whole))
        )

    def _of_component(self, name: str) -> bool:
        """Return whether a component may have it; one that does not know its signals may have any."""
        for path, component in self._components.items():
            if path and not name.startswith(f"{path}."):
                continue
            if not isinstance(component, NamesSignals) or component.has_signal(name.removeprefix(f"{path}.") if path else name):
                return True
        return False

    def names(self) -> list[str]:
        """Return all that are known, for messages."""
        of_components = (
            relative_name(path, name)
            for path, component in self._components.items()
            if isinstance(component, NamesSignals)
            for name in component.signal_names()
        )
        return [*sorted(self._own), *of_components]
