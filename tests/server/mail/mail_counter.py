"""The counter where mail comes in, called directly: no processes, and the time in our hands."""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, select

from engine import notation
from engine.game import Seat
from engine.keys import SigningKey
from engine.record import armour
from engine.record.entry import delegate_message, instant, sit_message, timestamp
from server.mail.incoming.gateway import Gateway
from server.mail.incoming.smtp_listener import Envelope, Verdict
from server.mail.reply_addresses import counter
from server.service import mailboxes, players, table_actions
from server.service.entry_batch import SignedDelegation
from server.service.server_context import ServerContext
from server.service.table_actions import SitRequest
from server.storage.models import MAILBOXES, OUTBOX, PLAYERS
from tests.server.test_clockwork import Seated, Watch

OFFICE = "post@example.org"


class MailCounter:
    """A gateway, and what it has answered."""

    def __init__(self, context: ServerContext) -> None:
        self.context = context
        self.gateway = Gateway(context, counter(context.settings))

    def rows(self, kind: str) -> list[Row[Any]]:
        with self.context.storage.reading() as connection:
            return list(connection.execute(select(OUTBOX).where(OUTBOX.c.kind == kind).order_by(OUTBOX.c.id)))

    def reply_to(self, kind: str, number: int = -1) -> str:
        """The reply address of a mail of this kind: the newest, or another."""
        return f"post+{self.rows(kind)[number].token}@example.org"

    def post(self, to: str, text: str, name: str = "", head: str = "") -> Verdict:
        mail = (
            f"From: eve@else.org\nSubject: Re: x\nMessage-ID: <{name or secrets.token_hex(8)}@else.org>\n{head}\n{text}"
        )
        return self.gateway.deliver(Envelope("eve@else.org", to, mail.replace("\n", "\r\n").encode()))

    def answers(self) -> list[tuple[int, str]]:
        """To whom, and what, on one line."""
        said = [(row.player, json.loads(row.body)["letter"]["text"]) for row in self.rows("answer")]
        return [(player, " ".join(text.split())) for player, text in said]

    def answered(self, to: str, text: str) -> str:
        """What is answered to a mail: one answer, taken."""
        before = len(self.rows("answer"))
        assert self.post(to, text).code == 250
        [(_, said)] = self.answers()[before:]
        return said


class Dined(Seated):
    """A table whose first decision is answered unseen."""

    def __init__(self, context: ServerContext, watch: Watch) -> None:
        self.context, self.watch = context, watch
        self.keys = [SigningKey(secrets.token_bytes(32)) for _ in range(2)]
        names = [f"d{seat}-{key.public[:8]}" for seat, key in enumerate(self.keys)]
        for name, key in zip(names, self.keys, strict=True):
            players.register(context, key.public, name)
        self.id = table_actions.open_table(context, self.keys[0].public, "dinner-in-paris", 2, {}, None, None)
        for seat in range(2):
            sit(context, self.id, seat, names[seat], self.keys[seat])


def sit(context: ServerContext, table: str, seat: int, name: str, key: SigningKey) -> None:
    base, entropy = context.folded_tables.recent(table).table.chain.head, secrets.token_hex(32)
    signature = key.sign(sit_message(table, base, seat, name, key.public, entropy))
    table_actions.sit(context, table, SitRequest(base, seat, name, key.public, entropy, signature))


def delegate(context: ServerContext, key: SigningKey) -> None:
    """Let the gateway speak for this player."""
    begins = context.now()
    ends = timestamp(instant(begins) + timedelta(days=300))
    signature = key.sign(delegate_message(key.public, context.gateway.public, begins, ends, None))
    mailboxes.delegate(context, key.public, SignedDelegation(context.gateway.public, begins, ends, signature, None))


def moves_of(table: Seated, seat: int = 0) -> list[str]:
    """What a seat can do, as it is typed."""
    position = table.context.folded_tables.recent(table.id).table.playing
    game, state = position.game, position.state
    forms = game.forms(game.view(state, Seat(seat)))
    return [notation.write(forms, move) for move in game.legal(state, Seat(seat))]


def block_of(table: Seated) -> str:
    """The next move of a table, signed by its player, as a block."""
    move = table.move()
    return armour.write(armour.SignedMove(table.id, move.base, move.seat, move.move, move.signature))


def player_of(context: ServerContext, key: SigningKey) -> int:
    with context.storage.reading() as connection:
        return int(connection.scalar(select(PLAYERS.c.id).where(PLAYERS.c.key == key.public)) or 0)


def frequency(context: ServerContext, key: SigningKey) -> str:
    with context.storage.reading() as connection:
        player = player_of(context, key)
        return str(connection.scalar(select(MAILBOXES.c.frequency).where(MAILBOXES.c.player == player)))
