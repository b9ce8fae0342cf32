"""What a profile says of itself, and the defaults that refuse rather than allow."""

import re

from panegate.screen.profile import ComposerRule, Family, Profile


def test_nothing_is_known_of_a_bare_profile():
    profile = Profile(name="x")
    assert profile.family is Family.UNKNOWN
    assert (profile.trust, profile.reads_lines, profile.takes_input_while_busy) == (
        "",
        False,
        False,
    )
    assert profile.sought == ""


def test_where_input_is_looked_for_is_said_in_words():
    glyphs = Profile(name="x", composer=ComposerRule(glyphs=(">", "❯")))
    assert glyphs.sought == "input behind '>' or '❯'"
    prompts = Profile(name="x", prompts=(re.compile(">>> "),))
    assert prompts.sought == "prompt like '>>> '"
