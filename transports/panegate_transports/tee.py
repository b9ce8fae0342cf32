"""A transport that passes everything through and shows it to a recorder."""

import contextlib
import time
from collections.abc import Callable

from panegate_transports.base import ByteTransport, Chunk
from panegate_transports.recording import Direction

__all__ = ["TeeTransport"]


class TeeTransport:
    """Wraps a `ByteTransport` and records what passes; a `ByteTransport` itself.

    What is received is recorded with its own stamp when it is taken; what is
    sent, before it leaves, so that no answer precedes it: a send that fails or
    is cancelled stays in the recording, for some of it may have been sent. A
    recorder that fails is reported once and not called again; the stream goes on.
    """

    def __init__(
        self,
        inner: ByteTransport,
        record: Callable[[Direction, Chunk], None],
        *,
        on_error: Callable[[Exception], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wrap *inner*, which is closed with this transport.

        Args:
            inner: The transport that does the work.
            record: Called with each chunk; must be quick.
            on_error: Called with the first exception that *record* raises.
            clock: Stamps what is sent, monotonic seconds.

        """
        self._inner = inner
        self._record = record
        self._on_error = on_error
        self._clock = clock
        self._sendable = True
        self._failure: Exception | None = None

    @property
    def failure(self) -> Exception | None:
        """What the recorder raised; the recording ends there."""
        return self._failure

    async def receive(self) -> Chunk:
        """Receive and record; see `ByteTransport.receive`."""
        chunk = await self._inner.receive()
        self._note(Direction.IN, chunk)
        return chunk

    def receive_nowait(self) -> Chunk:
        """Receive and record; see `ByteTransport.receive_nowait`."""
        chunk = self._inner.receive_nowait()
        self._note(Direction.IN, chunk)
        return chunk

    async def send(self, data: bytes) -> None:
        """Record and send; see `ByteTransport.send`."""
        if data and self._sendable:
            self._note(Direction.OUT, Chunk(data, self._clock()))
        await self._inner.send(data)

    def send_nowait(self, data: bytes) -> None:
        """Send and record; see `ByteTransport.send_nowait`."""
        at_s = self._clock()
        self._inner.send_nowait(data)
        if data:
            self._note(Direction.OUT, Chunk(data, at_s))

    async def send_eof(self) -> None:
        """Pass on; see `ByteTransport.send_eof`."""
        self._sendable = False
        await self._inner.send_eof()

    async def aclose(self) -> None:
        """Close the inner transport."""
        self._sendable = False
        await self._inner.aclose()

    def _note(self, direction: Direction, chunk: Chunk) -> None:
        if self._failure is not None:
            return
        try:
            self._record(direction, chunk)
        except Exception as exc:
            self._failure = exc
            if self._on_error is not None:
                with contextlib.suppress(Exception):
                    self._on_error(exc)
