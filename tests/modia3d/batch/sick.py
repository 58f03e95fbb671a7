"""A model some of whose parameters make the process that simulates it crash, hang or eat memory, in machine code."""

import math

import numpy as np

from modiapy import Function, Model, Var

HEALTHY, CRASH, HANG, HOG, REFUSE = 0.0, 1.0, 2.0, 3.0, 4.0


def sickness(kind: float, t: float) -> float:
    """Zero, or the end of the process."""
    if t < 0.5 or kind == 0.0:
        return 0.0
    if kind == 1.0:
        nowhere = np.zeros(1)
        nowhere[int(1e12 + t)] = t  # a segmentation fault
        return nowhere[0]
    if kind == 2.0:
        while t < 2.0:
            t = 1.0 + 0.5 * math.sin(t)
        return t
    if kind == 3.0:
        much = np.ones(int(2e8 + t))  # 1.6 GB
        return much[int(t)]
    raise ValueError("no value for this kind")


def model() -> Model:
    """An oscillator whose frequency is ``w``; its ``kind`` is what is wrong with it (0: nothing)."""
    return Model(
        kind=0.0,
        w=1.0,
        x=Var(init=1.0),
        v=Var(init=0.0),
        sickness=Function(sickness),
        equations=["der(x) = v", "der(v) = -w**2*x + sickness(kind, time)"],
    )
