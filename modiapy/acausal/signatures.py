"""Types of kernels' arguments and results as numba writes them: a signature needs no import of numba."""

from __future__ import annotations


class Kind:
    """A type: called, it is the result of a signature; with slices, an array (``float64[:, ::1]``)."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __call__(self, *arguments: Kind) -> str:
        return f"{self}({', '.join(map(str, arguments))})"

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> Kind:
        each = axes if isinstance(axes, tuple) else (axes,)
        return Kind(f"{self}[{', '.join('::1' if axis.step == 1 else ':' for axis in each)}]")


def CPointer(kind: Kind) -> Kind:
    """A pointer to a type."""
    return Kind(f"CPointer({kind})")


def UniTuple(kind: Kind, size: int) -> Kind:
    """A tuple of ``size`` values of one type."""
    return Kind(f"UniTuple({kind}, {size})")


int32, int64, intp, float64, boolean, void = map(Kind, ("int32", "int64", "intp", "float64", "boolean", "void"))
