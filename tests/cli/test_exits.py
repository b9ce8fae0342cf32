"""The exit status of everything that can happen."""

from pathlib import Path

import pytest

from panegate import errors
from panegate.cli.exits import Exit, exit_of, exit_of_receipt
from panegate.gate.receipt import Receipt
from panegate.service.local.failures import code_of
from panegate.terms import Fate, Intent, Reason, State


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.PanegateError("x"), 1, "panegate_error"),
        (errors.LaunchFailed("x"), 1, "launch_failed"),
        (errors.TmuxTooOld("x"), 1, "tmux_too_old"),
        (errors.JournalError("x"), 1, "journal_error"),
        (errors.SettingsError("x"), 2, "settings_error"),
        (errors.ProfileError("x", path=Path("a")), 2, "profile_error"),
        (errors.ProfileError("no such name"), 2, "profile_error"),
        (errors.Refused("x", reason=Reason.PROMPTING), 3, "refused"),
        (errors.NoSuchPane("x"), 4, "no_such_pane"),
        (errors.StaleAnswer("x", reason=Reason.STALE_PROMPT), 4, "stale_answer"),
        (errors.NotReady("x", reason=Reason.BUSY), 6, "not_ready"),
        (errors.NotReady("x", reason=Reason.SERVER_UNREACHABLE), 7, "not_ready"),
        (errors.Refused("x", reason=Reason.SERVER_DIED), 7, "refused"),
        (errors.ServerUnreachable("x"), 7, "server_unreachable"),
        (errors.TransportBroken("x"), 7, "transport_broken"),
    ],
)
def test_each_error_has_its_status_and_code(error: errors.PanegateError, status: int, code: str):
    assert (exit_of(error), code_of(error)) == (status, code)


@pytest.mark.parametrize("fate", list(Fate))
def test_a_write_is_done_only_when_it_landed(fate: Fate):
    receipt = Receipt(
        write_id="w",
        pane="%1",
        intent=Intent.MESSAGE,
        fate=fate,
        reason=Reason.NONE,
        n_bytes=1,
        text_digest="",
        state_before=State.READY,
        state_after=State.READY,
    )
    wanted = Exit.DONE if fate is Fate.LANDED else Exit.UNCONFIRMED
    assert exit_of_receipt(receipt) is wanted
