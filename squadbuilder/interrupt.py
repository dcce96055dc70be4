"""Ctrl-C heard instead of raised, where an exception could strike inside a library that loses it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Listener:
    """A signal handler that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    def __call__(self, number: int, _: object) -> None:
        self.heard.append(number)


@contextmanager
def listening() -> Iterator[list[int]]:
    """Collects Ctrl-C; inside another listening it is the same list.

    Only the main thread can listen for itself: elsewhere, with nobody listening, nothing is heard.
    """
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, _Listener):
        yield before.heard
    elif threading.current_thread() is not threading.main_thread():
        yield []
    else:
        listener = _Listener()
        signal.signal(signal.SIGINT, listener)
        try:
            yield listener.heard
        finally:
            signal.signal(signal.SIGINT, before or signal.SIG_DFL)
