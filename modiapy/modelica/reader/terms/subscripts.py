"""Elements and parts of arrays, by subscripts that count from 1; those that change choose among all elements."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....model.expression import Const, Expr
from .context import Evaluation
from .refusals import Refusal
from .values import Value, choice, is_constant, merged

_MOST = 200
"""So many elements a changing subscript chooses from without a table."""


def indexed(value: np.ndarray, subscripts: Sequence[Value], interpreter: Evaluation) -> Value:
    """Return ``value[subscripts]``; a subscript is a number or a vector of numbers."""
    if len(subscripts) > value.ndim:
        raise Refusal("there are too many subscripts", found=f"{len(subscripts)} of an array of shape {value.shape}")
    positions: list[int | np.ndarray] = []
    for k, subscript in enumerate(subscripts):
        if not is_constant(subscript):
            if interpreter.reading.is_parametric(subscript):
                subscript = interpreter.known(subscript)
            else:
                return _chosen(value, subscripts, k, interpreter)
        positions.append(_position(subscript, value.shape[k]))
    return element(value, positions)


def element(value: np.ndarray, positions: Sequence[int | np.ndarray]) -> Value:
    """Return the elements at positions that count from 0; a vector of positions keeps its dimension."""
    full = [*positions, *(np.arange(n) for n in value.shape[len(positions) :])]
    if not any(isinstance(p, np.ndarray) for p in full):
        return value[tuple(full)]
    grid = np.ix_(*[np.atleast_1d(p) for p in full])
    dropped = tuple(k for k, p in enumerate(full) if not isinstance(p, np.ndarray))
    return value[grid].squeeze(axis=dropped) if dropped else value[grid]


def _position(subscript: Value, length: int) -> int | np.ndarray:
    def one(item: Value) -> int:
        assert type(item) is Const
        k = int(item.value)
        if not 1 <= k <= length:
            raise Refusal("a subscript is outside of the array", found=str(k), expected=f"1 to {length}")
        return k - 1

    return np.array([one(i) for i in subscript], dtype=int) if isinstance(subscript, np.ndarray) else one(subscript)


def _chosen(value: np.ndarray, subscripts: Sequence[Value], k: int, interpreter: Evaluation) -> Value:
    """Return the element where the k-th subscript changes: chosen from all, by comparison."""
    subscript, length = subscripts[k], value.shape[k]
    table = interpreter.reading.tables.of_constants(value, subscripts)
    if table is not None:
        return table
    if not isinstance(subscript, Expr) or length > _MOST:
        raise Refusal("a subscript that changes is not read", found=str(subscript)[:80], expected="a number, or a parameter")
    result: Value = None
    for n in range(length, 0, -1):
        item = indexed(value, [*subscripts[:k], Const(n), *subscripts[k + 1 :]], interpreter)
        if result is None:
            result = item
        else:
            condition = interpreter.relation("==", subscript, Const(n))
            result = merged(partial(choice, condition), item, result)
    return result


def assigned(value: np.ndarray, subscripts: Sequence[Value], new: Value) -> np.ndarray:
    """Return a copy of the array with a part replaced; the subscripts are numbers or vectors of them."""
    result = value.copy()
    positions = [_position(s, value.shape[k]) for k, s in enumerate(subscripts)]
    full = [*positions, *(np.arange(n) for n in value.shape[len(positions) :])]
    if all(isinstance(p, int) for p in full):
        result[tuple(full)] = new
        return result
    grid = np.ix_(*[np.atleast_1d(p) for p in full])
    shape = tuple(len(np.atleast_1d(p)) for p in full)
    if isinstance(new, np.ndarray):
        result[grid] = new.reshape(shape)
    else:
        for index in np.ndindex(*shape):
            result[tuple(np.atleast_1d(p)[i] for p, i in zip(full, index, strict=True))] = new
    return result


def constant_subscripts(subscripts: Sequence[Any]) -> str:
    """Return the subscripts that are numbers, as they stand in names: ``[1,2]``."""
    numbers = [str(s["Index"]["value"]) for s in subscripts if "Index" in s]
    return f"[{','.join(numbers)}]" if subscripts else ""


def joined_path(pieces: Sequence[Any], known: Container[str]) -> Sequence[Any]:
    """Return the pieces of a path of the model with those at its beginning as one, such that it is known; none if it is not."""
    for n in range(len(pieces), 0, -1):
        before = "".join(f"{p['ident']}{constant_subscripts(p['subs'])}." for p in pieces[: n - 1])
        path = before + pieces[n - 1]["ident"]
        if path in known:
            return [{**pieces[n - 1], "ident": path}, *pieces[n:]]
        written = path + constant_subscripts(pieces[n - 1]["subs"])
        if written in known:
            return [{**pieces[n - 1], "ident": written, "subs": []}, *pieces[n:]]
    return ()
