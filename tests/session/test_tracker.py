"""One pane from all sides, without tmux."""

import pytest
from tests.session.rig import (
    ABSENT,
    EDITOR,
    HIDDEN,
    LINE_READ,
    PROMPT_OFF,
    PROMPT_ON,
    Rig,
    ready_bash,
)

from panegate.gate.guard import GuardResult
from panegate.gate.stages import PressKeys, TypeText
from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.session.events import PaneExited, PromptClosed, PromptOpened, WriteHeld
from panegate.session.traits import TrackerTraits
from panegate.terms import Fate, Intent, Reason, State


def type_hello(rig: Rig) -> str:
    """Send ``echo hi`` up to the echo being looked for."""
    write_id = rig.send("echo hi")
    rig.show("$ ", kernel=EDITOR)
    action = rig.reply(GuardResult.WRITTEN)
    assert isinstance(action, TypeText)
    assert action.text == "echo hi"
    return write_id


def test_a_write_goes_look_type_echo_enter_reaction():
    rig = ready_bash()
    type_hello(rig)
    rig.output(b"echo hi")
    rig.show("$ echo hi", kernel=EDITOR)
    action = rig.reply(GuardResult.WRITTEN)
    assert isinstance(action, PressKeys)
    assert action.keys == ("Enter",)
    assert rig.tracker.state is State.BUSY
    rig.output(rb"\015\012" + PROMPT_OFF + rb"hi\015\012" + PROMPT_ON)
    rig.show("$ echo hi", "hi", "$ ", kernel=EDITOR)
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.receipt.attempts) == (Fate.LANDED, 1)
    assert finished.receipt.landed is True
    assert rig.tracker.state is State.READY


def test_a_guard_refusal_writes_nothing_and_looks_again():
    rig = ready_bash()
    rig.send("echo hi")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.REFUSED)
    rig.show("$ ", kernel=EDITOR)
    assert len(rig.actions) == 1
    assert not rig.finished


def test_a_lost_reply_is_unknown_and_nothing_is_typed_again():
    rig = ready_bash()
    rig.send("echo hi")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.MISSING)
    (finished,) = rig.finished
    assert finished.receipt.fate is Fate.UNKNOWN
    assert finished.receipt.landed is None
    rig.pass_time(60)
    assert rig.actions == []


def test_no_echo_withholds_enter():
    rig = ready_bash()
    type_hello(rig)
    rig.pass_time(8)
    (finished,) = rig.finished
    receipt = finished.receipt
    assert (receipt.fate, receipt.reason, receipt.attempts) == (
        Fate.NOT_LANDED,
        Reason.NO_ECHO,
        0,
    )
    assert receipt.left_behind == "echo hi"


def test_another_text_in_the_line_withholds_enter():
    rig = ready_bash()
    type_hello(rig)
    rig.output(b"xecho hi")
    rig.show("$ xecho hi", kernel=EDITOR)
    rig.pass_time(8)
    assert rig.finished[0].receipt.reason in (Reason.ECHO_DIFFERS, Reason.NO_ECHO)
    assert rig.actions == []


def test_a_text_that_stays_cut_is_looked_at_now_and_then_not_all_the_time():
    rig = ready_bash()
    type_hello(rig)
    rig.output(b"echo")
    n_looks = 0
    while not rig.finished:
        if rig.tracker.take_look() is not None:
            rig.show("$ echo", kernel=EDITOR, wait=False)
            n_looks += 1
            assert n_looks < 40
        else:
            rig.now_s = max(rig.now_s, rig.tracker.deadline_s or rig.now_s)
            rig.tracker.advance(now_s=rig.now_s)
            rig.settle()
    assert rig.finished[0].receipt.reason is Reason.ECHO_DIFFERS
    assert rig.now_s > 5.0
    assert n_looks > 10


@pytest.mark.parametrize("painted", [True, False])
def test_an_unpainted_prompt_is_a_question_only_if_it_stays_so(painted: bool):
    """fish turns ?2004 on first and waits for helpers before it writes its prompt."""
    rig = ready_bash()
    rig.output(PROMPT_OFF + rb"\015\012\033[?2004h")
    rig.show("$ x", "", kernel=EDITOR)
    assert rig.tracker.state is not State.PROMPTING
    if painted:
        rig.output(b"$ ")
    rig.show("$ x", "$ " if painted else "", kernel=EDITOR)
    rig.pass_time(0.5)
    assert rig.tracker.state is (State.READY if painted else State.PROMPTING)
    assert ("prompting" in rig.states) is not painted


@pytest.mark.parametrize(
    "rows",
    [
        ("$ ls ", "Display all 108 possibilities? (y or n)"),
        ("afile  bfile", "cfile  dfile", "--More--"),
    ],
    ids=["a question under the prompt", "a page, and the prompt out of sight"],
)
def test_a_question_of_the_line_editor_is_no_draft(rows: tuple[str, ...]):
    """``?2004`` stays on meanwhile: the prompt cycle says nothing new."""
    rig = ready_bash()
    rig.output(b"ls ")
    rig.show("$ ls ", kernel=EDITOR)
    rig.output(b"\\015\\012")
    rig.show(*rows, kernel=EDITOR, history_size=40 if "--More--" in rows else 0)
    rig.pass_time(1)
    assert rig.tracker.state is State.PROMPTING
    assert rig.tracker.prompt is not None
    assert rig.tracker.prompt.question == rows[-1]


def test_a_question_between_text_and_enter_withholds_enter():
    rig = ready_bash()
    type_hello(rig)
    rig.output(PROMPT_OFF + rb"\015\012Overwrite? [y/n] ")
    rig.show("$ echo hi", "Overwrite? [y/n] ", kernel=LINE_READ, command="rm")
    (finished,) = rig.finished
    assert finished.receipt.reason is Reason.PROMPT_OPENED
    assert rig.actions == []


def test_no_reaction_is_unknown_never_a_second_enter():
    rig = ready_bash()
    type_hello(rig)
    rig.output(b"echo hi")
    rig.show("$ echo hi", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.show("$ echo hi", kernel=EDITOR)
    rig.pass_time(20)
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.receipt.reason) == (
        Fate.UNKNOWN,
        Reason.NO_REACTION,
    )
    assert rig.actions == []


def test_a_message_waits_for_ready_and_ends_at_its_deadline():
    rig = Rig("bash")
    rig.send("echo hi", within_s=3.0)
    rig.show("", kernel=ABSENT)
    rig.pass_time(4.0)
    (finished,) = rig.finished
    assert finished.ran_out
    assert (finished.receipt.fate, finished.receipt.n_bytes) == (Fate.REFUSED, 0)
    assert [e.reason for e in rig.events if isinstance(e, WriteHeld)] == [Reason.BOOTING]
    assert rig.actions == []


@pytest.mark.parametrize(
    ("intent", "more"),
    [
        (Intent.MESSAGE, {"text": "go on"}),
        (Intent.NUDGE, {"text": "go on"}),
        (Intent.STEER, {"text": "go on"}),
        (Intent.INTERRUPT, {"keys": ("C-c",)}),
        (Intent.KEYS, {"keys": ("Enter",)}),
    ],
)
def test_nothing_but_an_answer_writes_to_a_prompting_pane(intent: Intent, more: dict):
    rig = ready_bash()
    rig.output(PROMPT_OFF + rb"\015\012Delete all? [y/n] ")
    rig.show("$ rm -i x", "Delete all? [y/n] ", kernel=LINE_READ, command="rm")
    assert rig.states[-1] == "prompting"
    rig.send(intent=intent, **more)
    for _ in range(3):
        if rig.finished:
            break
        rig.show("$ rm -i x", "Delete all? [y/n] ", kernel=LINE_READ, command="rm")
    assert rig.finished[-1].receipt.fate is Fate.REFUSED
    assert rig.finished[-1].receipt.reason is Reason.PROMPTING
    assert rig.actions == []


def asking(rig: Rig) -> str:
    rig.output(PROMPT_OFF + rb"\015\012Delete all? [y/n] ")
    rig.show("$ rm -i x", "Delete all? [y/n] ", kernel=LINE_READ, command="rm")
    (opened,) = [e for e in rig.events if isinstance(e, PromptOpened)]
    return opened.prompt.id


def test_an_answer_reaches_that_very_prompt():
    rig = ready_bash()
    prompt_id = asking(rig)
    rig.send(intent=Intent.ANSWER, prompt_id=prompt_id, option="n", by="me")
    rig.show("$ rm -i x", "Delete all? [y/n] ", kernel=LINE_READ, command="rm")
    action = rig.reply(GuardResult.WRITTEN)
    assert isinstance(action, TypeText)
    assert action.text == "n"
    rig.output(b"n")
    rig.show("$ rm -i x", "Delete all? [y/n] n", kernel=LINE_READ, command="rm")
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\015\012" + PROMPT_ON)
    rig.show("$ rm -i x", "Delete all? [y/n] n", "$ ", kernel=EDITOR)
    assert rig.finished[-1].receipt.fate is Fate.LANDED
    (closed,) = [e for e in rig.events if isinstance(e, PromptClosed)]
    assert closed.answered


def test_an_answer_to_another_prompt_writes_nothing():
    rig = ready_bash()
    prompt_id = asking(rig)
    rig.send(intent=Intent.ANSWER, prompt_id=prompt_id, option="y", by="me")
    rig.output(rb"\015\012Format the disk? [y/n] ")
    rig.show(
        "$ rm -i x",
        "Delete all? [y/n] ",
        "Format the disk? [y/n] ",
        kernel=LINE_READ,
        command="rm",
    )
    if not rig.finished:
        rig.show(
            "$ rm -i x",
            "Delete all? [y/n] ",
            "Format the disk? [y/n] ",
            kernel=LINE_READ,
            command="rm",
        )
    assert rig.finished[-1].receipt.reason is Reason.STALE_PROMPT
    assert rig.actions == []


def test_a_humans_draft_holds_a_message():
    rig = ready_bash()
    rig.output(b"half a li")
    rig.show("$ half a li", kernel=EDITOR)
    assert rig.tracker.situation().draft == "half a li"
    rig.send("echo hi")
    rig.show("$ half a li", kernel=EDITOR)
    assert rig.actions == []
    assert rig.tracker.writes[0].held_by is Reason.DRAFT


def test_our_own_left_behind_text_is_named_and_never_submitted_with_the_next():
    rig = ready_bash()
    rig.tracker.left_behind = "echo old"
    rig.output(b"echo old")
    rig.show("$ echo old", kernel=EDITOR)
    rig.send("echo new")
    rig.show("$ echo old", kernel=EDITOR)
    assert rig.tracker.writes[0].held_by is Reason.LEFT_BEHIND
    assert rig.actions == []


def test_messages_keep_their_order_and_an_interrupt_goes_before():
    rig = Rig("bash")
    rig.show("", kernel=ABSENT)
    first = rig.send("one")
    second = rig.send("two")
    rig.send(intent=Intent.INTERRUPT, keys=("C-c",))
    rig.show("", kernel=ABSENT)
    rig.show("", kernel=ABSENT)
    action = rig.actions[0]
    assert isinstance(action, PressKeys)
    waiting = [w.request.write_id for w in rig.tracker.writes if not w.began]
    assert waiting == [first, second]


def test_withdrawn_before_it_began():
    rig = Rig("bash")
    write_id = rig.send("one")
    assert rig.tracker.withdraw(write_id, Reason.WITHDRAWN, "taken back", at_s=1.0)
    rig.settle()
    assert rig.finished[0].receipt.fate is Fate.WITHDRAWN


def test_a_write_in_hand_cannot_be_withdrawn():
    rig = ready_bash()
    write_id = type_hello(rig)
    assert not rig.tracker.withdraw(write_id, Reason.WITHDRAWN, "", at_s=rig.now_s)


def test_the_pane_dies_under_a_write():
    rig = ready_bash()
    type_hello(rig)
    rig.tracker.gone("killed from outside", at_s=rig.now_s)
    rig.settle()
    assert rig.finished[0].receipt.fate is Fate.UNKNOWN
    (ended,) = [e for e in rig.events if isinstance(e, PaneExited)]
    assert rig.tracker.state is State.EXITED
    assert ended.status is None


def test_another_process_in_the_pane_is_not_ours():
    rig = ready_bash()
    rig.send("rm -rf ./scratch")
    rig.show("$ ", kernel=EDITOR, pane_pid=999)
    assert rig.tracker.state is State.EXITED
    assert rig.actions == []
    assert rig.finished[0].receipt.fate is Fate.REFUSED


def test_hidden_input_is_a_secret_whatever_the_screen_says():
    rig = ready_bash()
    rig.output(PROMPT_OFF + rb"\015\012Password: ")
    rig.show("$ sudo x", "Password: ", kernel=HIDDEN, command="sudo")
    prompt = rig.tracker.prompt
    assert prompt is not None
    assert prompt.secret
    assert "Password" in prompt.question


def test_unread_input_is_not_the_end_of_a_turn():
    rig = Rig("lines")
    unread = KernelFact(
        level=ProbeLevel.FULL, wait=TtyWait.READ, echo=True, icanon=True, unread_bytes=6
    )
    rig.output(b"x")
    rig.show("hello", "", kernel=unread, command="cat", cursor=(1, 0))
    assert rig.tracker.state is State.BOOTING
    rig.show("hello", "", kernel=LINE_READ, command="cat", cursor=(1, 0))
    assert rig.tracker.state is State.READY


def test_held_by_a_person_lets_nothing_through():
    rig = ready_bash()
    rig.tracker.hold("lunch", at_s=rig.now_s)
    rig.send("echo hi", within_s=1.0)
    rig.show("$ ", kernel=EDITOR)
    rig.pass_time(2.0)
    assert rig.finished[0].receipt.reason is Reason.HELD
    assert rig.actions == []


def test_control_characters_are_refused_before_the_first_byte():
    rig = ready_bash()
    rig.send("echo \x1b[201~\r rm")
    rig.show("$ ", kernel=EDITOR)
    assert rig.finished[0].receipt.reason is Reason.CONTROL_CHARACTERS
    assert rig.actions == []


def test_the_controllers_own_pane_is_refused():
    rig = Rig("bash", TrackerTraits(name="me", own_pane=True))
    rig.send("echo hi")
    assert rig.finished[0].receipt.reason is Reason.OWN_PANE


def test_lost_output_voids_marks_and_confirmation():
    rig = ready_bash()
    rig.tracker.lost_output(at_s=rig.now_s)
    assert rig.tracker.marks.at_prompt is None
    assert not rig.tracker.machine.confirmed


def test_another_size_voids_the_quiet_and_no_mark():
    rig = ready_bash()
    rig.tracker.resized(at_s=rig.now_s)
    assert rig.tracker.marks.at_prompt is True
    assert not rig.tracker.machine.confirmed


def test_an_unreachable_server_makes_no_pane_dead():
    rig = ready_bash()
    rig.tracker.reachable(False, "gone", at_s=rig.now_s)
    rig.send("echo hi", within_s=1.0)
    rig.pass_time(2.0)
    assert rig.tracker.state is State.READY
    assert rig.finished[0].receipt.reason is Reason.SERVER_UNREACHABLE
    assert rig.actions == []


def test_a_program_that_handles_our_text_is_not_busy_with_a_turn():
    rig = Rig("standin")
    rig.show("> ", kernel=EDITOR)
    rig.send("hello")
    rig.show("> ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    for _ in range(3):  # it read the text, and computes before it draws
        rig.show("> ", kernel=ABSENT)
    assert rig.states == ["ready"]
    rig.output(b"hello")
    rig.show("> hello", kernel=EDITOR)
    rig.show("> hello", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    assert rig.states == ["ready", "busy"]
