"""What elements and kernels share: laws, and the columns of the table of forces."""
