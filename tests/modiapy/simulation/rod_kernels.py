"""Machine code of the insulated rod (see `rod`).

Context data: slot 16 address of {length, conductivity G of the whole rod [W/K], heat capacity C of the whole rod [J/K]},
slot 17 address of the thresholds of the event indicators, shape (n_z,). States: temperatures of the n volumes [K].
"""

from numba import cfunc

from modiapy.acausal.native import COMPONENT_SIGNATURE, float64_array

X, DER, Z, N_X, N_Z, CONDUCTANCE, THRESHOLDS = 2, 3, 4, 5, 6, 16, 17
INDICATORS = 1


@cfunc(COMPONENT_SIGNATURE, cache=True)
def heat_flows(context, inputs, outputs):
    """(T_a, T_b) -> heat flows into the rod at both ends [W]: half a volume lies between a port and the first centre."""
    n = context[N_X]
    temperature = float64_array(context[X], n)
    conductance = 2 * n * float64_array(context[CONDUCTANCE], 2)[0]
    outputs[0] = conductance * (inputs[0] - temperature[0])
    outputs[1] = conductance * (inputs[1] - temperature[n - 1])
    return 0


@cfunc(COMPONENT_SIGNATURE, cache=True)
def balance(context, inputs, outputs):
    """(Q_a, Q_b) -> done: energy balance of all volumes, and the event indicators."""
    n = context[N_X]
    data = float64_array(context[CONDUCTANCE], 2)
    between, capacity = n * data[0], data[1] / n
    temperature, rate = float64_array(context[X], n), float64_array(context[DER], n)
    for i in range(n):
        rate[i] = 0.0
    rate[0] += inputs[0] / capacity
    rate[n - 1] += inputs[1] / capacity
    for i in range(n - 1):
        flow = between * (temperature[i] - temperature[i + 1]) / capacity
        rate[i] -= flow
        rate[i + 1] += flow
    if context[1] & INDICATORS:
        thresholds, z = float64_array(context[THRESHOLDS], context[N_Z]), float64_array(context[Z], context[N_Z])
        for k in range(context[N_Z]):
            z[k] = temperature[n // 2] - thresholds[k]
    outputs[0] = 0.0
    return 0
