"""A transport that gives what a recording says its peer once gave."""

import asyncio
from collections import deque
from collections.abc import Iterable

import anyio
import attrs

from panegate_transports.base import Chunk
from panegate_transports.recording import BytesRecord, Direction, Record

__all__ = ["ReplayDifference", "ReplayDiffers", "ReplayTransport"]


@attrs.frozen(kw_only=True)
class ReplayDifference:
    """A send that is not what was recorded at its place in the stream."""

    offset: int
    """Position of the first differing byte, from the start of all that was sent."""
    recorded: bytes
    """What the recording has from there, at most as long as `sent`."""
    sent: bytes
    """What was sent from there on, to the end of the send."""


class ReplayDiffers(Exception):
    """What was sent is not what was recorded.

    Attributes:
        difference: Where, and both sides.

    """

    def __init__(self, difference: ReplayDifference) -> None:
        super().__init__(
            f"byte {difference.offset}: sent {difference.sent[:80]!r}, "
            f"recorded {difference.recorded[:80]!r}"
        )
        self.difference = difference


class ReplayTransport:
    """Plays one client's side of a recording; a `ByteTransport`.

    Recorded chunks come with their recorded stamps, as fast as they are asked
    for, whether or not what preceded them was sent. Nothing ever waits. Records
    are read as they are needed, so a recording may be larger than memory if both
    sides of it are consumed alike.
    """

    def __init__(self, records: Iterable[Record], client: str, *, strict: bool = False) -> None:
        """Make a transport of *client*'s records; others are passed over.

        Args:
            records: A recording, such as a `RecordingDecoder`. Errors in reading
                it are raised by whatever call met them.
            client: Which of the recorded streams to play.
            strict: Whether a send that differs raises `ReplayDiffers`; if not,
                it is kept in `differences`.

        """
        self._records = iter(records)
        self._client = client
        self._strict = strict
        self._chunks: deque[Chunk] = deque()
        self._recorded = bytearray()
        self._sent_bytes = 0
        self._differences: list[ReplayDifference] = []
        self._receiving = False
        self._ended = False
        self._closed = False

    @property
    def differences(self) -> tuple[ReplayDifference, ...]:
        """The sends so far that differ from the recording, in order."""
        return tuple(self._differences)

    @property
    def sent_bytes(self) -> int:
        """How many bytes were sent so far."""
        return self._sent_bytes

    def rest(self) -> bytes:
        """Return what the recording sent further, reading it to its end."""
        while self._pull():
            pass
        return bytes(self._recorded)

    async def receive(self) -> Chunk:
        """Return the next recorded chunk; see `ByteTransport.receive`.

        Raises:
            anyio.BusyResourceError: Another task is receiving.

        """
        if self._receiving:
            raise anyio.BusyResourceError("receiving from")
        self._receiving = True
        try:
            await asyncio.sleep(0)
            return self.receive_nowait()
        finally:
            self._receiving = False

    def receive_nowait(self) -> Chunk:
        """Return the next recorded chunk; it never would block."""
        if self._closed:
            raise anyio.ClosedResourceError
        while not self._chunks:
            if not self._pull():
                raise anyio.EndOfStream
        return self._chunks.popleft()

    async def send(self, data: bytes) -> None:
        """Compare *data* with what was recorded.

        Raises:
            ReplayDiffers: It differs, and the transport is strict.

        """
        self.send_nowait(data)

    def send_nowait(self, data: bytes) -> None:
        """Compare *data* with what was recorded.

        Raises:
            ReplayDiffers: It differs, and the transport is strict.

        """
        if self._closed or self._ended:
            raise anyio.ClosedResourceError
        while len(self._recorded) < len(data) and self._pull():
            pass
        recorded = bytes(self._recorded[: len(data)])
        del self._recorded[: len(data)]
        start, self._sent_bytes = self._sent_bytes, self._sent_bytes + len(data)
        if recorded == data:
            return
        same = next(
            (n for n, (a, b) in enumerate(zip(recorded, data, strict=False)) if a != b),
            len(recorded),
        )
        difference = ReplayDifference(
            offset=start + same, recorded=recorded[same:], sent=data[same:]
        )
        self._differences.append(difference)
        if self._strict:
            raise ReplayDiffers(difference)

    async def send_eof(self) -> None:
        """Refuse later sends. Idempotent."""
        self._ended = True

    async def aclose(self) -> None:
        """Close; a second call does nothing."""
        self._closed = True

    def _pull(self) -> bool:
        """Read one more record; return False at the end of the recording."""
        record = next(self._records, None)
        if record is None:
            return False
        if isinstance(record, BytesRecord) and record.client == self._client:
            if record.direction is Direction.OUT:
                self._recorded += record.data
            elif record.data:
                self._chunks.append(Chunk(record.data, record.at_s))
        return True
