"""Run a stand-in: ``python -I -S .../__main__.py NAME [--log FILE] [OPTIONS]``."""

import sys

if not __package__:
    # Run as a file: make the package importable, behind the standard library.
    sys.path.append(__file__.rsplit("/panegate/testing/programs/", 1)[0])

from importlib import import_module

from panegate.testing.programs import PROGRAMS


def main(argv: list[str]) -> int:
    """Run the program that ``argv[0]`` names and return its exit status."""
    name = argv[0].replace("_", "-") if argv else ""
    if name not in PROGRAMS:
        sys.stderr.write(f"usage: NAME [OPTIONS], where NAME is one of: {' '.join(PROGRAMS)}\n")
        return 2
    module = import_module(f"panegate.testing.programs.{PROGRAMS[name]}")
    status = module.main(name, argv[1:])
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
