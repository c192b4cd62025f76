"""What a seat may see, and the positions it could be looking at."""

from __future__ import annotations

from engine import game
from engine.chance import Chance
from engine.game import Seat
from engine.games.la_bistro.moves import Answer
from engine.games.la_bistro.rules import DESKS
from engine.games.la_bistro.state import AnyStage, State, Table


class View(game.View, frozen=True, kw_only=True):
    """The open table, and who has answered under seal; but what, only of oneself."""

    table: Table
    stage: AnyStage
    answered: tuple[Seat, ...]
    answer: Answer | None


def view(state: State, seat: Seat | None) -> View:
    """All that a seat, or an onlooker, may know."""
    return View(
        seat=seat,
        table=state.table,
        stage=state.stage,
        answered=tuple(Seat(other) for other, answer in enumerate(state.answers) if answer is not None),
        answer=None if seat is None else state.answers[seat],
    )


def imagine(view: View, chance: Chance) -> State:
    """A position that looks like this: sealed answers of others may be anything they could have answered."""
    answers: list[Answer | None] = [None] * len(view.table.money)
    for seat in sorted(set(view.answered)):
        if seat == view.seat:
            answers[seat] = view.answer
        else:
            possible = DESKS[type(view.stage)].legal(view.table, view.stage, seat)
            answers[seat] = chance.pick(possible, f"answer {seat}")  # type: ignore[assignment]
    return State(view.table, view.stage, tuple(answers))
