"""The blocking facade has the same names and does the same."""

import pytest

import panegate as pg
from panegate import sync
from panegate.testing.servers import PrivateServer


def names(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_public_method_is_reachable_under_its_own_name():
    own = {"wait_any", "open", "public_names"}
    for name in names(pg.Controller) | names(pg.Pane):
        if name not in own:
            assert name not in vars(sync.Controller), f"{name} hides the asynchronous one"


def test_private_names_are_not_forwarded():
    with pytest.raises(AttributeError):
        sync.Pane(None, object())._anything  # type: ignore[arg-type]  # noqa: B018


@pytest.mark.tmux
def test_drives_a_pane_without_an_event_loop(tmux_server: PrivateServer):
    with sync.Controller.open(socket_path=tmux_server.socket_path) as ctl:
        pane = ctl.launch(["bash", "--norc"], name="w1", within_s=20)
        assert pane.state is pg.State.READY
        receipt = pane.send("echo hi", within_s=20)
        assert receipt.landed is True
        assert pane.wait({pg.State.READY}, within_s=20) is pg.State.READY
        assert ctl.pane("w1").id == pane.id
        assert [p.name for p in ctl.panes] == ["w1"]
        first = ctl.wait_any([pane], {pg.State.READY}, within_s=20)
        assert first.id == pane.id
        with ctl.events(since=0) as events:
            assert isinstance(next(iter(events)), pg.PaneOpened)
        with pytest.raises(pg.NoSuchPane):
            ctl.pane("none")
        assert pane.libtmux.pane_id == pane.id
        pane.close()
