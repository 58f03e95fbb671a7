"""``sim.equations``: what sympy computes of a model's equations agrees with what was simulated."""

import numpy as np
import pytest
import sympy as sp

from modia3d import Model3D, Object3D, RevoluteWithFlange, Scene, Solid, Sphere
from modiapy import Function, Map, Model, ModelError, SimulationModel, Var, When, instantiate
from modiapy.library.electric import Capacitor, ConstantVoltage, Ground, Resistor

pytestmark = pytest.mark.white_box

PENDULUM = Model(
    m=2.0,
    g=9.81,
    L=0.7,
    d=0.1,
    phi=Var(init=0.4),
    w=Var(init=0.0),
    tau=Var(input=True, start=0.2),
    power=Var("tau*w", output=True),
    equations=["der(phi) = w", "m*L**2*der(w) + d*w + m*g*L*sin(phi) = tau"],
)
CIRCUIT = Model(
    R=Resistor | Map(R=0.5),
    C=Capacitor | Map(C=2.0),
    V=ConstantVoltage | Map(V=10.0),
    ground=Ground,
    connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
)


def values_at_the_end(sim: SimulationModel, stop_time: float) -> dict[sp.Symbol, float]:
    """Values of all symbols where a simulation ends."""
    result = sim.simulate(stop_time)
    known = {sp.Symbol("time", real=True): stop_time, **sim.equations.parameters}
    for name in result.signals():
        value = np.asarray(result[name][-1], dtype=float)
        for place in np.ndindex(value.shape):
            element = f"{name}[{','.join(map(str, place))}]" if place else name
            known[sp.Symbol(element, real=True)] = float(value[place])
    return known


@pytest.mark.parametrize("model", [PENDULUM, CIRCUIT], ids=["pendulum", "circuit"])
def test_flat_equations_and_blocks_hold_in_the_result(model: Model) -> None:
    sim = instantiate(model)
    known = values_at_the_end(sim, 0.5)
    equations = sim.equations
    assert len(equations) == len(sim.flat.equations) > 2
    blocks = [e for block in equations.blocks for e in block.equations]
    for equation in [*equations, *blocks, *(sp.Eq(a, b, evaluate=False) for a, b in equations.aliases.items())]:
        assert float((equation.lhs - equation.rhs).subs(known)) == pytest.approx(0.0, abs=1e-5), equation


def test_sympy_solves_the_blocks_as_we_do() -> None:
    sim = instantiate(PENDULUM)
    equations = sim.equations
    phi, w, m, L, g, d, tau = (equations[name] for name in ("phi", "w", "m", "L", "g", "d", "tau"))
    (solved,) = sp.solve([e for e in equations if e.has(equations["der(w)"])], [equations["der(w)"]], dict=True)
    expected = (tau - d * w - m * g * L * sp.sin(phi)) / (m * L**2)
    assert sp.simplify(solved[equations["der(w)"]] - expected) == 0
    assert equations.states == (phi, w)
    assert equations.inputs == (tau,)
    assert [block.kind for block in equations.blocks].count("assignment") == len(equations.blocks)
    unknowns = [s for block in equations.blocks for s in block.unknowns]
    assert len(unknowns) == len(set(unknowns)) == sum(len(block.equations) for block in equations.blocks)


def test_the_jacobian_of_the_blocks_is_the_linear_model() -> None:
    sim = instantiate(PENDULUM)
    linear = sim.linearize(0.3)
    equations = sim.equations
    known = dict(zip(equations.states, linear.x, strict=True)) | equations.parameters | {equations["tau"]: 0.2}
    solution = {e.lhs: e.rhs for block in equations.blocks for e in block.equations}
    rates = sp.Matrix([solution.get(equations[f"der({s})"], equations["w"]) for s in equations.states])
    A = np.array(rates.jacobian(equations.states).subs(known), dtype=float)
    B = np.array(rates.jacobian(equations.inputs).subs(known), dtype=float)
    assert np.abs(A - linear.A).max() < 1e-7
    assert np.abs(B - linear.B).max() < 1e-7


def test_linear_and_nonlinear_systems_are_blocks_of_several() -> None:
    model = Model(
        x=Var(init=1.0),
        a=Var(),
        b=Var(),
        c=Var(start=1.0),
        equations=["der(x) = -x", "a + 2*b = x", "3*a - b = 2*x + 1", "c**3 + c = x"],
    )
    sim = instantiate(model)
    known = values_at_the_end(sim, 1.0)
    kinds = {block.kind: block for block in sim.equations.blocks}
    linear, nonlinear = kinds["linear"], kinds["nonlinear"]
    assert set(map(str, linear.unknowns)) >= {"a", "b"}
    assert linear.torn
    solved = sp.solve(linear.equations, linear.unknowns, dict=True)[0]
    assert float(solved[sp.Symbol("a", real=True)].subs(known)) == pytest.approx(known[sp.Symbol("a", real=True)])
    assert all(float((e.lhs - e.rhs).subs(known)) == pytest.approx(0.0, abs=1e-6) for e in nonlinear.equations)


def test_events_arrays_and_functions() -> None:
    model = Model(
        square=Function(_square),
        A=np.array([[0.0, 1.0], [-1.0, 0.0]]),
        x=Var(init=np.array([1.0, 0.0])),
        n=Var(init=0, type="Integer"),
        z=Var(init=0.0),
        y=Var("square(x[0]) if x[0] > 0 else n"),
        equations=["der(x) = A @ x", "der(z) = y", When("z > 0.3", ["n = pre(n) + 1", "reinit(z, 0)"])],
    )
    sim = instantiate(model)
    known = values_at_the_end(sim, 0.2)
    equations = sim.equations
    assert equations["x"].shape == (2,)
    differences = [(e.lhs - e.rhs).subs(known) for e in equations]
    evaluated = [float(d.replace(sp.Function("square", real=True), lambda u: u * u)) for d in differences]
    assert evaluated == pytest.approx([0.0] * 4, abs=1e-5)
    (event,) = equations.events
    assert str(event.conditions) == "(z > 0.3,)"
    assert [str(e) for e in event.equations] == ["Eq(n, pre(n) + 1)", "Eq(z, 0)"]
    assert r"\begin{cases}" in equations._repr_latex_()
    assert r"\text{when }" in event._repr_latex_()


def test_relations_of_blocks_are_those_that_were_written() -> None:
    model = Model(x=Var(init=1.0), y=Var(), equations=["der(x) = -x", "y = 1 if x > 0.5 else 2 if after(3) else 3"])
    equations = instantiate(model).equations
    (value,) = (e.rhs for block in equations.blocks for e in block.equations if e.lhs == equations["y"])
    x = equations["x"]
    assert value.subs(x, 0.6) == 1
    assert {argument.func.__name__ for argument in value.subs(x, 0.4).atoms(sp.core.function.AppliedUndef)} == {"after"}


def _square(u: float) -> float:
    return u * u


def test_functions_of_components_have_names() -> None:
    model = Model3D(
        world=Object3D(feature=Scene()),
        ball=Object3D(feature=Solid(shape=Sphere(0.1), solid_material="Steel"), translation=[0.5, 0, 0]),
        arm=Object3D(),
        rev=RevoluteWithFlange(obj1="world", obj2="arm", phi=Var(init=0.3), w=Var(init=0.0)),
    ) | Map(ball=Map(parent="arm"))
    sim = instantiate(model)
    texts = [str(e) for e in sim.equations]
    assert any("der(rev.w)" in text or "rev.a" in text for text in texts)
    called = {f.func.__name__ for e in sim.equations for f in e.atoms(sp.core.function.AppliedUndef)}
    assert called
    assert {"call"} <= {block.kind for block in sim.equations.blocks}


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(ModelError, match=r"there is no 'powr' in the equations.*'power'"):
        instantiate(PENDULUM).equations["powr"]


def test_notebooks_show_latex() -> None:
    sim = instantiate(PENDULUM)
    for shown in (PENDULUM, sim.equations, sim.equations.blocks, sim.linearize(0.1)):
        text = shown._repr_latex_()
        assert text.startswith("$")
        assert text.count("{") == text.count("}")
        assert r"\dot{w}" in text
    assert r"\ddot{\phi}_{\mathrm{rel}, \mathrm{gear}}" in latex_of("der(der(gear.phi_rel))")
    assert r"v_{\mathrm{C}}" in instantiate(CIRCUIT).equations._repr_latex_()
    assert "21 equations of Model" in repr(instantiate(CIRCUIT).equations)


def latex_of(name: str) -> str:
    from modiapy.model.latex import latex_of_name

    return latex_of_name(name)
