"""LLVM IR of a sorted model: one function for derivatives, event indicators and outputs, see `symbolic/codegen`.

The blocks stand in groups, each in their order, see `groups.Group`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ...acausal.protocol import CallEquation, ComponentFunction, Mode, Slot
from ...model.errors import ModelError
from ...model.expression import CONSTANTS, Apply, Const, Expr, is_array_operator
from ..sorted.parts import Assignment, Call, LinearBlock, NonlinearBlock, defined_by
from ..sorted.sorted_model import SortedModel
from .arrays import ArrayWriter
from .compiled_model import CompiledModel
from .context import MODES, ContextSlot, event_sizes
from .expressions import Emitter, double
from .generated_code import GeneratedCode
from .groups import Group, calls_of, group_blocks, impulse_blocks, late_indicators, resolved
from .linear import write_linear_block
from .nonlinear import write_nonlinear_block
from .object_cache import object_file
from .residual import write_derivatives
from .systems import has_residuals, integrator_blocks, lay_out_systems, systems_of_arrays, systems_of_scalars

_SIGNATURE = "double %time, ptr %x, ptr %out, ptr %z, i64 %mode, ptr %ctx"
_UNLIKELY = "!prof !0"


def compile_model(sorted_model: SortedModel) -> CompiledModel:
    """Translate a sorted model to machine code, or find that code on disk.

    Raises:
        ModelError: an expression refers to something that no block computes, or uses an operator without meaning there.
    """
    start = time.perf_counter()
    code = generate(sorted_model)
    ir_seconds = time.perf_counter() - start
    problem = sorted_model.initialization
    initial = None if problem is None else compile_model(problem.sorted)
    return CompiledModel(sorted_model, code, object_file(code.ir), ir_seconds, initial)


def generate(sorted_model: SortedModel) -> GeneratedCode:
    """Return the LLVM IR of a sorted model. Raises ModelError as `compile_model`."""
    return _ModelWriter(sorted_model).write()


class _ModelWriter:
    def __init__(self, model: SortedModel) -> None:
        self.model = model
        self.emitter = Emitter(self._load, self._read)
        self.functions: dict[str, ComponentFunction] = {}
        self.systems = lay_out_systems(model, systems_of_scalars(model), model.flat)
        self.given: dict[int, str] = {}
        self.linear_bytes = 0
        self._failures: list[tuple[str, str, int]] = []
        self._components = {path: k for k, path in enumerate(model.flat.components)}
        self._integrated = integrator_blocks(model)
        self._impulsive = impulse_blocks(model)
        self._scalar_systems = {system.index: system for system in self.systems}
        self.emitter.has_arrays = bool(model.flat.shapes)
        self.arrays = ArrayWriter(self.emitter, model) if model.flat.shapes else None
        self._sources = {"time": ("time", 0)}
        self._sources |= {name: ("parameters", k) for k, name in enumerate(model.flat.parameters)}
        self._sources |= {name: ("inputs", k) for k, name in enumerate(model.inputs)}
        self._sources |= {name: ("x", k) for k, name in enumerate(model.states)}

    def write(self) -> GeneratedCode:
        model, emitter = self.model, self.emitter
        groups = group_blocks(model)
        self._entry()
        labels = ("indicators", "events", "outputs", "done")
        indicators, events, outputs, done = (emitter.new_label(label) for label in labels)
        self._blocks(groups, Group.DERIVATIVES)
        write_derivatives(self)
        self._branch(Mode.INDICATORS | Mode.OUTPUTS | Mode.EVENT, indicators, done)
        emitter.begin_block(indicators)
        self._blocks(groups, Group.INDICATORS)
        self._indicators()
        self._branch(Mode.OUTPUTS | Mode.EVENT, events, done)
        emitter.begin_block(events)
        self._blocks(groups, Group.EVENTS)
        self._events()
        self._branch(Mode.OUTPUTS, outputs, done)
        emitter.begin_block(outputs)
        self._blocks(groups, Group.OUTPUTS)
        unknowns = self._pointer(ContextSlot.UNKNOWNS)
        for k, name in enumerate(model.stored):
            if self.arrays is None or not self.arrays.is_array(name):
                emitter.store(emitter.named(name), unknowns, k)
        if self.arrays is not None:
            self.arrays.write_unknowns(unknowns)
        emitter.line(f"br label %{done}")
        emitter.begin_block(done)
        emitter.line("ret i32 0")
        self._failure()
        return self._finish()

    # -- beginning and end ------------------------------------------------------------------------------------------------

    def _entry(self) -> None:
        emitter = self.emitter
        calls = [c for block in self.model.blocks for c in calls_of(block)]
        emitter.line(f"%in = alloca double, i64 {max((c.function.n_in for c in calls), default=0) or 1}")
        emitter.line(f"%result = alloca double, i64 {max((c.function.n_out for c in calls), default=0) or 1}")
        for name, slot in (
            ("parameters", ContextSlot.PARAMETERS),
            ("modes", ContextSlot.MODES),
            ("workspace", ContextSlot.WORKSPACE),
            ("inputs", ContextSlot.INPUTS),
        ):
            emitter.line(f"%{name} = load ptr, ptr {emitter.address('%ctx', slot, 'i64')}")
        if self.arrays is not None:
            for name, slot in (("arrays", ContextSlot.ARRAYS), ("words", ContextSlot.WORDS)):
                emitter.line(f"%{name} = load ptr, ptr {emitter.address('%ctx', slot, 'i64')}")
        if self.model.inputs:
            self._write_inputs()
        derivatives_only = emitter.instruction(f"icmp eq i64 %mode, {int(Mode.DERIVATIVES)}", "b")
        count = emitter.load("%ctx", ContextSlot.EVALUATIONS, "i64")
        count = emitter.instruction(f"add i64 {count}, {emitter.instruction(f'zext i1 {derivatives_only} to i64')}")
        emitter.store(count, "%ctx", ContextSlot.EVALUATIONS, "i64")
        for k in range(len(self._components)):
            self._enter_component(k)

    def _write_inputs(self) -> None:
        """Emit code that writes inputs over time to their memory, if there are any."""
        emitter, write, written = self.emitter, self.emitter.new_label("inputs"), self.emitter.new_label("written")
        function = self._pointer(ContextSlot.WRITE_INPUTS)
        emitter.line(f"br i1 {emitter.instruction(f'icmp ne ptr {function}, null', 'b')}, label %{write}, label %{written}")
        emitter.begin_block(write)
        table = emitter.load("%ctx", ContextSlot.INPUT_TABLE, "i64")
        emitter.line(f"call void {function}(double %time, i64 {table})")
        emitter.line(f"br label %{written}")
        emitter.begin_block(written)

    def _enter_component(self, k: int) -> None:
        emitter, model = self.emitter, self.model
        context = f"%component{k}"
        emitter.line(f"{context} = load ptr, ptr {emitter.address('%ctx', ContextSlot.COMPONENTS + k, 'i64')}")
        emitter.store("%time", context, Slot.TIME)
        emitter.store("%mode", context, Slot.MODE, "i64")
        x_offset = emitter.load(context, Slot.X_OFFSET, "i64")
        n_states = len(model.states) if self.arrays is None else emitter.load("%ctx", ContextSlot.N_STATES, "i64")
        x_offset = emitter.instruction(f"add i64 {x_offset}, {n_states}")
        z_offset = emitter.load(context, Slot.Z_OFFSET, "i64")
        z_offset = emitter.instruction(f"add i64 {z_offset}, {len(model.indicators)}")
        for base, offset, slot in (("%x", x_offset, Slot.X), ("%out", x_offset, Slot.DER), ("%z", z_offset, Slot.Z)):
            address = emitter.instruction(f"getelementptr double, ptr {base}, i64 {offset}", "p")
            emitter.store(address, context, slot, "ptr")

    def _pointer(self, slot: int) -> str:
        return self.emitter.load("%ctx", slot, "ptr")

    def _branch(self, bits: int, yes: str, no: str) -> None:
        emitter = self.emitter
        set_bits = emitter.instruction(f"and i64 %mode, {int(bits)}")
        emitter.line(f"br i1 {emitter.instruction(f'icmp ne i64 {set_bits}, 0', 'b')}, label %{yes}, label %{no}")

    def fail_if(self, condition: str, status: str, index: int) -> None:
        """Leave the model with ``status``, noting block ``index``, where ``condition`` holds."""
        emitter = self.emitter
        proceed = emitter.new_label("proceed")
        self._failures.append((emitter.label, status, index))
        emitter.line(f"br i1 {condition}, label %failed, label %{proceed}, {_UNLIKELY}")
        emitter.begin_block(proceed)

    def _failure(self) -> None:
        if self._failures:
            emitter = self.emitter
            emitter.begin_block("failed")
            statuses = ", ".join(f"[{status}, %{label}]" for label, status, _ in self._failures)
            blocks = ", ".join(f"[{index}, %{label}]" for label, _, index in self._failures)
            status = emitter.instruction(f"phi i32 {statuses}")
            index = emitter.instruction(f"phi i64 {blocks}")
            emitter.store(index, "%ctx", ContextSlot.FAILED_BLOCK, "i64")
            emitter.line(f"ret i32 {status}")

    def _row_length(self) -> tuple[str, str]:
        """Number of unknowns for `_outputs_function`, and the instructions that load it if it depends on sizes of arrays."""
        if self.arrays is None:
            return str(len(self.model.stored)), ""
        index = self.arrays.row_length()
        return (
            "%n.unknowns",
            f"""
  %words.slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.WORDS)}
  %words = load ptr, ptr %words.slot
  %n.slot = getelementptr i64, ptr %words, i64 {index}
  %n.unknowns = load i64, ptr %n.slot""",
        )

    def _finish(self) -> GeneratedCode:
        emitter = self.emitter
        prefix = "declare double @modia_"
        mathematics = [d[len(prefix) :].split("(")[0] for d in emitter.declarations.values() if d.startswith(prefix)]
        parts = [*emitter.declarations.values(), f"define i32 @model({_SIGNATURE}) nounwind {{", "entry:", *emitter.lines, "}"]
        parts += [_outputs_function(*self._row_length()), '!0 = !{!"branch_weights", i32 1, i32 100000}', ""]
        return GeneratedCode(
            ir="\n".join(parts),
            functions=self.functions,
            mathematics=tuple(mathematics),
            systems=self.systems,
            array_systems=tuple(systems_of_arrays(self.model)),
            linear_iteration_bytes=self.linear_bytes,
            calls_newton="newton" in emitter.declarations,
            operators=emitter.operators,
            words=tuple(self.arrays.words) if self.arrays is not None else (),
            array_calls=self.arrays.calls if self.arrays is not None else {},
            has_residuals=has_residuals(self.model),
        )

    # -- names ------------------------------------------------------------------------------------------------------------

    def _load(self, name: str) -> str:
        source = self._sources.get(name)
        if source is not None:
            kind, k = source
            return "%time" if kind == "time" else self.emitter.load(f"%{kind}", k)
        alias = self.model.aliases.get(name)
        if alias is not None:
            if not alias.of:
                return self.emitter.number(alias.value) if alias.value is not None else double(0.0)
            value = self.emitter.named(alias.of)
            return value if alias.sign > 0 else self.emitter.instruction(f"fneg double {value}")
        if name in CONSTANTS:
            return double(CONSTANTS[name])
        raise ModelError(
            f"no equation computes '{name}' before it is used", path=name, expected="a state, parameter, input or unknown"
        )

    def _read(self, node: Apply) -> str:
        emitter = self.emitter
        if self.arrays is not None and is_array_operator(node.op):
            return self.arrays.reduced(node)
        if node.op in ("initial", "terminal"):
            bit = emitter.instruction(f"and i64 %mode, {int(Mode.INITIAL if node.op == 'initial' else Mode.TERMINAL)}")
            return emitter.instruction(f"icmp ne i64 {bit}, 0", "b")
        argument = node.args[0]
        if type(argument) is not Const:
            raise ModelError(
                f"'{node}' has no meaning here", expected=f"{node.op}(k) with the number of a relation or time event"
            )
        first = MODES.offset(node.op, **event_sizes(self.model))
        return emitter.load("%modes", first + int(argument.value))

    # -- blocks -----------------------------------------------------------------------------------------------------------

    def _blocks(self, groups: Sequence[Group], group: Group) -> None:
        for index, block in enumerate(self.model.blocks):
            if groups[index] == group:
                if isinstance(block, LinearBlock | NonlinearBlock):
                    self._system(block, index)
                else:
                    self.simple_block(block, index)

    def simple_block(self, block: Assignment | Call, index: int) -> None:
        """Emit an assignment or a call of a component function."""
        if isinstance(block, Assignment):
            if self.arrays is not None and self.arrays.is_array(block.variable):
                self.arrays.assign(block.variable, block.expr)
            else:
                self.emitter.bind(block.variable, self.emitter.number(block.expr))
        else:
            self._call(block.call, index)

    def _call(self, call: CallEquation, index: int) -> None:
        emitter, function = self.emitter, call.function
        if call.component not in self._components:
            raise ModelError(f"'{call}' calls a component that the model does not have", path=call.component)
        self.functions[function.symbol] = function
        emitter.declarations[function.symbol] = f"declare i32 @{_quoted(function.symbol)}(ptr, ptr, ptr) nounwind"
        for i, value in enumerate([emitter.number(e) for e in call.inputs]):
            emitter.store(value, "%in", i)
        context = f"%component{self._components[call.component]}"
        status = emitter.instruction(f"call i32 @{_quoted(function.symbol)}(ptr {context}, ptr %in, ptr %result)")
        self.fail_if(emitter.instruction(f"icmp ne i32 {status}, 0", "b"), status, index)
        for i, name in enumerate(call.outputs):
            emitter.bind(name.name, emitter.load("%result", i))

    def hoist(self, expr: Expr, varying: Callable[[str], bool]) -> None:
        """Emit here what in an expression does not depend on a varying name, so that a loop may use it."""
        if self.arrays is not None:
            self.arrays.hoist(expr, varying)
        else:
            self.emitter.hoist(expr, varying)

    def _system(self, block: LinearBlock | NonlinearBlock, index: int) -> None:
        inside = set(defined_by(block))

        def varying(name: str) -> bool:
            return resolved(self.model, name) in inside

        system = self._scalar_systems.get(index)
        if isinstance(block, NonlinearBlock):
            write_nonlinear_block(self, block, index, system, varying, anew=index in self._impulsive)
            return
        before = len(self.emitter.lines)
        given = write_linear_block(self, block, index, system, varying, self._integrated.get(index, ()))
        if system is None and given:
            self.given[index] = given
        self.linear_bytes += sum(len(line) + 1 for line in self.emitter.lines[before:])

    def _indicators(self) -> None:
        """Emit code that stores the event indicators; those that depend on impulses keep the sign that they have."""
        emitter, model = self.emitter, self.model
        late = late_indicators(model)
        values = [None if is_late else emitter.number(e) for e, is_late in zip(model.indicators, late, strict=True)]
        if not values:
            return
        store, stored = emitter.new_label("store"), emitter.new_label("stored")
        self._branch(Mode.INDICATORS, store, stored)
        emitter.begin_block(store)
        with emitter.scope():
            for k, (value, relation) in enumerate(zip(values, model.relations, strict=True)):
                emitter.store(self._sign(k, relation) if value is None else value, "%z", k)
        emitter.line(f"br label %{stored}")
        emitter.begin_block(stored)

    def _sign(self, k: int, relation: str) -> str:
        """Return a value of the k-th indicator, +1 or -1, with which its relation is as it is."""
        holds = self.emitter.instruction(f"fcmp une double {self.emitter.load('%modes', k)}, {double(0.0)}", "b")
        yes, no = (double(-1.0), double(1.0)) if relation in ("<", "<=") else (double(1.0), double(-1.0))
        return self.emitter.instruction(f"select i1 {holds}, double {yes}, double {no}")

    def _events(self) -> None:
        """Emit code that sets the relations at an event, and stores what else events need."""
        emitter, model = self.emitter, self.model
        values = [emitter.number(e) for e in model.indicators]
        times = [emitter.number(e) for e in (*model.time_events, *model.discrete.scalars())]
        if not (values or times or model.discrete.array_memory or model.discrete.array_reinits):
            return
        event, after = emitter.new_label("event"), emitter.new_label("after")
        self._branch(Mode.EVENT, event, after)
        emitter.begin_block(event)
        with emitter.scope():
            for k, (value, relation) in enumerate(zip(values, model.relations, strict=True)):
                emitter.store(emitter.relation_to_zero(relation, value), "%modes", k)
            memory = self._pointer(ContextSlot.TIME_EVENTS)
            for k, value in enumerate(times):
                emitter.store(value, memory, k)
            if self.arrays is not None:
                self.arrays.write_events(memory)
        emitter.line(f"br label %{after}")
        emitter.begin_block(after)


def _quoted(symbol: str) -> str:
    return f'"{symbol}"'


def _outputs_function(n_unknowns: str, preparation: str) -> str:
    """Return the IR of ``outputs``: the model at many points, each writing its unknowns straight into its row."""
    return f"""define i32 @outputs(i64 %n, ptr %t, ptr %x, i64 %nx, ptr %unknowns, ptr %ctx) nounwind {{
entry:
  %slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.UNKNOWNS)}
  %own = load ptr, ptr %slot
  %scratch.slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.SCRATCH)}
  %scratch = load ptr, ptr %scratch.slot{preparation}
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %point]
  %status = phi i32 [0, %entry], [%s, %point]
  %good = icmp eq i32 %status, 0
  %more = icmp slt i64 %i, %n
  %go = and i1 %good, %more
  br i1 %go, label %point, label %done
point:
  %t.i = getelementptr double, ptr %t, i64 %i
  %time = load double, ptr %t.i
  %row = mul i64 %i, %nx
  %x.i = getelementptr double, ptr %x, i64 %row
  %line = mul i64 %i, {n_unknowns}
  %unknowns.i = getelementptr double, ptr %unknowns, i64 %line
  store ptr %unknowns.i, ptr %slot
  %s = call i32 @model(double %time, ptr %x.i, ptr %scratch, ptr null, i64 {int(Mode.OUTPUTS)}, ptr %ctx)
  %next = add i64 %i, 1
  br label %loop
done:
  store ptr %own, ptr %slot
  ret i32 %status
}}"""
