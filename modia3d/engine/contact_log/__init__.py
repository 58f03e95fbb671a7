"""Report of contacts after a simulation.

- for each contact when it began and ended, its largest force, its impulse: `log.py`: `ContactLog`, which also says what the
  engine has to call
- the normal force over the accepted steps of the integrator: `notes.py` (columns), `kernel.py` (machine code)
- which memory pairs had at which stored point: `history.py`: `entry`, `joined`
"""
