"""§5 draw: the river and its renewal, the deck and its reshuffle, the limit of the hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Draw
from engine.games.dinner_in_paris.rulebook import DRAW, NO_CARDS
from engine.games.dinner_in_paris.rules.draw import is_crowded
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, a_game, asked, play, refused, texts, told


@pytest.mark.cites("§5")
def test_a_river_card_is_taken_and_its_slot_refilled() -> None:
    state = a_game(2, phase="first-draw", deck="coin")

    after = play(state, "draw river 2")

    assert after.players[P].hand == ("cheese",)
    assert after.river == ("bread", "coin", "flour", "meat")
    assert told(state, "draw river 2") == [
        events.DrawRiver(seat=P, card="cheese"),
        events.Refill(slot=1, card="coin"),
    ]


@pytest.mark.cites("§5", "§9")
def test_the_top_of_the_deck_is_seen_by_its_drawer_alone() -> None:
    state = a_game(2, phase="first-draw", deck="coin")

    assert play(state, "draw deck").players[P].hand == ("coin",)
    assert told(state, "draw deck") == [events.DrawDeck(seat=P), events.Drawn(seat=P, card="coin", to=(P,))]


@pytest.mark.cites("§5")
def test_three_cards_of_one_ingredient_renew_the_river() -> None:
    state = a_game(
        2, phase="first-draw", river=["bread", "potatoes", "potatoes", "meat"], deck="potatoes coin coin flour meat"
    )

    after = play(state, "draw river 1")

    assert after.river == ("coin", "coin", "flour", "meat")
    assert after.discards == ("potatoes", "potatoes", "potatoes", "meat")


@pytest.mark.cites("R4")
@pytest.mark.parametrize(
    ("river", "crowded"),
    [
        ("potatoes potatoes/cheese potatoes/tomatoes coin", True),
        ("potatoes/cheese cheese cheese/flour/tomatoes coin", True),
        ("seafood/bread/potatoes seafood/meat/potatoes potatoes/cheese bread", True),
        ("potatoes potatoes cheese potatoes/tomatoes", True),
        ("potatoes potatoes cheese coin", False),
        ("coin coin coin coin", False),
        ("bread/tomatoes tomatoes flour bread", False),
    ],
)
def test_a_card_counts_once_for_each_ingredient_and_a_coin_for_none(river: str, crowded: bool) -> None:
    assert is_crowded(tuple(river.split())) == crowded


@pytest.mark.cites("R4")
def test_the_river_is_renewed_again_and_again_but_at_most_ten_times() -> None:
    state = a_game(2, phase="first-draw", river=["potatoes"] * 2 + ["bread", "coin"], deck="potatoes")
    # Only potatoes are left, so that every new river is crowded too.
    state = replace(state, deck=("potatoes",) * 3, discards=("potatoes",) * 3)

    happened = told(state, "draw river 3")

    assert [type(event) for event in happened].count(events.Renew) == 10
    assert is_crowded(tuple(filter(None, play(state, "draw river 3").river)))


@pytest.mark.cites("R4")
def test_a_draw_from_the_deck_leaves_a_quiet_river_alone() -> None:
    state = a_game(2, phase="first-draw")

    assert play(state, "draw deck").river == state.river


@pytest.mark.cites("§5")
def test_more_than_seven_cards_are_discarded_one_at_a_time() -> None:
    state = a_game(2, phase="first-draw", hands={P: "coin coin coin bread coin meat bread"}, deck="flour")

    over = play(state, "draw deck")
    assert asked(over) == ["discard"]
    assert texts(over) == ["discard bread", "discard flour", "discard meat", "discard coin"]

    after = play(over, "discard meat")
    assert after.players[P].hand == ("coin", "coin", "coin", "bread", "coin", "bread", "flour")
    assert after.discards == ("meat",)
    assert asked(after) == ["action"]


@pytest.mark.cites("§5")
def test_what_is_not_in_hand_cannot_be_discarded() -> None:
    state = a_game(2, phase="discard", hands={P: "coin coin coin bread coin coin coin meat"})

    assert refused(state, "discard seafood") is DRAW


@pytest.mark.cites("R28")
def test_of_two_equal_cards_the_newer_goes() -> None:
    state = a_game(2, phase="discard", hands={P: "coin bread coin meat coin coin coin flour"})

    assert play(state, "discard coin").players[P].hand == ("coin", "bread", "coin", "meat", "coin", "coin", "flour")


@pytest.mark.cites("R5")
def test_the_river_is_refilled_and_renewed_before_the_discard() -> None:
    state = a_game(
        2,
        phase="first-draw",
        hands={P: "coin coin coin bread coin meat bread"},
        river=["bread", "potatoes", "potatoes", "cheese"],
        deck="potatoes coin flour flour meat",
    )

    over = play(state, "draw river 1")

    assert asked(over) == ["discard"]
    assert over.river == ("coin", "flour", "flour", "meat")


@pytest.mark.cites("§5")
def test_the_limit_is_checked_when_cards_are_drawn_only() -> None:
    state = a_game(2, "0 friterie@D3", hands={P: "coin coin coin bread coin meat bread cheese"})

    assert asked(play(state, "place D3 E4")) == ["building"]


@pytest.mark.cites("§5")
def test_an_empty_deck_is_made_of_the_discards() -> None:
    state = a_game(2, phase="first-draw")
    state = replace(state, deck=state.deck[:1], discards=state.deck[1:])

    after = play(state, "draw deck")

    assert sorted(after.deck) == sorted(state.discards)
    assert after.deck == CHANCE.at(0).shuffled(state.discards, "resource-deck")
    assert after.discards == ()
    assert events.Reshuffle(cards=len(state.discards)) in told(state, "draw deck")


@pytest.mark.cites("§5")
def test_the_river_is_refilled_from_a_reshuffled_deck() -> None:
    state = a_game(2, phase="first-draw")
    state = replace(state, deck=(), discards=state.deck)

    after = play(state, "draw river 1")

    assert None not in after.river
    assert GAME.pieces(after) == GAME.pieces(state)


@pytest.mark.cites("§5")
def test_cards_paid_while_the_deck_is_empty_become_the_deck() -> None:
    state = replace(a_game(2, hands={P: "potatoes potatoes"}), deck=())

    after = play(state, "open friterie D3 with potatoes potatoes")

    assert after.deck == ("potatoes", "potatoes")
    assert after.discards == ()


@pytest.mark.cites("R6")
def test_hands_of_thirty_leave_fourteen_cards() -> None:
    hands = 4 * BOX.printed.game.hand_limit + 2

    assert BOX.printed.game.totals.resources - hands - BOX.printed.game.river_size == 14


@pytest.mark.cites("R6")
def test_without_cards_the_deck_cannot_be_drawn_from_and_slots_stay_empty() -> None:
    state = replace(a_game(2, phase="first-draw"), deck=())

    assert texts(state) == ["draw river 1", "draw river 2", "draw river 3", "draw river 4"]
    assert refused(state, "draw deck") is NO_CARDS
    assert GAME.fallback(state, P) == Draw("river", 0)
    after = play(state, "draw river 2")
    assert after.river == ("bread", None, "flour", "meat")
    assert refused(after, "draw river 2") is NO_CARDS


@pytest.mark.cites("R6")
def test_a_draw_without_any_card_is_skipped() -> None:
    state = replace(a_game(2, actions=1, river=[None, None, None, "meat"]), deck=())

    after = play(state, "draw river 4")

    assert GAME.waiting(after).keys() == {Q}
    assert asked(after) == ["action"]


@pytest.mark.cites("R6")
def test_a_pigeon_that_gives_cards_when_there_are_none_gives_nothing() -> None:
    state = a_game(4, "0 friterie@H1 H2 H3", river=[None] * 4, pigeons="two-resources")

    assert asked(play(replace(state, deck=()), "place H1 H4")) == ["building"]
    last = replace(a_game(2, phase="pigeon-draw", purse=0, owed=2, river=[None] * 3 + ["meat"]), deck=())
    assert asked(play(last, "draw river 4")) == ["building"]


@pytest.mark.cites("§5")
def test_a_draw_names_its_source_properly() -> None:
    state = a_game(2, phase="first-draw")

    for move in (Draw("river"), Draw("river", 4), Draw("river", -1), Draw("deck", 0)):
        with pytest.raises(IllegalMove) as refusal:
            GAME.play(state, P, move, CHANCE)
        assert refusal.value.rule is DRAW
