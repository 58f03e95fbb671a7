"""A permanent magnet machine that brakes over a diode bridge, integrated by scipy: `Examples...SMPM_Braking`.

The machine in the frame of its rotor (Park's equations), its star point grounded by 1 MOhm, six diodes with two resistances
each, and a resistance on the other side of the bridge that follows the speed. What flows through the star point follows the
voltages within 1e-10 s, and is taken as if it did so at once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.integrate import solve_ivp

from .modelica_references import Array

_POLE_PAIRS, _FREQUENCY, _OPEN_CIRCUIT = 2, 50.0, 112.3
_NOMINAL = 2.0 * np.pi * _FREQUENCY / _POLE_PAIRS
_MAIN, _STRAY = 0.3 / (2.0 * np.pi * _FREQUENCY), 0.1 / (2.0 * np.pi * _FREQUENCY)
_MAGNET = np.sqrt(2.0) * _OPEN_CIRCUIT / (2.0 * np.pi * _FREQUENCY)
_RESISTANCE, _INERTIA = 0.03, 0.29 + 0.29
_ON, _OFF, _GROUND = 1e4, 1e-4, 1e-6
"""Conductances of a diode that conducts and of one that does not, and of the star point [S]."""
_PHASES = np.arange(3) * 2.0 * np.pi / 3.0
_RELATIVE, _ABSOLUTE = 1e-9, 1e-10
_LATER = 1e-12
"""So long after a diode has changed the others are asked [s]."""


class _Bridge:
    """Voltages of the bridge where the machine takes given currents, with diodes that conduct or not, shape (2, 3).

    The first row are those to the positive side.
    """

    def __init__(self, conducts: Array) -> None:
        self.conducts = conducts
        self.to_positive, self.to_negative = np.where(conducts, _ON, _OFF)

    def voltages(self, currents: Array, speed: float) -> tuple[Array, float]:
        """Of the three phases, and of the positive side [V], against the negative one."""
        resistance = np.pi**2 / 8.0 * np.clip(speed / _NOMINAL, 0.1, 10.0)
        own = self.to_positive + self.to_negative
        matrix, right = np.zeros((4, 4)), np.append(-currents, 0.0)
        matrix[:3, :3] = np.diag(own) + _GROUND / 9.0  # the star point takes the mean of the voltages
        matrix[:3, 3] = -self.to_positive
        matrix[3, :3] = self.to_positive
        matrix[3, 3] = -self.to_positive.sum() - 1.0 / resistance
        found = np.linalg.solve(matrix, right)
        return found[:3], float(found[3])

    def across(self, state: Array) -> Array:
        """Return the voltages of the diodes, shape (2, 3)."""
        phases, positive = self.voltages(_currents(state), state[2])
        return np.array([phases - positive, -phases])


def _currents(state: Array) -> Array:
    """Of the phases, without what flows through the star point."""
    d, q, _, angle = state
    turned = _POLE_PAIRS * angle - _PHASES
    return np.asarray(d * np.cos(turned) - q * np.sin(turned))


def _rates(state: Array, bridge: _Bridge) -> Array:
    """Of the currents along the magnet and across it [A], speed and angle."""
    d, q, speed, angle = state
    phases, _ = bridge.voltages(_currents(state), speed)
    turned = _POLE_PAIRS * angle - _PHASES
    along, across = 2.0 / 3.0 * (phases @ np.cos(turned)), -2.0 / 3.0 * (phases @ np.sin(turned))
    inductance, frequency = _MAIN + _STRAY, _POLE_PAIRS * speed
    flux_d, flux_q = inductance * d + _MAGNET, inductance * q
    torque = 1.5 * _POLE_PAIRS * (flux_d * q - flux_q * d)
    return np.array(
        [
            (along - _RESISTANCE * d + frequency * flux_q) / inductance,
            (across - _RESISTANCE * q - frequency * flux_d) / inductance,
            torque / _INERTIA,
            speed,
        ]
    )


def braking(times: Array) -> Mapping[str, Array]:
    """Return the signals of both examples, the electric and the magnetic one, at times that begin with 0 [s]."""
    points, inverse = np.unique(times, return_inverse=True)
    state, time = np.array([0.0, 0.0, _NOMINAL, 0.0]), float(points[0])
    bridge = _Bridge(np.zeros((2, 3), bool))
    rising = _slopes(state, bridge)
    bridge = _Bridge(np.array([rising < -1e-6, rising > 1e-6]))
    states, voltages = np.empty((points.size, 4)), np.empty((points.size, 3))
    while time < points[-1]:
        found = solve_ivp(
            lambda _, y, bridge=bridge: _rates(y, bridge),
            (time, points[-1]),
            state,
            "Radau",
            dense_output=True,
            events=_changes(bridge),
            rtol=_RELATIVE,
            atol=_ABSOLUTE,
        )
        end = float(found.t[-1])
        for k in np.flatnonzero((points >= time) & (points <= end)):
            states[k] = found.sol(points[k])
            voltages[k], _ = bridge.voltages(_currents(states[k]), states[k, 2])
        time, state = end, found.y[:, -1]
        conducts = bridge.conducts.copy()
        for k, instants in enumerate(found.t_events[:6]):
            if instants.size:
                conducts.flat[k] ^= True
        bridge = _Bridge(conducts)
    return {name: values[inverse] for name, values in _signals(states, voltages).items()}


def _slopes(state: Array, bridge: _Bridge) -> Array:
    """Return how fast the currents of the phases begin to rise [A/s]."""
    later = state + _LATER * _rates(state, bridge)
    return (_currents(later) - _currents(state)) / _LATER


def _changes(bridge: _Bridge) -> list:  # type: ignore[type-arg]
    """Return the events: diodes begin or end to conduct; the resistance reaches its least."""
    found = []
    for k, conducts in enumerate(bridge.conducts.flat):

        def across(_: float, state: Array, k: int = k) -> float:
            return float(bridge.across(state).flat[k])

        across.terminal, across.direction = True, -1.0 if conducts else 1.0  # type: ignore[attr-defined]
        found.append(across)

    def least(_: float, state: Array) -> float:
        return float(state[2] - 0.1 * _NOMINAL)

    least.terminal, least.direction = True, -1.0  # type: ignore[attr-defined]
    return [*found, least]


def _signals(states: Array, voltages: Array) -> dict[str, Array]:
    d, q, speed, angle = states.T
    turned = _POLE_PAIRS * angle
    through_star = _GROUND * voltages.mean(axis=1) / 3.0
    phases = [d * np.cos(turned - k) - q * np.sin(turned - k) + through_star for k in _PHASES]
    flux_d, flux_q = (_MAIN + _STRAY) * d + _MAGNET, (_MAIN + _STRAY) * q
    converter = "smpm.stator.electroMagneticConverter.singlePhaseElectroMagneticConverter"
    return {
        "inertiaLoad.phi": angle,
        "inertiaLoad.w": speed,
        "smpm.is[1]": phases[0],
        "smpm.is[2]": phases[1],
        "smpm.idq_sr[1]": d,
        "smpm.idq_sr[2]": q,
        f"{converter}[1].Phi.re": flux_q * np.sin(turned) - flux_d * np.cos(turned),
        f"{converter}[2].Phi.im": -flux_d * np.sin(turned) - flux_q * np.cos(turned),
    }
