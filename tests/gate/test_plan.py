"""What a write types: planned from the request and, for answers, from the very prompt."""

import pytest

from panegate.gate.plan import (
    Expect,
    NoPlan,
    Plan,
    WriteRequest,
    find_option,
    key_named,
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


def test_a_deadline_that_no_clock_can_reach_is_no_deadline():
    with pytest.raises(ValueError, match="within_s"):
        WriteRequest(
            write_id="w1",
            pane_id=PaneId("%1"),
            intent=Intent.MESSAGE,
            asked_s=0.0,
            deadline_s=float("nan"),
        )


def boxes(*labels: str, ticked: str = "", at: int = 0, many: bool = True) -> PromptReading:
    options = tuple(
        OptionReading(key="", label=label, highlighted=n == at, ticked=label in ticked)
        for n, label in enumerate(labels)
    )
    return PromptReading(kind=PromptKind.MENU, question="Which?", options=options, many=many)


@pytest.mark.parametrize(
    ("wanted", "keys", "ticks"),
    [
        ("a", ("Space", "Down", "Space"), ("a",)),
        ("a, c", ("Space", "Down", "Space", "Down", "Space"), ("a", "c")),
        ("b", (), ("b",)),
        ("c,b", ("Down", "Down", "Space"), ("b", "c")),
        ("", ("Down", "Space"), ()),
    ],
)
def test_boxes_are_ticked_with_space_until_they_are_as_asked(
    wanted: str, keys: tuple[str, ...], ticks: tuple[str, ...]
):
    plan = answer(boxes("a", "b", "c", ticked="b"), option=wanted)
    assert isinstance(plan, Plan)
    assert (plan.keys, plan.ticks, plan.enter) == (keys, ticks, True)


def test_of_boxes_that_take_one_only_the_wanted_one_is_touched():
    plan = answer(boxes("a", "b", "c", ticked="b", many=False), option="c")
    assert isinstance(plan, Plan)
    assert (plan.keys, plan.ticks) == (("Down", "Down", "Space"), ("c",))


def test_boxes_that_cannot_be_reached_or_are_not_there_get_no_key():
    unseen = answer(boxes("a", "b", at=7), option="a")
    assert isinstance(unseen, NoPlan)
    assert isinstance(answer(boxes("a", "b"), option="a,x"), NoPlan)


def test_without_a_highlight_nothing_says_where_arrows_begin():
    assert isinstance(answer(menu("A", "B", at=None), option="B"), NoPlan)


def test_options_in_one_row_are_reached_sideways():
    options = tuple(
        OptionReading(key="", label=label, highlighted=label == "A", row=4) for label in "ABC"
    )
    prompt = PromptReading(kind=PromptKind.CONFIRM, question="?", options=options)
    plan = answer(prompt, option="C")
    assert isinstance(plan, Plan)
    assert plan.keys == ("Right", "Right")


@pytest.mark.parametrize(
    ("shown", "key"),
    [
        ("Esc", "Escape"),
        ("ENTER", "Enter"),
        ("<space>", "Space"),
        ("^C", "C-c"),
        ("Ctrl+X", "C-x"),
        ("y", "y"),
        ("?", "?"),
        ("F5", "F5"),
        ("any", None),
        ("", None),
        ("12", None),
    ],
)
def test_a_key_is_pressed_by_the_name_that_tmux_knows(shown: str, key: str | None):
    assert key_named(shown) == key


def test_an_option_whose_key_has_two_digits_is_reached_by_arrows():
    options = tuple(
        OptionReading(key=str(n), label=f"no. {n}", highlighted=n == 9) for n in range(1, 13)
    )
    prompt = PromptReading(kind=PromptKind.MENU, question="?", options=options, submits=False)
    plan = answer(prompt, option="12")
    assert isinstance(plan, Plan)
    assert (plan.keys, plan.enter) == (("Down", "Down", "Down"), True)


def test_an_answer_is_typed_key_by_key_and_one_key_may_be_all_of_it():
    prompt = menu("yes", "no", keys="yn", at=None)
    plan = answer(prompt, option="n")
    assert isinstance(plan, Plan)
    assert (plan.by_keys, plan.alone) == (True, True)
    several = answer(prompt, text="one\ntwo")
    assert isinstance(several, Plan)
    assert (several.by_keys, several.alone) == (False, False)


def test_an_option_never_becomes_an_empty_secret():
    prompt = PromptReading(kind=PromptKind.SECRET, question="Password:", secret=True)
    plan = answer(prompt, option="1")
    assert isinstance(plan, NoPlan)
    assert plan.reason is Reason.NO_SUCH_OPTION


@pytest.mark.parametrize("submits", [True, False])
def test_a_text_into_a_list_of_choices_is_refused_before_a_letter_of_it_chooses(submits: bool):
    prompt = menu("Yes", "No", keys="12", submits=submits)
    plan = answer(prompt, text="you should not do this")
    assert isinstance(plan, NoPlan)
    assert plan.reason is Reason.NO_SUCH_OPTION
    assert "'1', '2'" in plan.words


def test_a_text_that_is_an_option_of_the_list_chooses_it():
    assert answer(menu("Yes", "No", keys="12"), text="no") == answer(
        menu("Yes", "No", keys="12"), option="2"
    )


def test_a_single_key_question_takes_one_letter_and_no_more():
    prompt = PromptReading(kind=PromptKind.CONFIRM, question="Go on?", submits=False)
    assert isinstance(answer(prompt, text="y"), Plan)
    assert isinstance(answer(prompt, text="yes"), NoPlan)


def test_an_input_box_takes_a_text_beside_its_buttons():
    box = PromptReading(
        kind=PromptKind.TEXT,
        question="Your name?",
        options=(OptionReading(key="", label="OK", highlighted=True),),
    )
    plan = answer(box, text="Ann")
    assert isinstance(plan, Plan)
    assert plan.text == "Ann"
