"""At the prompt: names are completed, and what was made can be looked at."""

import copy
import pickle
import re

import pytest

from modia3d import ActionLock, ActionWait, Box, Model3D, ModelActions, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import rotational


def program(actions):
    ActionWait(actions, 0.1)
    ActionLock(actions, "hinge", on_contact="impulse")


PENDULUM = Model3D(
    world=Object3D(feature=Scene()),
    body=Object3D(feature=Solid(Box(1.0, 0.1, 0.1), solid_material="Steel")),
    hinge=RevoluteWithFlange(obj1="world", obj2="body", axis="z", phi=Var(init=0.1)),
    damper=rotational.Damper | Map(d=2.0),
    wall=rotational.Fixed,
    connect=[("wall.flange", "damper.flange_a"), ("damper.flange_b", "hinge.flange")],
    actions=ModelActions(program),
)


@pytest.fixture(scope="module")
def simulated():
    simulation = instantiate(PENDULUM, "Pendulum")
    return simulation, simulation.simulate(0.2)


def test_entries_of_a_model_are_attributes_that_are_completed() -> None:
    assert PENDULUM.damper.d == PENDULUM["damper"]["d"] == 2.0
    assert {"damper", "hinge", "wall", "connect"} <= set(dir(PENDULUM))
    assert {"d", "flange_a", "w_rel"} <= set(dir(PENDULUM.damper))
    assert set(dir(dict)) <= set(dir(PENDULUM))
    with pytest.raises(AttributeError, match=r"has no entry 'hing'. Did you mean 'hinge'\?"):
        PENDULUM.hing  # noqa: B018
    assert not hasattr(PENDULUM, "_repr_png_")


def test_methods_of_a_dictionary_stay_what_they_are() -> None:
    model = Model(values=1.0, gear=2.0)
    assert dict(model.items()) == {"values": 1.0, "gear": 2.0}
    assert callable(model.values)
    assert copy.deepcopy(model) == copy.copy(model) == pickle.loads(pickle.dumps(model)) == model


def test_an_assignment_says_how_models_are_changed() -> None:
    model = Model(gear=2.0)
    with pytest.raises(ModelError, match=r"cannot be assigned; found \.gear = \.\.\.; expected \.\.\. \| Map\(gear=\.\.\.\)"):
        model.gear = 3.0
    assert (model | Map(gear=3.0)).gear == 3.0


def test_a_class_of_models_has_attributes_of_its_own() -> None:
    class Imported(Model):
        report: tuple[str, ...] = ()

    model = Imported(gear=2.0)
    model.report = ("left out",)
    assert (model.report, "report" in model) == (("left out",), False)


def test_signals_are_completed(simulated) -> None:
    _, result = simulated
    proposed = result._ipython_key_completions_()
    assert {"hinge.phi", "damper.tau", "body.r_abs"} <= set(proposed)
    assert "hinge.phi" in result.segment(2)._ipython_key_completions_()


def test_ipython_completes_keys_and_entries(simulated) -> None:
    completer = pytest.importorskip("IPython.core.completer")
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.user_ns |= {"result": simulated[1], "model": PENDULUM}

    def completed(text: str) -> set[str]:
        with completer.provisionalcompleter():
            return {found.text.strip('."]') for found in shell.Completer.completions(text, len(text))}

    assert "hinge.phi" in completed('result["hinge.p')
    assert "damper" in completed("model.dam")


def test_a_model_tells_states_joints_components_and_segments(simulated) -> None:
    simulation, _ = simulated
    text = str(simulation)
    assert "hinge.phi = 0.1" in text
    assert re.search(r"Multibody: 2 frames, 1 joints", text)
    assert re.search(r"hinge: world -> body", text)
    assert re.search(r"^ +2 +0\.1 .*ActionLock hinge", text, re.MULTILINE)
    assert "\n  last simulation:\n    <Result of Pendulum: finished at 0.2 s, 2 segments" in text
    assert "last simulation" not in str(instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])))


def test_a_result_shows_its_segments(simulated) -> None:
    _, result = simulated
    lines = str(result).splitlines()
    assert lines[0] == repr(result)
    assert [line.split()[0] for line in lines[2:]] == ["1", "2"]
    page = result._repr_html_()
    assert page.count("<tr>") == 3
    assert "<td>initialization</td>" in page


def test_names_of_strangers_stay_text_in_notebooks() -> None:
    result = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]), "<script>alert(1)</script>").simulate(0.1)
    assert "<script>" not in result._repr_html_()
