"""Variables of a system of equations in its memory: a scalar is a row of length one, at a place that is known when the code is
written; places and sizes of arrays, and of what stands behind them, are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from ...model.expression import Expr, Name
from ..kernels.linear_memory import LINEAR
from ..kernels.newton_memory import NEWTON
from ..sorted.parts import Assignment, Call, LinearBlock, NonlinearBlock
from ..sorted.sorted_model import SortedModel
from .arrays import ArrayWriter
from .expressions import Emitter
from .systems import System


class BlockWriter(Protocol):
    """Protocol of the writer of the model, as writers of systems of equations need it.

    Attributes:
        arrays: None in a model of scalars.
        given: index of a block with array unknowns -> i1 value: whether the integrator has supplied its unknowns.
    """

    emitter: Emitter
    arrays: ArrayWriter | None
    model: SortedModel
    given: dict[int, str]

    def simple_block(self, block: Assignment | Call, index: int) -> None:
        """Emit an assignment or a call."""

    def fail_if(self, condition: str, status: str, index: int) -> None:
        """Leave the model with this status where the condition holds."""

    def hoist(self, expr: Expr, varying: Callable[[str], bool]) -> None:
        """Emit here what in ``expr`` does not depend on a varying name."""


@dataclass(frozen=True)
class MemoryAddress:
    """Numbers in memory, so many words behind a pointer."""

    pointer: str
    word: int = 0

    def address(self, emitter: Emitter) -> str:
        """Return the address at which the rows begin."""
        return emitter.address(self.pointer, self.word) if self.word else self.pointer


@dataclass(frozen=True)
class RowVariable:
    """A variable in a row: its place there, and its number of elements if it is an array; both literal or a register."""

    name: str
    place: int | str
    elements: str = ""


class SystemMemory:
    """The memory of a system as writers of code see it.

    Args:
        writer: of the model.
        block: the system.
        index: of the block.
        system: of scalars; None if places and sizes depend on the simulation.

    Attributes:
        pointer: address of its header.
        unknowns, opened: variables of a row, opened ones behind the unknowns.
    """

    def __init__(self, writer: BlockWriter, block: LinearBlock | NonlinearBlock, index: int, system: System | None) -> None:
        self.writer, self.index, self.system = writer, index, system
        self._layout = LINEAR if isinstance(block, LinearBlock) else NEWTON
        if system is not None:
            self.pointer = writer.emitter.address("%workspace", system.offset, "i64")
        else:
            self.pointer = self._arrays.offset("%workspace", self._arrays.word("system", index))
        opened = block.opened if isinstance(block, NonlinearBlock) else ()
        row = [self._variable(name, k) for k, name in enumerate((*block.unknowns, *opened))]
        self.unknowns, self.opened = row[: len(block.unknowns)], row[len(block.unknowns) :]

    @property
    def _arrays(self) -> ArrayWriter:
        assert self.writer.arrays is not None
        return self.writer.arrays

    def _variable(self, name: str, position: int) -> RowVariable:
        if self.system is not None:
            return RowVariable(name, position)
        elements = self._arrays.word("size", Name(name)) if self._arrays.is_array(name) else ""
        return RowVariable(name, self._arrays.word("place", self.index, position), elements)

    def field(self, name: str) -> MemoryAddress:
        """Return one of the rows of the memory."""
        if self.system is not None:
            return MemoryAddress(self.pointer, self.system.field(name))
        word = self._arrays.word("field", self.index, list(self._layout.fields).index(name))
        return MemoryAddress(self._arrays.offset("%workspace", word))

    def address(self, row: MemoryAddress, variable: RowVariable) -> str:
        """Return the address of a variable in a row."""
        if isinstance(variable.place, int):
            return self.writer.emitter.address(row.pointer, row.word + variable.place)
        return self._arrays.offset(row.address(self.writer.emitter), variable.place)

    def load(self, row: MemoryAddress, variable: RowVariable) -> str:
        """Return the value of a scalar in a row."""
        return self.writer.emitter.instruction(f"load double, ptr {self.address(row, variable)}")

    def save(self, value: str, row: MemoryAddress, variable: RowVariable) -> None:
        """Write a scalar to a row."""
        self.writer.emitter.line(f"store double {value}, ptr {self.address(row, variable)}")

    def read(self, variables: Iterable[RowVariable], row: MemoryAddress) -> None:
        """Set variables to their values in this memory."""
        for v in variables:
            if v.elements:
                self._arrays.copy(self.address(row, v), self._arrays.pointer(Name(v.name)), v.elements)
            else:
                self.writer.emitter.bind(v.name, self.load(row, v))

    def write(self, expr: Expr, row: MemoryAddress, variable: RowVariable) -> None:
        """Write an expression of the shape of a variable to the place of that."""
        if variable.elements:
            self._arrays.store(expr, self.address(row, variable), Name(variable.name))
        else:
            self.save(self.writer.emitter.number(expr), row, variable)

    def keep(self, variable: RowVariable, row: MemoryAddress) -> None:
        """Write the present value of a variable to its place."""
        self.write(Name(variable.name), row, variable)


def renamed(variables: Iterable[RowVariable], rename: Callable[[str], str]) -> list[RowVariable]:
    """Return the same places under other names."""
    return [replace(v, name=rename(v.name)) for v in variables]
