"""Array expressions as LLVM IR: loops over elements, calls of kernels; all sizes and offsets are loaded from memory.

An array value is the address of its elements, one after the other. A tree of operators that work element by element becomes
one loop, so does a reduction such as a sum; products call `array_kernels`; subscripts and transpositions copy by a list of
indices, which lies in memory as well. Where which array lies is decided by `array_layout` when a simulation begins.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping

from ...model.entry import How
from ...model.errors import ModelError
from ...model.expression import Apply, Const, Expr, Name, Operator, is_array_operator, neg, postorder, rewrite
from ...model.language import FILL, PART, SUBSCRIPT, entry_of
from ...model.parser import parse
from ..sorted.sorted_model import SortedModel
from ..terms.arrays import Shape, element_names, index_of, shape_at, shape_of, size
from ..terms.names import is_before
from .array_layout import Word
from .expressions import Emitter, double
from .external import ArrayCall
from .functions import write_call

MEMCPY = "llvm.memcpy.p0.p0.i64"


class ArrayWriter:
    """Emits array expressions.

    Args:
        emitter: of the model; ``%arrays`` (memory) and ``%words`` (sizes and offsets) are loaded at its entry.
        model: that is translated.

    Attributes:
        words: what the code expects at ``%words``, in this order.
        calls: users' functions of arrays that the code calls, by external symbol.
    """

    def __init__(self, emitter: Emitter, model: SortedModel) -> None:
        self.emitter, self.model = emitter, model
        self.shapes: Mapping[str, Shape] = model.flat.shapes
        self.words: list[Word] = []
        self.calls: dict[str, ArrayCall] = {}
        self._word_index: dict[Word, int] = {}
        self._names: dict[Expr, Name] = {}
        self._kept: list[Expr] = []
        self._states = set(model.states)
        self._writers: dict[How, Callable[[Apply, str], None]] = {
            How.PRODUCT: self._product,
            How.ELEMENTS: self._elements,
            How.ROWS: self._rows,
            How.PARTS: self._parts,
            How.GATHER: self._gather,
            How.SPREAD: lambda expr, target: self.store(expr.args[0], target, expr),
        }

    # -- what is an array -------------------------------------------------------------------------------------------------

    def shape(self, expr: Expr) -> Shape:
        """Return the shape of an expression."""
        return shape_of(expr, self.shapes)

    def is_array(self, name: str) -> bool:
        """Return whether a name stands for an array."""
        return bool(shape_at(name, self.shapes))

    # -- numbers that depend on shapes ------------------------------------------------------------------------------------

    def word(self, kind: str, what: Expr | int, position: int = 0) -> str:
        """Return the value of a word, see `array_layout.Word`."""
        index = self._index_of((kind, what, position))
        return self.emitter.once(("word", str(index)), lambda: self.emitter.load("%words", index, "i64"))

    def row_length(self) -> int:
        """Return the index of the word that holds the number of unknowns, elements of arrays counted."""
        return self._index_of(("unknowns", 0, 0))

    def _index_of(self, word: Word) -> int:
        if word not in self._word_index:
            self._word_index[word] = len(self.words)
            self.words.append(word)
        return self._word_index[word]

    def offset(self, base: str, words: str) -> str:
        """Return the address of a number so many words after ``base``."""
        return self.emitter.instruction(f"getelementptr double, ptr {base}, i64 {words}", "p")

    def integer(self, address: str) -> str:
        """Return an address as a number."""
        return self.emitter.instruction(f"ptrtoint ptr {address} to i64")

    # -- scalars made of arrays -------------------------------------------------------------------------------------------

    def reduced(self, node: Apply) -> str:
        """Return the value of an operator that makes a scalar of arrays: an element, a sum, a scalar product."""
        return self.emitter.once(self._name_of(node).name, lambda: self._reduced(node))

    def _reduced(self, node: Apply) -> str:
        emitter, op = self.emitter, node.op
        if type(op) is Operator and not self.shape(node):
            return emitter.load(self.result(node), 0)
        if self.shape(node):
            raise ModelError(f"'{node}' is an array", found=f"shape {self.shape(node)}", expected="a scalar")
        how, joined, start = entry_of(op).code
        if how is How.FOLD:
            address, n = self.pointer(node.args[0]), self.word("size", node.args[0])
            return self.fold(n, double(start), lambda i, so_far: emitter.operation(joined, so_far, self.element(address, i)))
        if entry_of(op) is SUBSCRIPT:
            return emitter.load(self.offset(self.pointer(node.args[0]), self.word("first", node)), 0)
        result = self.offset("%arrays", self.word("memory", node))
        self._writers[how](node, result)
        return emitter.load(result, 0)

    def _name_of(self, expr: Expr) -> Name:
        return self._names.setdefault(expr, Name(f"array.{len(self._names)}"))

    def _keep(self, expr: Expr) -> Expr:
        """Return the expression, kept: the emitter knows expressions by their identity, so they have to live as long."""
        self._kept.append(expr)
        return expr

    # -- arrays -----------------------------------------------------------------------------------------------------------

    def pointer(self, expr: Expr) -> str:
        """Return the address of the elements of an array."""
        key = ("array", self._name_of(expr).name)
        return self.emitter.once(key, lambda: self._variable(expr.name) if type(expr) is Name else self._value(expr))

    def _variable(self, name: str) -> str:
        if is_before(name):
            return self.offset("%modes", self.word("past", Name(name)))
        if name in self._states:
            return self.offset("%x", self.word("state", Name(name)))
        alias = self.model.aliases.get(name)
        if alias is None:
            return self.offset("%arrays", self.word("memory", Name(name)))
        return self.pointer(Name(alias.of) if alias.sign > 0 else neg(Name(alias.of)))

    def _value(self, expr: Expr) -> str:
        if type(expr) is Apply and type(expr.op) is Operator and expr.op.of_arrays:
            return self.result(expr)
        if type(expr) is Apply and entry_of(expr.op) is SUBSCRIPT and self._is_stretch(expr):
            return self.offset(self.pointer(expr.args[0]), self.word("first", expr))
        result = self.offset("%arrays", self.word("memory", expr))
        self.store(expr, result)
        return result

    def _is_stretch(self, expr: Apply) -> bool:
        """Return whether a subscript picks elements that lie one after the other, whatever the sizes are."""
        index = index_of(expr.op)
        rank = len(self.shape(expr.args[0]))
        last = index[-1]
        if len(index) == rank == 2 and not isinstance(index[0], int):
            return False
        return isinstance(last, int) or last.step in (None, 1)

    def assign(self, variable: str, expr: Expr) -> None:
        """Write the assignment ``variable := expr``."""
        self.store(expr, self.pointer(Name(variable)), Name(variable))

    def store(self, expr: Expr, target: str, like: Expr | None = None) -> None:
        """Write the elements of an array expression to the address ``target``; ``like`` has its shape."""
        if type(expr) is Apply and is_array_operator(expr.op) and entry_of(expr.op) is not FILL:
            if type(expr.op) is Operator:
                self.copy(self.result(expr), target, self.word("size", expr))
            else:
                self._writers[entry_of(expr.op).code.how](expr, target)
        else:
            self._elementwise(expr, target, self.word("size", like or expr))

    def copy(self, source: str, target: str, elements: str) -> None:
        """Copy so many elements."""
        emitter = self.emitter
        emitter.declarations[MEMCPY] = f"declare void @{MEMCPY}(ptr, ptr, i64, i1)"
        n = emitter.instruction(f"shl i64 {elements}, 3")
        emitter.line(f"call void @{MEMCPY}(ptr {target}, ptr {source}, i64 {n}, i1 false)")

    def result(self, node: Apply) -> str:
        """Return the address of a result of a user's function of arrays; one call writes all results."""
        operator = node.op
        assert type(operator) is Operator
        results = [Apply(Operator(str(operator), operator.function, k), node.args) for k in range(operator.function.outputs)]
        key = ("call", self._name_of(results[0]).name)
        self.emitter.once(key, lambda: write_call(self, operator, results))
        return self.offset("%arrays", self.word("memory", results[operator.result]))

    def _product(self, expr: Apply, target: str) -> None:
        emitter = self.emitter
        emitter.declarations["array_product"] = "declare void @array_product(i64, i64, i64, i64, i64, i64) nounwind"
        addresses = [self.integer(p) for p in (target, self.pointer(expr.args[0]), self.pointer(expr.args[1]))]
        sizes = [self.word(kind, expr) for kind in ("rows", "inner", "columns")]
        emitter.line(f"call void @array_product({', '.join(f'i64 {v}' for v in (*addresses, *sizes))})")

    def _elements(self, expr: Apply, target: str) -> None:
        emitter, entry = self.emitter, entry_of(expr.op)
        names = element_names(entry.names, dict(zip(entry.names, map(self.shape, expr.args), strict=True)))
        loads = [emitter.load(self.pointer(a), k) for a in expr.args for k in range(size(self.shape(a)))]
        values = dict(zip(names, loads, strict=True))
        for k, rule in enumerate(_formulas(entry.code.what)):
            emitter.store(emitter.formula(rule, values), target, k)

    def _rows(self, expr: Apply, target: str) -> None:
        emitter = self.emitter
        row = max(expr.args, key=lambda a: len(self.shape(a)))
        if not self.shape(row):
            for k, a in enumerate(expr.args):
                emitter.store(emitter.number(a), target, k)
            return
        n = self.word("size", row)
        for k, a in enumerate(expr.args):
            self.store(a, self.offset(target, emitter.instruction(f"mul i64 {n}, {k}")), row)

    def _parts(self, expr: Apply, target: str) -> None:
        emitter = self.emitter
        for a in expr.args:
            if self.shape(a):
                self.store(a, target)
                target = self.offset(target, self.word("size", a))
            else:
                emitter.store(emitter.number(a), target, 0)
                target = emitter.address(target, 1)

    def _gather(self, expr: Apply, target: str) -> None:
        source = self.pointer(expr.args[0])
        indices = self.offset("%arrays", self.word("gather", expr))

        def element(i: str) -> str:
            emitter = self.emitter
            place = emitter.instruction(f"getelementptr i64, ptr {indices}, i64 {i}", "p")
            k = emitter.instruction(f"load i64, ptr {place}")
            return emitter.instruction(f"load double, ptr {self.offset(source, k)}")

        self.loop(self.word("size", expr), target, element)

    def _elementwise(self, expr: Expr, target: str, n: str) -> None:
        """Write one loop for a tree of operators that work element by element."""
        emitter = self.emitter
        arrays: dict[str, str] = {}

        def leaf(node: Expr) -> Expr | None:
            if type(node) is Apply and entry_of(node.op) is FILL:
                return node.args[0]
            if type(node) is Apply:
                whole = is_array_operator(node.op) or self.emitter.knows(("array", self._name_of(node).name))
            else:
                whole = type(node) is Name and self.is_array(node.name)
            if not whole:
                return None
            if not self.shape(node):
                return node
            element = f"{self._name_of(node).name}.element"
            arrays[element] = self.pointer(node)
            return Name(element)

        body = self._keep(rewrite(expr, leaf))
        emitter.hoist(body, arrays.__contains__)

        def element(i: str) -> str:
            for name, address in arrays.items():
                emitter.bind(name, self.element(address, i))
            return emitter.number(body)

        if type(body) is Const or (type(body) is Name and body.name not in arrays):
            emitter.number(body)
        self.loop(n, target, element)

    def loop(self, n: str, target: str, element: Callable[[str], str]) -> None:
        """Write ``element(i)`` for i = 0 to n - 1 to ``target``."""
        self.each(n, lambda i: self.emitter.line(f"store double {element(i)}, ptr {self.offset(target, i)}"))

    def each(self, n: str, action: Callable[[str], None]) -> None:
        """Emit ``action(i)`` for i = 0 to n - 1."""
        self.fold(n, "", lambda i, _: action(i))

    def fold(self, n: str, start: str, step: Callable[[str, str], str | None]) -> str:
        """Emit ``value = step(i, value)`` for i = 0 to n - 1, and return the value, which begins as the double ``start``; with
        "" there is none.
        """
        emitter = self.emitter
        head, body, done = (emitter.new_label(label) for label in ("elements", "element", "filled"))
        before, i, following = emitter.label, emitter.new("i"), emitter.new("i")
        value = emitter.new() if start else ""
        emitter.line(f"br label %{head}")
        emitter.begin_block(head)
        phi = len(emitter.lines)
        more = emitter.instruction(f"icmp slt i64 {i}, {n}", "b")
        emitter.line(f"br i1 {more}, label %{body}, label %{done}")
        with emitter.scope():
            emitter.begin_block(body)
            new = step(i, value)
            emitter.line(f"{following} = add i64 {i}, 1")
            phis = [f"{i} = phi i64 [0, %{before}], [{following}, %{emitter.label}]"]
            if start:
                phis.append(f"{value} = phi double [{start}, %{before}], [{new}, %{emitter.label}]")
            emitter.lines[phi:phi] = phis
            emitter.line(f"br label %{head}")
        emitter.begin_block(done)
        return value

    def element(self, row: str, i: str) -> str:
        """Return the element i of what begins at an address."""
        return self.emitter.instruction(f"load double, ptr {self.offset(row, i)}")

    def hoist(self, expr: Expr, varying: Callable[[str], bool]) -> None:
        """Emit here the largest parts of ``expr`` that do not depend on a varying name, and addresses of variables."""
        depends: dict[int, bool] = {}
        largest = [expr]
        for node in postorder(expr):
            if type(node) is Name:
                depends[id(node)] = varying(node.name)
                if self.is_array(node.name) and node.name not in self.model.aliases:
                    self.pointer(node)
            else:
                depends[id(node)] = type(node) is Apply and any(depends[id(a)] for a in node.args)
                if depends[id(node)] and type(node) is Apply:
                    largest += node.args
        for part in largest:
            if type(part) is not Apply or depends[id(part)]:
                continue
            if not self.shape(part):
                self.emitter.number(part)
            elif entry_of(part.op) in (FILL, PART):
                self.hoist(part.args[0], varying)
            else:
                self.pointer(part)

    # -- whole model ------------------------------------------------------------------------------------------------------

    def write_events(self, memory: str) -> None:
        """Write present values of remembered arrays, and re-initialisations of arrays, to the memory of time events."""
        for m in self.model.discrete.array_memory:
            before = Name(m.before)
            self.store(m.expr, self.offset(memory, self.word("present", before)), before)
        for k, reinit in enumerate(self.model.discrete.array_reinits):
            place = self.offset(memory, self.word("reinit", k))
            self.emitter.store(self.emitter.number(reinit.active), place, 0)
            self.store(reinit.value, self.emitter.address(place, 1), reinit.state)

    def write_unknowns(self, row: str) -> None:
        """Copy array unknowns and inputs to the row of all unknowns."""
        for name in self.model.stored:
            if self.is_array(name):
                target = self.offset(row, self.word("unknown", Name(name)))
                self.copy(self.pointer(Name(name)), target, self.word("size", Name(name)))


@functools.cache
def _formulas(text: str) -> tuple[Expr, ...]:
    """Return the elements of an array that is written out, row by row."""

    def flat(expr: Expr) -> Iterator[Expr]:
        if type(expr) is not Apply or expr.op != "array":
            yield expr
            return
        for row in expr.args:
            yield from flat(row)

    return tuple(flat(parse(text)))
