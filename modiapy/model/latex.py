"""LaTeX of expressions and equations: a path becomes an index, derivatives by time have dots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sympy.core.alphabets import greeks
from sympy.printing.latex import LatexPrinter

from .errors import ModelError
from .expression import Expr, Name, rewrite
from .parser import parse_equation
from .sympy_bridge import sympy_of

SHOWN = 60
"""So many equations, rows and columns are shown."""

_CAPITALS = frozenset(("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"))
"""Greek letters that are not those of the Latin alphabet."""

_DOTS = {1: r"\dot", 2: r"\ddot", 3: r"\dddot"}


def latex_of_name(name: str) -> str:
    """Return a variable: ``gear.phi_rel`` is phi with the index "rel, gear", ``der(x)`` is x with a dot, ``x[0]`` has the index
    0.
    """
    before = re.fullmatch(r"(pre|previous|hold)\((.*)\)", name)
    if before is None and re.search(r"[^\w.,\[\]()]", name):
        return rf"\text{{{_escaped(name)}}}"
    if before:
        return rf"\operatorname{{{before[1]}}}\left({latex_of_name(before[2])}\right)"
    indices = ""
    if name.endswith("]"):
        name, _, indices = name[:-1].rpartition("[")
    order = 0
    while name.startswith("der(") and name.endswith(")"):
        name, order = name[4:-1], order + 1
    path, _, last = name.rpartition(".")
    head, _, rest = last.partition("_")
    letter = rf"\{head}" if head in greeks or head in _CAPITALS else head
    base = letter if len(head) == 1 or letter != head else rf"\mathrm{{{_escaped(head)}}}"
    if order:
        base = rf"{_DOTS[order]}{{{base}}}" if order in _DOTS else rf"{{{base}}}^{{({order})}}"
    below = [rf"\mathrm{{{_escaped(part)}}}" for part in (rest, path) if part] + ([indices] if indices else [])
    return f"{base}_{{{', '.join(below)}}}" if below else base


def _escaped(text: str) -> str:
    return re.sub(r"([_#$%&{}])", r"\\\1", text)


class _Printer(LatexPrinter):  # type: ignore[misc]
    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        return latex_of_name(expr.name)

    def _print_Function(self, expr: Any, exp: Any = None) -> str:
        if expr.func.__name__ == "der" and exp is None:
            return rf"\frac{{d}}{{dt}} \left({self._print(expr.args[0])}\right)"
        return str(super()._print_Function(expr, exp))


_PRINTER = _Printer({"full_prec": False})


def latex(expr: Any) -> str:
    """Return LaTeX of an object of sympy."""
    return str(_PRINTER.doprint(expr))


def aligned(lines: Sequence[str]) -> str:
    """Return the lines below each other, aligned at ``&``; those that are too many are counted."""
    more = [rf"\text{{... and {len(lines) - SHOWN} more}}"] if len(lines) > SHOWN else []
    return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join([*lines[:SHOWN], *more]) + "\n\\end{aligned}$"


def latex_of_equation(equation: Any) -> str:
    """Return an `Eq`, aligned at its sign."""
    return f"{latex(equation.lhs)} &= {latex(equation.rhs)}"


def latex_of_model(model: Mapping[str, Any]) -> str:
    """Return a model as it was written: parameters, equations, those of its submodels with their paths, connections."""
    return aligned(list(_lines(model, "")))


def _lines(model: Mapping[str, Any], path: str) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    own = {key for key in model if not key.startswith("_")}

    def here(node: Expr) -> Expr | None:
        return Name(prefix + node.name) if type(node) is Name and node.name.partition(".")[0].partition("[")[0] in own else None

    for name, entry in model.items():
        if name.startswith("_") or name in ("description", "connect", "equations", "initial_equations"):
            continue
        if getattr(entry, "is_scope", False):
            yield from _lines(entry, prefix + name)
            continue
        value = entry.get("value") if isinstance(entry, dict) and "_constructor" not in entry else entry
        if isinstance(value, str | float | int | np.ndarray | list | tuple) and value != "":
            text = f"{name} = {value if isinstance(value, str) else np.asarray(value).tolist()}"
            yield _line(text, here)
    for entry in [*(model.get("initial_equations") or ()), *(model.get("equations") or ())]:
        yield _line(entry, here)
    for joined in model.get("connect") or ():
        yield rf"&\text{{connect({_escaped(', '.join(prefix + name for name in joined))})}}"


def _line(written: Any, here: Callable[[Expr], Expr | None]) -> str:
    """Return an equation; what is none, or has a form of its own, as it was written."""
    try:
        equation = parse_equation(written if isinstance(written, str) else "")
        return " &= ".join(latex(sympy_of(rewrite(side, here))) for side in (equation.lhs, equation.rhs))
    except (ModelError, TypeError, ValueError):
        return rf"&\text{{{_escaped(str(written))}}}"


def latex_of_matrix(matrix: np.ndarray, digits: int = 5) -> str:
    """Return a matrix of numbers; large ones by their corners."""
    rows, columns = (_few(n) for n in matrix.shape)
    lines = [" & ".join(_cell(matrix, i, j, digits) for j in columns) for i in rows]
    return r"\begin{bmatrix}" + r" \\ ".join(lines) + r"\end{bmatrix}"


def _few(n: int) -> list[int | None]:
    """Return the numbers of the rows out of n that are shown; None stands for those between."""
    return list(range(n)) if n <= 12 else [*range(5), None, *range(n - 5, n)]


def _cell(matrix: np.ndarray, i: int | None, j: int | None, digits: int) -> str:
    if i is None or j is None:
        return r"\ddots" if i is j else r"\vdots" if i is None else r"\cdots"
    mantissa, _, exponent = f"{matrix[i, j]:.{digits}g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def names_vector(names: Iterable[str]) -> str:
    """Return a column of variables."""
    return r"\begin{bmatrix}" + r" \\ ".join(map(latex_of_name, names)) + r"\end{bmatrix}"
