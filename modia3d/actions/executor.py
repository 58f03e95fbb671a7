"""The executor: carries out the steps of a program while the simulation runs, in one task or in several side by side.

A task is a stack of generators (a program, and the blocks of it that are under way). It runs until a step makes it wait: for a
time, a condition, the end of a motion, other tasks, or the engine, which carries out structural actions. Everything that the
world decides passes through `Executor._ask` or `Executor._over` and is logged there; a replay takes it from the log instead,
see `modia3d.engine.program`.

The actions are frozen values (`values.py`, `paths_values.py`, `checks.py`). A structural one is one file in
`actions/structural/` and a line in `topology/action_names.py`: its fields and their checks, which of them name frames
and joints, the edit of `topology/edits.py` that it carries out (whose contract is that of its states), the joints
that it locks, and the function that records it (`base.py`, `recorder.py`, `together.py`); `changes.py` carries
several out as one change. `actions/program.py`: `ModelActions(program)`; what a program can be: `docs/programs.md`.
`executor.py` carries out all of them, a list too, step by step at events: a `Task` (`task.py`) is a stack of
generators, and steps with blocks (`blocks.py`: `IfElse`, `Repeat`, `Try`, `Retry`) are generators among them.
`steps.py` has the others, `conditions.py` what they ask, `moves.py` the paths that are under way; `timeline.py` is
the executor without a simulation, for what is known before. `schedule.py` shows it to the engine. What the world
decides goes through `program_log.py`, from which a snapshot replays (`engine/program.py` specifies log and replay).
Reference paths are arrays behind a header (`PackedPaths.header`, `SegmentMemory.set_paths`) that is rewritten at
events, without a new segment.

Conditions are interpreted. While one is awaited (`watching`, `awaited` of a component), `condition_monitor.py` asks twice
in each of the integrator's steps, which are the same ones, and bisects on the dense output (`simulation/segments/present.py`:
signals at one moment). `EndOfSimulation` ends with a verdict. Reference signals of `addReferencePath` are variables
of the equations (`engine/reference_signals.py`): `<path of ModelActions>.<name>.position`, `.velocity`,
`.acceleration`.

Paths. `paths.py`: `plan_ptp` and `interrupt` give a `ReferenceTrajectory`, `pack` the arrays of several, all pure. A
trajectory is a chain of path segments: a curve `q(s)` in joint space (`paths_curve.py`: straight lines, corners of
`paths_blend.py`, the spline of a line of `paths_linear.py`) and phases of constant jerk of `s(t)`
(`modiapy/library/motion_profiles.py`). `Curve.limits` are limits of s under which no joint exceeds its own *whatever*
the profile, so that an interruption is another profile on the same curve. `ReferenceTrajectory.rows` are polynomials of time;
`engine/kernels/paths.py` evaluates them and any of their derivatives. A straight line is planned when it begins:
`find_route` (inverse kinematics, `engine/inverse_kinematics.py`) gives plain data for the program's log,
`plan_linear` the trajectory.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modiapy.acausal.protocol import EndOfSimulation
from modiapy.model.errors import ModelError

from .blocks import Block, Join, Parallel, Program, Spawn, answered, begun
from .conditions import Signals
from .moves import Moves
from .program_log import ProgramLog, misfit
from .steps import ActionRefused, Decide, End, Numbered, Read, Set, StopPath, WaitUntil, after, listed, walk
from .structural.base import StructuralAction
from .task import Task
from .values import Actions, AddPath, AfterPeriod, MoveLinear, PtpJointSpace, Together, Wait

MAX_TASKS = 1000
"""So many tasks that are started without time passing are considered an endless chain."""

LATE = 1e-9
"""By so much what `EventAfterPeriod` contains may take longer than the period [s]."""


class _Waits:
    """Placeholder for an outcome that does not exist yet."""


WAITS = _Waits()


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
        program: Program,
        moves: Moves,
        start: float,
        signals: Callable[[Any, Mapping[str, float]], Signals],
    ) -> None:
        self.moves, self._view = moves, signals
        self.log = ProgramLog()
        self.flags: dict[str, float] = {}
        self.due: Task | None = None
        self.finished = False
        self.tasks: dict[int, Task] = {}
        self._ready: deque[Task] = deque()
        self._numbers = 0
        self._since, self._begun = math.nan, 0
        self._value_of: Any
        self._present: Callable[[], Any]
        self._start(program, start, -1)

    # -- what the schedule calls ------------------------------------------------------------------------------------------

    def advance(self, time: float, read: Any, present: Callable[[], Any]) -> Task | None:
        """Continue all tasks as far as possible; return the one with a structural action that is due, None if all wait."""
        self._value_of, self._present = read, present
        self._let_ready(time)
        progress = True
        while progress and self.due is None:
            progress = False
            for task in [*self.tasks.values()]:
                progress = self._go_on(task, time) or progress
                if self.due is not None:
                    break
        return self.due

    def complete(self, time: float) -> None:
        """Mark the structural action that was due as carried out."""
        task, self.due = self.due, None
        assert task is not None
        task.mark = task.clock
        self._over(task, time, True)
        task.step, task.answer = None, True
        self._ready.appendleft(task)  # in front of what it has started: it goes on as after a refusal

    def refused(self, time: float, text: str) -> bool:
        """Refuse the structural action that was due; return whether the program continues nevertheless."""
        task, self.due = self.due, None
        assert task is not None
        self._over(task, time, text)
        return self._resume_or_end(task, time, None, ActionRefused(text))

    @property
    def watching(self) -> bool:
        """True if a task waits for a condition that may begin to hold between events."""
        return any(isinstance(task.step, WaitUntil) and not task.step.condition.only_at_events for task in self.tasks.values())

    @property
    def _signals(self) -> Signals:
        """Return the signals for conditions."""
        return self._view(self._value_of, self.flags)

    def awaited(self, read: Any) -> bool:
        """Return whether a condition holds for which a task waits."""
        signals = self._view(read, self.flags)
        waiting = [task.step for task in self.tasks.values() if isinstance(task.step, WaitUntil)]
        return any(step.condition.holds(signals) for step in waiting)

    def next_event(self, time: float) -> float:
        """Return the next time after ``time`` [s] at which a task continues, or a reference acceleration jumps."""
        wakes = [task.wake for task in self.tasks.values() if task.wake > time]
        return min([*wakes, self.moves.next_breakpoint(time)], default=math.inf)

    def replay(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Continue to the state after the last entry of a log, see `modia3d.engine.program`. Raises ModelError."""
        self.log.begin_replay(log)
        try:
            self._follow(self.tasks[0].clock)
        except EndOfSimulation:
            if self.log.left:
                raise misfit(f"{self.log.left} steps behind the end of the program") from None
        self.log.replaying = False

    def _follow(self, time: float) -> None:
        """Continue tasks in the order of the log that is replayed."""
        self._let_ready(time)
        while self.log.left:
            time = self.log.next_time()
            if self.due is not None:
                outcome = self.log.recorded()
                if outcome is True:
                    self.complete(time)
                elif not isinstance(outcome, str) or not self.refused(time, outcome):
                    raise misfit(f"the outcome {outcome!r} of an action")
                self._let_ready(time)
            else:
                task = self.tasks.get(self.log.next_task())
                if task is None or not self._go_on(task, time):
                    raise misfit(f"a step at {time:.9g} s that this program does not reach")

    # -- tasks ------------------------------------------------------------------------------------------------------------

    def _start(self, program: Any, clock: float, parent: int) -> Task:
        if clock != self._since:
            self._since, self._begun = clock, 0
        self._begun += 1
        if self._begun > MAX_TASKS:
            raise ModelError(
                "the program starts task after task, and no time passes",
                found=f"more than {MAX_TASKS} tasks at one time",
                expected="tasks that wait before they start others",
                remedy="Does a task spawn itself? Put ActionWait or wait_until before that.",
            )
        task = Task(self._numbers, clock, parent, [begun(program)], mark=clock)
        self._numbers += 1
        self.tasks[task.number] = task
        self._ready.append(task)
        return task

    def _let_ready(self, time: float) -> None:
        """Continue all tasks that wait for nothing: new ones, and the one whose action has been carried out.

        They come before the conditions of waiting tasks are asked, in a replay too. The log contains what waits, but not what
        waits for nothing, so that only this rule gives both the same order.
        """
        while self._ready and self.due is None:
            task = self._ready.popleft()
            if not task.ended:
                answer, task.answer = task.answer, None
                self._resume_or_end(task, time, answer)

    def _go_on(self, task: Task, time: float) -> bool:
        """Continue a task whose condition is met, and those that it has started; return whether there was one."""
        outcome = WAITS if task.step is None else self._outcome(task, time)
        if outcome is WAITS:
            return False
        self._over(task, time, outcome)
        self._resume_or_end(task, time, task.result if isinstance(task.step, (Parallel, Join)) else outcome)
        self._let_ready(time)
        return True

    def _resume_or_end(self, task: Task, time: float, answer: Any, given: ActionRefused | None = None) -> bool:
        """Continue a task, with a ``given`` refusal; return False if nothing catches it. Other uncaught refusals are raised."""
        left = self._resume(task, time, answer, given)
        if left is not None and left is not given:
            raise ModelError("the program raised a refusal that nothing in it catches", found=str(left))
        return left is None

    def _resume(self, task: Task, time: float, answer: Any, refusal: ActionRefused | None = None) -> ActionRefused | None:
        """Continue a task until it waits; return the refusal that nothing catches, if there is one."""
        task.wake = math.inf
        while task.stack:
            generator, actions = task.stack[-1]
            try:
                given = answered(generator, answer) if refusal is None else generator.throw(refusal)
            except StopIteration as end:
                self._check_forgotten(task, actions, None)
                task.stack.pop()
                answer, refusal = end.value, None
                continue
            except ActionRefused as error:
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
            task.entry, task.step = (given.number, given.step) if isinstance(given, Numbered) else (0, given)
            self._check_forgotten(task, actions, task.step)
            task.count_step(time)
            answer = self._begin(task, time)
            if answer is WAITS:
                return None
        task.step, task.result = None, answer
        return self._ended(task, time, refusal)

    def _ended(self, task: Task, time: float, refusal: ActionRefused | None) -> ActionRefused | None:
        """End a task; raise its uncaught refusal in the task that waits for it. Return a refusal that nothing catches."""
        if refusal is None:
            return None
        parent = self.tasks.get(task.parent)
        if parent is None:
            return refusal
        for number in parent.children:
            self._leave(self.tasks[number], time)
        self._forget(parent)
        parent.clock = time
        return self._resume(parent, time, None, refusal)

    def _leave(self, task: Task, time: float) -> None:
        """Give up a task and everything that it waits for; a path that it moves brakes."""
        for number in task.children:
            self._leave(self.tasks[number], time)
        self._forget(task)
        task.close()
        self.moves.leave(task.number, time)
        task.step = None

    def _forget(self, task: Task) -> None:
        """Forget the programs that a task has waited for, since nothing refers to them any more."""
        for number in task.children:
            del self.tasks[number]
        task.children = ()

    def _check_forgotten(self, task: Task, actions: Actions | None, step: object) -> None:
        """Refuse actions that a generator has recorded but not yielded."""
        recorders = [one for other in self.tasks.values() for _, one in other.stack if one is not None and one.recorded]
        if recorders:
            parts = [part for _, part in walk([step])]
            parts += [part for inner in parts if isinstance(inner, Together) for part in inner.actions]
            yielded = set(map(id, parts))
            for recorder in recorders:
                recorder.recorded = [action for action in recorder.recorded if id(action) not in yielded]
        forgotten = [] if actions is None else actions.recorded
        if forgotten:
            raise ModelError(
                f"{forgotten[0]} was not yielded",
                expected="in a generator program each action is yielded",
                remedy="Write 'yield ...' before it.",
            )

    # -- outcomes ---------------------------------------------------------------------------------------------------------

    def _over(self, task: Task, time: float, outcome: Any) -> None:
        """Log the end of a step."""
        self.log.note(time, task.number, _KINDS.get(type(task.step), "action"), task.step, outcome)

    def _ask(self, task: Task, time: float, kind: str, compute: Callable[[], Any]) -> Any:
        """Return the outcome of a question to the simulation; in a replay the recorded outcome."""
        outcome = self.log.recorded() if self.log.replaying else compute()
        self.log.note(time, task.number, kind, task.step, outcome)
        return outcome

    def _outcome(self, task: Task, time: float) -> Any:
        """Return the outcome of a step that waits; `WAITS` if there is none yet."""
        outcome = _OUTCOME.get(type(task.step))
        if outcome is not None:
            return outcome(self, task, task.step, time)
        return WAITS if time < task.wake else None

    def _joined(self, task: Task, step: Parallel, time: float) -> Any:
        parts = [self.tasks[number] for number in task.children]
        if not all(part.ended for part in parts):
            return WAITS
        task.clock, task.result = time, [part.result for part in parts]
        self._forget(task)
        return None

    def _ended_of(self, task: Task, step: Join, time: float) -> Any:
        if not self.tasks[step.task].ended:
            return WAITS
        task.clock, task.result = time, self.tasks[step.task].result
        return None

    def _moved(self, task: Task, step: PtpJointSpace | MoveLinear, time: float) -> Any:
        motion = self.moves.under_way[task.number]
        if time < motion.end:
            return WAITS
        task.clock = motion.end
        del self.moves.under_way[task.number]
        return not motion.stopped

    def _condition(self, task: Task, step: WaitUntil, time: float) -> Any:
        holds = bool(self.log.recorded()) if self.log.replaying else step.condition.holds(self._signals)
        if not holds and time < task.wake:
            return WAITS
        task.clock = time
        return holds

    # -- steps ------------------------------------------------------------------------------------------------------------

    def _begin(self, task: Task, time: float) -> Any:
        """Begin a step; return its outcome, or `WAITS`. An error in it gets its number and text."""
        try:
            return self._begin_step(task, task.step, time)
        except ModelError as error:
            if error.entry is None:
                error.message, error.entry = f"{task.label}: {error.message}", task.entry or None
            raise

    def _begin_step(self, task: Task, step: Any, time: float) -> Any:
        begin = _BEGIN.get(type(step))
        if begin is not None:
            return begin(self, task, step, time)
        if isinstance(step, (StructuralAction, Together)):
            self.due = task
            return WAITS
        if not isinstance(step, Block):
            raise ModelError("this is not a step of a program", found=repr(step), expected="an action or a step")
        task.stack.append((step.carry_out(task.entry), None))
        return None

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
        if isinstance(step, MoveLinear) or step.poses:
            route = self._ask(task, time, "route", lambda: self.moves.route(path, step, self._present()))
        task.wake = self.moves.begin(path, step, route, task.clock, task.number, task.entry)
        return WAITS

    def _stop_path(self, task: Task, step: StopPath, time: float) -> Any:
        paths = self.moves.all if step.names is None else [self.moves.find(step.names)]
        end = self.moves.stop(time, paths)
        return self._until(task, max(end, task.clock))

    def _wait_until(self, task: Task, step: WaitUntil, time: float) -> Any:
        if step.timeout is not None:
            task.wake = task.clock + step.timeout
        return WAITS

    def _decide(self, task: Task, step: Decide, time: float) -> Any:
        return bool(self._ask(task, time, "if", lambda: step.condition.holds(self._signals)))

    def _read(self, task: Task, step: Read, time: float) -> Any:
        return self._ask(task, time, "read", lambda: step.expression.value(self._signals))

    def _set(self, task: Task, step: Set, time: float) -> Any:
        values = self._ask(task, time, "set", lambda: [formula.value(self._signals) for _, formula in step.values])
        self.flags |= {name: float(value) for (name, _), value in zip(step.values, values, strict=True)}
        return None

    def _parallel(self, task: Task, step: Parallel, time: float) -> Any:
        parts = step.parts
        children = [self._child(task, part, after(task.entry, *parts[:k]), task.number) for k, part in enumerate(parts)]
        task.children = tuple(children)
        return WAITS

    def _spawn(self, task: Task, step: Spawn, time: float) -> Any:
        number = self._child(task, step.program, after(task.entry), -1)
        self.log.note(time, task.number, "spawn", step, number)
        return number

    def _child(self, task: Task, program: Any, first: int, parent: int) -> int:
        """Create a task and return its number; the steps of a list are numbered from ``first`` on."""
        child = self._start(program, task.clock, parent)
        if not callable(program):
            child.stack[0] = (listed(program, first), None)
        return child.number

    def _join(self, task: Task, step: Join, time: float) -> Any:
        if not isinstance(step.task, int) or step.task not in self.tasks or step.task == task.number:
            raise ModelError("there is no program of this number", found=repr(step.task), expected="the outcome of a Spawn")
        return WAITS

    def _end(self, task: Task, step: End, time: float) -> Any:
        self._over(task, time, step.verdict)
        self.finished = True
        raise EndOfSimulation(step.verdict, step.success)


_BEGIN: Mapping[type, Callable[[Executor, Task, Any, float], Any]] = {
    Wait: Executor._wait,
    AfterPeriod: Executor._after_period,
    AddPath: Executor._add_path,
    PtpJointSpace: Executor._move,
    MoveLinear: Executor._move,
    StopPath: Executor._stop_path,
    WaitUntil: Executor._wait_until,
    Decide: Executor._decide,
    Read: Executor._read,
    Set: Executor._set,
    Parallel: Executor._parallel,
    Spawn: Executor._spawn,
    Join: Executor._join,
    End: Executor._end,
}

_OUTCOME: Mapping[type, Callable[[Executor, Task, Any, float], Any]] = {
    WaitUntil: Executor._condition,
    Parallel: Executor._joined,
    Join: Executor._ended_of,
    PtpJointSpace: Executor._moved,
    MoveLinear: Executor._moved,
}
"""Of the steps that wait for more than a time."""

_KINDS: Mapping[type, str] = {
    Wait: "wait",
    AfterPeriod: "wait",
    PtpJointSpace: "path",
    MoveLinear: "path",
    StopPath: "stop_path",
    WaitUntil: "wait_until",
    Parallel: "parallel",
    Join: "join",
    End: "end",
}
