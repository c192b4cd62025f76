"""What is answered over the wire, as the OpenAPI document describes it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from server.http.request_types import Digits64, Plain, PlayerName, SeatNumber


class OfficeAnswer(BaseModel):
    """The server, and the key it seals with."""

    software: str
    version: str
    engine: str
    key: Digits64
    gateway: Digits64
    mail: str | None
    games: list[str]


class GameAnswer(BaseModel):
    """A game in brief."""

    key: str
    version: int
    title: str
    seats: list[int]
    summary: str


class GamesAnswer(BaseModel):
    """Every game."""

    games: list[GameAnswer]


class WholeGameAnswer(GameAnswer):
    """A game: also its options and moves as JSON Schema, and how moves are written."""

    options: Plain
    moves: Plain
    components: Digits64
    decisions: list[str]


class PlayerAnswer(BaseModel):
    """A player."""

    name: PlayerName
    key: Digits64
    since: str


class WaitingSeat(BaseModel):
    """Somebody who is being asked; ``held`` tells only that a sealed answer lies with the server."""

    seat: SeatNumber
    name: str
    kind: str
    since: str
    due: str | None
    held: bool


class SummaryAnswer(BaseModel):
    """A table in brief."""

    table: str
    game: str
    version: int
    options: Plain
    seats: int
    players: list[str | None]
    resigned: list[int]
    phase: Literal["sitting", "playing", "abandoned", "closed"]
    length: int
    head: Digits64
    at: str
    opened: str
    opener: str
    invited: list[str] | None
    clock: Plain | None
    waiting: list[WaitingSeat]
    bots: list[int]
    voting: list[int]
    standing: Plain | None
    abandoned: Literal["unfilled", "resigned", "idle", "voted"] | None


class ListAnswer(BaseModel):
    """Some tables, and the cursor of those after them."""

    tables: list[SummaryAnswer]
    next: str | None


class WaitingAnswer(BaseModel):
    """The tables that wait for the signer."""

    tables: list[SummaryAnswer]
    cursor: str


class DelegationAnswer(BaseModel):
    """What the player lets the mail gateway do."""

    to: Digits64
    begins: str
    ends: str
    tables: list[str] | None
    signature: str


class MailboxAnswer(BaseModel):
    """A mailbox."""

    address: str | None
    confirmed: bool
    when: Literal["off", "turns", "hourly", "daily"]
    private: bool
    delegation: DelegationAnswer | None
    revoked: str | None
    """What was delegated before this moment is revoked for good."""


class ReceiptAnswer(BaseModel):
    """The sealed line of the log: proof that it was taken."""

    entry: Plain
    hash: Digits64
    seq: int


class ProblemAnswer(BaseModel):
    """What went wrong (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str


class MovesAnswer(BaseModel):
    """The receipts of the moves taken, and the refusal of the one that was not."""

    receipts: list[ReceiptAnswer]
    refused: ProblemAnswer | None
    held: bool


class DecisionAnswer(BaseModel):
    """What a seat is being asked."""

    kind: str
    prompt: str
    sealed: bool
    base: Digits64
    since: str
    due: str | None


class ViewAnswer(BaseModel):
    """The position as one may see it."""

    table: str
    seq: int
    head: Digits64
    seat: int | None
    asked: dict[str, DecisionAnswer]
    view: Plain | None
    held: Plain | None


class LegalMove(BaseModel):
    """A move as it is signed, and as people write it."""

    move: Plain
    text: str


class LegalAnswer(BaseModel):
    """What the signer may do now; nothing while they are not being asked."""

    seq: int
    seat: int
    base: Digits64 | None
    decision: DecisionAnswer | None
    moves: list[LegalMove]
    forms: list[str]


class ToldEventAnswer(BaseModel):
    """An event, and the sentence that tells it."""

    event: Plain
    text: str


class ToldEntryAnswer(BaseModel):
    """What an entry caused, as far as the reader may know."""

    seq: int
    at: str
    seat: int | None
    kind: str
    events: list[ToldEventAnswer]


class EventsAnswer(BaseModel):
    """What happened."""

    events: list[ToldEntryAnswer]
