"""What can be tried with moves by mail, and with the delegations they need."""

from __future__ import annotations

import pytest

from engine.record.entry import (
    Back,
    Delegate,
    Play,
    Resign,
    Revoke,
    back_message,
    delegate_message,
    mailed,
    signed_message,
)
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, evening

forgery = Forgery()


def delegated(forger: Forger) -> Delegate:
    return forger.entry(forger.first(Delegate), Delegate)


def by_mail(forger: Forger) -> int:
    """The first move that came by mail."""
    return forger.first(Play, by="mail")


# Forged delegations.


@forgery("mailed", "signature/forged")
def the_server_delegates_for_a_player(forger: Forger) -> int:
    said = delegated(forger)
    return forger.say(6, Delegate, forger.server, seat=0, to=said.to, begins=said.begins, ends=said.ends)


@forgery("mailed", "signature/forged")
def the_gateway_delegates_to_itself(forger: Forger) -> int:
    said = delegated(forger)
    return forger.say(6, Delegate, forger.evening.gateway, seat=0, to=said.to, begins=said.begins, ends=said.ends)


@forgery("mailed", "signature/forged")
def a_player_delegates_for_another(forger: Forger) -> int:
    said = delegated(forger)
    return forger.say(6, Delegate, forger.keys[1], seat=0, to=said.to, begins=said.begins, ends=said.ends)


@forgery("mailed", "signature/forged")
def the_delegation_of_another_player(forger: Forger) -> int:
    """What one player signed, put on record for the other."""
    said = delegated(forger)
    signature = said.signature
    return forger.say(6, Delegate, seat=1, to=said.to, begins=said.begins, ends=said.ends, signature=signature)


@forgery("mailed", "delegation/table")
def a_delegation_for_other_tables(forger: Forger) -> int:
    said, elsewhere = delegated(forger), (evening("two").id, evening("three").id)
    return forger.say(6, Delegate, seat=0, to=said.to, begins=said.begins, ends=said.ends, tables=elsewhere)


@forgery("mailed", "signature/forged")
def a_delegation_for_other_tables_without_saying_so(forger: Forger) -> int:
    said, key = delegated(forger), forger.keys[0]
    signature = key.sign(delegate_message(key.public, said.to, said.begins, said.ends, [evening("two").id]))
    return forger.say(6, Delegate, seat=0, to=said.to, begins=said.begins, ends=said.ends, signature=signature)


@forgery("mailed", "delegation/time")
def a_delegation_that_is_over(forger: Forger) -> int:
    said, past = delegated(forger), ("2026-11-01T00:00:00.000Z", "2026-11-18T06:40:05.999Z")
    return forger.say(6, Delegate, seat=0, to=said.to, begins=past[0], ends=past[1])


@forgery("mailed", "delegation/time")
def a_delegation_that_has_not_begun(forger: Forger) -> int:
    said = delegated(forger)
    return forger.say(6, Delegate, seat=0, to=said.to, begins="2026-11-18T06:40:06.001Z", ends=said.ends)


@forgery("mailed", "delegation/replaced")
def a_delegation_put_on_record_again_after_it_was_taken_back(forger: Forger) -> int:
    said, number = delegated(forger), forger.first(Revoke) + 1
    signature = said.signature
    return forger.say(number, Delegate, seat=0, to=said.to, begins=said.begins, ends=said.ends, signature=signature)


@forgery("mailed", "delegation/replaced")
def an_older_delegation_after_a_newer(forger: Forger) -> int:
    """The player once let another key speak for them, and has thought better of it."""
    older = "2026-11-18T06:00:00.000Z"
    number, ends = forger.first(Delegate) + 1, delegated(forger).ends
    return forger.say(number, Delegate, seat=0, to=STRANGER.public, begins=older, ends=ends)


@forgery("mailed", "delegation/replaced")
def a_revocation_of_something_older(forger: Forger) -> int:
    """Whoever kept an old one cannot end what was delegated since."""
    return forger.say(forger.first(Delegate) + 1, Revoke, seat=0, before="2026-11-18T06:00:00.000Z")


@forgery("mailed", "signature/forged")
def a_revocation_by_another_player(forger: Forger) -> int:
    return forger.say(forger.first(Delegate) + 1, Revoke, forger.keys[1], seat=0, before="2026-11-18T06:50:00.000Z")


@forgery("mailed", "move/stale")
def the_server_forgets_a_revocation(forger: Forger) -> int:
    """The player's own next moves were signed in a log with the revocation in it."""
    number = forger.first(Revoke)
    del forger.lines[number]
    forger.reseal(number)
    return number + 1


# Moves by mail.


@forgery("mailed", "delegation/none")
def a_move_by_mail_without_a_delegation(forger: Forger) -> int:
    forger.sign(4, by="mail")
    forger.reseal(5)
    return 4


@forgery("mailed", "delegation/none")
def a_move_by_mail_under_the_delegation_of_another_player(forger: Forger) -> int:
    number = next(n for n in range(7, len(forger.lines)) if forger.entry(n, Play).seat == 1)
    forger.sign(number, by="mail")
    forger.reseal(number + 1)
    return number


@forgery("mailed", "delegation/none")
def a_move_by_mail_after_the_revocation(forger: Forger) -> int:
    start = forger.first(Revoke) + 1
    number = next(n for n in range(start, len(forger.lines)) if forger.entry(n, Play).seat == 0)
    forger.sign(number, by="mail")
    forger.reseal(number + 1)
    return number


@forgery("mailed", "delegation/none")
def a_move_by_mail_after_the_end_of_the_delegation(forger: Forger) -> int:
    assert delegated(forger).ends == "2026-11-25T06:40:06.000Z"
    number = by_mail(forger)
    forger.edit(number, at="2026-11-25T06:40:06.001Z")
    forger.reseal(number)
    return number


@forgery("mailed", "delegation/none")
def the_server_forgets_the_delegation(forger: Forger) -> int:
    number = forger.first(Delegate)
    del forger.lines[number]
    forger.reseal(number)
    return by_mail(forger)


@forgery("mailed", "signature/forged")
def a_move_by_mail_that_a_stranger_signed(forger: Forger) -> int:
    number = by_mail(forger)
    forger.sign(number, STRANGER)
    forger.reseal(number + 1)
    return number


@forgery("mailed", "signature/forged")
def a_move_by_mail_that_the_server_signed(forger: Forger) -> int:
    """Its sealing key is another than its gateway's."""
    number = by_mail(forger)
    forger.sign(number, forger.server)
    forger.reseal(number + 1)
    return number


@forgery("mailed", "signature/forged")
def a_players_own_move_as_if_by_mail(forger: Forger) -> int:
    number = by_mail(forger)
    forger.sign(number, by=None)
    forger.edit(number, by="mail")
    forger.reseal(number)
    return number


@forgery("mailed", "signature/forged")
def a_move_by_mail_that_the_player_signed_in_the_gateways_words(forger: Forger) -> int:
    number = by_mail(forger)
    forger.sign(number, forger.keys[0])
    forger.reseal(number + 1)
    return number


@forgery("mailed", "signature/forged")
def a_move_by_mail_as_if_the_players_own(forger: Forger) -> int:
    """The record says how it came, and the server cannot hide it."""
    number = by_mail(forger)
    forger.edit(number, by=None)
    forger.reseal(number)
    return number


@forgery("mailed", "signature/forged")
def a_move_that_the_gateway_signed_in_the_players_words(forger: Forger) -> int:
    number = by_mail(forger)
    forger.sign(number, forger.evening.gateway, by=None)
    forger.reseal(number + 1)
    return number


@forgery("mailed", "signature/forged")
def a_signature_of_the_gateway_for_another_decision(forger: Forger) -> int:
    number = by_mail(forger)
    later = next(n for n in range(number + 1, len(forger.lines)) if forger.entry(n, Play).by)
    forger.edit(later, move=forger.entry(number, Play).move, signature=forger.entry(number, Play).signature)
    forger.reseal(later)
    return later


@forgery("mailed", "delegation/none")
def somebody_resigns_by_mail_without_a_delegation(forger: Forger) -> int:
    return forger.say(7, Resign, seat=1, by="mail")


@forgery("mailed", "seat/resigned")
def a_delegation_of_one_who_has_resigned(forger: Forger) -> int:
    forger.say(7, Resign, seat=0)
    said, close = delegated(forger), forger.lines.pop()
    common = {**forger.common(7), "seq": 8, "prev": forger.lines[7].hash, "state": "00" * 32, "signature": "00" * 64}
    forger.put(8, Delegate(**common, seat=0, to=said.to, begins="2026-11-18T06:40:07.000Z", ends=said.ends))
    forger.sign(8)
    forger.lines.append(close)
    forger.reseal(9)
    return 8


@forgery("mailed", "signature/forged")
def a_signature_of_the_gateway_for_another_purpose(forger: Forger) -> int:
    """It let the player be back; it did not let them resign."""
    message = mailed(back_message(forger.table, forger.lines[6].hash, 0))
    return forger.say(7, Resign, seat=0, by="mail", signature=forger.evening.gateway.sign(message))


@forgery("mailed", "clock/none")
def somebody_is_back_at_a_table_without_a_clock(forger: Forger) -> int:
    return forger.say(7, Back, seat=0)


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)


def test_an_outsider_who_writes_by_mail_for_a_player_is_found_out_by_the_seal() -> None:
    forger = Forger("mailed")
    number = by_mail(forger)
    move = forger.entry(number, Play)
    forger.edit(number, signature=STRANGER.sign(signed_message(move, forger.keys[0].public)))
    assert forger.first_fault() == (number, "seal/forged")
