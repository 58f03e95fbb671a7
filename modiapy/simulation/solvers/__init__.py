"""Integrators behind one thin interface: CVODE by pointer, CVODE through scikit-sundae, scipy, and a stabilised explicit one.

Matrices of integrators (`simulation/solvers/linear.py`, thresholds measured there): dense; in blocks where the states of
components are many and few depend on each other (`block_matrix`); banded where the band is narrow in the order of the
states; sparse from 160 states with less than a tenth of the entries, filled by coloured differences. Where the states of
components are many, CVODE's sparse matrices have their pivots on the diagonal, in the order of the fewest neighbours of
what is not zero (`block_matrix`, `sparse_kernel`; a matrix of 100 balls in a bowl: 2 to 5 ms in the place of 8 to 17); others
are SuperLU_MT's (of scikit-sundae's wheel, by pointer; dense where it is missing). `StateIncidence` says
what derivatives, or residuals in DAE mode, depend on; components say it for each segment (`SegmentLayout.sparsity`):
own block in compressed rows, pairs (derivative, input) and (output, state) of their functions. None is dense. The
multibody engine's trees are independent unless a force element or signal couples them, and a free body on which only
uniform gravity acts is less than a dense block: 1000 free bodies take 8 colours. A component may give a function in
the place of its sparsity, which is asked from 64 states on; large matrices are coloured by
`symbolic/kernels/colour_kernel.py`.

Steps and crossings. An integrator makes single steps that depend on where it began and on the next time event
(`stop`), never on output points or the stop time; what lies between their ends comes from the dense output. The loop
is written once, in a small part of Python (`steps.py`): `step_compiler` makes machine code of it for CVODE and IDA by
pointer (0.1 s with LLVM, kept on disk; numba took 3 s), scipy and scikit-sundae run it as it stands, and what is done
around it (`stepping.py`) is the same for all. The loop steps, stores output points and evaluates the indicators at
two points of each step; where one comes near zero, or is not what a parabola through the points before expects,
`crossings` goes through the step in parts so short that parabolas follow the indicators, follows extrema near zero,
and locates the first crossing to 100 eps; that is machine code, too. At most 0.1 s of a step is looked at
first, or twice the length of the last one (CVODE and IDA make no longer ones): a model at rest would make steps in
which signals of time are lost. Reaching zero, leaving it, and becoming NaN (the event then stops the simulation) are
crossings; what is exactly zero where an integrator begins counts as its value a moment later, if that is not zero
(`beginning.py`). A step that fails beyond the stop time is made again up to it. The root finding of SUNDIALS is not
used: it looks at the ends of steps and at output points, so that the latter would decide about the last bits of event
times and about two crossings in one step.
"""

from .factories import check_dae_solver, create_solver, has_jacobian, solver_names
from .interface import (
    Advance,
    Follower,
    IntegrationFailure,
    ModelFailure,
    Problem,
    Solver,
    SolverStatistics,
)
from .watching.condition_monitor import ConditionMonitor

__all__ = [
    "Advance",
    "ConditionMonitor",
    "Follower",
    "IntegrationFailure",
    "ModelFailure",
    "Problem",
    "Solver",
    "SolverStatistics",
    "check_dae_solver",
    "create_solver",
    "has_jacobian",
    "solver_names",
]
