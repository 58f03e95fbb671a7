"""Memory described once: views of Python and accessors of kernels see the same numbers, and fields do not overlap."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from modiapy.acausal import CONTEXT, Slot
from modiapy.acausal.memory_layout import INT64, Block, Field, Layout, elsewhere, size
from modiapy.acausal.native_layout import field_address, field_array, record
from modiapy.symbolic.kernels.linear_memory import LINEAR
from modiapy.symbolic.kernels.newton_memory import NEWTON, PRESENT
from modiapy.symbolic.kernels.sparse_memory import SPARSE

pytestmark = pytest.mark.white_box

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


N, M = size("n"), size("m")
OUTER = CONTEXT.followed_by(
    Field("n", (), INT64),
    Field("m", (), INT64),
    elsewhere("table", (N, 3)),
    Block("memory", Layout(Field("a", M), Field("square", (N - 1, N - 1)), Field("marks", (2 * M, N), INT64))),
    Field("inner", (N, 2)),
)


def test_sizes_and_addresses_of_a_record_stand_in_it() -> None:
    sizes = {"n": 4, "m": 3}
    table, block = np.arange(12.0).reshape(4, 3), OUTER.block("memory")
    memory = np.zeros(block.words(**sizes))
    views = block.views(memory, **sizes)
    assert {name: (view.shape, view.dtype) for name, view in views.items()} == {
        "a": ((3,), np.float64),
        "square": ((3, 3), np.float64),
        "marks": ((6, 4), np.int64),
    }
    outer = np.zeros(OUTER.words(n_x=0, n_z=0, **sizes), np.int64)
    own = Layout(*list(OUTER.fields.values())[-5:])
    head = own.head(**sizes, table=table, memory=memory)
    assert head == [4, 3, table.ctypes.data, memory.ctypes.data]
    outer[Slot.DATA : Slot.DATA + len(head)] = head
    outer[Slot.TIME] = np.array(2.5).view(np.int64)
    fields = record(OUTER)

    @njit
    def use(address):  # type: ignore[no-untyped-def]
        s = fields(address)
        s.a[2], s.square[2, 1], s.marks[5, 3], s.inner[3, 1] = s.time, s.table[3, 2], s.n * s.m, s.table[1, 0]
        return s.square.shape, s.marks.size, s.inner.shape[0]

    assert use(outer.ctypes.data) == ((3, 3), 24, 4)
    assert (views["a"][2], views["square"][2, 1], views["marks"][5, 3]) == (2.5, 11.0, 12)
    assert OUTER.view(outer, "inner", n=4)[3, 1] == 3.0
    assert np.count_nonzero(memory.view(np.int64)) == 3


def test_new_memory_comes_with_the_fields_that_are_wanted() -> None:
    sizes, block = {"n": 4, "m": 3, "others": 2}, OUTER.block("memory")
    memory, marks, square = block.zeros("marks", "square", **sizes)
    assert memory.size == block.words(**sizes)
    assert not memory.any()
    marks[5, 3], square[0, 1] = 7, 2.5
    known = block.views(memory, "square", "marks", **sizes)
    assert (known["square"].shape, known["marks"].shape) == (square.shape, marks.shape)
    assert (known["square"][0, 1], known["marks"][5, 3]) == (2.5, 7)
    assert np.count_nonzero(memory) == 2
    assert block.zeros(**sizes)[0].size == memory.size


def test_what_cannot_be_written_has_an_address_and_nothing_has_none() -> None:
    table = np.zeros((4, 3))
    table.flags.writeable = False
    own = Layout(*list(OUTER.fields.values())[-5:])
    assert own.head(n=4, m=3, table=table) == [4, 3, table.ctypes.data, 0]
    assert own.head(n=0, m=3, table=np.zeros((0, 3))) == [0, 3, 0, 0]


def test_slots_of_the_protocol_are_a_record() -> None:
    for name in ("time", "mode", "x", "der", "z", "n_x", "n_z", "x_offset", "z_offset"):
        assert CONTEXT.offset(name) == Slot[name.upper()]
    assert CONTEXT.words() == Slot.DATA


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"table": np.zeros((4, 2))}, r"table: 8 numbers float64, expected 12 float64"),
        ({"table": np.zeros((4, 3), np.int64)}, r"table: 12 numbers int64, expected 12 float64"),
        ({"table": np.zeros((3, 4)).T}, r"table: numbers that do not lie one behind the other"),
    ],
)
def test_what_does_not_fit_the_record_is_refused(wrong: dict[str, np.ndarray], message: str) -> None:
    own = Layout(*list(OUTER.fields.values())[-5:])
    with pytest.raises(ValueError, match=message):
        own.head(n=4, m=3, **wrong)


def test_names_that_the_record_does_not_have_are_refused() -> None:
    with pytest.raises(TypeError, match="tables"):
        Layout(*list(OUTER.fields.values())[-5:]).head(n=4, m=3, tables=np.zeros((4, 3)))


def test_sizes_that_nobody_gave_are_missing() -> None:
    with pytest.raises(TypeError, match="missing"):
        OUTER.block("memory").views(np.zeros(100), m=1)
