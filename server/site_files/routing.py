"""Find the output file for an address, as a static host with clean URLs does.

/docs/x         docs/x.html              /docs/guide/        docs/guide/index.html
/docs/x/        -> /docs/x               /docs/guide         -> /docs/guide/
/docs/x.md      docs/x.md                /docs/guide/index   docs/guide/index.html
/llms/docs/x    llms/docs/x.md           /llms/docs/guide/   llms/docs/guide/index.md
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal
from urllib.parse import quote, urlsplit, urlunsplit

from msgspec import Struct

NOT_FOUND = "404.html"
LLMS = "llms/"


class Route(Struct, frozen=True):
    """An output path, and the status to answer with."""

    output: str
    status: Literal[200, 404] = 200


class Moved(Struct, frozen=True):
    """The address that is meant, percent-encoded, with the base path, and the status to answer with.

    A redirect that the site's author wrote has 301, as in the rules that hosts read.
    """

    location: str
    status: Literal[301, 308] = 308


Answer = Route | Moved


def answer(path: str, outputs: Collection[str], base: str) -> Answer | None:
    """Return the answer for the decoded `path` (with a leading slash); None without a not-found page.

    `base` is the site's base path, "" or "/repo"; the root leads to it.
    """
    if base and path in {"/", base}:
        return Moved(quote(base) + "/")
    inside = path.startswith(base + "/")
    found = _lookup(path.removeprefix(base + "/"), outputs) if inside else None
    if isinstance(found, Moved):
        return Moved(quote(base) + found.location)
    if found is None and NOT_FOUND in outputs:
        return Route(NOT_FOUND, 404)
    return found


def with_query(target: str, query: str) -> str:
    """Return an address with the query of a request behind its own, and before its fragment."""
    if not query:
        return target
    parts = urlsplit(target)
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))


def former(path: str, outputs: Collection[str], bases: Sequence[str]) -> Moved | None:
    """Return the present address for one below an earlier base path; the last of `bases` is present."""
    *earlier, base = bases
    for old in sorted(earlier, key=len, reverse=True):
        if f"{path}/".startswith(f"{old}/"):
            here = f"{base}/{path.removeprefix(old).removeprefix('/')}"
            place = answer(here, outputs, base)
            if isinstance(place, Moved):
                return place
            if place is not None and place.status == 200:
                return Moved(quote(here))
    return None


def _lookup(path: str, outputs: Collection[str]) -> Answer | None:
    suffix = ".md" if f"{path}/".startswith(LLMS) else ".html"
    if not path or path.endswith("/"):
        return _folder(path, suffix, outputs)
    for candidate in (path, path + suffix):
        if candidate in outputs:
            return Route(candidate, 404 if candidate == NOT_FOUND else 200)
    if f"{path}/index{suffix}" in outputs:
        return Moved(f"/{quote(path)}/")
    return None


def _folder(path: str, suffix: str, outputs: Collection[str]) -> Answer | None:
    if f"{path}index{suffix}" in outputs:
        return Route(f"{path}index{suffix}")
    if path.removesuffix("/") + suffix in outputs:
        return Moved(f"/{quote(path.removesuffix('/'))}")
    return None
