"""Attributes that are computed when they are asked for first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):
    """`functools.cached_property` for what is made at every event: without the lock that it takes in Python 3.11.

    Where several threads ask at once, each may compute the value; that of the last one stays. So it must not matter which.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__
        self._name = compute.__name__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> once[T]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...

    def __get__(self, instance: object, owner: type[Any]) -> once[T] | T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
