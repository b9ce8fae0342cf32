"""How to get out of what has a pane, known without writing anything."""

import attrs
import pytest
from tests.session.rig import EDITOR, HIDDEN, LINE_READ, LOOP, Rig, look

from panegate.gate.guard import GuardResult
from panegate.gate.keystrokes import is_key
from panegate.gate.stages import PressKeys
from panegate.panes.facts import KernelFact, PromptReading
from panegate.profiles import load
from panegate.session.ways_out import LEAVING_KEYS, leaving_keys, way_to_decline
from panegate.terms import Fate, Intent, PromptKind, Reason, State

TEXT = PromptReading(kind=PromptKind.TEXT, question="Name?")
MENU = PromptReading(kind=PromptKind.MENU, question="Which?")


@pytest.mark.parametrize(
    ("prompt", "kernel", "fields", "profile", "key"),
    [
        (attrs.evolve(MENU, cancel_key="Escape"), LOOP, {}, "generic", "Escape"),
        (attrs.evolve(TEXT, cancel_key="q"), LINE_READ, {}, "bash", "q"),
        (TEXT, LINE_READ, {}, "bash", "C-c"),
        (attrs.evolve(TEXT, kind=PromptKind.SECRET), HIDDEN, {}, "bash", "C-c"),
        (MENU, LINE_READ, {}, "bash", "C-c"),
        (TEXT, None, {}, "bash", "C-c"),
        (TEXT, EDITOR, {}, "generic", "C-c"),
        (MENU, None, {}, "generic", None),
        (MENU, LOOP, {}, "generic", None),
        (MENU, LOOP, {"command": "fzf", "alternate_on": True}, "bash", "Escape"),
        (TEXT, LOOP, {"alternate_on": True}, "bash", None),
        (TEXT, LOOP, {}, "standin", None),
    ],
)
def test_a_question_is_declined_as_it_says_or_as_a_terminal_does(
    prompt: PromptReading,
    kernel: KernelFact | None,
    fields: dict[str, object],
    profile: str,
    key: str | None,
):
    seen = look("Name? ", kernel=kernel, **fields)  # type: ignore[arg-type]
    assert way_to_decline(prompt, seen, load(profile)) == key


def test_every_key_of_the_table_is_a_key():
    assert all(is_key(key) for keys in LEAVING_KEYS.values() for key in keys)


@pytest.mark.parametrize("state", State)
def test_only_a_program_at_work_is_left_by_keys(state: State):
    at_work = state in (State.BOOTING, State.BUSY, State.SILENT)
    keys = leaving_keys(state, look("", command="nano"))
    assert keys == (("C-x",) if at_work else ())
    assert leaving_keys(state, look("", command="sleep")) == ()
    assert leaving_keys(state, None) == ()


def test_a_program_that_another_one_started_is_known_by_who_reads():
    kernel = attrs.evolve(EDITOR, reader_command="vim")
    seen = look("", command="git", kernel=kernel)
    assert leaving_keys(State.BUSY, seen) == ("Escape", ":", "q", "!", "Enter")


def asking() -> Rig:
    """Return a shell in which a program reads a line and shows nothing."""
    rig = Rig("bash")
    rig.show("$ cat > f", "", kernel=LINE_READ, command="cat")
    assert rig.tracker.state is State.PROMPTING
    return rig


def test_a_raw_line_reader_is_left_by_an_answer_and_by_nothing_else():
    rig = asking()
    for intent in (Intent.INTERRUPT, Intent.KEYS):
        rig.send(intent=intent, keys=("C-c",))
        rig.show("$ cat > f", "", kernel=LINE_READ, command="cat")
    assert [f.receipt.reason for f in rig.finished] == [Reason.PROMPTING] * 2
    assert rig.actions == []
    prompt = rig.tracker.prompt
    assert prompt is not None
    assert prompt.cancel_key == "C-c"
    rig.send(intent=Intent.ANSWER, prompt_id=prompt.id, cancel=True, by="anna")
    rig.show("$ cat > f", "", kernel=LINE_READ, command="cat")
    action = rig.reply(GuardResult.WRITTEN)
    assert isinstance(action, PressKeys)
    assert action.keys == ("C-c",)


def test_declining_another_question_presses_nothing():
    rig = asking()
    rig.send(intent=Intent.ANSWER, prompt_id="%1.1.other", cancel=True, by="anna")
    rig.show("$ cat > f", "", kernel=LINE_READ, command="cat")
    assert rig.actions == []
    assert rig.finished[-1].receipt.fate is Fate.REFUSED
