"""Callers' writes: journalled first, then queued, then answered by a receipt."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import uuid
from typing import TYPE_CHECKING

import anyio
import attrs

from panegate.errors import (
    JournalError,
    LocalProtocolError,
    NotReady,
    PanegateError,
    Refused,
    StaleAnswer,
)
from panegate.gate.keystrokes import is_key
from panegate.gate.plan import WriteRequest
from panegate.gate.policy import may_wait
from panegate.gate.receipt import Receipt
from panegate.gate.text import normalise
from panegate.journal.base import KeptWrite, WriteRow
from panegate.runtime.logs import get_logger
from panegate.service.refusing import fix_for
from panegate.service.settings import Answers
from panegate.service.turns import turn_of
from panegate.service.views import RunResult
from panegate.session.events import WriteFinished
from panegate.session.inputs import Withdrawn, Written
from panegate.terms import Fate, Intent, Reason

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = ["Writes"]

_log = get_logger()


@attrs.define(eq=False)
class _Pending:
    """A caller waits for the fate of a write."""

    row: WriteRow
    done: anyio.Event = attrs.field(factory=anyio.Event)
    finished: WriteFinished | None = None
    failure: Exception | None = None


@attrs.define(kw_only=True, eq=False)
class Writes:
    """All writes of one controller."""

    ctl: Controller
    by_cli: bool = False
    """The caller is a person at the command line."""
    _pending: dict[str, _Pending] = attrs.field(factory=dict, init=False)
    counts: dict[str, int] = attrs.field(factory=dict, init=False)
    """Finished writes by ``fate`` and ``fate:reason``."""

    async def message(
        self,
        pane: Pane,
        intent: Intent,
        text: str,
        write_id: str | None,
        within_s: float | None,
        submit: bool,
        literal: bool,
    ) -> Receipt:
        """Send a message, nudge or steer."""
        now_s = self.ctl.clock()
        wait_s = self.ctl.settings.send_within_s if within_s is None else within_s
        request = WriteRequest(
            write_id=write_id or _new_id(),
            pane_id=pane.id,
            intent=intent,
            asked_s=now_s,
            deadline_s=now_s + wait_s,
            text=normalise(text),
            submit=submit,
            literal=literal,
            text_digest=self._digest(text),
        )
        return await self._carry_out(pane, request, known=write_id is not None)

    async def keys(
        self,
        pane: Pane,
        intent: Intent,
        names: tuple[str, ...],
        within_s: float,
        *,
        clears: bool = False,
    ) -> Receipt:
        """Press keys."""
        unknown = [name for name in names if not is_key(name)]
        if unknown or not names:
            msg = f"not a key: {unknown[0]!r}" if unknown else "no keys to press"
            raise ValueError(msg)
        now_s = self.ctl.clock()
        request = WriteRequest(
            write_id=_new_id(),
            pane_id=pane.id,
            intent=intent,
            asked_s=now_s,
            deadline_s=now_s + within_s,
            keys=tuple(names),
            clears=clears,
        )
        return await self._carry_out(pane, request, known=False)

    async def answer(
        self,
        pane: Pane,
        prompt_id: str,
        *,
        option: str | None,
        text: str | None,
        secret: str | None,
        cancel: bool,
        by: str,
        within_s: float,
    ) -> Receipt:
        """Carry out a person's decision."""
        given = [option is not None, text is not None, secret is not None, cancel]
        if sum(given) != 1:
            msg = "an answer is one of option, text, secret or cancel"
            raise ValueError(msg)
        if not by.strip():
            msg = "an answer needs the name of who decided (by=)"
            raise ValueError(msg)
        allowed = self.ctl.settings.answers
        if allowed is Answers.NEVER or (allowed is Answers.CLI and not self.by_cli):
            raise Refused(
                f"answers are not allowed from here (answers = {allowed.value})",
                reason=Reason.ANSWERS_NOT_ALLOWED,
                state=pane.state,
                prompt=pane.prompt,
                fix='a person may use "panegate answer", or set answers = "allowed"',
            )
        now_s = self.ctl.clock()
        hidden = pane.prompt is not None and pane.prompt.secret
        request = WriteRequest(
            write_id=_new_id(),
            pane_id=pane.id,
            intent=Intent.ANSWER,
            asked_s=now_s,
            deadline_s=now_s + within_s,
            text=(text if text is not None else secret) or "",
            prompt_id=prompt_id,
            option=option,
            secret=secret is not None or hidden,
            cancel=cancel,
            by=by,
            text_digest=self._digest(text) if text is not None and not hidden else "",
        )
        return await self._carry_out(pane, request, known=False)

    def withdraw(self, pane: Pane, write_id: str) -> bool:
        """Take a write back."""
        words = "Withdrawn by its sender; nothing was written."
        now_s = self.ctl.clock()
        return self.ctl.put(Withdrawn(pane.id, write_id, Reason.WITHDRAWN, words, now_s))

    async def run(
        self,
        pane: Pane,
        text: str,
        within_s: float | None,
        turn_within_s: float | None,
    ) -> RunResult:
        """Send, wait for the end of the turn, read what was said."""
        now_s = self.ctl.clock()
        wait_s = self.ctl.settings.send_within_s if within_s is None else within_s
        request = WriteRequest(
            write_id=_new_id(),
            pane_id=pane.id,
            intent=Intent.MESSAGE,
            asked_s=now_s,
            deadline_s=now_s + wait_s,
            text=normalise(text),
            text_digest=self._digest(text),
        )
        finished = await self._finish(pane, request, known=False)
        receipt = self._judge(pane, finished)
        if receipt.fate is not Fate.LANDED:
            return RunResult(
                text="",
                state=pane.state,
                status=None,
                complete=False,
                words=receipt.words,
                receipt=receipt,
            )
        return await turn_of(pane, finished, request.text, turn_within_s)

    async def _carry_out(self, pane: Pane, request: WriteRequest, *, known: bool) -> Receipt:
        finished = await self._finish(pane, request, known=known)
        return self._judge(pane, finished)

    async def _finish(self, pane: Pane, request: WriteRequest, *, known: bool) -> WriteFinished:
        """Have a write carried out; *known*: its id is the caller's, and may be a repeated one."""
        self.ctl.check()
        write_id, row = request.write_id, self._row(pane, request)
        if known and (same := self._pending.get(write_id)) is not None:
            _require_same(same.row, row)
            return await self._ended(same)
        if known and pane not in self.ctl.panes:
            if (kept := await self.ctl.journal.kept(write_id)) is not None:
                return await self._again(kept, row)
        if pane not in self.ctl.panes:
            raise Refused(
                f"{pane.name} is not watched any more", reason=Reason.GONE_PANE, state=pane.state
            )
        pending = self._pending[write_id] = _Pending(row)
        try:
            kept = await self._begin(row, known=known)
        except BaseException as error:
            self._pending.pop(write_id, None)
            pending.failure = error if isinstance(error, Exception) else None
            pending.done.set()
            raise
        if kept is not None:
            self._pending.pop(write_id, None)
            pending.finished = await self._again(kept, row)
            pending.done.set()
            return pending.finished
        self.ctl.put(Written(pane.id, request, self.ctl.clock()))
        try:
            return await self._ended(pending)
        except anyio.get_cancelled_exc_class():
            words = "Its caller was cancelled; nothing was written."
            now_s = self.ctl.clock()
            self.ctl.put(Withdrawn(pane.id, write_id, Reason.WITHDRAWN, words, now_s))
            raise

    async def _begin(self, row: WriteRow, *, known: bool) -> KeptWrite | None:
        try:
            return await self.ctl.journal.begin(row)
        except JournalError:
            # nothing new is typed without it, but what is kept can still be told
            kept = None
            with contextlib.suppress(JournalError):
                kept = await self.ctl.journal.kept(row.write_id) if known else None
            if kept is None or kept.receipt is None:
                raise
            return kept
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self.ctl.keeping.give_up(row)
            raise

    async def _again(self, kept: KeptWrite, row: WriteRow) -> WriteFinished:
        """Return how the first write of this id ended."""
        _require_same(kept.row, row)
        receipt = kept.receipt or await self.ctl.keeping.fate_of(kept)
        if receipt is None:
            who = f" (pid {kept.run.pid})" if kept.run is not None else ""
            msg = f"the write {row.write_id!r} is under way in another process{who}"
            raise Refused(msg, reason=Reason.QUEUED, fix="ask again with the same id, later")
        ran_out = may_wait(receipt.intent, receipt.reason)
        return WriteFinished(
            pane=receipt.pane, receipt=receipt, ran_out=ran_out, at_s=self.ctl.clock()
        )

    async def _ended(self, pending: _Pending) -> WriteFinished:
        await pending.done.wait()
        if pending.failure is not None:
            raise pending.failure
        if pending.finished is None:
            raise PanegateError("the first call with this id was cancelled; nothing was written")
        return pending.finished

    def _judge(self, pane: Pane, finished: WriteFinished) -> Receipt:
        receipt = finished.receipt
        if receipt.fate is not Fate.REFUSED:
            return receipt
        kind: type[Refused] = NotReady if finished.ran_out else Refused
        stale = (Reason.STALE_PROMPT, Reason.NOT_PROMPTING)
        if receipt.intent is Intent.ANSWER and receipt.reason in stale:
            kind = StaleAnswer
        raise kind(
            receipt.words,
            reason=receipt.reason,
            state=receipt.state_after,
            prompt=pane.prompt,
            screen=pane.last_screen(),
            fix=fix_for(pane, receipt.reason),
        )

    def fail_all(self, error: Exception) -> None:
        """Release all callers: the controller ends."""
        for pending in self._pending.values():
            pending.failure = error
            pending.done.set()
        self._pending.clear()

    async def finished(self, event: WriteFinished) -> None:
        """Journal a fate, then tell its caller; one log line a write."""
        receipt = event.receipt
        try:
            await self.ctl.journal.finish(receipt)
        except PanegateError as error:
            _log.error("journal.failed", write_id=receipt.write_id, words=str(error))
        for key in (receipt.fate.value, f"{receipt.fate.value}:{receipt.reason.value}"):
            self.counts[key] = self.counts.get(key, 0) + 1
        _log.info(
            "write.finished",
            write_id=receipt.write_id,
            pane_id=receipt.pane,
            intent=receipt.intent.value,
            fate=receipt.fate.value,
            reason=receipt.reason.value,
            n_bytes=receipt.n_bytes,
            ms=receipt.ms.get("total"),
            digest=receipt.text_digest,
        )
        pending = self._pending.pop(receipt.write_id, None)
        if pending is not None:
            pending.finished = event
            pending.done.set()

    def _row(self, pane: Pane, request: WriteRequest) -> WriteRow:
        hidden = request.secret
        return WriteRow(
            write_id=request.write_id,
            pane=pane.id,
            server=self.ctl.keeping.server,
            intent=request.intent,
            text=None if hidden else (request.text or " ".join(request.keys)),
            text_digest=request.text_digest,
            by=request.by,
            at_utc=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
            pane_pid=pane.target.pane_pid,
            pane_name=pane.name,
        )

    def _digest(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=6, key=self.ctl.journal.key).hexdigest()


def _require_same(first: WriteRow, again: WriteRow) -> None:
    """A repeated id must mean the same write.

    Raises:
        LocalProtocolError: It was given to another one.

    """
    fix = "give each write an id of its own"
    if (first.server, first.pane) != (again.server, again.pane):
        named = f"{first.pane_name} ({first.pane})" if first.pane_name else first.pane
        where = named if first.server == again.server else f"{named} of another tmux server"
        msg = f"the id {again.write_id!r} was given to a write to {where}"
        raise LocalProtocolError(msg, fix=fix)
    if (first.intent, first.text_digest) != (again.intent, again.text_digest):
        msg = f"the id {again.write_id!r} was given to another text"
        raise LocalProtocolError(msg, fix=fix)


def _new_id() -> str:
    return f"w{uuid.uuid4().hex[:16]}"
