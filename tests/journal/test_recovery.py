"""After a crash each write has one fate, and no better one than the journal can know."""

import asyncio
import itertools
import os
import tempfile
from pathlib import Path

import attrs
import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.journal.making import SOCKET, receipt, row

from panegate.gate.stages import Stage
from panegate.journal import claiming
from panegate.journal.base import KeptWrite, Run
from panegate.journal.recovery import NOT_SENT_STAGES, SeenNow, fate_of
from panegate.journal.sqlite import SqliteJournal
from panegate.terms import Fate, Intent, Reason

RUN = Run(
    run="r",
    pid=4711,
    started="1",
    boot="b",
    host="h",
    program="p",
    socket=SOCKET,
    opened_utc="2026-01-01",
)


def kept(stage: Stage, **fields: object) -> KeptWrite:
    return KeptWrite(row=row("a", **fields), stage=stage, before=("$ ",), run=RUN)


@pytest.mark.parametrize("stage", [Stage.WAITING, Stage.CHECKING])
def test_what_was_not_begun_was_not_sent(stage: Stage):
    said = fate_of(kept(stage))
    assert (said.fate, said.reason) == (Fate.REFUSED, Reason.CONTROLLER_ENDED)
    assert (said.landed, said.n_bytes) == (False, 0)
    assert said.words == "Not sent: the controller (pid 4711) ended before a byte of it left."


@pytest.mark.parametrize("stage", [s for s in Stage if s not in (Stage.WAITING, Stage.CHECKING)])
def test_what_was_begun_is_unknown_whatever_is_seen(stage: Stage):
    assert stage not in NOT_SENT_STAGES
    for seen in (None, SeenNow(rows=("$ hi",)), SeenNow(rows=("",)), SeenNow(words="gone")):
        said = fate_of(kept(stage), seen)
        assert (said.fate, said.reason) == (Fate.UNKNOWN, Reason.CONTROLLER_ENDED)
        assert said.landed is None
        assert "It is not sent again" in said.words


def test_the_screens_before_and_now_are_in_the_receipt():
    said = fate_of(kept(Stage.TYPING), SeenNow(rows=("$ hi",)))
    assert (said.before, said.after, said.changed) == (("$ ",), ("$ hi",), True)
    assert said.words.endswith("the pane shows its text now.")


def test_a_text_is_found_across_wrapped_rows():
    long = kept(Stage.TYPING, text="one two three")
    said = fate_of(long, SeenNow(rows=("$ one t", "wo three")))
    assert said.words.endswith("the pane shows its text now.")
    said = fate_of(long, SeenNow(rows=("$ one", "")))
    assert said.words.endswith("the pane does not show its text now.")


def test_nothing_is_said_of_a_text_that_is_not_kept():
    said = fate_of(kept(Stage.TYPING, text=None), SeenNow(rows=("$ hi",)))
    assert said.words.endswith("read the pane.")


def test_why_there_is_no_screen_is_said():
    said = fate_of(kept(Stage.SUBMITTING), SeenNow(words="its pane is gone"))
    assert said.words.endswith("its pane is gone.")
    assert "its Enter may be in the program" in said.words


def test_keys_are_called_keys():
    assert "its keys may be" in fate_of(kept(Stage.TYPING, intent=Intent.KEYS)).words


@attrs.define(eq=False)
class Controller:
    """A controller of the model: its journal, and whether its process lives."""

    journal: SqliteJournal
    lives: bool = True
    writes: list[str] = attrs.field(factory=list)
    claimed: list[KeptWrite] = attrs.field(factory=list)


class Crashes(RuleBasedStateMachine):
    """Controllers begin, type, finish, crash and recover in any order, on one file."""

    controllers = Bundle("controllers")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(dir=memory)
        self.all: list[Controller] = []
        self.sent: dict[str, int] = {}
        """How often bytes of a write left."""
        self.told: dict[str, list[Fate]] = {}
        """The fates that were given, in order."""
        self.numbers = itertools.count()
        self.was_running, claiming.is_running = claiming.is_running, self._lives

    def _lives(self, pid: int, _started: str, *, boot: str, host: str) -> bool:
        return any(c.journal.me.pid == pid and c.lives for c in self.all)

    def do(self, work: object) -> object:
        return self.loop.run_until_complete(work)  # type: ignore[arg-type]

    @initialize(target=controllers)
    def first(self) -> Controller:
        return self._open()

    @rule(target=controllers)
    @precondition(lambda self: sum(c.lives for c in self.all) < 3)
    def open(self) -> Controller:
        return self._open()

    def _open(self) -> Controller:
        path = Path(self.folder.name) / "journal.db"

        async def made() -> SqliteJournal:
            journal = await SqliteJournal.open(path, socket=SOCKET)
            journal.me = attrs.evolve(
                journal.me, run=f"run{len(self.all)}", pid=900_000 + len(self.all)
            )
            await journal._writer.submit(journal._prepare)
            return journal

        controller = Controller(self.do(made()))  # type: ignore[arg-type]
        self.all.append(controller)
        return controller

    @rule(of=controllers)
    def begin(self, of: Controller) -> None:
        write_id = f"w{next(self.numbers)}"
        assert self.do(of.journal.begin(row(write_id))) is None
        of.writes.append(write_id)
        self.told[write_id] = []

    @rule(of=controllers, data=st.data())
    @precondition(lambda self: any(c.writes for c in self.all))
    def type(self, of: Controller, data: st.DataObject) -> None:
        """The journal is told, and then perhaps, before a crash, the byte leaves."""
        if not of.writes:
            return
        write_id = data.draw(st.sampled_from(of.writes))
        self.do(of.journal.stage(write_id, Stage.TYPING))
        if data.draw(st.booleans()):
            self.sent[write_id] = self.sent.get(write_id, 0) + 1

    @rule(of=controllers, data=st.data())
    @precondition(lambda self: any(c.writes for c in self.all))
    def finish(self, of: Controller, data: st.DataObject) -> None:
        if not of.writes:
            return
        write_id = data.draw(st.sampled_from(of.writes))
        of.writes.remove(write_id)
        fate = Fate.LANDED if self.sent.get(write_id) else Fate.REFUSED
        self.do(of.journal.finish(receipt(write_id, fate)))
        self.told[write_id].append(fate)

    @rule(of=consumes(controllers))
    def crash(self, of: Controller) -> None:
        self._end(of)

    def _end(self, of: Controller) -> None:
        """End the thread without a word to the file."""
        of.lives = False
        self.do(of.journal._writer.aclose())

    @rule(of=controllers)
    def claim(self, of: Controller) -> None:
        of.claimed += self.do(of.journal.orphans())  # type: ignore[operator]

    @rule(of=controllers)
    def recover(self, of: Controller) -> None:
        of.claimed += self.do(of.journal.orphans())  # type: ignore[operator]
        for found in of.claimed:
            said = fate_of(found)
            self.do(of.journal.finish(said))
            self.told[said.write_id].append(said.fate)
        of.claimed.clear()

    def teardown(self) -> None:
        try:
            if self.all:
                self._check()
        finally:
            claiming.is_running = self.was_running
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()

    def _check(self) -> None:
        for controller in self.all:
            if controller.lives:
                self._end(controller)
        last = self._open()
        self.recover(last)
        for write_id, told in self.told.items():
            found = self.do(last.journal.kept(write_id))
            assert isinstance(found, KeptWrite)
            assert found.receipt is not None, write_id
            assert len(told) == 1, (write_id, told)
            assert found.receipt.fate is told[0]
            if self.sent.get(write_id):
                assert found.receipt.fate in (Fate.LANDED, Fate.UNKNOWN)
        self._end(last)


@pytest.mark.slow
def test_whenever_controllers_crash_each_write_has_one_fate():
    run_state_machine_as_test(
        Crashes,
        settings=settings(max_examples=100, stateful_step_count=25, deadline=None, database=None),
    )
