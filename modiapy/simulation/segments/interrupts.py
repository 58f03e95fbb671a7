"""Handling of interrupts: the first one ends a computation, a second one does not destroy what the first one is writing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any, Self

ALL = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends a command: Ctrl-C, the request to end, the end of the terminal."""

IMPATIENT = 3
"""So many interrupts of a computation that goes on mean that the first one was lost in foreign code."""


class _Interrupts:
    """The interrupts of a block; ``thread`` is the main one."""

    def __init__(self) -> None:
        self.count, self.waiting, self.thread = 0, False, get_ident()

    def note(self, number: int, frame: Any) -> None:
        self.count += 1
        if not self.waiting and (self.count == 1 or self.count >= IMPATIENT):
            raise KeyboardInterrupt


_present: list[_Interrupts] = []
"""Those of the outermost block of `interrupted_once`; none outside of one."""


@contextmanager
def interrupted_once(signals: Sequence[int] = (signal.SIGINT,)) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at the first of these signals, not at the next ones.

    A signal that is ignored, or that the program handles itself, is left alone. So are all signals outside of the main thread,
    and those in a block within another one. If an interrupt had to wait (`finish_first`), it is raised when the block has ended
    without an error.
    """
    if _present or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts = _Interrupts()
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in signals}
    replaced = {number: handler for number, handler in before.items() if handler in defaults}
    _present.append(interrupts)
    try:
        for number in replaced:
            signal.signal(number, interrupts.note)
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
        _present.remove(interrupts)
    if interrupts.waiting and interrupts.count:
        raise KeyboardInterrupt


def finish_first() -> None:
    """Postpone interrupts until the end of the block of `interrupted_once`, because something is being written.

    Outside of the main thread, which interrupts do not reach, this has no effect.
    """
    if threading.current_thread() is threading.main_thread():
        for interrupts in _present:
            interrupts.waiting = True


class undisturbed:
    """Context that postpones an interrupt to its end, so that a file is written completely."""

    __slots__ = ("_count", "_interrupts", "_waiting")

    def __enter__(self) -> Self:
        interrupts = _present[0] if _present and _present[0].thread == get_ident() else None
        self._interrupts = interrupts
        if interrupts is not None:
            self._waiting, self._count, interrupts.waiting = interrupts.waiting, interrupts.count, True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._interrupts is not None:
            self._interrupts.waiting = self._waiting
            if kind is None:
                self._raise()

    def _raise(self) -> None:
        """Raise the interrupt that came in the block, unless an outer block postpones it."""
        interrupts = self._interrupts
        assert interrupts is not None
        if interrupts.count == self._count or self._waiting:
            return
        if self._count == 0 or interrupts.count >= IMPATIENT:
            raise KeyboardInterrupt

    def but_here(self) -> _Disturbed:
        """Return a part of the block in which an interrupt is raised as outside of the block."""
        return _Disturbed(self)


class _Disturbed:
    """See `undisturbed.but_here`. Entered at every event."""

    __slots__ = ("_around",)

    def __init__(self, around: undisturbed) -> None:
        self._around = around

    def __enter__(self) -> None:
        around = self._around
        interrupts = around._interrupts
        if interrupts is not None:
            interrupts.waiting = around._waiting
            try:
                around._raise()
            except KeyboardInterrupt:
                interrupts.waiting = True
                raise

    def __exit__(self, *_: object) -> None:
        interrupts = self._around._interrupts
        if interrupts is not None:
            interrupts.waiting = True


@contextmanager
def interrupted_all_the_same() -> Iterator[None]:
    """Limit the effect of `finish_first` to the block: a simulation within another one does not make the outer one wait."""
    before = [(interrupts, interrupts.waiting) for interrupts in _present]
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for interrupts, waiting in before:
                interrupts.waiting = waiting
