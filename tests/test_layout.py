"""The shape of the tree itself: mirrors, exports, sizes, folders, imports."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT / "controller" / "panegate", ROOT / "transports" / "panegate_transports")
PURE = ("wire", "panes", "screen", "gate", "session")
MAX_SOURCE_LINES = 500
MAX_TEST_LINES = 700

# Source files without a test file of their own name, and the file that tests them instead.
TESTED_ELSEWHERE: dict[str, str] = {}
_OTHER_FOLDERS = re.compile(r"\.\./shared|/(?:work|tmp)/(?:main|shared|pg)\b|/root/\.")
THIRD_PARTY = (
    "anyio",
    "attr",
    "attrs",
    "cattrs",
    "click",
    "libtmux",
    "platformdirs",
    "structlog",
    "wcwidth",
)


def sources(*, tests: bool = False) -> Iterator[Path]:
    folders = (*PACKAGES, *((ROOT / "tests", ROOT / "bench") if tests else ()))
    for folder in folders:
        yield from sorted(folder.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def pure_files() -> list[str]:
    """Return the files of the pure packages that do something: that hold a function."""
    paths = [p for package in PURE for p in sorted((PACKAGES[0] / package).rglob("*.py"))]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return [
        path.relative_to(PACKAGES[0]).as_posix()
        for path in paths
        if path.name != "__init__.py" and any(isinstance(n, kinds) for n in ast.walk(parse(path)))
    ]


def is_public(path: Path) -> bool:
    """Tell whether a module is public: neither it nor a folder above it is private."""
    parts = path.relative_to(ROOT).parts[2:]
    return not any(part.startswith("_") for part in parts)


def defined(tree: ast.Module) -> set[str]:
    """Return the public names that a module defines at its top level."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def exported(tree: ast.Module) -> list[str] | None:
    """Return the names in a module's ``__all__``, or None when it has none."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            assert isinstance(node, ast.Assign)
            names = ast.literal_eval(node.value)
            return [str(name) for name in names]
    return None


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", pure_files())
def test_each_file_of_a_pure_package_has_a_test_file_of_its_name(source: str) -> None:
    path = Path(source)
    mirror = TESTED_ELSEWHERE.get(source, f"{path.parent}/test_{path.name}")
    assert (ROOT / "tests" / mirror).is_file()


def test_no_exception_from_the_mirror_is_stale() -> None:
    files = pure_files()
    for source in TESTED_ELSEWHERE:
        path = Path(source)
        assert source in files
        assert not (ROOT / "tests" / path.parent / f"test_{path.name}").exists()


@pytest.mark.parametrize(
    "path", [p for p in sources() if is_public(p) and p.name != "__init__.py"], ids=name_of
)
def test_each_public_module_exports_exactly_what_it_defines(path: Path) -> None:
    tree = parse(path)
    names = exported(tree)
    assert names is not None, "it has no __all__"
    assert len(names) == len(set(names))
    # A module's logger is called log everywhere and is nobody else's.
    assert set(names) == defined(tree) - {"log"}, "export it, or begin its name with _"


@pytest.mark.parametrize("path", [p for p in sources() if p.name == "__init__.py"], ids=name_of)
def test_each_package_exports_only_what_it_has(path: Path) -> None:
    names = exported(parse(path))
    if names is None:
        assert not defined(parse(path)), "defines names and has no __all__"
        return
    assert len(names) == len(set(names))
    package = ".".join(path.relative_to(ROOT).parts[1:-1])
    module = __import__(package, fromlist=["__all__"])
    missing = [name for name in names if not hasattr(module, name)]
    assert not missing


@pytest.mark.parametrize("path", list(sources(tests=True)), ids=name_of)
def test_no_file_is_too_long_to_read(path: Path) -> None:
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    is_test = "tests" in path.relative_to(ROOT).parts[:1]
    assert n_lines <= (MAX_TEST_LINES if is_test else MAX_SOURCE_LINES)


def packages() -> list[Path]:
    found = [ROOT, ROOT / "controller", ROOT / "transports", ROOT / "tests", ROOT / "bench"]
    for top in PACKAGES:
        found += [path.parent for path in top.glob("*/__init__.py")]
    return sorted(found)


@pytest.mark.parametrize("folder", packages(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_each_folder_says_what_is_in_it(folder: Path) -> None:
    readme = folder / "README.md"
    assert readme.is_file()
    assert readme.read_text(encoding="utf-8").startswith("# ")


def test_the_change_log_starts_with_what_is_new() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert re.search(r"^## ", text, re.M)


@pytest.mark.parametrize(
    "path",
    [p for p in sources() if "testing" not in p.relative_to(ROOT).parts],
    ids=name_of,
)
def test_the_product_never_sleeps(path: Path) -> None:
    calls = [node for node in ast.walk(parse(path)) if isinstance(node, ast.Call)]
    sleeps = []
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else None
        name = call.func.id if isinstance(call.func, ast.Name) else name
        # sleep(0) lets other tasks run and waits for nothing
        yields = [ast.literal_eval(a) for a in call.args if isinstance(a, ast.Constant)] == [0]
        if name in ("sleep", "sleep_until") and not yields:
            sleeps.append(f"line {call.lineno}")
    assert sleeps == []


@pytest.mark.parametrize("path", list(sources()), ids=name_of)
def test_nothing_that_ships_imports_the_test_kit(path: Path) -> None:
    if "testing" in path.relative_to(ROOT).parts:
        pytest.skip("is the test kit")
    text = path.read_text(encoding="utf-8")
    imports = re.findall(r"^\s*(?:from|import) +(panegate\.testing[\w.]*)", text, re.M)
    assert not [name for name in imports if name != "panegate.testing.programs"]


@pytest.mark.parametrize("path", list(sources(tests=True)), ids=name_of)
def test_no_file_is_bound_to_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert _OTHER_FOLDERS.findall(text) == []


def run_isolated(code: str) -> list[str]:
    """Run *code* in a fresh interpreter that finds our packages; return what it prints."""
    roots = [str(path.parent) for path in PACKAGES]
    # Behind the standard library, as an installed package is.
    start = f"import sys; sys.path.extend({roots + [p for p in sys.path if p]!r})\n"
    done = subprocess.run(
        [sys.executable, "-I", "-c", start + code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_panegate_imports_no_third_party_module() -> None:
    code = f"import panegate\nprint(*(n for n in {THIRD_PARTY!r} if n in sys.modules))"
    assert run_isolated(code) == []


def test_importing_panegate_starts_nothing() -> None:
    code = (
        "import panegate, threading\n"
        "print(threading.active_count(), 'asyncio' in sys.modules, 'subprocess' in sys.modules)"
    )
    assert run_isolated(code) == ["1", "False", "False"]


@pytest.mark.slow
def test_every_public_name_of_panegate_can_be_imported() -> None:
    code = "import panegate\nprint(*(n for n in panegate.__all__ if not hasattr(panegate, n)))"
    assert run_isolated(code) == []
