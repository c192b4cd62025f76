"""Notation: what people type means the one legal move it can mean, and hostile text costs nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import NotUnderstood
from engine.game import Move, Seat
from engine.notation import LONGEST_TEXT, Form, Number, Several, Words, read, separated, usage, write


class Take(Move, frozen=True):
    station: str
    line: str
    evict: Seat | None = None


class Keep(Move, frozen=True):
    slots: tuple[int, ...]
    face_up: bool = False


class Deliver(Move, frozen=True):
    tile: str
    goods: tuple[str, ...]
    bonus: str | None = None


class Pass(Move, frozen=True):
    pass


STATIONS = ["hotel-de-ville", "louvre", "luxembourg", "opera", "st-germain", "st-nicolas", "pont-neuf"]
LINES = Words({"red": "red", "blue": "blue", "brown": "brown"}, {"b": "blue", "n": "brown"})
COLOURS = Words({Seat(0): "grey", Seat(1): "green"}, {"g": Seat(0), "e": Seat(1)}, hint="colour", seats=True)
GOODS = Words({good: good for good in ("butter", "bread", "cheese", "rice", "rice-wine")})
FORMS = [
    Form(
        Take,
        "take {station}/{line} [evict {evict}]",
        station=Words({station: station for station in STATIONS}),
        line=LINES,
        evict=COLOURS,
    ),
    Form(Keep, "keep {slots} [face-up]", slots=Several(Number(1, hint="slot"))),
    Form(
        Deliver,
        "deliver {tile}: {goods} [for {bonus}]",
        tile=Words({f"D{n}": f"D{n}" for n in range(1, 21)}),
        goods=Several(GOODS),
        bonus=Words({"tip": "tip", "star": "star"}),
    ),
    Form(Pass, "pass"),
]
LEGAL: list[Any] = [
    Take("hotel-de-ville", "red"),
    Take("louvre", "red"),
    Take("louvre", "blue"),
    Take("luxembourg", "blue", Seat(0)),
    Take("luxembourg", "blue", Seat(1)),
    Take("opera", "brown"),
    Take("st-nicolas", "red", Seat(1)),
    Keep((0,)),
    Keep((0, 1)),
    Keep((0, 1), face_up=True),
    Keep((10,)),
    Deliver("D1", ("butter",)),
    Deliver("D10", ("butter",)),
    Deliver("D12", ("bread", "cheese")),
    Deliver("D12", ("bread", "cheese"), "star"),
    Pass(),
]


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Take("louvre", "red"), "take louvre/red"),
        (Take("luxembourg", "blue", Seat(1)), "take luxembourg/blue evict green"),
        (Keep((0, 1)), "keep 1 2"),
        (Keep((0, 1), face_up=True), "keep 1 2 face-up"),
        (Deliver("D12", ("bread", "cheese"), "star"), "deliver D12: bread cheese for star"),
        (Pass(), "pass"),
    ],
)
def test_a_move_has_one_text(move: Any, text: str) -> None:
    assert write(FORMS, move) == text


@pytest.mark.parametrize("move", LEGAL, ids=[write(FORMS, move) for move in LEGAL])
def test_the_text_of_a_move_reads_back(move: Any) -> None:
    text = write(FORMS, move)
    assert read(FORMS, text, LEGAL) == move
    assert read(FORMS, f"  {text.upper()}!\t", LEGAL) == move


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        pytest.param("TAKE LOUVRE RED", Take("louvre", "red"), id="case"),
        pytest.param("take Hôtel-de-Ville / Red", Take("hotel-de-ville", "red"), id="accents"),
        pytest.param("take Hôtel-de-Ville/red", Take("hotel-de-ville", "red"), id="combining accents"),
        pytest.param("ＴＡＫＥ ｏｐｅｒａ", Take("opera", "brown"), id="full width"),
        pytest.param("take: louvre, (red).", Take("louvre", "red"), id="punctuation"),
        pytest.param("take st nicolas", Take("st-nicolas", "red", Seat(1)), id="a gap in a word"),
        pytest.param("take hoteldeville", Take("hotel-de-ville", "red"), id="a word without its gaps"),
        pytest.param("t op", Take("opera", "brown"), id="beginnings of words"),
        pytest.param("take lo/b", Take("louvre", "blue"), id="another spelling"),
        pytest.param("take opera", Take("opera", "brown"), id="what is implied is left out"),
        pytest.param("take nicolas red", None, id="the middle of a word is not its beginning"),
        pytest.param("take lux evict e", Take("luxembourg", "blue", Seat(1)), id="a letter for a seat"),
        pytest.param("take lux evict bob", Take("luxembourg", "blue", Seat(1)), id="a player's name for a seat"),
        pytest.param("take lux ann", Take("luxembourg", "blue", Seat(0)), id="a small word left out"),
        pytest.param("keep 1", Keep((0,)), id="exactly this, though more would begin like it"),
        pytest.param("keep 1 2", Keep((0, 1)), id="exactly this, though a flag could follow"),
        pytest.param("keep 1 2 f", Keep((0, 1), face_up=True), id="a flag cut short"),
        pytest.param("keep 11", Keep((10,)), id="a number is counted from one"),
        pytest.param("t louvre/red", Take("louvre", "red"), id="the first word cut short"),
        pytest.param("deliver d 1 0", None, id="a gap in a number"),
        pytest.param("keep -1", None, id="a sign that no number has"),
        pytest.param("take opera/brown now", None, id="a word too many"),
        pytest.param("take opera/brown evict", None, id="a word without what follows it"),
        pytest.param("deliver d1", Deliver("D1", ("butter",)), id="a number is never cut short"),
        pytest.param("deliver D10 butter", Deliver("D10", ("butter",)), id="a longer number"),
        pytest.param("del d12 br ch star", Deliver("D12", ("bread", "cheese"), "star"), id="a list cut short"),
        pytest.param("p", Pass(), id="one letter"),
    ],
)
def test_what_is_typed_is_forgiven_much(typed: str, move: Any) -> None:
    if move is None:
        with pytest.raises(NotUnderstood):
            read(FORMS, typed, LEGAL, ["ann", "bob"])
    else:
        assert read(FORMS, typed, LEGAL, ["ann", "bob"]) == move


class Hire(Move, frozen=True):
    row: int
    column: int
    restaurant: int
    bid: int | None = None


class Pay(Move, frozen=True):
    cards: tuple[str, ...]
    coins: int = 0
    favours: int = 0


CARDS = ("rice", "rice-wine", "tea", "tea/rice")
COUNTER: list[Form] = [
    Form(
        Hire,
        "hire {row},{column} {restaurant} [{bid}]",
        row=Number(),
        column=Number(),
        restaurant=Number(),
        bid=Number(),
    ),
    Form(
        Pay,
        "pay {cards} [coins {coins}] [favours {favours}]",
        cards=Several(Words({card: card for card in CARDS}), order=CARDS.index),
        coins=Number(),
        favours=Number(),
    ),
]


@pytest.mark.parametrize(
    ("typed", "legal", "move"),
    [
        ("hire 5,1 0", [Hire(5, 1, 0), Hire(5, 3, 0)], Hire(5, 1, 0)),
        ("hire 5 3 0", [Hire(5, 1, 0), Hire(5, 3, 0)], Hire(5, 3, 0)),
        ("hire 5,3", [Hire(5, 1, 0), Hire(5, 3, 0)], Hire(5, 3, 0)),
        ("hire 5", [Hire(5, 1, 0), Hire(4, 5, 0)], Hire(5, 1, 0)),
        ("hire 3", [Hire(5, 3, 0)], None),
        ("hire 3 0", [Hire(5, 3, 0)], None),
        ("hire 5 0", [Hire(5, 3, 0)], None),
        ("hire 53 0", [Hire(5, 3, 0)], None),
        ("hire 5", [Hire(5, 1, 0), Hire(5, 3, 0)], None),
        ("hire 5,3 0", [Hire(5, 3, 0), Hire(5, 3, 0, 9)], Hire(5, 3, 0)),
        ("hire 5,3 0", [Hire(5, 3, 0, 9)], Hire(5, 3, 0, 9)),
        ("pay rice", [Pay(("rice-wine",))], None),
        ("pay tea wine", [Pay(("tea", "rice-wine"))], None),
        ("pay rice-w", [Pay(("rice-wine",))], Pay(("rice-wine",))),
        ("pay tea rice tea", [Pay(("rice", "tea", "tea"))], Pay(("rice", "tea", "tea"))),
        ("pay tea rice", [Pay(("tea/rice",))], Pay(("tea/rice",))),
        ("pay tea rice", [Pay(("tea/rice",)), Pay(("rice", "tea"))], None),
        ("pay rice 1", [Pay(("rice",), favours=1)], None),
        ("pay rice 1", [Pay(("rice",), coins=1)], None),
        ("pay rice fav 1", [Pay(("rice",), favours=1)], Pay(("rice",), favours=1)),
        ("pay rice", [Pay(("rice",)), Pay(("rice",), coins=1)], Pay(("rice",))),
        ("p rice", [Pay(("rice",)), Pay(("rice",), coins=1)], Pay(("rice",))),
    ],
)
def test_a_word_stands_for_its_own_field_and_no_other(typed: str, legal: list[Any], move: Any) -> None:
    """None: not one of these is played for it, be it the only one that there is."""
    found = understood(typed, legal, forms=COUNTER)
    assert (found if found in legal else None) == move


@pytest.mark.parametrize(
    ("typed", "names", "legal", "move"),
    [
        ("evict grey", ["ann", "grey"], [0, 1], 0),
        ("evict grey", ["ann", "grey"], [1], None),
        ("evict g", ["ann", "g"], [0, 1], 0),
        ("evict gree", ["gree", "bob"], [0], None),
        ("evict evict green", ["evict", "bob"], [0, 1], None),
        ("evict ann", ["ann", "anna"], [0, 1], 0),
        ("evict ann", ["ann", "anna"], [1], None),
        ("evict b", ["ann", "bob"], [0, 1], 1),
        ("evict 1", ["ann", "1"], [0, 1], None),
        ("evict 1", ["ann", "1up"], [0, 1], None),
    ],
)
def test_a_printed_word_is_never_somebodys_name(
    typed: str, names: list[str], legal: list[int], move: int | None
) -> None:
    class Evict(Move, frozen=True):
        seat: Seat

    forms = [Form(Evict, "evict {seat}", seat=COLOURS)]
    moves = [Evict(Seat(seat)) for seat in legal]
    found = understood(typed, moves, names, forms)
    assert (found if found in moves else None) == (None if move is None else Evict(Seat(move)))


def test_a_name_gives_way_to_a_word_that_is_printed_for_another_field() -> None:
    class Give(Move, frozen=True):
        seat: Seat
        good: str

    forms = [Form(Give, "give {seat} {good}", seat=COLOURS, good=GOODS)]
    legal = [Give(Seat(1), "rice"), Give(Seat(0), "cheese")]
    assert read(forms, "give rice", legal, ["rice", "bob"]) == Give(Seat(1), "rice")


@pytest.mark.parametrize(
    ("values", "also"),
    [({1: "b-1", 2: "B1"}, {}), ({1: "blue", 2: "brown"}, {"Blue": 2}), ({1: "..."}, {}), ({1: "now then"}, {})],
)
def test_words_that_could_not_be_told_apart_are_refused(values: dict[int, str], also: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"one word for two|between two moves"):
        Words(values, also)


@pytest.mark.parametrize("template", ["take {station} then {line}", "{station} take {line}", "4take {station}/{line}"])
def test_a_form_begins_with_a_word_of_its_own_and_leaves_room_between_moves(template: str) -> None:
    with pytest.raises(ValueError, match=r"word|then"):
        Form(Take, template, station=LINES, line=LINES)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("hire 5,3 0", ["hire 5,3 0"]),
        ("hire 5,3 0 THEN pass", ["hire 5,3 0", "pass"]),
        ("take D4;done ; stop;", ["take D4", "done", "stop"]),
        ("take D4\ndone", ["take D4", "done"]),
        ("take athens", ["take athens"]),
        ("take thenon", ["take thenon"]),
        (" ; ", []),
        ("", []),
    ],
)
def test_moves_are_separated_by_then_or_a_semicolon_and_by_no_comma(text: str, moves: list[str]) -> None:
    assert separated(text) == moves


def refusal(typed: str, legal: list[Any] = LEGAL) -> NotUnderstood:
    with pytest.raises(NotUnderstood) as refused:
        read(FORMS, typed, legal)
    return refused.value


def understood(typed: str, legal: list[Any], names: Sequence[str] = (), forms: Sequence[Form] = FORMS) -> Any:
    """The move that is meant, or None if it was refused as it should be."""
    try:
        return read(forms, typed, legal, names)
    except NotUnderstood as error:
        refused = error
    assert str(refused).isprintable()
    assert len(str(refused)) < 300
    assert refused.nearest
    return None


def test_what_could_mean_several_moves_lists_them() -> None:
    refused = refusal("take louvre")
    assert "several" in str(refused)
    assert sorted(refused.nearest) == ["take louvre/blue", "take louvre/red"]
    assert refused.expected == ("take <station>/<line> [evict <colour>]",)


def test_a_beginning_that_two_words_share_is_not_guessed_at() -> None:
    assert "several" in str(refusal("take l"))
    assert read(FORMS, "take l red", LEGAL) == Take("louvre", "red"), "unless the rest tells"


def test_the_first_word_may_not_be_left_out() -> None:
    assert "take opera/brown" in refusal("opera brown").nearest


def test_a_mistake_is_answered_with_what_was_expected_and_the_nearest_moves() -> None:
    refused = refusal("take oprea")
    assert refused.nearest[0] == "take opera/brown"
    assert refused.expected == (
        "take <station>/<line> [evict <colour>]",
        "keep <slot> ... [face-up]",
        "deliver <tile>: <goods> ... [for <bonus>]",
        "pass",
    )


def test_only_kinds_that_are_legal_now_are_expected() -> None:
    assert usage(FORMS, [Pass(), Pass()]) == ("pass",)
    assert refusal("take oprea", [Pass()]).expected == ("pass",)


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("take pont-neuf/red", Take("pont-neuf", "red")),
        ("take opera/red evict grey", Take("opera", "red", Seat(0))),
        ("keep 3 4 face up", Keep((2, 3), face_up=True)),
        ("deliver D20: rice cheese for tip", Deliver("D20", ("rice", "cheese"), "tip")),
        ("deliver D12: cheese bread", Deliver("D12", ("cheese", "bread"))),
        ("deliver D12: bread", Deliver("D12", ("bread",))),
    ],
)
def test_what_is_spelled_in_full_but_not_legal_is_left_to_the_rules(typed: str, move: Any) -> None:
    assert read(FORMS, typed, LEGAL) == move


def test_a_number_that_would_be_cut_short_is_not_another() -> None:
    legal = [Deliver("D10", ("butter",)), Deliver("D12", ("bread",))]
    assert refusal("deliver d1", legal).code == "move/not-understood"


def test_a_form_names_its_own_fields() -> None:
    with pytest.raises(ValueError, match="different fields"):
        Form(Take, "take {station}", station=LINES, line=LINES)


HOSTILE = [
    "take " + "a " * 97,
    "take " + "l " * 97,
    "keep " + "1 " * 97,
    "keep " + "1 " * 97 + "x",
    "deliver d1 " + "rice " * 37 + "x",
    "deliver d1 " + "ri ce " * 30,
    "deliver " + "d" * 190,
    "take " * 40,
    "p" * 200,
    "\u0301" * 200,
    "ﷺ" * 200,
    "K" * 200,
    "9" * 200,
    "keep " + "9" * 190,
    "keep ٣",
    "keep ²",
    "\x00" * 200,
    "\x1b[2J\x1b[31m take",
    "‮take opera",
    " " * 200,
    "/" * 200,
    "x" * (LONGEST_TEXT + 1),
    "take " * 1_000_000,
]


@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_answered_at_once(typed: str) -> None:
    start = time.process_time()
    understood(typed, LEGAL * 20, ["a", "aa", "aaa"])
    assert time.process_time() - start < 1


def test_words_that_run_into_each_other_cannot_be_read_in_endless_ways() -> None:
    """``a`` and ``aa`` are both words here, so every further ``a`` would double the readings of a list."""

    class Name(Move, frozen=True):
        seats: tuple[Seat, ...]
        again: tuple[Seat, ...] = ()

    several = Several(Words({Seat(0): "a", Seat(1): "aa", Seat(2): "aaa"}))
    forms = [Form(Name, "name {seats} [and {again}]", seats=several, again=several)]
    start = time.process_time()
    with pytest.raises(NotUnderstood):
        read(forms, "name " + "a " * 90 + "b", [Name((Seat(0),))])
    assert time.process_time() - start < 1


WORDS = ["take", "louvre", "lux", "red", "b", "evict", "keep", "1", "2", "d1", "deliver"]


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join))
@example("p")
def test_any_text_is_a_move_or_is_refused(typed: str) -> None:
    move = understood(typed, LEGAL)
    if move is not None:
        legal = LEGAL if move in LEGAL else [*LEGAL, move]
        assert read(FORMS, write(FORMS, move), legal) == move
