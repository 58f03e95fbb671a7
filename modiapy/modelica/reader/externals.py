"""External functions of the standard library that have a meaning here, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .context import Context
from .refusals import Refusal
from .values import Value


def _resource(reading: Context, args: Sequence[Value]) -> list[Value]:
    """``loadResource``: the file of an address."""
    address = str(args[0])
    path = reading.source.resource(address) if address.startswith("modelica://") else address
    if path is None:
        raise Refusal(f"the library of '{address}' is not at hand")
    return [str(path)]


EXTERNALS: dict[str, Callable[[Context, Sequence[Value]], list[Value]]] = {
    "Modelica.Utilities.Files.loadResource": _resource,
    "ModelicaServices.ExternalReferences.loadResource": _resource,
}
