"""`BondGraph`: elements and bonds of a model, with causal strokes as the sorted equations assign them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from modiapy.model.errors import ModelError
from modiapy.model.expression import Equation
from modiapy.symbolic.analysis.error_places import errors_located
from modiapy.symbolic.flat.flat_model import FlatModel, Node
from modiapy.symbolic.flattening.evaluate import evaluate
from modiapy.symbolic.flattening.flatten import flatten
from modiapy.symbolic.flattening.instance import Instance
from modiapy.symbolic.sorted.sorted_model import SortedModel
from modiapy.symbolic.structure.sort import sort_model

from . import marks
from .bonds import Joined, Port, bonds_of
from .causality import Causality, causality
from .diagram import Drawn, source_of
from .drawing import picture
from .net import Box, Net
from .type_names import type_name

_UNTANGLED = 40
"""So many components of bonds are looked at, of which one end computes effort and flow."""

_CONNECTION = " [connect("
"""In the text of an equation that a connection means."""

_INDEX = re.compile(r"\[[\d,]*\]$")

_MNEMONICS = {"J0": "0", "J1": "1"}
"""Symbols of elements that are not the names of their models."""


@dataclass(frozen=True)
class Element:
    """A node of a bond graph.

    Attributes:
        path: of the component.
        symbol: its mnemonic: Se, Sf, R, C, I, TF, GY, 0, 1, ...; "" of a model that no library has.
        states: variables of it that are integrated, relative to it: it is in integral causality.
        dependent: variables of it that are differentiated and no states: it is in derivative causality.
    """

    path: str
    symbol: str
    states: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bond:
    """A bond between two elements.

    Attributes:
        tail, head: paths of the elements; the half arrow points at the head.
        tail_port, head_port: paths of the connectors.
        strokes: for each component of the bond the end at which its flow is computed, "tail" or "head"; "" where one end
            computes both effort and flow: a conflict, or undecided where many assignments are possible: in a loop, and where
            states are joint speeds that belong to no storage.
        name: path of the component that it is, "" of a connection.
        conflict: what is wrong, "" if nothing is.
        loop: number of the system of equations that its variables belong to, counted from 1; None if there is none.
    """

    tail: str
    head: str
    tail_port: str
    head_port: str
    strokes: tuple[str, ...]
    name: str = ""
    conflict: str = ""
    loop: int | None = None

    @property
    def stroke(self) -> str:
        """The end of the causal stroke, "tail" or "head"; "" where the components differ (mixed causality), or conflict."""
        return self.strokes[0] if len(set(self.strokes)) == 1 else ""

    @property
    def is_mixed(self) -> bool:
        """True if the components of a multibond have strokes at different ends: there is no sign for that."""
        return len(set(self.strokes)) > 1 and "" not in self.strokes


class BondGraph(Drawn):
    """Bond graph of a model; in a notebook it shows itself.

    Attributes:
        elements: by path.
        bonds: in the order in which their ends are declared.
        loops: of each algebraic loop the paths of the elements in it.
        title: of the picture.
        refusal: why the equations cannot be sorted, "" if they can; strokes are then those that follow from the elements.
    """

    def __init__(self, elements: Sequence[Element], bonds: Sequence[Bond], title: str, refusal: str = "") -> None:
        self.elements = {element.path: element for element in elements}
        self.bonds, self.title, self.refusal = tuple(bonds), title, refusal
        numbers = sorted({bond.loop for bond in bonds if bond.loop is not None})
        members = [(bond.loop, path) for bond in bonds for path in (bond.tail, bond.head)]
        self.loops = tuple(tuple(dict.fromkeys(path for loop, path in members if loop == k)) for k in numbers)

    @property
    def svg(self) -> str:
        """The picture as the text of an SVG file, which needs nothing else."""
        net = Net()
        numbers = {path: net.box(_box(element)) for path, element in self.elements.items()}
        for bond in self.bonds:
            kind = "conflict" if bond.conflict else "loop" if bond.loop is not None else "bond"
            stroke = {"tail": "start", "head": "end"}.get(bond.stroke, "")
            ends = (numbers[bond.tail], bond.tail_port), (numbers[bond.head], bond.head_port)
            net.connect(*ends, kind, _note(bond), stroke=stroke, label=_label(bond))
        drawn = picture(net)
        width, height, content = drawn.width, drawn.height, drawn.marks
        if self.refusal:
            line = self.refusal.splitlines()[0]
            width, height = max(width, marks.text_width(line, marks.SMALL) + 20.0), height + 15.0
            content += marks.text_at(10.0, height - 5.0, line, size=marks.SMALL, fill=marks.RED, anchor="start")
        return marks.document(width, height, content, self.title)

    def __str__(self) -> str:
        lines = []
        for element in self.elements.values():
            told = [_states(element)] if element.states else []
            told += [f"derivative causality of {', '.join(element.dependent)}"] if element.dependent else []
            lines.append(f"{element.symbol or 'model':<8}{element.path}" + (f": {'; '.join(told)}" if told else ""))
        lines += [f"{bond.tail} -> {bond.head}: {_note(bond)}" for bond in self.bonds]
        return "\n".join([*lines, *self.refusal.splitlines()])

    def __repr__(self) -> str:
        return f"<BondGraph {self.title}: {len(self.elements)} elements, {len(self.bonds)} bonds, {len(self.loops)} loops>"


def bond_graph(model: Any, *, title: str = "") -> BondGraph:
    """Return the bond graph of a model of ``modiapy.library.bond_graphs``, or of own models with its connectors.

    A causal stroke stands at the end at which the flow is computed by the equations as they are sorted; the other end
    computes the effort. In an algebraic loop that is the choice that tearing made.

    Args:
        model: a `Model`, or what `instantiate` returned.
        title: of the picture; "": the name of the model.

    Raises:
        ModelError: ``model`` is something else, its connections are wrong, or it has no bonds. Where the equations cannot be
            sorted, the graph is drawn all the same, with what contradicts itself in red.
    """
    source, name = source_of(model)
    if isinstance(source, FlatModel):
        raise ModelError("a flat model has no bonds", found=source.name, expected="a Model with connectors of bonds")
    with errors_located(source):
        evaluated = evaluate(source, name)
        flat = flatten(evaluated)
        instances, joined = bonds_of(evaluated.tree)
        if not joined:
            raise ModelError("the model has no bonds", expected="connected ends of modiapy.library.bond_graphs")
    refusal, sorted_model = "", None
    try:
        with errors_located(source):
            sorted_model = sort_model(flat)
    except ModelError as error:
        refusal = str(error)
    graph = _Graph(flat, sorted_model)
    if not refusal:
        graph.untangle(joined)
    elements = [graph.element(path, instance) for path, instance in instances.items()]
    return BondGraph(elements, [graph.bond(j) for j in joined], title or name, refusal)


class _Graph:
    """Elements and bonds of a flat model, by the causality of what was sorted (None: it cannot be)."""

    def __init__(self, flat: FlatModel, model: SortedModel | None) -> None:
        self._flat, self._assigned, self._sorted = flat, causality(flat, model), model is not None
        self._components: dict[str, list[str]] = {}
        for name in flat.variables:
            self._components.setdefault(_INDEX.sub("", name), []).append(name)

    def element(self, path: str, instance: Instance) -> Element:
        """Return the node of a component."""
        symbol = type_name(instance.model)
        known = self._assigned.states | self._assigned.differentiated
        own = [name for name in self._flat.variables if name.startswith(f"{path}.") and name in known]
        states = [name[len(path) + 1 :] for name in own if name in self._assigned.states]
        dependent = [name[len(path) + 1 :] for name in own if name not in self._assigned.states]
        if not {_INDEX.sub("", name) for name in states} & {_INDEX.sub("", name) for name in dependent}:
            states, dependent = ([_INDEX.sub("", name) for name in names] for names in (states, dependent))
        symbol = _MNEMONICS.get(symbol, symbol)
        return Element(path, symbol, tuple(dict.fromkeys(states)), tuple(dict.fromkeys(dependent)))

    def bond(self, joined: Joined) -> Bond:
        """Return the bond of two ends."""
        tail, head = _directed(joined)
        strokes, conflict = self._strokes(tail, head)
        if not conflict and joined.declared and set(strokes) != {joined.declared}:
            conflict = f"{joined.name} has its stroke at its {joined.declared}"
        names = [name for port in (tail, head) for v in ("e", "f") for name in self._components.get(f"{port.path}.{v}", ())]
        loops = [loop for name in names if (loop := self._assigned.loop_of(name)) is not None]
        number = min(loops) + 1 if loops else None
        if "" in strokes and self._sorted and (loops or self._assigned.left_over):
            conflict = ""  # of many assignments this is one that is no causality, which says nothing of the graph
        return Bond(tail.element, head.element, tail.path, head.path, strokes, joined.name, conflict, number)

    def untangle(self, joined: Sequence[Joined]) -> None:
        """Choose another assignment where an end of a bond computes both effort and flow, if there is one, as in loops."""
        unclear = self._unclear(joined)
        left_over, balances = self._assigned.left_over, self._assigned.balances
        for left in left_over if unclear and len(left_over) * len(balances) <= 4 * _UNTANGLED else ():
            trials = [self._assigned.exchanged(left, row) for row in balances]
            unclear = self._best(joined, [trial for trial in trials if trial is not None], unclear)
        for number, k in unclear[:_UNTANGLED]:
            tail, head = _directed(joined[number])
            trials = []
            for near, far in ((tail, head), (head, tail)):  # the effort comes from the near end, the flow from the far one
                may = dict[str, Callable[[Node], bool]]()
                for variable, port, here in (("e", near, True), ("e", far, False), ("f", near, False), ("f", far, True)):
                    name = self._components[f"{port.path}.{variable}"][k]
                    may[name] = _is_own if here else _is_connection
                trials.append(self._assigned.changed(may))
            unclear = self._best(joined, [trial for trial in trials if trial is not None], unclear)

    def _best(
        self, joined: Sequence[Joined], trials: Sequence[Causality], unclear: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Take the assignment that leaves the fewest without a stroke, if that is better; return these."""
        best = self._assigned
        for trial in trials:
            self._assigned = trial
            if len(left := self._unclear(joined)) < len(unclear):
                best, unclear = trial, left
        self._assigned = best
        return unclear

    def _unclear(self, joined: Sequence[Joined]) -> list[tuple[int, int]]:
        """Return the number of each bond, and of its component, that has no stroke."""
        strokes = [self._strokes(*_directed(j))[0] for j in joined]
        return [(number, k) for number, ends in enumerate(strokes) for k, end in enumerate(ends) if not end]

    def _strokes(self, tail: Port, head: Port) -> tuple[tuple[str, ...], str]:
        """Return the end at which the flow of each component is computed, and what is wrong: "" if nothing is."""
        found, wrong = [], ""
        for k in range(len(self._components.get(f"{tail.path}.e", ()))):
            at = {what: [end for end in (tail, head) if self._computes(end, what[0], k)] for what in ("effort", "flow")}
            for what, ends in at.items():
                if len(ends) != 1:
                    wrong = wrong or f"{'both ends compute' if ends else 'nothing computes'} the {what}"
            if at["effort"] == at["flow"]:
                wrong = wrong or "effort and flow are computed at the same end"
            clear = len(at["effort"]) == len(at["flow"]) == 1 and at["effort"] != at["flow"]
            found.append(("tail" if at["flow"] == [tail] else "head") if clear else "")
        return tuple(found), wrong

    def _computes(self, port: Port, variable: str, k: int) -> bool:
        """Return whether the component k of the effort or flow is computed at an end of a bond."""
        name = self._components[f"{port.path}.{variable}"][k]
        equation = self._assigned.equation_of(name)
        return name in self._assigned.states if equation is None else not _is_connection(equation)


def _directed(joined: Joined) -> tuple[Port, Port]:
    """Return the end from which the half arrow comes, and the one at which it points."""
    one, two = joined.ends
    return (two, one) if one.enters else (one, two)


def _is_connection(equation: Node) -> bool:
    """Return whether an equation brings a variable from the other end of a bond; all others compute it at its own end."""
    return isinstance(equation, Equation) and _CONNECTION in equation.text


def _is_own(equation: Node) -> bool:
    return not _is_connection(equation)


def _box(element: Element) -> Box:
    """Return the box of an element: its symbol, its name, its states."""
    states = (_states(element),) if element.states else ()
    wrong = f"derivative causality: {', '.join(element.dependent)}" if element.dependent else ""
    name = element.path if element.symbol else ""
    return Box(element.symbol or element.path, name, "element", element.path, states, wrong=wrong)


def _states(element: Element) -> str:
    return f"state{'s' if len(element.states) > 1 else ''} {', '.join(element.states)}"


def _label(bond: Bond) -> str:
    """Return the text beside a bond: its size and name, components of mixed causality, the number of a loop."""
    parts = [bond.name] if bond.name else []
    parts += [str(len(bond.strokes))] if len(bond.strokes) > 1 else []
    if bond.is_mixed:
        parts += [f"{end} {','.join(str(k) for k, s in enumerate(bond.strokes) if s == end)}" for end in ("tail", "head")]
    return "; ".join([*parts, *([f"loop {bond.loop}"] if bond.loop is not None else [])])


def _note(bond: Bond) -> str:
    """Return the text about a bond."""
    where = f"stroke at the {bond.stroke}" if bond.stroke else "mixed causality" if bond.is_mixed else "no stroke"
    where += " (undecided)" if "" in bond.strokes and not bond.conflict else ""
    return "; ".join(part for part in (where, _label(bond), bond.conflict) if part)
