"""Views of a `Model3D` for controllers in a Python loop: named arrays of the model that runs, dynamics at its present state.

`mechanism_view.py` is what a user holds. `joints.py` says which joints and free bases it has, in which order: fixed for ever.
`places.py` says where their coordinates are in one structure, and what stands for those that it does not have. `kernels.py`
gathers states and computes with the arrays of the forest of the segment, in one block of memory for each structure.
`drives.py` finds the inputs that drive joints, `mujoco_order.py` converts to and from MuJoCo's vectors.
"""
