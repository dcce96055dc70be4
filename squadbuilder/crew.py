"""Work spread over processes, its results in the order of the work whoever was faster."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Result = TypeVar("Result")


class Crew:
    """So many processes; one means this one."""

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def map(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """The function's results for these arguments, in their order, each as soon as it is there.

        Function, arguments and results travel between processes, and not all arguments are asked for
        at once. Leaving the iteration early ends the work.
        """
        if self.jobs == 1:
            return (function(*each) for each in arguments)
        from joblib import Parallel, delayed

        found: Iterator[Result] = Parallel(n_jobs=self.jobs, return_as="generator")(
            delayed(function)(*each) for each in arguments
        )
        return found
