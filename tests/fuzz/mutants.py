"""Scenario files as strangers might write them: shipped parts with one or several places changed, by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ..hostile import REMOVED, edited, edits, places, value_at
from ..modia3d.crane import CRANE

PARTS = """\
modia3d: 1
definitions:
  Bolt: {Object3D: {fixed_to_parent: false, assembly_root: true, parked: true, feature: {Solid: {shape: {Cylinder: [0.1, 0.3]},
    solid_material: Steel}}}}
"""

CELL = """\
modia3d: 1
include: [parts.yaml]
palettes: [mine.toml]
definitions:
  Stone:
    Object3D:
      fixed_to_parent: false
      feature:
        Solid:
          shape: {Mesh: {file: stone.obj, scale: 0.1}}
          solid_material: {Foam: {}}
          collision: true
          contact_material: Steel
model:
  n: 3
  gains: [1.0, 2.0, 3.0]
  curve: {Table1D: {data: [[0, 0], [0.1, 1], [1, 2]], interpolation: akima}}
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  floor: {Object3D: {parent: world, translation: [0, 0, -0.5], feature: {Solid: {shape: {Box: [3, 3, 1]}, solid_material: Steel,
    collision: true}}}}
  stone: {Stone: {translation: [0, 0, 0.3]}}
  bolts: {Pool: {model: {Model: {body: {Bolt: {}}}}, size: 2}}
  beam:
    Object3D:
      feature:
        Solid:
          shape: {Box: [1, 0.1, 0.1]}
          mass_properties: {MassProperties: {mass: 2, center_of_mass: [0, 0, 0], Ixx: 1, Iyy: 1, Izz: 1}}
  hinge: {RevoluteWithFlange: {obj1: world, obj2: beam, axis: y, limits: [-1, 1], phi: {Var: {init: 0.1}}}}
  spring: {SpringDamperPtP: {obj1: stone, obj2: beam, stiffness: 10, nominal_length: 0.5}}
  seen: {RelativeSensor: {obj1: world, obj2: stone}}
  damper: {rotational.Damper: {d: 0.3}}
  wall: {rotational.Fixed: {}}
  x: {Var: {init: "zeros(n)"}}
  y: {Var: {init: 0.0}}
  ticks: {Var: {init: 0, type: Integer}}
  connect:
    - [wall.flange, damper.flange_a]
    - [damper.flange_b, hinge.flange]
  equations:
    - {For: {index: i, count: n, equations: ["der(x[i]) = gains[i] - x[i]"]}}
    - der(y) = curve(time) - y
    - {When: {condition: y > 0.001, equations: [ticks = pre(ticks) + 1]}}
actions:
  - ActionAdd: {frame: bolts.m0.body, relative_to: world, translation: [1, 0, 1]}
  - wait_until: {condition: time > 0.005, timeout: 1}
  - if: {condition: y > 1, then: [{ActionWait: 0.1}], else: [{set: {ready: true}}]}
  - repeat: {times: 2, do: [{ActionWait: 0.002}]}
  - ActionDelete: stone
simulation: {stop_time: 0.02, tolerance: 1.0e-5, interval: 0.005}
expect: {segments(): 3}
"""

STONE = """\
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""
FILES = {
    "parts.yaml": PARTS,
    "stone.obj": STONE,
    "mine.toml": "[solid.Foam]\ndensity = 30.0\nyoungs_modulus = 1e6\npoisson_ratio = 0.3\n",
}
"""What stands beside the scenario."""

SCENARIOS = {"crane": CRANE.replace("stop_time: 2.0, interval: 0.05", "stop_time: 0.02, interval: 0.005"), "cell": CELL}
KEYS = [
    "x",
    "",
    "a.b",
    "self",
    "_x",
    "if",
    "Box",
    "Object3D",
    "equations",
    "connect",
    "actions",
    "time",
    "ä",
    "<<",
    "1",
    "feature",
    "obj1",
]
PATHS = [
    "../../etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "..",
    ".",
    "",
    "stone.obj/..",
    "parts.yaml",
    "~/x.obj",
    "http://x/y.obj",
    "a\0b.obj",
]
TEXTS = [
    "x+", "1/0", "(" * 300, "-" * 2000 + "1", "[1, 2", "__class__", "pre(x)", "der(y)", "zeros(999999999)", "9**9**9",
    "world", "stone", "hinge.phi", "1" * 5000, "if", "x[99]", "sqrt(-1)", "1e400", "日本", "{x}", "'", "beam.beam",
    "time", "delay(y, 1)",
]  # fmt: skip
CALLS: list[Any] = [
    {"Box": [1, 1, 1]}, {"Box": 1e300}, {"Var": {"init": "y"}}, {"Model": {}}, {"Object3D": {}}, {"Scene": {}},
    {"Table1D": [[0, 0], [0, 1]]}, {"Clock": 1e-9}, {"Pool": {"model": {"Model": {}}, "size": 10**6}},
    {"redeclare": {"Damper": {}}}, {"Mesh": "/dev/zero"},
    {"For": {"index": "i", "count": 10**9, "equations": ["x = 1"]}}, {"electric.Resistor": {}}, {"Stone": {}},
    {"enclosing": ["y", 5]}, {"MassProperties": [-1, [0, 0, 0], 1, 1, 1]}, {"Cylinder": [0, 0]},
    {"Grid": {"length": 1e6, "distance": 1e-6}},
]  # fmt: skip
TAGS = [
    "!!python/object/apply:os.system [echo]",
    "!x 1",
    "&a 1",
    "*a",
    "!!binary aGk=",
    "!!set {a}",
    "2026-01-01",
    "0x1F",
    "1_000",
    "yes",
    ".nan",
]


def _value(data: Any, random: random.Random) -> Any:
    way = random.choice(list(places(data)))
    return edited(data, way, random.choice(edits(value_at(data, way))))


def _number(data: Any, random: random.Random) -> Any:
    """Another number, that may make sense."""
    ways = [way for way in places(data) if type(value_at(data, way)) in (int, float)]
    way = random.choice(ways)
    old = value_at(data, way)
    return edited(
        data, way, random.choice([0, -old, old * 1e-9, old * 10, old * 1e4, old * 1e12, old + 1, old + 0.3, 1e-300, 7])
    )


def _foreign(data: Any, random: random.Random) -> Any:
    way = random.choice(list(places(data)))
    return edited(data, way, random.choice([*TEXTS, *CALLS, *PATHS]))


def _removed(data: Any, random: random.Random) -> Any:
    return edited(data, random.choice(list(places(data))), REMOVED)


def _moved(data: Any, random: random.Random) -> Any:
    """What stands elsewhere in the file."""
    ways = list(places(data))
    return edited(data, random.choice(ways), value_at(data, random.choice(ways)))


def _renamed(data: Any, random: random.Random) -> Any:
    way = random.choice([way for way in places(data) if isinstance(way[-1], str)])
    key = way[-1]
    letter = random.randrange(len(key) or 1)
    new = random.choice([*KEYS, key[:letter] + key[letter + 1 :], key + key[letter : letter + 1], key.upper()])
    owner = value_at(data, way[:-1])
    changed = {new if name == key else name: value for name, value in owner.items()}
    return edited(data, way[:-1], changed) if way[:-1] else changed


def _added(data: Any, random: random.Random) -> Any:
    ways = [way for way in places(data) if isinstance(value_at(data, way), dict | list)]
    way = random.choice(ways)
    owner, new = value_at(data, way), random.choice([*TEXTS, *CALLS, 1, None, [1, 2, 3]])
    return edited(data, way, [*owner, new] if isinstance(owner, list) else {**owner, random.choice(KEYS): new})


def _nested(data: Any, random: random.Random) -> Any:
    way = random.choice(list(places(data)))
    inner, depth = value_at(data, way), random.choice([3, 50, 70])
    for _ in range(depth):
        inner = random.choice([[inner], {"Model": {"m": inner}}, {random.choice(KEYS): inner}])
    return edited(data, way, inner)


def _larger(data: Any, random: random.Random) -> Any:
    """An array, list or mapping becomes large."""
    way = random.choice([way for way in places(data) if isinstance(value_at(data, way), list | dict)])
    old, times = value_at(data, way), random.choice([2, 30, 3000])
    return edited(
        data, way, old * times if isinstance(old, list) else {f"{k}{i}": v for i in range(times) for k, v in old.items()}
    )


EDITS: list[Callable[[Any, random.Random], Any]] = [
    _value,
    _foreign,
    _removed,
    _moved,
    _renamed,
    _added,
    _nested,
    _larger,
    _value,
    _renamed,
]


def _changed_text(text: str, random: random.Random) -> str:
    """Letters and lines that are gone, twice, elsewhere; tags."""
    lines = text.splitlines(keepends=True)
    at, row = random.randrange(len(text)), random.randrange(len(lines))
    letter = random.choice("\t:{}[]-&*!#'\"\\,\n\r \u00a0\0%@|>?\ufeff")
    other = random.randrange(len(lines))
    colon = text.find(": ", at)
    return random.choice(
        [
            text[:at] + text[at + 1 :],
            text[:at] + letter + text[at:],
            text[: at + 1] + text[at] * random.choice([1, 100, 10**6]) + text[at + 1 :],
            "".join(lines[:row] + lines[row + 1 :]),
            "".join([*lines[:row], " " * random.randrange(1, 5) + lines[row], *lines[row + 1 :]]),
            "".join([*lines[:row], lines[other], *lines[row:]]),
            text[:at],
            text[: colon + 2] + random.choice(TAGS) + " " + text[colon + 2 :],
            text[at:] + text[:at],
        ]
    )


def _changed_mesh(random: random.Random) -> str:
    """A mesh that declares more than it holds, other numbers, other shapes."""
    n = random.choice([0, 3, 300, 20_000])
    many = "".join(f"v {i} {i * i % 7} {i * i * i % 11}\n" for i in range(n)) + "".join(
        f"f {i} {i + 1} {i + 2}\n" for i in range(1, n - 2)
    )
    bad = random.choice(["nan", "inf", "1e300", "1e-300", "x", "", "-0", "9" * 400])
    index = random.choice(["0", "-1", "99", "3000000000", "1.5", "x", ""])
    return random.choice(
        [
            many,
            STONE.replace("1 0 0", f"{bad} 0 0"),
            STONE.replace("f 1 3 2", f"f 1 3 {index}"),
            STONE[: len(STONE) // 2],
            "",
            "\0" * 100,
        ]
    )


def mutant(seed: int) -> tuple[str, dict[str, str]]:
    """The scenario of a seed and the files beside it."""
    chance = random.Random(seed)
    text = SCENARIOS[chance.choice(["crane", "cell", "cell"])]
    files = dict(FILES)
    kind = chance.random()
    if kind < 0.7:
        data = yaml.safe_load(text)
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            data = (_number if kind < 0.3 else chance.choice(EDITS))(data, chance)
        return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6), files
    if kind < 0.9:
        return _changed_text(text, chance), files
    if kind < 0.95:
        files["stone.obj"] = _changed_mesh(chance)
        return SCENARIOS["cell"], files
    name = chance.choice(["parts.yaml", "mine.toml"])
    files[name] = _changed_text(files[name], chance)
    return SCENARIOS["cell"], files


class _Dumper(yaml.SafeDumper):
    """Nothing is written as an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write(seed: int, folder: Path) -> Path:
    """The mutant in a folder; what is there is overwritten."""
    text, files = mutant(seed)
    for name, content in [("mutant.yaml", text), *files.items()]:
        (folder / name).write_text(content, encoding="utf-8", errors="surrogatepass", newline="")
    return folder / "mutant.yaml"
