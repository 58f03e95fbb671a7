"""A robot's file becomes a model: the functions of Python, one for all formats and one for each of two."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from modiapy.model.arguments import refuse_unknown

from .build import build_model
from .formats import FORMATS, RobotFormat, format_of, option_text
from .options import OPTIONS, RobotOptions
from .paths import Files
from .report import ImportedModel, Report

P = ParamSpec("P")
FileName = str | os.PathLike[str]
Import = Callable[[FileName, RobotOptions], ImportedModel]


def with_options(
    _: Callable[P, RobotOptions], format: RobotFormat | None = None
) -> Callable[[Import], Callable[Concatenate[FileName, P], ImportedModel]]:
    """Return the decorator of a function that takes the options as keyword arguments, each by its name.

    Args:
        _: `RobotOptions`, whose keyword arguments type checkers see.
        format: whose options these are; None: all.
    """
    names = [name for name in OPTIONS if format is None or name not in format.without]

    def decorate(function: Import) -> Callable[Concatenate[FileName, P], ImportedModel]:
        @functools.wraps(function)
        def imported(file: FileName, *args: P.args, **kwargs: P.kwargs) -> ImportedModel:
            refuse_unknown(kwargs, OPTIONS, "option", function.__name__)
            given: dict[str, Any] = {name: value for name, value in kwargs.items() if value is not None}
            return function(file, RobotOptions(*args, **given))

        parameters = inspect.signature(RobotOptions).parameters
        described = "\n".join(f"    {name}: {option_text(name)}" for name in names)
        first = inspect.Parameter("file", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="str | os.PathLike[str]")
        made: Any = imported
        made.__signature__ = inspect.Signature([first, *(parameters[name] for name in names)], return_annotation=ImportedModel)
        made.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("\n\nReturns:", f"\n{described}\n\nReturns:")
        return imported

    return decorate


@with_options(RobotOptions)
def import_robot(file: FileName, options: RobotOptions) -> ImportedModel:
    """Return a robot in a file of any known format as a `Model3D`.

    What each format becomes is told by `import_urdf` and `import_mjcf`.

    Args:
        file: its content says the format.

    Returns:
        The model; its attribute ``report`` tells what was renamed and what was left out.

    Raises:
        ModelError: the file is in no known format, the format does not have an option, or as reading it raises.
    """
    return imported_from(Path(file), format_of(Path(file)), options)


@with_options(RobotOptions, FORMATS["URDF"])
def import_urdf(file: FileName, options: RobotOptions) -> ImportedModel:
    """Return a robot in a URDF file as a `Model3D`.

    Every link becomes an `Object3D` of its name, every moving joint a joint of its name; a fixed joint becomes the pose of the
    child link in its parent. A root link ``world`` without mass is the world. Gravity acts along -z. Links that a joint joins
    directly do not collide with each other.

    Args:
        file: URDF file; xacro must have been expanded.

    Returns:
        The model; its attribute ``report`` tells what was renamed and what was left out.

    Raises:
        ModelError: with file, line and path of the element: XML that is not well-formed or has entities, what URDF does
            not allow (unknown joint type, a link with two parents, a loop, negative mass ...), what cannot be represented,
            a mesh that is missing or outside of the permitted folders.
    """
    return imported_from(Path(file), FORMATS["URDF"], options)


@with_options(RobotOptions, FORMATS["MJCF"])
def import_mjcf(file: FileName, options: RobotOptions) -> ImportedModel:
    """Return a model in an MJCF file as a `Model3D`; needs the package mujoco.

    Every body becomes an `Object3D` of its name, every joint a joint of its name; several joints of one body are a chain with
    massless frames between them. A free joint is the free motion of its body. Coordinates are zero where MuJoCo's are
    ``qpos0`` (attribute ``ref``). The equality constraint ``connect`` becomes a spherical joint that is cut, ``weld`` a fixed
    one; ``joint``, if it is linear, an ideal gear, if both joints have flanges. Gravity is that of the file.

    Geoms collide as ``contype``, ``conaffinity``, ``exclude`` and ``pair`` say. Friction, ``condim``, ``solref`` and the like
    are left out. What collides in the groups 3 to 5, which MuJoCo's viewer hides, is no visual then.

    Args:
        file: MJCF file; it and what it includes may name files in its own folder and in ``roots`` only.

    Returns:
        The model; its attribute ``report`` tells what was renamed and what was left out.

    Raises:
        ModelError: with file and element: what MuJoCo refuses, what cannot be represented, a file that is missing or
            outside of the permitted folders.
    """
    return imported_from(Path(file), FORMATS["MJCF"], options)


def imported_from(file: Path, format: RobotFormat, options: RobotOptions) -> ImportedModel:
    """Return the robot in a file of a format as a model."""
    format.check(options)
    report = Report()
    files = Files(file, options.roots, None if options.copy_meshes is None else Path(options.copy_meshes))
    return build_model(format.read(file, files, options, report), options, report)
