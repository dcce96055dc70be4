"""Work spread over processes or machines, its results in the order of the work whoever was faster."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from typing import Any, TypeVar

from squadbuilder import __version__
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.interrupt import listening

Result = TypeVar("Result")

PATIENCE = 4
"""Seconds until a scheduler or its workers are given up."""


class Crew:
    """So many processes, where one means this one; or the workers of a Dask cluster at an address.

    Workers may join, leave or crash meanwhile: what a lost one had to do is done by the others.
    Working alone inside `with`, it hears Ctrl-C between two pieces of work: NumPy can lose it.
    """

    def __init__(self, jobs: int = 1, cluster: str | None = None) -> None:
        self.jobs = jobs
        self._client: Any = None if cluster is None else _connect(cluster)
        self._heard: Sequence[int] = ()
        self._open = ExitStack()

    @property
    def alone(self) -> bool:
        """Whether this process does all the work."""
        return self.jobs == 1 and self._client is None

    def __enter__(self) -> "Crew":
        if self.alone:
            self._heard = self._open.enter_context(listening())
        elif self._client is not None:
            self._open.callback(self._client.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def map(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """The function's results for these arguments, in their order, each as soon as it is there.

        Function, arguments and results travel between processes, and not all arguments are asked for
        at once. Leaving the iteration early ends the work.
        """
        if self.alone:
            return self._alone(function, arguments)
        from joblib import Parallel, delayed

        work = (delayed(function)(*each) for each in arguments)
        if self._client is not None:
            return _by_cluster(self._client, work)
        found: Iterator[Result] = Parallel(n_jobs=self.jobs, return_as="generator")(work)
        return found

    def _alone(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[Result]:
        for each in arguments:
            yield function(*each)
            if self._heard:
                raise KeyboardInterrupt


def _by_cluster(client: Any, work: Iterable[Any]) -> Iterator[Any]:
    """The results, as long as the scheduler is there.

    A client that has lost it fails in many ways: with the error of whatever it was just asked for.
    """
    from joblib import Parallel, parallel_config

    try:
        with parallel_config("dask", client=client):
            parallel = Parallel(return_as="generator")
        yield from parallel(work)
    except Exception as error:
        if client.status == "running" and not isinstance(error, CancelledError | OSError):
            raise
        raise InputError(ErrorCode.CLUSTER_LOST, Where(key="--cluster")) from None


def _connect(address: str) -> Any:
    """A client of the cluster; it needs a worker that runs the same version of this program."""
    where = Where(key="--cluster")
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise InputError(ErrorCode.CLUSTER_MISSING, where) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if not asyncio.run(_is_scheduler(address)):
        raise InputError(ErrorCode.CLUSTER_UNREACHABLE, where, found=address)
    client = Client(address, timeout=PATIENCE, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        versions = list(client.run(version, on_error="return").values())
    except TimeoutError:
        versions = []
    if not versions or any(found != __version__ for found in versions):
        client.close()
        raise InputError(ErrorCode.CLUSTER_WORKERS, where, found=address, version=__version__)
    return client


async def _is_scheduler(address: str) -> bool:
    """Does a Dask scheduler answer there? (A client that fails to connect lingers for long.)"""
    from distributed.core import connect, send_recv

    try:
        comm = await connect(address, timeout=PATIENCE)
        told = await asyncio.wait_for(send_recv(comm, op="identity", reply=True), PATIENCE)
        comm.abort()
    except (OSError, ValueError, TypeError, RuntimeError, MemoryError, asyncio.TimeoutError):
        return False
    return bool(told.get("type") == "Scheduler")


def version() -> str:
    """The version of this program where it is called."""
    return __version__
