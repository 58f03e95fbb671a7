"""The process that carries out runs for a worker: ``python -m modia3d.batch.runner``, spoken to through its pipes.

It translates models and keeps them. Where the system can, the runs themselves are carried out in a copy of it (a fork), which
has all that is translated at once: whatever happens to the copy, the next one is there in milliseconds. It has one thread
only, so that it may be copied. ``guard.py`` is the other side.

Messages in: ``("job", job)``, ``("runs", serial, tasks, limits, slice_s)``. Out: ``("broken", text)`` where the job cannot be
read, ``("begin", run, place in the log)``, ``("ready", translations)``, ``("done", row)``, and after the last run, or that
which ended the copy, ``("end", exit status, serial)``; where a copy ends that has nothing to do, there is one that nobody
waits for.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import pickle
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .execution import Execution, Task
from .messages import receive, send
from .study import Limits

_GRACE = 5.0
"""After so much more time [s] the system ends a run that even its watchdog does not end."""

_TRANSLATION = 900.0
"""A translation may take so long [s]; with an empty cache much is compiled."""

_RUNS = 2000
"""Runs of one copy: should something leak, there is an end to it."""


class Runner:
    """Process that translates models and carries out runs.

    Args: inbox, outbox: descriptors of the pipes.
    """

    def __init__(self, inbox: int, outbox: int) -> None:
        self._inbox, self._outbox = inbox, outbox
        self._execution: Execution | None = None
        self._copy: _Copy | None = None
        self._serial = 0

    def serve(self) -> None:
        """Process messages until the pipe is closed."""
        while True:
            ends = [] if self._copy is None else [self._copy.alive]
            waiting = select.select([self._inbox, *ends], [], [])[0] if ends else [self._inbox]
            if self._copy is not None and self._copy.alive in waiting:
                status, self._copy = self._copy.reap(), None
                send(self._outbox, ("end", status, self._serial))
                continue
            message = receive(self._inbox)
            if message is None:
                if self._copy is not None:
                    self._copy.kill()
                return
            kind, *content = message
            if kind == "job":
                self._begin(*content)
            else:
                self._carry_out(*content)

    def _begin(self, job: bytes) -> None:
        try:
            self._execution = Execution(pickle.loads(job))
        except Exception:  # a module that is not there, a version that differs, ...
            send(self._outbox, ("broken", traceback.format_exc()))

    def _carry_out(self, serial: int, tasks: Sequence[Task], limits: Limits, slice_s: float) -> None:
        self._serial = serial
        assert self._execution is not None
        if self._copy is not None and not all(map(self._execution.has, tasks)):
            self._copy.kill()
            self._copy.reap()
            self._copy = None
        ready = [task for task in tasks if self._is_translated(task, limits)]
        if not hasattr(os, "fork"):
            self._run_all(ready, limits, slice_s)
            send(self._outbox, ("end", 0, serial))
            return
        if self._copy is None:
            self._copy = self._fork(limits)
        self._copy.tell((serial, ready, limits, slice_s))

    def _fork(self, limits: Limits) -> _Copy:
        """Create a copy of this process that carries out runs until its pipe is closed; return it."""
        gc.collect()
        gc.freeze()  # what both have is not touched
        alive, held = os.pipe()
        orders, told = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            os.close(held)
            os.close(orders)
            return _Copy(pid, alive, told)
        status = 1
        try:
            os.close(alive)
            os.close(told)
            os.close(self._inbox)
            _limit_memory(limits.memory)
            self._obey(orders)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _obey(self, orders: int) -> None:
        """Carry out the orders; this runs in the copy of the process."""
        done = 0
        while done < _RUNS and (order := receive(orders)) is not None:
            serial, tasks, limits, slice_s = order
            done += len(tasks)
            if not self._run_all(tasks, limits, slice_s):
                return
            if done < _RUNS:
                send(self._outbox, ("end", 0, serial))

    def _is_translated(self, task: Task, limits: Limits) -> bool:
        """Translate the model of a run; return whether that succeeds. If it fails, the run is finished."""
        assert self._execution is not None
        if self._execution.has(task):
            return True
        send(self._outbox, ("begin", task.run, _place()))
        faulthandler.dump_traceback_later(max(limits.wall_time, _TRANSLATION), exit=True)
        row = self._execution.translate(task)
        faulthandler.cancel_dump_traceback_later()
        if row is None:
            send(self._outbox, ("ready", self._execution.translations))
            return True
        send(self._outbox, ("done", row))
        return False

    def _run_all(self, tasks: Sequence[Task], limits: Limits, slice_s: float) -> bool:
        """Carry out runs until the time is over; return whether this process can be used further."""
        assert self._execution is not None
        until = time.monotonic() + slice_s
        for task in tasks:
            send(self._outbox, ("begin", task.run, _place()))
            faulthandler.dump_traceback_later(limits.wall_time, exit=True)
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, limits.wall_time + _GRACE)
            row = self._execution.execute(task)
            faulthandler.cancel_dump_traceback_later()
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            sys.stdout.flush()
            send(self._outbox, ("done", row))
            if row.cause == "memory":
                return False
            if time.monotonic() > until:
                break
        return True


class _Copy:
    """Copy of this process.

    Args: pid: its number. alive: can be read when it has ended. orders: where it reads.
    """

    def __init__(self, pid: int, alive: int, orders: int) -> None:
        self._pid, self.alive, self._orders = pid, alive, orders

    def tell(self, order: Any) -> None:
        """Send orders to the copy; if it has just ended, they are not read, and its end is noticed."""
        with contextlib.suppress(BrokenPipeError):
            send(self._orders, order)

    def kill(self) -> None:
        """End the process by force."""
        os.kill(self._pid, signal.SIGKILL)

    def reap(self) -> int:
        """Return the exit status, or minus the number of the signal that ended the process."""
        os.close(self.alive)
        os.close(self._orders)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _place() -> int:
    """Return the present length of the log."""
    sys.stderr.flush()
    return os.lseek(2, 0, os.SEEK_END)


def _limit_memory(megabytes: float | None) -> None:
    """Limit the additional memory of this process."""
    sizes = Path("/proc/self/statm")
    if megabytes is None or not sizes.exists():
        return
    import resource

    present = int(sizes.read_text().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = present + int(megabytes * 1e6)
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def main() -> None:
    """Begin: stdin and stdout carry only messages; output of models goes to the log."""
    inbox, outbox = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    faulthandler.enable()
    warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads of libraries that sleep
    Runner(inbox, outbox).serve()


if __name__ == "__main__":
    main()
