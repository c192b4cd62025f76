"""A server that drops, reorders, edits, forks, forgets, lies or withholds is caught and named: exit 4, with evidence.

A real proxy stands before a real server and twists its answers; where the server itself must be the liar, the proxy has
the server's own key.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from client.screen.shell_completion import legal_texts
from client.table.bot_player import play_once
from client.table.player_desk import Desk
from client.table.turn import sit
from client.table.verified_view import look
from engine.bots import POLICIES
from engine.chance import Chance
from engine.keys import SigningKey
from engine.record.canonical import canonical
from engine.record.chain import Phase
from engine.record.entry import AnyEntry, Sealed, Timeout, read_line, seal
from tests.client.players_and_proxy import Person, Proxy, somebody
from tests.server.server_process import ServerProcess

OTHER_KEY = SigningKey(b"x" * 32)


class Scene(NamedTuple):
    """Three people at a table; the third has seen it dealt, and since then the two others have moved."""

    proxy: Proxy
    server_key: SigningKey
    table: str
    victim: Person
    others: list[Desk]
    true_log: list[bytes]
    seen: int
    """How many entries the victim remembers."""

    def tells(self, change: Callable[[list[bytes]], list[bytes]]) -> None:
        """From now on the server tells its log like this."""

        def twist(path: str, body: bytes) -> bytes:
            parts = urlsplit(path)
            if not parts.path.endswith("/log"):
                return body
            after = int(parse_qs(parts.query).get("after", ["-1"])[0])
            lines = change(list(self.true_log))
            return b"".join(line + b"\n" for line in lines[after + 1 :])

        self.proxy.twist = twist

    def answers(self, ending: str, change: Callable[[Any], Any]) -> None:
        """From now on the server answers like this to what ends so."""

        def twist(path: str, body: bytes) -> bytes:
            if not urlsplit(path).path.endswith(ending):
                return body
            answer = json.loads(body)
            return json.dumps(change(answer) or answer).encode()

        self.proxy.twist = twist

    def caught(self, code: str, *command: str) -> dict[str, Any]:
        """The victim runs a command, and the server is caught at this; gives the evidence."""
        done = self.victim.run(*(command or ("show", self.table)))
        assert done.code == 4, (done.code, done.out, done.err)
        assert f"[{code}]" in done.err
        assert done.out == "", "nothing unverified is shown"
        path = next(line for line in done.err.splitlines() if "evidence" in line).split()[-1]
        evidence: dict[str, Any] = json.loads(Path(path).read_bytes())
        assert evidence["found"]["code"] == code
        assert evidence["table"] == self.table
        return evidence


def moved(desk: Desk, table: str) -> None:
    """Make one move, if it is this player's turn."""
    seen = look(desk, desk.memory(table))
    if seen.mine is not None:
        play_once(desk, seen, POLICIES["random"], Chance(bytes(32)))


@pytest.fixture
def scene(server: ServerProcess, proxy: Proxy, tmp_path: Path) -> Scene:
    people = [somebody(tmp_path, proxy.url, name) for name in ("ann", "bob", "victim")]
    desks = [person.desk for person in people]
    table = desks[0].api().open_table({"game": "paris-paris", "seats": 3}).table
    for desk in desks:
        sit(desk, desk.memory(table), None)
    look(desks[2], desks[2].memory(table))
    desks[2].remember(table=table)
    seen = desks[2].memory(table).chain.length
    for _ in range(2):
        for desk in desks[:2]:
            moved(desk, table)
    memory = desks[0].memory(table)
    desks[0].sync(memory)
    log = [sealed.line for sealed in memory.log]
    assert len(log) >= seen + 2
    key = SigningKey(bytes.fromhex((server.data / "server.key").read_text().strip()))
    return Scene(proxy, key, table, people[2], desks[:2], log, seen)


def resealed(line: bytes, key: SigningKey, **changes: Any) -> bytes:
    """What a server can do: change an entry and seal it anew."""
    entry: AnyEntry = msgspec.structs.replace(read_line(line).entry, **changes)
    return seal(entry, key).line


def edited(line: bytes, **changes: Any) -> bytes:
    """What anybody on the way can do: change an entry under its old seal."""
    sealed = read_line(line)
    entry = msgspec.structs.replace(sealed.entry, **changes)
    return Sealed(entry, canonical(entry), "", sealed.seal).line


def relinked(lines: list[bytes], key: SigningKey, **opening: Any) -> list[bytes]:
    """A whole log sealed with another key, every link made anew."""
    told: list[Sealed] = []
    for line in lines:
        entry = read_line(line).entry
        changes = {"prev": told[-1].hash} if told else opening
        told.append(seal(msgspec.structs.replace(entry, **changes), key))
    return [sealed.line for sealed in told]


def test_an_honest_proxy_is_not_noticed(scene: Scene) -> None:
    assert scene.victim.does("show").out


def test_an_entry_is_dropped(scene: Scene) -> None:
    scene.tells(lambda log: log[: scene.seen] + log[scene.seen + 1 :])
    scene.caught("chain/sequence")


def test_entries_are_reordered(scene: Scene) -> None:
    scene.tells(lambda log: [*log[: scene.seen], log[scene.seen + 1], log[scene.seen], *log[scene.seen + 2 :]])
    scene.caught("chain/sequence")


def test_an_entry_is_doubled(scene: Scene) -> None:
    scene.tells(lambda log: [*log[: scene.seen + 1], *log[scene.seen :]])
    scene.caught("chain/sequence")


def test_a_new_entry_is_edited_on_the_way(scene: Scene) -> None:
    scene.tells(lambda log: [*log[: scene.seen], edited(log[scene.seen], at="2099-01-01T00:00:00.000Z")])
    scene.caught("seal/forged")


def test_the_server_changes_a_players_move_and_seals_it(scene: Scene) -> None:
    move = {"do": "take", "station": "nowhere", "line": "red"}
    scene.tells(lambda log: [*log[: scene.seen], resealed(log[scene.seen], scene.server_key, move=move)])
    scene.caught("signature/forged")


def test_a_line_is_garbage(scene: Scene) -> None:
    scene.tells(lambda log: [*log[: scene.seen], b"\xff\xfe what?"])
    scene.caught("entry/not-utf8")


def test_an_old_entry_is_edited(scene: Scene) -> None:
    number = scene.seen - 1
    scene.tells(lambda log: [*log[:number], edited(log[number], at="2099-01-01T00:00:00.000Z"), *log[number + 1 :]])
    evidence = scene.caught("log/rewritten")
    assert evidence["found"]["entry"] == number


def test_history_is_forked(scene: Scene) -> None:
    """The server seals another last entry than the one it showed before: two stories, both under its seal."""
    number = scene.seen - 1
    scene.tells(lambda log: [*log[:number], resealed(log[number], scene.server_key, state="0" * 64)])
    evidence = scene.caught("log/forked")
    assert evidence["found"]["entry"] == number
    one, other = (read_line(evidence[story][number].encode()) for story in ("remembered", "received"))
    assert one.hash != other.hash, "both stories are in the file"


def test_a_fork_deep_in_the_past_is_named_where_it_begins(scene: Scene) -> None:
    scene.tells(lambda log: relinked(log, scene.server_key, commitment="0" * 64))
    assert scene.caught("log/forked")["found"]["entry"] == 0


@pytest.mark.parametrize("length", [0, 1, 3])
def test_an_old_log_is_replayed(scene: Scene, length: int) -> None:
    scene.tells(lambda log: log[:length])
    evidence = scene.caught("log/shorter")
    assert evidence["found"]["entry"] == length
    assert len(evidence["remembered"]) == scene.seen


def test_the_table_is_denied(scene: Scene) -> None:
    problem = json.dumps({"code": "table/unknown", "status": 404, "detail": "there is no such table"}).encode()
    scene.proxy.twist = lambda path, body: (404, problem) if f"/tables/{scene.table}" in path else body
    scene.caught("table/denied")


def test_another_tables_log_is_given_out(scene: Scene) -> None:
    other = scene.others[0].api().open_table({"game": "paris-paris", "seats": 2}).table
    scene.tells(lambda log: log)
    done = scene.victim.run("join", other)
    assert done.code == 4
    assert "[table/other]" in done.err


def test_a_table_is_sealed_with_another_key(scene: Scene) -> None:
    """A newcomer who knows the server is given a log that is sound in itself, but under another seal."""
    newcomer = somebody(scene.victim.home.parent, scene.proxy.url, "newcomer")
    scene.tells(lambda log: relinked(log, OTHER_KEY, server=OTHER_KEY.public))
    done = newcomer.run("show", scene.table)
    assert done.code == 4
    assert "[server/key]" in done.err


def test_the_server_has_another_key_than_before(scene: Scene) -> None:
    scene.answers("/v1", lambda answer: answer.update(key=OTHER_KEY.public))
    done = scene.victim.run("login", scene.proxy.url)
    assert done.code == 4
    assert "[server/key]" in done.err


def test_the_server_registers_somebody_else(scene: Scene) -> None:
    scene.answers("/players", lambda answer: answer.update(key=OTHER_KEY.public))
    scene.victim.does("init", "newcomer")
    done = scene.victim.run("register", scene.proxy.url, "--as", "newcomer")
    assert done.code == 4
    assert "[player/other]" in done.err


def test_it_lies_about_who_sits_where(scene: Scene) -> None:
    scene.answers("/tables", lambda answer: [table["players"].reverse() for table in answer["tables"]] and None)
    scene.caught("table/seats", "tables")


def test_it_claims_entries_that_it_does_not_show(scene: Scene) -> None:
    scene.answers("/tables", lambda answer: [table.update(length=99) for table in answer["tables"]] and None)
    scene.caught("log/shorter", "tables")


def test_it_lies_about_since_when_somebody_is_asked(scene: Scene) -> None:
    long_ago = {"since": "2020-01-01T00:00:00.000Z"}
    scene.answers(
        "/tables", lambda answer: [table["waiting"][0].update(long_ago) for table in answer["tables"]] and None
    )
    scene.caught("table/since", "tables")


def test_a_table_vanishes_from_the_list_and_from_the_server(scene: Scene) -> None:
    problem = json.dumps({"code": "table/unknown", "detail": "there is no such table"}).encode()

    def twist(path: str, body: bytes) -> bytes | tuple[int, bytes]:
        if f"/tables/{scene.table}" in path:
            return 404, problem
        return b'{"tables": [], "next": null}' if "/tables?" in path else body

    scene.proxy.twist = twist
    scene.caught("table/denied", "tables")


LIES_ABOUT_THE_VIEW: dict[str, Callable[[dict[str, Any]], object]] = {
    "view/seat": lambda answer: answer.update(seat=0),
    "view/other": lambda answer: answer.update(head="0" * 64),
    "view/malformed": lambda answer: answer["view"].update(map="atlantis"),
    "view/asked": lambda answer: answer.update(asked={}),
    "view/base": lambda answer: [question.update(base="0" * 64) for question in answer["asked"].values()],
}


@pytest.mark.parametrize("code", LIES_ABOUT_THE_VIEW)
def test_the_view_does_not_fit_the_log(scene: Scene, code: str) -> None:
    scene.answers("/view", lambda answer: LIES_ABOUT_THE_VIEW[code](answer) and None)
    scene.caught(code)


def test_the_view_is_of_another_seat_inside(scene: Scene) -> None:
    scene.answers("/view", lambda answer: answer["view"].update(seat=1))
    scene.caught("view/seat")


def to_the_victims_turn(scene: Scene) -> Desk:
    """Let the others move until the victim is asked."""
    desk = scene.victim.desk
    while look(desk, desk.memory(scene.table)).mine is None:
        for other in scene.others:
            moved(other, scene.table)
    return desk


def test_a_move_is_receipted_and_then_withheld(scene: Scene) -> None:
    desk = to_the_victims_turn(scene)
    before = [sealed.line for sealed in desk.memory(scene.table).log]
    scene.true_log[:] = before
    scene.tells(lambda log: log)
    move = scene.victim.does("moves").out.splitlines()[0]
    evidence = scene.caught("receipt/withheld", "play", move, "--yes", "--json")
    assert any(own["own"] == "receipt" for own in evidence["own"])
    assert scene.victim.run("show").code == 4, "it is not forgotten"


def test_a_move_is_receipted_and_another_entry_put_in_its_place(scene: Scene) -> None:
    desk = to_the_victims_turn(scene)
    before = [sealed.line for sealed in desk.memory(scene.table).log]
    place = seal(_timeout(before[-1], len(before), look(desk, desk.memory(scene.table)).seat), scene.server_key).line
    scene.true_log[:] = [*before, place]

    def after_the_move(path: str, body: bytes) -> bytes:
        if path.endswith("/moves"):
            scene.tells(lambda log: log)
        return body

    scene.proxy.twist = after_the_move
    move = legal_texts(desk.memory(scene.table))[0]
    evidence = scene.caught("receipt/contradicted", "play", move, "--yes", "--json")
    assert evidence["received"][-1] == place.decode()


def _timeout(last: bytes, number: int, seat: int | None) -> AnyEntry:
    sealed = read_line(last)
    return Timeout(
        table=sealed.entry.table,
        seq=number,
        prev=sealed.hash,
        at=sealed.entry.at,
        seat=seat or 0,
        base=sealed.hash,
        move={"do": "take"},
        why="deadline",
        state="0" * 64,
    )


def test_a_deadline_is_called_that_nobody_had(scene: Scene) -> None:
    called = seal(_timeout(scene.true_log[-1], len(scene.true_log), 2), scene.server_key).line
    scene.tells(lambda log: [*log, called])
    assert scene.caught("timeout/no-clock")["found"]["entry"] == len(scene.true_log)
    assert scene.victim.run("show").code == 4, "it is not forgotten"


@pytest.mark.parametrize("code", ["seal/forged", "receipt/other", "receipt/malformed"])
def test_a_receipt_is_no_receipt(scene: Scene, code: str) -> None:
    to_the_victims_turn(scene)
    other = json.loads(scene.true_log[scene.seen])

    def change(answer: dict[str, Any]) -> None:
        receipt = answer["receipts"][0]
        match code:
            case "seal/forged":
                receipt["entry"]["seal"] = OTHER_KEY.sign(b"seal")
            case "receipt/other":
                receipt["entry"] = other
            case _:
                receipt["entry"] = {"thank": "you"}

    move = scene.victim.does("moves").out.splitlines()[0]

    def twist(path: str, body: bytes) -> bytes:
        if not path.endswith("/moves"):
            return body
        answer = json.loads(body)
        change(answer)
        return json.dumps(answer).encode()

    scene.proxy.twist = twist
    scene.caught(code, "play", move, "--yes", "--json")


def test_a_view_that_was_untrue_is_caught_when_the_secret_is_out(scene: Scene) -> None:
    """Nobody can check a hidden thing while it is hidden; but what was shown is remembered."""
    scene.proxy.twist = swapped_marker
    victim = scene.victim.desk
    look(victim, victim.memory(scene.table))
    scene.proxy.twist = lambda _, body: body
    desks = [*scene.others, victim]
    while desks[0].memory(scene.table).chain.phase is not Phase.CLOSED:
        for desk in desks[:2]:
            moved(desk, scene.table)
        memory = victim.memory(scene.table)
        if victim.sync(memory).phase is not Phase.CLOSED:
            moved(victim, scene.table)
    scene.caught("view/untrue")


def swapped_marker(path: str, body: bytes) -> bytes:
    if not path.endswith("/view"):
        return body
    answer = json.loads(body)
    view = answer["view"]
    lines = {"teal", "red", "blue", "orange", "brown"} - {*view["markers"], *view["face_up"]}
    view["markers"][view["seat"]] = min(lines)
    return json.dumps(answer).encode()


def test_a_move_signed_with_my_key_elsewhere_is_named_and_may_be_accepted(scene: Scene, tmp_path: Path) -> None:
    desk = to_the_victims_turn(scene)
    elsewhere = Person(tmp_path / "elsewhere", scene.victim.name)
    shutil.copytree(scene.victim.home, elsewhere.home)
    move = elsewhere.does("moves").out.splitlines()[0]
    elsewhere.does("play", move, "--yes")
    scene.caught("own/unsigned")
    scene.victim.does("log", "--accept")
    assert scene.victim.does("show").out
    assert desk.identity.key == elsewhere.desk.identity.key


def test_accepting_does_not_go_on_for_ever(scene: Scene, tmp_path: Path) -> None:
    """Asked once more for what is to be accepted, the server shows something else, again and again."""
    desk = to_the_victims_turn(scene)
    elsewhere = Person(tmp_path / "elsewhere", scene.victim.name)
    shutil.copytree(scene.victim.home, elsewhere.home)
    length = desk.memory(scene.table).chain.length
    elsewhere.does("play", elsewhere.does("moves").out.splitlines()[0], "--yes")
    other = scene.true_log[scene.seen] + b"\n"
    scene.proxy.twist = lambda path, body: other if path.endswith(f"/log?after={length - 1}") else body
    scene.caught("own/unsigned", "log", "--accept")
    scene.proxy.twist = lambda path, body: b"" if path.endswith(f"/log?after={length - 1}") else body
    scene.caught("own/unsigned", "log", "--accept")


def test_an_answer_that_is_lost_loses_nothing(scene: Scene) -> None:
    """The move arrives, its receipt does not: what was signed is remembered, and nobody is accused."""
    to_the_victims_turn(scene)
    move = scene.victim.does("moves").out.splitlines()[0]
    fault = b'{"code": "server/fault", "detail": "the line went dead"}'
    scene.proxy.twist = lambda path, body: (502, fault) if path.endswith("/moves") else body
    assert scene.victim.run("play", move, "--yes").code == 3
    scene.proxy.twist = lambda _, body: body
    shown = scene.victim.does("log").out
    assert shown.splitlines()[-1].endswith(f"{scene.victim.name}: {move}")
    assert "not your turn" in scene.victim.run("play", move, "--yes").err


@pytest.mark.parametrize("shift", [-1, 1, 1000])
def test_the_view_is_of_a_moment_the_log_does_not_have(scene: Scene, shift: int) -> None:
    scene.answers("/view", lambda answer: answer.update(seq=answer["seq"] + shift))
    scene.caught("view/stale")


def test_the_server_opens_another_table_than_was_asked_for(scene: Scene) -> None:
    other = scene.others[0].api().open_table({"game": "paris-paris", "seats": 4}).table
    scene.answers("/tables", lambda answer: answer.update(table=other))
    done = scene.victim.run("new", "paris-paris", "--seats", "2")
    assert done.code == 4
    assert "[table/other]" in done.err
