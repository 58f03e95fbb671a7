"""Functions that only kernels call."""

import pytest
from numba import njit

from modiapy.acausal.native import part

pytestmark = pytest.mark.white_box


def test_numbers_as_arguments_do_not_multiply_the_machine_code() -> None:
    @part
    def power(x, exponent):  # type: ignore[no-untyped-def]
        result = 1.0
        for _ in range(exponent):
            result *= x
        return result

    @njit
    def polynomial(x):  # type: ignore[no-untyped-def]
        return power(x, 3) + power(x, exponent=2) + power(2, 5)

    assert polynomial(3.0) == 27.0 + 9.0 + 32.0
    assert len(power.by_numba.overloads) == 2, "one for a real and one for an integer base"
