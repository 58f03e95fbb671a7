"""The pictures of the tutorials, drawn from runs of their own code blocks, and the moving one of the README.

    python -m tools.pictures [PAGE ...] [mosar]

Writes ``docs/pictures/NAME.png`` for each tutorial that has one (or for those that are named), and the SVG files that its code
writes. Needs matplotlib. ``mosar`` is
the walking robot, photographed in its exported page: ``docs/mosar.gif``; needs Chromium and Pillow.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools._blocks import carry_out

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"


@dataclass(frozen=True)
class Curves:
    """Curves of a picture: label -> expression of abscissa and ordinate, of the names that the page leaves behind."""

    x_label: str
    y_label: str
    curves: dict[str, tuple[str, str]]
    equal: bool = False


def over_time(y_label: str, curves: dict[str, str], result: str = "result") -> Curves:
    return Curves("time [s]", y_label, {label: (f"{result}.time", y) for label, y in curves.items()})


def _way(names: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    return {name: (f"result['{name}.r_abs'][:, 0]", f"result['{name}.r_abs'][:, 1]") for name in names}


PICTURES = {
    "drive_train": over_time("speed [rad/s]", {"motor": "result['motor.w']", "load": "result['load.w']"}),
    "robot": over_time(
        "angle [rad]",
        {
            "shoulder": "result['shoulder.phi']",
            "its reference": "result['actions.upper.position']",
            "elbow": "result['elbow.phi']",
            "its reference ": "result['actions.lower.position']",
        },
    ),
    "rocket": over_time("height [m]", {name: f"result['{name}.body.r_abs'][:, 1]" for name in ("first", "second")}),
    "pick_and_place": Curves("x [m]", "y [m]", _way(("part", "gripper")), equal=True),
    "walking_robot": Curves("x [m]", "y [m]", _way(("foot1",)), equal=True),
    "loops": over_time("angle [rad]", {"crank": "result['motor.phi']", "rocker": "result['pivot.phi']"}),
    "contact": over_time("height [m]", {"ball": "result['ball.r_abs'][:, 2]"}),
    "bond_graph": over_time(
        "height [cm], pressure [MPa]",
        {
            "height of the load": "100*result['load.height.q'][:, 0]",
            "pressure in the cylinder": "1e-6*result['pipe.oil.e'][:, 0]",
        },
    ),
    "modelica": Curves(
        "time [s]",
        "level [m]",
        {"h_ref = 1": ("result.time", "result['h']"), "h_ref = 2": ("fuller.time", "fuller['h']")},
    ),
}


def draw(names: dict[str, Any], what: Curves, target: Path) -> None:
    """Draw curves of what a page left behind."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
    for k, (label, (x, y)) in enumerate(what.curves.items()):
        axes.plot(eval(x, names), eval(y, names), label=label, linestyle="--" if "reference" in label else "-", zorder=-k)
    axes.set_xlabel(what.x_label)
    axes.set_ylabel(what.y_label)
    axes.set_aspect("equal" if what.equal else "auto", adjustable="datalim")
    axes.grid(alpha=0.3)
    if len(what.curves) > 1:
        axes.legend()
    figure.savefig(target, dpi=80, metadata={"Software": None})
    plt.close(figure)


STEP, SPEED, WIDTH, HEIGHT, COLORS = 0.4, 10.0, 480, 300, 64
"""Distance of the frames of the moving picture [s], how much faster it is shown, its size [pixels], colours."""


def film(scenario: Path, target: Path) -> None:
    """Make a moving picture of a scenario, as its page shows it."""
    import io

    from PIL import Image

    from modia3d.cli.main import main as command
    from modia3d.viewer.chromium import Chromium

    frames = []
    with tempfile.TemporaryDirectory() as folder, Chromium(WIDTH, HEIGHT) as browser:
        page = Path(folder) / "page.html"
        if command(["run", str(scenario), "--html", str(page)]) != 0:
            raise SystemExit(f"{scenario} cannot be simulated")
        browser.open(f"{page.as_uri()}#bare")
        browser.evaluate("page.ready")
        first, last = browser.evaluate("player.span")
        for k in range(int((last - first) / STEP) + 1):
            browser.evaluate(f"player.seek({first + k * STEP}); {_SHOWN}")
            frames.append(Image.open(io.BytesIO(browser.picture())).convert("RGB").resize((WIDTH, HEIGHT)))
    palette = frames[len(frames) // 2].quantize(COLORS)
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    few[0].save(target, save_all=True, append_images=few[1:], duration=int(1e3 * STEP / SPEED), loop=0, optimize=True)


_SHOWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    if "mosar" in sys.argv:
        film(ROOT / "scenarios" / "mosar" / "mosar.yaml", ROOT / "docs" / "mosar.gif")
        sys.argv.remove("mosar")
        if len(sys.argv) == 1:
            return
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            names = carry_out(ROOT / "docs" / "tutorials" / f"{name}.md", Path(folder), ROOT)
            os.chdir(ROOT)
            for drawn in Path(folder).glob("*.svg"):
                print(shutil.copy(drawn, FOLDER))
        draw(names, PICTURES[name], FOLDER / f"{name}.png")
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
