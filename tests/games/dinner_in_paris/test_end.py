"""§8 end and scoring: three triggers, the finished round, tracks, majorities, ties."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import OutOfTurn
from engine.game import Seat
from engine.games.dinner_in_paris import GAME, events, scoring
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Draw
from engine.games.dinner_in_paris.rules.turn import ending
from engine.games.dinner_in_paris.state import State
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, R, a_game, asked, play, told

TEN = (
    *(f"0 friterie@{at}" for at in ("D3", "F3", "H3", "J3")),
    *(f"1 creperie@{at}" for at in ("D18", "G18")),
    *(f"1 pizzeria@{at}" for at in ("J18", "M18")),
    *(f"1 fruits-de-mer@{at}" for at in ("C4", "C7")),
)


@pytest.mark.cites("§8")
@pytest.mark.parametrize(("seats", "enough"), [(2, 11), (3, 13), (4, 15)])
def test_enough_restaurants_bring_the_end(seats: int, enough: int) -> None:
    line = BOX.grounds["square", seats]
    stand: list[str] = []
    taken = 0
    for kind in [each for each in BOX.printed.restaurants for _ in range(each.count)][:enough]:
        site = next(site for site in line.sites[kind.size].values() if not site.cells & taken)
        taken |= site.cells
        stand.append(f"1 {kind.id}@{site.at}")

    assert ending(a_game(seats, *stand[:-1])) is None
    assert ending(a_game(seats, *stand)) == "restaurants"


@pytest.mark.cites("§8")
def test_the_turn_and_the_round_are_finished() -> None:
    state = a_game(2, *TEN, hands={P: "potatoes potatoes"}, phase="first-draw")

    state = play(state, "draw deck", "open friterie L3 with potatoes potatoes")
    assert (asked(state), state.end) == (["action"], "restaurants")
    state = play(state, "draw deck")
    assert GAME.waiting(state).keys() == {Q}
    state = play(state, "draw deck", "draw deck", "draw deck")
    assert state.phase == "over"
    assert GAME.waiting(state) == {}
    assert GAME.standing(state).final
    with pytest.raises(OutOfTurn):
        GAME.play(state, P, Draw("deck"), CHANCE)


@pytest.mark.cites("§8")
def test_the_last_seat_may_bring_the_end_at_once() -> None:
    state = a_game(2, *TEN, to_move=1, hands={Q: "potatoes potatoes"}, actions=1)

    assert play(state, "open friterie L3 with potatoes potatoes").phase == "over"


@pytest.mark.cites("§8", "§9")
def test_at_the_end_hands_are_shown_and_majorities_counted() -> None:
    state = a_game(2, *TEN, to_move=1, hands={P: "coin meat", Q: "potatoes potatoes"}, held={P: "north"}, actions=1)

    happened = told(state, "open friterie L3 with potatoes potatoes")

    assert events.LastRound(seat=Q, trigger="restaurants") in happened
    assert events.Revealed(seat=P, hand=("coin", "meat"), kept=(), objectives=("north",)) in happened
    assert [type(event) for event in happened[-4:]] == [events.MajorityScored] * 3 + [events.End]


@pytest.mark.cites("§8")
def test_two_empty_tracks_bring_the_end() -> None:
    state = a_game(2, "0 friterie@D3", tracks={P: [15, 16, 0, 0]}, gauges={P: 3})

    building = play(state, "place D3 E4")
    assert building.end is None
    assert play(building, "done").end == "tracks"


@pytest.mark.cites("R17")
def test_covered_tiles_count_for_an_empty_track() -> None:
    state = a_game(2, "0 friterie@D3 E4", tracks={P: [16, 16, 0, 0]})

    assert ending(state) == "tracks"


def full_line() -> State:
    """A square with two restaurants left in the supply, for which there is no room, and every tile used or stuck."""
    state = a_game(2, "0 friterie@D3", "1 friterie@D18", tracks={P: [16, 0, 0, 0], Q: [16, 0, 0, 0]})
    return replace(state, supply=(0, 0, 0, 0, 0, 0, 0, 0))


@pytest.mark.cites("R20")
def test_nothing_fits_when_neither_a_restaurant_nor_a_terrace_does() -> None:
    assert ending(full_line()) == "no-room"


@pytest.mark.cites("R20")
def test_a_site_for_one_restaurant_is_enough_to_go_on() -> None:
    assert ending(replace(full_line(), supply=(1, 0, 0, 0, 0, 0, 0, 0))) is None


@pytest.mark.cites("R20")
def test_a_cell_for_one_terrace_of_anybody_is_enough_to_go_on() -> None:
    state = full_line()
    players = (state.players[P], replace(state.players[Q], tracks=(15, 0, 0, 0)))

    assert ending(replace(state, players=players)) is None


@pytest.mark.cites("R20")
def test_money_and_pigeon_cards_are_ignored() -> None:
    # D3 is hemmed in by terraces of seat 1: only a neighbours card would help, and the price does not matter.
    state = a_game(
        2,
        "0 friterie@D3 D4",
        "1 friterie@F3 F4 F5 E5",
        tracks={Q: [16, 0, 0, 0]},
        gauges={P: 0},
        kept={P: "neighbours"},
    )

    assert ending(replace(state, supply=(0,) * 8)) == "no-room"


@pytest.mark.cites("R20")
def test_what_brought_the_end_stands() -> None:
    state = replace(a_game(2, "0 friterie@D3", gauges={P: 2}), end="no-room")

    after = play(state, "place D3 E4", "done")

    assert after.end == "no-room"
    assert not any(isinstance(event, events.LastRound) for event in told(state, "place D3 E4", "done"))


@pytest.mark.cites("R20")
def test_there_is_no_turn_limit() -> None:
    state = a_game(2, phase="first-draw")
    for _ in range(600):
        state = play(
            state, "discard " + state.players[state.turn.seat].hand[-1] if state.phase == "discard" else "draw deck"
        )

    assert state.phase != "over"


@pytest.mark.cites("§8")
@pytest.mark.parametrize(
    ("tracks", "points"),
    [
        ((4, 0, 0, 0), 3),
        ((0, 12, 0, 0), 18),
        ((0, 0, 0, 1), 0),
        ((0, 0, 0, 0), 0),
        ((16, 16, 12, 8), 14 + 26 + 28 + 34),
    ],
)
def test_w11_a_plus_counts_what_is_before_it(tracks: tuple[int, ...], points: int) -> None:
    state = a_game(2, tracks={P: tracks})

    assert GAME.standing(state).scores[P].parts["terraces"] == points


@pytest.mark.cites("§8", "R22")
@pytest.mark.parametrize(
    ("counts", "least", "points"),
    [
        ((5, 5, 2, 1), 0, (10, 10, 4, 0)),
        ((3, 3, 3, 1), 0, (8, 8, 8, 0)),
        ((5, 5, 0, 0), 1, (10, 10, 0, 0)),
        ((3, 2, 1), 1, (12, 6, 0)),
        ((1, 2, 2), 1, (0, 9, 9)),
        ((2, 2), 1, (7, 7)),
        ((4, 9), 1, (4, 10)),
        ((2, 2, 2, 2), 0, (6, 6, 6, 6)),
    ],
)
def test_w10_majority_shares(counts: tuple[int, ...], least: int, points: tuple[int, ...]) -> None:
    assert scoring.shares(counts, least=least) == points


@pytest.mark.cites("R21")
def test_no_terrace_takes_no_rank_but_no_restaurant_does() -> None:
    state = a_game(3, "0 friterie@C2 C3", majority="flower-beds-west-restaurants")

    beds, west, restaurants = scoring.majorities(state)

    assert (beds.counts, beds.points) == ((0, 0, 0), (0, 0, 0))
    assert (west.counts, west.points) == ((1, 0, 0), (12, 0, 0))
    assert (restaurants.counts, restaurants.points) == ((1, 0, 0), (12, 3, 3))


@pytest.mark.cites("§8")
def test_majorities_count_decor_zones_money_and_pigeon_cards() -> None:
    state = a_game(
        2,
        "0 friterie@D3 D5 E5 N14 G6",
        gauges={P: 3, Q: 4},
        hands={P: "coin coin bread", Q: "meat"},
        kept={P: "two-coins neighbours"},
        used={Q: "free-terrace"},
    )

    assert scoring.count(state, P, "around:band") == 4
    assert scoring.count(state, P, "zone:north") == 3
    assert scoring.count(state, P, "zone:east") == 1
    assert [scoring.count(state, seat, "money") for seat in (P, Q)] == [3 + 2 + 2, 4]
    assert [scoring.count(state, seat, "pigeon-cards") for seat in (P, Q)] == [2, 1]


@pytest.mark.cites("R17")
def test_covered_terraces_count_for_no_majority() -> None:
    state = a_game(2, "0 friterie@D3 D5", tracks={P: [4, 0, 0, 0]})

    assert scoring.count(state, P, "around:band") == 1


@pytest.mark.cites("§8")
def test_the_final_score_adds_everything_up() -> None:
    state = a_game(
        2,
        "0 friterie@D3 D4",
        "1 gastronomique@D18 D17",
        held={P: "shape-7", Q: "north east"},
        claimed={P: "lights", Q: "every-category fountain"},
        majority="flower-beds-west-restaurants",
    )

    mid, final = GAME.standing(state), GAME.standing(replace(state, phase="over"))

    assert mid.scores[P].parts == {"restaurants": 2, "terraces": 1, "objectives": 3}
    assert final.scores[P].parts == {
        "restaurants": 2,
        "terraces": 1,
        "objectives": 3,
        "majorities": 0 + 7 + 7,
        "left in hand": -5,
    }
    assert final.scores[Q].total == 12 + 0 + 10 + 14 - 6
    assert (mid.final, final.final) == (False, True)


@pytest.mark.cites("R23")
def test_among_equals_more_tiles_placed_win_or_else_the_victory_is_shared() -> None:
    # Three tiles of category 1 and four show the same points.
    more = a_game(2, tracks={P: [3, 0, 0, 0], Q: [4, 0, 0, 0]}, majority="bands-south-pigeons", phase="over")
    equal = a_game(2, tracks={P: [4, 0, 0, 0], Q: [4, 0, 0, 0]}, majority="bands-south-pigeons", phase="over")

    assert GAME.standing(more).ranking == ((Q,), (P,))
    assert GAME.standing(equal).winners == (P, Q)


@pytest.mark.cites("§8")
def test_standing_during_play_shows_only_what_is_public() -> None:
    state = a_game(3, held={R: "north"}, hands={R: "coin"})

    assert set(GAME.standing(state).scores[Seat(2)].parts) == {"restaurants", "terraces", "objectives"}
