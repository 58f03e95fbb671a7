"""Files of what numba compiled: machine code beside plain data (JSON), without pickle.

A pickle can run whatever its writer wants while it is read. Here a file is a head of JSON (types by name, names, sizes) and two
blobs, object code and LLVM bitcode. What JSON cannot say (types of other kinds, constants that are objects, callbacks) is not
kept on disk; such a function is compiled in each process.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np

_SCALARS = ("boolean", "none", "void", "voidptr", "intp", "uintp", "complex64", "complex128", "float32", "float64") + tuple(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)
_NAMES = ("native", "modname", "qualname", "unique_name", "doc", "inline", "noalias", "env_name", "mangled_name", "uid")
"""Fields of numba's description of a function that are plain data."""


class Unsuitable(Exception):
    """Error raised where a compiled function cannot be written as plain data."""


def packed(key: Any, payload: tuple[Any, ...]) -> bytes:
    """Return the content of a file for what numba's ``CompileResult._reduce`` gave; ``key`` tells it from others.

    Raises:
        Unsuitable: it cannot be said in plain data.
    """
    (name, kind, blobs), described, environment, signature, object_mode, lifted, _, callbacks, environments = payload
    if kind != "object" or object_mode or lifted or callbacks or described.global_dict is not None or described.kws:
        raise Unsuitable
    head = {
        "key": repr(key),
        "library": name,
        "function": {field: _plain(getattr(described, field)) for field in _NAMES},
        "args": _plain(list(described.args)),
        "tags": _plain(list(described.abi_tags)),
        "types": [_type_data(kind) for kind in (described.restype, *described.argtypes)],
        "signature": [_type_data(kind) for kind in (signature.return_type, *signature.args)],
        "environments": [_environment_data(one) for one in (environment, *environments)],
        "sizes": [len(blob) for blob in blobs],
    }
    line = json.dumps(head).encode()
    return b"".join([len(line).to_bytes(8, "little"), line, *blobs])


def unpacked(key: Any, content: bytes) -> tuple[Any, ...] | None:
    """Return the data that `packed` was given; None if the content is something else, or has another key."""
    from numba.core import funcdesc, typing

    try:
        begin = 8 + int.from_bytes(content[:8], "little")
        head = json.loads(content[8:begin])
        if head["key"] != repr(key) or begin + sum(head["sizes"]) != len(content):
            return None
        middle = begin + head["sizes"][0]
        described = funcdesc.PythonFunctionDescriptor.__new__(funcdesc.PythonFunctionDescriptor)
        restype, *argtypes = map(_type, head["types"])
        fields = head["function"] | {"typemap": None, "calltypes": None, "global_dict": None, "kws": (), "restype": restype}
        fields |= {"args": head["args"], "argtypes": tuple(argtypes), "abi_tags": tuple(head["tags"])}
        for field, value in fields.items():
            setattr(described, field, value)
        returned, *args = map(_type, head["signature"])
        signature = typing.Signature(returned, tuple(args), None)
        environment, *environments = map(_environment, head["environments"])
        library = head["library"], "object", (content[begin:middle], content[middle:])
        return library, described, environment, signature, False, (), "", (), tuple(environments)
    except (ValueError, KeyError, TypeError, AttributeError, ImportError):
        return None  # of another version, or it names what is not there any more


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise Unsuitable


def _environment_data(environment: Any) -> list[Any]:
    module = environment.globals.get("__name__")
    if not module:
        raise Unsuitable
    return [module, [_constant_data(one) for one in environment.consts], environment.env_name]


def _constant_data(constant: Any) -> Any:
    return {"dtype": constant.str} if isinstance(constant, np.dtype) and constant.names is None else _plain(constant)


def _constant(data: Any) -> Any:
    return np.dtype(data["dtype"]) if isinstance(data, dict) else data


def _environment(data: list[Any]) -> Any:
    from numba.core import environment

    module, constants, name = data
    found = environment.lookup_environment(name)
    if found is None:
        found = environment.Environment(import_module(module).__dict__)
        found.consts[:] = map(_constant, constants)
        found.env_name = name
        environment.Environment._memo[name] = found
    return found


def _type_data(kind: Any) -> Any:
    from numba.core import types

    for name in _SCALARS if not isinstance(kind, types.Literal) else ():
        if kind == getattr(types, name):
            return name
    if type(kind) is types.Array:
        return {"array": [_type_data(kind.dtype), kind.ndim, kind.layout, not kind.mutable, kind.aligned]}
    if type(kind) in (types.UniTuple, types.Tuple):
        return {"tuple": [_type_data(part) for part in kind.types]}
    if type(kind) is types.CPointer and kind.addrspace is None:
        return {"pointer": _type_data(kind.dtype)}
    if isinstance(kind, types.Literal):
        return {"literal": _plain(kind.literal_value)}
    if type(kind) is types.Omitted:
        return {"omitted": _plain(kind.value)}
    raise Unsuitable


def _type(data: Any) -> Any:
    from numba.core import types

    if isinstance(data, str):
        if data not in _SCALARS:
            raise ValueError(data)
        return getattr(types, data)
    ((what, given),) = data.items()
    if what == "array":
        dtype, ndim, layout, readonly, aligned = given
        return types.Array(_type(dtype), ndim, layout, readonly=readonly, aligned=aligned)
    if what == "tuple":
        return types.Tuple([_type(part) for part in given])
    if what == "pointer":
        return types.CPointer(_type(given))
    return types.literal(given) if what == "literal" else types.Omitted(given)
