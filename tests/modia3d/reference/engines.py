"""Engines of `Modelica.Mechanics.MultiBody.Examples.Loops` as a user writes them, and the same by their one angle alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp

from modia3d import (
    Box,
    JointRRP,
    MassProperties,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Solid,
)
from modiapy import Map, Model, Var
from modiapy.library import rotational, translational
from modiapy.library.blocks import CriticalDamping
from modiapy.library.translational.interfaces import Compliant

from ..scenes import body
from .library_bodies import EARTH, G, at, box, cylinder, mass_of, part, turned

# -- models -------------------------------------------------------------------------------------------------------------------

DOWN = (0.0, -1.0, 0.0)
CRANKS, BANKS = np.radians((-30.0, 90.0, 210.0, 210.0, 90.0, -30.0)), np.radians((-30.0, 30.0, -30.0, 30.0, -30.0, 30.0))
COMPRESSION = (
    (0.986061, "177.4132*x**4 - 287.2189*x**3 + 151.8252*x**2 - 24.9973*x + 2.4"),
    (math.inf, "2836360*x**4 - 10569296*x**3 + 14761814*x**2 - 9158505*x + 2129670"),
)
EXPANSION = (
    (0.933, "145.930*x**4 - 131.707*x**3 + 17.3438*x**2 + 17.9272*x + 2.4"),
    (math.inf, "-3929704*x**4 + 14748765*x**3 - 20747000*x**2 + 12964477*x - 3036495"),
)
"""Pressure of the gas [1e5 Pa] up to a normalized position x of the piston."""

_COMPRESSED, _EXPANDED = (f"({low[1]} if x < {low[0]} else {high[1]})" for low, high in (COMPRESSION, EXPANSION))
GasForce2 = Compliant | Model(
    L=0.35,
    d=0.1,
    x=Var("1 - s_rel/L"),
    v_rel=Var("der(s_rel)"),
    press=Var(f"1e5*({_COMPRESSED} if v_rel < 0 else {_EXPANDED})"),
    equations=["f = -press*pi*d**2/4"],
)


def one_cylinder():
    """Engine1bBase: shaft, load, gas."""
    return {
        **EARTH,
        "crank1": cylinder((0.1, 0.0, 0.0)),
        "crank2": part(box((0.0, 0.1, 0.0), 0.02, 0.05), "crank1", 0.1, 0.0, 0.0),
        "crank3": part(cylinder((0.1, 0.0, 0.0), 0.03), "crank2", 0.0, 0.1, 0.0),
        "crank4": part(box((0.0, -0.1, 0.0), 0.02, 0.05), "crank3", 0.1, 0.0, 0.0),
        "mid": at("crank3", 0.05, 0.0, 0.0),
        "cylPosition": at("world", 0.15, 0.45, 0.0),
        "bearing": RevoluteWithFlange("world", "crank1", "x", phi=Var(), w=Var()),
        "inertia": rotational.Inertia | Map(J=1.0, phi=Var(init=0.0), w=Var(init=10.0)),
        "gasForce": GasForce2 | Map(d=0.1, L=0.35),
    }


def engine1b():
    """Of joints; RevolutePlanarLoopConstraint is a revolute joint that is cut."""
    return one_cylinder() | {
        "piston": cylinder((0.0, -0.1, 0.0), 0.1),
        "rod3": at("piston", 0.0, -0.1, 0.0),
        "connectingRod": box((0.0, -0.2, 0.0), 0.02, 0.06),
        "rod1": at("connectingRod", 0.0, -0.2, 0.0),
        "b1": Revolute("rod3", "connectingRod", "x"),
        "b2": Revolute("mid", "rod1", "x", cut=True),
        "cylinder": PrismaticWithFlange("cylPosition", "piston", DOWN, s=Var(), v=Var()),
        "support": translational.Fixed,
        "connect": [
            ("inertia.flange_b", "bearing.flange"),
            ("support.flange", "gasForce.flange_a"),
            ("gasForce.flange_b", "cylinder.flange"),
        ],
    }


def engine1b_analytic():
    """With the assembly JointRRP."""
    rods = {"r_rod1_ia": (0.0, 0.2, 0.0), "r_rod2_ib": (0.0, -0.1, 0.0)}
    return one_cylinder() | {
        "jointRRP": JointRRP("mid", "cylPosition", "x", DOWN, **rods, frame_ia=True, frame_ib=True),
        "piston": part(cylinder((0.0, -0.1, 0.0), 0.1), "jointRRP.frame_ib"),
        "connectingRod": part(box((0.0, -0.2, 0.0), 0.02, 0.06), "jointRRP.frame_ia", 0.0, 0.2, 0.0),
        "connect": [
            ("inertia.flange_b", "bearing.flange"),
            ("gasForce.flange_a", "jointRRP.bearing"),
            ("gasForce.flange_b", "jointRRP.axis"),
        ],
    }


def Cylinder(cylinder_a, crank_a, crank, bank, cut=True):
    """One of six: its part of the shaft, rod, piston, gas."""
    length, offset, pin, top, piston, rod = 0.2, 0.1, 0.1, 0.42, 0.1, 0.2
    return Model(
        mounting=at(cylinder_a, length, 0.0, 0.0),
        cylinderInclination=turned(cylinder_a, bank, length - pin / 2.0, 0.0, 0.0),
        cylinderTop=at("cylinderInclination", 0.0, top, 0.0),
        crankAngle1=turned(crank_a, crank),
        crank1=part(cylinder((0.12, 0.0, 0.0)), "crankAngle1", -0.01, 0.0, 0.0),
        crank2=part(box((0.0, offset, 0.0), 0.02, 0.05), "crankAngle1", length - pin, 0.0, 0.0),
        crank3=part(cylinder((0.12, 0.0, 0.0), 0.03), "crank2", -0.01, offset, 0.0),
        mid=at("crank2", pin / 2.0, offset, 0.0),
        crank4=part(box((0.0, -offset, 0.0), 0.02, 0.05), "crank2", pin, offset, 0.0),
        crankAngle2=turned("crank4", -crank, 0.0, -offset, 0.0),
        connectingRod=Object3D(),
        rod=part(box((0.0, rod + 0.02, 0.0), 0.02, 0.06), "connectingRod", 0.0, -0.02, 0.0),
        rod_b=at("connectingRod", 0.0, rod, 0.0),
        piston=cylinder((0.0, piston, 0.0), 0.1),
        piston_b=at("piston", 0.0, piston, 0.0),
        b1=Revolute("mid", "connectingRod", "x", cut=cut),
        b2=Revolute("piston", "rod_b", "x"),
        cylinder=PrismaticWithFlange("cylinderTop", "piston_b", DOWN, s=Var(start=-0.3), v=Var()),
        gasForce=GasForce2 | Map(L=top - (piston + rod - offset), d=0.1),
        support=translational.Fixed,
        connect=[("support.flange", "gasForce.flange_a"), ("gasForce.flange_b", "cylinder.flange")],
    )


def CylinderBase(cylinder_a, crank_a, crank, bank):
    """One of six with the assembly JointRRP; the shaft is a body of its own."""
    length, offset, pin, top, piston, rod = 0.14, 0.05, 0.1, 0.42, 0.1, 0.175
    rods = {"r_rod1_ia": (0.0, rod, 0.0), "r_rod2_ib": (0.0, -piston, 0.0), "s_offset": -top}
    return Model(
        mounting=at(cylinder_a, length, 0.0, 0.0),
        cylinderInclination=turned(cylinder_a, bank, length - pin / 2.0, 0.0, 0.0),
        crankAngle=turned(crank_a, crank),
        mid=at("crankAngle", length - pin / 2.0, offset, 0.0),
        crank_b=at(crank_a, length, 0.0, 0.0),
        jointRRP=JointRRP("mid", "cylinderInclination", "x", DOWN, **rods, frame_ia=True, frame_ib=True),
        connectingRod=body(1.0, (0.006, 0.0005, 0.006), (0.0, rod / 2.0, 0.0), parent="jointRRP.frame_ia"),
        piston=body(6.0, (0.0088, 0.0076, 0.0088), (0.0, -piston / 2.0, 0.0), parent="jointRRP.frame_ib"),
        gasForce=GasForce2 | Map(L=top - (piston + rod - offset), d=0.1),
        connect=[("gasForce.flange_a", "jointRRP.bearing"), ("gasForce.flange_b", "jointRRP.axis")],
    )


def six_cylinders(make, crankshaft, crank_b):
    """The cylinders of ``make`` one behind the other, the load, and the filter of the torque."""
    models, cylinder_a, crank_a = {}, "world", "crankshaft"
    for k, (crank, bank) in enumerate(zip(CRANKS.tolist(), BANKS.tolist(), strict=True), start=1):
        models[f"cylinder{k}"] = make(cylinder_a, crank_a, crank, bank)
        cylinder_a, crank_a = f"cylinder{k}.mounting", f"cylinder{k}.{crank_b}"
    return {
        **EARTH,
        "crankshaft": crankshaft,
        "bearing": RevoluteWithFlange("world", "crankshaft", "x", phi=Var(), w=Var()),
        **models,
        "load": rotational.Inertia | Map(J=1.0, phi=Var(init=0.0), w=Var(init=10.0)),
        "load2": rotational.QuadraticSpeedDependentTorque | Map(tau_nominal=-100.0, w_nominal=200.0),
        "torqueSensor": rotational.TorqueSensor,
        "filter": CriticalDamping(2, 5.0, steady_state=True),
        "connect": [
            ("load2.flange", "load.flange_b"),
            ("torqueSensor.flange_b", "load.flange_a"),
            ("torqueSensor.tau", "filter.u"),
            ("torqueSensor.flange_a", "bearing.flange"),
        ],
    }


def engine_v6(cut=True):
    """``cut``: of each loop the joint at the shaft is cut, as in the original."""
    return six_cylinders(partial(Cylinder, cut=cut), Object3D(), "crankAngle2")


def engine_v6_analytic():
    """The inertia of its shaft is that of no body."""
    inertia = MassProperties(180.0, (0.3, 0.0, 0.0), 0.1, 1e-5, 1e-5, as_given=True)
    return six_cylinders(CylinderBase, Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=inertia)), "crank_b")


# -- one degree of freedom ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rod:
    """The mechanism of a cylinder.

    Attributes:
        r, length: of the crank, of the rod. rod, piston: (mass, moment of inertia, distance of the centre from the pin of the
        crank), (mass, distance of the centre from the wrist). top: of the cylinder. volume: its length.
    """

    r: float
    length: float
    rod: tuple[float, float, float]
    piston: tuple[float, float]
    top: float
    volume: float


def _steel_rod(length, begin):
    mass, _, I_x = mass_of((0.0, length, 0.0), width=0.02, height=0.06)
    return mass, I_x, begin + length / 2.0


STEEL_PISTON = (mass_of((0.0, 0.1, 0.0), 0.1)[0], 0.05)
SINGLE = Rod(0.1, 0.2, _steel_rod(0.2, 0.0), STEEL_PISTON, 0.35, 0.35)
OF_SIX = Rod(0.1, 0.2, _steel_rod(0.22, -0.02), STEEL_PISTON, 0.32, 0.22)
OF_SIX_ANALYTIC = Rod(0.05, 0.175, (1.0, 0.006, 0.0875), (6.0, 0.05), 0.32, 0.195)


def _shaft(r, length, angle):
    """Moment of inertia and mass times the centre's vector (2,) of a part of the shaft made of steel."""
    web, _, I_web = mass_of((0.0, r, 0.0), width=0.02, height=0.05)
    axle, pin = mass_of((length, 0.0, 0.0), 0.05), mass_of((length, 0.0, 0.0), 0.03)
    J = axle[1] + pin[1] + pin[0] * r**2 + 2.0 * (I_web + web * r**2 / 4.0)
    return J, (pin[0] + web) * r * np.array((math.cos(angle), math.sin(angle)))


@dataclass(frozen=True)
class Engine:
    """Cylinders by the angles of their cranks and banks, and what turns: its inertia and (mass times centre) at angle zero."""

    cylinders: tuple[tuple[Rod, float, float], ...]
    inertia: float
    moment: np.ndarray
    load: float = 0.0

    def at(self, phi, forward=True):
        """J(phi), dV/dphi and the torque of the gas."""
        h = 1e-30
        z = phi + 1j * h
        J, rise, torque = self.inertia, 0.0, 0.0
        rise += G * (-math.sin(phi) * self.moment[0] - math.cos(phi) * self.moment[1])
        for made, crank, bank in self.cylinders:
            a = z + crank - bank
            along, aside = np.cos(a), np.sin(a)
            reach = np.sqrt(made.length**2 - (made.r * aside) ** 2)
            wrist = made.r * along + reach
            part = made.rod[2] / made.length
            centre = np.array((made.r * along + part * reach, made.r * aside * (1.0 - part)))
            lean = np.arcsin(made.r * aside / made.length)
            v, w, up = np.imag(centre) / h, np.imag(lean) / h, np.imag(wrist) / h
            J += made.rod[0] * v @ v + made.rod[1] * w**2 + made.piston[0] * up**2
            rise += G * (made.rod[0] * (math.cos(bank) * v[0] - math.sin(bank) * v[1]) + made.piston[0] * math.cos(bank) * up)
            x = 1.0 - (made.top - float(np.real(wrist))) / made.volume
            torque -= pressure(x, -up) * math.pi * 0.1**2 / 4.0 * up
        return J, rise, torque

    def motion(self, times, speed=10.0):
        """Angle, speed, and the torque of the shaft on the load (1 kg.m2) at some times."""
        J, _, _ = self.at(0.0)

        def rates(_, state):
            phi, kinetic = state
            J, rise, torque = self.at(phi)
            w = math.sqrt(2.0 * kinetic / J)
            return w, w * (torque - rise - self.load * w**2)

        made = solve_ivp(
            rates, (0.0, times[-1]), (0.0, 0.5 * J * speed**2), "DOP853", times, rtol=1e-10, atol=1e-10, max_step=5e-4
        )
        phi, kinetic = made.y
        return phi, np.sqrt(2.0 * kinetic / np.array([self.at(x)[0] for x in phi]))


def pressure(x, v):
    """Of the gas [Pa] at the normalized position x, where the piston moves down with a speed of this sign."""
    for bound, text in COMPRESSION if v < 0.0 else EXPANSION:
        if x < bound:
            return 1e5 * eval(text, {"x": x})
    raise ValueError(x)


def single():
    J, moment = _shaft(0.1, 0.1, 0.0)
    return Engine(((SINGLE, 0.0, 0.0),), 1.0 + J, moment)


def six():
    parts = [_shaft(0.1, 0.12, angle) for angle in CRANKS]
    inertia, moment = 1.0 + sum(J for J, _ in parts), sum(m for _, m in parts)
    return Engine(tuple((OF_SIX, c, b) for c, b in zip(CRANKS, BANKS, strict=True)), inertia, moment, 100.0 / 200.0**2)


def six_analytic():
    cylinders = tuple((OF_SIX_ANALYTIC, c, b) for c, b in zip(CRANKS, BANKS, strict=True))
    return Engine(cylinders, 1.1, np.zeros(2), 100.0 / 200.0**2)
