"""Laws, and the columns of the table of forces, which elements and kernels share."""
