"""Simulation between the samples of a controller: inputs that a loop in Python sets, and clocks that tick in the equations.

A new value every millisecond is no reason for an event with all that belongs to it, nor for a multistep method that loses its
history each time. Between two samples an explicit Runge-Kutta method with error control goes on in one or few steps
(`tableaus.py`); `samples.py` is its loop, with ticks and stored points, which becomes machine code (`sample_loop.py`);
`sampled_path.py` says where it may be used, and gives back to the segment loop what it cannot do: indicators that come near
zero, relations that change at a sample, components that have to decide something, stiffness. There the segment loop goes on
from the last step, as it always does.

Measured for 9 coupled pendulums, held for 1 ms, beside the right-hand sides: 0.2 us for a step of our own of order 3, 0.8 us
for ARKODE's (0.4 and 1.3 us of order 5), with the same errors and as many evaluations (of order 3 ours needs one less since
then, 3 a value). ARKODE was not taken for other reasons: it is not in scikit-sundae, and sundials4py, which has it, needs
Python 3.12; and between two ticks of a clock nothing of Python runs here.
"""
