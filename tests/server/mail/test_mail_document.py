"""docs/mail.md is lived through, line by line, and names every setting and every word there is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from server.mail.incoming import WORDS
from server.problems import STATUSES
from server.settings import Settings
from tests.client.people import Person

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
