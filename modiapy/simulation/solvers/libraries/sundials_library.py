"""SUNDIALS libraries that the scikit-sundae wheel bundles, loaded through ctypes.

Calls from Python are short and keep Python's lock: to release and take it again would cost more than the call, and wakes each
thread that waits for it. Long computations, the loop over the steps, do not go through these functions (`step_loop`).
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

P, D, I = ctypes.c_void_p, ctypes.c_double, ctypes.c_int
L = ctypes.c_long
_VERSION = 7
_INDEX = ctypes.c_int64  # passed by value in a register: right for 32-bit sunindextype too
Prototypes = dict[str, dict[str, tuple[Any, ...]]]
"""library: function: (result, *arguments)"""

_COMMON: Prototypes = {
    "core": {
        "SUNDIALSGetVersionNumber": (I, P, P, P, ctypes.c_char_p, I),
        "SUNContext_Create": (I, I, P),
        "SUNContext_Free": (I, P),
        "SUNContext_ClearErrHandlers": (I, P),
        "SUNLinSolInitialize": (I, P),
        "SUNLinSolSetup": (I, P, P),
        "SUNLinSolSolve": (I, P, P, P, P, D),
        "SUNLinSolFree": (I, P),
        "SUNMatDestroy": (None, P),
        "N_VDestroy": (None, P),
        "N_VGetArrayPointer": (P, P),
    },
    "nvecserial": {"N_VMake_Serial": (P, _INDEX, P, P)},
    "sunmatrixdense": {"SUNDenseMatrix": (P, _INDEX, _INDEX, P), "SUNDenseMatrix_Data": (P, P)},
    "sunlinsoldense": {
        "SUNLinSol_Dense": (P, P, P, P),
        "SUNLinSolGetType_Dense": (I, P),
        "SUNLinSolSetup_Dense": (I, P, P),
        "SUNLinSolSolve_Dense": (I, P, P, P, P, D),
    },
}


def _integrator(prefix: str, special: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    """Return the prototypes of the functions that both integrators have, with their prefix, and of ``special`` ones."""
    common: dict[str, tuple[Any, ...]] = {
        "SStolerances": (I, P, D, D),
        "SVtolerances": (I, P, D, P),
        "SetLinearSolver": (I, P, P, P),
        "SetUserData": (I, P, P),
        "SetMinStep": (I, P, D),
        "SetMaxStep": (I, P, D),
        "SetStopTime": (I, P, D),
        "SetNonlinConvCoef": (I, P, D),
        "SetMaxErrTestFails": (I, P, I),
        "SetJacFn": (I, P, P),
        "GetIntegratorStats": (I, *[P] * 11),
        "GetNumJacEvals": (I, P, P),
        "GetNumStepSolveFails": (I, P, P),
        "GetLastOrder": (I, P, P),
        "GetEstLocalErrors": (I, P, P),
        "GetErrWeights": (I, P, P),
        "GetCurrentTime": (I, P, P),
        "GetDky": (I, P, D, I, P),
        "Free": (None, P),
    }
    return {name if name.startswith("SUN") else f"{prefix}{name}": prototype for name, prototype in (common | special).items()}


_INTEGRATORS: Prototypes = {
    "cvode": _integrator(
        "CVode",
        {
            "Create": (P, I, P),
            "Init": (I, P, P, D, P),
            "ReInit": (I, P, D, P),
            "SetStabLimDet": (I, P, I),
            "SetMaxHnilWarns": (I, P, I),
            "SetProjFn": (I, P, P),
            "SetNonlinearSolver": (I, P, P),
            "SetJacEvalFrequency": (I, P, L),
            "SetLinSysFn": (I, P, P),
            "GetNumLinRhsEvals": (I, P, P),
            "": (I, P, D, P, P, I),
            "SUNNonlinSol_FixedPoint": (P, P, I, P),
            "SUNNonlinSolFree_FixedPoint": (I, P),
        },
    ),
    "ida": _integrator(
        "IDA",
        {
            "Create": (P, P),
            "Init": (I, P, P, D, P, P),
            "ReInit": (I, P, D, P, P),
            "GetNumLinResEvals": (I, P, P),
            "Solve": (I, P, D, P, P, P, I),
        },
    ),
}

_OPTIONAL = {"openblas_set_num_threads", "omp_set_num_threads"}  # of what a library depends on

_LINEAR: Prototypes = {
    "core": {"SUNMatNewEmpty": (P, P), "SUNLinSolNewEmpty": (P, P)},
    "sunmatrixsparse": {
        "SUNSparseMatrix": (P, _INDEX, _INDEX, _INDEX, I, P),
        "SUNSparseMatrix_Data": (P, P),
        "SUNSparseMatrix_IndexPointers": (P, P),
        "SUNSparseMatrix_IndexValues": (P, P),
    },
    "sunlinsolsuperlumt": {
        "SUNLinSol_SuperLUMT": (P, P, P, I, P),
        "SUNLinSolGetType_SuperLUMT": (I, P),
        "SUNLinSolSetup_SuperLUMT": (I, P, P),
        "openblas_set_num_threads": (None, I),
        "omp_set_num_threads": (None, I),
    },
    "sunmatrixband": {"SUNBandMatrix": (P, _INDEX, _INDEX, _INDEX, P)},
    "sunlinsolband": {"SUNLinSol_Band": (P, P, P, P)},
}


@functools.cache
def libraries(integrator: str = "cvode") -> SimpleNamespace | None:
    """Return the functions with their prototypes, and the address of ``N_VGetArrayPointer`` as ``array_pointer_address``.

    None where the libraries are not found or have another version.

    Args:
        integrator: "cvode" or "ida".
    """
    functions = SimpleNamespace()
    if not _load({**_COMMON, integrator: _INTEGRATORS[integrator]}, functions):
        return None
    numbers = [ctypes.c_int() for _ in range(3)]
    functions.array_pointer_address = ctypes.cast(functions.N_VGetArrayPointer, P).value
    functions.SUNDIALSGetVersionNumber(*map(ctypes.byref, numbers), ctypes.create_string_buffer(64), 64)
    return functions if numbers[0].value == _VERSION else None


@functools.cache
def linear_library(name: str) -> SimpleNamespace | None:
    """Return the functions of a library of matrices or linear solvers, e.g. "sunlinsolband"; None where it is not found."""
    functions = SimpleNamespace()
    if not _load({name: _LINEAR[name]}, functions):
        return None
    if hasattr(functions, "openblas_set_num_threads"):
        functions.openblas_set_num_threads(1)  # its blocks are small: with threads it took 10 times as long
    return functions


def _load(prototypes: Prototypes, functions: SimpleNamespace) -> bool:
    folder = _library_folder()
    if folder is None:
        return False
    try:
        for name, contents in prototypes.items():
            mode = ctypes.RTLD_LOCAL if name in _LINEAR else ctypes.RTLD_GLOBAL  # SuperLU brings a BLAS of its own
            library = ctypes.PyDLL(str(_library_file(folder, name)), mode=mode)
            for function, (result, *arguments) in contents.items():
                if function in _OPTIONAL and not hasattr(library, function):
                    continue
                pointer = getattr(library, function)
                pointer.restype, pointer.argtypes = result, arguments
                setattr(functions, function, pointer)
    except (OSError, AttributeError):
        return False
    return True


def _library_folder() -> Path | None:
    spec = importlib.util.find_spec("sksundae")  # finds, does not import: that would load OpenBLAS
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    folders = [package.parent / "scikit_sundae.libs", package / ".dylibs"]
    found = next((f for f in folders if any(f.glob("*sundials_core*"))), None)
    if found is not None and sys.platform == "win32":
        import os

        os.add_dll_directory(str(found))
    return found


def _library_file(folder: Path, name: str) -> Path:
    for pattern in (f"*sundials_{name}-*", f"*sundials_{name}.*"):
        for path in sorted(folder.glob(pattern)):
            return path
    raise OSError(f"no library sundials_{name} in {folder}")


def not_null(pointer: int | None) -> int:
    """Check a pointer and return it. Raises MemoryError if it is null."""
    if not pointer:
        raise MemoryError("SUNDIALS could not allocate memory")
    return pointer
