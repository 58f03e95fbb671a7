"""Environments of gymnasium from scenarios: agents that learn to control simulations (docs/gym.md).

``task.py`` says what an agent observes, does and is rewarded for, ``task_file.py`` reads that from YAML. ``prepared.py`` is a
task with its translated model: ``measures.py`` evaluates expressions and functions, ``spaces.py`` maps what the agent sees and
does to signals and inputs. ``episode.py`` is one simulation, in which ``lag.py`` holds back what sensors and actuators pass on
late.
``environment.py`` makes an environment of it, ``vector.py`` many, in threads, or in the processes of ``processes.py``;
``rendering.py`` draws them, ``registration.py`` tells gymnasium about them.
"""

from __future__ import annotations

from modiapy.model.lazy_exports import lazy_exports

HOMES = {
    "Action": "modia3d.gym.task",
    "Environment": "modia3d.gym.environment",
    "Observation": "modia3d.gym.task",
    "Task": "modia3d.gym.task",
    "VectorEnvironment": "modia3d.gym.vector",
    "read_task": "modia3d.gym.task_file",
    "register": "modia3d.gym.registration",
}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
