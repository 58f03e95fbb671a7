"""One cluster of two workers for all tests of this folder that need one."""

from collections.abc import Iterator

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made
