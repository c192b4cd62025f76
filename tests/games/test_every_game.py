"""What holds for every game, found by its folder; a fifth game is tested here the day it arrives."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from engine import games, notation, selfplay
from engine.bots import POLICIES
from engine.chance import Chance
from engine.errors import IllegalMove, InvalidMove, MoveRefused, NotUnderstood, OutOfTurn, RecordRejected
from engine.game import AnyGame, Seat, Value, decode_state, encode_state, redeal, told
from engine.record import audit as auditing
from engine.record.entry import PerDecision
from engine.record.replay import move_json, move_of, replay
from engine.record.timekeeping import IDLE_ROUNDS
from engine.scene import Scene, svg, terminal, text
from tests.engine.signed_games import Evening
from tests.games.golden_recipes import folder, golden_file, recipes
from tests.games.random_games import EVERY_GAME, EVERY_TABLE, KEYS, Playing


@EVERY_GAME
def test_a_game_is_found_by_its_folder_and_keeps_the_interface(game: AnyGame) -> None:
    assert games.load(game.key, game.rules_version) is game
    assert all(issubclass(kind, Value) for kind in (game.options, game.states, game.views, *game.moves))
    assert game.rulebook.summary.strip()
    assert all(rule.title and rule.text for rule in game.rulebook.rules)


@EVERY_TABLE
def test_a_random_game_ends_with_every_piece_in_place(game: AnyGame, seats: int, options: Any) -> None:
    playing = Playing(game, seats, options, b"whole game".ljust(32))
    box = game.pieces(playing.state)
    for _ in playing:
        assert game.pieces(playing.state) == box
        waiting = game.waiting(playing.state)
        assert list(waiting) == sorted(waiting)
        assert game.standing(playing.state).final == (not waiting)
        for seat in map(Seat, range(seats)):
            legal = game.legal(playing.state, seat)
            assert bool(legal) == (seat in waiting), "who is asked has a legal move, and nobody else"
            assert len(set(map(encoded, legal))) == len(legal), "a move is listed twice"
    ranked = [seat for rank in game.standing(playing.state).ranking for seat in rank]
    assert sorted(ranked) == list(range(seats))


def encoded(move: Any) -> bytes:
    return msgspec.json.encode(move)


@settings(max_examples=6)
@EVERY_TABLE
@given(seed=st.binary(min_size=32, max_size=32))
def test_any_seed_gives_a_whole_game(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    playing = Playing(game, seats, options, seed)
    box = game.pieces(playing.state)
    for _ in playing:
        pass
    assert game.pieces(playing.state) == box
    assert game.standing(playing.state).final


@EVERY_TABLE
def test_states_and_moves_are_plain_data_with_one_encoding(game: AnyGame, seats: int, options: Any) -> None:
    for playing in Playing(game, seats, options, b"encoding".ljust(32)):
        state = playing.state
        data = encode_state(state)
        assert decode_state(game, data) == state
        assert encode_state(decode_state(game, data)) == data
        hash(encoded(state))
        for seat in game.waiting(state):
            for move in game.legal(state, seat)[:20]:
                assert move_of(game, move_json(move)) == move
        for onlooker in playing.onlookers:
            view = game.view(state, onlooker)
            assert msgspec.json.decode(msgspec.json.encode(view), type=game.views) == view


@EVERY_TABLE
def test_a_move_has_one_order_for_the_items_of_a_list(game: AnyGame, seats: int, options: Any) -> None:
    """In no game so far does the order mean anything, so every other one is refused."""
    tried = 0
    for playing in Playing(game, seats, options, b"orders".ljust(32)):
        for seat in game.waiting(playing.state):
            for move in sample(list(game.legal(playing.state, seat)), playing.entry):
                for other in reordered(move_json(move)):
                    tried += 1
                    with pytest.raises(InvalidMove):
                        move_of(game, other)
    assert bool(tried) == any("tuple" in str(hint) for kind in game.moves for hint in get_type_hints(kind).values())


def reordered(move: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A move with each of its lists in every other order."""
    for member, items in move.items():
        if isinstance(items, list | tuple):
            orders = set(itertools.permutations(items)) - {tuple(items)}
            yield from (move | {member: list(order)} for order in sorted(orders))


@EVERY_TABLE
def test_every_legal_move_can_be_played_and_has_one_text_that_reads_back(
    game: AnyGame, seats: int, options: Any
) -> None:
    for playing in Playing(game, seats, options, b"notation".ljust(32)):
        for seat in game.waiting(playing.state):
            legal = game.legal(playing.state, seat)
            forms = game.forms(game.view(playing.state, seat))
            texts = [notation.write(forms, move) for move in legal]
            assert len(set(texts)) == len(texts), "two moves share a text"
            for move, written in sample(list(zip(legal, texts, strict=True)), playing.entry):
                assert notation.read(forms, written, legal) == move
                assert notation.read(forms, f"  {written.upper()} ", legal) == move
                game.play(playing.state, seat, move, playing.chance.at(playing.entry + 1))


def sample(moves: list[Any], salt: int) -> tuple[Any, ...]:
    """A few of many, so that a long list does not make a long test."""
    return Chance(b"sample", salt).shuffled(moves, "sample")[:12]


@EVERY_TABLE
def test_the_fallback_is_always_legal(game: AnyGame, seats: int, options: Any) -> None:
    for playing in Playing(game, seats, options, b"fallback".ljust(32)):
        for seat in game.waiting(playing.state):
            assert game.fallback(playing.state, seat) in game.legal(playing.state, seat)


@EVERY_TABLE
def test_a_view_is_blind_to_what_is_hidden(game: AnyGame, seats: int, options: Any) -> None:
    """A redeal changes nothing that a seat, or an onlooker, may see, be asked, or do."""
    for playing in Playing(game, seats, options, b"privacy".ljust(32)):
        state = playing.state
        for onlooker in playing.onlookers:
            view = game.view(state, onlooker)
            other = redeal(game, state, onlooker, Chance(b"redeal", playing.entry))
            assert game.view(other, onlooker) == view
            assert game.waiting(other) == game.waiting(state)
            assert game.standing(other) == game.standing(state)
            assert game.pieces(other) == game.pieces(state)
            if onlooker is not None:
                assert game.legal(other, onlooker) == game.legal(state, onlooker)
                if onlooker in game.waiting(state):
                    assert game.fallback(other, onlooker) == game.fallback(state, onlooker)


@EVERY_TABLE
def test_a_redeal_depends_on_nothing_hidden(game: AnyGame, seats: int, options: Any) -> None:
    """Dealing a redealt state again gives the same as dealing the first: no trace of the truth is left in it."""
    for playing in Playing(game, seats, options, b"no trace".ljust(32)):
        if playing.entry % 5:
            continue
        for onlooker in playing.onlookers:
            once = redeal(game, playing.state, onlooker, Chance(b"again", playing.entry))
            other = redeal(game, playing.state, onlooker, Chance(b"other", playing.entry))
            assert redeal(game, other, onlooker, Chance(b"again", playing.entry)) == once


@EVERY_TABLE
def test_events_tell_a_seat_no_more_than_it_may_know(game: AnyGame, seats: int, options: Any) -> None:
    """Two worlds that look the same to an onlooker before and after a move have been told of in the same words.

    What is shown in passing and kept in no view is exempt, by the name of its event.
    """
    passing = shown_in_passing(game)
    compared = 0
    for playing in Playing(game, seats, options, b"events".ljust(32)):
        seat = playing.to_move()
        if seat is None:
            break
        move = Chance(b"mind", playing.entry).pick(game.legal(playing.state, seat), "move")
        luck = playing.entry + 1
        real = game.play(playing.state, seat, move, playing.chance.at(luck))
        for onlooker in (onlooker for onlooker in playing.onlookers if onlooker != seat):
            world = redeal(game, playing.state, onlooker, Chance(b"world", playing.entry))
            try:
                other = game.play(world, seat, move, playing.chance.at(luck))
            except MoveRefused:
                continue
            if game.view(other.state, onlooker) != game.view(real.state, onlooker):
                continue
            compared += 1
            assert [event for event in told(other.events, onlooker) if type(event).__name__ not in passing] == [
                event for event in told(real.events, onlooker) if type(event).__name__ not in passing
            ]
    assert compared


def shown_in_passing(game: AnyGame) -> frozenset[str]:
    """The events that show something to everybody for a moment, as the game's tests list them."""
    if not (folder(game.key) / "golden.py").exists():
        return frozenset()
    golden = import_module(f"tests.games.{game.key.replace('-', '_')}.golden")
    return getattr(golden, "SHOWN_IN_PASSING", frozenset())


@EVERY_TABLE
def test_a_move_is_called_by_no_name_that_stays_hidden(game: AnyGame, seats: int, options: Any) -> None:
    """The log is public: what only the mover can see, before the move and after it, is not in the move's text."""
    for playing in Playing(game, seats, options, b"names".ljust(32)):
        seat = playing.to_move()
        if seat is None:
            break
        mine = game.view(playing.state, seat)
        move = Chance(b"mind", playing.entry).pick(game.legal(playing.state, seat), "move")
        called = notation.write(game.forms(mine), move).split()
        after = game.play(playing.state, seat, move, playing.chance.at(playing.entry + 1))
        for onlooker in (onlooker for onlooker in playing.onlookers if onlooker != seat):
            known = words(game.view(playing.state, onlooker)) | words(game.view(after.state, onlooker))
            known |= {word for event in told(after.events, onlooker) for word in words(event)}
            assert not (words(mine) - known).intersection(called)


def words(value: Any) -> set[str]:
    """Every text in a plain value."""
    match msgspec.to_builtins(value):
        case str(text):
            return {text}
        case dict(members):
            return set().union(*map(words, members.values()))
        case list(items) | tuple(items):
            return set().union(*map(words, items))
    return set()


@EVERY_TABLE
def test_every_event_can_be_told(game: AnyGame, seats: int, options: Any) -> None:
    for playing in Playing(game, seats, options, b"telling".ljust(32)):
        for event in playing.events:
            sentence = game.tell(event, names(seats))
            assert sentence == " ".join(sentence.split()), "one line, no stray spaces"
            assert sentence[-1:] in tuple(".!)"), f"not a sentence: {sentence!r}"
            assert event.to is None or set(event.to) <= set(range(seats))


@EVERY_TABLE
def test_refused_moves_change_nothing_and_cite_a_rule(game: AnyGame, seats: int, options: Any) -> None:
    """Every move legal somewhere is tried where it is not."""
    elsewhere: dict[bytes, Any] = {}
    refusals = 0
    for playing in Playing(game, seats, options, b"refusals".ljust(32)):
        state, before = playing.state, encode_state(playing.state)
        waiting = game.waiting(state)
        chance = playing.chance.at(playing.entry + 1)
        for seat in map(Seat, range(seats)):
            legal = {encoded(move): move for move in game.legal(state, seat)}
            strange = {data: move for data, move in elsewhere.items() if data not in legal}
            for move in sample(list(strange.values()), playing.entry):
                with pytest.raises(MoveRefused) as refused:
                    game.play(state, seat, move, chance)
                refusals += 1
                if seat in waiting:
                    assert isinstance(refused.value, IllegalMove), "a move at the wrong moment is illegal, not an error"
                    assert refused.value.rule in game.rulebook.rules
                else:
                    assert isinstance(refused.value, OutOfTurn)
            elsewhere.update(list(legal.items())[:50])
        assert encode_state(state) == before
    assert refusals


@EVERY_TABLE
def test_scenes_render_for_every_seat_at_every_step(game: AnyGame, seats: int, options: Any) -> None:
    """At every step every onlooker has a scene; one after the other it is drawn, in each way in turn."""
    # Always 256 colours: rich keeps the codes it has once written for a style, whatever console they were for.
    console = Console(width=80, file=StringIO(), force_terminal=True, color_system="256")

    def narrow(scene: Scene) -> None:
        assert max(map(len, text.draw(scene, width=60).splitlines())) <= 60

    def wide(scene: Scene) -> None:
        assert max(map(len, text.draw(scene).splitlines())) <= 100

    def picture(scene: Scene) -> None:
        assert svg.draw(scene).startswith("<svg")

    def colours(scene: Scene) -> None:
        console.print(terminal.draw(scene, 80))

    ways = itertools.cycle((wide, narrow, picture, colours))
    for playing in Playing(game, seats, options, b"scenes".ljust(32)):
        scenes = [game.scene(game.view(playing.state, onlooker), names(seats)) for onlooker in playing.onlookers]
        next(ways)(scenes[playing.entry % len(scenes)])
        if playing.to_move() is None:
            for way, scene in itertools.product((wide, narrow, picture, colours), scenes):
                way(scene)


def names(seats: int) -> list[str]:
    return ["ann", "bob", "cy", "dee", "eve", "fay"][:seats]


@EVERY_GAME
def test_a_table_of_absent_players_ends_or_may_be_abandoned(game: AnyGame) -> None:
    """Nobody ever answers: the fallbacks end the game, or when all have missed two the table may be given up."""
    seats, hour = min(game.seats), 3600
    evening = Evening(f"absent {game.key}", game, seats, clock=PerDecision(seconds=hour))
    missed: Counter[int] = Counter()
    while not evening.table.playing.over and min(missed[seat] for seat in range(seats)) < IDLE_ROUNDS:
        with pytest.raises(RecordRejected, match="still acting"):
            evening.abandon("idle")
        missed[min(evening.table.playing.asked)] += 1
        evening.wait(hour).timeout()
    if not evening.table.playing.over:
        evening.abandon("idle")
    found = auditing.audit(evening.close().data)
    assert found.faults == ()
    assert found.valid


@EVERY_GAME
@pytest.mark.parametrize("typed", ["", "   ", "xyzzy", "take", "🂡" * 50, "a" * 10_000, "\x1b[31mred", "take \x00"])
def test_nonsense_is_answered_with_what_was_expected(game: AnyGame, typed: str) -> None:
    playing = Playing(game, max(game.seats), game.options(), b"nonsense".ljust(32))
    seat = playing.to_move()
    assert seat is not None
    legal = game.legal(playing.state, seat)
    with pytest.raises(NotUnderstood) as refused:
        notation.read(game.forms(game.view(playing.state, seat)), typed, legal)
    assert refused.value.expected
    assert refused.value.nearest
    assert "\x1b" not in str(refused.value)


@EVERY_GAME
@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_record_of_bots_audits_and_replays_as_it_was_played(game: AnyGame, policy: str) -> None:
    played = selfplay.play(game, [policy] * min(game.seats), b"audit".ljust(32))
    found = auditing.audit(played.data)
    assert found.faults == ()
    assert found.valid
    assert found.standing == played.standing
    replayed = replay(played.record, bytes.fromhex(played.record[-1].entry.secret))  # type: ignore[union-attr]
    assert replayed.stopped is None
    assert replayed.positions[-1].state == played.table.playing.state


@EVERY_GAME
def test_the_same_seed_plays_the_same_game(game: AnyGame) -> None:
    bots = ["greedy", *["random"] * (min(game.seats) - 1)]
    first = selfplay.play(game, bots, b"again".ljust(32))
    assert selfplay.play(game, bots, b"again".ljust(32)).data == first.data


@pytest.mark.parametrize(("key", "name"), [(key, name) for key in KEYS for name in recipes(key)])
def test_golden_records_replay_byte_for_byte(key: str, name: str, request: pytest.FixtureRequest) -> None:
    game, path = games.load(key), golden_file(key, name)
    played = recipes(key)[name].play(game)
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(played.data)
    data = path.read_bytes()
    assert played.data == data
    assert auditing.audit(data).valid


@EVERY_GAME
def test_every_game_has_golden_records_and_no_stray_ones(game: AnyGame) -> None:
    recorded = {path.stem for path in (folder(game.key) / "golden").glob("*.poste")}
    assert recorded == set(recipes(game.key)), "golden.py lists what pytest --update-golden writes"
    assert recorded, f"list a few games worth keeping in {folder(game.key) / 'golden.py'}"


@EVERY_GAME
def test_every_rule_is_cited_by_a_test(game: AnyGame) -> None:
    cited: set[str] = set()
    for path in folder(game.key).glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cites":
                cited |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}  # type: ignore[misc]
    rules = {rule.key for rule in game.rulebook.rules}
    assert rules - cited == set(), "rules that no test proves"
    assert cited - rules == set(), "tests cite rules that the rulebook does not have"
