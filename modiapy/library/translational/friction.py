"""Brakes, supports and stops with Coulomb friction and stiction, see `modiapy.library.friction`."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ...model.when import When
from ..flanges import TranslationalFlange as Flange
from ..friction import COULOMB, LOADED, PRESSED, PRESSED_TEXT, WITH_SUPPORT, flag, sliding
from .counterparts import counterpart

_Friction = counterpart(COULOMB) | Map(v_small=1e-3)

_WithSupport = counterpart(WITH_SUPPORT)

_Sliding = Model(
    L=0.0,
    flange_a=Flange,
    flange_b=Flange,
    s=Var(start=0.0, unit="m", state_select="prefer", description="position of the middle"),
    v=Var(start=0.0, unit="m/s", state_select="prefer", description="velocity"),
    a=Var(unit="m/s2", description="acceleration"),
    f=Var(unit="N", description="friction force"),
    s_support=0.0,
    equations=[  # positions are those relative to the housing
        "flange_a.s = s - L/2 + s_support",
        "flange_b.s = s + L/2 + s_support",
        "v = der(s)",
        "a = der(v)",
        "v_relfric = v",
        "a_relfric = a",
        "loss_power = f*v_relfric",
    ],
)

Brake = (
    _Friction
    | _Sliding
    | counterpart(PRESSED)
    | Model(
        description="Brake: Coulomb friction between a sliding rod of length L [m] and the housing." + PRESSED_TEXT,
        equations=[
            "0 = flange_a.f + flange_b.f - f",
            "f = sa if locked else (0 if free else cgeo*fn*" + sliding("mu", "v") + ")",
        ],
    )
)

BrakeWithSupport = Brake | Model(description="Brake whose housing is the flange support." + PRESSED_TEXT) | _WithSupport

SupportFriction = (
    _Friction
    | _Sliding
    | counterpart(LOADED)
    | Model(
        description="Coulomb friction of a rod of length L [m] in its support. f_pos: table of the force [N] over the velocity"
        " [m/s] >= 0; peak: static over sliding friction at the velocity zero.",
        equations=["0 = flange_a.f + flange_b.f - f", "f = sa if locked else " + sliding("friction", "v")],
    )
)

SupportFrictionWithSupport = (
    SupportFriction | Model(description="SupportFriction whose housing is the flange support.") | _WithSupport
)

_STUCK, _MOVING = "(sa if pre(mode) == 0 else 0)", "(0 if free or (locked and pre(mode) == 0) else v)"

MassWithStopAndFriction = _Sliding | Model(
    description="Sliding mass m [kg] of length L [m] with Stribeck friction and hard stops: its left end is not below s_min,"
    " its right end not above s_max [m]. Friction while sliding: F_prop*v + F_Coulomb + F_Stribeck*exp(-fexp*v).",
    m=1.0,
    s_max=25.0,
    s_min=-25.0,
    v_small=1e-3,
    F_prop=1.0,
    F_Coulomb=5.0,
    F_Stribeck=10.0,
    fexp=2.0,
    v_relfric=Var(unit="m/s", description="relative velocity of the surfaces"),
    a_relfric=Var(unit="m/s2", description="relative acceleration of the surfaces"),
    loss_power=Var(unit="W", description="heat; without that of impacts"),
    f0=Var("F_Coulomb + F_Stribeck", unit="N", description="friction at the beginning of sliding"),
    f0_max=Var("1.001*f0", unit="N", description="largest friction while stuck"),
    sa=Var(description="parameter of the friction characteristic"),
    free=flag("whether there is no friction and no stop"),
    start_forward=flag("stuck, and beginning to slide forward"),
    start_backward=flag("stuck, and beginning to slide backward"),
    locked=flag("stuck, and not beginning to slide"),
    below=flag("whether it is not at the right stop"),
    above=flag("whether it is not at the left stop"),
    mode=Var(
        type="Integer",
        init=3,
        description="-1: slides backward, 0: stuck or beginning to slide, 1: slides forward, 2: free, 3: not known",
    ),
    stopped=Var(type="Integer", init=0, description="-1: at the left stop, 1: at the right one, else 0"),
    equations=[
        "below = s < s_max - L/2",
        "above = s > s_min + L/2",
        "free = f0 <= 0 and F_prop <= 0 and above and below",
        f"start_forward = (below and ({_STUCK} > f0_max or (pre(start_forward) and {_STUCK} > f0)))"
        " or (pre(mode) == -1 and v_relfric > v_small) or (initial() and v_relfric > 0)",
        f"start_backward = (above and ({_STUCK} < -f0_max or (pre(start_backward) and {_STUCK} < -f0)))"
        " or (pre(mode) == 1 and v_relfric < -v_small) or (initial() and v_relfric < 0)",
        "locked = not free and not (pre(mode) == 1 or start_forward or pre(mode) == -1 or start_backward)",
        "a_relfric = 0 if locked else (sa if free else (sa - f0_max if start_forward else (sa + f0_max if start_backward"
        " else (sa - f0_max if pre(mode) == 1 else sa + f0_max))))",
        f"mode = 2 if free else (1 if (pre(mode) == 1 or pre(mode) == 2 or start_forward) and {_MOVING} > 0 and below"
        f" else (-1 if (pre(mode) == -1 or pre(mode) == 2 or start_backward) and {_MOVING} < 0 and above else 0))",
        "0 = flange_a.f + flange_b.f - f - m*a",
        "f = sa if locked else (0 if free else F_prop*v + (F_Coulomb + F_Stribeck if start_forward"
        " else (-F_Coulomb - F_Stribeck if start_backward else (F_Coulomb + F_Stribeck*exp(-fexp*noEvent(abs(v)))"
        " if pre(mode) == 1 else -F_Coulomb - F_Stribeck*exp(-fexp*noEvent(abs(v)))))))",
        "stopped = (0 if below else 1) if above else -1",
        When("locked and pre(mode) == 0", ["reinit(v, 0)"]),
        When("stopped != 0", ["reinit(s, s_min + L/2 if stopped < 0 else s_max - L/2)", "reinit(v, 0)"]),
    ],
)
