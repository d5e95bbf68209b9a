"""Read the redirects that a site's host has: `_redirects`, `netlify.toml`, `vercel.json`.

A `*` behind a name stands for the name itself, and for all below it. A rewrite, a condition on a language
or a cookie, and what only one host knows is no redirect of the site; it is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from builder.importer.old_site import Loss
from builder.importer.read_toml import NoToml, read_toml
from builder.importer.source_tree import SourceTree

_STATUS = re.compile(r"(?P<code>\d{3})!?\Z")
_MOVED = frozenset({"301", "302", "303", "307", "308"})
_MOST = 20_000
Rule = tuple[str, str]
HOST_FILES = frozenset({"_redirects", "_headers"})
"""Files of a folder of static files that are for the host, and no files of the site."""


def host_redirects(origin: SourceTree, folders: tuple[str, ...], losses: list[Loss]) -> Iterator[Rule]:
    """Yield old addresses and where each leads, from the files of some folders."""
    for folder in dict.fromkeys(folders):
        place = f"{folder}/" if folder not in {"", "."} else ""
        for name, read in (("_redirects", _lines), ("netlify.toml", _toml), ("vercel.json", _json)):
            text = origin.text(f"{place}{name}")
            for number, rule in enumerate(read(text or "")):
                if number >= _MOST:
                    break
                source, target, status = rule
                found = list(_rules(source, target)) if status in _MOVED else []
                if not found:
                    losses.append(
                        Loss("rule of the host", f"{place}{name}", 0, f"{source} {target} {status}")
                    )
                yield from found


def _rules(source: str, target: str) -> Iterator[Rule]:
    """Yield a rule as it is written here; nothing for one that cannot be."""
    source = re.sub(r"\A[a-z]+://[^/]+", "", source)
    source = re.sub(r"/:(?:\w+)(?:\*|\(\.\*\))\Z|/\(\.\*\)\Z", "/*", source)
    target = re.sub(r"/?:(?:splat|\w+\*)|/?\$1", "/*", target) if source.endswith("*") else target
    if not source.startswith("/") or re.search(r"[?()\[\]\\]|\*.", source) or not target:
        return
    if re.search(r"\*.", target) or not re.match(r"/|https?://", target):
        return
    if source.endswith("*") and not source.endswith("/*"):
        yield source[:-1], target.removesuffix("/*") or "/"
        if target.endswith("/*"):
            return
        source = f"{source[:-1]}/*"
    if source.strip("/") and source.strip("/") != target.strip("/"):
        yield source, target


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.split("\n"):
        words = line.split("#", 1)[0].split() if line.lstrip().startswith("#") else line.split()
        words = words[: next((at for at, word in enumerate(words) if word.startswith("#")), None)]
        status = next((found["code"] for word in words if (found := _STATUS.match(word))), "301")
        extra = [word for word in words[2:] if not _STATUS.match(word)]
        if len(words) >= 2:
            yield words[0], words[1], "a condition" if extra or "=" in words[1] else status


def _toml(text: str) -> Iterator[tuple[str, str, str]]:
    try:
        found = read_toml(text)
    except NoToml:
        return
    listed = found.get("redirects")
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            status = "a condition" if each.get("conditions") or each.get("query") else each.get("status", 301)
            yield str(each.get("from")), str(each.get("to")), str(status)


def _json(text: str) -> Iterator[tuple[str, str, str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    listed = found.get("redirects") if isinstance(found, dict) else None
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            status = "a condition" if each.get("has") or each.get("missing") else each.get("statusCode", 308)
            yield str(each.get("source")), str(each.get("destination")), str(status)
