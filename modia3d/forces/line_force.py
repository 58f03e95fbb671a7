"""Forces along the line between two frames from components of the translational library, with masses on the line or without.

The equations are those of ``Modelica.Mechanics.MultiBody.Forces.LineForceWithMass`` and ``LineForceWithTwoMasses``; how masses
on the line act on both ends follows from d'Alembert's principle: a mass whose velocity is ``J_a v_a + J_b v_b`` exerts
``-J_a^T m (a - g)`` on end a and ``-J_b^T m (a - g)`` on end b.
"""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.library.flanges import TranslationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError
from modiapy.model.model import Model, Par, Var

from ..scene.basics import checks
from ..scene.sensors.base import two_frames
from ..scene.sensors.constructors import AbsoluteSensor, Distance, GravitySensor
from .signal import AXES, LINE, SignalColumn, SignalElement
from .signal_constructors import Force


@dataclass(frozen=True)
class LineEnd(SignalElement):
    """A force on the origin of ``obj`` along the line from ``other`` to it: variable ``force`` [N].

    Where the origins coincide there is no line, and no force. The element acts no more where one of both was deleted.

    Attributes:
        obj, other: names of the two frames.
        force: expression of variables of the surrounding model.
    """

    obj: str
    other: str
    force: str

    @property
    def frames(self) -> tuple[str, str, str]:
        return "", self.obj, self.other

    @property
    def columns(self) -> tuple[SignalColumn, ...]:
        return (SignalColumn("force", LINE, value=self.force),)


@arguments_checked(typed=True)
def LineForce(obj1: str, obj2: str) -> Model:
    """The line between the origins of two frames as two flanges, between which components of the translational library act.

    ``flange_a.s`` is 0, ``flange_b.s`` the distance. What acts on a flange acts on its end of the line; a component that is
    connected to one flange only has its reaction in the world.

    Args:
        obj1: name of the frame at ``flange_a``.
        obj2: name of the frame at ``flange_b``.

    Returns:
        A model with the connectors ``flange_a``, ``flange_b`` and the variables ``line.s``, the distance [m], and its
        derivatives ``line.v``, ``line.a``.
    """
    two_frames("LineForce", obj1, obj2)
    return Model(
        flange_a=TranslationalFlange,
        flange_b=TranslationalFlange,
        line=Distance(obj1, obj2),
        end_a=Par(_constructor=LineEnd, obj=obj1, other=obj2, force="-flange_a.f"),
        end_b=Par(_constructor=LineEnd, obj=obj2, other=obj1, force="flange_b.f"),
        equations=["flange_a.s = 0", "flange_b.s = line.s"],
    )


@arguments_checked(typed=True)
def LineForceWithMass(obj1: str, obj2: str, m: float = 1.0, length_fraction: float = 0.5) -> Model:
    """`LineForce` with a point mass on the line that divides it in a constant ratio.

    Args:
        obj1, obj2: as `LineForce`.
        m: the mass [kg].
        length_fraction: its distance from ``obj1`` divided by that of ``obj2``, from 0 to 1.

    Returns:
        A model as `LineForce`, with ``mass.r.x``, ..., position of the mass in world [m], ``mass.v``, its velocity, and
        ``kinetic_energy``, ``potential_energy`` [J]. Gravity has to be the same everywhere.
    """
    owner = "LineForceWithMass"
    two_frames(owner, obj1, obj2)
    h = checks.number(owner, "length_fraction", length_fraction)
    if not 0.0 <= h <= 1.0:
        raise ModelError(f"length_fraction of {owner} is wrong", found=repr(h), expected="a number from 0 to 1")
    between = "(1 - length_fraction)*a.{q}.{c} + length_fraction*b.{q}.{c}"
    mass = _point_mass("mass", "m", *(between.replace("{q}", q) for q in "rva"))
    shares = ("-(1 - length_fraction)*mass.f.{c}", "-length_fraction*mass.f.{c}")
    parameters = Model(m=checks.not_negative(owner, "m", m), length_fraction=h)
    return LineForce(obj1, obj2) | _with_masses(obj1, obj2, ("mass",), *shares) | parameters | mass


@arguments_checked(typed=True)
def LineForceWithTwoMasses(
    obj1: str, obj2: str, m_a: float = 1.0, m_b: float = 1.0, L_a: float = 0.0, L_b: float | None = None
) -> Model:
    """`LineForce` with two point masses on the line, each at a constant distance from its end, as cylinder and piston have.

    Args:
        obj1, obj2: as `LineForce`; these ends must not meet.
        m_a, m_b: the masses [kg].
        L_a: distance of the mass m_a from ``obj1``, positive towards ``obj2`` [m].
        L_b: distance of the mass m_b from ``obj2``, positive towards ``obj1`` [m]; default ``L_a``.

    Returns:
        A model as `LineForceWithMass` for the masses ``mass_a``, ``mass_b``.
    """
    owner = "LineForceWithTwoMasses"
    two_frames(owner, obj1, obj2)
    parameters = Model(
        m_a=checks.not_negative(owner, "m_a", m_a),
        m_b=checks.not_negative(owner, "m_b", m_b),
        L_a=checks.number(owner, "L_a", L_a),
        L_b=checks.number(owner, "L_b", L_a if L_b is None else L_b),
    )
    along_line = (("r", "e"), ("v", "de"), ("a", "dde"))
    one = _point_mass("mass_a", "m_a", *(f"a.{q}.{{c}} + L_a*{e}.{{c}}" for q, e in along_line))
    two = _point_mass("mass_b", "m_b", *(f"b.{q}.{{c}} - L_b*{e}.{{c}}" for q, e in along_line))
    direction = Model(
        **{name: _vector() for name in ("e", "de", "dde", "moment", "across")},
        along=Var(" + ".join(f"moment.{c}*e.{c}" for c in AXES)),
        equations=_by_axes(
            "line.s*e.{c} = b.r.{c} - a.r.{c}",
            "line.s*de.{c} = b.v.{c} - a.v.{c} - line.v*e.{c}",
            "line.s*dde.{c} = b.a.{c} - a.a.{c} - line.a*e.{c} - 2*line.v*de.{c}",
            "line.s*moment.{c} = L_a*mass_a.f.{c} - L_b*mass_b.f.{c}",
            "across.{c} = moment.{c} - along*e.{c}",
        ),
    )
    shares = ("across.{c} - mass_a.f.{c}", "-across.{c} - mass_b.f.{c}")
    masses = _with_masses(obj1, obj2, ("mass_a", "mass_b"), *shares)
    return LineForce(obj1, obj2) | masses | parameters | direction | one | two


def _vector() -> Model:
    return Model({c: Var() for c in AXES})


def _by_axes(*equations: str) -> list[str]:
    """Return one equation for each axis ``{c}``."""
    return [equation.replace("{c}", c) for equation in equations for c in AXES]


def _with_masses(obj1: str, obj2: str, masses: tuple[str, ...], force_a: str, force_b: str) -> Model:
    """Return the data and sums of masses on the line, and their forces on both ends (components ``{c}`` in world)."""
    total = {f"{kind}_energy": Var(" + ".join(f"{mass}.{kind}" for mass in masses), unit="J") for kind in _ENERGIES}
    return Model(
        a=AbsoluteSensor(obj1),
        b=AbsoluteSensor(obj2),
        gravity=GravitySensor(),
        weight_a=Force("", obj1, "", tuple(_by_axes(force_a))),
        weight_b=Force("", obj2, "", tuple(_by_axes(force_b))),
        **total,
    )


_ENERGIES = ("kinetic", "potential")


def _point_mass(name: str, m: str, r: str, v: str, a: str) -> Model:
    """Return the position, velocity and ``f = m (a - g)`` of a point mass from expressions of their components ``{c}`` in
    world.
    """
    squares = " + ".join(f"{name}.v.{c}**2" for c in AXES)
    height = " + ".join(f"gravity.g.{c}*{name}.r.{c}" for c in AXES)
    equations = _by_axes(f"{name}.r.{{c}} = {r}", f"{name}.v.{{c}} = {v}", f"{name}.f.{{c}} = {m}*({a} - gravity.g.{{c}})")
    equations += [f"{name}.kinetic = {m}*({squares})/2", f"{name}.potential = -{m}*({height})"]
    variables = Model(r=_vector(), v=_vector(), f=_vector(), kinetic=Var(), potential=Var())
    return Model({name: variables, "equations": equations})
