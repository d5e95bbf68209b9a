"""The new addresses of pages and files by their former ones, as far as git knows since a commit.

A page has another address when its file was renamed, when its `slug` is another, or when the settings are:
`docs_at`, or the extra `slug`.

A layer below `vanished_findings`: it knows git and addresses, and no diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from builder import config, paths
from builder.config import SiteConfig
from builder.paths import PAGE_SUFFIXES, TWIN_SUFFIX
from builder.plan.ask_git import ask
from builder.plan.redirects import encoded
from builder.site import CONFIG_FILE, address_of, has_slugs, place_alike
from builder.store import Source
from builder.store.names import other_fault

_MOST_READ = 1_000
"""Pages whose former text git is asked for."""
_LONGEST = 1024 * 1024


def moved_since(site: Path, commit: str) -> Mapping[str, str]:
    """Return where pages are now that had another address at the commit."""
    changed = _changed(site, commit)
    before = config.load(ask(site, "show", f"{commit}:./{CONFIG_FILE}").output)[0]
    now = config.load(_read(site / CONFIG_FILE).encode())[0]
    pairs = dict(changed)
    if place_alike(before, now):
        pairs = {old: new for old, new in pairs.items() if old != new}
    else:
        pairs = {file: file for file in _same(site, commit)} | pairs
    found: dict[str, str] = {}
    asked = 0
    for old, file in pairs.items():
        text = _read(site / file) if has_slugs(before) or has_slugs(now) else ""
        former = text
        if has_slugs(before) and old in changed and asked < _MOST_READ:
            asked += 1
            former = ask(site, "show", f"{commit}:./{old}").text
        one, other = _address(old, former, before), _address(file, text, now)
        if one and other and one != other:
            found[encoded(one)] = encoded(other)
    return found


def _address(file: str, text: str, settings: SiteConfig) -> str:
    """Return the address of a page's file or of one that is copied, with these settings; "" for any other."""
    if "/" in file and not other_fault(file):
        return f"/{paths.moved(file.removeprefix('static/'), settings.docs_at)}"
    suffix = next((each for each in PAGE_SUFFIXES if file.endswith(each)), "")
    if not suffix or file.endswith(TWIN_SUFFIX):
        return ""
    path = file.removesuffix(suffix)
    return address_of(Source(path, PAGE_SUFFIXES[suffix], text, None, "", file), settings)


def _changed(site: Path, commit: str) -> dict[str, str]:
    """Return the files that were changed or renamed since the commit, with what each is called now."""
    asked = ("diff-tree", "-r", "--name-status", "--relative", "--diff-filter=MR", "-M", "-z", commit, "HEAD")
    parts = iter(ask(site, *asked).text.split("\0"))
    found: dict[str, str] = {}
    for status in parts:
        if status:
            old = next(parts, "")
            found[old] = next(parts, "") if status.startswith("R") else old
    return found


def _same(site: Path, commit: str) -> Iterator[str]:
    """Yield the pages of the commit that are still there."""
    for file in ask(site, "ls-tree", "-r", "-z", "--name-only", commit, "docs", "pages").text.split("\0"):
        if file.endswith(tuple(PAGE_SUFFIXES)) and (site / file).is_file():
            yield file


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
