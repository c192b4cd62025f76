"""Delegations to the mail gateway, and what is said beside the game."""

from __future__ import annotations

from functools import partial

import msgspec

from engine.game import Seat
from engine.record.audit import audit
from engine.record.chain import Chain
from engine.record.entry import Play, seal
from tests.engine.clocked_games import DAY, VACATION, asked, is_proved, refusal, table, voting
from tests.engine.signed_games import Evening, data_of


def first_move(evening: Evening, seat: int) -> object:
    return evening.game.legal(evening.table.playing.state, Seat(seat))[0]


def test_the_gateway_may_do_whatever_a_player_delegated() -> None:
    evening = voting(2).delegate(1).vote(1, "continue", mail=True).back(1, mail=True)
    asked(evening, 1)
    evening.move(1, first_move(evening, 1), mail=True).resign(1, mail=True)
    assert isinstance(evening.record[-2].entry, Play)
    assert evening.record[-2].entry.by == "mail"
    assert is_proved(evening.abandon("resigned").close())


def test_a_newer_delegation_replaces_an_older_and_an_older_none() -> None:
    evening = table(None).delegate(0, ends="2026-11-18T06:40:05.000Z").delegate(0)
    assert refusal(lambda: evening.delegate(0, begins="2026-11-18T06:40:05.000Z")) == "delegation/replaced"
    assert is_proved(evening.wait(DAY).move(0, first_move(evening, 0), mail=True).play().close())


def test_a_delegation_taken_back_may_be_given_again() -> None:
    evening = table(None).delegate(0).revoke(0)
    assert refusal(lambda: evening.move(0, first_move(evening, 0), mail=True)) == "delegation/none"
    evening.delegate(0).move(0, first_move(evening, 0), mail=True)
    assert is_proved(evening.play().close())


def test_a_delegation_holds_to_its_last_moment() -> None:
    evening = table(None)
    evening.delegate(0, ends=evening.later(seconds=10)).wait(9.001)
    assert refusal(lambda: evening.move(0, first_move(evening, 0), mail=True)) == "delegation/none"
    evening.wait(-0.001).move(0, first_move(evening, 0), mail=True)


def test_a_delegation_for_some_tables_is_for_this_one() -> None:
    evening = table(None)
    assert refusal(lambda: evening.delegate(0, tables=("ab" * 16,))) == "delegation/table"
    evening.delegate(0, tables=("ab" * 16, evening.id)).move(0, first_move(evening, 0), mail=True)
    assert is_proved(evening.play().close())


def test_a_delegation_begins_before_it_is_put_on_record_and_ends_after() -> None:
    evening = table(None)
    assert refusal(lambda: evening.delegate(0, begins=evening.later(milliseconds=1))) == "delegation/time"
    assert refusal(lambda: evening.delegate(0, begins=evening.later(days=-2), ends=evening.later(days=-1))) == (
        "delegation/time"
    )


def test_a_revocation_is_newer_than_what_it_takes_back() -> None:
    evening = table(None).delegate(0)
    assert refusal(lambda: evening.revoke(0, "2026-11-18T06:40:04.000Z")) == "delegation/replaced"
    assert evening.revoke(0, "2026-11-18T06:40:04.001Z").table.chain.delegation(Seat(0), evening.now) is None


def test_a_revocation_is_not_of_times_to_come() -> None:
    """Or nothing could be delegated again until then; but a player's clock may be ahead."""
    evening = table(None).delegate(0)
    for ahead in (3600.001, 365 * DAY):
        assert refusal(partial(evening.revoke, 0, evening.later(seconds=ahead))) == "delegation/time"
    assert refusal(lambda: evening.revoke(0, "9999-12-31T23:59:59.999Z")) == "delegation/time"
    evening.revoke(0, evening.later(seconds=3600)).wait(3600).delegate(0)
    assert is_proved(evening.move(0, first_move(evening, 0), mail=True).play().close())


def test_remarks_of_a_seat_that_is_not_there_are_a_fault_and_not_a_crash() -> None:
    evening = table(VACATION).days_off(0, 1).back(0).play(1).resign(1).abandon("resigned").close()
    for number in (4, 5, 7):
        record = list(evening.record)
        record[number] = seal(msgspec.structs.replace(record[number].entry, seat=98), evening.server)
        found = audit(data_of(record))
        assert (found.faults[0].entry, found.faults[0].code) == (number, "seat/unknown")


def test_a_chain_begins_without_remarks() -> None:
    assert Chain().remarks == 0


def test_whoever_has_resigned_delegates_nothing() -> None:
    evening = table(None, 3).resign(0)
    assert refusal(lambda: evening.delegate(0)) == "seat/resigned"
