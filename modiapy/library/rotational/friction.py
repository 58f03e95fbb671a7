"""Bearings, clutches, brakes and gears with losses: Coulomb friction with stiction, see `modiapy.library.friction`."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ...model.tables import Table1D
from ...model.when import When
from ..friction import COULOMB, HELD, LOADED, MOVES, PRESSED, PRESSED_TEXT, WITH_SUPPORT, flag, sliding
from .components import ElastoBacklash
from .interfaces import Compliant, Flange

Clutch = (
    Compliant
    | COULOMB
    | PRESSED
    | Map(phi_rel=Map(state_select="prefer"))
    | Model(
        description="Clutch with Coulomb friction between its flanges." + PRESSED_TEXT,
        w_rel=Var(start=0.0, unit="rad/s", state_select="prefer", description="speed of flange_b relative to flange_a"),
        a_rel=Var(unit="rad/s2", description="acceleration of flange_b relative to flange_a"),
        equations=[
            "w_rel = der(phi_rel)",
            "a_rel = der(w_rel)",
            "w_relfric = w_rel",
            "a_relfric = a_rel",
            "tau = sa if locked else (0 if free else cgeo*fn*" + sliding("mu", "w_rel") + ")",
            "loss_power = tau*w_relfric",
        ],
    )
)

_Shaft = Model(
    phi_support=0.0,
    flange_a=Flange,
    flange_b=Flange,
    phi=Var(start=0.0, unit="rad", state_select="prefer", description="angle of the shaft relative to the housing"),
    w=Var(start=0.0, unit="rad/s", state_select="prefer", description="angular velocity relative to the housing"),
    a=Var(unit="rad/s2", description="angular acceleration relative to the housing"),
    tau=Var(unit="N.m", description="friction torque"),
    equations=[
        "phi = flange_a.phi - phi_support",
        "flange_b.phi = flange_a.phi",
        "w = der(phi)",
        "a = der(w)",
        "w_relfric = w",
        "a_relfric = a",
        "0 = flange_a.tau + flange_b.tau - tau",
        "loss_power = tau*w_relfric",
    ],
)

Brake = (
    COULOMB
    | PRESSED
    | _Shaft
    | Model(
        description="Brake: Coulomb friction between a shaft and the housing." + PRESSED_TEXT,
        equations=["tau = sa if locked else (0 if free else cgeo*fn*" + sliding("mu", "w") + ")"],
    )
)

BrakeWithSupport = Brake | Model(description="Brake whose housing is the flange support." + PRESSED_TEXT) | WITH_SUPPORT

BearingFriction = (
    COULOMB
    | _Shaft
    | LOADED
    | Model(
        description="Coulomb friction of a bearing. tau_pos: table of the torque [N.m] over the speed [rad/s] >= 0; peak:"
        " static over sliding friction at the speed zero.",
        equations=["tau = sa if locked else " + sliding("friction", "w")],
    )
)

BearingFrictionWithSupport = (
    BearingFriction | Model(description="BearingFriction whose housing is the flange support.") | WITH_SUPPORT
)

OneWayClutch = Compliant | Model(
    description="Free wheel in parallel to a clutch: flange_b may turn faster than flange_a, but not slower." + PRESSED_TEXT,
    phi_rel=Map(state_select="prefer"),
    mu_pos=[[0.0, 0.5]],
    peak=1.0,
    cgeo=1.0,
    fn_max=1.0,
    w_small=1e10,
    eps0=1e-4,
    mu=Table1D("mu_pos"),
    f_normalized=Var(input=True, description="normal force relative to fn_max"),
    w_rel=Var(start=0.0, unit="rad/s", state_select="prefer", description="speed of flange_b relative to flange_a"),
    a_rel=Var(unit="rad/s2", description="acceleration of flange_b relative to flange_a"),
    fn=Var(unit="N", description="normal force"),
    tau0=Var(unit="N.m", description="friction torque at the beginning of sliding"),
    tau0_max=Var(unit="N.m", description="largest friction torque while stuck"),
    sa=Var(description="parameter of the friction characteristic"),
    free=flag("whether the clutch is open"),
    start_forward=flag("stuck, and beginning to slide"),
    locked=flag("stuck, and not beginning to slide"),
    stuck=flag("locked or beginning to slide"),
    loss_power=Var(unit="W", description="heat"),
    equations=[
        "w_rel = der(phi_rel)",
        "a_rel = der(w_rel)",
        "free = f_normalized <= 0",
        "fn = 0 if free else fn_max*f_normalized",
        "tau0 = mu(0)*cgeo*fn",
        "tau0_max = eps0*mu(0)*cgeo*fn_max if free else max(peak, 1 + eps0)*tau0",
        "start_forward = (pre(stuck) and ((sa if pre(stuck) else 0) > tau0_max or w_rel > w_small"
        " or (pre(start_forward) and (sa if pre(stuck) else 0) > tau0))) or (initial() and w_rel > 0)",
        "locked = pre(stuck) and not start_forward",
        f"a_rel = 0 if locked else sa - (1 + {HELD})*tau0_max",
        "tau = sa if locked else (0 if free else mu(w_rel)*cgeo*fn)",
        "stuck = locked or (0 if locked else w_rel) <= 0",
        "loss_power = 0 if stuck else tau*w_rel",
        When("locked", ["reinit(w_rel, 0)"]),
    ],
)

_ROLLING = "(0 if locked and pre(mode) == 0 else w_a)"
"""The speed, where it may begin or end to roll: while it is locked its rounding errors must make no event."""

_LEAST = f"({MOVES} if pre(mode) == 0 else 0)"


def _bearing_a(at: str) -> str:
    """Return the friction of the bearing of flange_a from both resultant ones; without mesh losses they cannot be told
    apart.
    """
    eta1, eta2 = f"eta_mf1{at}", f"eta_mf2{at}"
    return (
        f"noEvent(tau_bf1{at}/2 if {eta1} > 1 - 1e-15 and {eta2} > 1 - 1e-15"
        f" else (tau_bf1{at} - tau_bf2{at})/({eta1} - 1/{eta2}))"
    )


LossyGear = Model(
    description="Gear with losses of its teeth and bearings that may be stuck. ratio: flange_a.phi/flange_b.phi; loss_table:"
    " over the speed |w_a| [rad/s] the mesh efficiencies eta_mf1 (flange_a drives), eta_mf2 (flange_b drives) and the bearing"
    " torques |tau_bf1|, |tau_bf2| [N.m] at flange_a. Without losses use IdealGear.",
    ratio=1.0,
    loss_table=[[0.0, 1.0, 1.0, 0.0, 0.0]],
    phi_support=0.0,
    flange_a=Flange,
    flange_b=Flange,
    loss=Table1D("loss_table"),
    phi_a=Var(start=0.0, unit="rad", state_select="prefer", description="angle of flange_a relative to the housing"),
    phi_b=Var(unit="rad", description="angle of flange_b relative to the housing"),
    w_a=Var(start=0.0, unit="rad/s", state_select="prefer", description="speed of flange_a relative to the housing"),
    a_a=Var(unit="rad/s2", description="acceleration of flange_a relative to the housing"),
    sa=Var(description="parameter of the friction characteristic"),
    eta_mf1=Var(description="mesh efficiency if flange_a drives"),
    eta_mf2=Var(description="mesh efficiency if flange_b drives"),
    tau_bf1=Var(unit="N.m", description="bearing friction at flange_a if flange_a drives"),
    tau_bf2=Var(unit="N.m", description="bearing friction at flange_a if flange_b drives"),
    tau_bf_a=Var(unit="N.m", description="friction of the bearing of flange_a"),
    eta_mf1_0=Var(),
    eta_mf2_0=Var(),
    tau_bf1_0=Var(unit="N.m"),
    tau_bf2_0=Var(unit="N.m"),
    tau_bf_a_0=Var(unit="N.m", description="tau_bf_a at the speed zero"),
    tau_eta=Var(unit="N.m", description="torque whose sign says which side drives"),
    tau_loss=Var(unit="N.m", description="lost torque"),
    tau_loss_max=Var(unit="N.m", description="lost torque at positive speed"),
    tau_loss_min=Var(unit="N.m", description="lost torque at negative speed"),
    tau_loss_max_p=Var(unit="N.m", description="lost torque that must be overcome to start forward"),
    tau_loss_min_m=Var(unit="N.m", description="lost torque that must be overcome to start backward"),
    start_forward=flag("stuck, and beginning to roll forward"),
    start_backward=flag("stuck, and beginning to roll backward"),
    locked=flag("stuck, and not beginning to roll"),
    mode=Var(type="Integer", init=2, description="-1: rolls backward, 0: stuck or beginning to roll, 1: rolls forward"),
    loss_power=Var("tau_loss*w_a", unit="W", description="heat"),
    equations=[
        "phi_a = flange_a.phi - phi_support",
        "phi_b = flange_b.phi - phi_support",
        "phi_a = ratio*phi_b",
        "w_a = der(phi_a)",
        "a_a = der(w_a)",
        "0 = flange_b.tau + ratio*(flange_a.tau - tau_loss)",
        "(eta_mf1, eta_mf2, tau_bf1, tau_bf2) = loss(noEvent(abs(w_a)))",
        "(eta_mf1_0, eta_mf2_0, tau_bf1_0, tau_bf2_0) = loss(0)",
        f"tau_bf_a = {_bearing_a('')}",
        f"tau_bf_a_0 = {_bearing_a('_0')}",
        "tau_loss_max_p = noEvent((1 - eta_mf1_0)*flange_a.tau + tau_bf1_0 if flange_a.tau > tau_bf_a_0"
        " else (1 - 1/eta_mf2_0)*flange_a.tau + tau_bf2_0)",
        "tau_loss_min_m = noEvent((1 - 1/eta_mf2_0)*flange_a.tau - tau_bf2_0 if flange_a.tau > -tau_bf_a_0"
        " else (1 - eta_mf1_0)*flange_a.tau - tau_bf1_0)",
        "tau_eta = 0 if locked else flange_a.tau - (tau_bf_a if start_forward or pre(mode) == 1 else -tau_bf_a)",
        "tau_loss_max = (1 - eta_mf1)*flange_a.tau + tau_bf1 if tau_eta >= 0 else (1 - 1/eta_mf2)*flange_a.tau + tau_bf2",
        "tau_loss_min = (1 - 1/eta_mf2)*flange_a.tau - tau_bf2 if tau_eta >= 0 else (1 - eta_mf1)*flange_a.tau - tau_bf1",
        "start_forward = (sa - tau_loss_max_p if pre(mode) == 0 else 0) > 0 or (initial() and w_a > 0)",
        "start_backward = (sa - tau_loss_min_m if pre(mode) == 0 else 0) < 0 or (initial() and w_a < 0)",
        "locked = not (pre(mode) == 1 or start_forward or pre(mode) == -1 or start_backward)",
        "tau_loss = sa if locked else (tau_loss_max if start_forward or pre(mode) == 1 else tau_loss_min)",
        f"a_a = 0 if locked else sa - (1 + {HELD})*tau_loss",
        f"mode = 1 if (pre(mode) == 1 or start_forward) and {_ROLLING} > {_LEAST}"
        f" else (-1 if (pre(mode) == -1 or start_backward) and {_ROLLING} < -{_LEAST} else 0)",
        When("locked and pre(mode) == 0", ["reinit(w_a, 0)"]),
    ],
)

LossyGearWithSupport = LossyGear | Model(description="LossyGear whose housing is the flange support.") | WITH_SUPPORT

Gearbox = Model(
    description="Gear with losses, elasticity c [N.m/rad], d [N.m.s/rad] and backlash b [rad]: LossyGear, then ElastoBacklash",
    ratio=1.0,
    loss_table=[[0.0, 1.0, 1.0, 0.0, 0.0]],
    c=1e5,
    d=0.0,
    b=0.0,
    flange_a=Flange,
    flange_b=Flange,
    phi_rel=Var("elasto_backlash.phi_rel", start=0.0, nominal=1e-4, unit="rad", state_select="prefer", description="twist"),
    w_rel=Var("elasto_backlash.w_rel", start=0.0, unit="rad/s", state_select="prefer", description="its derivative"),
    loss_power=Var("lossy_gear.loss_power + elasto_backlash.loss_power", unit="W", description="heat"),
    lossy_gear=LossyGear | Map(ratio="ratio", loss_table="loss_table"),
    elasto_backlash=ElastoBacklash | Map(c="c", d="d", b="b"),
    connect=[
        ("flange_a", "lossy_gear.flange_a"),
        ("lossy_gear.flange_b", "elasto_backlash.flange_a"),
        ("elasto_backlash.flange_b", "flange_b"),
    ],
)
