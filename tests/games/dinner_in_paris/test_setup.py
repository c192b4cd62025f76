"""§3 setup: what everybody begins with, and the sealed choice of objectives."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Seat
from engine.games.dinner_in_paris import GAME, Options, events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Keep
from engine.games.dinner_in_paris.rulebook import SETUP
from engine.games.dinner_in_paris.rules.draw import is_crowded
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, asked, dealt, play


@pytest.mark.cites("§3")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_begins_alike(seats: int) -> None:
    state = dealt(seats)

    assert [len(player.hand) for player in state.players] == [4] * seats
    assert [len(player.held) for player in state.players] == [2] * seats
    assert {player.gauge for player in state.players} == {1}
    assert {player.tracks for player in state.players} == {(0, 0, 0, 0)}
    assert (len(state.pigeons), len(state.objectives)) == (24, 24 - 2 * seats)
    assert None not in state.river


@pytest.mark.cites("§3")
def test_seats_take_cards_and_objectives_in_order() -> None:
    for seed in range(5):
        chance = Chance(seed.to_bytes(32, "big"))
        step = GAME.deal(2, Options(), chance)
        if any(isinstance(event, events.Renew) for event in step.events):
            continue
        deck = chance.at(0).shuffled(
            [card.id for card in BOX.printed.resources for _ in range(card.count)], "resource-deck"
        )
        objectives = chance.at(0).shuffled(BOX.objectives, "objective-deck")

        assert step.state.river == deck[:4]
        assert [player.hand for player in step.state.players] == [deck[4:8], deck[8:12]]
        assert [player.held for player in step.state.players] == [objectives[:2], objectives[2:4]]


@pytest.mark.cites("R4")
def test_the_river_is_never_crowded_from_the_start() -> None:
    renewed = 0
    for seed in range(60):
        step = GAME.deal(2, Options(), Chance(seed.to_bytes(32, "big")))
        renewed += any(isinstance(event, events.Renew) for event in step.events)
        assert not is_crowded(tuple(filter(None, step.state.river)))

    assert renewed


@pytest.mark.cites("§3")
def test_w13_two_player_setup() -> None:
    seed = next(seed for seed in range(99) if dealt(2, seed=seed).majority == "fountain-money-south")
    state = play(dealt(2, seed=seed), "keep 1", "keep 1")

    assert [player.gauge for player in state.players] == [1, 1]
    assert [len(player.hand) for player in state.players] == [4, 4]
    assert len(state.row) == 2
    assert next(iter(state.ground.sites[2])) == "D3"


@pytest.mark.cites("§3")
def test_all_choose_an_objective_at_once_unseen() -> None:
    state = dealt(3)

    assert asked(state) == ["choose-objective"] * 3
    assert all(decision.sealed for decision in GAME.waiting(state).values())


@pytest.mark.cites("§3")
def test_what_is_not_kept_becomes_the_common_row_in_seat_order() -> None:
    state = dealt(3)
    (a, b), (c, d), (e, f) = (player.held for player in state.players)

    after = play(state, "keep 2", "keep 1", "keep 2")

    assert [player.held for player in after.players] == [(b,), (c,), (f,)]
    assert after.row == (a, d, e)
    assert asked(after) == ["first-draw"]


@pytest.mark.cites("§3")
def test_nothing_is_shown_of_a_choice_until_all_have_chosen() -> None:
    state = dealt(3)
    first, other = (GAME.play(state, P, Keep(slot), CHANCE) for slot in (0, 1))

    for onlooker in (None, Q):
        assert GAME.view(first.state, onlooker) == GAME.view(other.state, onlooker)
    assert all(event.to == (P,) for event in first.events)
    assert GAME.view(first.state, P).choice == 0
    assert GAME.waiting(first.state) == {seat: GAME.waiting(state)[seat] for seat in (Seat(1), Seat(2))}


@pytest.mark.cites("§3")
def test_a_choice_is_made_once_and_names_a_slot() -> None:
    state = GAME.play(dealt(2), P, Keep(0), CHANCE).state

    with pytest.raises(OutOfTurn):
        GAME.play(state, P, Keep(1), CHANCE)
    for slot in (None, 2, -1):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, Q, Keep(slot), CHANCE)  # type: ignore[arg-type]
        assert refused.value.rule is SETUP


@pytest.mark.cites("R2")
def test_seat_0_starts() -> None:
    assert list(GAME.waiting(play(dealt(4), *["keep 1"] * 4))) == [P]


@pytest.mark.cites("§3")
def test_one_majority_card_lies_face_up() -> None:
    cards = {dealt(2, seed=seed).majority for seed in range(60)}

    assert cards == set(BOX.majorities)
