"""How far back a player's signature reaches: what the server can write otherwise, and from when on it no longer can."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client.trust.log_verification import Trust, Unverified, check_receipts, extension
from client.trust.table_memory import Receipted
from engine import games
from engine.game import Seat
from engine.record.audit import audit
from engine.record.chain import Chain, follow
from engine.record.entry import AnyEntry, Away, Delegate, Play, Revoke, Sit, Spoken, read_line, timestamp
from tests.attacks.forger import Forger
from tests.engine.signed_games import Evening

Change = Callable[[Forger, int], None]


def dated_otherwise(forger: Forger, number: int) -> None:
    """Half a second later, and everything after it linked and sealed anew."""
    forger.edit(number, at=forger.lines[number].entry.at.replace(".000Z", ".500Z"))
    forger.reseal(number)


def left_out(forger: Forger, number: int) -> None:
    del forger.lines[number]
    forger.reseal(number)


def reaches(forger: Forger) -> list[int]:
    """How far behind it each entry is fixed: the number of the last entry that its signature names, or -1."""
    numbers = {line.hash: number for number, line in enumerate(forger.lines)}
    found = []
    for line in forger.lines:
        entry = line.entry
        by_hand = getattr(entry, "by", None) is None
        base = entry.prev if isinstance(entry, Sit) else getattr(entry, "base", "")
        found.append(numbers[base] if by_hand and isinstance(entry, Sit | Spoken | Play) else -1)
    return found


CHANGES = pytest.mark.parametrize("change", [dated_otherwise, left_out])
WORDS = pytest.mark.parametrize("kind", [Away, Delegate, Revoke])


@WORDS
@CHANGES
def test_before_the_move_that_was_awaited_already_the_file_alone_shows_nothing(
    kind: type[AnyEntry], change: Change
) -> None:
    """That move names the entry that opened its decision, and the words stand behind it."""
    forger = Forger("last words")
    number = forger.first(kind)
    assert max(reaches(forger)[number:]) < number
    change(forger, number)
    assert audit(forger.data).valid


@WORDS
@CHANGES
def test_the_first_signature_that_reaches_it_shows_it(kind: type[AnyEntry], change: Change) -> None:
    forger = Forger("words")
    number = forger.first(kind)
    first = next(later for later, reach in enumerate(reaches(forger)) if reach >= number)
    assert first == forger.first(Revoke) + 2, "the move that was awaited already does not, the one after it does"
    change(forger, number)
    assert forger.first_fault() == (first - (change is left_out), "move/stale")


def test_nothing_that_a_later_signature_reaches_can_be_dated_otherwise() -> None:
    """Entry by entry: what is reached is found, what is not is not."""
    for number in range(4, len(Forger("words").lines)):
        forger = Forger("words")
        reached = max(reaches(forger)[number:]) >= number
        dated_otherwise(forger, number)
        assert audit(forger.data).valid == (not reached), f"entry {number}"


@WORDS
@CHANGES
def test_the_memory_of_a_player_shows_it_where_the_file_does_not(kind: type[AnyEntry], change: Change) -> None:
    """Of everybody who has seen it in the log, and of the one who said it by the receipt alone."""
    forger = Forger("last words")
    number = forger.first(kind)
    said, true = forger.lines[number], list(forger.lines)
    change(forger, number)
    chain = Chain()
    for line in true[: number + 1]:
        chain = follow(chain, line)
    trust = Trust(forger.table, forger.server.public, forger.keys[0].public)
    with pytest.raises(Unverified) as caught:
        extension(chain, said, [line.line for line in forger.lines[number:]], trust)
    assert (caught.value.entry, caught.value.code) == (number, "log/rewritten")
    told = [read_line(line) for line in forger.data.splitlines()]
    check_receipts(true, [Receipted(said.line.decode())])
    with pytest.raises(Unverified) as caught:
        check_receipts(told, [Receipted(said.line.decode())])
    assert (caught.value.entry, caught.value.code) == (number, "receipt/contradicted")


def test_what_the_gateway_signs_fixes_nothing_against_the_server() -> None:
    """Two records of one game by mail, both valid, with nothing different that a player signed."""

    def by_mail(evening: Evening, seat: Seat) -> bool:
        move = evening.game.legal(evening.table.playing.state, seat)[0]
        return bool(evening.move(seat, move, mail=True))

    prompt, late = (Evening("by mail", games.load("paris-paris"), 2).delegate(0).delegate(1) for _ in range(2))
    prompt.play(answer=by_mail).close()
    late.play(3, answer=by_mail).wait(900).play(answer=by_mail).close()
    assert audit(prompt.data).valid
    assert audit(late.data).valid
    assert prompt.record[:6] == late.record[:6]
    assert prompt.data != late.data
    assert prompt.record[-1].entry.at < timestamp(late.moment)
    assert all(line.entry.by == "mail" for line in late.record if isinstance(line.entry, Play))
