"""Translation of large models: `python -m benchmarks.translation [--json] [--equations N ...] [--repetitions N]`.

Every row is a fresh process with an empty cache of models' machine code; small models are translated before, so that imports
and kernels that are compiled once per machine do not count. Large models run fewer times (`REPETITIONS`). Columns of ``rows``
(medians of the repetitions):
  model, n, equations  kind of model, its number of sections, and of scalar equations of the flat model
  flatten_s, sort_s    flattening; alias elimination, index reduction, state selection, sorting and tearing
  symbolic_s           the two together
  codegen_s            LLVM IR, its compilation, loading
  code_lines, code_bytes   lines of LLVM IR; bytes of the object file
  linear_bytes         bytes of LLVM IR that belong to linear systems
  linear_equations, torn   unknowns of linear systems, and how many of them are torn
  memory_mb            peak of the resident memory during the translation, less what was resident before
``inverted``: the linear system of the smallest chains solved explicitly by sympy: bytes of what `lambdify` makes, beside the
bytes of LLVM IR of our linear equation iteration.

``exponent_time`` is the largest exponent p, over the models, of a fit seconds ~ equations**p; ``exponent_code`` the exponent of
linear_bytes; ``exponent_inverted`` that of sympy's code in the number of links; ``seconds_1000`` the largest time that a model
of 1000 equations takes (interpolated).
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from . import translation_models
from .common import at_least, seconds

MODELS = ("elastic_servo_chain", "rigid_servo_chain", "rc_ladder", "resistor_ladder")
EQUATIONS = (100, 300, 1000, 3000, 10000, 20000)
INVERTED = (2, 3, 4, 5)
"""Numbers of links for which the explicit solution is generated; the next takes half a minute, the one after it minutes."""

REPETITIONS = ((3000, 3), (10000, 2), (10**9, 1))
"""Below how many equations a row is measured how often: noise matters most where it is short."""

Row = dict[str, Any]


def translate(name: str, n: int) -> Row:
    """Return one row: the model of this name with ``n`` sections, translated here and now."""
    from modiapy.flat import sort_model
    from modiapy.symbolic.codegen.model import compile_model
    from modiapy.symbolic.flattening.flatten import flatten

    make = getattr(translation_models, name)
    warm_up(name)
    stages: dict[str, Any] = {"model": make(n)}
    gc.collect()
    memory = _forget_peak_mb()

    def generate() -> None:
        stages["compiled"] = compile_model(stages["sorted"])
        stages["compiled"].model  # noqa: B018

    flatten_s = seconds(lambda: stages.update(flat=flatten(stages["model"])))
    sort_s = seconds(lambda: stages.update(sorted=sort_model(stages["flat"])))
    codegen_s = seconds(generate)
    compiled, report = stages["compiled"], stages["sorted"].report
    return {
        "model": name,
        "n": n,
        "equations": report["equations"],
        "flatten_s": flatten_s,
        "sort_s": sort_s,
        "symbolic_s": flatten_s + sort_s,
        "codegen_s": codegen_s,
        "code_lines": compiled.code.ir.count("\n"),
        "code_bytes": compiled.code_bytes,
        "linear_bytes": compiled.linear_iteration_bytes,
        "linear_equations": report["largest linear system"],
        "torn": report["unknowns of linear systems"],
        "memory_mb": _memory_mb("VmHWM") - memory,
    }


def warm_up(name: str) -> None:
    """Translate small models that load the kernels which the model of this name needs."""
    from modiapy.flat import sort_model
    from modiapy.symbolic.codegen.model import compile_model
    from modiapy.symbolic.flattening.flatten import flatten

    for n in (2, *((40, 300) if name == "resistor_ladder" else (10,))):
        compile_model(sort_model(flatten(getattr(translation_models, name)(n)))).model  # noqa: B018


def _forget_peak_mb() -> float:
    """Let the peak of the resident memory begin anew; what is resident now [MB]."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _memory_mb("VmRSS")


def _memory_mb(entry: str) -> float:
    """Return the present (``VmRSS``) or largest (``VmHWM``) resident memory of this process [MB] (Linux)."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(entry)) / 2**10


def sections(name: str, equations: int) -> int:
    """Return how many sections a model of about ``equations`` equations has."""
    from modiapy.symbolic.flattening.flatten import flatten

    make = getattr(translation_models, name)
    few, many = (len(flatten(make(k)).equations) for k in (2, 12))
    return max(1, round((equations - few) / ((many - few) / 10) + 2))


def measured(name: str, n: int, folder: Path) -> Row:
    """Return a row, in a process of its own, with the kernels that are in ``folder`` but no machine code of models."""
    shutil.rmtree(folder / "objects", ignore_errors=True)
    environment = os.environ | {"MODIA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "benchmarks.translation", "--row", name, str(n)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    row: Row = json.loads(done.stdout)
    return row


def median(rows: Sequence[Row]) -> Row:
    """Return the medians of the repetitions of a row."""
    times = ("flatten_s", "sort_s", "symbolic_s", "codegen_s", "memory_mb")
    return rows[0] | {key: statistics.median(row[key] for row in rows) for key in times}


def inverted(n: int) -> Row:
    """Return the bytes of the explicit solution of the accelerations of ``n`` links, generated by sympy, and of our
    iteration.
    """
    import sympy

    from modiapy.flat import sort_model
    from modiapy.symbolic.codegen.model import generate
    from modiapy.symbolic.flattening.flatten import flatten

    inertia, motor, ratio, torque = (sympy.symbols(f"{letter}0:{n}") for letter in ("J", "Jm", "r", "tau"))
    matrix = sympy.Matrix(n, n, lambda i, j: sum(inertia[max(i, j) :]) + (motor[i] * ratio[i] ** 2 if i == j else 0))
    solution = matrix.LUsolve(sympy.Matrix(torque))
    function = sympy.lambdify((*inertia, *motor, *ratio, *torque), list(solution))
    ours = generate(sort_model(flatten(translation_models.rigid_servo_chain(n))))
    return {"n": n, "lambdify_bytes": len(inspect.getsource(function)), "linear_bytes": ours.linear_iteration_bytes}


def exponent(x: Sequence[float], y: Sequence[float]) -> float:
    """Return p of the least squares fit y ~ x**p."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def figures(equations: Sequence[int], repetitions: int) -> dict[str, Any]:
    """Return all rows and fits."""
    models = [(name, sections(name, size)) for name in MODELS for size in equations]
    runs: list[list[Row]] = [[] for _ in models]
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repetitions):  # in turn: other load hits all alike
            for size, model, found in zip(cycle(equations), models, runs, strict=False):
                if turn < next(often for below, often in REPETITIONS if size < below):
                    found.append(measured(*model, Path(folder)))
    rows = [median(found) for found in runs]
    explicit = [inverted(n) for n in INVERTED]
    of_model = {name: [row for row in rows if row["model"] == name] for name in MODELS}
    total = {name: [row["symbolic_s"] + row["codegen_s"] for row in given] for name, given in of_model.items()}
    sizes = {name: [row["equations"] for row in given] for name, given in of_model.items()}
    linear = [name for name in MODELS if of_model[name][-1]["linear_bytes"]]
    result: dict[str, Any] = {"rows": rows, "inverted": explicit}
    if len(equations) > 1:
        result["exponent_time"] = max(exponent(sizes[name], total[name]) for name in MODELS)
        code = {name: [row["linear_bytes"] for row in of_model[name]] for name in linear}
        result["exponent_code"] = max(exponent(sizes[name], code[name]) for name in linear)
        result["seconds_1000"] = max(float(np.interp(1000.0, sizes[name], total[name])) for name in MODELS)
    result["exponent_inverted"] = exponent(INVERTED, [row["lambdify_bytes"] for row in explicit])
    return result


def show(result: dict[str, Any]) -> None:
    """Print tables."""
    for rows in (result["rows"], result["inverted"]):
        texts = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
        texts.insert(0, list(rows[0]))
        widths = [max(len(line[k]) for line in texts) for k in range(len(texts[0]))]
        for line in texts:
            print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
        print()
    for name, value in result.items():
        if isinstance(value, float):
            print(f"{name:<18} {value:.4g}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.translation", description="Translation of large models.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--equations", type=at_least(1), nargs="+", default=EQUATIONS, help="sizes of the models")
    parser.add_argument("--repetitions", type=at_least(1), default=3, help="processes per row at most")
    parser.add_argument("--row", nargs=2, metavar=("MODEL", "N"), help="one row, in this process, as JSON")
    options = parser.parse_args()
    if options.row:
        print(json.dumps(translate(options.row[0], int(options.row[1]))))
        return
    result = figures(options.equations, options.repetitions)
    if options.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
