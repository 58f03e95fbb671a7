"""The tables of constraints that the kernels read: columns, and what each kind of joint declares (plain Python, no numba)."""
