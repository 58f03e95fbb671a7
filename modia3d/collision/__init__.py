"""Distance and contact of solids: geometry only, which knows nothing of motion, masses or forces.

- what kernels see of the solids of a segment that may collide: `collision/tables.py`
- which pairs may collide: `collision/filter.py`; memory of the search for those that are near: `collision/tree.py`
- machine code: `collision/kernels`
"""
