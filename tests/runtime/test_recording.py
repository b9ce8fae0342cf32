"""What is fed to panes survives the way through a file, whole and exact."""

import io
import json
import typing

import attrs
import pytest

from panegate.gate.guard import GuardReply, GuardResult
from panegate.gate.plan import WriteRequest
from panegate.panes.facts import KernelFact, Look, PaneFields, ProbeLevel, TtyWait
from panegate.profiles import load, names
from panegate.runtime.recording import FACTS, Recording, RecordingWriter
from panegate.screen.profile import Profile
from panegate.session import inputs
from panegate.session.claims import Child, Claim, ClaimKind
from panegate.session.replaying import ReplayItem
from panegate.session.traits import TrackerTraits
from panegate.session.transcript import Call, CallKind, Choice, Question, Record, Tokens
from panegate.terms import Intent, Reason
from panegate_transports.recording import RecordingError, RecordingHeader

PANE = "%7"
HEADER = RecordingHeader(
    tmux_version="3.4", width=120, height=40, started_utc="2026-01-01T00:00:00.000+00:00"
)
KERNEL = KernelFact(
    level=ProbeLevel.FULL, wait=TtyWait.READ, echo=True, foreground_pids=(1, 2), at_s=1 / 3
)
LOOK = Look(
    fields=PaneFields(pane_id=PANE, pane_pid=100, dead_status=3, title="ünï"),
    rows=(b"\x1b[1m$ \xff", b""),
    kernel=KERNEL,
    asked_at_s=0.1,
    at_s=0.1 + 0.2,
)
REQUEST = WriteRequest(
    write_id="w1",
    pane_id=PANE,
    intent=Intent.ANSWER,
    asked_s=1.0,
    deadline_s=None,
    text="hunter2",
    keys=("Enter",),
    prompt_id="%7.1.abcdef01",
)
OPENED = inputs.Opened(
    pane_id=PANE, pane_pid=100, profile="bash", traits=TrackerTraits(name="x"), at_s=0.5
)
RECORD = Record(
    program="claude",
    pending=(
        Call(
            id="q",
            name="Ask",
            kind=CallKind.QUESTION,
            questions=(Question(text="?", choices=(Choice(label="ü"),), many=True),),
            at_s=1.5,
        ),
    ),
    turn_ended=None,
    tokens=Tokens(0, at_least=True),
)
ITEMS: tuple[inputs.Input, ...] = (
    OPENED,
    inputs.OutputCame(PANE, b"\\033[?2004h\x00\xff", 1.1),
    inputs.LostOutput(PANE, 1.2),
    inputs.Resized(PANE, 1.25),
    inputs.Looked(PANE, LOOK, 1.3),
    inputs.Looked(PANE, attrs.evolve(LOOK, kernel=None), 1.31),
    inputs.LookLost(PANE, 1.4),
    inputs.LookWanted(PANE, 1.5),
    inputs.Prejudged(PANE, KERNEL, 1.6),
    inputs.Replied(PANE, "w1", GuardReply(GuardResult.REJECTED, "no ü"), 1.7),
    inputs.Written(PANE, REQUEST, 1.8),
    inputs.Withdrawn(PANE, "w1", Reason.WITHDRAWN, "words", 1.9),
    inputs.Exited(PANE, "words", 2.0),
    inputs.Gone(PANE, "words", 2.1),
    inputs.Reachable(PANE, False, "words", 2.2),
    inputs.CarrierLost(PANE, "words", 2.3),
    inputs.Hold(PANE, None, 2.4),
    inputs.Watched(PANE, -1, 2.5),
    inputs.Claimed(
        PANE, Claim(kind=ClaimKind.WAITING, at_s=1e9 + 1 / 3, source="x", words="ü"), 2.55
    ),
    inputs.Recorded(PANE, RECORD, (Child(pid=1, ppid=2, command="c", started_s=3.5),), 1e9, 2.56),
    inputs.Recorded(PANE, None, (), 0.0, 2.57),
    inputs.Advance(PANE, 2.6),
)


def written(*items: inputs.Input, profile: Profile | None = None) -> bytes:
    file = io.BytesIO()
    writer = RecordingWriter(file, HEADER)
    writer.profile_of = lambda _pane_id: profile or load("bash")
    for item in items:
        writer(item)
    assert writer.n_facts == len(items)
    return file.getvalue()


def read(data: bytes) -> list[ReplayItem]:
    return list(Recording(io.BytesIO(data)))


def test_every_kind_of_value_has_a_name_in_the_file():
    assert set(FACTS.values()) == set(typing.get_args(inputs.Input))
    assert {type(item) for item in ITEMS} == set(FACTS.values())


def test_every_value_comes_back_equal():
    assert [given.item for given in read(written(*ITEMS))] == list(ITEMS)


@pytest.mark.parametrize("name", names())
def test_a_profile_comes_back_whole(name: str):
    profile = load(name)
    (given,) = read(written(OPENED, profile=profile))
    assert given.profile == profile


def test_a_profile_is_written_once_for_all_its_panes():
    data = written(OPENED, attrs.evolve(OPENED, pane_id="%8"), OPENED)
    assert data.count(b'"n":"profile"') == 1
    assert [given.profile for given in read(data)] == [load("bash")] * 3


def test_a_secret_is_not_in_the_file_and_its_length_is():
    secret = inputs.Written(PANE, attrs.evolve(REQUEST, text="hünter2", secret=True), 1.0)
    data = written(OPENED, secret)
    assert b"nter2" not in data
    item = read(data)[1].item
    assert isinstance(item, inputs.Written)
    assert item.request.text == "*" * 8
    assert item.request.secret


def test_the_header_says_what_was_recorded():
    assert Recording(io.BytesIO(written())).header == HEADER


def test_a_torn_last_line_ends_the_recording_and_is_told():
    data = written(*ITEMS)
    recording = Recording(io.BytesIO(data[:-5]))
    assert len(list(recording)) == len(ITEMS) - 1
    assert recording.torn_line is not None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": "rumour"}, "not a fact that is known"),
        ({"d": {"pane_id": PANE, "more": 1}}, "more"),
        ({"d": []}, "not an object"),
    ],
)
def test_a_fact_that_cannot_be_read_names_its_line(change: dict[str, object], words: str):
    lines = written(OPENED, inputs.LookLost(PANE, 1.0)).splitlines(keepends=True)
    spoilt = json.dumps({**json.loads(lines[-1]), **change}).encode() + b"\n"
    with pytest.raises(RecordingError, match=words) as raised:
        read(b"".join((*lines[:-1], spoilt)))
    assert raised.value.line == len(lines)


def test_a_pane_whose_profile_is_not_in_the_file_is_an_error():
    lines = written(OPENED).splitlines(keepends=True)
    with pytest.raises(RecordingError, match="does not stand before it"):
        read(lines[0] + lines[2])


def test_a_writer_that_does_not_know_the_profile_says_so():
    writer = RecordingWriter(io.BytesIO(), HEADER)
    with pytest.raises(RuntimeError, match="profile"):
        writer(OPENED)
