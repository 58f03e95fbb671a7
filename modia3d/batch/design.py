"""Values of all factors in each run of a study; they follow from the number of the run."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from .factors import Factor

METHODS = ("random", "latin_hypercube", "sobol")


@dataclass(frozen=True)
class Sampling:
    """Method by which factors with a distribution are sampled.

    Attributes:
        method: "random" (each run draws from a generator seeded by ``seed`` and its number), "latin_hypercube" or "sobol"
            (scrambled), both of ``scipy.stats.qmc``.
        samples: number of samples; each is simulated at every point of the grids and lists.
        seed: of all random numbers.

    Raises:
        ModelError: an unknown method, or a number that is none.
    """

    method: str = "random"
    samples: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(
                "this method of sampling is unknown", found=repr(self.method), expected=f"one of {', '.join(METHODS)}"
            )
        for name, least in (("samples", 1), ("seed", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ModelError(
                    f"{name} of the sampling is wrong", found=repr(value), expected=f"a whole number from {least} on"
                )


@dataclass(frozen=True)
class Design:
    """Every combination of models, of values of grids and lists, and of samples, in this order.

    Attributes:
        models: number of models.
        factors: by name.
        sampling: of those with a distribution.
    """

    models: int
    factors: Mapping[str, Factor]
    sampling: Sampling

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.models * math.prod(self._lengths) * self._samples

    @cached_property
    def _listed(self) -> dict[str, list[Any]]:
        return {name: factor.values for name, factor in self.factors.items() if not factor.is_sampled}

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(values) for values in self._listed.values()]

    @cached_property
    def _sampled(self) -> list[str]:
        return [name for name, factor in self.factors.items() if factor.is_sampled]

    @property
    def _samples(self) -> int:
        return self.sampling.samples if self._sampled else 1

    def model(self, run: int) -> int:
        """Number of the model of a run."""
        return run // (math.prod(self._lengths) * self._samples)

    def values(self, run: int) -> dict[str, Any]:
        """Return the value of each factor in a run, in the order of the factors."""
        rest, sample = divmod(run, self._samples)
        found: dict[str, Any] = {}
        for name, length in zip(reversed(self._listed), reversed(self._lengths), strict=True):
            rest, k = divmod(rest, length)
            found[name] = self._listed[name][k]
        if self._sampled:
            if self.sampling.method == "random":
                point = np.random.default_rng([self.sampling.seed, run]).random(len(self._sampled))
                found |= {name: self.factors[name].quantile(point[k : k + 1])[0] for k, name in enumerate(self._sampled)}
            else:
                found |= {name: column[sample] for name, column in self._table.items()}
        return {name: found[name] for name in self.factors}

    @cached_property
    def _table(self) -> dict[str, list[Any]]:
        """All samples of a quasi-random method, by factor."""
        from scipy.stats import qmc

        kind = qmc.Sobol if self.sampling.method == "sobol" else qmc.LatinHypercube
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a number of points that is no power of 2 is admitted
            points = kind(len(self._sampled), rng=np.random.default_rng(self.sampling.seed)).random(self.sampling.samples)
        return {name: self.factors[name].quantile(points[:, k]) for k, name in enumerate(self._sampled)}
