"""Breaks the gate one piece at a time: every break must turn a test red.

Each mutant flips one cell of the gate's tables, drops one of its conditions, one term of
the guard, or one veto of a profile. The tests that must notice are the behaviour tests of
``tests/session/cells.py`` (what is written into a pane) and, in real tmux, those of
``tests/journeys/test_guard_tmux.py`` and ``vetoes.py`` (what reaches a program).

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.mutants            # a table of all mutants and what killed them
    python -m tests.mutants tables     # without tmux
"""

import argparse
import contextlib
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import attrs

from panegate.gate import guard, policy
from panegate.profiles import load
from panegate.terms import Intent, State, Verdict
from panegate.testing.servers import PrivateServer

from .journeys import test_guard_tmux
from .journeys.guard_lab import Lab
from .journeys.vetoes import QUESTIONS, check_vetoes
from .session.cells import CELLS, OBSTACLES, check_cell, check_obstacle, check_right_of_way

__all__ = ["Mutant", "in_tmux", "kill", "survivors", "table", "tables"]

_OF_ONE_INTENT: Final = ("takes no input while busy", "another prompt")
_RED: Final = (AssertionError, EOFError, OSError)  # a mutant may end the whole tmux server


@attrs.frozen(kw_only=True)
class Test:
    """One test that can be called."""

    __test__ = False

    name: str
    run: Callable[[], None]


@attrs.frozen(kw_only=True)
class Mutant:
    """One break."""

    name: str
    broken: Callable[[], AbstractContextManager[None]]
    """The code is broken while the context lasts."""
    tests: tuple[Test, ...]
    """Asked in order until one is red."""


def kill(mutant: Mutant) -> str | None:
    """Return the name of the test that turned red, or None: the mutant survived."""
    with mutant.broken():
        for test in mutant.tests:
            try:
                test.run()
            except _RED:
                return test.name
    return None


# --- the tables -------------------------------------------------------------------------


def _cell(intent: Intent, state: State) -> Test:
    name = f"{intent.value} while {state.value}"
    return Test(name=name, run=lambda: check_cell(intent, state))


def _condition(name: str, intent: Intent) -> Test:
    check = check_right_of_way if name in _OF_ONE_INTENT else check_obstacle
    return Test(name=f"{intent.value}: {name}", run=lambda: check(name, intent))


_CONDITION_TESTS: Final = tuple(
    _condition(name, intent) for name in (*OBSTACLES, *_OF_ONE_INTENT) for intent in Intent
)
_TESTS: Final = (*(_cell(*at) for at in CELLS), *_CONDITION_TESTS)


def _first(test: Test) -> tuple[Test, ...]:
    """All tests, the most likely one first."""
    return (test, *(t for t in _TESTS if t.name != test.name))


def tables() -> list[Mutant]:
    """Return the mutants of the gate's tables: each cell flipped, each condition dropped."""
    return [*_flipped_cells(), *_flipped_conditions(), *_dropped_conditions()]


def _flipped_cells() -> Iterator[Mutant]:
    targets = (Verdict.ALLOW, Verdict.REFUSE)
    for (at, rule), verdict in itertools.product(policy.TABLE.items(), targets):
        if verdict is rule.verdict:
            continue
        changed = {**policy.TABLE, at: attrs.evolve(rule, verdict=verdict)}
        yield Mutant(
            name=f"{at[0].value} while {at[1].value}: {_flip(rule.verdict, verdict)}",
            broken=_setting(policy, "TABLE", changed),
            tests=_first(_cell(*at)),
        )


def _flipped_conditions() -> Iterator[Mutant]:
    targets = (Verdict.ALLOW, Verdict.REFUSE)
    for n, condition in enumerate(policy.CONDITIONS):
        for intent, verdict in itertools.product(Intent, targets):
            was = condition.verdicts[intent]
            if verdict is was:
                continue
            verdicts = {**condition.verdicts, intent: verdict}
            changed = list(policy.CONDITIONS)
            changed[n] = attrs.evolve(condition, verdicts=verdicts)
            yield Mutant(
                name=f"{intent.value}: {condition.name}: {_flip(was, verdict)}",
                broken=_setting(policy, "CONDITIONS", tuple(changed)),
                tests=_first(_condition(condition.name, intent)),
            )


def _dropped_conditions() -> Iterator[Mutant]:
    for n, condition in enumerate(policy.CONDITIONS):
        rest = (*policy.CONDITIONS[:n], *policy.CONDITIONS[n + 1 :])
        intent = Intent.ANSWER if condition.name == "another prompt" else Intent.STEER
        yield Mutant(
            name=f"condition dropped: {condition.name}",
            broken=_setting(policy, "CONDITIONS", rest),
            tests=_first(_condition(condition.name, intent)),
        )


def _flip(was: Verdict, now: Verdict) -> str:
    return f"{was.name.lower()} → {now.name.lower()}"


# --- the guard --------------------------------------------------------------------------

_OWN_TESTS: Final[dict[str, Callable[[Lab], None]]] = {
    "cursor_character": test_guard_tmux.test_the_character_under_the_cursor_is_compared,
    "pane_dead": (test_guard_tmux.test_a_dead_pane_is_refused_where_a_paste_ends_the_whole_server),
    "pane_id": (test_guard_tmux.test_a_missing_pane_is_not_mistaken_for_the_clients_current_one),
    "pane_input_off": (
        test_guard_tmux.test_a_pane_that_takes_no_input_is_refused_and_not_silently_lost
    ),
    "pane_synchronized": (test_guard_tmux.test_keys_that_would_reach_another_pane_too_are_refused),
}


def in_tmux() -> list[Mutant]:
    """Return the mutants of the guard: each term dropped, and each veto of each profile."""
    names = sorted(guard.FIELD_TERMS | set(test_guard_tmux.CHANGES))
    terms = [
        Mutant(
            name=f"guard term dropped: {name}",
            broken=_without(name),
            tests=(_term_test(name),),
        )
        for name in names
    ]
    vetoes = []
    for name in QUESTIONS:
        profile = load(name)
        for veto in profile.vetoes:
            rest = tuple(v for v in profile.vetoes if v is not veto)
            blind = attrs.evolve(profile, vetoes=rest)
            vetoes.append(
                Mutant(
                    name=f"veto dropped: {name}: {veto.regex}",
                    broken=contextlib.nullcontext,
                    tests=(_in_lab("check_vetoes", lambda lab, p=blind: check_vetoes(lab, p)),),
                )
            )
    return terms + vetoes


def _term_test(name: str) -> Test:
    own = _OWN_TESTS.get(name)
    if own is not None:
        return _in_lab(own.__name__, own)
    change = test_guard_tmux.test_a_change_that_one_term_alone_sees_refuses_the_write
    return _in_lab(f"{change.__name__}[{name}]", lambda lab: change(lab, name))


def _in_lab(name: str, test: Callable[[Lab], None]) -> Test:
    def run() -> None:
        with tempfile.TemporaryDirectory() as folder, PrivateServer() as server:
            lab = Lab(server, Path(folder))
            try:
                test(lab)
            finally:
                lab.close()

    return Test(name=name, run=run)


def _without(term: str) -> Callable[[], AbstractContextManager[None]]:
    """Leave one term out of every guard."""
    whole = guard.guard_for

    def blind(*given: Any, **named: Any) -> guard.Guard:
        made = whole(*given, **named)
        kept = tuple(t for t in made.terms if t.name != term)
        expression = guard._all_of(kept)
        return attrs.evolve(made, terms=kept, expression=expression)

    @contextlib.contextmanager
    def broken() -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for module in (guard, test_guard_tmux, sys.modules[Lab.__module__]):
                if hasattr(module, "guard_for"):
                    stack.enter_context(_setting(module, "guard_for", blind)())
            yield

    return broken


def _setting(module: Any, name: str, value: object) -> Callable[[], AbstractContextManager[None]]:
    @contextlib.contextmanager
    def broken() -> Iterator[None]:
        whole = getattr(module, name)
        setattr(module, name, value)
        try:
            yield
        finally:
            setattr(module, name, whole)

    return broken


# --- what came of it --------------------------------------------------------------------


def survivors(mutants: list[Mutant]) -> list[str]:
    """Return the names of the mutants that no test noticed."""
    return [mutant.name for mutant in mutants if kill(mutant) is None]


def table(killed: dict[str, str | None]) -> str:
    """Return a Markdown table of mutants and what killed them."""
    rows = ["| mutant | killed by |", "|---|---|"]
    rows += [f"| {name} | {by or '**nothing**'} |" for name, by in killed.items()]
    return "\n".join(rows)


def main() -> int:
    """Try all mutants and print the table; the status says whether all were killed."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", choices=("all", "tables", "tmux"), default="all")
    what = parser.parse_args().what
    began_s = time.monotonic()
    mutants = tables() if what != "tmux" else []
    mutants += in_tmux() if what != "tables" else []
    whole = {test.name: test for mutant in mutants for test in mutant.tests}
    red = [name for name, test in whole.items() if not name == "check_vetoes" and _is_red(test)]
    if red:
        print("red without any mutant:", *red, sep="\n  ")
        return 2
    killed = {mutant.name: kill(mutant) for mutant in mutants}
    print(table(killed))
    left = [name for name, by in killed.items() if by is None]
    took_s = time.monotonic() - began_s
    print(f"\n{len(killed)} mutants, {len(left)} survived; {took_s:.0f} s.")
    return 1 if left else 0


def _is_red(test: Test) -> bool:
    try:
        test.run()
    except _RED:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
