"""Linear equations between variables of one kind, whose magnitudes mean the same: what `Scales` are made of.

Of one kind are variables of one unit, and such as are all differentiated; besides charge and voltage, flux and current. A force
is no reason to know an elongation better than to the tolerance.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...acausal.protocol import CallEquation
from ...model.expression import Equation, Expr, div, names, neg, sub
from ..flat.flat_model import Variable
from ..sorted.scales import Scales
from ..terms.affine import coefficients
from ..terms.constants import is_constant
from ..terms.names import base_of, order_of
from .alias import MAX_TERMS, Elimination

STORED = frozenset([frozenset(("C", "V")), frozenset(("Wb", "A")), frozenset(("V.s", "A"))])
"""Units of what an element stores and of what is measured at it."""


def scales(
    elimination: Elimination, observed: Sequence[Equation], variables: Mapping[str, Variable], parameters: Mapping[str, float]
) -> Scales:
    """Find the linear equations of a model between variables of one kind.

    Args:
        elimination: its equations in terms of the remaining variables. observed: what is computed for results only.
        variables: all of the model. parameters: its parameters.
    """
    results = [replace(e, rhs=elimination.substitute(e.rhs)) for e in observed]
    equations = [e for e in (*elimination.equations, *results) if not isinstance(e, CallEquation)]
    used = [(equation, names(equation.lhs, equation.rhs)) for equation in equations]
    moving = {base_of(name) for _, found in used for name in found if order_of(name)} | {*elimination.differentiated}
    moving |= elimination.rates.keys()
    units = {name: v.unit for name, v in variables.items() if v.unit}
    for name, alias in elimination.aliases.items():
        if alias.of and alias.of not in units and name in units:
            units[alias.of] = units[name]
    ratios: list[tuple[str, str, Expr]] = []
    sums: list[Collection[str]] = []
    for equation, found in used:
        unknown = sorted(name for name in found if base_of(name) in variables)
        if not _of_one_kind(unknown, units, moving, variables):
            continue
        slopes = coefficients(sub(equation.lhs, equation.rhs), set(unknown))
        if slopes is None or not all(is_constant(slope, parameters) for slope in slopes.values()):
            continue
        if len(slopes) == 2:
            (a, to_a), (b, to_b) = slopes.items()
            ratios.append((base_of(a), base_of(b), neg(div(to_b, to_a))))
        elif slopes:
            sums.append([base_of(name) for name in slopes])
    rates = [(name, rate.of) for name, rate in elimination.rates.items()]
    return Scales(ratios, rates, sums, frozenset(moving))


def _of_one_kind(
    unknown: Sequence[str], units: Mapping[str, str], moving: Collection[str], variables: Mapping[str, Variable]
) -> bool:
    """Return whether the magnitudes of all these variables, or of all these derivatives, mean the same."""
    if not 2 <= len(unknown) <= MAX_TERMS or len(set(map(order_of, unknown))) > 1:
        return False
    bases = [base_of(name) for name in unknown]
    if any(variables[name].type != "Real" or variables[name].discrete or variables[name].input for name in bases):
        return False
    of_all = [units.get(name, "") for name in bases]
    if len(bases) == 2 and frozenset(of_all) in STORED:
        return True
    return all(name in moving for name in bases) or ("" not in of_all and len(set(of_all)) == 1)
