"""How moves are written and read at this table."""

from __future__ import annotations

import pytest

from engine.errors import NotUnderstood
from engine.games.paris_paris import GAME, Options
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.state import State
from engine.notation import read, write
from tests.games.paris_paris.positions import CHANCE, GREEN, GREY, VIOLET, YELLOW, a_game

NAMES = ("ann", "bob", "cid", "dee")
STATE = a_game(
    shops={"louvre": [0, 3], "opera": [2], "odeon": [1, 1]},
    out=["pompidou/teal", "louvre/red", "louvre/orange", "opera/red", "odeon/blue"],
)


def understood(text: str, state: State = STATE) -> Take:
    (seat,) = GAME.waiting(state)
    move = read(GAME.forms(GAME.view(state, seat)), text, GAME.legal(state, seat), NAMES)
    assert isinstance(move, Take)
    return move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("take pompidou/teal", Take("pompidou", "teal")),
        ("take pompidou", Take("pompidou", "teal")),
        ("TAKE Pomp", Take("pompidou", "teal")),
        ("take louvre/red evict grey", Take("louvre", "red", GREY)),
        ("take louvre r evict E", Take("louvre", "red", GREEN)),
        ("take louvre/orange evict dee", Take("louvre", "orange", GREEN)),
        ("take Opéra", Take("opera", "red", YELLOW)),
        ("take odeon/b", Take("odeon", "blue", VIOLET)),
    ],
)
def test_what_only_one_move_can_mean_may_be_left_out(text: str, move: Take) -> None:
    assert understood(text) == move


@pytest.mark.parametrize("text", ["take louvre", "take louvre/red", "take o", "pass"])
def test_what_several_moves_or_none_could_mean_is_not_guessed(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Take("pompidou", "teal"), "take pompidou/teal"),
        (Take("hotel-de-ville", "orange", VIOLET), "take hotel-de-ville/orange evict violet"),
    ],
)
def test_the_canonical_form_names_the_line_always_and_the_shop_that_goes(move: Take, text: str) -> None:
    assert write(GAME.forms(GAME.view(STATE, GREY)), move) == text


def test_shops_are_called_by_the_colours_of_the_table() -> None:
    options = Options(colours=("green", "grey", "violet", "yellow"))
    view = GAME.view(GAME.deal(2, options, CHANCE).state, GREY)

    assert write(GAME.forms(view), Take("opera", "red", GREY)) == "take opera/red evict green"


def test_every_legal_move_of_a_game_reads_back() -> None:
    state = GAME.deal(4, GAME.options(), CHANCE).state
    while turn := list(GAME.waiting(state)):
        moves = GAME.legal(state, turn[0])
        forms = GAME.forms(GAME.view(state, turn[0]))
        assert [read(forms, write(forms, move), moves) for move in moves] == list(moves)
        state = GAME.play(state, turn[0], moves[-1], CHANCE).state
