"""Forces whose values come from equations, and sensors that equations use, with the same mechanism for all.

A force element
is a `forces/signal.py: SignalElement` (made in `signal_constructors.py`): three frames and `SignalColumn`s,
each one scalar variable (`FORCE`, `TORQUE` along an axis of frame 3, `LINE` along the line from frame 3 to frame 2);
a sensor is a `scene/sensors/base.py: Sensor`: `Quantity`s, each with a kind, frames and the rates of its components.
A kind is declared once (`kinds.py: Kind`): its components, unit, what it is known from (`Stage`), and its value as a
plain function, of which `engine/kernels/sensors.py` makes the kernel. The engine makes the variables (`pull.force.x`,
`meter.r.x`) and these calls; a model without signals has none of them and imports none of their kernels:

- `prepare_signals(token) -> ready`: motion of all bodies; `B` and the coupling of each signal to passive joints
  (`dynamics/wrench_columns.py`): a unit wrench is carried to the root as a column of `M` is
- `signal_forces(ready, f..) -> g..`: `B f`; `flange.tau = (M a + h) - (B f)`, in both modes
- `finish(ready, a.., f..)`: a signal is one more row of the coupling, with
  `-f` as its acceleration
- `sense(ready) -> sensed`, `sensed_value(sensed, i)`: positions and velocities, each scalar a call with a `rate`
- `sensed_acceleration(ready, row, a.., f..)`, `cut(...)`: affine in accelerations and signals, so that forces may
  depend on them algebraically
- `energies(ready)`: kinetic, potential
- `powers(ready, f.., tau..)`: of the flanges, of forces from outside and signals, dissipated
  (`forces/kernels/evaluate.py`); affine in signals and flange torques

`CallEquation.rate` is how index reduction differentiates a call with one output: `der(output) = rate`, without
differentiating what the function reads. So `der(meter.r.x)` is `meter.v.x`, its derivative `meter.a.x`; what has no
rate and no derivative function is refused by name. Structure only changes the tables (`signal_layout.py`) of a
segment. A cut (`engine/exchange/cuts.py`) divides bodies into pieces; what it transmits is,
by Newton and Euler, the sum of inertial forces minus outer forces over the pieces on that side of it which does not
contain the world.
"""
