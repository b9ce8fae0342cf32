"""An agent program whose questions can be answered in advance, by flags, settings, variables.

It says in the truth log how it read its command line, and goes on as a composer.
"""

import argparse
import json
import os
import sys

from panegate.testing.programs import composer
from panegate.testing.programs._options import base_parser
from panegate.testing.programs._truth import TruthWriter

__all__ = ["main"]

_MODES = ("ask", "plan", "auto")


def main(name: str, argv: list[str]) -> int:
    """Run the agent; return its exit status."""
    options = _options(name, argv)
    settings = {**_settings(os.environ.get("AGENT_SETTINGS")), **_settings(options.settings)}
    settings |= dict(pair.split("=", 1) for pair in options.config)
    trusted = options.trust or os.environ.get("AGENT_TRUST") == "1"
    trusted = trusted or settings.get("trust") in (True, "true")
    mode = options.mode or settings.get("mode", "ask")
    TruthWriter(options.log).log(
        "started",
        argv=[word for word in argv if not word.startswith("--log")],
        trusted=trusted,
        mode=mode,
        allowed=options.allow,
        words=options.words,
        settings=settings,
        variables={k: v for k, v in os.environ.items() if k.startswith("AGENT_")},
    )
    like = [] if options.log is None else [f"--log={options.log}"]
    like += [] if trusted else ["--trust-first=menu"]
    like += ["--ask-after-submit=100", "--work=500"] if mode == "ask" else []
    return composer.main("composer", like)


def _options(name: str, argv: list[str]) -> argparse.Namespace:
    parser = base_parser(name)
    one = parser.add_argument
    one("-t", "--trust", action="store_true", help="the folder is trusted: not asked at the start")
    one("--no-trust", action="store_true", help="ask in any case")
    one("-m", "--mode", choices=_MODES, help="`ask` (the default) asks after each submit")
    one(
        "--allow", nargs="*", default=[], metavar="TOOL", help="takes every word to the next option"
    )
    one("--settings", metavar="JSON", help="settings as JSON, or a file of them: trust, mode")
    one("-c", "--config", action="append", default=[], metavar="KEY=VALUE", help="one setting")
    one("words", nargs="*", help="a first message, which it only notes")
    return parser.parse_args(argv)


def _settings(given: str | None) -> dict[str, object]:
    if given is None:
        return {}
    if not given.startswith("{"):
        with open(given, encoding="utf-8") as file:
            given = file.read()
    found = json.loads(given)
    if not isinstance(found, dict):
        sys.stderr.write("the settings are no JSON object\n")
        raise SystemExit(2)
    return found
