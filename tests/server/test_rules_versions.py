"""A server that is upgraded to new rules: its running tables go on by the old ones, to the end and by every way in."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.game import Seat
from engine.record.audit import audit
from engine.record.entry import Close, Open
from engine.record.replay import move_json
from server.service import table_actions, table_reads
from server.service.log_check import check_all
from server.service.server_context import ServerContext
from tests.engine.signed_games import an_installation
from tests.server.mail.mail_counter import MailCounter, delegate
from tests.server.test_clockwork import THREE_DAYS, Seated, Watch, mail_context, watch, with_mail

__all__ = ["mail_context", "watch"]  # the fixtures


def a_table(context: ServerContext, watch: Watch) -> Seated:
    table = Seated(context, watch, THREE_DAYS, game="odds-and-evens")
    with_mail(table, 0)
    delegate(context, table.keys[0])
    return table


def version_of(table: Seated) -> str:
    opened = table.entries()[0]
    assert isinstance(opened, Open)
    return opened.game


def fists(table: Seated) -> bool:
    """Whether the server lets the first player show a fist."""
    offered = table_reads.legal(table.context, table.id, table.keys[0].public)["moves"]
    return {"do": "show", "fingers": 0} in [one["move"] for one in offered]


def play_out(table: Seated) -> None:
    """To the end, at random, each decision answered by whoever has not answered it."""
    for turn in range(200):
        position = table.context.folded_tables.recent(table.id).table.playing
        if position.over:
            return
        for seat in position.asked:
            move = Chance(b"mind", turn).pick(position.game.legal(position.state, Seat(seat)), f"seat {seat}")
            base = position.asked[seat].base
            table_actions.play(table.context, table.id, table.signed(seat, base, move_json(move)))
    raise AssertionError("the game does not end")


def test_running_tables_go_on_by_their_own_rules(mail_context: ServerContext, watch: Watch) -> None:
    desk = MailCounter(mail_context)
    with an_installation(1):
        old = a_table(mail_context, watch)
        assert fists(old)
    mail_context.folded_tables.forget()  # the server is stopped, upgraded and started
    with an_installation(1, 2):
        new = a_table(mail_context, watch)
        assert [version_of(table) for table in (old, new)] == ["odds-and-evens/1", "odds-and-evens/2"]
        assert [fists(table) for table in (old, new)] == [True, False]
        letters = [row.token for row in desk.rows("turn")]
        assert len(letters) == 2
        assert "show 0. It is opened" in desk.answered(f"post+{letters[0]}@example.org", "play show 0")
        assert "A fist is not a finger" in desk.answered(f"post+{letters[1]}@example.org", "play show 0")
        for table in (old, new):
            play_out(table)
            assert isinstance(table.entries()[-1], Close)
            record = b"".join(line + b"\n" for line in table_reads.record(mail_context, table.id)[1])
            assert audit(record).valid
            mail_context.folded_tables.forget()
            assert table_reads.view(mail_context, table.id, None)["view"] is not None, (
                "from its snapshot, by its own rules"
            )
        assert [checked.wrong for checked in check_all(mail_context)] == [(), ()]


@pytest.mark.parametrize("here", [1, 2])
def test_the_check_names_the_tables_whose_rules_are_gone(mail_context: ServerContext, watch: Watch, here: int) -> None:
    opened = {}
    for version in (1, 2):
        with an_installation(*range(1, version + 1)):
            opened[version] = a_table(mail_context, watch).id
    mail_context.folded_tables.forget()
    with an_installation(here):
        wrong = {checked.table: checked.wrong for checked in check_all(mail_context)}
    assert wrong.pop(opened[here]) == ()
    (gone,) = wrong[opened[3 - here]]
    assert gone.code == "game/unknown"
    assert f"odds-and-evens is known in version {here} of its rules, not in {3 - here}" in str(gone)
