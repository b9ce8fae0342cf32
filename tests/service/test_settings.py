"""Settings: file, then environment; what is wrong is named with its file and line."""

from pathlib import Path

import attrs
import pytest

from panegate.errors import SettingsError
from panegate.journal.store import Sync, TextKept
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
        ("send_within_s = inf\n", 1, "more than 0 and at most 100000000"),
        ("send_within_s = nan\n", 1, "more than 0 and at most 100000000"),
        ("launch_within_s = -inf\n", 1, "more than 0 and at most 100000000"),
        ("columns = nan\n", 1, "whole number"),
        ("columns = inf\n", 1, "whole number"),
        ("columns = 9999\n", 1, "20 to 1000"),
        ("rows = 9999\n", 1, "5 to 500"),
        ("event_buffer = 99999999\n", 1, "1 to 1000000"),
        (f"rows = 1{'0' * 400}\n", 1, "5 to 500"),
        (f"send_within_s = 1{'0' * 400}\n", 1, "fewer digits"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str):
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load_settings(path, {})
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_a_folder_in_its_place_is_no_absent_file(tmp_path: Path):
    with pytest.raises(SettingsError, match="is a folder") as caught:
        load_settings(tmp_path, {})
    assert caught.value.path == tmp_path


def test_a_file_that_cannot_be_read_is_no_absent_file(tmp_path: Path):
    loop = tmp_path / "settings.toml"
    loop.symlink_to(loop)
    with pytest.raises(SettingsError, match="cannot be read: ") as caught:
        load_settings(loop, {})
    assert caught.value.path == loop


def test_a_link_to_nothing_is_no_absent_file(tmp_path: Path):
    link = tmp_path / "settings.toml"
    link.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(SettingsError, match="a link to nothing"):
        load_settings(link, {})


def test_a_folder_that_is_a_file_is_said(tmp_path: Path):
    (tmp_path / "config").write_text("")
    with pytest.raises(SettingsError, match="cannot be read: "):
        load_settings(tmp_path / "config" / "settings.toml", {})


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"columns = 100\n# \xff\n")
    with pytest.raises(SettingsError, match="is not UTF-8") as caught:
        load_settings(path, {})
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_an_unknown_variable_is_an_error_and_ours_are_not(tmp_path: Path):
    with pytest.raises(SettingsError, match="PANEGATE_SNED_WITHIN_S"):
        load_settings(tmp_path / "none", {"PANEGATE_SNED_WITHIN_S": "1"})
    known = {"PANEGATE_PROBE": "none", "PANEGATE_TMUX": "/x", "PANEGATE_REQUIRE_ALL": "1"}
    assert load_settings(tmp_path / "none", known) == Settings()


def test_a_wrong_variable_says_what_was_expected(tmp_path: Path):
    with pytest.raises(SettingsError, match="number"):
        load_settings(tmp_path / "none", {"PANEGATE_COLUMNS": "wide"})


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "-1", "0"])
@pytest.mark.parametrize("key", [f.name for f in attrs.fields(Settings) if f.type in (int, float)])
def test_each_number_is_bounded(tmp_path: Path, key: str, value: str):
    with pytest.raises(SettingsError, match=key):
        load_settings(tmp_path / "none", {f"PANEGATE_{key.upper()}": value})


def test_keys_of_a_table_are_those_of_the_settings(tmp_path: Path):
    path = write(tmp_path, 'columns = 90\n[journal]\nsync = "full"\ntext = "digest"\nmax_mb = 5\n')
    settings = load_settings(path, {"PANEGATE_JOURNAL_TEXT": "full"})
    assert (settings.columns, settings.journal_max_mb) == (90, 5)
    assert (settings.journal_sync, settings.journal_text) == (Sync.FULL, TextKept.FULL)
    dotted = write(tmp_path, 'journal.sync = "full"\n')
    assert load_settings(dotted, {}).journal_sync is Sync.FULL


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('columns = 90\n[journal]\nsync = "twice"\n', 3, "journal_sync = 'twice'"),
        ("[journal]\nsize = 1\n", 2, "unknown setting 'journal_size'"),
        ("journal.path = 5\n", 1, "expected a text"),
        ("[journal]\nkeep_days = 0\n", 2, "1 to 36500"),
    ],
)
def test_a_wrong_key_of_a_table_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
):
    with pytest.raises(SettingsError) as caught:
        load_settings(write(tmp_path, text), {})
    assert (caught.value.line, words in str(caught.value)) == (line, True)
