"""Flat models written by hand, or by a front end of another language: `FlatModel` and all it consists of."""

from __future__ import annotations

from .model.algorithms import (
    Assign,
    Break,
    ForStatement,
    FunctionDefinition,
    IfStatement,
    Return,
    WhileStatement,
)
from .model.parser import parse, parse_equation
from .model.tree import Apply, Const, Equation, Expr, Name
from .symbolic.flat.flat_model import (
    Assertion,
    FlatModel,
    ForEquation,
    IfEquation,
    Variable,
    WhenBranch,
    WhenEquation,
)
from .symbolic.structure.sort import sort_model

__all__ = [
    "Apply",
    "Assertion",
    "Assign",
    "Break",
    "Const",
    "Equation",
    "Expr",
    "FlatModel",
    "ForEquation",
    "ForStatement",
    "FunctionDefinition",
    "IfEquation",
    "IfStatement",
    "Name",
    "Return",
    "Variable",
    "WhenBranch",
    "WhenEquation",
    "WhileStatement",
    "parse",
    "parse_equation",
    "sort_model",
]
