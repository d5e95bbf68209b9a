"""Answers that are no file of a site: in plain text, for no search engine and no cache."""

from __future__ import annotations

from server.site_serving.raw_answer import RawAnswer, encoded

POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"
SERVER = ("Server", "Twinpress")
STRICT = (
    SERVER,
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
"""The headers of every answer to readers."""
NO_INDEX = ("X-Robots-Tag", "noindex")
NO_STORE = ("Cache-Control", "no-store")
_ALLOW = ("Allow", "GET, HEAD")


def plain(status: int, says: str, *more: tuple[str, str]) -> RawAnswer:
    """An answer that says one sentence."""
    body = f"{says}\n".encode()
    headers = (
        *STRICT,
        NO_INDEX,
        NO_STORE,
        ("Content-Security-Policy", POLICY),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(body))),
        *more,
    )
    return RawAnswer(status, encoded(headers), body)


def missing() -> RawAnswer:
    """There is nothing, or no such host: one answer for both, which tells nobody which sites there are."""
    return plain(404, "There is nothing at this address.")


def not_allowed() -> RawAnswer:
    """Only reading is possible."""
    return plain(405, "Only GET and HEAD are possible here.", _ALLOW)


def taken() -> RawAnswer:
    """Take what was sent; there is nothing to say."""
    return RawAnswer(204, encoded((*STRICT, NO_STORE)))


def unavailable(says: str, seconds: int) -> RawAnswer:
    """It may be there again after so many seconds."""
    return plain(503, says, ("Retry-After", str(seconds)))


def moved(status: int, location: str) -> RawAnswer:
    """The address that is meant. It may be another one tomorrow, so that browsers ask again."""
    headers = (
        *STRICT,
        ("Cache-Control", "public, max-age=0, must-revalidate"),
        ("Content-Security-Policy", POLICY),
        ("Location", location),
        ("Content-Length", "0"),
    )
    return RawAnswer(status, encoded(headers))
