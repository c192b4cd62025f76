"""What an audit of the file alone cannot find, and who can: the limits that docs/threat-model.md states."""

from __future__ import annotations

import msgspec

from engine.record.audit import audit
from engine.record.chain import Chain, check, follow
from engine.record.entry import Close, Play, Timeout, is_sealed_by, seal
from engine.record.replay import advance, after, settled
from tests.attacks.forger import Forger, evening
from tests.engine.signed_games import Evening, data_of


def test_the_time_of_the_last_entries_is_the_servers_word() -> None:
    """No player signs anything after the close."""
    forger = Forger("two")
    forger.edit(forger.last, at="2030-01-01T00:00:00.000Z")
    forger.reseal(forger.last)
    assert audit(forger.data).valid


def test_two_sealed_entries_with_one_predecessor_convict_the_server() -> None:
    """It suppresses the last move, lets the deadline pass and plays the fallback: the file alone looks well.

    But the player holds the receipt of the move. Two entries that follow the same one, both under the server's seal,
    are a proof that anybody can check.
    """
    true = evening("clocked")
    move, before = true.record[-2], true.record[-3]
    position = Forger("clocked").position(len(true.record) - 3)
    seat = min(position.asked)
    assert isinstance(move.entry, Play)
    fallback = msgspec.to_builtins(position.game.fallback(position.state, seat))
    timeout = Timeout(
        table=true.id, seq=move.entry.seq, prev=before.hash, at="2030-01-01T00:00:00.000Z", seat=seat,
        base=move.entry.base, move=fallback, why="deadline", state="00" * 32,
    )  # fmt: skip
    forged = _finished(true, timeout)
    assert audit(forged).valid
    rival = forged.splitlines()[-2]
    assert rival != move.line
    assert is_sealed_by(move, true.server.public)
    assert move.entry.prev == timeout.prev


def _finished(true: Evening, timeout: Timeout) -> bytes:
    """The record with this timeout for its last move, complete as the server can make it."""
    lines, chain, position = true.record[:-2], Chain(), None
    for line in lines:
        position = advance(chain, position, line, true.secret)
        chain = follow(chain, line)
    ended = after(chain, position, timeout, true.secret)
    assert ended is not None
    sealed = seal(msgspec.structs.replace(timeout, state=ended.digest), true.server)
    chain, ended = follow(chain, sealed), settled(ended, sealed)
    close = Close(
        table=true.id, seq=chain.length, prev=chain.head, at=timeout.at, secret=true.secret.hex(),
        standing=ended.game.standing(ended.state),
        state=msgspec.structs.replace(ended, seq=chain.length).digest,
    )  # fmt: skip
    return data_of([*lines, sealed, seal(close, true.server)])


def test_while_a_game_is_played_the_chain_can_be_checked_and_its_states_cannot() -> None:
    """Without the secret a wrong digest, or a move that the rules forbid, shows only when the table is closed."""
    forger = Forger("two")
    forger.edit(4, state="ab" * 32)
    forger.reseal(4)
    chain = Chain()
    for line in forger.lines[:5]:
        assert list(check(chain, line)) == []
        chain = follow(chain, line)


def test_whoever_has_all_keys_can_write_any_game() -> None:
    """A record proves what these keys did, not who holds them."""
    assert audit(Evening("made up", evening("two").game, 2).play().close().data).valid
