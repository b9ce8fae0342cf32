"""What a journal promises: a write is in it before its first byte leaves."""

from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from panegate.gate.receipt import Receipt
from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.session.events import Event
from panegate.terms import Intent

__all__ = ["Journal", "KeptWrite", "PaneRow", "Record", "Run", "WriteRow"]


@attrs.frozen(kw_only=True)
class WriteRow:
    """A write as it is known before it begins; a secret's text never stands here."""

    write_id: str
    pane: PaneId
    server: str
    """Identity of the server: pid, start time and socket."""
    intent: Intent
    text: str | None
    """None where the text is a secret, or where only digests are kept."""
    text_digest: str
    by: str
    at_utc: str
    """ISO 8601, UTC."""
    pane_pid: int = 0
    """Process of the pane: by it the pane is known again; 0 where it is not known."""
    pane_name: str = ""


@attrs.frozen(kw_only=True)
class Run:
    """One life of one controller; dead when its process is gone."""

    run: str
    pid: int
    started: str
    """Start of the process, as its system says it: tells a pid from a later one."""
    boot: str
    host: str
    program: str
    socket: str
    """Of its tmux server."""
    opened_utc: str
    closed_utc: str | None = None
    """When it ended in order; None for one that lives or crashed."""


@attrs.frozen(kw_only=True)
class KeptWrite:
    """A write as the journal has it."""

    row: WriteRow
    stage: Stage
    """How far it is known to have come: before `typing` not a byte of it left."""
    before: tuple[str, ...] = ()
    """Screen rows of the look that decided, from `typing` on."""
    receipt: Receipt | None = None
    """None until it has a fate."""
    run: Run | None = None
    """The controller that wrote it, where that is known."""


@attrs.frozen(kw_only=True)
class PaneRow:
    """A pane that a controller launched or adopted."""

    server: str
    pane: PaneId
    pane_pid: int
    name: str
    profile: str
    at_utc: str
    launch: Mapping[str, Any] | None = None
    """How it was started (argv, cwd, env, retain); None for adopted panes."""
    traits: Mapping[str, Any] = attrs.field(factory=dict)
    """What its caller said about it."""


@attrs.frozen(kw_only=True)
class Record:
    """One more fact about a pane that outlives its controller; the last one of a key counts.

    Kinds in use are named by those who keep them: ``escalation``, ``nudge``, ``claim``,
    ``outcome``.
    """

    kind: str
    server: str
    pane: PaneId
    key: str
    value: Mapping[str, Any]
    """What JSON can hold; never a secret."""
    at_utc: str


class Journal(Protocol):
    """Keeps writes, receipts and events. Every method may raise `JournalError`."""

    @property
    def key(self) -> bytes:
        """Key of the digests of texts; the same for the life of the journal."""
        ...

    async def begin(self, row: WriteRow) -> KeptWrite | None:
        """Keep *row*; when this returns it survives a crash of the controller.

        Returns:
            None; or, where a write of this id is kept already, that one: nothing changed.

        """
        ...

    async def stage(self, write_id: str, stage: Stage, before: tuple[str, ...] = ()) -> None:
        """Keep how far a write has come; `typing` before its first byte leaves."""
        ...

    async def finish(self, receipt: Receipt) -> None:
        """Keep the fate of a write; the first one counts."""
        ...

    async def kept(self, write_id: str) -> KeptWrite | None:
        """Return a write, None when there is none."""
        ...

    async def receipt(self, write_id: str) -> Receipt | None:
        """Return the receipt of a finished write, None when there is none."""
        ...

    async def append(self, event: Event) -> None:
        """Keep an event of the stream; does not wait until it is kept."""
        ...

    async def events(self, since: int, limit: int = 10_000) -> list[Event]:
        """Return the kept events with a sequence number above *since*, oldest first."""
        ...

    async def last_seq(self) -> int:
        """Return the number after which the event stream goes on."""
        ...

    async def orphans(self) -> list[KeptWrite]:
        """Return the writes without a fate whose controller is gone; they are ours now."""
        ...

    async def dead_clients(self) -> list[tuple[int, str]]:
        """Return pid and start of the control clients that dead controllers left; once."""
        ...

    async def open_pane(self, row: PaneRow) -> None:
        """Keep what a pane was launched or adopted with."""
        ...

    async def pane(self, server: str, pane: PaneId, pane_pid: int) -> PaneRow | None:
        """Return what is kept of a pane of this very server and process."""
        ...

    async def record(self, record: Record) -> None:
        """Keep a record; another one of its kind, pane and key is replaced."""
        ...

    async def records(self, kind: str, server: str, pane: PaneId | None = None) -> list[Record]:
        """Return records of a server, oldest first."""
        ...

    async def note_client(self, pid: int) -> None:
        """Keep the process of a control client of ours, to end it should we crash."""
        ...

    async def aclose(self) -> None:
        """Flush and close. Idempotent."""
        ...
