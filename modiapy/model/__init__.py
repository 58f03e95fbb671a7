"""Models and their merging, the expression language, errors: all that a user writes for equations.

`Model`, `Map`, `Var`, `Par` are `dict` subclasses. `a | b` merges recursively, submodels too (`redeclare` replaces),
and returns the type of `a`; `equations` and `connect` lists are appended; a `Var` merges attribute by attribute. In a
`Model` a number, bool or array is a parameter; a string is an expression of parameters (a parameter too), evaluated
in the scope of that model, then in the enclosing ones (what a `Map` brings: in the scope where that was written.
Merging makes it an `EnclosingText`, a text that counts the models between; `instance.scopes` gives the order of
lookup); `Var(...)` is a variable (attributes `init`, `start`, `input`, `output`, `potential`, `flow`, `unit`,
`description`; a first positional string or a number is a binding equation `name = expr`); `Par(value=...,
**attributes)` a parameter with attributes; a `Model` is a submodel.

Constructors. `@constructor`-made functions (`Box = constructor(BoxShape)`) take the fields of a dataclass,
positional or by keyword, and return a `Par` with the key `_constructor` (the dataclass) and the given fields. Unknown
fields are refused at once with the nearest name. During evaluation nested constructors are called depth first with
evaluated arguments. A string in a field whose annotation admits `str` is kept as it is, unless that admits an object,
too, and the string is the name of a parameter that holds one (a material); `Var(init=x)` in a field means x; in any
other field it is an expression in the scope of the surrounding model. A `Model` may carry `_constructor` too: its
parameter entries that are fields of the dataclass are the arguments, and the model stays (variables, equations).

Components. A `Model` with the key `_component`, a callable `factory(scope: ComponentScope) -> AcausalComponent`,
is a predefined acausal component. How to write one: docs/components.md. `ComponentScope` (in
`acausal/protocol.py`): `path` of that model, `objects` (what constructors returned, by path relative to it, in the
order of declaration), `parameters`. Its `acausal_part()` is merged into that model before flattening.

An operator of the language is one `Entry`: name, operands, value of numbers and of arrays, derivative and inverse
(texts such as `"cos(x)*dx"`), machine code (by name: an instruction, an intrinsic, a function of the C library, an
expression of other operators, a writer of `codegen/arrays.py`), unit, shape, what it does to events, how it is
printed. Parser, calculus, evaluation, affine analysis, units, shapes, events, machine code, algorithms ask the entry.
What remains in passes is what they are about: sums and products in linear systems, `der`, `pre`, `reinit` and clocks
where these are given their meaning.
"""
