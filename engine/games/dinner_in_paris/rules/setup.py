"""Setup, §3, up to the choice of objectives."""

from __future__ import annotations

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Seat, Step
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Keep
from engine.games.dinner_in_paris.rulebook import SETUP
from engine.games.dinner_in_paris.rules import draw, turn
from engine.games.dinner_in_paris.state import Player, State, Turn


def set_up(seats: int, board: str, chance: Chance) -> Step[State]:
    """Shuffle and deal. The river obeys its rule from the start (R4); seat 0 begins (R2)."""
    game, printed = BOX.printed.game, BOX.printed
    objectives = chance.shuffled(BOX.objectives, "objective-deck")
    dealt = seats * game.start_objectives
    nobody = Player(
        hand=(), kept=(), used=(), held=(), claimed=(), gauge=game.start_income, tracks=(0,) * len(BOX.tracks)
    )
    state = State(
        board=board,
        phase="choose-objective",
        turn=Turn(Seat(game.first_seat), turn.ACTIONS),
        players=(nobody,) * seats,
        chosen=(None,) * seats,
        river=(None,) * game.river_size,
        deck=chance.shuffled([card.id for card in printed.resources for _ in range(card.count)], "resource-deck"),
        discards=(),
        pigeons=chance.shuffled([card.id for card in printed.pigeons for _ in range(card.count)], "pigeon-deck"),
        objectives=objectives[dealt:],
        row=(),
        majority=chance.pick(printed.majorities, "majority").id,
        supply=tuple(kind.count for kind in printed.restaurants),
        restaurants=(),
        terraces=(),
        covered=(),
        end=None,
    )
    told: list[Event] = []
    state = draw.flow(state, chance, told)
    for seat in map(Seat, range(seats)):
        for _ in range(game.start_hand):
            state = draw.deal_top(state, seat, chance, told)
        held = objectives[seat * game.start_objectives : (seat + 1) * game.start_objectives]
        state = replace(state, players=with_item(state.players, seat, replace(state.players[seat], held=held)))
        told.append(events.Dealt(seat=seat, cards=state.players[seat].hand, objectives=held, to=(seat,)))
    told.append(events.MajorityCard(card=state.majority))
    return Step(draw.reshuffled(state, chance, told), tuple(told))


def choose_objective(state: State, seat: Seat, move: Keep, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The sealed choice: once all have answered, what nobody kept lies in the common row, in seat order."""
    dealt = state.players[seat].held
    if move.slot is None or move.slot not in range(len(dealt)):
        raise IllegalMove(SETUP, "say which of the two objectives you keep")
    chosen = with_item(state.chosen, seat, move.slot)
    told.append(events.Chosen(seat=seat, objective=dealt[move.slot], to=(seat,)))
    if None in chosen:
        return replace(state, chosen=chosen)
    kept = [(player.held[slot],) for player, slot in zip(state.players, chosen, strict=True) if slot is not None]
    row = tuple(card for player, (own,) in zip(state.players, kept, strict=True) for card in player.held if card != own)
    players = tuple(replace(player, held=own) for player, own in zip(state.players, kept, strict=True))
    told.append(events.CommonRow(objectives=row))
    return turn.begin(replace(state, chosen=chosen, players=players, row=row))
