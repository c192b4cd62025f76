"""What can be tried with moves by mail, with the delegations they need, and with mails that anybody may send."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.record import armour
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
from server.mail.incoming.gateway import MOST_MAILS
from server.service.server_context import enter
from server.settings import Settings
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, evening
from tests.server.mail.mail_counter import (
    OFFICE,
    MailCounter,
    block_of,
    delegate,
    frequency,
    moves_of,
    player_of,
)
from tests.server.test_clockwork import THREE_DAYS, Seated, Watch, with_mail

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


@forgery("mailed", "delegation/time")
def a_revocation_of_times_to_come(forger: Forger) -> int:
    """Nothing that its player delegates could ever be newer."""
    return forger.say(forger.first(Delegate) + 1, Revoke, seat=0, before="9999-12-31T23:59:59.999Z")


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


@forgery("mailed", "chain/order")
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


# Mails that anybody may send.


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Seated]:
    """A table whose first player gets mail, has delegated, and has just made a move that everybody can read."""
    database, post = f"sqlite:///{tmp_path / 'poste.db'}", f"maildir://{tmp_path / 'mail'}"
    settings = Settings(data=tmp_path / "data", db=database, mail=post, mail_from=OFFICE)
    watch = Watch()
    context = enter(settings, watch)
    table = Seated(context, watch, THREE_DAYS)
    with_mail(table, 0)
    delegate(context, table.keys[0])
    table.play()
    yield table
    context.close()


def public_block(table: Seated) -> str:
    """The first move of the log as a block: whoever reads the log can make it."""
    move = next(entry for entry in table.entries() if isinstance(entry, Play))
    return armour.write(armour.SignedMove(table.id, move.base, move.seat, move.move, move.signature))


@pytest.mark.parametrize("words", ["stop", "back", "abandon", "resign", "log", "play take louvre", "back\nstop\nlog"])
def test_words_beside_a_move_from_the_log_are_not_obeyed(table: Seated, words: str) -> None:
    """Signed moves are public, so a move in a mail to the server does not tell who wrote the mail."""
    desk, before = MailCounter(table.context), table.head
    assert desk.post(OFFICE, f"{public_block(table)}\n{words}\n").code == 250
    assert desk.post(OFFICE, f"{words}\n\n{public_block(table)}").code == 250
    assert table.head == before
    assert frequency(table.context, table.keys[0]) == "turns"
    assert desk.answers() == []


def test_a_move_from_the_log_sent_again_and_again_neither_mails_its_player_nor_uses_up_their_hour(
    table: Seated,
) -> None:
    desk, block = MailCounter(table.context), public_block(table)
    assert {desk.post(OFFICE, f"{block}\n{number}").code for number in range(MOST_MAILS + 2)} == {250}
    assert desk.answers() == []
    assert "Waiting for" in desk.answered(desk.reply_to("turn"), "show")


def test_words_beside_a_new_move_are_not_obeyed_either(table: Seated) -> None:
    """Whoever carries the mail can write words beside the block."""
    desk = MailCounter(table.context)
    with_mail(table, 1)
    delegate(table.context, table.keys[1])
    said = desk.answered(OFFICE, f"{block_of(table)}\nstop\n")
    assert "Your signed move was taken" in said
    assert "The words beside it were not obeyed" in said
    assert frequency(table.context, table.keys[1]) == "turns"


def test_a_block_from_the_log_before_ones_own_does_not_send_the_answer_to_another(table: Seated) -> None:
    desk = MailCounter(table.context)
    assert desk.post(OFFICE, public_block(table) + block_of(table)).code == 250
    assert [player for player, _ in desk.answers()] == [player_of(table.context, table.keys[1])]


def test_a_move_that_a_stranger_signed_is_dropped(table: Seated) -> None:
    desk, before, move = MailCounter(table.context), table.head, table.move()
    forged = armour.SignedMove(table.id, move.base, move.seat, move.move, STRANGER.sign(b"something"))
    assert desk.post(OFFICE, armour.write(forged)).code == 250
    assert (table.head, desk.answers()) == (before, [])


def test_a_move_from_the_log_signed_by_the_gateway_speaks_for_nobody(table: Seated) -> None:
    desk = MailCounter(table.context)
    while table.asked != 0:
        table.play()
    desk.answered(desk.reply_to("turn"), f"play {moves_of(table)[0]}")
    move = next(entry for entry in table.entries() if isinstance(entry, Play) and entry.by)
    block = armour.write(armour.SignedMove(table.id, move.base, move.seat, move.move, move.signature))
    assert desk.post(OFFICE, f"{block}\nstop\n").code == 250
    assert len(desk.answers()) == 1
    assert frequency(table.context, table.keys[0]) == "turns"
