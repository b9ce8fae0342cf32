"""One controller in charge of a tmux server: a lock that its process holds while it lives.

The kernel lets go of it whatever ends the process, so there is no heartbeat and nothing to
clean up. What the file says is for people: who holds it, and since when.
"""

import contextlib
import fcntl
import hashlib
import json
import os
from pathlib import Path

import attrs

from panegate.errors import PanegateError, ServerHeld
from panegate.journal import processes
from panegate.journal.store import state_folder, utc_now

__all__ = ["Holder", "ServerLock", "holder_of", "lock_path"]


@attrs.frozen(kw_only=True)
class Holder:
    """The controller that is in charge of a server."""

    pid: int
    started: str
    """Start of its process, as its system says it."""
    program: str
    since_utc: str


def lock_path(socket: str, folder: Path | None = None) -> Path:
    """Return the lock of the tmux server behind *socket*."""
    digest = hashlib.blake2b(socket.encode(), digest_size=8).hexdigest()
    return (state_folder() if folder is None else folder) / "locks" / f"{digest}.lock"


@attrs.define(eq=False)
class ServerLock:
    """Held from `take` to `release`, or to the end of the process."""

    _handle: int

    @classmethod
    def take(cls, path: Path, *, server: str) -> "ServerLock":
        """Take the lock; that of a dead holder is free.

        Args:
            path: From `lock_path`.
            server: The tmux server, for people.

        Raises:
            ServerHeld: Another controller is in charge; says who.
            PanegateError: The lock cannot be made.

        """
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            msg = f"the lock {path} cannot be made: {error.strerror}"
            raise PanegateError(msg, fix="make its folder writable") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            found = _read(handle)
            os.close(handle)
            raise _held(server, found) from None
        _write(handle)
        return cls(handle)

    def release(self) -> None:
        """Give it back. Idempotent."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)
            os.close(handle)


def holder_of(path: Path) -> Holder | None:
    """Return who holds a lock now, None where nobody does."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        # a shared try for an instant: a controller that takes it just then would be turned away
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(handle) or Holder(pid=0, started="", program="", since_utc="")
    finally:
        os.close(handle)
    return None


def _held(server: str, found: Holder | None) -> ServerHeld:
    if found is None:
        return ServerHeld(f"another controller is in charge of the tmux server {server}")
    itself = " of this very process" if found.pid == os.getpid() else ""
    msg = (
        f"a controller{itself} is in charge of the tmux server {server}:"
        f" pid {found.pid} ({found.program}), since {found.since_utc}"
    )
    return ServerHeld(msg, pid=found.pid, fix="end that one first, or watch launched panes alone")


def _write(handle: int) -> None:
    pid = os.getpid()
    me = Holder(
        pid=pid,
        started=processes.process_start(pid),
        program=processes.program_words(),
        since_utc=utc_now(),
    )
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(attrs.asdict(me)).encode(), 0)


def _read(handle: int) -> Holder | None:
    try:
        fields = json.loads(os.pread(handle, 4096, 0))
        return Holder(**{field.name: fields[field.name] for field in attrs.fields(Holder)})
    except (OSError, ValueError, TypeError, LookupError):
        return None
