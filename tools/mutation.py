"""Faults planted by cosmic-ray: how many of them do the tests of a folder notice?

    python -m tools.mutation modia3d/topology --sample 60 --seed 1
    python -m tools.mutation modiapy/symbolic/structure/alias.py modiapy/symbolic/structure/sorting.py

Works in a clone of HEAD and with a cache of its own, so that neither the working tree nor the user's machine code sees a fault.
Needs ``cosmic-ray`` (extra ``dev``). Run by hand: CI does not, a sample of 60 takes about ten minutes.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

TESTS = {
    "modia3d/topology": """modia3d/topology modia3d/engine/test_structure_changes.py modia3d/engine/test_initial_pose.py
        modia3d/engine/test_initial_pose_trees.py modia3d/engine modia3d/sensors physics""",
    "modia3d/actions": "modia3d/actions modia3d/files modia3d/engine scenarios physics",
    "modia3d/engine": "modia3d/engine modia3d/actions modia3d/sensors modia3d/forces physics modia3d/reference",
    "modia3d/batch": "modia3d/batch modia3d/cli scenarios",
    "modia3d/collision": "modia3d/collision modia3d/constraints modia3d/sensors physics",
    "modia3d/files": "modia3d/files modia3d/cli scenarios",
    "modia3d/gym": "modia3d/gym",
    "modia3d/viewer": "modia3d/viewer modia3d/cli",
    "modiapy/modelica": "modelica",
    "modiapy/symbolic": """modiapy/symbolic modiapy/diagnosis modiapy/dae modiapy/initialization modiapy/nonlinear
        modiapy/events modiapy/arrays modiapy/functions modiapy/flat modiapy/simulation modiapy/model modiapy/library
        modiapy/reference""",
    "modiapy/simulation": """modiapy/simulation modiapy/events modiapy/initialization modiapy/dae modiapy/library
        modia3d/engine""",
}
"""The tests of a folder, those first that notice most in the shortest time."""


def tests_of(target: str) -> list[str]:
    """Return the tests to run for a file or folder: those of the longest entry of ``TESTS`` that it lies in, else all."""
    for folder in sorted(TESTS, key=len, reverse=True):
        if target == folder or target.startswith(f"{folder}/"):
            return [f"tests/{name}" for name in TESTS[folder].split()]
    return ["tests"]


def places_without_effect(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the stretches (begin, end) of a source in which a fault changes nothing that runs: annotations and type-only
    imports.
    """
    found = []

    def stretch(node: ast.AST | None) -> None:
        if node is not None:
            found.append(((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)))  # type: ignore[attr-defined]

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            stretch(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            stretch(node.returns)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            stretch(node)
    return found


def has_effect(mutation: Any, root: Path) -> bool:
    text = (root / mutation.module_path).read_text(encoding="utf-8")
    return not any(a <= tuple(mutation.start_pos) and tuple(mutation.end_pos) <= b for a, b in places_without_effect(text))


def python_files(target: Path) -> Iterator[Path]:
    yield from [target] if target.is_file() else sorted(target.rglob("*.py"))


def configuration(targets: list[str], tests: list[str], timeout: float) -> str:
    """Return cosmic-ray's configuration: where faults are planted, what must notice them."""
    command = f"{sys.executable} -m pytest -q -x -p no:cacheprovider {' '.join(tests)}"
    return (
        f"[cosmic-ray]\nmodule-path = {targets!r}\ntimeout = {timeout}\nexcluded-modules = []\ntest-command = {command!r}\n"
        '[cosmic-ray.distributor]\nname = "local"\n'
    )


def draw(session: Path, root: Path, sample: int, seed: int) -> int:
    """Keep a random sample of a session's faults; returns how many there were."""
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(session), WorkDB.Mode.open) as db:
        items = [item for item in db.work_items if all(has_effect(m, root) for m in item.mutations)]
        items.sort(key=lambda item: str([(m.module_path, m.operator_name, m.occurrence) for m in item.mutations]))
        kept = random.Random(seed).sample(items, min(sample, len(items)))
        db.clear()
        db.add_work_items(kept)
    return len(items)


def report(session: Path, possible: int) -> float:
    """Print each fault that no test noticed; returns the share of those noticed."""
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(session), WorkDB.Mode.open) as db:
        results = list(db.completed_work_items)
    survived = [(item, result) for item, result in results if not result.is_killed]
    for item, result in survived:
        mutation = item.mutations[0]
        print(f"\n{mutation.module_path}:{mutation.start_pos[0]} {mutation.operator_name.removeprefix('core/')}")
        changed = [line for line in (result.diff or "").splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        print("\n".join(changed))
    share = 1.0 - len(survived) / max(len(results), 1)
    print(f"\n{len(results) - len(survived)} of {len(results)} faults were noticed ({share:.0%}); {possible} are possible")
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", metavar="PATH", help="files or folders, from the project's root")
    parser.add_argument("--sample", type=int, default=60, help="how many faults (default 60)")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="the tests that must notice (default: those of the folder)")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for the tests of one fault")
    arguments = parser.parse_args()
    targets = [str(Path(target)) for target in arguments.targets]
    tests = arguments.tests or list(dict.fromkeys(test for target in targets for test in tests_of(target)))
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        clone, session, config = Path(folder) / "clone", Path(folder) / "session.sqlite", Path(folder) / "config.toml"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        os.environ["MODIA_CACHE_DIR"] = str(Path(folder) / "cache")
        os.environ["CI"] = "true"  # the same examples of hypothesis for every fault
        files = [str(file.relative_to(clone)) for target in targets for file in python_files(clone / target)]
        config.write_text(configuration(files, tests, arguments.timeout))
        for command in ("init", "baseline"):
            rest = [str(session)] if command == "init" else []
            subprocess.run(["cosmic-ray", command, str(config), *rest], check=True, cwd=clone)
        possible = draw(session, clone, arguments.sample, arguments.seed)
        subprocess.run(["cosmic-ray", "exec", str(config), str(session)], check=True, cwd=clone)
        report(session, possible)


if __name__ == "__main__":
    main()
