"""`twinpress links`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import click
from msgspec import Struct
from yarl import URL

from builder import report
from builder.diagnostics import Diagnostic, Level
from builder.errors import TwinpressError
from builder.plan.ask_git import ask
from builder.produce.external_links import ExternalLink, external_links
from builder.report.formats import json_array
from builder.site import Plan
from builder.store import ContentStore
from server.cli.actions.build_site import options_of
from server.cli.terminal import console
from server.cli.terminal.progress import Bar
from server.external_links.answer import KeptAnswers, LinkAnswer, asked_url, diagnostic, record
from server.external_links.asker import AskLimits, ask_links
from server.source_lines import reader

INTERRUPTED = 130
FATAL = frozenset({Level.ERROR})
LIMITS = AskLimits()
_NO_ADDRESS = LinkAnswer("broken", "it is no address")


def run(
    *,
    site: Path,
    changed: str,
    skip: tuple[str, ...],
    refresh: bool,
    private: bool,
    plan: Plan | None,
    form: str,
    drafts: bool,
    safe: bool,
    include_roots: tuple[Path, ...],
) -> int:
    """Ask for the external links of a site, and say which of them lead nowhere."""
    if safe and changed:
        raise click.UsageError("--changed asks git, which --safe leaves alone: use one of them.")
    options = options_of(plan, "no", 1, safe=safe, drafts=drafts, include_roots=include_roots)
    with ContentStore(site) as store:
        found = external_links(store, options)
        links = [link for link in found.links if not any(fnmatchcase(link.url, each) for each in skip)]
        if changed:
            files = changed_files(site, changed)
            links = [link for link in links if link.file in files]
        asked = _Asked(None if safe else KeptAnswers(site), {})
        is_whole = asked.ask(links, refresh=refresh, private=private)
        answered = [(link, asked.of(link)) for link in links if asked.knows(link)]
        told = _show(store, site, form, answered)
    _sum_up(told, links, found.pages, form)
    if asked.is_offline:
        console.note("No host at all was found. Is this computer connected to the internet?")
    if not is_whole:
        console.note("Stopped. The answers that came are kept; run the command again for the others.")
        return INTERRUPTED
    return int(report.failed(told, FATAL))


def changed_files(site: Path, ref: str) -> frozenset[str]:
    """Return the files of a site that differ from those at a commit, new ones too. Raises TwinpressError."""
    names: set[str] = set()
    for arguments in (
        ("diff", "--name-only", "-z", "--relative", "--no-ext-diff", "--merge-base", "--end-of-options", ref),
        ("ls-files", "--others", "--exclude-standard", "-z"),
    ):
        answer = ask(site, *arguments)
        if answer.fault:
            raise TwinpressError(f"git cannot say what has changed since `{ref}`: {answer.fault}")
        names.update(name for name in answer.text.split("\0") if name)
    return frozenset(names)


class _Asked(Struct):
    """Knows answers by address: those that are kept, and those that come."""

    kept: KeptAnswers | None
    answers: dict[str, LinkAnswer]

    def ask(self, links: Iterable[ExternalLink], *, refresh: bool, private: bool) -> bool:
        """Ask for what is not known. False when somebody has stopped that; what came is kept."""
        urls = {str(url): url for link in links if (url := asked_url(link.url)) is not None}
        for name in () if refresh else urls:
            answer = self.kept.find(name) if self.kept else None
            if answer is not None:
                self.answers[name] = answer
        missing = [url for name, url in urls.items() if name not in self.answers]
        try:
            with Bar("Asking", "links") as bar:
                self._ask(missing, bar, private=private)
        except KeyboardInterrupt:
            return False
        finally:
            self._save()
        return True

    def _ask(self, urls: list[URL], bar: Bar, *, private: bool) -> None:
        known = len(self.answers)

        def heard(url: URL, answer: LinkAnswer) -> None:
            self.answers[str(url)] = answer
            if self.kept:
                self.kept.keep(str(url), answer)
            bar.update(len(self.answers) - known, len(urls))

        if urls:
            ask_links(urls, heard, LIMITS, private=private)

    def _save(self) -> None:
        if self.kept is None:
            return
        try:
            self.kept.save()
        except OSError as error:
            console.note(f"The answers cannot be kept: {error}")

    @property
    def is_offline(self) -> bool:
        """True if no host that was asked has given an answer."""
        asked = [one for one in self.answers.values() if one.outcome != "unasked"]
        return bool(asked) and not any(one.status for one in asked)

    def knows(self, link: ExternalLink) -> bool:
        """Return whether there is an answer for a link."""
        url = asked_url(link.url)
        return url is None or str(url) in self.answers

    def of(self, link: ExternalLink) -> LinkAnswer:
        """Return the answer for a link."""
        url = asked_url(link.url)
        return _NO_ADDRESS if url is None else self.answers[str(url)]


Answered = Sequence[tuple[ExternalLink, LinkAnswer]]


def _show(store: ContentStore, site: Path, form: str, answered: Answered) -> list[Diagnostic]:
    """Write what there is to say, and return it as diagnostics."""
    told = [found for link, answer in answered if (found := diagnostic(link, answer)) is not None]
    if form == "json":
        records = (record(link, answer) for link, answer in answered)
        console.write(json_array(each for each in records if each is not None))
    elif form == "github":
        console.write(report.to_github(told, console.prefix(site, console.repository())))
    elif told:
        read = reader(store)
        problems = (report.Problem.of(one, read) for one in report.bounded(told))
        console.lines(report.to_lines(problems, console.prefix(site, Path.cwd())))
    return told


def _sum_up(told: Sequence[Diagnostic], links: Sequence[ExternalLink], pages: int, form: str) -> None:
    """Say how many links there are, and what became of them."""
    counts, addresses = report.LevelCounts.of(told), len({link.url for link in links})
    many = f"{report.counted(len(links), 'external link')} ({addresses:,} different)"
    text = f"{many} in {report.counted(pages, 'page')}: {counts}"
    (console.line if form == "text" else console.note)(text)
