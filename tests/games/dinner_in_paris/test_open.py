"""§6.1 open: sites on the line, and paying with cards that show several ingredients."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Open
from engine.games.dinner_in_paris.rulebook import LATER, OPEN
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, a_game, asked, play, refused, told


def pays(hand: str, kind: str, *, less: bool = False, **more: Mapping[Seat, str]) -> set[tuple[str, ...]]:
    """The different ways to pay for a restaurant with this hand."""
    state = a_game(2, hands={P: hand}, **more)  # type: ignore[arg-type]
    opens = [move for move in GAME.legal(state, P) if isinstance(move, Open)]
    return {move.pay for move in opens if move.kind == kind and move.less == less}


@pytest.mark.cites("§6.1")
def test_w2_opening() -> None:
    state = a_game(3, hands={P: "flour flour cheese potatoes"}, river=("bread", "coin", "meat", "meat"))

    after = play(state, "open creperie F2 with flour flour cheese")

    assert after.ground.listed(after.site(0).cells) == ("F2", "G2", "H2")
    assert after.players[P].hand == ("potatoes",)
    assert after.supply[BOX.kind_no["creperie"]] == 1
    assert after.players[P].gauge == 2
    assert sorted(after.discards) == ["cheese", "flour", "flour"]


@pytest.mark.cites("§6.1")
def test_opening_is_told_to_everybody() -> None:
    state = a_game(2, hands={P: "potatoes potatoes/cheese"})

    (opened,) = told(state, "open friterie D3 with potatoes potatoes/cheese")

    assert opened == events.Open(
        seat=P, kind="friterie", at="D3", pay=("potatoes", "potatoes/cheese"), less=False, gauge=1
    )


@pytest.mark.cites("§6.1")
def test_the_kind_must_be_in_supply() -> None:
    state = a_game(2, "0 creperie@D3", "1 creperie@G3", hands={P: "flour flour cheese"})

    assert refused(state, "open creperie J3 with cheese flour flour") is OPEN
    assert not any(isinstance(move, Open) for move in GAME.legal(state, P))


@pytest.mark.cites("§6.1")
@pytest.mark.parametrize("at", ["D4", "P3", "C16", "D1", "C3"])
def test_a_restaurant_takes_consecutive_cells_of_one_side(at: str) -> None:
    state = a_game(2, hands={P: "flour flour cheese"})

    assert refused(state, f"open creperie {at} with cheese flour flour") is OPEN


@pytest.mark.cites("§6.1")
def test_a_site_is_named_by_its_westmost_or_northmost_cell() -> None:
    ground = a_game(2).ground

    assert ground.listed(ground.sites[3]["R15"].cells) == ("R15", "R16", "R17")
    assert ground.listed(ground.sites[3]["O18"].cells) == ("O18", "P18", "Q18")


@pytest.mark.cites("§6.1")
def test_restaurants_may_touch_but_not_overlap() -> None:
    state = a_game(2, "1 grill@G3", hands={P: "flour flour cheese"})

    assert refused(state, "open creperie E3 with cheese flour flour") is OPEN
    assert asked(play(state, "open creperie D3 with cheese flour flour")) == ["action"]
    assert asked(play(state, "open creperie K3 with cheese flour flour")) == ["action"]


@pytest.mark.cites("§6.1", "§2")
def test_a_card_with_several_ingredients_pays_for_one() -> None:
    assert pays("potatoes/cheese potatoes/tomatoes", "friterie") == {("potatoes/cheese", "potatoes/tomatoes")}
    assert pays("potatoes/cheese", "friterie") == set()


@pytest.mark.cites("§6.1")
def test_cards_are_matched_one_to_one_whichever_way_that_works() -> None:
    # A greedy guess gives bread/tomatoes to the first tomato it meets and then finds no bread.
    assert pays("bread/tomatoes potatoes/tomatoes cheese meat potatoes", "brasserie") == {
        ("cheese", "meat", "potatoes", "bread/tomatoes", "potatoes/tomatoes")
    }
    assert pays("meat/flour cheese/flour/tomatoes cheese", "creperie") == {
        ("cheese", "meat/flour", "cheese/flour/tomatoes")
    }
    assert pays("meat/flour cheese/flour/tomatoes meat", "creperie") == set()


@pytest.mark.cites("§6.1")
def test_every_way_to_pay_is_listed_once() -> None:
    assert pays("potatoes potatoes potatoes/cheese", "friterie") == {
        ("potatoes", "potatoes"),
        ("potatoes", "potatoes/cheese"),
    }


@pytest.mark.cites("§6.1")
def test_nothing_is_paid_over_and_coins_do_not_pay() -> None:
    state = a_game(2, hands={P: "potatoes potatoes potatoes coin"})

    assert refused(state, "open friterie D3 with potatoes potatoes potatoes") is OPEN
    assert refused(state, "open friterie D3 with potatoes coin") is OPEN
    assert refused(state, "open friterie D3 with potatoes") is OPEN
    for pay in (("potatoes", "potatoes/cheese"), ("potatoes",) * 4, ()):
        with pytest.raises(IllegalMove) as refusal:
            GAME.play(state, P, Open("friterie", "D3", pay), CHANCE)
        assert refusal.value.rule is OPEN


@pytest.mark.cites("§6.1")
def test_cards_may_be_named_in_any_order() -> None:
    state = a_game(2, hands={P: "flour cheese flour"})

    assert play(state, "open creperie D3 with flour cheese flour").players[P].hand == ()


@pytest.mark.cites("§6.1", "§6.3")
def test_one_less_drops_any_one_unit() -> None:
    kept = {P: "one-less"}

    assert pays("flour cheese", "creperie", less=True, kept=kept) == {("cheese", "flour")}
    assert pays("flour flour", "creperie", less=True, kept=kept) == {("flour", "flour")}
    assert pays("flour cheese", "creperie", less=False, kept=kept) == set()
    assert pays("flour cheese", "creperie", less=True) == set()


@pytest.mark.cites("§6.3")
def test_the_one_less_card_is_spent_face_up() -> None:
    state = a_game(2, hands={P: "flour cheese"}, kept={P: "two-coins one-less one-less"})

    after = play(state, "open creperie D3 with cheese flour less")

    assert after.players[P].kept == ("two-coins", "one-less")
    assert after.players[P].used == ("one-less",)


@pytest.mark.cites("§6.1")
def test_never_two_one_less_cards_on_one_restaurant() -> None:
    state = a_game(2, hands={P: "flour cheese"}, kept={P: "one-less one-less"})

    assert refused(state, "open creperie D3 with flour less") is OPEN
    assert all(
        len(move.pay) == 2 for move in GAME.legal(state, P) if isinstance(move, Open) and move.kind == "creperie"
    )


@pytest.mark.cites("R11")
def test_a_one_less_card_of_this_turn_cannot_be_used_yet() -> None:
    state = a_game(2, hands={P: "flour cheese"}, kept={P: "one-less"}, fresh=1)

    assert refused(state, "open creperie D3 with cheese flour less") is LATER
    assert refused(a_game(2, hands={P: "flour cheese"}), "open creperie D3 with cheese flour less") is OPEN


@pytest.mark.cites("R7")
def test_the_income_of_a_restaurant_counts_for_a_build_in_the_same_turn() -> None:
    state = a_game(2, hands={P: "potatoes tomatoes cheese meat"}, river=("bread", "coin", "coin", "flour"))

    opened = play(state, "open grill D3 with cheese meat potatoes tomatoes")

    assert opened.players[P].gauge == 3
    assert play(opened, "place D3 E4").turn.purse == 0


@pytest.mark.cites("R24")
def test_income_goes_beyond_what_is_printed() -> None:
    state = a_game(2, hands={P: "flour flour cheese"}, gauges={P: 26})

    assert play(state, "open creperie D3 with cheese flour flour").players[P].gauge == 27


@pytest.mark.cites("§6.1")
def test_an_unknown_kind_is_refused() -> None:
    state = a_game(2, hands={P: "flour flour cheese"})

    with pytest.raises(IllegalMove, match="there is no restaurant called 'bistro'"):
        GAME.play(state, P, Open("bistro", "D3", ("flour",)), CHANCE)


@pytest.mark.cites("§6.1")
def test_restaurants_are_a_common_supply() -> None:
    state = a_game(2, "1 friterie@D3", "1 friterie@F3", "1 friterie@H3", "1 friterie@J3", "1 friterie@L3", to_move=Q)

    assert state.supply[BOX.kind_no["friterie"]] == 0
