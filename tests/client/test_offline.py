"""The commands that need no server, run as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from client.screen.replay_viewer import after_key, frame
from engine import games
from engine.record.audit import audit, entries, secret_of
from engine.record.replay import replay

SEED = "2a"


def poste(*arguments: str, cwd: Path | None = None, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "client", *arguments],
        capture_output=True,
        cwd=cwd,
        input=stdin,
        check=False,
        env=os.environ | {"COLUMNS": "100"},
    )


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "game.poste"
    done = poste("selfplay", "paris-paris", "--seats", "3", "--seed", SEED, "--record", str(path))
    assert done.returncode == 0, done.stderr
    return path


def test_games_lists_every_game_there_is() -> None:
    listed = json.loads(poste("games", "--json").stdout)
    assert [game["key"] for game in listed] == list(games.keys())
    assert poste("games").stdout.decode().splitlines()[0].startswith(games.keys()[0])


@pytest.mark.parametrize("key", games.keys())
def test_rules_tells_how_a_game_is_played_and_written(key: str) -> None:
    told = poste("rules", key).stdout.decode()
    book = games.load(key).rulebook
    assert told.startswith(book.title)
    assert all(rule.title in " ".join(told.split()) for rule in book.rules)
    assert json.loads(poste("rules", key, "--json").stdout)["moves"]


def test_a_game_may_be_named_by_its_beginning() -> None:
    assert poste("rules", "paris").returncode == 0


def test_an_unknown_game_is_a_usage_error_that_lists_the_known_ones() -> None:
    done = poste("rules", "chess")
    assert done.returncode == 2
    assert b"paris-paris" in done.stderr
    assert b"Traceback" not in done.stderr


def test_selfplay_keeps_its_contract_for_scripts(tmp_path: Path) -> None:
    arguments = ("selfplay", "paris-paris", "--games", "3", "--bots", "greedy,random", "--seed", SEED, "--json")
    told = json.loads(poste(*arguments).stdout)
    assert {"game", "seats", "games", "moves", "seconds", "moves_per_second", "results"} <= told.keys()
    assert (told["game"], told["seats"], told["games"], len(told["results"])) == ("paris-paris", 2, 3, 3)
    assert told["moves"] == 3 * 40
    again = json.loads(poste(*arguments).stdout)
    assert again["results"] == told["results"], "the same seed plays the same games"


def test_selfplay_refuses_what_cannot_be() -> None:
    assert poste("selfplay", "paris-paris", "--seats", "9").returncode == 2
    assert poste("selfplay", "paris-paris", "--bots", "genius").returncode == 2
    assert poste("selfplay", "paris-paris", "--seed", "xyz").returncode == 2
    missing = poste("selfplay", "paris-paris", "--record", "/nowhere/at/all.poste")
    assert missing.returncode == 1
    assert b"Traceback" not in missing.stderr


def test_audit_says_valid_with_the_standing(record: Path) -> None:
    done = poste("audit", str(record), "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["valid"], told["faults"]) == (True, [])
    assert told["entries"] == len(record.read_bytes().splitlines())
    assert told["standing"]["final"]
    assert b"valid" in poste("audit", str(record)).stdout


def test_audit_of_a_tampered_record_ends_with_4(record: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.poste"
    bad.write_bytes(record.read_bytes().replace(b'"total":', b'"total":1', 1))
    done = poste("audit", str(record), str(bad), "--json")
    assert done.returncode == 4
    good, tampered = json.loads(done.stdout)
    assert good["valid"]
    assert not tampered["valid"]
    assert set(tampered["faults"][0]) == {"entry", "code", "message"}
    said = poste("audit", str(bad)).stdout.decode()
    assert "NOT valid" in said
    assert tampered["faults"][0]["code"] in said


def test_audit_reads_standard_input_and_survives_what_is_no_record(record: Path) -> None:
    assert poste("audit", "-", stdin=record.read_bytes()).returncode == 0
    for garbage in (b"", b"\xff" * 1000, b"{}\n" * 50, b"[" * 50_000):
        done = poste("audit", "-", "--json", stdin=garbage)
        assert done.returncode == 4
        assert json.loads(done.stdout)["faults"]


def test_a_missing_file_is_a_usage_error() -> None:
    for verb in ("audit", "replay"):
        assert poste(verb, "no-such.poste").returncode == 2


def test_replay_draws_the_position_as_a_seat_saw_it(record: Path) -> None:
    sealed = entries(record.read_bytes())
    game = replay(sealed, secret_of(sealed) or b"")
    drawn = poste("replay", str(record), "--at", "20", "--as", "1").stdout.decode()
    assert "Your marker" in drawn
    assert "Your marker" not in poste("replay", str(record), "--at", "20").stdout.decode()
    view = json.loads(poste("replay", str(record), "--at", "20", "--as", game.chain.names[1], "--json").stdout)
    assert view["seat"] == 1
    assert [marker is None for marker in view["markers"]] == [True, False, True]


def test_replay_writes_a_picture(record: Path, tmp_path: Path) -> None:
    assert poste("replay", str(record), "--svg", str(tmp_path / "end.svg")).returncode == 0
    assert (tmp_path / "end.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("arguments", [("--at", "9999"), ("--at", "0"), ("--at", "x"), ("--as", "zoe"), ("--as", "7")])
def test_replay_refuses_what_is_not_in_the_record(record: Path, arguments: tuple[str, ...]) -> None:
    done = poste("replay", str(record), *arguments)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_replay_of_a_damaged_record_ends_with_4(record: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.poste"
    cut.write_bytes(b"\n".join(record.read_bytes().splitlines()[:20]) + b"\n")
    done = poste("replay", str(cut))
    assert done.returncode == 4
    assert b"record/unfinished" in done.stderr


def test_stepping_needs_a_terminal(record: Path) -> None:
    assert poste("replay", str(record), "--step").returncode == 1


def test_stepping_goes_where_the_keys_point() -> None:
    assert after_key("\x1b[C", 3, 10) == 4
    assert after_key("\x1b[C", 9, 10) == 9
    assert after_key("\x1b[D", 0, 10) == 0
    assert after_key("\x1b[F", 3, 10) == 9
    assert after_key("\x1b[H", 3, 10) == 0
    assert after_key("?", 3, 10) == 3
    assert after_key("q", 3, 10) is None


def test_every_step_can_be_shown(record: Path) -> None:
    from io import StringIO

    from rich.console import Console

    sealed = entries(record.read_bytes())
    game = replay(sealed, secret_of(sealed) or b"")
    for index in range(0, len(game.positions), 9):
        out = StringIO()
        Console(file=out, width=100).print(frame(game, None, index, 100))
        assert f"entry {game.positions[index].seq} of" in out.getvalue()


def test_shell_completion_knows_commands_and_games() -> None:
    def complete(words: str, index: int) -> str:
        asked = {"_POSTE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(index)}
        return subprocess.run(
            [Path(sys.executable).parent / "poste"], env=os.environ | asked, capture_output=True, check=False, text=True
        ).stdout

    assert "replay" in complete("poste re", 1)
    assert "paris-paris" in complete("poste rules pa", 2)


def test_help_has_an_example_for_every_command() -> None:
    from client.cli import poste as group

    for name in group.list_commands(None):  # type: ignore[arg-type]
        told = poste(name, "--help").stdout.decode()
        assert "Example" in told, name
        assert f"poste {name}" in told, name


def test_a_reader_who_has_seen_enough_is_no_error(record: Path) -> None:
    command = f"{sys.executable} -m client replay {record} | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_the_record_is_what_the_audit_module_reads(record: Path) -> None:
    assert audit(record.read_bytes()).valid
