"""`Environment`: a task as an environment of gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, ModiaError, nearest
from modiapy.simulation.stepper import Stepper

from .episode import Episode
from .prepared import Prepared, prepared
from .rendering import MODES, Renderer
from .spaces import gymnasium

Info = dict[str, Any]


class Environment(gymnasium.Env[np.ndarray, Any]):
    """Environment of gymnasium, in which an agent controls a simulation.

    ::

        with Environment("docking.yaml", observations=["joint1.phi", "joint1.w"], actions={"speed1": {"low": -2, "high": 2}},
                         reward="-abs(joint1.phi)") as environment:
            observation, info = environment.reset(seed=1)
            observation, reward, terminated, truncated, info = environment.step(environment.action_space.sample())

    `step` ends an episode as *terminated* where the task's condition holds, or the simulation ends itself (its program says
    ``end``, its equations ``terminate``), and as *truncated* at the stop time, and where the simulation cannot go on. The
    ``info`` has

    - ``time``: present time [s],
    - ``refused``: list of the reasons why actions of the program were refused in this step, where there are any,
    - ``verdict``, ``success``: of the program, where it has ended the simulation,
    - ``error``: why the simulation could not go on,
    - ``values``: at the reset, values that were drawn, by path.

    Args:
        task: a `Task`, the file of one, or what a task has as ``scenario``.
        render_mode: "rgb_array" or "human", see docs/gym.md; None.
        width, height: of pictures [pixels].
        record: whether ``stepper.result`` has the whole episode, else its last point only.
        fields: further fields of the task, by name, in place of those that it has.

    Attributes:
        observation_names: names of the elements of an observation.
        stepper: the simulation of the present episode; None before the first one.

    Raises:
        ModelError: a field is wrong, or does not fit the model.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 50}  # noqa: RUF012

    def __init__(
        self,
        task: Any,
        *,
        render_mode: str | None = None,
        width: int = 640,
        height: int = 480,
        record: bool = False,
        **fields: Any,
    ) -> None:
        if render_mode is not None and render_mode not in MODES:
            expected, remedy = f"one of {', '.join(MODES)}, or None", nearest(str(render_mode), MODES)
            raise ModelError("render_mode is unknown", found=repr(render_mode), expected=expected, remedy=remedy)
        self._prepared: Prepared = prepared(task, fields)
        self.metadata = type(self).metadata | {"render_fps": max(1, round(1.0 / self._prepared.task.step))}
        self.render_mode = render_mode
        self.observation_space = self._prepared.observation_space
        self.action_space = self._prepared.actions.space
        self._renderer = None if render_mode is None else Renderer(render_mode, width, height)
        self._episode: Episode | None = None
        self._stepper: Stepper | None = None
        self._values: dict[str, Any] = {}
        self._ended, self._record = False, record

    @property
    def stepper(self) -> Stepper | None:
        """The simulation of the present episode; None before the first one."""
        return None if self._episode is None else self._episode.stepper

    @property
    def observation_names(self) -> tuple[str, ...]:
        """Names of the elements of an observation."""
        found = []
        for each in self._prepared.sensors:
            size = each.low.size
            found += [each.name] if size == 1 else [f"{each.name}[{k}]" for k in range(size)]
        return tuple(found)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, Info]:
        """Begin an episode; return the first observation, and what else is known.

        Args:
            seed: of all random numbers from now on; None: go on with those of before.
            options: ``{"values": {path: value}}``: values of parameters in this episode, in place of those that are drawn.

        Raises:
            ModelError: values do not fit the model.
            SimulationError: the simulation cannot begin.
        """
        super().reset(seed=seed)
        values = self._prepared.drawn(self.np_random) | _values(options)
        self._episode = None
        self._episode, self._ended = Episode(self._prepared, self._begun(values), self.np_random), False
        info: Info = {"time": self._episode.time}
        if values:
            info["values"] = values
        self._show(begins=True)
        return self._episode.observation, info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, Info]:
        """Carry out a step; return the observation, the reward, whether the episode is terminated, whether it is truncated, and
        what else is known.

        Args:
            action: an element of ``action_space``; numbers beyond its bounds count as the bounds.

        Raises:
            ModelError: there is no such action, or the episode has ended; a function of the task fails.
        """
        episode = self._episode
        if episode is None or self._ended:
            found = "no episode has begun" if episode is None else "it has ended"
            raise ModelError("there is no episode to go on with", found=found, remedy="Call reset() before.")
        reward = episode.advance(self._prepared.actions.by_name(action))
        terminated = episode.ends
        truncated = not terminated and not episode.stepper.running
        self._ended = terminated or truncated
        info: Info = {"time": episode.time}
        if episode.refused:
            info["refused"] = episode.refused
        if episode.error is not None:
            info["error"] = str(episode.error)
        elif not episode.stepper.running and (result := episode.stepper.result).success is not None:
            info |= {"verdict": result.verdict, "success": result.success}
        self._show()
        return episode.observation, reward, terminated, truncated, info

    def render(self) -> np.ndarray | None:
        """Return a picture, shape (height, width, 3), uint8, where ``render_mode`` is "rgb_array"; else None.

        Raises:
            ModiaError: there is no browser.
        """
        if self._renderer is None or self._episode is None:
            return None
        return self._renderer.picture(self._episode.stepper)

    def close(self) -> None:
        """End the episode, and what pictures need; the environment may be reset again."""
        self._end()
        if self._renderer is not None:
            self._renderer.close()

    def _begun(self, values: dict[str, Any]) -> Stepper:
        """Return a simulation with these values at its beginning: the present one again where it has them."""
        if self._stepper is not None and values == self._values:
            with suppress(ModelError):  # it has a component that cannot go back
                self._stepper.reset()
                return self._stepper
        self._end()
        self._stepper, self._values = self._prepared.stepper(values, record=self._record), values
        return self._stepper

    def _end(self) -> None:
        """End the simulation: its integrator goes back to those of the model."""
        if self._stepper is not None:
            with suppress(ModiaError):  # nobody asks any more
                self._stepper.close()
        self._episode = self._stepper = None

    def _show(self, *, begins: bool = False) -> None:
        if self._renderer is not None and self._episode is not None:
            if begins:
                self._renderer.begin(self._prepared, self._episode.stepper)
            self._renderer.show(self._episode.stepper)


def _values(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values that options of a reset have. Raises ModelError where there is another option."""
    for key in options or ():
        if key != "values":
            raise ModelError(f"unknown option '{key}' of reset", expected="values", remedy=nearest(str(key), ("values",)))
    values = (options or {}).get("values", {})
    if not isinstance(values, Mapping):
        raise ModelError("values of a reset are wrong", found=repr(values), expected="a mapping from paths to values")
    return dict(values)
