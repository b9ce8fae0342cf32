"""What a write types: planned from the request and, for answers, from the very prompt."""

import pytest

from panegate.gate.plan import (
    Expect,
    NoPlan,
    Plan,
    WriteRequest,
    find_option,
    plan_answer,
    plan_write,
)
from panegate.ids import PaneId
from panegate.panes.facts import OptionReading, PromptReading
from panegate.terms import Intent, PromptKind, Reason


def request(intent: Intent = Intent.MESSAGE, **known: object) -> WriteRequest:
    return WriteRequest(
        write_id="w1",
        pane_id=PaneId("%1"),
        intent=intent,
        asked_s=0.0,
        deadline_s=None,
        **known,  # type: ignore[arg-type]
    )


def menu(*labels: str, keys: str = "", at: int | None = 0, submits: bool = True) -> PromptReading:
    options = tuple(
        OptionReading(key=keys[n] if keys else "", label=label, highlighted=n == at)
        for n, label in enumerate(labels)
    )
    return PromptReading(kind=PromptKind.MENU, question="Which?", options=options, submits=submits)


def answer(prompt: PromptReading, **known: object) -> Plan | NoPlan:
    return plan_answer(request(Intent.ANSWER, prompt_id="p", **known), prompt)


def test_a_message_is_text_and_enter():
    assert plan_write(request(text="hi")) == Plan(text="hi", enter=True)


def test_without_submit_the_echo_is_all_that_is_expected():
    plan = plan_write(request(text="hi", submit=False))
    assert (plan.enter, plan.expect) == (False, Expect.ECHO)


def test_a_key_that_acts_at_once_is_pressed_without_enter():
    plan = answer(menu("Yes", "No", keys="12", submits=False), option="2")
    assert isinstance(plan, Plan)
    assert (plan.keys, plan.enter, plan.chosen) == (("2",), False, "No")


def test_arrows_lead_to_the_option_and_enter_only_when_it_is_highlighted():
    plan = answer(menu("A", "B", "C", at=0), option="C")
    assert isinstance(plan, Plan)
    assert (plan.keys, plan.enter, plan.chosen) == (("Down", "Down"), True, "C")
    back = answer(menu("A", "B", "C", at=2), option="A")
    assert isinstance(back, Plan)
    assert back.keys == ("Up", "Up")


def test_a_line_question_takes_text_and_enter():
    prompt = menu("yes", "no", keys="yn", at=None)
    plan = answer(prompt, option="n")
    assert isinstance(plan, Plan)
    assert (plan.text, plan.enter) == ("n", True)


def test_a_secret_is_typed_unseen():
    prompt = PromptReading(kind=PromptKind.SECRET, question="Password:", secret=True)
    plan = answer(prompt, text="hunter2")
    assert isinstance(plan, Plan)
    assert (plan.secret, plan.echo) == (True, False)


def test_cancel_uses_the_key_the_screen_names_or_nothing():
    plan = answer(
        PromptReading(kind=PromptKind.MENU, question="?", cancel_key="Escape"), cancel=True
    )
    assert isinstance(plan, Plan)
    assert plan.keys == ("Escape",)
    none = answer(PromptReading(kind=PromptKind.MENU, question="?"), cancel=True)
    assert isinstance(none, NoPlan)
    assert none.reason is Reason.NO_CANCEL


def test_an_option_that_is_not_there_writes_nothing():
    plan = answer(menu("Yes", "No", keys="12"), option="3")
    assert isinstance(plan, NoPlan)
    assert plan.reason is Reason.NO_SUCH_OPTION
    assert "'1', '2'" in plan.words


@pytest.mark.parametrize(
    ("wanted", "label"), [("1", "North"), ("north", "North"), ("South", "South"), ("4", None)]
)
def test_options_are_found_by_number_or_whole_label(wanted: str, label: str | None):
    found = find_option(menu("North", "South", "South-east"), wanted)
    assert (found.label if found else None) == label


def test_an_ambiguous_key_chooses_nothing():
    assert find_option(menu("Yes", "yes", keys="ab"), "YES") is None
    same = PromptReading(
        kind=PromptKind.MENU,
        question="?",
        options=(OptionReading(key="y", label="Yes"), OptionReading(key="Y", label="Always")),
    )
    found = find_option(same, "Y")
    assert found is not None
    assert found.label == "Always"
