"""Which file a name or a command means, and when files are read again."""

import subprocess
import sys
from pathlib import Path

import pytest

from panegate import profiles
from panegate.errors import ProfileError
from panegate.profiles import library
from panegate.screen.profile import Family


def write(folder: Path, name: str, text: str = "") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def test_shipped_profiles_are_listed_with_the_users_own(own_folder: Path) -> None:
    write(own_folder, "mine")
    write(own_folder, "bash")
    names = profiles.names()
    assert names == sorted(set(names))
    assert {"bash", "generic", "lines", "mine", "psql", "standin"} <= set(names)


def test_the_users_own_file_beats_the_shipped_one(own_folder: Path) -> None:
    path = write(own_folder, "bash", "words = 'mine'")
    assert profiles.load("bash").words == "mine"
    assert profiles.path_of("bash") == path
    path.unlink()
    assert profiles.load("bash").family is Family.SHELL


def test_a_path_is_loaded_as_a_path_or_as_text(tmp_path: Path) -> None:
    path = write(tmp_path, "x", "words = 'w'")
    assert profiles.load(path).words == "w"
    assert profiles.load(str(path)).words == "w"
    bare = tmp_path / "bare"
    bare.write_text("words = 'no suffix'")
    assert profiles.load(str(bare)).words == "no suffix"


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(ProfileError, match="no profile 'nope'; there are: bash, ") as caught:
        profiles.load("nope")
    assert "nope.toml" in caught.value.fix


def test_a_wrong_file_is_named_with_its_line(own_folder: Path) -> None:
    path = write(own_folder, "mine", "words = 'a'\nfamly = 'repl'\nx = 1\n")
    with pytest.raises(ProfileError) as caught:
        profiles.load("mine")
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert str(caught.value).startswith(f"{path}:2: unknown key 'famly'")
    assert f"\n{path}:3: unknown key 'x'" in str(caught.value)


def test_a_problem_without_a_line_hides_none_that_has_one(own_folder: Path) -> None:
    path = write(
        own_folder,
        "mine",
        "famly = 'repl'\n[submit]\nkey = 1\n" + "".join(f"[x{n}]\n" for n in range(9)),
    )
    with pytest.raises(ProfileError) as caught:
        profiles.load("mine")
    assert caught.value.line == 1
    assert f"\n{path}:3: " in str(caught.value)
    assert str(caught.value).splitlines()[-1].endswith(" more)")


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"a = 1\n\xff", 2, "not UTF-8"),
        (b"#" * 1_000_001, None, "too large"),
        (None, None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_taken_in_is_an_error_too(
    tmp_path: Path, content: bytes | None, line: int | None, words: str
) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProfileError, match=words) as caught:
        profiles.load(path)
    assert (caught.value.path, caught.value.line) == (path, line)
    [problem] = profiles.check(path)
    assert (problem.path, problem.line) == (path, line)
    assert words in problem.message
    assert str(path) not in problem.message


def test_a_file_is_read_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "x", "words = 'a'")
    first = profiles.load(path)
    monkeypatch.setattr(library, "read_profile", None)
    assert profiles.load(path) is first
    monkeypatch.undo()
    write(tmp_path, "x", "words = 'abc'")
    assert profiles.load(path).words == "abc"


def test_a_change_in_what_a_file_extends_is_seen(own_folder: Path) -> None:
    write(own_folder, "a", "words = 'a'")
    write(own_folder, "b", "extends = 'a'")
    assert profiles.load("b").words == "a"
    write(own_folder, "a", "words = 'changed'")
    assert profiles.load("b").words == "changed"


def test_an_own_profile_may_extend_the_shipped_one_of_its_name(own_folder: Path) -> None:
    write(own_folder, "bash", "extends = 'bash'\nprompts = ['@@ ']\n")
    profile = profiles.load("bash")
    assert [p.pattern for p in profile.prompts] == ["@@ "]
    assert profile.prompt_cycle
    assert profiles.for_command(["bash"]).name == "bash"


@pytest.mark.parametrize(
    ("texts", "line", "words"),
    [
        ({"a": "words = 'x'\nextends = 'nope'"}, 2, "does not exist"),
        ({"a": "extends = 'a'"}, 1, "does not exist"),
        ({"a": "extends = 'b'", "b": "\nextends = 'a'"}, 2, "is the file itself or extends it"),
    ],
)
def test_extends_that_leads_nowhere_is_an_error(
    own_folder: Path, texts: dict[str, str], line: int, words: str
) -> None:
    for name, text in texts.items():
        write(own_folder, name, text)
    with pytest.raises(ProfileError, match=words) as caught:
        profiles.load("a")
    assert caught.value.line == line
    [problem] = profiles.check(own_folder / "a.toml")
    assert problem.line == line
    assert words in problem.message


def test_check_lists_every_problem_and_nothing_for_a_right_file(tmp_path: Path) -> None:
    path = write(tmp_path, "x", "a = 1\nb = 2\n")
    assert [problem.line for problem in profiles.check(path)] == [1, 2]
    path.write_text("words = 'w'\n")
    assert profiles.check(path) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("bash", "bash"),
        ("-bash", "bash"),
        ("/bin/bash --norc --noprofile", "bash"),
        ("bash --rcfile f -i", "bash"),
        ("bash -c true", "generic"),
        ("bash -lc true", "generic"),
        ("bash script.sh", "generic"),
        ("sh", "sh"),
        ("dash -o vi", "sh"),
        ("zsh -f", "zsh"),
        ("zsh script", "generic"),
        ("fish --no-config", "fish"),
        ("fish -C true", "fish"),
        ("fish -c true", "generic"),
        ("python", "python"),
        ("python3 -q", "python"),
        ("python3.13 -X dev", "python"),
        ("python3 script.py", "generic"),
        ("python3 -i script.py", "python"),
        ("python3 -c 1", "generic"),
        ("python3 -ic 1", "python"),
        ("python3 -m http.server", "generic"),
        ("python3 -m IPython --quick", "ipython"),
        ("python3 -X dev -m ipython", "ipython"),
        ("ipython", "ipython"),
        ("ipython script.py", "generic"),
        ("node", "node"),
        ("nodejs -r x", "node"),
        ("node app.js", "generic"),
        ("node -pe 1", "generic"),
        ("sqlite3", "sqlite3"),
        ("sqlite3 -header file.db", "sqlite3"),
        ("sqlite3 file.db .tables", "generic"),
        ("psql -h /run -U postgres -qAt db", "psql"),
        ("psql -lqt", "generic"),
        ("psql db user", "psql"),
        ("gdb -q --args prog a b", "gdb"),
        ("gdb -batch prog", "generic"),
        ("env LANG=C nice -n 5 stdbuf -oL python3", "python"),
        ("vim file", "generic"),
        ("cat", "generic"),
        ("", "generic"),
    ],
)
def test_a_command_line_finds_its_profile(command: str, name: str) -> None:
    assert profiles.for_command(command.split()).name == name


def test_the_users_own_profile_is_asked_first(own_folder: Path) -> None:
    write(own_folder, "zz", "commands = ['bash', 'mytool']\n")
    assert profiles.for_command(["bash"]).name == "zz"
    assert profiles.for_command(["/opt/mytool", "-x", "a", "b"]).name == "zz"


def test_inherited_commands_do_not_take_the_program_over(own_folder: Path) -> None:
    write(own_folder, "aa", "extends = 'bash'\n")
    assert profiles.for_command(["bash"]).name == "bash"


def test_a_wrong_file_is_never_passed_over(own_folder: Path) -> None:
    write(own_folder, "aa", "x = 1\n")
    with pytest.raises(ProfileError, match=r"aa\.toml:1"):
        profiles.for_command(["bash"])


def test_loading_imports_no_third_party_module_but_attrs(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from panegate import profiles; from panegate.profiles import library\n"
        "profiles.load(library._SHIPPED / 'bash.toml')\n"
        "print(*(n for n in ('platformdirs', 'anyio', 'asyncio', 'structlog', 'libtmux', 'click',"
        " 'subprocess', 'cattrs') if n in sys.modules))"
    )
    roots = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *roots], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
