"""Polyphase sensors; they change nothing in what they measure."""

from __future__ import annotations

from math import cos, sin, sqrt

from ....model.model import Model, Var
from .. import sensors
from .interfaces import Plug, per_phase, phases
from .phases import orientations

PotentialSensor = per_phase(sensors.PotentialSensor, "potential_sensor", "Measures the potentials phi1, phi2, ... [V]")
VoltageSensor = per_phase(sensors.VoltageSensor, "voltage_sensor", "Measures the voltages v1, v2, ... [V]")
CurrentSensor = per_phase(sensors.CurrentSensor, "current_sensor", "Measures the currents i1, i2, ... [A]")


def _through(m: int, first: str, second: str) -> list[str]:
    """Return the equations of two plugs that are the same node: what flows into one comes out of the other."""
    pairs = [(f"{first}.pin{k}", f"{second}.pin{k}") for k in phases(m)]
    return [f"{a}.v = {b}.v" for a, b in pairs] + [f"0 = {a}.i + {b}.i" for a, b in pairs]


def _open(m: int, *plugs: str) -> list[str]:
    return [f"{plug}.pin{k}.i = 0" for plug in plugs for k in phases(m)]


def _sum(*terms: str) -> str:
    return " + ".join(terms)


def MultiSensor(m: int = 3) -> Model:
    """Measures the currents i1, ... [A] from pc to nc, voltages v1, ... [V] from pv to nv, power1, ... and power_total [W]."""
    outputs = {f"i{k}": Var(f"pc.pin{k}.i", output=True, unit="A") for k in phases(m)}
    outputs |= {f"v{k}": Var(f"pv.pin{k}.v - nv.pin{k}.v", output=True, unit="V") for k in phases(m)}
    outputs |= {f"power{k}": Var(f"v{k}*i{k}", output=True, unit="W") for k in phases(m)}
    return Model({plug: Plug(m) for plug in ("pc", "nc", "pv", "nv")}) | Model(
        outputs,
        description=f"Sensor of currents, voltages and power of {m} phases",
        power_total=Var(_sum(*(f"power{k}" for k in phases(m))), output=True, unit="W"),
        equations=_through(m, "pc", "nc") + _open(m, "pv", "nv"),
    )


def PowerSensor(m: int = 3) -> Model:
    """Measures the power [W] of all phases: currents from pc to nc times voltages from pv to nv."""
    terms = (f"pc.pin{k}.i*(pv.pin{k}.v - nv.pin{k}.v)" for k in phases(m))
    return Model({plug: Plug(m) for plug in ("pc", "nc", "pv", "nv")}) | Model(
        description=f"Sensor of the power of {m} phases",
        power=Var(_sum(*terms), output=True, unit="W"),
        equations=_through(m, "pc", "nc") + _open(m, "pv", "nv"),
    )


def _quasi_rms(m: int, quantity: str) -> str:
    return f"sqrt(({_sum(*(f'{quantity}{k}**2' for k in phases(m)))})/{m})"


def VoltageQuasiRMSSensor(m: int = 3) -> Model:
    """Measures V [V], the root of the mean of the squares of all phases' voltages v1, ... from plug_p to plug_n."""
    voltages = {f"v{k}": Var(f"plug_p.pin{k}.v - plug_n.pin{k}.v", unit="V") for k in phases(m)}
    return Model(
        voltages,
        description=f"Sensor of the effective voltage of {m} phases",
        plug_p=Plug(m),
        plug_n=Plug(m),
        V=Var(_quasi_rms(m, "v"), output=True, unit="V"),
        equations=_open(m, "plug_p", "plug_n"),
    )


def CurrentQuasiRMSSensor(m: int = 3) -> Model:
    """Measures I [A], the root of the mean of the squares of all phases' currents i1, ... from plug_p to plug_n."""
    return Model(
        {f"i{k}": Var(f"plug_p.pin{k}.i", unit="A") for k in phases(m)},
        description=f"Sensor of the effective current of {m} phases",
        plug_p=Plug(m),
        plug_n=Plug(m),
        I=Var(_quasi_rms(m, "i"), output=True, unit="A"),
        equations=_through(m, "plug_p", "plug_n"),
    )


def AronSensor() -> Model:
    """Measures the power [W] of three phases without neutral conductor from plug_p to plug_n, by two of their currents."""
    terms = (f"plug_p.pin{k}.i*(plug_p.pin{k}.v - plug_p.pin2.v)" for k in (1, 3))
    return Model(
        description="Aron sensor of the power of three phases",
        plug_p=Plug(3),
        plug_n=Plug(3),
        power=Var(_sum(*terms), output=True, unit="W"),
        equations=_through(3, "plug_p", "plug_n"),
    )


def ReactivePowerSensor() -> Model:
    """Measures the reactive power [var] of three phases from plug_p to plug_n: currents times voltages of the other phases."""
    terms = (f"plug_p.pin{k}.i*(plug_p.pin{k % 3 + 1}.v - plug_p.pin{(k + 1) % 3 + 1}.v)" for k in (1, 2, 3))
    return Model(
        description="Sensor of the reactive power of three phases",
        plug_p=Plug(3),
        plug_n=Plug(3),
        reactive_power=Var(f"({_sum(*terms)})/{sqrt(3.0)!r}", output=True, unit="var"),
        equations=_through(3, "plug_p", "plug_n"),
    )


def ElectricalPowerSensor() -> Model:
    """Measures active power P [W] and reactive power Q [var] of three phases by space phasors.

    Currents flow from plug_p to plug_ni, voltages are those from plug_p to plug_nv.
    """
    angles = orientations(3)

    def phasor(value: str, part: str) -> str:
        factors = [2 / 3 * (cos(angle) if part == "re" else sin(angle)) for angle in angles]
        return _sum(*(f"({factor!r})*({value.format(k)})" for k, factor in enumerate(factors, start=1)))

    voltage, current = "plug_p.pin{0}.v - plug_nv.pin{0}.v", "plug_p.pin{0}.i"
    return Model(
        description="Sensor of the power of three phases by space phasors",
        plug_p=Plug(3),
        plug_ni=Plug(3),
        plug_nv=Plug(3),
        v_re=Var(phasor(voltage, "re"), unit="V", description="real part of the space phasor of the voltages"),
        v_im=Var(phasor(voltage, "im"), unit="V", description="imaginary part of the space phasor of the voltages"),
        i_re=Var(phasor(current, "re"), unit="A", description="real part of the space phasor of the currents"),
        i_im=Var(phasor(current, "im"), unit="A", description="imaginary part of the space phasor of the currents"),
        P=Var("1.5*(v_re*i_re + v_im*i_im)", output=True, unit="W"),
        Q=Var("1.5*(v_im*i_re - v_re*i_im)", output=True, unit="var"),
        equations=_through(3, "plug_p", "plug_ni") + _open(3, "plug_nv"),
    )
