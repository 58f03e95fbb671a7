"""Makes the package ``modia3d_kernels``: machine code of all kernels, for `modiapy.acausal.disk.machine_code`."""
