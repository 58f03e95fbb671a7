"""Random circuits of transistors and diodes without capacitances: exponentials whose arguments jump from point to point."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import dataclass, field

from modiapy import Model, Var


@dataclass
class RandomGates:
    """Stages that drive each other, written as equations in random order; each has one solution at each time.

    Attributes:
        random: where all choices come from.
        parameters: of the junctions [A, V], the supply [V], current gains.
        equations, names: of the voltages and currents.
        states: those that have a derivative.
    """

    random: random.Random
    parameters: dict[str, float] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)

    def build(self) -> RandomGates:
        """One of the two families."""
        choice, uniform = self.random.choice, self.random.uniform
        self.parameters = {
            "Is": 10.0 ** uniform(-16.0, -9.0), "Vt": choice((0.005, 0.025, 0.05)), "V": choice((3.3, 5.0, 12.0)),
            "Bf": choice((50.0, 100.0, 200.0)), "Br": choice((0.1, 1.0, 2.0)),
        }  # fmt: skip
        choice((self._gate, self._stages))()
        self._without_some_currents()
        self.random.shuffle(self.equations)
        self.random.shuffle(self.names)
        return self

    def model(self) -> Model:
        variables = {name: Var(init=0.0) if name in self.states else Var() for name in [*self.names, *self.states]}
        return Model(**self.parameters, **variables, equations=self.equations)

    def _wave(self) -> str:
        return f"V/2*(1 + sin({self.random.uniform(2.0, 60.0)!r}*time))"

    def _resistor(self, low: float, high: float) -> str:
        return repr(10.0 ** self.random.uniform(low, high))

    def _transistor(self, k: int, base: str, collector: str, emitter: str) -> tuple[str, str, str]:
        """Currents into base and collector, and out of the emitter (Ebers and Moll)."""
        self.names += [f"f{k}", f"r{k}"]
        self.equations += [f"f{k} = Is*(exp(({base} - {emitter})/Vt) - 1)", f"r{k} = Is*(exp(({base} - {collector})/Vt) - 1)"]
        return f"(f{k}/Bf + r{k}/Br)", f"(f{k} - r{k} - r{k}/Br)", f"(f{k} + f{k}/Bf - r{k})"

    def _gate(self) -> None:
        """Two transistors in one of the usual arrangements."""
        Rb, Rc = self._resistor(3.0, 5.0), self._resistor(2.0, 4.0)
        kind = self.random.choice(("nand", "nor", "chain", "darlington", "pair", "follower"))
        nodes = {
            "nand": ("b1", "c", "m", "b2", "m", "0"),
            "nor": ("b1", "c", "0", "b2", "c", "0"),
            "chain": ("b1", "c", "0", "b2", "d", "0"),
            "darlington": ("b1", "c", "m", "m", "c", "0"),
            "pair": ("b1", "c", "m", "b2", "d", "m"),
            "follower": ("b1", "c", "m", "c", "V", "e"),
        }[kind]
        base1, collector1, emitter1 = self._transistor(1, *nodes[:3])
        base2, collector2, emitter2 = self._transistor(2, *nodes[3:])
        balances = {
            "nand": [f"(V - c)/{Rc} = {collector1}", f"{emitter1} = {collector2}", f"({self._wave()} - b2)/{Rb} = {base2}"],
            "nor": [f"(V - c)/{Rc} = {collector1} + {collector2}", f"({self._wave()} - b2)/{Rb} = {base2}"],
            "chain": [f"(V - c)/{Rc} = {collector1} + {base2}", f"(V - d)/{Rc} = {collector2}", f"(c - b2)/{Rb} = {base2}"],
            "darlington": [f"(V - c)/{Rc} = {collector1} + {collector2}", f"{emitter1} = {base2}"],
            "pair": [
                *(f"(V - c)/{Rc} = {collector1}", f"(V - d)/{Rc} = {collector2}", f"({self._wave()} - b2)/{Rb} = {base2}"),
                f"{emitter1} + {emitter2} = (m + V)/{Rc}",
            ],
            "follower": [f"(V - c)/{Rc} = {collector1} + {base2}", f"{emitter1} = 10*m/{Rc}", f"{emitter2} = e/{Rc}"],
        }[kind]
        self.equations += [f"({self._wave()} - b1)/{Rb} = {base1}", *balances]
        self.names += sorted({*nodes} - {"0", "V"})

    def _stages(self) -> None:
        """Followers, inverters, diodes, limiters and low passes, each driven by the one before."""
        voltage = self._wave()
        for k in range(1, self.random.randint(2, 4) + 1):
            stage = self.random.choice((self._inverter, self._follower, self._diodes, self._limiter, self._low_pass))
            voltage = stage(k, voltage)

    def _inverter(self, k: int, source: str) -> str:
        base, collector, emitter = self._transistor(k, f"b{k}", f"c{k}", f"e{k}")
        self.names += [f"b{k}", f"c{k}", f"e{k}"]
        self.equations += [
            f"({source} - b{k})/{self._resistor(2.5, 5.0)} = {base}",
            f"(V - c{k})/{self._resistor(2.0, 4.5)} = {collector}",
            f"e{k}/{self._resistor(1.0, 3.5)} = {emitter}",
        ]
        return f"c{k}"

    def _follower(self, k: int, source: str) -> str:
        base, _, emitter = self._transistor(k, f"b{k}", "V", f"e{k}")
        self.names += [f"b{k}", f"e{k}"]
        self.equations += [
            f"({source} - b{k})/{self._resistor(2.5, 5.0)} = {base}", f"e{k}/{self._resistor(1.0, 3.5)} = {emitter}"
        ]  # fmt: skip
        return f"e{k}"

    def _diodes(self, k: int, source: str) -> str:
        nodes = [source, *(f"d{k}{i}" for i in range(self.random.choice((1, 3))))]
        self.names += [*nodes[1:], f"f{k}"]
        for a, b in itertools.pairwise(nodes):
            self.equations.append(f"f{k} = Is*(exp(({a} - {b})/Vt) - 1) + 1e-8*({a} - {b})")
        self.equations.append(f"f{k} = {nodes[-1]}/{self._resistor(1.0, 3.5)}")
        return nodes[-1]

    def _limiter(self, k: int, source: str) -> str:
        self.names.append(f"e{k}")
        self.equations.append(f"e{k} + 0.1*e{k}**3 = V*tanh(20*({source} - V/2))")
        return f"e{k}"

    def _low_pass(self, k: int, source: str) -> str:
        self.states.append(f"x{k}")
        self.equations.append(f"der(x{k}) = 100*({source} - x{k})")
        return f"x{k}"

    def _without_some_currents(self) -> None:
        """Sometimes a current stands as its exponential wherever it is used."""
        for name in [n for n in self.names if n[0] in "fr"]:
            said = [e for e in self.equations if e.startswith(f"{name} = ")]
            if len(said) == 1 and self.random.random() < 0.2:
                text = said[0].partition(" = ")[2]
                others = [e for e in self.equations if e != said[0]]
                self.equations = [re.sub(rf"\b{name}\b", lambda _, text=text: f"({text})", e) for e in others]
                self.names.remove(name)
