"""Values of a program's own record."""

import pytest

from panegate.session.transcript import Record, Tokens


@pytest.mark.parametrize(
    ("tokens", "measured"), [(Tokens(), False), (Tokens(0), True), (Tokens(7), True)]
)
def test_nothing_measured_is_not_the_same_as_not_measurable(tokens: Tokens, measured: bool):
    assert tokens.measured is measured


def test_an_empty_record_claims_nothing():
    record = Record(program="claude")
    assert (record.turn_ended, record.at_s, record.pending) == (None, None, ())
    assert not record.tokens.measured
