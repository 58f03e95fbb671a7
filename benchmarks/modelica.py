"""Examples of the Modelica Standard Library beside their published results.

``python -m benchmarks.modelica --library DIR --references DIR [--only PATTERN] [--index FILE] [--jobs N] [--rumoca] [--json]``

Each example runs in a process of its own with limits of time and memory. With an index, rows are kept in a file (JSON
lines), and examples that have one there are not run again; ``--again`` runs those once more that did not agree.
  rows      one for each example that has a published result:
    example           its name
    flattened, translated, simulated   how far it came
    agrees            whether all compared signals are as published, or a demonstration shows that they are not to be; null
                      without numbers to compare with
    demonstrated      what a second simulation with a tighter tolerance, or a demonstration (`modelica_demonstrations`), showed;
                      only where the first one differs by more than 2e-3 of the range
    worst             the largest difference, in parts of the signal's range; worst_signal says of which
    signals           how many were compared
    rumoca_s, translate_s, simulate_s   wall-clock times [s]; flattening is quick where the answer is in the cache
    error             what was said, where it did not come to its end
    tolerance         of the simulation
    with --rumoca, of rumoca's own simulator, which gets the same time span, points, and tolerance (relative and absolute):
    rumoca_agrees     whether all compared signals are as published, by the same comparison; rumoca_worst, rumoca_worst_signal
    rumoca_error      what was said, or what its result lacks, where it cannot be compared
    rumoca_compile_s  its translation from the sources as they are, without any cache [s]
    rumoca_simulate_s, rumoca_simulate_least_s, simulate_least_s   simulate_s of both is the first call of simulate after the
                      translation, with all that is done at a first call; the least is the smallest of it and up to five
                      calls more of the same model
    rumoca_setup_s    the same least time for a millionth of the time span: rumoca translates for its solver in simulate at each
                      call and does not tell this time; it has the initial values, too, which simulate_s has
  totals    by package: examples, flattened, translated, simulated, agrees, demonstrated (of these), unpublished;
            with --rumoca: rumoca_simulated, rumoca_agrees, both_agree, and of these faster, by the least times,
            and integrates_faster, where ours is smaller than its without rumoca_setup_s, too
How signals are compared stands in `modelica_references`.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .common import at_least
from .modelica_references import examples
from .modelica_rumoca import rumoca_fields

Row = dict[str, Any]
_STAGES = ("flattened", "translated", "simulated")
_ORDER = ("flattened", "translated", "simulated", "compared", "done")


def run_example(example: str, arguments: argparse.Namespace) -> Row:
    """Return the row of an example, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.modelica_example", example, arguments.references, str(arguments.memory)]
    try:
        done = subprocess.run(
            [*command, str(int(arguments.rumoca)), *arguments.library],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=arguments.seconds,
            check=False,
        )
        lines = done.stdout.strip().splitlines()
        row: Row = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {"example": example, "stage": "flattened"}
        if "error" not in row and row["stage"] != "done":
            row["error"] = f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    except subprocess.TimeoutExpired:
        row = {"example": example, "stage": "flattened", "error": f"took more than {arguments.seconds:g} s", "late": True}
    reached = _ORDER.index(row.pop("stage"))
    row |= {name: reached > k for k, name in enumerate(_STAGES)}
    row = {"agrees": None, "worst": None, "signals": 0, **row}
    return row | _by_rumoca(row, arguments) if arguments.rumoca else row


def _by_rumoca(row: Row, arguments: argparse.Namespace) -> Row:
    command = [sys.executable, "-m", "benchmarks.modelica_rumoca", row["example"], arguments.references, str(arguments.memory)]
    return rumoca_fields([*command, str(row.get("tolerance", 1e-6)), *arguments.library], arguments.seconds)


def totals_of(rows: Iterable[Row]) -> list[Row]:
    """Return the sums by package (the first two names, three of Mechanics and Electrical)."""
    found: dict[str, Row] = {}
    for row in rows:
        parts = row["example"].split(".")
        package = ".".join(parts[: 3 if parts[1] in ("Mechanics", "Electrical", "Thermal", "Magnetic") else 2])
        for name in (package, "all"):
            total = found.setdefault(
                name, {"package": name, "examples": 0, **dict.fromkeys((*_STAGES, "agrees", "demonstrated", "unpublished"), 0)}
            )
            total["examples"] += 1
            for stage in (*_STAGES, "agrees"):
                total[stage] += bool(row[stage])
            if "rumoca_agrees" in row:
                for name, counts in _beside_rumoca(row).items():
                    total[name] = total.get(name, 0) + counts
            total["demonstrated"] += bool(row.get("demonstrated"))
            total["unpublished"] += row["simulated"] and row["agrees"] is None and "error" not in row
    return sorted(found.values(), key=lambda total: (total["package"] == "all", total["package"]))


def _beside_rumoca(row: Row) -> dict[str, bool]:
    both = bool(row["agrees"] and row["rumoca_agrees"])
    timed = both and "simulate_least_s" in row and "rumoca_setup_s" in row
    return {
        "rumoca_simulated": row["rumoca_simulate_s"] is not None,
        "rumoca_agrees": bool(row["rumoca_agrees"]),
        "both_agree": both,
        "faster": timed and row["simulate_least_s"] < row["rumoca_simulate_least_s"],
        "integrates_faster": timed and row["simulate_least_s"] < row["rumoca_simulate_least_s"] - row["rumoca_setup_s"],
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--library", action="append", required=True, help="folder of Modelica libraries")
    parser.add_argument("--references", required=True, help="folder of published results")
    parser.add_argument("--only", default="*", help="names of examples, with * and ?; several by commas")
    parser.add_argument("--index", type=Path, help="file in which rows are kept")
    parser.add_argument("--again", action="store_true", help="run those again that did not agree")
    parser.add_argument("--seconds", type=float, default=300.0, help="an example may take [s]")
    parser.add_argument("--memory", type=at_least(0), default=8000, help="an example may use [MB]; 0: as it likes")
    parser.add_argument("--jobs", type=at_least(1), default=1, help="examples at once")
    parser.add_argument("--rumoca", action="store_true", help="simulate each by rumoca's own simulator, too")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _known(index: Path | None) -> dict[str, Row]:
    if index is None or not index.is_file():
        return {}
    rows = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["example"]: row for row in rows}


def main() -> None:
    """Run examples and print their rows."""
    arguments = _arguments()
    patterns = arguments.only.split(",")
    names = [name for name in examples(Path(arguments.references)) if any(fnmatch.fnmatch(name, p) for p in patterns)]
    known = _known(arguments.index)

    def is_missing(name: str) -> bool:
        row = known.get(name)
        return row is None or (arguments.again and not row["agrees"]) or (arguments.rumoca and "rumoca_agrees" not in row)

    todo = [name for name in names if is_missing(name)]

    def run(name: str) -> Row:
        row = run_example(name, arguments)
        if arguments.index is not None:
            with arguments.index.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        if not arguments.json:
            print(line_of(row), flush=True)
        return row

    with ThreadPoolExecutor(arguments.jobs) as pool:
        known |= {row["example"]: row for row in pool.map(run, todo)}
    rows = [known[name] for name in names]
    if arguments.json:
        print(json.dumps({"rows": rows, "totals": totals_of(rows)}))
        return
    for total in totals_of(rows):
        print("  ".join(f"{key} {value}" for key, value in total.items()))


def line_of(row: Row) -> str:
    """Return a row for people."""
    stage = next((f"not {name}" for name in _STAGES if not row[name]), "no reference" if row["agrees"] is None else "")
    said = stage or ("agrees" if row["agrees"] else "differs")
    worst = "" if row["worst"] is None else f" {row['worst']:.1e} {row['worst_signal']}"
    worst += f" ({row['demonstrated']})" if row.get("demonstrated") else ""
    worst += _rumoca_of(row) if "rumoca_agrees" in row else ""
    return f"{row['example']}: {said}{worst} {str(row.get('error', '')).splitlines()[0][:300] if row.get('error') else ''}"


def _rumoca_of(row: Row) -> str:
    if "rumoca_setup_s" not in row:
        return f" (rumoca: {(row['rumoca_error'].splitlines() or [''])[0][:120]})"
    said = "agrees" if row["rumoca_agrees"] else f"differs {row['rumoca_worst']:.1e}"
    times = f"{row['rumoca_simulate_least_s']:g} s, of this setup {row['rumoca_setup_s']:g} s"
    return f" {row.get('simulate_least_s', float('nan')):g} s (rumoca: {said}, {times})"


if __name__ == "__main__":
    main()
