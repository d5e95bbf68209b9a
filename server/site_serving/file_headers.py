"""Headers of a site's file: what it may do in a browser, how long it is kept, which form it has."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from msgspec import Struct

from builder.config.analytics import PROVIDERS
from server.releases.packed_object import Parts
from server.releases.release import Digest
from server.site_files import agent_lists, mime
from server.site_files.routing import LLMS
from server.site_serving.object_memory import PackedFile
from server.site_serving.plain_answers import NO_INDEX, STRICT
from server.site_serving.raw_answer import Headers, ShownPage, encoded
from server.site_serving.request_headers import Coding

HASHED_NAME = re.compile(r"_tp/(?:[^/]+/)*[^/]+\.[0-9a-f]{8,}\.[a-z0-9]+")
"""Files that are named by their content, which is the same for ever."""
_FOR_EVER, _ASK_AGAIN = "public, max-age=31536000, immutable", "public, max-age=0, must-revalidate"

_META = re.compile(rb"""<meta http-equiv="Content-Security-Policy" content="([ -!#-;=?-~]{1,2000})">""")
_FRAMES = r"https://(?:\*\.)?[^\s*;,'\"]+"
_SCRIPTS, _CONNECTS = (
    "|".join(re.escape(each).replace(r"\{\}", "[a-z0-9-]{1,63}") for each in sources)
    for sources in (
        dict.fromkeys(source for one in PROVIDERS.values() for source in one.scripts),
        dict.fromkeys(source for one in PROVIDERS.values() for source in one.connects),
    )
)
_PAGE_POLICY = re.compile(
    rf"default-src 'none'; script-src 'self' 'sha256-[A-Za-z0-9+/=]{{44}}'((?: (?:{_SCRIPTS}))*); "
    r"style-src 'self'; img-src 'self' https: data:; media-src 'self' https:; font-src 'self'; "
    rf"connect-src 'self'((?: (?:{_CONNECTS}))*); "
    rf"frame-src (?:'none'|{_FRAMES}(?: {_FRAMES})*); base-uri 'none'; form-action 'none'"
)
"""The policies that builds write (`builder/theme/assets.py`), and none that allows more.

The groups are the sources of statistics, which an operator allows (`builder/config/analytics.py`).
"""
_DRAWING = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""A drawing that is opened by itself runs nothing; within a page it is a picture in any case."""
_OTHER_PAGE = "default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; sandbox"
_PASSIVE = "script-src 'none'; base-uri 'none'; form-action 'none'"
"""Of pictures, films and PDF: what shows them in a browser is not to be kept from it."""
_SCRIPT = "default-src 'self'"
"""Counts where a script runs as a worker."""

_TWIN = ".md"
_SUFFIXES: dict[Coding, str] = {"": "", "gzip": "-gzip", "br": "-br"}


class FileForm(Struct, frozen=True):
    """A file as it is answered: `place` is where its bytes are within the object, `since` its Last-Modified.

    It is that of an object with these `forms`; another one of the same bytes can have others.

    `always` are the headers of every answer, also of 304; `content` are those of its bytes. `shown` is the
    page that it is, None for what is none.
    """

    digest: Digest
    etag: str
    since: str
    place: tuple[int, int]
    forms: Digest
    always: bytes
    content: bytes
    shown: ShownPage | None = None

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.place[1]


class AskedFile(Struct, frozen=True):
    """A file as it is wanted: its output path and digest, and what else goes with the answer.

    `since` is the value of `Last-Modified`. With `indexed`, search engines may have it; with `analytics`, a
    page may ask the hosts of its statistics.
    """

    output: str
    digest: Digest
    codings: Sequence[Coding]
    headers: dict[str, str]
    since: str
    indexed: bool = True
    analytics: bool = False


def file_form(wanted: AskedFile, packed: PackedFile) -> FileForm:
    """Choose the form of a file, and put its headers together."""
    coding, place = _chosen(wanted.codings, packed.parts)
    # Of a compressed form by its own bytes: ranges of two that were compressed differently never join.
    etag = f'"{(packed.forms if coding else wanted.digest).hex()[:32]}{_SUFFIXES[coding]}"'
    content = [("Content-Type", mime.content_type(wanted.output)), ("Accept-Ranges", "bytes")]
    if coding:
        content.append(("Content-Encoding", coding))
    return FileForm(
        digest=wanted.digest,
        etag=etag,
        since=wanted.since,
        place=place,
        forms=packed.forms,
        always=encoded(_always(wanted, packed, etag)),
        content=encoded(content),
        shown=shown_page(wanted.output),
    )


def shown_page(output: str) -> ShownPage | None:
    """Return the page that a file is, or that it is the twin of; lists for agents are pages as well."""
    if agent_lists.is_list(output):
        return ShownPage(f"/{output}", True)
    is_twin = output.endswith(_TWIN)
    if not is_twin and not mime.is_page(output):
        return None
    page = output.removesuffix(_TWIN).removesuffix(".html")
    page = page.removeprefix(LLMS) if is_twin else page
    return ShownPage("/" + (page.removesuffix("index") if f"/{page}".endswith("/index") else page), is_twin)


def policy(output: str, beginning: bytes, *, analytics: bool = False) -> str:
    """Return the policy of a file: that of a page is what the build has written into it.

    What else a browser would run is put into a sandbox. Without `analytics` no source of statistics is left.
    """
    if mime.is_page(output):
        found = _META.search(beginning)
        written = html.unescape(found[1].decode("ascii")) if found else ""
        known = _PAGE_POLICY.fullmatch(written)
        return _OTHER_PAGE if known is None else written if analytics else _narrowed(known)
    if mime.runs(output):
        return _DRAWING
    return _SCRIPT if mime.content_type(output).startswith("text/javascript") else _PASSIVE


def _narrowed(policy: re.Match[str]) -> str:
    """Return the policy of a page without the sources of statistics."""
    text = policy[0]
    return "".join((text[: policy.start(1)], text[policy.end(1) : policy.start(2)], text[policy.end(2) :]))


def _always(wanted: AskedFile, packed: PackedFile, etag: str) -> Headers:
    more = dict(wanted.headers)
    vary = [more.pop("Vary", ""), "Accept-Encoding" if _has_codings(packed.parts) else ""]
    is_embedded = mime.embeds(wanted.output)
    headers = [
        *STRICT,
        ("ETag", etag),
        ("Last-Modified", wanted.since),
        ("Cache-Control", _FOR_EVER if HASHED_NAME.fullmatch(wanted.output) else _ASK_AGAIN),
        ("Content-Security-Policy", policy(wanted.output, packed.beginning, analytics=wanted.analytics)),
        ("Cross-Origin-Resource-Policy", "cross-origin" if is_embedded else "same-origin"),
        ("Vary", ", ".join(filter(None, vary))),
        *more.items(),
    ]
    if not wanted.indexed:
        headers.append(NO_INDEX)
    return [(name, value) for name, value in headers if value]


def _chosen(codings: Sequence[Coding], parts: Parts) -> tuple[Coding, tuple[int, int]]:
    places = {"br": parts.brotli, "gzip": parts.gzip}
    for coding in codings:
        if coding and places[coding][1]:
            return coding, places[coding]
    return "", parts.identity


def _has_codings(parts: Parts) -> bool:
    return bool(parts.gzip[1] or parts.brotli[1])
