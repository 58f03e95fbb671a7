"""Mistakes that people make in YAML by habit, and what to write instead.

Two tables: what the parser of YAML stumbles over (`explained`, by what stands at the place where it gave up), and what it takes
without a word for something else than was meant (`surprising`, `folded`, `hidden_spaces`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml


class YamlMistake(NamedTuple):
    """Mistake at a place of the text, and what to write; line and column count from 1."""

    line: int
    column: int
    message: str
    found: str = ""
    remedy: str = ""


QUOTES = 'Put the whole text in quotes: "..."'
_SPACE = "A space must follow the colon: '{0}: {1}'."
_NAME = r"[^\W\d][\w.]*"
_NO_SPACE = re.compile(rf"({_NAME}):([^\s:/\\][^:]*)$")
_KEY = re.compile(rf"[ ]*(?:- +)*{_NAME} *:(?= |$)")
_RESERVED = "@%`"
_WIDE = "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000\u200b\ufeff"
"""Characters that look like a space, or like nothing at all."""


def explained(text: str, error: yaml.MarkedYAMLError) -> YamlMistake:
    """Return an explanation of the error at which the parser gave up; the parser's own words for unknown mistakes."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return YamlMistake(1, 1, "this is not valid YAML", error.problem or "")
    lines = text.splitlines() or [""]
    row = min(mark.line, len(lines) - 1)
    column = mark.column if row == mark.line else len(lines[row])
    problem = (error.problem or "").removeprefix("found ")
    for rule in (_tab, _colon_without_space, _colon_in_text, _character, _open_bracket, _after_value, _indentation):
        if habit := rule(lines, row, column, error):
            return habit
    return YamlMistake(row + 1, column + 1, "this is not valid YAML", problem)


def _tab(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    line = lines[row]
    at = column if line[column : column + 1] == "\t" else line.find("\t")
    if at < 0 or ("token" not in f"{error.problem}{error.context}" and "tab" not in f"{error.problem}"):
        return None
    inside = "YAML is indented by spaces: replace each tab by two." if not line[:at].strip() else "Write a space in its place."
    return YamlMistake(row + 1, at + 1, "a tab stands here", "a tab", inside)


def _colon_without_space(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    """Return a line ``mass:1``, which is one word to YAML: the parser complains about the next line."""
    problem = error.problem or ""
    if "could not find expected ':'" in problem and error.context_mark is not None:
        row = min(error.context_mark.line, len(lines) - 1)
    elif "mapping values are not allowed" in problem and _first_on_line(lines[row], column):
        row -= 1
    else:
        return None
    while row > 0 and not lines[row].strip():
        row -= 1
    line = lines[row]
    start = len(line) - len(line.lstrip(" -"))
    if match := _NO_SPACE.match(line[start:].rstrip()):
        name, value = match.groups()
        return YamlMistake(
            row + 1, start + 1, "a space is missing after the colon", f"'{name}:{value}'", _SPACE.format(name, value)
        )
    if "could not find" not in problem:
        return None
    return YamlMistake(row + 1, start + 1, "this line is no 'name: value'", f"'{line.strip()[:60]}'", _unkeyed(line))


def _unkeyed(line: str) -> str:
    if "=" in line:
        return "An equation stands in the list under 'equations:', behind '- '."
    return "Write 'name: value'; if it goes on with the line above, indent it deeper than that."


def _colon_in_text(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    """Return ``a: b: c``."""
    if "mapping values are not allowed" not in (error.problem or "") or _first_on_line(lines[row], column):
        return None
    remedy = "Text with a colon and a space in it stands in quotes; a mapping in braces: {name: value}."
    return YamlMistake(row + 1, column + 1, "a second ': ' stands in this line", f"'{lines[row].strip()[:60]}'", remedy)


def _character(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    problem = error.problem or ""
    letter = lines[row][column : column + 1]
    if "cannot start any token" in problem and letter in _RESERVED:
        return YamlMistake(row + 1, column + 1, f"text cannot begin with '{letter}' here", f"'{letter}'", QUOTES)
    if "block scalar" in (error.context or "") and error.context_mark is not None:
        row, column = error.context_mark.line, error.context_mark.column
        letter = lines[row][column]
        return YamlMistake(
            row + 1, column + 1, f"text that begins with '{letter}' is a block of text to YAML", f"'{letter}'", QUOTES
        )
    if "unknown escape" in problem:
        remedy = "In double quotes write each backslash twice, or use single quotes."
        return YamlMistake(row + 1, column + 1, "a backslash in double quotes", f"'{lines[row][column : column + 2]}'", remedy)
    if "sequence entries are not allowed" in problem:
        remedy = "Begin the list on the next line, or write it in brackets: [a, b]."
        return YamlMistake(row + 1, column + 1, "a list cannot begin behind its key", "'- '", remedy)
    return None


def _open_bracket(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    """Return the brackets, braces and quotes without their end, told where they begin."""
    context, mark = error.context or "", error.context_mark
    if mark is None:
        return None
    begin = lines[min(mark.line, len(lines) - 1)][mark.column : mark.column + 1]
    if "quoted scalar" in context and "end of stream" in (error.problem or ""):
        return YamlMistake(
            mark.line + 1,
            mark.column + 1,
            "these quotes are not closed",
            "the end of the file",
            f"Write {begin} at the end, too.",
        )
    if "flow" not in context:
        return None
    end = {"{": "}", "[": "]"}.get(begin, "its end")
    if row == mark.line and column < len(lines[row].rstrip()):
        found = f"'{lines[row][column : column + 20]}'"
        remedy = "Write a comma between two entries; text with , : [ ] { } in it stands in quotes."
        return YamlMistake(row + 1, column + 1, f"',' or '{end}' is missing here", found, remedy)
    remedy = f"Close it by '{end}'; a comment must not hide it."
    return YamlMistake(mark.line + 1, mark.column + 1, f"'{begin}' is not closed", f"no '{end}' up to line {row + 1}", remedy)


def _after_value(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    """Return something behind a value that was complete: ``[a, b] = f(x)``, ``'a' = b``, ``{b: 1}}``."""
    if "did not find expected" not in (error.problem or "") and "<block end>" not in (error.problem or ""):
        return None
    before = lines[row][:column]
    if _first_on_line(lines[row], column) or not (begun := re.search(r"(?:^|[-:]) *([\[{'\"])", before)):
        return None
    found = f"'{lines[row][column:].strip()[:40]}'"
    if lines[row][column] in "]}":
        letter = lines[row][column]
        return YamlMistake(row + 1, column + 1, f"'{letter}' is one too many", found, "Leave it out, or write what it closes.")
    message = f"a value that begins with {begun[1]} has ended before this"
    remedy = f'Text that begins with {begun[1]} stands in quotes as a whole: "...".'
    return YamlMistake(row + 1, column + 1, message, found, remedy)


def _indentation(lines: list[str], row: int, column: int, error: yaml.MarkedYAMLError) -> YamlMistake | None:
    """Return a line that is indented like nothing above it, or below a value that is complete."""
    if not _first_on_line(lines[row], column):
        return None
    line = lines[row]
    own = len(line) - len(line.lstrip(" "))
    above = [k for k in range(row - 1, -1, -1) if lines[k].strip() and not lines[k].lstrip().startswith("#")]
    if not above or not line.strip():
        return None
    depths = sorted({depth for k in above for depth in _depths(lines[k]) if depth <= _limit(lines, above, own)})
    fitting = [depth for depth in depths if depth != own]
    nearest = min(fitting, key=lambda depth: (abs(depth - own), -depth), default=0)
    message = f"this line is indented by {own}, which fits no line above"
    if line.lstrip().startswith("- ") != lines[above[0]].lstrip().startswith("- ") and own in depths:
        message = "entries of a list and 'name: value' stand side by side here"
        return YamlMistake(row + 1, own + 1, message, f"'{line.strip()[:40]}'", "Write all with '- ', or all without.")
    remedy = f"Indent it by {nearest}, to stand beside '{_beside(lines, above, nearest)}'."
    return YamlMistake(row + 1, own + 1, message, f"'{line.strip()[:40]}'", remedy)


def _limit(lines: list[str], above: list[int], own: int) -> int:
    return max(own, *_depths(lines[above[0]]))


def _depths(line: str) -> list[int]:
    """Return where the entries begin that a line begins: ``  - a: 1`` begins one at 2 and one at 4."""
    match = re.match(r"( *)((?:- +)*)", line)
    assert match is not None
    return [match.end(1)] + [match.end()] * bool(match[2])


def _beside(lines: list[str], above: list[int], depth: int) -> str:
    return next((lines[k].strip()[:40] for k in above if depth in _depths(lines[k])), "")


def _first_on_line(line: str, column: int) -> bool:
    """Return whether a place is the beginning of a line, or the colon of its first key."""
    match = _KEY.match(line)
    return not line[:column].strip(" -") or (match is not None and column < match.end())


# -- what YAML takes without a word ----------------------------------------------------------------------------------------

_TRUTH = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_LEADING_ZERO = re.compile(r"[-+]?0\d+(\.\d*)?([eE][-+]?\d+)?$", re.ASCII)
_OCTAL = re.compile(r"[-+]?0o[0-7_]+$", re.ASCII)
_SEXAGESIMAL = re.compile(r"[-+]?\d+(:\d+)+(\.\d*)?$", re.ASCII)
_COMMA = re.compile(r"[-+]?\d+,\d+$", re.ASCII)
_INFINITY = re.compile(r"([-+]?)\.(inf|Inf|INF)$")


def surprising(text: str) -> tuple[str, str] | None:
    """Return the problem of unquoted text, and the remedy, if versions of YAML, or people, interpret it differently."""
    if text.lower() in _TRUTH:
        return f"'{text}' may mean a truth value or a name", f'Write {_TRUTH[text.lower()]}, or "{text}" for the name.'
    if _LEADING_ZERO.match(text):
        value = re.sub(r"^([-+]?)0+(?=\d)", r"\1", text)
        return "a number with a zero before it", f'Write {value}, or "{text}" for the text; YAML 1.1 would read it as octal.'
    if _OCTAL.match(text):
        return "a number in octal digits", f"Write {int(text.replace('_', ''), 8)}."
    if _SEXAGESIMAL.match(text):
        total = 0.0
        for part in text.lstrip("+-").split(":"):
            total = total * 60 + float(part)
        return "a number to the base 60", f'Write {"-" * text.startswith("-")}{total:g}, or "{text}" for the text.'
    if _COMMA.match(text):
        return "a number with a comma", f"Write {text.replace(',', '.')}; a list stands in brackets: [{text}]."
    if text in (".nan", ".NaN", ".NAN"):
        return "what is not a number has no place in a scenario", "Write a number."
    if (match := _INFINITY.match(text)) and text not in (".inf", "-.inf"):
        return "infinity is written otherwise", f"Write {match[1].strip('+')}.inf."
    return None


def folded(line: str, first: bool) -> tuple[str, str] | None:
    """Return the same for one line of unquoted text that goes over several lines, or begins on a line of its own."""
    line = line.strip()
    if match := _NO_SPACE.match(line):
        return "a space is missing after the colon", _SPACE.format(*match.groups())
    if not first and line.startswith("- "):
        return "this entry of a list is indented deeper than the one above", "Write its '-' under that of the other entries."
    return None


def hidden_spaces(text: str) -> YamlMistake | None:
    """Return the first character that only looks like a space, as copied from a page, where a space would have a meaning."""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.lstrip(" -" + _WIDE)
        begin = line[: len(line) - len(stripped)]
        for column, letter in enumerate(begin, 1):
            if letter in _WIDE:
                found = f"the character U+{ord(letter):04X}"
                return YamlMistake(number, column, "this is no space, though it looks like one", found, "Write plain spaces.")
    return None


def hint(found: object, expected: str) -> str:
    """Return the text to write in place of a wrong value: ``found`` is the plain value."""
    if isinstance(found, str) and expected.startswith("a list") and re.match(r"-\S", found):
        return "A space must follow the dash of an entry: '- x'."
    if isinstance(found, str) and "mapping" in expected and (match := _NO_SPACE.match(found)):
        return _SPACE.format(*match.groups())
    if isinstance(found, dict) and len(found) == 1 and expected.startswith(("a list of equations", "text", "an equation")):
        return "': ' makes a mapping of it; text with a colon and a space in it stands in quotes."
    return ""
