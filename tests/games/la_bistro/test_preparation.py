"""§3.1 employees appear, §3.2 the choice of option, §3.4 time passes."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Seat
from engine.games.la_bistro import GAME, Options, events
from engine.games.la_bistro.moves import OPTIONS, Bid, Choose, Hire, Option
from engine.games.la_bistro.rulebook import CHOICE, NO_EFFECT
from engine.games.la_bistro.state import Choosing, State
from tests.games.la_bistro.positions import (
    ANN,
    BOB,
    BOX,
    CHANCE,
    CY,
    a_table,
    asked,
    asking,
    choose,
    loaded,
    only,
    play,
    restaurant,
)


def phases_of_a_turn(players: int, seed: int) -> tuple[list[int], bool]:
    """The unused dice at the start of each phase of the first turn, and whether any roll met a die already there.

    Time stands almost still: every roll on the track is a 1.
    """
    chance = loaded(time=[1] * 60, jobs_row=range_of(seed, 0), jobs_column=range_of(seed, 1))
    step = GAME.deal(players, Options(), chance)
    unused, told = [step.state.table.unused + placed(step.events)], list(step.events)
    while step.state.table.turn == 1:
        seat = min(GAME.waiting(step.state))
        step = GAME.play(step.state, seat, GAME.fallback(step.state, seat), chance)
        told += step.events
        if only(step.events, events.Phase) and step.state.table.turn == 1:
            unused.append(step.state.table.unused + placed(step.events))
    first_turn = told[: next(i for i, event in enumerate(told) if isinstance(event, events.DinersCome))]
    return unused, all(event.placed for event in only(first_turn, events.Applicant))


def placed(told: tuple[object, ...]) -> int:
    return sum(isinstance(event, events.Applicant) and event.placed for event in told)


def range_of(seed: int, which: int) -> list[int]:
    """Boxes in an order without repetition, starting anywhere."""
    boxes = [divmod((seed + 5 * i) % 36, 6) for i in range(36)]
    return [box[which] + 1 for box in boxes]


@pytest.mark.cites("§3.1", "§3")
@pytest.mark.parametrize(
    ("players", "unused"),
    [(2, [13, 10, 7, 4]), (3, [12, 9, 6, 3]), (4, [11, 8, 5]), (5, [10, 7, 4]), (6, [9, 6, 3])],
)
def test_the_dice_make_three_or_four_phases_a_turn(players: int, unused: list[int]) -> None:
    assert phases_of_a_turn(players, seed=7) == (unused, True)


@pytest.mark.cites("§3.1", "R2")
def test_r2_an_attempt_on_a_box_with_a_die_places_nothing_and_its_die_stays_unused() -> None:
    state = asking(a_table([], [], jobs=[(1, 1)]))

    after = choose(state, "time", "time", chance=loaded(jobs_row=[1, 2, 2], jobs_column=[1, 2, 2], time=[1, 1, 1]))

    assert after.state.table.jobs == ((1, 1), (2, 2))
    assert after.state.table.unused == state.table.unused - 1
    assert [event.placed for event in only(after.events, events.Applicant)] == [False, True, False]


@pytest.mark.cites("§3.1")
def test_collisions_can_add_a_phase() -> None:
    five = asking(a_table([], [], [], [], jobs=[(1, c) for c in range(1, 7)]))

    after = choose(five, "ads", "ads", "ads", "ads", chance=loaded(jobs_row=[1, 1, 2], jobs_column=[1, 2, 1], time=[1]))

    assert after.state.table.unused == 4
    assert choose(after.state, "ads", "ads", "ads", "ads", chance=loaded(time=[1])).state.table.turn == 1


@pytest.mark.cites("§3.1")
def test_with_fewer_than_three_unused_dice_all_are_taken_back_and_the_diners_come() -> None:
    state = asking(a_table([], [], [], [], jobs=[(1, c) for c in range(1, 7)], aside=3))
    assert state.table.unused == 2

    after = choose(state, "ads", "ads", "ads", "ads", chance=loaded(time=[1]))

    assert only(after.events, events.DinersCome)
    assert (after.state.table.turn, after.state.table.aside, len(after.state.table.jobs)) == (2, 0, 3)


@pytest.mark.cites("R3")
def test_r3_the_die_of_the_hired_is_set_aside_and_the_box_may_be_rolled_again() -> None:
    state = asking(a_table([restaurant("B8")], [restaurant("B9")], jobs=[(5, 1), (4, 4)]))
    chosen = choose(state, "jobs", "time")

    after = play(
        chosen.state, (ANN, Hire(5, 1, 0)), chance=loaded(jobs_row=[5, 1, 1], jobs_column=[1, 1, 2], time=[1, 1])
    )

    assert after.state.table.aside == 1
    assert (5, 1) in after.state.table.jobs
    assert after.state.table.unused == state.table.unused - 3


@pytest.mark.cites("§3.2")
def test_everybody_chooses_under_seal_and_all_is_shown_at_once() -> None:
    state = asking(a_table([restaurant("B8")], [], []))
    assert all(decision.sealed for decision in GAME.waiting(state).values())

    one = GAME.play(state, ANN, Choose("chef"), CHANCE)
    two = GAME.play(one.state, BOB, Choose("realtor"), CHANCE)
    three = GAME.play(two.state, CY, Choose("time"), CHANCE)

    assert (one.events, two.events, two.state.table.choices) == ((), (), ())
    assert asked(two.state) == {CY: "option"}
    assert three.events[0] == events.Reveal(("chef", "realtor", "time"))
    assert three.state.table.choices == ("chef", "realtor", "time")


@pytest.mark.cites("§3.2")
def test_a_sealed_answer_cannot_be_changed() -> None:
    state = GAME.play(asking(a_table([], [])), ANN, Choose("time"), CHANCE).state

    assert GAME.legal(state, ANN) == ()
    with pytest.raises(OutOfTurn, match="not asked"):
        GAME.play(state, ANN, Choose("ads"), CHANCE)
    with pytest.raises(OutOfTurn):
        GAME.fallback(state, ANN)


@pytest.mark.cites("§3.2")
def test_only_an_option_answers_the_choice() -> None:
    with pytest.raises(IllegalMove, match="not what you are asked now: Choose an option") as refused:
        GAME.play(asking(a_table([], [])), ANN, Bid(3), CHANCE)
    assert refused.value.rule is CHOICE


@pytest.mark.cites("R4")
def test_r4_from_the_second_phase_of_the_first_turn_on_options_are_chosen() -> None:
    state = GAME.deal(3, Options(), CHANCE).state
    for seat in (ANN, BOB, CY):
        state = GAME.play(state, seat, GAME.fallback(state, seat), loaded(time=[1])).state

    assert (state.table.turn, state.table.phase) == (1, 2)
    assert asked(state) == {ANN: "option", BOB: "option", CY: "option"}


@pytest.mark.cites("R5")
@pytest.mark.parametrize(
    ("position", "missing"),
    [
        ({"restaurants": [], "money": 30}, {"chef", "jobs", "renovations"}),
        ({"restaurants": [restaurant("B8")], "money": 1}, set()),
        ({"restaurants": [restaurant("B8")], "money": 0}, {"chef"}),
        ({"restaurants": [restaurant("B8"), restaurant("B9")], "money": 0}, {"realtor", "chef"}),
    ],
)
def test_r5_choices_that_could_do_nothing_are_not_offered(position: dict[str, object], missing: set[str]) -> None:
    state = asking(a_table(position["restaurants"], [], money=[position["money"], 30]))  # type: ignore[arg-type, list-item]

    offered = {move.option for move in GAME.legal(state, ANN) if isinstance(move, Choose)}

    assert offered == set(OPTIONS) - missing
    for option in sorted(missing):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, ANN, Choose(option), CHANCE)  # type: ignore[arg-type]
        assert refused.value.rule is NO_EFFECT


@pytest.mark.cites("R5")
def test_r5_the_realtor_needs_a_building_for_sale() -> None:
    state = asking(a_table([restaurant(building) for building in BOX.buildings], []))

    with pytest.raises(IllegalMove, match="all buildings are sold") as refused:
        GAME.play(state, BOB, Choose("realtor"), CHANCE)
    assert refused.value.rule is NO_EFFECT


@pytest.mark.cites("§3.3", "§3.3.2")
def test_options_are_carried_out_in_their_order_whatever_the_seats() -> None:
    own: list[Option] = ["renovations", "jobs", "ads", "banker", "chef", "realtor"]
    houses = [[restaurant(building)] for building in ("B1", "B2", "B3", "B4", "B5", "B6")]
    state = choose(asking(a_table(*houses, jobs=[(5, 1)])), *own).state
    seen = []
    while not isinstance(state.stage, Choosing):
        seat = min(GAME.waiting(state))
        seen.append((int(seat), state.table.option))
        state = GAME.play(state, seat, GAME.fallback(state, seat), CHANCE).state

    assert seen == [(5, "realtor"), (4, "chef"), (3, "banker"), (2, "ads"), (1, "jobs"), (0, "renovations")]


@pytest.mark.cites("§3.4", "§3.3.2")
def test_time_passes_by_one_die_and_one_more_for_each_who_lets_it_pass() -> None:
    state = asking(a_table([], [], [], time=2))

    after = choose(state, "time", "ads", "time", chance=loaded(time=[1, 2, 3]))

    assert events.TimePasses((1, 2, 3), 8) in after.events
    assert after.state.table.time == 8


@pytest.mark.cites("§3.4", "R17")
def test_r17_the_last_box_is_still_on_the_track() -> None:
    on_it = choose(asking(a_table([], [], time=12)), "ads", "ads", chance=loaded(time=[3])).state.table
    past_it = choose(asking(a_table([], [], time=13)), "ads", "ads", chance=loaded(time=[3]))

    assert (on_it.turn, on_it.time) == (1, 15)
    assert events.TimePasses((3,), None) in past_it.events
    assert (past_it.state.table.turn, past_it.state.table.time) == (2, 0)


@pytest.mark.cites("§3", "§3.4")
def test_the_time_track_can_cut_phases_off() -> None:
    state = asking(a_table([], [], time=10))

    after = choose(state, "time", "time", chance=loaded(time=[6, 6, 6])).state.table

    assert (after.turn, after.phase, after.unused) == (2, 1, 10)


@pytest.mark.cites("§3.3")
def test_richest_first_is_by_money_and_equals_by_chance() -> None:
    table = a_table([restaurant("B1")], [restaurant("B2")], [restaurant("B3")], [restaurant("B4")], money=[9, 20, 9, 9])
    orders = set()
    for entry in range(60):
        told = choose(asking(table), "chef", "chef", "chef", "chef", chance=Chance(bytes(32), entry)).events
        (order,) = only(told, events.Order)
        assert order.seats[0] == BOB
        orders.add(order.seats[1:])

    assert len(orders) == 6


def test_nobody_else_may_answer() -> None:
    state: State = GAME.deal(3, Options(), CHANCE).state

    with pytest.raises(OutOfTurn, match="not asked anything now"):
        GAME.play(state, Seat(1), Choose("ads"), CHANCE)
    assert GAME.legal(state, Seat(1)) == ()
