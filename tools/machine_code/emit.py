"""The machine code of single kernels, by numba for another processor than this one, as position independent object files.

    python -m tools.machine_code.emit FOLDER

It reads names of modules, one on a line, and answers each with a line of JSON: of each kernel what the index says, and what
keeps those back that are left out. Started by `build` with the processor in numba's environment variables.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core import types

from modia3d.forces.elements.declaration import Declaration
from modiapy.acausal import native
from modiapy.acausal.disk.definitions import Definitions, files_of
from modiapy.acausal.disk.machine_code import key_of
from modiapy.acausal.disk.sources import Sources, packages

from .adapters import adapter
from .common import COMMON

_LIBRARY = frozenset(
    re.findall(
        r"\w+",
        """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fma fmax fmin
    fmod hypot ldexp log log10 log1p log2 memcpy memmove memset nextafter pow round rint sin sincos sinh sqrt tan tanh trunc""",
    )
)
"""Functions of the C library that a kernel may call."""
_KNOWN = ("llvm.", "modia3d_", "Py")
"""Beginnings of other names that are known when the library is loaded."""


class LeftOut(Exception):
    """Error that says why a kernel stays out of the library."""


def declared_in(module: str) -> list[Any]:
    """Return the kernels of a module, and those of force elements declared there."""
    values = [getattr(value, "declared", value) for value in vars(import_module(module)).values()]
    elements = {id(value): value for value in values if isinstance(value, Declaration)}.values()
    kinds = ("wrench", "energy", "loss", "outer_power")
    found = [element.code(what) for element in elements for what in kinds if element.has(what)]
    found += [code for code in native.declared() if code.py_func.__module__ == module]
    return list({key_of(code.py_func): code for code in found}.values())


def kind_of(kind: Any) -> str:
    """Return a type of numba's as the index has it."""
    names = {types.float64: "float64", types.int64: "int64", types.boolean: "bool"}
    if kind in names:
        return names[kind]
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.dtype in names:
        return f"{names[kind.dtype]} {kind.ndim}"
    raise LeftOut(f"type {kind}")


def emit(code: Any, folder: Path, definitions: Definitions) -> dict[str, Any]:
    """Write the object file of a kernel; what the index says about it, and its source files."""
    function = code.py_func
    symbol = f"modia3d_{hashlib.sha256(key_of(function).encode()).hexdigest()[:16]}"
    if isinstance(code, native.Callback):
        symbol = code.symbol or symbol
        made = code.by_numba
        library, inner = made._library, made._wrapper_name
        entry: dict[str, Any] = {"symbol": symbol}
        exported = {inner: symbol}
        module = library._get_module_for_linking().clone()
    else:
        (made,) = code.by_numba.overloads.values()
        library, inner = made.library, made.fndesc.llvm_func_name
        result = made.signature.return_type
        several = isinstance(result, types.BaseTuple)
        results = [] if result == types.none else [kind_of(kind) for kind in (result.types if several else [result])]
        arguments = [kind_of(kind) for kind in made.signature.args]
        entry = {"symbol": symbol, "inner": f"{symbol}_inner", "arguments": arguments, "results": results}
        entry |= {"several": several, "nogil": bool(code.options.get("nogil"))}
        exported = {inner: f"{symbol}_inner", symbol: symbol}
        module = library._get_module_for_linking().clone()
        module.link_in(llvm.parse_assembly(adapter(symbol, inner, arguments, results, several)))
    _close(module, exported)
    target = _target()
    module.triple, module.data_layout = target.triple, str(target.target_data)
    (folder / f"{symbol}.o").write_bytes(target.emit_object(module))
    entry["definition"] = definitions.hash_of_function(function)
    return {"key": key_of(function), "entry": entry, "files": files_of(function)}


def emit_common(folder: Path) -> None:
    """Write the object file of what all kernels share."""
    module, target = llvm.parse_assembly(COMMON), _target()
    module.triple, module.data_layout = target.triple, str(target.target_data)
    (folder / "common.o").write_bytes(target.emit_object(module))


def _close(module: Any, exported: dict[str, str]) -> None:
    """Keep of a module what ``exported`` names, under new names, and what that needs; refuse what is not there at run time."""
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in exported:
            value.linkage = "internal"
    for name, new in exported.items():
        function = module.get_function(name)
        function.linkage = "external"
        function.name = new
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(_target(), llvm.create_pipeline_tuning_options(speed_level=0)))
    for value in (*module.functions, *module.global_variables):
        name = value.name
        if value.is_declaration and not name.startswith(_KNOWN) and name not in _LIBRARY and f"@{name}(" not in COMMON:
            raise LeftOut(f"needs {name}")


def _target() -> Any:
    from numba.core import config

    return llvm.Target.from_default_triple().create_target_machine(
        cpu=config.CPU_NAME or "", features=config.CPU_FEATURES or "", opt=3, reloc="pic", codemodel="default"
    )


def main() -> None:
    """See the module."""
    folder = Path(sys.argv[1])
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    emit_common(folder)
    definitions = Definitions(Sources(packages()))
    for line in sys.stdin:
        made, left_out = [], {}
        for code in declared_in(line.strip()):
            try:
                made.append(emit(code, folder, definitions))
            except LeftOut as reason:
                left_out[key_of(code.py_func)] = str(reason)
        print(json.dumps({"made": made, "left_out": left_out}), flush=True)


if __name__ == "__main__":
    main()
