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
    """The new key, and its own signature over the change."""

    key: Digits64
    signature: Digits128


class ClockBody(Body):
    """A clock that gives every decision the same time."""

    kind: Literal["per-decision"]
    seconds: Annotated[int, Field(ge=1, le=10**9)]


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
