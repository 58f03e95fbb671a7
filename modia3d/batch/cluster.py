"""Workers of a study: a cluster of this machine that no other account can reach, or an external scheduler.

Everybody who can reach a scheduler of Dask, or one of its workers, can run code under its account. So the cluster of this
machine uses TLS with a certificate made for it alone, which stays in the memory of its processes. A connection without its key
is refused, and so is an answer of a process outside of the cluster. Servers that Dask opens in addition, for its dashboard,
have no pages. Workers find modules in their working folder, which belongs to this account only.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from modiapy.model.errors import ModelError
from modiapy.simulation.segments.interrupts import undisturbed

if TYPE_CHECKING:
    from distributed import Client

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.low-level-log-length": 20,  # of messages, each of which holds a task's runs: 1000 were 50 MB
    "distributed.admin.log-length": 100,
    "distributed.scheduler.allowed-failures": 3,
    "distributed.comm.timeouts.connect": "30s",
}
_ALONE: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Of a cluster of this machine."""

_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
"""What they say of a cluster that ends concerns nobody; what matters comes as an exception."""


@contextmanager
def connected(workers: int | None, scheduler: str | None) -> Iterator[Client]:
    """Open a client of the scheduler at an address, or of a cluster of this machine that ends with the block.

    Args:
        workers: processes of the cluster; by default as many as the machine has processors.
        scheduler: address of a scheduler to be used in its place; certificates for it are those of Dask's configuration.

    Raises:
        ModelError: Dask is not installed, or there is no scheduler at the address.
    """
    try:
        import cryptography  # noqa: F401 - of certificates
        import dask
        from distributed import Client
    except ImportError as error:
        found, remedy = f"no module '{error.name}'", "Install it with 'pip install modia3d[batch]'."
        raise ModelError("a batch needs Dask and cryptography", found=found, remedy=remedy) from None
    with quiet(), dask.config.set(_QUIET):
        if scheduler is None:
            with _local(workers) as client:
                yield client
            return
        try:
            client = Client(scheduler, timeout=30)
        except (OSError, ValueError, TypeError, RuntimeError) as error:  # no certificate: RuntimeError or TypeError
            raise ModelError("there is no scheduler", path=scheduler, found=str(error)) from None
        with client:
            yield client


@contextmanager
def _local(workers: int | None) -> Iterator[Client]:
    """Open a client of a cluster of this machine. Interrupts wait until the cluster exists, and until it has ended."""
    import dask
    from distributed import Client, LocalCluster, Security

    with ExitStack() as stack:
        with undisturbed():
            folder = stack.enter_context(TemporaryDirectory(prefix="modia3d-batch-", ignore_cleanup_errors=True))
            stack.enter_context(dask.config.set(_ALONE))
            security = Security.temporary()
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                host="127.0.0.1",
                security=security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
                preload=["modia3d.batch.worker"],
                local_directory=folder,
            )
            stack.enter_context(_ended_in_peace(cluster))
            client = stack.enter_context(_ended_in_peace(Client(cluster, security=security)))
        yield client


@contextmanager
def _ended_in_peace(part: Any) -> Iterator[Any]:
    """Close a client or cluster at the end of the block; an interrupt does not leave it half closed."""
    try:
        yield part
    finally:
        with undisturbed():
            part.close()


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress Dask's own log lines within the block."""
    import distributed  # noqa: F401 - which sets levels when it is imported first

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
