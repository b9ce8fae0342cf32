"""Our own tmux server: what its programs inherit."""

import os
import shutil
from pathlib import Path

import pytest
from tests.journeys.staging import open_stage

import panegate as pg

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_programs_take_their_size_from_their_pane_and_not_from_the_controllers_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line editor of Python sets these two, for everything that is started later."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    async with open_stage(tmp_path) as stage:
        record = tmp_path / "size"
        argv = ["sh", "-c", f'echo "$COLUMNS $LINES $(stty size)" > {record}; exec cat']
        pane = await stage.ctl.launch(argv, size=(40, 20), within_s=None)
        await pane.wait({pg.State.PROMPTING, pg.State.READY}, within_s=20)
        assert record.read_text().split() == ["20", "40"]


@pytest.mark.parametrize("n_refused", [1, 4, 5])
@pytest.mark.asyncio
async def test_a_server_starts_beside_one_that_is_just_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_refused: int
) -> None:
    """Its socket still answers, with the end of the connection; that is tried a few times."""
    tries, wrapper = tmp_path / "tries", tmp_path / "tmux"
    real = shutil.which(os.environ.get("PANEGATE_TMUX") or "tmux")
    wrapper.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *new-session*) echo x >> {tries}\n'
        f"  if [ $(wc -l < {tries}) -le {n_refused} ]; then\n"
        "    echo 'server exited unexpectedly' >&2; exit 1\n"
        f'  fi;; esac\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PANEGATE_TMUX", str(wrapper))
    if n_refused == 5:
        with pytest.raises(pg.ServerUnreachable, match="server exited unexpectedly"):
            async with open_stage(tmp_path):
                pass
    else:
        async with open_stage(tmp_path) as stage:
            assert stage.ctl.identity.pid
    assert len(tries.read_text().split()) == min(n_refused + 1, 5)
