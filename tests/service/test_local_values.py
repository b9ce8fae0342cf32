"""Parameters are checked by kind, and what is wrong is said without the values."""

import attrs
import pytest

from panegate.errors import (
    LaunchFailed,
    NoSuchPane,
    NotReady,
    PanegateError,
    ProfileError,
    Refused,
    StaleAnswer,
    TransportBroken,
)
from panegate.gate.receipt import Proof, Receipt
from panegate.ids import PaneId
from panegate.panes.facts import OptionReading
from panegate.service.local.dispatch import EventsParams
from panegate.service.local.failures import error_from, failure_of
from panegate.service.local.methods import METHODS
from panegate.service.local.params import AnswerParams, KeysParams, LaunchParams, SendParams
from panegate.service.local.values import (
    BadParams,
    event_from,
    event_of,
    params_from,
    plain,
    value_from,
)
from panegate.service.views import Screen
from panegate.session.events import Dropped, Prompt, PromptOpened, StateChanged, WriteFinished
from panegate.terms import Fate, Grade, Intent, PromptKind, Reason, State

PROMPT = Prompt(
    id="%1.1.aa",
    pane=PaneId("%1"),
    episode=1,
    kind=PromptKind.MENU,
    question="Go?",
    options=(OptionReading(key="1", label="yes", highlighted=True),),
    rows=("Go?", "> 1 yes"),
    since=3.5,
    where="tmux attach",
)
SCREEN = Screen(rows=("a", ""), cursor=(0, 1), columns=80, lines=2, at=1.5)
RECEIPT = Receipt(
    write_id="w1",
    pane=PaneId("%1"),
    intent=Intent.MESSAGE,
    fate=Fate.LANDED,
    reason=Reason.NONE,
    n_bytes=3,
    text_digest="ab",
    state_before=State.READY,
    state_after=State.BUSY,
    before=("$",),
    landed=True,
    proof=Proof(Grade.MARK, "moved on"),
    ms={"total": 3.25},
    words="Landed.",
)


@pytest.mark.parametrize(
    ("kind", "params", "words"),
    [
        (SendParams, {}, "pane: missing"),
        (SendParams, {"pane": "w1", "text": 5}, "text: expected text"),
        (SendParams, {"pane": "w1", "text": "x", "submit": 1}, "submit: expected true or false"),
        (SendParams, {"pane": "w1", "text": "x", "within_s": "1"}, "within_s: expected a number"),
        (SendParams, {"pane": "w1", "text": "x", "within_s": True}, "within_s: expected a number"),
        (SendParams, {"pane": "w1", "text": "x", "later": 1}, "unknown: later"),
        (KeysParams, {"pane": "w1", "keys": "Enter"}, "keys: expected a list of texts"),
        (LaunchParams, {"argv": ["a", 1]}, "argv: expected a list of texts"),
        (LaunchParams, {"argv": ["a"], "env": {"A": 1}}, "env['A']: expected text"),
        (EventsParams, {"since": 1.5}, "since: expected a whole number"),
    ],
)
def test_wrong_parameters_are_named(kind: type, params: dict[str, object], words: str) -> None:
    with pytest.raises(BadParams) as raised:
        params_from(params, kind)
    assert words in str(raised.value)


def test_a_secret_is_in_no_words_about_it() -> None:
    right = {"pane": "w", "prompt_id": "x", "by": "me", "secret": "hunter2"}
    assert "hunter2" not in repr(params_from(right, AnswerParams))
    for wrong in ({"secret": ["hunter2"]}, {"within_s": "hunter2"}, {"cancel": "hunter2"}):
        with pytest.raises(BadParams) as raised:
            params_from({**right, **wrong}, AnswerParams)
        assert "hunter2" not in str(raised.value)


def test_numbers_without_a_point_are_numbers() -> None:
    found = params_from({"pane": "w1", "text": "x", "within_s": 3}, SendParams)
    assert (found.within_s, found.submit, found.id) == (3.0, True, None)


@pytest.mark.parametrize(
    "event",
    [
        StateChanged(
            pane=PaneId("%1"),
            old=State.BUSY,
            new=State.READY,
            grade=Grade.MARK,
            words="w",
            at_s=1.25,
            seq=9,
        ),
        PromptOpened(pane=PaneId("%1"), prompt=PROMPT, at_s=2.0),
        WriteFinished(pane=PaneId("%1"), receipt=RECEIPT, at_s=2.0, turn=3),
        Dropped(count=7, at_s=1.0),
    ],
)
def test_events_come_back_as_they_were(event: object) -> None:
    assert event_from(event_of(event)) == event  # type: ignore[arg-type]


def test_an_event_of_a_later_version_is_left_out() -> None:
    assert event_from({"event": "SomethingNew", "x": 1}) is None


@pytest.mark.parametrize("value", [RECEIPT, SCREEN, PROMPT])
def test_results_come_back_as_they_were(value: object) -> None:
    assert value_from(plain(value), type(value)) == value


@pytest.mark.parametrize("value", [None, 3, {"rows": 1}, {}])
def test_a_result_of_another_kind_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match="no Screen"):
        value_from(value, Screen)


@pytest.mark.parametrize(
    "error",
    [
        Refused("no", reason=Reason.DRAFT, state=State.READY, screen=SCREEN, fix="clear"),
        NotReady("late", reason=Reason.BUSY, state=State.BUSY),
        StaleAnswer("other", reason=Reason.STALE_PROMPT, state=State.PROMPTING, prompt=PROMPT),
        LaunchFailed("gone", status=3, signal=None, screen=SCREEN),
        NoSuchPane("none", fix="ls"),
        ProfileError("unknown key", path=None),
        TransportBroken("cut"),
        PanegateError("other"),
    ],
)
def test_an_error_comes_back_as_what_it_was(error: PanegateError) -> None:
    again = error_from(failure_of(error))
    assert type(again) is type(error)
    assert (str(again), getattr(again, "fix", None)) == (str(error), error.fix)
    for name in ("reason", "state", "prompt", "screen", "status", "signal"):
        assert getattr(again, name, None) == getattr(error, name, None)


def test_the_place_of_a_wrong_profile_is_said_once() -> None:
    from pathlib import Path

    error = ProfileError("unknown key", path=Path("/x.toml"), line=3)
    again = error_from(failure_of(error))
    assert isinstance(again, ProfileError)
    assert (str(again), again.path, again.line) == (str(error), Path("/x.toml"), 3)


def test_an_error_of_a_later_version_is_an_error_all_the_same() -> None:
    again = error_from({"code": "something_new", "message": "it broke"})
    assert (type(again), str(again)) == (PanegateError, "it broke")


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda m: m.name)
def test_every_method_has_words_and_parameters_of_its_own_kind(method: object) -> None:
    row = attrs.asdict(method, recurse=False)  # type: ignore[arg-type]
    assert row["words"].endswith(".")
    assert attrs.has(row["params"])
