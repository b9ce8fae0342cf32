"""What is asked most often costs nothing."""

import subprocess
import sys

import pytest

import panegate
from panegate.cli.main import run
from panegate.cli.table import help_text

THIRD_PARTY = ("anyio", "attr", "cattrs", "click", "libtmux", "platformdirs", "structlog")


@pytest.mark.parametrize("word", ["-h", "--help", "help"])
def test_help_is_the_table(word: str, capsys: pytest.CaptureFixture[str]):
    assert run([word]) == 0
    assert capsys.readouterr().out == help_text()


def test_no_command_is_a_usage_error_that_shows_the_help(capsys: pytest.CaptureFixture[str]):
    assert run([]) == 2
    assert capsys.readouterr().out == help_text()


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"panegate {panegate.__version__}\n"


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_and_version_import_no_third_party_module(word: str):
    code = (
        f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n"
        f"from panegate.cli.main import run\nrun([{word!r}])\n"
        f"found = [n for n in {THIRD_PARTY!r} if n in sys.modules]\n"
        "sys.stderr.write(' '.join(found))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_help_with_a_command_is_that_commands(capsys: pytest.CaptureFixture[str]):
    assert run(["send", "--help"]) == 0
    assert "--within" in capsys.readouterr().out
