"""What programs say of themselves outside their screens: hooks, records, child processes.

Nothing polls. A file that is written, a hook's report, a change of a pane's state or of its
child processes, and a caller's claim lead to one reading in a worker thread; what it finds
is fed to the pane as a value. On another host a reading is one ``ssh`` of its own.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc
import attrs

from panegate.errors import NoSuchPane
from panegate.ids import PaneId
from panegate.panes.facts import ProbeLevel
from panegate.probes.children import children_of
from panegate.probes.hooks.places import report_name, runtime_folder
from panegate.probes.hooks.reports import read_reports
from panegate.probes.procfs import ProcessTable
from panegate.probes.remote import read_remote
from panegate.probes.transcripts.changes import FileChanges
from panegate.probes.transcripts.claude import read_claude
from panegate.probes.transcripts.codex import read_codex
from panegate.probes.transcripts.finding import find_transcript, place_of, program_of, reader_of
from panegate.probes.transcripts.lines import Tail
from panegate.probes.transcripts.tail import read_tail
from panegate.runtime.client import ControlClient
from panegate.runtime.logs import get_logger
from panegate.session.claims import Child, Claim, Standing, claim_of_words
from panegate.session.inputs import Claimed, Recorded
from panegate.session.tracker import PaneTracker
from panegate.session.transcript import Record
from panegate.terms import State
from panegate.wire.commands import command
from panegate.wire.events import Event, SubscriptionChanged

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = ["Records", "Told"]

_log = get_logger()

_READERS: Final = {"claude": read_claude, "codex": read_codex}
_REMOTE_WITHIN_S: Final = 20.0
_KEPT_S: Final = 86_400.0
_MAX_REPORTS: Final = 512 * 1024
_OPTION: Final = "@agent_state"
# a value that may hold anything would break the stream's lines: only words pass
_OPTION_FORMAT: Final = f"#{{?#{{m/r:^[A-Za-z_-]+$,#{{{_OPTION}}}}},#{{{_OPTION}}},}}"
_SUBSCRIPTION: Final = "panegate-agent-"


@attrs.define(kw_only=True, eq=False)
class Told:
    """What one pane's program has said so far."""

    pane: Pane
    tracker: PaneTracker
    report: str
    """Name of its file of hook reports."""
    since_s: float
    """Reports before this wall time are about an earlier program."""
    program: str = ""
    transcript: str = ""
    offset: int = 0
    seen: tuple[tuple[int, ...], State, str] | None = None
    """Processes, state and screen that led to the last reading."""
    reading: bool = False
    again: bool = False
    client: ControlClient | None = None


@attrs.frozen(kw_only=True)
class _Reading:
    transcript: str
    record: Record | None
    children: tuple[Child, ...]
    wall_offset_s: float
    reports: bytes = b""


@attrs.define(kw_only=True, eq=False)
class Records:
    """Reads what the programs of one controller say of themselves."""

    ctl: Controller
    _told: dict[PaneId, Told] = attrs.field(factory=dict, init=False)
    _changes: FileChanges | None = attrs.field(default=None, init=False)
    _table: ProcessTable | None = attrs.field(default=None, init=False)
    _limiter: anyio.CapacityLimiter | None = attrs.field(default=None, init=False)

    @classmethod
    def of(cls, ctl: Controller) -> Records:
        """Return those of a controller."""
        return cls(ctl=ctl)

    # --- what happens ---------------------------------------------------------------

    def _opened(self, pane: Pane) -> Told:
        """A pane is watched from now on, or another program runs in it."""
        for gone in [pane_id for pane_id in self._told if not self._is_watched(pane_id)]:
            self._dropped(gone)
        facts = self.ctl.link.server
        told = Told(
            pane=pane,
            tracker=pane.tracker,
            report=report_name(facts.socket, facts.pid, pane.id),
            since_s=self._started_s(pane),
        )
        self._told[pane.id] = told
        offset_s = time.time() - time.monotonic()
        self.ctl.put(Recorded(pane.id, None, (), offset_s, self.ctl.clock()))
        if self._local:
            self._watch_reports(told)
        return told

    def _is_watched(self, pane_id: PaneId) -> bool:
        told = self._told[pane_id]
        return any(pane.tracker is told.tracker for pane in self.ctl.panes)

    def _dropped(self, pane_id: PaneId) -> None:
        told = self._told.pop(pane_id)
        if told.client is not None and told.client.alive:
            self._subscribe(told.client, pane_id, None)
        if self._changes is not None:
            self._changes.unwatch(self._report_path(told))
            if told.transcript:
                self._changes.unwatch(told.transcript)
        self._clean(told)

    def settled(self, tracker: PaneTracker) -> None:
        """A pane was touched: its state or its processes may be others."""
        told = self._told.get(tracker.pane_id)
        if told is None or told.tracker is not tracker:
            try:
                pane = self.ctl.pane(tracker.pane_id)
            except NoSuchPane:
                return  # it is being opened, or is forgotten
            if pane.tracker is not tracker:
                return
            told = self._opened(pane)
        pane = told.pane
        client = self.ctl.link.carriers.get(pane.id)
        if client is not None and client.alive and client is not told.client:
            told.client = client
            self._subscribe(client, pane.id, _OPTION_FORMAT)
        look = pane.tracker.look
        kernel = look.kernel if look is not None else None
        if kernel is not None and kernel.level is ProbeLevel.NONE:
            kernel = None
        children = () if kernel is None else (*kernel.foreground_pids, *kernel.children)
        seen = (children, pane.state, self._screen(tracker) if kernel is None else "")
        if seen == told.seen:
            return
        told.seen = seen
        if not told.program:
            names = (pane.launched.argv[0],) if pane.launched is not None else ()
            now = look.fields.command if look is not None else ""
            told.program = program_of(*names, now, pane.profile.name)
        if told.program or told.transcript or pane.tracker.claims.claims:
            self.refresh(pane.id)

    def _screen(self, tracker: PaneTracker) -> str:
        """Return what stands for the processes of a waiting program where no kernel tells."""
        waits = tracker.claims.judgement().standing is Standing.WAITING
        return tracker.reading.frame if waits and tracker.reading is not None else ""

    def client_event(self, event: Event) -> bool:
        """Take a notification; False where it is for somebody else."""
        if not isinstance(event, SubscriptionChanged):
            return False
        if not event.name.startswith(_SUBSCRIPTION) or event.pane_id is None:
            return False
        told = self._told.get(event.pane_id)
        words = event.value.decode("utf-8", "replace")
        claim = claim_of_words(words, at_s=time.time(), source=_OPTION)
        if told is not None and claim is not None:
            self.claim(event.pane_id, claim)
        return True

    def claim(self, pane_id: PaneId, claim: Claim, transcript: str = "") -> None:
        """Take a claim about a pane, and read what there is to judge it by."""
        self.ctl.put(Claimed(pane_id, claim, self.ctl.clock()))
        if transcript:
            self.follow(pane_id, transcript)
        self.refresh(pane_id)

    def follow(self, pane_id: PaneId, path: str) -> None:
        """Read a pane's record at *path* from now on."""
        told = self._told.get(pane_id)
        if told is None or told.transcript == path:
            return
        if told.transcript and self._changes is not None:
            self._changes.unwatch(told.transcript)
        told.transcript = path
        self._watch_transcript(told)
        self.refresh(pane_id)

    def refresh(self, pane_id: PaneId) -> None:
        """Read a pane's record and processes soon; once, however often that is asked."""
        told = self._told.get(pane_id)
        if told is None or self.ctl.closed:
            return
        if told.reading:
            told.again = True
            return
        told.reading = True
        self.ctl.tasks.start_soon(self._refresh, told)

    def close(self) -> None:
        """Stop watching files. Idempotent."""
        if self._changes is not None:
            self._changes.close()
            self._changes = None
        for told in self._told.values():
            self._clean(told)
        self._told.clear()

    # --- inside ---------------------------------------------------------------------

    @property
    def _local(self) -> bool:
        return self.ctl.link.address.ssh is None

    def _started_s(self, pane: Pane) -> float:
        place = place_of(pane.target.pane_pid) if self._local else None
        return place.started_s - 1.0 if place is not None else 0.0

    def _watching(self) -> FileChanges:
        if self._changes is None:
            self._changes = FileChanges()
            _sweep(runtime_folder())
        return self._changes

    def _report_path(self, told: Told) -> str:
        return f"{runtime_folder()}/{told.report}"

    def _clean(self, told: Told) -> None:
        """Remove the reports of a program that is gone."""
        if self._local and told.tracker.state is State.EXITED:
            with contextlib.suppress(OSError):
                os.unlink(self._report_path(told))

    def _watch_reports(self, told: Told) -> None:
        folder = runtime_folder()
        with contextlib.suppress(FileExistsError, OSError):
            os.mkdir(folder, 0o700)
        self._watching().watch(self._report_path(told), lambda: self._take_reports(told))
        self._take_reports(told)

    def _watch_transcript(self, told: Told) -> None:
        if self._local:
            self._watching().watch(told.transcript, lambda: self.refresh(told.pane.id))

    def _take_reports(self, told: Told) -> None:
        """Read what was added to a pane's file of hook reports."""
        try:
            folder = os.open(runtime_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return
        data = b""
        try:
            found = os.fstat(folder)
            if found.st_uid == os.geteuid() and not found.st_mode & 0o077:
                data = _added(folder, told)
        except OSError:
            data = b""
        finally:
            os.close(folder)
        self._reported(told, data)

    def _reported(self, told: Told, data: bytes) -> None:
        for report in read_reports(data):
            if report.at_s < told.since_s:
                continue
            told.since_s = max(told.since_s, report.at_s)
            if report.transcript:
                self.follow(told.pane.id, report.transcript)
            if report.claim is not None:
                self.claim(told.pane.id, report.claim)

    async def _refresh(self, told: Told) -> None:
        try:
            while True:
                told.again = False
                if self._limiter is None:
                    self._limiter = anyio.CapacityLimiter(2)
                try:
                    read = await anyio.to_thread.run_sync(
                        self._read, told, abandon_on_cancel=True, limiter=self._limiter
                    )
                except Exception as error:
                    # a record that breaks a reader must not take the panes along
                    pane_id = told.pane.id
                    _log.error("record.failed", pane_id=pane_id, words=repr(error), exc_info=True)
                    read = None
                if self._told.get(told.pane.id) is not told or self.ctl.closed:
                    return
                if read is not None:
                    self._take(told, read)
                if not told.again:
                    return
        finally:
            told.reading = False

    def _take(self, told: Told, read: _Reading) -> None:
        if read.transcript and not told.transcript:
            told.transcript = read.transcript
            self._watch_transcript(told)
            told.again = True  # what was written before it was watched
        pane_id = told.pane.id
        self.ctl.put(
            Recorded(pane_id, read.record, read.children, read.wall_offset_s, self.ctl.clock())
        )
        if read.reports:
            since_s = told.since_s
            self._reported(told, read.reports)
            told.since_s = max(told.since_s + 1e-6, since_s)

    def _read(self, told: Told) -> _Reading | None:
        """Read everything; in a worker thread."""
        pane = told.pane
        pid = pane.target.pane_pid
        if not self._local:
            return self._read_remote(told, pid)
        path = told.transcript
        if self._table is None:
            self._table = ProcessTable()
        children = children_of(pid, self._table)
        if not path and told.program:
            path = find_transcript(told.program, [pid, *(c.pid for c in children)]) or ""
        tail = read_tail(path) if path else None
        return _Reading(
            transcript=path,
            record=_record(path, told.program, tail),
            children=children,
            wall_offset_s=time.time() - time.monotonic(),
        )

    def _read_remote(self, told: Told, pid: int) -> _Reading | None:
        wrap = self.ctl.link.address.wrap

        def run(argv: Sequence[str]) -> bytes:
            wrapped = wrap(argv)
            try:
                done = subprocess.run(
                    wrapped,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                    timeout=_REMOTE_WITHIN_S,
                )
            except subprocess.TimeoutExpired:
                return b""
            return done.stdout

        nonce = secrets.token_hex(16)
        began_s = time.monotonic()
        found = read_remote(
            run, nonce=nonce, report=told.report, transcript=told.transcript, pane_pid=pid
        )
        if found is None:
            return None
        return _Reading(
            transcript=told.transcript,
            record=_record(told.transcript, told.program, found.tail),
            children=found.children,
            wall_offset_s=found.now_s - (began_s + time.monotonic()) / 2,
            reports=found.reports,
        )

    def _subscribe(self, client: ControlClient, pane_id: PaneId, form: str | None) -> None:
        name = f"{_SUBSCRIPTION}{pane_id.lstrip('%')}"
        what = name if form is None else f"{name}:{pane_id}:{form}"
        client.request(
            [command("refresh-client", "-B", what)], lambda _answer: None, rows_are_data=False
        )


def _sweep(folder: str) -> None:
    """Remove reports of tmux servers that are gone, a day after the last one."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            parts = entry.name.rsplit(",", 2)
            if len(parts) == 3 and parts[1].isdigit() and not _is_alive(int(parts[1])):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _KEPT_S:
                    os.unlink(entry.path)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _record(path: str, program: str, tail: Tail | None) -> Record | None:
    if tail is None:
        return None
    return _READERS[program or reader_of(path)](tail)


def _added(folder: int, told: Told) -> bytes:
    """Return the whole lines added to the file since the last time."""
    try:
        file = os.open(told.report, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return b""
    try:
        size = os.fstat(file).st_size
        if size < told.offset:
            told.offset = 0  # it was begun anew
        data = os.pread(file, min(size - told.offset, _MAX_REPORTS), told.offset)
    finally:
        os.close(file)
    whole = data[: data.rfind(b"\n") + 1]
    told.offset += len(whole)
    return whole
