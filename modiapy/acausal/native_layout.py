"""The fields of a `Layout` as kernels see them. This module imports numba; import it only where kernels are defined."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .memory_layout import INT64, Extent, Layout, extent_of


def field_array(layout: Layout, name: str) -> Any:
    """A function for kernels: the field as an array, not owned, of memory at an address.

    Its arguments are the address (int64) and, in the order of ``layout.sizes``, the sizes.
    """
    field = layout.fields[name]
    kind = types.int64 if field.kind == INT64 else types.float64

    def array_at(typingctx: Any, address: Any, *sizes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            given, word = _sizes(builder, layout, args[1]), ir.IntType(64)
            array = context.make_array(signature.return_type)(context, builder)
            context.populate_array(
                array,
                data=builder.inttoptr(_begin(builder, layout, name, args[0], given), array.data.type),
                shape=[_value(builder, extent_of(field.extent), given)],
                strides=[ir.Constant(word, 8)],
                itemsize=ir.Constant(word, 8),
                meminfo=None,
            )
            return array._getvalue()

        return types.Array(kind, 1, "C")(types.int64, _types_of_sizes(layout)), generate

    array_at.__name__ = f"{name}_at"
    return intrinsic(array_at)


def field_address(layout: Layout, name: str) -> Any:
    """A function for kernels with the same arguments as those of `field_array`: the address (int64) of the field; the name
    "end" stands for what follows all fields."""

    def address_at(typingctx: Any, address: Any, *sizes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _begin(builder, layout, name, args[0], _sizes(builder, layout, args[1]))

        return types.int64(types.int64, _types_of_sizes(layout)), generate

    address_at.__name__ = f"address_of_{name}"
    return intrinsic(address_at)


def _types_of_sizes(layout: Layout) -> Any:
    return types.StarArgTuple.from_types(tuple(types.int64 for _ in layout.sizes))


def _sizes(builder: Any, layout: Layout, values: Any) -> dict[str, Any]:
    return dict(zip(layout.sizes, cgutils.unpack_tuple(builder, values, len(layout.sizes)), strict=True))


def _begin(builder: Any, layout: Layout, name: str, address: Any, sizes: dict[str, Any]) -> Any:
    begin = layout.end if name == "end" else layout.begins[name]
    return builder.add(address, builder.mul(_value(builder, begin, sizes), ir.Constant(ir.IntType(64), 8)))


def _value(builder: Any, extent: Extent, sizes: dict[str, Any]) -> Any:
    word = ir.IntType(64)
    total = ir.Constant(word, 0)
    for factors, count in extent.terms.items():
        product = ir.Constant(word, count)
        for factor in factors:
            product = builder.mul(product, sizes[factor])
        total = builder.add(total, product)
    return total
