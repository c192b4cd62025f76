"""A player's mailbox: address, how often, and what they let the mail gateway do."""

from __future__ import annotations

from flask import Response, request

from server.http.request_types import ConfirmBody, DelegateBody, HandlePath, MailboxBody, RevokeBody
from server.http.response_types import MailboxAnswer
from server.problems import RequestRefused
from server.service import mailboxes
from server.service.entry_batch import SignedDelegation
from server.views import SIGNED, blueprint, identity, network, reply, the_context

bp = blueprint("mailbox")

_PAGE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Poste Restante</title><p>{}</p>{}"""
_BUTTON = """<form method="post"><button name="List-Unsubscribe" value="One-Click">Stop it</button></form>"""


@bp.get("/mailbox", summary="The signer's mailbox", responses={200: MailboxAnswer}, security=SIGNED)
def show_mailbox() -> Response:
    """Where the signer gets mail, and when."""
    return reply(mailboxes.show(the_context(), identity().required()))


@bp.put("/mailbox", summary="Change the signer's mailbox", responses={200: MailboxAnswer}, security=SIGNED)
def change_mailbox(body: MailboxBody) -> Response:
    """Change what is given; a new address is sent a code, and gets nothing else until that has come back."""
    key = identity().required()
    return reply(mailboxes.change(the_context(), key, body.address, body.when, body.private, network()))


@bp.post("/mailbox/confirmation", summary="Confirm the address", responses={200: MailboxAnswer}, security=SIGNED)
def confirm_address(body: ConfirmBody) -> Response:
    """The code is in the mail that was sent to the address."""
    return reply(mailboxes.confirm(the_context(), identity().required(), body.code))


@bp.put("/mailbox/delegation", summary="Play by mail", responses={200: MailboxAnswer}, security=SIGNED)
def delegate_to_gateway(body: DelegateBody) -> Response:
    """Let the mail gateway speak for the signer."""
    tables = tuple(body.tables) if body.tables is not None else None
    delegation = SignedDelegation(body.to, body.begins, body.ends, body.signature, tables)
    return reply(mailboxes.delegate(the_context(), identity().required(), delegation))


@bp.post("/mailbox/revocation", summary="No longer play by mail", responses={200: MailboxAnswer}, security=SIGNED)
def revoke_delegation(body: RevokeBody) -> Response:
    """Take back what was delegated."""
    return reply(mailboxes.revoke(the_context(), identity().required(), body.before, body.signature))


@bp.get("/mail/<handle>/stop", doc_ui=False)
def ask_to_stop(path: HandlePath) -> Response:  # noqa: ARG001 - looking must not stop anything: mail programs look
    """A page with a button, for whoever follows the link in a mail."""
    return _page("Shall Poste Restante send you no more mail?", _BUTTON)


@bp.post("/mail/<handle>/stop", doc_ui=False)
def stop_mail(path: HandlePath) -> Response:
    """One-click unsubscribe (RFC 8058), and the button of the page."""
    if "List-Unsubscribe" not in request.form:
        raise RequestRefused("request/malformed", "List-Unsubscribe=One-Click is missing")
    name = mailboxes.stop(the_context(), path.handle)
    if name is None:
        raise RequestRefused("not-found", "nobody gets mail with this link")
    return _page(f"No more mail for {name} comes to this address. Players who want it again: poste mail when turns")


def _page(text: str, form: str = "") -> Response:
    response = Response(_PAGE.format(text, form), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = "default-src 'none'; form-action 'self'"
    return response
