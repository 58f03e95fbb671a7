"""`Processes`: environments in processes of their own, to which orders go by pipes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from modiapy.acausal.picklable import packed
from modiapy.model.errors import ModiaError

from .environment import Environment
from .member import Answer, Member, Order
from .prepared import Prepared, prepared

END_S = 10.0
"""So long a process is waited for at its end [s]."""


class Processes:
    """Environments in processes.

    Args:
        task: that they have in common. given: arguments of each. number: of environments. processes: number of those.
        mode: of the autoreset.

    Raises:
        ModelError: the task cannot be pickled, a process cannot make its environments.
    """

    def __init__(self, task: Prepared, given: Mapping[str, Any], number: int, processes: int, mode: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._share = [range(k * number // processes, (k + 1) * number // processes) for k in range(processes)]
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        work = packed(task.portable(), "the task")
        try:
            for share in self._share:
                here, there = context.Pipe()
                process = context.Process(target=serve, args=(there, work, dict(given), len(share), mode), daemon=True)
                process.start()
                there.close()
                self._pipes.append(here)
                self._processes.append(process)
            for pipe, process in zip(self._pipes, self._processes, strict=True):
                answer = _received(pipe, process)
                if isinstance(answer, BaseException):
                    raise answer
        except BaseException:
            self.close()
            raise

    def carry_out(self, orders: Sequence[Order | None]) -> list[Answer | None]:
        """Carry out the orders, see `Crew`.

        Raises:
            ModiaError: a process has ended.
        """
        for pipe, process, share in zip(self._pipes, self._processes, self._share, strict=True):
            try:
                pipe.send([orders[k] for k in share])
            except OSError:
                raise _ended(process) from None
        answers = [_received(*each) for each in zip(self._pipes, self._processes, strict=True)]
        failed = next((each for each in answers if isinstance(each, BaseException)), None)
        if failed is not None:
            raise failed
        return [answer for each in answers for answer in each]

    def close(self) -> None:
        """End the processes, and what they hold."""
        for pipe in self._pipes:
            pipe.close()  # a process ends when nobody gives it orders
        for process in self._processes:
            process.join(END_S)
            if process.is_alive():
                process.kill()
                process.join()
        self._pipes, self._processes = [], []


def serve(pipe: Any, work: bytes, given: Mapping[str, Any], number: int, mode: Any) -> None:
    """Carry out the orders that come through a pipe, for a number of environments, until nobody gives any."""
    try:
        task = prepared(pickle.loads(work), {})
        members = [Member(Environment(task, **given), mode) for _ in range(number)]
        pipe.send([])
    except BaseException as error:
        pipe.send(_told(error))
        return
    while True:
        try:
            orders = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            break
        try:
            pipe.send([member.carry_out(order) for member, order in zip(members, orders, strict=True)])
        except Exception as error:
            pipe.send(_told(error))
    for member in members:
        member.environment.close()


def _received(pipe: Any, process: Any) -> Any:
    """Return the next answer of a process: answers of its environments, or an error. Raises ModiaError if it has ended."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        raise _ended(process) from None


def _told(error: BaseException) -> BaseException:
    """Return an error in the form in which it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        text = "".join(traceback.format_exception(error))
        return ModiaError("an environment failed in its process", found=text)


def _ended(process: Any) -> ModiaError:
    process.join(1.0)
    remedy = "Does the program begin with 'if __name__ == \"__main__\":'?" if process.exitcode == 1 else ""
    found = f"process {process.pid} of this one, {os.getpid()}, with exit status {process.exitcode}"
    return ModiaError("a process of the environments has ended", found=found, remedy=remedy)
