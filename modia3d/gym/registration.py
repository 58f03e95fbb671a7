"""Registration of environments in gymnasium, under the names in `NAMES`."""

from __future__ import annotations

SCENARIO = "modia3d/Scenario-v0"
"""Name under which gymnasium makes an `Environment`: ``gymnasium.make(SCENARIO, task="docking_task.yaml")``."""


def register() -> None:
    """Tell gymnasium about ``modia3d/Scenario-v0``: ``gymnasium.make`` and ``make_vec`` know it from then on.

    gymnasium does it itself where the package is installed.
    """
    import gymnasium

    if SCENARIO not in gymnasium.registry:
        gymnasium.register(
            SCENARIO,
            entry_point="modia3d.gym.environment:Environment",
            vector_entry_point="modia3d.gym.vector:VectorEnvironment",
            disable_env_checker=False,
        )
