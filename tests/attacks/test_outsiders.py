"""What somebody can do to a record who can change the file and cannot seal."""

from __future__ import annotations

import msgspec
import pytest

from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, evening

forgery = Forgery()


@forgery("two", "chain/sequence")
def an_entry_is_dropped(forger: Forger) -> int:
    del forger.lines[7]
    return 7


@forgery("two", "chain/sequence")
def two_entries_are_swapped(forger: Forger) -> int:
    forger.lines[7], forger.lines[8] = forger.lines[8], forger.lines[7]
    return 7


@forgery("two", "chain/sequence")
def an_entry_is_doubled(forger: Forger) -> int:
    forger.lines.insert(8, forger.lines[7])
    return 8


@forgery("two", "seal/forged")
def an_entry_of_another_record_is_inserted(forger: Forger) -> int:
    forger.lines.insert(8, evening("three").record[8])
    return 8


@forgery("two", "chain/sequence")
def the_opening_is_missing(forger: Forger) -> int:
    del forger.lines[0]
    return 0


@forgery("two", "seal/forged")
def the_opening_of_another_record_stands_first(forger: Forger) -> int:
    forger.lines[0] = evening("three").record[0]
    return 1


@forgery("two", "record/unfinished")
def the_tail_is_missing(forger: Forger) -> int:
    del forger.lines[30:]
    return 29


@forgery("two", "record/unfinished")
def only_the_close_is_missing(forger: Forger) -> int:
    del forger.lines[-1]
    return forger.last


@forgery("two", "record/unfinished")
def only_the_opening_is_left(forger: Forger) -> int:
    del forger.lines[1:]
    return 0


@forgery("two", "seal/forged")
def a_second_record_follows(forger: Forger) -> int:
    forger.lines += evening("three").record
    return len(evening("two").record)


@forgery("two", "chain/sequence")
def the_record_stands_twice(forger: Forger) -> int:
    forger.lines += evening("two").record
    return len(evening("two").record)


@forgery("two", "seal/forged")
def everything_is_sealed_with_another_key(forger: Forger) -> int:
    forger.reseal(0, STRANGER)
    return 0


@forgery("two", "signature/forged")
def everything_is_sealed_with_another_key_that_the_opening_names(forger: Forger) -> int:
    forger.edit(0, server=STRANGER.public)
    forger.reseal(0, STRANGER, rebase=True)
    return 1


@forgery("two", "seal/forged")
def a_seal_of_another_entry(forger: Forger) -> int:
    forger.lines[9] = msgspec.structs.replace(forger.lines[9], seal=forger.lines[8].seal)
    return 9


@forgery("two", "seal/forged")
def a_seal_by_a_player(forger: Forger) -> int:
    forger.reseal(9, forger.keys[0])
    return 9


@forgery("two", "seal/forged")
def the_server_key_is_a_point_of_small_order(forger: Forger) -> int:
    """Such a key would seem to have sealed anything at all."""
    forger.edit(0, server="01" + "00" * 31)
    forger.lines = [msgspec.structs.replace(line, seal="01" + "00" * 63) for line in forger.lines]
    return 0


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
