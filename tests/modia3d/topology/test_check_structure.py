"""A structure that was read from a file is one that edits can lead to, or it is refused by the name of what cannot be."""

import dataclasses

import pytest

from modia3d.topology.check_structure import check_structure
from modia3d.topology.states import initial_structure
from modia3d.topology.structure import JointLock, JointWeld
from modiapy.model.errors import ModelError

from .test_contract import GRAPH

START = initial_structure(GRAPH, {})
REFUSED = {
    "a weld in a deleted assembly": (
        "loose.rev1",
        {"deleted": frozenset({"loose.link0"}), "welded": (JointWeld("loose.rev1", (0.0,)),)},
        ["a joint of a deleted assembly"],
    ),
    "driven joints in a deleted assembly": (
        "driven.link0",
        {"deleted": frozenset({"driven.link0"})},
        ["driven.rev1, driven.rev2 not locked"],
    ),
    "one of them locked": (
        "driven.link0",
        {"deleted": frozenset({"driven.link0"}), "locked": (JointLock("driven.rev1", 0),)},
        ["driven.rev2 not locked"],
    ),
    "one of them at its limit": (
        "driven.link0",
        {"deleted": frozenset({"driven.link0"}), "locked": (JointLock("driven.rev1", 0), JointLock("driven.rev2", 1))},
        ["driven.rev2 not locked"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name(case):
    name, fields, words = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        check_structure(GRAPH, dataclasses.replace(START, **fields))
    assert caught.value.path == name
    for word in words:
        assert word in str(caught.value)


TAKEN = {
    "the first one": {},
    "driven joints locked before their assembly is deleted": {
        "deleted": frozenset({"driven.link0"}),
        "locked": (JointLock("driven.rev1", 0), JointLock("driven.rev2", 0)),
    },
    "a weld": {"deleted": frozenset(), "welded": (JointWeld("loose.rev1", (0.0,)),)},
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_can_be_is_taken(case):
    check_structure(GRAPH, dataclasses.replace(START, **TAKEN[case]))
