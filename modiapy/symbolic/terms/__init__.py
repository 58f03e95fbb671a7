"""What all passes use on expressions: names of derivatives, affine forms, shapes, matching, exact elimination."""
