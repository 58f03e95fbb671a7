"""Settings of all tests: in CI hypothesis draws the same examples every time, elsewhere new ones; no example has a deadline.
Linear algebra has one thread: several processes run tests, and more threads would wait for each other."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before anything imports numpy
settings.register_profile("tests", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tests")

LONGEST = [Path(__file__).parent / name for name in ("scenarios", "test_api_reference.py")]
"""Tests that take longest begin: with several processes none is left with one of them while the others have nothing to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(item.path.is_relative_to(path) for path in LONGEST))


def pytest_collection_finish() -> None:
    """Spare the garbage collector twelve thousand tests, which stay until the end, each time it looks at everything."""
    gc.collect()
    gc.freeze()
