"""Constraints besides the joints, for a segment or for a moment: rows on the generalized speeds of a forest.

`kinds` declares them, one kind in a file; what is done with rows, whatever their kind, is here: `rank` says which are needed,
`elimination` has the least change and the multipliers, `projection` closes positions and speeds, `impact` brings speeds to zero
by the impulses of `impulse`. `joints` knows which joints of a graph may be locked, `tables` is what the `kernels` read.

- a row `G v = 0` (unilateral: `G v >= 0`), what a kind declares: `constraints/kinds/row.py`, `kinds/constraint.py`:
  `Row`, `Rows`; `Constraint.rows(present)`
- kinds: `kinds/locked_joint.py`, `kinds/joint_limit.py`, `kinds/locked_frames.py`: one for each file
- joints that close loops, of all kinds: residuals, rows, `dG/dt v`: `kinds/cut_joint.py`,
  `scene/basics/directions.py` (what each joint declares), `tables/cut_directions.py`, `tables/cut_table.py`,
  `constraints/kernels/cut_joint.py`: `CutJoint`
- each kind of direction (position, angle, length of a rod, height and slip of a wheel): `scene/basics/directions.py`,
  `constraints/kernels/direction.py`; what is made of them and is no joint: `scene/constraint_elements`
- which rows a change of structure adds: `constraints/added.py`: `added_constraints`
- joints that may be locked, the table that kernels read: `constraints/joints.py`, `tables/limit_table.py`:
  `LockableJoints`
- unilateral ones: gap, multiplier, when they begin and end to hold: `kinds/unilateral.py`: `Unilateral`, `phase_of`,
  `indicator`
- what happens at limits: `constraints/limits.py`, `constraints/indicators.py`:
  `find_limits`
- answers of all speeds to impulses: `constraints/responses.py`
- rank, redundant rows, unique multipliers: `constraints/rank.py`: `find_rank`, `Rank`
- least change of speeds, multipliers, contradictions: `constraints/elimination.py`: `Elimination`
- positions and speeds brought onto constraints: `constraints/projection.py`: `project`, `Projection`
- impulses, impacts: `constraints/impulse.py`, `constraints/impact.py`: `solve_impulses`, `impact(stage, constraints)`
- bodies that strike each other, with restitution and dry friction: `kinds/contact.py` (rows of a point), `contact_impulse.py`
  (which contacts act when, and how), `friction.py`, `contact_impact.py`: `contact_impact(stage, contacts, limits)`
- contacts at rest: `kinds/resting_contact.py`, `contact_rest.py` (which bear, stick and slip: `RestingContacts`), their rows
  `kernels/contact_rows.py`, `kernels/contact_state.py`, friction and shares `kernels/contact_friction.py`
- closed loops while a simulation runs: `constraints/loops.py` (memory, order), `tables/loop_layout.py`,
  `kernels/loop_matrix.py` (multipliers by the tree's sparsity), `kernels/loop_relation.py` (joints with flanges),
  `kernels/loop_accelerations.py` (rows eliminated, then met), `kernels/loop_projection.py`; theory and limits:
  ``docs/loops.md``
- singular positions that loops pass, begin in or stay in: `constraints/passages.py` (in words), `kernels/passages.py`,
  `tables/passage_layout.py`: `Passages`
- in the equations: `engine/constraint_equations.py`, `engine/kernels/constraints.py`, `engine/kernels/loops.py`,
  `engine/kernels/finish.py`

`project(at, constraints, q, v)` closes loops at the start by the least change in the metric of the mass matrix
(Gauss-Newton, steps of at most half a radian), tells how far each joint moved and which rows are redundant, and
refuses what cannot be closed, or only the wrong way round, by name. While a simulation runs the kernels do the same.
Where there may be loops, a prescribed joint that is locked is one more row of their relation, and has no switch.

Neither the units of rows nor those of speeds matter: rows are measured by the mass matrix, relative to their own
size, or to that of what they are the difference of (`Row.reference`). A row is needed if 1e-4 of it is new
(`rank.TOLERANCE`). Multipliers that are not unique are those of least norm, scaled by the same sizes.

A joint at a limit, and one with a flange that an action locks, is *locked* (`Structure.locked`): it keeps its states; one
without a flange that an action locks is *welded* (`Structure.welded`), its two bodies are one. A prescribed
one has a switch and an unknown: `locked*der(w) + (1 - locked)*constraint_torque = 0`, `flange.tau + constraint_torque =
f`; the call `switches() -> locked..` reads the table LOCKABLE of the segment. A parked joint is locked, too, but where
its motion is imposed: that is so where equations compute its `constraint_torque` alone. A passive one has the role
LOCKED: the elimination hands its inertia on as it is (`articulated.locked_to_parent`), its force follows from the
accelerations. The sink `limits(done, forces..)` gives two indicators for each: distances to both limits, or what
presses on the limit.

`tau` in the engine's memory is generalized force on all speeds, zero but in an impact. `SegmentStart.rates()`
evaluates the whole model, so differences of accelerations (engine) and derivatives (equations) are the responses of
all speeds; the impulses solve a linear complementarity problem. `SegmentChange.impact` is what is added to the states
of the equations. What an action gives up takes no part in its impact: that is computed on a `Stage`, the present in
the structure without it, by `rates(layout)` (`Rates`): the machine evaluates another layout of the component and
returns to the segment's own. So an action is one segment, and refused it has changed nothing. `engine/change.py`
(`Change`) is what an event asks for and the next segment begins with.

`scene/initial_pose.py`, `topology/initial_pose.py`: wanted poses become initial values before the equations are
flattened (`ComponentScope.starts` are the guesses); `topology/chain.py` has the motion of one frame seen from another
with its Jacobian, `topology/least_change.py` the search. `engine/initial_states.py` computes them once more where the
equations gave joints other values; `solve_initial` repeats the initialization problem until initial states of
components and its solution fit.
"""
