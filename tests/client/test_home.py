"""Who plays from this machine, with which key; what a home remembers."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from client.output import CommandRefused
from client.trust.player_home import Home, usual_name


def write_key(path: Path, passphrase: bytes | None = None, private: object = None) -> str:
    key = private or Ed25519PrivateKey.generate()
    encryption: KeySerializationEncryption = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, encryption))  # type: ignore[attr-defined]
    path.chmod(0o600)
    return key.public_key().public_bytes_raw().hex() if isinstance(key, Ed25519PrivateKey) else ""


@pytest.mark.parametrize(("user", "name"), [("ann", "ann"), ("violet", "guest"), ("1000", "guest"), ("a b", "guest")])
def test_the_name_of_the_machines_user_is_taken_if_a_player_can_be_called_that(
    monkeypatch: pytest.MonkeyPatch, user: str, name: str
) -> None:
    monkeypatch.setenv("LOGNAME", user)
    assert usual_name() == name


def test_the_first_identity_is_the_current_one_until_told_otherwise(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create("alice", "")
    home.create("bob", "")
    assert home.names() == ["alice", "bob"]
    assert home.identity().name == "alice"
    assert home.identity("bob").name == "bob"
    home.make_current("bob")
    assert Home(tmp_path).identity().name == "bob"


def test_a_key_is_an_openssh_key_that_only_its_owner_may_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    identity = home.create("alice", "")
    path = home.key_path(identity)
    assert path.read_bytes().startswith(b"-----BEGIN OPENSSH PRIVATE KEY-----")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert home.signing_key(identity).public == identity.key


def test_a_passphrase_protects_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    identity = home.create("alice", "open sesame")
    monkeypatch.setenv("POSTE_PASSPHRASE", "open sesame")
    assert home.signing_key(identity).public == identity.key
    monkeypatch.setenv("POSTE_PASSPHRASE", "close sesame")
    with pytest.raises(CommandRefused, match="not the passphrase"):
        home.signing_key(identity)
    monkeypatch.delenv("POSTE_PASSPHRASE")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    with pytest.raises(CommandRefused, match="no terminal"):
        home.signing_key(identity)


def test_an_existing_ssh_key_is_used_where_it_is(tmp_path: Path) -> None:
    public = write_key(tmp_path / "id_ed25519")
    home = Home(tmp_path / "home")
    identity = home.create("alice", "", tmp_path / "id_ed25519")
    assert identity.key == public
    assert home.signing_key(identity).public == public
    assert not list((tmp_path / "home").rglob("key")), "there is no second copy of the secret"


@pytest.mark.skipif(not Path("/usr/bin/ssh-keygen").exists(), reason="ssh-keygen is not installed")
def test_a_key_of_ssh_keygen_is_understood_and_ours_by_it(tmp_path: Path) -> None:
    made = tmp_path / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(made)], check=True)
    home = Home(tmp_path / "home")
    assert home.signing_key(home.create("alice", "", made)).public == home.identity("alice").key
    ours = home.key_path(home.create("bob", ""))
    told = subprocess.run(["ssh-keygen", "-y", "-f", str(ours)], check=True, capture_output=True)
    assert told.stdout.startswith(b"ssh-ed25519 ")


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    write_key(tmp_path / "id")
    (tmp_path / "id").chmod(0o644)
    with pytest.raises(CommandRefused, match="chmod 600"):
        Home(tmp_path / "home").create("alice", "", tmp_path / "id")


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    write_key(tmp_path / "id", private=generate_private_key(SECP256R1()))
    with pytest.raises(CommandRefused, match="Ed25519"):
        Home(tmp_path / "home").create("alice", "", tmp_path / "id")
    (tmp_path / "id").write_bytes(b"my diary")
    with pytest.raises(CommandRefused, match="not an OpenSSH private key"):
        Home(tmp_path / "home").create("alice", "", tmp_path / "id")


def test_a_key_that_is_gone_or_exchanged_is_noticed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    identity = home.create("alice", "")
    write_key(home.key_path(identity))
    with pytest.raises(CommandRefused, match="another key"):
        home.signing_key(identity)
    home.key_path(identity).unlink()
    with pytest.raises(CommandRefused, match="gone"):
        home.signing_key(identity)


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", ".hidden", "a" * 33, "né", "two words"])
def test_a_name_is_a_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(CommandRefused, match="cannot be a name"):
        Home(tmp_path).create(name, "")


def test_nobody_is_made_twice_and_nobody_is_invented(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(CommandRefused, match="poste init"):
        home.identity()
    home.create("alice", "")
    with pytest.raises(CommandRefused, match="already"):
        home.create("alice", "")
    with pytest.raises(CommandRefused, match="there is alice"):
        home.identity("bob")


def test_damage_is_said_not_raised(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.create("alice", "")
    (tmp_path / "identities" / "alice" / "identity.json").write_bytes(b"{")
    with pytest.raises(CommandRefused, match="damaged"):
        home.identity()
    (tmp_path / "servers.json").write_bytes(b"[]")
    with pytest.raises(CommandRefused, match="damaged"):
        home.pinned("http://x")


def test_the_first_key_of_a_server_counts_for_ever(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.pinned("http://x") is None
    home.pin("http://x", "a" * 64)
    home.pin("http://x", "b" * 64)
    home.pin("http://y", "c" * 64)
    assert (home.pinned("http://x"), home.pinned("http://y")) == ("a" * 64, "c" * 64)


def test_the_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTE_HOME", str(tmp_path / "h"))
    assert Home.find().path == tmp_path / "h"
    monkeypatch.delenv("POSTE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if os.name == "posix":
        assert Home.find().path.name == "poste"
