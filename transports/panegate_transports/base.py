"""What every transport promises: ordered bytes, stamped on arrival."""

from typing import Protocol, runtime_checkable

import attrs

__all__ = ["ByteTransport", "Chunk"]


@attrs.frozen
class Chunk:
    """Bytes as they were read, at any boundary."""

    data: bytes
    at_s: float
    """Monotonic seconds (`time.monotonic`) taken right after the read returned."""


@runtime_checkable
class ByteTransport(Protocol):
    """An ordered, reliable stream of bytes to one peer, and back.

    One task may receive and one task may send at a time. Errors are anyio's:
    `anyio.EndOfStream`, `anyio.BrokenResourceError` (the world broke it),
    `anyio.ClosedResourceError` (we closed it).
    """

    async def receive(self) -> Chunk:
        """Return the next non-empty chunk.

        The stamp is taken where the bytes arrive, not where they are consumed:
        a blocked event loop must not look like silence.

        Raises:
            anyio.EndOfStream: The peer closed its end and all of it was returned.
            anyio.BrokenResourceError: The stream failed.
            anyio.ClosedResourceError: This end was closed before.

        """
        ...

    def receive_nowait(self) -> Chunk:
        """Return a chunk that has already arrived.

        Raises:
            anyio.WouldBlock: Nothing has arrived.
            anyio.EndOfStream: As for `receive`; likewise the other two.

        """
        ...

    async def send(self, data: bytes) -> None:
        """Send all of *data*.

        Raises:
            anyio.BrokenResourceError: It failed; an unknown part was sent.
            anyio.ClosedResourceError: This end was closed before; nothing was sent.

        Cancelled: an unknown part was sent; the stream must then be closed.

        """
        ...

    def send_nowait(self, data: bytes) -> None:
        """Send all of *data* now if the peer's buffer takes it whole.

        Raises:
            anyio.WouldBlock: It would block; nothing was sent.
            anyio.BrokenResourceError: It failed; an unknown part was sent.
            anyio.ClosedResourceError: As for `send`.

        """
        ...

    async def send_eof(self) -> None:
        """Say that no more will be sent; receiving goes on. Idempotent."""
        ...

    async def aclose(self) -> None:
        """Close in order, bounded in time; a second call does nothing."""
        ...
