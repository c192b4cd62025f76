"""What is asked over the wire: paths, queries and bodies, checked and described (OpenAPI) by the same types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, Tag
from pydantic.config import JsonDict

Digits64 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Digits128 = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
SeatNumber = Annotated[int, Field(ge=0, le=99)]
PlayerName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$")]
EntryNumber = Annotated[int, Field(ge=-1, le=2**31 - 1)]
Seconds = Annotated[int, Field(ge=0, le=60)]
Moment = Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){2}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}\.[0-9]{3}Z$")]
TableDigits = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
ClockSeconds = Annotated[int, Field(ge=1, le=10**9)]
Plain = dict[str, Any]

_TABLE: JsonDict = {"pattern": "^[0-9a-f]{4,32}$", "description": "A table's id, or an unambiguous beginning of it."}


class Body(BaseModel):
    """A request body: exactly these members, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """A query string: exactly these parameters."""

    model_config = ConfigDict(extra="forbid")


class TablePath(BaseModel):
    """Which table."""

    table: str = Field(json_schema_extra=_TABLE)


class PlayerPath(BaseModel):
    """Which player."""

    name: str


class GamePath(BaseModel):
    """Which game."""

    key: str


class RegisterBody(Body):
    """The name to register the signing key under."""

    name: PlayerName


class RotateBody(Body):
    """The new key, and what the old and the new one have signed to change from one to the other."""

    to: Digits64
    signature: Digits128
    consent: Digits128


class _ClockBody(Body):
    """Days off, and what becomes of a seat after so many timeouts in a row."""

    weekends_off: bool = False
    vacation: Annotated[int, Field(ge=0, le=366)] = 0
    strikes: Annotated[int, Field(ge=0, le=99)] = 0
    then: Literal["bot", "vote"] = "bot"


class PerDecisionBody(_ClockBody):
    """A clock that gives every decision the same time."""

    kind: Literal["per-decision"]
    seconds: ClockSeconds


class BankBody(_ClockBody):
    """A clock that gives every seat an account of time, to which every answer adds."""

    kind: Literal["bank"]
    start: ClockSeconds
    refill: Annotated[int, Field(ge=0, le=10**9)]
    most: ClockSeconds


ClockBody = Annotated[PerDecisionBody | BankBody, Field(discriminator="kind")]


class OpenBody(Body):
    """The table to open. With ``invite`` only those named and the opener may sit."""

    game: Annotated[str, Field(max_length=64)]
    seats: SeatNumber
    options: Plain = {}
    invite: Annotated[list[PlayerName], Field(max_length=99)] | None = None
    clock: ClockBody | None = None


class SitBody(Body):
    """A signed wish to sit: it proves itself."""

    base: Digits64
    seat: SeatNumber
    name: PlayerName
    key: Digits64
    entropy: Digits64
    signature: Digits128


class MoveBody(Body):
    """A signed move: it proves itself."""

    seat: SeatNumber
    base: Digits64
    move: Plain
    signature: Digits128


class SeveralMovesBody(Body):
    """Signed moves, to be taken one after the other up to the first refusal."""

    moves: Annotated[list[MoveBody], Field(min_length=1, max_length=100)]


def _one_or_several(body: object) -> str:
    return "several" if isinstance(body, dict) and "moves" in body else "one"


class MovesBody(
    RootModel[
        Annotated[
            Annotated[MoveBody, Tag("one")] | Annotated[SeveralMovesBody, Tag("several")],
            Discriminator(_one_or_several),
        ]
    ]
):
    """One signed move, or several."""


class ResignBody(Body):
    """A signed resignation: it proves itself."""

    seat: SeatNumber
    base: Digits64
    signature: Digits128


class _Statement(Body):
    """Something that a player says to the table at this point of its log, signed: it proves itself."""

    seat: SeatNumber
    base: Digits64
    signature: Digits128


class AwayBody(_Statement):
    """Days off."""

    say: Literal["away"]
    begins: Moment
    ends: Moment


class BackBody(_Statement):
    """The end of days off; a bot in the seat makes room."""

    say: Literal["back"]


class VoteBody(_Statement):
    """Whether to go on although somebody lets deadline after deadline pass."""

    say: Literal["vote"]
    choice: Literal["continue", "abandon"]


class StatementBody(RootModel[Annotated[AwayBody | BackBody | VoteBody, Field(discriminator="say")]]):
    """What a player says to the table."""


class MailboxBody(Body):
    """What to change of a mailbox."""

    address: Annotated[str, Field(max_length=254)] | None = None
    when: Literal["off", "turns", "hourly", "daily"] | None = None
    private: bool | None = None


class ConfirmBody(Body):
    """The code of the confirmation mail."""

    code: Annotated[str, Field(max_length=64)]


class DelegateBody(Body):
    """A signed delegation to the mail gateway; without ``tables``, for all of the player's."""

    to: Digits64
    begins: Moment
    ends: Moment
    tables: Annotated[list[TableDigits], Field(min_length=1, max_length=200)] | None = None
    signature: Digits128


class RevokeBody(Body):
    """A signed revocation of whatever was delegated up to then."""

    before: Moment
    signature: Digits128


class HandlePath(BaseModel):
    """Whose mail."""

    handle: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class ListQuery(Query):
    """Which tables, newest first."""

    list: Literal["open", "mine", "waiting", "finished"] = "open"
    game: Annotated[str, Field(max_length=64)] | None = None
    after: Annotated[str, Field(pattern=r"^[0-9]{1,9}$")] | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class WaitingQuery(Query):
    """How long to wait for the list to differ from the one ``since`` names."""

    wait: Seconds = 0
    since: Annotated[str, Field(max_length=64)] | None = None


class LogQuery(Query):
    """From which entry on, and how long to wait for the first."""

    after: EntryNumber = -1
    wait: Seconds = 0


class EventsQuery(Query):
    """From which entry on."""

    after: EntryNumber = -1
