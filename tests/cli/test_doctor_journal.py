"""What the doctor says of the journal and of the lock."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.journal.making import opened, row

from panegate.cli.doctor_checks import Check, Health
from panegate.cli.doctor_journal import check_charge, check_journal
from panegate.journal.lock import ServerLock, lock_path
from panegate.journal.store import default_path
from panegate.testing.servers import PrivateServer


@pytest.fixture
def path() -> Path:
    """A journal with one write that has no fate."""

    async def make() -> None:
        async with opened(default_path()) as journal:
            await journal.begin(row("a"))

    asyncio.run(make())
    return default_path()


def only(checks: list[Check]) -> Check:
    (found,) = checks
    return found


def test_no_journal_yet_is_no_fault():
    found = only(check_journal())
    assert found.health is Health.GOOD
    assert "there is no" in found.words
    assert not default_path().exists()


def test_a_sound_one_is_said_to_be_with_what_is_unfinished(path: Path):
    found = only(check_journal())
    assert found.health is Health.GOOD
    assert found.words.startswith(f"{path} is sound")
    assert found.words.endswith("1 writes without a fate")


def test_a_broken_one_is_left_where_it_is(path: Path):
    path.write_bytes(b"x" * 5000)
    found = only(check_journal())
    assert found.health is Health.BROKEN
    assert str(path) in found.words
    assert path.read_bytes() == b"x" * 5000


def test_one_that_somebody_holds_is_broken(path: Path):
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        found = only(check_journal())
        holder.execute("ROLLBACK")
    assert (found.health, "holds it locked" in found.words) == (Health.BROKEN, True)


def test_damaged_ones_are_named(path: Path):
    aside = path.with_name("journal.damaged-20260101T000000.000Z.db")
    aside.write_text("")
    _, found = check_journal()
    assert found.health is Health.NOTE
    assert str(aside) in found.words


def test_a_folder_that_others_may_enter_is_noted(path: Path):
    path.parent.chmod(0o755)
    assert only(check_journal()).health is Health.NOTE


def test_a_journal_in_memory_is_noted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PANEGATE_JOURNAL_PATH", ":memory:")
    assert only(check_journal()).health is Health.NOTE


def test_who_is_in_charge_is_named():
    assert check_charge("/run/s").words == "no controller is in charge of the server"
    lock = ServerLock.take(lock_path("/run/s"), server="x")
    assert " is in charge of the server since " in check_charge("/run/s").words
    lock.release()


@pytest.mark.tmux
def test_commands_work_beside_who_is_in_charge(cli: Cli, server: PrivateServer):
    lock = ServerLock.take(lock_path(str(server.socket_path)), server="x")
    try:
        for words in (("ls",), ("watch", "--within", "0.2"), ("events", "--within", "0.2")):
            assert cli(*words).status == 0, words
        assert "is in charge of the server since" in cli("doctor").out
    finally:
        lock.release()
