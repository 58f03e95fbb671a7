"""Scalable models for the benchmark of the translation: servo chains and ladders of resistors."""

from __future__ import annotations

from modiapy import Map, Model, Var
from modiapy.library.drives import ElasticDrive, RigidDrive
from modiapy.library.electric import Capacitor, ConstantVoltage, Ground, Resistor
from modiapy.library.rotational import Fixed, Flange, Inertia

Link = Model(
    description="Link of a chain: turns with the one before it and, relative to that, by the joint's angle q",
    J=0.5,
    d=0.1,
    flange_a=Flange,
    flange_b=Flange,
    drive=Flange,
    q=Var(init=0.0),
    w=Var(init=0.0),
    phi=Var(),
    equations=[
        "flange_b.phi = flange_a.phi + q",
        "drive.phi = q",
        "w = der(q)",
        "phi = flange_b.phi",
        "J*der(der(phi)) = flange_b.tau + drive.tau - d*w",
        "flange_a.tau = drive.tau - d*w",
    ],
)


def elastic_servo_chain(n: int) -> Model:
    """Return ``n`` servos with elastic gears and loads; each follows the angle of the load before it."""
    model = Model()
    previous = ""
    for k in range(n):
        name = f"servo{k}"
        model[name] = ElasticDrive
        model[f"load{k}"] = Inertia | Map(phi=Map(init=0.0), w=Map(init=0.0))
        model.setdefault("connect", []).append((f"{name}.flange", f"load{k}.flange_a"))
        reference = f"{previous}.phi", f"{previous}.w"
        if not previous:
            reference = "sin(time)", "cos(time)"
        model.setdefault("equations", []).extend([f"{name}.phi_ref = {reference[0]}", f"{name}.w_ref = {reference[1]}"])
        previous = f"load{k}"
    return model


def rigid_servo_chain(n: int) -> Model:
    """Return a chain of ``n`` links, each driven from the one before it through a rigid gear: one linear system of
    accelerations.
    """
    model = Model(base=Fixed, equations=[], connect=[("base.flange", "link0.flange_a")])
    for k in range(n):
        model[f"link{k}"] = Link
        model[f"servo{k}"] = RigidDrive
        model["equations"] += [f"servo{k}.phi_ref = sin(time)/{k + 1}", f"servo{k}.w_ref = cos(time)/{k + 1}"]
        model["connect"].append((f"servo{k}.flange", f"link{k}.drive"))
        if k:
            model["connect"].append((f"link{k - 1}.flange_b", f"link{k}.flange_a"))
    return model


def rc_ladder(n: int) -> Model:
    """Return ``n`` sections of a resistor and a capacitor to ground behind a source."""
    return _ladder(n, Capacitor)


def resistor_ladder(n: int) -> Model:
    """Return ``n`` sections of two resistors behind a source: one linear system."""
    return _ladder(n, Resistor)


def _ladder(n: int, shunt: Model) -> Model:
    model = Model(source=ConstantVoltage, ground=Ground, connect=[("source.n", "ground.p")])
    before = "source.p"
    for k in range(n):
        model[f"R{k}"], model[f"shunt{k}"] = Resistor, shunt
        model["connect"] += [(before, f"R{k}.p"), (f"R{k}.n", f"shunt{k}.p"), (f"shunt{k}.n", "ground.p")]
        before = f"R{k}.n"
    return model
