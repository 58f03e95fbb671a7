"""State that the passes hand on from one to the next (`Translation`), the type of a pass, and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import Equation, Expr
from ..flat.flat_model import FlatModel, Node
from ..hybrid.events import Events
from ..sorted.parts import Block, Constraint, PassRecord, Storage, block_lines
from ..sorted.sorted_model import SortedModel
from ..terms.readable import signs_collected
from .alias import Elimination
from .equation_system import EquationSystem
from .singularities import Singularities
from .sorting import Component
from .state_selection import Selection


@dataclass(frozen=True)
class Translation:
    """A model between two passes; each pass returns another one, and what it has not found yet is empty.

    Attributes:
        flat: the model, after "extract events" without events.
        simplified: the model that goes over from simplified expressions to actual ones (`hybrid.homotopy`), if it has any.
        events: equations without relations and ``der``, and what was taken out of them.
        observed: equations of variables that only results need, in the order of their evaluation.
        zeros: constants that are taken as zero, found in an earlier round.
        wishes: orders of derivatives, see `wishes_of_higher_order`, found in an earlier round.
        elimination: aliases, and the equations that are left.
        singularities: what was removed or chosen, with the elimination that is left.
        reduced: `flat` with variables that inherited from their aliases.
        assigned: variables that are left of those that nothing but an assignment may compute.
        reinitialised: variables to which events give new values.
        system: equations and unknowns with their derivatives.
        given: number of its equations before any was differentiated.
        wanted: how much a variable is wanted as a state.
        selection: states and unknowns.
        constraints, constraint_nodes: of the index-1 form, where no static selection of states exists.
        components: strong components in the order of evaluation.
        storage: what of the values of parameters the choice of states stands on.
        blocks: solved components.
        sorted: the result.
        records: sizes after each pass.
    """

    flat: FlatModel
    simplified: FlatModel | None = None
    events: Events | None = None
    observed: Sequence[Equation] = ()
    zeros: Mapping[Expr, Equation] = field(default_factory=dict)
    wishes: Mapping[str, int] = field(default_factory=dict)
    elimination: Elimination | None = None
    singularities: Singularities | None = None
    reduced: FlatModel | None = None
    assigned: frozenset[str] = frozenset()
    reinitialised: Set[str] = frozenset()
    system: EquationSystem | None = None
    given: int = 0
    wanted: Callable[[str], tuple[int, ...]] | None = None
    selection: Selection | None = None
    constraints: Sequence[Constraint] = ()
    constraint_nodes: frozenset[int] = frozenset()
    components: Sequence[Component] = ()
    storage: Storage | None = None
    blocks: Sequence[Block] = ()
    sorted: SortedModel | None = None
    records: tuple[PassRecord, ...] = ()

    def parts(self) -> list[tuple[list[Node], list[str]]]:
        """Return the equations and unknowns of each component."""
        system = found(self.system)
        return [([system.nodes[n] for n in c.nodes], [system.variables[v] for v in c.unknowns]) for c in self.components]

    def __str__(self) -> str:
        """Return the text of the model as far as it is translated."""
        if self.sorted is not None:
            return str(self.sorted)
        if self.blocks:
            return "\n".join(["blocks", *block_lines(self.blocks, signs_collected)])
        if self.components:
            return "\n".join(line for k, part in enumerate(self.parts(), 1) for line in _component(k, *part))
        if self.system is not None:
            states = [] if self.selection is None else [f"states {_listed(self.system, self.selection.states)}"]
            return "\n".join([*states, f"unknowns {', '.join(self.system.variables)}", *_lines(self.system.nodes)])
        if self.elimination is not None:
            aliases = [f"  {name} = {alias}" for name, alias in self.elimination.aliases.items()]
            return "\n".join([*(["aliases", *aliases] if aliases else []), *_lines(self.elimination.equations)])
        if self.events is not None:
            relations = zip(self.events.indicators, self.events.relations, strict=True)
            shown = [f"  mode({k}): {e} {op} 0" for k, (e, op) in enumerate(relations)]
            return "\n".join([*(["relations", *shown] if shown else []), *_lines(self.events.equations)])
        return str(self.flat)


def _listed(system: EquationSystem, variables: Sequence[int]) -> str:
    return ", ".join(system.variables[v] for v in variables) or "none"


def _lines(nodes: Sequence[Equation | CallEquation]) -> list[str]:
    """Return the equations as they are now, not as the user wrote them."""
    return ["equations", *(f"  {_present(node)}" for node in nodes)]


def _present(node: Equation | CallEquation) -> str:
    return str(node) if isinstance(node, CallEquation) else f"{node.lhs} = {node.rhs}"


def _component(k: int, nodes: Sequence[Node], unknowns: Sequence[str]) -> list[str]:
    first, *others = (_present(node) for node in nodes)
    return [f"{k:>4}  {', '.join(unknowns)}:  {first}", *(f"      {other}" for other in others)]


T = TypeVar("T")


def found(value: T | None) -> T:
    """Return the result of an earlier pass."""
    assert value is not None
    return value


def scalar_equations(nodes: Sequence[Equation | CallEquation]) -> int:
    """Number of equations, each output of a function counted."""
    return sum(len(e.outputs) if isinstance(e, CallEquation) else 1 for e in nodes)


@dataclass(frozen=True)
class Pass:
    """A step of the translation.

    Attributes:
        name: in the imperative, as `sim.report()` shows it.
        run: makes a new translation of one.
        remark: what it did, in a few words.
    """

    name: str
    run: Callable[[Translation], Translation]
    remark: Callable[[Translation], str] = lambda state: ""

    def record(self, state: Translation) -> PassRecord:
        """Return the sizes of the translation that it has made."""
        if state.system is not None:
            return PassRecord(self.name, len(state.system.row_node), None, self.remark(state))
        equations: Sequence[Equation | CallEquation] = state.flat.equations if state.events is None else state.events.equations
        variables = len(state.flat.variables)
        if state.elimination is not None:
            equations, variables = state.elimination.equations, variables - len(state.elimination.aliases)
        return PassRecord(self.name, scalar_equations(equations), variables, self.remark(state))


class Again(Exception):  # no error: a pass has found out what an earlier one has to respect
    """The translation goes on with an earlier pass.

    Attributes:
        state: what it begins with.
        first: name of that pass.
        otherwise: what counts if the model cannot be translated that way; the error counts if it is None.
        anew: whether what was tried before does not count any more.
    """

    def __init__(self, state: Translation, first: str, otherwise: Translation | None = None, anew: bool = False) -> None:
        super().__init__(first)
        self.state, self.first, self.otherwise, self.anew = state, first, otherwise, anew


def translated(
    flat: FlatModel, passes: Sequence[Pass], observe: Callable[[str, Translation], None] | None = None
) -> Translation:
    """Return the model after all passes.

    Args:
        flat: the model.
        passes: in their order.
        observe: called with the name of each pass and what it made.

    Raises:
        ModelError: as the passes raise it.
    """
    state, k = Translation(flat), 0
    fallbacks: list[tuple[Translation, int]] = []
    while k < len(passes):
        try:
            state = passes[k].run(state)
        except Again as again:
            if again.anew:
                fallbacks.clear()
            if again.otherwise is not None:
                fallbacks.append((_recorded(passes[k], again.otherwise), k + 1))
            k = next(i for i, step in enumerate(passes) if step.name == again.first)
            state = replace(again.state, records=again.state.records[:k])
            continue
        except ModelError:
            if not fallbacks:
                raise
            state, k = fallbacks.pop()
            continue
        state = _recorded(passes[k], state)
        if observe is not None:
            observe(passes[k].name, state)
        k += 1
    return state


def _recorded(step: Pass, state: Translation) -> Translation:
    return replace(state, records=(*state.records, step.record(state)))
