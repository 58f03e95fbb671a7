"""What the compiler cannot take is written otherwise before it reads it, with the same meaning: one file per cause.

Lines stay where they are, so that places in messages are those of the original.
"""
