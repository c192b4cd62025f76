"""How the seats stand."""

from __future__ import annotations

from engine.game import Score, Seat, Standing, Tie
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.state import Table


def standing(table: Table, *, final: bool) -> Standing:
    """End, §5: money less what the loans will cost; among equals the most famous restaurant, and nothing more (R25)."""
    per_loan = EDITIONS[table.edition].printed.costs.loan_final
    scores = []
    for seat, (money, loans, income) in enumerate(zip(table.money, table.loans, table.income, strict=True)):
        fame = max([restaurant.fame for restaurant in table.restaurants[seat]], default=0)
        parts = {
            "money": money,
            "loans": loans,
            "regular": income.regular,
            "inflation": income.inflation,
            "gold": income.gold,
            "splits": income.splits,
        }
        total = money - per_loan * loans
        scores.append(Score(Seat(seat), total, parts, (Tie("fame of the best restaurant", fame),)))
    return Standing.of(scores, final=final)
