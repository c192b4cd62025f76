"""A real mail provider for tests: Dovecot, run from a folder of its own, with IMAP and LMTP on the loopback.

Every address ``anybody@anywhere`` has a mailbox; its password is always PASSWORD. Whatever comes by LMTP lies in it.
"""

from __future__ import annotations

import email
import getpass
import imaplib
import os
import pwd
import signal
import smtplib
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.mail.incoming.imap_fetcher import ImapMailbox

PROGRAM = Path("/usr/sbin/dovecot")
PASSWORD = "s3cret/with:odd@signs"  # noqa: S105
PATIENCE = 20.0

_CONF = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap lmtp
listen = 127.0.0.1
{users}
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
mail_location = maildir:{folder}/mail/%u
mail_uid = {uid}
mail_gid = {gid}
first_valid_uid = 0
first_valid_gid = 0
lmtp_save_to_detail_mailbox = no
postmaster_address = postmaster@localhost
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home/%u allow_all_users=yes
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
service stats {{
  chroot =
}}
"""


@dataclass(frozen=True)
class Dovecot:
    """A running provider."""

    folder: Path
    imap: int
    imaps: int
    lmtp: int
    certificate: Path

    def mailbox(self, user: str) -> ImapMailbox:
        """The mailbox of an address, to be read without encryption."""
        return ImapMailbox("127.0.0.1", self.imap, user, PASSWORD, security="none")

    def put(self, data: bytes, sender: str, recipient: str) -> None:
        """Deliver a mail into the mailbox of its recipient."""
        with smtplib.LMTP("127.0.0.1", self.lmtp, timeout=PATIENCE) as lmtp:
            lmtp.sendmail(sender, [recipient], data)

    def read(self, user: str) -> list[EmailMessage]:
        """All that lies in the mailbox of an address, oldest first, fetched by IMAP."""
        with imaplib.IMAP4("127.0.0.1", self.imap, timeout=PATIENCE) as box:
            box.login(user, PASSWORD)
            box.select(readonly=True)
            _, pieces = box.uid("FETCH", "1:*", "(BODY.PEEK[])")
        mails = [piece[1] for piece in pieces if isinstance(piece, tuple)]
        return [email.message_from_bytes(mail, _class=EmailMessage, policy=policy.default) for mail in mails]


@contextmanager
def dovecot() -> Iterator[Dovecot]:
    """Run a provider in a folder of its own; skips the test where Dovecot is not installed."""
    if not PROGRAM.exists():
        pytest.skip("dovecot is not installed")
    with own_folder("dovecot") as folder, _running(folder) as provider:
        yield provider


@contextmanager
def own_folder(program: str) -> Iterator[Path]:
    """A folder for a program that root starts and that then works as somebody else."""
    # Not pytest's: only its owner may look into that.
    with TemporaryDirectory(prefix=f"{program}-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def serving(command: Sequence[str], folder: Path, ports: Sequence[int]) -> Iterator[None]:
    """Run a program that stays in the foreground, from when it answers at all its ports; none of it is left behind."""
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
    try:
        for port in ports:
            _await(port, process, folder)
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        # The session is the program's own: whoever is still in it, is one of its children.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _running(folder: Path) -> Iterator[Dovecot]:
    uid, gid = _owner()
    for room in ("mail", "home"):
        (folder / room).mkdir()
        os.chown(folder / room, uid, gid)
    imap, imaps, lmtp = free_ports(3)
    _certificate(folder)
    (folder / "conf").write_text(
        _CONF.format(
            folder=folder,
            users=_users(),
            uid=uid,
            gid=gid,
            password=PASSWORD,
            imap=imap,
            imaps=imaps,
            lmtp=lmtp,
        )
    )
    with serving([str(PROGRAM), "-F", "-c", str(folder / "conf")], folder, (imap, imaps, lmtp)):
        yield Dovecot(folder, imap, imaps, lmtp, folder / "cert.pem")


def _owner() -> tuple[int, int]:
    """Who owns the mail: whoever runs the tests, but never root, which Dovecot refuses."""
    nobody = pwd.getpwnam("nobody")
    return (os.getuid(), os.getgid()) if os.getuid() else (nobody.pw_uid, nobody.pw_gid)


def _users() -> str:
    """Dovecot insists on two users other than root when root runs it; nobody else may name any but themselves."""
    if os.getuid() != 0:
        me = getpass.getuser()
        return f"default_internal_user = {me}\ndefault_login_user = {me}\ndefault_internal_group = {os.getgid()}"
    known = {entry.pw_name for entry in pwd.getpwall()}
    internal, login = ("dovecot", "dovenull") if {"dovecot", "dovenull"} <= known else ("daemon", "nobody")
    return f"default_internal_user = {internal}\ndefault_login_user = {login}"


def free_ports(count: int) -> list[int]:
    holders = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports: list[int] = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def _await(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    told = [path.read_text() for path in (folder / "output", folder / "log") if path.exists()]
    raise AssertionError(f"{process.args!r} does not come up:\n" + "\n".join(told))


def _certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
