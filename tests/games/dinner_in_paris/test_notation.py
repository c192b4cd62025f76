"""§10 notation: what players type."""

from __future__ import annotations

import itertools

import pytest

from engine import notation
from engine.errors import NotUnderstood
from engine.games.dinner_in_paris import GAME
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Claim, Discard, Done, Draw, Keep, Open, Place, Play, Share, Skip
from engine.games.dinner_in_paris.rules.opening import Wallet
from tests.games.dinner_in_paris.positions import P, a_game, read

STATE = a_game(
    4,
    "0 creperie@F1 F2",
    hands={P: "flour flour cheese coin coin potatoes/cheese"},
    kept={P: "two-coins one-less neighbours objective"},
)


@pytest.mark.cites("§10")
@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("keep 2", Keep(1)),
        ("keep", Keep()),
        ("share", Share()),
        ("draw river 2", Draw("river", 1)),
        ("draw deck", Draw("deck")),
        ("discard potatoes", Discard("potatoes")),
        ("discard seafood/bread/potatoes", Discard("seafood/bread/potatoes")),
        ("open creperie I1 with flour flour cheese", Open("creperie", "I1", ("cheese", "flour", "flour"))),
        ("open creperie I1 with flour cheese less", Open("creperie", "I1", ("cheese", "flour"), less=True)),
        ("place creperie@F1 G2", Place("creperie@F1", "G2")),
        ("place F1 G2", Place("creperie@F1", "G2")),
        ("place F1 G2 coins 1 two-coins 1 neighbours", Place("creperie@F1", "G2", 1, 1, neighbours=True)),
        ("claim shape-7", Claim("shape-7")),
        ("claim shape-7 bonus", Claim("shape-7", bonus=True)),
        ("claim shape-1", Claim("shape-1")),
        ("play objective", Play("objective")),
        ("skip", Skip()),
        ("done", Done()),
    ],
)
def test_moves_are_typed_as_the_rulebook_writes_them(typed: str, move: object) -> None:
    assert notation.read(GAME.forms(GAME.view(STATE, P)), typed, ()) == move


@pytest.mark.cites("§10")
@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("DRAW RIVER 1", Draw("river", 0)),
        ("dr de", Draw("deck")),
        ("place f1 g2", Place("creperie@F1", "G2", 1)),
        ("open crêperie j1 with cheese flour flour", Open("creperie", "J1", ("cheese", "flour", "flour"))),
    ],
)
def test_case_accents_and_what_only_one_move_can_mean_do_not_matter(typed: str, move: object) -> None:
    assert read(a_game(4, "0 creperie@F1 F2", hands={P: "flour flour cheese coin"}), typed) == move


@pytest.mark.cites("§10")
def test_what_could_mean_several_moves_is_not_guessed() -> None:
    with pytest.raises(NotUnderstood, match="several"):
        read(STATE, "place F1 G2")


@pytest.mark.cites("§10")
def test_no_two_payments_for_a_restaurant_are_written_alike() -> None:
    """A card with several ingredients reads like so many cards; what the restaurant costs tells them apart."""
    one_of_each_but_singles = [
        card.id for card in BOX.printed.resources for _ in range(min(card.count, 2)) if card.shows
    ]
    for kind in BOX.printed.restaurants:
        pays = Wallet(one_of_each_but_singles).payments(kind.cost, less=True)
        for ways in pays:
            words = [tuple(itertools.chain.from_iterable(card.split("/") for card in pay)) for pay in ways]
            assert len(set(words)) == len(words)
