"""External functions of the standard library that have a meaning here, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model.expression import ZERO, Const
from .builtins import derivative_of
from .combi_tables import FUNCTIONS
from .random_numbers import FUNCTIONS as RANDOM
from .terms.complex_numbers import complex_number, parts_of
from .terms.context import Context
from .terms.fourier import transformed
from .terms.refusals import Refusal
from .terms.values import Value, boolean, each, integer


def _resource(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return ``loadResource``: the file of an address."""
    address = str(args[0])
    path = reading.source.resource(address) if address.startswith("modelica://") else address
    if path is None:
        raise Refusal(f"the library of '{address}' is not at hand")
    return [str(path)]


def _is_empty(reading: Context, args: Sequence[Value]) -> list[Value]:
    return [boolean(not str(args[0]).strip())]


def _length(reading: Context, args: Sequence[Value]) -> list[Value]:
    return [Const(len(str(args[0])))]


def _substring(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return the part of a text from one position to another, which count from 1."""
    text, begin, end = str(args[0]), *(integer(reading.interpreter.known(a)) for a in args[1:3])
    if not 1 <= begin <= end + 1 or end > len(text):
        raise Refusal(
            "a part of a text lies outside of it", found=f"{begin} to {end} of '{text}'", expected=f"1 to {len(text)}"
        )
    return [text[begin - 1 : end]]


def _find_last(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return the position of a text in another, counted from 1; 0 if it is not there."""
    return [Const(str(args[0]).lower().rfind(str(args[1]).lower()) + 1)]


def _equal(reading: Context, args: Sequence[Value]) -> list[Value]:
    return [boolean(args[0] == args[1])]


def _nothing(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return nothing: what is written to a terminal is left out."""
    return []


def _complex(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return ``Complex(re, im)``; what rewrites made of it."""
    return [each(complex_number, args[0], args[1] if len(args) > 1 else ZERO)]


def _part(name: str) -> Callable[[Context, Sequence[Value]], list[Value]]:
    def part(reading: Context, args: Sequence[Value]) -> list[Value]:
        return [each(lambda z: parts_of(z)[name == "im"], args[0])]

    return part


EXTERNALS: dict[str, Callable[[Context, Sequence[Value]], list[Value]]] = {
    **FUNCTIONS,
    **RANDOM,
    "modia_complex": _complex,
    "modia_der": lambda reading, args: [derivative_of(reading, args[0])],
    "modia_re": _part("re"),
    "modia_im": _part("im"),
    "Modelica.Utilities.Strings.isEmpty": _is_empty,
    "Modelica.Utilities.Strings.length": _length,
    "Modelica.Utilities.Strings.findLast": _find_last,
    "Modelica.Utilities.Strings.substring": _substring,
    "Modelica.Utilities.Strings.isEqual": _equal,
    "Modelica.Utilities.Streams.print": _nothing,
    "Modelica.Utilities.Files.loadResource": _resource,
    "ModelicaServices.ExternalReferences.loadResource": _resource,
}

BY_NAME_IN_C: dict[str, Callable[[Context, Sequence[Value]], list[Value]]] = {"ModelicaFFT_kiss_fftr": transformed}
