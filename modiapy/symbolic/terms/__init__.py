"""Tools for expressions that all passes use: names of derivatives, affine forms, shapes, matching, exact elimination."""
