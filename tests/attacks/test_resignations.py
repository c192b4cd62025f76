"""What a server can try when one of two players has resigned."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.game import Standing
from engine.record.entry import Abandon, Close, Resign
from tests.attacks.forger import Forge, Forger, Forgery

forgery = Forgery()


def standing_of(forger: Forger) -> Standing:
    standing = forger.entry(forger.last, Close).standing
    assert standing is not None
    return standing


@forgery("won", "standing/differs")
def the_one_who_resigned_is_said_to_have_won(forger: Forger) -> int:
    it = standing_of(forger)
    forger.edit(forger.last, standing=Standing(True, it.scores, it.ranking[::-1]))
    forger.reseal(forger.last)
    return forger.last


@forgery("won", "standing/differs")
def both_are_said_to_have_won(forger: Forger) -> int:
    it = standing_of(forger)
    forger.edit(forger.last, standing=Standing(True, it.scores, ((0, 1),)))  # type: ignore[arg-type]
    forger.reseal(forger.last)
    return forger.last


@forgery("won", "standing/differs")
def nobody_is_said_to_have_won(forger: Forger) -> int:
    it = standing_of(forger)
    forger.edit(forger.last, standing=Standing(False, it.scores, it.ranking))
    forger.reseal(forger.last)
    return forger.last


@forgery("won", "signature/forged")
def somebody_is_made_to_resign(forger: Forger) -> int:
    number = forger.first(Resign)
    forger.sign(number, forger.server)
    forger.reseal(number + 1)
    return number


def given_up(forger: Forger, why: str) -> int:
    common: dict[str, Any] = forger.common(forger.last)
    position = forger.position(forger.last - 1)
    said = {"kind": "abandon", "why": why, "state": forger.digest(position.state, forger.last)}
    forger.put(forger.last, msgspec.convert({**common, **said}, Abandon))
    unfinished = position.game.standing(position.state)
    forger.edit(forger.last, standing=unfinished, state=forger.digest(position.state, forger.last))
    forger.reseal(forger.last - 1)
    return forger.last - 1


@forgery("won", "chain/order")
def the_table_is_given_up_as_idle(forger: Forger) -> int:
    return given_up(forger, "idle")


@forgery("won", "chain/order")
def the_table_is_given_up_by_a_vote(forger: Forger) -> int:
    return given_up(forger, "voted")


@forgery("won", "standing/differs")
def the_table_is_given_up_and_the_one_who_resigned_has_won(forger: Forger) -> int:
    given_up(forger, "resigned")
    it = standing_of(forger)
    forger.edit(forger.last, standing=Standing(True, it.scores, ((0,), (1,))))  # type: ignore[arg-type]
    forger.reseal(forger.last)
    return forger.last


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
