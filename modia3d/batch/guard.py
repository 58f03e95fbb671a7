"""Supervision of the process that carries out runs (``runner.py``): a crash, a hang or too much memory costs one run."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from .execution import SHOWN, Job, Row, Task
from .messages import receive, send
from .study import Limits

_BARREN = 3
"""So often in vain a process is started."""

_LARGE_LOG = 1_000_000
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Broken(RuntimeError):
    """Runs cannot be carried out at all; the text says why."""


class Guard:
    """Process that carries out runs; it is started again whenever it ends.

    Args: job: what is carried out; packed: the same as a pickle. limits: of each run.

    Attributes: translations: how many models it and its predecessors have translated.
    """

    def __init__(self, job: Job, packed: bytes, limits: Limits) -> None:
        self._job, self._packed, self._limits = job, packed, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Any = tempfile.TemporaryFile(mode="a+b")  # noqa: SIM115 - lives as long as the guard
        self._closed = False
        self._before = self.translations = self._serial = 0

    def carry_out(self, tasks: Sequence[Task], slice_s: float) -> list[Row]:
        """Carry out runs until the time is over, at least one.

        Args:
            tasks: the runs, in this order.
            slice_s: [s] after which no other one is begun.

        Returns:
            The rows of those that were carried out.

        Raises:
            Broken: no process can be started, or it cannot read the job.
        """
        until = time.monotonic() + slice_s
        remaining = {task.run: task for task in tasks}
        attempts = dict.fromkeys(remaining, 1)
        rows: list[Row] = []
        barren = 0
        while remaining and not (rows and time.monotonic() > until):
            before = len(rows), sum(attempts.values())
            for row in self._once(list(remaining.values()), slice_s):
                row.attempts = attempts[row.run]
                if row.cause in ("crash", "time", "memory") and row.attempts <= self._limits.retries:
                    attempts[row.run] += 1
                else:
                    rows.append(row)
                    del remaining[row.run]
            barren = barren + 1 if before == (len(rows), sum(attempts.values())) else 0
            if barren == _BARREN or self._closed:
                raise Broken(f"the process for runs ends before it has done anything: {self._said(0)}")
        return rows

    def _once(self, tasks: Sequence[Task], slice_s: float) -> list[Row]:
        """Carry out runs until the process, or its copy, ends; return their rows."""
        rows: list[Row] = []
        run, place, began = None, 0, 0.0
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            self._serial += 1
            send(process.stdin.fileno(), ("runs", self._serial, list(tasks), self._limits, slice_s))
        except OSError:
            pass  # it has ended: so does what it says
        while True:
            try:
                message = receive(process.stdout.fileno())
            except Exception:  # it was killed while it wrote
                process.kill()
                message = None
            if message is None:
                code = process.wait()
                self._process, self._before = None, self.translations
                break
            kind, *content = message
            if kind == "begin":
                (run, place), began = content, time.monotonic()
            elif kind == "done":
                rows.append(content[0])
                run = None
            elif kind == "ready":
                self.translations, run = self._before + content[0], None
            elif kind == "broken":
                raise Broken(content[0])
            elif content[1] == self._serial:
                code = content[0]
                break
        if run is not None:
            task = next(task for task in tasks if task.run == run)
            rows.append(self._failed(task, code, time.monotonic() - began, self._said(place)))
        return rows

    def _failed(self, task: Task, code: int, seconds: float, said: str) -> Row:
        """Return the row of a run whose process has ended."""
        row = Row(task.run, self._job.models[task.model].name, task.values, log=said, wall_s=seconds)
        limits = self._limits
        if said.startswith("Timeout") or seconds > limits.wall_time + 1.0:
            row.cause, row.message = "time", f"no end after {seconds:.3g} s"
            return row
        name = f"exit status {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                name = signal.Signals(-code).name
        row.cause, row.message = "crash", f"the process ended by {name}"
        if "MemoryError" in said or "std::bad_alloc" in said:
            row.cause, row.message = "memory", f"no memory left within the limit; {row.message}"
        elif name == "SIGKILL":
            row.message += ", perhaps by the system for lack of memory"
        return row

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            path = os.pathsep.join(dict.fromkeys(entry or os.getcwd() for entry in sys.path))
            environment = os.environ | {"PYTHONPATH": path} | dict.fromkeys(_ONE_THREAD, "1")
            self._process = subprocess.Popen(
                [sys.executable, "-m", "modia3d.batch.runner"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment,
                start_new_session=True,
            )
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                send(self._process.stdin.fileno(), ("job", self._packed))
        elif os.fstat(self._log.fileno()).st_size > _LARGE_LOG:
            os.ftruncate(self._log.fileno(), 0)
        return self._process

    def _said(self, place: int) -> str:
        """Return the end of the log, from a position on."""
        size = os.fstat(self._log.fileno()).st_size
        self._log.seek(max(place, size - SHOWN))
        return str(self._log.read().decode("utf-8", "replace")).strip()

    def close(self) -> None:
        """End the process; may be called from another thread."""
        self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
