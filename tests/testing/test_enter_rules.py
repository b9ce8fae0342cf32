"""Each habit of an Enter, without a terminal."""

import pytest

from panegate.testing.programs._enter import Effect, EnterRules

_NEVER = float("-inf")


def _decide(rules: EnterRules, *, after_s: float = 10.0, after_text: bool = False) -> Effect:
    """Decide about an Enter *after_s* seconds after text and after the box appeared."""
    return rules.decide(
        now_s=100.0, text_at_s=100.0 - after_s, box_at_s=100.0 - after_s, after_text=after_text
    )


def test_without_habits_every_enter_submits() -> None:
    """The defaults are a program without faults."""
    rules = EnterRules()
    assert [_decide(rules, after_s=0.0, after_text=True).name for _ in range(5)] == ["submit"] * 5


@pytest.mark.parametrize(
    ("habit", "effect"),
    [
        ({"ignore_within_s": 0.12}, Effect("ignore", "ignore_within")),
        ({"newline_within_s": 0.12}, Effect("newline", "newline_within")),
        ({"ready_after_s": 0.12}, Effect("ignore", "ready_after")),
    ],
)
def test_a_habit_in_time_ends_exactly_at_its_limit(habit: dict[str, float], effect: Effect) -> None:
    """Just before it the Enter is lost, at it it counts."""
    rules = EnterRules(**habit)
    assert _decide(rules, after_s=0.11) == effect
    assert rules.decide(now_s=0.12, text_at_s=0.0, box_at_s=0.0, after_text=False).name == "submit"
    never = rules.decide(now_s=0.0, text_at_s=_NEVER, box_at_s=_NEVER, after_text=False)
    assert never.name == "submit"


def test_an_enter_read_with_its_text_becomes_a_line_break() -> None:
    """By the read, not by the clock."""
    rules = EnterRules(newline_in_same_read=True)
    assert _decide(rules, after_s=0.0, after_text=True) == Effect("newline", "same_read")
    assert _decide(rules, after_s=0.0).name == "submit"


def test_every_nth_enter_vanishes_by_count_alone() -> None:
    """No timing helps against it."""
    rules = EnterRules(drop_every_nth=3)
    names = [_decide(rules).name for _ in range(9)]
    assert names == ["submit", "submit", "drop"] * 3


def test_named_enters_vanish() -> None:
    """The first one, say."""
    rules = EnterRules(drop_numbers=(1, 4))
    assert [_decide(rules).name for _ in range(5)] == [
        "drop", "submit", "submit", "drop", "submit",
    ]  # fmt: skip
