"""The chain: what anybody can check of a log without its secret."""

from __future__ import annotations

import msgspec
import pytest

from engine import games
from engine.errors import RecordRejected
from engine.game import Seat
from engine.record.chain import Chain, Phase, check, extend, follow
from engine.record.entry import FIRST, Play, Sealed, seal
from tests.engine.signed_games import Evening

PARIS = games.load("paris-paris")


def chain_of(record: list[Sealed]) -> Chain:
    chain = Chain()
    for sealed in record:
        chain = extend(chain, sealed)
    return chain


def test_the_first_entry_follows_nothing() -> None:
    chain = Chain()
    assert (chain.phase, chain.length, chain.head, chain.players) == (Phase.NEW, 0, FIRST, ())


def test_a_table_goes_through_its_phases() -> None:
    evening = Evening("phases", PARIS, 2).play().close()
    phases = [chain_of(evening.record[:length]).phase for length in (0, 1, 3, 4, 44, 45)]
    assert phases == [Phase.NEW, Phase.SITTING, Phase.SITTING, Phase.PLAYING, Phase.PLAYING, Phase.CLOSED]
    assert chain_of(Evening("x", PARIS, 2, sit=False).abandon("unfilled").record).phase is Phase.ABANDONED


def test_it_knows_who_sits_where() -> None:
    evening = Evening("seats", PARIS, 3, sit=False).sit(2).sit(0)
    chain = chain_of(evening.record)
    assert chain.names == ("ann", "seat 1", "cy")
    assert not chain.full
    assert chain.seat_of(evening.keys[2].public) == 2
    assert chain.seat_of(evening.server.public) is None
    assert chain_of(evening.sit(1).record).full


def test_before_the_deal_a_resignation_frees_the_seat() -> None:
    evening = Evening("leaving", PARIS, 2, sit=False).sit(0).resign(0)
    chain = chain_of(evening.record)
    assert (chain.players, chain.resigned) == ((None, None), frozenset())
    assert chain_of(evening.sit(0).record).names[0] == "ann", "and may be taken again, by the same player even"


def test_after_the_deal_a_resignation_keeps_the_seat() -> None:
    chain = chain_of(Evening("giving up", PARIS, 2).resign(1).record)
    assert chain.names == ("ann", "bob")
    assert chain.resigned == {Seat(1)}


def test_the_head_and_the_opening_are_hashes_of_entries() -> None:
    evening = Evening("hashes", PARIS, 2)
    chain = chain_of(evening.record)
    assert chain.opening == evening.record[0].hash
    assert chain.head == evening.record[-1].hash
    assert chain.at == evening.record[-1].entry.at


def test_a_chain_is_a_value() -> None:
    evening = Evening("value", PARIS, 2)
    chain = chain_of(evening.record[:-1])
    before = msgspec.structs.replace(chain)
    follow(chain, evening.record[-1])
    assert chain == before


def test_extending_stops_at_the_first_thing_wrong() -> None:
    evening = Evening("wrong", PARIS, 2).play(2)
    with pytest.raises(RecordRejected) as refused:
        chain_of([*evening.record[:4], evening.record[5]])
    assert (refused.value.entry, refused.value.code) == (4, "chain/sequence")


def test_everything_wrong_is_found_in_the_order_of_the_checks() -> None:
    """The numbered list of ``check_entry``, all but its last step, with one entry."""
    evening = Evening("everything", PARIS, 2).play(2)
    chain = chain_of(evening.record[:3])
    move = evening.record[4].entry
    assert isinstance(move, Play)
    wrong = msgspec.structs.replace(move, table="ab" * 16, seq=9, prev="cd" * 32, at="1999-01-01T00:00:00.000Z")
    found = list(check(chain, seal(wrong, evening.keys[0])))
    assert [fault.code for fault in found] == [
        "seal/forged",
        "chain/table",
        "chain/sequence",
        "chain/broken",
        "chain/time",
        "chain/order",
        "signature/forged",
    ]
    assert {fault.entry for fault in found} == {3}


def test_two_entries_may_bear_the_same_time() -> None:
    evening = Evening("same time", PARIS, 2, sit=False)
    evening.wait(-1).sit(0)
    assert evening.record[0].entry.at == evening.record[1].entry.at
    chain_of(evening.record)


def test_past_an_unreadable_line_counting_goes_on() -> None:
    chain = chain_of(Evening("gap", PARIS, 2).record)
    assert chain.skip().length == chain.length + 1
    assert chain.skip().head == chain.head


@pytest.mark.parametrize("why", ["resigned", "idle"])
def test_a_table_that_was_not_dealt_is_abandoned_as_unfilled_only(why: str) -> None:
    with pytest.raises(RecordRejected) as refused:
        Evening("undealt", PARIS, 2, sit=False).abandon(why)
    assert refused.value.code == "chain/order"


def test_a_full_table_is_dealt_and_not_abandoned() -> None:
    evening = Evening("full", PARIS, 2, sit=False).sit(0).sit(1)
    with pytest.raises(RecordRejected) as refused:
        evening.abandon("unfilled")
    assert refused.value.code == "chain/order"
    evening.deal()
