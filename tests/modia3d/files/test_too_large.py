"""A few letters that ask for more than there is: a message with file and line, after little work, in little memory."""

import re
from pathlib import Path

import pytest

from modia3d.cli.main import main
from modiapy import Array, For, Model, Par, Var, instantiate
from modiapy.model import limits
from tests.effort import effort

pytestmark = pytest.mark.white_box

HEAD = """modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
"""
TAIL = "simulation: {stop_time: 1.0}\n"
X = "  x: {Var: {init: 0}}\n"
CALLS, BYTES = 2e7, 1e9
COSTLIEST, FEW = "arrays within each other", 1000
"""What is tried with the limit as it is; the others with this one, which they reach sooner."""

BOMBS: dict[str, tuple[str, int | None]] = {
    "a loop": (X + '  equations: ["der(x)=1", {For: {index: i, count: 100000000, equations: ["x=i"]}}]\n', 5),
    "loops within each other": (
        X + '  equations: ["der(x)=1", {For: {index: i, count: 3000, equations: '
        '[{For: {index: j, count: 3000, equations: ["x=i+j"]}}]}}]\n', 5),
    "loops of nothing": (
        X + '  equations: ["der(x)=1", {For: {index: i, count: 90000, equations: '
        '[{For: {index: j, count: 90000, equations: []}}]}}]\n', 5),
    "a loop as often as a parameter says": (
        X + '  n: 30000\n  equations: ["der(x)=1", {For: {index: i, count: "n*n", equations: ["x=i"]}}]\n', 6),
    "loops in a branch": (
        X + '  n: 3000\n  equations: ["der(x)=1", {For: {index: i, count: n, equations: [{If: {condition: "i > 3", '
        'equations: [{For: {index: j, count: n, equations: ["x=i+j"]}}]}}]}}]\n', None),
    "arrays within each other": (
        '  a: {Array: [300, {Model: {b: {Array: [300, {Model: {c: {Array: [300, {Model: {z: {Var: {init: 0.1}}, '
        'equations: ["der(z) = -z"]}}]}}}]}}}]}\n', 4),
    "arrays of nothing": ("  a: {Array: [300, {Model: {b: {Array: [300, {Model: {c: {Array: [300, {Model: {}}]}}}]}}}]}\n", 4),
    "an array as long as a parameter says": (
        '  n: 30000\n  a: {Array: ["n*n", {Model: {z: {Var: {init: 0.1}}, equations: ["der(z) = -z"]}}]}\n', 5),
    "a long vector": ('  x: {Var: {init: 0, shape: 1000000000}}\n  equations: ["der(x) = -x"]\n', 4),
    "a large matrix": ('  x: {Var: {init: 0, shape: [100000, 100000]}}\n  equations: ["der(x) = -x"]\n', 4),
    "a matrix of zeros": (X + '  p: {Par: {value: "zeros(100000, 100000)"}}\n  equations: ["der(x) = p[0, 0]"]\n', 5),
    "a power of a power": (X + '  p: "10**10**10"\n  equations: ["der(x) = p"]\n', 5),
    "a power of a power as a count": (
        X + '  equations: ["der(x)=1", {For: {index: i, count: "9**9**9", equations: ["x=i"]}}]\n', None),
    "aliases of YAML": ('  a: &a ["lol"]\n  b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n  c: [*b, *b, *b, *b, *b]\n', 4),
    "a deep nest": ("  a: " + "{Model: {a: " * 5000 + "1" + "}}" * 5000 + "\n", 4),
    "a long sum": (X + '  equations: ["der(x) = ' + "+".join(["x"] * 200000) + '"]\n', None),
    "deep brackets": (X + '  equations: ["der(x) = ' + "(" * 20000 + "x" + ")" * 20000 + '"]\n', None),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_what_a_few_letters_ask_for_is_refused_before_it_is_made(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name != COSTLIEST:
        monkeypatch.setattr(limits, "MOST_COPIES", FEW)
    text, line = BOMBS[name]
    (tmp_path / "bomb.yaml").write_text(HEAD + text + TAIL)
    with effort() as spent:
        status = main(["run", str(tmp_path / "bomb.yaml")])
    told = capsys.readouterr().err
    assert status == 2, told
    assert spent.calls < CALLS
    assert spent.memory < BYTES
    assert re.search(rf"bomb.yaml:{line or '[0-9]+'}:", told), told
    assert "Traceback" not in told


def test_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of a whole model count together, those of the next model anew."""
    monkeypatch.setattr(limits, "MOST_COPIES", 6)
    unit = Model(x=Var(init=1.0), equations=["der(x) = -x"])
    instantiate(Model(a=Array(3, unit), b=Array(3, unit)))
    instantiate(Model(a=Array(2, Model(b=Array(2, unit)))))
    v = Var(init=[1.0, 1.0, 1.0, 1.0])
    instantiate(Model(n=4, v=v, equations=[For("i", "n", ["der(v[i]) = -v[i]"])]))
    with pytest.raises(Exception, match="make too much of this model"):
        instantiate(Model(a=Array(3, unit), b=Array(4, unit)))
    with pytest.raises(Exception, match="make too much of this model"):
        instantiate(Model(v=v, w=v, equations=[For("i", 4, ["der(v[i]) = -v[i]"]), For("i", 4, ["der(w[i]) = -w[i]"])]))


def test_arrays_as_large_as_is_allowed_are_made() -> None:
    sim = instantiate(Model(p=Par("zeros(1000, 20)"), x=Var(init=1.0), equations=["der(x) = p[999, 19] - x"]))
    assert sim.simulate(1.0)["x"][-1] == pytest.approx(0.36787944, rel=1e-3)
