"""Whatever a program of ours prints as a move can be played as printed, by every way in, in every game."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator
from typing import Any, cast

import pytest
from click.testing import CliRunner

from client.connection.response_types import Question
from client.output import CommandRefused
from client.screen.move_picker import choose
from client.screen.table_or_move import table_and_move
from client.table.player_desk import Desk
from client.table.turn import chosen, written
from client.table.verified_view import Seen
from client.trust.player_home import Home
from engine import notation
from engine.chance import Chance
from engine.errors import MoveRefused
from engine.game import AnyGame, Seat
from engine.record.replay import move_json
from server.mail.incoming import received_mail
from server.mail.incoming.mail_commands import legal_move
from tests.engine.signed_games import Evening
from tests.games.random_games import EVERY_GAME, EVERY_TABLE

POSITIONS, MOVES = 7, 6
"""So many positions of each game, and so many moves of each: all that a test has time for."""


def positions(game: AnyGame, seats: int, options: Any, apart: int) -> Iterator[tuple[Evening, Seen, list[Any]]]:
    """Positions of a random game, some entries apart, as somebody sees them who is asked, and some of their moves."""
    evening = Evening(f"as printed {game.key}", game, seats, options=options)
    while asked := evening.table.playing.asked:
        state, seat = evening.table.playing.state, max(asked)
        one = asked[seat]
        question = Question(one.decision.kind, one.decision.prompt, one.base, one.since)
        chain = evening.table.chain
        seen = Seen(cast("Any", None), chain, game, seat, game.view(state, seat), {seat: question})
        yield evening, seen, list(Chance(b"which moves", chain.length).shuffled(game.legal(state, seat), "moves"))
        evening.play(apart)


def sampled(game: AnyGame, seats: int, options: Any) -> Iterator[tuple[Evening, Seen, list[Any]]]:
    found = itertools.islice(positions(game, seats, options, 13), POSITIONS)
    return ((evening, seen, moves[:MOVES]) for evening, seen, moves in found)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Somebody who remembers a table for every beginning that is letters alone and could be a word."""
    home = Home(tmp_path_factory.mktemp("home"))
    desk = Desk(home, home.create("ann", ""))
    for letters in ("face", "deed", "dead", "added", "bad", "cafe", "fade", "beef"):
        folder = home.tables(desk.identity) / letters.ljust(32, "0")
        folder.mkdir(parents=True)
        (folder / "server").write_text("https://example.org")
    return desk


@EVERY_TABLE
def test_on_the_command_line(game: AnyGame, seats: int, options: Any, desk: Desk) -> None:
    for _, seen, moves in sampled(game, seats, options):
        texts = [written(seen, move) for move in moves]
        for move, text in zip(moves, texts, strict=True):
            assert shlex.split(text) == text.split(), "no shell makes anything else of it"
            assert table_and_move(desk, shlex.split(text)) == (None, text)
            assert table_and_move(desk, [text]) == (None, text)
            assert table_and_move(desk, ["7f3a", *text.split()]) == ("7f3a", text)
            assert chosen(seen, text) == move
        for between in (" then ", "; ", ";", "\n", " ; "):
            assert notation.separated(between.join(texts)) == texts


@EVERY_TABLE
def test_in_the_picker(game: AnyGame, seats: int, options: Any) -> None:
    for _, seen, moves in sampled(game, seats, options):
        for move in moves:
            with CliRunner().isolation(input=f"{written(seen, move)}\n"):
                assert choose(seen) == move


@EVERY_TABLE
def test_the_picker_plays_nothing_that_was_not_said(game: AnyGame, seats: int, options: Any) -> None:
    """What is no move leads to a shorter list at most; then nothing is typed, and nothing played."""
    for _, seen, moves in sampled(game, seats, options):
        numbers = [str(number) for number in range(1, len(seen.legal) + 1)]
        for move in moves[:2]:
            without_its_verb = written(seen, move).partition(" ")[2]
            for typed in (without_its_verb, "quite", f"{len(numbers) + 1}", written(seen, move) + " quite"):
                if typed and typed not in numbers:
                    with (
                        CliRunner().isolation(input=f"{typed}\n\n"),
                        pytest.raises(CommandRefused, match="Nothing was"),
                    ):
                        choose(seen)


@EVERY_TABLE
def test_by_mail(game: AnyGame, seats: int, options: Any) -> None:
    for evening, seen, moves in sampled(game, seats, options):
        assert seen.seat is not None
        for move in moves:
            text = written(seen, move)
            for letter in (
                f"play {text}",
                f"Hi,\n\nPlay: {text}.\n\nCheers\n\n> play something else",
                f"> What you can do:\n>    {text}\n\nplay {text}\n-- \nann",
                broken(f"play {text}"),
            ):
                mail = received_mail.read(
                    f"From: ann@example.org\nSubject: Re: x\n\n{letter}\n".encode(), "ann@example.org"
                )
                assert [command.word for command in mail.commands] == ["play"]
                (command,) = mail.commands
                assert legal_move(evening.table, seen.seat, command.rest) == (move_json(move), text)


def broken(text: str) -> str:
    """A line as a mail program breaks it that writes no longer ones than 65 characters."""
    lines = [""]
    for word in text.split():
        lines = [*lines[:-1], f"{lines[-1]} {word}"] if len(f"{lines[-1]} {word}") <= 65 else [*lines, word]
    return "\n".join(line.strip() for line in lines)


@EVERY_TABLE
def test_whatever_the_players_are_called(game: AnyGame, seats: int, options: Any) -> None:
    """Everybody is called like a word of one of the moves, or like a seat that is not theirs."""
    for evening, seen, moves in sampled(game, seats, options):
        assert seen.seat is not None
        legal, forms = game.legal(evening.table.playing.state, seen.seat), game.forms(seen.view)
        for move in moves:
            text = written(seen, move)
            words = (text.replace("/", " ").replace(",", " ").split() * seats)[:seats]
            for names in (words, words[::-1], [str(seat) for seat in range(1, seats)] + ["0"]):
                assert notation.read(forms, text, legal, names) == move


@EVERY_TABLE
def test_every_word_that_is_typed_is_in_the_move_that_is_found(game: AnyGame, seats: int, options: Any) -> None:
    """A word less, a word more, or another one: nothing is passed over and nothing is put right."""
    for evening, seen, moves in sampled(game, seats, options):
        assert seen.seat is not None
        legal, forms = game.legal(evening.table.playing.state, seen.seat), game.forms(seen.view)
        for move in moves[:3]:
            words = spoken(written(seen, move))
            for at in range(1, len(words)):
                for other in ((), (f"{words[at]}0",), ("9",), ("31",), ("quite",), (words[at], words[at])):
                    typed = (*words[:at], *other, *words[at + 1 :])
                    try:
                        found = notation.read(forms, " ".join(typed), legal)
                    except MoveRefused:
                        continue
                    if found in legal:
                        assert all_in(typed, spoken(notation.write(forms, found))), (typed, found)


def spoken(text: str) -> tuple[str, ...]:
    return tuple(text.lower().replace("/", " ").replace(",", " ").split())


def all_in(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether what was typed are words of a move, in its order."""
    left = iter(words)
    return all(any(word == each for each in left) for word in typed)


@EVERY_GAME
def test_a_separator_is_no_word_of_any_move(game: AnyGame) -> None:
    state = game.deal(max(game.seats), game.options(), Chance(bytes(32))).state
    for form in game.forms(game.view(state, Seat(0))):
        assert "then" not in form.words()
        assert ";" not in form.usage
