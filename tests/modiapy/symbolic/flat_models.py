"""Flat models written down by hand for the tests of the symbolic passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from modiapy.acausal import CallEquation, ComponentFunction
from modiapy.flat import Apply, Equation, Expr, FlatModel, Name, Variable, parse, parse_equation
from modiapy.model.expression import evaluate, rewrite
from modiapy.symbolic.sorted.parts import Alias
from modiapy.symbolic.sorted.sorted_model import SortedModel

Attributes = Mapping[str, float | bool]


def residual(sorted_model: SortedModel, equation: Equation, values: Mapping[str, float]) -> float:
    """``lhs - rhs`` of an equation as the user wrote it, relative to its larger side, with the interpreter's values."""
    known = {**sorted_model.flat.parameters, **values}
    for name, alias in sorted_model.aliases.items():
        known |= _derivatives_of_alias(name, alias, values)

    def change(node: Expr) -> Expr | None:
        return Name(str(node)) if type(node) is Apply and node.op == "der" else None

    lhs, rhs = (evaluate(rewrite(side, change), known) for side in (equation.lhs, equation.rhs))
    return (lhs - rhs) / max(1.0, abs(lhs), abs(rhs))


def _derivatives_of_alias(name: str, alias: Alias, values: Mapping[str, float]) -> dict[str, float]:
    result = {}
    target = alias.of
    for _ in range(2):
        name, target = f"der({name})", f"der({target})"
        result[name] = 0.0 if alias.value is not None else alias.sign * values.get(target, float("nan"))
    return result


def flat_model(
    equations: Sequence[str | tuple[str, str] | CallEquation],
    variables: Sequence[str] | Mapping[str, Attributes],
    parameters: Mapping[str, float] | None = None,
) -> FlatModel:
    """A flat model from texts: equations are "lhs = rhs" or (path, "lhs = rhs")."""
    given = variables if isinstance(variables, Mapping) else {name: {} for name in variables}
    declared = {name: Variable(name, origin=name.rpartition(".")[0], **attributes) for name, attributes in given.items()}  # type: ignore[arg-type]
    return FlatModel("test", declared, dict(parameters or {}), [_equation(e) for e in equations])


def _equation(equation: str | tuple[str, str] | CallEquation) -> Equation | CallEquation:
    if isinstance(equation, CallEquation):
        return equation
    return parse_equation(equation) if isinstance(equation, str) else parse_equation(equation[1], equation[0])


def _address() -> int:
    raise AssertionError("the symbolic passes need no machine code")


def function(name: str, n_in: int, n_out: int, **metadata: object) -> ComponentFunction:
    return ComponentFunction(name, n_in, n_out, f"test_{name}", _address, **metadata)  # type: ignore[arg-type]


def call(f: ComponentFunction, inputs: Sequence[str], outputs: Sequence[str], component: str = "robot") -> CallEquation:
    return CallEquation(f, tuple(parse(i) for i in inputs), tuple(Name(o) for o in outputs), component)


def multibody(
    n: int, equations: Sequence[str], variables: Mapping[str, Attributes], parameters: Mapping[str, float]
) -> FlatModel:
    """A component with n joints: ``set_states -> token``, ``generalized_forces(token, a) -> f``, sink ``finish(token, a)``."""
    joints = range(1, n + 1)
    accelerations = [f"der(rev{i}.w)" for i in joints]
    states = function("set_states", 2 * n, 1)
    forces = function("generalized_forces", 1 + n, n, linear_in=frozenset(range(1, n + 1)))
    finish = function("finish", 1 + n, 1, sink=True)
    own: dict[str, Attributes] = {}
    for i in joints:
        own |= {f"rev{i}.phi": {}, f"rev{i}.w": {}, f"rev{i}.tau": {}, f"rev{i}.f": {}}
    calls: list[str | CallEquation] = [
        call(states, [f"rev{i}.phi" for i in joints] + [f"rev{i}.w" for i in joints], ["token"]),
        call(forces, ["token", *accelerations], [f"rev{i}.f" for i in joints]),
        call(finish, ["token", *accelerations], ["done"]),
    ]
    kinematics = [f"der(rev{i}.phi) = rev{i}.w" for i in joints] + [f"rev{i}.tau = rev{i}.f" for i in joints]
    return flat_model([*calls, *kinematics, *equations], {**own, "token": {}, "done": {}, **variables}, parameters)
