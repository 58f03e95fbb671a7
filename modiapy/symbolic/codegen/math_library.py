"""Functions of the C library that Python's `math` uses, as machine code calls them."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys


@functools.cache
def _math_library() -> ctypes.CDLL:
    """Return the C library that Python's `math` uses."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    library = ctypes.CDLL(None)
    return library if hasattr(library, "atan2") else ctypes.CDLL(ctypes.util.find_library("m"))


def math_address(name: str) -> int:
    """Return the address of a function of the C library, e.g. ``"sin"``."""
    return ctypes.cast(getattr(_math_library(), name), ctypes.c_void_p).value or 0
