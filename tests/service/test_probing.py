"""A controller probes on a server of its own and keeps its own panes to itself."""

import pytest

import panegate as pg
from panegate.service import probing
from panegate.service.probing import check_turn, program_of
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer


@pytest.mark.tmux
@pytest.mark.asyncio
async def test_a_probe_shows_nothing_on_the_controllers_own_server(tmux_server: PrivateServer):
    program, *rest = program_argv("composer", trust_first=True)
    async with pg.Controller.open(
        socket_path=tmux_server.socket_path, journal=":memory:", settings=pg.Settings()
    ) as ctl:
        seen = ctl.bus.last_seq
        before = tmux_server.run("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}")
        report = await ctl.probe("standin", rest, program=program, within_s=20)
        assert [prompt.question for prompt in report.questions] == [
            "Do you trust the files in this folder?"
        ]
        assert report.argv == (program, *rest)
        assert report.state is pg.State.PROMPTING
        assert ctl.panes == ()
        assert ctl.bus.last_seq == seen
        assert tmux_server.run("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}") == before


@pytest.mark.tmux
@pytest.mark.asyncio
async def test_a_probe_that_runs_out_of_time_says_what_it_saw(tmux_server: PrivateServer):
    async with pg.Controller.open(
        socket_path=tmux_server.socket_path, journal=":memory:", settings=pg.Settings()
    ) as ctl:
        with pytest.raises(pg.NotReady) as failed:
            await ctl.probe("bash", ["-c", "echo loading; sleep 1000"], within_s=1)
        assert failed.value.screen is not None
        assert "loading" in failed.value.screen.text
        with pytest.raises(pg.LaunchFailed) as ended:
            await ctl.probe("bash", ["-c", "kill -9 $$"], within_s=20)
        assert ended.value.signal == 9


@pytest.mark.tmux
@pytest.mark.asyncio
async def test_a_question_that_goes_away_by_itself_was_met_all_the_same(
    tmux_server: PrivateServer, monkeypatch: pytest.MonkeyPatch
):
    async def gone(pane: pg.Pane) -> None:
        while pane.state is pg.State.PROMPTING:
            await pane.next_touch()

    monkeypatch.setattr(probing, "_painted", gone)
    asks = program_argv("composer", ask_after_submit=100, work=1000, dialog_closes_after=4000)
    async with pg.Controller.open(
        socket_path=tmux_server.socket_path, journal=":memory:", settings=pg.Settings()
    ) as ctl:
        report = await ctl.probe("standin", asks[1:], program=asks[0], turn="Reply.", within_s=20)
    assert [prompt.question for prompt in report.questions] == ["Do you want to run this command?"]
    assert report.state is not pg.State.PROMPTING
    assert "not known" not in report.words


def test_a_turn_is_for_composers():
    check_turn("standin", "Reply.")
    check_turn("bash", None)
    with pytest.raises(ValueError, match="'bash' is of the family 'shell'"):
        check_turn("bash", "Reply.")


def test_a_profile_without_commands_has_no_program():
    assert program_of("bash") == "bash"
    with pytest.raises(pg.ProfileError, match="names no command"):
        program_of("generic")
