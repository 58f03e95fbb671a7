"""Diagrams of models: components, connections, the tree of a multibody system, and the file that the command line writes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d import Box, Model3D, Object3D, Revolute, RodConstraint, Scene, Solid, diagram
from modia3d.cli.main import main
from modia3d.viewer.diagram.layers import GAP_Y, arranged
from modia3d.viewer.diagram.net import Line, Net
from modiapy import Array, For, Map, Model, ModelError, Var, instantiate
from modiapy.library import blocks, electric, rotational

pytestmark = pytest.mark.white_box

MOTOR = Model(
    p=electric.Pin,
    n=electric.Pin,
    flange=rotational.Flange,
    R=electric.Resistor | Map(R=1.0),
    emf=electric.RotationalEMF,
    connect=[("p", "R.p"), ("R.n", "emf.p"), ("emf.n", "n"), ("emf.flange", "flange")],
)
DRIVE = Model(
    motor=MOTOR,
    load=rotational.Inertia | Map(J=1.0),
    V=electric.SignalVoltage,
    step=blocks.Step,
    ground=electric.Ground,
    connect=[
        ("V.p", "motor.p"),
        ("V.n", "motor.n", "ground.p"),
        ("motor.flange", "load.flange_a"),
        ("step.y", "V.v"),
    ],
)


def ends(net: Net) -> set[tuple[str, str, str]]:
    """Lines as (start, end, kind), ends as box.port."""

    def end(number: int, port: str) -> str:
        return f"{net.boxes[number].name}.{port}".rstrip(".")

    return {(end(line.start, line.start_port), end(line.end, line.end_port), line.kind) for line in net.lines}


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_components_have_their_types_and_connections_one_line_each() -> None:
    net = diagram(DRIVE).net
    assert {box.name: box.type for box in net.boxes} == {
        "motor": "",
        "load": "Inertia",
        "V": "SignalVoltage",
        "step": "Step",
        "ground": "Ground",
    }
    assert ends(net) == {
        ("V.p", "motor.p", "connection"),
        ("V.n", "motor.n", "connection"),
        ("V.n", "ground.p", "connection"),
        ("motor.flange", "load.flange_a", "connection"),
        ("step.y", "V.v", "signal"),
    }


def test_what_a_component_consists_of_is_drawn_in_it() -> None:
    inner = diagram(DRIVE).net.find(["motor"]).inner  # type: ignore[union-attr]
    assert inner is not None
    assert ends(inner) == {
        ("p", "R.p", "connection"),
        ("R.n", "emf.p", "connection"),
        ("emf.n", "n", "connection"),
        ("emf.flange", "flange", "connection"),
    }
    assert {box.name for box in inner.boxes if box.kind == "connector"} == {"p", "n", "flange"}
    assert diagram(DRIVE, levels=1).net.find(["motor"]).inner is None  # type: ignore[union-attr]


def test_a_signal_points_to_where_it_is_needed_whatever_was_written_first() -> None:
    model = Model(
        u=Var(input=True),
        y=Var(output=True),
        k=blocks.Gain | Map(k=2.0),
        connect=[("k.u", "u"), ("y", "k.y")],
    )
    assert ends(diagram(model).net) == {("u", "k.u", "signal"), ("k.y", "y", "signal")}


def test_arrays_and_loops_over_them() -> None:
    ladder = Model(
        n=3,
        R=Array("n", electric.Resistor | Map(R=1.0)),
        equations=[For("i", "n - 1", ["connect(R[i].n, R[i+1].p)"])],
    )
    net = diagram(ladder).net
    assert [box.name for box in net.boxes] == ["R[0]", "R[1]", "R[2]"]
    assert ends(net) == {("R[0].n", "R[1].p", "connection"), ("R[1].n", "R[2].p", "connection")}


def test_a_flat_model_has_the_same_lines() -> None:
    net = diagram(instantiate(DRIVE).flat).net
    assert ends(net) == ends(diagram(DRIVE).net)
    inner = net.find(["motor"])
    assert inner is not None
    assert inner.inner is not None
    assert ends(inner.inner) == ends(diagram(DRIVE).net.find(["motor"]).inner)  # type: ignore[union-attr, arg-type]


def test_a_translated_model_is_drawn_as_it_was_written() -> None:
    assert diagram(instantiate(DRIVE)).svg == diagram(DRIVE).svg


# -- multibody systems --------------------------------------------------------------------------------------------------


def four_bar(**more: Any) -> Model:
    """A plane four-bar linkage; bodies are 1, 2 and 3."""
    rod = Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), solid_material="Steel"))
    frames: dict[str, Any] = {"world": Object3D(feature=Scene())}
    frames["base"] = Object3D(parent="world", translation=[1.0, 0.0, 0.0])
    for k in (1, 2, 3):
        frames[f"rod{k}"] = rod
        frames[f"a{k}"] = Object3D(parent=f"rod{k}", translation=[-0.5, 0.0, 0.0])
        frames[f"b{k}"] = Object3D(parent=f"rod{k}", translation=[0.5, 0.0, 0.0])
    return Model3D(
        **frames,
        j1=Revolute("world", "a1", axis="y", phi=1.5707963267948966),
        j2=Revolute("b1", "a2", axis="y", phi=-1.5707963267948966),
        j3=Revolute("b2", "a3", axis="y", phi=-1.5707963267948966),
        **more,
    )


def tree(model: Model) -> Net:
    box = diagram(model).net.find(["multibody system"])
    assert box is not None
    assert box.inner is not None
    return box.inner


def test_the_tree_goes_from_the_world_and_a_cut_joint_is_red() -> None:
    closed = tree(four_bar(j4=Revolute("base", "b3", axis="y", cut=True)))
    joints = {box.name: (box.type, box.kind) for box in closed.boxes if box.kind in ("joint", "cut")}
    assert joints == {**{f"j{k}": ("Revolute", "joint") for k in (1, 2, 3)}, "j4": ("Revolute", "cut")}
    assert ends(closed) == {
        ("world", "j1", "rigid"),
        ("j1", "rod1", "rigid"),
        ("rod1", "j2", "rigid"),
        ("j2", "rod2", "rigid"),
        ("rod2", "j3", "rigid"),
        ("j3", "rod3", "rigid"),
        ("world", "j4", "cut"),
        ("j4", "rod3", "cut"),
    }
    drawn = diagram(four_bar(j4=Revolute("base", "b3", axis="y", cut=True))).svg
    assert drawn.count('stroke="#d01616"') == 3  # the joint and its two lines
    assert '"#d01616"' not in diagram(four_bar()).svg


def test_a_joint_that_is_written_towards_the_world_is_drawn_from_it() -> None:
    model = Model3D(
        world=Object3D(feature=Scene()),
        rod=Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), solid_material="Steel")),
        hinge=Revolute("rod", "world", axis="y"),
    )
    assert ends(tree(model)) == {("world", "hinge", "rigid"), ("hinge", "rod", "rigid")}


def test_rods_are_cuts_and_free_bodies_hang_on_the_world() -> None:
    model = four_bar(
        rod=RodConstraint("base", "b3"), ball=Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel"))
    )
    boxes = {box.name: (box.type, box.kind) for box in tree(model).boxes}
    assert boxes["rod"] == ("RodConstraint", "cut")
    lines = ends(tree(model))
    assert {("world", "rod", "cut"), ("rod", "rod3", "cut")} <= lines
    assert ("free motion", "joint") in [(box.type, box.kind) for box in tree(model).boxes if box.name == "ball"]


# -- overdetermined connectors ------------------------------------------------------------------------------------------

DIRECTION = Model(c=Var(potential=True), s=Var(potential=True), equality_constraint=["a.c*b.s - a.s*b.c"])
FRAME = Model(R=DIRECTION, t=Var(flow=True))
WORLD = Model(frame=FRAME, equations=["Connections.root(frame.R)", "frame.R.c = 1", "frame.R.s = 0"])
BAR = Model(
    a=FRAME,
    b=FRAME,
    equations=["Connections.branch(a.R, b.R)", "a.t + b.t = 0", "b.R.c = a.R.c", "b.R.s = a.R.s"],
)


def test_connections_of_overdetermined_connectors_that_are_broken_are_red() -> None:
    ring = Model(world=WORLD, one=BAR, two=BAR, connect=[("world.frame", "one.a", "two.a"), ("one.b", "two.b")])
    drawn = diagram(ring).net
    assert ends(drawn) == {
        ("world.frame", "one.a", "connection"),
        ("world.frame", "two.a", "connection"),
        ("one.b", "two.b", "cut"),
    }
    cut: Line = next(line for line in drawn.lines if line.kind == "cut")
    assert cut.note == "one.b - two.b; broken: it closes a loop in the tree of world.frame.R"
    assert drawn.find(["world"]).more == ("root: frame.R",)  # type: ignore[union-attr]


def test_several_equal_variables_of_a_flat_model_are_one_line() -> None:
    chain = Model(world=WORLD, one=BAR, two=BAR, connect=[("world.frame", "one.a"), ("one.b", "two.a")])
    assert ends(diagram(instantiate(chain).flat).net) == ends(diagram(chain).net)
    assert len(diagram(instantiate(chain).flat).net.lines) == 2


# -- files --------------------------------------------------------------------------------------------------------------

SCENARIO = """
modia3d: 1
model:
  R: {electric.Resistor: {R: 1.0}}
  C: {electric.Capacitor: {C: 1.0}}
  ground: {electric.Ground: {}}
  evil: {Model: {description: "</title><script>alert(1)</script> \\u0007", x: 1.0}}
  connect: [[R.p, C.p], [R.n, C.n, ground.p]]
simulation: {stop_time: 1}
"""


def test_the_command_draws_without_a_simulation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scenario := tmp_path / "rc.yaml").write_text(SCENARIO)
    file = tmp_path / "rc.svg"
    assert main(["view", os.fspath(scenario), "--diagram", os.fspath(file)]) == 0
    assert capsys.readouterr().out == f"diagram: {file}\n"
    svg = file.read_text()
    assert {"R", "Resistor", "C", "Capacitor", "p", "n"} <= set(texts(svg))
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|href|<image|<foreignObject|\son\w+=", svg)


def test_a_result_is_drawn_by_its_scenario_and_beside_an_animation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scenario := tmp_path / "crane.yaml").write_text(
        """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  rod: {Object3D: {feature: {Solid: {shape: {Box: [1.0, 0.1, 0.1]}, solid_material: Steel}}}}
  hinge: {Revolute: {obj1: world, obj2: rod, axis: y}}
simulation: {stop_time: 0.1}
"""
    )
    result, page, svg = (os.fspath(tmp_path / name) for name in ("crane.h5", "crane.html", "crane.svg"))
    assert main(["run", os.fspath(scenario), "--output", result]) == 0
    assert main(["view", os.fspath(scenario), "--diagram", svg]) == 0
    drawn = Path(svg).read_text()
    assert {"rod", "hinge", "Revolute"} <= set(texts(drawn))
    scenario.unlink()
    assert main(["view", result, "--diagram", svg, "--html", page]) == 0
    assert Path(svg).read_text() == drawn
    assert Path(page).exists()
    capsys.readouterr()


def test_modelica_source_is_drawn(tmp_path: Path) -> None:
    (source := tmp_path / "Two.mo").write_text(
        """
model Two
  connector Pin Real v; flow Real i; end Pin;
  model Source Pin p; equation p.v = 1; end Source;
  model Load Pin p; equation p.i = 2*p.v; end Load;
  Source source; Load load;
equation
  connect(source.p, load.p);
end Two;
"""
    )
    file = tmp_path / "two.svg"
    assert main(["view", os.fspath(source), "--diagram", os.fspath(file)]) == 0
    assert [text for text in texts(file.read_text()) if text != "p"] == ["source", "load"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--diagram", "{tmp}/a.png"], "--diagram is wrong"),
        (["--diagram", "{tmp}/none/a.svg"], "the picture cannot be written"),
        (["--diagram", "{tmp}/a.svg", "--contacts"], "--contacts has no effect"),
        (["--diagram", "{tmp}/a.svg", "--at", "1"], "--at has no effect"),
        (["--diagram", "{tmp}/a.svg", "--set", "R.Q=1"], "Q"),
    ],
)
def test_mistakes_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str) -> None:
    (scenario := tmp_path / "rc.yaml").write_text(SCENARIO)
    assert main(["view", os.fspath(scenario), *(option.format(tmp=tmp_path) for option in options)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
    assert not (tmp_path / "a.svg").exists()


def test_a_wrong_connection_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scenario := tmp_path / "rc.yaml").write_text(SCENARIO.replace("[R.p, C.p]", "[R.p, C.q]"))
    assert main(["view", os.fspath(scenario), "--diagram", os.fspath(tmp_path / "a.svg")]) == 2
    assert "rc.yaml:" in capsys.readouterr().err


@pytest.mark.parametrize(("given", "said"), [((3, None), "not a model"), ((DRIVE, 0), "levels"), ((DRIVE, "2"), "levels")])
def test_what_is_no_model_is_refused(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        diagram(given[0], levels=given[1])


def test_a_notebook_gets_the_picture_itself() -> None:
    drawn = diagram(DRIVE, title="drive")
    assert drawn._repr_svg_() == drawn.svg
    assert ElementTree.fromstring(drawn.svg).find("{http://www.w3.org/2000/svg}title").text == "drive"  # type: ignore[union-attr]


# -- layout -------------------------------------------------------------------------------------------------------------


Graph = tuple[list[tuple[float, float]], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    sizes = draw(st.lists(st.tuples(st.floats(5.0, 200.0), st.floats(5.0, 200.0)), max_size=12))
    node = st.integers(0, len(sizes) - 1)
    return sizes, draw(st.lists(st.tuples(node, node), max_size=24)) if sizes else []


def boxes(sizes: list[tuple[float, float]], corners: tuple[tuple[float, float], ...]) -> Iterator[tuple[float, ...]]:
    return ((x, y, x + w, y + h) for (w, h), (x, y) in zip(sizes, corners, strict=True))


@given(graphs())
def test_no_boxes_overlap_and_no_line_passes_through_one(graph: Graph) -> None:
    sizes, edges = graph
    layout = arranged(sizes, edges)
    placed = list(boxes(sizes, layout.corners))
    for k, (x, y, u, v) in enumerate(placed):
        assert x >= 0.0
        assert y >= -1e-9
        assert u <= layout.width + 1e-9
        assert v <= layout.height + 1e-9
        for p, q, r, s in placed[:k]:
            assert u <= p + 1e-9 or r <= x + 1e-9 or v <= q + 1e-9 or s <= y + 1e-9
    for route in layout.routes:
        for (x, y), (u, v) in zip(route[::2], route[1::2], strict=True):
            assert y == v
            for p, q, r, s in placed:
                assert not (min(x, u) < r and p < max(x, u) and q < y < s)
    assert arranged(sizes, edges) == layout


def test_a_chain_is_a_straight_line_and_a_circle_has_its_way_back_beside_it() -> None:
    size = (50.0, 30.0)
    chain = arranged([size] * 5, [(k, k + 1) for k in range(4)])
    assert len({y for _, y in chain.corners}) == 1
    assert [x for x, _ in chain.corners] == sorted({x for x, _ in chain.corners})
    circle = arranged([size] * 5, [(k, (k + 1) % 5) for k in range(5)])
    assert len({y for _, y in circle.corners[1:4]}) == 1
    assert abs(circle.routes[4][0][1] - (circle.corners[2][1] + 15.0)) >= 15.0 + GAP_Y
