"""Algorithm sections of models: the compiler's next stage takes few of them, for instance none that reads what it has assigned.

To it they are equations that say nothing: each statement becomes an ``assert`` whose condition mentions what the statement
consists of, with its place in the section as the message (``2of3.if1.1of1.set``). ``for`` and ``when`` stay what they
are: the compiler repeats the first, and gives the values of the indices. In the flat trees they become statements again
(`veiled_statements`).

Only models that the compiler refuses otherwise are given to it like this.
"""

from __future__ import annotations

import re
import zlib

from .statements import Branch, Statement, Unparsed, names_assigned, statements_at
from .texts import blanked, functions, substituted
from .veiled_statements import MARK

_SECTION = re.compile(r"\b(initial\s+)?algorithm\b")


def rewrite(text: str) -> str:
    """Return a file whose models have no algorithm sections; those with statements that are not known here stay."""
    if "algorithm" not in text:
        return text
    plain = blanked(text)
    bodies = [(place, place + len(body)) for body, place in functions(plain)]
    changes: list[tuple[int, int, str]] = []
    for found in _SECTION.finditer(plain):
        if any(begin <= found.start() < end for begin, end in bodies):
            continue
        try:
            statements, _ = statements_at(plain, found.end())
            section = _Section(text, plain, f"{MARK}{zlib.crc32(text.encode(errors='replace')):x}_{found.start()}")
            section.block(statements, "", ())
        except Unparsed:
            continue
        kind = "initial equation" if found[1] else "equation"
        changes.append((*found.span(), f"protected Boolean {section.name}; {kind}" + "\n" * found[0].count("\n")))
        changes += section.changes
    return substituted(text, changes)


class _Section:
    """The changes of one section.

    Attributes:
        name: of a variable that every statement mentions: it says of which instance a statement is.
    """

    def __init__(self, text: str, plain: str, name: str) -> None:
        self.text, self.plain, self.name = text, plain, name
        self.changes: list[tuple[int, int, str]] = []
        self.in_when: set[str] = set()

    def block(self, statements: list[Statement], path: str, indices: tuple[str, ...]) -> None:
        """Rewrite statements that stand one after the other; ``path`` ends with a dot."""
        for k, statement in enumerate(statements, 1):
            number = f"{k}of{len(statements)}"
            method = {"if": self._if, "for": self._for, "when": self._when}.get(statement.kind)
            if method:
                method(statement, f"{path}{number}", indices)
            else:
                new = self._simple(statement, f"{path}{number}", indices)
                missing = self.text.count("\n", *statement.span) - new.count("\n")
                self.changes.append((*statement.span, new + "\n" * missing))

    def veiled(self, content: str, place: str, indices: tuple[str, ...]) -> str:
        """Return an expression that has no effect and names everything in ``content``, a list."""
        known = "".join(f"+size({{{index}}},1)" for index in indices)
        return f'assert(size({{{content}}},1)==size({{{self.name}}},1){known}, "{MARK}{place}");'

    def _part(self, span: tuple[int, int]) -> str:
        return self.text[span[0] : span[1]]

    def _simple(self, statement: Statement, path: str, indices: tuple[str, ...]) -> str:
        parts = [self._part(span) for span in statement.parts]
        if statement.kind == "break":
            return self.veiled("true", f"{path}.break", indices)
        if statement.kind == "set":
            return self.veiled(f"{parts[0]}, {parts[1]}", f"{path}.set", indices)
        if statement.kind == "results":
            outputs = "".join(
                self.veiled(f"{part}, {part}", f"{path}.result{k}", indices)
                for k, part in enumerate(parts[:-1])
                if part.strip()
            )
            return outputs + self.veiled(f"{parts[-1]}, {parts[-1]}", f"{path}.call{len(parts) - 1}", indices)
        name, *arguments = parts
        if name.strip() == "reinit" and len(arguments) == 2:
            return self.veiled(", ".join(arguments), f"{path}.reinit", indices)
        if name.strip() == "assert" and len(arguments) in (2, 3):
            kind = "warning" if len(arguments) == 3 and "warning" in arguments[2] else "assert"
            return self.veiled(arguments[0], f"{path}.{kind}", indices) + self.veiled(arguments[1], f"{path}.message", indices)
        if name.strip() in ("reinit", "assert", "terminate"):
            raise Unparsed(name)
        return self.veiled("true", f"{path}.nothing", indices)  # a call without results changes nothing of the model

    def _if(self, statement: Statement, path: str, indices: tuple[str, ...]) -> None:
        for number, branch in enumerate(statement.branches, 1):
            place = f"{path}.if{number}"
            if branch.head == branch.opened:
                self.changes.append((*branch.head, self.veiled("true", f"{place}.else", indices)))
            else:
                whole = branch.head[0], branch.opened[1]
                new = self.veiled(self._part(branch.condition), f"{place}.condition", indices)
                self.changes.append((*whole, new + "\n" * (self.text.count("\n", *whole) - new.count("\n"))))
            self.block(branch.body, f"{place}.", indices)
        self.changes.append((*statement.last, "\n" * self.plain.count("\n", *statement.last)))

    def _for(self, statement: Statement, path: str, indices: tuple[str, ...]) -> None:
        branch = statement.branches[0]
        own = tuple(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)\s+in\b", self._part(branch.condition)))
        place = f"{path}.for{len(own)}"
        if not own:
            raise Unparsed("for")
        self.changes.append((branch.head[0], branch.head[0], self.veiled("true", f"{path}.for.ahead", indices)))
        self._begin(branch, f"{place}.begin", indices + own)
        self.block(branch.body, f"{place}.", indices + own)

    def _when(self, statement: Statement, path: str, indices: tuple[str, ...]) -> None:
        """Rewrite a when statement; ``pre`` of an assigned variable tells the compiler that it is discrete."""
        if "." in path:
            raise Unparsed("when")
        names = dict.fromkeys(name for name in names_assigned(self.plain, [statement]) if re.fullmatch(r"[\w.]+", name))
        kept = "".join(f" {name}=pre({name});" for name in names if name not in self.in_when)
        self.in_when |= set(names)
        for number, branch in enumerate(statement.branches, 1):
            self._begin(branch, f"{path}.when{number}.begin", indices, kept)
            self.block(branch.body, f"{path}.when{number}.", indices)

    def _begin(self, branch: Branch, place: str, indices: tuple[str, ...], more: str = "") -> None:
        end = branch.opened[1]
        self.changes.append((end, end, f" {self.veiled('true', place, indices)}{more}"))
