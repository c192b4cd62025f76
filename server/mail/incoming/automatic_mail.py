"""Mail that no person wrote: bounces, lists, and the many ways in which programs say that somebody is away.

None of it is answered, or two programs would write to each other for ever.
"""

from __future__ import annotations

from server.mail.incoming.mime_parser import Headers, first, kind_of, without_prefixes

HEADERS = frozenset(
    [
        *("auto-submitted", "content-type", "delivered-to", "list-id", "list-post", "precedence", "return-path"),
        *("x-failed-recipients", "x-mail-autoreply", "x-vacation"),
    ]
)
"""What :func:`why_automatic` looks at, in lower case."""
PREFIXES = ("x-auto",)
"""And how other headers begin that it looks at: X-Autoreply, X-Autorespond, X-Auto-Response-Suppress ..."""

_OF_RESPONDERS = frozenset(["x-mail-autoreply", "x-vacation"])
_PRECEDENCES = frozenset(["bulk", "list", "junk", "auto_reply", "auto-reply", "autoreply"])
_AWAY = (
    *(
        "out of office",
        "out of the office",
        "automatic reply",
        "automatic response",
        "automated reply",
        "vacation reply",
    ),
    *("automated response", "auto-reply", "auto reply", "autoreply", "auto:", "auto-response", "auto response"),
    *("autoresponse", "autosvar", "automatisch antwoord", "automatische antwort", "abwesend"),
    *("abwesenheit", "réponse automatique", "absence du bureau", "respuesta automática", "resposta automática"),
    *("risposta automatica", "automatyczna odpowiedź", "automatiskt svar", "自動応答", "自动回复"),
)
_BOUNCED = (
    *("undeliverable", "undelivered mail", "delivery status", "mail delivery failed", "mail delivery failure"),
    *("delivery failure", "failure notice", "returned mail", "unzustellbar"),
)


def why_automatic(found: Headers, sender: str, subject: str) -> str | None:
    """Why a mail with these headers must not be answered; None if a person seems to have written it."""
    if sender.strip("<> ").partition("@")[0].lower() in ("", "mailer-daemon"):
        return "it comes from a mail system"
    if "x-failed-recipients" in found or any(not path.strip("<> ") for path in found.get("return-path", ())):
        return "it comes from a mail system"
    if first(found, "auto-submitted").partition(";")[0].partition("(")[0].strip().lower() not in ("", "no"):
        return "it says that it was sent automatically"
    if kind_of(found).get_content_type() in ("multipart/report", "message/delivery-status"):
        return "it is a report about another mail"
    precedence = first(found, "precedence").lower().split()[:1]
    if "list-id" in found or "list-post" in found or _PRECEDENCES.intersection(precedence):
        return "it comes from a mailing list"
    if _OF_RESPONDERS & found.keys() or any(name.startswith(PREFIXES) for name in found):
        return "it comes from an automatic responder"
    if any(value.lower() == "autoresponder" for value in found.get("delivered-to", ())):
        return "it comes from an automatic responder"
    if any(_said(text).startswith((*_AWAY, *_BOUNCED)) for text in (subject, without_prefixes(subject))):
        return "its subject is that of an automatic reply"
    return None


def _said(subject: str) -> str:
    return subject.lstrip(" [(*").lower()
