"""Blocks of models with arrays: which order their variables have, and what arrays cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from ...model.errors import ModelError, StructureError
from ...model.expression import Apply, Expr, Name, walk
from ..flat.flat_model import FlatModel
from ..sorted.parts import Assignment, Block, LinearBlock, NonlinearBlock
from ..sorted.sorted_model import SortedModel
from ..terms.arrays import Shape, shape_at, shape_of
from ..terms.constants import READS
from ..terms.names import directional_of
from .nonlinear import directional_derivative


def scalars_first(names: Iterable[str], shapes: Mapping[str, Shape]) -> list[str]:
    """Return the names in their order, scalars before arrays."""
    if not shapes:
        return list(names)
    return sorted(names, key=lambda name: bool(shape_at(name, shapes)))


def arranged(block: Block, flat: FlatModel) -> Block:
    """Return a block whose unknowns and residuals stand in the same order of shapes, and that says whether its matrix is
    constant.

    Raises:
        ModelError: the equations do not determine the unknowns shape by shape.
    """
    shapes = flat.shapes
    if not isinstance(block, LinearBlock | NonlinearBlock):
        return block
    if isinstance(block, LinearBlock):
        block = replace(block, constant=block.constant or _is_constant(block, {*flat.parameters, *flat.arrays}))
    unknowns = sorted(block.unknowns, key=lambda name: shape_at(name, shapes))
    residuals = block.residuals
    order = sorted(range(len(unknowns)), key=lambda k: shape_of(residuals[k], shapes))
    if [shape_at(n, shapes) for n in unknowns] != [shape_of(residuals[k], shapes) for k in order]:
        equation = block.equations[0]
        raise ModelError(
            f"the equations for {', '.join(block.unknowns[:8])} do not determine them shape by shape",
            path=equation.path,
            found="; ".join(
                f"'{e}' of shape {shape_of(r, shapes)}" for e, r in zip(block.equations, block.residuals, strict=True)
            ),
            expected=", ".join(f"'{n}' of shape {shape_at(n, shapes)}" for n in block.unknowns),
        )
    block = replace(
        block,
        unknowns=tuple(unknowns),
        residuals=tuple(block.residuals[k] for k in order),
        equations=tuple(block.equations[k] for k in order),
    )
    if isinstance(block, LinearBlock):
        return block
    return replace(block, residual_derivatives=tuple(block.residual_derivatives[k] for k in order))


def _is_constant(block: LinearBlock, constants: Set[str]) -> bool:
    """Return whether the matrix of a linear system depends on parameters only: derivatives along the unknowns contain nothing
    else.
    """
    varying = set(block.unknowns)
    known = {*constants, *map(directional_of, varying)}
    for step in block.body:
        if not isinstance(step, Assignment):
            return False
        if not _contains_only(directional_derivative(step.expr, varying), known):
            return False
        varying.add(step.variable)
        known.add(directional_of(step.variable))
    return all(_contains_only(directional_derivative(residual, varying), known) for residual in block.residuals)


def _contains_only(expr: Expr, known: Set[str]) -> bool:
    nodes = list(walk(expr))
    return all(node.name in known if type(node) is Name else not (type(node) is Apply and node.op in READS) for node in nodes)


def check_sizes(model: SortedModel, shapes: Mapping[str, Shape]) -> None:
    """Check that blocks which were made for other sizes compute what they did.

    Raises:
        StructureError: an equation was solved for an array that no longer has its shape.
    """
    if model.initialization is not None:
        problem = model.initialization
        check_sizes(problem.sorted, {**shapes, **{p: shape_at(name, shapes) for p, name in problem.values.items()}})
    for block in model.blocks:
        steps = block.body if isinstance(block, LinearBlock | NonlinearBlock) else (block,)
        pairs = [(s.variable, s.expr, s.equation) for s in steps if isinstance(s, Assignment)]
        if isinstance(block, LinearBlock | NonlinearBlock):
            pairs += zip(block.unknowns, block.residuals, block.equations, strict=True)
        for name, expr, equation in pairs:
            shape, found = shape_at(name, shapes), shape_of(expr, shapes)
            if found not in (shape, ()):
                raise StructureError(
                    f"with these sizes the equation '{equation}' cannot be solved for '{name}'",
                    path=name,
                    found=f"shape {found}",
                    expected=f"shape {shape}, that of '{name}'",
                    remedy="Merge before: instantiate(model | Map(...)).",
                )
