"""`Member`: one environment of many, with its autoreset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .environment import Environment, Info
from .spaces import gymnasium


class Order(NamedTuple):
    """Order to an environment: "reset", "step" or "render", with the arguments."""

    what: str
    arguments: tuple[Any, ...] = ()


@dataclass
class Answer:
    """Answer of an environment to an order.

    Attributes:
        observation, reward, terminated, truncated, info: as `Environment.step` returns them.
        final: observation and info of an episode that has ended, where the others are of the next one.
        picture: that was drawn.
    """

    observation: np.ndarray
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    info: Info = field(default_factory=dict)
    final: tuple[np.ndarray, Info] | None = None
    picture: np.ndarray | None = None


class Member:
    """One environment of many.

    Args:
        environment: this one.
        mode: what happens where an episode has ended, a member of ``AutoresetMode``.
    """

    def __init__(self, environment: Environment, mode: Any) -> None:
        self.environment, self._mode, self._ended = environment, mode, False

    def carry_out(self, order: Order | None) -> Answer | None:
        """Carry out an order; return None where there is none. Errors as of `Environment`."""
        if order is None:
            return None
        if order.what == "render":
            return Answer(np.zeros(0), picture=self.environment.render())
        return self._reset(*order.arguments) if order.what == "reset" else self._step(*order.arguments)

    def _reset(self, seed: int | None = None, options: Any = None) -> Answer:
        observation, info = self.environment.reset(seed=seed, options=options)
        self._ended = False
        return Answer(observation, info=info)

    def _step(self, action: Any) -> Answer:
        modes = gymnasium.vector.AutoresetMode
        if self._ended and self._mode == modes.NEXT_STEP:
            return self._reset()
        answer = Answer(*self.environment.step(action))
        self._ended = answer.terminated or answer.truncated
        if self._ended and self._mode == modes.SAME_STEP:
            first = self._reset()
            answer.final = answer.observation, answer.info
            answer.observation, answer.info = first.observation, first.info
        return answer
