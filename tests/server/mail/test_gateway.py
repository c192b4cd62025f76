"""The gateway with the time in our hands: who a reply speaks for, what it answers, and mails that come again."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import Row, insert, select

from engine.chance import Chance
from engine.game import Seat, redeal
from engine.keys import SigningKey
from engine.record import armour
from engine.record.entry import PerDecision, Play, Resign, move_message, resign_message
from engine.record.writer import LoggedTable
from server.mail.incoming.gateway import MOST_MAILS, Gateway
from server.mail.incoming.mail_commands import HELP, Asker
from server.mail.incoming.mime_parser import LARGEST
from server.mail.letters import letter_texts
from server.mail.letters.reply_instructions import Ways
from server.problems import RequestRefused
from server.service import mailboxes, players, table_actions
from server.service.mail_notices import enqueue
from server.service.server_context import ServerContext
from server.storage.models import HELD, OUTBOX
from tests.server.mail.mail_counter import (
    OFFICE,
    Dined,
    MailCounter,
    block_of,
    delegate,
    frequency,
    moves_of,
    player_of,
    sit,
)
from tests.server.test_clockwork import DAY, HOUR, THREE_DAYS, Seated, Watch, mail_context, watch, with_mail

__all__ = ["mail_context", "watch"]  # the fixtures


@pytest.fixture
def desk(mail_context: ServerContext) -> MailCounter:
    return MailCounter(mail_context)


@pytest.fixture
def table(mail_context: ServerContext, watch: Watch) -> Seated:
    """A table whose first player gets mail, may answer it, and is asked."""
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    return table


# Whoever is invited


def invited(context: ServerContext, watch: Watch, desk: MailCounter) -> tuple[Seated, SigningKey]:
    """A table to which a third player is invited; its first player has delegated."""
    guest = SigningKey(secrets.token_bytes(32))
    name = f"guest-{guest.public[:8]}"
    players.register(context, guest.public, name)
    mailboxes.change(context, guest.public, "guest@example.org", None, None)
    mailboxes.confirm(context, guest.public, desk.rows("confirmation")[-1].body)
    table = Seated(context, watch, THREE_DAYS)
    delegate(context, table.keys[0])
    guests = [name, f"p1-{table.keys[1].public[:8]}"]
    table.id = table_actions.open_table(context, table.keys[0].public, "paris-paris", 2, {}, guests, THREE_DAYS)
    return table, guest


def sits(table: Seated, *seats: int) -> None:
    for seat in seats:
        key = table.keys[seat]
        sit(table.context, table.id, seat, f"p{seat}-{key.public[:8]}", key)


WORDS = ("join", "show", "moves", "log", "back", "continue", "abandon", "resign", "play take louvre")


@pytest.mark.parametrize("word", WORDS)
def test_a_guest_who_does_not_sit_is_told_how_to(
    mail_context: ServerContext, watch: Watch, desk: MailCounter, word: str
) -> None:
    table, _ = invited(mail_context, watch, desk)
    sits(table, 0)
    before = table.head
    said = desk.answered(desk.reply_to("invitation"), word)
    assert f"You do not sit at this table. Sit down with: poste join {table.id[:8]}" in said
    assert table.head == before


@pytest.mark.parametrize("word", WORDS)
def test_a_guest_neither_sees_nor_does_what_the_first_seat_may(
    mail_context: ServerContext, watch: Watch, desk: MailCounter, word: str
) -> None:
    table, _ = invited(mail_context, watch, desk)
    sits(table, 0, 1)
    before = table.head
    said = desk.answered(desk.reply_to("invitation"), word)
    assert "You do not sit at this table, and its seats are no longer free." in said
    assert "secretly" not in said
    assert "(you)" not in said
    assert table.head == before


def test_a_guest_who_has_sat_down_is_on_their_own_seat(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table, guest = invited(mail_context, watch, desk)
    sits(table, 0)
    sit(mail_context, table.id, 1, f"guest-{guest.public[:8]}", guest)
    said = desk.answered(desk.reply_to("invitation"), "show")
    assert f"guest-{guest.public[:8]} (you)" in said
    assert "Not played: take louvre. It is not your turn now." in desk.answered(
        desk.reply_to("invitation"), "play take louvre"
    )


@pytest.mark.parametrize("word", ["show", "moves", "log", "help", "take louvre"])
def test_whoever_loses_their_seat_while_their_mail_is_read_is_told_nothing_of_it(
    mail_context: ServerContext, watch: Watch, desk: MailCounter, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They leave, somebody else sits down there and the cards are dealt, after it was seen who wrote the mail."""
    table, guest = invited(mail_context, watch, desk)
    sit(mail_context, table.id, 0, f"guest-{guest.public[:8]}", guest)
    asker = Gateway._asker

    def just_before(gateway: Gateway, row: Row[Any]) -> Asker | None:
        found = asker(gateway, row)
        signature = guest.sign(resign_message(table.id, table.head, 0))
        table_actions.resign(mail_context, table.id, 0, table.head, signature)
        sits(table, 0, 1)
        return found

    monkeypatch.setattr(Gateway, "_asker", just_before)
    said = desk.answered(desk.reply_to("invitation"), word)
    assert table.asked == 0, "the cards are dealt"
    assert "secretly" not in said
    assert "(you)" not in said
    own = moves_of(table)
    assert not any(move in said for move in own), "nor what can be done there"


def test_a_guest_who_asks_to_join_is_told_how_and_a_player_that_they_sit(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table, guest = invited(mail_context, watch, desk)
    assert f"Sit down with: poste join {table.id[:8]}" in desk.answered(desk.reply_to("invitation"), "Join!")
    sit(mail_context, table.id, 1, f"guest-{guest.public[:8]}", guest)
    assert "You sit at this table already." in desk.answered(desk.reply_to("invitation"), "join")


# Replies to answers


def test_a_typo_is_put_right_by_a_reply_to_the_answer(table: Seated, desk: MailCounter) -> None:
    move = moves_of(table)[0]
    assert "Not done: play tkae" in desk.answered(desk.reply_to("turn"), f"play tkae {move}")
    assert "It is your turn." in desk.answered(desk.reply_to("answer"), "moves")
    assert f"Played: {move}" in desk.answered(desk.reply_to("answer"), f"play {move}")
    assert table.asked == 1


def test_an_answer_stands_for_the_decision_of_the_mail_it_answers_and_no_other(
    table: Seated, desk: MailCounter
) -> None:
    desk.answered(desk.reply_to("turn"), "show")
    old = desk.reply_to("answer")
    table.play()
    while table.asked != 0:
        table.play()
    before = table.head
    said = desk.answered(old, f"play {moves_of(table)[0]}")
    assert "That question was answered before; a newer mail asks you the next one." in said
    assert "Not done: resign" in desk.answered(old, "resign")
    assert table.head == before


def test_a_mail_that_asks_nothing_cannot_be_answered_with_a_move(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600))
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    table.tick(2 * HOUR)
    assert "The deadline had passed, and entry" in desk.answered(desk.reply_to("turn"), "play take louvre")
    while table.asked != 0:
        table.play()
    said = desk.answered(desk.reply_to("missed"), f"play {moves_of(table)[0]}")
    assert "The mail that you reply to asks nothing; reply to the one that asks you." in said


def test_a_reply_to_an_answer_that_asks_for_nothing_ends_it(table: Seated, desk: MailCounter) -> None:
    """However an automatic responder words it: the two would write to each other for ever."""
    assert "no command" in desk.answered(desk.reply_to("turn"), "I am travelling and will read your mail next week.")
    for text in ("I am travelling and will read your mail next week.", "", "\n".join(HELP)):
        assert desk.post(desk.reply_to("answer"), text).code == 250
    assert len(desk.answers()) == 1
    assert "Waiting for" not in desk.answered(desk.reply_to("answer"), "show")


def test_a_mail_that_is_too_large_is_told_so(table: Seated, desk: MailCounter) -> None:
    said = desk.answered(desk.reply_to("turn"), f"play {moves_of(table)[0]}\n{'x' * LARGEST}")
    assert "Nothing was done. Your mail is larger than" in said
    assert table.asked == 0


# The same mail again


def test_a_move_whose_answer_was_lost_is_told_as_played(
    table: Seated, desk: MailCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    (move, *_, other), to = moves_of(table), desk.reply_to("turn")

    def die(*_: object) -> None:
        raise RuntimeError("no power")

    with monkeypatch.context() as patched:
        patched.setattr(desk.gateway, "_answer", die)
        with pytest.raises(RuntimeError):
            desk.post(to, f"play {move}", "once")
    assert desk.answers() == []
    table.play()
    assert desk.post(to, f"play {move}", "once").code == 250
    [played] = [entry for entry in table.entries() if isinstance(entry, Play) and entry.by]
    [(_, said)] = desk.answers()
    assert said.startswith(f"Played: {move} (entry {played.seq}).")
    assert "Not played" in desk.answered(to, f"play {other}"), "another move than the one that was played"


def test_a_resignation_and_a_confirmation_that_come_again_are_told_as_done(
    table: Seated, desk: MailCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = desk.rows("confirmation")[0].body
    with monkeypatch.context() as patched:
        patched.setattr(desk.gateway, "_answer", lambda *_: None)
        desk.post(desk.reply_to("turn"), "resign", "once")
    desk.post(desk.reply_to("turn"), "resign", "once")
    desk.post(desk.reply_to("confirmation"), f"confirm {code}", "once more")
    [(_, resigned), (_, confirmed)] = desk.answers()
    assert resigned.startswith(f"You have resigned, and so p1-{table.keys[1].public[:8]} has won.")
    assert confirmed.startswith("Your address is confirmed.")
    assert sum(isinstance(entry, Resign) for entry in table.entries()) == 1


def test_two_deliveries_of_a_mail_at_the_same_time_are_one(
    table: Seated, desk: MailCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, to = moves_of(table)[0], desk.reply_to("turn")
    other, answer = MailCounter(table.context), desk.gateway._answer

    def meanwhile(*about: object) -> None:
        assert other.post(to, f"play {move}", "once").code == 250
        answer(*about)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.gateway, "_answer", meanwhile)
    assert desk.post(to, f"play {move}", "once").code == 250
    [(_, said)] = desk.answers()
    assert said.startswith(f"Played: {move} (entry")


def test_a_mail_that_comes_by_another_way_is_the_same(table: Seated, desk: MailCounter) -> None:
    to, text = desk.reply_to("turn"), f"play {moves_of(table)[0]}"
    for head in ("", "Received: from b by c; Wed, 18 Nov 2026 10:00:00 +0000\n"):
        assert desk.post(to, text, "once", head).code == 250
    assert len(desk.answers()) == 1


def test_an_old_sealed_answer_that_comes_again_does_not_replace_the_newer(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Dined(mail_context, watch)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    to, (one, *_, other) = desk.reply_to("turn"), moves_of(table)

    def held() -> list[str]:
        with mail_context.storage.reading() as connection:
            return list(connection.scalars(select(HELD.c.move)))

    desk.post(to, f"play {one}", "one")
    old = held()
    desk.post(to, f"play {other}", "other")
    new = held()
    assert old != new
    desk.post(to, f"play {one}", "one", "Received: from b by c\n")
    assert held() == new
    desk.post(to, f"play {one}", "a new mail")
    assert held() == old


# What a mailbox without private views is told


def worlds(context: ServerContext, table: Seated, count: int) -> Iterator[None]:
    """The table as its log stands, again and again with another hand behind it."""
    folded = context.folded_tables.recent(table.id)
    position = folded.table.playing
    for world in range(count):
        state = redeal(position.game, position.state, None, Chance(b"another world", world))
        other = msgspec.structs.replace(position, state=state)
        context.folded_tables.forget()
        context.folded_tables.keep(msgspec.structs.replace(folded, table=LoggedTable(folded.table.chain, other)))
        yield
    context.folded_tables.forget()


def test_a_refusal_without_private_views_does_not_depend_on_the_hand(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Dined(mail_context, watch)
    with_mail(table, 0)
    mailboxes.change(mail_context, table.keys[0].public, None, None, False)
    for seat in range(2):
        table_actions.play(mail_context, table.id, table.move(Seat(seat)))
    to = desk.reply_to("turn")
    texts = ("x", "open creperie D3 with cheese flour flour", "place", "discard bread/tomatoes")
    said = {text: set[str]() for text in texts}
    for _ in worlds(mail_context, table, 6):
        for text in texts:
            said[text].add(desk.answered(to, f"play {text}"))
    assert {text: len(answers) for text, answers in said.items()} == dict.fromkeys(texts, 1)
    assert "expected: open <kind>" in said["x"].pop()


@pytest.mark.parametrize("way", ["to the office", "in a reply"])
def test_a_signed_block_is_refused_in_words_that_do_not_depend_on_the_hand(
    mail_context: ServerContext, watch: Watch, desk: MailCounter, way: str
) -> None:
    """Whether the price is wrong or the card is not there: the reason tells whether there is one in the hand."""
    table = Dined(mail_context, watch)
    with_mail(table, 0)
    for seat in range(2):
        table_actions.play(mail_context, table.id, table.move(Seat(seat)))
    table.play()  # whatever comes first, now one may open a restaurant
    base = mail_context.folded_tables.recent(table.id).table.playing.asked[Seat(0)].base
    to = OFFICE if way == "to the office" else desk.reply_to("turn")

    def refusals(*, private: bool) -> set[str]:
        mailboxes.change(mail_context, table.keys[0].public, None, None, private)
        said = set()
        for _ in worlds(mail_context, table, 4):
            for card in ("bread", "cheese", "tomatoes"):
                move = {"do": "open", "kind": "creperie", "at": "D3", "pay": [card]}
                signature = table.keys[0].sign(move_message(table.id, base, 0, move))
                said.add(desk.answered(to, armour.write(armour.SignedMove(table.id, base, 0, move, signature))))
        return said

    assert len(refusals(private=True)) > 1, "the rules do tell of the hand"
    [said] = refusals(private=False)
    assert f"Not taken at table {table.id[:8]}: it does not say one move that can be made now" in said
    assert f"poste moves {table.id[:8]}" in said


def test_nobody_is_told_why_a_block_of_another_player_is_refused(table: Seated, desk: MailCounter) -> None:
    """Whoever was given a block to carry, or found one, sends it in a reply of their own."""
    with_mail(table, 1)
    base = table.move().base
    move = {"do": "take", "station": "nowhere", "line": "grey"}
    block = armour.SignedMove(table.id, base, 0, move, table.keys[0].sign(move_message(table.id, base, 0, move)))
    [own] = {desk.answered(desk.reply_to("turn"), armour.write(block))}
    others = desk.answered(desk.reply_to("confirmation"), armour.write(block))
    assert "nowhere" in own
    assert "it does not say one move that can be made now" in others


# Digests


def a_digest(desk: MailCounter, table: Seated, *, single: bool) -> str:
    """The reply address of a digest."""
    context, player = desk.context, player_of(desk.context, table.keys[0])
    message_id, now = f"digest.{secrets.token_hex(8)}", context.now()
    with context.storage.writing() as connection:
        if not single:
            enqueue(connection, context.stationery, message_id, player, "digest", now)
        else:
            [turn] = desk.rows("turn")
            about = {"table_number": turn.table_number, "seat": turn.seat, "base": turn.base, "seq": turn.seq}
            row = {"message_id": message_id, "token": context.stationery.token(message_id), "player": player}
            rest = {"kind": "digest", "created": now, "due": now, "attempts": 0, "state": "sent"}
            connection.execute(insert(OUTBOX), {**row, **about, **rest})
    return desk.reply_to("digest")


@pytest.mark.parametrize("word", ["play {}", "resign", "show", "moves", "log", "back", "abandon"])
def test_a_digest_of_several_letters_cannot_be_replied_to(table: Seated, desk: MailCounter, word: str) -> None:
    to, before = a_digest(desk, table, single=False), table.head
    said = desk.answered(to, word.format(moves_of(table)[0]))
    assert "This mail collects several letters and cannot be replied to; reply to a turn mail or use poste." in said
    assert table.head == before


def test_whoever_was_asked_by_mistake_stops_questions_to_them_and_no_others(table: Seated, desk: MailCounter) -> None:
    ann = table.keys[0]
    mailboxes.change(table.context, ann.public, "stranger@example.org", None, None)
    to_the_stranger = desk.reply_to("confirmation")
    with_mail(table, 0, "ann@example.org")
    assert desk.post(to_the_stranger, "stop").code == 250
    assert frequency(table.context, ann) == "turns", "her own mail still comes"
    with pytest.raises(RequestRefused, match="does not want to be asked"):
        mailboxes.change(table.context, ann.public, "stranger@example.org", None, None)


def test_a_stop_address_that_was_never_given_out_makes_no_bounce(desk: MailCounter) -> None:
    assert desk.post(f"post+stop-{'0' * 32}@example.org", "").code == 250


def test_help_and_stop_are_heard_in_reply_to_a_digest(table: Seated, desk: MailCounter) -> None:
    to = a_digest(desk, table, single=False)
    assert "play MOVE" in desk.answered(to, "help")
    assert "You get no more mail" in desk.answered(to, "stop")
    assert frequency(desk.context, table.keys[0]) == "off"


def test_a_digest_of_one_letter_is_replied_to_like_that_letter(table: Seated, desk: MailCounter) -> None:
    move = moves_of(table)[0]
    assert f"Played: {move}" in desk.answered(a_digest(desk, table, single=True), f"play {move}")


# Confirming an address


def unconfirmed(desk: MailCounter) -> tuple[SigningKey, str]:
    """A player whose address is not confirmed, and the text of the mail that asks."""
    key = SigningKey(secrets.token_bytes(32))
    players.register(desk.context, key.public, "mallory")
    mailboxes.change(desk.context, key.public, "tickets@bank.example", None, None)
    code = desk.rows("confirmation")[-1].body
    return key, letter_texts.confirmation("mallory", code, Ways(takes_mail=True)).text


@pytest.mark.parametrize("before", ["", "Thank you for your request; it is ticket 123.\n\n", "\n\n> x\n"])
def test_a_system_that_sends_our_words_back_confirms_nothing(desk: MailCounter, before: str) -> None:
    key, letter = unconfirmed(desk)
    assert desk.post(desk.reply_to("confirmation"), before + letter).code == 250
    assert not mailboxes.show(desk.context, key.public)["confirmed"]


def test_a_person_confirms_with_the_first_line(desk: MailCounter) -> None:
    key, letter = unconfirmed(desk)
    code = desk.rows("confirmation")[-1].body
    quoted = "".join(f"> {line}\n" for line in letter.splitlines())
    desk.post(desk.reply_to("confirmation"), f"Confirm {code}.\n\nOn Monday, the post office wrote:\n{quoted}")
    assert mailboxes.show(desk.context, key.public)["confirmed"]


# Mail to the server itself


@pytest.mark.parametrize("text", ["help", "", "resign", "-----BEGIN POSTE MOVE-----\nbroken"])
def test_a_mail_to_the_office_without_a_signed_move_is_dropped_and_not_bounced(
    desk: MailCounter, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="poste"):
        assert desk.post(OFFICE, text).code == 250
    assert desk.answers() == []
    assert "is dropped" in caplog.text


def test_a_signed_move_to_the_office_is_taken_and_answered_once(table: Seated, desk: MailCounter) -> None:
    block = block_of(table)
    for name in ("once", "once", "again"):
        assert desk.post(OFFICE, block, name).code == 250
    [(player, said)] = desk.answers()
    assert player == player_of(desk.context, table.keys[0])
    assert "Your signed move was taken" in said
    assert table.asked == 1


def test_a_new_signed_move_that_is_refused_is_answered(table: Seated, desk: MailCounter) -> None:
    late = block_of(table)
    desk.answered(desk.reply_to("turn"), f"play {moves_of(table)[-1]}")
    said = desk.answered(OFFICE, late)
    assert f"Not taken at table {table.id[:8]}" in said


def test_moves_of_several_players_in_one_mail_are_answered_to_each(
    table: Seated, desk: MailCounter, mail_context: ServerContext, watch: Watch
) -> None:
    other = Seated(mail_context, watch, THREE_DAYS)
    with_mail(other, 0)
    assert desk.post(OFFICE, block_of(table) + block_of(other)).code == 250
    for (player, said), at in zip(desk.answers(), (table, other), strict=True):
        assert player == player_of(mail_context, at.keys[0])
        assert at.id[:8] in said


def test_no_more_mails_are_answered_than_so_many_an_hour(table: Seated, desk: MailCounter, watch: Watch) -> None:
    to = desk.reply_to("turn")
    assert [desk.post(to, "log").code for _ in range(MOST_MAILS + 1)] == [250] * MOST_MAILS + [450]
    block = block_of(table)
    assert desk.post(OFFICE, block).code == 450
    assert table.asked == 0
    watch.pass_by(HOUR + timedelta(seconds=1))
    assert desk.post(OFFICE, block).code == 250
    watch.pass_by(DAY)
    assert table.asked == 1
