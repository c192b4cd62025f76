"""A real mail server for tests: Postfix, run from a folder of its own, on the loopback and nowhere else.

It hands the office's mail over by the very lines of ``deploy/postfix``, and the players' to their provider. Whoever
comes from 127.0.0.1 may send mail anywhere, as the office does; the rest of the world is 127.0.0.2.
"""

from __future__ import annotations

import os
import re
import shutil
import smtplib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.mail.dovecot import PATIENCE, Dovecot, dovecot, free_ports, own_folder, serving

PROGRAM = Path("/usr/lib/postfix/sbin/master")
SNIPPETS = Path(__file__).parents[3] / "deploy" / "postfix"
_WORLD = "127.0.0.2"

# What a Debian machine has, before the operator adds our lines. Like there, TLS is offered with a certificate that
# nobody knows. Nothing is looked up in the DNS, and no mail leaves.
_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mail.example.org
mydestination = localhost
alias_maps =
mynetworks = 127.0.0.1/32
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_peername_lookup = no
smtpd_relay_restrictions = permit_mynetworks permit_sasl_authenticated defer_unauth_destination
smtpd_tls_security_level = may
smtpd_tls_cert_file = {provider.folder}/cert.pem
smtpd_tls_key_file = {provider.folder}/key.pem
default_transport = error:no mail leaves this machine
virtual_mailbox_domains = example.org
virtual_transport = lmtp:inet:127.0.0.1:{provider.lmtp}
"""

_MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
anvil unix - - n - 1 anvil
bounce unix - - n - 0 bounce
cleanup unix n - n - 0 cleanup
defer unix - - n - 0 bounce
error unix - - n - - error
lmtp unix - - n - - lmtp
postlog unix-dgram n - n - 1 postlogd
proxymap unix - - n - - proxymap
qmgr unix n - n 300 1 qmgr
retry unix - - n - - error
rewrite unix - - n - - trivial-rewrite
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
"""


@dataclass(frozen=True)
class Postfix:
    """A running mail server, and the provider where the players' mail lies."""

    folder: Path
    port: int
    provider: Dovecot

    def put(self, data: bytes, sender: str, recipient: str) -> None:
        """Bring a mail from elsewhere in the world; raises smtplib.SMTPRecipientsRefused."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=PATIENCE, source_address=(_WORLD, 0)) as smtp:
            smtp.sendmail(sender, [recipient], data)

    def log(self) -> str:
        """What it has done."""
        return (self.folder / "log").read_text()

    def fates(self, recipient: str) -> list[str]:
        """What became of each mail to an address: sent, bounced or deferred."""
        return re.findall(rf"to=<{re.escape(recipient)}>.* status=(\w+)", self.log())

    def waiting(self) -> list[Path]:
        """The mails that have neither arrived nor come back."""
        # In the order in which a mail goes through them, so that none is overlooked on its way.
        rooms = [self.folder / "queue" / room for room in ("incoming", "active", "deferred")]
        return [path for room in rooms for path in room.rglob("*") if path.is_file()]


@contextmanager
def postfix(office: int) -> Iterator[Postfix]:
    """Run a mail server before an office that takes mail at this port; skips the test where it cannot be run."""
    if not PROGRAM.exists():
        pytest.skip("Debian's postfix is not installed")
    if os.getuid() != 0:
        pytest.skip("postfix is run by root only")
    with dovecot() as provider, own_folder("postfix") as folder:
        (port,) = free_ports(1)
        conf = folder / "conf"
        for room in (conf, folder / "queue", folder / "data"):
            room.mkdir()
        shutil.chown(folder / "data", "postfix")
        ours = _snippet("main.cf.snippet", "/etc/postfix/", f"{conf}/")
        (conf / "main.cf").write_text(_MAIN.format(folder=folder, provider=provider) + ours)
        (conf / "transport").write_text(_snippet("transport", "127.0.0.1:8424", f"127.0.0.1:{office}"))
        (conf / "master.cf").write_text(_MASTER.format(port=port))
        # It makes the rooms of the queue, and finds fault with a main.cf that cannot be read.
        subprocess.run(["/usr/sbin/postfix", "-c", str(conf), "check"], check=True, timeout=PATIENCE)
        with serving([str(PROGRAM), "-c", str(conf), "-d"], folder, [port]):
            yield Postfix(folder, port, provider)


def _snippet(name: str, theirs: str, ours: str) -> str:
    """What we give to operators, with the one thing in it that is different here."""
    text = (SNIPPETS / name).read_text()
    assert theirs in text, f"{name} does not name {theirs}"
    return text.replace(theirs, ours)
