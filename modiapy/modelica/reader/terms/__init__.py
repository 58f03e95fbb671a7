"""Values of expressions while they are read, and what the parts of the reader know of each other."""
