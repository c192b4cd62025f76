"""docs/mail.md is lived through, line by line, and names every setting and every word there is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from engine import games, notation
from engine.game import Seat
from engine.record.entry import PerDecision, instant
from server.mail.incoming.received_mail import WORDS
from server.mail.letters import letter_texts
from server.mail.letters.letter_parts import Letter
from server.mail.letters.reply_instructions import Ways
from server.mail.outgoing.message_composer import compose
from server.mail.reply_addresses import Counter
from server.problems import STATUSES
from server.settings import Settings
from tests.client.players_and_proxy import Person
from tests.engine.signed_games import Evening

DOCS = Path(__file__).parents[3] / "docs"
DOCUMENT = (DOCS / "mail.md").read_text(encoding="utf-8")
PATIENCE = 30.0


def commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", DOCUMENT, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("$ ") for line in lines)
    return [line[2:] for line in lines]


def run(line: str, environment: dict[str, str], work: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], env=environment, cwd=work, capture_output=True, text=True, check=False, timeout=120
    )


def awaited(line: str, environment: dict[str, str], work: Path) -> subprocess.CompletedProcess[str]:
    """A command that succeeds, though perhaps not at once: mail takes a moment."""
    end = time.monotonic() + PATIENCE
    while (done := run(line, environment, work)).returncode != 0 and "cat post/" in line:
        assert time.monotonic() < end, (line, done.stderr)
        time.sleep(0.1)
    assert done.returncode == 0, (line, done.stderr)
    assert "Traceback" not in done.stderr
    return done


def test_every_command_of_the_document_works(tmp_path: Path) -> None:
    serve, *others = commands()
    assert serve.endswith("poste-server run")
    settings = {"POSTE_DATA": str(tmp_path / "data"), "POSTE_PORT": "0", "PYTHONUNBUFFERED": "1"}
    environment = Person(tmp_path / "home", "ann").environment(settings)
    server = subprocess.Popen(
        ["bash", "-c", serve],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    try:
        environment["SERVER"] = server.stdout.readline().split()[-1]
        told = ""
        for line in others:
            done = awaited(line, environment, tmp_path)
            told += done.stdout + done.stderr
            if code := re.search(r"poste mail confirm ([0-9a-f]{10})", done.stdout):
                environment["CODE"] = code[1]
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)
        server.stdout.close()
    assert "ann@example.org gets mail at every turn" in told
    assert "You can play by mail at all your tables" in told
    assert re.search(r"ann +confirmation +1 attempt ", told)


def _mail(letter: Letter, evening: Evening, message_id: str, answers: str | None = None) -> str:
    """A mail as the document shows it: what a machine reads at the end of its head is left out, and so is the board."""
    counter = Counter("post", "games.example.org", "https://games.example.org", takes_mail=True)
    token, handle, at = "zwxyq2nv6muuyx3x4cloy7xhrrlgeho6", "0" * 32, instant(evening.now)
    mark = counter.mark(
        "ann@example.org", message_id, at, table=evening.id, token=token, handle=handle, answers=answers
    )
    mail = compose(letter, mark)
    head = mail.decode().replace("\r\n", "\n").partition("List-Unsubscribe: ")[0]
    before, begin, rest = letter.text.partition("\nParis Paris, round")
    _, end, after = rest.partition("\nWhat you can do:")
    board = "\n[... the board, and the score]\n" if begin else ""
    return f"{head}List-Unsubscribe: [...]\n\n{before}{board}{end}{after}"


def _told(evening: Evening, seat: Seat) -> list[str]:
    """What the newest entry caused, told to a seat."""
    known = [event for event in evening.table.playing.events if event.to is None or seat in event.to]
    return [evening.game.tell(event, evening.table.chain.names) for event in known]


def _examples() -> list[str]:
    """The mails that the document shows, as they are written: a turn, and the answer to a move."""
    game = games.load("paris-paris")
    evening = Evening("docs/mail.md", game, 2, clock=PerDecision(seconds=3 * 86400))
    ways, seat = Ways(takes_mail=True, delegated=True), Seat(0)
    told = _told(evening, seat)
    due = evening.table.playing.due(seat)
    turn = letter_texts.turn(evening.table, evening.id, seat, told, due, ways, private=True)
    asked = _mail(turn, evening, "turn.068a5b7e2fd277a8cbbf7f6530e3ebcd")
    evening.delegate(0)
    forms = game.forms(game.view(evening.table.playing.state, seat))
    move = game.legal(evening.table.playing.state, seat)[0]
    evening.move(0, move, mail=True)
    told = _told(evening, seat)
    text = notation.write(forms, move)
    lines = [f"Played: {text} (entry {evening.table.chain.length - 1}).", *told]
    about = {"table": evening.table, "table_id": evening.id, "seat": seat, "about": f"Played: {text}"}
    answer = letter_texts.answer(lines, private=True, **about)  # type: ignore[arg-type]
    name = "answer.5f1f1a8b7c0f4d0e9d0f3c2b1a090807"
    answered = _mail(answer, evening, name, "<1@ann.example.org>")
    head, _, body = answered.partition("\n\n")
    kept = [line for line in head.splitlines() if line.startswith(("Subject", "In-Reply-To"))]
    return [asked, "\n".join([*kept, "[...]"]) + f"\n\n{body}"]


def test_the_mails_of_the_document_are_what_is_written(request: pytest.FixtureRequest) -> None:
    """``--update-golden`` writes them anew."""
    blocks = re.findall(r"```text\n(.*?)```", DOCUMENT, re.DOTALL)[:2]
    examples = _examples()
    if request.config.getoption("--update-golden"):
        text = DOCUMENT
        for block, example in zip(blocks, examples, strict=True):
            text = text.replace(block, example)
        (DOCS / "mail.md").write_text(text, encoding="utf-8")
        return
    assert blocks == examples


def test_every_setting_that_is_named_exists_and_every_one_of_mail_is_named() -> None:
    settings = {f"POSTE_{name.upper()}" for name in Settings.__dataclass_fields__}
    operating = (DOCS / "operating.md").read_text(encoding="utf-8")
    for text in (DOCUMENT, operating):
        named = set(re.findall(r"\bPOSTE_[A-Z_]*[A-Z]", text))
        assert named <= settings
        assert {name for name in settings if name.startswith(("POSTE_MAIL", "POSTE_WORKER", "POSTE_REM"))} <= named
    assert settings <= set(re.findall(r"\bPOSTE_[A-Z_]*[A-Z]", operating))


def test_every_word_is_explained() -> None:
    table = [line for line in DOCUMENT.splitlines() if line.startswith("| `")]
    explained = {word for line in table for word in re.findall(r"`([a-z]+)(?: [A-Z]+)?`", line.split("|")[1])}
    assert explained == set(WORDS)


def test_every_problem_code_is_in_the_description_of_the_api() -> None:
    described = (DOCS / "http-api.md").read_text(encoding="utf-8")
    assert [code for code in STATUSES if f"`{code}`" not in described] == []
