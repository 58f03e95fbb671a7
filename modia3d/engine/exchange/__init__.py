"""Forces whose values come from equations, and sensors that equations use, with the same mechanism for all.

A force element is a `forces.signal.SignalElement`: three frames and `SignalColumn`s, each one scalar variable; a sensor
is a `scene.sensors.Sensor`: `Quantity`s, each with a kind, frames and the rates of its components. The engine makes the
variables and the calls of `functions`; a model without signals has none of them and imports none of their kernels.
Structure changes only the tables of a segment. A cut (`cuts`) divides bodies into pieces; what it transmits is, by Newton
and Euler, the sum of inertial forces minus outer forces over the pieces on that side of it which does not contain the
world."""
