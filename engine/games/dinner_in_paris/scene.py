"""The square and what lies beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.chance import Chance
from engine.game import Seat
from engine.games.dinner_in_paris import rules, scoring
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import AnyMove, Place
from engine.games.dinner_in_paris.rules.objectives import progress
from engine.games.dinner_in_paris.square import CODES, COLOURS, board
from engine.games.dinner_in_paris.state import State
from engine.games.dinner_in_paris.telling import TRIGGERS, majority, several
from engine.games.dinner_in_paris.telling import objective as asks_for
from engine.games.dinner_in_paris.view import View, imagine
from engine.scene import Block, Card, Columns, Hand, Line, Panel, Scene, Span

INGREDIENTS = {
    "bread": 180,
    "cheese": 221,
    "flour": 255,
    "meat": 167,
    "potatoes": 143,
    "seafood": 74,
    "tomatoes": 203,
}
COIN, PIGEON = 220, 250
LEGEND: Line = (
    "rCR r== a restaurant and its owner, r2 a terrace of track 2, ::: the line, p a pigeon, OOO band, ",
    "FFF flowers, WWW fountain, LLL light; + your next terrace, ! one that takes a neighbours card",
)


def scene(view: View, names: Sequence[str]) -> Scene:
    """The view laid out for the eye."""
    # Whatever hides behind the view makes no difference to what this seat may do, nor to anything shown here.
    state = imagine(view, Chance(bytes(32)))
    legal = () if view.seat is None else rules.legal(state, view.seat)
    blocks: list[Block] = [
        board(view, names, legal),
        Panel("", (LEGEND,)),
        _now(view, names, legal),
        *_own(view),
        Hand("River", tuple(_resource(card, f"{slot}") for slot, card in enumerate(view.river, 1) if card)),
        _objectives(view, state),
        _majorities(view, state, names),
        _players(view, names),
        _scores(view, names),
        _supply(view),
    ]
    if view.phase == "over":
        blocks.insert(3, _revealed(view, names))
    return Scene(f"Dinner in Paris, {_title(view, names)}", tuple(blocks))


def _title(view: View, names: Sequence[str]) -> str:
    if view.phase == "over":
        return "the end"
    if view.phase == "choose-objective":
        return "the choice of objectives"
    return f"{names[view.turn]}'s turn" + (" in the last round" if view.end else "")


def _now(view: View, names: Sequence[str], legal: Sequence[AnyMove]) -> Panel:
    """What is being asked, what there is to build with, and what lies in the decks."""
    lines: list[Line] = []
    if view.phase == "choose-objective":
        missing = [name for name, answered in zip(names, view.answered, strict=True) if not answered]
        lines.append((f"Everybody keeps one of two objectives; {', '.join(missing)} still choosing.",))
    elif view.phase != "over":
        left = f"{view.actions} action{'s' * (view.actions != 1)} left"
        lines.append((f"{names[view.turn]}: {rules.DECISIONS[view.phase].prompt} ({left})",))
    if view.end:
        lines.append((Span(f"The end was brought about: {TRIGGERS[view.end]}.", bold=True),))
    if view.purse is not None:
        lines.append((f"Purse: {view.purse}", *(f"; {name} may cover {covers} more" for name, covers in view.freed)))
    lines += _next_terraces(legal)
    lines.append(
        (
            f"Deck {view.deck}, discards {len(view.discards)}, pigeon cards {view.pigeon_deck}, ",
            f"objectives {view.objective_deck}",
        )
    )
    if view.discards:
        lines.append((Span(f"Discarded: {_counted(view.discards)}", dim=True),))
    return Panel("Now", tuple(lines))


def _next_terraces(legal: Sequence[AnyMove]) -> list[Line]:
    """For each restaurant the cells of its next terrace."""
    cells: dict[str, dict[str, str]] = {}
    for move in legal:
        if isinstance(move, Place):
            money = "" if not move.coins + move.two_coins else "$"
            cells.setdefault(move.restaurant, {}).setdefault(move.cell, move.cell + "!" * move.neighbours + money)
    return [(Span(name, bold=True), f": {' '.join(found.values())}") for name, found in cells.items()]


def _own(view: View) -> list[Block]:
    """The cards that only this seat sees."""
    if view.seat is None:
        return []
    own = view.players[view.seat]
    blocks: list[Block] = [Hand("Your cards", tuple(_resource(card) for card in own.hand or ()))]
    if own.kept:
        cards = [
            Card(card, PIGEON, "usable" if number < own.usable else "from your next turn on")
            for number, card in enumerate(own.kept)
        ]
        blocks.append(Hand("Your pigeon cards", tuple(cards)))
    return blocks


def _resource(card: str, note: str = "") -> Card:
    shows = BOX.resources[card].shows
    return Card(card, INGREDIENTS[shows[0]] if shows else COIN, note)


def _objectives(view: View, state: State) -> Columns:
    """One's own objectives and the common ones: what they ask for and, for a player, how far that has come."""
    own = () if view.seat is None else view.players[view.seat].held or ()
    choosing = view.phase == "choose-objective"
    cards = [(f"yours, {slot}" if choosing else "yours", card) for slot, card in enumerate(own, 1)]
    if view.drawn:
        cards.append(("drawn", view.drawn))
    cards += [("common", card) for card in view.row]
    rows: list[Line] = []
    for whose, card in cards:
        so_far = "-"
        if view.seat is not None:
            have, need = progress(state.ground, card, state.seen(view.seat), state.players[view.seat].tracks)
            so_far = f"{min(have, need)}/{need}"
        rows.append((whose, Span(card, bold=True), str(BOX.objectives[card].points), so_far, asks_for(card)))
    return Columns("Objectives", ("", "objective", "points", "so far", "terraces"), tuple(rows), right=(2, 3))


def _majorities(view: View, state: State, names: Sequence[str]) -> Columns:
    """How the majorities stand; of money in hand nothing is known but one's own."""
    title = "Majorities" if view.phase == "over" else "Majorities so far"
    rows = []
    for each in scoring.majorities(state):
        hidden = each.name == "money" and view.phase != "over"
        cells = [
            _money(view, Seat(seat), count) if hidden else f"{count} (+{points})"
            for seat, (count, points) in enumerate(zip(each.counts, each.points, strict=True))
        ]
        rows.append((majority(each.name), *cells))
    return Columns(title, ("", *names), tuple(rows), right=tuple(range(1, len(names) + 1)))


def _money(view: View, seat: Seat, count: int) -> str:
    return str(count) if seat == view.seat else f"{view.players[seat].gauge} or more"


def _players(view: View, names: Sequence[str]) -> Columns:
    """Incomes, the tracks with the price of their next tile, and how many cards everybody holds."""
    header = ("player", "income", *(f"track {track.category}" for track in BOX.tracks), "cards", "pigeons", "secrets")
    rows: list[Line] = []
    for seat, player in enumerate(view.players):
        tracks = [
            f"{gone}/{len(track.cost)}" + (f" ({track.cost[gone]})" if gone < len(track.cost) else "")
            for gone, track in zip(player.tracks, BOX.tracks, strict=True)
        ]
        pigeons = f"{player.pigeons} ({player.usable} usable)" if player.pigeons else "0"
        if player.used:
            pigeons += f", {len(player.used)} used"
        rows.append(
            (_name(Seat(seat), names), str(player.gauge), *tracks, str(player.cards), pigeons, str(player.secrets))
        )
    return Columns("Players, the price of the next tile in brackets", header, tuple(rows), right=(1, 6, 8))


def _scores(view: View, names: Sequence[str]) -> Columns:
    standing = view.standing
    parts = tuple(standing.scores[0].parts)
    header = ("", "player", *parts, "total", standing.scores[0].ties[0].name, "claimed")
    rows: list[Line] = []
    rank = 1
    for seats in standing.ranking:
        for seat in seats:
            score = standing.scores[seat]
            figures = [str(points) for points in score.parts.values()]
            claimed = ", ".join(view.players[seat].claimed) or "-"
            total = Span(str(score.total), bold=True)
            rows.append((str(rank), _name(seat, names), *figures, total, str(score.ties[0].value), claimed))
        rank += len(seats)
    return Columns("Score", header, tuple(rows), right=(0, *range(2, len(header) - 1)))


def _name(seat: Seat, names: Sequence[str]) -> Span:
    return Span(f"{COLOURS[seat].letter} {names[seat]}", COLOURS[seat].strong)


def _supply(view: View) -> Columns:
    rows: list[Line] = []
    for kind in BOX.printed.restaurants:
        figures = (view.supply[kind.id], kind.category, kind.size, kind.income, kind.points)
        rows.append((CODES[kind.id], kind.id, *map(str, figures), _counted(kind.cost)))
    header = ("", "restaurant", "left", "track", "cells", "income", "points", "cost")
    return Columns("Supply", header, tuple(rows), right=(2, 3, 4, 5, 6))


def _revealed(view: View, names: Sequence[str]) -> Columns:
    """At the end all hands are shown."""
    rows = tuple(
        (
            _name(Seat(seat), names),
            _counted(player.hand or ()),
            _counted(player.kept or ()),
            ", ".join(player.held or ()) or "-",
        )
        for seat, player in enumerate(view.players)
    )
    return Columns("Hands", ("player", "cards", "pigeon cards", "objectives left"), rows)


def _counted(cards: Iterable[str]) -> str:
    """``2 flour, cheese``."""
    counts = sorted(Counter(cards).items(), key=lambda item: (BOX.order.get(item[0], 0), item[0]))
    return ", ".join(several(card, count) for card, count in counts) or "-"
