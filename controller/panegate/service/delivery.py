"""Telling people through sinks: each one at its own pace, none in the way of a pane."""

from __future__ import annotations

import http.client
import json
import subprocess
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
import anyio.abc
import anyio.to_thread
import attrs

from panegate.runtime.logs import get_logger
from panegate.service.sinks import ExecSink, LogSink, Sink, WebhookSink

__all__ = [
    "BACK_OFF_S",
    "GIVE_UP_S",
    "QUEUE_SIZE",
    "Delivery",
    "Undelivered",
]

BACK_OFF_S: Final = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0)
"""Pauses between attempts; the last one again and again."""
GIVE_UP_S: Final = 6 * 3600.0
"""After so long nobody is told any more."""
QUEUE_SIZE: Final = 100
"""Documents that wait for one sink; above that the oldest are dropped, and it is said."""
_HTTP_S: Final = 10.0
_EXEC_S: Final = 30.0
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_AGAIN: Final = frozenset({408, 425, 429})

_log = get_logger()


class Undelivered(Exception):
    """It did not arrive; *again* says whether another attempt makes sense."""

    def __init__(self, words: str, *, again: bool) -> None:
        super().__init__(words)
        self.again = again


@attrs.frozen(kw_only=True)
class _Letter:
    document: Mapping[str, Any]
    wanted: Callable[[], bool]
    told: Callable[[], None]
    at_s: float


@attrs.define(kw_only=True, eq=False)
class _Courier:
    """Brings documents to one sink, one after the other."""

    sink: Sink
    clock: Callable[[], float]
    send: Callable[[Sink, Mapping[str, Any]], Any]
    waiting: deque[_Letter] = attrs.field(factory=deque, init=False)
    running: bool = attrs.field(default=False, init=False)
    _never: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    def put(self, letter: _Letter) -> None:
        if len(self.waiting) >= QUEUE_SIZE:
            dropped = self.waiting.popleft()
            self._give_up(dropped, 0, f"more than {QUEUE_SIZE} wait for this sink")
        self.waiting.append(letter)

    async def run(self) -> None:
        """Bring all that waits, then end."""
        while self.waiting:
            await self._bring(self.waiting.popleft())
        self.running = False

    async def _bring(self, letter: _Letter) -> None:
        attempts = 0
        while True:
            attempts += 1
            try:
                await self.send(self.sink, letter.document)
            except Undelivered as failure:
                words, again = str(failure), failure.again
            else:
                letter.told()
                return
            if not again or self.clock() - letter.at_s >= GIVE_UP_S:
                self._give_up(letter, attempts, words)
                return
            _log.warning("sink.failed", sink=self.sink.label, attempts=attempts, words=words)
            with anyio.move_on_after(BACK_OFF_S[min(attempts, len(BACK_OFF_S)) - 1]):
                await self._never.wait()
            if not letter.wanted():
                self._give_up(letter, attempts, "the wait is over; " + words)
                return

    def _give_up(self, letter: _Letter, attempts: int, words: str) -> None:
        _log.error(
            "sink.gave_up",
            sink=self.sink.label,
            escalation=letter.document.get("escalation"),
            attempts=attempts,
            words=words,
        )


@attrs.define(kw_only=True, eq=False)
class Delivery:
    """All sinks of one controller. Nothing here blocks its loop, or a pane."""

    sinks: tuple[Sink, ...]
    tasks: anyio.abc.TaskGroup
    clock: Callable[[], float]
    """Monotonic seconds."""
    _couriers: dict[str, _Courier] = attrs.field(factory=dict, init=False)
    _limiter: anyio.CapacityLimiter | None = attrs.field(default=None, init=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the sinks are called."""
        return tuple(dict.fromkeys(sink.label for sink in self.sinks))

    def put(
        self,
        label: str,
        document: Mapping[str, Any],
        *,
        wanted: Callable[[], bool],
        told: Callable[[], None],
    ) -> None:
        """Tell one sink; returns at once.

        Args:
            label: Which one.
            document: What JSON can hold.
            wanted: Asked before another attempt: does the wait still go on?
            told: Called when it has arrived.

        """
        sink = next((s for s in self.sinks if s.label == label), None)
        if sink is None:
            return
        courier = self._couriers.get(label)
        if courier is None:
            courier = _Courier(sink=sink, clock=self.clock, send=self._send)
            self._couriers[label] = courier
        courier.put(_Letter(document=document, wanted=wanted, told=told, at_s=self.clock()))
        if not courier.running:
            courier.running = True
            self.tasks.start_soon(courier.run)

    async def _send(self, sink: Sink, document: Mapping[str, Any]) -> None:
        if isinstance(sink, LogSink):
            known = ("escalation", "pane", "name", "cause", "question", "where", "words")
            _log.warning("person.needed", **{key: document.get(key) for key in known})
            return
        body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        key = str(document.get("escalation", ""))

        def carry() -> None:
            _post(sink, body, key) if isinstance(sink, WebhookSink) else _run(sink, body)

        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(4)
        # a closing controller leaves the thread behind; its time is bounded
        await anyio.to_thread.run_sync(carry, abandon_on_cancel=True, limiter=self._limiter)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_options: Any) -> None:
        return None  # a redirected post would become a get


def _post(sink: WebhookSink, body: bytes, key: str) -> None:
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "panegate",
        "Idempotency-Key": key,
    }
    request = urllib.request.Request(sink.url, data=body, headers=headers, method="POST")
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if urlsplit(sink.url).hostname in _LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    opener = urllib.request.build_opener(*handlers)
    try:
        with opener.open(request, timeout=_HTTP_S) as answer:
            answer.read(65536)
    except urllib.error.HTTPError as error:
        with error:
            again = error.code >= 500 or error.code in _AGAIN
            raise Undelivered(f"{sink.host} answers {error.code}", again=again) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        words = f"{sink.host}: {getattr(error, 'reason', error) or repr(error)}"
        raise Undelivered(words, again=True) from None


def _run(sink: ExecSink, body: bytes) -> None:
    try:
        done = subprocess.run(
            sink.argv,
            input=body,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_EXEC_S,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise Undelivered(f"{sink.argv[0]} took over {_EXEC_S:.0f} s", again=True) from None
    except OSError as error:
        raise Undelivered(f"{sink.argv[0]}: {error.strerror}", again=False) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        words = f"{sink.argv[0]} ended with status {done.returncode}" + (
            f": {said}" if said else ""
        )
        raise Undelivered(words, again=True)
