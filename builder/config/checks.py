"""Checks for the texts of `site.yml`. Each gives the normal form or raises ValueError.

The error's arguments are what is wrong and, where there is one, a hint.
"""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from builder.errors import InvalidPath
from builder.lazy_regex import lazy
from builder.links import urls
from builder.paths import parse_prefix

_COLOR = lazy(r"#([0-9a-f]{3}|[0-9a-f]{6})")
_LANGUAGE = lazy(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST = lazy(rf"(?=.{{1,253}}$)({_LABEL}\.)*{_LABEL}")
_CONTROL = lazy(r"[\x00-\x1f\x7f-\x9f]")
_BASE_PATH = lazy(r"(/[A-Za-z0-9._~%+-]+)*")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def line(text: str) -> str:
    """Text on one line, possibly empty, in which control characters are seen."""
    return _CONTROL.sub("\ufffd", " ".join(text.split()))


def words(text: str) -> str:
    """Text on one line that is not empty."""
    made = line(text)
    if not made:
        raise ValueError("expected text, found an empty one")
    return made


def link(text: str) -> str:
    """A link target that the allow-list lets through."""
    href = urls.safe(text)
    if not href:
        raise ValueError("expected a path, or an address with `http`, `https`, `mailto` or `tel`")
    return href


def image(text: str) -> str:
    """The same for an image, or nothing."""
    return link(text) if text.strip() else ""


def own_file(text: str) -> str:
    """A path in the site."""
    href = link(text)
    if urls.external(href):
        raise ValueError(
            "expected a path in the site: browsers load nothing else", "put the file into `static/`"
        )
    return href


def docs_at(text: str) -> str:
    """An address at which the documentation may lie."""
    try:
        return parse_prefix(text.strip())
    except InvalidPath as error:
        raise ValueError(f"expected `/` or a path such as `/handbook`: {error.message}") from None


def path_elsewhere(text: str) -> str:
    """A path of the host, without a slash at its end: `/enterprise`."""
    path = text.strip().rstrip("/")
    if not _BASE_PATH.fullmatch(path) or not path or {".", ".."} & set(path.split("/")):
        raise ValueError("expected a path of the host such as `/enterprise`", "leave out scheme and host")
    return unquote(path)


def color(text: str) -> str:
    """`#rrggbb` in lower case, or nothing."""
    text = text.strip().lower()
    if not text:
        return ""
    if not _COLOR.fullmatch(text):
        raise ValueError("expected a colour such as `#7c3aed`", 'write it in quotes: `"#7c3aed"`')
    return text if len(text) == 7 else "#" + "".join(digit * 2 for digit in text[1:])


def language(text: str) -> str:
    """A language tag such as `en` or `pt-BR`."""
    if not _LANGUAGE.fullmatch(text):
        raise ValueError("expected a language tag such as `en` or `pt-BR`")
    return text


def host(text: str) -> str:
    """A host name alone, in ASCII and lower case."""
    name = _ascii_host(text.strip())
    if not _HOST.fullmatch(name):
        wrong = "expected a host name such as `www.example.com`, without scheme and path"
        raise ValueError(wrong, _host_hint(text.strip()))
    return name


def site_url(text: str) -> str:
    """`https://host[:port][/path]` without a slash at its end, or nothing."""
    text = text.strip()
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(_SITE_URL) from None
    name = _ascii_host(parts.hostname or "")
    scheme = parts.scheme.lower()
    clean = not (parts.query or parts.fragment or parts.username or parts.password) and "\\" not in text
    if scheme not in _DEFAULT_PORTS or not _HOST.fullmatch(name) or not clean:
        raise ValueError(_SITE_URL)
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        name = f"{name}:{port}"
    return f"{scheme}://{name}{_base_path(parts.path)}"


def edit_url(text: str) -> str:
    """An address with `{path}` in it, or nothing."""
    text = text.strip()
    if not text:
        return ""
    filled = text.replace("{path}", "path")
    if "{path}" not in text or {"{", "}"} & set(filled):
        raise ValueError("expected an address with `{path}` in it, and no other braces")
    if urls.safe(filled) != filled or not filled.startswith(("https://", "http://")):
        raise ValueError("expected an address that begins with `https://` or `http://`")
    return text


_FEEDBACK = ("path", "title", "url")


def feedback(text: str) -> str:
    """An address in which `{path}`, `{title}` and `{url}` stand for those of a page, or nothing."""
    filled = text = text.strip()
    for name in _FEEDBACK:
        filled = filled.replace(f"{{{name}}}", name)
    if {"{", "}"} & set(filled):
        raise ValueError("expected an address with no other braces than `{path}`, `{title}` and `{url}`")
    if text and (urls.safe(filled) != filled or not filled.startswith(("https://", "http://", "mailto:"))):
        raise ValueError("expected an address that begins with `https://`, `http://` or `mailto:`")
    return text


def _host_hint(text: str) -> str:
    """Return a hint for a text that is nearly a host name."""
    if text.startswith("*"):
        return f"name each host, as `www{text[1:]}`" if "." in text else "name each host"
    name = _ascii_host(text.partition("://")[2].partition("/")[0])
    return f"write `{name}`" if _HOST.fullmatch(name) else ""


def _base_path(path: str) -> str:
    base = path.rstrip("/")
    if not _BASE_PATH.fullmatch(base) or {".", ".."} & set(base.split("/")):
        raise ValueError("expected a path of letters, digits, `-`, `_`, `.`, without empty parts and dots")
    return base


def _ascii_host(name: str) -> str:
    """The name as DNS knows it: `bücher.example` is `xn--bcher-kva.example`; not a name: an empty text."""
    try:
        return name.lower().encode("idna").decode("ascii")
    except UnicodeError:
        return ""


_SITE_URL = "expected an address such as `https://docs.example.com` or `https://example.github.io/docs`"
