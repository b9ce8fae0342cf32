"""When a limit ends, as real programs and services word it."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.session.resets import read_reset

SEEN = datetime(2026, 3, 4, 16, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # 15:30 UTC


@pytest.mark.parametrize(
    ("text", "at_utc"),
    [
        ("Session limit reached, it resets at 5:10pm", "2026-03-04T16:10:00Z"),
        ("5-hour limit reached ∙ resets 3am", "2026-03-05T02:00:00Z"),
        ("Your limit will reset at 7pm (America/New_York).", "2026-03-05T00:00:00Z"),
        ("limit reached, resets at 18:05 UTC", "2026-03-04T18:05:00Z"),
        ("You've hit your limit. Try again in 3 days 4 hours 12 minutes.", "2026-03-07T19:42:00Z"),
        ("Please try again in 26h3m5.5s", "2026-03-05T17:33:05Z"),
        ("Limit resets in 4 hours, 2 minutes", "2026-03-04T19:32:00Z"),
        ("usage limit reached|1772650000", "2026-03-04T18:46:40Z"),
        ("resets Mar 6, 9am (Europe/Berlin)", "2026-03-06T08:00:00Z"),
        ("Weekly limit · resets Jan 2 at 5:00pm", "2027-01-02T16:00:00Z"),
        ("Retry after 2026-03-04T18:00:00Z", "2026-03-04T18:00:00Z"),
        ("it resets\n   at 5:10pm", "2026-03-04T16:10:00Z"),
        ("resets 12am", "2026-03-04T23:00:00Z"),
    ],
)
def test_the_time_is_read_in_its_zone(text: str, at_utc: str) -> None:
    found = read_reset(text, SEEN)
    assert found is not None
    assert found.at_utc == at_utc
    assert found.in_s is not None
    assert found.in_s >= 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the limit is reached",
        "the test resets the counter 3 times",
        "It resets every day",
        "wait for 3 people",
        "resets at 25:99",
        "resets 13pm",
        "id 1772650000",
        "reset on Feb 31, 9am",
    ],
)
def test_words_that_give_no_time_give_none(text: str) -> None:
    assert read_reset(text, SEEN) is None


def test_the_words_that_say_it_are_kept() -> None:
    found = read_reset("You are out. Your limit will reset at 7pm (Nowhere/Land).", SEEN)
    assert found is not None
    assert found.words == "reset at 7pm (Nowhere/Land)"
    assert found.at_utc == "2026-03-04T18:00:00Z"  # a zone nobody knows: the one it was seen in


def test_a_time_of_day_is_the_next_one() -> None:
    later = read_reset("resets 4:31pm", SEEN)
    earlier = read_reset("resets 4:30pm", SEEN)
    assert later is not None
    assert earlier is not None
    assert (later.in_s, earlier.in_s) == (60.0, 86400.0)


@given(st.text(alphabet="resets at in 0123456789:apm|dhms()/UTC\n", max_size=60))
def test_no_words_break_it(text: str) -> None:
    found = read_reset(f"limit {text}", SEEN)
    assert found is None or found.words
