"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.gym.environment import Environment as Environment
from modia3d.gym.registration import register as register
from modia3d.gym.task import Action as Action
from modia3d.gym.task import Observation as Observation
from modia3d.gym.task import Task as Task
from modia3d.gym.task_file import read_task as read_task
from modia3d.gym.vector import VectorEnvironment as VectorEnvironment
