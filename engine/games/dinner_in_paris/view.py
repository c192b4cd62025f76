"""What a seat may see (§9), and the positions it could be looking at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine import game
from engine.chance import Chance
from engine.game import Seat, Standing, Value
from engine.games.dinner_in_paris import scoring
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.state import Freed, Phase, Player, Restaurant, State, Trigger, Turn


class SeenPlayer(Value, frozen=True):
    """What lies before one seat; what is not to be seen of it is None beside its number."""

    cards: int
    hand: tuple[str, ...] | None
    pigeons: int
    usable: int
    """How many of the kept pigeon cards, the oldest ones, may be used now."""
    kept: tuple[str, ...] | None
    used: tuple[str, ...]
    secrets: int
    """How many objectives it holds."""
    held: tuple[str, ...] | None
    claimed: tuple[str, ...]
    gauge: int
    tracks: tuple[int, ...]


class SeenRestaurant(Value, frozen=True):
    """A restaurant and the terraces that it shows."""

    kind: str
    at: str
    seat: Seat
    terraces: tuple[str, ...]

    @property
    def name(self) -> str:
        """``creperie@F1``."""
        return f"{self.kind}@{self.at}"


class View(game.View, frozen=True, kw_only=True):
    """Everything but the decks, and what others hold."""

    board: str
    phase: Phase
    turn: Seat
    actions: int
    built: bool
    purse: int | None
    freed: tuple[tuple[str, int], ...]
    """Restaurants with a neighbours card, and how many terraces each may still cover."""
    free: str | None
    """The restaurant that may have a terrace for free."""
    owed: int
    claims: int
    drawn: str | None
    """The objective to be kept or shared, for whoever drew it."""
    answered: tuple[bool, ...]
    """Who has chosen an objective."""
    choice: int | None
    """The slot that was chosen here."""
    players: tuple[SeenPlayer, ...]
    river: tuple[str | None, ...]
    deck: int
    discards: tuple[str, ...]
    pigeon_deck: int
    objective_deck: int
    row: tuple[str, ...]
    majority: str
    supply: dict[str, int]
    restaurants: tuple[SeenRestaurant, ...]
    covered: tuple[tuple[str, str], ...]
    """Terraces under others: where, and of which restaurant."""
    end: Trigger | None
    standing: Standing


def view(state: State, seat: Seat | None) -> View:
    """What this seat, or an onlooker, may see. At the end all hands are shown."""
    turn = state.turn
    names = [restaurant.name for restaurant in state.restaurants]
    return View(
        seat=seat,
        board=state.board,
        phase=state.phase,
        turn=turn.seat,
        actions=turn.actions,
        built=turn.built,
        purse=turn.purse,
        freed=tuple((names[freed.restaurant], freed.covers) for freed in turn.freed),
        free=None if turn.free is None else names[turn.free],
        owed=turn.owed,
        claims=turn.claims,
        drawn=turn.drawn if seat == turn.seat else None,
        answered=tuple(slot is not None for slot in state.chosen),
        choice=None if seat is None else state.chosen[seat],
        players=tuple(
            _seen(state, Seat(owner), shown=owner == seat or state.phase == "over")
            for owner in range(len(state.players))
        ),
        river=state.river,
        deck=len(state.deck),
        discards=state.discards,
        pigeon_deck=len(state.pigeons),
        objective_deck=len(state.objectives),
        row=state.row,
        majority=state.majority,
        supply=dict(zip(BOX.kinds, state.supply, strict=True)),
        restaurants=tuple(
            SeenRestaurant(each.kind, each.at, each.seat, state.ground.listed(shown))
            for each, shown in zip(state.restaurants, state.terraces, strict=True)
        ),
        covered=tuple((cell, names[number]) for cell, number in state.covered),
        end=state.end,
        standing=scoring.standing(state),
    )


def _seen(state: State, owner: Seat, *, shown: bool) -> SeenPlayer:
    player = state.players[owner]
    return SeenPlayer(
        cards=len(player.hand),
        hand=player.hand if shown else None,
        pigeons=len(player.kept),
        usable=len(state.usable(owner)),
        kept=player.kept if shown else None,
        used=player.used,
        secrets=len(player.held),
        held=player.held if shown else None,
        claimed=player.claimed,
        gauge=player.gauge,
        tracks=player.tracks,
    )


def imagine(view: View, chance: Chance) -> State:
    """A position that looks like this: decks and the hands of others are drawn from what the view does not show."""
    ground = BOX.grounds[view.board, len(view.players)]
    names = [restaurant.name for restaurant in view.restaurants]
    moving = view.players[view.turn]
    resources = _unseen_resources(view, chance)
    pigeons = _unseen_pigeons(view, chance)
    objectives = _unseen_objectives(view, chance)
    players = tuple(
        Player(
            hand=_taken(resources, player.cards) if player.hand is None else player.hand,
            kept=_taken(pigeons, player.pigeons) if player.kept is None else player.kept,
            used=player.used,
            held=_taken(objectives, player.secrets) if player.held is None else player.held,
            claimed=player.claimed,
            gauge=player.gauge,
            tracks=player.tracks,
        )
        for player in view.players
    )
    is_drawing = view.phase == "drawn-objective"
    drawn = _taken(objectives, 1)[0] if is_drawing and view.drawn is None else view.drawn
    return State(
        board=view.board,
        phase=view.phase,
        turn=Turn(
            seat=view.turn,
            actions=view.actions,
            built=view.built,
            fresh=moving.pigeons - moving.usable,
            purse=view.purse,
            freed=tuple(Freed(names.index(name), covers) for name, covers in view.freed),
            free=None if view.free is None else names.index(view.free),
            owed=view.owed,
            drawn=drawn,
            claims=view.claims,
        ),
        players=players,
        chosen=_choices(view, chance),
        river=view.river,
        deck=tuple(resources),
        discards=view.discards,
        pigeons=chance.shuffled(pigeons, "pigeon-deck"),
        objectives=tuple(objectives),
        row=view.row,
        majority=view.majority,
        supply=tuple(view.supply.values()),
        restaurants=tuple(Restaurant(each.kind, each.at, each.seat) for each in view.restaurants),
        terraces=tuple(ground.mask(each.terraces) for each in view.restaurants),
        covered=tuple((cell, names.index(name)) for cell, name in view.covered),
        end=view.end,
    )


def _taken(cards: list[str], number: int) -> tuple[str, ...]:
    """So many cards off the top."""
    taken = tuple(cards[:number])
    del cards[:number]
    return taken


def _unseen(box: Iterable[str], seen: Iterable[str | None]) -> list[str]:
    """What is left of the cards of the box, in the order of the box."""
    return list((Counter(list(box)) - Counter(card for card in seen if card)).elements())


def _unseen_resources(view: View, chance: Chance) -> list[str]:
    box = (card.id for card in BOX.printed.resources for _ in range(card.count))
    hands = (card for player in view.players for card in player.hand or ())
    return list(chance.shuffled(_unseen(box, [*view.river, *view.discards, *hands]), "resource-deck"))


def _unseen_pigeons(view: View, chance: Chance) -> list[str]:
    """Others can have kept only cards that are kept, so these come first."""
    box = (card.id for card in BOX.printed.pigeons for _ in range(card.count))
    seen = (card for player in view.players for card in player.used + (player.kept or ()))
    unseen = chance.shuffled(_unseen(box, seen), "pigeons")
    return sorted(unseen, key=lambda card: BOX.pigeons[card].immediate)


def _unseen_objectives(view: View, chance: Chance) -> list[str]:
    held = (card for player in view.players for card in player.claimed + (player.held or ()))
    return list(chance.shuffled(_unseen(BOX.objectives, [*view.row, view.drawn, *held]), "objective-deck"))


def _choices(view: View, chance: Chance) -> tuple[int | None, ...]:
    """The sealed answers: one's own, and any for the others who have answered."""
    return tuple(
        None if not answered else view.choice if seat == view.seat else chance.pick((0, 1), "choice")
        for seat, answered in enumerate(view.answered)
    )
