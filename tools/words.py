"""Check the words of docstrings: ``python -m tools.words`` prints those that break a rule, and exits with 1 if there are any.

A docstring of a function begins with a verb in the imperative, one of `VERBS` (add a verb that is missing); that of a property
or of a constructor (a function whose name begins with a capital) may begin with a noun, as that of a class and of a module
does. None begins with a question word or a preposition, or with a riddle such as "Return what" (`RIDDLES`), and that of a
function or class has more than three words.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("modiapy", "modia3d", "tools")
_VERBS = """
accept add adjust advance align allocate allow answer append apply approach ask assemble assert assign attach average
begin bind blend bound break bring build call cancel carry change check choose classify clear clip close collect colour
combine compare compile complete compose compress compute configure connect construct continue convert copy correct
count couple cover create cut decide declare decode decompose decorate decrease define delete derive describe detach
determine differentiate direct discard distribute divide do drain draw drop eliminate embed emit enclose encode end
enlarge ensure enter enumerate equilibrate estimate evaluate exchange exclude execute exit expand explain export extend
extract factor factorise fill filter find finish fit fix flatten flip fold follow forget format free freeze gather
generate get give go grow guard halve hand handle have hide hold ignore import improve increase infer inform initialise
initialize inject insert inspect install integrate interpolate interpret intersect invert isolate iterate join keep
label lay lead leave let lift limit linearize link list listen load locate lock log look lower make map mark match
measure meet merge mirror modify move multiply name narrow negate normalise normalize note notice number observe offer
omit open order orient overwrite pack pad pair parse pass pause perform permute pick place plan plot point pop postpone
predict prepare preserve print process project propagate propose prove provide pull push put quit raise rank read
rebuild receive recompute record reduce refer refine refresh refuse register release reload remember remove rename
render reorder repeat replace report request require resample reserve reset resize resolve restart restore resume retry
return reuse reverse rewrite rotate round run sample save say scale scan schedule search see select send separate serve
set settle shift shorten show shut signal simplify simulate skip sleep slice smooth solve sort split stand start state
stop store stream strip substitute subtract sum suppress swap switch take tear tell terminate test tie toggle trace
track transfer transform translate transpose traverse trim truncate try turn undo unite unlock unpack update use
validate verify visit vote wait wake walk warn watch weigh widen wind withdraw work wrap write yield
"""
_ODD = """
what where which those of as by whose who whoever that why how whether if when while until for from in at with without
within its it this these there nothing behind between before after to on
"""
VERBS = frozenset(_VERBS.split())
ODD = frozenset(_ODD.split())
"""First words from which nobody sees what something is or does."""
RIDDLES = ("return what", "return whatever", "return whether what", "take what", "add what", "refuse what", "generate what")
"""Beginnings after which the reader still does not know the object: name it."""
LEAST = 4
"""Words of the docstring of a function or class."""


def mistakes(path: Path) -> Iterator[tuple[int, str]]:
    """Generate the line and the mistake of each docstring of a file that breaks a rule."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.get_docstring(node)
        if text and (mistake := _mistake(node, text)):
            yield node.body[0].lineno, f"{mistake}: {' '.join(text.split()[:8])}"


def _mistake(node: ast.AST, text: str) -> str:
    words = text.split()
    first = words[0].strip("`'\",.:;()").lower()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _is_noun(node):
        if first not in VERBS:
            return "a function's docstring begins with a verb in the imperative (VERBS of tools/words.py)"
    elif first in ODD:
        return "a docstring begins with a noun, not with a question word, a pronoun or a preposition"
    if " ".join(words).lower().startswith(tuple(f"{riddle} " for riddle in RIDDLES)):
        return "a docstring names what it is about instead of 'what' (RIDDLES of tools/words.py)"
    if not isinstance(node, ast.Module) and len(words) < LEAST and first != "see" and not _is_noun(node):
        return f"a docstring has at least {LEAST} words"
    return ""


def _is_noun(node: ast.AST) -> bool:
    """Return whether a function stands for a value: a property, or a constructor."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter"}) or node.name.lstrip("_")[:1].isupper()


def all_mistakes() -> list[str]:
    """Return all mistakes in the project, each with file and line."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [f"{path.relative_to(ROOT).as_posix()}:{line}: {mistake}" for path in files for line, mistake in mistakes(path)]


def main() -> int:
    """Print all mistakes; return the exit status."""
    found = all_mistakes()
    print("\n".join(found) if found else "no mistakes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
