"""What a launch is given: environment, argument vector, profile."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from panegate import profiles
from panegate.errors import LaunchFailed
from panegate.screen.profile import ComposerRule, Family, Profile
from panegate.service.launch import Launch
from panegate.session.launch_answers import answer_launch

__all__ = [
    "adjust_profile",
    "as_vector",
    "check_program",
    "choose_profile",
    "launch_environment",
    "plan_launch",
]

_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR")
_MAX_SETTINGS_CHARS = 1_000_000
"""No settings file that a caller names is longer; a longer one was named by mistake."""
_NOT_PASSED = frozenset({"TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"})


def launch_environment(
    env: Mapping[str, str] | None,
    inherit_env: bool | None,
    own: Mapping[str, str],
) -> dict[str, str]:
    """Return the variables a launched program gets from its caller.

    A tmux server's environment is not the caller's, so what is passed is explicit.

    Args:
        env: The caller's own variables; they win.
        inherit_env: None passes a short list, True all of ours, False none.
        own: This process's environment.

    """
    if inherit_env is None:
        passed = {k: v for k, v in own.items() if k in _PASSED or k.startswith("LC_")}
    elif inherit_env:
        passed = {k: v for k, v in own.items() if k not in _NOT_PASSED}
    else:
        passed = {}
    return {**passed, **(env or {})}


def as_vector(argv: Sequence[str]) -> list[str]:
    """Return the vector so that tmux never hands it to a shell.

    tmux gives a vector of one word to ``sh -c``; ``env`` in front keeps it a vector.
    """
    return ["env", "--", *argv] if len(argv) == 1 else list(argv)


def choose_profile(named: str | Path | None, argv: Sequence[str], *, reads_lines: bool) -> Profile:
    """Return the profile that the caller names, else the one for the command."""
    found = profiles.load(named) if named is not None else profiles.for_command(argv)
    # nothing but the caller's word is known: then it is what is known of all line readers
    return profiles.load("lines") if reads_lines and found.family is Family.UNKNOWN else found


def adjust_profile(profile: Profile, *, composer: str | None, trust: str) -> Profile:
    """Return the profile with what the caller knows of its composer.

    Raises:
        ValueError: *trust* is neither ``timing`` nor empty.

    """
    if trust not in ("", "timing"):
        msg = f"trust is 'timing' or nothing, not {trust!r}"
        raise ValueError(msg)
    if composer is not None:
        rule = ComposerRule(
            glyphs=(composer,),
            hints=profile.composer.hints,
            collapsed=profile.composer.collapsed,
        )
        profile = attrs.evolve(profile, family=Family.COMPOSER, composer=rule)
    return profile


def plan_launch(
    argv: Sequence[str],
    profile: Profile,
    *,
    named: str | Path | None,
    env: Mapping[str, str] | None,
    inherit_env: bool | None,
    own: Mapping[str, str] | None,
    cwd: str | None,
    retain: bool,
) -> Launch:
    """Return how to start a program: the caller's words with its profile's launch answers.

    Args:
        argv: The caller's argument vector.
        profile: The program's.
        named: How the caller names the profile; None: it was found by *argv*.
        env: The caller's variables.
        inherit_env: As for `launch_environment`.
        own: This process's environment; None: the program runs on another host.
        cwd: Its folder.
        retain: Whether its dead pane is kept.

    Raises:
        LaunchFailed: The caller gives an answer with another value, or there is no place
            for the answers.

    """
    answered = answer_launch(
        profile.launch_answers,
        profile.arguments,
        argv,
        at=_place(profile, named, argv),
        env=env or {},
        profile=profile.name,
        settings_folder=str(_settings_folder()) if own is not None else None,
        read_settings=(lambda path: _read_text(Path(cwd or "", path))) if own is not None else None,
    )
    passed = launch_environment(answered.env, inherit_env, own or {})
    from_profile = {k: v for k, v in answered.env.items() if k not in (env or {})}
    added = {k: v for k, v in profile.launch_env.items() if passed.setdefault(k, v) == v}
    return Launch(
        argv=answered.argv,
        cwd=cwd,
        env=tuple(passed.items()),
        retain=retain,
        inherit_env=inherit_env,
        caller_env=tuple(env or {}),
        profile_env={**from_profile, **added},
        answers=answered.used,
    )


def check_program(launched: Launch) -> None:
    """Check that the program and its folder are there, on this host.

    Raises:
        LaunchFailed: One is not.

    """
    folder = launched.cwd
    if folder is None:
        return
    if not os.path.isdir(folder):
        raise LaunchFailed(f"there is no folder {folder!r}", fix="choose another cwd")
    program = launched.argv[0]
    path = dict(launched.env).get("PATH", os.defpath)
    base = os.path.join(folder, program) if "/" in program else program
    if shutil.which(base, path=path) is None:
        raise LaunchFailed(
            f"there is no program {program!r}", fix="check its name and the PATH it gets"
        )


def _place(profile: Profile, named: str | Path | None, argv: Sequence[str]) -> int | None:
    if not profile.launch_answers.needs_words:
        return None
    return profiles.place_of_arguments(profile.name if named is None else named, argv)


def _settings_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_state_dir("panegate", appauthor=False)) / "launch"


def _read_text(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_MAX_SETTINGS_CHARS)
    except (OSError, ValueError):
        return None
