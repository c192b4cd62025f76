"""What can be tried with a key that was given up for another, and with the words that say so."""

from __future__ import annotations

from typing import Any

import pytest

from engine.keys import Key, SigningKey
from engine.record.entry import Delegate, Play, Resign, Revoke, Sit, Succeed, delegate_message, succeed_message
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, evening

forgery = Forgery()
FIRST_MOVES = 6
"""The first entry after the deal of the record that most of this is about."""
AFTER = 11
"""The entry after the one with which seat 0 gave up its second key."""


def given_up(forger: Forger) -> SigningKey:
    """The key that seat 0 gave up in the middle of the game."""
    return forger.evening.former[1]


def changed(forger: Forger, seat: int, key: Key, to: Key, *pens: SigningKey) -> dict[str, Any]:
    """What a change of key says, signed with these two pens."""
    message = succeed_message(key, to)
    return {"seat": seat, "to": to, "signature": pens[0].sign(message), "consent": pens[1].sign(message)}


def says(forger: Forger, number: int, said: dict[str, Any]) -> int:
    """Instead of this entry and all that follow a change of key as it is signed, and the close."""
    common = {**forger.common(number), "state": forger.digest(forger.position(number - 1).state, number)}
    del forger.lines[number:-1]
    forger.put(number, Succeed(**common, **said))
    forger.reseal(number + 1)
    return number


# The former key.


@forgery("succeeded", "signature/forged")
def the_former_key_moves(forger: Forger) -> int:
    number = next(n for n in range(AFTER, len(forger.lines)) if forger.entry(n, Play).seat == 0)
    forger.sign(number, given_up(forger))
    forger.reseal(number + 1)
    return number


@forgery("succeeded", "signature/forged")
def the_former_key_resigns(forger: Forger) -> int:
    return forger.say(AFTER, Resign, given_up(forger), seat=0)


@forgery("succeeded", "signature/forged")
def the_former_key_delegates(forger: Forger) -> int:
    """In its own words, which name the key: they are not those of the player."""
    said = forger.entry(forger.first(Delegate), Delegate)
    old = given_up(forger)
    signature = old.sign(delegate_message(old.public, said.to, said.begins, said.ends))
    return forger.say(AFTER, Delegate, seat=0, to=said.to, begins=said.begins, ends=said.ends, signature=signature)


@forgery("succeeded", "signature/forged")
def the_former_key_delegates_in_the_players_words(forger: Forger) -> int:
    said = forger.entry(forger.first(Delegate), Delegate)
    return forger.say(AFTER, Delegate, given_up(forger), seat=0, to=said.to, begins=said.begins, ends=said.ends)


@forgery("succeeded", "delegation/none")
def a_move_under_what_the_former_key_delegated(forger: Forger) -> int:
    number = next(n for n in range(AFTER, len(forger.lines)) if forger.entry(n, Play).seat == 0)
    forger.sign(number, by="mail")
    forger.reseal(number + 1)
    return number


@forgery("succeeded", "signature/forged")
def the_former_key_takes_back_a_delegation(forger: Forger) -> int:
    return forger.say(AFTER, Revoke, given_up(forger), seat=0, before="2026-11-18T07:00:00.000Z")


@forgery("succeeded", "signature/forged")
def the_former_key_goes_on_under_a_third(forger: Forger) -> int:
    old = given_up(forger)
    return says(forger, AFTER, changed(forger, 0, old.public, STRANGER.public, old, STRANGER))


@forgery("succeeded", "succession/former")
def the_former_key_sits_down_again(forger: Forger) -> int:
    """Before the deal; somebody else's seat is still free."""
    sat, old = forger.entry(1, Sit), forger.evening.former[0]
    forger.edit(3, name="mallory", key=old.public, entropy=sat.entropy)
    forger.sign(3, old)
    forger.reseal(4)
    return 3


# Forged changes of key.


@forgery("succeeded", "signature/forged")
def the_server_gives_a_seat_to_somebody_else(forger: Forger) -> int:
    mine = forger.keys[2].public
    return says(forger, FIRST_MOVES, changed(forger, 2, mine, STRANGER.public, forger.server, STRANGER))


@forgery("succeeded", "signature/forged")
def another_player_gives_a_seat_away(forger: Forger) -> int:
    mine = forger.keys[2].public
    return says(forger, FIRST_MOVES, changed(forger, 2, mine, STRANGER.public, given_up(forger), STRANGER))


@forgery("succeeded", "signature/forged")
def a_seat_is_given_to_somebody_who_has_not_agreed(forger: Forger) -> int:
    pen = forger.keys[2]
    return says(forger, FIRST_MOVES, changed(forger, 2, pen.public, STRANGER.public, pen, pen))


@forgery("succeeded", "signature/forged")
def a_seat_is_given_to_a_key_that_verifies_whatever_anybody_likes(forger: Forger) -> int:
    pen = forger.keys[2]
    return says(forger, FIRST_MOVES, changed(forger, 2, pen.public, "01" + "00" * 31, pen, pen))


@forgery("succeeded", "seat/twice")
def a_seat_is_given_to_a_key_at_the_table(forger: Forger) -> int:
    pen, other = forger.keys[2], forger.evening.former[2]
    return says(forger, FIRST_MOVES, changed(forger, 2, pen.public, other.public, pen, other))


@forgery("succeeded", "seat/twice")
def a_seat_is_given_to_the_key_it_has(forger: Forger) -> int:
    pen = forger.keys[2]
    return says(forger, FIRST_MOVES, changed(forger, 2, pen.public, pen.public, pen, pen))


@forgery("succeeded", "seat/unknown")
def a_seat_that_does_not_exist(forger: Forger) -> int:
    return says(forger, FIRST_MOVES, changed(forger, 7, STRANGER.public, STRANGER.public, STRANGER, STRANGER))


# True words once more.


@forgery("succeeded", "signature/forged")
def the_change_of_another_seat(forger: Forger) -> int:
    said = forger.entry(AFTER - 1, Succeed)
    kept = {"seat": 2, "to": said.to, "signature": said.signature, "consent": said.consent}
    return says(forger, FIRST_MOVES, kept)


@forgery("succeeded", "seat/twice")
def the_same_change_again(forger: Forger) -> int:
    said = forger.entry(AFTER - 1, Succeed)
    kept = {"seat": 0, "to": said.to, "signature": said.signature, "consent": said.consent}
    return says(forger, AFTER, kept)


@forgery("succeeded", "succession/former")
def a_player_goes_back_to_a_key_that_may_be_stolen(forger: Forger) -> int:
    """Well signed with both: but what once led away from that key would then hold again, for everybody to use."""
    pen, first = forger.keys[0], forger.evening.former[0]
    return says(forger, AFTER, changed(forger, 0, pen.public, first.public, pen, first))


@forgery("two", "signature/forged")
def a_change_of_key_from_another_table(forger: Forger) -> int:
    elsewhere = evening("succeeded")
    said = next(line.entry for line in elsewhere.record if isinstance(line.entry, Succeed))
    return says(forger, 4, {"seat": 0, "to": said.to, "signature": said.signature, "consent": said.consent})


# The server.


@forgery("succeeded", "move/stale")
def the_server_forgets_a_change_of_key(forger: Forger) -> int:
    """What was signed after it names what stood in the log."""
    number = forger.first(Succeed, seat=1)
    del forger.lines[number]
    forger.reseal(number)
    return number + 1


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
