"""Machine code that no model changes: linear iteration, sparse LU, Newton's method, arrays, tables.

It is numba, compiled once per machine and called from the code of a model by address. Below `LAPACK_SIZE` unknowns a
linear system is solved by an LU of our own, above it by LAPACK; from `SPARSE_SIZE` unknowns on, where few entries are not
zero (`SPARSE_DENSITY`), columns without a common row are probed by one evaluation, `sparse_lu` factorises in COLAMD's
order and keeps structure and pivots for the next matrix; a bad pivot gives a new factorisation, too many entries the
dense one. A resistor grid of 30 x 30 nodes (477 torn unknowns, 7 % entries, 97 colours) takes 2.3 ms for a varying
matrix, dense 15 ms; 0.17 and 0.67 ms for a constant one.

`diagonal_lu` is for the iteration matrices of integrators, ``1 - gamma*J``, whose pivots may stay on the diagonal."""
