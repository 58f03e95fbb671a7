"""Object files from LLVM IR, kept on disk (`modiapy.acausal.disk.checked_file`), and callable machine code from these."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...acausal.disk.cache_folder import cache_dir
from ...acausal.disk.checked_file import read_checked, write_checked
from .compilation_counter import count_emission

_LARGE = 100_000
"""Bytes of IR (about 400 assignments) above which the machine code is not optimised.

Measured with assignments of randomly chosen variables: at 1000 (5000) of them level 1 takes 1.3 s (19 s) to compile and level 0
0.06 s (0.46 s), while the code of level 0 is 10 % slower. Register allocation is what takes the time.
"""

_HUGE = 500_000
"""Bytes of IR above which basic blocks are divided before they become machine code."""

_LONGEST_BLOCK = 1000
"""Instructions of a basic block then. The time for a block grows with the square of its length: 16000 assignments, one block of
70000 instructions, take 32 s, and 0.8 s in parts."""

_binding = threading.Lock()
_collecting: list[dict[str, bytes]] = []


@dataclass(frozen=True)
class ObjectFile:
    """Machine code with unresolved symbols.

    Attributes:
        data: the object file.
        from_cache: whether it was read from disk.
        seconds: time to read or to compile it.
    """

    data: bytes
    from_cache: bool
    seconds: float


class LoadedObject:
    """An object file in memory. The machine code lives as long as this value."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._addresses: dict[str, int] = {}

    def address_of(self, function: str) -> int:
        """Return the address of a function of the object file."""
        address = self._addresses.get(function)
        if address is None:
            address = self._addresses[function] = int(self._engine.get_function_address(function))
        return address


@functools.cache
def _llvm() -> Any:
    import llvmlite.binding as llvm

    with contextlib.suppress(RuntimeError):  # versions that initialise themselves refuse the call
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


def _target_machine(optimisation: int) -> Any:
    llvm = _llvm()
    reloc = "static" if platform.machine().lower() in ("x86_64", "amd64", "i386", "i686") else "default"
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=optimisation,
        reloc=reloc,
        codemodel="jitdefault",
        jit=True,
    )


@functools.cache
def _version() -> str:
    """Return the hash of everything but the IR that decides about the object file."""
    import llvmlite

    llvm = _llvm()
    parts = (
        Path(__file__).read_text("utf-8"),
        llvmlite.__version__,
        str(llvm.llvm_version_info),
        platform.platform(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def object_path(ir: str) -> Path:
    """Return the file of the cache that holds the object of this IR."""
    return cache_dir() / "objects" / _version() / f"{hashlib.sha256(ir.encode()).hexdigest()}.o"


def object_file(ir: str) -> ObjectFile:
    """Return the object file of a module, from the cache or compiled and put there."""
    start = time.perf_counter()
    path = object_path(ir)
    data = read_checked(path)
    found = data is not None
    if data is None:
        data = _compile(ir)
        write_checked(path, data)
    for collection in _collecting:
        collection[f"{path.parent.name}/{path.name}"] = data
    return ObjectFile(data, found, time.perf_counter() - start)


@contextlib.contextmanager
def collected() -> Iterator[dict[str, bytes]]:
    """Collect the object files that are read or compiled within the block, for `provide` in another process or machine."""
    objects: dict[str, bytes] = {}
    _collecting.append(objects)
    try:
        yield objects
    finally:
        _collecting.remove(objects)


def provide(objects: Mapping[str, bytes]) -> None:
    """Put object files into the cache that are not there; those for other processors or versions are left out."""
    for name, data in objects.items():
        version, file = name.split("/")
        path = cache_dir() / "objects" / version / file
        if version == _version() and read_checked(path) is None:
            write_checked(path, data)


def _levels(ir: str) -> tuple[int, int]:
    """Return the levels of optimisation of the IR and of the machine code."""
    return (1, 1) if len(ir) < _LARGE else (1, 0)


def _compile(ir: str) -> bytes:
    llvm = _llvm()
    passes, machine = _levels(ir)
    target = _target_machine(machine)
    module = llvm.parse_assembly(ir)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=passes)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    if len(ir) > _HUGE:
        divided = llvm.parse_assembly(_divided(str(module)))
        divided.triple, divided.data_layout = module.triple, module.data_layout
        module = divided
    count_emission()
    return bytes(target.emit_object(module))


def _divided(ir: str) -> str:
    """Return the IR whose basic blocks have at most `_LONGEST_BLOCK` instructions."""
    return "\ndefine".join(map(_divided_function, ir.split("\ndefine")))


def _divided_function(ir: str) -> str:
    """Return the same for one function, which begins at the start of the text."""
    lines: list[str] = []
    last: dict[str, str] = {}  # of each block the last part
    label, n = "entry", 0
    for line in ir.split("\n"):
        lines.append(line)
        if (begins := _LABEL.match(line)) is not None:
            label, n = begins[1], 0
        elif line.startswith("  %"):
            n += 1
            if n == _LONGEST_BLOCK:
                last[label], n = f"part.{len(lines)}", 0
                lines += [f"  br label %{last[label]}", f"{last[label]}:"]
    if not last:
        return ir
    return "\n".join(_PREDECESSOR.sub(lambda m: f", %{last.get(m[1], m[1])} ]", e) if " = phi " in e else e for e in lines)


_LABEL = re.compile(r'("[^"]*"|[-\w.$]+):')
_PREDECESSOR = re.compile(r', %("[^"]*"|[-\w.$]+) \]')


def load(data: bytes, symbols: Mapping[str, int]) -> LoadedObject:
    """Load an object file into memory.

    Args:
        data: the object file.
        symbols: addresses of its external symbols.
    """
    llvm = _llvm()
    with _binding:  # external symbols are looked up by name in a table of the process while the object is linked
        for symbol, address in symbols.items():
            llvm.add_symbol(symbol, address)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine(1))
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
    return LoadedObject(engine)
