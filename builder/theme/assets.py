"""The theme's own files under `/_tp/`, named by their content, and the policy that goes with them."""

from __future__ import annotations

import binascii
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec
import rjsmin
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
    """The files of the theme folder: a style sheet, a script, and the snippet that runs before painting.

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
    made_of = msgspec.msgpack.encode((sources, [_MAKER.read_bytes()], rjsmin.__version__))
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
        PurePosixPath(file).stem: hashed(PurePosixPath(file).name, _script(folders, file).encode())
        for file in folders.find("ondemand/*.js")
    }
    return ThemeFiles(
        css=hashed("theme.css", _styles(folders, "css/*.css").encode()),
        js=hashed("theme.js", _in_a_block(_scripts(folders, "js/*.js")).encode()),
        boot=_joined(folders, "boot.js").strip(),
        ondemand=ondemand,
        search_css=hashed("search.css", _styles(folders, "search/*.css").encode()),
        search_js=hashed("search.js", _scripts(folders, "search/*.js").encode()),
    )


def _in_a_block(script: str) -> str:
    """A script whose names stay its own although it is no module.

    Where a slow device is simulated, deferred scripts are known to run before the first paint; modules are
    taken to block the page later.
    """
    return f"{{{script}}}"


def _scripts(folders: Folders, pattern: str) -> str:
    return "".join(f"{_script(folders, file)}\n" for file in folders.find(pattern))


def _script(folders: Folders, file: str) -> str:
    """A script of the default theme without comments and space; one of the site's own as it is written.

    rjsmin does not look for strings within strings: a `//` in one would end the script there.
    """
    text = folders.text(file)
    return text if file in folders.own else rjsmin.jsmin(text)


def style_sheet(folders: Folders, accent: str, parts: Sequence[str]) -> Asset:
    """The style sheet of a site with these `parts/*.css`, by name; `accent` is a colour, or ""."""
    made = theme_files(folders).css
    more = [_styles(folders, f"parts/{name}.css") for name in parts]
    more += [rule(accent)] if accent else []
    return hashed("theme.css", made.data + "".join(more).encode()) if more else made


def script(folders: Folders, parts: Sequence[str]) -> Asset:
    """The script of a site with these `parts/*.js`, by name, which know what the script itself does."""
    made = theme_files(folders).js
    more = b"".join(_script(folders, f"parts/{name}.js").encode() + b"\n" for name in parts)
    return hashed("theme.js", made.data[:-1] + more + made.data[-1:]) if more else made


def part_sheet(folders: Folders, name: str) -> Asset:
    """A style sheet of its own, made of one of `parts/*.css`, for pages that need it."""
    return hashed(f"{name}.css", _styles(folders, f"parts/{name}.css").encode())


def part_script(folders: Folders, name: str) -> Asset:
    """The script `parts/<name>.js`, for sites that need it."""
    return hashed(f"{name}.js", _script(folders, f"parts/{name}.js").encode())


def _styles(folders: Folders, pattern: str) -> str:
    return compact_css(_joined(folders, pattern))


def _joined(folders: Folders, pattern: str) -> str:
    return "\n".join(folders.text(file) for file in folders.find(pattern))


def hashed(name: str, data: bytes) -> Asset:
    """An asset whose name tells its content: `_tp/theme.1a2b3c4d5e.css`."""
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.blake2b(data, digest_size=5).hexdigest()
    return Asset(f"{FOLDER}/{stem}.{digest}.{suffix}", data)


def content_security_policy(
    boot: str, embed_hosts: Sequence[str], scripts: Sequence[str] = (), connects: Sequence[str] = ()
) -> str:
    """The policy every page carries: nothing from elsewhere but images, media and allowed embeds.

    `scripts` and `connects` are the sources that the site's statistics need beyond it.
    """
    frames = " ".join(frame_sources(embed_hosts)) or "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self'", _source(boot), *scripts)),
            "style-src 'self'",
            "img-src 'self' https: data:",
            "media-src 'self' https:",
            "font-src 'self'",
            " ".join(("connect-src 'self'", *connects)),
            f"frame-src {frames}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def moved_script(folders: Folders) -> str:
    """Return the line of script that leads on from an old address, with its query and fragment."""
    return (folders.default / "moved.js").read_text("utf-8").strip()


def with_script(policy: str, script: str) -> str:
    """Return a policy that lets one more script run."""
    return policy.replace("script-src 'self'", f"script-src 'self' {_source(script)}", 1)


def _source(script: str) -> str:
    """A script within a page as the policy names it."""
    digest = binascii.b2a_base64(hashlib.sha256(script.encode()).digest(), newline=False).decode()
    return f"'sha256-{digest}'"


_CSS_PART = lazy(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/""", re.DOTALL)
_CSS_SPACE = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|\s*([{},>])\s*|([:;(])\s+|\s+(?=(\)))|\s*\n\s*')
_CSS_NEEDLESS = lazy(r'("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|;(?=\})|(?<=[\s:,(-])0(?=\.\d)')


def compact_css(text: str) -> str:
    """A style sheet without comments and without space that separates nothing. Strings stay."""
    bare = _CSS_PART.sub(lambda part: "" if part[0].startswith("/*") else part[0], text)
    tight = _CSS_SPACE.sub(
        lambda part: part[1] or part[2] or part[3] or ("" if part[4] else " "), bare.strip()
    )
    return _CSS_NEEDLESS.sub(lambda part: part[1] or "", tight)
