"""The theme's own files under `/_tp/`, named by their content, and the policy that goes with them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

from builder.lazy_regex import lazy
from builder.theme import compiled_cache
from builder.theme.accent import rule
from builder.theme.theme_folders import Folders
from components.embed_hosts import frame_sources

FOLDER = "_tp"


class Asset(Struct, frozen=True):
    """One file to write: `path` is its output path, from the bytes' own hash."""

    path: str
    data: bytes


class ThemeFiles(Struct, frozen=True):
    """What the theme folder gives: a style sheet, a script, and the snippet that runs before painting.

    `ondemand` are the scripts that are loaded when they are needed, by name. The style sheet and
    script of the search are loaded when it is first opened.
    """

    css: Asset
    js: Asset
    boot: str
    ondemand: Mapping[str, Asset]
    search_css: Asset
    search_js: Asset


_SOURCES = ("css/*.css", "js/*.js", "boot.js", "ondemand/*.js", "search/*.css", "search/*.js")
_MAKER = Path(__file__)
"""What says how the files are made of their sources."""
_DECODER = msgspec.msgpack.Decoder(ThemeFiles)


@lru_cache(maxsize=8)
def theme_files(folders: Folders) -> ThemeFiles:
    """The files of a theme; those of the default one are made once, and kept beside it."""
    if folders.own:
        return _made(folders)
    sources = [(file, folders.text(file)) for pattern in _SOURCES for file in folders.find(pattern)]
    made_of = msgspec.msgpack.encode((sources, [_MAKER.read_bytes()]))
    path = compiled_cache.place(folders.default / "theme", "files")
    try:
        return _DECODER.decode(compiled_cache.kept(path, made_of) or b"")
    except msgspec.DecodeError:
        made = _made(folders)
        compiled_cache.keep(path, made_of, msgspec.msgpack.encode(made))
        return made


def _made(folders: Folders) -> ThemeFiles:
    """Read a theme: `css/*.css` and `js/*.js`, each by name, `boot.js`, `ondemand/*.js`, `search/*`."""
    ondemand = {
        PurePosixPath(file).stem: hashed(PurePosixPath(file).name, compact_js(folders.text(file)).encode())
        for file in folders.find("ondemand/*.js")
    }
    return ThemeFiles(
        css=_css(folders, "theme", "css"),
        js=hashed("theme.js", _in_a_block(compact_js(_joined(folders, "js/*.js"))).encode()),
        boot=_joined(folders, "boot.js").strip(),
        ondemand=ondemand,
        search_css=_css(folders, "search", "search"),
        search_js=hashed("search.js", compact_js(_joined(folders, "search/*.js")).encode()),
    )


def _css(folders: Folders, name: str, folder: str) -> Asset:
    return hashed(f"{name}.css", compact_css(_joined(folders, f"{folder}/*.css")).encode())


def _in_a_block(script: str) -> str:
    """A script whose names stay its own although it is no module.

    Where a slow device is simulated, deferred scripts are known to run before the first paint; modules are
    taken to block the page later.
    """
    return f"{{{script}}}"


def style_sheet(folders: Folders, accent: str, parts: Sequence[str]) -> Asset:
    """The style sheet of a site with these `parts/*.css`, by name; `accent` is a colour, or ""."""
    made = theme_files(folders).css
    more = [compact_css(_joined(folders, f"parts/{name}.css")) for name in parts]
    more += [rule(accent)] if accent else []
    return hashed("theme.css", made.data + "".join(more).encode()) if more else made


def _joined(folders: Folders, pattern: str) -> str:
    return "\n".join(folders.text(file) for file in folders.find(pattern))


def hashed(name: str, data: bytes) -> Asset:
    """An asset whose name tells its content: `_tp/theme.1a2b3c4d5e.css`."""
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.blake2b(data, digest_size=5).hexdigest()
    return Asset(f"{FOLDER}/{stem}.{digest}.{suffix}", data)


def content_security_policy(boot: str, embed_hosts: Sequence[str]) -> str:
    """The policy every page carries: nothing from elsewhere but images, media and allowed embeds."""
    digest = base64.b64encode(hashlib.sha256(boot.encode()).digest()).decode()
    frames = " ".join(frame_sources(embed_hosts)) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'sha256-{digest}'",
            "style-src 'self'",
            "img-src 'self' https: data:",
            "media-src 'self' https:",
            "font-src 'self'",
            "connect-src 'self'",
            f"frame-src {frames}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


_CSS_PART = lazy(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/""", re.DOTALL)
_CSS_SPACE = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|\s*([{},>])\s*|([:;(])\s+|\s+(?=(\)))|\s*\n\s*')
_CSS_NEEDLESS = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|;(?=\})|(?<=[\s:,(-])0(?=\.\d)')
_COMMENT_LINE = lazy(r"\s*//")
_KEPT = (
    r'"(?:[^"\\]|\\.)*"|`[^`]*`'
    r"|(?:(?<=[(\[!])|(?<=[,=:&|?>] ))/(?![/*])(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/[a-z]*"
)
"""Strings, and expressions where nothing can be divided."""
_SPACED = lazy(
    rf"({_KEPT})|(?<![\w$.])const(?= [\w$\[{{])"
    r"|(?<![\w$+-]) +| +(?![\w$+-])|(?<=[\w$]) +(?=[+-])|(?<=[+-]) +(?=[\w$])"
)
_CLEAR = lazy(f"{_KEPT}| / ")
_UNCLEAR, _NESTED = lazy("[/']"), lazy(r"\$\{[^}]*`")
_LOOP = lazy(r"(?:for|while|if|else)\b.*\);")
"""What may end with a statement that does nothing."""


def compact_css(text: str) -> str:
    """A style sheet without comments and without space that separates nothing. Strings stay."""
    bare = _CSS_PART.sub(lambda part: "" if part[0].startswith("/*") else part[0], text)
    tight = _CSS_SPACE.sub(
        lambda part: part[1] or part[2] or part[3] or ("" if part[4] else " "), bare.strip()
    )
    return _CSS_NEEDLESS.sub(lambda part: part[1] or "", tight)


def compact_js(text: str) -> str:
    """A script without lines that are comments, indentation, empty lines and space that parts no words.

    What is constant is only said to those who read the source: `let` is the shorter word.

    A line that cannot end there is joined with the next; the last statement of a block needs no semicolon.

    A script with a string over several lines is given back as it is, because there a line's beginning may
    be part of the string.
    """
    lines = text.splitlines()
    if any(line.count("`") % 2 or line.endswith("\\") for line in lines):
        return text
    tight = (_tight(line.strip()) for line in lines if not _COMMENT_LINE.match(line))
    kept = [line for line in tight if line]
    return "".join(map(_ended, kept, [*kept[1:], ""]))


def _ended(line: str, following: str) -> str:
    """A line with its end, where the next line is not to follow at once: a comment ends with its line."""
    closed = following.startswith("}")
    if "//" in line or not following or not (line.endswith((";", "{", ",")) or closed):
        return f"{line}\n"
    return line.removesuffix(";") if closed and not _LOOP.fullmatch(line) else line


def _tight(line: str) -> str:
    """A line without space that parts no words, unless it may have an expression or text not known here.

    A slash within a string is known, and so is one with a space on either side, which divides.
    """
    if _NESTED.search(line) or _UNCLEAR.search(_CLEAR.sub("", line)):
        return line
    return _SPACED.sub(lambda part: part[1] or ("let" if part[0] == "const" else ""), line)
