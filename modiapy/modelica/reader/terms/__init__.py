"""What an expression is worth while it is read, and what the parts of the reader know of each other."""
