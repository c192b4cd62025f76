"""The same forgeries on a record of every game there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engine import games
from engine.record.entry import Close, Play
from engine.record.replay import move_json
from tests.attacks.forger import Forger, flipped

EVERY_RECORD = pytest.mark.parametrize("forger", [pytest.param(key, id=key) for key in games.keys()], indirect=True)


@pytest.fixture
def forger(request: pytest.FixtureRequest) -> Forger:
    return Forger(request.param)


def last_move(forger: Forger) -> int:
    return max(number for number, line in enumerate(forger.lines) if isinstance(line.entry, Play))


@EVERY_RECORD
@pytest.mark.parametrize("member", ["base", "prev", "signature", "state", "table", "at", "seat", "seq", "move"])
def test_an_outsider_edits_a_move(forger: Forger, member: str) -> None:
    number = last_move(forger)
    value: Any = getattr(forger.lines[number].entry, member)
    changed = {"at": "2099-01-01T00:00:00.000Z", "seat": 98, "seq": 10**6, "move": {"do": "cheat"}}
    forger.edit(number, **{member: changed[member] if member in changed else flipped(value)})
    assert forger.first_fault() == (number, "seal/forged")


@EVERY_RECORD
def test_an_outsider_drops_a_line(forger: Forger) -> None:
    number = last_move(forger)
    del forger.lines[number]
    assert forger.first_fault() == (number, "chain/sequence")


@EVERY_RECORD
def test_an_outsider_swaps_two_lines(forger: Forger) -> None:
    number = last_move(forger)
    forger.lines[number - 1], forger.lines[number] = forger.lines[number], forger.lines[number - 1]
    assert forger.first_fault() == (number - 1, "chain/sequence")


@EVERY_RECORD
def test_the_end_is_cut_off(forger: Forger) -> None:
    del forger.lines[-1]
    assert forger.first_fault() == (forger.last, "record/unfinished")


@EVERY_RECORD
def test_the_server_plays_another_legal_move_for_a_player(forger: Forger) -> None:
    number, written, position = next(
        (number, line.entry.move, forger.position(number - 1))
        for number, line in enumerate(forger.lines)
        if isinstance(line.entry, Play) and len(_legal(forger, number)) > 1
    )
    other = next(move for move in map(move_json, _legal(forger, number)) if move != written)
    assert position.seq == number - 1
    forger.edit(number, move=other)
    forger.reseal(number)
    assert forger.first_fault() == (number, "signature/forged")


def test_a_player_signs_a_move_with_its_list_in_another_order() -> None:
    """One move has one encoding: in another order it would be another record, and here and there another game."""
    tried = 0
    for key in games.keys():
        for number, move, member in list(_lists(Forger(key)))[:3]:
            forger = Forger(key)
            forger.sign(number, move=move | {member: move[member][::-1]})
            forger.reseal(number + 1)
            assert forger.first_fault() == (number, "move/invalid")
            tried += 1
    assert tried


def _lists(forger: Forger) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Moves that could have been played, with a list that reads otherwise from behind: entry, move, member."""
    for number in (number for number, line in enumerate(forger.lines) if isinstance(line.entry, Play)):
        for move in map(move_json, _legal(forger, number)):
            lists = (member for member, items in move.items() if isinstance(items, list | tuple))
            yield from ((number, move, member) for member in lists if move[member] != move[member][::-1])


def _legal(forger: Forger, number: int) -> Any:
    position, entry = forger.position(number - 1), forger.entry(number, Play)
    return position.game.legal(position.state, min(position.asked)) if entry.seat == min(position.asked) else ()


@EVERY_RECORD
def test_the_server_vouches_for_another_state(forger: Forger) -> None:
    number = last_move(forger)
    forger.edit(number, state="0" * 64)
    forger.reseal(number)
    assert forger.first_fault() == (number, "state/differs")


@EVERY_RECORD
def test_the_server_states_another_result(forger: Forger) -> None:
    standing = forger.entry(forger.last, Close).standing
    assert standing is not None
    forger.edit(forger.last, standing=msgspec.structs.replace(standing, ranking=standing.ranking[::-1]))
    forger.reseal(forger.last)
    assert forger.first_fault() == (forger.last, "standing/differs")


@EVERY_RECORD
def test_the_server_reveals_another_secret(forger: Forger) -> None:
    forger.edit(forger.last, secret=flipped(forger.entry(forger.last, Close).secret))
    forger.reseal(forger.last)
    assert forger.first_fault() == (forger.last, "secret/other")
