"""Rewriting of source that the compiler cannot read, with the same meaning: one file per cause.

Lines stay where they are, so that places in messages are those of the original.
"""
