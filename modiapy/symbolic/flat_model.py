"""`FlatModel`: the border of the language. Whatever front end there is ends here, and all passes after it are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..acausal.protocol import AcausalComponent, CallEquation
from ..model.expression import Equation


@dataclass(frozen=True)
class Variable:
    """A scalar unknown (or input) of the flat model.

    Attributes:
        name: full path, e.g. ``"gear.flange_a.tau"``.
        init: initial value that holds exactly; None if there is none.
        start: guess value, used for a state without ``init``.
        input: a top-level input: known from outside (its value is ``start``).
        output, unit, description: documentation.
        potential, flow: role in a connector.
        origin: path of the model that declares it.
    """

    name: str
    init: float | None = None
    start: float | None = None
    input: bool = False
    output: bool = False
    potential: bool = False
    flow: bool = False
    unit: str = ""
    description: str = ""
    origin: str = ""


@dataclass
class FlatModel:
    """Scalar variables, evaluated parameters, equations and components of a model, all by full path.

    Attributes:
        name: of the model.
        variables: by name, in the order of declaration.
        parameters: numeric values by name (``"gear.ratio"``, ``"table[2]"``); equations refer to them by name, so that a
            value may change without any new code.
        equations: `Equation`s and `CallEquation`s, connections included.
        components: the predefined acausal components by path ("" for the top level).
        objects: what constructors returned, by path (documentation; the components hold what they need).
    """

    name: str
    variables: dict[str, Variable]
    parameters: dict[str, float]
    equations: list[Equation | CallEquation]
    components: dict[str, AcausalComponent] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"model {self.name}"]
        lines += [f"  parameter {name} = {value!r}" for name, value in self.parameters.items()]
        for v in self.variables.values():
            notes = [f"init={v.init!r}"] if v.init is not None else []
            notes += [f"start={v.start!r}"] if v.start is not None else []
            notes += [word for word in ("input", "output", "potential", "flow") if getattr(v, word)]
            lines.append(f"  {v.name}" + (f"  ({', '.join(notes)})" if notes else ""))
        lines.append("equations")
        lines += [f"  {equation}" for equation in self.equations]
        return "\n".join(lines)
