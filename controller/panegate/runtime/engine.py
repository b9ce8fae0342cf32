"""Panes and clients joined: looks and guarded writes go out, answers come back as values."""

from collections.abc import Callable
from functools import partial

import anyio
import anyio.abc
import attrs

from panegate.errors import RemoteProtocolError, ServerUnreachable
from panegate.gate.guard import GuardReply, GuardResult, guarded_line, parse_guarded
from panegate.gate.keystrokes import (
    Typing,
    byte_commands,
    key_commands,
    paste_commands,
    type_commands,
)
from panegate.gate.stages import Action, PressKeys, TypeText
from panegate.ids import PaneId
from panegate.panes.facts import KernelFact, Look, PaneFields, ProbeLevel
from panegate.panes.machine import LookCause
from panegate.probes.base import Probe
from panegate.probes.exits import ExitWatch
from panegate.probes.factory import open_probe
from panegate.probes.levels import probe_level
from panegate.runtime.bringup import one_shot
from panegate.runtime.client import Answer, ControlClient
from panegate.runtime.link import ServerLink, Target
from panegate.runtime.logs import get_logger
from panegate.runtime.pump import Pump
from panegate.screen.profile import Profile
from panegate.session.events import PaneEvent
from panegate.session.inputs import (
    CarrierLost,
    Exited,
    Gone,
    Input,
    Looked,
    LookLost,
    LookWanted,
    LostOutput,
    Opened,
    OutputCame,
    Prejudged,
    Replied,
    Resized,
)
from panegate.session.tracker import PaneTracker
from panegate.session.traits import TrackerTraits
from panegate.terms import State
from panegate.wire.commands import command
from panegate.wire.events import (
    Continue,
    Event,
    LayoutChange,
    Output,
    PaneModeChanged,
    Pause,
    SessionsChanged,
    UnlinkedWindowClose,
    WindowAdd,
    WindowClose,
)
from panegate.wire.look import look_commands, parse_look

__all__ = [
    "NOISY_AGAIN_S",
    "NOISY_BYTES",
    "NOISY_SPAN_S",
    "PANE_GONE",
    "Engine",
    "PaneSlot",
]

_log = get_logger()

PANE_GONE = "its pane was closed, or went with its program"
"""What is known of a pane that tmux no longer has."""
NOISY_BYTES = 256 * 1024
"""Output in one second above which a pane is paused and looked at on the noisy schedule."""
NOISY_SPAN_S = 1.0
NOISY_AGAIN_S = 0.05
"""A pane that was paused for flooding and goes on is paused again after this."""
_FORCED = frozenset({LookCause.CALLER, LookCause.MARK, LookCause.NOISY})
_DEATH_LOOKS = 5
_STRUCTURE = (
    LayoutChange,
    SessionsChanged,
    UnlinkedWindowClose,
    WindowAdd,
    WindowClose,
)


@attrs.define(kw_only=True, eq=False)
class PaneSlot:
    """What belongs to one watched pane on this side of tmux."""

    target: Target
    tracker: PaneTracker
    local: bool
    probe: Probe | None = None
    probe_tty: str = ""
    look_line: bytes = b""
    death_looks: int = 0
    dead: bool = False
    paused: bool = False
    span_at_s: float = 0.0
    span_bytes: int = 0
    span_s: float = NOISY_SPAN_S
    """How long it may flood before it is paused; short once it has done so."""


@attrs.define(kw_only=True, eq=False)
class Engine:
    """All panes of one server, live."""

    link: ServerLink
    clock: Callable[[], float]
    tasks: anyio.abc.TaskGroup
    on_event: Callable[[PaneEvent], None]
    on_settled: Callable[[PaneTracker], None]
    """A pane was touched: its state or its confirmation may have changed."""
    on_structure: Callable[[], None]
    """Something about sessions or windows changed: list the panes again."""
    local: bool
    """The server is on this host: its processes can be probed."""
    recorder: Callable[[Input], None] | None = None
    level: ProbeLevel = attrs.field(factory=probe_level)
    pump: Pump = attrs.field(init=False)
    slots: dict[PaneId, PaneSlot] = attrs.field(factory=dict, init=False)
    looks: int = attrs.field(default=0, init=False)
    unreadable: int = attrs.field(default=0, init=False)
    """Looks whose screen no reader could take: faults of ours, each logged."""
    _exits: ExitWatch | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.pump = Pump(
            clock=self.clock,
            on_look=self._look,
            on_action=self._act,
            on_event=self.on_event,
            on_settled=self.on_settled,
            drain=self.link.drain,
            on_failure=self._failed,
            recorder=self.recorder,
        )
        if self.local:
            self._exits = ExitWatch()

    # --- panes come and go ----------------------------------------------------------

    def open(self, target: Target, profile: Profile, traits: TrackerTraits) -> PaneSlot:
        """Watch a pane; its carrier must be attached."""
        now_s = self.clock()
        opened = Opened(
            pane_id=target.pane_id,
            pane_pid=target.pane_pid,
            profile=profile.name,
            traits=traits,
            at_s=now_s,
        )
        tracker = self.pump.open(opened, profile)
        slot = PaneSlot(target=target, tracker=tracker, local=self.local)
        self.slots[target.pane_id] = slot
        if self._exits is not None and target.pane_pid > 0:
            self._exits.watch(target.pane_pid, lambda _pid: self._process_ended(slot))
        self.pump.settle()
        return slot

    def forget(self, pane_id: PaneId) -> None:
        """Stop watching a pane."""
        slot = self.slots.pop(pane_id, None)
        if slot is None:
            return
        if self._exits is not None:
            self._exits.unwatch(slot.target.pane_pid)
        self.link.carriers.pop(pane_id, None)
        self.pump.forget(pane_id)

    def close(self) -> None:
        """Stop watching everything."""
        for pane_id in list(self.slots):
            self.forget(pane_id)
        if self._exits is not None:
            self._exits.close()
        self.pump.close()

    # --- from the clients -----------------------------------------------------------

    def client_event(self, client: ControlClient, event: Event, at_s: float) -> None:
        """Take a notification; called in stream order."""
        if isinstance(event, Output):
            pane_id = event.pane_id
            if self.link.carriers.get(pane_id) is not client:
                return
            self.pump.feed(OutputCame(pane_id, event.payload, at_s))
            slot = self.slots.get(pane_id)
            if slot is not None:
                self._measure(slot, client, len(event.payload), at_s)
        elif isinstance(event, Pause):
            self._paused(event.pane_id, client, at_s)
        elif isinstance(event, Continue):
            slot = self.slots.get(event.pane_id)
            if slot is not None:
                self.pump.feed(LostOutput(event.pane_id, at_s))
        elif isinstance(event, PaneModeChanged):
            slot = self.slots.get(event.pane_id)
            if slot is not None and slot.tracker.state is not State.EXITED:
                self.pump.feed(LookWanted(event.pane_id, at_s))
        elif isinstance(event, _STRUCTURE):
            if isinstance(event, LayoutChange):
                self._resized(event, at_s)
            self.on_structure()

    def batch_done(self, at_s: float) -> None:
        """A chunk was handled."""
        self.pump.settle()

    def client_ended(self, client: ControlClient) -> None:
        """A client ended: its panes have no carrier any more."""
        now_s = self.clock()
        words = client.failure or client.exit_reason or "the control client ended"
        for pane_id, carrier in list(self.link.carriers.items()):
            if carrier is client:
                del self.link.carriers[pane_id]
                self.pump.feed(CarrierLost(pane_id, words, now_s))
        self.pump.settle()

    def _measure(self, slot: PaneSlot, client: ControlClient, n_bytes: int, at_s: float) -> None:
        """Pause a pane that floods for more than a second, a known flooder sooner."""
        slot.span_bytes += n_bytes
        took_s = at_s - slot.span_at_s
        if took_s < slot.span_s:
            return
        flooding = slot.span_bytes > NOISY_BYTES * slot.span_s and took_s < 2 * slot.span_s
        slot.span_at_s, slot.span_bytes = at_s, 0
        slot.span_s = NOISY_AGAIN_S if flooding else NOISY_SPAN_S
        if flooding and not slot.paused:
            slot.paused = True
            pane_id = slot.target.pane_id
            client.request(
                [command("refresh-client", "-A", f"{pane_id}:pause")],
                lambda _answer: None,
                rows_are_data=False,
            )

    def _paused(self, pane_id: PaneId, client: ControlClient, at_s: float) -> None:
        slot = self.slots.get(pane_id)
        if slot is None:
            client.request(
                [command("refresh-client", "-A", f"{pane_id}:continue")],
                lambda _answer: None,
                rows_are_data=False,
            )
            return
        slot.paused = True
        self.pump.feed(LostOutput(pane_id, at_s))
        self.tasks.start_soon(self._continue_later, slot, client)

    async def _continue_later(self, slot: PaneSlot, client: ControlClient) -> None:
        """Let a paused pane go on after its noisy second."""
        with anyio.move_on_after(1.0):
            await client.ended.wait()
        slot.paused = False
        slot.span_at_s, slot.span_bytes = self.clock(), 0
        client.request(
            [command("refresh-client", "-A", f"{slot.target.pane_id}:continue")],
            lambda _answer: None,
            rows_are_data=False,
        )

    def _resized(self, event: LayoutChange, at_s: float) -> None:
        for pane_id, slot in self.slots.items():
            if slot.target.window_id == event.window_id:
                self.pump.feed(Resized(pane_id, at_s))

    # --- looks ----------------------------------------------------------------------

    def _look(self, tracker: PaneTracker, cause: LookCause) -> None:
        pane_id = tracker.pane_id
        slot = self.slots.get(pane_id)
        client = self.link.carriers.get(pane_id)
        now_s = self.clock()
        if slot is None or client is None or not client.alive:
            if slot is not None and slot.dead and not slot.tracker.server_reachable:
                self.pump.feed(Exited(pane_id, "its process ended", now_s))
            self.pump.feed(LookLost(pane_id, now_s))
            return
        kernel = self._kernel(slot, now_s)
        if kernel is not None and cause not in _FORCED:
            if self.pump.feed(Prejudged(pane_id, kernel, now_s)):
                return
        version = self.link.server.version
        if not slot.look_line:
            # a line runs as a whole, so one buffer name serves all looks at a pane
            slot.look_line = look_commands(pane_id, version, self.link.new_name())
        n_above = slot.tracker.history_count.wanted_rows
        line = slot.look_line
        if n_above:
            line = look_commands(pane_id, version, self.link.new_name(), history=n_above)
        self.looks += 1
        looked = partial(self._looked, slot, client, kernel, self.clock(), n_above)
        client.request([line], looked)

    def _kernel(self, slot: PaneSlot, now_s: float) -> KernelFact | None:
        if slot.probe is None and slot.local and slot.tracker.look is not None:
            tty = slot.tracker.look.fields.tty
            if tty:
                slot.probe = open_probe(tty, slot.target.pane_pid, self.level)
        return slot.probe.read(now_s) if slot.probe is not None else None

    def _looked(
        self,
        slot: PaneSlot,
        client: ControlClient,
        kernel: KernelFact | None,
        asked_at_s: float,
        n_above: int,
        answer: Answer,
    ) -> None:
        pane_id, version = slot.target.pane_id, self.link.server.version
        if answer.blocks is None or self.link.carriers.get(pane_id) is not client:
            self.pump.feed(LookLost(pane_id, answer.at_s))
            return
        try:
            reply = parse_look(answer.blocks, pane_id=pane_id, version=version, history=n_above)
        except RemoteProtocolError as error:
            _log.warning("look.failed", pane_id=pane_id, words=str(error))
            self.pump.feed(LookLost(pane_id, answer.at_s))
            return
        if reply is None:
            self.pump.feed(Gone(pane_id, PANE_GONE, answer.at_s))
            return
        fields = PaneFields(
            pane_id=reply.pane_id,
            pane_pid=reply.pane_pid or slot.target.pane_pid,
            dead=reply.dead,
            dead_status=reply.dead_status,
            dead_signal=reply.dead_signal,
            in_mode=reply.in_mode,
            mode=reply.mode,
            input_off=reply.input_off,
            synchronized=reply.synchronized,
            alternate_on=reply.alternate_on,
            cursor_x=reply.cursor_x,
            cursor_y=reply.cursor_y,
            cursor_shown=reply.cursor_shown,
            cursor_character=reply.cursor_character,
            history_size=reply.history_size,
            history_limit=reply.history_limit,
            width=reply.width,
            height=reply.height,
            command=reply.command,
            title=reply.title,
            tty=reply.tty,
        )
        if kernel is None and slot.local and slot.probe is None and reply.tty:
            slot.probe = open_probe(reply.tty, slot.target.pane_pid, self.level)
            if slot.probe is not None and not reply.dead:
                # the kernel's word must not be newer than the screen: a look with both follows
                now_s = self.clock()
                self.pump.feed(LookLost(pane_id, now_s))
                self.pump.feed(LookWanted(pane_id, now_s))
                return
        look = Look(
            fields=fields,
            rows=reply.rows,
            above=reply.history_rows,
            kernel=kernel,
            asked_at_s=asked_at_s,
            at_s=answer.at_s,
        )
        now_s = self.clock()
        told = reply.dead and (reply.dead_status is not None or reply.dead_signal is not None)
        if (slot.dead or reply.dead) and not told and slot.death_looks < _DEATH_LOOKS:
            slot.dead = True
            slot.death_looks += 1
            if slot.death_looks == _DEATH_LOOKS - 2:
                # 3.3a can leave a death without its status until another child of it ends
                client.request([command("run-shell", "-b", "true")], lambda _answer: None)
            self.pump.feed(LookLost(pane_id, now_s))
            self.tasks.start_soon(self._look_at_death, slot)
            return
        try:
            # in a late loop output may wait behind the answer: quiet counts up to that alone
            self.pump.feed(Looked(pane_id, look, answer.at_s))
        except Exception as error:
            # a screen that breaks a reader must not take the other panes along
            _log.error("look.failed", pane_id=pane_id, words=repr(error), exc_info=True)
            self.unreadable += 1
            self.pump.feed(LookLost(pane_id, now_s))
        if slot.dead:
            self.pump.feed(Exited(pane_id, "its process ended", now_s))

    def _failed(self, error: Exception) -> None:
        self.tasks.start_soon(_fail, error)

    def _process_ended(self, slot: PaneSlot) -> None:
        """The pane's process is gone; tmux may need a moment to say so itself."""
        if slot.dead or slot.tracker.state is State.EXITED:
            return
        slot.dead = True
        try:
            self.pump.put(LookWanted(slot.target.pane_id, self.clock()))
        except Exception as error:
            self.pump.on_failure(error)

    async def _look_at_death(self, slot: PaneSlot) -> None:
        """Look again shortly: tmux reaps its child and drains its terminal first."""
        pane_id = slot.target.pane_id
        client = self.link.carriers.get(pane_id)
        if client is not None:
            with anyio.move_on_after(0.01 * 2**slot.death_looks):
                await client.ended.wait()
        self.pump.put(LookWanted(pane_id, self.clock()))

    # --- guarded writes -------------------------------------------------------------

    def _act(self, tracker: PaneTracker, action: Action) -> None:
        pane_id = tracker.pane_id
        client = self.link.carriers.get(pane_id)
        if client is None or not client.alive:
            reply = GuardReply(GuardResult.REFUSED, "no control client carries the pane")
            self.pump.feed(Replied(pane_id, action.write_id, reply, self.clock()))
            return
        if isinstance(action, TypeText) and action.secret:
            self.tasks.start_soon(self._type_secret, tracker, client, action)
            return
        version = self.link.server.version
        if isinstance(action, PressKeys):
            enter = action.keys == ("Enter",)
            typing = (
                byte_commands(pane_id, tracker.profile.submit.key)
                if enter
                else key_commands(pane_id, action.keys)
            )
        else:
            typing = type_commands(
                pane_id,
                action.text,
                action.method,
                buffer_name=self.link.new_name(),
                paste_needs_s=version.paste_needs_S,
            )
        self._send_guarded(tracker, client, action, typing)

    def _send_guarded(
        self, tracker: PaneTracker, client: ControlClient, action: Action, typing: Typing
    ) -> None:
        pane_id = tracker.pane_id
        nonce = client.nonce()
        line = guarded_line(
            pane_id, action.guard, typing.commands, nonce=nonce, otherwise=typing.otherwise
        )
        n_before = len(typing.before)

        def replied(answer: Answer) -> None:
            if answer.blocks is None:
                reply = GuardReply(GuardResult.MISSING)
            else:
                blocks = [(block.ok, block.lines) for block in answer.blocks]
                reply = parse_guarded(blocks, nonce, n_before=n_before)
            if reply.result in (GuardResult.MISSING, GuardResult.REJECTED) and typing.otherwise:
                client.request(list(typing.otherwise), lambda _answer: None)
            self.pump.feed(Replied(pane_id, action.write_id, reply, answer.at_s))

        client.request([*typing.before, line], replied)

    async def _type_secret(
        self, tracker: PaneTracker, client: ControlClient, action: TypeText
    ) -> None:
        """Load a secret through a process of its own: the server logs ordinary commands."""
        name = self.link.new_name()
        secret = action.text.encode()
        loaded = False
        try:
            status, _, errors = await one_shot(
                self.link.address, "load-buffer", "-b", name, "-", stdin=secret
            )
            loaded = status == 0
        except ServerUnreachable as error:
            errors = str(error)
        if not loaded:
            reply = GuardReply(GuardResult.REJECTED, errors)
            self.pump.put(Replied(tracker.pane_id, action.write_id, reply, self.clock()))
            return
        typing = paste_commands(
            tracker.pane_id,
            buffer_name=name,
            bracketed=False,
            paste_needs_s=self.link.server.version.paste_needs_S,
        )
        self._send_guarded(tracker, client, action, typing)


async def _fail(error: Exception) -> None:
    """End the controller with *error*; who waits on it is told."""
    raise error
