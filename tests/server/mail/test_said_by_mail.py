"""What people say by mail at a table, and what they are told: words that do something, and words that do not."""

from __future__ import annotations

import json
import re

import msgspec

from engine.chance import Chance
from engine.game import redeal
from engine.record.entry import PerDecision, instant, resign_message
from engine.record.writer import LoggedTable
from server.mail.incoming import received_mail
from server.mail.incoming.mail_commands import HELP
from server.service import mailboxes, table_actions
from server.service.mail_notices import AFTER_THE_ANSWER
from server.service.server_context import ServerContext
from tests.server.mail.mail_counter import Dined, MailCounter, delegate, moves_of, sit
from tests.server.mail.test_gateway import desk, invited, sits, table
from tests.server.test_clockwork import DAY, HOUR, Seated, Watch, mail_context, watch, with_mail

__all__ = ["desk", "mail_context", "table", "watch"]  # the fixtures


def subject(desk: MailCounter) -> str:
    """Of the newest answer, without what stands before all those of a table."""
    return str(json.loads(desk.rows("answer")[-1].body)["letter"]["subject"]).partition("] ")[2]


def test_whoever_resigns_hears_what_became_of_the_table(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Seated(mail_context, watch, None, seats=3)
    for seat in range(2):
        with_mail(table, seat)
        delegate(mail_context, table.keys[seat])
    to = desk.reply_to("turn")
    assert "You have resigned; the game goes on without you." in desk.answered(to, "resign")
    assert subject(desk) == "You have resigned"
    said = desk.answered(desk.reply_to("turn"), "resign")
    assert "You have resigned, and so the table is abandoned: nobody can go on alone." in said
    assert table.summary()["phase"] == "closed"
    assert "You have resigned, and so the table is abandoned" in desk.answered(to, "resign")


def test_whoever_resigns_of_two_hears_that_the_other_has_won(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Seated(mail_context, watch, None)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    said = desk.answered(desk.reply_to("turn"), "resign")
    assert f"You have resigned, and so p1-{table.keys[1].public[:8]} has won." in said
    assert table.summary()["standing"]["ranking"] == [[1], [0]]


def test_nobody_resigns_from_a_game_that_is_over_or_has_not_begun(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table, guest = invited(mail_context, watch, desk)
    sit(mail_context, table.id, 1, f"guest-{guest.public[:8]}", guest)
    to = desk.reply_to("invitation")
    assert f"The game has not begun. To leave the table: poste leave {table.id[:8]}" in desk.answered(to, "resign")
    sits(table, 0)
    head = table.head
    message = resign_message(table.id, head, 0)
    table_actions.resign(mail_context, table.id, 0, head, table.keys[0].sign(message))
    assert table.summary()["phase"] == "closed"
    for word in ("resign", "back", "continue", "abandon"):
        assert f"Not done: {word}. The game is over." in desk.answered(to, word)
        assert subject(desk) == f"Not done: {word}"


def test_nobody_comes_back_who_is_not_away(mail_context: ServerContext, watch: Watch, desk: MailCounter) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400, vacation=14))
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    to, before = desk.reply_to("turn"), table.head
    said = desk.answered(to, "back")
    assert "Not done: back. You are not away: you have no days off, and nobody plays for you." in said
    assert table.head == before
    table.away(0, watch.moment + 7 * DAY)
    assert "You are back" in desk.answered(to, "back")
    assert "Not done: back." in desk.answered(to, "back")


def test_whoever_is_in_a_bots_hands_comes_back(mail_context: ServerContext, watch: Watch, desk: MailCounter) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=1))
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    table.tick(HOUR)
    assert table.summary()["bots"] == [0]
    assert "You are back" in desk.answered(desk.reply_to("missed"), "back")
    assert table.summary()["bots"] == []


def a_vote(context: ServerContext, watch: Watch) -> Seated:
    """A table of three whose first player has let a deadline pass; the others get mail and may answer it."""
    table = Seated(context, watch, PerDecision(seconds=3600, strikes=1, then="vote"), seats=3)
    for seat in (1, 2):
        with_mail(table, seat)
        delegate(context, table.keys[seat])
    table.tick(HOUR)
    return table


def test_a_vote_is_answered_by_reply(mail_context: ServerContext, watch: Watch, desk: MailCounter) -> None:
    table = a_vote(mail_context, watch)
    assert [row.seat for row in desk.rows("vote")] == [1, 2]
    assert "You have voted to abandon." in desk.answered(desk.reply_to("vote", 0), "abandon")
    said = desk.answered(desk.reply_to("vote", 1), "abandon")
    assert "You have voted to abandon, and so the table is abandoned." in said
    assert table.summary()["phase"] == "closed"


def test_where_there_is_no_vote_nobody_votes(table: Seated, desk: MailCounter) -> None:
    before = table.head
    said = desk.answered(desk.reply_to("turn"), "continue")
    assert "Not done: continue. There is no vote now in which you have a voice." in said
    assert table.head == before


def test_a_sealed_answer_is_in_no_subject_and_may_be_replaced(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Dined(mail_context, watch)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    to, move = desk.reply_to("turn"), moves_of(table)[0]
    assert f"Sealed: {move}." in desk.answered(to, f"play {move}")
    assert subject(desk) == "Your answer lies sealed"
    for word in ("show", "moves"):
        said = desk.answered(to, word)
        assert "Your answer lies sealed; until everybody has answered you may replace it." in said
        assert "It is your turn" not in said
    desk.answered(to, "play keep nothing of the kind")
    assert subject(desk) == "Not played"


def test_subjects_of_answers_are_short(table: Seated, desk: MailCounter) -> None:
    to, move = desk.reply_to("turn"), moves_of(table)[0]
    for text, about in (
        ("help", "How to play by mail"),
        ("thanks", "Nothing was done"),
        ("show", "It is your turn"),
        (f"play {move} and many more words that nobody has any use for", "Not played"),
        (f"play {move}", f"Played: {move}"),
        (f"play {moves_of(table)[-1]} ", "Not played"),
        ("stop", "You get no more mail"),
    ):
        desk.answered(to, text)
        assert subject(desk) == about


def test_a_move_without_the_word_play_is_understood_and_not_played(table: Seated, desk: MailCounter) -> None:
    move, before = moves_of(table)[0], table.head
    said = desk.answered(desk.reply_to("turn"), f"\n{move.upper()}\n\nBest,\nann\n")
    assert said.startswith(f"Did you mean: play {move}?")
    assert "Nothing was done: a move begins with the word play." in said
    assert "How to play by mail" not in said
    assert table.head == before
    assert "How to play by mail" in desk.answered(desk.reply_to("turn"), "take care, everybody, of yourselves")
    table.play()
    assert "How to play by mail" in desk.answered(desk.reply_to("turn"), move), "nothing is asked any more"


def test_without_private_views_what_was_meant_does_not_depend_on_the_hand(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Dined(mail_context, watch)
    with_mail(table, 0)
    mailboxes.change(mail_context, table.keys[0].public, None, None, False)
    to, folded = desk.reply_to("turn"), mail_context.folded_tables.recent(table.id)
    position = folded.table.playing
    texts = ("keep", "keep 1", "keep the change", "help", "well")
    said = {text: set[str]() for text in texts}
    for world in range(4):
        state = redeal(position.game, position.state, None, Chance(b"another world", world))
        other = LoggedTable(folded.table.chain, msgspec.structs.replace(position, state=state))
        mail_context.folded_tables.forget()
        mail_context.folded_tables.keep(msgspec.structs.replace(folded, table=other))
        for text in texts:
            said[text].add(desk.answered(to, text))
    assert {text: len(answers) for text, answers in said.items()} == dict.fromkeys(texts, 1)
    assert said["keep 1"].pop().startswith("Did you mean: play keep 1?")
    assert said["well"].pop().startswith("Nothing was done: there is no command")


def test_help_has_an_example_of_the_game_and_names_the_words_that_the_document_says(
    table: Seated, desk: MailCounter, mail_context: ServerContext, watch: Watch
) -> None:
    said = desk.answered(desk.reply_to("turn"), "help")
    assert f"play MOVE, such as: play {moves_of(table)[0]}" in said
    unmentioned = {word for word in received_mail.WORDS if not re.search(rf"\b{word}\b", " ".join(HELP))}
    assert unmentioned == {"help", "confirm", "join"}
    table.play()
    assert "such as: play take <station>" in desk.answered(desk.reply_to("turn"), "help")
    dined = Dined(mail_context, watch)
    with_mail(dined, 0)
    assert "such as: play keep " in desk.answered(desk.reply_to("turn"), "help")
    assert "play MOVE - To look" in desk.answered(desk.reply_to("confirmation"), "help"), "about no table"


def test_the_same_is_told_once_and_too_much_is_told(table: Seated, desk: MailCounter) -> None:
    to = desk.reply_to("turn")
    assert desk.answered(to, "show\nmoves\nshow\nmoves").count("It is your turn.") == 1
    assert "Only the first" not in desk.answered(to, "log\n" * 10)
    assert "Only the first 10 lines were looked at: one mail may have no more." in desk.answered(to, "log\n" * 11)


def test_the_answer_to_a_move_by_mail_goes_before_the_question_it_opens(
    mail_context: ServerContext, watch: Watch, desk: MailCounter
) -> None:
    table = Dined(mail_context, watch)
    for seat in range(2):
        with_mail(table, seat)
        delegate(mail_context, table.keys[seat])
    second, first = desk.reply_to("turn"), desk.reply_to("turn", 0)
    desk.answered(second, f"play {moves_of(table, 1)[0]}")
    before = len(desk.rows("turn"))
    assert "Played" in desk.answered(first, f"play {moves_of(table)[0]}")
    (turn,) = desk.rows("turn")[before:]
    answer = desk.rows("answer")[-1]
    assert answer.due < turn.due
    assert instant(turn.due) - watch.moment == AFTER_THE_ANSWER
