"""Time derivatives of the reference signals; compiled where index reduction needs them (a joint that is moved, not driven)."""

from __future__ import annotations

from modiapy.acausal.native import component_function

from .paths import evaluate


@component_function
def reference_rates(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return the derivatives of the outputs of `references`: velocities.., accelerations.., jerks.. (without their
    impulses).
    """
    evaluate(context, 1, outputs)
    return 0


@component_function
def reference_accelerations(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return the second derivatives of the outputs of `references`: accelerations.., jerks.., and the derivatives of these."""
    evaluate(context, 2, outputs)
    return 0


@component_function
def reference_jerks(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Return the third derivatives of the outputs of `references`."""
    evaluate(context, 3, outputs)
    return 0
