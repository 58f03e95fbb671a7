"""Blocks of models with arrays: which order their variables have, and what arrays cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..model.errors import ModelError
from .arrays import Shape, shape_of
from .flat_model import FlatModel
from .sorted_model import Assignment, Block, LinearBlock, NonlinearBlock, SortedModel, base_and_order


def scalars_first(names: Iterable[str], shapes: Mapping[str, Shape]) -> list[str]:
    """Names in their order, scalars before arrays."""
    if not shapes:
        return list(names)
    return sorted(names, key=lambda name: bool(shapes.get(base_and_order(name)[0])))


def arranged(block: Block, shapes: Mapping[str, Shape]) -> Block:
    """A block whose unknowns and residuals stand in the same order of shapes.

    Raises:
        ModelError: it is a nonlinear system for arrays.
    """
    if isinstance(block, NonlinearBlock):
        _refuse_nonlinear(block, shapes)
    if not isinstance(block, LinearBlock) or not any(shapes.get(base_and_order(name)[0]) for name in block.unknowns):
        return block
    unknowns = sorted(block.unknowns, key=lambda name: shapes.get(base_and_order(name)[0], ()))
    order = sorted(range(len(unknowns)), key=lambda k: shape_of(block.residuals[k], shapes))
    if [shapes.get(base_and_order(n)[0], ()) for n in unknowns] != [shape_of(block.residuals[k], shapes) for k in order]:
        equation = block.equations[0]
        raise ModelError(
            f"the linear equations for {', '.join(block.unknowns[:8])} do not determine them shape by shape",
            path=equation.path,
            found="; ".join(
                f"'{e}' of shape {shape_of(r, shapes)}" for e, r in zip(block.equations, block.residuals, strict=True)
            ),
            expected=", ".join(f"'{n}' of shape {shapes.get(base_and_order(n)[0], ())}" for n in block.unknowns),
        )
    return replace(
        block,
        unknowns=tuple(unknowns),
        residuals=tuple(block.residuals[k] for k in order),
        equations=tuple(block.equations[k] for k in order),
        constant=False,
    )


def _refuse_nonlinear(block: NonlinearBlock, shapes: Mapping[str, Shape]) -> None:
    inside = [step.variable for step in block.body if isinstance(step, Assignment)]
    arrays = [name for name in (*block.unknowns, *inside) if shapes.get(base_and_order(name)[0])]
    if arrays:
        raise ModelError(
            f"the equations are a nonlinear system for {', '.join(arrays[:8])}: "
            + "; ".join(f"'{e}'" for e in block.equations[:6]),
            path=block.equations[0].path,
            found="arrays",
            expected="nonlinear systems of scalars",
            remedy="Write the equations element by element, with scalar variables.",
        )


def refuse_initial_equations(flat: FlatModel) -> None:
    """Initial equations of models with arrays. Raises ModelError if there are any."""
    if flat.initial_equations:
        equation = flat.initial_equations[0]
        raise ModelError(
            f"the initial equation '{equation}' stands in a model with arrays",
            path=equation.path,
            expected="initial values of states by Var(init=...)",
            remedy="Initial equations are solved in models of scalars only.",
        )


def check_sizes(model: SortedModel, shapes: Mapping[str, Shape]) -> None:
    """Check that blocks which were made for other sizes compute what they did.

    Raises:
        ModelError: an equation was solved for an array that no longer has its shape.
    """
    for block in model.blocks:
        steps = block.body if isinstance(block, LinearBlock) else (block,)
        pairs = [(s.variable, s.expr, s.equation) for s in steps if isinstance(s, Assignment)]
        if isinstance(block, LinearBlock):
            pairs += zip(block.unknowns, block.residuals, block.equations, strict=True)
        for name, expr, equation in pairs:
            shape, found = shapes.get(base_and_order(name)[0], ()), shape_of(expr, shapes)
            if found not in (shape, ()):
                raise ModelError(
                    f"with these sizes the equation '{equation}' cannot be solved for '{name}'",
                    path=name,
                    found=f"shape {found}",
                    expected=f"shape {shape}, that of '{name}'",
                    remedy="Merge before: instantiate(model | Map(...)).",
                )
