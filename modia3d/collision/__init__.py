"""Where solids are near each other or touch: geometry only, which knows nothing of motion, masses or forces.

- what kernels see of the solids of a segment that may collide: `collision/tables.py`
- machine code: `collision/kernels`
"""
