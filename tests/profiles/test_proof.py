"""A veto is believed only after tmux has found its sample with it."""

import contextlib
import re
import subprocess
from pathlib import Path

import pytest

from panegate import profiles
from panegate.errors import ProfileError, ServerUnreachable
from panegate.profiles import proof
from panegate.profiles.proof import prove_vetoes, prove_with_tmux
from panegate.screen.profile import Profile, Veto
from panegate.testing.servers import require_program, wait_gone


def with_vetoes(*pairs: tuple[str, str]) -> Profile:
    vetoes = tuple(Veto(regex=regex, sample=sample) for regex, sample in pairs)
    return Profile(name="p", vetoes=vetoes)


def python_search(regex: str, sample: str) -> bool:
    return re.search(regex, sample) is not None


def test_a_veto_that_finds_its_sample_is_proved() -> None:
    prove_vetoes(with_vetoes(("^a+$", "aa"), ("b", "abc")), python_search)


def test_a_veto_that_misses_its_sample_is_an_error_naming_it() -> None:
    profile = with_vetoes(("^a+$", "aa"), ("^a+$", "b"))
    with pytest.raises(ProfileError, match=r"f\.toml: veto 2 of profile 'p', '\^a\+\$',"):
        prove_vetoes(profile, python_search, path=Path("f.toml"))


def test_a_veto_that_hits_a_bare_screen_is_an_error() -> None:
    with pytest.raises(ProfileError, match="matches an empty screen"):
        prove_vetoes(with_vetoes(("a*", "aa")), python_search)


def test_a_veto_that_tmux_cannot_be_asked_is_an_error() -> None:
    def refuses(regex: str, sample: str) -> bool:
        raise ValueError("a control character")

    with pytest.raises(ProfileError, match="cannot be asked of tmux: a control character"):
        prove_vetoes(with_vetoes(("a", "a")), refuses)


def test_a_profile_without_vetoes_needs_no_tmux() -> None:
    prove_with_tmux(Profile(name="p"), ["/nonexistent/tmux"])


def test_a_tmux_that_does_not_start_is_said() -> None:
    with pytest.raises(ServerUnreachable, match="new-session"):
        prove_with_tmux(with_vetoes(("a", "a")), ["/nonexistent/tmux"])


@pytest.mark.tmux
def test_tmux_proves_the_vetoes_of_every_shipped_profile() -> None:
    tmux = [require_program("tmux")]
    all_vetoes = {
        veto.regex: veto for name in profiles.names() for veto in profiles.load(name).vetoes
    }
    assert all_vetoes
    prove_with_tmux(Profile(name="all", vetoes=tuple(all_vetoes.values())), tmux)


@pytest.mark.tmux
@pytest.mark.parametrize(
    ("regex", "sample"),
    [
        ("^ ❯ [0-9]+[.] Yes, and #1 [{]x[}] 100%$", " ❯ 2. Yes, and #1 {x} 100%"),
        ("^│ [|] (a|b),c$", "│ | b,c"),
        ("second row", "first row\nsecond row"),
        ('^say "\\$HOME" ~$', 'say "$HOME" ~'),
    ],
)
def test_tmux_finds_what_is_hard_to_quote(regex: str, sample: str) -> None:
    prove_with_tmux(with_vetoes((regex, sample)), [require_program("tmux")])


@pytest.mark.tmux
@pytest.mark.parametrize(
    ("regex", "sample"),
    [("((", "(("), ("a{9999999}", "a"), ("^(?:Yes)$", "Yes"), ("[", "["), ("x", "y")],
)
def test_tmux_refutes_what_it_cannot_compile_or_find(regex: str, sample: str) -> None:
    with pytest.raises(ProfileError, match="does not find its sample"):
        prove_with_tmux(with_vetoes((regex, sample)), [require_program("tmux")])


@pytest.mark.tmux
@pytest.mark.parametrize("sample", ["x", "not found"])
def test_the_proving_server_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pids: list[int] = []
    tmux = require_program("tmux")

    def noting(profile: Profile, search: proof.Search, *, path: Path | None = None) -> None:
        [folder] = tmp_path.glob("panegate-proof-*")
        asked = [tmux, "-S", f"{folder}/tmux", "display-message", "-p", "#{pid}"]
        pids.append(int(subprocess.run(asked, capture_output=True, check=True).stdout))
        prove_vetoes(profile, search, path=path)

    monkeypatch.setattr(proof, "prove_vetoes", noting)
    with contextlib.suppress(ProfileError):
        prove_with_tmux(with_vetoes(("x", sample)), [tmux])
    assert wait_gone(pids[0], 5.0)
    assert list(tmp_path.glob("panegate-proof-*")) == []
