"""`VectorEnvironment`: many environments of one task, in threads of this process or in processes of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any, Protocol

import numpy as np

from modiapy.model.errors import ModelError, nearest

from .environment import Environment
from .member import Answer, Member, Order
from .prepared import Prepared, prepared
from .spaces import gymnasium

MODES = tuple(mode.value for mode in gymnasium.vector.AutoresetMode)


class Crew(Protocol):
    """Interface of the environments, wherever they are, to which orders are given."""

    def carry_out(self, orders: Sequence[Order | None]) -> list[Answer | None]:
        """Carry out an order for each environment, None: nothing is to be done there; return the answers."""

    def close(self) -> None:
        """End what it needs."""


class VectorEnvironment(gymnasium.vector.VectorEnv[np.ndarray, Any, np.ndarray]):
    """Environments of one task side by side, a vector environment of gymnasium.

    Each gives the bits that it gives alone, wherever it is simulated: with the seed ``s`` the environment of number ``k`` has
    those of an `Environment` that is reset with ``s + k``.

    Args:
        task: as of `Environment`. With processes it is pickled: functions stand at the top level of a module.
        num_envs: number of environments.
        threads: of this process, among which the environments are divided. One translated model serves all of them.
        processes: among which the environments are divided, instead; each translates the model, and has one thread.
        autoreset_mode: what happens where an episode has ended: "NextStep" (the next step begins another one, its action has no
            effect), "SameStep" (that step returns the first observation of the next one; info has ``final_obs`` and
            ``final_info``) or "Disabled" (``reset(options={"reset_mask": ...})`` does it); a member of ``AutoresetMode``.
        render_mode: "rgb_array", or None.
        width, height: of pictures [pixels].
        fields: further fields of the task, as of `Environment`.

    Raises:
        ModelError: an argument is wrong; a process cannot begin.
    """

    def __init__(
        self,
        task: Any,
        num_envs: int = 1,
        *,
        threads: int = 1,
        processes: int = 0,
        autoreset_mode: Any = gymnasium.vector.AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 480,
        **fields: Any,
    ) -> None:
        for name, value, least in (("num_envs", num_envs, 1), ("threads", threads, 1), ("processes", processes, 0)):
            if type(value) is not int or value < least:
                raise ModelError(f"{name} is wrong", found=repr(value), expected=f"a whole number from {least} on")
        if threads > 1 and processes:
            found = f"{threads} threads and {processes} processes"
            raise ModelError("a vector environment has threads or processes", found=found, expected="one of both")
        self.autoreset_mode = _mode(autoreset_mode)
        given = {"render_mode": render_mode, "width": width, "height": height}
        self._prepared: Prepared = prepared(task, fields)
        self._crew: Crew
        if processes:
            from .processes import Processes

            self._crew = Processes(self._prepared, given, num_envs, min(processes, num_envs), self.autoreset_mode)
        else:
            self._crew = Threads(self._prepared, given, num_envs, min(threads, num_envs), self.autoreset_mode)
        self.num_envs, self.render_mode = num_envs, render_mode
        rate = max(1, round(1.0 / self._prepared.task.step))
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": ["rgb_array"], "render_fps": rate}
        self.single_observation_space = self._prepared.observation_space
        self.single_action_space = self._prepared.actions.space
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._observations = np.zeros((num_envs, *self._prepared.observation_space.shape))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in each environment; return the observations, shape (num_envs, n), and what else is known.

        Args:
            seed: of the first environment, the others have the numbers after it; or one for each.
            options: as of `Environment`; ``reset_mask``, shape (num_envs,), says which environments are reset.

        Raises:
            ModelError: an argument is wrong, or does not fit the model.
        """
        seeds = [None if seed is None else seed + k for k in range(self.num_envs)] if _is_one(seed) else list(seed)  # type: ignore[arg-type, operator]
        if len(seeds) != self.num_envs:
            raise ModelError("the seeds are wrong", found=f"{len(seeds)} seeds", expected=f"{self.num_envs}")
        given = dict(options or {})
        mask = np.asarray(given.pop("reset_mask", np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            expected = f"true or false for each of {self.num_envs} environments, one of them true"
            raise ModelError("reset_mask is wrong", found=repr(mask), expected=expected)
        orders = [Order("reset", (seed, given or None)) if m else None for m, seed in zip(mask, seeds, strict=True)]
        infos: dict[str, Any] = {}
        for k, answer in enumerate(self._crew.carry_out(orders)):
            if answer is not None:
                self._observations[k] = answer.observation
                infos = self._add_info(infos, answer.info, k)
        return self._observations.copy(), infos

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out a step in each environment; return what `Environment.step` returns, each in an array with a row for each.

        Args:
            actions: an element of ``action_space``.

        Raises:
            ModelError: an action is wrong; an episode has ended, and autoreset is disabled.
        """
        each = list(gymnasium.vector.utils.iterate(self.action_space, actions))
        answers = self._crew.carry_out([Order("step", (deepcopy(action),)) for action in each])
        rewards, ended = np.zeros(self.num_envs), np.zeros((2, self.num_envs), bool)
        infos: dict[str, Any] = {}
        for k, answer in enumerate(answers):
            assert answer is not None
            self._observations[k], rewards[k] = answer.observation, answer.reward
            ended[:, k] = answer.terminated, answer.truncated
            if answer.final is not None:
                infos = self._add_info(infos, {"final_obs": answer.final[0], "final_info": answer.final[1]}, k)
            infos = self._add_info(infos, answer.info, k)
        return self._observations.copy(), rewards, ended[0], ended[1], infos

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each environment, see `Environment`; None without ``render_mode``."""
        if self.render_mode is None:
            return None
        answers = self._crew.carry_out([Order("render")] * self.num_envs)
        return tuple(None if answer is None else answer.picture for answer in answers)

    def close_extras(self, **kwargs: Any) -> None:
        """End threads, processes and browsers; ``kwargs`` are of gymnasium, and have no effect."""
        self._crew.close()

    def __del__(self) -> None:
        if not self.closed and "_crew" in vars(self):
            self.close()


class Threads:
    """Environments in threads of this process.

    Args:
        task: that they have in common. given: arguments of each. number: of environments. threads: number of those.
        mode: of the autoreset.
    """

    def __init__(self, task: Prepared, given: Mapping[str, Any], number: int, threads: int, mode: Any) -> None:
        self._members = [Member(Environment(task, **given), mode) for _ in range(number)]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="modia3d-gym") if threads > 1 else None

    def carry_out(self, orders: Sequence[Order | None]) -> list[Answer | None]:
        """Carry out the orders, see `Crew`."""
        if self._pool is None:
            return [member.carry_out(order) for member, order in zip(self._members, orders, strict=True)]
        return list(self._pool.map(Member.carry_out, self._members, orders))

    def close(self) -> None:
        """End the threads and the environments."""
        if self._pool is not None:
            self._pool.shutdown()
        for member in self._members:
            member.environment.close()


def _is_one(seed: Any) -> bool:
    return seed is None or isinstance(seed, int | np.integer)


def _mode(given: Any) -> Any:
    modes = gymnasium.vector.AutoresetMode
    try:
        return given if isinstance(given, modes) else modes(given)
    except ValueError:
        expected, remedy = f"one of {', '.join(MODES)}", nearest(str(given), MODES)
        raise ModelError("autoreset_mode is unknown", found=repr(given), expected=expected, remedy=remedy) from None
