"""Launch answers stand where a parser takes them, and never contradict their caller."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

import pytest

from panegate.errors import LaunchFailed
from panegate.screen.arguments import ArgumentRule, LaunchAnswers, SettingsStyle
from panegate.session.launch_answers import AnsweredLaunch, answer_launch

RULE = ArgumentRule(
    with_value=("--mode", "-m"),
    lists=("--allow",),
    may_take=("--resume",),
    repeated=("-c", "--config"),
    same=(("-m", "--mode"), ("-c", "--config"), ("-q", "--quiet")),
)


def launch(
    answers: LaunchAnswers,
    *words: str,
    rule: ArgumentRule = RULE,
    env: dict[str, str] | None = None,
    **options: Any,
) -> AnsweredLaunch:
    options = {"at": 1, "profile": "agent", "settings_folder": "/s", **options}
    return answer_launch(answers, rule, ["agent", *words], env=env or {}, **options)


def words_of(flags: Sequence[str], *words: str, rule: ArgumentRule = RULE) -> list[str]:
    return list(launch(LaunchAnswers(flags=tuple(flags)), *words, rule=rule).argv[1:])


def refusal(answers: LaunchAnswers, *words: str, **options: Any) -> str:
    with pytest.raises(LaunchFailed) as failed:
        launch(answers, *words, **options)
    return str(failed.value)


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line with a parser that is not ours."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("-m", "--mode")
    parser.add_argument("--allow", nargs="*", default=[])
    parser.add_argument("--resume", nargs="?", const="last")
    parser.add_argument("-c", "--config", action="append", default=[])
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("--model")
    parser.add_argument("prompt", nargs="*")
    return parser.parse_args(words)


def test_without_answers_nothing_is_touched() -> None:
    found = launch(LaunchAnswers(), "--mode", "x", env={"A": "1"}, at=None)
    assert found == AnsweredLaunch(argv=("agent", "--mode", "x"), env={"A": "1"}, used=None)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["fix it"],
        ["fix it", "and that"],
        ["--", "fix it"],
        ["--", "-q"],
        ["fix it", "--", "-q"],
        ["fix it", "--model=x"],
        ["--model=x", "fix it"],
        ["-q", "--model=x", "--", "fix it", "--allow"],
    ],
)
@pytest.mark.parametrize(
    "flags",
    [
        ["--mode", "plan"],
        ["--allow", "Read", "Grep"],
        ["--allow", "Read", "--mode=plan"],
        ["--mode", "plan", "--allow", "Read"],
        ["--resume"],
        ["-c", "a=1", "-c", "b=2", "--allow", "Read"],
    ],
)
def test_a_parser_reads_the_callers_words_as_without_the_answers(
    words: list[str], flags: list[str]
) -> None:
    alone, with_answers = parsed(words), parsed(words_of(flags, *words))
    assert with_answers.prompt == alone.prompt
    assert (with_answers.quiet, with_answers.model) == (alone.quiet, alone.model)
    answers = parsed(flags)
    for name in ("mode", "allow", "resume", "config"):
        assert getattr(with_answers, name) == getattr(answers, name), name


@pytest.mark.parametrize(
    ("flags", "words", "expected"),
    [
        ("--mode plan", "fix", "--mode plan fix"),
        ("--allow Read --mode plan", "fix", "--allow Read --mode plan fix"),
        ("--mode plan --allow Read", "fix", "--allow Read --mode plan fix"),
        ("--allow Read", "fix", "--allow Read -- fix"),
        ("--allow Read", "-- fix", "--allow Read -- fix"),
        ("--allow Read", "fix -- -q", "--allow Read -- fix -q"),
        ("--allow Read", "-q fix", "--allow Read -q fix"),
        ("--allow Read", "fix -q", "fix --allow Read -q"),
        ("--allow Read", "", "--allow Read"),
        ("--resume", "fix", "--resume -- fix"),
        ("--resume id", "fix", "--resume id fix"),
        ("--allow Read", "--allow Grep fix", "--allow Read Grep fix"),
        ("--allow Read", "--allow Grep Read -q", "--allow Read Grep -q"),
        ("--allow Read", "fix --allow=Grep -q", "fix --allow Read Grep -q"),
        ("--mode plan", "--mode plan", "--mode plan"),
        ("--mode plan", "-m plan", "-m plan"),
        ("--mode plan", "-mplan", "-mplan"),
        ("--mode plan", "--mode=plan", "--mode=plan"),
        ("-q", "--quiet", "--quiet"),
        ("-c a=1 -c b=2", "-c b=2", "-c a=1 -c b=2"),
        ("-c a=1", "--config b=2", "-c a=1 --config b=2"),
        ("--mode plan", "-- --mode ask", "--mode plan -- --mode ask"),
    ],
)
def test_the_callers_words_extend_the_answers(flags: str, words: str, expected: str) -> None:
    assert words_of(flags.split(), *words.split()) == expected.split()


@pytest.mark.parametrize(
    ("flags", "words", "ours", "theirs"),
    [
        ("--mode plan", "--mode ask", "--mode plan", "--mode ask"),
        ("--mode plan", "-mask", "--mode plan", "-mask"),
        ("--mode plan", "fix --mode=ask", "--mode plan", "--mode=ask"),
        ("--mode plan", "--mode plan -m ask", "--mode plan", "-m ask"),
        ("--trust", "--no-trust", "--trust", "--no-trust"),
        ("--no-trust", "--trust", "--no-trust", "--trust"),
    ],
)
def test_the_same_option_with_another_value_is_an_error_that_names_both(
    flags: str, words: str, ours: str, theirs: str
) -> None:
    said = refusal(LaunchAnswers(flags=tuple(flags.split())), *words.split())
    assert said == f"the profile 'agent' launches with {ours}, and the caller gives {theirs}"


def test_an_option_with_its_value_in_one_word_is_known_to_take_one() -> None:
    for words in (["--mode", "plan", "fix"], ["--mode=plan", "fix"]):
        assert words_of(["--mode=plan"], *words, rule=ArgumentRule()) == words


def test_options_behind_the_first_word_of_a_script_are_not_the_programs() -> None:
    rule = ArgumentRule(with_value=("-X",), options_first=True)
    assert words_of(["-X", "dev"], "script", "-X", "other", rule=rule) == [
        *("-X", "dev"),
        *("script", "-X", "other"),
    ]


def test_a_list_stands_closed_before_a_word_that_ends_the_options() -> None:
    rule = ArgumentRule(lists=("--allow",), options_first=True)
    assert words_of(["--allow", "A"], "run", "-q", rule=rule) == ["--allow", "A", "--", "run", "-q"]


def test_a_list_that_nothing_can_close_is_an_error() -> None:
    rule = ArgumentRule(lists=("--allow",), ends_with_dashes=False)
    said = refusal(LaunchAnswers(flags=("--allow", "Read")), "fix", rule=rule)
    assert "--allow Read" in said
    assert "'fix'" in said
    assert words_of(["--allow", "Read"], "fix", "-q", rule=rule) == ["fix", "--allow", "Read", "-q"]


def test_answers_stand_behind_what_is_before_the_program() -> None:
    answers = LaunchAnswers(flags=("-q",))
    argv = ["env", "A=1", "agent", "fix"]
    found = answer_launch(answers, RULE, argv, at=3, env={}, profile="agent")
    assert found.argv == ("env", "A=1", "agent", "-q", "fix")


def test_answers_without_a_place_are_an_error_and_variables_need_none() -> None:
    said = refusal(LaunchAnswers(flags=("-q",)), "-c", "agent", at=None)
    assert "'agent'" in said
    assert "cannot be told" in said
    found = launch(LaunchAnswers(env={"A": "1"}), at=None)
    assert (found.argv, dict(found.env)) == (("agent",), {"A": "1"})


def test_variables_are_added_and_another_value_is_an_error_that_names_both() -> None:
    answers = LaunchAnswers(env={"A": "1", "B": "2"})
    found = launch(answers, env={"A": "1", "C": "3"})
    assert found.env == {"A": "1", "B": "2", "C": "3"}
    assert found.used is not None
    assert found.used.env == {"B": "2"}
    said = refusal(answers, env={"A": "9"})
    assert "A=1" in said
    assert "A=9" in said


SETTINGS = LaunchAnswers(
    settings={"trust": True, "may": {"read": ["a"]}}, settings_option="--settings"
)
JSON = '{"trust": true, "may": {"read": ["a"]}}'


def test_settings_are_one_json_argument() -> None:
    found = launch(SETTINGS, "fix")
    assert found.argv == ("agent", "--settings", JSON, "fix")
    assert found.used is not None
    assert found.used.words == f"--settings '{JSON}'"


def test_settings_of_the_caller_are_extended() -> None:
    theirs = '{"model": "x", "may": {"read": ["b"], "run": []}}'
    for given in (["--settings", theirs], [f"--settings={theirs}"], ["--settings", "s.json"]):
        found = launch(SETTINGS, "fix", *given, read_settings=lambda path: theirs)
        assert found.argv[1] == "--settings"
        assert json.loads(found.argv[2]) == {
            "model": "x",
            "may": {"read": ["b", "a"], "run": []},
            "trust": True,
        }
        assert found.argv[3:] == ("fix",)


def test_settings_that_say_it_all_already_are_left_as_they_are() -> None:
    theirs = '{"may": {"read": ["a", "b"]}, "trust": true}'
    found = launch(SETTINGS, "--settings", theirs)
    assert found == AnsweredLaunch(argv=("agent", "--settings", theirs), env={}, used=None)


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ('{"trust": false}', "launches with trust = true, and the caller gives trust = false"),
        ('{"may": {"read": "a"}}', 'may.read = ["a"], and the caller gives may.read = "a"'),
        ('{"trust": 1}', "launches with trust = true, and the caller gives trust = 1"),
        ('{"may": 1}', "and the caller gives may = 1"),
        ("{", "'{', cannot be read as a JSON object"),
        ("gone.json", "'gone.json', cannot be read as a JSON object"),
        ("[]", "'[]', cannot be read"),
    ],
)
def test_a_setting_with_another_value_is_an_error_that_names_both(theirs: str, said: str) -> None:
    assert said in refusal(SETTINGS, "--settings", theirs)


def test_settings_can_go_in_a_file_which_is_named_by_what_is_in_it() -> None:
    answers = LaunchAnswers(
        settings={"a": 1}, settings_option="-s", settings_style=SettingsStyle.FILE
    )
    one, same = launch(answers, "fix"), launch(answers, "other")
    other = launch(answers, "-s", '{"b": 2}')
    assert one.used is not None
    assert other.used is not None
    [(path, text)] = one.used.files.items()
    assert (path.startswith("/s/settings-"), json.loads(text)) == (True, {"a": 1})
    assert one.argv == ("agent", "-s", path, "fix")
    assert same.argv == ("agent", "-s", path, "other")
    [(other_path, other_text)] = other.used.files.items()
    assert other_path != path
    assert json.loads(other_text) == {"a": 1, "b": 2}
    assert "none can be written" in refusal(answers, settings_folder=None)


def test_settings_can_go_in_a_variable() -> None:
    answers = LaunchAnswers(settings={"a": 1}, settings_variable="AGENT_SETTINGS")
    assert launch(answers, at=None).env == {"AGENT_SETTINGS": '{"a": 1}'}
    more = launch(answers, env={"AGENT_SETTINGS": '{"b": 2}'}, at=None)
    assert json.loads(more.env["AGENT_SETTINGS"]) == {"b": 2, "a": 1}
    assert "a = 1" in refusal(answers, env={"AGENT_SETTINGS": '{"a": 2}'})


def test_settings_can_be_pairs() -> None:
    answers = LaunchAnswers(
        settings={"trust": True, "may": {"read": "all"}, "n": 3},
        settings_option="-c",
        settings_style=SettingsStyle.PAIRS,
    )
    assert launch(answers, "-c", "x=1", "--config=n=3", "fix").argv == (
        *("agent", "-c", "trust=true", "-c", "may.read=all"),
        *("-c", "x=1", "--config=n=3", "fix"),
    )
    said = refusal(answers, "--config", "trust=false")
    assert "-c trust=true" in said
    assert "-c trust=false" in said
