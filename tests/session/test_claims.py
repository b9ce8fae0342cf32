"""A status is a hypothesis: the record and the child processes say whether it still counts."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.panes.facts import Mark, MarkKind
from panegate.session.claims import (
    SLACK_S,
    Child,
    Claim,
    ClaimBook,
    ClaimKind,
    Judgement,
    Standing,
    claim_of_mark,
    claim_of_words,
    judge,
    running_call,
)
from panegate.session.transcript import Call, CallKind, Choice, Question, Record
from panegate.terms import Grade

AT_S = 1_000.0
WAITS = Claim(kind=ClaimKind.WAITING, at_s=AT_S, source="hook")
CALL = Call(id="a", name="Bash", input="rm -r build", at_s=AT_S - 6)
LATER_COMMIT = Call(id="b", name="Bash", input="git commit -m done", at_s=AT_S + 300)
ASKS = Call(
    id="q",
    name="AskUserQuestion",
    kind=CallKind.QUESTION,
    questions=(Question(text="Which one?", choices=(Choice(label="Red"), Choice(label="Blue"))),),
    at_s=AT_S - 1,
)
PLAN = Call(id="p", name="ExitPlanMode", kind=CallKind.PLAN, input="1. do it", at_s=AT_S - 1)


def record(**fields: object) -> Record:
    known: dict[str, object] = {"program": "claude", "turn_ended": False, "at_s": AT_S - 6}
    return Record(**{**known, **fields})  # type: ignore[arg-type]


def child(started_s: float, command: str = "bash", pid: int = 7, ppid: int = 2) -> Child:
    return Child(pid=pid, ppid=ppid, command=command, started_s=started_s)


TABLE = {
    "a call without a result is what it waits on": (
        record(pending=(CALL,)),
        (),
        (Standing.WAITING, "a", False),
    ),
    "a call made within the slack after the claim too": (
        record(pending=(attrs.evolve(CALL, at_s=AT_S + SLACK_S),)),
        (),
        (Standing.WAITING, "a", False),
    ),
    "a question with its choices": (
        record(pending=(ASKS,)),
        (),
        (Standing.WAITING, "q", False),
    ),
    "a plan to approve": (record(pending=(PLAN,)), (), (Standing.WAITING, "p", False)),
    "a question beside a tool is what it waits on": (
        record(pending=(ASKS, CALL)),
        (),
        (Standing.WAITING, "q", False),
    ),
    "a call that runs as a child is working": (
        record(pending=(CALL,)),
        (child(AT_S + 5),),
        (Standing.WORKING, "a", False),
    ),
    "an older child is a server and no call": (
        record(pending=(CALL,)),
        (child(AT_S - 60),),
        (Standing.WAITING, "a", False),
    ),
    "the later commit reads working": (
        record(pending=(LATER_COMMIT,), at_s=AT_S + 300, answered_at_s=AT_S + 200),
        (child(AT_S + 301, "git"),),
        (Standing.WORKING, "b", False),
    ),
    "the later commit reads working also before its process is seen": (
        record(pending=(LATER_COMMIT,), at_s=AT_S + 300, answered_at_s=AT_S + 200),
        (),
        (Standing.WORKING, "b", True),
    ),
    "a later call tells so also where the record has no other time": (
        record(pending=(LATER_COMMIT,), at_s=None),
        (),
        (Standing.WORKING, "b", True),
    ),
    "a record that moved on and ended its turn is idle": (
        record(turn_ended=True, at_s=AT_S + 40, answered_at_s=AT_S + 30),
        (),
        (Standing.IDLE, None, True),
    ),
    "a record that moved on in an open turn is working": (
        record(at_s=AT_S + 40, answered_at_s=AT_S + 30),
        (),
        (Standing.WORKING, None, True),
    ),
    "an answer right after the claim ends the wait within the slack": (
        record(at_s=AT_S + 3, answered_at_s=AT_S + 3),
        (),
        (Standing.WORKING, None, True),
    ),
    "a record that moved on without telling of its turn says nothing": (
        record(turn_ended=None, at_s=AT_S + 40),
        (),
        (Standing.UNKNOWN, None, True),
    ),
    "with neither it waits on its last words": (
        record(turn_ended=True, last_words="Shall I?"),
        (),
        (Standing.WAITING, None, False),
    ),
    "words right after the claim are still those it waits on": (
        record(turn_ended=True, last_words="Shall I?", at_s=AT_S + 9),
        (),
        (Standing.WAITING, None, False),
    ),
    "without a record the claim stands": (None, (), (Standing.WAITING, None, False)),
}


def told(judgement: Judgement) -> tuple[Standing, str | None, bool]:
    call = judgement.call.id if judgement.call is not None else None
    return judgement.standing, call, judgement.stale


@pytest.mark.parametrize("case", TABLE)
def test_a_claim_to_wait(case: str):
    written, children, wanted = TABLE[case]
    assert told(judge([WAITS], written, children)) == wanted


def test_what_it_waits_on_is_quoted_with_its_grade():
    judgement = judge([WAITS], record(pending=(CALL,)))
    assert judgement.call is CALL
    assert judgement.grade is Grade.TRANSCRIPT
    assert "Bash is open without a result" in judgement.words
    words = judge([WAITS], record(turn_ended=True, last_words="Shall I?"))
    assert (words.last_words, words.grade) == ("Shall I?", Grade.CLAIM)


def test_work_elsewhere_does_not_end_a_wait_whose_call_is_open():
    works = Claim(kind=ClaimKind.WORKING, at_s=AT_S + 2, source="hook")
    assert told(judge([WAITS, works], record(pending=(CALL,)))) == (Standing.WAITING, "a", False)
    assert judge([WAITS, works], None).standing is Standing.WORKING
    done = record(at_s=AT_S + 3, answered_at_s=AT_S + 3)
    assert judge([WAITS, works], done).standing is Standing.WORKING


@pytest.mark.parametrize(
    ("kind", "written", "wanted"),
    [
        (ClaimKind.WORKING, record(), Standing.WORKING),
        (ClaimKind.WORKING, record(turn_ended=True, at_s=AT_S + 1), Standing.IDLE),
        (ClaimKind.WORKING, record(turn_ended=True, at_s=AT_S - 1), Standing.WORKING),
        (ClaimKind.WORKING, record(pending=(ASKS,)), Standing.WAITING),
        (ClaimKind.IDLE, record(turn_ended=True), Standing.IDLE),
        (ClaimKind.IDLE, None, Standing.IDLE),
        (ClaimKind.IDLE, record(at_s=AT_S + 5), Standing.IDLE),
        (ClaimKind.IDLE, record(at_s=AT_S + 60), Standing.WORKING),
    ],
)
def test_claims_of_work_and_of_its_end(kind: ClaimKind, written: Record, wanted: Standing):
    assert judge([attrs.evolve(WAITS, kind=kind)], written).standing is wanted


def test_a_running_call_beats_every_claim():
    for kind in ClaimKind:
        claim = attrs.evolve(WAITS, kind=kind)
        standing = judge([claim], record(pending=(CALL,)), [child(AT_S)]).standing
        assert standing is Standing.WORKING


def test_without_a_record_going_on_for_longer_than_the_slack_ends_a_wait():
    assert judge([WAITS], None, moved_at_s=AT_S + SLACK_S).standing is Standing.WAITING
    gone_on = judge([WAITS], None, moved_at_s=AT_S + SLACK_S + 1)
    assert (gone_on.standing, gone_on.stale) == (Standing.UNKNOWN, True)


def test_the_record_alone_tells_of_a_question_a_running_call_and_an_end():
    assert judge([], record(pending=(ASKS,))).standing is Standing.WAITING
    assert judge([], record(pending=(CALL,)), [child(AT_S)]).standing is Standing.WORKING
    assert judge([], record(turn_ended=True)).standing is Standing.IDLE
    assert judge([], record(pending=(CALL,))).standing is Standing.UNKNOWN
    assert judge([], None).standing is Standing.UNKNOWN


def test_the_hook_that_reports_is_no_running_call():
    shell = child(AT_S, "sh", pid=3, ppid=2)
    hook = child(AT_S, "panegate-hook", pid=4, ppid=3)
    assert running_call([CALL], [shell, hook]) is None
    assert running_call([CALL], [shell, hook, child(AT_S, "rm", pid=5, ppid=2)]) is CALL


def test_a_question_never_runs_as_a_process():
    assert running_call([ASKS, PLAN], [child(AT_S)]) is None


def test_a_call_without_a_time_is_no_running_call_and_may_be_waited_on():
    call = attrs.evolve(CALL, at_s=None)
    assert running_call([call], [child(AT_S)]) is None
    assert judge([WAITS], record(pending=(call,))).call is call


@pytest.mark.parametrize(
    ("mark", "text", "kind"),
    [
        (MarkKind.AGENT, "state=blocked:app=codex:kind=permission", ClaimKind.WAITING),
        (MarkKind.AGENT, "state=working", ClaimKind.WORKING),
        (MarkKind.AGENT, "state=idle", ClaimKind.IDLE),
        (MarkKind.AGENT, "state=clear", None),
        (MarkKind.AGENT, "", None),
        (MarkKind.CONTEXT, "start=1a;type=command;cwd=/x", ClaimKind.WORKING),
        (MarkKind.CONTEXT, "start=1a;type=shell", None),
        (MarkKind.CONTEXT, "end=1a;exit=success", ClaimKind.IDLE),
        (MarkKind.CONTEXT, "start=1a;state=waiting", ClaimKind.WAITING),
        (MarkKind.PROGRESS, "3", ClaimKind.WORKING),
        (MarkKind.PROGRESS, "1;50", ClaimKind.WORKING),
        (MarkKind.PROGRESS, "4;50", ClaimKind.WAITING),
        (MarkKind.PROGRESS, "0", ClaimKind.IDLE),
        (MarkKind.PROGRESS, "x", None),
        (MarkKind.NOTIFY, "Some CLI;needs your permission", ClaimKind.WAITING),
        (MarkKind.TITLE, "state=working", None),
        (MarkKind.PASTE_ON, "", None),
    ],
)
def test_marks_of_the_stream_are_claims(mark: MarkKind, text: str, kind: ClaimKind | None):
    claim = claim_of_mark(Mark(mark, text, 5.0), wall_offset_s=100.0)
    assert (claim.kind if claim is not None else None) is kind
    if claim is not None:
        assert claim.at_s == 105.0


def test_a_notification_is_kept_word_for_word():
    claim = claim_of_mark(Mark(MarkKind.NOTIFY, "Some CLI;needs your permission", 5.0))
    assert claim is not None
    assert claim.words == "needs your permission"


@pytest.mark.parametrize(
    ("words", "kind"),
    [(" Blocked ", ClaimKind.WAITING), ("busy", ClaimKind.WORKING), ("done", ClaimKind.IDLE)],
)
def test_a_status_is_read_in_the_words_that_programs_use(words: str, kind: ClaimKind):
    claim = claim_of_words(words, at_s=1.0, source="@agent_state")
    assert claim is not None
    assert claim.kind is kind


def test_an_unknown_status_claims_nothing():
    assert claim_of_words("purple", at_s=1.0, source="x") is None


def test_the_book_drops_what_is_older_than_the_same_source_said():
    book = ClaimBook()
    assert book.hear(WAITS)
    assert not book.hear(Claim(kind=ClaimKind.IDLE, at_s=AT_S - 1, source="hook"))
    assert book.hear(Claim(kind=ClaimKind.IDLE, at_s=AT_S - 1, source="other"))
    assert book.judgement().standing is Standing.WAITING


@pytest.mark.parametrize(
    ("started_s", "standing"),
    [
        (AT_S - 0.1, Standing.WAITING),
        (AT_S + 0.4, Standing.WAITING),
        (AT_S + 1.0, Standing.WORKING),
        (AT_S - 3.0, Standing.WORKING),
    ],
)
def test_what_was_started_around_a_report_is_a_hook_and_no_call(
    started_s: float, standing: Standing
):
    report = attrs.evolve(WAITS, by_process=True)
    kids = [child(started_s, "python3")]
    assert judge([report], record(pending=(CALL,)), kids).standing is standing
    assert judge([WAITS], record(pending=(CALL,)), kids).standing is Standing.WORKING
    book = ClaimBook(record=record(pending=(CALL,)), children=tuple(kids), claims=[report])
    assert book.about(AT_S).standing is standing


def test_the_book_judges_marks_in_wall_time():
    book = ClaimBook(wall_offset_s=990.0)
    assert book.mark(Mark(MarkKind.AGENT, "state=blocked", 10.0))
    assert not book.mark(Mark(MarkKind.TITLE, "x", 10.0))
    book.moved_at_s = 15.0
    assert book.judgement().standing is Standing.WAITING
    book.moved_at_s = 21.0
    assert book.judgement().stale


@given(
    st.lists(
        st.builds(
            Claim,
            kind=st.sampled_from(ClaimKind),
            at_s=st.floats(0, 2000),
            source=st.sampled_from(["a", "b", "c"]),
        ),
        max_size=40,
    )
)
def test_the_book_stays_small_and_in_order(claims: list[Claim]):
    book = ClaimBook()
    for claim in claims:
        book.hear(claim)
    assert len(book.claims) <= 8
    assert [c.at_s for c in book.claims] == sorted(c.at_s for c in book.claims)
    assert isinstance(book.judgement(), Judgement)
