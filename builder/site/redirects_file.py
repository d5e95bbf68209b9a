"""Read the `_redirects` that authors keep in `static/`, as Netlify and Cloudflare Pages know it.

    # a comment
    /old        /new
    /blog/*     /posts/:splat   301

Its rules come behind those of `site.yml`. A line that only a host could follow (a condition, a rewrite, the
address of another site) is left out and told, as the file that a build writes is read by many hosts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from msgspec import Struct

from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.errors import StorageError
from builder.store import Scan
from builder.store.source_reader import SourceReader

FILE = "static/_redirects"
RULE = "redirect-rule"
_MOST = 50_000
"""Rules of the file."""
_MOST_TOLD = 1_000
_FOR_GOOD, _FOR_A_TIME = frozenset({"301", "308"}), frozenset({"302", "303", "307"})


class FileRedirects(Struct, frozen=True):
    """The old addresses with where each leads and its line, and what is wrong with the file."""

    rules: dict[str, str] = {}
    lines: dict[str, int] = {}
    found: tuple[Diagnostic, ...] = ()


def with_redirects_file(
    store: SourceReader, scan: Scan, config: SiteConfig
) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """Return the settings with the rules of the site's own `_redirects` behind their own."""
    if not any(file.file == FILE for file in scan.files):
        return config, ()
    try:
        text = store.read_file(FILE).decode()
    except FileNotFoundError:
        return config, ()  # gone since it was listed
    except (StorageError, UnicodeDecodeError) as error:
        message = error.message if isinstance(error, StorageError) else "is not valid UTF-8"
        return config, (Diagnostic(FILE, 0, 0, RULE, message, "save it as UTF-8"),)
    read = read_rules(text, config)
    merged = {**config.redirects, **read.rules}
    return dataclasses.replace(config, redirects=merged, redirect_lines=read.lines), read.found


def read_rules(text: str, config: SiteConfig) -> FileRedirects:
    """Read the lines of a file; which addresses make sense is looked at together with those of `site.yml`."""
    reader = _Reader(config)
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        reader.read(number, list(_words(line)))
        if len(reader.rules) >= _MOST:
            reader.say(number, f"there are more than {_MOST:,} rules, so the others are left out", "use `*`")
            break
    return FileRedirects(reader.rules, reader.lines, tuple(reader.found))


def _words(line: str) -> Iterator[str]:
    """The words of a line up to a comment."""
    for word in line.split():
        if word.startswith("#"):
            return
        yield word


class _Reader:
    """Collects the rules of a file, in their order."""

    def __init__(self, config: SiteConfig) -> None:
        self.rules: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.found: list[Diagnostic] = []
        self._config = config

    def read(self, number: int, words: list[str]) -> None:
        """Take a line, or say why not."""
        if not words:
            return
        if fault := _fault(words):
            self.say(number, f"is left out: {fault[0]}", fault[1])
            return
        old, new = self._own(words[0]), words[1]
        if old in self._config.redirects:
            self.say(
                number, f"is left out: `site.yml` says where `{_shown(old)}` leads", "remove one of them"
            )
        elif old in self.rules:
            self.say(number, f"is left out: line {self.lines[old]} has `{_shown(old)}`", "remove one of them")
        else:
            self.rules[old], self.lines[old] = new, number
            self._tell_of_status(number, words[2] if len(words) > 2 else "")

    def say(self, number: int, message: str, hint: str) -> None:
        """Tell of a line."""
        if len(self.found) < _MOST_TOLD:
            self.found.append(Diagnostic(FILE, number, 1, RULE, message, hint))

    def _own(self, old: str) -> str:
        """The address without the base path, which rules of hosts have."""
        base = self._config.base_path
        return old.removeprefix(base) if base and old.startswith(f"{base}/") else old

    def _tell_of_status(self, number: int, status: str) -> None:
        if status.removesuffix("!") in _FOR_A_TIME:
            message = f"`{status.removesuffix('!')}` becomes 301: redirects of a site are for good"
            self.say(number, message, "write 301")
        elif status.endswith("!"):
            self.say(
                number, "`!` is not kept: a page that exists is never hidden", "delete the page, or the `!`"
            )


def _fault(words: list[str]) -> tuple[str, str] | None:
    """Return what no redirect of a site can be, and what to do; None for a rule that can."""
    if len(words) < 2:
        return "it does not say where the address leads", "write `/old /new`"
    if not words[0].startswith("/"):
        return "the old address is no path of this site", "begin it with `/`, or let the other host do it"
    if len(words) > 3 or not words[1].startswith(("/", "http://", "https://")):
        return "it has a condition, or leads to no address", "write `/old /new`, or set it up at the host"
    status = words[2].removesuffix("!") if len(words) > 2 else "301"
    if status in _FOR_GOOD or status in _FOR_A_TIME:
        return None
    if status.isdecimal():
        return f"with the status {_shown(status)} it is no redirect", "set it up at the host"
    return "it has a condition", "set it up at the host"


def _shown(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
