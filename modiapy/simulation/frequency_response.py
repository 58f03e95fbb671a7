"""Frequency response and poles of a linear model: Bode diagrams, natural frequencies, damping ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.errors import ModelError

PER_DECADE = 100
"""Frequencies of a Bode diagram where none are given."""


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """The transfer functions of a linear model at single frequencies.

    Attributes:
        omega: angular frequencies [rad/s], shape (n,), ascending.
        response: complex amplitudes of outputs over those of inputs, shape (ny, nu, n).
        inputs, outputs: their names.
    """

    omega: np.ndarray
    response: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def magnitude(self) -> np.ndarray:
        """Ratio of the amplitudes, shape (ny, nu, n)."""
        return np.abs(self.response)

    @property
    def magnitude_dB(self) -> np.ndarray:
        """Ratio of the amplitudes as ``20 log10`` of it [dB], shape (ny, nu, n)."""
        with np.errstate(divide="ignore"):
            return np.asarray(20.0 * np.log10(self.magnitude))

    @property
    def phase(self) -> np.ndarray:
        """Angle by which outputs lead inputs [rad], without jumps along the frequencies, shape (ny, nu, n)."""
        angle = np.angle(self.response)
        return np.unwrap(np.nan_to_num(angle), axis=-1) if self.omega.size else angle

    @property
    def phase_deg(self) -> np.ndarray:
        """Angle as `phase`, in degrees [deg]."""
        return np.degrees(self.phase)

    def plot(self) -> Any:
        """Draw the Bode diagram: magnitudes [dB] above phases [deg], a line for each pair of input and output.

        Returns:
            The matplotlib figure.

        Raises:
            ModelError: matplotlib is not installed.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ModelError("a plot needs matplotlib", remedy="Install it with 'pip install matplotlib'.") from None
        figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(8.0, 6.0), layout="constrained")
        for axis, values, label in ((upper, self.magnitude_dB, "magnitude [dB]"), (lower, self.phase_deg, "phase [deg]")):
            for i, output in enumerate(self.outputs):
                for j, given in enumerate(self.inputs):
                    axis.semilogx(self.omega, values[i, j], label=f"{given} → {output}")
            axis.set_ylabel(label)
            axis.grid(True, which="both", alpha=0.3)
        if len(self.outputs) * len(self.inputs) > 1:
            upper.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        else:
            upper.set_title(f"{self.inputs[0]} → {self.outputs[0]}")
        lower.set_xlabel("angular frequency [rad/s]")
        return figure


def frequency_response(
    matrices: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], omega: Sequence[float] | None, poles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate ``C (i omega I - A)^-1 B + D``.

    Args:
        matrices: A, B, C, D.
        omega: angular frequencies [rad/s]; None: those where something happens, by the poles.
        poles: eigenvalues of A.

    Returns:
        Frequencies, and values of shape (ny, nu, n), infinite where a pole is met.

    Raises:
        ModelError: frequencies that are no positive, finite numbers.
    """
    at = _chosen(poles) if omega is None else np.atleast_1d(np.asarray(omega, dtype=float))
    if at.ndim != 1 or not np.isfinite(at).all() or (at < 0.0).any():
        raise ModelError(
            "the frequencies of a response are wrong", found=repr(omega)[:80], expected="angular frequencies [rad/s], 0 or more"
        )
    at = np.sort(at)
    A, B, C, D = matrices
    values = np.empty((*D.shape, at.size), dtype=complex)
    for k, w in enumerate(at):
        try:
            values[:, :, k] = C @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B) + D
        except np.linalg.LinAlgError:
            values[:, :, k] = complex(np.inf)
    return at, values


def _chosen(poles: np.ndarray) -> np.ndarray:
    """Return frequencies from a decade below the slowest pole to a decade above the fastest one, with all resonances."""
    sizes = np.abs(poles)
    sizes = sizes[sizes > 1e-9 * sizes.max(initial=0.0)]
    low, high = (0.1 * sizes.min(), 10.0 * sizes.max()) if sizes.size else (0.01, 100.0)
    grid = np.geomspace(low, high, max(2, round(PER_DECADE * float(np.log10(high / low))) + 1))
    damped = poles[(poles.imag > 0.0) & (np.abs(poles.real) > 1e-6 * np.abs(poles))]
    peaks = np.sqrt(np.maximum(damped.imag**2 - damped.real**2, 0.0))  # of an oscillator alone
    near = np.concatenate([peaks, *(damped.imag + k * np.abs(damped.real) for k in (-2, -1, 0, 1, 2))])
    return np.unique(np.concatenate([grid, near[(near > low) & (near < high)]]))
