"""The same controller for programs without an event loop: a blocking portal.

Every method blocks the calling thread and has the name of its asynchronous twin.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from panegate.service.bus import EventStream
from panegate.service.controller import Controller as AsyncController
from panegate.service.pane import Pane as AsyncPane
from panegate.session.events import Event
from panegate.terms import State

__all__ = [
    "Controller",
    "Pane",
    "public_names",
]


class _Facade:
    """Forwards to an asynchronous object inside a portal's loop."""

    def __init__(self, portal: BlockingPortal, inner: Any) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<sync {self._inner!r}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "libtmux":
            return getattr(self._inner, name)  # starts processes: not in the loop
        value = self._portal.call(getattr, self._inner, name)
        if not callable(value):
            return self._wrap(value)

        @functools.wraps(value)
        def call(*args: Any, **options: Any) -> Any:
            bare = [_bare(arg) for arg in args]
            bound = functools.partial(value, *bare, **options)
            return self._wrap(self._portal.call(bound))

        return call

    def _wrap(self, value: Any) -> Any:
        if isinstance(value, AsyncPane):
            return Pane(self._portal, value)
        if isinstance(value, EventStream):
            return _Events(self._portal, value)
        if isinstance(value, tuple) and any(isinstance(item, AsyncPane) for item in value):
            return tuple(self._wrap(item) for item in value)
        return value


class Pane(_Facade):
    """`panegate.Pane`, blocking."""


class Controller(_Facade):
    """`panegate.Controller`, blocking: ``with Controller.open() as ctl: ...``."""

    @classmethod
    @contextmanager
    def open(cls, **options: Any) -> Iterator[Controller]:
        """Open a controller in a thread of its own; takes what the other one takes."""
        with start_blocking_portal() as portal:
            ctl = portal.call(functools.partial(AsyncController.start, **options))
            try:
                yield cls(portal, ctl)
            finally:
                portal.call(ctl.aclose)

    def wait_any(
        self, panes: Iterable[Pane], states: Iterable[State], *, within_s: float | None = None
    ) -> Pane:
        """Wait until any of *panes* is in one of *states* and return it."""
        call = functools.partial(
            self._inner.wait_any, [_bare(p) for p in panes], states, within_s=within_s
        )
        return Pane(self._portal, self._portal.call(call))


class _Events:
    """The event stream as a blocking iterator."""

    def __init__(self, portal: BlockingPortal, inner: EventStream) -> None:
        self._portal = portal
        self._inner = inner

    def __iter__(self) -> _Events:
        return self

    def __next__(self) -> Event:
        try:
            return self._portal.call(self._inner.__anext__)
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """End the iteration."""
        self._portal.call(self._inner.close)

    def __enter__(self) -> _Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _bare(value: Any) -> Any:
    return value._inner if isinstance(value, _Facade) else value


def public_names(kind: type) -> set[str]:
    """Return the public attributes of a class, for the parity test."""
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
