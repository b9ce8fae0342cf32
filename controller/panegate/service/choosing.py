"""What a launch is given: environment, argument vector, profile."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from panegate import profiles
from panegate.screen.profile import ComposerRule, Family, Profile

__all__ = ["adjust_profile", "as_vector", "choose_profile", "launch_environment"]

_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR")
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
