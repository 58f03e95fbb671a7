"""Machine code of the insulated rod.

States: mean temperatures of the n volumes [K]. Context: slot 16 address of the conductances between the centres of
neighbours and, at both ends, between port and centre [W/K], shape (n + 1,); slot 17 of the heat capacities [J/K], shape (n,).
Where the grid is watched (indicators): slot 18 address of what a heat flow makes of the temperature over a volume [K/W],
shape (n,), first for volumes that may be split, else 0, then for those that may be merged with the next one, else 0; slot 19
address of both thresholds [K]; 0 where nothing can be split, or merged: there is no indicator for it.
"""

from __future__ import annotations

from numba import cfunc, njit

from ...acausal.native import COMPONENT_SIGNATURE, float64_array
from ...acausal.protocol import Mode, Slot

_X, _DER, _Z, _N_X, _N_Z, _MODE = (int(s) for s in (Slot.X, Slot.DER, Slot.Z, Slot.N_X, Slot.N_Z, Slot.MODE))
_CONDUCTANCES, _CAPACITIES, _SPANS, _THRESHOLDS = (int(Slot.DATA) + k for k in range(4))
_INDICATORS = int(Mode.INDICATORS)


@njit
def _indicators(context, q_a, q_b):  # type: ignore[no-untyped-def]
    """The largest change of temperature over a volume minus what is to be split; the smallest over two minus what is merged."""
    n = context[_N_X]
    temperature, conductance = float64_array(context[_X], n), float64_array(context[_CONDUCTANCES], n + 1)
    spans, thresholds = float64_array(context[_SPANS], 2 * n), float64_array(context[_THRESHOLDS], 2)
    largest, smallest = 0.0, 2.0 * thresholds[1]
    left = abs(q_a)
    for i in range(n):
        right = abs(q_b) if i == n - 1 else conductance[i + 1] * abs(temperature[i] - temperature[i + 1])
        largest = max(largest, spans[i] * max(left, right))
        if spans[n + i] > 0.0:
            after = abs(q_b) if i + 2 == n else conductance[i + 2] * abs(temperature[i + 1] - temperature[i + 2])
            smallest = min(smallest, 2.0 * spans[n + i] * max(left, right, after))
        left = right
    z = float64_array(context[_Z], context[_N_Z])
    if thresholds[0] > 0.0:
        z[0] = largest - thresholds[0]
    if thresholds[1] > 0.0:
        z[context[_N_Z] - 1] = smallest - thresholds[1]


@cfunc(COMPONENT_SIGNATURE, cache=True)
def heat_flows(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(T_a, T_b) -> heat flows into the rod at both ends [W]."""
    n = context[_N_X]
    temperature, conductance = float64_array(context[_X], n), float64_array(context[_CONDUCTANCES], n + 1)
    outputs[0] = conductance[0] * (inputs[0] - temperature[0])
    outputs[1] = conductance[n] * (inputs[1] - temperature[n - 1])
    return 0


@cfunc(COMPONENT_SIGNATURE, cache=True)
def balance(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(Q_a, Q_b) -> done: energy balance of all volumes, and the event indicators."""
    n = context[_N_X]
    temperature, rate = float64_array(context[_X], n), float64_array(context[_DER], n)
    conductance, capacity = float64_array(context[_CONDUCTANCES], n + 1), float64_array(context[_CAPACITIES], n)
    left = inputs[0]
    for i in range(n):
        right = -inputs[1] if i == n - 1 else conductance[i + 1] * (temperature[i] - temperature[i + 1])
        rate[i] = (left - right) / capacity[i]
        left = right
    if context[_MODE] & _INDICATORS and context[_N_Z] > 0:
        _indicators(context, inputs[0], inputs[1])
    outputs[0] = 0.0
    return 0
