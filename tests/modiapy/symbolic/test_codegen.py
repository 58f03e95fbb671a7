"""Machine code of expressions, modes, component calls, loops over output points and SUNDIALS' wrappers."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modiapy import ModelError
from modiapy.acausal import CONTEXT_SLOTS, ComponentFunction, Mode, Slot
from modiapy.flat import Apply, Const, Expr, Name, parse
from modiapy.model.expression import FUNCTIONS, add, evaluate, mul
from modiapy.model.language import LANGUAGE
from modiapy.symbolic.codegen.model import generate
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Alias, Assignment, Block

from .sorted_models import Run, assign, call, change_parameters, component_function, linear, sorted_model, value_in, value_of

pytestmark = pytest.mark.white_box


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "codegen"))


def expressions() -> st.SearchStrategy[Expr]:
    """Random expressions of the names a, b, c."""
    numbers = st.floats(-10, 10, allow_nan=False).map(Const)
    leaves = st.one_of(numbers, st.sampled_from([Name("a"), Name("b"), Name("c")]))
    binary = st.sampled_from(["+", "-", "*", "/", "**", "<", "<=", ">", ">=", "==", "!=", "and", "or", "min", "max", "atan2"])
    unary = st.sampled_from(["neg", "not", *(name for name in FUNCTIONS if len(LANGUAGE[name].names) == 1)])

    def extend(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.one_of(
            st.builds(lambda op, a, b: Apply(op, (a, b)), binary, inner, inner),
            st.builds(lambda op, a: Apply(op, (a,)), unary, inner),
            st.builds(lambda a, b, c: Apply("if", (a, b, c)), inner, inner, inner),
        )

    return st.recursive(leaves, extend, max_leaves=12)


@settings(max_examples=60)
@given(expressions(), st.tuples(*[st.floats(-5, 5)] * 3))
def test_an_expression_has_the_value_that_python_gives_it(expr: Expr, point: tuple[float, float, float]) -> None:
    values = dict(zip("abc", point, strict=True))
    try:
        expected = evaluate(expr, values)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        assume(False)
    assume(math.isfinite(expected))
    assert value_of(expr, values) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("name", "count"), [(name, len(LANGUAGE[name].names)) for name in FUNCTIONS])
def test_every_function_agrees_with_the_mathematical_library(name: str, count: int) -> None:
    arguments = [Name("a"), Name("b")][:count]
    for a in (1.3, 1.9, 2.7) if name == "acosh" else (0.3, 0.9, -0.7):
        values = {"a": abs(a) if name in ("log", "log10", "sqrt") else a, "b": 0.4}
        assert value_of(Apply(name, tuple(arguments)), values) == LANGUAGE[name].value(*list(values.values())[:count])


def test_powers_square_roots_of_negative_numbers_and_divisions_by_zero_follow_ieee() -> None:
    values = {"a": -2.0, "z": 0.0}
    assert value_of(parse("a**3"), values) == -8.0
    assert value_of(parse("a**2"), values) == 4.0
    assert value_of(parse("a**(-1)"), values) == -0.5
    assert math.isnan(value_of(parse("sqrt(a)"), values))
    assert value_of(parse("a/z"), values) == -math.inf


def test_zeros_of_both_signs_are_not_mixed_up_by_common_subexpressions() -> None:
    blocks: list[Block] = [
        Assignment("p", Apply("atan2", (Const(0.0), Name("a")))),
        Assignment("m", Apply("atan2", (Const(-0.0), Name("a")))),
    ]
    values = Run(sorted_model(blocks, parameters={"a": -1.0})).outputs()
    assert (values["p"], values["m"]) == (math.pi, -math.pi)


def test_a_sum_of_many_terms_and_a_heavily_shared_tree_are_translated() -> None:
    long: Expr = Name("a")
    for _ in range(5000):
        long = Apply("+", (long, Name("b")))
    assert value_of(long, {"a": 1.0, "b": 0.25}) == 1251.0
    shared: Expr = Name("a")
    for _ in range(60):  # 2**60 leaves if it were a tree
        shared = Apply("+", (shared, shared))
    assert value_of(shared, {"a": 1.0}) == 2.0**60


def test_common_subexpressions_are_computed_once() -> None:
    text = "sin(a + b)*sin(a + b) + cos(sin(b + a))"
    code = generate(sorted_model([assign(f"y = {text}"), assign("w = sin(a + b)")], parameters={"a": 1.0, "b": 2.0}))
    assert code.ir.count("call double @modia_sin") == 2


def test_derivatives_states_inputs_aliases_and_time() -> None:
    model = sorted_model(
        [assign("a = -k*w + u - s"), assign("late = time*v")],
        states={"phi": "w", "w": "a", "r": "v"},
        parameters={"k": 2.0},
        inputs=["u"],
        aliases={"s": Alias("phi", -1), "v": Alias("a", -1), "half": Alias("", 1, parse("k/4"))},
    )
    run = Run(model)
    run.context.inputs[0] = 10.0
    x, out = np.array([0.25, 3.0, 0.0]), np.zeros(3)
    assert run.context.evaluate(7.0, x, out) == 0
    assert out.tolist() == [3.0, 4.25, -4.25]
    assert run.outputs(7.0, x.tolist()) == {"a": 4.25, "late": -29.75}
    read = {name: value_in(run.context, name, 7.0, x) for name in ("a", "s", "v", "half", "u", "k", "w", "time")}
    assert read == {"a": 4.25, "s": -0.25, "v": -4.25, "half": 0.5, "u": 10.0, "k": 2.0, "w": 3.0, "time": 7.0}


def test_parameters_change_without_new_code() -> None:
    run = Run(sorted_model([assign("y = p*time")], parameters={"p": 2.0, "q": 1.0}))
    other = ModelContext(run.compiled, {"p": 5.0})
    assert run.outputs(3.0)["y"] == 6.0
    change_parameters(run.context, {"p": 4.0})
    assert run.outputs(3.0)["y"] == 12.0
    assert other.parameters.tolist() == [5.0, 1.0]
    with pytest.raises(ModelError, match=r"pp: unknown parameter\. Did you mean 'p'"):
        ModelContext(run.compiled, {"pp": 1.0})


def test_only_what_derivatives_need_is_evaluated_for_derivatives() -> None:
    calls: list[str] = []

    def spy(name: str, sink: bool = False) -> ComponentFunction:
        def code(context: object, inputs: list[float], outputs: list[float]) -> int:
            calls.append(name)
            outputs[0] = inputs[0]
            return 0

        return component_function(name, 1, 1, code, sink=sink)

    blocks: list[Block] = [
        call(spy("display"), ["x"], ["shown"]),
        call(spy("force"), ["x"], ["f"]),
        call(spy("monitor"), ["x"], ["watched"]),
        call(spy("finish", sink=True), ["x"], ["done"]),
    ]
    model = sorted_model(blocks, states={"x": "f"}, components=["c"], indicators=[parse("watched - 1")], relations=[">"])
    run = Run(model)
    x, out, z = np.ones(1), np.zeros(1), np.zeros(1)
    for mode, expected in (
        (Mode.DERIVATIVES, ["force", "finish"]),
        (Mode.INDICATORS, ["force", "finish", "monitor"]),
        (Mode.OUTPUTS, ["force", "finish", "monitor", "display"]),
    ):
        calls.clear()
        assert run.context.evaluate(0.0, x, out, z, mode) == 0
        assert calls == expected
    assert run.context.evaluations == 1


def test_relations_change_at_events_only() -> None:
    model = sorted_model(
        [
            Assignment("y", parse("2 if m else 3")),
            Assignment("first", Apply("initial", ())),
            Assignment("late", Apply("after", (Const(0),))),
        ],
        indicators=[parse("x - limit"), parse("x + limit")],
        relations=[">=", "positive"],
        time_events=[parse("limit + 1")],
        states={"x": "y"},
        parameters={"limit": 0.5},
    )
    model.blocks = [Assignment("m", Apply("mode", (Const(0),))), *model.blocks]
    model.unknowns = ["m", *model.unknowns]
    run = Run(model)
    assert run.outputs(0.0, [1.0])["y"] == 3.0
    out, z = np.zeros(1), np.zeros(2)
    assert run.context.evaluate(0.0, np.array([0.5]), out, z, Mode.EVENT | Mode.INDICATORS) == 0
    assert z.tolist() == [0.0, 1.0]
    assert run.context.modes.tolist() == [1.0, 1.0]
    assert run.context.time_events.tolist() == [1.5]
    assert run.outputs(0.0, [-9.0]) == {"m": 1.0, "y": 2.0, "first": 0.0, "late": 0.0}
    run.context.after[0] = 1.0
    assert run.outputs(0.0, [-9.0], Mode.INITIAL) == {"m": 1.0, "y": 2.0, "first": 1.0, "late": 1.0}
    assert run.context.modes.tolist() == [1.0, 1.0]


def test_a_component_sees_its_part_of_the_state_vector() -> None:
    seen: dict[str, list[float]] = {}

    def code(context: list[int], inputs: list[float], outputs: list[float]) -> int:
        time = np.frombuffer(np.int64(context[Slot.TIME]).tobytes())[0]
        n = context[Slot.N_X]
        parts = [
            np.ctypeslib.as_array(ctypes.cast(context[s], ctypes.POINTER(ctypes.c_double)), (n,)) for s in (Slot.X, Slot.DER)
        ]
        if context[Slot.MODE] & Mode.INDICATORS:
            ctypes.cast(context[Slot.Z], ctypes.POINTER(ctypes.c_double))[0] = 77.0
        seen["now"] = [time, context[Slot.MODE], *parts[0]]
        parts[1][:] = -inputs[0]
        outputs[0] = 2 * inputs[1]
        return 0

    function = component_function("part", 2, 1, code, sink=True)
    model = sorted_model(
        [call(function, ["v + 1", "s"], ["f"], "b")],
        states={"s": "v", "v": "f"},
        components=["a", "b"],
        indicators=[parse("s")],
        relations=[">"],
    )
    contexts = [np.zeros(CONTEXT_SLOTS, dtype=np.int64) for _ in range(2)]
    contexts[0][Slot.N_X] = 1
    contexts[1][[Slot.N_X, Slot.X_OFFSET, Slot.Z_OFFSET]] = 2, 1, 3
    run = Run(model, contexts)
    x, out, z = np.array([3.0, 4.0, 10.0, 20.0, 30.0]), np.full(5, 9.0), np.zeros(5)
    assert run.context.evaluate(0.125, x, out, z, Mode.INDICATORS) == 0
    assert seen["now"] == [0.125, 1.0, 20.0, 30.0]
    assert out.tolist() == [4.0, 6.0, 9.0, -5.0, -5.0]
    assert z.tolist() == [3.0, 0.0, 0.0, 0.0, 77.0]


def test_a_component_function_in_numba_is_called() -> None:
    from numba import cfunc

    from modiapy.acausal import COMPONENT_SIGNATURE

    @cfunc(COMPONENT_SIGNATURE)
    def hypotenuse(context, inputs, outputs):  # type: ignore[no-untyped-def]
        outputs[0] = math.sqrt(inputs[0] ** 2 + inputs[1] ** 2)
        return 0

    function = ComponentFunction("hypotenuse", 2, 1, "test.hypotenuse", lambda: hypotenuse.address or 0)
    assert Run(
        sorted_model([call(function, ["a", "b"], ["c"])], parameters={"a": 3.0, "b": 4.0}, components=["c"])
    ).outputs() == {"c": 5.0}


def test_the_status_of_a_component_stops_the_evaluation_and_names_the_block() -> None:
    later: list[int] = []

    def fails(context: object, inputs: list[float], outputs: list[float]) -> int:
        return 7 if inputs[0] > 1 else 0

    def counts(context: object, inputs: list[float], outputs: list[float]) -> int:
        later.append(1)
        return 0

    blocks: list[Block] = [
        assign("a = 2*time"),
        call(component_function("fails", 1, 1, fails), ["a"], ["b"]),
        call(component_function("counts", 1, 0, counts, sink=True), ["a"], []),
    ]
    run = Run(sorted_model(blocks, components=["c"]))
    assert run.status(0.25) == 0
    assert len(later) == 1
    assert run.context.failed_block == -1
    assert run.status(1.0) == 7
    assert run.context.failed_block == 1


def test_all_output_points_in_one_call() -> None:
    def fails_late(context: object, inputs: list[float], outputs: list[float]) -> int:
        outputs[0] = 1.0
        return 3 if inputs[0] > 2.5 else 0

    blocks: list[Block] = [
        assign("a = x*time"),
        assign("b = sin(a)"),
        call(component_function("late", 1, 1, fails_late), ["time"], ["c"]),
    ]
    run = Run(sorted_model(blocks, states={"x": "a"}, components=["c"]))
    t = np.linspace(0.0, 2.0, 11)
    x = np.column_stack([np.cos(t), t])
    status, values = run.context.evaluate_outputs(t, x)
    assert status == 0
    np.testing.assert_array_equal(values[:, 0], x[:, 0] * t)
    np.testing.assert_allclose(values[:, 1], np.sin(values[:, 0]), rtol=1e-15)
    status, values = run.context.evaluate_outputs(2 * t, x)
    assert status == 3
    assert np.isfinite(values[:7]).all()
    assert np.isnan(values[7:]).all()
    assert run.outputs(1.0, [5.0])["a"] == 5.0


def test_wrappers_for_sundials_use_the_array_behind_a_vector() -> None:
    class Vector(ctypes.Structure):
        _fields_ = [("note", ctypes.c_int64), ("data", ctypes.c_void_p)]

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Vector))
    def get_array_pointer(vector: object) -> int:
        return vector.contents.data  # type: ignore[attr-defined]

    model = sorted_model([assign("f = -x")], states={"x": "f"}, indicators=[parse("x - time")], relations=["<"])
    run = Run(model)
    symbols = {"N_VGetArrayPointer": ctypes.cast(get_array_pointer, ctypes.c_void_p).value or 0}
    x, out, g = np.array([3.0]), np.zeros(1), np.zeros(1)
    y, ydot = Vector(0, x.ctypes.data), Vector(0, out.ctypes.data)
    signature = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, *[ctypes.c_void_p] * 3)
    rhs, root = (signature(run.compiled.address_of(name, symbols)) for name in ("rhs", "root"))
    assert rhs(1.0, ctypes.addressof(y), ctypes.addressof(ydot), run.context.address) == 0
    assert out[0] == -3.0
    assert root(1.0, ctypes.addressof(y), g.ctypes.data, run.context.address) == 0
    assert g[0] == 2.0


def test_machine_code_agrees_with_the_interpreter() -> None:
    blocks: list[Block] = [
        assign("u = a*sin(time) + noEvent(abs(x) if x < 0 else x**1.5)"),
        linear(["f", "g"], [assign("h = f - 2*g*u")], ["h + f*3 - u", "g*b - f + max(x, v)"]),
        assign("y = atan2(f, g) + h"),
    ]
    model = sorted_model(blocks, states={"x": "v", "v": "f"}, parameters={"a": 1.7, "b": 2.3})
    run = Run(model)
    rng = np.random.default_rng(3)
    for _ in range(20):
        t, x = float(rng.normal()), rng.normal(size=2).tolist()
        expected = interpret(model, t, x, model.flat.parameters)
        values = run.outputs(t, x)
        assert values == pytest.approx({name: expected[name] for name in values}, rel=1e-13, abs=1e-14)


def test_what_cannot_be_translated_is_refused_by_name() -> None:
    for expr, message in (
        (Name("missing"), "missing: no equation computes 'missing'"),
        (Apply("der", (Name("a"),)), r"'der\(a\)' has no meaning here"),
        (Apply("pre", (Name("a"),)), r"'pre\(a\)' has no meaning here"),
    ):
        with pytest.raises(ModelError, match=message):
            generate(sorted_model([Assignment("y", add(expr, mul(Name("a"), Name("a"))))], parameters={"a": 1.0}))
    function = component_function("nobody", 0, 0, lambda c, i, o: 0)
    with pytest.raises(ModelError, match=r"ghost: .* calls a component that the model does not have"):
        generate(sorted_model([call(function, [], [], "ghost")], components=["c"]))


def test_contexts_of_components_are_checked() -> None:
    function = component_function("unused", 0, 0, lambda c, i, o: 0, sink=True)
    compiled = Run(sorted_model([call(function, [], [])], components=["c"])).compiled
    with pytest.raises(ModelError, match="the number of contexts is not that of the components"):
        ModelContext(compiled, {}, [])
    with pytest.raises(ModelError, match="c: the context of the component has another type or shape"):
        ModelContext(compiled, {}, [np.zeros(CONTEXT_SLOTS)])
