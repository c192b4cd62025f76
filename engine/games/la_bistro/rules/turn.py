"""A turn, §3: employees appear, options are chosen and carried out, time passes, and in the end the diners come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from engine.chance import Chance
from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import events, scoring
from engine.games.la_bistro.components import EDITIONS, Place
from engine.games.la_bistro.moves import OPTIONS, AnyMove, Choose, Option
from engine.games.la_bistro.rulebook import CHOICE, NO_EFFECT
from engine.games.la_bistro.rules import earning, market, office, realtor
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.decision_kind import Answers, DecisionKind
from engine.games.la_bistro.state import AnyStage, BuildingLot, Choosing, EmployeeLot, Income, Over, RightLot, Table

BEGIN: Mapping[Option, Callable[[Course, tuple[Seat, ...]], None]] = {
    "realtor": realtor.begin,
    "chef": office.begin_menus,
    "banker": office.begin_banking,
    "ads": office.begin_advertising,
    "jobs": market.begin_jobs,
    "renovations": market.begin_renovations,
}
"""What there is to do in each option; passing time is only felt at the end of the phase."""
AWARD: Mapping[type[Any], Callable[[Course, Any, Seat, int], None]] = {
    BuildingLot: realtor.sold,
    RightLot: market.right_won,
    EmployeeLot: market.reauctioned,
}


def set_up(seats: int, edition: str, auctions: Literal["open", "sealed-proxy"], chance: Chance) -> Course:
    """Setup, §2, with the first employees on the Jobs Board."""
    box = EDITIONS[edition]
    setup = box.printed.setup
    table = Table(
        edition=edition,
        auctions=auctions,
        turn=1,
        phase=0,
        time=0,
        inflation=box.printed.inflation.start,
        unused=setup.dice - setup.dice_per_player * seats,
        aside=0,
        jobs=(),
        bank=0,
        money=(box.money[seats],) * seats,
        loans=(0,) * seats,
        restaurants=((),) * seats,
        income=(Income(),) * seats,
        choices=(),
    )
    course = Course(table, chance)
    employees_appear(course)
    return course


def go_on(course: Course) -> AnyStage:
    """What follows by itself, until somebody is asked something or the game is over."""
    while (stage := course.stage) is None:
        if course.hammer is not None:
            (lot, winner, price), course.hammer = course.hammer, None
            AWARD[type(lot)](course, lot, winner, price)
        else:
            _next_option(course)
    return stage


def employees_appear(course: Course) -> None:
    """Employees appear, §3.1: up to three; with too few dice the diners come instead."""
    table, setup = course.table, course.edition.printed.setup
    if table.unused < setup.min_unused_dice:
        earning_phase(course)
        return
    course.tell(events.Phase(table.turn, table.phase + 1))
    jobs, unused = set(table.jobs), table.unused
    for _ in range(setup.jobs_dice_per_phase):
        place = Place(course.chance.roll("jobs-row"), course.chance.roll("jobs-column"))
        free = place not in jobs
        if free:  # else this attempt places nothing (R2)
            jobs.add(place)
            unused -= 1
        employee = course.edition.employees[course.edition.jobs[place]].name
        course.tell(events.Applicant(place.row, place.column, employee, free))
    course.change(jobs=tuple(sorted(jobs)), unused=unused, phase=table.phase + 1, choices=(), option=None)
    seats = tuple(map(Seat, range(len(table.money))))
    if course.table.is_first_phase:
        course.change(choices=("realtor",) * len(seats))
    else:
        course.stage = Choosing(seats)


def _next_option(course: Course) -> None:
    """Options, §3.3, in their order; then time passes."""
    table = course.table
    done = OPTIONS.index(table.option) + 1 if table.option else 0
    for option in OPTIONS[done:]:
        if option in BEGIN and option in table.choices:
            course.change(option=option)
            BEGIN[option](course, tuple([Seat(s) for s, chosen in enumerate(table.choices) if chosen == option]))
            return
    time_passes(course)


def time_passes(course: Course) -> None:
    """Time passes, §3.4: past the last box (R17) the diners come."""
    table = course.table
    dice = tuple([course.chance.roll("time") for _ in range(1 + table.choices.count("time"))])
    time = table.time + sum(dice)
    if time > course.edition.printed.time_track.boxes:
        course.tell(events.TimePasses(dice, None))
        earning_phase(course)
    else:
        course.tell(events.TimePasses(dice, time))
        course.change(time=time)
        employees_appear(course)


def earning_phase(course: Course) -> None:
    """Earning phase, §4, and on to the next turn or the end (§4.3 h)."""
    earning.earn(course)
    table = course.table
    course.change(time=0, phase=0, choices=(), option=None)
    if table.turn == course.edition.turns[len(table.money)]:
        course.stage = Over()
        course.tell(events.End(scoring.standing(course.table, final=True).ranking))
    else:
        course.change(turn=table.turn + 1)
        employees_appear(course)


# ------------------------------------------------------------------ choice of option


def _why_not(table: Table, seat: Seat, option: Option) -> str | None:
    """Why a choice could have no effect (R5), if so."""
    edition, mine = EDITIONS[table.edition], table.restaurants[seat]
    match option:
        case "realtor":
            if len(mine) >= edition.printed.setup.max_restaurants:
                return f"you have {len(mine)} restaurants, and more are not allowed"
            if not realtor.unsold(table):
                return "all buildings are sold"
        case "chef" | "jobs" | "renovations":
            if not mine:
                return f"you have no restaurant yet, so {option} could do nothing for you"
            if option == "chef" and table.money[seat] < edition.printed.costs.chef:
                return f"the chef costs {edition.printed.costs.chef}, which you do not have"
    return None


def _choices(table: Table, stage: Choosing, seat: Seat) -> Sequence[AnyMove]:  # noqa: ARG001
    return [Choose(option) for option in OPTIONS if _why_not(table, seat, option) is None]


def _check_choice(table: Table, stage: Choosing, seat: Seat, move: Choose) -> None:  # noqa: ARG001
    why = _why_not(table, seat, move.option)
    if why is not None:
        raise IllegalMove(NO_EFFECT, why)


def _reveal(course: Course, stage: Choosing, answers: Answers) -> None:  # noqa: ARG001
    """Choice of option, §3.2: all at once."""
    choices = tuple([move.option for _, move in answers])
    course.change(choices=choices)
    course.tell(events.Reveal(choices))


CHOOSING = DecisionKind(
    kind="option",
    rule=CHOICE,
    moves=(Choose,),
    prompt=lambda table, stage: "Choose an option for this phase, in secret.",  # noqa: ARG005
    legal=_choices,
    check=_check_choice,
    fallback=lambda table, stage, seat: Choose("ads"),  # noqa: ARG005
    carry_out=_reveal,
    sealed=True,
)
