"""A player goes on under another key: what holds from then on, and what no longer does."""

from __future__ import annotations

from engine import games
from engine.game import Seat
from engine.keys import SigningKey
from engine.record.entry import Succeed, succeed_message
from tests.engine.clocked_games import is_proved, refusal, table, voting
from tests.engine.signed_games import Evening

PARIS = games.load("paris-paris")


def first_move(evening: Evening, seat: int) -> object:
    return evening.game.legal(evening.table.playing.state, Seat(seat))[0]


def with_former_key(evening: Evening, seat: int) -> Evening:
    """The same table, its seat's player still signing with the key they gave up."""
    evening.keys[seat] = evening.former[-1]
    return evening


def test_the_new_key_plays_on_and_the_record_is_valid() -> None:
    evening = table(None).play(3).succeed(0).play(3).succeed(1).succeed(0)
    assert is_proved(evening.play().close())


def test_the_former_key_does_nothing_more() -> None:
    evening = with_former_key(table(None).succeed(0), 0)
    assert refusal(lambda: evening.move(0, first_move(evening, 0))) == "signature/forged"
    assert refusal(lambda: evening.resign(0)) == "signature/forged"
    assert refusal(lambda: evening.delegate(0)) == "signature/forged"
    assert refusal(lambda: evening.succeed(0)) == "signature/forged"


def test_the_former_key_neither_votes_nor_takes_days_off() -> None:
    evening = with_former_key(voting().succeed(1), 1)
    for said in (lambda: evening.days_off(1, 1), lambda: evening.back(1), lambda: evening.vote(1, "abandon")):
        assert refusal(said) == "signature/forged"


def test_a_delegation_ends_with_the_key_that_signed_it() -> None:
    evening = table(None).delegate(0).succeed(0)
    assert refusal(lambda: evening.move(0, first_move(evening, 0), mail=True)) == "delegation/none"
    evening.delegate(0).move(0, first_move(evening, 0), mail=True)
    assert is_proved(evening.play().close())


def test_nobody_goes_back_to_a_key_that_was_given_up() -> None:
    """What was signed to go from one key to the next stands in the log for ever, for everybody to use again."""
    evening = table(None).succeed(0).succeed(0)
    first, second = evening.former
    message = succeed_message(evening.keys[0].public, first.public)
    signed = evening.keys[0].sign(message), first.sign(message)
    back = (Seat(0), first.public, *signed)
    assert refusal(lambda: evening.clerk.succeed(evening.table, evening.now, *back)) == "succession/former"
    again = evening.record[-2].entry
    assert isinstance(again, Succeed)
    assert again.to == second.public
    kept = (Seat(0), again.to, again.signature, again.consent)
    assert refusal(lambda: evening.clerk.succeed(evening.table, evening.now, *kept)) == "succession/former"


def test_nobody_goes_on_under_a_key_that_sits_at_the_table() -> None:
    evening = table(None)
    bob = evening.keys[1]
    message = succeed_message(evening.keys[0].public, bob.public)
    signed = evening.keys[0].sign(message), bob.sign(message)
    theirs = (Seat(0), bob.public, *signed)
    assert refusal(lambda: evening.clerk.succeed(evening.table, evening.now, *theirs)) == "seat/twice"


def test_a_new_key_must_have_signed_too() -> None:
    evening, new = table(None), SigningKey(bytes(32))
    signature = evening.keys[0].sign(succeed_message(evening.keys[0].public, new.public))
    given = (Seat(0), new.public, signature, signature)
    assert refusal(lambda: evening.clerk.succeed(evening.table, evening.now, *given)) == "signature/forged"


def test_before_the_deal_a_seat_can_be_succeeded_too_and_left_with_the_new_key_only() -> None:
    evening = Evening("sitting", PARIS, 2, sit=False).sit(0).succeed(0)
    assert evening.record[-1].entry.state is None  # type: ignore[union-attr]
    new = evening.keys[0]
    assert refusal(lambda: with_former_key(evening, 0).resign(0)) == "signature/forged"
    evening.keys[0] = new
    evening.resign(0)
    evening.keys[0] = evening.former[0]
    assert refusal(lambda: evening.sit(0)) == "succession/former"
    evening.keys[0] = new
    assert is_proved(evening.sit(0).sit(1).deal().play().close())


def test_when_a_server_puts_a_change_of_key_on_record_changes_neither_the_deal_nor_any_luck() -> None:
    """The server knows the seed, and could else choose between two deals."""

    def sitting() -> Evening:
        return Evening("the same luck", PARIS, 2, sit=False).sit(0).sit(1)

    never, before, after = sitting().deal(), sitting().succeed(0).deal(), sitting().deal().succeed(0)
    positions = [evening.table.playing for evening in (never, before, after)]
    assert positions[0].state == positions[1].state == positions[2].state
    assert len({position.chance(position.seq + 1).entry for position in positions}) == 1
    assert all(is_proved(evening.play().close()) for evening in (never, before, after))
