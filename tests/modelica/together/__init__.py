"""Modelica models as parts of others: connected with equations, and with joints of multibody systems."""
