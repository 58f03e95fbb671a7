"""Sorted models built by hand, and Python callbacks as component functions, for the tests of code generation."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modiapy.acausal import CONTEXT_SLOTS, CallEquation, ComponentFunction, Mode
from modiapy.acausal.disk import kernel_cache
from modiapy.flat import Equation, Expr, FlatModel, Name, Variable, parse
from modiapy.model.expression import evaluate
from modiapy.symbolic.codegen.compiled_model import CompiledModel
from modiapy.symbolic.codegen.model import compile_model
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.sorted.parts import Assignment, Block, Call, LinearBlock
from modiapy.symbolic.sorted.sorted_model import SortedModel

kernel_cache.configure()  # numba's kernels stay in the usual cache when a test gives the models' code a folder of its own

_CODE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double)
)


def component_function(
    name: str, n_in: int, n_out: int, code: Callable[[Any, Any, Any], int], *, sink: bool = False
) -> ComponentFunction:
    """A component function whose machine code calls back into Python: ``code(context, inputs, outputs) -> status``."""
    callback = _CODE(code)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    _ALIVE.append(callback)
    return ComponentFunction(name, n_in, n_out, f"test_{name}_{address:x}", lambda: address, sink=sink)


_ALIVE: list[Any] = []


def call(function: ComponentFunction, inputs: Sequence[str], outputs: Sequence[str], component: str = "c") -> Call:
    """``outputs := function(inputs)``."""
    return Call(CallEquation(function, tuple(parse(i) for i in inputs), tuple(Name(o) for o in outputs), component))


def assign(text: str) -> Assignment:
    """``"v = expression"`` as an assignment."""
    variable, expr = text.split("=", 1)
    return Assignment(variable.strip(), parse(expr))


def linear(
    unknowns: Sequence[str], body: Sequence[Assignment | Call], residuals: Sequence[str], constant: bool = False
) -> LinearBlock:
    """A torn linear system whose residuals are given as text."""
    exprs = tuple(parse(r) for r in residuals)
    return LinearBlock(tuple(unknowns), tuple(body), exprs, tuple(Equation(e, parse("0")) for e in exprs), constant)


def sorted_model(
    blocks: Sequence[Block],
    *,
    states: Mapping[str, str] | None = None,
    parameters: Mapping[str, float] | None = None,
    components: Sequence[str] = (),
    **rest: Any,
) -> SortedModel:
    """A sorted model; ``states`` maps each state to the variable that holds its derivative."""
    states = states or {}
    unknowns: list[str] = []
    for block in blocks:
        for inner in (block, *block.body) if isinstance(block, LinearBlock) else (block,):
            if isinstance(inner, Assignment):
                unknowns.append(inner.variable)
            elif isinstance(inner, Call):
                unknowns.extend(o.name for o in inner.call.outputs)
            else:
                unknowns.extend(inner.unknowns)
    variables = {name: Variable(name) for name in (*states, *unknowns, *rest.get("inputs", ()))}
    flat = FlatModel("test", variables, dict(parameters or {}), [], dict.fromkeys(components, None))  # type: ignore[arg-type]
    aliases = rest.pop("aliases", {})
    return SortedModel(flat, list(states), list(states.values()), list(blocks), aliases, unknowns, **rest)


@dataclass
class Run:
    """A compiled model with one context, and one call for each kind of evaluation."""

    model: SortedModel
    components: list[np.ndarray] = field(default_factory=list)
    compiled: CompiledModel = field(init=False)
    context: ModelContext = field(init=False)

    def __post_init__(self) -> None:
        self.compiled = compile_model(self.model)
        self.components = self.components or [np.zeros(CONTEXT_SLOTS, dtype=np.int64) for _ in self.model.flat.components]
        self.context = ModelContext(self.compiled, {}, self.components)

    def outputs(self, t: float = 0.0, x: Sequence[float] = (), mode: int = 0) -> dict[str, float]:
        """Values of all unknowns; the status must be zero."""
        states = np.array(x, dtype=float)
        out = np.zeros(len(states))
        assert self.context.evaluate(t, states, out, None, Mode.OUTPUTS | mode) == 0
        return dict(zip(self.model.unknowns, self.context.unknowns.tolist(), strict=False))

    def status(self, t: float = 0.0, x: Sequence[float] = (), mode: int = Mode.OUTPUTS) -> int:
        """Status of an evaluation."""
        states = np.array(x, dtype=float)
        return self.context.evaluate(t, states, np.zeros(len(states)), None, mode)


def change_parameters(context: ModelContext, values: Mapping[str, float]) -> None:
    """Change parameters of a model in place."""
    names = list(context.compiled.sorted.flat.parameters)
    for name, value in values.items():
        context.parameters[names.index(name)] = value
    context.invalidate()


def value_in(context: ModelContext, name: str, t: float, x: np.ndarray) -> float:
    """Value of a variable or parameter after an evaluation in OUTPUTS mode."""
    s = context.compiled.sorted
    if (alias := s.aliases.get(name)) is not None:
        if alias.of:
            return alias.sign * value_in(context, alias.of, t, x)
        return evaluate(alias.value, dict(zip(s.flat.parameters, context.parameters.tolist(), strict=True)))
    known = dict(zip(s.stored, context.unknowns.tolist(), strict=True)) | dict(zip(s.states, x.tolist(), strict=True))
    known |= dict(zip(s.flat.parameters, context.parameters.tolist(), strict=True))
    return (known | dict(zip(s.inputs, context.inputs.tolist(), strict=True)) | {"time": t})[name]


def value_of(expr: Expr, parameters: Mapping[str, float]) -> float:
    """What machine code computes for an expression of parameters."""
    return Run(sorted_model([Assignment("y", expr)], parameters=parameters)).outputs()["y"]
