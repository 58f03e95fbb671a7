"""The command ``modia3d``. A user's mistake is one message and exit status 2, never a traceback."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

USER_ERROR, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        Exit status: 0 where all went well, 1 where a program ended the simulation without success,
        2 for a mistake in the input or a simulation that could not go on, 130 after an
        interrupt.
    """
    options = _parser().parse_args(arguments)
    from modiapy.model.errors import ModiaError

    from . import commands
    from .terminal import tell

    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: tell(f"modia3d: warning: {message}")
            status = commands.COMMANDS[options.command](options)
        print(end="", flush=True)
        return status
    except ModiaError as error:
        tell(f"modia3d: {error}")
        return INTERRUPTED if getattr(getattr(error, "result", None), "status", "") == "interrupted" else USER_ERROR
    except (MemoryError, RecursionError) as error:
        files = {"import": "robot", "batch": "study", "modelica": "library"}
        file = getattr(options, files.get(options.command, "scenario"))
        tell(f"modia3d: {file}: the model is too large, or nested too deeply; found {error}")
        return USER_ERROR
    except KeyboardInterrupt:
        tell("modia3d: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        tell(f"modia3d: {error}")
        real = sys.__stdout__
        if real is not None and sys.stdout is real:
            os.dup2(os.open(os.devnull, os.O_WRONLY), real.fileno())  # what is left in the buffer goes nowhere
        return USER_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="modia3d", description="Simulate machines whose structure changes while they run.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    run = commands.add_parser("run", help="simulate a scenario", description="Simulate a scenario and print its segments.")
    run.add_argument("scenario", help="YAML file, or Modelica source (.mo)")
    run.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    run.add_argument("--html", metavar="FILE", help="write the animation as one self-contained HTML file")
    run.add_argument("--view", action="store_true", help="show the animation in a meshcat window of the browser")
    run.add_argument(
        "--listen", metavar="ADDRESS", default="127.0.0.1", help="address for --view instead of this machine only (127.0.0.1)"
    )
    run.add_argument("--output", metavar="FILE", help="write all signals to a file of numpy (.npz)")
    run.add_argument("--stop-time", type=float, metavar="S", help="end of the simulation [s] instead of the scenario's")
    run.add_argument("--tolerance", type=float, metavar="TOL", help="relative tolerance instead of the scenario's")
    run.add_argument("--log", action="store_true", help="print every step of the action program with its time and outcome")
    run.add_argument("--contacts", action="store_true", help="print every contact, and show contact forces in animations")
    run.add_argument("--save", metavar="FILE", help="write a snapshot at the end, from which --resume goes on")
    run.add_argument("--resume", metavar="FILE", help="go on from a snapshot until the stop time")
    run.add_argument("--store", metavar="FOLDER", help="write the result to a folder while the simulation runs")
    run.add_argument("--model", metavar="NAME", help="the class to simulate, where the file is Modelica source (.mo)")
    check = commands.add_parser("check", help="read and translate a scenario without simulating it")
    check.add_argument("scenario", help="YAML file")
    for command in (run, check):
        command.add_argument(
            "--permit", metavar="FOLDER", action="append", default=[], help="let the scenario read files of this folder, too"
        )
    _add_batch(commands.add_parser("batch", help="carry out a study: many simulations with other values"))
    _add_import(commands.add_parser("import", help="write a robot (URDF, MJCF) as a scenario"))
    modelica = commands.add_parser("modelica", help="say which Modelica libraries are found")
    modelica.add_argument("what", choices=["libraries"], help="libraries: where they are looked for, and which are there")
    for command in (run, modelica):
        command.add_argument(
            "--library", metavar="DIR", action="append", default=[], help="folder of Modelica libraries instead of MODELICAPATH"
        )
    return parser


def _add_batch(command: argparse.ArgumentParser) -> None:
    command.description = "Carry out the runs of a study, or look at studies that were carried out."
    command.add_argument("study", nargs="?", help="YAML file")
    command.add_argument(
        "--out", metavar="FOLDER", help="for rows, report and JUnit file (the name of the study without .yaml)"
    )
    command.add_argument("--workers", type=int, metavar="N", help="processes (as many as processors); 0: this one, unprotected")
    command.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, in place of processes of this machine")
    command.add_argument("--resume", action="store_true", help="carry out what is missing in the folder")
    command.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    command.add_argument("--watch", metavar="FOLDER", help="follow a study that runs")
    command.add_argument("--compare", metavar="FOLDER", nargs=2, help="compare two studies run by run")
    command.add_argument("--relative", type=float, metavar="TOL", default=0.0, help="by how much quantities may differ (0)")
    command.add_argument("--absolute", type=float, metavar="TOL", default=0.0, help="the same, absolutely (0)")
    command.add_argument(
        "--permit", metavar="FOLDER", action="append", default=[], help="let study and scenarios read files of this folder, too"
    )


def _add_import(command: argparse.ArgumentParser) -> None:
    command.description = "Write a robot (URDF, or MJCF with the package mujoco) as a scenario."
    command.add_argument("robot", help="URDF or MJCF file")
    command.add_argument("-o", "--output", metavar="FILE", help="YAML file instead of stdout; meshes are copied beside it")
    command.add_argument(
        "--root", metavar="NAME=FOLDER", action="append", default=[], help="folder of the package NAME in package://NAME/..."
    )
    command.add_argument(
        "--flanges",
        metavar="WHICH",
        default="none",
        help="joints with a flange: none, needed, all, or names with commas between",
    )
    command.add_argument("--floating", action="store_true", help="the root link of a URDF file moves freely")
    command.add_argument("--no-limits", action="store_true", help="leave out the limits of joints")
    command.add_argument(
        "--contacts",
        metavar="MATERIAL",
        nargs="?",
        const="Steel",
        help="keep collision geometry, with this contact material (Steel)",
    )
    command.add_argument("--show-contacts", action="store_true", help="draw collision geometry, too")
    command.add_argument("--no-visuals", action="store_true", help="leave out what is only seen")


if __name__ == "__main__":
    sys.exit(main())
