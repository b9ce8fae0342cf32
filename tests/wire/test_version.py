"""Versions and what differs between them."""

import pytest

from panegate.errors import TmuxTooOld
from panegate.wire.version import MINIMUM, Version, require

IN_ORDER = [
    "1.8",
    "2.9a",
    "next-3.2",
    "3.2",
    "3.2a",
    "next-3.3",
    "3.3",
    "3.3a",
    "3.4",
    "3.5",
    "3.5a",
    "3.6",
    "3.6b",
    "3.7",
    "3.7c",
    "next-3.8",
    "3.8",
    "3.10",
    "4.0",
    "master",
]

# 3.2a, 3.3a, 3.4, 3.5a, 3.6b, 3.7c, next-3.8: one letter each.
MATRIX = {
    "holds_input_until_attached": "--xxxxx",
    "pushes_messages": "--xxxxx",
    "config_error_opens_mode": "xx-----",
    "nary_and": "----xxx",
    "run_shell_opens_mode": "-xx----",
    "reply_escapes": "--xx---",
    "buffer_escapes": "xx-----",
    "paste_needs_S": "-----xx",
    "bracket_paste_flag": "-----xx",
    "dead_signal": "-xxxxxx",
    "capture_leaks": "xxxx---",
    "pause_in_block": "xxxxxx-",
    "new_session_ignores_size": "x------",
    "crash_paste_dead_pane": "xx-----",
    "crash_remain_on_exit": "x------",
    "crash_early_kill": "xxxxx--",
    "crash_pane_off": "xxxxx--",
    "crash_multi_window_end": "xxxxxx-",
}


def test_versions_sort_in_order_of_release() -> None:
    versions = [Version.parse(text) for text in IN_ORDER]
    assert sorted(reversed(versions)) == versions
    assert len(set(versions)) == len(IN_ORDER)


@pytest.mark.parametrize("name", MATRIX)
def test_capabilities_by_version(name: str) -> None:
    versions = ["3.2a", "3.3a", "3.4", "3.5a", "3.6b", "3.7c", "next-3.8"]
    found = "".join("x" if getattr(Version.parse(v), name) else "-" for v in versions)
    assert found == MATRIX[name]


def test_every_capability_is_in_the_matrix() -> None:
    properties = {n for n, v in vars(Version).items() if isinstance(v, property)}
    assert properties - {"supported"} == set(MATRIX)


@pytest.mark.parametrize("text", ["3.3a", "tmux 3.3a", " 3.3a\n", "3.3a-1 (custom)"])
def test_the_words_around_a_version_do_not_matter(text: str) -> None:
    assert Version.parse(text) == Version.parse("3.3a")


def test_a_candidate_counts_as_not_released() -> None:
    assert Version.parse("3.2-rc4") == Version.parse("next-3.2")


def test_a_version_says_itself_as_the_server_did() -> None:
    assert str(Version.parse("tmux next-3.8")) == "next-3.8"
    assert str(MINIMUM) == "3.2a"


@pytest.mark.parametrize("text", ["3.2a", "3.3", "master", "openbsd-7.0", "openbsd-9.1"])
def test_new_enough_is_taken(text: str) -> None:
    assert require(text).supported


@pytest.mark.parametrize("text", ["3.2", "next-3.2", "3.1c", "2.1", "openbsd-6.9", "", "what"])
def test_too_old_or_unknown_is_refused_by_name(text: str) -> None:
    with pytest.raises(TmuxTooOld, match=text or "''") as caught:
        require(text)
    assert "3.2a" in caught.value.fix


def test_text_without_a_version_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a tmux version"):
        Version.parse("screen")


def test_openbsd_counts_as_the_release_it_is_at_least_as_new_as() -> None:
    assert Version.parse("openbsd-7.4") == Version.parse("3.3a")
    assert Version.parse("openbsd-7.6") == Version.parse("3.5a")
