"""Machine code of a `SortedModel`: LLVM IR, the memory it works on, its objects on disk.

One function `int32 model(double t, double* x, double* out, double* z, int64 mode, int64* ctx)`. `out` receives
der(x). `mode` is a `Mode`. `ctx` is one block of eight-byte slots at a stable address, laid out by
`ModelContext`:

- 0: address of parameters (double)
- 1: address of modes of relations (double, 0.0/1.0), then of `after(k)` flags, of ticks (`flag(k)`), of values before
  the event (`memory(k)`, then arrays)
- 2: address of the workspace of linear systems
- 3: address of all unknowns and inputs, written in OUTPUTS mode (double, order of `SortedModel.stored`)
- 4: address of time events: in EVENT mode the arguments of `after` are written here, then (active, value) of each
  `reinit` of a scalar, the present values of what is remembered, `reinit`s of arrays
- 5: address of inputs
- 6: number of invariant states, 7: number of invariant indicators
- 8: counter of evaluations in DERIVATIVES mode (right-hand sides), 9: failing block index after a non-zero status
- 10: address of scratch derivatives, for `root` and `outputs`
- 11: RESIDUALS mode: address of der(x) as the integrator supplies it, 12: number of states whose residuals the model
  writes, 13: number of states
- 14: address of the memory of arrays, 15: address of sizes and offsets of arrays (int64, `GeneratedCode.words`)
- 16: address of a table of projections
- 17: address of the function that writes inputs over time, 0 if they are constant, 18: address of the table it reads
- 19 + k: address of component k's context (`CONTEXT_SLOTS` slots)

At entry the model writes into each component's context TIME, MODE and the addresses X, DER, Z (`x + n_inv + X_OFFSET`
and so on). The blocks stand in groups: what derivatives and sinks need, what indicators need besides, what events
need besides (impulses among it), and the rest, evaluated for outputs only (`groups.Group`). `outputs(n, t, x, nx,
unknowns, ctx)` evaluates many points. Two wrappers with SUNDIALS' signatures, `rhs(t, N_Vector y, N_Vector ydot,
void* user)` and `root(t, y, double* g, void* user)` with `user = ctx`, are an object of their own, shared by all
models, so that `model` runs without SUNDIALS. External functions (`modia_sin`, component functions,
`linear_iteration`, `N_VGetArrayPointer`) are external symbols bound when the object is loaded. Zero is returned where
all went well. A constant matrix of a linear block is factorised when its workspace says so (new context, new
parameters), not again.

The machine code has no size in it. Everything that depends on shapes is a *word* (`array_layout.Word`), loaded from
slot 15; `ArrayLayout` computes the words from the shapes of one simulation, so that `merge` may change sizes:
flattening the merged model checks the shapes anew, `check_sizes` that each equation still has the shape of what it is
solved for. Scalars keep fixed places; arrays come after the scalars in the state vector and in the row of unknowns,
and components' states after `N_STATES`. Elementwise trees and reductions such as `sum` become one loop, `@` calls
`array_kernels`, subscripts with gaps and `transpose` copy by a list of indices in the memory of arrays, stretches are
views. A number of dimensions is structure: it cannot be merged. A user's function of arrays is called in numba's own
convention (`codegen/functions.py`) and compiled for each combination of numbers of dimensions. The values before an
event of an array x have the name `pre(x)` in the equations and stand behind those of scalars, as do its present
values and array re-initialisations in slot 4. Sparsity is computed for the sizes of a simulation (`state_incidence`).

Systems of equations. There is one writer of linear systems and one of nonlinear ones (`codegen/linear.py`,
`nonlinear.py`): a scalar is a row of length one at a place that stands in the code, an array one whose place and
length are loaded (`codegen/rows.py`). All memory of systems lies in the workspace, that of systems with array
unknowns behind the rest. A system is a record (`LINEAR`, `SPARSE`, `NEWTON`) whose fields are described once and
whose sizes stand in it: kernels take its address and nothing else, the code generator asks for offsets. The kernel of
a linear system stands in its header. Solver, storage, constant factorisation and residual form are chosen in
`codegen/systems.py` by the incidence of elements: when code is generated for scalars, when a simulation begins for
arrays, whose sizes may be merged. `tests/modiapy/arrays/test_parity.py` holds scalars and arrays to the same choice,
results and work.
"""
