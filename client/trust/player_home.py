"""The player's own folder: who they are, which server and table they meant, and what they remember.

POSTE_HOME/
  current                        the identity that is meant when --as does not say
  servers.json                   the sealing key of every server, as it was when first met
  gateways.json                  the key of every server's mail gateway, likewise
  identities/<name>/
    identity.json                public key, where the private one is, server, registered name, current table
    key, key-2 ...               the private keys, in OpenSSH's format: the last one counts
    delegations.jsonl            what the mail gateway was allowed, and what was taken back (gateway_delegations)
    tables/<table>/              what is remembered of each table (client.trust.table_memory)
  evidence/                      what was saved when a server was caught
"""

from __future__ import annotations

import getpass
import os
import re
from pathlib import Path

import msgspec
from msgspec import Struct

from client.output import CommandRefused
from client.trust import key_files
from client.trust.durable_files import locked, make_folder, write_whole
from client.trust.table_memory import Succession
from engine.keys import Key, SigningKey
from engine.record.entry import succeed_message
from engine.typed_json import decode

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")


def usual_name() -> str:
    """The name of this machine's user, if a player can be called that."""
    from engine.reserved_names import why_no_name

    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        return "guest"
    return name if _NAME.fullmatch(name) and why_no_name(name) is None else "guest"


class NextKey(Struct, frozen=True):
    """A key on the disk, and what was signed to go on under it: written down before anybody else hears of it."""

    key_file: str
    succession: Succession


class Identity(Struct, frozen=True):
    """One of the people who play from this folder."""

    name: str
    key: Key
    key_file: str
    server: str | None = None
    registered: str | None = None
    """The name the server knows this key by."""
    table: str | None = None
    """The table that is meant when none is named."""
    former: tuple[Succession, ...] = ()
    """How the player came to this key."""
    next: NextKey | None = None
    """What they are about to go on under, and the server may know of already."""

    @property
    def successions(self) -> tuple[Succession, ...]:
        """Every change of key that was signed here."""
        return self.former if self.next is None else (*self.former, self.next.succession)


class Home:
    """The folder; every change to it is on the disk when the method returns."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def find(cls) -> Home:
        """The folder that POSTE_HOME names, or the platform's place for such things."""
        if given := os.environ.get("POSTE_HOME"):
            return cls(Path(given).expanduser().absolute())
        from platformdirs import user_data_path

        return cls(user_data_path("poste"))

    def names(self) -> list[str]:
        """Every identity there is."""
        return sorted(path.parent.name for path in self.path.glob("identities/*/identity.json"))

    def current(self) -> str | None:
        """The identity that is meant when none is named."""
        try:
            name = (self.path / "current").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        return name if name in self.names() else None

    def identity(self, name: str | None = None) -> Identity:
        """The identity of this name (None: the current one); refuses if there is none."""
        wanted = name or self.current()
        if wanted is None:
            raise CommandRefused("You have no identity on this machine yet. Make one: poste init NAME")
        if wanted not in self.names():
            known = ", ".join(self.names())
            raise CommandRefused(f"There is no identity “{wanted}” here" + (f"; there is {known}." if known else "."))
        path = self._folder(wanted) / "identity.json"
        try:
            return decode(path.read_bytes(), Identity)
        except msgspec.DecodeError:
            raise CommandRefused(f"{path} is damaged. Restore it, or begin anew with: poste init") from None

    def create(self, name: str, passphrase: str, key_file: Path | None = None) -> Identity:
        """A new identity, with a new key or with the one in ``key_file``, which stays where it is."""
        if not _NAME.fullmatch(name):
            raise CommandRefused(f"“{name}” cannot be a name: up to 32 letters, digits, dots, dashes and underscores.")
        if name in self.names():
            raise CommandRefused(f"There is an identity “{name}” here already.")
        folder = self._folder(name)
        make_folder(folder)
        if key_file is not None:
            key, where = key_files.load(key_file), str(key_file.absolute())
        else:
            key, where = key_files.create(folder / "key", passphrase), "key"
        identity = Identity(name, key.public, where)
        self.save(identity)
        if self.current() is None:
            self.make_current(name)
        return identity

    def save(self, identity: Identity) -> None:
        """Write an identity down."""
        write_whole(self._folder(identity.name) / "identity.json", msgspec.json.encode(identity))

    def make_current(self, name: str) -> None:
        """Remember whom to mean from now on."""
        write_whole(self.path / "current", name.encode() + b"\n")

    def next_key(self, identity: Identity, passphrase: str) -> NextKey:
        """Another key to go on under, with what is signed for it; the same until the server has taken it."""
        if identity.next is not None:
            return identity.next
        former, number = self.signing_key(identity), len(identity.former) + 2
        while (self._folder(identity.name) / f"key-{number}").exists():  # begun before, and nothing signed with it
            number += 1
        key = key_files.create(self._folder(identity.name) / f"key-{number}", passphrase)
        message = succeed_message(former.public, key.public)
        succession = Succession(former.public, key.public, former.sign(message), key.sign(message))
        begun = NextKey(f"key-{number}", succession)
        self.save(msgspec.structs.replace(identity, next=begun))
        return begun

    def change_key(self, identity: Identity, begun: NextKey) -> Identity:
        """The identity with its next key, which the server has taken."""
        now = {"key": begun.succession.to, "key_file": begun.key_file, "next": None}
        changed = msgspec.structs.replace(identity, **now, former=(*identity.former, begun.succession))
        self.save(changed)
        return changed

    def signing_key(self, identity: Identity) -> SigningKey:
        """The private key of an identity; asks for its passphrase where it has one."""
        path = self._folder(identity.name) / identity.key_file
        key = key_files.load(path)
        if key.public != identity.key:
            raise CommandRefused(f"{path} holds another key than the one “{identity.name}” has played with.")
        return key

    def key_path(self, identity: Identity) -> Path:
        """Where the private key is."""
        return self._folder(identity.name) / identity.key_file

    def tables(self, identity: Identity) -> Path:
        """The folder of what this identity remembers."""
        return self._folder(identity.name) / "tables"

    def delegations(self, identity: Identity) -> Path:
        """The file of what this identity has delegated."""
        return self._folder(identity.name) / "delegations.jsonl"

    def pinned(self, server: str) -> Key | None:
        """The sealing key this server had when it was first met."""
        return self._keys("servers.json").get(server)

    def pin(self, server: str, key: Key) -> None:
        """Remember a server's sealing key; the first one counts for ever."""
        self._pin("servers.json", server, key)

    def pinned_gateway(self, server: str) -> Key | None:
        """The key that the mail gateway of this server had when it was first met."""
        return self._keys("gateways.json").get(server)

    def pin_gateway(self, server: str, key: Key) -> None:
        """Remember the key of a server's mail gateway; the first one counts for ever."""
        self._pin("gateways.json", server, key)

    def _pin(self, file: str, server: str, key: Key) -> None:
        with locked(self.path / "servers.lock"):
            keys = self._keys(file)
            if server not in keys:
                write_whole(self.path / file, msgspec.json.encode(keys | {server: key}))

    def _keys(self, file: str) -> dict[str, Key]:
        path = self.path / file
        try:
            return decode(path.read_bytes(), dict[str, Key])
        except FileNotFoundError:
            return {}
        except msgspec.DecodeError:
            raise CommandRefused(f"{path} is damaged; it says which servers' keys you trust. Restore it.") from None

    def _folder(self, name: str) -> Path:
        return self.path / "identities" / name
