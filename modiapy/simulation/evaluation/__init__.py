"""Evaluation of a model at one point, in the memory of one run: relations, assertions, constraints, causes of failures."""
