"""Requests in flight, and which blocks answer them.

How many blocks a command line gives can't be known: ``;``, ``if-shell`` and hooks give
more, errors cut a line short, comments give none. So each request ends with a command line
of its own, ``display-message -p <nonce>``, in the same write, and every block up to the
one that holds just the nonce belongs to the request. A command line that fails or cannot
even be parsed does not keep the next line from running.
"""

import re
from collections import deque
from collections.abc import Sequence
from typing import Final

import attrs

from panegate.errors import LocalProtocolError
from panegate.wire.events import Block, Reply, RequestLost, StrayBlock

__all__ = ["ReplyMatcher", "Taken"]

_NONCE: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_COMMAND_LINE: Final = re.compile(rb"[!-~][ -~]*")


@attrs.frozen
class Taken:
    """What became of a block."""

    events: tuple[Reply | RequestLost | StrayBlock, ...] = ()
    rows_are_data: bool = True
    """False when rows of the block that are notifications are to be reported as such."""


_STORED: Final = Taken()
_STORED_NO_DATA: Final = Taken(rows_are_data=False)


@attrs.define
class _Pending:
    """A request that waits for its nonce."""

    request_id: int
    nonce: bytes
    rows_are_data: bool
    blocks: list[Block] = attrs.field(factory=list[Block])
    hook_blocks: list[Block] = attrs.field(factory=list[Block])

    def lost(self) -> RequestLost:
        return RequestLost(
            request_id=self.request_id,
            blocks=tuple(self.blocks),
            hook_blocks=tuple(self.hook_blocks),
        )


class ReplyMatcher:
    """Outstanding requests, first in, first out."""

    def __init__(self) -> None:
        self._pending: deque[_Pending] = deque()
        self._last_request_id = 0

    def __len__(self) -> int:
        return len(self._pending)

    def add(
        self, command_lines: Sequence[bytes], *, nonce: bytes, rows_are_data: bool
    ) -> tuple[int, bytes]:
        """Register a request; see `panegate.wire.connection.Connection.request`."""
        if not command_lines:
            msg = "a request needs a command line"
            raise LocalProtocolError(msg)
        for line in command_lines:
            if not _COMMAND_LINE.fullmatch(line):
                msg = f"not a command line of printable ASCII: {line[:80]!r}"
                raise LocalProtocolError(msg)
        if not _NONCE.fullmatch(nonce):
            msg = f"not a nonce: {nonce[:80]!r}"
            raise LocalProtocolError(msg)
        if any(nonce == pending.nonce for pending in self._pending):
            msg = f"the nonce is in use: {nonce!r}"
            raise LocalProtocolError(msg)
        self._last_request_id += 1
        self._pending.append(_Pending(self._last_request_id, nonce, rows_are_data))
        written = b"\n".join((*command_lines, b"display-message -p " + nonce, b""))
        return self._last_request_id, written

    def withdraw(self, request_id: int) -> None:
        """Forget a request of which not one byte was written.

        Raises:
            LocalProtocolError: No such request is outstanding.

        """
        for pending in self._pending:
            if pending.request_id == request_id:
                self._pending.remove(pending)
                return
        msg = f"no request {request_id} is outstanding"
        raise LocalProtocolError(msg)

    def take(self, block: Block) -> Taken:
        """Give a closed block to the request it belongs to."""
        if not self._pending:
            return Taken((StrayBlock(block),))
        front = self._pending[0]
        if not block.flags & 1:
            front.hook_blocks.append(block)
            return _STORED
        index = self._answered(block)
        if index is None:
            front.blocks.append(block)
            return _STORED if front.rows_are_data else _STORED_NO_DATA
        if index:
            # Sentinels went missing: whose blocks these were can't be told any more.
            lost = tuple(self._pending.popleft().lost() for _ in range(index + 1))
            return Taken(lost, rows_are_data=False)
        self._pending.popleft()
        reply = Reply(
            request_id=front.request_id,
            blocks=tuple(front.blocks),
            hook_blocks=tuple(front.hook_blocks),
        )
        return Taken((reply,), rows_are_data=False)

    def lose_all(self) -> list[RequestLost]:
        """Give up every request, oldest first."""
        lost = [pending.lost() for pending in self._pending]
        self._pending.clear()
        return lost

    def _answered(self, block: Block) -> int | None:
        """Return which request *block* is the sentinel of.

        Builds that write notifications inside blocks may have added rows to it: all
        but the nonce start with ``%``.
        """
        if not block.ok:
            return None
        text: bytes | None = None
        for line in block.lines:
            if not line.startswith(b"%"):
                if text is not None:
                    return None
                text = line
        if text is None:
            return None
        for index, pending in enumerate(self._pending):
            if pending.nonce == text:
                return index
        return None
