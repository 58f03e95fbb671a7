"""The executor: carries out the steps of a program while the simulation runs, in one task or in several side by side.

A task is a stack of generators (a program, and the blocks of it that are under way). It runs until a step makes it wait: for a
time, a condition, the end of a motion, other tasks, or the engine, which carries out structural actions. Everything that the
world decides passes through `Executor._ask` or `Executor._over` and is logged there; a replay takes it from the log instead,
see `modia3d.engine.program`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modiapy.acausal.protocol import EndOfSimulation
from modiapy.model.errors import ModelError

from . import steps as s
from .conditions import Signals
from .moves import Moves
from .structural_values import StructuralAction
from .values import Actions, AddPath, AfterPeriod, MoveLinear, PtpJointSpace, Together, Wait

MAX_STEPS = 10_000
"""So many steps of one task without time passing are considered an endless loop."""

LATE = 1e-9
"""By so much what `EventAfterPeriod` contains may take longer than the period [s]."""


class _Waits:
    """Stands for an outcome that is not there yet."""


WAITS = _Waits()


@dataclass
class Task:
    """A program under way.

    Attributes:
        number: 0 for the program itself.
        clock: time up to which it has been carried out [s].
        parent: number of the task that waits for it; -1: none.
        stack: generators, the innermost last, each with the recorder that its function got.
        entry: number of the step that is carried out; 0: it has none.
        step: the step that is carried out; None where it has ended.
        wake: when a step that waits for a time is over [s].
        mark: when the present period began [s], see `AfterPeriod`.
        children: numbers of the tasks that `Parallel` waits for.
        result: what the program returned.
        answer: what the step it waits for is answered with, where the engine has given it.
        count, since: how many steps it took since when, to find endless loops.
    """

    number: int
    clock: float
    parent: int = -1
    stack: list[tuple[Generator[Any, Any, Any], Actions | None]] = field(default_factory=list)
    entry: int = 0
    step: Any = None
    wake: float = math.inf
    mark: float = 0.0
    children: tuple[int, ...] = ()
    result: Any = None
    answer: Any = None
    count: int = 0
    since: float = -math.inf

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return not self.stack

    @property
    def label(self) -> str:
        """The step as messages name it."""
        return f"action {self.entry} ({self.step})" if self.entry else f"the step '{self.step}'"


class Executor:
    """One run of a program.

    Args:
        program: as the user wrote it.
        moves: its reference paths.
        start: of the simulation [s].
        signals: makes the view of all signals, from what the engine reads with and the flags.

    Attributes:
        log: see `modia3d.engine.program`.
        due: the task whose structural action the engine has to carry out; None: there is none.
        flags: what the program has set.
        finished: whether the program has ended the simulation.
    """

    def __init__(
        self,
        program: s.Program,
        moves: Moves,
        start: float,
        signals: Callable[[Any, Mapping[str, float]], Signals],
    ) -> None:
        self.moves, self._view = moves, signals
        self.log: list[dict[str, Any]] = []
        self.flags: dict[str, float] = {}
        self.due: Task | None = None
        self.finished = False
        self.tasks: dict[int, Task] = {}
        self._script: deque[Mapping[str, Any]] | None = None
        self._numbers = 0
        self._signals: Signals
        self._present: Callable[[], Any]
        self._start(program, start, -1)

    # -- what the schedule calls ------------------------------------------------------------------------------------------

    def advance(self, time: float, read: Any, present: Callable[[], Any]) -> Task | None:
        """Let all tasks go on as far as they can; the one with a structural action that is due, None when all wait."""
        self._signals, self._present = self._view(read, self.flags), present
        progress = True
        while progress and self.due is None:
            progress = False
            for task in list(self.tasks.values()):
                progress = self._go_on(task, time) or progress
                if self.due is not None:
                    break
        return self.due

    def complete(self, time: float) -> None:
        """The structural action that was due has been carried out."""
        task, self.due = self.due, None
        assert task is not None
        task.mark = task.clock
        self._over(task, time, True)
        task.step, task.answer = None, True

    def refused(self, time: float, text: str) -> bool:
        """The structural action that was due is refused; whether the program goes on all the same."""
        task, self.due = self.due, None
        assert task is not None
        self._over(task, time, text)
        return self._resume(task, time, None, s.ActionRefused(text))

    @property
    def watching(self) -> bool:
        """Whether a task waits for a condition."""
        return any(isinstance(task.step, s.WaitUntil) for task in self.tasks.values())

    def awaited(self, read: Any) -> bool:
        """Whether a condition holds for which a task waits."""
        signals = self._view(read, self.flags)
        waiting = [task.step for task in self.tasks.values() if isinstance(task.step, s.WaitUntil)]
        return any(step.condition.holds(signals) for step in waiting)

    def next_event(self, time: float) -> float:
        """When a task goes on, or a reference acceleration jumps, after ``time`` [s]."""
        wakes = [task.wake for task in self.tasks.values() if task.wake > time]
        return min([*wakes, self.moves.next_breakpoint(time)], default=math.inf)

    def replay(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Go on to the state after the last entry of a log, see `modia3d.engine.program`. Raises ModelError."""
        self._script, time = deque(log), self.tasks[0].clock
        while self._script:
            time, left = self._script[0].get("time"), len(self._script)
            if not isinstance(time, float):
                raise misfit(f"the time {time!r}")
            try:
                if self.advance(time, _not_now, _nothing) is not None:
                    outcome = self._script[0].get("outcome") if self._script else None
                    if outcome is True:
                        self.complete(time)
                    elif not isinstance(outcome, str) or not self.refused(time, outcome):
                        raise misfit(f"the outcome {outcome!r} of an action")
            except EndOfSimulation:
                pass
            if len(self._script) == left:
                raise misfit(f"'{self._script[0].get('step')}' at {time:.9g} s, which this program does not reach")
        if not self.finished:
            self.advance(time, _not_now, _nothing)  # what had begun and was not over
        self._script = None

    # -- tasks ------------------------------------------------------------------------------------------------------------

    def _start(self, program: Any, clock: float, parent: int) -> Task:
        task = Task(self._numbers, clock, parent, [s.begun(program)], mark=clock)
        self._numbers += 1
        self.tasks[task.number] = task
        return task

    def _go_on(self, task: Task, time: float) -> bool:
        """Let a task go on if what it waits for is there; whether it did."""
        if task.step is None:
            if task.ended:
                return False
            answer, task.answer = task.answer, None
            self._resume(task, time, answer)
            return True
        outcome = self._outcome(task, time)
        if outcome is WAITS:
            return False
        self._over(task, time, outcome)
        self._resume(task, time, task.result if isinstance(task.step, s.Parallel | s.Join) else outcome)
        return True

    def _resume(self, task: Task, time: float, answer: Any, refusal: s.ActionRefused | None = None) -> bool:
        """Let a task go on until it waits; False where a refusal is not caught by it."""
        task.wake = math.inf
        while task.stack:
            generator, actions = task.stack[-1]
            try:
                given = generator.send(answer) if refusal is None else generator.throw(refusal)
            except StopIteration as end:
                self._check_forgotten(task, actions, None)
                task.stack.pop()
                answer, refusal = end.value, None
                continue
            except s.ActionRefused as error:
                task.stack.pop()
                refusal = error
                continue
            except ModelError:
                raise
            except Exception as error:
                raise ModelError(
                    f"the program failed after {task.label}" if task.step is not None else "the program failed",
                    found=f"{type(error).__name__}: {error}",
                ) from error
            refusal = None
            task.entry, task.step = (given.number, given.step) if isinstance(given, s.Numbered) else (0, given)
            self._check_forgotten(task, actions, task.step)
            self._check_endless(task, time)
            answer = self._begin(task, time)
            if answer is WAITS:
                return True
        task.step, task.result = None, answer
        return self._ended(task, time, refusal)

    def _ended(self, task: Task, time: float, refusal: s.ActionRefused | None) -> bool:
        """A task is over; where it let a refusal through, that goes on in the task that waits for it."""
        if refusal is None:
            return True
        parent = self.tasks.get(task.parent)
        if parent is None or not isinstance(parent.step, s.Parallel):
            return False
        for number in parent.children:
            self._leave(self.tasks[number], time)
        return self._resume(parent, time, None, refusal)

    def _leave(self, task: Task, time: float) -> None:
        """Give up a task with all that it waits for; a path that it moves brakes."""
        for number in task.children:
            self._leave(self.tasks[number], time)
        while task.stack:
            task.stack.pop()[0].close()
        self.moves.leave(task.number, time)
        task.step, task.wake, task.children = None, math.inf, ()

    def _check_forgotten(self, task: Task, actions: Actions | None, step: object) -> None:
        """Refuse actions that a generator recorded and did not yield."""
        if actions is None or not actions.recorded:
            return
        yielded = {id(part) for _, part in s.walk([step])}
        yielded |= {id(part) for _, inner in s.walk([step]) if isinstance(inner, Together) for part in inner.actions}
        forgotten = [action for action in actions.recorded if id(action) not in yielded]
        actions.recorded.clear()
        if forgotten:
            raise ModelError(
                f"{forgotten[0]} was not yielded",
                expected="in a generator program each action is yielded",
                remedy="Write 'yield ...' before it.",
            )

    def _check_endless(self, task: Task, time: float) -> None:
        if task.since != time:
            task.since, task.count = time, 0
        task.count += 1
        if task.count > MAX_STEPS:
            error = ModelError(
                f"{task.label} is carried out again and again, and no time passes",
                found=f"more than {MAX_STEPS} steps at one time",
                expected="a loop that waits",
                remedy="Put ActionWait or wait_until into the loop.",
            )
            error.entry = task.entry or None
            raise error

    # -- outcomes ---------------------------------------------------------------------------------------------------------

    def _note(self, task: Task, time: float, kind: str, outcome: Any) -> None:
        """Log a step that is over; in a replay, check that the log says the same."""
        entry = {"time": time, "task": task.number, "kind": kind, "step": str(task.step), "outcome": outcome}
        if self._script is not None:
            logged: Mapping[str, Any] = self._script.popleft() if self._script else {}
            for key in ("time", "task", "kind", "step"):
                if logged.get(key) != entry[key]:
                    raise misfit(f"{key} {logged.get(key)!r} where this program has {entry[key]!r}")
        self.log.append(entry)

    def _over(self, task: Task, time: float, outcome: Any) -> None:
        self._note(task, time, _KINDS.get(type(task.step), "action"), outcome)

    def _ask(self, task: Task, time: float, kind: str, compute: Callable[[], Any]) -> Any:
        """What the world says, or what it has said."""
        if self._script is None:
            outcome = compute()
        else:
            outcome = self._script[0].get("outcome") if self._script else None
        self._note(task, time, kind, outcome)
        return outcome

    def _outcome(self, task: Task, time: float) -> Any:
        """Outcome of a step that waits; `WAITS` if it is not there yet."""
        step = task.step
        if isinstance(step, s.WaitUntil):
            return self._condition(task, step, time)
        if isinstance(step, s.Parallel):
            parts = [self.tasks[number] for number in task.children]
            if not all(part.ended for part in parts):
                return WAITS
            task.clock, task.result, task.children = time, [part.result for part in parts], ()
            return None
        if isinstance(step, s.Join):
            if not self.tasks[step.task].ended:
                return WAITS
            task.clock, task.result = time, self.tasks[step.task].result
            return None
        if isinstance(step, PtpJointSpace | MoveLinear):
            motion = self.moves.motions[task.number]
            if time < motion.end:
                return WAITS
            task.clock = motion.end
            del self.moves.motions[task.number]
            return not motion.stopped
        if isinstance(step, Wait | AfterPeriod | s.StopPath):
            return WAITS if time < task.wake else None
        self.due = task
        return WAITS

    def _condition(self, task: Task, step: s.WaitUntil, time: float) -> Any:
        if self._script is not None:
            logged = self._script[0] if self._script else {}
            if (logged.get("time"), logged.get("task"), logged.get("kind")) != (time, task.number, "wait_until"):
                return WAITS
            holds = bool(logged.get("outcome"))
        else:
            holds = step.condition.holds(self._signals)
        if not holds and time < task.wake:
            return WAITS
        task.clock = time if holds else task.wake
        return holds

    # -- steps ------------------------------------------------------------------------------------------------------------

    def _begin(self, task: Task, time: float) -> Any:
        """Begin a step; its outcome, or `WAITS`. A mistake in it is told with its number and text."""
        try:
            return self._begin_step(task, task.step, time)
        except ModelError as error:
            if error.entry is None:
                error.message, error.entry = f"{task.label}: {error.message}", task.entry or None
            raise

    def _begin_step(self, task: Task, step: Any, time: float) -> Any:
        if isinstance(step, StructuralAction | Together):
            self.due = task
            return WAITS
        if isinstance(step, s.Block):
            task.stack.append((step.carry_out(task.entry), None))
            return None
        begin = _BEGIN.get(type(step))
        if begin is None:
            raise ModelError("this is no step of a program", found=repr(step), expected="an action or a step")
        return begin(self, task, step, time)

    def _wait(self, task: Task, step: Wait, time: float) -> Any:
        return self._until(task, task.clock + step.duration)

    def _after_period(self, task: Task, step: AfterPeriod, time: float) -> Any:
        end = task.mark + step.period
        if task.clock > end + LATE:
            raise ModelError(
                f"the paths and waits before it end {task.clock - end:.6g} s too late",
                found=f"{task.clock - task.mark:.9g} s",
                expected=f"at most the period of {step.period:.9g} s",
                remedy="Allow larger v_max or a_max, bring the positions closer together, or lengthen the period.",
            )
        task.mark = max(task.clock, end)
        return self._until(task, task.mark)

    def _until(self, task: Task, end: float) -> Any:
        task.clock = task.wake = end
        return WAITS

    def _add_path(self, task: Task, step: AddPath, time: float) -> Any:
        self.moves.check_declared(step)
        return None

    def _move(self, task: Task, step: PtpJointSpace | MoveLinear, time: float) -> Any:
        path = self.moves.find(step.names)
        route = None
        if isinstance(step, MoveLinear):
            route = self._ask(task, time, "route", lambda: self.moves.route(path, step, self._present()))
        task.wake = self.moves.begin(path, step, route, task.clock, task.number, task.entry)
        return WAITS

    def _stop_path(self, task: Task, step: s.StopPath, time: float) -> Any:
        paths = self.moves.all if step.names is None else [self.moves.find(step.names)]
        end = self.moves.stop(time, paths)
        for other in self.tasks.values():
            if isinstance(other.step, PtpJointSpace | MoveLinear):
                other.wake = self.moves.motions[other.number].end
        return self._until(task, max(end, task.clock))

    def _wait_until(self, task: Task, step: s.WaitUntil, time: float) -> Any:
        if step.timeout is not None:
            task.wake = task.clock + step.timeout
        return WAITS

    def _decide(self, task: Task, step: s.Decide, time: float) -> Any:
        return bool(self._ask(task, time, "if", lambda: step.condition.holds(self._signals)))

    def _read(self, task: Task, step: s.Read, time: float) -> Any:
        return self._ask(task, time, "read", lambda: step.expression.value(self._signals))

    def _set(self, task: Task, step: s.Set, time: float) -> Any:
        values = self._ask(task, time, "set", lambda: [formula.value(self._signals) for _, formula in step.values])
        self.flags |= {name: float(value) for (name, _), value in zip(step.values, values, strict=True)}
        return None

    def _parallel(self, task: Task, step: s.Parallel, time: float) -> Any:
        parts = step.parts
        children = [self._child(task, part, s.after(task.entry, *parts[:k]), task.number) for k, part in enumerate(parts)]
        task.children = tuple(children)
        return WAITS

    def _spawn(self, task: Task, step: s.Spawn, time: float) -> Any:
        number = self._child(task, step.program, s.after(task.entry), -1)
        self._note(task, time, "spawn", number)
        return number

    def _child(self, task: Task, program: Any, first: int, parent: int) -> int:
        """Number of a new task; the steps of a list are numbered from ``first`` on."""
        child = self._start(program, task.clock, parent)
        if not callable(program):
            child.stack[0] = (s.listed(program, first), None)
        return child.number

    def _join(self, task: Task, step: s.Join, time: float) -> Any:
        if step.task not in self.tasks:
            raise ModelError("there is no program of this number", found=repr(step.task), expected="the outcome of Spawn")
        return WAITS

    def _end(self, task: Task, step: s.End, time: float) -> Any:
        self._over(task, time, step.verdict)
        self.finished = True
        raise EndOfSimulation(step.verdict, step.success)


_BEGIN: Mapping[type, Callable[[Executor, Task, Any, float], Any]] = {
    Wait: Executor._wait,
    AfterPeriod: Executor._after_period,
    AddPath: Executor._add_path,
    PtpJointSpace: Executor._move,
    MoveLinear: Executor._move,
    s.StopPath: Executor._stop_path,
    s.WaitUntil: Executor._wait_until,
    s.Decide: Executor._decide,
    s.Read: Executor._read,
    s.Set: Executor._set,
    s.Parallel: Executor._parallel,
    s.Spawn: Executor._spawn,
    s.Join: Executor._join,
    s.End: Executor._end,
}

_KINDS: Mapping[type, str] = {
    Wait: "wait",
    AfterPeriod: "wait",
    PtpJointSpace: "path",
    MoveLinear: "path",
    s.StopPath: "stop_path",
    s.WaitUntil: "wait_until",
    s.Parallel: "parallel",
    s.Join: "join",
    s.End: "end",
}


def _not_now(name: str) -> Any:
    raise KeyError(name)


def _nothing() -> Any:
    raise misfit("a motion that was not logged")


def misfit(found: str) -> ModelError:
    """The error for a log that is not one of the program."""
    return ModelError(
        "the log does not fit the action program",
        found=found,
        expected="the log of this program",
        remedy="Was the program changed?",
    )
