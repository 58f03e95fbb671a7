"""Evaluation: parameters get their values, constructors are called, predefined acausal components are built.

What a component's `acausal_part` brings is merged into the model that the component stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...acausal.component_methods import abstract_refusal, check_component
from ...acausal.protocol import AcausalComponent, ComponentScope
from ...model.errors import ModelError, nearest, nesting_limited
from ...model.limits import copies_counted
from ...model.model import DefaultInit, Map, Model, merge
from ..terms.names import join
from .buses import expand_buses
from .connections import connected_paths
from .instance import Instance, element, instantiate_tree, make_children, scalars
from .parameters import Evaluator, is_call


@dataclass
class EvaluatedModel:
    """A model whose parameters are evaluated and whose objects and components are made.

    Attributes:
        name: of the model.
        tree: its tree of instances, acausal parts of components included.
        parameters: numbers by full path; elements of arrays as ``a.b[0]`` and ``a.b[0,1]``.
        objects: what constructors returned, by full path, in the order of declaration.
        components: predefined acausal components by path ("" at the top level).
    """

    name: str
    tree: Instance
    parameters: dict[str, float]
    objects: dict[str, Any]
    components: dict[str, AcausalComponent]


def evaluate(model: Model, name: str = "Model") -> EvaluatedModel:
    """Evaluate all parameters of a model, call its constructors and build its predefined acausal components.

    Raises:
        ModelError: an unknown name, a cycle of parameters, an expression without a value, fields that a constructor refuses;
            always with the full path.
    """
    evaluator = Evaluator()
    with copies_counted():
        with nesting_limited():
            tree = instantiate_tree(model)
            evaluator.evaluate(tree)
        _build_components(tree, evaluator)
    expand_buses(tree)
    components = {i.path: i.component for i in tree.walk() if i.component is not None}
    return EvaluatedModel(name, tree, dict(_parameters(tree)), dict(_objects(tree)), components)


def _parameters(tree: Instance) -> Iterator[tuple[str, float]]:
    for instance in tree.walk():
        for key, value in instance.values.items():
            for index, number in scalars(value):
                yield join(instance.path, key) + index, number


def _starts(tree: Instance, *attributes: str) -> Iterator[tuple[str, Any]]:
    """Generate the path and value of each variable with one of these attributes; the first one of them counts."""
    for instance in tree.walk():
        for key, variable in instance.variables.items():
            value = next((found for name in attributes if (found := variable.get(name)) is not None), None)
            if value is not None:
                yield join(instance.path, key), value


def _objects(instance: Instance, *, inside: bool = False) -> Iterator[tuple[str, Any]]:
    """Generate the objects below an instance; those that belong to another component only if that is not asked for
    ``inside``.
    """
    if instance.made is not None:
        yield instance.path, instance.made
    for key, entry in instance.model.items():
        if key in instance.children:
            if not (inside and "_component" in entry):
                yield from _objects(instance.children[key], inside=inside)
        elif is_call(entry):
            yield join(instance.path, key), instance.values[key]
        elif isinstance(entry, list | tuple):
            for i, item in enumerate(entry):
                if is_call(item):
                    yield f"{join(instance.path, key)}[{i}]", instance.values[key][i]


def parameter_at(tree: Instance, path: str) -> Any:
    """Return the value of the parameter with this full path; a `Map` of all parameters if it leads to a submodel.

    Raises:
        ModelError: there is no such parameter.
    """
    *parents, key = path.split(".")
    here: Instance | None = tree
    for part in parents:
        here = here.children.get(part) if here is not None else None
    name, bracket, index = key.partition("[")
    if here is not None and name in here.values:
        return element(here.values[name], bracket + index, path)
    if here is not None and key in here.children:
        return evaluated_parameters(here.children[key])
    raise ModelError("there is no such parameter", path=path, remedy=nearest(path, dict(_parameters(tree))))


def evaluated_parameters(instance: Instance) -> Map:
    """Return the values of all parameters of an instance and of its submodels, those without parameters left out."""
    below = {key: evaluated_parameters(child) for key, child in instance.children.items()}
    return Map(**instance.values, **{key: child for key, child in below.items() if child})


# -- components ---------------------------------------------------------------------------------------------------------


def _build_components(instance: Instance, evaluator: Evaluator) -> None:
    """Build the components of a tree, inner ones first, and merge their acausal parts."""
    for child in instance.children.values():
        _build_components(child, evaluator)
    factory = instance.model.get("_component")
    if factory is None:
        return
    start = len(instance.path) + 1 if instance.path else 0
    scope = ComponentScope(
        path=instance.path,
        objects={path[start:]: made for path, made in _objects(instance, inside=True)},
        parameters={path[start:]: value for path, value in _parameters(instance)},
        starts={path[start:]: value for path, value in _starts(instance, "init", "start")},
        connections=connected_paths(instance),
        fixed=frozenset(path[start:] for path, value in _starts(instance, "init") if not isinstance(value, DefaultInit)),
    )
    instance.component = _component(factory, scope)
    for name in instance.component.reserved_names:
        if name in instance.model:
            raise ModelError(
                "the name is taken by a result of the component", path=join(instance.path, name), expected="another name"
            )
    part = instance.component.acausal_part()
    if part is not None and not isinstance(part, Mapping):
        raise ModelError(
            "acausal_part of the component does not return a Model", path=instance.path, found=repr(part), expected="a Model"
        )
    if part is not None:
        _inject(instance, part)
        evaluator.evaluate(instance)


def _component(factory: Callable[[ComponentScope], Any], scope: ComponentScope) -> AcausalComponent:
    try:
        made = factory(scope)
    except TypeError as error:
        if (refusal := abstract_refusal(error, scope.path)) is not None:
            raise refusal from None
        raise
    return check_component(made, scope.path)


def _inject(instance: Instance, part: Mapping[str, Any]) -> None:
    """Merge an acausal part into an instance.

    Unlike ``|``, submodels on both sides are merged; a key may be a dotted path, whose submodels are made where they are
    missing; variables below an object turn its entry into a submodel that still stands for the object.
    """
    own: dict[str, Any] = {}
    below: dict[str, Model] = {}
    for key, entry in part.items():
        head, _, rest = key.partition(".")
        if rest:
            below[head] = below.get(head, Model()) | Model({rest: entry})
        elif isinstance(entry, Model | Map) and (head in instance.children or is_call(instance.model.get(head))):
            below[head] = below.get(head, Model()) | Model(entry)
        else:
            own[key] = entry
    missing = Model({head: Model() for head in below if head not in instance.children and head not in own})
    instance.model = merge(instance.model, Model(own) | missing, instance.path)
    make_children(instance)
    for head, entries in below.items():
        child = instance.children[head]
        if head in instance.values:
            child.made = instance.values.pop(head)
        _inject(child, entries)
