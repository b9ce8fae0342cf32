"""The connection table."""

from panegate.wire.states import TRANSITIONS, ConnectionInput, ConnectionState


def test_the_table_is_total_over_what_tmux_may_do() -> None:
    inputs = [i for i in ConnectionInput if not i.name.startswith("SEND_")]
    missing = [(s, i) for s in ConnectionState for i in inputs if (s, i) not in TRANSITIONS]
    assert missing == []


def test_requests_are_legal_only_while_attached() -> None:
    legal = [s for s in ConnectionState if (s, ConnectionInput.SEND_REQUEST) in TRANSITIONS]
    assert legal == [ConnectionState.ATTACHED]


def test_exited_is_terminal_and_reached_from_everywhere() -> None:
    for (state, input_), new in TRANSITIONS.items():
        if state is ConnectionState.EXITED or input_.name.startswith("END_"):
            assert new is ConnectionState.EXITED
    for state in ConnectionState:
        assert TRANSITIONS[state, ConnectionInput.RECV_EXIT] is ConnectionState.EXITED


def test_attached_needs_the_attach_block_first_and_the_session_then() -> None:
    s, i = ConnectionState, ConnectionInput
    assert TRANSITIONS[s.ATTACHING, i.RECV_SESSION_CHANGED] is s.ATTACHING
    assert TRANSITIONS[s.ATTACHING, i.RECV_ATTACH_END] is s.JOINING
    assert TRANSITIONS[s.JOINING, i.RECV_SESSION_CHANGED] is s.ATTACHED
    into = [key for key, new in TRANSITIONS.items() if new is s.ATTACHED and key[0] is not new]
    assert into == [(s.JOINING, i.RECV_SESSION_CHANGED)]
