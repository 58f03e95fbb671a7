"""Planar mechanisms in a multibody system: `PlanarToMultiBody`, `PlanarWorldIn3D`."""

from __future__ import annotations

from modiapy.library.flanges import RotationalFlange, TranslationalFlange
from modiapy.library.planar import Frame
from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Model, Var
from modiapy.model.when import Assert

from ..scene.basics import checks
from ..scene.constructors import PlanarWithFlanges
from ..scene.sensors.constructors import AbsoluteSensor, GravitySensor
from .parts import assembled, place

_COORDINATES = Model(
    frame_a=Frame,
    flange_s_x=TranslationalFlange,
    flange_s_y=TranslationalFlange,
    flange_phi=RotationalFlange,
    equations=[
        "frame_a.x = flange_s_x.s",
        "frame_a.y = flange_s_y.s",
        "frame_a.phi = flange_phi.phi",
        "frame_a.fx + flange_s_x.f = 0",
        "frame_a.fy + flange_s_y.f = 0",
        "frame_a.t + flange_phi.tau = 0",
    ],
)


@arguments_checked(typed=True)
def PlanarToMultiBody(obj1: str, obj2: str, z_position: float = 0.0) -> Model:
    """Connection of a planar frame with a frame in space, which moves with it; forces and torques act on both.

    The planar world is the xy plane of ``obj1``. What acts along its normal, and about its other axes, acts on ``obj1``, and so
    does the reaction to what the planar mechanism does. Planar bodies know nothing of a motion of ``obj1``: it must neither
    turn nor be accelerated.

    Args:
        obj1: name of the frame whose xy plane is the planar world.
        obj2: name of the frame that moves with the planar one; its z axis is the normal.
        z_position: distance of ``obj2`` from the plane [m].

    Returns:
        A model with the connector ``frame_a`` of the planar library and the joint ``joint``, see `PlanarWithFlanges`, whose
        coordinates are those of ``frame_a``.
    """
    owner = "PlanarToMultiBody"
    parts = {
        "plane": place(obj1, (0.0, 0.0, checks.number(owner, "z_position", z_position))),
        "frame_a": Frame,
        "joint": PlanarWithFlanges("plane", obj2, "z", "x", s_x=Var(), s_y=Var(), phi=Var(), v_x=Var(), v_y=Var(), w=Var()),
        "coordinates": _COORDINATES,
        "connect": [
            ("frame_a", "coordinates.frame_a"),
            *((f"coordinates.{flange}", f"joint.{flange}") for flange in ("flange_s_x", "flange_s_y", "flange_phi")),
        ],
    }
    return assembled(owner, parts, obj1=obj1, obj2=obj2)


@arguments_checked(typed=True)
def PlanarWorldIn3D(obj1: str) -> Model:
    """Planar world in a multibody system: the xy plane of a frame, with the gravity of the scene.

    Bodies get that gravity by an input: ``planar.Body | planar.WithGravityInput``, connected with ``g``. They know nothing of a
    motion of the plane: a simulation in which it turns or is accelerated ends with a message.

    Args:
        obj1: name of the frame whose xy plane it is.

    Returns:
        A model with the output ``g``, the gravity along the x and y axes of ``obj1`` [m/s2], and the output ``r_0``, the
        position of ``obj1`` in the world [m].
    """
    still = "planar bodies know nothing of the motion of the plane: it must neither turn nor be accelerated"
    parts = {
        "sensor": AbsoluteSensor(obj1, quantities=("r", "R", "w", "a")),
        "equations": [Assert(f"sensor.{q}.x**2 + sensor.{q}.y**2 + sensor.{q}.z**2 < 1e-12", still) for q in ("w", "a")],
        "gravity": GravitySensor(),
        "g": Var(
            [f"sensor.R.x{axis}*gravity.g.x + sensor.R.y{axis}*gravity.g.y + sensor.R.z{axis}*gravity.g.z" for axis in "xy"],
            shape=2,
            elements=True,
            output=True,
            unit="m/s2",
        ),
        "r_0": Var(["sensor.r.x", "sensor.r.y", "sensor.r.z"], shape=3, elements=True, output=True, unit="m"),
    }
    return assembled("PlanarWorldIn3D", parts, obj1=obj1)
