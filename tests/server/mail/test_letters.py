"""What the mails say, for every game: complete, bounded, harmless, and silent about hands where they should be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from engine import games, notation
from engine.chance import Chance
from engine.game import Seat, redeal
from engine.phrases import clock_in_words
from engine.record.entry import Bank, Clock, PerDecision
from engine.record.writer import LoggedTable
from engine.scene import text as drawing
from server.mail.incoming import received_mail
from server.mail.letters import letter_as_html, letter_texts
from server.mail.letters.letter_as_text import WIDEST, WIDTH
from server.mail.letters.letter_parts import Letter
from server.mail.letters.letter_phrases import MOST_MOVES, MOST_NEWS
from server.mail.letters.reply_instructions import Ways
from tests.engine.signed_games import Evening

DUE = "2026-11-20T06:40:00.000Z"
HOSTILE = "<script>alert('x')</script> & <img src=http://example.org/x.png>\x1b[31m\nBcc: x"
ANSWERED = Ways(takes_mail=True, delegated=True)
HEARD = Ways(takes_mail=True)
TOGETHER = Ways(takes_mail=True, delegated=True, in_digest=True)
ONLY_OUT = Ways(delegated=True)
STAGES = (0, 3, 9, 17, 25)
VOID = frozenset(("meta", "br", "hr"))


@cache
def an_evening(key: str, moves: int | None = 9, clock: Clock | None = None) -> Evening:
    game = games.load(key)
    return Evening(f"letters about {key}", game, game.seats.start, clock=clock).play(moves)


def asked(evening: Evening) -> list[Seat]:
    return list(evening.table.playing.asked)


def a_turn(
    evening: Evening,
    seat: Seat,
    *,
    table: LoggedTable | None = None,
    news: Sequence[str] = ("ann did something.",),
    private: bool = True,
    ways: Ways = ANSWERED,
) -> Letter:
    return letter_texts.turn(table or evening.table, evening.id, seat, news, DUE, ways, private=private)


class Reader(HTMLParser):
    """Reads a page strictly: what opens is closed, nothing is fetched, nothing runs."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "img", "image", "iframe", "link", "object", "embed", "style", "base", "form")
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in ("src", "href", "xlink:href", "background", "action")
            assert "url(" not in (value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def well_made(letter: Letter, widest: int = WIDTH) -> Reader:
    """What every letter keeps to."""
    assert len(letter.subject) <= 120
    assert letter.subject.isprintable()
    assert letter.subject.startswith("[")
    assert all(len(line) <= widest for line in letter.text.splitlines())
    assert "\x1b" not in letter.text
    assert letter.html is not None
    assert letter.html.isascii()
    whole = letter_as_html.document(letter.subject, letter.html)
    assert "http" not in whole or "&lt;" in whole
    assert max(map(len, whole.split("\n"))) < 998
    return Reader(whole)


@pytest.mark.parametrize("moves", STAGES)
@pytest.mark.parametrize("key", games.keys())
def test_a_turn_has_the_question_the_board_the_moves_and_how_to_answer(key: str, moves: int) -> None:
    evening = an_evening(key, moves)
    game, state = evening.game, evening.table.playing.state
    for seat in asked(evening):
        letter = a_turn(evening, seat)
        seen = well_made(letter, WIDEST).words
        prompt = evening.table.playing.asked[seat].decision.prompt
        forms, legal = game.forms(game.view(state, seat)), game.legal(state, seat)
        assert letter.text.startswith("It is your turn: ")
        assert letter.subject.startswith(f"[{game.rulebook.title} {evening.id[:8]}] Your turn: ")
        for said in (prompt, "Friday 20 November 2026, 06:40 UTC", "ann did something.", evening.id[:8]):
            assert said in " ".join(letter.text.split())
            assert said in seen
        for move in legal if len(legal) <= MOST_MOVES else legal[:1]:
            assert f"    {notation.write(forms, move)}\n" in letter.text
            assert notation.write(forms, move) in seen
        assert f"    play {notation.write(forms, legal[0])}\n" in letter.text
        assert f"    poste play {evening.id[:8]} {notation.write(forms, legal[0])} --to -\n" in letter.text


@pytest.mark.parametrize("key", games.keys())
def test_only_drawings_and_lines_to_type_are_wider_than_the_words(key: str) -> None:
    evening = an_evening(key)
    scene = evening.game.scene(evening.game.view(evening.table.playing.state, None), evening.table.chain.names)
    blocks = [replace(scene, title="", blocks=(block,)) for block in scene.blocks]
    drawn = {line for block in blocks for line in drawing.draw(block, WIDEST).splitlines()}
    letter = a_turn(evening, asked(evening)[0], private=False)
    typed = "    "
    assert all(len(line) <= WIDTH or line in drawn or line.startswith(typed) for line in letter.text.splitlines())


@pytest.mark.parametrize("moves", STAGES)
@pytest.mark.parametrize("key", games.keys())
def test_without_privacy_a_letter_is_the_same_whatever_is_hidden(key: str, moves: int) -> None:
    evening = an_evening(key, moves)
    position = evening.table.playing
    for seat in asked(evening):
        for world in range(5):
            state = redeal(evening.game, position.state, None, Chance(b"another world", world))
            other = replace(evening.table, position=replace(position, state=state))
            for ways in (ANSWERED, HEARD, TOGETHER, ONLY_OUT):
                mine = a_turn(evening, seat, private=False, ways=ways)
                assert a_turn(evening, seat, table=other, private=False, ways=ways) == mine


@pytest.mark.parametrize("key", games.keys())
def test_with_privacy_a_letter_shows_what_its_player_sees_and_nobody_else_does(key: str) -> None:
    evening = an_evening(key)
    position = evening.table.playing
    seat = asked(evening)[0]
    letter = a_turn(evening, seat)
    scene = evening.game.scene(evening.game.view(position.state, seat), evening.table.chain.names)
    for block in scene.blocks:
        assert drawing.draw(replace(scene, title="", blocks=(block,)), WIDEST) in letter.text
    for world in range(5):
        state = redeal(evening.game, position.state, seat, Chance(b"another world", world))
        other = replace(evening.table, position=replace(position, state=state))
        assert a_turn(evening, seat, table=other) == letter


def test_a_letter_without_the_hand_says_so_and_how_to_see_it() -> None:
    evening = an_evening("restaurant")
    letter = a_turn(evening, asked(evening)[0], private=False)
    assert "left out of this mail" in letter.text
    assert f"poste show {evening.id[:8]}" in letter.text
    assert "left out of this mail" not in a_turn(evening, asked(evening)[0]).text


def test_without_private_parts_nothing_is_said_of_a_hand_that_a_game_may_not_have() -> None:
    evening = an_evening("paris-paris")
    text = a_turn(evening, asked(evening)[0], private=False).text
    assert "The move is only an example: yours may depend on what only you know." in text
    assert "hand" not in text


def test_whoever_has_not_delegated_is_told_what_can_be_mailed_all_the_same() -> None:
    evening = an_evening("paris-paris")
    text = a_turn(evening, asked(evening)[0], ways=HEARD).text
    assert "Reply to this mail" not in text
    assert "    play " not in text
    assert "poste mail enable" in text
    assert " --to -\n" in text
    for word in ("- show: ", "- moves: ", "- log: ", "- help: "):
        assert word in text
    assert "- resign: " not in text


def test_a_letter_in_a_digest_offers_the_block_and_no_words() -> None:
    evening = an_evening("paris-paris")
    text = a_turn(evening, asked(evening)[0], ways=TOGETHER).text
    assert " --to -\n" in text
    for said in ("Reply to this mail", "poste mail enable", "- show: ", "poste mail when off"):
        assert said not in text


STOP_BY_REPLY = "To get no more mail, reply with the word stop, or type: poste mail when off\n"
STOP = "To get no more mail, type: poste mail when off\n"


def letters_of_every_kind(ways: Ways) -> dict[str, Letter]:
    """One of each."""
    evening, sitting = an_evening("paris-paris"), Evening("sitting", games.load("paris-paris"), 2, sit=False).sit(0)
    struck, seat = a_vote(), asked(evening)[0]
    about = (evening.table, evening.id, seat)
    turn = a_turn(evening, seat, ways=ways)
    return {
        "invitation": letter_texts.invitation("ann", sitting.table, sitting.id, ways),
        "turn": turn,
        "reminder": letter_texts.reminder(*about, [], DUE, 7200, ways, private=True),
        "vote": letter_texts.vote(struck.table, struck.id, Seat(1), [Seat(1), Seat(2)], ways),
        "missed": letter_texts.missed(*about, [], ways),
        "over": letter_texts.over(*about, [], ways, abandoned="idle"),
        "digest": letter_texts.digest([turn, turn], ways),
        "confirmation": letter_texts.confirmation("ann", "0a1b2c3d4e", ways),
    }


def test_every_letter_ends_with_how_to_get_no_more() -> None:
    for ways, end in ((ANSWERED, STOP_BY_REPLY), (HEARD, STOP_BY_REPLY), (ONLY_OUT, STOP)):
        for kind, letter in letters_of_every_kind(ways).items():
            well_made(letter, WIDEST)
            assert letter.text.endswith(end) or kind == "confirmation", kind
    assert "Reply with the word stop, and nobody can have you asked again" in " ".join(
        letters_of_every_kind(HEARD)["confirmation"].text.split()
    )
    assert letter_texts.answer(["Played."]).text.endswith(STOP_BY_REPLY)
    assert "poste mail when off" not in letter_texts.answer(["You get no more mail."], stopped=True).text


def test_a_server_that_only_sends_mail_promises_nothing_about_replies() -> None:
    for kind, letter in letters_of_every_kind(ONLY_OUT).items():
        words = letter.text.lower()
        assert "reply" not in words, kind
        assert "mail enable" not in words, kind
        assert "--to -" not in words, kind


def test_a_letter_that_a_program_sends_back_asks_for_nothing() -> None:
    for before in ("", "Your message was received.\n\n"):
        for kind, letter in letters_of_every_kind(ANSWERED).items():
            mail = f"From: a@b.c\nContent-Type: text/plain; charset=utf-8\n\n{before}{letter.text}".encode()
            assert received_mail.read(mail, "a@b.c").commands == (), kind


def a_vote(strays: int = 1) -> Evening:
    """A table of three or four, of which the first so many have let a deadline pass."""
    clock = PerDecision(seconds=60, strikes=1, then="vote")
    evening = Evening(f"a vote about {strays}", games.load("paris-paris"), 2 + strays, clock=clock)
    for _ in range(strays):
        evening.wait(100).timeout()
    return evening


def test_a_vote_says_who_stays_away_what_the_choices_mean_and_how_to_make_one() -> None:
    evening = a_vote()
    letter = letter_texts.vote(evening.table, evening.id, Seat(1), [Seat(1), Seat(2)], ANSWERED)
    well_made(letter)
    words = " ".join(letter.text.split())
    assert letter.subject == f"[Paris Paris {evening.id[:8]}] You may vote, since ann stays away"
    assert words.startswith("ann lets deadline after deadline pass: you may vote on how to go on.")
    assert "ann (stays away), bob (you) and cy." in words
    assert "- continue: ann gets another chance, and the vote is over; one voice is enough." in words
    assert "- abandon: the game is given up, as soon as you and cy have voted for it." in words
    assert f"    poste vote continue {evening.id[:8]}\n    poste vote abandon {evening.id[:8]}\n" in letter.text
    assert "Or reply to this mail with one word: continue, or abandon." in words
    for ways in (HEARD, TOGETHER, ONLY_OUT):
        unheard = letter_texts.vote(evening.table, evening.id, Seat(1), [Seat(1)], ways).text
        assert "Or reply" not in unheard
        assert "as soon as you have voted for it" in unheard


def test_a_vote_may_be_about_several() -> None:
    evening = a_vote(2)
    letter = letter_texts.vote(evening.table, evening.id, Seat(2), [Seat(2), Seat(3)], ANSWERED)
    assert "ann and bob let deadline after deadline pass" in letter.text
    assert letter.subject.endswith("You may vote, since ann and bob stay away")


def test_a_letter_says_who_of_the_players_does_not_act() -> None:
    evening = Evening("gone", games.load("paris-paris"), 3, clock=PerDecision(seconds=60, strikes=1))
    evening.wait(100).timeout()
    evening.resign(2)
    assert "ann (a bot plays), bob (you) and cy (resigned)." in a_turn(evening, Seat(1)).text


def test_a_sealed_decision_says_when_it_is_opened() -> None:
    evening = an_evening("la-bistro", 3)
    seat = next(seat for seat, one in evening.table.playing.asked.items() if one.decision.sealed)
    assert "opened when everybody has answered" in a_turn(evening, seat).text


def test_what_happened_is_escaped_and_bounded() -> None:
    evening = an_evening("paris-paris")
    news = [*(f"number {number}." for number in range(MOST_NEWS)), HOSTILE]
    letter = a_turn(evening, asked(evening)[0], news=news)
    seen = well_made(letter, WIDEST).words
    assert "number 0." not in letter.text
    assert "- ... and 1 earlier\n- number 1.\n" in letter.text
    assert "<script>alert('x')</script>" in seen


def test_many_moves_are_told_by_their_forms_and_a_few_examples() -> None:
    evening = next(
        one
        for one in (an_evening("restaurant", moves) for moves in range(40))
        if asked(one) and len(one.game.legal(one.table.playing.state, asked(one)[0])) > MOST_MOVES
    )
    letter = a_turn(evening, asked(evening)[0])
    assert "take <table>" in letter.text
    assert "For example:" in letter.text
    assert len(letter.text.splitlines()) < 80


def test_a_reminder_says_how_long_is_left() -> None:
    evening = an_evening("paris-paris")
    seat = asked(evening)[0]
    letter = letter_texts.reminder(evening.table, evening.id, seat, [], DUE, 7200, ANSWERED, private=True)
    well_made(letter, WIDEST)
    assert letter.text.startswith("You have 2 hours left: ")
    assert "] Reminder, 2 hours left: " in letter.subject


def test_a_missed_deadline_says_what_was_played() -> None:
    evening = an_evening("paris-paris")
    letter = letter_texts.missed(evening.table, evening.id, Seat(0), [f"ann did {HOSTILE}"], ANSWERED)
    assert "ann did <script>" in well_made(letter).words
    assert "still yours" in letter.text


def test_whoever_has_missed_too_many_is_told_how_to_come_back() -> None:
    evening = Evening("struck", games.load("paris-paris"), 2, clock=PerDecision(seconds=60, strikes=1))
    seat = min(evening.table.playing.asked)
    evening.wait(100).timeout(seat)
    assert f"poste back {evening.id[:8]}" in letter_texts.missed(evening.table, evening.id, seat, [], ANSWERED).text


@pytest.mark.parametrize("key", games.keys())
def test_the_end_ranks_everybody_and_says_how_to_audit(key: str) -> None:
    evening = Evening(f"the end of {key}", games.load(key), games.load(key).seats.start).play().close()
    standing = evening.game.standing(evening.table.playing.state)
    for seat in (None, *map(Seat, range(evening.table.playing.seats))):
        letter = letter_texts.over(evening.table, evening.id, seat, [], ANSWERED)
        well_made(letter, WIDEST)
        won = seat is not None and seat in standing.winners
        assert letter.text.startswith("You have won!" if won and len(standing.winners) == 1 else "The game is over: ")
        assert f"poste export {evening.id[:8]} -o game.poste" in letter.text
        assert "poste audit game.poste" in letter.text
        places = [evening.table.chain.names[one] for rank in standing.ranking for one in rank]
        rows = [
            line.split()[1] for line in letter.text.splitlines() if line.startswith(tuple(f"  {n}. " for n in "1234"))
        ]
        assert rows == places


def test_an_abandoned_table_says_so_before_and_after_the_deal() -> None:
    unfilled = Evening("unfilled", games.load("paris-paris"), 2, sit=False)
    for evening, why, said in (
        (unfilled, "unfilled", "its seats were never filled"),
        (an_evening("paris-paris"), "idle", "nobody acted any more"),
        (an_evening("paris-paris"), "voted", "those who still act have voted for it"),
    ):
        letter = letter_texts.over(evening.table, evening.id, None, [], ANSWERED, abandoned=why)
        well_made(letter)
        assert letter.text.startswith(f"The table was abandoned: {said}.")
        assert letter.subject.endswith("The table was abandoned")


def test_a_table_whose_players_resigned_says_who_and_ranks_nobody() -> None:
    evening = Evening("resigned", games.load("paris-paris"), 3).play(6).resign(2).resign(0)
    for seat, who in ((Seat(0), "you and cy have"), (Seat(1), "ann and cy have"), (Seat(2), "you and ann have")):
        text = letter_texts.over(evening.table, evening.id, seat, [], ANSWERED, abandoned="resigned").text
        said = f"The table was abandoned: {who} resigned, and nobody can go on alone."
        assert " ".join(text.split()).startswith(said)
        assert "Nobody has won; this is where it stood:" in text
        assert "1." not in text


def test_a_game_of_two_that_one_has_resigned_is_told_as_won() -> None:
    two = Evening("one resigned", games.load("paris-paris"), 2).play(6).resign(0).close()
    told = {Seat(0): "bob has won: you resigned", Seat(1): "You have won: ann resigned"}
    for seat, said in told.items():
        letter = letter_texts.over(two.table, two.id, seat, [], ANSWERED)
        well_made(letter)
        assert letter.text.startswith(f"{said}.")
        assert letter.subject.endswith(said[:1].upper() + said[1:])
        assert letter.text.index("1.  bob") < letter.text.index("2.  ann")
    assert "ann (resigned) and bob (you)" in letter_texts.over(two.table, two.id, Seat(1), [], ANSWERED).text


def test_an_invitation_says_who_what_and_how() -> None:
    clock = PerDecision(seconds=259200, weekends_off=True)
    evening = Evening("invited", games.load("restaurant"), 3, clock=clock, sit=False).sit(0)
    letter = letter_texts.invitation("ann", evening.table, evening.id, ANSWERED, HOSTILE)
    seen = well_made(letter).words
    assert letter.subject == f"[Restaurant {evening.id[:8]}] ann invites you"
    for said in ("ann invites you to a game of Restaurant.", "3 seats, 2 of them free", "stairs: no; scoring: both"):
        assert said in letter.text
        assert said in seen
    assert "3 days for every decision, and weekends do not count." in letter.text
    facts = [line for line in letter.text.splitlines() if line.startswith("- ")]
    assert len(facts) == 4
    assert all(fact.endswith(".") for fact in facts), "sentences, all of them"
    assert "A reply to this mail cannot seat you" in letter.text
    assert f"poste join {evening.id[:8]}" in letter.text


def test_clocks_are_told_in_words() -> None:
    bank = Bank(start=86400 * 10, refill=43200, most=86400 * 14, vacation=20, strikes=3, then="vote")
    assert clock_in_words(None) == "There is no time limit."
    assert clock_in_words(bank) == (
        "Everybody begins with 10 days on an account of time; every answer adds 12 hours, up to 14 days. "
        "Everybody may take 20 days off in a year. "
        "After 3 missed deadlines in a row the others vote on how to go on."
    )


def test_a_digest_lists_its_letters_first() -> None:
    evenings = [an_evening(key) for key in games.keys()]
    several = [a_turn(evening, asked(evening)[0]) for evening in evenings] + [Letter("Only <words>", "No page here.\n")]
    letter = letter_texts.digest(several, ANSWERED)
    seen = well_made(letter, WIDEST).words
    assert letter.subject == f"[Poste Restante] {len(several)} letters"
    for number, one in enumerate(several, 1):
        assert one.text in letter.text
        assert f"{number}. {one.subject}" in seen
    assert "No page here." in seen


def test_a_confirmation_says_both_ways_and_that_it_may_be_ignored() -> None:
    letter = letter_texts.confirmation("ann", "K7-42", HEARD, "The <Office>")
    well_made(letter)
    assert "    poste mail confirm K7-42\n" in letter_texts.confirmation("ann", "K7-42", ONLY_OUT).text
    for said in ("    confirm K7-42\n", "    poste mail confirm K7-42\n", "ignore this mail", "ann wants to get mail"):
        assert said in letter.text


@pytest.mark.parametrize("name", ["evil.example.com", "www.x.y", "a.b", "9.9.9.9", "x."])
def test_a_question_to_a_stranger_has_no_name_in_it_that_could_become_a_link(name: str) -> None:
    letter = letter_texts.confirmation(name, "K7-42", HEARD)
    seen = well_made(letter).words
    for words in (letter.subject, letter.text, seen):
        assert name not in words
        assert not re.search(r"\w\.\w|@|//", words), "nothing that a mail program would make a link of"
    assert "Somebody wants to get mail" in letter.text


def test_an_answer_tells_and_shows_what_was_asked_for() -> None:
    evening = an_evening("restaurant")
    seat = asked(evening)[0]
    told = ("Played: take F1.", HOSTILE)
    letter = letter_texts.answer(told, table=evening.table, table_id=evening.id, seat=seat, private=True)
    assert "What you can do" not in letter.text
    assert letter.subject == f"[Restaurant {evening.id[:8]}] Played"
    named = letter_texts.answer(told, table=evening.table, table_id=evening.id, seat=seat, about="Played: take F1")
    assert named.subject == f"[Restaurant {evening.id[:8]}] Played: take F1"
    shown = letter_texts.answer(
        told, table=evening.table, table_id=evening.id, seat=seat, private=True, show=("board", "moves")
    )
    assert "What you can do" in shown.text
    assert "Your hand" in shown.text
    well_made(shown, WIDEST)
    well_made(letter_texts.answer(["Nobody here by that name."]))
