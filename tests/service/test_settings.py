"""Settings: file, then environment; what is wrong is named with its file and line."""

from pathlib import Path

import pytest

from panegate.errors import SettingsError
from panegate.service.settings import Answers, Settings, load_settings


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    return path


def test_defaults_without_a_file(tmp_path: Path):
    assert load_settings(tmp_path / "none.toml", {}) == Settings()


def test_the_file_and_then_the_environment(tmp_path: Path):
    path = write(tmp_path, 'answers = "allowed"\nsend_within_s = 5\n')
    settings = load_settings(path, {"PANEGATE_SEND_WITHIN_S": "7.5", "HOME": "/x"})
    assert settings.answers is Answers.ALLOWED
    assert settings.send_within_s == 7.5


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("columns = 100\nanswer = 1\n", 2, "unknown setting 'answer'"),
        ("columns = 100\nrows = \n", 2, "line 2"),
        ('\n\nanswers = "sometimes"\n', 3, "answers"),
        ("columns = 100\nsend_within_s = -1\n", 2, "send_within_s"),
        ("retain = 1\n", 1, "true or false"),
        ("columns = 80.5\n", 1, "whole number"),
        ('rows = "many"\n', 1, "number"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str):
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load_settings(path, {})
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_an_unknown_variable_is_an_error_and_ours_are_not(tmp_path: Path):
    with pytest.raises(SettingsError, match="PANEGATE_SNED_WITHIN_S"):
        load_settings(tmp_path / "none", {"PANEGATE_SNED_WITHIN_S": "1"})
    known = {"PANEGATE_PROBE": "none", "PANEGATE_TMUX": "/x", "PANEGATE_REQUIRE_ALL": "1"}
    assert load_settings(tmp_path / "none", known) == Settings()


def test_a_wrong_variable_says_what_was_expected(tmp_path: Path):
    with pytest.raises(SettingsError, match="number"):
        load_settings(tmp_path / "none", {"PANEGATE_COLUMNS": "wide"})
