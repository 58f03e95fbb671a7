"""C functions around kernels that Python calls: arguments are arrays as CPython has them in memory, and numbers.

``int32 f(PyObject* or double or int64 each argument, int64* results)``. An array must be of the very type of numpy's arrays, of
the expected elements and dimensions, one element behind the other and writable; else nothing is done: status `REFUSED`.
Results are words: a number, or of an array its owner, its elements and its shape. The fields of ``PyArrayObject`` have been in
this order since numpy's first version.
"""

from __future__ import annotations

from collections.abc import Sequence

from modiapy.acausal.disk.machine_code import REFUSED, SYMBOL_OF_TYPES, TYPES, python_layout

_HEAD = python_layout()
_TYPE, _DATA, _DIMENSIONS, _SHAPE, _ELEMENT, _FLAGS = (_HEAD + at for at in (-8, 0, 8, 16, 40, 48))
_PLAIN = 0x501
"""Flags of an array: NPY_ARRAY_C_CONTIGUOUS, .._ALIGNED, .._WRITEABLE."""

_INNER = {"float64": "double", "int64": "i64", "bool": "i8"}
_WIDTH = {"float64": 8, "int64": 8, "bool": 1}


def array_of(kind: str) -> tuple[str, int]:
    """Return the element and number of dimensions of an argument or result, 0 of a number."""
    element, _, dimensions = kind.partition(" ")
    return element, int(dimensions or 0)


class _Body:
    """Lines of a function, with names for values."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def new(self, text: str) -> str:
        self._count += 1
        self.line(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def field(self, base: str, offset: int, kind: str) -> str:
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i8, ptr {base}, i64 {offset}')}")

    def require(self, condition: str) -> None:
        self._count += 1
        self.line(f"br i1 {condition}, label %go{self._count}, label %refused")
        self.lines.append(f"go{self._count}:")

    def type_word(self, name: str) -> str:
        return self.field(f"@{SYMBOL_OF_TYPES}", 8 * TYPES.index(name), "i64")


def _array(body: _Body, name: str, kind: str) -> list[str]:
    """Return the arguments that numba makes of an array: owner, parent, number and size of elements, data, shape, strides."""
    element, dimensions = array_of(kind)
    flags = body.new(f"and i32 {body.field(name, _FLAGS, 'i32')}, {_PLAIN}")
    for found, expected in (
        (body.field(name, _TYPE, "i64"), body.type_word("array")),
        (body.field(name, _ELEMENT, "i64"), body.type_word(element)),
    ):
        body.require(body.new(f"icmp eq i64 {found}, {expected}"))
    for found, number in ((body.field(name, _DIMENSIONS, "i32"), dimensions), (flags, _PLAIN)):
        body.require(body.new(f"icmp eq i32 {found}, {number}"))
    places = body.field(name, _SHAPE, "ptr")
    shape = [body.field(places, 8 * k, "i64") for k in range(dimensions)]
    strides, size = [str(_WIDTH[element])], shape[-1]
    for extent in reversed(shape[:-1]):
        strides.insert(0, body.new(f"mul i64 {size}, {_WIDTH[element]}"))
        size = body.new(f"mul i64 {size}, {extent}")
    words = [f"i64 {each}" for each in (*shape, *strides)]
    return ["ptr null", "ptr null", f"i64 {size}", f"i64 {_WIDTH[element]}", f"ptr {body.field(name, _DATA, 'ptr')}", *words]


def _type_of(kind: str) -> str:
    """Return the type of a result in memory."""
    element, dimensions = array_of(kind)
    if not dimensions:
        return _INNER[element]
    return f"{{ptr, ptr, i64, i64, ptr, [{dimensions} x i64], [{dimensions} x i64]}}"


def _store_result(body: _Body, kind: str, place: str, at: int) -> int:
    """Write a result to the words from ``at`` on; the place behind it."""

    def store(kind: str, value: str) -> None:
        nonlocal at
        body.line(f"store {kind} {value}, ptr {body.new(f'getelementptr i64, ptr %results, i64 {at}')}")
        at += 1

    element, dimensions = array_of(kind)
    if dimensions:
        store("ptr", body.field(place, 0, "ptr"))
        store("ptr", body.field(place, 32, "ptr"))
        for k in range(dimensions):
            store("i64", body.field(place, 40 + 8 * k, "i64"))
    elif element == "bool":
        store("i64", body.new(f"zext i8 {body.field(place, 0, 'i8')} to i64"))
    else:
        store(_INNER[element], body.field(place, 0, _INNER[element]))
    return at


def adapter(symbol: str, inner: str, arguments: Sequence[str], results: Sequence[str], several: bool) -> str:
    """Return the IR of the adapter ``symbol`` of the kernel ``inner``; arguments and results as `machine_code.Code` has
    them.
    """
    body = _Body()
    given, passed, kinds = [], [], []
    for k, kind in enumerate(arguments):
        element, dimensions = array_of(kind)
        outer = "ptr" if dimensions else "double" if element == "float64" else "i64"
        given.append(f"{outer} %a{k}")
        if dimensions:
            passed += _array(body, f"%a{k}", kind)
        elif element == "bool":
            passed.append(f"i8 {body.new(f'trunc i64 %a{k} to i8')}")
        else:
            passed.append(f"{outer} %a{k}")
    kinds = [part.split(" ")[0] for part in passed]
    made = [_type_of(kind) for kind in results]
    alike = len(set(made)) == 1
    returned = (
        f"[{len(made)} x {made[0]}]" if several and alike else f"{{{', '.join(made)}}}" if several else (made or ["ptr"])[0]
    )
    body.line(f"store {returned} zeroinitializer, ptr %made")
    status = body.new(f'call i32 @"{inner}"({", ".join(["ptr %made", "ptr %error", *passed])})')
    body.require(body.new(f"icmp eq i32 {status}, 0"))
    at = 0
    for k, kind in enumerate(results):
        place = body.new(f"getelementptr {returned}, ptr %made, i32 0, i32 {k}") if several else "%made"
        at = _store_result(body, kind, place, at)
    head = [
        f"@{SYMBOL_OF_TYPES} = external global [{len(TYPES)} x i64]",
        f'declare i32 @"{inner}"({", ".join(["ptr", "ptr", *kinds])})',
        f"define i32 @{symbol}({', '.join([*given, 'ptr %results'])}) nounwind {{",
        "entry:",
        f"  %made = alloca {returned}",
        "  %error = alloca ptr",
        "  store ptr null, ptr %error",
    ]
    return "\n".join([*head, *body.lines, "  ret i32 0", "refused:", f"  ret i32 {REFUSED}", "}"])
