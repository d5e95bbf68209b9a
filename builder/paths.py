"""Content paths: what a page may be called, and where a page of that name is found on the web.

    content path = "docs" ("/" segment){1,8}  |  "pages/" segment
    folder path  = "docs" ("/" segment){1,7}
    segment      = (letter | digit) (letter | mark | digit | "-" | "_" | ".")*

Letters and digits are those of any script; a segment is in NFC, has at most 100 bytes as UTF-8, is no
device name of Windows and does not end in a dot or in an extension that the build itself uses. Nothing
invisible, no compatibility form (`ﬁ`, full width) and no separator can get through the character classes,
so a content path is never a way out of the site's folder.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

from builder.errors import InvalidPath
from builder.lazy_regex import lazy
from builder.unicode import normal

Format = Literal["md", "mdx"]
"""How a page is written."""
PAGE_SUFFIXES: dict[str, Format] = {".mdx": "mdx", ".md": "md"}
"""Extension to format; where both files exist for one page, the first one here is published."""
TWIN_SUFFIX = ".llms.md"
MAX_DEPTH = 8
"""Segments below `docs`, the page's own name included."""
MAX_BYTES = 100
"""Of one segment, as UTF-8."""
DOCS, PAGES = "docs", "pages"
NOT_FOUND = "pages/404"
"""The page for addresses that lead nowhere, which has no twin."""
RESERVED = frozenset({"pages/docs", "pages/llms", "pages/api"})

_TAKEN = lazy(r"/?(?:llms|api/v[0-9.]+)(?:/|$)")
_NO_PREFIX = frozenset({"llms", "api"})

_PLAIN = lazy(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
ENDINGS = (".md", ".mdx", ".llms", ".html", ".txt", ".xml", ".json")
_DEVICES = frozenset({"con", "prn", "aux", "nul", "conin", "conout"}) | frozenset(
    f"{port}{n}" for port in ("com", "lpt") for n in range(10)
)
_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl"})
_MARKS = frozenset({"Mn", "Mc"})
# Letters and marks by category that are drawn as nothing: two names could look the same.
_UNSEEN = lazy("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_HTML_INDEX = "index"
_FOLDER_END = -len(_HTML_INDEX)


def parse(text: str) -> str:
    """The content path that `text` is, in NFC. Raises InvalidPath with the rule that it breaks."""
    path = normal("NFC", text)
    root, *segments = path.split("/")
    if root not in {DOCS, PAGES} or not segments:
        raise _invalid(text, "a content path begins with `docs/` or `pages/`")
    if root == PAGES and len(segments) > 1:
        raise _invalid(
            text, "pages in `pages/` lie in no folder", "put it into `docs/`, or name it `pages/<name>`"
        )
    if len(segments) > MAX_DEPTH:
        raise _invalid(text, f"a content path has at most {MAX_DEPTH} names after `docs/`")
    _check(text, segments)
    if path.casefold() in RESERVED:
        raise _invalid(text, f"`{path}` is reserved: the site itself answers at that address")
    return path


def parse_folder(text: str) -> str:
    """The path of a category's folder, in NFC. Raises InvalidPath with the rule that it breaks."""
    path = normal("NFC", text)
    root, *segments = path.split("/")
    if root != DOCS or not segments:
        raise _invalid(text, "a category's path has the form `docs/<folder>`")
    if len(segments) >= MAX_DEPTH:
        raise _invalid(text, f"a category's path has at most {MAX_DEPTH - 1} names after `docs/`")
    _check(text, segments)
    return path


def fold(path: str) -> str:
    """The form in which two paths are the same when a file system without case would mix them up."""
    return path.casefold() if path.isascii() else normal("NFC", path.casefold())


def url(path: str, place: str = "") -> str:
    """The page's address from the site's root, not percent-encoded: `/docs/guide/install`, `/docs/guide/`.

    `place` is where the page lies when that is elsewhere than its content path says, see `place_of`.
    """
    place = place or f"/{path.removeprefix('pages/')}"
    return place[:_FOLDER_END] if place.endswith("/index") else place


def output(path: str) -> str:
    """Return the output path of the page's HTML: `docs/guide/install.html`, `about.html`, `index.html`."""
    return outputs(path)[0]


def feed_url(path: str, place: str = "") -> str:
    """The address of a page's feed, beside its twin: `/docs/changelog.xml`."""
    return f"{twin_url(path, place).removesuffix('.md')}.xml"


def outputs(path: str, place: str = "") -> tuple[str, ...]:
    """The output paths of a page: its HTML, then both places of its twin."""
    file = (place or _place(path))[1:]
    if path == NOT_FOUND:
        return (f"{file}.html",)
    return (f"{file}.html", f"{file}.md", f"llms/{file}.md")


def twin_url(path: str, place: str = "") -> str:
    """The address of the page's twin, `/docs/guide/install.md`; the same bytes are at `/llms` + that."""
    return f"{place or _place(path)}.md"


def place_of(path: str, docs_at: str = "/docs", slug: str = "", *, in_folder: bool = False) -> str:
    """Return the place of a page whose site puts `docs` at `docs_at`, or that has a slug; else an empty text.

    A place is an address that ends in `/index` where a page stands for its folder: `/guide/index`. A slug
    counts from the page's own folder, or with a slash at its begin from the root. With `in_folder` each page
    stands for a folder of its own, as its address then ends with a slash. Raises InvalidPath.
    """
    if slug:
        place = _slug_place(moved(path, docs_at), slug)
    else:
        moves = docs_at != f"/{DOCS}" and path.startswith(f"{DOCS}/")
        place = f"/{moved(path, docs_at)}" if moves else ""
    if not in_folder or path == NOT_FOUND:
        return place
    place = place or _place(path)
    return place if place.endswith("/index") else f"{place}/index"


def is_within(path: str, prefix: str) -> bool:
    """Return whether a path is a prefix (without a slash at its end) or lies below that."""
    return f"{path}/".startswith(f"{prefix}/")


def is_taken(place: str) -> bool:
    """Return whether the site itself answers at an address: twins, or the preview's API."""
    return _TAKEN.match(place.casefold()) is not None


def moved(path: str, docs_at: str) -> str:
    """Return the path of a page, a folder or a file below `docs` as it is when that lies at `docs_at`."""
    if docs_at == f"/{DOCS}" or not is_within(path, DOCS):
        return path
    return f"{docs_at}/{path[len(DOCS) + 1 :]}".replace("//", "/").strip("/")


def parse_prefix(text: str) -> str:
    """Return an address for the documentation: `/`, `/docs`, `/handbook/en`. Raises InvalidPath."""
    names = [name for name in normal("NFC", text).strip("/").split("/") if name]
    _check(text, names)
    if len(names) > MAX_DEPTH or (names and names[0].casefold() in _NO_PREFIX):
        raise _invalid(text, "the site itself answers there, or the address is too deep")
    return f"/{'/'.join(names)}"


def _slug_place(path: str, slug: str) -> str:
    text = normal("NFC", slug)
    if not text.startswith("/"):
        folder = path.removeprefix(f"{PAGES}/").rpartition("/")[0]
        text = f"/{folder}/{text}" if folder else f"/{text}"
    names = text[1:].split("/")
    if names[-1] == "":
        names[-1] = _HTML_INDEX
    _check(slug, names)
    if len(names) > MAX_DEPTH + 1:
        raise _invalid(slug, f"an address has at most {MAX_DEPTH + 1} names")
    return f"/{'/'.join(names)}"


def file_fault(name: str) -> str:
    """Return the reason why a file of this name cannot be published beside pages, or an empty string."""
    if any(0xD800 <= ord(char) <= 0xDFFF for char in name):
        return "its name is not valid UTF-8"
    if "\\" in name or any(unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} for char in name):
        return "its name has a backslash, or a character that is not to be seen"
    return ""


def _place(path: str) -> str:
    return f"/{path.removeprefix('pages/')}"


def _check(text: str, segments: list[str]) -> None:
    for segment in segments:
        # Cached by segment, so that nobody can fill the cache with long ones.
        fault = _fault(segment) if len(segment) <= MAX_BYTES else _too_long(segment)
        if fault:
            raise _invalid(text, *fault)


@lru_cache(maxsize=4096)
def _fault(segment: str) -> tuple[str, ...]:
    """The rule that a segment breaks, and a hint if there is one; empty for a good segment."""
    name = segment if segment.isprintable() else ascii(segment)[1:-1]
    if not segment:
        return ("a name between two slashes is empty",)
    if segment[0] in "._-":
        return (f"`{name}` does not begin with a letter or a digit",)
    if not _PLAIN.fullmatch(segment):
        fault = _character_fault(segment, name)
        if fault:
            return fault
    if len(segment.encode()) > MAX_BYTES:
        return _too_long(segment)
    return _ending_fault(segment, name)


def _character_fault(segment: str, name: str) -> tuple[str, ...]:
    for char in segment:
        category = unicodedata.category(char)
        if char not in "-_." and category not in _LETTERS and category not in _MARKS:
            return _named(char, name)
        if _UNSEEN.match(char):
            return _named(char, name)
    if unicodedata.category(segment[0]) in _MARKS:
        return (f"`{name}` does not begin with a letter or a digit",)
    plain = normal("NFKC", segment)
    if plain != segment:
        return (f"`{name}` has compatibility characters", f"write `{plain}`" if plain.isprintable() else "")
    return ()


def _too_long(segment: str) -> tuple[str, ...]:
    start = segment[:30] if segment[:30].isprintable() else ascii(segment[:30])[1:-1]
    return (f"the name that begins with `{start}` is longer than {MAX_BYTES} bytes",)


def _named(char: str, name: str) -> tuple[str, ...]:
    shown = {" ": "a space", "\\": "a backslash"}.get(char)
    shown = shown or (f"`{char}`" if char.isprintable() else f"U+{ord(char):04X}")
    return (
        f"`{name}` has {shown}, which a content path cannot have",
        "use letters, digits, `-`, `_` and `.`",
    )


def _ending_fault(segment: str, name: str) -> tuple[str, ...]:
    folded = segment.casefold()
    if folded.endswith("."):
        return (f"`{name}` ends in a dot",)
    if folded.endswith(ENDINGS):
        ending = next(ending for ending in ENDINGS if folded.endswith(ending))
        return (f"`{name}` ends in `{ending}`, which the build uses itself", "leave the extension out")
    if folded.partition(".")[0] in _DEVICES:
        return (f"`{name}` is a device name on Windows, where nobody could check the site out",)
    return ()


def _invalid(text: str, rule: str, hint: str = "") -> InvalidPath:
    """The text is somebody's input, so what is shown of it is short and has no control characters."""
    shown = text if text.isprintable() else ascii(text)[1:-1]
    return InvalidPath(rule, path=shown[:200], hint=hint)
