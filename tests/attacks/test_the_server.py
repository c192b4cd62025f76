"""What the server can do to a record: it can seal anything and knows the secret, but signs for no player."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from client.trust.log_verification import Trust, Unverified, extension
from engine.record.chain import Chain
from engine.record.entry import (
    Abandon,
    Deal,
    Play,
    Resign,
)
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, abandon, stop

forgery = Forgery()


@forgery("two", "move/out-of-turn")
def the_server_drops_a_move(forger: Forger) -> int:
    del forger.lines[4]
    forger.reseal(4)
    return 4


@forgery("two", "signature/forged")
def the_server_drops_a_round_and_renames_bases(forger: Forger) -> int:
    del forger.lines[6:10]
    forger.edit(6, base=forger.lines[5].hash)
    forger.reseal(6, rebase=True)
    return 6


@forgery("three", "move/out-of-turn")
def the_server_swaps_two_moves(forger: Forger) -> int:
    forger.lines[7], forger.lines[8] = forger.lines[8], forger.lines[7]
    forger.edit(7, at=forger.lines[6].entry.at)
    forger.reseal(7)
    return 7


@forgery("two", "move/out-of-turn")
def the_server_plays_a_move_twice(forger: Forger) -> int:
    forger.lines.insert(5, forger.lines[4])
    forger.reseal(5)
    return 5


def later_turn(forger: Forger, number: int) -> int:
    """The next entry in which the seat of this one moves again."""
    seat = forger.entry(number, Play).seat
    return next(n for n in range(number + 1, len(forger.lines)) if getattr(forger.lines[n].entry, "seat", None) == seat)


@forgery("two", "move/stale")
def the_server_replays_an_old_move_at_a_later_decision(forger: Forger) -> int:
    later = later_turn(forger, 4)
    forger.lines[later] = forger.lines[4]
    forger.edit(later, at=forger.lines[later - 1].entry.at)
    forger.reseal(later)
    return later


@forgery("two", "signature/forged")
def the_server_replays_an_old_move_under_a_new_base(forger: Forger) -> int:
    later = later_turn(forger, 4)
    move = forger.entry(4, Play)
    forger.edit(later, move=move.move, signature=move.signature)
    forger.reseal(later)
    return later


@forgery("sealed", "move/stale")
def the_server_replays_an_old_answer_at_an_identical_decision(forger: Forger) -> int:
    """Showing fingers is the same decision in every round; only its base tells the rounds apart."""
    old, later = forger.first(Play, seat=0), forger.last - 6
    assert forger.entry(later, Play).move["do"] == forger.entry(old, Play).move["do"] == "show"
    forger.lines[later] = forger.lines[old]
    forger.edit(later, at=forger.lines[later - 1].entry.at)
    forger.reseal(later)
    return later


@forgery("two", "move/stale")
def the_server_dates_a_move_later(forger: Forger) -> int:
    """A decision is named by the hash of the entry that opened it, its time included."""
    forger.edit(8, at=forger.lines[9].entry.at)
    forger.reseal(8)
    return 9


@forgery("two", "signature/forged")
def the_server_dates_a_move_later_and_renames_bases(forger: Forger) -> int:
    forger.edit(8, at=forger.lines[9].entry.at)
    forger.reseal(8, rebase=True)
    return 9


@forgery("two", "signature/forged")
def the_server_seats_somebody_else(forger: Forger) -> int:
    """It can sign for its own stranger, but the next player sat down after the other one."""
    forger.sign(1, STRANGER, key=STRANGER.public, name="mallory")
    forger.reseal(2)
    return 2


@forgery("two", "move/stale")
def the_server_and_the_last_to_sit_choose_another_entropy_afterwards(forger: Forger) -> int:
    """They can grind the seed before the deal (docs/threat-model.md), but not once somebody has moved."""
    forger.sign(2, entropy="ab" * 32)
    forger.reseal(3)
    assert forger.first_fault() == (3, "state/differs")
    forger.edit(3, state=forger.dealt_anew(3))
    forger.reseal(3)
    return 4


@forgery("two", "secret/other")
def the_server_reveals_another_secret_and_digests_accordingly(forger: Forger) -> int:
    forger.edit(forger.last, secret="ab" * 32)
    forger.reseal(forger.last)
    return forger.last


@forgery("two", "chain/order")
def the_server_opens_the_table_twice(forger: Forger) -> int:
    forger.put(1, forger.lines[0].entry)
    forger.reseal(1)
    return 1


@forgery("two", "chain/order")
def the_server_deals_twice(forger: Forger) -> int:
    forger.put(4, forger.lines[3].entry)
    forger.reseal(4)
    return 4


@forgery("two", "chain/order")
def the_server_deals_with_a_seat_free(forger: Forger) -> int:
    del forger.lines[2]
    forger.reseal(2)
    return 2


@forgery("two", "chain/order")
def the_server_forgets_to_deal(forger: Forger) -> int:
    del forger.lines[3]
    forger.reseal(3)
    return 3


@forgery("two", "seat/taken")
def a_seat_is_taken_twice(forger: Forger) -> int:
    forger.put(2, forger.lines[1].entry)
    forger.sign(2, STRANGER, seat=0, name="mallory", key=STRANGER.public)
    forger.reseal(3)
    return 2


@forgery("two", "seat/twice")
def a_player_takes_both_seats(forger: Forger) -> int:
    forger.sign(2, forger.keys[0], key=forger.keys[0].public)
    forger.reseal(3)
    return 2


@forgery("two", "seat/twice")
def two_players_bear_one_name(forger: Forger) -> int:
    forger.sign(2, name="ANN")
    forger.reseal(3)
    return 2


@forgery("two", "seat/unknown")
def a_seat_that_the_table_does_not_have_is_taken(forger: Forger) -> int:
    forger.sign(2, forger.keys[1], seat=2)
    forger.reseal(3)
    return 2


@forgery("two", "signature/forged")
def a_player_sits_with_a_key_of_small_order(forger: Forger) -> int:
    """One signature would do for whatever the server says this player did."""
    forger.edit(2, key="01" + "00" * 31, signature="01" + "00" * 63)
    forger.reseal(2)
    return 2


@forgery("three", "chain/order")
def somebody_sits_down_after_the_deal(forger: Forger) -> int:
    forger.put(5, forger.lines[3].entry)
    forger.sign(5, STRANGER, key=STRANGER.public, name="mallory", at=forger.lines[4].entry.at)
    forger.reseal(6)
    return 5


@forgery("two", "chain/order")
def a_move_after_the_close(forger: Forger) -> int:
    forger.lines.append(forger.lines[-2])
    forger.edit(forger.last, at=forger.lines[-2].entry.at)
    forger.reseal(forger.last)
    return forger.last


@forgery("two", "chain/order")
def the_table_is_closed_twice(forger: Forger) -> int:
    forger.lines.append(forger.lines[-1])
    forger.reseal(forger.last)
    return forger.last


@forgery("unfilled", "chain/order")
def a_table_is_closed_that_was_never_dealt_or_abandoned(forger: Forger) -> int:
    del forger.lines[-2]
    forger.reseal(forger.last)
    return forger.last


def given_up_full(forger: Forger, why: str) -> int:
    """The server has seen the seed by now: it may not turn the game down because of it, whatever it says."""
    number = forger.first(Deal)
    common = forger.common(number)
    del forger.lines[number:-1]
    forger.put(number, msgspec.convert({**common, "kind": "abandon", "why": why}, Abandon))
    forger.edit(number + 1, standing=None, state=None)
    forger.reseal(number)
    return number


@forgery("two", "chain/order")
def a_full_table_is_abandoned_as_unfilled(forger: Forger) -> int:
    return given_up_full(forger, "unfilled")


@forgery("two", "chain/order")
def a_full_table_is_abandoned_before_the_deal_as_if_somebody_had_resigned(forger: Forger) -> int:
    return given_up_full(forger, "resigned")


@forgery("clocked", "chain/order")
def a_full_table_is_abandoned_before_the_deal_as_idle(forger: Forger) -> int:
    return given_up_full(forger, "idle")


@forgery("voted", "chain/order")
def a_full_table_is_abandoned_before_the_deal_as_voted(forger: Forger) -> int:
    return given_up_full(forger, "voted")


@forgery("two", "close/early")
def the_server_closes_early(forger: Forger) -> int:
    stop(forger, 20)
    return 21


@forgery("two", "close/early")
def the_server_closes_before_the_last_move(forger: Forger) -> int:
    number = forger.last - 2
    stop(forger, number)
    return number + 1


@forgery("two", "abandon/reason")
def the_server_abandons_a_game_as_idle_that_is_played(forger: Forger) -> int:
    return abandon(forger, 20, "idle")


@forgery("idle", "abandon/reason")
def the_server_abandons_a_game_one_timeout_too_early(forger: Forger) -> int:
    return abandon(forger, forger.first(Abandon) - 2, "idle")


@forgery("given up", "abandon/reason")
def the_server_abandons_a_game_after_one_of_three_resigned(forger: Forger) -> int:
    return abandon(forger, forger.first(Resign) + 3, "resigned")


@forgery("two", "abandon/over")
def the_server_abandons_a_game_that_is_over(forger: Forger) -> int:
    return abandon(forger, forger.last - 1, "idle")


@forgery("two", "chain/order")
def the_server_abandons_a_dealt_game_as_unfilled(forger: Forger) -> int:
    return abandon(forger, 20, "unfilled")


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)


@pytest.mark.parametrize("why", ["unfilled", "resigned", "idle", "voted"])
def test_a_full_table_that_was_given_up_before_the_deal_is_refused_by_every_reader(why: str, tmp_path: Path) -> None:
    """By the command line, and by the client of a player who is told that log."""
    forger = Forger("two")
    number = given_up_full(forger, why)
    record = tmp_path / "given-up.poste"
    record.write_bytes(forger.data)
    for verb in ("audit", "replay"):
        done = subprocess.run([sys.executable, "-m", "client", verb, str(record)], capture_output=True, check=False)
        assert done.returncode == 4
        assert b"[chain/order]" in done.stdout + done.stderr
    trust = Trust(forger.table, forger.server.public, forger.keys[0].public)
    with pytest.raises(Unverified) as caught:
        extension(Chain(), None, forger.data.splitlines(), trust)
    assert (caught.value.entry, caught.value.code) == (number, "chain/order")
