"""Model libraries. Names and conventions are those of the Modelica Standard Library, parameters in snake_case.

A library model is a value: its documentation is its entry ``description``, and ``print(model)`` shows all of it.
"""
