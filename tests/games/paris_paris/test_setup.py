"""§1 the map, §2 components, §3 setup, and the options of a table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import msgspec
import pytest

from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.game import Seat, told
from engine.games.paris_paris import GAME, Options, events
from engine.games.paris_paris.components import Token
from tests.games.paris_paris.positions import BOX, CHANCE, GREY, kinds

PILES = {2: (20, 3), 3: (15, 4), 4: (12, 5)}


@pytest.mark.cites("§1")
def test_five_lines_of_seven_stations_meet_at_ten_crossings() -> None:
    lines = [set(line.stations) for line in BOX.printed.lines]

    assert [len(line) for line in lines] == [7] * 5
    assert len(BOX.stations) == 25
    assert all(len(one & other) == 1 for one, other in combinations(lines, 2))
    assert BOX.capacity.count(2) == 10


@pytest.mark.cites("§1")
def test_the_attested_crossings_of_the_teal_line_come_in_their_order() -> None:
    crossings = [BOX.names[stop] for stop in BOX.crossings[BOX.line_no["teal"]]]

    assert crossings == ["Montmartre", "Pompidou", "Hôtel de Ville", "Quartier Latin"]


@pytest.mark.cites("§1")
@pytest.mark.parametrize(
    ("station", "neighbours"),
    [
        ("pompidou", {"les-halles", "hotel-de-ville", "st-nicolas", "pont-neuf"}),
        ("montmartre", {"bourse", "gare-du-nord", "opera"}),
        ("bourse", {"montmartre", "les-halles"}),
        ("etoile", {"champs-elysees"}),
    ],
)
def test_neighbours_are_consecutive_stations_of_a_line(station: str, neighbours: set[str]) -> None:
    assert {BOX.stations[place] for place in BOX.neighbours[BOX.station_no[station]]} == neighbours


@pytest.mark.cites("§2", "R3")
def test_there_is_a_token_for_every_neighbour_and_twelve_of_each_colour() -> None:
    deck = Counter(BOX.tokens[token] for token in BOX.deck)

    assert deck.total() == 60
    assert Counter(token.line for token in deck.elements()) == dict.fromkeys(BOX.lines, 12)
    for number, station in enumerate(BOX.stations):
        assert sum(deck[token] for token in deck if token.station == station) == len(BOX.neighbours[number])
    assert (deck[Token("montmartre", "teal")], deck[Token("montmartre", "red")]) == (1, 2)
    assert (deck[Token("pompidou", "teal")], deck[Token("pompidou", "blue")]) == (2, 2)


@pytest.mark.cites("§2")
def test_the_whole_box_is_on_the_table() -> None:
    box = GAME.pieces(GAME.deal(2, Options(), CHANCE).state)

    assert box["shop grey"] == box["shop violet"] == 20
    assert sum(count for piece, count in box.items() if piece.startswith("token ")) == 60
    assert box["token pompidou/teal"] == 2
    assert {piece for piece in box if piece.startswith("marker ")} == {f"marker {line}" for line in BOX.lines}
    assert box["bus"] == 1


@pytest.mark.cites("§3")
@pytest.mark.parametrize("players", GAME.seats)
def test_everybody_starts_with_nineteen_shops_and_no_points(players: int) -> None:
    state = GAME.deal(players, Options(), CHANCE).state

    assert state.supply == (19,) * players
    assert [score.total for score in GAME.standing(state).scores] == [0] * players


@pytest.mark.cites("§3", "§4.1", "R1")
@pytest.mark.parametrize("players", GAME.seats)
def test_the_piles_are_slices_of_the_shuffled_tokens_and_the_first_is_laid_out(players: int) -> None:
    piles, size = PILES[players]
    shuffled = Chance(bytes(32)).shuffled(BOX.deck, "tokens")

    state = GAME.deal(players, Options(), Chance(bytes(32))).state

    assert state.out == tuple(sorted(shuffled[:size]))
    assert state.piles == shuffled[size:]
    assert GAME.view(state, None).piles == piles - 1


@pytest.mark.cites("§3")
@pytest.mark.parametrize("players", GAME.seats)
def test_each_seat_is_told_its_own_marker_and_no_other(players: int) -> None:
    dealt = Chance(bytes(32)).shuffled(BOX.lines, "markers")

    step = GAME.deal(players, Options(), Chance(bytes(32)))

    for seat in map(Seat, range(players)):
        mine = [event for event in told(step.events, seat) if isinstance(event, events.Marker) and event.to]
        assert mine == [events.Marker(dealt[seat], seat, to=(seat,))]
    assert not [e for e in told(step.events, None) if isinstance(e, events.Marker) and e.seat is not None]


@pytest.mark.cites("§3")
def test_with_two_players_a_third_marker_lies_face_up() -> None:
    dealt = Chance(bytes(32)).shuffled(BOX.lines, "markers")

    step = GAME.deal(2, Options(), Chance(bytes(32)))

    assert events.Marker(dealt[2]) in told(step.events, None)
    assert GAME.view(step.state, None).face_up == (dealt[2],)
    assert GAME.view(GAME.deal(3, Options(), CHANCE).state, None).face_up == ()


@pytest.mark.cites("§3", "§4.1")
def test_seat_0_is_the_first_player() -> None:
    step = GAME.deal(4, Options(), CHANCE)

    assert list(GAME.waiting(step.state)) == [GREY]
    assert kinds(step.events) == ["Marker"] * 4 + ["LayOut"]


def test_the_default_options_are_the_printed_colours_in_seat_order() -> None:
    assert GAME.options() == Options("reconstruction-1", ("grey", "violet", "yellow", "green"))


def test_colours_may_be_dealt_otherwise() -> None:
    options = Options(colours=("green", "grey", "violet", "yellow"))

    assert GAME.deal(2, options, CHANCE).state.colours == ("green", "grey")


@pytest.mark.parametrize(
    ("seats", "options", "why"),
    [
        (2, Options(map="atlantis"), "no map 'atlantis'; there is reconstruction-1"),
        (2, Options(colours=("grey", "grey", "yellow", "green")), "must be grey, violet, yellow, green, each once"),
        (1, Options(), "2 to 4 players, not 1"),
        (5, Options(), "2 to 4 players, not 5"),
    ],
)
def test_options_that_do_not_fit_are_refused(seats: int, options: Options, why: str) -> None:
    with pytest.raises(OptionsRefused, match=why):
        GAME.deal(seats, options, CHANCE)


def test_the_components_of_a_table_are_the_whole_map_file_as_plain_json() -> None:
    facts = GAME.components(Options())

    assert facts["map"]["id"] == "reconstruction-1"
    assert msgspec.json.decode(msgspec.json.encode(facts)) == facts
