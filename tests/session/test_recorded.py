"""A pane whose record and claims speak where the screen does not, and only there."""

from tests.session.rig import ABSENT, EDITOR, LOOP, PANE, Rig, look

from panegate.panes.facts import Look
from panegate.session import inputs
from panegate.session.claims import Child, Claim, ClaimKind
from panegate.session.events import Prompt, PromptClosed, PromptOpened
from panegate.session.transcript import Call, Record
from panegate.terms import Grade, Intent, Reason, State, Verdict

CALL = Call(id="a", name="Bash", input="rm -r build", at_s=1004.0)
RECORD = Record(program="claude", pending=(CALL,), turn_ended=False, at_s=1004.0)
OFFSET_S = 1000.0
BLANK = ("some text", "and more of it")


def screen(rig: Rig, *rows: str, **more: object) -> Look:
    return look(*(rows or BLANK), kernel=more.pop("kernel", LOOP), command="claude", **more)


class Told(Rig):
    """A rig with a record."""

    def __init__(self) -> None:
        super().__init__("generic")
        self.record(None)

    def record(self, record: Record | None, *children: Child) -> None:
        item = inputs.Recorded(PANE, record, children, OFFSET_S, self.now_s)
        inputs.apply(self.tracker, item)
        self.settle()

    def claim(self, kind: ClaimKind) -> None:
        claim = Claim(kind=kind, at_s=self.now_s + OFFSET_S, source="its hook")
        inputs.apply(self.tracker, inputs.Claimed(PANE, claim, self.now_s))
        self.settle()

    def quiet(self, *rows: str, **more: object) -> None:
        """Look until the state has settled on this screen."""
        for _ in range(4):
            due_s = self.tracker.deadline_s
            cause = self.tracker.take_look()
            if cause is None and due_s is None:
                return
            if cause is None:
                self.until_look()
            seen = screen(self, *rows, asked_at_s=self.now_s, **more)
            self.tracker.looked(seen, at_s=self.now_s)
            self.settle()
            self.now_s += 2.0

    @property
    def prompt(self) -> Prompt | None:
        return self.tracker.prompt


def waiting() -> Told:
    rig = Told()
    rig.output(b"some text")
    rig.now_s = 6.0
    rig.claim(ClaimKind.WAITING)
    rig.record(RECORD)
    rig.quiet()
    return rig


def test_a_claim_with_an_open_call_is_a_prompt_with_the_call_quoted():
    rig = waiting()
    assert rig.tracker.state is State.PROMPTING
    assert rig.prompt is not None
    assert (rig.prompt.context, rig.prompt.proof) == ("rm -r build", Grade.TRANSCRIPT)
    assert len([event for event in rig.events if isinstance(event, PromptOpened)]) == 1


def test_nothing_is_written_to_it_not_even_an_answer():
    rig = waiting()
    assert rig.prompt is not None
    for intent in Intent:
        if intent is Intent.INTERRUPT:
            continue
        decision = rig.tracker.verdict(intent, rig.prompt.id)
        assert decision.verdict is not Verdict.ALLOW
    answer = rig.tracker.verdict(Intent.ANSWER, rig.prompt.id)
    assert (answer.verdict, answer.reason) == (Verdict.REFUSE, Reason.STALE_PROMPT)


def test_a_call_that_begins_to_run_ends_the_wait():
    rig = waiting()
    child = Child(pid=9, ppid=8, command="rm", started_s=1010.0)
    rig.record(RECORD, child)
    rig.quiet()
    assert rig.tracker.state is State.BUSY
    assert len([event for event in rig.events if isinstance(event, PromptClosed)]) == 1
    belief = rig.tracker.machine.belief
    assert belief is not None
    assert (belief.rule, belief.grade) == ("recorded", Grade.TRANSCRIPT)


def test_a_record_that_moved_on_ends_the_wait():
    rig = waiting()
    later = Call(id="b", name="Bash", input="git commit -m done", at_s=1300.0)
    rig.record(Record(program="claude", pending=(later,), turn_ended=False, at_s=1300.0))
    rig.quiet()
    assert rig.tracker.state is State.BUSY
    rig.record(Record(program="claude", turn_ended=True, at_s=1310.0))
    rig.quiet()
    assert rig.prompt is None
    assert rig.tracker.state is not State.PROMPTING


def test_a_claim_never_makes_a_pane_ready():
    rig = Told()
    rig.output(b"some text")
    rig.claim(ClaimKind.IDLE)
    rig.record(Record(program="claude", turn_ended=True, at_s=1001.0))
    rig.quiet()
    assert rig.tracker.state is not State.READY
    assert rig.tracker.verdict(Intent.MESSAGE).verdict is not Verdict.ALLOW


def test_a_screen_that_shows_a_composer_beats_a_claim():
    rig = Told()
    rig.output(b"> ")
    rig.claim(ClaimKind.WAITING)
    rig.quiet("text", "", "> ", kernel=EDITOR)
    assert rig.tracker.state is State.READY


def test_the_kernels_veto_beats_a_claim():
    rig = Told()
    rig.output(b"some text")
    rig.claim(ClaimKind.WAITING)
    rig.quiet(kernel=ABSENT)
    assert rig.tracker.state is not State.PROMPTING


def test_a_mark_is_a_claim_and_going_on_afterwards_ends_it():
    rig = Told()
    rig.output(rb"\033]777;notify;X;needs your permission\033\134")
    rig.quiet()
    assert rig.tracker.state is State.PROMPTING
    assert rig.prompt is not None
    assert rig.prompt.question == "needs your permission"
    rig.now_s += 11.0
    rig.output(b"more")
    rig.quiet("other text", "altogether")
    assert rig.tracker.state is not State.PROMPTING


def test_the_explanation_names_the_claim():
    rig = waiting()
    belief = rig.tracker.machine.belief
    assert belief is not None
    assert any("its hook says that it waits" in item.words for item in belief.evidence)


def test_the_same_record_again_costs_no_look():
    rig = waiting()
    looks = rig.tracker.machine.looks
    rig.record(RECORD)
    assert rig.tracker.take_look() is None
    assert rig.tracker.machine.looks == looks
