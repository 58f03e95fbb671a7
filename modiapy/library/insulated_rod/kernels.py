"""Machine code of the insulated rod.

States: mean temperatures of the n volumes [K]; what is there besides them, `memory.ROD` says.
"""

from __future__ import annotations

from ...acausal.native import COMPONENT_SIGNATURE, cfunc, njit
from ...acausal.native_layout import record
from ...acausal.protocol import CONTEXT, Mode
from .memory import ROD

_INDICATORS = int(Mode.INDICATORS)
rod_at = record(CONTEXT.followed_by(*ROD.fields.values()))


@njit
def _indicators(context, q_a, q_b):  # type: ignore[no-untyped-def]
    """Return the largest change of temperature over a volume minus that at which it is split; the smallest over two minus
    that at which they are merged.
    """
    rod = rod_at(context)
    n, temperature, conductance, spans, thresholds = rod.n_x, rod.x, rod.conductances, rod.spans, rod.thresholds
    largest, smallest = 0.0, 2.0 * thresholds[1]
    left = abs(q_a)
    for i in range(n):
        right = abs(q_b) if i == n - 1 else conductance[i + 1] * abs(temperature[i] - temperature[i + 1])
        largest = max(largest, spans[i] * max(left, right))
        if spans[n + i] > 0.0:
            after = abs(q_b) if i + 2 == n else conductance[i + 2] * abs(temperature[i + 1] - temperature[i + 2])
            smallest = min(smallest, 2.0 * spans[n + i] * max(left, right, after))
        left = right
    z = rod.z
    if thresholds[0] > 0.0:
        z[0] = largest - thresholds[0]
    if thresholds[1] > 0.0:
        z[rod.n_z - 1] = smallest - thresholds[1]


@cfunc(COMPONENT_SIGNATURE, cache=True)
def heat_flows(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (T_a, T_b) -> heat flows into the rod at both ends [W]."""
    rod = rod_at(context)
    n, temperature, conductance = rod.n_x, rod.x, rod.conductances
    outputs[0] = conductance[0] * (inputs[0] - temperature[0])
    outputs[1] = conductance[n] * (inputs[1] - temperature[n - 1])
    return 0


@cfunc(COMPONENT_SIGNATURE, cache=True)
def balance(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return (Q_a, Q_b) -> done: energy balance of all volumes, and the event indicators."""
    rod = rod_at(context)
    n, temperature, rate, conductance, capacity = rod.n_x, rod.x, rod.der, rod.conductances, rod.capacities
    left = inputs[0]
    for i in range(n):
        right = -inputs[1] if i == n - 1 else conductance[i + 1] * (temperature[i] - temperature[i + 1])
        rate[i] = (left - right) / capacity[i]
        left = right
    if rod.mode & _INDICATORS and rod.n_z > 0:
        _indicators(context, inputs[0], inputs[1])
    outputs[0] = 0.0
    return 0
