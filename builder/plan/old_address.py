"""The old address of a redirect: from how it is written in `site.yml` to the path where it is asked for."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from builder.links import urls
from builder.unicode import normal

_KEEP = "/:@!$&'()*+,;=~"
_SIGNS = {"\\": "a backslash", "?": "`?`", "#": "`#`", "*": "`*`", ":": "`:`"}
"""What hosts take for something else in a rule, or cannot be in a file's name everywhere."""


class NoAddress(Exception):
    """What is written is no old address; `hint` says the way out."""

    def __init__(self, hint: str) -> None:
        super().__init__(hint)
        self.hint = hint


def path_of(source: str) -> str:
    """The decoded path from the site's root: `/alt%20x` and `/alt x` are `/alt x`. Raises NoAddress."""
    if urls.external(source) and not source.startswith("/"):
        raise NoAddress(f"write the path alone: `{urlsplit(source).path or '/old'}`")
    path = normal("NFC", unquote(source))
    if not path.startswith("/"):
        raise NoAddress(f"write `/{source}`")
    fault = _fault(path)
    if fault:
        raise NoAddress(fault)
    return path


def encoded(path: str) -> str:
    """A decoded path as browsers ask for it."""
    return quote(path, safe=_KEEP)


def output_of(path: str) -> str:
    """The output path that answers at a decoded path: `/old` and `/old.html` are `old.html`."""
    place = path[1:].removesuffix(".html")
    return f"{place}index.html" if not place or place.endswith("/") else f"{place}.html"


def _fault(path: str) -> str:
    """A hint when no file of the build can answer at this path, else an empty text."""
    parts = path.removesuffix("/").split("/")[1:]
    sign = next((name for char, name in _SIGNS.items() if char in path), "")
    if not parts:
        return "make `pages/index.mdx` for the home page, and link from there"
    if "" in parts:
        return "write one slash between two names"
    if {".", ".."} & set(parts):
        return "write the whole path, without `.` and `..`"
    if "\ufffd" in path:
        return "what is percent-encoded must be UTF-8"
    if sign:
        return f"leave {sign} out: a redirect is for one path, without a pattern or a query"
    return "" if path.isprintable() else "leave out the characters that are invisible"
