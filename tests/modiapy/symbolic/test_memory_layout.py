"""Memory described once: views of Python and accessors of kernels see the same numbers, and fields do not overlap."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from modiapy.acausal.memory_layout import Layout
from modiapy.acausal.native_layout import field_address, field_array
from modiapy.symbolic.kernels.linear_memory import LINEAR
from modiapy.symbolic.kernels.newton_memory import NEWTON, PRESENT
from modiapy.symbolic.kernels.sparse_memory import SPARSE

CASES = {
    "linear": (LINEAR, {"n": 3}),
    "sparse": (SPARSE, {"n": 4, "entries": 7, "colours": 2}),
    "newton": (NEWTON, {"all": 5, "present": 2}),
}


@pytest.mark.parametrize("case", CASES)
def test_kernels_and_python_see_the_same_fields(case: str) -> None:
    layout, sizes = CASES[case]
    memory = np.zeros(layout.words(**sizes), dtype=np.int64)
    for name, value in sizes.items():
        memory[layout.stored[name]] = value
    header = memory[: layout.view(memory, "header", **sizes).size].copy()
    for k, name in enumerate(list(layout.fields)[1:]):
        field_at, address_of = field_array(layout, name), field_address(layout, name)

        @njit
        def write(address, value, field_at=field_at, address_of=address_of):  # type: ignore[no-untyped-def]
            row = field_at(address)
            for i in range(row.size):
                row[i] += value
            return address_of(address) - address

        assert write(memory.ctypes.data, k + 1) == 8 * layout.offset(name, **sizes)
    seen = [header]
    for k, name in enumerate(list(layout.fields)[1:]):
        row = layout.view(memory, name, **sizes)
        assert (row == k + 1).all(), name  # written once: fields do not overlap
        seen.append(row)
    assert sum(row.size for row in seen) == memory.size
    assert np.array_equal(memory[: header.size], header)


def test_a_kernel_may_see_the_first_elements_only() -> None:
    memory = np.zeros(NEWTON.words(all=5, present=2), dtype=np.int64)
    memory[NEWTON.stored["all"]], memory[NEWTON.stored["present"]] = 5, 2
    step_at = field_array(NEWTON, "step", PRESENT)

    @njit
    def length(address):  # type: ignore[no-untyped-def]
        return step_at(address).size

    assert length(memory.ctypes.data) == 2


def test_a_record_that_goes_on_begins_alike() -> None:
    sizes = {"n": 4, "entries": 7, "colours": 2}
    assert all(SPARSE.offset(name, **sizes) == LINEAR.offset(name, n=4) for name in LINEAR.fields)
    assert SPARSE.offset("starts", **sizes) == LINEAR.words(n=4)
    assert isinstance(SPARSE, Layout)
