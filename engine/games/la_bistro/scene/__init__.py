"""The view laid out for the eye: the town, what is going on, the sheets, the counters, and the last evening."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Seat
from engine.games.la_bistro import notation, scoring
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.moves import OPTIONS
from engine.games.la_bistro.rules import DESKS
from engine.games.la_bistro.scene import counters, evening, sheets
from engine.games.la_bistro.scene.town import town
from engine.games.la_bistro.scene.words import seat_sign
from engine.games.la_bistro.state import Auction, Bidding, House, Limits, Over, Table
from engine.games.la_bistro.view import View
from engine.notation import write
from engine.scene import Block, Line, Panel, Scene, Span
from engine.scene import Columns as Rows


def scene(view: View, names: Sequence[str]) -> Scene:
    """Everything there is to see; the Payouts Chart is in :mod:`engine.games.la_bistro.chart`."""
    table = view.table
    over = isinstance(view.stage, Over)
    turns = EDITIONS[table.edition].turns[len(table.money)]
    when = "the end" if over else f"turn {table.turn} of {turns}, phase {table.phase}"
    blocks: list[Block] = [town(table), _tracks(view, turns, names), _money(view, names)]
    houses = [House(Seat(seat), slot) for seat, mine in enumerate(table.restaurants) for slot in range(len(mine))]
    blocks += [sheets.restaurant_sheet(table, house, names) for house in houses]
    if not over:
        blocks += [counters.jobs_board(table), counters.for_hire(table), counters.renovations(table, view.stage)]
    if table.account:
        blocks += [evening.diners(table.account), evening.takings(table.account)]
    return Scene(f"La Bistro, {when}", tuple(blocks))


def _tracks(view: View, turns: int, names: Sequence[str]) -> Panel:
    table, edition = view.table, EDITIONS[view.table.edition]
    boxes = edition.printed.time_track.boxes
    lines: list[Line] = [
        ("Turn  ", *_track(range(1, turns + 1), table.turn)),
        ("Time  ", *_track(range(boxes + 1), table.time, "START")),
        (
            f"Inflation {table.inflation}. Dice: {table.unused} unused, {len(table.jobs)} on the Jobs Board, "
            f"{table.aside} set aside. {_bank(table)}",
        ),
    ]
    if table.choices:
        chosen = [f"{name} {option}" for name, option in zip(names, table.choices, strict=True)]
        lines.append((f"Options of this phase: {', '.join(chosen)}.",))
    return Panel("Now", (*lines, *_asked(view, names)))


def _track(boxes: range, at: int, start: str = "") -> Line:
    """The boxes of a track, the cube in brackets."""
    spans: list[Span | str] = []
    for box in boxes:
        label = start if start and box == 0 else str(box)
        spans += [Span(f"[{label}]", fill=230, bold=True) if box == at else f" {label} "]
    return tuple(spans)


def _bank(table: Table) -> str:
    return f"The bank has {'taken in' if table.bank >= 0 else 'paid out'} {abs(table.bank)}."


def _asked(view: View, names: Sequence[str]) -> list[Line]:
    """Who is asked what; the auction, if there is one; and one's own sealed answer."""
    stage = view.stage
    if isinstance(stage, Over):
        return [("The game is over.",)]
    desk = DESKS[type(stage)]
    to_answer = [names[seat] for seat in stage.asked if seat not in view.answered]
    lines: list[Line] = [(Span(f"{', '.join(to_answer)}: {desk.prompt(view.table, stage)}", bold=True),)]
    if isinstance(stage, Bidding | Limits):
        lines.append((_auction(stage.auction, names),))
    if view.answered:
        lines.append((f"Answered: {', '.join(names[seat] for seat in view.answered)}.",))
    if view.answer is not None:
        lines.append((f"Your sealed answer: {write(notation.forms(view), view.answer)}",))
    if desk.kind == "option":
        numbered = ", ".join(f"{number} {option}" for number, option in enumerate(OPTIONS))
        lines.append((Span(f"Options: {numbered}.", dim=True),))
    return lines


def _auction(auction: Auction, names: Sequence[str]) -> str:
    taking_part = ", ".join(names[seat] for seat in auction.seats)
    if auction.bid is None:
        return f"No bid yet; taking part: {taking_part}."
    return f"{names[auction.seats[-1]]} leads with {auction.bid}; still in: {taking_part}."


def _money(view: View, names: Sequence[str]) -> Rows:
    """How everybody stands; before the end the last column but one is an estimate."""
    over = isinstance(view.stage, Over)
    standing = scoring.standing(view.table, final=over)
    rows: list[Line] = []
    rank = 1
    for seats in standing.ranking:
        for seat in seats:
            score = standing.scores[seat]
            rows.append(
                (
                    str(rank),
                    seat_sign(seat),
                    names[seat],
                    *map(str, score.parts.values()),
                    str(score.ties[0].value),
                    Span(str(score.total), bold=True),
                )
            )
        rank += len(seats)
    total = "final" if over else "estimate"
    header = ("", "", "player", "money", "loans", "regular", "inflation", "gold", "splits", "best Fame", total)
    return Rows("Money", header, tuple(rows), right=(0, *range(3, len(header))))
