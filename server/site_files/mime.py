"""Content types by suffix; a table of ours, because the system's differs from machine to machine."""

from __future__ import annotations

TEXT = {
    "css": "text/css",
    "csv": "text/csv",
    "htm": "text/html",
    "html": "text/html",
    "js": "text/javascript",
    "md": "text/markdown",
    "mjs": "text/javascript",
    "txt": "text/plain",
    "vtt": "text/vtt",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
BINARY = {
    "aac": "audio/aac",
    "apng": "image/apng",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "ico": "image/x-icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opus": "audio/ogg",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "ttf": "font/ttf",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xml": "application/xml",
    "zip": "application/zip",
}
OTHER = "application/octet-stream"
RUN = frozenset({"htm", "html", "svg", "xml"})
"""Suffixes of files whose scripts a browser runs when it is led to them."""
PAGES = frozenset({"htm", "html"})
IN_PAGES = ("text/javascript", "text/css", "image/", "audio/", "video/")


def runs(path: str) -> bool:
    """Return whether a browser that is led to a file of this name runs the scripts in it."""
    return _suffix(path) in RUN


def is_page(path: str) -> bool:
    """Return whether a file of this name is a page of HTML."""
    return _suffix(path) in PAGES


def embeds(path: str) -> bool:
    """Return whether a file of this name is a script, style sheet, picture, film or sound in a page."""
    return content_type(path).startswith(IN_PAGES)


def content_type(path: str) -> str:
    """The value of the Content-Type header for a file of this name."""
    suffix = _suffix(path)
    if suffix in TEXT:
        return f"{TEXT[suffix]}; charset=utf-8"
    return BINARY.get(suffix, OTHER)


def _suffix(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
