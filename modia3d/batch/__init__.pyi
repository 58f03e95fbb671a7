"""Written by ``python -m tools.exports``, which says why; not to be edited."""

from modia3d.batch.campaign import run_study as run_study
from modia3d.batch.factors import Factor as Factor
from modia3d.batch.function import StudyFunction as StudyFunction
from modia3d.batch.study import Limits as Limits
from modia3d.batch.study import Sampling as Sampling
from modia3d.batch.study import Study as Study
from modia3d.batch.study_file import read_study as read_study
from modiapy.simulation.results.expectations import Expectation as Expectation
