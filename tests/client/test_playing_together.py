"""Whole games over real HTTP: a server process, and every player in processes and a home of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import games
from engine.record.audit import audit
from tests.client.players_and_proxy import Person, somebody
from tests.server.postgresql_server import new_database, postgresql
from tests.server.server_process import ServerProcess

NewPerson = Callable[[str], Person]


@pytest.fixture(scope="module")
def houses(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ServerProcess]]:
    """One server on each kind of database."""
    with postgresql(durable=False) as address:
        folder = tmp_path_factory.mktemp("postgresql")
        house = ServerProcess(folder, new_database(address, "poste_client"), POSTE_RATE="0")
        yield {"sqlite": server, "postgresql": house}
        assert house.stop() == 0


def play_out(people: list[Person], game: str) -> str:
    """Everybody sits down, and bots in processes of their own play the game to its end."""
    table = people[0].does("new", game, "--seats", str(len(people)), "--json").json["table"]
    bots = [person.starts("bot", table, "--policy", "random", "--json") for person in people]
    for bot in bots:
        said, complained = bot.communicate(timeout=100)
        assert bot.returncode == 0, complained
        assert json.loads(said)["phase"] == "closed"
    return str(table)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_whole_game_by_several_people_ends_in_a_record_that_everybody_can_audit(
    houses: dict[str, ServerProcess], tmp_path: Path, database: str, seats: int
) -> None:
    people = [somebody(tmp_path, houses[database].url, name) for name in ("ann", "bob", "cy", "dee")[:seats]]
    table = play_out(people, "paris-paris")
    records = set()
    for person in people:
        record = tmp_path / f"{person.name}.poste"
        person.does("export", table, "-o", str(record))
        records.add(record.read_bytes())
    assert len(records) == 1, "they all hold the same record"
    report = audit(records.pop())
    assert report.valid, report.faults
    assert set(report.players) == {person.name for person in people}
    told = people[-1].does("audit", table, "--json").json
    assert told["valid"]
    assert people[0].does("replay", table, "--at", "10", "--as", people[0].name).out


@pytest.mark.parametrize("game", games.keys())
def test_every_game_can_be_played_so(server: ServerProcess, tmp_path: Path, game: str) -> None:
    seats = min(games.load(game).seats)
    people = [somebody(tmp_path, server.url, name) for name in ("ann", "bob", "cy", "dee")[:seats]]
    table = play_out(people, game)
    assert people[0].does("audit", table, "--json").json["valid"]
    assert people[0].does("show", table).out
    assert people[0].does("log", table).out


def test_two_people_take_turns_by_hand(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    opened = ann.does("new", "paris-paris", "--clock", "3d")
    table = opened.out.strip()
    assert len(table) == 32
    assert "1 empty seat" in opened.err
    assert table[:8] in bob.does("tables", "--open", "--limit", "5").out
    bob.does("join", table[:6])
    shown = ann.does("show").out
    assert "It is your turn" in shown
    assert "3 days left" in shown
    assert f"{ann.name} is asked" in bob.does("show").out

    first, *_ = ann.does("moves").out.splitlines()
    dry = ann.does("play", first, "--dry-run")
    assert dry.out.strip() == first
    assert "nothing was signed" in dry.err
    played = ann.does("play", *first.split(), "--yes")
    assert f"Played: {first} (entry 4" in played.err
    assert f"{ann.name} takes the" in played.out

    late = ann.run("play", first, "--yes")
    assert (late.code, late.out) == (1, "")
    assert "not your turn" in late.err

    silent = bob.run("play", bob.does("moves").out.splitlines()[0])
    assert silent.code == 1
    assert "--yes" in silent.err
    wrong = bob.run("play", "take atlantis", "--yes")
    assert wrong.code == 1
    assert "perhaps:" in wrong.err
    done = bob.does("play", table[:8], bob.does("moves").out.splitlines()[0], "--yes", "--json").json
    assert done["sent"]
    assert done["moves"][0]["seq"] == 5
    assert done["now"]["length"] == 6
    assert "* " in ann.does("tables").out


def test_several_moves_are_played_until_it_is_somebody_elses_turn(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    first, second, *_ = ann.does("moves").out.splitlines()
    comma = ann.run("play", f"{first}, {second}", "--yes")
    assert (comma.code, comma.out) == (1, "")
    assert "is not a move that can be made now" in comma.err
    assert len(ann.does("log", "--json").json) == 4, "nothing was signed"
    done = ann.run("play", *first.split(), "then", f"{second}; {second}", "--yes")
    assert done.code == 1
    assert f"Played: {first}" in done.err
    assert f"Not played: {second} then {second}" in done.err
    assert len(ann.does("log", "--json").json) == 5


def test_a_move_travels_as_a_letter(new_person: NewPerson, tmp_path: Path) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    first = ann.does("moves").out.splitlines()[0]
    letter = tmp_path / "letter.txt"
    ann.does("play", first, "--yes", "--to", str(letter))
    assert first in letter.read_text()
    assert len(bob.does("log", "--json").json) == 4, "nothing was sent"
    carried = bob.does("send", str(letter), "--json").json
    assert carried["sent"][0]["seq"] == 4, "anybody may carry it"
    again = ann.does("send", "-", stdin=f"Hello!\n\n{letter.read_text()}\nBye.")
    assert "entry 4" in again.err, "twice does no harm"
    assert ann.does("show").out

    forged = letter.read_text().splitlines()
    letter.write_text("\n".join(forged[:-2]))
    assert "no end" in ann.run("send", str(letter)).err
    spoken = bob.does("play", bob.does("moves").out.splitlines()[0], "--yes", "--to", "-")
    assert "BEGIN POSTE MOVE" in spoken.out


def test_a_letter_signed_by_somebody_else_is_not_carried(new_person: NewPerson, tmp_path: Path) -> None:
    from engine.record import armour
    from engine.record.armour import SignedMove

    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    letter = tmp_path / "letter.txt"
    letter.write_text(armour.write(SignedMove(table, "0" * 64, 0, {"do": "take"}, "ab" * 64)))
    done = bob.run("send", str(letter))
    assert done.code == 1
    assert "not signed by the player" in done.err


def test_a_sealed_answer_may_be_replaced_until_all_have_answered(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    game = next((key for key in games.keys() if _opens_sealed(key)), None)
    assert game is not None
    table = ann.does("new", game, "--json").json["table"]
    bob.does("join", table)
    first, second, *_ = ann.does("moves").out.splitlines()
    held = ann.does("play", first, "--yes", "--json").json
    assert held["moves"][0]["held"] is True
    assert "lies sealed with the server" in ann.does("show").out
    listed = ann.does("tables").out
    assert f"waiting for {bob.name}" in " ".join(listed.split())
    assert "your answer lies sealed" in " ".join(listed.split())
    assert "YOU" not in listed
    assert "waiting for YOU for" in " ".join(bob.does("tables").out.split())
    ann.does("play", second, "--yes")
    bob.does("play", bob.does("moves").out.splitlines()[0], "--yes")
    shown = ann.does("log", "--after", "3").out
    assert f"{ann.name}: {second}" in shown
    assert first not in shown.splitlines()[0]


def _opens_sealed(key: str) -> bool:
    from engine.chance import Chance

    game = games.load(key)
    asked = game.waiting(game.deal(min(game.seats), game.options(), Chance(bytes(32))).state)
    return len(asked) == 2 and all(decision.sealed for decision in asked.values())


def test_somebody_leaves_before_the_game_and_resigns_during_it(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    empty = ann.does("new", "paris-paris", "--json").json["table"]
    ann.does("leave", "--yes")
    assert "closed" in ann.run("leave", empty, "--yes").err, "nobody is left there"
    assert "closed" in bob.run("join", empty).err
    assert "The table was abandoned" in ann.does("show").out

    table = ann.does("new", "paris-paris", "--seats", "3", "--json").json["table"]
    assert "has not begun" in ann.run("resign", "--yes").err
    assert "has not begun" in ann.run("play", "take").err
    assert ann.run("leave").code == 1
    bob.does("join", table, "--seat", "1")
    ann.does("leave", "--yes", "--json")
    assert "do not sit" in ann.run("leave", "--yes").err
    assert "not free" in ann.run("join", table, "--seat", "1").err
    new_person("cy").does("join", table)
    ann.does("join", table)
    assert "already" in ann.run("join", table).err
    assert "has begun" in ann.run("leave", "--yes").err
    told = bob.does("resign", "--yes", "--json").json
    assert told["entry"]["kind"] == "resign"
    assert ann.does("show").out
    ann.does("resign", "--yes")
    assert "The table was abandoned: all but one have resigned." in ann.does("show").out
    assert ann.does("show", "--json").json["abandoned"] == "resigned"
    for listed in ("--mine", "--finished"):
        assert "abandoned: all but one have resigned" in " ".join(ann.does("tables", listed).out.split())
        told = {each["table"]: each for each in ann.does("tables", listed, "--json").json}
        assert told[table]["abandoned"] == "resigned"
    assert "nobody has won" in ann.does("log").out
    assert "First:" not in ann.does("log").out
    assert "nobody has won" in ann.does("audit", table).out
    assert ann.does("audit", table, "--json").json["abandoned"] == "resigned"
    assert "over" in ann.run("play", "take").err
    assert ann.does("audit", table, "--json").json["valid"]
    assert "abandoned" in ann.does("log").out


def test_of_two_players_one_resigns_and_everything_tells_that_the_other_has_won(
    new_person: NewPerson, tmp_path: Path
) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    said = f"{bob.name} has won: {ann.name} resigned."
    assert f"{bob.name} has won: you resigned." in ann.does("resign", "--yes").err
    assert f"{bob.name} has won: you resigned." in ann.does("show").out
    assert f"You have won: {ann.name} resigned." in bob.does("show").out
    for listed in ("--mine", "--finished"):
        assert f"over: {bob.name} won, {ann.name} resigned" in " ".join(ann.does("tables", listed).out.split())
    record = str(tmp_path / "won.poste")
    bob.does("export", table, "-o", record)
    assert said in bob.does("log").out
    assert said in bob.does("audit", record).out
    assert said in bob.does("replay", record).err
    assert bob.does("audit", record, "--json").json["standing"]["ranking"] == [[1], [0]]
    assert bob.does("show", "--json").json["abandoned"] is None
    for told in (bob.does("log"), bob.does("audit", record), bob.does("show")):
        assert "abandoned" not in told.out
        assert "nobody has won" not in told.out


def test_only_those_invited_sit_down(new_person: NewPerson) -> None:
    ann, bob, cy = new_person("ann"), new_person("bob"), new_person("cy")
    table = ann.does("new", "paris-paris", "--invite", bob.name, "--json").json["table"]
    refused = cy.run("join", table)
    assert refused.code == 1
    assert "table/not-invited" in refused.err
    bob.does("join", table)


def test_watch_waits_for_the_turn_tells_what_happens_and_runs_the_hook(new_person: NewPerson, tmp_path: Path) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    assert bob.run("watch", "--timeout", "0.5").code == 1
    rung = tmp_path / "rung"
    watching = bob.starts("watch", "--run", f'printf "%s" "$POSTE_MESSAGE" > {rung}')
    anywhere = bob.starts("watch", "--any", "--json")
    ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")
    told, complained = watching.communicate(timeout=30)
    assert watching.returncode == 0, complained
    assert f"{ann.name} takes the" in told
    assert "It is your turn" in rung.read_text()
    told, complained = anywhere.communicate(timeout=30)
    assert json.loads(told)["your_turn"], complained


def test_an_onlooker_may_watch_and_not_play(new_person: NewPerson) -> None:
    ann, bob, cy = new_person("ann"), new_person("bob"), new_person("cy")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    told = cy.does("show", table, "--json").json
    assert told["seat"] is None
    assert not any(told["view"]["markers"])
    assert "only watch" in cy.run("moves").err
    assert "begun without you" in cy.run("join").err
