"""The page in a browser: opened from a file, with no network, it shows what was simulated, when it was."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    Box,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PrismaticWithFlange,
    Scene,
    Solid,
    Sphere,
    Visual,
    VisualMaterial,
)
from modia3d.viewer.animation import animate
from modia3d.viewer.chromium import Chromium, find_chromium
from modia3d.viewer.html import write_html
from modiapy import Var, instantiate

pytestmark = [pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed"), pytest.mark.white_box]

VANISHES = 1.25
"""When the red ball is deleted [s]."""

SHOWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def program(actions: Any) -> None:
    EventAfterPeriod(actions, 0.75)
    ActionAttach(actions, "hook", "eye")
    EventAfterPeriod(actions, 0.5)
    ActionDelete(actions, "ball")


def machine() -> Any:
    """A blue sledge that moves along x with 1 m/s; a red ball that hangs at it from 0.75 s to 1.25 s, and then is no more."""
    blue, red = VisualMaterial(color="Blue"), VisualMaterial(color="Red")
    ball = Solid(shape=Sphere(0.3), solid_material="Steel", visual_material=red)
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        plate=Object3D(parent="world", feature=Visual(Box(3.0, 1.0, 0.05)), translation=(1.0, 0.0, -0.3)),
        sledge=Object3D(feature=Solid(shape=Box(0.3, 0.3, 0.3), solid_material="Steel", visual_material=blue)),
        slide=PrismaticWithFlange("world", "sledge", axis="x", s=Var(init=0.0), v=Var(init=1.0)),
        ball=Object3D(
            fixed_to_parent=False, assembly_root=True, translation=(0.0, 0.4, 0.3), velocity=(1.0, 0.0, 0.0), feature=ball
        ),
        hook=Object3D(parent="sledge", translation=(0.0, 0.4, 0.0), lockable=True),
        eye=Object3D(parent="ball", translation=(0.0, 0.0, -0.3), rotation=(np.pi, 0.0, 0.0), lockable=True),
        actions=ModelActions(program),
        equations=["slide.flange.f = 0"],
    )


@pytest.fixture(scope="module")
def result() -> Any:
    model = instantiate(machine())
    made = model.simulate(2.0, interval=0.1)  # between so few points is interpolated
    made.components = model.flat.components
    return made


@pytest.fixture(scope="module")
def browser(result: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    file = tmp_path_factory.mktemp("page") / "sledge.html"
    write_html(animate(result, result.components.items(), title="sledge", paths=["hook"]), file)
    with Chromium(900, 600) as opened:
        opened.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        opened.open(file.as_uri())
        opened.evaluate("page.ready")
        opened.file = file  # type: ignore[attr-defined]
        yield opened


def picture(browser: Chromium, time: float | None = None) -> np.ndarray:
    """Red, green, blue of all pixels at an instant, shape (h, w, 3)."""
    from PIL import Image

    browser.evaluate(f"{'' if time is None else f'player.seek({time});'} {SHOWN}")
    return np.asarray(Image.open(io.BytesIO(browser.picture())).convert("RGB")).astype(int)


def place(pixels: np.ndarray, channel: int) -> tuple[int, float]:
    """How many pixels of the scene have a pure colour, and their mean column."""
    scene = pixels[:340]  # above the diagrams
    others = [k for k in range(3) if k != channel]
    pure = (scene[..., channel] > 90) & (scene[..., others].max(axis=-1) < 0.3 * scene[..., channel])
    return int(pure.sum()), float(np.nonzero(pure)[1].mean()) if pure.any() else np.nan


def test_the_page_says_nothing_and_asks_for_nothing(browser: Chromium) -> None:
    picture(browser, 0.5)
    assert browser.messages == []
    asked = [address for address in browser.requests if not address.startswith(("data:", "blob:"))]
    assert asked == [browser.file.as_uri()]  # type: ignore[attr-defined]


def test_the_time_bar_moves_the_machine(browser: Chromium) -> None:
    """Also between output points, and back again; the slider is where the time is."""
    columns = []
    for time in (0.0, 0.5, 0.55, 1.0):
        pixels = picture(browser, time)
        count, column = place(pixels, 2)
        assert count > 300
        columns.append(column)
    steps = np.diff(columns)
    assert (steps > 0.0).all()
    assert steps[1] == pytest.approx(0.1 * steps[2], rel=0.5) or steps[1] > 3.0
    browser.evaluate("{ const s = document.getElementById('slider'); s.value = 0.5; s.oninput(); }")
    assert place(picture(browser), 2)[1] == pytest.approx(columns[1], abs=0.5)
    assert "0.50" in browser.evaluate("document.getElementById('clock').textContent")


def test_an_object_that_is_deleted_is_gone_and_comes_back(browser: Chromium) -> None:
    before, after = (place(picture(browser, time), 0)[0] for time in (VANISHES - 1e-6, VANISHES + 1e-6))
    assert before > 300
    assert after == 0
    assert place(picture(browser, VANISHES), 0)[0] == 0
    assert place(picture(browser, 0.1), 0)[0] > 150


def test_marks_stand_at_the_times_of_segments_and_steps(browser: Chromium, result: Any) -> None:
    script = """(() => { const bar = document.getElementById('track').getBoundingClientRect();
        return [...document.querySelectorAll('#track i')].map(m => { const box = m.getBoundingClientRect();
            return [m.className, +m.dataset.time, (box.left + box.width / 2 - bar.left) / bar.width, m.title]; }); })()"""
    marks = browser.evaluate(script)
    starts = [record.start for record in result.segments]
    assert starts == [0.0, 0.75, VANISHES]
    assert [time for kind, time, *_ in marks if kind == "segment"] == starts
    for _, time, share, _ in marks:
        assert share == pytest.approx(time / 2.0, abs=2e-3)
    titles = {time: title for kind, time, _, title in marks if kind == "segment"}
    for record in result.segments:
        assert record.cause in titles[record.start]
    steps = [title for kind, _, _, title in marks if kind == "step"]
    assert any("ActionDelete ball" in title for title in steps)
    browser.evaluate("document.querySelectorAll('#track i.segment')[1].click()")
    assert browser.evaluate("player.time") == starts[1]
    assert result.segments[1].cause in browser.evaluate("document.getElementById('cause').textContent")


def test_a_plotted_signal_follows_the_time_bar(browser: Chromium, result: Any) -> None:
    seen = []
    for time in (0.4, 1.6):
        pixels = picture(browser, time)
        value = browser.evaluate("page.plot.value('slide.s')")
        assert value == pytest.approx(np.interp(time, result.time, result["slide.s"]), abs=1e-5)
        assert f"slide.s {float(f'{value:.5g}'):g}" in browser.evaluate("document.getElementById('legend').textContent")
        box = browser.evaluate("(({left, top, width, height}) => [left, top, width, height])"
                               "(document.getElementById('plot').getBoundingClientRect())")  # fmt: skip
        left, top, width, height = map(round, box)
        dark = (pixels[top + 10 : top + height - 20, left : left + width].max(axis=-1) < 90).sum(axis=0)
        seen.append(float(np.argmax(dark)) / width)
    margin = browser.evaluate("MARGIN") / width
    assert seen == pytest.approx([margin + (1.0 - margin) * time / 2.0 for time in (0.4, 1.6)], abs=0.01)


def test_names_of_many_signals_stay_above_the_time_bar(result: Any, tmp_path: Path) -> None:
    file = tmp_path / "many.html"
    write_html(animate(result, result.components.items(), signals=["hook.*"]), file)
    with Chromium(900, 600) as opened:
        opened.open(file.as_uri())
        opened.evaluate("page.ready")
        bottom = "document.getElementById('{}').getBoundingClientRect().bottom"
        assert opened.evaluate("document.getElementById('legend').children.length") >= 12
        assert opened.evaluate(bottom.format("legend")) <= opened.evaluate(bottom.format("figure"))
        opened.evaluate("document.querySelector('#legend span:last-child').scrollIntoView()")
        last = opened.evaluate(bottom.replace("getElementById('{}')", "querySelector('#legend span:last-child')"))
        assert last <= opened.evaluate(bottom.format("figure"))


def test_keys_play_and_show_single_frames(browser: Chromium, result: Any) -> None:
    def press(key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key=key)

    browser.evaluate("player.seek(0)")
    press("ArrowRight")
    assert browser.evaluate("player.time") == result.time[result.time > 0.0][0]
    press("ArrowLeft")
    assert browser.evaluate("player.time") == 0.0
    press(" ")
    browser.evaluate(
        "new Promise(done => { const look = () => player.time > 0.05 ? done() : requestAnimationFrame(look); look(); })"
    )
    press(" ")
    assert browser.evaluate("player.playing") is False
    press("]")
    assert browser.evaluate("player.time") == 0.75


def test_the_tree_hides_an_object_and_what_belongs_to_it_moves_along(browser: Chromium) -> None:
    picture(browser, 0.5)
    hide = "{{ const box = document.querySelector('#objects input[data-name={}]'); box.checked = {}; box.onchange(); }}"
    browser.evaluate("document.getElementById('panel').open = true")
    browser.evaluate(hide.format("sledge", "false"))
    assert place(picture(browser)[:, :600], 2)[0] == 0
    browser.evaluate(hide.format("sledge", "true"))
    assert place(picture(browser)[:, :600], 2)[0] > 300
    axes = "page.scene.frames.get('hook')"
    browser.evaluate("page.scene.showAxes('hook', true)")
    x = browser.evaluate(f"{axes}.axes.getWorldPosition(new MeshCat.THREE.Vector3()).x")
    assert x == pytest.approx(0.5, abs=1e-4)
    length = browser.evaluate(f"{axes}.path.geometry.attributes.position.count")
    assert length >= 2 * 20  # an end of each piece between key frames
    browser.evaluate("page.scene.showAxes('hook', false); document.getElementById('panel').open = false")


def test_pages_do_not_depend_on_how_often_they_are_made(result: Any, tmp_path: Path) -> None:
    pages = [write_html(animate(result, result.components.items()), tmp_path / f"{k}.html").read_bytes() for k in range(2)]
    assert pages[0] == pages[1]
    assert len(pages[0]) < 500_000


def test_each_unit_has_an_axis_of_its_own_and_banners_have_one_line(result: Any, tmp_path: Path) -> None:
    """Metres and metres per second are two diagrams, the curves of each as high as its own; a long cause stays one line."""
    file = tmp_path / "units.html"
    shown = animate(result, result.components.items(), signals=["slide.s", "slide.v", "sledge.r_abs"])
    shown.marks[0] = replace(shown.marks[0], text="a cause that says very much " * 20)
    assert [signal.aliases for signal in shown.signals if signal.name == "slide.s"] == [("sledge.r_abs[0]",)]
    write_html(shown, file)
    with Chromium(900, 600) as opened:
        opened.open(file.as_uri())
        opened.evaluate("page.ready")
        assert opened.evaluate("page.plot.units()") == ["m", "m/s"]
        assert opened.evaluate("document.getElementById('cause').getBoundingClientRect().height") < 30
        assert opened.evaluate("document.getElementById('cause').title.length") > 300
        assert opened.evaluate("document.getElementById('figure').clientHeight") >= 200
        assert opened.messages == []
        curves = picture(opened, 1.0)[600 - 44 - 210 : 600 - 44]
        assert (np.abs(curves - np.array([21, 101, 192])).max(axis=-1) < 40).any()  # the first curve's blue


def test_who_follows_sees_stars_that_stay(tmp_path: Path) -> None:
    """A rocket that goes far away: the camera goes along, and stars that rest in the world pass by."""
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        rocket=Object3D(feature=Solid(shape=Box(1.0, 1.0, 3.0), solid_material="Steel")),
        way=PrismaticWithFlange("world", "rocket", axis="z", s=Var(init=0.0), v=Var(init=100.0)),
        equations=["way.flange.f = 0"],
    )
    sim = instantiate(model)
    file = tmp_path / "rocket.html"
    write_html(animate(sim.simulate(2.0), sim.flat.components.items()), file)
    with Chromium(600, 400) as opened:
        opened.open(file.as_uri())
        opened.evaluate("page.ready")
        assert opened.evaluate("page.scene.follow") == "rocket"
        period = opened.evaluate("12 * Math.hypot(1, 1, 3)")
        places = []
        for time in (0.0, 0.3, 1.0, 2.0):
            opened.evaluate(f"player.seek({time})")
            at = opened.evaluate("page.scene.space.points.position.toArray()")
            places.append(at)
            assert abs(at[2] - 100.0 * time) <= period / 2 + 1e-6 * period
        assert places[0] != places[3]
        steps = np.array(places) / period
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)
        assert opened.messages == []
