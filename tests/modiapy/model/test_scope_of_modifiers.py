"""Names in a `Map` are those of the model where it is written; a slow resolver that knows who wrote what says the same."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Par, Table1D, Var, constructor, enclosing, instantiate, redeclare
from modiapy.library import functions_in, library_names, models_in
from modiapy.library.drives import ElasticDrive
from modiapy.library.rotational import Damper, SpringDamper
from modiapy.model.scoping import levels_of
from modiapy.symbolic.flattening.evaluate import evaluate

pytestmark = pytest.mark.white_box


def values(model: Model) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(model).parameters


# -- the rule by examples -----------------------------------------------------------------------------------------------


def test_a_modifier_means_the_model_where_it_is_written() -> None:
    model = Model(c=3.0, spring=SpringDamper | Map(c=100.0, d="2*c"))
    with pytest.warns(UserWarning, match=r"spring\.d: .*'c' = 3\.0 is meant, not 'spring\.c' = 100\.0"):
        parameters = evaluate(model).parameters
    assert parameters["spring.d"] == 6.0


def test_what_is_around_the_model_where_it_is_written_comes_before_the_modified_one() -> None:
    assert values(Model(c=3.0, part=Model(spring=SpringDamper | Map(c=100.0, d="2*c"))))["part.spring.d"] == 6.0


@pytest.mark.filterwarnings("error")
def test_what_nobody_outside_has_is_that_of_the_modified_model() -> None:
    derived = SpringDamper | Map(c=100.0, d="2*c")
    assert values(derived)["d"] == 200.0
    assert evaluate(Model(spring=derived)).parameters["spring.d"] == 200.0
    nested = Model(c=7.0, s=SpringDamper) | Map(s=Map(c=100.0, d="2*c"))
    assert values(nested)["s.d"] == values(Model(x=nested))["x.s.d"] == 14.0


@pytest.mark.filterwarnings("error")
def test_what_a_model_adds_stands_in_its_own_scope() -> None:
    assert evaluate(Model(c=3.0, spring=SpringDamper | Model(c=100.0, d="2*c"))).parameters["spring.d"] == 200.0
    nested = Model(c=3.0, a=Model(c=5.0, s=SpringDamper) | Map(s=Model(c=100.0, d="2*c")))
    assert evaluate(nested).parameters["a.s.d"] == 200.0


@pytest.mark.filterwarnings("error")
def test_no_warning_where_both_meanings_have_one_value() -> None:
    assert evaluate(Model(c=3.0, spring=SpringDamper | Map(c="c", d="2*c"))).parameters["spring.d"] == 6.0


def test_initial_values_shapes_and_limits() -> None:
    part = Model(x0=1.0, n=2, top=10.0, p=Par(1.0, max=5.0), x=Var(init="x0", shape="n"), equations=["der(x) = -x"])
    changes = Map(x=Var(init="x0", shape="n"), p=Par(7.0, max="top"))
    model = Model(x0=4.0, n=3, top=8.0, part=part | changes)
    with pytest.warns(UserWarning, match="enclosing|where it is written"):
        result = instantiate(model).simulate(0.1)
    np.testing.assert_array_equal(result["part.x"][0], [4.0, 4.0, 4.0])
    with pytest.raises(ModelError, match="out of range"):
        values(Model(top=6.0, part=part | changes))


def test_bindings_use_variables_of_the_model_where_they_are_written() -> None:
    part = Model(x=Var("10"), u=Var(input=True), y=Var("u"))
    model = Model(x=Var("time"), f=Table1D([[0, 0], [1, 5]]), part=part | Map(u=Var("f(2*x)")))
    with pytest.warns(UserWarning, match=r"'x' is meant, not 'part\.x'") as warned:
        result = instantiate(model).simulate(0.5)
    assert [record.filename for record in warned] == [__file__]
    np.testing.assert_allclose(result["part.y"], 10 * result["time"], atol=1e-12)
    inner = Model(part=Model(u=Var(input=True), y=Var("u"))) | Map(part=Map(u="3*x"))
    result = instantiate(Model(x=Var("time"), two=inner)).simulate(1.0)
    np.testing.assert_allclose(result["two.part.y"], 3 * result["time"], atol=1e-12)


def test_variables_further_out_stay_hidden() -> None:
    with pytest.raises(ModelError, match="variable of the enclosing model"):
        instantiate(Model(x=Var("time"), two=Model(part=Model(u=Var("1")) | Map(u="3*x"))))


def test_nested_maps_and_redeclared_submodels() -> None:
    inner = Model(c=1.0, s=SpringDamper | Map(c=50.0))
    assert values(Model(c=3.0, a=inner | Map(s=Map(d="2*c"))))["a.s.d"] == 6.0
    assert values(Model(c=3.0, a=inner | Map(s=redeclare(Damper | Map(d="2*c")))))["a.s.d"] == 6.0
    assert values(Model(c=3.0, a=inner | Map(s=redeclare(Model(d="2*c")))))["a.s.d"] == 2.0
    waiting = Map(s=Map(d="2*c")) | Map(s=Map(c=60.0))
    assert values(Model(c=3.0, a=inner | waiting))["a.s.d"] == 6.0


def test_merged_values_mean_the_whole_model() -> None:
    model = Model(c=3.0, s=SpringDamper | Map(c=100.0, d=1.0), w=Var("time"), d=Damper, ground=Model())
    sim = instantiate(Model(c=3.0, x=Model(c=7.0, d=1.0, y=Var("d*time"))))
    with pytest.warns(UserWarning, match="where it is written"):
        result = sim.simulate(1.0, merge=Map(x=Map(d="2*c")))
    assert result["x.y"][-1] == pytest.approx(6.0)
    assert sim.simulate(1.0, merge=Map(c=4.0, x=Model(d="2*c")))["x.y"][-1] == pytest.approx(14.0)
    assert values(model)["s.d"] == 1.0


@dataclass
class Plate:
    thickness: float
    sizes: list[float] = field(default_factory=list)
    words: dict[str, float] = field(default_factory=dict)


def test_fields_of_constructors() -> None:
    plate = constructor(Plate)
    part = Model(h=1.0, plate=plate(thickness="h", sizes=["h", 2.0]))
    made = evaluate(Model(h=5.0, part=part)).objects["part.plate"]
    assert (made.thickness, made.sizes) == (1.0, [1.0, 2.0])
    with pytest.warns(UserWarning, match="where it is written"):
        changed = evaluate(Model(h=5.0, part=part | Map(plate=Map(sizes=["h", "2*h"], words={"a": "h"})))).objects["part.plate"]
    assert (changed.thickness, changed.sizes, changed.words) == (1.0, [5.0, 10.0], {"a": 5.0})


@pytest.mark.filterwarnings("error")
def test_library_models_mean_their_own_parameters() -> None:
    around = {"ratio": 7.0, "phi0": 9.0, "w0": 11.0, "c": 13.0, "k_p": 17.0}
    drive = ElasticDrive | Map(ratio=2.0, phi0=0.5, w0=0.25)
    tree = evaluate(Model(drive=drive, **around)).tree
    motor = tree.children["drive"].children["motor"].variables
    assert (motor["phi"]["init"], motor["w"]["init"]) == (1.0, 0.5)


def outside(value: Any, depth: int, path: str) -> list[str]:
    """Texts of a model whose names are looked up outside of it first."""
    if isinstance(value, str):
        return [f"{path}: {value}"] if levels_of(value) >= max(depth, 1) else []
    parts = enumerate(value) if isinstance(value, list | tuple) else value.items() if isinstance(value, dict) else ()
    return [text for k, part in parts for text in outside(part, depth + isinstance(value, Model), f"{path}.{k}")]


def test_no_library_model_depends_on_names_of_its_users() -> None:
    for name in library_names():
        models = models_in(name) or {key: make() for key, make in functions_in(name).items()}
        assert models
        assert [text for key, model in models.items() for text in outside(model, 0, f"{name}.{key}")] == []


def test_enclosing_says_it_in_a_model_and_prints_it() -> None:
    model = Model(c=3.0, s=Model(c=5.0, d=enclosing("2*c"), t=Model(c=6.0, e=enclosing("c", 2), l=[enclosing("c"), 1.0])))
    found = values(model)
    assert (found["s.d"], found["s.t.e"], found["s.t.l[0]"]) == (6.0, 3.0, 5.0)
    mapped = Model(c=3.0, s=SpringDamper | Map(c=100.0, d="2*c"))
    assert "d = enclosing('2*c')" in str(mapped)
    for original in (model, mapped):
        for again in (eval(str(original)), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
            assert values(again) == values(original)
    with pytest.raises(ModelError, match="was not given an expression"):
        enclosing("c", 0)


# -- random nestings ----------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    """A model as a tree; an expression is kept with the node in which it was written (None: outside of everything)."""

    parent: Node | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)

    def chain(self) -> list[Node]:
        return [self, *(self.parent.chain() if self.parent else [])]


class Undefined(Exception):
    pass


def lookup(node: Node, key: str, name: str, writer: Node | None) -> tuple[Node, str]:
    """The place that ``name`` means in the parameter ``key`` of a node: by the text of docs/language.md, word by word."""
    outward = node.chain()
    writer = writer or outward[-1]
    around = writer.chain()
    between = [scope for scope in reversed(outward) if scope not in around]
    head, _, rest = name.partition(".")
    for scope in (*around, *between):
        if rest and head in scope.children:
            if rest in scope.children[head].parameters:
                return scope.children[head], rest
            raise Undefined(name)
        if rest and head in scope.parameters and not (scope is node and head == key):
            raise Undefined(name)
        if not rest and head in scope.parameters and not (scope is node and head == key):
            return scope, head
    raise Undefined(name)


def slow_value(node: Node, key: str, active: tuple[tuple[Node, str], ...] = ()) -> float:
    if (node, key) in active:
        raise Undefined("cycle")
    given = node.parameters[key]
    if not isinstance(given, tuple):
        return float(given)
    text, writer = given
    names = re.findall(r"[a-z]+(?:\.[a-z]+)?", text)
    numbers = [slow_value(*lookup(node, key, name, writer), (*active, (node, key))) for name in names]
    return sum(numbers) + float(text.partition(" ")[0])


def slow_values(node: Node, prefix: str = "") -> dict[str, float]:
    found = {prefix + key: slow_value(node, key) for key in node.parameters}
    for name, child in node.children.items():
        found |= slow_values(child, f"{prefix}{name}.")
    return found


def misunderstood(node: Node, prefix: str = "") -> set[str]:
    """Paths of the expressions of which some name would have another value where it stands."""
    found = set()
    for key, text in node.parameters.items():
        for name in re.findall(r"[a-z]+(?:\.[a-z]+)?", text[0]) if isinstance(text, tuple) else []:
            try:
                other = lookup(node, key, name, node)
            except Undefined:
                continue
            if slow_value(*other) != slow_value(*lookup(node, key, name, text[1])):
                found.add(prefix + key)
    for name, child in node.children.items():
        found |= misunderstood(child, f"{prefix}{name}.")
    return found


PARAMETERS, PARTS = "abc", ("p", "q")


def texts(key: str) -> st.SearchStrategy[str]:
    """Expressions for a parameter, of those before it in the alphabet, so that there are no cycles."""
    known = [
        *(PARAMETERS[: PARAMETERS.index(key)] * 5),
        *(f"{part}.{name}" for part in PARTS for name in PARAMETERS if name < key),
    ]
    names = st.lists(st.sampled_from(known), min_size=1, max_size=2)
    return st.builds(lambda number, names: " + ".join([str(number), *names]), st.integers(1, 99), names)


@st.composite
def model_literals(draw: st.DrawFn, parent: Node | None, depth: int) -> tuple[Model, Node]:
    """``Model(...)`` with parts, and its tree."""
    node = Node(parent)
    entries: dict[str, Any] = {}
    for key in sorted(set(PARAMETERS) - draw(st.sampled_from([set("ab"), set("a"), set("b"), set(), set(), set(), set()]))):
        entries[key] = draw(texts(key)) if key > "a" and draw(st.integers(0, 5)) == 5 else draw(st.integers(1, 99))
        node.parameters[key] = (entries[key], node) if isinstance(entries[key], str) else entries[key]
    for name in draw(st.sets(st.sampled_from(PARTS), min_size=depth > 1)) if depth else ():
        entries[name], node.children[name] = draw(modified_models(node, depth - 1))
    return Model(**entries), node


@st.composite
def modified_models(draw: st.DrawFn, writer: Node | None, depth: int) -> tuple[Model, Node]:
    """A literal and what is merged into it, all written in the model ``writer``, of which it becomes a part."""
    model, node = draw(model_literals(writer, depth))
    for _ in range(draw(st.integers(1, 2))):
        target, path = node, []
        while target.children and draw(st.booleans()):
            path.append(draw(st.sampled_from(sorted(target.children))))
            target = target.children[path[-1]]
        kind = draw(st.sampled_from(("map", "map", "model", "redeclare")))
        if kind == "redeclare" and path:
            new, made = draw(modified_models(writer, 1))
            made.parent = target.parent
            assert target.parent is not None
            target.parent.children[path[-1]] = made
            change: Any = redeclare(new)
        else:
            key = draw(st.sampled_from(sorted(target.parameters.keys() - {"a"})))
            text = draw(texts(key))
            target.parameters[key] = (text, target if kind == "model" else writer)
            change = Model(**{key: text}) if kind == "model" else Map(**{key: text})
        for part in reversed(path[1:] if path else []):
            change = Map(**{part: change})
        if path:
            change = Map(**{path[0]: change})
        model = model | change
    return model, node


@settings(max_examples=150, deadline=None)
@given(modified_models(None, 2))
def test_random_nestings_mean_what_the_slow_resolver_finds(made: tuple[Model, Node]) -> None:
    model, tree = made
    try:
        expected = slow_values(tree)
    except Undefined:
        with pytest.raises(ModelError):
            values(model)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = evaluate(model).parameters
    assert found == expected
    assert {str(warning.message).partition(":")[0] for warning in caught} == misunderstood(tree)
