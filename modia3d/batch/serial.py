"""Reference implementation: one run after the other in this process, without any protection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .execution import Execution, Job, Row, Task


def run_serially(job: Job, tasks: Iterable[Task]) -> Iterator[Sequence[Row]]:
    """Carry out runs.

    Args:
        job: see `Job`.
        tasks: the runs.

    Returns:
        Rows as they come. What crashes or hangs ends or stops the process; limits are not kept.
    """
    execution = Execution(job)
    for task in tasks:
        yield [execution.execute(task)]
