"""The sign of a speed, made continuous around zero: what resistances that change their direction have in common."""

from __future__ import annotations

from ..model.model import Model, Par

REGULARIZED = Model(reg=Par("exp", choices=("exp", "sine", "linear", "cosine")))
"""With the parameter ``reg``: in which way the sign is made continuous."""

WORDS = " reg: regularization below that speed, 'exp', 'sine', 'linear' or 'cosine'"


def sign_of(v: str, v0: str) -> str:
    """Return 1 or -1 in the direction of ``v``, continuous below the speed ``v0``; source:
    Modelica.Blocks.Types.Regularization.
    """
    inner = f"(sin(pi/2*{v}/{v0}) if reg == 'sine' else ({v}/{v0} if reg == 'linear' else sign({v})*(1 - cos(pi/2*{v}/{v0}))))"
    limited = f"(1 if {v} >= {v0} else (-1 if {v} <= -{v0} else {inner}))"
    return f"(tanh({v}/(0.02*{v0})) if reg == 'exp' else {limited})"
