"""How one process waits on the pane's terminal: by its system calls or by wchan."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Final

from panegate.panes.facts import ProbeLevel, TtyWait
from panegate.probes.descriptors import Descriptors, FdKind
from panegate.probes.procfs import read_bytes
from panegate.probes.syscalls import Call, Shape, is_endless, parse_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from panegate.probes.procfs import ProcessStat

__all__ = ["MAX_THREADS", "ProcessWaits", "strongest"]

MAX_THREADS: Final = 256
"""Threads looked at in one process."""
_MAX_POLLED: Final = 1024
_MAX_SELECTED: Final = 1 << 16
_POLLIN: Final = 0x1 | 0x40
_RELAYS: Final = (FdKind.SOCKET, FdKind.PTY_MASTER)
_AMBIGUOUS: Final = (FdKind.SOCKET, FdKind.WAITABLE, FdKind.PTY_MASTER, FdKind.HIDDEN)

_RANK: Final = {
    TtyWait.ABSENT: 0,
    TtyWait.UNKNOWN: 1,
    TtyWait.EVENT_LOOP: 2,
    TtyWait.TIMED: 3,
    TtyWait.SELECT: 4,
    TtyWait.READ: 5,
}

# Kernel functions; compilers append suffixes such as ``.constprop.0``.
_TTY_READ = "n_tty_read"
_READ_LIKE = "wait_woken"  # terminals, but also TCP and inotify
_EPOLL_LIKE = ("do_epoll_wait", "ep_poll")
_POLL_LIKE = ("poll_schedule_timeout", "do_sys_poll", "do_poll", "do_select")
_ELSEWHERE = (
    "hrtimer_nanosleep",
    "do_nanosleep",
    "common_nsleep",
    "do_wait",
    "kernel_wait4",
    "anon_pipe_",
    "pipe_read",
    "pipe_write",
    "wait_for_partner",
    "inet_csk_accept",
    "__skb_wait_for_more_packets",
    "unix_stream_",
    "futex_",
    "do_sigtimedwait",
    "sigsuspend",
    "__do_sys_pause",
    "do_pause",
    "locks_lock_inode_wait",
    "do_msgrcv",
    "do_semtimedop",
    "do_signal_stop",
    "ptrace_stop",
    "folio_wait",
    "io_schedule",
    "n_tty_write",
)


def strongest(waits: Iterable[TtyWait]) -> TtyWait:
    """Return the wait that says most: READ, SELECT, TIMED, EVENT_LOOP, UNKNOWN, ABSENT."""
    return max(waits, key=_RANK.__getitem__, default=TtyWait.UNKNOWN)


class ProcessWaits:
    """Reads how processes wait on one terminal.

    A process that holds the controlling side of another terminal, or has a socket
    in the set it waits on, relays input for somebody else (``ssh``, ``script``,
    ``sudo`` with its own terminal): it waits on the terminal whatever runs behind it,
    so it counts as EVENT_LOOP, never as READ or SELECT.

    Args:
        proc: Where procfs is mounted.
        tty: ``st_rdev`` of the terminal.
        calls: System call numbers, or None to use wchan only.

    """

    def __init__(self, proc: str, *, tty: int, calls: Mapping[int, Shape] | None) -> None:
        self._proc = proc
        self._tty = tty
        self._calls = calls

    def of(self, process: ProcessStat, *, controlling: bool) -> tuple[TtyWait, ProbeLevel]:
        """Return the strongest wait among the threads of *process*, and the level used.

        TERMIOS as the level means that the rights told nothing. Never raises for a
        process that is gone.
        """
        directory = f"{self._proc}/{process.pid}"
        tids = [process.pid]
        try:
            if process.n_threads != 1:
                tids = [int(name) for name in os.listdir(f"{directory}/task")]
        except OSError:
            return TtyWait.ABSENT, ProbeLevel.FULL
        if process.state == "Z":  # its main thread ended; files and memory are the others'
            tids = [tid for tid in tids if tid != process.pid] or tids
            directory = f"{self._proc}/{tids[0]}"
        files = Descriptors(directory, tty=self._tty, controlling=controlling)
        best, level = TtyWait.ABSENT, ProbeLevel.FULL
        calls, watched = self._calls, tids[:MAX_THREADS]
        if calls is None:
            best, level = self._by_wchan(directory, watched, process, files)
        else:
            try:
                best = strongest(self._by_call(directory, tid, files, calls) for tid in watched)
            except PermissionError:
                best, level = self._by_wchan(directory, watched, process, files)
        if len(tids) > MAX_THREADS:
            best = strongest((best, TtyWait.UNKNOWN))
        if best is TtyWait.READ and FdKind.PTY_MASTER in (files.all() or {}).values():
            best = TtyWait.EVENT_LOOP
        return best, level

    def _by_call(
        self, directory: str, tid: int, files: Descriptors, calls: Mapping[int, Shape]
    ) -> TtyWait:
        """Judge one thread by its system call.

        Raises:
            PermissionError: The rights do not suffice.

        """
        thread = f"{directory}/task/{tid}"
        try:
            line = read_bytes(f"{thread}/syscall")
        except PermissionError:
            raise
        except OSError:
            return TtyWait.ABSENT  # it ended
        call = parse_call(line, calls)
        if call is None:
            return self._wchan(thread, files, state="")[0]
        match call.shape:
            case Shape.OTHER:
                return TtyWait.ABSENT
            case Shape.READ_0 | Shape.READ_1:
                fd = call.arguments[call.shape is Shape.READ_1]
                return _reading(files.kind(fd))
            case Shape.EPOLL:
                return _in_epoll(files.epoll_has_tty(call.arguments[0]))
            case Shape.RING:
                return self._unseen(files)
            case Shape.RESTART:
                return self._restarted(thread, call, files)
            case _:
                return self._set(directory, call, files)

    def _restarted(self, thread: str, call: Call, files: Descriptors) -> TtyWait:
        """Judge a call that a stop or a signal interrupted: its number is lost."""
        name = _read_wchan(thread)
        if name.startswith(_POLL_LIKE):
            directory = thread.rpartition("/task/")[0]
            return self._set(directory, Call(Shape.POLL, call.arguments), files)
        return TtyWait.ABSENT if name.startswith(_ELSEWHERE) else self._unseen(files)

    def _unseen(self, files: Descriptors) -> TtyWait:
        kinds = files.all()
        has_tty = kinds is None or FdKind.TTY in kinds.values()
        return TtyWait.UNKNOWN if has_tty else TtyWait.ABSENT

    def _set(self, directory: str, call: Call, files: Descriptors) -> TtyWait:
        """Judge a wait on a set of descriptors in the process's memory."""
        arguments = call.arguments
        try:
            with _Memory(directory) as memory:
                if call.shape is Shape.SELECT:
                    fds = memory.selected(arguments[0], arguments[1])
                    endless = memory.endless(arguments[4])
                else:
                    fds = memory.polled(arguments[0], arguments[1])
                    if call.shape is Shape.POLL:
                        milliseconds = arguments[2] & 0xFFFFFFFF
                        endless = milliseconds >> 31 == 1 or is_endless(milliseconds // 1000)
                    else:
                        endless = memory.endless(arguments[2])
        except (OSError, ValueError, struct.error):
            return TtyWait.UNKNOWN
        kinds = [files.kind(fd) for fd in fds]
        if FdKind.TTY in kinds:
            if any(kind in _RELAYS for kind in kinds):
                return TtyWait.EVENT_LOOP
            return TtyWait.SELECT if endless else TtyWait.TIMED
        if FdKind.HIDDEN in kinds:
            return TtyWait.UNKNOWN
        nested = [
            _in_epoll(files.epoll_has_tty(fd))
            for fd, kind in zip(fds, kinds, strict=True)
            if kind is FdKind.EPOLL
        ]
        return strongest((TtyWait.ABSENT, *nested))

    def _by_wchan(
        self, directory: str, tids: list[int], process: ProcessStat, files: Descriptors
    ) -> tuple[TtyWait, ProbeLevel]:
        judged = [
            self._wchan(f"{directory}/task/{tid}", files, state=process.state) for tid in tids
        ]
        told = any(told for _, told in judged)
        level = ProbeLevel.WCHAN if told else ProbeLevel.TERMIOS
        return strongest(wait for wait, _ in judged), level

    def _wchan(self, thread: str, files: Descriptors, *, state: str) -> tuple[TtyWait, bool]:
        """Judge one thread by the kernel function it sleeps in, and say if that told."""
        name = _read_wchan(thread)
        if name in ("", "0"):
            running = _thread_state(thread) == "R" if state in ("S", "") else state == "R"
            return (TtyWait.ABSENT, True) if running else (TtyWait.UNKNOWN, False)
        if name.startswith(_ELSEWHERE):
            return TtyWait.ABSENT, True
        kinds = files.all()
        if kinds is not None and FdKind.TTY not in kinds.values():
            hidden = FdKind.HIDDEN in kinds.values()
            return (TtyWait.UNKNOWN if hidden else TtyWait.ABSENT), True
        if name.startswith(_TTY_READ):
            return (TtyWait.READ if kinds is not None else TtyWait.UNKNOWN), True
        if name.startswith(_READ_LIKE):
            sure = kinds is not None and not any(k in _AMBIGUOUS for k in kinds.values())
            return (TtyWait.READ if sure else TtyWait.UNKNOWN), True
        if name.startswith(_EPOLL_LIKE) and kinds is not None:
            sets = [fd for fd, kind in kinds.items() if kind is FdKind.EPOLL]
            return strongest(_in_epoll(files.epoll_has_tty(fd)) for fd in sets), True
        return TtyWait.UNKNOWN, True


class _Memory:
    """Another process's memory, open for a few reads."""

    def __init__(self, directory: str) -> None:
        self._path = f"{directory}/mem"
        self._fd = -1

    def __enter__(self) -> _Memory:
        self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def polled(self, address: int, n: int) -> list[int]:
        """Return the descriptors that a pollfd array wants input from."""
        if n > _MAX_POLLED:
            msg = f"{n} descriptors polled"
            raise ValueError(msg)
        raw = os.pread(self._fd, 8 * n, address) if n else b""
        return [fd for fd, want, _ in struct.iter_unpack("=ihH", raw) if fd >= 0 and want & _POLLIN]

    def selected(self, n: int, address: int) -> list[int]:
        """Return the descriptors in a read set of *n* bits."""
        if n > _MAX_SELECTED:
            msg = f"{n} descriptors selected"
            raise ValueError(msg)
        if not address or not n:
            return []
        bits = int.from_bytes(os.pread(self._fd, (n + 7) // 8, address), "little")
        return [fd for fd in range(n) if bits >> fd & 1]

    def endless(self, address: int) -> bool:
        """Tell whether a timeout by address (timespec or timeval) means for ever."""
        if not address:
            return True
        (seconds,) = struct.unpack("=q", os.pread(self._fd, 8, address))
        return is_endless(seconds)


def _reading(kind: FdKind) -> TtyWait:
    if kind is FdKind.TTY:
        return TtyWait.READ
    return TtyWait.UNKNOWN if kind is FdKind.HIDDEN else TtyWait.ABSENT


def _in_epoll(has_tty: bool | None) -> TtyWait:
    if has_tty is None:
        return TtyWait.UNKNOWN
    return TtyWait.EVENT_LOOP if has_tty else TtyWait.ABSENT


def _read_wchan(thread: str) -> str:
    try:
        return read_bytes(f"{thread}/wchan").decode("ascii", "replace")
    except OSError:
        return ""


def _thread_state(thread: str) -> str:
    try:
        raw = read_bytes(f"{thread}/stat")
    except OSError:
        return "X"
    return raw[raw.rindex(b")") + 2 :][:1].decode("ascii")
