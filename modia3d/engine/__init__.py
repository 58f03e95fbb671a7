"""The multibody engine as a predefined acausal component: between the protocol and the rest of `modia3d`.

Cost of a change of structure (`benchmarks.switch`). What follows from the graph alone is computed once
(`SceneGraph`'s cached properties); a change works on arrays (`Forest.x_place`, by which states go from one forest to
the next in two indexings, `forest_kernel`, `sparsity_kernel`), names and sparsity are made when asked for. From 150
states on, entries of matrices are sorted and coloured (`symbolic/kernels/colour_kernel.py`) and differences taken
(`solvers/difference_kernel.py`) by machine code, which `Multibody` loads beforehand; the same functions in Python,
for models without numba, give the same bits. What a user waits for is `event_ms` of the benchmark: from the last step
before the event to the end of the first one after it. All variables are evaluated once before a change and once after
it: components read, snapshots hold and results store the same values. The last structures are remembered: their
forests, their sparsities by what hangs on what (`engine/forests.py`), problems (`Machine.problem`: the same object
for the same sizes and sparsity, with its colours), and integrators, which wait in the `IntegratorPool` for the next
segment with their problem and give the same bits as new ones. `tests/modia3d/engine/test_cost_of_changes.py` counts
calls and memory of a change.

The engine knows an action program only through `engine/program.py` (`ProgramSource`, `Schedule`, and `ScheduleRun` at
work); `actions/` implements it. `engine/multibody.py`: the component `Multibody`, made by `Model3D`'s factory
(`model3d.py`); `system.py`: what the `Model3D` consists of, the same in all simulations; `multibody_run.py`: one
simulation, `contact_run.py`: its contacts. `segment.py` and `exchange_memory.py` have the memory of a segment
(`memory/` says once what it consists of: sizes and views follow, and what kernels see), `forests.py` and
`sparsity.py` what is kept for a structure, `engine_state.py` what a snapshot holds, `configuration.py` a forest at
one moment, `motion.py` and `signals.py` the results. `functions.py` names the component functions in
`engine/kernels/`, each file of which is imported by models that use it only (`motion.py` and `*_motion.py` compute
results at many points). Functions: `set_states(phi.., w..) -> token`, `generalized_forces(token, a..) -> f..` (affine
in a; one matrix-vector product), `finish(token, a.., f..) -> done` (sink: derivatives of x_var; one function for open
and closed forests: whether rows close loops stands in the memory of the segment), `references() -> positions,
velocities, accelerations` (functions of time). Result signals of every frame: `<frame>.r_abs` (nt, 3),
`<frame>.R_abs` (nt, 3, 3; columns are the frame's axes in world, i.e. `R_WF`), `<frame>.v_abs`, `<frame>.w_abs` (nt,
3; both in world).

A refused or failing action's error carries the number of the action (`entry`), from which a scenario's line is found.
The system's signals are `mechanics.kinetic_energy`, `.potential_energy`, `.power` (of both together) = `.drive_power`
+ `.force_power` - `.dissipated_power`, `.momentum`, `.angular_momentum` (about the world's origin) and the rates of
both. An equation that names a result is refused with the sensor it needs (`engine/remedies.py`).
"""
