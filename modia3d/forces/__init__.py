"""Forces that the engine applies inside; what acts is declared in `elements`, one element per file, named in `registry`."""
