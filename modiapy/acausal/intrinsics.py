"""Arrays at addresses and the fields of a `Layout` as kernels see them: the numba side of `native` and `native_layout`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, register_model

from .memory_layout import INT64, Block, Extent, Field, Layout, extent_of

_WORD = ir.IntType(64)


def array_at(name: str, kind: str, width: int) -> Any:
    """Return a function for kernels: what is at an address (int64 or pointer) as an array of a size or shape, not owned."""
    element = getattr(types, kind)

    def view(typingctx: Any, address: Any, size: Any) -> Any:
        pointer, several = isinstance(address, types.CPointer), isinstance(size, types.BaseTuple)
        dimensions = size.count if several else 1

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            shape = cgutils.unpack_tuple(builder, args[1], dimensions) if several else [args[1]]
            strides, items = [ir.Constant(word, width)], shape[-1]
            for extent in reversed(shape[:-1]):
                strides.insert(0, builder.mul(items, ir.Constant(word, width)))
                items = builder.mul(items, extent)
            array = context.make_array(signature.return_type)(context, builder)
            context.populate_array(
                array,
                data=(builder.bitcast if pointer else builder.inttoptr)(args[0], array.data.type),
                shape=shape,
                strides=strides,
                itemsize=ir.Constant(word, width),
                meminfo=None,
            )
            return array._getvalue()

        shape = types.UniTuple(types.int64, dimensions) if several else types.int64
        return types.Array(element, dimensions, "C")(address if pointer else types.int64, shape), generate

    view.__name__ = name
    return intrinsic(view)


class RecordType(types.Type):
    """Type of a record in kernels: its value is the address, its attributes are the fields."""

    def __init__(self, layout: Layout) -> None:
        self.places = _places(layout)
        self.layout = layout
        super().__init__(name=f"record of {', '.join(self.places)}")


@register_model(RecordType)
class _RecordModel(PrimitiveModel):
    def __init__(self, manager: Any, record_type: Any) -> None:
        super().__init__(manager, record_type, _WORD)


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record_type: RecordType, name: str) -> Any:  # type: ignore[override]
        place = record_type.places.get(name)
        return None if place is None else _type(place[0])


@lower_getattr_generic(RecordType)
def _lower_attribute(context: Any, builder: Any, record_type: RecordType, address: Any, name: str) -> Any:
    return _read(context, _Memory(builder, record_type.layout, address), *record_type.places[name])


def record(layout: Layout) -> Any:
    """See `native_layout.record`."""
    result = RecordType(layout)

    def record_at(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ptrtoint(args[0], _WORD) if isinstance(args[0].type, ir.PointerType) else args[0]

        return result(_address_type(address)), generate

    return intrinsic(record_at)


def field_array(layout: Layout, name: str, extent: Extent | int | None = None) -> Any:
    """See `native_layout.field_array`."""
    field = layout.arrays[name]
    if extent is not None:
        field = Field(name, extent, field.kind)

    def array_at(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _read(context, _Memory(builder, layout, args[0]), field, None)

        return _type(field)(_address_type(address)), generate

    array_at.__name__ = f"{name}_at"
    return intrinsic(array_at)


def field_address(layout: Layout, name: str) -> Any:
    """See `native_layout.field_address`."""

    def address_at(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _Memory(builder, layout, args[0]).begin(name, None)

        return types.int64(_address_type(address)), generate

    address_at.__name__ = f"address_of_{name}"
    return intrinsic(address_at)


def _places(layout: Layout) -> dict[str, tuple[Field, str | None]]:
    """Return all fields, and the block that each is in, if it is elsewhere."""
    found: dict[str, tuple[Field, str | None]] = {}
    for name, field in layout.fields.items():
        if isinstance(field, Block):
            found |= {inner: (array, name) for inner, array in field.layout.arrays.items()}
        else:
            found[name] = field, None
    return found


def _address_type(address: Any) -> Any:
    return address if isinstance(address, types.CPointer) else types.int64


def _type(field: Field) -> Any:
    kind = types.int64 if field.kind == INT64 else types.float64
    return types.Array(kind, len(field.dimensions), "C") if field.dimensions else kind


def _read(context: Any, memory: _Memory, field: Field, block: str | None) -> Any:
    """Return a field: a number, or an array."""
    builder, kind = memory.builder, _type(field)
    begin = memory.begin(field.name, block)
    if not field.dimensions:
        return builder.load(builder.inttoptr(begin, context.get_value_type(kind).as_pointer()))
    array = context.make_array(kind)(context, builder)
    shape = [memory.value(dimension) for dimension in field.dimensions]
    strides = [_constant(8)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    context.populate_array(
        array,
        data=builder.inttoptr(begin, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=_constant(8),
        meminfo=None,
    )
    return array._getvalue()


class _Memory:
    """The record at an address, with the sizes and addresses in it, each read where it is first needed."""

    def __init__(self, builder: Any, layout: Layout, address: Any) -> None:
        self.builder, self.layout = builder, layout
        self.address = builder.ptrtoint(address, _WORD) if isinstance(address.type, ir.PointerType) else address
        self.words: dict[int, Any] = {}

    def begin(self, name: str, block: str | None) -> Any:
        """Return the address of a field in the record, or in one of its blocks."""
        if block is None:
            return self._behind(self.address, self.layout.begins[name])
        address = self.word(self.layout.begins[block].value({}))
        return self._behind(address, self.layout.block(block).begins[name])

    def value(self, extent: Extent) -> Any:
        """Return the value of a polynomial in the sizes."""
        builder, total = self.builder, None
        for factors, count in extent.terms.items():
            product = None if count == 1 and factors else _constant(count)
            for factor in factors:
                size = self.word(self.layout.stored[factor])
                product = size if product is None else builder.mul(product, size)
            total = product if total is None else builder.add(total, product)
        return _constant(0) if total is None else total

    def word(self, place: int) -> Any:
        """Return a word of the record."""
        if place not in self.words:
            pointer = self.builder.inttoptr(self._behind(self.address, extent_of(place)), _WORD.as_pointer())
            self.words[place] = self.builder.load(pointer)
        return self.words[place]

    def _behind(self, address: Any, words: Extent) -> Any:
        return self.builder.add(address, self.builder.mul(self.value(words), _constant(8)))


def _constant(value: int) -> Any:
    return ir.Constant(_WORD, value)
