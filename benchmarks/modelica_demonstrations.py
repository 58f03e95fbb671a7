"""Why some examples differ from their published result, each with a demonstration that is computed anew at every run.

A demonstration is one of six: a solution of the example's equations, derived by hand and in closed form or integrated by
scipy, with which ours agrees far better than the published result; signals that follow from others in closed form, which ours
do and published ones do not; a quantity of the published result that cannot be; variables that the example does not
determine, while all others agree; instants at which a signal is a quotient of rounding errors, while it agrees at all others;
or angles that differ by full turns.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from .modelica_braking import braking
from .modelica_references import TOLERANCE, Array, Reference, compare

CLOSE = 2e-4
"""Part of a signal's range by which ours may differ from an independent integration."""


@dataclass(frozen=True)
class Demonstration:
    """Why an example differs.

    Attributes:
        says: the reason.
        undetermined: patterns of the signals that the example does not determine; the others must agree.
        independent: gives signals at the times of the reference, by an integration of its own or in closed form; all signals
            of the reference that do not vanish must be among them.
        implied: gives signals that follow from others, which it asks for by name; the others must agree.
        angles: patterns of signals of which full turns do not count.
        singular: instants [s] at which a signal is a quotient of rounding errors; at all others all signals must agree.
        impossible: gives, of the reference's signals, a number that would have to be zero, and what it is.
    """

    says: str
    undetermined: tuple[str, ...] = ()
    independent: Callable[[Array], Mapping[str, Array]] | None = None
    implied: Callable[[Callable[[str], Array]], Mapping[str, Array]] | None = None
    impossible: Callable[[Reference], tuple[float, str]] | None = None
    angles: tuple[str, ...] = ()
    singular: tuple[float, ...] = ()

    def shown(self, reference: Reference, times: Array, ours: Callable[[str], Array]) -> str | None:
        """What was demonstrated, with its numbers; None if nothing was."""
        if self.independent is not None:
            return self._beside(self.independent(reference.times), reference, times, ours)
        if self.implied is not None:
            return self._by_others(self.implied, reference, times, ours)
        if self.impossible is not None:
            value, what = self.impossible(reference)
            return f"{self.says}: {what} {value:.3g}" if abs(value) > TOLERANCE else None
        reference = _without(reference, self.singular)
        if not all(_agrees_but_for_turns(reference, name, times, ours) for name in reference.signals if self._is_angle(name)):
            return None
        left = {
            n: v
            for n, v in reference.signals.items()
            if not any(fnmatch.fnmatch(n, p) for p in (*self.undetermined, *self.angles))
        }
        worst, _ = compare(replace(reference, signals=left), times, ours)
        return f"{self.says}: the other signals are within {worst:.1e}" if left and worst <= TOLERANCE else None

    def _beside(
        self, computed: Mapping[str, Array], reference: Reference, times: Array, ours: Callable[[str], Array]
    ) -> str | None:
        moving = {name for name, values in reference.signals.items() if np.abs(values).max() > 1e-9}
        if not moving <= computed.keys():
            return None
        wanted = replace(reference, signals={name: computed[name] for name in moving})
        own, _ = compare(wanted, times, ours)
        theirs, _ = compare(wanted, reference.times, reference.signals.__getitem__)
        shown = own <= CLOSE and theirs > 10.0 * own
        return f"{self.says}: from an independent solution ours is {own:.1e}, it {theirs:.1e}" if shown else None

    def _by_others(
        self,
        implied: Callable[[Callable[[str], Array]], Mapping[str, Array]],
        reference: Reference,
        times: Array,
        ours: Callable[[str], Array],
    ) -> str | None:
        follow = implied(reference.signals.__getitem__)
        theirs, signal = compare(replace(reference, signals=follow), reference.times, reference.signals.__getitem__)
        own, _ = compare(Reference(reference.example, times, implied(ours), ()), times, ours)
        left = {name: values for name, values in reference.signals.items() if name not in follow}
        worst, _ = compare(replace(reference, signals=left), times, ours)
        if not left or worst > TOLERANCE or own > CLOSE or theirs <= 10.0 * own:
            return None
        return (
            f"{self.says}: from what follows ours is {own:.1e}, it {theirs:.1e} ({signal}); the others are within {worst:.1e}"
        )

    def _is_angle(self, name: str) -> bool:
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.angles)


def _agrees_but_for_turns(reference: Reference, name: str, times: Array, ours: Callable[[str], Array]) -> bool:
    """Return whether an angle is the published one at all points, but for full turns."""
    wanted = reference.signals[name]
    error = np.interp(reference.times, times, np.asarray(ours(name), float)) - wanted
    wrapped = (error + np.pi) % (2.0 * np.pi) - np.pi
    return bool(np.abs(wrapped).max() <= TOLERANCE * np.ptp(wanted))


def _without(reference: Reference, instants: tuple[float, ...]) -> Reference:
    """Return a reference without the points at these instants."""
    width = 1e-9 * float(np.ptp(reference.times))
    kept = ~np.any([np.abs(reference.times - t) <= width for t in instants] or [np.zeros(len(reference.times), bool)], axis=0)
    return replace(reference, times=reference.times[kept], signals={n: v[kept] for n, v in reference.signals.items()})


def _integrated(rates: Callable[[float, Array], Array], begin: Array, times: Array) -> Array:
    points, inverse = np.unique(times, return_inverse=True)
    found = solve_ivp(rates, (points[0], points[-1]), begin, "DOP853", points, rtol=1e-12, atol=1e-13)
    return np.asarray(found.y)[:, inverse]


def _orbits(
    bodies: Mapping[str, tuple[float, ...]], place: str, spring: tuple[str, str, float, float] | None = None
) -> Callable[[Array], Mapping[str, Array]]:
    """Return the points of 1 kg in a plane about a centre of gravity (mu = 1): each begins with x, y, vx, vy.

    Args:
        place: name of the position of a body.
        spring: two bodies, stiffness [N/m], unstretched length [m].
    """
    names = list(bodies)

    def rates(_: float, state: Array) -> Array:
        rows = state.reshape(-1, 4)
        speeds = rows[:, 2:]
        pulls = -rows[:, :2] / np.linalg.norm(rows[:, :2], axis=1, keepdims=True) ** 3
        if spring is not None:
            a, b, stiffness, length = names.index(spring[0]), names.index(spring[1]), spring[2], spring[3]
            between = rows[b, :2] - rows[a, :2]
            distance = np.linalg.norm(between)
            force = stiffness * (distance - length) * between / distance
            pulls[a] += force
            pulls[b] -= force
        return np.hstack([speeds, pulls]).ravel()

    def signals(times: Array) -> Mapping[str, Array]:
        found = _integrated(rates, np.concatenate([np.array(b) for b in bodies.values()]), times)
        columns = [f"{body}.{what}[{k}]" for body in bodies for what in (place, "v_0") for k in (1, 2)]
        return dict(zip(columns, found, strict=True))

    return signals


def _double_pendulum(times: Array) -> Mapping[str, Array]:
    """Return two boxes 0.5 m long, 0.06 m square (7700 kg/m3), the first joint damped; the tip begins at rest at (0.7, 0.3) m.

    By Lagrange's equations of the absolute angles p and q.
    """
    length, width, damping, g = 0.5, 0.06, 0.1, 9.80665
    mass = 7700.0 * length * width**2
    inertia = mass * (length**2 + width**2) / 12.0

    def tip(angles: Array) -> Array:
        p, q = angles[0], angles[0] + angles[1]
        return length * np.array([np.cos(p) + np.cos(q), np.sin(p) + np.sin(q)]) - np.array([0.7, 0.3])

    def rates(_: float, state: Array) -> Array:
        p, q, dp, dq = state
        joined = mass * length**2 / 2.0
        matrix = np.array(
            [
                [inertia + mass * length**2 * 1.25, joined * np.cos(p - q)],
                [joined * np.cos(p - q), inertia + mass * length**2 / 4.0],
            ]
        )
        forces = np.array(
            [
                -joined * np.sin(p - q) * dq**2 - 1.5 * mass * g * length * np.cos(p) - damping * dp,
                joined * np.sin(p - q) * dp**2 - 0.5 * mass * g * length * np.cos(q),
            ]
        )
        return np.concatenate([[dp, dq], np.linalg.solve(matrix, forces)])

    first, second = fsolve(tip, [0.0, np.pi / 2], xtol=1e-13)
    p, q, dp, dq = _integrated(rates, np.array([first, first + second, 0.0, 0.0]), times)
    return {"revolute1.phi": p, "revolute1.w": dp, "revolute2.phi": q - p, "revolute2.w": dq - dp}


def _filled_tank(times: Array) -> Mapping[str, Array]:
    """Return a tank of 1 m2 with 0.1 m3 and as much below its bottom, filled with 50 kg/s of the same temperature from 1 m
    above.

    The water (995.586 kg/m3, 4184 J/(kg K)) brings its potential energy.
    """
    level = 0.1 + 50.0 / 995.586 * times
    rise = 9.80665 / 4184.0 * (level - 0.1) / (level + 0.1)
    reached = (level >= 1.01).astype(float)
    return {
        "tank1.level": level,
        "tank1.medium.T": 293.15 + rise,
        "tank1.aboveLevel[1]": np.ones(times.size),
        "tank1.aboveLevel[2]": reached,
    }


def _mixed_tanks(signals: Callable[[str], Array]) -> Mapping[str, Array]:
    """Return the water flows from a tank of 323.15 K into one of 373.15 K, both of 1 m2, the second one filled 1 m: energies
    add up.
    """
    level = np.asarray(signals("tank2.level"), float)
    mixed = (373.15 + (level - 1.0) * 323.15) / level
    return {"tank1.medium.T": np.full(level.size, 323.15), "tank2.medium.T": mixed}


def _jump_without_impulse(reference: Reference) -> tuple[float, str]:
    """Return the largest jump of the velocity of the mass behind the spring when the other mass hits its stop."""
    velocity = reference.signals["massWithStopAndFriction.v"] - reference.signals["springDamper1.v_rel"]
    instants = np.flatnonzero(np.diff(reference.times) <= 0)
    jumps = velocity[instants + 1] - velocity[instants]
    return float(jumps[np.argmax(np.abs(jumps))]), "published velocity of mass3 [m/s], on which a spring pulls, jumps by"


_PENDULUM = "the motion is sensitive, the published result not converged"
_NOT_CONVERGED = "the published result is not converged"
_ELEMENTARY = "Modelica.Mechanics.MultiBody.Examples.Elementary."
_TWO = {"body1": (0.0, 0.6, 1.0, 0.0), "body2": (0.6, 0.6, 0.6, 0.0)}
_BRAKING = Demonstration(_NOT_CONVERGED, independent=braking)
_BATCH = "Modelica.Fluid.Examples.AST_BatchPlant.Test."
_FOUR = {**_TWO, "body3": (0.0, 0.8, 0.6, 0.0), "body4": (0.3, 0.8, 0.6, 0.0)}

DEMONSTRATIONS: Mapping[str, Demonstration] = {
    f"{_ELEMENTARY}PointGravity": Demonstration(_NOT_CONVERGED, independent=_orbits(_TWO, "frame_a.r_0")),
    f"{_ELEMENTARY}PointGravityWithPointMasses": Demonstration(
        _NOT_CONVERGED, independent=_orbits(_FOUR, "r_0", ("body3", "body4", 10.0, 0.0))
    ),
    f"{_ELEMENTARY}DoublePendulumInitTip": Demonstration(_PENDULUM, independent=_double_pendulum),
    "Modelica.Mechanics.Translational.Examples.HeatLosses": Demonstration(
        "a velocity that an impact sets to zero takes others with it, where differences are chosen as states",
        impossible=_jump_without_impulse,
    ),
    "Modelica.Electrical.Machines.Examples.SynchronousMachines.SMPM_NoLoad": Demonstration(
        "an angle of half a turn has either sign", angles=("toPolar.y[[]2]",)
    ),
    "Modelica.Magnetic.FluxTubes.Examples.MovingCoilActuator.ForceCurrentBehaviour": Demonstration(
        "the static inductance is divided by a current that is zero at 3 s; the published one is that of 1e-13 A",
        singular=(3.0,),
    ),
    "Modelica.Electrical.Machines.Examples.SynchronousMachines.SMPM_Braking": Demonstration(
        _NOT_CONVERGED, independent=braking
    ),
    "Modelica.Magnetic.FundamentalWave.Examples.BasicMachines.SynchronousMachines.SMPM_Braking": Demonstration(
        _NOT_CONVERGED, independent=braking
    ),
    f"{_BATCH}TankWithEmptyingPipe1": Demonstration(
        "the published temperature rises by 2 mK, and its tolerance is a millionth of 293 K", independent=_filled_tank
    ),
    f"{_BATCH}TwoTanks": Demonstration(
        "published temperatures change where nothing flows in, by the tolerance of a millionth", implied=_mixed_tanks
    ),
    "Modelica.Mechanics.Rotational.Examples.LossyGearDemo2": Demonstration(
        "where gear and bearing are both stuck, which one holds is not determined (as the example's documentation says)",
        undetermined=("*.mode", "*.startForward", "*.startBackward"),
    ),
}
