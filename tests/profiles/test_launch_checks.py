"""What a file says about launches is read, and what cannot be given to its program is named."""

from pathlib import Path

import pytest

from panegate.profiles.library import load, place_of_arguments
from panegate.profiles.reading import ProfileFile, read_profile
from panegate.screen.arguments import SettingsStyle
from panegate.screen.profile import Profile

PATH = Path("/profiles/mine.toml")

EVERY_KEY = """
[launch_answers]
flags = ["--allow", "A", "B", "--mode=plan", "-c", "x=1", "-c", "y=2"]
settings_option = "--settings"
settings_style = "file"
env = { A = "1" }
[launch_answers.settings]
trust = true
n = 3
share = 0.5
[launch_answers.settings.may]
read = ["a", "b"]
[arguments]
with_value = ["--mode"]
lists = ["--allow"]
may_take = ["--resume"]
repeated = ["-c"]
same = [["-m", "--mode"]]
options_first = true
ends_with_dashes = false
"""


def read(text: str, base: ProfileFile | None = None) -> Profile:
    file, problems = read_profile(text, path=PATH, base=base)
    assert problems == ()
    assert file is not None
    return file.profile


def test_every_key_arrives_in_its_field() -> None:
    profile = read(EVERY_KEY)
    answers, rule = profile.launch_answers, profile.arguments
    assert answers.flags[:4] == ("--allow", "A", "B", "--mode=plan")
    assert answers.settings == {"trust": True, "n": 3, "share": 0.5, "may": {"read": ["a", "b"]}}
    assert (answers.settings_option, answers.settings_style) == ("--settings", SettingsStyle.FILE)
    assert answers.env == {"A": "1"}
    assert (rule.lists, rule.may_take, rule.repeated) == (("--allow",), ("--resume",), ("-c",))
    assert rule.same == (("-m", "--mode"),)
    assert (rule.options_first, rule.ends_with_dashes) == (True, False)


def test_what_a_file_extends_is_replaced_key_by_key() -> None:
    base, _ = read_profile(EVERY_KEY, path=Path("/other/mine.toml"))
    profile = read("[launch_answers]\nflags = ['-q']\n", base)
    assert profile.launch_answers.flags == ("-q",)
    assert profile.launch_answers.env == {"A": "1"}
    assert profile.arguments.lists == ("--allow",)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("flags = '-q'", 2, "must be an array"),
        ("flag = []", 2, "unknown key 'flag'"),
        ("flags = [\n'-q',\n'word']", 4, "'word' is no option, and none before it takes a value"),
        ("flags = ['-q', '--']", 2, "'--' is set by panegate"),
        ("flags = [\n'--mode']", 3, "--mode has no value"),
        ("flags = ['--mode', 'a',\n'-m', 'b']", 3, "-m is given twice, with different values"),
        ("flags = ['a\\u0000']".replace("'", '"'), 2, "cannot hold a NUL"),
        ("settings = { a = 1 }", 2, "settings need settings_option or settings_variable"),
        ("settings_option = 'settings'", 2, "'settings' is no option"),
        ("settings_variable = 'a b'", 2, "'a b' is no name of a variable"),
        ("settings_variable = 'A'\nsettings_style = 'pairs'", 3, "pairs need settings_option"),
        ("settings_option = '-s'\nsettings_variable = 'S'", 3, "settings are given once"),
        ("settings_style = 'xml'", 2, "settings_style must be one of 'json', 'file', 'pairs'"),
        ("flags = ['-s=1']\nsettings_option = '-s'", 2, "-s takes the settings already"),
        ("[launch_answers.settings]\na = 2026-01-01", 3, "must be a value that JSON has, too"),
        ("[launch_answers.settings]\na = nan", 3, "must be a value that JSON has, too"),
        ("[launch_answers.env]\nA = 1", 3, "A must be text"),
        ("[launch_answers.env]\nTMUX = 'x'", 3, "'TMUX' is not a variable that a launch can set"),
        ("[launch_answers.env]\n'A B' = 'x'", 3, "'A B' is not a variable"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, words: str) -> None:
    rule = "\n[arguments]\nwith_value = ['--mode']\nsame = [['-m', '--mode']]\n"
    file, problems = read_profile(f"[launch_answers]\n{text}{rule}", path=PATH)
    assert file is None
    assert words in problems[0].message
    assert problems[0].line == line


def test_a_variable_is_set_in_one_place() -> None:
    text = "[launch_env]\nA = '1'\n[launch_answers.env]\nA = '2'\n"
    _, problems = read_profile(text, path=PATH)
    assert [(p.line, p.message) for p in problems] == [(4, "A stands in launch_env, too")]


@pytest.mark.parametrize(
    ("text", "command", "place"),
    [
        ("commands = ['agent']", "agent fix", 1),
        ("commands = ['agent']", "/opt/agent", 1),
        ("commands = ['agent']", "env A=1 nice -n 5 agent fix", 6),
        ("commands = ['agent']\nshown_as = ['node']", "node agent.js", None),
        ("commands = ['agent']", "bash -lc agent", None),
        ("commands = ['agent']", "", None),
        ("words = 'no commands'", "anything fix", 1),
        ("commands = ['agent']\npython_modules = ['agent']", "python3 -X dev -m agent fix", 5),
        ("commands = ['agent']\npython_modules = ['agent']", "python3 -magent fix", 2),
        ("commands = ['agent']\npython_modules = ['agent']", "python3 -m other", None),
    ],
)
def test_the_arguments_begin_behind_the_program_itself(
    tmp_path: Path, text: str, command: str, place: int | None
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"{text}\n")
    load(path)
    assert place_of_arguments(path, command.split()) == place
