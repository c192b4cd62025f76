"""The rules of §6 and §7 once more, as naively as they can be written: sets of cells, and everything tried out.

Nothing is shared with the engine but the printed facts, the structs of a position, and the words of moves.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from engine.game import Seat
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import AnyMove, Claim, Done, Draw, Open, Place, Play, Skip
from engine.games.dinner_in_paris.printed import Cell, Kind, cell_name, cell_of
from engine.games.dinner_in_paris.state import State

PRINTED = BOX.printed
KINDS = {kind.id: kind for kind in PRINTED.restaurants}
SHOWS = {card.id: card.shows for card in PRINTED.resources}


class Oracle:
    """What one seat may do in a position."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state, self.seat = state, seat
        self.player = state.players[seat]
        board = PRINTED.boards[state.board]
        self.map, self.board = board.map, board
        self.ring = board.line_ring[len(state.players)] - 1
        self.size = len(board.map)
        self.owner: dict[Cell, int] = {}  # which restaurant shows a terrace on a cell
        for number, shown in enumerate(state.terraces):
            for bit in range(self.size * self.size):
                if shown >> bit & 1:
                    self.owner[bit % self.size, bit // self.size] = number
        kept, fresh = self.player.kept, state.turn.fresh
        self.usable = Counter(kept[: len(kept) - fresh])
        self.protected = 0  # how many terraces could not be covered for the sake of others

    # ------------------------------------------------------------------------------------------------ the square

    def is_inside(self, cell: Cell) -> bool:
        return all(self.ring < place < self.size - 1 - self.ring for place in cell)

    def is_line(self, cell: Cell) -> bool:
        edges = (self.ring, self.size - 1 - self.ring)
        on_edge = [place in edges for place in cell]
        between = [edges[0] < place < edges[1] for place in cell]
        return (on_edge[0] and between[1]) or (on_edge[1] and between[0])

    def letter(self, cell: Cell) -> str:
        return self.map[cell[1]][cell[0]]

    def is_terrain(self, cell: Cell) -> bool:
        return self.is_inside(cell) and self.letter(cell) in ".p"

    def site(self, kind: Kind, at: Cell) -> list[Cell] | None:
        """The cells of a restaurant that begins here, if they are all on one side of the line."""
        for right, down in ((1, 0), (0, 1)):
            cells = [(at[0] + right * step, at[1] + down * step) for step in range(kind.size)]
            if all(max(cell) < self.size and self.is_line(cell) for cell in cells):
                return cells
        return None

    def stands_on(self, number: int) -> list[Cell]:
        restaurant = self.state.restaurants[number]
        return self.site(KINDS[restaurant.kind], cell_of(restaurant.at)) or []

    # -------------------------------------------------------------------------------------------------- opening

    def opens(self) -> Iterator[Open]:
        taken = {cell for number in range(len(self.state.restaurants)) for cell in self.stands_on(number)}
        opened = Counter(restaurant.kind for restaurant in self.state.restaurants)
        everywhere = [(column, row) for row in range(self.size) for column in range(self.size)]
        for kind in PRINTED.restaurants:
            if opened[kind.id] == kind.count:
                continue
            sites = [at for at in everywhere if (cells := self.site(kind, at)) and not taken & set(cells)]
            for less in (False, True)[: 1 + bool(self.usable["one-less"])]:
                for pay in set(self.pays(kind, less=less)):
                    yield from (Open(kind.id, cell_name(at), pay, less) for at in sites)

    def pays(self, kind: Kind, *, less: bool) -> Iterator[tuple[str, ...]]:
        """Every choice of cards of which some order pays the cost unit by unit."""
        in_order = sorted(self.player.hand, key=list(SHOWS).index)
        wanted = {kind.cost[:n] + kind.cost[n + 1 :] for n in range(len(kind.cost))} if less else {kind.cost}
        for pay in set(itertools.combinations(in_order, len(kind.cost) - less)):
            if any(self.matches(pay, cost) for cost in wanted):
                yield pay

    def matches(self, pay: tuple[str, ...], cost: tuple[str, ...]) -> bool:
        if not all(any(unit in SHOWS[card] for card in pay) for unit in cost):
            return False  # only to save time
        return any(
            all(unit in SHOWS[card] for card, unit in zip(order, cost, strict=True))
            for order in itertools.permutations(pay)
        )

    # ------------------------------------------------------------------------------------------------- building

    def places(self) -> Iterator[Place]:
        turn = self.state.turn
        if self.state.phase == "action" and turn.built:
            return
        for number, restaurant in enumerate(self.state.restaurants):
            if restaurant.seat != self.seat or (self.state.phase == "free-terrace" and number != turn.free):
                continue
            track = PRINTED.tracks[KINDS[restaurant.kind].category - 1]
            gone = self.player.tracks[KINDS[restaurant.kind].category - 1]
            if gone == len(track.cost):
                continue
            cost = 0 if self.state.phase == "free-terrace" else track.cost[gone]
            for cell in itertools.product(range(self.size), range(self.size)):
                card = self.needs_card(number, cell)
                if card is not None and (not card or self.usable["neighbours"]):
                    for coins, twos in self.money(cost):
                        yield Place(restaurant.name, cell_name(cell), coins, twos, card)

    def money(self, cost: int) -> Iterator[tuple[int, int]]:
        """Every handful of coins and two-coins cards that is enough and of which none could be left out."""
        purse = self.player.gauge if self.state.turn.purse is None else self.state.turn.purse
        coins, twos = self.player.hand.count("coin"), self.usable["two-coins"]
        for ones, doubles in itertools.product(range(coins + 1), range(twos + 1)):
            enough = purse + ones + 2 * doubles >= cost
            spare_one = ones and purse + ones - 1 + 2 * doubles >= cost
            spare_two = doubles and purse + ones + 2 * (doubles - 1) >= cost
            if enough and not spare_one and not spare_two:
                yield ones, doubles

    def needs_card(self, number: int, cell: Cell) -> bool | None:
        """Whether a neighbours card must be spent on this placement; None if nothing allows it."""
        here = self.owner.get(cell)
        seats = [restaurant.seat for restaurant in self.state.restaurants]
        if not self.is_terrain(cell) or (here is not None and seats[here] == self.seat):
            return None
        around = touching(cell)
        own_terraces = [at for at, shown_by in self.owner.items() if shown_by == number]
        if not any(near in (own_terraces or self.stands_on(number)) for near in around):
            return None
        neighbours = {self.owner[near] for near in around if near in self.owner} - {number}
        if any(seats[other] == self.seat for other in neighbours):
            return None
        if here is not None and not self.may_lose(here, cell):
            self.protected += 1
            return None
        freed = [each.covers for each in self.state.turn.freed if each.restaurant == number]
        if here is not None:
            return not freed or freed[0] == 0
        return bool(neighbours) and not freed

    def may_lose(self, number: int, cell: Cell) -> bool:
        """Whether every other terrace of a restaurant keeps a chain to it."""
        left = {at for at, shown_by in self.owner.items() if shown_by == number and at != cell}
        front = {at for stone in self.stands_on(number) for at in touching(stone)}

        def reaches(at: Cell, seen: frozenset[Cell]) -> bool:
            return at in front or any(
                reaches(near, seen | {near}) for near in touching(at) if near in left and near not in seen
            )

        return all(reaches(at, frozenset({at})) for at in left)

    # ----------------------------------------------------------------------------------------------- objectives

    def claims(self, *, bonus: bool) -> Iterator[Claim]:
        for card in (*self.player.held, *self.state.row):
            if self.is_fulfilled(card):
                yield Claim(card, bonus)

    def own(self) -> set[Cell]:
        return {at for at, number in self.owner.items() if self.state.restaurants[number].seat == self.seat}

    def is_fulfilled(self, card: str) -> bool:
        objective = next(each for each in PRINTED.objectives if each.id == card)
        own, tracks = self.own(), self.player.tracks
        half = self.size // 2
        zones = {
            "north": {cell for cell in own if cell[1] < half},
            "south": {cell for cell in own if cell[1] >= half},
            "west": {cell for cell in own if cell[0] < half},
            "east": {cell for cell in own if cell[0] >= half},
        }
        near = [
            (element.type, sum(any(close(cell, cell_of(part)) for part in element.cells) for cell in own))
            for element in self.board.decor
        ]
        match objective.kind:
            case "decor":
                return all(count >= objective.each for kind, count in near if kind == objective.decor)
            case "decor-types":
                return len({kind for kind, count in near if count >= objective.each}) == 4
            case "quarters":
                pairs = itertools.product(("north", "south"), ("west", "east"))
                return all(len(zones[one] & zones[other]) >= objective.each for one, other in pairs)
            case "zone":
                return len(zones[objective.zone]) >= objective.total
            case "placed":
                return sum(tracks) >= objective.total
            case "placed-categories":
                return min(tracks) >= objective.each
            case "category-finished":
                return any(gone == len(track.cost) for gone, track in zip(tracks, PRINTED.tracks, strict=True))
            case "shape":
                return self.shows_shape(objective.shape)

    def shows_shape(self, shape: tuple[str, ...]) -> bool:
        own = self.own()
        cells = [(x, y) for y, row in enumerate(shape) for x, letter in enumerate(row) if letter == "#"]
        for _ in range(4):
            cells = [(-y, x) for x, y in cells]
            for right, down in itertools.product(range(-6, self.size + 6), repeat=2):
                if all((x + right, y + down) in own for x, y in cells):
                    return True
        return False

    # ---------------------------------------------------------------------------------------------- everything

    def legal(self) -> list[AnyMove]:
        """Every legal move, in no particular order."""
        match self.state.phase:
            case "action":
                draws: list[AnyMove] = [Draw("river", slot) for slot, card in enumerate(self.state.river) if card]
                draws += [Draw("deck")] * bool(self.state.deck)
                plays = [Play("objective")] * bool(self.usable["objective"] and self.state.objectives)
                return [*draws, *self.opens(), *self.places(), *self.claims(bonus=False), *plays]
            case "building":
                return [*self.places(), Done()]
            case "free-terrace":
                found = list(self.places())
                return [*found, *[Skip()] * all(place.neighbours for place in found)]
            case "second-claim":
                return [*(self.claims(bonus=True) if self.usable["objective"] else ()), Done()]
            case phase:
                raise ValueError(f"{phase} needs no oracle")


def touching(cell: Cell) -> list[Cell]:
    column, row = cell
    return [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]


def close(one: Cell, other: Cell) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
