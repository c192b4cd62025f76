"""docs/record-format.md: its example and every vector in it are what the code says, and its table names every fault."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import games
from engine.chance import Chance
from engine.errors import RecordRejected
from engine.game import Seat, encode_state
from engine.keys import Key, SigningKey, sha256, tagged, verify
from engine.record.audit import audit, entries
from engine.record.canonical import canonical, plain
from engine.record.clock import Absence
from engine.record.entry import (
    AnyEntry,
    Bank,
    Close,
    Open,
    PerDecision,
    Play,
    SignedEntry,
    Sit,
    Succeed,
    read_line,
    seal_message,
    signed_message,
)
from engine.record.replay import bots_seed, replay
from engine.record.secret import commitment, digest_key, seed, state_digest
from engine.record.timekeeping import Attendance
from tests.engine import edwards_curve
from tests.engine.edwards_curve import (
    BASE,
    NEUTRAL,
    ORDER,
    careless_signature,
    challenge,
    encoded,
    holds,
    plus,
    secret_number,
    times,
    with_y,
)
from tests.engine.signed_games import Evening

DOCUMENT = Path(__file__).parents[2] / "docs" / "record-format.md"
ENGINE = Path(games.__file__).parents[1]
COUNT = bytes(range(32))
BANK = Bank(start=600, refill=60, most=900)
EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
OPENED = "2026-11-18T06:40:00.000Z"
VALUE = {"b": [1, True, None], "B": {}, "a": 'é"\n\x01'}


@cache
def evening() -> Evening:
    """The example: one entry of every kind."""
    clock = PerDecision(seconds=60, vacation=7, strikes=1, then="vote")
    table = Evening("the example of docs/record-format.md", games.load("paris-paris"), 2, clock=clock)
    table.move(0, table.game.legal(table.table.playing.state, Seat(0))[0]).wait(60).timeout(1).vote(0, "continue")
    table.days_off(1, 2).back(1).delegate(1)
    table.move(1, table.game.legal(table.table.playing.state, Seat(1))[0], mail=True)
    before = table.now
    table.wait(2 * 86400).revoke(1, before).wait(-2 * 86400).correct()
    return table.succeed(1).resign(0).abandon("resigned").close()


PENS = {
    "server": "server",
    "ann": "player 0",
    "bob": "player 1",
    "bob, new": "key 13 of player 1",
    "gateway": "gateway",
}
"""Whose private keys are printed, and what they are drawn from."""
SIGNED = {
    "sit": (1, "ann"),
    "move": (4, "ann"),
    "vote": (6, "ann"),
    "away": (7, "bob"),
    "back": (8, "bob"),
    "delegate": (9, "bob"),
    "mail": (10, "gateway"),
    "revoke": (11, "bob"),
    "succeed": (13, "bob"),
    "resign": (14, "ann"),
}
"""Which line of the example shows what is signed, and by whom."""


def signed(number: int) -> SignedEntry:
    entry = evening().record[number].entry
    assert isinstance(entry, SignedEntry)
    return entry


def key_of(number: int) -> Key:
    """The key of the player who signed this line of the example, which may be given up later."""
    entry, before = signed(number), replay(evening().record[:number], evening().secret).chain
    player = entry if isinstance(entry, Sit) else before.players[entry.seat]
    assert player is not None
    return player.key


def vectors() -> dict[str, Any]:
    """What the document prints as vectors, computed by the code."""
    table, record = evening(), evening().record
    opened, close = record[0], record[-1].entry
    assert isinstance(close, Close)
    secret = bytes.fromhex(close.secret)
    entropy = [sealed.entry.entropy for sealed in record if isinstance(sealed.entry, Sit)]
    dealt = replay(record, secret).positions[0]
    succession = record[SIGNED["succeed"][0]].entry
    assert isinstance(succession, Succeed)
    return {
        "canonical": {"value": VALUE, "hex": canonical(VALUE).hex()},
        "chance": [
            drawn(COUNT, 7, "x", 2**64, 3),
            drawn(COUNT, 7, "x", 2**63 + 1, 2),
            drawn(bytes(32), 0, "die", 6, 8),
        ],
        "shuffled": {
            "seed": COUNT.hex(),
            "entry": 7,
            "label": "deck",
            "items": 10,
            "order": list(Chance(COUNT, 7).shuffled(range(10), "deck")),
        },
        "keys": {
            name: {"private": table.draw(what).hex(), "public": SigningKey(table.draw(what)).public}
            for name, what in PENS.items()
        },
        "commitment": {"secret": secret.hex(), "commitment": commitment(secret)},
        "seed": {
            "secret": secret.hex(),
            "opening": opened.hash,
            "entropy": entropy,
            "seed": seed(secret, opened.hash, entropy).hex(),
        },
        "state": {
            "key": digest_key(secret).hex(),
            "seq": 3,
            "state": encode_state(dealt.state).decode(),
            "digest": dealt.digest,
        },
        "account": [
            charged(600_000, "2026-11-18T06:40:30.000Z", None, []),
            charged(600_000, "2026-11-18T06:59:00.000Z", "2026-11-18T06:40:30.000Z", []),
            charged(900_000, "2026-11-18T06:59:00.000Z", None, [Absence(OPENED, "2026-11-18T06:55:00.000Z")]),
            charged(5_000, "2026-11-18T06:59:00.000Z", None, []),
            charged(2_000_000, "2026-11-18T06:40:30.000Z", None, []),
        ],
        "bot": {"seed": dealt.seed.hex(), "seat": 1, "luck": bots_seed(dealt.seed, Seat(1)).hex()},
        **{
            name: {
                "by": by,
                "message": signed_message(signed(number), key_of(number)).decode(),
                "signature": signed(number).signature,
            }
            for name, (number, by) in SIGNED.items()
        },
        "consent": {"by": "bob, new", "signature": succession.consent},
        "seal": {"hash": opened.hash, "message": seal_message(opened.hash).hex(), "seal": opened.seal},
        "refused": refused_signatures(),
    }


def refused_signatures() -> list[dict[str, str]]:
    """Signatures of one message that some libraries take: each holds by one of the equations that RFC 8032 allows."""
    ann, message = evening().draw("player 0"), signed_message(signed(4), evening().keys[0].public)
    five, secret = times(5, BASE), secret_number(ann)
    good = bytes.fromhex(SigningKey(ann).sign(message))
    beyond = int.from_bytes(good[32:], "little") + ORDER
    mixed = plus(times(secret, BASE), with_y(EIGHTH))
    k = challenge(encoded(five), encoded(mixed), message)
    made = [
        ("its first half is of small order", SigningKey(ann).public, careless_signature(ann, message)),
        ("its key is of small order", encoded(NEUTRAL).hex(), edwards_curve.signature(five, 5)),
        ("its second half is not below L", SigningKey(ann).public, (good[:32] + beyond.to_bytes(32, "little")).hex()),
        (
            "it holds with the cofactor only",
            encoded(mixed).hex(),
            edwards_curve.signature(five, (5 + k * secret) % ORDER),
        ),
    ]
    return [{"why": why, "key": key, "message": message.decode(), "signature": each} for why, key, each in made]


def charged(before: int, at: str, given: str | None, off: list[Absence]) -> dict[str, Any]:
    """An account before and after an answer to a decision opened at :data:`OPENED`, and when it was due."""
    attendance = Attendance((before,), (0,), (tuple(off),))
    members: dict[str, Any] = {"seat": 0, "base": "0" * 64, "move": {}, "signature": "0" * 128, "state": "0" * 64}
    play = Play(table="0" * 32, seq=9, prev="0" * 64, at=at, given=given, **members)
    told = {"before": before, "opened": OPENED, "off": [msgspec.to_builtins(each) for each in off], "at": at}
    told |= {"given": given} if given else {}
    after = attendance.after_answer(BANK, play, OPENED).banks[0]
    return {**told, "due": attendance.due(BANK, Seat(0), OPENED), "after": after}


def drawn(seed: bytes, entry: int, label: str, bound: int, times: int) -> dict[str, Any]:
    """Draws below a bound; such large numbers are written as text, since not every JSON reader takes them."""
    chance = Chance(seed, entry)
    numbers = [str(chance.below(bound, label)) for _ in range(times)]
    return {"seed": seed.hex(), "entry": entry, "label": label, "below": str(bound), "drawn": numbers}


def written(value: dict[str, Any]) -> str:
    """One vector a line, members in the order given."""
    lines = []
    for name, vector in value.items():
        if isinstance(vector, list):
            each = ",\n    ".join(json.dumps(item, ensure_ascii=False) for item in vector)
            lines.append(f'  "{name}": [\n    {each}]')
        else:
            lines.append(f'  "{name}": {json.dumps(vector, ensure_ascii=False)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def block(kind: str) -> str:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(found) == 1, f"the document has one block of {kind}"
    return str(found[0])


def in_the_document(kind: str, now: str, request: pytest.FixtureRequest) -> str:
    if request.config.getoption("--update-golden"):
        text = DOCUMENT.read_text(encoding="utf-8")
        before, after = f"```{kind}\n{block(kind)}```\n", f"```{kind}\n{now}```\n"
        DOCUMENT.write_text(text.replace(before, after), encoding="utf-8")
    return block(kind)


def test_the_example_is_what_the_clerk_writes(request: pytest.FixtureRequest) -> None:
    now = evening().data.decode()
    assert in_the_document("poste", now, request) == now


def test_the_example_is_valid_and_has_one_entry_of_every_kind() -> None:
    data = block("poste").encode()
    assert audit(data).valid
    kinds = {type(sealed.entry) for sealed in entries(data)}
    assert kinds == set(AnyEntry.__args__)


def test_the_vectors_are_what_the_code_computes(request: pytest.FixtureRequest) -> None:
    assert in_the_document("json", written(vectors()), request) == written(vectors())


def test_the_vectors_hold() -> None:
    """From the numbers in the document alone, each fits the others."""
    told = json.loads(block("json"))
    plain(told["canonical"]["value"])
    assert canonical(told["canonical"]["value"]).hex() == told["canonical"]["hex"]
    for draws in told["chance"]:
        chance = Chance(bytes.fromhex(draws["seed"]), draws["entry"])
        assert [str(chance.below(int(draws["below"]), draws["label"])) for _ in draws["drawn"]] == draws["drawn"]
    deck = told["shuffled"]
    chance = Chance(bytes.fromhex(deck["seed"]), deck["entry"])
    assert list(chance.shuffled(range(deck["items"]), deck["label"])) == deck["order"]
    for key in told["keys"].values():
        assert SigningKey(bytes.fromhex(key["private"])).public == key["public"]
    secret = bytes.fromhex(told["seed"]["secret"])
    assert sha256(tagged("commitment", secret)) == told["commitment"]["commitment"]
    assert seed(secret, told["seed"]["opening"], told["seed"]["entropy"]).hex() == told["seed"]["seed"]
    for account in told["account"]:
        off = [Absence(**each) for each in account["off"]]
        assert charged(account["before"], account["at"], account.get("given"), off) == account
    state, key = told["state"], bytes.fromhex(told["state"]["key"])
    decoded = json.loads(state["state"])
    assert json.dumps(decoded, separators=(",", ":")) == state["state"]
    game = games.load("paris-paris")
    dealt = game.deal(2, game.options(), Chance(bytes.fromhex(told["seed"]["seed"]), 3)).state
    assert encode_state(dealt).decode() == state["state"]
    assert state_digest(key, state["seq"], dealt) == state["digest"]
    for name in SIGNED:
        by = told["keys"][told[name]["by"]]["public"]
        assert verify(by, told[name]["message"].encode(), told[name]["signature"])
    by, words = told["keys"][told["consent"]["by"]]["public"], told["succeed"]["message"].encode()
    assert verify(by, words, told["consent"]["signature"])
    assert bots_seed(bytes.fromhex(told["bot"]["seed"]), told["bot"]["seat"]).hex() == told["bot"]["luck"]
    assert verify(told["keys"]["server"]["public"], bytes.fromhex(told["seal"]["message"]), told["seal"]["seal"])
    for each in told["refused"]:
        assert not verify(each["key"], each["message"].encode(), each["signature"])
        only_with = each["why"] == "it holds with the cofactor only"
        assert holds(each["key"], each["message"].encode(), each["signature"]) != only_with
        assert holds(each["key"], each["message"].encode(), each["signature"], cofactor=True)


def test_the_example_and_the_vectors_belong_together() -> None:
    record, told = entries(block("poste").encode()), json.loads(block("json"))
    opened = record[0]
    assert isinstance(opened.entry, Open)
    assert opened.entry.commitment == told["commitment"]["commitment"]
    assert (opened.hash, opened.seal) == (told["seal"]["hash"], told["seal"]["seal"])
    for name, (number, _) in SIGNED.items():
        entry = record[number].entry
        assert name in (entry.__struct_config__.tag, getattr(entry, "by", None))
        assert entry.signature == told[name]["signature"]  # type: ignore[union-attr]
    assert record[3].entry.state == told["state"]["digest"]  # type: ignore[union-attr]


def bad_lines() -> list[tuple[str, str]]:
    rows = [line.split(None, 1) for line in block("bad-lines").splitlines()]
    return [(row[0], row[1] if len(row) > 1 else "") for row in rows]


@pytest.mark.parametrize(("code", "line"), bad_lines())
def test_a_bad_line_of_the_document_is_refused_as_it_says(code: str, line: str) -> None:
    with pytest.raises(RecordRejected) as refused:
        read_line(line.encode())
    assert refused.value.code == code


def bad_records() -> list[Any]:
    return [pytest.param(row, id=str(row["code"])) for row in map(json.loads, block("bad-records").splitlines())]


@pytest.mark.parametrize("row", bad_records())
def test_a_bad_record_of_the_document_is_found_as_it_says(row: dict[str, Any]) -> None:
    """Something in a line of the example is replaced, and maybe the line and all that follow linked and sealed anew."""
    lines = block("poste").splitlines()
    if "drop" in row:
        first, last = row["drop"] if isinstance(row["drop"], list) else [row["drop"]] * 2
        del lines[first : last + 1]
    elif "line" in row:
        before, first = lines[row["line"]], row["line"]
        assert before.count(row["replace"]) == 1
        lines[first] = before.replace(row["replace"], row["by"])
    if "signed" in row:
        lines[first] = signed_anew(lines[first], row["signed"])
    if row.get("resealed"):
        lines = resealed(lines, first)
    data = "".join(line + "\n" for line in lines).encode()
    faults = audit(data[:-1] if row.get("unended") else data).faults
    assert faults[0].entry == row["entry"]
    if isinstance(row["code"], str):
        assert faults[0].code == row["code"]
    else:
        assert [fault.code for fault in faults if fault.entry == row["entry"]] == row["code"]


def signed_anew(line: str, who: str) -> str:
    """The line as this player would have signed it."""
    outer = json.loads(line)
    entry = msgspec.convert(outer["entry"], AnyEntry)
    assert isinstance(entry, SignedEntry)
    pen = SigningKey(bytes.fromhex(json.loads(block("json"))["keys"][who]["private"]))
    outer["entry"]["signature"] = pen.sign(signed_message(entry, pen.public))
    return canonical(outer).decode()


def resealed(lines: list[str], start: int) -> list[str]:
    """As the server could do it: numbers, links and seals put right from this line on, and nothing else."""
    table = evening()
    for number in range(start, len(lines)):
        entry = json.loads(lines[number])["entry"]
        entry["seq"] = number
        if number:
            before = json.loads(lines[number - 1])["entry"]
            entry["prev"] = sha256(canonical(before))
        data = canonical(entry)
        seal = table.server.sign(seal_message(sha256(data)))
        lines[number] = f'{{"entry":{data.decode()},"seal":"{seal}"}}'
    return lines


def codes_in_the_engine() -> set[str]:
    """Every code that an audit can report, as the sources spell them."""
    sources = [path for path in (ENGINE / "record").glob("*.py") if path.name != "armour.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in [*sources, ENGINE / "errors.py"])
    return set(re.findall(r'"([a-z]+/[a-z0-9-]+)"', text)) - {"move/not-understood"}  # of typed text, not of a record


def test_the_table_of_faults_names_every_fault() -> None:
    table = DOCUMENT.read_text(encoding="utf-8").split("## Faults")[1].split("\n## ")[0]
    told = re.findall(r"^\| `([a-z]+/[a-z0-9-]+)`", table, re.MULTILINE)
    assert len(told) == len(set(told))
    assert set(told) == codes_in_the_engine()


def test_the_fields_of_every_entry_are_listed() -> None:
    fields = DOCUMENT.read_text(encoding="utf-8").split("## Fields")[1].split("\n## ")[0]
    for kind in AnyEntry.__args__:
        (row,) = re.findall(rf"^\| `{kind.__struct_config__.tag}` .*$", fields, re.MULTILINE)
        own = [name for name in kind.__struct_fields__ if name not in ("table", "seq", "prev", "at")]
        assert re.findall(r"`([a-z]+)`", row)[1:] == own
